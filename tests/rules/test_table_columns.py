"""Columns of table files: their names, types and synonyms, and how rows are read."""

import pytest

from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import row_documents
from srag_mcp.documents.table_files import find_records, sketch
from srag_mcp.documents.tables import arrange
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.table_columns import read_row, with_columns
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.values.states import State
from srag_mcp.values.types import TEXT


def columns(rows: list[list[str]]) -> tuple[Attribute, ...]:
    table = sketch(find_records(arrange(rows)))
    return with_columns(Schema(title="T"), table.columns).attributes


def column(*values: str, name: str = "Value") -> Attribute:
    return columns([["Name", name], *([f"n{n}", value] for n, value in enumerate(values))])[1]


@pytest.mark.parametrize(
    ("values", "type_", "unit"),
    [
        (["12", "7", "1.5"], "number", None),
        (["12", "7", "n/a"], "integer", None),
        (["12 kg", "7 kg"], "integer", "kg"),
        (["€ 1.234,50", "€ 7,00"], "number", "EUR"),
        (["42117", "05023"], "string", None),
        (["Item 1", "Item 2"], "string", None),
        (["yes", "no", ""], "boolean", None),
        (["yes", "no", "partly"], "string", None),
        (["2024-01-04", "2024-02-04"], "date", None),
        (["2025-05-16T02:38:00Z", "2025-05-17T02:38:00Z"], "date", None),
        (["red", "blue"], "string", None),
    ],
)
def test_types_are_those_that_nothing_in_the_column_speaks_against(
    values: list[str], type_: str, unit: str | None
) -> None:
    found = column(*values)

    assert (found.type, found.unit) == (type_, unit)


def test_a_unit_may_stand_in_the_header() -> None:
    assert column("12", "7", name="Weight (kg)").unit == "kg"
    assert column("abc", "de", name="Weight (kg)").unit is None


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("Revenue 2024 (k€)", "revenue_2024", "EUR"),
        ("Umsatz [Mio. EUR]", "umsatz", "EUR"),
        ("Capacity (MW)", "capacity_mw", "MW"),
        ("Sales (incl. tax)", "sales_incl_tax", None),
    ],
)
def test_a_name_speaks_of_no_scale_that_is_in_the_values(
    header: str, name: str, unit: str | None
) -> None:
    found = column("12", "7", name=header)

    assert (found.name, found.unit) == (name, unit)


def test_a_set_of_texts_is_closed_only_if_all_of_it_was_seen() -> None:
    few = [["n", "red" if n % 2 else "blue"] for n in range(3000)]
    late = [*few, *(["n", f"colour {letter}"] for letter in "abcdefghijklmn")]

    assert columns([["Name", "Colour"], *few])[1].categories == ("red", "blue")
    assert columns([["Name", "Colour"], *late])[1].categories is None


def test_a_placeholder_is_no_word_of_the_column_that_it_stands_in() -> None:
    answers = (*["yes"] * 6, *["no"] * 4, "partly", "n/a", "–")
    found = column(*answers, name="Watched")

    assert (found.type, found.categories) == ("string", ("no", "partly", "yes"))


def test_a_column_of_ticks_says_no_where_there_is_none() -> None:
    assert column("x", "", "x").absent_means == "false"
    assert column("yes", "no", "").absent_means == "unknown"


def test_a_scale_above_the_table_is_told_of_its_numbers() -> None:
    name, sales, _ = columns(
        [["Sales (in millions)"], [], ["Name", "2019", "2020"], ["A", "1", "2"], ["B", "3", "4"]]
    )

    assert "in millions" in sales.description
    assert "in millions" not in name.description


def test_headers_are_names_each_once() -> None:
    rows = [["Net amount (EUR)", "Net amount", "Größe", "2019", ""], ["1", "2", "3", "4", "5"]]

    assert [item.name for item in columns(rows)] == [
        "net_amount_eur", "net_amount", "grosse", "n_2019", "column_5",
    ]  # fmt: skip


def rows_of(*rows: list[str]) -> list[Document]:
    table = find_records(arrange([["Name", "Paid", "Discount"], *rows]))
    return row_documents("a.csv", table)


