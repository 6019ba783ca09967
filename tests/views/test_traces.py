"""Which cells a trace asks for, and how quotes are tabulated."""

import pytest

from srag_mcp.store.evidence import Evidence, Review
from srag_mcp.views.traces import TraceCall, evidence_table, review_table


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        (TraceCall(), ""),
        (TraceCall(column="crew"), " WHERE attribute = 'crew'"),
        (
            TraceCall("crew", "it's.txt", state="failed"),
            " WHERE attribute = 'crew' AND cells.document_id = 'it''s.txt' AND state = 'failed'",
        ),
        (
            TraceCall(value="O'Hara"),
            " WHERE (lower(value) = lower('O''Hara')"
            " OR TRY_CAST(value AS DOUBLE) = TRY_CAST('O''Hara' AS DOUBLE))",
        ),
        (
            TraceCall(where=" WHERE port = 'Kiel' -- both"),
            ' WHERE cells.document_id IN (SELECT document_id FROM "boats" WHERE'
            " ( port = 'Kiel' -- both\n))",
        ),
        (
            TraceCall(where="whereabouts = 'sea'"),
            ' WHERE cells.document_id IN (SELECT document_id FROM "boats" WHERE'
            " (whereabouts = 'sea'\n))",
        ),
    ],
)
def test_what_is_wanted_becomes_one_condition(call: TraceCall, condition: str) -> None:
    assert call.condition("boats") == condition


def evidence(as_stated: str | None, note: str) -> Evidence:
    return Evidence("a.txt", "A", "crew", "stated", "4", None, as_stated, 0, 1, note, None)


@pytest.mark.parametrize(
    ("as_stated", "note", "said"),
    [
        ("four\nmen", "", "“four men”"),
        ("four", "a word", "“four” (a word)"),
        (None, "unreadable", "(unreadable)"),
        (None, "", ""),
    ],
)
def test_a_quote_stands_beside_its_note(as_stated: str | None, note: str, said: str) -> None:
    columns, rows = evidence_table([evidence(as_stated, note)])

    assert columns == ("document", "value", "state", "says")
    assert rows == [("a.txt", "4", "stated", said)]


def test_two_readings_stand_side_by_side() -> None:
    columns, rows = review_table([Review("a.txt", "crew", "4", "four", "5", "five")])

    assert columns == ("document", "column", "model", "says", "rule", "says")
    assert rows == [("a.txt", "crew", "4", "“four”", "5", "“five”")]
