"""A document: one text, and the blocks that lie in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from srag_mcp.text.spans import Span

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; *level* is 1 for the title of the document."""

    span: Span
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class KeyValue:
    """A key with its value: `Total: 12.40`, a definition, a front-matter line, a JSON member.

    *section* holds the headings above it, outermost first. *value* is what the document says,
    trimmed; *value_span* is where it says so.
    """

    span: Span
    key: str
    value: str
    value_span: Span
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a bulleted, numbered or icon list; *section* as in `KeyValue`."""

    span: Span
    text: str
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a table body; *span* is empty (start == end) where the cell is empty."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Table:
    """A table of at least two columns.

    *headers* has one path a column, outermost header first: `(("2020", "Revenue"), …)`; an empty
    path where the column has no header. *caption* holds the title and notes that apply to the whole
    table, such as "(in millions)". Every row has one cell a column. *names_rows*: it is marked to
    name its rows, and no column.
    """

    span: Span
    headers: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[TableCell, ...], ...]
    caption: str = ""
    section: tuple[str, ...] = ()
    names_rows: bool = False


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph of running text."""

    span: Span
    section: tuple[str, ...] = ()


Block: TypeAlias = Heading | KeyValue | ListItem | Table | Prose


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of a format that knows lists, as JSON does.

    Attributes:
        name: Its key, dotted: `customer.phones`.
        keys: Of the members of its items, dotted; one empty key where items are plain values.
        rows: Its items, one cell a key: empty where it is null, None where it is not there.
        span: Where it stands; empty where it has no items.
        context: What changes the reading of its numbers.
        inside: The names of lists in its items, dotted.
    """

    name: str
    keys: tuple[str, ...]
    rows: tuple[tuple[TableCell | None, ...], ...]
    span: Span
    context: str = ""
    inside: tuple[str, ...] = ()

    def moved(self, offset: int) -> "Listing":
        """Return it moved by *offset* characters."""
        rows = tuple(
            tuple(cell and TableCell(cell.text, cell.span.moved(offset)) for cell in row)
            for row in self.rows
        )
        return replace(self, rows=rows, span=self.span.moved(offset))


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader of a format hands over; *title* is None where the format names none.

    *pages*, *listings* as in `Document`.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str | None = None
    pages: tuple[int, ...] = ()
    listings: tuple[Listing, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    r"""One document of a corpus.

    Attributes:
        id: The path below the corpus folder, with `/`; for a row of a table file
            `<path>#<row number from 1, zero-padded to the width of the last>`, so that ids sort in
            the order of the rows.
        title: The best short name: a heading, a title field or the file's stem.
        sha256: Of the bytes of the file (a row: of its text), in hexadecimal.
        text: All text, with `\n` line ends; every span points into it.
        blocks: In the order of the text. Spans of blocks do not overlap, but for the parts of a
            table and for a list item or table row that is also given as a `KeyValue`.
        pages: Where pages 2, 3, … begin in the text; empty where the format has no pages.
        listings: The lists of a format that knows lists; they stand in the blocks as well.
    """

    id: str
    path: str
    title: str
    media_type: str
    sha256: str
    text: str
    blocks: tuple[Block, ...] = ()
    pages: tuple[int, ...] = ()
    listings: tuple[Listing, ...] = ()


def moved_block(block: Block, offset: int, above: tuple[str, ...] = ()) -> Block:
    """Return *block* moved by *offset* characters and below the headings *above*."""
    span = block.span.moved(offset)
    if isinstance(block, Heading):
        return replace(block, span=span)
    section = (*above, *block.section)
    if isinstance(block, KeyValue):
        value_span = block.value_span.moved(offset)
        return replace(block, span=span, value_span=value_span, section=section)
    if isinstance(block, Table):
        rows = tuple(
            tuple(TableCell(cell.text, cell.span.moved(offset)) for cell in row)
            for row in block.rows
        )
        return replace(block, span=span, rows=rows, section=section)
    return replace(block, span=span, section=section)


def spread_evenly(items: Sequence[Item], n: int) -> list[Item]:
    """Take *n* evenly spaced ones, which show how the others vary; all when there are no more."""
    if len(items) <= n:
        return list(items)
    return [items[number * len(items) // n] for number in range(n)]