def test_a_row_is_read_cell_by_cell() -> None:
    documents = rows_of(
        ["Ann", "yes", "5"], ["Bob", "", ""], ["Cem", "no", "7"], ["Dan", "no", "8"]
    )
    schema = with_columns(
        Schema(title="T"),
        sketch(
            find_records(
                arrange([["Name", "Paid", "Discount"], ["Ann", "yes", "5"], ["Cem", "no", "7"]])
            )
        ).columns,
    )

    name, paid, discount = read_row(Sightings(documents[1]), schema).cells

    assert (name.state, name.as_stated, name.span and name.span.of(documents[1].text)) == (
        State.STATED, "Bob", "Bob",
    )  # fmt: skip
    assert (paid.state, paid.as_stated) == (State.NOT_MENTIONED, None)
    assert (discount.state, discount.as_stated) == (State.STATED_ABSENT, "")
    assert discount.span is not None


def test_a_column_that_the_row_does_not_have_is_not_mentioned() -> None:
    schema = with_columns(
        Schema(title="T"), sketch(find_records(arrange([["Name", "Town"], ["A", "B"]]))).columns
    )

    _, town = read_row(Sightings(rows_of(["Ann", "yes", "5"], ["Bob", "no", "6"])[0]), schema).cells

    assert town.state is State.NOT_MENTIONED


def test_the_digits_of_a_column_may_prove_a_mark_that_the_table_uses_otherwise() -> None:
    rows = [["Site", "Fee", "Visits"], ["a", "2,40", "1,080"], ["b", "3,10", "746"],
            ["c", "0,75", "12,345"], ["d", "1,00", "1,234"]]  # fmt: skip
    table = find_records(arrange(rows))
    schema = with_columns(Schema(title="T"), sketch(table).columns)
    assert [item.type for item in schema.attributes] == ["string", "number", "integer"]
    assert [item.unit for item in schema.attributes] == [None, None, None]


@pytest.mark.parametrize(
    ("header", "unit"),
    [
        ("weight_kg", "kg"),
        ("dose mg", "mg"),
        ("hive.value_eur", "EUR"),
        ("sales_m", None),
        ("temperature_min", None),
        ("birth_year", None),
        ("rushing_yards", None),
        ("kg", None),
        ("price_per_kg", None),
        ("Price/kg", None),
    ],
)
def test_a_sign_that_ends_a_name_is_its_unit(header: str, unit: str | None) -> None:
    assert column("12", "7.5", name=header).unit == unit


def test_a_header_may_be_said_without_what_stands_in_brackets() -> None:
    found = columns(
        [["Name", "Height (m a.s.l.)", "Fee (net)", "Fee (gross)"], ["a", "1", "2", "3"]]
    )
    assert [item.synonyms for item in found] == [(), ("Height",), (), ()]


def test_columns_that_only_a_number_or_a_sign_tells_apart_are_called_alike() -> None:
    found = columns([["Name", "A+", "A-", "Fee", "Fee", "Day", "Day 2"], ["a", *"123456"]])
    told = [(item.name, item.synonyms) for item in found]
    assert told == [
        ("name", ()), ("a", ()), ("a_2", ("A-",)), ("fee", ()), ("fee_2", ("Fee",)), ("day", ()),
        ("day_2", ()),
    ]  # fmt: skip


def test_a_description_says_what_no_other_field_and_no_statistic_does() -> None:
    assert column("paid", "open", name="Order no.") == Attribute(
        name="order_no",
        type=TEXT,
        description='The column "Order no.".',
        examples=("paid", "open"),
        extractors=(KeyRule(keys=("order no",), reads="column"),),
    )


def test_a_second_column_of_one_name_is_called_as_the_first_with_its_unit() -> None:
    found = columns([["Stall", "Sold (kg)", "Sold (kg)"], ["Ada", "3", "5"], ["Bo", "4", "9"]])

    assert [(item.name, item.unit, item.synonyms) for item in found[1:]] == [
        ("sold_kg", "kg", ("Sold",)),
        ("sold_kg_2", "kg", ("Sold (kg)",)),
    ]
