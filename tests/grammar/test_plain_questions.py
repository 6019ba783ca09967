"""Plain questions of records that are dated, ranked and compared by what stands in them."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import Row, World, build_world

WHICH = "which of the dates is meant"
CALLED = "that all records are what some have as a value, or are called"
RATED = "which column says how something is rated"
PART = "that a part of its name means a column"


def _world(dated: str = "date_of_visit") -> World:
    attributes = (
        Attribute(name="certificate_no", type="string"),
        Attribute(name=dated, type="date"),
        Attribute(name="town", type="string"),
        Attribute(name="maker", type="string"),
        Attribute(name="overall_grade", type="string"),
        Attribute(name="total_climb", type="integer", unit="m"),
        Attribute(name="highest_point", type="integer", unit="m"),
        Attribute(name="gravity", type="number"),
        Attribute(name="pupils", type="integer"),
    )
    rows: list[Row] = [
        (
            f"C-{at:03}",
            date(2024, 1, 5) + timedelta(days=at * 11),
            ("Elland", "Ripon", "Thirsk")[at % 5 % 3],
            ("Baxi", "Ideal")[at % 3 // 2],
            ("poor", "good")[at % 4 // 3],
            100 + at * 7 % 60 * 10,
            200 + at * 13 % 50,
            1.03 + at / 1000,
            20 + at * 17 % 90,
        )
        for at in range(30)
    ]
    schema = Schema(
        title="Certificates",
        entity="certificates",
        nouns=("certificate", "certificates"),
        attributes=attributes,
    )
    return build_world(schema, rows)


@pytest.fixture(scope="module")
def certificates() -> World:
    return _world()


@pytest.mark.parametrize(
    ("question", "sql", "assumed"),
    [
        (
            "How many certificates are from the second half of 2024?",
            "SELECT count(*) FROM certificates WHERE date_of_visit >= '2024-07-01'",
            (WHICH,),
        ),
        (
            "How many visits took place between April and June 2024?",
            "SELECT count(*) FROM certificates"
            " WHERE date_of_visit BETWEEN '2024-04-01' AND '2024-06-30'",
            (WHICH, CALLED),
        ),
        (
            "Number of visits per town",
            "SELECT town, count(*) FROM certificates GROUP BY town ORDER BY count(*) DESC",
            (CALLED,),
        ),
        (
            "Number of certificates per month",
            "SELECT strftime(date_of_visit, '%B %Y'), count(*) FROM certificates"
            " GROUP BY ALL ORDER BY min(date_of_visit)",
            (WHICH,),
        ),
        (
            "Top 2 towns by number of certificates",
            "SELECT unnest(['Elland', 'Ripon'])",
            (),
        ),
        (
            "Top 3 certificates by number of pupils",
            "SELECT certificate_no FROM certificates ORDER BY pupils DESC LIMIT 3",
            (),
        ),
        (
            "Which town has the most Baxi certificates?",
            "SELECT town FROM certificates WHERE maker = 'Baxi' GROUP BY town"
            " QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
            (),
        ),
        (
            "Average pupils per Baxi certificate",
            "SELECT avg(pupils) FROM certificates WHERE maker = 'Baxi'",
            (),
        ),
        (
            "How many certificates are graded poor?",
            "SELECT count(*) FROM certificates WHERE overall_grade = 'poor'",
            (),
        ),
        (
            "How many certificates are rated poor?",
            "SELECT count(*) FROM certificates WHERE overall_grade = 'poor'",
            (RATED,),
        ),
        ("What is the average climb?", "SELECT avg(total_climb) FROM certificates", (PART,)),
        ("What is the highest point?", "SELECT max(highest_point) FROM certificates", ()),
        (
            "What is the highest point in Ripon?",
            "SELECT max(highest_point) FROM certificates WHERE town = 'Ripon'",
            (),
        ),
        (
            "How many certificates have a gravity above 1.045?",
            "SELECT count(*) FROM certificates WHERE gravity > 1.045",
            (),
        ),
    ],
)
def test_a_plain_question_is_answered_with_what_it_assumes(
    certificates: World, question: str, sql: str, assumed: tuple[str, ...]
) -> None:
    found = certificates.ask(question)
    assert (certificates.rows(found.sql), found.assumed) == (certificates.rows(sql), assumed)


def test_what_records_are_called_is_assumed_of_none_where_their_date_has_the_word() -> None:
    found = _world("certificate_date").ask("How many certificates are there?")
    assert found.assumed == ()


@pytest.mark.parametrize(
    "question",
    [
        "How many certificates have more than 1.045 pupils?",  # a thousand, or one
        "Which towns have more than 1.500 certificates?",
        "Total pupils per Baxi certificate",  # of each, or of all
        "Top 3 towns by number of climbs",  # metres count nothing
        "What are the highest points?",
        "Which month had the most certificates?",  # of which date nobody says
        "How many visit certificates are there?",
    ],
)
def test_what_may_mean_something_else_is_refused(certificates: World, question: str) -> None:
    with pytest.raises(QuestionError):
        certificates.ask(question)


@pytest.mark.parametrize("dated", ["date_of_birth", "founded"])
def test_a_date_that_says_how_old_something_is_dates_no_record(dated: str) -> None:
    with pytest.raises(QuestionError):
        _world(dated).ask("How many certificates are from the second half of 2024?")


@pytest.mark.parametrize("question", ["not been returned yet", "not been returned"])
@pytest.mark.parametrize(("last", "is_answered"), [("2024-03-01", True), ("9999-03-01", False)])
def test_what_has_no_date_yet_is_counted_where_no_date_lies_ahead(
    question: str, last: str, *, is_answered: bool
) -> None:
    attributes = (
        Attribute(name="loan_no", type="string"),
        Attribute(name="returned", type="date"),
    )
    schema = Schema(title="Loans", entity="loans", nouns=("loan",), attributes=attributes)
    rows: list[Row] = [
        (f"L{at}", None if at % 5 == 0 else date(2024, 2, at + 1)) for at in range(20)
    ]
    world = build_world(schema, rows)
    found = world.statistics["returned"]
    world.statistics["returned"] = replace(
        found, n_stated_absent=4, n_not_mentioned=0, maximum=last
    )
    if is_answered:
        assert world.rows(world.ask(f"How many loans have {question}?").sql) == [(4,)]
    else:
        with pytest.raises(QuestionError):
            world.ask(f"How many loans have {question}?")
