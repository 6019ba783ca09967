"""Passages: the parts of a document that search finds and prompts show, cut once."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from typing import Literal, TypeAlias

from srag_mcp.documents.document import Document, Heading, KeyValue, Table
from srag_mcp.documents.lines import Outline, collapse
from srag_mcp.model.language_model import most_characters
from srag_mcp.text.spans import Span

PassageKind: TypeAlias = Literal["text", "table"]

# Of a passage. That of a text is DESIGN 9b; a table is whole, unless it takes most of a reply of
# the search (2,000).
MAX_VALUE_CHARACTERS = 300  # a longer text of a record is no value that a question names
PAGE_CHARACTERS = 4000  # of a page of a filing (FinanceBench: 4,800 with its layout)
_TOKENS: Mapping[PassageKind, int] = {"text": 200, "table": 800}
_PARAGRAPH, _LINE = re.compile(r"\n[ \t\r]*\n"), re.compile(r"\n")
_ENDS = (re.compile(r"[.!?:;]\s|[。！？]"), re.compile(r"\n"), re.compile(r"\s"))


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document that search finds and prompts show.

    Attributes:
        span: Where it lies in the text of the document, without blanks around it.
        page: That of its beginning, from 1; None where the format has no pages.
        path: The headings above it, outermost first; its own first line where that is one.
        kind: A table with its caption, or anything else.
        heads: Where the caption and the column heads of its table stand; None where it has none.
    """

    span: Span
    page: int | None
    path: tuple[str, ...]
    kind: PassageKind
    heads: Span | None = None


@dataclass(slots=True)
class _Part:
    """What begins at *start*, and ends at the next heading, table or page.

    *headings*: the levels of the headings it begins with, as long as nothing else stands in it.
    *breaks* are the places where its blocks begin, or the rows of its table; *heads* as in
    `Passage`.
    """

    start: int
    kind: PassageKind
    path: tuple[str, ...]
    headings: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    heads: Span | None = None


def cut_passages(document: Document) -> tuple[Passage, ...]:
    """Cut the text of *document* into passages of about 200 tokens, in its order.

    Blanks that follow on one another count once: the layout of a page keeps columns apart by them.
    Each character that is not blank lies in exactly one of them. None goes on across a heading or a
    page; headings stand with what is below them. A table is whole, with the lines of its caption;
    a very large one is cut between rows.

    Of a row of a table file only the long texts are passages, below the names of their columns: the
    others are values, which SQL finds.
    """
    text = document.text
    lengths = {kind: most_characters(text, n_tokens) for kind, n_tokens in _TOKENS.items()}
    is_row = document.id != document.path
    passages = []
    for part, end in _find_long_texts(document) if is_row else _find_parts(document):
        blanks = max(1, end - part.start) / max(1, len(collapse(text[part.start : end])))
        for stretch in _cut(text, part, end, int(lengths[part.kind] * blanks)):
            span = stretch.trimmed(text)
            if span.start < span.end:
                page = bisect_right(document.pages, span.start) + 1 if document.pages else None
                passages.append(Passage(span, page, part.path, part.kind, part.heads))
    return tuple(passages)


def cover(text: str, passages: Sequence[Passage]) -> Iterator[Passage]:
    """Yield *passages*, and others of what lies in none of them.

    That is most of a row of a table file, and all of a document whose passages are not known.
    """
    length, end = most_characters(text, _TOKENS["text"]), 0
    for passage in (*passages, None):
        start = len(text) if passage is None else passage.span.start
        if text[end:start].strip():
            yield from divide(text, Passage(Span(end, start), None, (), "text"), length)
        if passage is not None:
            yield passage
            end = passage.span.end


def passage_at(passages: Sequence[Passage], place: int) -> Passage | None:
    """Return which of *passages*, in their order, *place* of the text lies in or behind."""
    number = bisect_right(passages, place, key=lambda passage: passage.span.start)
    return passages[number - 1] if number else None


