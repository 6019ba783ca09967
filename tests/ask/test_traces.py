"""What a document says that speaks of a column, as patterns that the engine reads."""

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.answer.traces import traces_of
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.store.silence import Traces
from srag_mcp.store.statistics import ColumnStatistics, ValueCount


def _traces(attribute: Attribute, *values: str) -> Traces:
    found = ColumnStatistics(
        attribute.name, attribute.type, 9, len(values), len(values), len(values), 0,
        9 - len(values), 0, len(values), minimum=min(values, default=None),
        maximum=max(values, default=None), values=tuple(ValueCount(v, 1) for v in values),
    )  # fmt: skip
    schema = Schema(title="Boat", attributes=(attribute,))
    return traces_of(attribute, schema, {attribute.name: found})


def _keyed(key: str, kind: str = "string", unit: str | None = None) -> Attribute:
    return Attribute(name="fact", type=kind, unit=unit, extractors=(KeyRule(keys=(key,)),))


def _is_said(pattern: str, text: str) -> bool:
    found = duckdb.execute("SELECT regexp_matches($1, $2, 'i')", [text, pattern]).fetchone()
    return found is not None and bool(found[0])


@given(st.text(max_size=50), st.text(min_size=1, max_size=30))
def test_any_value_and_any_key_make_patterns_that_the_engine_reads(value: str, key: str) -> None:
    _is_said(_traces(_keyed(key), value).words or "x", "some text")


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("the harbours of call", True),
        ("Port of call: Rann", True),
        ("calls at some port", True),
        ("a portable call box", False),
        ("the harbour", False),
    ],
)
def test_a_key_is_said_by_the_forms_of_its_words_near_one_another(
    text: str, *, is_said: bool
) -> None:
    traces = _traces(_keyed("port of call").model_copy(update={"name": "harbour_of_call"}))
    assert _is_said(traces.words, text) is is_said


@pytest.mark.parametrize(
    ("unit", "text", "is_said"),
    [
        ("kg", "she weighs 1,200 kg", True),
        ("kg", "a 40-kilo anchor", True),
        ("kg", "the kg", False),
        ("EUR", "for €300", True),
        ("EUR", "300 euros", True),
        ("EUR", "300 miles", False),
    ],
)
def test_an_amount_is_said_with_its_unit(unit: str, text: str, *, is_said: bool) -> None:
    assert _is_said(_traces(_keyed("load", "number", unit)).amounts, text) is is_said


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("on 3 May 2020", True),
        ("May 3rd, 2020", True),
        ("03.05.2020", True),
        ("2020-05-03", True),
        ("in 2020", False),
        ("3 May 2012", False),
    ],
)
def test_a_date_is_said_by_a_day_of_its_years(text: str, *, is_said: bool) -> None:
    traces = _traces(_keyed("launched", "date"), "2019-01-31", "2021-06-01")
    assert _is_said(traces.amounts, text) is is_said


def test_keys_that_any_fact_may_have_and_numbers_as_values_tell_nothing() -> None:
    attribute = _keyed("date").model_copy(update={"name": "date_2"})
    assert _traces(attribute, "none", "12", "a1b2c3", "yes").words == ""
