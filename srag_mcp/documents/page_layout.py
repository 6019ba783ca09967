"""How the lines of a text show its structure, and what follows from it line by line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from srag_mcp.documents.headings import TitleLine, find_heading, is_shouting
from srag_mcp.documents.key_values import Pair, find_pairs
from srag_mcp.documents.lines import Line, collapse, is_wrapped, wrap_width
from srag_mcp.documents.list_items import match_marker

MAX_ITEM_KEY_WORDS = 4
_MAX_VALUE_LINES = 10
_MAX_MISALIGNMENT = 3
_MIN_WRAPPED_VALUE = 20
_MAX_NEXT_LINE_VALUE = 80
_MIN_BODY_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a text show its structure.

    *wrapping* says when a line belongs to the paragraph of the line before it: if that line looks
    full, up to the next blank line, or never. *has_bare_titles*: a line that nothing marks as a
    heading may be one. *titles*: lines known to be headings, with their level.
    """

    wrapping: Literal["guess", "blank_line", "never"] = "guess"
    has_bare_titles: bool = True
    titles: Mapping[str, int] = field(default_factory=dict)


PLAIN = Layout()


class LaidOutLines:
    """The lines of a text, and which of them belong together in its layout."""

    def __init__(self, lines: Sequence[Line], layout: Layout) -> None:
        self.lines = lines
        self.is_shouting = is_shouting(lines)
        self._layout = layout
        self._width = wrap_width(lines)
        self._guesses_titles = layout.has_bare_titles and not self.is_shouting

    def heading(self, at: int) -> TitleLine | None:
        """Return the heading at line *at*, None if there is none."""
        line = self.lines[at]
        level = self._layout.titles.get(collapse(line.text)) if self._layout.titles else None
        if level is not None:
            return TitleLine(collapse(line.text), level, 1, line.span)
        found = find_heading(self.lines, at, guess=self._guesses_titles)
        if found is not None and self._layout.titles:
            return replace(found, level=max(2, found.level))  # the largest are known
        return found

    def paragraph_end(self, at: int) -> int:
        """Return the line after the paragraph that begins at line *at*."""
        end = at + 1
        while end < len(self.lines) and self._is_open(end) and self._goes_on(end):
            end += 1
        return end

    def value_end(self, at: int, pair: Pair) -> int:
        """Return the line after the value of *pair* on line *at*; it may be indented or wrapped."""
        end = at + 1
        last = min(len(self.lines), end + _MAX_VALUE_LINES)
        while pair.value and end < last and starts_plain(self.lines[end]):
            if not self._goes_on_below(at, end, pair):
                break
            end += 1
        return end

    def _goes_on_below(self, at: int, end: int, pair: Pair) -> bool:
        line, before = self.lines[end], self.lines[end - 1]
        if line.indent > 1 and abs(line.indent - pair.value_start) <= _MAX_MISALIGNMENT:
            return True
        if not is_wrapped(before, line, self._width) or self.heading(end) is not None:
            return False
        is_long = len(pair.value) > _MIN_WRAPPED_VALUE and self._layout.wrapping != "never"
        return is_long or line.indent >= self.lines[at].indent + 2

    def is_value(self, at: int) -> bool:
        """Whether line *at* is all of the value of a key on the line above."""
        if at >= len(self.lines) or not starts_plain(self.lines[at]):
            return False
        if len(self.lines[at].text.strip()) > _MAX_NEXT_LINE_VALUE:
            return False
        if at + 1 >= len(self.lines) or self.lines[at + 1].is_blank:
            return True
        return bool(find_pairs(self.lines[at + 1].text))

    def introduces(self, at: int) -> bool:
        """Whether a list, fields or a longer text come below line *at*."""
        after = next((line for line in self.lines[at + 1 : at + 3] if not line.is_blank), None)
        if after is None:
            return False
        return not starts_plain(after) or len(after.text) > _MIN_BODY_CHARACTERS

    def _is_open(self, at: int) -> bool:
        line = self.lines[at]
        if line.is_blank or line.text.lstrip().startswith(("#", "|")):
            return False
        return self.heading(at) is None

    def _goes_on(self, at: int) -> bool:
        line, before = self.lines[at], self.lines[at - 1]
        marker = match_marker(line.text)
        if self._layout.wrapping == "blank_line":
            return marker is None and not _is_pair_line(line)
        if self._layout.wrapping == "never" or not is_wrapped(before, line, self._width):
            return False
        if marker is not None:
            return marker[0] == "number" and not _ends(before)
        return not (_is_pair_line(line) and _ends(before))


def starts_plain(line: Line) -> bool:
    """Whether a line begins with neither a mark nor a key, and is not blank."""
    if line.is_blank or match_marker(line.text) or find_pairs(line.text):
        return False
    return not line.text.lstrip().startswith(("#", "|"))


def _is_pair_line(line: Line) -> bool:
    pairs = find_pairs(line.text)
    return bool(pairs) and len(pairs[0].key.split()) <= MAX_ITEM_KEY_WORDS


def _ends(line: Line) -> bool:
    return line.text.rstrip().endswith((".", "!", "?", ":", ";"))
