"""What `not`, `no` and `without` ask: silence meets them only where silence means no or none."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.translate import describe_tables, translate
from srag_mcp.schema.attribute import AbsentMeans, Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueIndex


def ask(question: str, *attributes: Attribute, n_zero: int = 0) -> Translation:
    """Ask about mills, of which six of eight say something in each column."""
    schema = Schema(title="Mill", entity="mills", nouns=("mill",), attributes=attributes)
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 8, 6, 6 - n_zero, 6, 0, 2, 0, 2,
            values=(ValueCount("brick", 3), ValueCount("wood", 3)) if item.categories else (),
        )
        for item in attributes
    }  # fmt: skip
    known = [("walls", "brick", 3), ("walls", "wood", 3)]
    return translate(question, schema, describe_tables(schema, statistics), ValueIndex(known))


def number(name: str, absent: AbsentMeans, description: str = "") -> Attribute:
    return Attribute(name=name, type="integer", absent_means=absent, description=description)


WALLS = Attribute(name="walls", type="string", categories=("brick", "wood"))


@pytest.mark.parametrize(
    ("absent", "condition", "told"),
    [
        ("unknown", "NOT open_to_visitors", False),
        ("false", "NOT COALESCE(open_to_visitors, FALSE)", True),
    ],
)
def test_silence_is_a_no_only_where_the_column_says_so(
    absent: AbsentMeans, condition: str, *, told: bool
) -> None:
    column = Attribute(name="open_to_visitors", type="boolean", absent_means=absent)

    found = ask("How many mills are not open to visitors?", column)

    assert found.sql == f"SELECT COUNT(*) FROM mills WHERE {condition}"
    assert ("unknown counts as not" in found.restated) is told


def test_a_text_that_is_not_known_is_no_other_text() -> None:
    found = ask("How many mills are not of brick?", WALLS)

    assert found.sql == "SELECT COUNT(*) FROM mills WHERE walls <> 'brick'"
    assert found.restated == "number of records where walls is not 'brick'"


@pytest.mark.parametrize(
    ("column", "n_zero", "condition"),
    [
        (number("n_floods", "unknown"), 0, "n_floods = 0"),
        (number("floods", "unknown", "Number of floods on record."), 0, "floods = 0"),
        (number("floods", "unknown"), 1, "floods = 0"),
        (number("floods", "unknown"), 0, "floods IS NULL"),
        (number("floods", "zero"), 1, "(floods IS NULL OR floods = 0)"),
    ],
)
def test_a_mill_that_says_nothing_of_floods_is_none_without(
    column: Attribute, n_zero: int, condition: str
) -> None:
    found = ask("How many mills have no floods?", column, n_zero=n_zero)

    assert found.sql == f"SELECT COUNT(*) FROM mills WHERE {condition}"


def test_groups_without_a_record_are_not_those_of_the_other_records() -> None:
    owner = Attribute(name="owner", type="string")
    weir = Attribute(name="weir", type="boolean")

    with pytest.raises(QuestionError, match="“no” has no place"):
        ask("Which owner has no mill with a weir?", owner, weir)


# -- what is denied together with a condition, and what is merely not mentioned


def crates(
    question: str, *, n_absent: int = 0, closed: AbsentMeans = "unknown", repaired: str = "Kent"
) -> str:
    """Ask about 30 crates, of which 20 say something; *n_absent* of the rest state none."""
    attributes = (
        Attribute(name="crate_no", type="string"),
        Attribute(name="port", type="string", categories=("Hull", "Oslo")),
        Attribute(name="weight", type="number", unit="kg"),
        Attribute(name="surcharge", type="number", unit="EUR"),
        Attribute(name="deposit", type="number", unit="EUR"),
        Attribute(name="inspected", type="date"),
        Attribute(name="arrival_date", type="date", synonyms=("crate date",)),
        Attribute(name="repaired", type="string"),
        Attribute(name="sealed", type="boolean", absent_means=closed),
    )
    gaps = (n_absent, 10 - n_absent)
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 30, 20, 20, 20, *gaps, 0, n_distinct,
            values=(ValueCount(repaired, 20),) if item.name == "repaired" else (),
        )
        for item in attributes
        for n_distinct in [20 if item.name == "crate_no" else 9]
    }  # fmt: skip
    schema = Schema(title="Crates", entity="crates", nouns=("crate",), attributes=attributes)
    values = ValueIndex([("port", "Hull", 12), ("port", "Oslo", 8), ("repaired", "Kent", 2)])
    return translate(question, schema, describe_tables(schema, statistics), values).sql.partition(
        "WHERE "
    )[2]


@pytest.mark.parametrize("n_absent", [0, 10])
@pytest.mark.parametrize(
    "question",
    [
        "How many crates without a surcharge above 600?",
        "How many crates have no surcharge above 600 EUR?",
        "How many crates do not have a surcharge of 600?",
        "How many crates do not have a surcharge between 200 and 600 EUR?",
        "How many crates were not inspected in May 2023?",
        "How many crates were not inspected before May 2023?",
        "How many crates were never inspected after 2022?",
        "How many crates do not have an inspected date in May 2023?",
        "How many crates did not arrive in May or June 2023?",
        "How many crates were not inspected in Hull?",
        "How many crates were not repaired in Hull?",
        "How many crates were not repaired above 600 kg?",
        "How many crates were not sealed in May 2023?",
        "How many crates are not sealed in Hull?",
        "How many crates do not state a surcharge above 600?",
        "How many crates do not mention an inspected date in May 2023?",
        "How many crates were not repaired or sealed?",
        "How many crates were not inspected?",
        "How many crates have not been inspected?",
        "How many crates have not arrived?",
    ],
)
def test_a_denied_condition_is_none_that_nothing_is_known(question: str, *, n_absent: int) -> None:
    with pytest.raises(QuestionError):
        crates(question, n_absent=n_absent)


def test_where_some_say_that_there_is_none_nobody_knows_of_the_silent() -> None:
    asked = "How many crates have no surcharge?"
    assert crates(asked) == crates(asked, n_absent=10) == "surcharge IS NULL"
    with pytest.raises(QuestionError):
        crates(asked, n_absent=4)


@pytest.mark.parametrize("asked", ["have a surcharge", "with any surcharge are there"])
def test_those_that_have_one_are_counted_where_no_value_means_that_there_is_none(
    asked: str,
) -> None:
    asked = f"How many crates {asked}?"
    assert crates(asked) == crates(asked, n_absent=10) == "NOT surcharge IS NULL"
    with pytest.raises(QuestionError):
        crates(asked, n_absent=4)
    assert crates("How many crates have a surcharge above 600?") == "surcharge > 600"
    with pytest.raises(QuestionError):
        crates("How many crates have a surcharge deposit?")


def test_what_is_not_mentioned_may_have_been_done() -> None:
    asked = "How many crates were not repaired?"
    with pytest.raises(QuestionError):
        crates(asked)
    assert crates(asked, n_absent=10) == "repaired IS NULL"
    for said in ("no", "not yet", "nein (1968)"):
        with pytest.raises(QuestionError):
            crates(asked, n_absent=10, repaired=said)


def test_what_all_have_is_not_denied_by_gaps_that_are_none() -> None:
    schema = Schema(title="Mill", entity="mills", nouns=("mill",), attributes=(WALLS,))
    statistics = {"walls": ColumnStatistics("walls", WALLS.type, 8, 8, 8, 8, 0, 0, 0, 2)}
    with pytest.raises(QuestionError):
        translate(
            "How many mills have no walls?",
            schema,
            describe_tables(schema, statistics),
            ValueIndex(()),
        )


def test_those_that_have_none_are_not_left_out_where_a_value_is_denied() -> None:
    asked = "How many crates are not in Hull?"
    assert crates(asked) == "port <> 'Hull'"
    with pytest.raises(QuestionError):
        crates(asked, n_absent=4)


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("How many crates do not state an inspected date?", "inspected IS NULL"),
        ("How many crates do not mention a surcharge?", "surcharge IS NULL"),
        ("How many crates have no arrival date?", "arrival_date IS NULL"),
        ("How many crates without a surcharge?", "surcharge IS NULL"),
        ("How many crates do not have a surcharge?", "surcharge IS NULL"),
        ("How many crates from Hull have no surcharge?", "port = 'Hull' AND surcharge IS NULL"),
        ("How many crates without a surcharge in Hull?", "surcharge IS NULL AND port = 'Hull'"),
        (
            "How many crates without a surcharge have a deposit above 600?",
            "surcharge IS NULL AND deposit > 600",
        ),
        (
            "How many crates had no surcharge in May 2023?",
            "surcharge IS NULL AND arrival_date BETWEEN DATE '2023-05-01' AND DATE '2023-05-31'",
        ),
        ("How many crates were not sealed?", "NOT sealed"),
        ("How many crates are unsealed in Hull?", "NOT sealed AND port = 'Hull'"),
        ("How many crates in Hull are not sealed?", "port = 'Hull' AND NOT sealed"),
        ("How many crates are not in Hull or Oslo?", "NOT port IN ('Hull', 'Oslo')"),
    ],
)
def test_what_names_a_thing_and_what_documents_say_are_still_denied(
    question: str, where: str
) -> None:
    assert crates(question) == where
