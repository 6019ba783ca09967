"""Gold fields and found columns meet by their values, one to one."""

import pytest

from srag_mcp.evaluation.bench import match_documents, match_names
from srag_mcp.evaluation.comparison import (
    FieldScore,
    align,
    gold_type,
    meaning_of,
    month_of,
    number_of,
    score_by_name,
)
from srag_mcp.store.guard import Value
from srag_mcp.values.types import COLUMN_TYPES


@pytest.mark.parametrize(
    ("found", "gold", "kind", "equal"),
    [
        (None, "", "number", True),
        (None, "false", "boolean", False),
        (None, "0", "number", False),
        (False, "", "boolean", False),
        (False, "false", "boolean", True),
        (True, "yes", "boolean", True),
        (9, "9.00", "number", True),
        (9.0000001, "9", "number", True),
        (9.01, "9", "number", False),
        ("9.00", "9", "number", True),
        ("EUR 9.00", "9", "number", False),
        (True, "1", "integer", False),
        ("2018-12-25", "2018-12-25", "date", True),
        ("2018-12-25 00:00:00", "2018-12-25", "date", True),
        ("25/12/2018", "2018-12-25", "date", False),
        ("Acme Co (N) Ltd.", "ACME CO. (N) LTD", "string", True),
        ("New York City", "New York", "string", False),
        (2018, "2018", "string", True),
    ],
)
def test_cells_are_equal_by_type(found: Value, gold: str, kind: str, *, equal: bool) -> None:
    said, asked = (meaning_of(value, COLUMN_TYPES[kind]) for value in (found, gold))
    assert (said == asked) is equal


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["true", "false", ""], "boolean"),
        (["yes", "no"], "boolean"),
        (["12", "", "-3"], "integer"),
        (["12", "3.5"], "number"),
        (["2020-01-02"], "date"),
        (["12", "A4"], "string"),
        (["", ""], "string"),
    ],
)
def test_gold_fields_have_the_type_of_their_values(values: list[str], kind: str) -> None:
    assert gold_type(values) == kind


GOLD = {
    f"{n}.txt": {
        "name": f"Name {n}",
        "price": str(n),
        "pool": "true" if n % 2 else "false",
        "age": "",
    }
    for n in range(8)
}


def found(**columns: list[Value]) -> dict[str, dict[str, Value]]:
    return {
        document: {name: values[row] for name, values in columns.items()}
        for row, document in enumerate(GOLD)
    }


def test_columns_are_aligned_by_their_values_not_by_their_names() -> None:
    scores = align(
        GOLD,
        found(
            price=[f"name {n}." for n in range(8)],
            total=[*range(6), None, 99],
            wifi=[n % 2 == 1 for n in range(8)],
        ),
    )
    assert scores == (
        FieldScore("name", "price", 1.0),
        FieldScore("price", "total", 0.75),
        FieldScore("pool", "wifi", 1.0),
        FieldScore("age", None, 0.0),
    )


def test_a_column_that_agrees_by_chance_only_holds_no_field() -> None:
    scores = align(GOLD, found(pool=[False] * 8, other=[None] * 8))
    assert [score.column for score in scores] == [None, None, None, None]


def test_a_column_holds_one_field_only() -> None:
    gold = {
        document: {"a": cells["price"], "b": cells["price"]} for document, cells in GOLD.items()
    }
    scores = align(gold, found(b=list(range(8))))
    assert scores == (FieldScore("a", None, 0.0), FieldScore("b", "b", 1.0))


def test_a_missing_document_counts_as_empty() -> None:
    records = found(total=list(range(8)))
    del records["7.txt"]
    assert align(GOLD, records)[1] == FieldScore("price", "total", 0.875)


def test_a_given_schema_is_scored_by_name_even_where_another_column_fits_better() -> None:
    records = found(price=[*range(4), None, None, None, None], other=list(range(8)))
    assert score_by_name(GOLD, records) == (
        FieldScore("name", None, 0.0),
        FieldScore("price", "price", 0.5),
        FieldScore("pool", None, 0.0),
        FieldScore("age", None, 0.0),
    )


def test_names_decide_where_all_documents_have_one_value() -> None:
    gold = {f"{n}.txt": {"insurance": "false", "audit": "false"} for n in range(4)}
    cells: dict[str, Value] = {"has_insurance_requirement": False, "has_parking": False}
    found = dict.fromkeys(gold, cells)
    assert align(gold, found) == (
        FieldScore("insurance", "has_insurance_requirement", 1.0),
        FieldScore("audit", None, 0.0),
    )


@pytest.mark.parametrize(
    ("document_id", "name"),
    [("a/1.txt", "a/1.txt"), ("a/1.txt", "1.txt"), ("a/1.txt", "1"), ("a/1.txt", "2")],
)
def test_gold_names_a_document_by_its_id_its_file_or_its_stem(document_id: str, name: str) -> None:
    matched = match_names([document_id, "other.txt"], [name])

    assert matched == ({} if name == "2" else {document_id: name})


def test_the_first_of_two_documents_of_one_name_is_compared() -> None:
    records: dict[str, dict[str, Value]] = {"a/1.txt": {"n": 1}, "b/1.txt": {"n": 2}}

    assert match_documents(records, ["1.txt", "3.txt"]) == {"1.txt": {"n": 1}}


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("March 2021", (2021, 3)),
        ("2021-03", (2021, 3)),
        ("2021-03-01", (2021, 3)),
        ("2021-03-02", None),
        ("in March 2021", None),
        ("2021", None),
        ("March", None),
        (202103, None),
    ],
)
def test_a_month_is_read_in_any_notation_and_from_its_first_day(
    text: Value, month: tuple[int, int] | None
) -> None:
    assert month_of(text) == month


@pytest.mark.parametrize(
    ("value", "number"),
    [("1e3", 1000.0), (" 7 ", 7.0), ("1,000", None), ("7 m", None), (True, None), (None, None)],
)
def test_only_a_plain_number_is_one(value: Value, number: float | None) -> None:
    assert number_of(value) == number
