"""Silence: documents without a value in a column, and whether they speak of it all the same."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.store.evidence import Read
from srag_mcp.store.guard import Value

# Reading texts takes long in a large corpus; so many documents tell how the others are.
MAX_DOCUMENTS = 5000

_READ = "SELECT document_id, text FROM srag_texts WHERE NOT contains(document_id, '#') LIMIT $1"
_TELLING = "SELECT DISTINCT document_id FROM cells WHERE state <> 'not_mentioned' AND attribute"
_SILENCE = """
SELECT count(*), count(told.document_id),
  count(*) FILTER (told.document_id IS NULL AND $3 <> '' AND regexp_matches(text, $3, 'i')),
  count(*) FILTER (told.document_id IS NULL AND measured.document_id IS NULL),
  count(*) FILTER (told.document_id IS NULL AND measured.document_id IS NULL
                   AND $4 <> '' AND regexp_matches(text, $4, 'i')),
  count(*) FILTER (told.document_id IS NOT NULL AND $5 <> '' AND regexp_matches(text, $5, 'is'))
FROM ({read}) AS known
LEFT JOIN ({telling} = $2) AS told USING (document_id)
LEFT JOIN ({telling} IN (SELECT unnest(from_json($6, '["VARCHAR"]')))) AS measured
  USING (document_id)
""".replace("{read}", _READ).replace("{telling}", _TELLING)
_MEETINGS = """
SELECT attribute, count(*), count(mine.document_id)
FROM cells JOIN ({read}) AS known USING (document_id)
LEFT JOIN ({telling} = $2) AS mine USING (document_id)
WHERE state <> 'not_mentioned' AND attribute IN (SELECT unnest(from_json($3, '["VARCHAR"]')))
GROUP BY attribute ORDER BY attribute
""".replace("{read}", _READ).replace("{telling}", _TELLING)
_UNITS = """
SELECT coalesce(unit, ''), count(*) FROM cells WHERE attribute = $1 AND state = 'stated'
GROUP BY ALL ORDER BY count(*) DESC, 1
"""


@dataclass(frozen=True, slots=True)
class Traces:
    """What a document that speaks of a column would say, as regular expressions; empty: nothing.

    Attributes:
        words: The column's names, or its values.
        amounts: Amounts in the unit of a column of numbers, or the years of a column of dates.
        measures: The columns of that unit, or of dates; where one of them has a value, such an
            amount tells nothing.
    """

    words: str = ""
    amounts: str = ""
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Silence:
    """How many documents have a cell of a column, and how many of the others speak of it.

    Attributes:
        n_documents: Documents read.
        n_told: Those that have a cell.
        n_naming: Of the others, those that say a word of the column.
        n_unmeasured: Of the others, those where no column of *measures* has a value.
        n_measuring: Of these, those that say such an amount.
        n_twice: Of those that have a cell, the ones that say more than one such amount.
    """

    n_documents: int
    n_told: int
    n_naming: int
    n_unmeasured: int
    n_measuring: int
    n_twice: int


@dataclass(frozen=True, slots=True)
class Meeting:
    """How many documents tell *column*, and how many of these tell the other column as well."""

    column: str
    n_told: int
    n_both: int


def read_silence(read: Read, column: str, traces: Traces) -> Silence:
    """Search the documents that have no cell of *column*; rows of tables are left out."""
    twice = f"(?:{traces.amounts}).*(?:{traces.amounts})" if traces.amounts else ""
    measures = json.dumps(list(traces.measures))
    parameters: list[Value] = [MAX_DOCUMENTS, column, traces.words, traces.amounts, twice, measures]
    (row,) = read(_SILENCE, parameters)
    return Silence(*(int(value or 0) for value in row))


def read_meetings(read: Read, column: str, others: Sequence[str]) -> tuple[Meeting, ...]:
    """Count for each of *others* the documents that tell it, and those that tell both."""
    rows = read(_MEETINGS, [MAX_DOCUMENTS, column, json.dumps(list(others))])
    return tuple(Meeting(str(row[0]), int(row[1] or 0), int(row[2] or 0)) for row in rows)


def read_units(read: Read, column: str) -> dict[str, int]:
    """Count the stated cells of *column* by their unit ("" for none), the most frequent first."""
    return {str(unit): int(count or 0) for unit, count in read(_UNITS, [column])}
