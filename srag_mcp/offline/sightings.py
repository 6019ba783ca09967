"""Sightings: what a document says outright, before anyone knows the attributes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from srag_mcp.documents.document import (
    Document,
    Heading,
    KeyValue,
    ListItem,
    Prose,
    Span,
    Table,
)
from srag_mcp.offline.slots import Slot, find_slots
from srag_mcp.offline.words import fold

_NEGATIVE_START = re.compile(
    r"^\W*(?:no|not|non|without|kein|keine|ohne|sans|pas de|sin|senza|geen)\b[\s:]*", re.I
)
_NEGATIVE_END = re.compile(
    r"[\s:–—,(-]+(?:not (?:available|included|offered|allowed)|unavailable|none|no|✗|✘|❌)\W*$",
    re.I,
)
_CROSS = re.compile(r"^\s*[✗✘❌]\s*")
_AMOUNT_LINE = re.compile(
    r"^[ \t(]*(?P<label>[^\W\d_][^\n]{1,50}?)(?:[ \t]{2,}|\t|:[ \t]*)"
    r"(?P<amount>(?:[^\W\d_]{1,3}[ \t]*|[$€£¥₹])?-?\d[\d.,]*)\)?[ \t]*$",
    re.MULTILINE,
)
_MAX_KEY_WORDS = 7
_N_FIRST_LINES = 8


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
    """A list item; *name* is folded and without its negation."""

    name: str
    text: str
    span: Span
    section: str
    negative: bool


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

    @cached_property
    def fields(self) -> dict[str, list[Field]]:
        """Fields by folded key, each in the order of the text."""
        found: dict[str, list[Field]] = {}
        for block in self.document.blocks:
            if isinstance(block, KeyValue):
                field = _field_of(block, self.document.text)
                if field is not None:
                    found.setdefault(field.key, []).append(field)
            elif isinstance(block, Prose):
                for field in _amount_lines(self.document.text, block.span):
                    found.setdefault(field.key, []).append(field)
        return found

    @cached_property
    def items(self) -> list[Item]:
        """List items, in the order of the text."""
        return [_item_of(block) for block in self.document.blocks if isinstance(block, ListItem)]

    @cached_property
    def items_by_name(self) -> dict[str, list[Item]]:
        """List items by folded name."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            found.setdefault(item.name, []).append(item)
        return found

    @cached_property
    def slots(self) -> list[Slot]:
        """Typed values in running text, in the order of the text."""
        return find_slots(self.document)

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
        """The first non-empty lines, trimmed."""
        spans = []
        for match in re.finditer(r"[^\n]*\S[^\n]*", self.document.text):
            line = match.group()
            start = match.start() + len(line) - len(line.lstrip())
            spans.append(Span(start, match.start() + len(line.rstrip())))
            if len(spans) == _N_FIRST_LINES:
                break
        return spans

    @cached_property
    def first_heading(self) -> Heading | None:
        """The first heading, or None."""
        return next((b for b in self.document.blocks if isinstance(b, Heading)), None)


def _field_of(block: KeyValue, text: str) -> Field | None:
    key = fold(block.key)
    if not key or len(key.split()) > _MAX_KEY_WORDS or key.replace(" ", "").isdigit():
        return None
    section = fold(block.section[-1]) if block.section else ""
    return Field(key, block.key, block.value_span.of(text), block.value_span, section)


def _amount_lines(text: str, span: Span) -> Iterator[Field]:
    """Yield lines that are a label, a gap and an amount, where a reader saw running text."""
    for match in _AMOUNT_LINE.finditer(text, span.start, span.end):
        key = fold(match["label"])
        if key and len(key.split()) <= _MAX_KEY_WORDS:
            place = Span(match.start("amount"), match.end("amount"))
            yield Field(key, match["label"].strip(), match["amount"], place, "")


def _item_of(block: ListItem) -> Item:
    section = fold(block.section[-1]) if block.section else ""
    text, negative = strip_negation(block.text)
    return Item(fold(text), block.text, block.span, section, negative)


def strip_negation(text: str) -> tuple[str, bool]:
    """Return *text* without its negation, and whether it had one.

    Example: `No pool` -> (`pool`, True); `Parking: not available` -> (`Parking`, True)
    """
    for pattern in (_CROSS, _NEGATIVE_START, _NEGATIVE_END):
        stripped, count = pattern.subn("", text, count=1)
        if count and stripped.strip():
            return stripped.strip(), True
    return text, False


def _cells_of(table: Table) -> Iterator[BodyCell]:
    headers = [fold(" ".join(path)) for path in table.headers]
    for row in table.rows:
        label = fold(row[0].text) if row else ""
        if not label:
            continue
        for header, cell in zip(headers[1:], row[1:], strict=False):
            if header and cell.text.strip():
                yield BodyCell(label, header, cell.text, cell.span, table.caption)
