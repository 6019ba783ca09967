"""Sightings: what a document says outright, before anyone knows the attributes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from srag_mcp.documents.document import Block, Document, Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.formats import TABLE_TYPES
from srag_mcp.offline.named_phrases import Place, find_named
from srag_mcp.offline.slots import Slot, find_slots
from srag_mcp.offline.words import content_stems
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words as fold

_NEGATION = re.compile(
    r"[✗✘❌☒]|\b(?:no|not|non|none|never|without|neither|un(?=available)|kein|keine|keinen|ohne|nicht"
    r"|sans|pas de|aucun|aucune|sin|senza|geen|zonder|sem)\b-?",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"\b(?:until|up to|from|before|after|only)\b[^,;.]*\d[^,;.]*|[(\[][^()\[\]]*[)\]]", re.I
)
_FIGURE = re.compile(r":\s*[^\W\d_]{0,3}\s?\d")
_ANY_DIGIT = re.compile(r"\d")
_PART_END = re.compile(r"\s*[;.\n]\s*")
_MAX_LINE = 80
_MAX_ITEM = 100
_MAX_ITEM_WORDS = 7
_MAX_VALUE = 200
_AMOUNT_LINE = re.compile(
    r"^[ \t(]*(?P<label>[^\W\d_][^\n]{1,50}?)(?:[ \t]{2,}|\t|:[ \t]*)"
    r"(?P<amount>(?:[^\W\d_]{1,3}[ \t]*|[$€£¥₹])?-?\d[\d.,]*)\)?[ \t]*$",
    re.MULTILINE,
)
_MAX_KEY_WORDS = 7
_MAX_COLUMN_WORDS = 40  # of a header in a table file: questions of a survey
_SENTENCE = re.compile(r"\n|[.:!?]$")
_N_FIRST_LINES = 8
_LINE = re.compile(
    r"^[ \t]*(?:[#>|*]+[ \t]+|\*\*)?(\S(?:[^\n]*?\S)?)(?:\*\*|[ \t]+\|)?[^\S\n]*$", re.M
)


@dataclass(frozen=True, slots=True)
class Field:
    """A key with its value; *key* and *section* (the nearest heading) are folded."""

    key: str
    label: str
    value: str
    span: Span
    section: str


@dataclass(frozen=True, slots=True)
class Item:
    """A list item or another short statement.

    *name* is folded, without its negation, its dates and its numbers; *stems* are those of its
    content words. *listed* tells a list item from a short line or a part of a field.
    """

    name: str
    stems: frozenset[str]
    text: str
    span: Span
    section: str
    negative: bool
    listed: bool


@dataclass(frozen=True, slots=True)
class BodyCell:
    """A cell of a table body with the folded headers of its row and column."""

    row: str
    column: str
    text: str
    span: Span
    context: str


class Sightings:
    """What one document says: fields, list items, slots, table cells, first lines."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text

    @cached_property
    def fields(self) -> dict[str, list[Field]]:
        """Fields by folded key, each in the order of the text."""
        found: dict[str, list[Field]] = {}
        for headed in _headed_fields(self.document):
            found.setdefault(headed.key, []).append(headed)
        for block in self.document.blocks:
            if isinstance(block, KeyValue):
                field = _field_of(block, self.document.text, self._max_key_words)
                if field is not None:
                    found.setdefault(field.key, []).append(field)
            elif isinstance(block, Prose):
                for field in _amount_lines(self.document.text, block.span):
                    found.setdefault(field.key, []).append(field)
        return found

    @property
    def _max_key_words(self) -> int:
        """The words of a key; what names a column of a table file is a key however long it is."""
        is_table = self.document.media_type in TABLE_TYPES
        return _MAX_COLUMN_WORDS if is_table else _MAX_KEY_WORDS

    @cached_property
    def items(self) -> list[Item]:
        """List items and other short statements, in the order of the text."""
        return [item for block in self.document.blocks for item in _items_of(block, self.text)]

    @cached_property
    def slots(self) -> list[Slot]:
        """Typed values in running text, in the order of the text."""
        return find_slots(self.document)

    @cached_property
    def named(self) -> list[Place]:
        """Names in running text, each with the phrases of several lengths before it."""
        return list(find_named(self.document))

    @cached_property
    def cells(self) -> list[BodyCell]:
        """Cells of tables that have a row header and a column header."""
        return [
            cell
            for block in self.document.blocks
            if isinstance(block, Table)
            for cell in _cells_of(block)
        ]

    @cached_property
    def first_lines(self) -> list[Span]:
        """The first non-empty lines, without space and marks of markup at their ends."""
        spans = []
        for match in _LINE.finditer(self.document.text):
            spans.append(Span(*match.span(1)))
            if len(spans) == _N_FIRST_LINES:
                break
        return spans

    @cached_property
    def first_heading(self) -> Heading | None:
        """The first heading, or None."""
        return next((b for b in self.document.blocks if isinstance(b, Heading)), None)


