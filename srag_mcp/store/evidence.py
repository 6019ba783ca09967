"""What is behind a value, a row or an aggregate: cells, their documents, and what is doubted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict

from srag_mcp.store.guard import Value

Read: TypeAlias = Callable[[str, Sequence[Value]], Sequence[Any]]
"""Returns the rows of a statement, whose columns have the types that the build gives them."""


class EvidenceFilter(TypedDict, total=False):
    """Which cells; an empty text means any, *where* is SQL that holds for their record."""

    value: str
    document_id: str
    position: int
    state: str
    where: str
    limit: int
    offset: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cell with its place in the text, from *start* to *end*.

    *column*: `table.attribute` of a child table, where *position* is that in the list, 0 for the
    whole. *value*: normalised, as text; None when nothing is known. *as_stated*: the words of the
    document; None when it says nothing. *note*: why it failed, or what was changed.
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
    position: int | None = None


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """A page of evidence, what is quoted first, then by document.

    *total*: of all pages; to the end of this one where counting them took too long.
    """

    evidence: tuple[Evidence, ...]
    total: int
    next_offset: int | None


NAMED = "CASE WHEN position IS NULL THEN attribute ELSE table_name || '.' || attribute END"
"""What the column of a cell is called: `total`, `order_items.sku` of a child table."""


def evidence_sql(clause: str, limit: int, offset: int, *, is_early: bool = False) -> str:
    """Write the statement for a page of the cells of *clause*; columns as in `Evidence`."""
    of_list = "" if is_early else ", position"
    order = f"ORDER BY as_stated IS NULL, document_id{of_list}, attribute"
    page = f"SELECT * FROM cells{clause} {order} LIMIT {limit:d} OFFSET {offset:d}"  # noqa: S608 - guarded
    source = f"({page}) JOIN documents USING (document_id) {order}"
    named = "attribute" if is_early else NAMED
    columns = f"{named}, state, value, unit, as_stated, start, \"end\", coalesce(note, ''){of_list}"
    return f"SELECT document_id, title, {columns} FROM {source}"  # noqa: S608 - guarded


_REVIEW_PAGE = """
SELECT document_id, attribute, value, as_stated, rule_value, rule_as_stated FROM srag_reviews
WHERE $1 = '' OR attribute = $1 ORDER BY attribute, document_id LIMIT $2 OFFSET $3
"""
_REVIEW_COUNTS = "SELECT attribute, count(*) FROM srag_reviews GROUP BY attribute"


@dataclass(frozen=True, slots=True)
class Review:
    """A cell that a model, whose value is published, and a learned rule read differently."""

    document_id: str
    column: str
    value: str
    as_stated: str
    rule_value: str
    rule_as_stated: str


def read_reviews(read: Read, column: str = "", limit: int = 20, offset: int = 0) -> list[Review]:
    """Read the reviews of *column*, of all columns when it is empty, by column and document."""
    return [Review(*row) for row in read(_REVIEW_PAGE, [column, limit, offset])]


def count_reviews(read: Read) -> dict[str, int]:
    """Count the reviews of each column that has any."""
    return dict(read(_REVIEW_COUNTS, []))


ENTRIES = "SELECT document_id, title, path, media_type, coalesce(characters, 0) FROM documents"
LIKE = f"""{ENTRIES}
WHERE contains(lower(concat_ws(' ', document_id, title)), lower($1))
ORDER BY document_id LIMIT $2
"""
ODD_IDS = r"""
SELECT document_id FROM documents
WHERE regexp_matches(document_id, '[^\pL\pM\pN\pP\pS ]|  |^ | $|<|\]')
"""
TEXT = """
SELECT substr(text, $2, coalesce($3, length(text))) FROM srag_texts WHERE document_id = $1
"""


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document of a build, a row of ENTRIES; *characters*: of its text, 0 if it failed."""

    id: str
    title: str
    path: str
    media_type: str
    characters: int