def holds_in(upper: Passage, lower: Passage) -> bool:
    """Whether what *upper* says of all that follows, such as a scale, holds in *lower* still.

    It holds to the end of its section, in those below it, too. Without headings it holds on its
    page, and where there are no pages either as far as a page goes.
    """
    if upper.path:
        return lower.path[: len(upper.path)] == upper.path
    if upper.page is not None or lower.page is not None:
        return upper.page == lower.page
    return bool(lower.path) or lower.span.start - upper.span.end <= PAGE_CHARACTERS


def divide(text: str, passage: Passage, most: int) -> Iterator[Passage]:
    """Yield *passage* in parts of at most *most* characters, a table with its heads in each.

    A table whose heads alone take more than half of that stays whole: its rows say nothing without.
    """
    span, heads = passage.span, passage.heads
    start, between, room = span.start, _PARAGRAPH, most
    if heads is not None:
        start, between, room = max(start, heads.end), _LINE, most - (heads.end - heads.start)
    if span.end - span.start <= most or 2 * room < most:
        yield passage
        return
    places = [found.end() for found in between.finditer(text, start, span.end)]
    part = _Part(start, passage.kind, passage.path, breaks=places)
    for stretch in _cut(text, part, span.end, max(1, room * 2 // 3)):  # half as much longer at most
        first = span.start if stretch.start == start else stretch.start
        yield replace(passage, span=Span(first, stretch.end))


def _find_long_texts(document: Document) -> Iterator[tuple[_Part, int]]:
    """Yield what a row of a table file holds and is longer than a value."""
    end = 0
    for block in document.blocks:
        span = block.value_span if isinstance(block, KeyValue) else block.span
        if span.start >= end and span.end - span.start > MAX_VALUE_CHARACTERS:
            end = span.end
            yield (
                _Part(span.start, "text", (block.key,) if isinstance(block, KeyValue) else ()),
                end,
            )


def _find_parts(document: Document) -> Iterator[tuple[_Part, int]]:
    """Yield what lies between headings, tables and pages, with its end."""
    parts, pages = _find_sections(document), document.pages
    for part, after in zip_longest(parts, parts[1:]):
        end = len(document.text) if after is None else after.start
        turned = pages[bisect_right(pages, part.start) : bisect_left(pages, end)]
        for start, stop in pairwise([part.start, *turned, end]):
            yield replace(part, start=start), stop


def _find_sections(document: Document) -> list[_Part]:
    text, outline = document.text, Outline()
    parts = [_Part(0, "text", ())]
    end = 0  # of what was read so far
    for block in document.blocks:
        if block.span.end <= end:  # a row of a table or a part of a line, given as a pair
            continue
        part, line = parts[-1], max(end, text.rfind("\n", 0, block.span.start) + 1)
        end = block.span.end
        if isinstance(block, Heading):
            outline.enter(block.text, block.level)
            if not part.headings or block.level <= part.headings[-1]:
                part = _Part(line, "text", ())
                parts.append(part)
            part.headings.append(block.level)
            part.path = outline.section
            continue
        if part.headings and block.section[-1:] == part.path[-1:]:
            part.path = block.section  # in an attachment, whose headings lie below those above it
        part.headings.clear()
        if not isinstance(block, Table):
            part.breaks.append(line)
            continue
        while part.breaks and collapse(text[part.breaks[-1] : line]) in block.caption:
            line = part.breaks.pop()
        if part.breaks:
            part = _Part(line, "text", part.path)
            parts.append(part)
        part.kind = "table"
        part.breaks = [text.rfind("\n", 0, row[0].span.start) + 1 for row in block.rows]
        part.heads = Span(part.start, part.breaks[0]) if part.breaks else None
        parts.append(_Part(end, "text", part.path))
    return parts


def _cut(text: str, part: _Part, end: int, length: int) -> Iterator[Span]:
    """Yield stretches of about *length* characters, cut where something ends nearby."""
    start = part.start
    while (n := round((end - start) / length)) > 1:
        goal = start + (end - start) // n
        low, high = goal - length // 4, goal + length // 4
        places = part.breaks[bisect_left(part.breaks, low) : bisect_right(part.breaks, high)]
        for mark in _ENDS:
            places = places or [found.end() for found in mark.finditer(text, low, high)]
        cut = min(places or [goal], key=lambda place: abs(place - goal))
        yield Span(start, cut)
        start = cut
    yield Span(start, end)
