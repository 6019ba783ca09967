"""A whole evaluation: a small pack is ingested elsewhere, compared and asked."""

import json
from pathlib import Path

import pytest

from srag_mcp.errors import PackError
from srag_mcp.evaluation.alignment import FieldScore
from srag_mcp.evaluation.evaluate import EvaluationPlan, evaluate
from srag_mcp.settings import Settings

NAMES = ["Alder Inn", "Birch House", "Cedar Lodge", "Dogwood Hall", "Elm Court", "Fir Villa"]
PRICES = [80, 95, 110, 120, 140, 200]


def write_lines(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "inns"
    (folder / "documents").mkdir(parents=True)
    rows = ["document,label,nightly_price,opened"]
    for number, (name, price) in enumerate(zip(NAMES, PRICES, strict=True), start=1):
        text = f"Name: {name}\nPrice: USD {price}\nOpening date: {number} March 20{10 + number}\n"
        (folder / "documents" / f"{number}.txt").write_text(text, encoding="utf-8")
        rows.append(f"{number}.txt,{name},{price},20{10 + number}-03-0{number}")
    (folder / "gold.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    question = {"tolerance": 0.001, "kind": "aggregate"}
    write_lines(
        folder / "questions.jsonl",
        [
            {"id": "a", "question": "What is the average price?", "answer": 124.1667} | question,
            {"id": "b", "question": "What is the average price?", "answer": 7} | question,
            {"id": "c", "question": "How many zebras were vaccinated?", "answer": None} | question,
        ],
    )
    return folder


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_records_and_questions_are_scored_and_the_pack_is_left_alone(pack: Path) -> None:
    before = snapshot(pack)
    evaluation = evaluate(pack, Settings())
    assert snapshot(pack) == before
    assert [score.accuracy for score in evaluation.cells] == [1.0, 1.0, 1.0]
    assert [result.outcome for result in evaluation.questions] == ["right", "wrong", "right"]
    assert evaluation.questions[2].sql == ""
    written = evaluation.to_json()
    assert list(written) == [
        "pack", "engine", "documents", "cells", "cells_mean", "questions", "per_question",
        "seconds", "calls", "tokens",
    ]  # fmt: skip
    assert written["pack"] == "inns"
    assert written["engine"] == "offline"
    assert written["documents"] == 6
    assert written["cells"] == {"label": 1.0, "nightly_price": 1.0, "opened": 1.0}
    counts = {"total": 3, "right": 2, "wrong": 1, "refused": 0}
    assert written["questions"] == counts | {"by_kind": {"aggregate": counts}}
    assert json.loads(json.dumps(written))["per_question"][1]["expected"] == 7
    assert (written["calls"], written["tokens"]) == (0, 0)


def test_a_gold_schema_names_the_columns(pack: Path) -> None:
    schema = {
        "title": "Inn",
        "properties": {
            "label": {"type": "string", "x-extractors": [{"kind": "key", "keys": ["name"]}]},
            "nightly_price": {"type": "integer", "x-synonyms": ["price"]},
        },
    }
    (pack / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    evaluation = evaluate(pack, Settings(), EvaluationPlan(schema="gold"))
    assert evaluation.cells == (
        FieldScore("label", "label", 1.0),
        FieldScore("nightly_price", "nightly_price", 1.0),
        FieldScore("opened", None, 0.0),
    )


def test_each_question_of_a_pack_of_tables_is_asked_of_its_own_table(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "1.csv").write_text(
        "Team,Points\nReds,12\nBlues,30\nGreens,7\n", encoding="utf-8"
    )
    (tmp_path / "tables" / "2.csv").write_text(
        "City,Population\nOslo,700000\nBergen,290000\n", encoding="utf-8"
    )
    write_lines(
        tmp_path / "questions.jsonl",
        [
            {"id": "x", "table": "tables/1.csv", "question": "which team has the most points?",
             "answer": ["Blues"]},
            {"id": "y", "table": "tables/2.csv", "question": "what is the total population?",
             "answer": ["990,000"]},
        ],
    )  # fmt: skip
    evaluation = evaluate(tmp_path, Settings())
    assert [(r.id, r.outcome) for r in evaluation.questions] == [("x", "right"), ("y", "right")]
    assert (evaluation.documents, evaluation.cells, evaluation.cells_mean) == (5, (), None)


def test_a_table_outside_of_the_pack_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    write_lines(
        folder / "questions.jsonl",
        [{"id": "x", "table": "../secret.csv", "question": "?", "answer": ["1"]}],
    )
    with pytest.raises(PackError, match="no file of the pack"):
        evaluate(folder, Settings())
