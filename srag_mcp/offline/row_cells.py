"""Candidates from tables inside documents: a cell by its row and its column."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import CellRule
from srag_mcp.text.spans import Span

_MIN_SHARE = 0.2
_MIN_DOCUMENTS = 3
_MAX_CANDIDATES = 24


def cell_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find pairs of row and column that several documents fill."""
    found: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    contexts: dict[tuple[str, str], str] = {}
    columns: dict[str, set[str]] = defaultdict(set)
    for number, sighting in enumerate(sightings):
        for cell in sighting.cells:
            found[cell.row, cell.column].setdefault(number, cell.text)
            contexts.setdefault((cell.row, cell.column), cell.context)
            columns[cell.row].add(cell.column)
    floor = max(_MIN_DOCUMENTS, _MIN_SHARE * len(sightings))
    frequent = [place for place, values in found.items() if len(values) >= floor]
    frequent.sort(key=lambda place: -len(found[place]))
    candidates = []
    for row, column in frequent[:_MAX_CANDIDATES]:
        label = row if len(columns[row]) == 1 else f"{row} {column}"
        values = found[row, column]
        words = Counter(dict.fromkeys(content_stems(f"{row} {column}"), len(values)))
        rule = CellRule(row=row, column=column)
        candidate = Candidate("cell", label, [rule], values, words)
        candidate.context = contexts[row, column]
        candidates.append(candidate)
    return candidates


def find_cell(rule: CellRule, sighting: Sightings) -> Span | None:
    """Return where the first such cell is, or None."""
    cells = (c for c in sighting.cells if c.row == rule.row and c.column == rule.column)
    return next((cell.span for cell in cells), None)
