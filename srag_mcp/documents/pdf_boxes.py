"""What the places and sizes of texts on a PDF page say: columns, and headings."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from srag_mcp.documents.lines import collapse

_WIDE_GAP = 1.5  # in heights of a line
_SAME_LINE = 0.5  # in heights of a line
_MIN_TABULAR_GAPS = 2
_MIN_TABULAR_SHARE = 0.6
_TITLE_HEIGHT = 1.3  # in heights of the usual line
_MAX_TITLE_LEVELS = 3
_MAX_TITLE_CHARACTERS = 100
_MAX_TITLE_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class TextBox:
    """A stretch of text on a page, in points; boxes come in the order they were written."""

    left: float
    right: float
    bottom: float
    height: float
    text: str

    @property
    def middle(self) -> float:
        """The height of its middle on the page."""
        return self.bottom + self.height / 2


def looks_tabular(boxes: Sequence[TextBox]) -> bool:
    """Whether lines of the page hold texts far apart that were written one after the other.

    Beside a column of text another one also lies far apart, but it was written later.
    """
    steps = [
        after[0] - before[0]
        for line in _lines(boxes)
        for before, after in pairwise(sorted(line, key=lambda numbered: numbered[1].left))
        if after[1].left - before[1].right > _WIDE_GAP * before[1].height
    ]
    n_rows = sum(step == 1 for step in steps)
    return n_rows >= _MIN_TABULAR_GAPS and n_rows > _MIN_TABULAR_SHARE * len(steps)


def _lines(boxes: Sequence[TextBox]) -> list[list[tuple[int, TextBox]]]:
    """Return the boxes line by line with their number; those of a line overlap in height."""
    lines: list[list[tuple[int, TextBox]]] = []
    for numbered in sorted(enumerate(boxes), key=lambda numbered: -numbered[1].middle):
        if lines and _overlap(lines[-1][0][1], numbered[1]):
            lines[-1].append(numbered)
        else:
            lines.append([numbered])
    return lines


def _overlap(one: TextBox, other: TextBox) -> bool:
    return abs(one.middle - other.middle) < _SAME_LINE * max(one.height, other.height)


def find_titles(boxes: Sequence[TextBox]) -> dict[str, int]:
    """Return the texts set clearly larger than most, with their level by size: 1 is the largest."""
    sized = [box for box in boxes if len(box.text.strip()) > 1]
    if len(sized) < 3:
        return {}
    usual = median(box.height for box in sized for _ in range(1 + len(box.text) // 20))
    large = [box for box in sized if box.height > _TITLE_HEIGHT * usual and _is_title(box.text)]
    if len(large) > _MAX_TITLE_SHARE * len(sized) + 1:
        return {}
    sizes = sorted({round(box.height / 2) for box in large}, reverse=True)[:_MAX_TITLE_LEVELS]
    return {
        collapse(box.text): sizes.index(round(box.height / 2)) + 1
        for box in large
        if round(box.height / 2) in sizes
    }


def _is_title(text: str) -> bool:
    return len(text) <= _MAX_TITLE_CHARACTERS and any(map(str.isalpha, text))
