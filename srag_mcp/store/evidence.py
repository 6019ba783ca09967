"""What is behind a value, a row or an aggregate: cells, their documents, and what is doubted."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypedDict

from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.guard import Value
from srag_mcp.text.shown import one_line

Read: TypeAlias = Callable[[str, Sequence[Value]], Sequence[Any]]
"""Returns the rows of a statement, whose columns have the types that the build gives them."""

SNIPPET_CHARACTERS = 80

_SELECTED = """
FROM cells WHERE attribute = $1
  AND ($2 = '' OR lower(value) = lower($2)
       OR TRY_CAST(value AS DOUBLE) = TRY_CAST($2 AS DOUBLE))
  AND ($3 = '' OR document_id = $3)
  AND ($4 = '' OR state = $4)
  AND ($5 IS NULL OR document_id IN (SELECT unnest(from_json($5, '["VARCHAR"]'))))
  AND ($6 IS NULL OR {table_name} = $6)
"""
_COUNT = f"SELECT count(*) {_SELECTED}"
_PAGE = f"""
SELECT page.document_id, documents.title, attribute, state, value, unit, as_stated, start, "end",
       coalesce(note, ''),
       substr(text, greatest(start - $9, 0) + 1, "end" - greatest(start - $9, 0) + $9)
FROM (SELECT * {_SELECTED} ORDER BY document_id LIMIT $7 OFFSET $8) AS page
JOIN documents USING (document_id) LEFT JOIN srag_texts USING (document_id)
ORDER BY page.document_id
"""  # noqa: S608 - constants


class ColumnKey(NamedTuple):
    """A column; *table* is None in builds of earlier versions, which have one."""

    column: str
    table: str | None


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
    read: Read, key: ColumnKey, wanted: EvidenceFilter, ids: Sequence[str] | None = None
) -> EvidencePage:
    """Read the cells of a column that pass the filter, of the documents *ids* when given."""
    chosen = [
        key.column,
        wanted.get("value", ""),
        wanted.get("document_id", ""),
        wanted.get("state", ""),
        None if ids is None else json.dumps(list(ids)),
        key.table,
    ]
    table_name = "NULL" if key.table is None else "table_name"
    [(total,)] = read(_COUNT.format(table_name=table_name), chosen)
    bounds = [wanted.get("limit", 20), wanted.get("offset", 0), SNIPPET_CHARACTERS]
    rows = read(_PAGE.format(table_name=table_name), [*chosen, *bounds])
    return EvidencePage(tuple(Evidence(*row) for row in rows), total)


def quotes_sql(entity: str, column: str, where: str) -> str:
    """Write the statement that finds records where *where* holds and that state *column*."""
    stated = f"attribute = {quote_text(column)} AND state = 'stated'"
    stating = f"document_id IN (SELECT document_id FROM cells WHERE {stated})"  # noqa: S608 - guarded
    records = f"SELECT document_id FROM {quote_name(entity)}"  # noqa: S608 - guarded
    return f"{records} WHERE {stating} AND ({where}\n) ORDER BY document_id"


_REVIEW_PAGE = """
SELECT document_id, attribute, value, as_stated, rule_value, rule_as_stated FROM srag_reviews
WHERE $1 = '' OR attribute = $1 ORDER BY attribute, document_id LIMIT $2 OFFSET $3
"""
_REVIEW_COUNTS = "SELECT attribute, count(*) FROM srag_reviews GROUP BY attribute"


@dataclass(frozen=True, slots=True)
class Review:
    """A cell that a language model and a learned rule read differently.

    Attributes:
        value, as_stated: Of the model; this value is published.
        rule_value, rule_as_stated: Of the rule.
    """

    document_id: str
    column: str
    value: str
    as_stated: str
    rule_value: str
    rule_as_stated: str


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """A page of reviews by column and document; *total* counts all pages."""

    reviews: tuple[Review, ...]
    total: int


def read_reviews(read: Read, column: str = "", limit: int = 20, offset: int = 0) -> ReviewPage:
    """Read the reviews of *column*, of all columns when it is empty."""
    counts = count_reviews(read)
    total = counts.get(column, 0) if column else sum(counts.values())
    rows = read(_REVIEW_PAGE, [column, limit, offset])
    return ReviewPage(tuple(Review(*row) for row in rows), total)


def count_reviews(read: Read) -> dict[str, int]:
    """Count the reviews of each column that has any."""
    return dict(read(_REVIEW_COUNTS, []))


_ENTRIES = "SELECT document_id, title, path, media_type, coalesce(characters, 0) FROM documents"
_LIKE = f"""{_ENTRIES}
WHERE contains(lower(concat_ws(' ', document_id, title)), lower($1))
ORDER BY document_id LIMIT $2
"""
_ODD_IDS = r"""
SELECT document_id FROM documents WHERE regexp_matches(document_id, '[^\pL\pM\pN\pP\pS ]|  |^ | $')
"""
_TEXT = "SELECT substr(text, $2, $3) FROM srag_texts WHERE document_id = $1"


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document of a build; *characters* is the length of its text, 0 if it failed."""

    id: str
    title: str
    path: str
    media_type: str
    characters: int


def find_document(read: Read, document_id: str) -> DocumentEntry | None:
    """Return the document of that id; None if there is none.

    An id that is shown otherwise (on one line, without what acts or hides) is found by that, too.
    """
    by_id = f"{_ENTRIES} WHERE document_id = $1"
    found = read(by_id, [document_id])
    if not found:
        shown = one_line(document_id)
        alike = [known for (known,) in read(_ODD_IDS, []) if one_line(known) == shown]
        found = read(by_id, alike) if len(alike) == 1 else []
    return DocumentEntry(*found[0]) if found else None


def find_documents_like(read: Read, text: str, limit: int) -> tuple[DocumentEntry, ...]:
    """Return the documents whose id or title holds *text*, in any case, by their ids."""
    return tuple(DocumentEntry(*row) for row in read(_LIKE, [text, limit]))


def read_document_text(read: Read, entry: DocumentEntry, start: int, end: int | None) -> str:
    """Return characters *start* to *end* of a document; empty if it could not be read."""
    first = max(start, 0)
    n_characters = max((entry.characters if end is None else end) - first, 0)
    rows = read(_TEXT, [entry.id, first + 1, n_characters])
    return str(rows[0][0]) if rows else ""