def _field_of(block: KeyValue, text: str, max_words: int) -> Field | None:
    key = fold(block.key)
    if not _is_key(key, max_words):
        return None
    section = fold(block.section[-1]) if block.section else ""
    return Field(key, block.key, block.value_span.of(text), block.value_span, section)


def _headed_fields(document: Document) -> Iterator[Field]:
    """Yield headings with nothing but one short line below them, which is their value."""
    blocks = document.blocks
    for place, (above, below) in enumerate(pairwise(blocks)):
        if not isinstance(above, Heading) or not isinstance(below, Prose):
            continue
        is_last = place + 2 == len(blocks) or isinstance(blocks[place + 2], Heading)
        span, key = _trimmed(below.span, document.text), fold(above.text)
        line = span.of(document.text)
        is_value = 0 < len(line) <= _MAX_LINE and not _SENTENCE.search(line)
        if is_last and is_value and _is_key(key):
            yield Field(key, above.text, line, span, "")


def _is_key(folded: str, max_words: int = _MAX_KEY_WORDS) -> bool:
    few = 0 < len(folded.split()) <= max_words
    return few and not folded.replace(" ", "").isdigit()


def _trimmed(span: Span, text: str) -> Span:
    words = span.of(text)
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip()))


def _amount_lines(text: str, span: Span) -> Iterator[Field]:
    """Yield lines that are a label, a gap and an amount, where a reader saw running text."""
    for match in _AMOUNT_LINE.finditer(text, span.start, span.end):
        key = fold(match["label"])
        if key and len(key.split()) <= _MAX_KEY_WORDS:
            place = Span(match.start("amount"), match.end("amount"))
            yield Field(key, match["label"].strip(), match["amount"], place, "")


def _items_of(block: Block, text: str) -> Iterator[Item]:
    if isinstance(block, ListItem):
        item = _item(text, block.span, block.section, listed=True)
        if item is not None:
            yield item
    elif isinstance(block, Prose) and block.span.end - block.span.start <= _MAX_LINE:
        item = _item(text, block.span, block.section, listed=False)
        if item is not None:
            yield item
    elif isinstance(block, KeyValue):
        for span in _parts(text, block.value_span):
            item = _item(text, span, (*block.section, block.key), listed=False)
            if item is not None:
                yield item


def _parts(text: str, span: Span) -> Iterator[Span]:
    """Cut a value at semicolons and full stops."""
    if span.end - span.start > _MAX_VALUE:
        return
    start = span.start
    for match in _PART_END.finditer(text, span.start, span.end):
        yield Span(start, match.start())
        start = match.end()
    if start < span.end:
        yield Span(start, span.end)


def _item(text: str, span: Span, section: tuple[str, ...], *, listed: bool) -> Item | None:
    words = span.of(text)
    if len(words) > _MAX_ITEM:
        return None
    bare, negative = strip_negation(words)
    plain = _VARIABLE.sub(" ", bare)
    if (_FIGURE if listed else _ANY_DIGIT).search(plain):
        return None  # a line with a figure states the figure
    name = " ".join(word for word in fold(plain).split() if not _has_digit(word))
    stems = frozenset(content_stems(name))
    if not stems or len(stems) > _MAX_ITEM_WORDS:
        return None
    return Item(name, stems, words, span, fold(section[-1]) if section else "", negative, listed)


def _has_digit(word: str) -> bool:
    return any(char.isdigit() for char in word)


def strip_negation(text: str) -> tuple[str, bool]:
    """Return *text* without its negation, and whether it had one.

    Example: `No pool` -> (`pool`, True); `Pets are not allowed` -> (`Pets are allowed`, True)
    """
    stripped, count = _NEGATION.subn(" ", text)
    return (stripped, True) if count and stripped.strip(" -:–—✗✘❌.") else (text, False)


def _cells_of(table: Table) -> Iterator[BodyCell]:
    headers = [fold(" ".join(path)) for path in table.headers]
    for row in table.rows:
        label = fold(row[0].text) if row else ""
        if not label:
            continue
        for header, cell in zip(headers[1:], row[1:], strict=False):
            if header and cell.text.strip():
                yield BodyCell(label, header, cell.text, cell.span, table.caption)
