"""Whether sentences are supported: what a judge is shown, and how the replies are counted."""

import json
from pathlib import Path

import pytest

from tests.benchmarks.support import count, write

GROWTH = {
    "question": "How much did sales grow?",
    "sentence": "Sales grew by 15 %.",
    "computed": ["growth = a / b - 1 = 0.15"],
    "values": {"a": 11_500.0, "b": 10_000.0},
    "quotes": [
        {"document": "a.pdf", "page": 4, "headings": "Income", "text": "Sales |\n11,500 | 10,000"}
    ],
}
CHAIR = {
    "question": "Who chairs the board?",
    "sentence": "Maria Lund does.",
    "computed": [],
    "values": {},
    "quotes": [{"document": "b.txt", "page": None, "headings": "", "text": "Chair: Maria Lund"}],
}


def test_a_judge_sees_each_sentence_with_its_quotes_and_all_replies_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences, folder = tmp_path / "ships.json", tmp_path / "judge"
    sentences.write_text(json.dumps([GROWTH, CHAIR, *[CHAIR] * 19]))

    write(sentences, folder)

    texts = sorted(path.name for path in folder.iterdir())
    assert texts == ["ships-01.txt", "ships-02.txt"]
    shown = (folder / "ships-01.txt").read_text().partition("## 1\n")[2]
    assert shown.partition("\n## 3\n")[0] == (
        "Question: How much did sales grow?\n"
        "Sentence: Sales grew by 15 %.\n"
        "Quote (a.pdf, page 4, Income): Sales | 11,500 | 10,000\n"
        "Computed: growth = a / b - 1 = 0.15\n"
        "Quoted numbers in these: a = 11500, b = 10000\n\n"
        "## 2\n"
        "Question: Who chairs the board?\n"
        "Sentence: Maria Lund does.\n"
        "Quote (b.txt): Chair: Maria Lund\n"
    )
    supported = {str(n): {"verdict": "supported", "unseen": "", "why": ""} for n in range(2, 21)}
    supported["2"]["unseen"] = "in millions"
    partly = {"1": {"verdict": "partly", "unseen": "", "why": "no year"}}
    (folder / "ships-01.json").write_text(json.dumps(supported | partly))
    capsys.readouterr()

    count(folder)

    assert capsys.readouterr().out.splitlines() == [
        "ships-01, 1: partly. no year",
        "ships-02, 1: not judged. ",
        "{'supported': 19, 'partly': 1, 'not supported': 0, 'not judged': 1}",
        "supported: 0.905 (0.711 to 0.973) of 21;",
        "of these 1 but for a head of a table that no quote shows",
    ]
