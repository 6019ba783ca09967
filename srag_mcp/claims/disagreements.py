"""A second opinion: what a learned rule reads where a language model read something else."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from srag_mcp.cells.cell import Cell, Mark
from srag_mcp.claims.figures import read_figures
from srag_mcp.claims.quotes import denies
from srag_mcp.text.words import fold
from srag_mcp.values.names import LEGAL_FORMS
from srag_mcp.values.states import State

FEWEST_BOTH = 5
LEAST_AGREEMENT = 0.6
_ROUNDING = 0.005
_FIRST_CJK = "\u2e80"
_TITLES = {
    "the", "mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "herr", "frau", "m",
    "mme", "sr", "sra",
}  # fmt: skip
_ATTACHED = LEGAL_FORMS | _TITLES
_SET_OFF = re.compile(r"[,;:()\[\]|/\n]+|\s[-–—]\s")
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
        if number in rule and _speaks(cell) and _speaks(rule[number]) and not _names(rule[number])
    ]
    differing = tuple(item for item in both if not _agree(item.model, item.rule))
    if len(both) < FEWEST_BOTH or len(differing) > (1 - LEAST_AGREEMENT) * len(both):
        return ()
    return differing


def mark(cell: Cell, found: Disagreement) -> Cell:
    """Return *cell* marked as disputed, with what the rule reads in its note."""
    other = f"{_NOTE}{found.rule.value} (“{found.rule.as_stated}”)"
    noted = f"{cell.note}; {other}" if cell.note else other
    return replace(cell, note=noted, marks=cell.marks | {Mark.DISPUTED})


def _speaks(cell: Cell) -> bool:
    """Whether a document says a value; that there is none of something is a no, or a zero."""
    return cell.state in (State.STATED, State.STATED_ABSENT) and cell.value is not None


def _names(cell: Cell) -> bool:
    """Whether a yes is read from one word of the column's name: `detection`, which says nothing."""
    words = fold(cell.as_stated or "").split()
    return cell.value is True and len(words) == 1 and words[0] in cell.attribute.split("_")


def _agree(model: Cell, rule: Cell) -> bool:
    """Whether two values are the same: numbers to 1e-6, names also with a form or a title more."""
    a, b = model.value, rule.value
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        is_converted = not read_figures(rule.as_stated or "").is_only(b)
        return math.isclose(a, b, rel_tol=1e-6) or (is_converted and _is_rounded(a, b))
    if isinstance(a, str) and isinstance(b, str):
        short, long = sorted((a, b), key=lambda text: len(fold(text)))
        return fold(short) == fold(long) or _only_adds(long, fold(short))
    return a == b


def _is_rounded(value: float, exact: float) -> bool:
    """Whether *value* is *exact*, rounded to three figures or more: `120.1` is 120.0912."""
    if not math.isclose(value, exact, rel_tol=_ROUNDING):
        return False
    last = Decimal(str(value)).normalize().as_tuple().exponent
    return isinstance(last, int) and abs(value - exact) <= 10.0**last / 2


def _only_adds(text: str, words: str) -> bool:
    """Whether *text* is *words* with no more to say: `acme ltd` is `acme`, `New York` not `York`.

    More is a legal form, a title or what a mark sets off: `Bern (Switzerland)`, `City: Bern`; never
    a denial or a number. In scripts without spaces a part of the text will do.
    """
    if words and words[0] >= _FIRST_CJK:
        return words in fold(text)
    if not words or set(words.split()) <= _ATTACHED:
        return False
    parts = [fold(part) for part in _SET_OFF.split(text)]
    for part in parts:
        before, found, after = f" {part} ".partition(f" {words} ")
        if found:
            added = {word for other in parts if other != part for word in other.split()}
            beside = {*before.split(), *after.split()}
            return beside <= _ATTACHED and not any(map(_changes, added))
    return False


def _changes(word: str) -> bool:
    return denies(word) or any(map(str.isdigit, word))
