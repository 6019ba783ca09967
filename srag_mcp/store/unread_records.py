"""What a language model was asked to read and could not: whole documents, and single cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.work_predictions import hash_attribute

if TYPE_CHECKING:
    from srag_mcp.store.work import WorkDatabase

_ASKED = """
WITH asked AS (SELECT unnest(?) AS attribute, unnest(?) AS attribute_hash),
held AS (
  SELECT document_id, attribute, state = 'failed' AS is_failed, note, unanswered
  FROM predictions SEMI JOIN documents USING (document_id, sha256)
  SEMI JOIN asked USING (attribute, attribute_hash)),
records AS (
  SELECT document_id, bool_and(is_failed) AS is_unread, bool_and(unanswered) AS is_unanswered,
    mode(note) AS reason
  FROM held GROUP BY document_id)
"""
_UNREAD = f"""{_ASKED}
SELECT document_id, reason, is_unanswered FROM records WHERE is_unread ORDER BY document_id
"""  # noqa: S608 - constants
_CELLS = f"""{_ASKED}
SELECT attribute, count(*) FROM held JOIN records USING (document_id)
WHERE is_failed AND NOT is_unread GROUP BY attribute ORDER BY 2 DESC, 1
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class UnreadRecord:
    """A document whose cells are all failed.

    Attributes:
        document_id: Its id.
        reason: Why most of its cells are.
        is_asked_again: Whether the next ingestion asks for it again.
    """

    document_id: str
    reason: str
    is_asked_again: bool


@dataclass(frozen=True, slots=True)
class UnreadRecords:
    """What could not be read.

    Attributes:
        records: The documents without a cell that was read.
        n_cells: Failed cells of all other documents, by attribute, most first.
    """

    records: tuple[UnreadRecord, ...] = ()
    n_cells: tuple[tuple[str, int], ...] = ()


def find_unread(work: WorkDatabase, attributes: Sequence[Attribute]) -> UnreadRecords:
    """Return what a language model could not read of *attributes*, as far as it was asked."""
    asked = [[item.name for item in attributes], [hash_attribute(item) for item in attributes]]
    unread = work.connection.execute(_UNREAD, asked).fetchall()
    cells = work.connection.execute(_CELLS, asked).fetchall()
    return UnreadRecords(
        tuple(UnreadRecord(*row) for row in unread), tuple((name, n) for name, n in cells)
    )
