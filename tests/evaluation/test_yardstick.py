"""What the yardstick of tests/benchmarks calls silent, and what it calls a column."""

import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.guard import Value
from tests.benchmarks.yardstick_columns import Records, align_rows, judge_columns
from tests.benchmarks.yardstick_report import Part, Question, Verdicts, normalise_note, settle

GAP = "NAME is not known for # of # documents"


def asked(number: int, outcome: str = "right", templates: tuple[str, ...] = ()) -> Question:
    return Question.model_validate(
        {"id": str(number), "kind": "count", "question": "How many?", "outcome": outcome,
         "sql": "SELECT 1", "answer": 3, "expected": 4, "templates": list(templates)}
    )  # fmt: skip


def settled(wrong: Question, right: list[Question], verdicts: Verdicts) -> Question:
    settle({"huts": Part(name="huts", questions=[*right, wrong])}, verdicts)
    return wrong


def test_a_note_is_the_same_whatever_it_names() -> None:
    said = "opened is not known for 1,203 of 2,000 documents (“Hut 3”, 'Arla' and 'Brun')"

    assert normalise_note(said, ["opened"]) == f"{GAP} (TEXT…)"


def test_bounds_that_hold_the_truth_give_a_wrong_answer_away() -> None:
    bounded = asked(1, "wrong").model_copy(update={"bounds": (3.0, 5.0)})
    beside = asked(1, "wrong").model_copy(update={"bounds": (1.0, 3.5)})

    assert settled(bounded, [], Verdicts()).cause == "bounds"
    assert settled(beside, [], Verdicts()).silent


@pytest.mark.parametrize(
    ("names_cause", "n_shown", "silent"),
    [(True, 1, False), (False, 1, True), (None, 1, True), (True, 2, True)],
    ids=["named", "not named", "not judged", "common"],
)
def test_a_note_counts_if_a_reader_found_the_cause_in_it_and_it_is_rare(
    names_cause: bool | None, n_shown: int, silent: bool
) -> None:
    known = {} if names_cause is None else {GAP: names_cause}
    right = [asked(number, templates=(GAP,) * (number < n_shown)) for number in range(6)]

    wrong = settled(asked(9, "wrong", (GAP,)), right, Verdicts(notes={"huts": {"9": known}}))

    assert wrong.silent == silent
    assert wrong.to_judge == ([GAP] if names_cause is None else [])


TOWNS = ["Arla", "Brun", "Calm", "Dorn", "Elme"] * 4
GOLD = {
    f"{number}.txt": {
        "town": town,
        "pool": str(number % 4 == 0).lower(),
        "opened": "" if number % 2 else str(1900 + number),
    }
    for number, town in enumerate(TOWNS)
}


def verdict_of(kind: str, values: list[Value], name: str = "column_1") -> str:
    found = {document: {name: value} for document, value in zip(GOLD, values, strict=True)}
    [column] = judge_columns([Attribute(name=name, type=kind)], Records(GOLD, found))
    return f"{column.verdict} {column.field}" if column.by_gold else column.verdict


def test_a_column_is_worth_what_its_values_say() -> None:
    numbers = range(20)
    assert verdict_of("string", [*TOWNS]) == "right town"
    assert verdict_of("string", [TOWNS[n] if n < 8 else None for n in numbers]) == "half town"
    mixed: list[Value] = [TOWNS[n] if n < 12 else "Furt" for n in numbers]
    assert verdict_of("string", mixed, "town_name") == "wrong town"
    assert verdict_of("string", [f"Street {n}" for n in numbers]) == "unjudged"
    assert verdict_of("integer", [None if n % 2 else 1900 + n for n in numbers]) == "right opened"


def test_a_boolean_is_right_where_what_it_affirms_is() -> None:
    numbers = range(20)
    assert verdict_of("boolean", [n % 4 == 0 for n in numbers]) == "right pool"
    assert verdict_of("boolean", [False] * 20) == "unjudged"
    assert verdict_of("boolean", [n == 7 for n in numbers]) == "unjudged"


def test_a_reader_is_asked_about_what_gold_does_not_know() -> None:
    part = Part(name="huts")
    found = {document: {"street": "Main"} for document in GOLD}
    part.columns = judge_columns([Attribute(name="street", type="string")], Records(GOLD, found))
    [column] = part.columns

    settle({"huts": part}, Verdicts(columns={"huts": {"street": {column.holds: "junk"}}}))
    seen = (column.verdict, column.is_old)
    settle({"huts": part}, Verdicts(columns={"huts": {"street": {"another": "half"}}}))

    assert seen == ("junk", False)
    assert (column.verdict, column.is_old) == ("half", True)


def test_rows_are_aligned_by_what_they_hold_and_a_total_is_none() -> None:
    gold = {f"t.csv#{n:02d}": {"town": town, "n": str(n)} for n, town in enumerate(TOWNS[:4])}
    rows: dict[str, dict[str, Value]] = {
        f"sheet!{n + 6}": {"place": town, "units": n} for n, town in enumerate(TOWNS[:4])
    }
    rows["sheet!99"] = {"place": "Total", "units": 6}

    assert align_rows(gold, rows) == {f"sheet!{n + 6}": f"t.csv#{n:02d}" for n in range(4)}
