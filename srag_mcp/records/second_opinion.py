"""A second opinion: what a learned rule reads where a language model read something else."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from srag_mcp.records.cell import Cell, State
from srag_mcp.records.normalise import fold

FEWEST_BOTH = 5
LEAST_AGREEMENT = 0.6
_FIRST_CJK = "\u2e80"
_NOTE = "a learned rule reads otherwise: "


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two readings of one cell, both stated and with values."""

    document: int
    model: Cell
    rule: Cell


def find_disagreements(
    model: Mapping[int, Cell], rule: Mapping[int, Cell]
) -> tuple[Disagreement, ...]:
    """Return where both readers of one attribute state a value and it is not the same.

    Keys number the documents. A rule that reads otherwise in most of the documents that both speak
    of, or that was heard in few, has no say: then nothing is returned.
    """
    both = [
        Disagreement(number, cell, rule[number])
        for number, cell in model.items()
        if number in rule and _speaks(cell) and _speaks(rule[number])
    ]
    differing = tuple(item for item in both if not _agree(item.model, item.rule))
    if len(both) < FEWEST_BOTH or len(differing) > (1 - LEAST_AGREEMENT) * len(both):
        return ()
    return differing


def mark(cell: Cell, found: Disagreement) -> Cell:
    """Return *cell* with what the rule reads in its note."""
    other = f"{_NOTE}{found.rule.value} (“{found.rule.as_stated}”)"
    return replace(cell, note=f"{cell.note}; {other}" if cell.note else other)


def _speaks(cell: Cell) -> bool:
    """Whether a document says a value; that there is none of something is a no, or a zero."""
    return cell.state in (State.STATED, State.STATED_ABSENT) and cell.value is not None


def _agree(first: Cell, second: Cell) -> bool:
    """Whether two values are the same: numbers to 1e-6, the words of one text within the other."""
    a, b = first.value, second.value
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-6)
    if isinstance(a, str) and isinstance(b, str):
        short, long = sorted((fold(a), fold(b)), key=len)
        return _has_words(long, short)
    return a == b


def _has_words(text: str, words: str) -> bool:
    """Whether *text* has *words* in a row: `acme ltd` has `acme`, `female` does not have `male`.

    In scripts without spaces a part of the text will do.
    """
    if words and words[0] >= _FIRST_CJK:
        return words in text
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
