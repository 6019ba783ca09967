"""Whether two values are the same, and two readings of a document; what learned rules dispute."""

import math
from collections.abc import Mapping
from dataclasses import replace

from srag_mcp.cells.cell import IN_DOUBT, Cell, Mark
from srag_mcp.claims.figures import read_figures, rounds_to
from srag_mcp.text.words import fold
from srag_mcp.values.names import LEGAL_FORMS
from srag_mcp.values.states import State
from srag_mcp.values.types import Value

_TITLES = {
    "the", "mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "herr", "frau", "m",
    "mme", "sr", "sra",
}  # fmt: skip
_ATTACHED = LEGAL_FORMS | _TITLES
_SAME = 1e-6
FEWEST_BOTH = 5
LEAST_AGREEMENT = 0.6


def is_same_value(one: Value | None, other: Value | None) -> bool:
    """Whether two values of a column are one: numbers to 1e-6, texts but for case and marks."""
    if isinstance(one, str) and isinstance(other, str):
        return fold(one) == fold(other)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_SAME)
    return one == other


def agree(model: Cell, rule: Cell) -> bool:
    """Whether a model and a rule read the same of a document.

    A number that the rule converted may be rounded; a name may have a legal form or a title more.
    """
    one, other = model.value, rule.value
    if is_same_value(one, other) or isinstance(one, bool) or isinstance(other, bool):
        return is_same_value(one, other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        is_quoted = read_figures(rule.as_stated or "").is_only(other)
        return not is_quoted and rounds_to(other, one)
    if isinstance(one, str) and isinstance(other, str):
        plain, said = ([x for x in fold(t).split() if x not in _ATTACHED] for t in (one, other))
        return bool(plain) and plain == said
    return False


def find_disputed(model: Mapping[int, Cell], rule: Mapping[int, Cell]) -> list[int]:
    """Return the numbers of documents of which both readers of an attribute state other values.

    Keys number the documents. A rule that reads otherwise in most of the documents that both speak
    of, or that was heard in few, has no say: then nothing is returned. Where *model* has the very
    cell of *rule* there was one reader. What a rule doubts itself disputes nothing, nor do words as
    they stand a value that is made of them: the `ten` of “two hours and ten minutes”.
    """
    both = [
        number
        for number, cell in model.items()
        if (own := rule.get(number)) is not None
        and own is not cell
        and _speaks(cell)
        and _speaks(own)
        and not _names(own)
        and own.marks.isdisjoint(IN_DOUBT)
        and not _is_made_of(cell, own)
    ]
    differing = [number for number in both if not agree(model[number], rule[number])]
    is_heard = len(both) >= FEWEST_BOTH and len(differing) <= (1 - LEAST_AGREEMENT) * len(both)
    return differing if is_heard else []


def mark_disputed(cell: Cell, rule: Cell) -> Cell:
    """Return *cell* marked as disputed, with what the rule reads in its note."""
    other = f"a learned rule reads otherwise: {rule.value} (“{rule.as_stated}”)"
    noted = f"{cell.note}; {other}" if cell.note else other
    return replace(cell, note=noted, marks=cell.marks | {Mark.DISPUTED})


def _speaks(cell: Cell) -> bool:
    """Whether a document says a value; that there is none of something is a no, or a zero."""
    return cell.state in (State.STATED, State.STATED_ABSENT) and cell.value is not None


def _is_made_of(cell: Cell, other: Cell) -> bool:
    if Mark.DERIVED not in cell.marks or cell.span is None or other.span is None:
        return False
    return cell.span.overlaps(other.span)


def _names(cell: Cell) -> bool:
    """Whether a yes is read from one word of the column's name: `detection`, which says nothing."""
    words = fold(cell.as_stated or "").split()
    return cell.value is True and len(words) == 1 and words[0] in cell.attribute.split("_")
