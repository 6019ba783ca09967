"""How quotes are tabulated."""

import pytest

from srag_mcp.store.evidence import Evidence
from srag_mcp.views.findings import evidence_table


def evidence(as_stated: str | None, note: str) -> Evidence:
    return Evidence("a.txt", "A", "crew", "stated", "4", None, as_stated, 0, 1, note)


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
