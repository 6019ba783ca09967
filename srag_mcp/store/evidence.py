"""Evidence: the documents and the words behind a value, a row or an aggregate."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from srag_mcp.store.engine import quote_name, quote_text
from srag_mcp.store.guard import Value

Read: TypeAlias = Callable[[str, Sequence[Value]], list[tuple[Value, ...]]]

SNIPPET_CHARACTERS = 80

_SELECTED = """
FROM cells WHERE attribute = $1
  AND ($2 = '' OR lower(value) = lower($2)
       OR TRY_CAST(value AS DOUBLE) = TRY_CAST($2 AS DOUBLE))
  AND ($3 = '' OR document_id = $3)
  AND ($4 = '' OR state = $4)
  AND ($5 IS NULL OR document_id IN (SELECT unnest(from_json($5, '["VARCHAR"]'))))
"""
_COUNT = f"SELECT count(*) {_SELECTED}"
_CHOSEN = f"FROM (SELECT * {_SELECTED} ORDER BY document_id LIMIT $6 OFFSET $7) AS page"
_PAGE = """
SELECT page.document_id, documents.title, attribute, state, value, unit, as_stated, start, "end",
       note, substr(text, greatest(start - $8, 0) + 1, "end" - greatest(start - $8, 0) + $8)
{chosen} JOIN documents USING (document_id) LEFT JOIN srag_texts USING (document_id)
ORDER BY page.document_id
""".replace("{chosen}", _CHOSEN)


class EvidenceFilter(TypedDict, total=False):
    """Which cells of a column; an empty text means any."""

    value: str
    document_id: str
    state: str
    limit: int
    offset: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cell with its place in the text.

    Attributes:
        document_id, title: Of the document.
        column: The attribute.
        state: Of the cell; see `State`.
        value: Normalised, as text; None when nothing is known.
        unit: Of the value.
        as_stated: The words of the document; None when it says nothing.
        start, end: Where they are in the text of the document.
        note: Why it failed, or what was changed.
        snippet: The words with some text around them.
    """

    document_id: str
    title: str
    column: str
    state: str
    value: str | None
    unit: str | None
    as_stated: str | None
    start: int | None
    end: int | None
    note: str
    snippet: str | None


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """A page of evidence, in the order of the document ids; *total* counts all pages."""

    evidence: tuple[Evidence, ...]
    total: int


def read_evidence(
    read: Read, column: str, wanted: EvidenceFilter, ids: Sequence[str] | None = None
) -> EvidencePage:
    """Read the cells of *column* that pass the filter, of the documents *ids* when given."""
    chosen = [
        column,
        wanted.get("value", ""),
        wanted.get("document_id", ""),
        wanted.get("state", ""),
        None if ids is None else json.dumps(list(ids)),
    ]
    total = read(_COUNT, chosen)[0][0]
    bounds = [wanted.get("limit", 20), wanted.get("offset", 0), SNIPPET_CHARACTERS]
    rows = read(_PAGE, [*chosen, *bounds])
    return EvidencePage(tuple(_evidence(row) for row in rows), _whole(total) or 0)


def quotes_sql(entity: str, column: str, where: str) -> str:
    """Write the statement that finds records where *where* holds and that state *column*."""
    stated = f"attribute = {quote_text(column)} AND state = 'stated'"
    stating = f"document_id IN (SELECT document_id FROM cells WHERE {stated})"  # noqa: S608 - guarded
    records = f"SELECT document_id FROM {quote_name(entity)}"  # noqa: S608 - guarded
    return f"{records} WHERE {stating} AND ({where}\n) ORDER BY document_id"


def _evidence(row: Sequence[Value]) -> Evidence:
    document_id, title, column, state, value, unit, as_stated, start, end, note, snippet = row
    return Evidence(
        document_id=str(document_id),
        title=str(title),
        column=str(column),
        state=str(state),
        value=_text(value),
        unit=_text(unit),
        as_stated=_text(as_stated),
        start=_whole(start),
        end=_whole(end),
        note=str(note or ""),
        snippet=_text(snippet),
    )


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _whole(value: Value) -> int | None:
    return value if isinstance(value, int) else None
