import json
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.errors import PackError
from srag_mcp.evaluation.evaluate import EvaluationPlan, evaluate, take_documents
from srag_mcp.evaluation.pack import Pack, PackQuestion, read_pack
from srag_mcp.settings import Settings

QUESTIONS = [
    ("sum", "What is the total weight?", "SELECT sum(weight) FROM gold", 550),
    ("list", "Which are red?", "SELECT name FROM gold WHERE colour = 'red'", ["B", "D", "F"]),
    ("gone", "Which weighs 10?", "SELECT name FROM gold WHERE weight = 20", "B"),
    ("wrong", "How many?", "SELECT count(*) FROM gold", 11),
    ("none", "How high?", "", None),
]


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    folder = tmp_path / "crates"
    (folder / "documents").mkdir(parents=True)
    rows = ["document,name,weight,colour"]
    for number, name in enumerate("ABCDEFGHIJ", start=1):
        colour = "red" if name in "BDF" else "blue"
        text = f"Name: {name}\nWeight: {number * 10} kg\nColour: {colour}\n"
        (folder / "documents" / f"{name}.txt").write_text(text, encoding="utf-8")
        rows.append(f"{name}.txt,{name},{number * 10},{colour}")
    (folder / "gold.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    lines = [
        {"id": key, "question": asked, "gold_sql": sql, "answer": answer, "kind": "count"}
        for key, asked, sql, answer in QUESTIONS
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "questions.jsonl").write_text(text, encoding="utf-8")
    return read_pack(folder)


def test_answers_are_computed_anew_for_fewer_documents(pack: Pack) -> None:
    part = take_documents(pack, 5)
    assert list(part.gold) == ["A.txt", "C.txt", "E.txt", "G.txt", "I.txt"]
    assert {question.id: question.answer for question in part.questions} == {
        "sum": 250,
        "none": None,
    }, "what has no answer any more is left out, and what gold_sql does not give on all documents"
    seven = {question.id: question.answer for question in take_documents(pack, 7).questions}
    assert seven == {"sum": 340, "list": ("B", "F"), "gone": "B", "none": None}


def test_where_several_come_first_of_a_part_all_are_the_answer(pack: Pack) -> None:
    asked = "Which colour is the most frequent of the red and of A?"
    sql = (
        "SELECT colour FROM gold WHERE colour = 'red' OR name = 'A'"
        " GROUP BY 1 QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1"
    )
    question = PackQuestion("most", asked, "red", "string", "rank", gold_sql=sql)
    most = replace(pack, questions=(question,))
    [all_but_one] = take_documents(most, 4).questions  # A, C, F, H
    assert (sorted(all_but_one.members), all_but_one.is_tie) == (["blue", "red"], True)
    assert all_but_one.names == ("blue", "red")
    [of_seven] = take_documents(most, 7).questions
    assert (of_seven.answer, of_seven.is_tie) == ("red", False)


def test_all_documents_are_the_pack_itself(pack: Pack) -> None:
    assert take_documents(pack, 10) is pack


def test_only_the_documents_of_the_part_are_ingested(pack: Pack, tmp_path: Path) -> None:
    plan = EvaluationPlan(n_documents=5, work=tmp_path / "work")
    evaluation = evaluate(pack.folder, Settings(), plan)
    assert evaluation.documents == 5
    assert [result.outcome for result in evaluation.questions] == ["right", "right"]
    assert (tmp_path / "work" / "crates" / ".srag").is_dir(), "the work is kept"
    assert evaluate(pack.folder, Settings(), plan).documents == 5


def test_the_gold_records_can_be_asked_themselves(pack: Pack) -> None:
    evaluation = evaluate(pack.folder, Settings(), EvaluationPlan(schema="gold-records"))
    outcomes = {result.question.id: result.outcome for result in evaluation.questions}
    assert outcomes["sum"] == outcomes["list"] == outcomes["none"] == "right"
    assert evaluation.cells == ()


def test_gold_that_cannot_be_queried_is_named(pack: Pack) -> None:
    broken = pack.folder / "questions.jsonl"
    broken.write_text(broken.read_text().replace("sum(weight)", "sum(height)"), encoding="utf-8")
    with pytest.raises(PackError, match=r"the gold of crates cannot be queried: .*height"):
        take_documents(read_pack(pack.folder), 5)


def test_a_pack_without_gold_has_no_part(pack: Pack) -> None:
    with pytest.raises(PackError, match="crates has no gold records"):
        take_documents(replace(pack, gold={}), 5)
