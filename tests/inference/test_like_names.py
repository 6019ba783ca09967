"""Names beside the one that a question says: nobody has decided whether they are the same."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import SURE_OR_BRIEF, ask
from srag_mcp.names.doubtful import find_forms, find_shortened
from srag_mcp.names.uniting import Decided
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import write_decided
from srag_mcp.store.guard import QueryPool
from tests.conftest import Once

COURTS = {
    "Court of Appeal, Civil Division": 4,
    "Court of Appeal (Civil Div.)": 3,
    "High Court, Chancery Division": 2,
    "Supreme Court": 1,
}
SCHEMA = Schema(
    title="Ruling",
    entity="rulings",
    nouns=("ruling",),
    attributes=(Attribute(name="court", type="string"), Attribute(name="days", type="integer")),
)
QUESTION = "How many rulings are of the Court of Appeal, Civil Division?"


@pytest.fixture
def rulings(tmp_path: Path, once: Once) -> Iterator[Corpus]:
    folder = tmp_path / "rulings"
    folder.mkdir()
    rows = [{"court": court, "days": 2} for court, n in COURTS.items() for _ in range(n)]
    (folder / "rulings.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    settings = Settings(workers=1, home=tmp_path / "home")
    once(folder, lambda: ingest(folder, settings, schema=SCHEMA))
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def test_what_is_another_result_with_a_spelling_beside_it_is_refused_with_both(
    rulings: Corpus,
) -> None:
    answer = ask(rulings, QUESTION)
    court = "number of records where court is 'Court of Appeal, Civil Division'."
    assert (answer.rows, answer.text) == (
        (),
        "Not answered: nobody knows whether these are the same: Court of Appeal, Civil Division (4)"
        f" and Court of Appeal (Civil Div.) (3). If not: 4: {court} If so: 7: {court}",
    )


def test_spellings_that_are_counted_apart_are_refused_and_those_that_lead_either_way_are_not(
    rulings: Corpus,
) -> None:
    counted = ask(rulings, "How many different courts are there?")
    assert counted.text.endswith(
        "If not: 4: number of different court. If so: 3: number of different court."
    )
    leading = ask(rulings, "Which court has the most rulings?")
    assert (leading.rows, leading.warnings) == ((("Court of Appeal, Civil Division",),), ())


@pytest.mark.parametrize(
    ("column", "values", "groups"),
    [
        ("test", ["pass", "passed", "fail", "failed - again"], [[0, 1], [2, 3]]),
        ("state", ["good", "good, stable", "good (was fair)", "fair"], [[0, 1, 2]]),
        ("native", ["yes", "native", "introduced", "no", "not native"], [[0, 1], [3, 4]]),
        ("state", ["good", "very good", "the good", "fair"], [[0, 2]]),
        ("name", ["Smith, Anna", "Smith, John"], []),
        ("condition", ["good condition", "bad condition"], []),
        ("kind", ["paint", "painting"], [[0, 1]]),
        ("code", ["A-1", "A-2", "B-1", "—"], []),
        ("check", ["OK", "OK.", "OK (late)", "A", "A*", "A."], [[0, 1, 2], [3, 5]]),
        ("part", ["Part A", "Part B", "Part B, late", "Part 1", "Part 2", "Part 2b"], [[1, 2]]),
    ],
)
def test_forms_of_one_value_are_found(
    column: str, values: list[str], groups: list[list[int]]
) -> None:
    assert find_forms(values, column) == [[values[at] for at in group] for group in groups]


@pytest.mark.parametrize(
    ("values", "pairs"),
    [
        (["hydraulic", "hydr", "rim", "coaster"], [["hydr", "hydraulic"]]),
        (["Bundesbahn", "BB", "Netherlands"], [["BB", "Bundesbahn"]]),
        (["standard", "std", "deluxe"], [["std", "standard"]]),
        (["rain", "rain bow", "rainbow", "bow"], [["rain bow", "rainbow"]]),
        (["grey", "red", "gray"], [["gray", "grey"]]),
        (["east", "west", "Part A", "Part B", "cat", "rat", "Room 12", "Room 13"], []),
        (
            [
                "male",
                "female",
                "left",
                "right",
                "A1",
                "A10",
                "Type A",
                "Type AB",
                "tin",
                "titanium",
            ],
            [],
        ),
        (["Grade I", "Grade II", "Grade V", "Grade VIII", "AB", "ABBA", "AB*"], []),
        (["m", "male", "f", "female", "n"], [["m", "male"], ["f", "female"]]),
        (["R.C.", "reinforced concrete", "steel"], [["R.C.", "reinforced concrete"]]),
        (["fem.", "female", "M", "F"], [["fem.", "female"], ["F", "female"]]),
    ],
)
def test_short_forms_of_a_value_are_found(values: list[str], pairs: list[list[str]]) -> None:
    assert find_shortened(values) == pairs


def ask_of(
    folder: Path, once: Once, rows: Iterable[object], questions: Iterable[str]
) -> list[Answer]:
    """Ask questions of a table file without a model."""
    folder.mkdir()
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    settings = Settings(workers=1, home=folder.with_name("home"))
    once(folder, lambda: ingest(folder, settings))
    with QueryPool() as worker:
        corpus = Corpus(folder, worker, settings.home)
        return [ask(corpus, question) for question in questions]


def test_short_forms_in_small_letters_are_found_where_values_return(
    tmp_path: Path, once: Once
) -> None:
    brakes = {"hydraulic": 5, "hydr": 2, "rim": 4}
    rows = [{"brake": brake, "gears": 7} for brake, n in brakes.items() for _ in range(n)]
    answers = ask_of(
        tmp_path / "bicycles",
        once,
        rows,
        (
            "How many bicycles have a hydraulic brake?",
            "Which brake is most common?",
            "How many bicycles have a rim brake?",
        ),
    )
    assert [answer.rows for answer in answers] == [(), (("hydraulic",),), ((4,),)]
    assert answers[0].text == (
        "Not answered: nobody knows whether these are the same: hydraulic (5) and hydr (2)."
        " If not: 5: number of records where brake is 'hydraulic'."
        " If so: 7: number of records where brake is 'hydraulic'."
    )


def test_a_mark_that_makes_another_value_stays_and_one_that_may_not_is_asked_about(
    tmp_path: Path, once: Once
) -> None:
    folder = tmp_path / "houses"
    folder.mkdir()
    grades, checks = {"Grade II": 9, "Grade II*": 12, "none": 9}, {"OK": 15, "OK.": 9, "loose": 6}
    columns = [[x for x, n in values.items() for _ in range(n)] for values in (grades, checks)]
    lines = [
        f"Listed: {listed}\nCheck: {check}\nArea: {40 + n} m2\n"
        for n, (listed, check) in enumerate(zip(*columns, strict=True))
    ]
    for n, text in enumerate(lines):
        (folder / f"{n:02}.txt").write_text(text)
    settings = Settings(workers=1, home=tmp_path / "home")
    once(folder, lambda: ingest(folder, settings))
    with QueryPool() as worker:
        corpus = Corpus(folder, worker, settings.home)
        answers = [
            ask(corpus, question)
            for question in (
                "How many houses are listed Grade II*?",
                "How many houses are listed Grade II?",
                "How many houses are there for each check?",
            )
        ]
    assert [answer.rows for answer in answers] == [((12,),), ((9,),), ()]
    assert "the same: OK (15) and OK. (9)." in answers[2].text


def test_names_that_a_person_has_parted_are_told_no_more(rulings: Corpus) -> None:
    apart = (tuple(COURTS)[:2],)
    assert rulings.state is not None
    write_decided(rulings.state, {"court": Decided(apart=apart)})
    assert ask(rulings, QUESTION).warnings == ()


def test_a_name_that_is_like_no_other_is_sure(rulings: Corpus) -> None:
    answer = ask(rulings, "How many rulings are of the Supreme Court?", SURE_OR_BRIEF)
    assert (answer.rows, answer.warnings) == (((1,),), ())


def test_a_value_that_says_more_than_another_is_not_told_apart_from_it(
    tmp_path: Path, once: Once
) -> None:
    folder = tmp_path / "repairs"
    folder.mkdir()
    items = {"kettle": 6, "electric kettle": 4, "radio": 4, "Lamp": 2, "Desk Lamp": 2}
    tests, states = ["done", "not done"], ["good", "very good", "fair"]
    rows = [
        {"item": item, "test": tests[at % 2], "state": states[at % 3], "minutes": 20}
        for item, n in items.items()
        for at in range(n)
    ]
    (folder / "repairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    settings = Settings(workers=1, home=tmp_path / "home")
    once(folder, lambda: ingest(folder, settings))
    with QueryPool() as worker:
        corpus = Corpus(folder, worker, settings.home)
        questions = (
            "How many different items are there?",
            "Which item is most common?",
            "What are the average minutes per item?",
            "How many repairs are there for each test?",
            "How many repairs are there for each state?",
            "How many repairs have the item radio?",
        )
        found = [ask(corpus, question).rows for question in questions]
        assert ask(corpus, "How many kettles are there?").refused
    tested, in_state = (("done", 9), ("not done", 9)), (("good", 8), ("very good", 6), ("fair", 4))
    assert found == [(), (("kettle",),), (), tested, in_state, ((4,),)]


def test_what_some_documents_have_several_of_is_counted_by_one_and_not_told_apart(
    tmp_path: Path, once: Once
) -> None:
    uses = {"power": 6, "irrigation": 5, "irrigation / power": 4}
    rows = [{"use": use, "height": 20} for use, n in uses.items() for _ in range(n)]
    answers = ask_of(
        tmp_path / "dams",
        once,
        rows,
        (
            "How many dams have the use power?",
            "Which use is most common?",
            "How many dams are there for each use?",
        ),
    )
    assert [(answer.rows, answer.warnings) for answer in answers] == [
        (((10,),), ()),
        ((), ()),
        ((), ()),
    ]
    assert (
        answers[1].text
        == answers[2].text
        == (
            "Not answered: each use was to be told apart, and some documents have several:"
            " “irrigation / power” (4)"
        )
    )
