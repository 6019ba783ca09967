"""A whole evaluation: a small pack is ingested elsewhere, compared and asked."""

import json
from pathlib import Path

import pytest

from srag_mcp.errors import PackError
from srag_mcp.evaluation.comparison import FieldScore
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
    assert evaluation.questions[2].to_json()["sql"] == ""
    written = evaluation.to_json()
    assert list(written) == [
        "pack", "engine", "documents", "cells", "cells_mean", "questions",
        "per_question", "seconds", "calls", "tokens",
    ]  # fmt: skip
    assert written["pack"] == "inns"
    assert written["engine"] == "offline"
    assert written["documents"] == 6
    assert written["cells"] == {"label": 1.0, "nightly_price": 1.0, "opened": 1.0}
    counts = {"total": 3, "right": 2, "wrong": 1, "refused": 0, "failed": 0}
    assert written["questions"] == counts | {"by_kind": {"aggregate": counts}}
    assert json.loads(json.dumps(written))["per_question"][1]["expected"] == 7
    assert written["calls"] == 0
    assert isinstance(tokens := written["tokens"], dict)
    assert (tokens["documents"] > 0, tokens["build"], tokens["question_median"]) == (True, 0, 0)


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
    assert [(r.question.id, r.outcome) for r in evaluation.questions] == [
        ("x", "right"),
        ("y", "right"),
    ]
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


def test_what_an_earlier_ingestion_left_in_the_pack_and_what_is_outside_is_not_used(
    pack: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside.txt").write_text("Name: Gull\nPrice: USD 9\n", encoding="utf-8")
    state = pack / "documents" / ".srag"
    state.mkdir()
    schema = {"title": "Shoe", "properties": {"size": {"type": "integer"}}}
    (state / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    (pack / "documents" / "out.txt").symlink_to(tmp_path / "outside.txt")
    (pack / "documents" / "nowhere.txt").symlink_to(tmp_path / "gone.txt")
    evaluation = evaluate(pack, Settings())
    assert evaluation.documents == 6
    assert [score.accuracy for score in evaluation.cells] == [1.0, 1.0, 1.0]


def test_gaps_and_steps_are_told(pack: Path, caplog: pytest.LogCaptureFixture) -> None:
    (pack / "documents" / "7.pdf").touch()
    with (pack / "gold.csv").open("a", encoding="utf-8") as gold:
        gold.write("8.txt,Gorse Inn,90,2020-01-01\n")
    told: list[tuple[str, int, int]] = []
    evaluate(
        pack, Settings(), on_progress=lambda stage, done, total: told.append((stage, done, total))
    )
    assert [record.getMessage() for record in caplog.records] == [
        "7.pdf could not be read: the file is empty",
        "gold.csv names documents that are not there; 1 rows count as wrong: 8.txt",
    ]
    assert told[-3:] == [("asking", 1, 3), ("asking", 2, 3), ("asking", 3, 3)]


def test_tables_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = []
    for name, winner in (("a", "Reds"), ("b", "Blues")):
        (tmp_path / name).mkdir()
        text = f"Team,Points\n{winner},30\nGreens,7\n"
        (tmp_path / name / "1.csv").write_text(text, encoding="utf-8")
        question = "which team has the most points?"
        lines.append({"id": name, "table": f"{name}/1.csv", "question": question, "answer": winner})
    write_lines(tmp_path / "questions.jsonl", lines)
    evaluation = evaluate(tmp_path, Settings())
    assert [result.outcome for result in evaluation.questions] == ["right", "right"]


def test_a_question_that_is_too_long_is_refused_and_a_grouped_answer_compared(pack: Path) -> None:
    write_lines(
        pack / "questions.jsonl",
        [
            {"id": "long", "question": "How many? " * 300, "answer": 6},
            {"id": "rows", "question": "What is the price per name?",
             "answer": dict(zip(NAMES, PRICES, strict=True))},
        ],
    )  # fmt: skip
    evaluation = evaluate(pack, Settings())
    assert evaluation.questions[0].outcome == "refused"
    assert evaluation.questions[1].outcome in {"right", "refused"}
    json.dumps(evaluation.to_json(), allow_nan=False)
