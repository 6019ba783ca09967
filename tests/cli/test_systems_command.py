"""Systems on the command line: measured, judged, and put side by side."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.model.openai_server import Answer, Body, content_of, serving

VERDICT = {
    "reason": "It is there.", "parts": 1, "parts_given": 1, "correct": True,
    "faithfulness": 5, "completeness": 5, "relevance": 5,
}  # fmt: skip


def answer(body: Body) -> Answer:
    content = content_of(body)
    if "Expected answer:" in content:
        return Answer(json.dumps(VERDICT))
    there = "120" in content
    found = {"number": 1, "text": "?", "answer": 120 if there else None, "scale": ""}
    return Answer(json.dumps({"answers": [{**found, "says_nothing": not there}]}))


def test_runs_of_systems_are_saved_judged_and_compared(
    cli: Cli, ferries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    ferries.rename(pack / "documents")
    (pack / "documents" / "long.txt").write_text("Passengers: 120\n", encoding="utf-8")
    line = {"id": "q", "question": "How many passengers?", "answer": 120, "documents": ["long.txt"]}
    (pack / "questions.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    files = []
    with serving(answer) as server:
        monkeypatch.setenv("SRAG_MODEL", "openai/any")
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        for system in ("bm25-rag", "closed-book"):
            files.append(tmp_path / f"{system}.json")
            saved = cli("eval", pack, "--system", system, "--json")
            files[-1].write_text(saved.out, encoding="utf-8")
        people = cli("eval", pack, "--system", "bm25-rag")
        judged = cli("judge", *files)
    compared, as_json = cli("compare", *files), cli("compare", *files, "--json")

    assert "system bm25-rag: 120 tokens a question in the median" in people.out
    assert judged.out == compared.out
    rows = [[cell.strip() for cell in row.split("|")] for row in compared.out.splitlines()[2:]]
    assert [row[2:9] for row in rows] == [
        ["bm25-rag", "1 of 1", "0", "0", "0", "", "1"],
        ["closed-book", "0 of 1", "0", "1", "0", "1.000", "0"],
    ]
    assert [pair["by"] for pair in json.loads(as_json.out)["pairs"]] == ["match", "judge"]


def test_a_system_that_is_not_there_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    line = {"id": "q", "question": "How many?", "answer": 1}
    (tmp_path / "questions.jsonl").write_text(json.dumps(line), encoding="utf-8")
    result = cli("eval", tmp_path, "--system", "rag")
    assert (result.status, result.err.count("there is no system 'rag'")) == (1, 1)
