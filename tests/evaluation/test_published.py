"""Benchmarks as others publish them: small files of the right shape."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from srag_mcp.errors import PackError
from srag_mcp.evaluation.bench import open_bench
from srag_mcp.evaluation.evaluate import EvaluationPlan, evaluate
from srag_mcp.evaluation.pack import PackQuestion, read_published
from srag_mcp.evaluation.retrieval import RANKERS
from srag_mcp.settings import Settings

FILING = {
    "financebench_id": "financebench_id_1",
    "company": "Acme",
    "doc_name": "ACME_2022_10K",
    "question_type": "metrics-generated",
    "question_reasoning": "Information extraction",
    "question": "What is the revenue of FY2022?",
    "answer": "$7.00",
    "justification": "",
    "evidence": [
        {
            "evidence_text": "Revenue 7",
            "doc_name": "ACME_2022_10K",
            "evidence_page_num": 58,
            "evidence_text_full_page": "Revenue 7",
        }
    ],
}
REPORT = {
    "table": {"uid": "t-1", "table": [["", "2019"], ["Cost < sales", "$48"]]},
    "paragraphs": [
        {"uid": "p-2", "order": 2, "text": "Second & last."},
        {"uid": "p-1", "order": 1, "text": "First."},
    ],
    "questions": [
        {"uid": "q-1", "order": 1, "question": "What was the cost?", "answer": ["$48"],
         "derivation": "", "answer_type": "span", "answer_from": "table", "rel_paragraphs": [],
         "req_comparison": False, "scale": ""},
        {"uid": "q-2", "order": 2, "question": "How much is half?", "answer": 24,
         "derivation": "48/2", "answer_type": "arithmetic", "answer_from": "table",
         "rel_paragraphs": [], "req_comparison": False, "scale": ""},
    ],
}  # fmt: skip


def write_lines(path: Path, lines: Sequence[Mapping[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def filing(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.pdf").write_bytes(b"%PDF-1.4")


@pytest.mark.parametrize("folder", ["data/filings", "pdfs"])
def test_financebench_finds_its_filings(
    tmp_path: Path, folder: str, caplog: pytest.LogCaptureFixture
) -> None:
    filing(tmp_path / folder, "ACME_2022_10K")
    other = FILING | {"financebench_id": "financebench_id_2", "doc_name": "OTHER_2022_10K"}
    path = write_lines(tmp_path / "data" / "financebench_open_source.jsonl", [FILING, other])

    pack = read_published(path)

    assert pack.questions == (
        PackQuestion(
            "financebench_id_1",
            "What is the revenue of FY2022?",
            "$7.00",
            "string",
            "metrics-generated",
            documents=("ACME_2022_10K",),
            evidence=(("ACME_2022_10K", 59),),
        ),
    )
    assert (pack.source, pack.of_retrieval) == ((tmp_path / folder).resolve(), True)
    assert "1 of 2 questions are left out: their filings are not there" in caplog.text


def test_financebench_without_any_filing_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "data" / "questions.jsonl", [FILING])
    with pytest.raises(PackError, match="none of the filings"):
        read_published(path)


def test_tables_of_tat_qa_become_documents(tmp_path: Path) -> None:
    path = tmp_path / "tatqa_dataset_dev.json"
    path.write_text(json.dumps([REPORT]), encoding="utf-8")

    pack = read_published(path)

    assert pack.of_retrieval
    assert [(item.id, item.answer, item.kind, item.documents) for item in pack.questions] == [
        ("q-1", ("$48",), "span", ("1.html",)),
        ("q-2", 24, "arithmetic", ("1.html",)),
    ]
    body = "<p>First.</p>\n<p>Second &amp; last.</p>\n<table>\n<tr><td></td><td>2019</td></tr>\n"
    assert body in pack.texts["1.html"]
    assert "<tr><td>Cost &lt; sales</td><td>$48</td></tr>" in pack.texts["1.html"]


def test_aggregative_questions_are_asked_of_the_whole_corpus(tmp_path: Path) -> None:
    corpus = [{"document_content": f"# Inn {n}\n\nPrice: {n}0 USD\n"} for n in range(12)]
    path = write_lines(tmp_path / "inns" / "corpus.jsonl", corpus)
    write_lines(path.with_name("questions.jsonl"), [{"question": "How many zebras?", "answer": 0}])

    pack = read_published(path)
    evaluation = evaluate(path, Settings(engine="offline"))

    assert (pack.name, len(pack.texts), pack.texts["02.md"]) == (
        "inns",
        12,
        "# Inn 1\n\nPrice: 10 USD\n",
    )
    assert not pack.of_retrieval
    assert evaluation.documents == 12
    assert [result.outcome for result in evaluation.questions] == ["refused"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "neither FinanceBench nor TAT-QA"),
        ("[]", "neither FinanceBench nor TAT-QA"),
        ('{"question": "?"}', "neither FinanceBench nor TAT-QA"),
        ("not json", "not a benchmark that can be read"),
        ('{"financebench_id": "1"}', "not a benchmark that can be read"),
        ('[{"paragraphs": [], "questions": []}]', "not a benchmark that can be read"),
        ('{"document_content": "x"}', "questions.jsonl"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PackError, match=message):
        read_published(path)


def test_a_published_benchmark_is_laid_out_like_a_pack(tmp_path: Path) -> None:
    filing(tmp_path / "pdfs", "ACME_2022_10K")
    path = write_lines(tmp_path / "asked.jsonl", [FILING])
    with open_bench(Settings(), tmp_path / "work") as bench:
        folder = bench.lay_out(read_published(path))
    assert [item.name for item in folder.iterdir()] == ["ACME_2022_10K.pdf"]


@pytest.mark.parametrize("ranking", RANKERS)
def test_a_published_benchmark_is_measured(tmp_path: Path, ranking: str) -> None:
    other = REPORT | {"table": {"uid": "t-2", "table": [["Boats", "7"]]}, "questions": []}
    path = tmp_path / "tatqa.json"
    path.write_text(json.dumps([other, REPORT]), encoding="utf-8")

    evaluation = evaluate(path, Settings(), EvaluationPlan(ranking=ranking))

    assert evaluation.retrieval is not None
    assert (evaluation.documents, evaluation.questions) == (2, ())
    assert evaluation.retrieval.scores["q-1"]["hit_1"] == 1  # the cost stands in one report alone
    assert evaluation.retrieval.scores["q-2"]["hit_1"] == 0  # nothing says half
