"""How quotes are tabulated."""

import pytest

from srag_mcp.views.findings import evidence_table
from srag_mcp.views.results import SourceEntry


def evidence(quote: str | None, note: str) -> SourceEntry:
    place = {"document_id": "a.txt", "title": "A", "column": "crew"}
    return SourceEntry(**place, state="stated", value="4", quote=quote, note=note)


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
