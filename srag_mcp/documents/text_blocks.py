"""Blocks of plain text: lines in, headings, key-values, items, tables and paragraphs out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from srag_mcp.documents.document import Block, Heading, KeyValue, ListItem, Prose
from srag_mcp.documents.headings import Outline, find_heading, find_run_in_heading
from srag_mcp.documents.lines import (
    Line,
    collapse,
    is_wrapped,
    match_marker,
    split_items,
    split_lines,
    wrap_width,
)
from srag_mcp.documents.pairs import (
    Pair,
    find_pairs,
    find_stacked_pairs,
    item_pair,
    may_begin_stack,
)
from srag_mcp.documents.tables import MAX_CAPTION_CHARACTERS, captions_at_end, grid_blocks
from srag_mcp.documents.text_tables import TableFinder
from srag_mcp.text.spans import Span

_LABEL_LEVEL = 7
_MAX_VALUE_CHARACTERS = 400
_MAX_LONG_KEY_VALUE_CHARACTERS = 120
_MIN_CLAUSE_CHARACTERS = 60
_MAX_STACKED_LINES = 60
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


def find_blocks(
    text: str, *, offset: int = 0, outline: Outline | None = None, layout: Layout = PLAIN
) -> list[Block]:
    r"""Return the blocks of *text*, in order.

    Args:
        text: With line ends `\n`.
        offset: Where *text* begins in the text of the document.
        outline: The headings above, which are kept up to date.
        layout: How paragraphs and headings show in these lines.
    """
    return _TextReader(text, offset, outline or Outline(), layout).read()


class _TextReader:
    def __init__(self, text: str, offset: int, outline: Outline, layout: Layout) -> None:
        self._text = text
        self._offset = offset
        self._outline = outline
        self._layout = layout
        self._lines = split_lines(text, offset)
        self._width = wrap_width(self._lines)
        self._tables = TableFinder(self._lines)
        lettered = [line.text for line in self._lines if any(map(str.isalpha, line.text))]
        self._is_shouting = sum(map(str.isupper, lettered)) >= 0.5 * len(lettered)
        self._blocks: list[Block] = []

    def read(self) -> list[Block]:
        readers = (self._table, self._pairs, self._stacked, self._heading, self._item)
        at = 0
        while at < len(self._lines):
            if self._lines[at].is_blank:
                at += 1
                continue
            ends = (read(at) for read in readers)
            at = next((end for end in ends if end is not None), None) or self._prose(at)
        return self._blocks

    # Each reader appends the blocks that begin at a line and returns the line after them; None
    # where there is nothing of its kind.

    def _table(self, at: int) -> int | None:
        found = self._tables.find(at)
        if found is None:
            return None
        grid, end = found
        caption, last = "", self._blocks[-1] if self._blocks else None
        above = self._lines[max(0, at - 3) : at]
        if last is not None and sum(line.start > last.span.end for line in above) <= 1:
            is_short = last.span.end - last.span.start <= MAX_CAPTION_CHARACTERS
            is_line = isinstance(last, Heading | Prose) and is_short
            caption = " ".join(captions_at_end(self._blocks, self._words))
            caption = caption or (self._words(last.span) if is_line else "")
        blocks = grid_blocks(replace(grid, caption=caption), self._outline.section)
        if not blocks:
            self._tables.reject(end)
            return None
        self._blocks += blocks
        return end

    def _pairs(self, at: int) -> int | None:
        line = self._lines[at]
        if match_marker(line.text) or line.text.lstrip().startswith("#"):
            return None
        pairs = find_pairs(line.text)
        if not pairs:
            return None
        last = pairs[-1]
        if len(pairs) == 1 and not last.value:
            return self._label(at, last)
        end = self._value_end(at, last)
        stop = self._lines[end - 1].span.end if end > at + 1 else line.start + last.value_end
        if len(pairs) == 1:
            is_short = len(last.key.split()) < 3
            most = _MAX_VALUE_CHARACTERS if is_short else _MAX_LONG_KEY_VALUE_CHARACTERS
            if self._lines[end - 1].span.end - line.start - last.value_start > most:
                return None  # running text with a colon in it
        for pair in pairs:
            if pair.value:
                value_end = stop if pair is last else line.start + pair.value_end
                value_span = Span(line.start + pair.value_start, value_end)
                self._add_pair(line.start + pair.key_start, pair.key, value_span)
        return end

    def _value_end(self, at: int, pair: Pair) -> int:
        """Return the line after the value of *pair* on line *at*; it may be indented or wrapped."""
        end = at + 1
        last = min(len(self._lines), end + _MAX_VALUE_LINES)
        is_long = len(pair.value) > _MIN_WRAPPED_VALUE and self._layout.wrapping != "never"
        while pair.value and end < last and _starts_plain(self._lines[end]):
            line = self._lines[end]
            is_below = line.indent > 1 and abs(line.indent - pair.value_start) <= _MAX_MISALIGNMENT
            may_wrap = is_long or line.indent >= self._lines[at].indent + 2
            if not is_below and not (
                may_wrap
                and is_wrapped(self._lines[end - 1], line, self._width)
                and self._heading_at(end) is None
            ):
                break
            end += 1
        return end

    def _label(self, at: int, pair: Pair) -> int | None:
        """Read a line `Key:`: the key of the next line, a heading, or a field left empty."""
        start = self._lines[at].start + pair.key_start
        below = self._lines[at + 1 : at + 3]
        if below and _starts_plain(below[0]) and len(below[0].text.strip()) <= _MAX_NEXT_LINE_VALUE:
            is_value = len(below) < 2 or below[1].is_blank or bool(find_pairs(below[1].text))
            if is_value:
                self._add_pair(start, pair.key, below[0].span)
                return at + 2
        after = next((line for line in below if not line.is_blank), None)
        if self._is_shouting or after is None:
            return None
        if _starts_plain(after) and len(after.text) <= _MIN_BODY_CHARACTERS:
            return None
        span = Span(start, start + len(pair.key))
        self._enter(Heading(span, collapse(pair.key), _LABEL_LEVEL))
        return at + 1

    def _stacked(self, at: int) -> int | None:
        if not may_begin_stack(self._lines, at):
            return None
        end = at + 1
        last = min(len(self._lines), at + _MAX_STACKED_LINES)
        while end < last and _starts_plain(self._lines[end]) and not self._heading_at(end):
            end += 1
        pairs = find_stacked_pairs(self._lines[at:end])
        for key, value in pairs:
            self._add_pair(key.span.start, key.text.strip(), value.span)
        return at + 2 * len(pairs) if pairs else None

    def _heading(self, at: int) -> int | None:
        heading, end = self._heading_at(at) or (None, None)
        if heading is not None:
            self._enter(heading)
        return end

    def _heading_at(self, at: int) -> tuple[Heading, int] | None:
        line, titles = self._lines[at], self._layout.titles
        level = titles.get(collapse(line.text)) if titles else None
        if level is not None:
            return Heading(line.span, collapse(line.text), level), at + 1
        guess = self._layout.has_bare_titles and not self._is_shouting
        found = find_heading(self._lines, at, guess=guess)
        if found is not None and titles:  # the largest are known
            return replace(found[0], level=max(2, found[0].level)), found[1]
        return found

    def _item(self, at: int) -> int | None:
        line = self._lines[at]
        marker = match_marker(line.text)
        if marker is None:
            return None
        end = self._paragraph_end(at)
        stop = self._lines[end - 1].span.end
        is_long = len(line.text) > _MIN_CLAUSE_CHARACTERS
        title = find_run_in_heading(line) if marker[0] == "number" and is_long else None
        if title is not None:  # a clause with its title at its start
            self._enter(title)
            rest = Line(title.span.end, line.text[title.span.end - line.start :])
            self._blocks.append(Prose(Span(rest.span.start, stop), self._outline.section))
            return end
        span = Span(line.start + marker[1], stop)
        self._blocks.append(ListItem(span, self._words(span), self._outline.section))
        pair = item_pair(self._raw(span))
        if pair is not None:
            value_span = Span(span.start + pair.value_start, span.start + pair.value_end)
            self._add_pair(span.start + pair.key_start, pair.key, value_span)
        return end

    def _prose(self, at: int) -> int:
        end = self._paragraph_end(at)
        span = Span(self._lines[at].span.start, self._lines[end - 1].span.end)
        section = self._outline.section
        below_heading = self._blocks and isinstance(self._blocks[-1], Heading)
        self._blocks += (self._items(span, section) if below_heading else []) or [
            Prose(span, section)
        ]
        return end

    def _paragraph_end(self, at: int) -> int:
        """Return the line after the paragraph that begins at line *at*."""
        end = at + 1
        while end < len(self._lines) and self._goes_on(end):
            end += 1
        return end

    def _goes_on(self, at: int) -> bool:
        """Whether line *at* belongs to the paragraph of the line before it."""
        line, before, wrapping = self._lines[at], self._lines[at - 1], self._layout.wrapping
        if line.is_blank or line.text.lstrip().startswith(("#", "|")) or self._heading_at(at):
            return False
        if wrapping == "never" or (
            wrapping == "guess" and not is_wrapped(before, line, self._width)
        ):
            return False
        marker = match_marker(line.text)
        has_ended = before.text.rstrip().endswith((".", "!", "?", ":", ";"))
        if marker is not None:
            return wrapping == "guess" and marker[0] == "number" and not has_ended
        pairs = find_pairs(line.text)
        return not (pairs and pairs[0].has_short_key and (has_ended or wrapping == "blank_line"))

    def _enter(self, heading: Heading) -> None:
        self._outline.enter(heading.text, heading.level)
        self._blocks.append(heading)

    def _add_pair(self, start: int, key: str, value_span: Span) -> None:
        key, value, section = collapse(key), self._words(value_span), self._outline.section
        self._blocks.append(KeyValue(Span(start, value_span.end), key, value, value_span, section))
        self._blocks += self._items(value_span, (*section, key))

    def _items(self, span: Span, section: tuple[str, ...]) -> list[Block]:
        text = self._raw(span)
        places = [] if "\n" in text else split_items(text)
        return [ListItem(place.moved(span.start), place.of(text), section) for place in places]

    def _raw(self, span: Span) -> str:
        return span.moved(-self._offset).of(self._text)

    def _words(self, span: Span) -> str:
        return collapse(self._raw(span))


def _starts_plain(line: Line) -> bool:
    """Whether a line begins with neither a mark nor a key, and is not blank."""
    if line.is_blank or match_marker(line.text) or find_pairs(line.text):
        return False
    return not line.text.lstrip().startswith(("#", "|"))
