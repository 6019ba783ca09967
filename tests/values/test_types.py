"""Types of columns: what each holds, and how its values are written and read."""

import json
import math
import pickle
from datetime import date

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from srag_mcp.values.types import (
    BOOLEAN,
    COLUMN_TYPES,
    DATE,
    INTEGER,
    NUMBER,
    TEXT,
    ColumnType,
    Value,
)

TYPES = list(COLUMN_TYPES.values())
_VALUES = st.one_of(
    st.booleans(), st.integers(), st.floats(), st.text(max_size=30), st.dates(), st.none()
)
_ADAPTER = TypeAdapter(ColumnType)


@pytest.mark.parametrize("kind", TYPES)
def test_a_type_is_its_name_wherever_it_is_written_or_sent(kind: ColumnType) -> None:
    assert json.loads(json.dumps(kind)) == kind
    assert type(_ADAPTER.validate_python(str(kind))) is type(kind)
    assert type(_ADAPTER.validate_json(_ADAPTER.dump_json(kind))) is type(kind)
    assert type(pickle.loads(pickle.dumps(kind))) is type(kind)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValidationError, match="'string', 'integer', 'number', 'boolean' or 'date'"):
        _ADAPTER.validate_python("list")


def test_a_reply_is_asked_for_one_of_the_names() -> None:
    names = ["string", "integer", "number", "boolean", "date"]
    assert _ADAPTER.json_schema() == {"enum": names, "type": "string"}


@pytest.mark.parametrize("kind", TYPES)
@given(value=_VALUES)
def test_what_is_written_reads_back_and_fits_the_column(kind: ColumnType, value: object) -> None:
    text = kind.write(value)
    if text is None:
        return
    assert kind.write(text) == text
    read = kind.read(text)
    if read is not None:
        assert isinstance(read, str) or not kind.is_text
        fitted = kind.fit(read)
        assert fitted == read or abs(float(read)) >= 2**63  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", TYPES)
@settings(deadline=None)  # the first query of a process loads DuckDB
@given(value=_VALUES)
def test_what_fits_is_stored_unchanged(kind: ColumnType, value: Value | None) -> None:
    fitted = None if value is None else kind.fit(value)
    if fitted is None or (isinstance(fitted, str) and not fitted.isprintable()):
        return
    assert kind.fit(fitted) == fitted
    if not kind.is_text:
        assert fitted == (float(value) if kind == NUMBER else value)  # type: ignore[arg-type]
    [stored] = duckdb.execute(f"SELECT CAST(? AS {kind.sql})", [fitted]).fetchall()[0]
    assert stored == fitted


@pytest.mark.parametrize(
    ("kind", "value"),
    [(INTEGER, 1.5), (INTEGER, math.inf), (INTEGER, True), (INTEGER, 2**63), (INTEGER, "1"),
     (NUMBER, math.nan), (NUMBER, False), (BOOLEAN, 1), (BOOLEAN, "true"), (DATE, "2020-01-02")],
)  # fmt: skip
def test_a_value_of_another_type_fits_no_column(kind: ColumnType, value: Value) -> None:
    assert kind.fit(value) is None


@pytest.mark.parametrize(
    ("kind", "absence", "value"),
    [(BOOLEAN, "false", False), (INTEGER, "zero", 0), (NUMBER, "zero", 0), (TEXT, "false", None),
     (DATE, "zero", None), (BOOLEAN, "zero", None), (NUMBER, "unknown", None)],
)  # fmt: skip
def test_silence_means_a_value_of_the_type_or_nothing(
    kind: ColumnType, absence: str, value: object
) -> None:
    assert kind.implied.get(absence) is value
    assert kind.means(absence) is (value is not None or absence == "unknown")


@pytest.mark.parametrize(
    ("kind", "values", "n_non_zero", "spread"),
    [
        (TEXT, ["a", "", None], 1, (None, None)),
        (INTEGER, [0, 2, 4, None], 2, (0, 4)),
        (NUMBER, [0.0, 2.5], 1, (0.0, 2.5)),
        (BOOLEAN, [True, False, None], 1, (None, None)),
        (DATE, [date(2020, 1, 2), date(2021, 1, 2)], 2, ("2020-01-02", "2021-01-02")),
    ],
)
def test_a_column_is_counted_as_its_type_says(
    kind: ColumnType, values: list[Value | None], n_non_zero: int, spread: tuple[object, object]
) -> None:
    database = duckdb.connect()
    database.execute(f"CREATE TABLE t (x {kind.sql})")
    database.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
    wanted = f"SELECT {kind.n_non_zero_sql}, {kind.spread_sql} FROM t".format(x="x")
    [row] = database.execute(wanted).fetchall()
    assert row[:3] == (n_non_zero, *spread)
