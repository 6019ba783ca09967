"""The documents of a build, and their texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.store.evidence import Read
from srag_mcp.store.guard import Value
from srag_mcp.text.shown import one_line

_BY_ID = """
SELECT document_id, title, path, media_type, characters FROM documents WHERE document_id = $1
"""
_LIKE = """
SELECT document_id, title, path, media_type, characters FROM documents
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
    """Return the document of that id; None if there is none."""
    found = [_entry(row) for row in read(_BY_ID, [document_id])]
    return found[0] if found else None


def find_shown(read: Read, shown: str) -> DocumentEntry | None:
    """Return the document whose id is shown as *shown*: on one line, without what acts or hides."""
    ids = [str(row[0]) for row in read(_ODD_IDS, [])]
    found = [document_id for document_id in ids if one_line(document_id) == one_line(shown)]
    return find_document(read, found[0]) if len(found) == 1 else None


def find_documents_like(read: Read, text: str, limit: int) -> tuple[DocumentEntry, ...]:
    """Return the documents whose id or title holds *text*, in any case, by their ids."""
    return tuple(_entry(row) for row in read(_LIKE, [text, limit]))


def read_document_text(read: Read, entry: DocumentEntry, start: int, end: int | None) -> str:
    """Return characters *start* to *end* of a document; empty if it could not be read."""
    first = max(start, 0)
    n_characters = max((entry.characters if end is None else end) - first, 0)
    rows = read(_TEXT, [entry.id, first + 1, n_characters])
    return str(rows[0][0]) if rows else ""


def _entry(row: Sequence[Value]) -> DocumentEntry:
    document_id, title, path, media_type, characters = row
    return DocumentEntry(
        str(document_id), str(title), str(path), str(media_type), int(characters or 0)
    )
