"""What stands at the place of a cell: its words, and what around them changes their reading."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from srag_mcp.cells.cell import Cell
from srag_mcp.documents.captions import is_caption
from srag_mcp.documents.document import Block, KeyValue, Table
from srag_mcp.text.locate import locate
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

# "In millions, except per share": what is measured against something else is not in the scale.
_RELATIVE = re.compile(r"\bper\b|%|\bpercent|\bratio\b|\bmargin\b|\brate\b", re.IGNORECASE)


def add_surroundings(cells: Sequence[Cell], blocks: Sequence[Block]) -> list[Cell]:
    """Return *cells* with the words around each stated value added to its `context`.

    Of a value in a table: the headers of its column and row, then the caption; of one below a
    heading that says how numbers are written: the heading. The nearest words come first.
    `1,200` below "Costs" in a table "(in thousands)" -> context `Costs; (in thousands)`
    """
    tables = [block for block in blocks if isinstance(block, Table)]
    pairs = [block for block in blocks if isinstance(block, KeyValue) and _note(block.section)]
    if not tables and not pairs:
        return list(cells)
    return [_with_surroundings(cell, tables, pairs) for cell in cells]


def _with_surroundings(cell: Cell, tables: Sequence[Table], pairs: Sequence[KeyValue]) -> Cell:
    if cell.state is not State.STATED or cell.span is None:
        return cell
    words = list(_words_around(cell.span, tables, pairs))
    context = "; ".join(dict.fromkeys(word for word in (cell.context, *words) if word))
    return replace(cell, context=context)


def _words_around(span: Span, tables: Sequence[Table], pairs: Sequence[KeyValue]) -> Iterator[str]:
    for table in tables:
        if _holds(table.span, span):
            names = _headers(table, span)
            yield from names
            if not any(map(_RELATIVE.search, names)):
                yield from (table.caption, _note(table.section))
            return
    for pair in pairs:
        if _holds(pair.value_span, span):
            yield "" if _RELATIVE.search(pair.key) else _note(pair.section)
            return


def _headers(table: Table, span: Span) -> list[str]:
    """Return the headers of the column and of the row that *span* is in."""
    for row in table.rows:
        if row[-1].span.end < span.start:
            continue
        for column, cell in enumerate(row):
            if _holds(cell.span, span):
                name = row[0].text if column else ""
                return [" ".join(table.headers[column]), name]
        break
    return []


def _note(section: Sequence[str]) -> str:
    """Return the nearest heading if it says how numbers are written."""
    return section[-1] if section and is_caption(section[-1]) else ""


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and inner.start < outer.end


def verify_cells(cells: Sequence[Cell], text: str) -> list[Cell]:
    """Return *cells* with the place of each checked against *text*.

    A stated cell whose words are elsewhere gets the right place; one whose words the document does
    not have becomes FAILED, without a value.
    """
    return [_verify(cell, text) for cell in cells]


def _verify(cell: Cell, text: str) -> Cell:
    if cell.state not in (State.STATED, State.STATED_ABSENT):
        return cell
    if cell.as_stated == "" and cell.state is State.STATED_ABSENT and cell.span is not None:
        return cell  # an empty cell of a table file has a place, and no words
    if not cell.as_stated:
        return _failed(cell, "there is no quote for it")
    if cell.span is not None and cell.span.of(text) == cell.as_stated:
        return cell
    return _placed(cell, cell.as_stated, text)


def _placed(cell: Cell, quote: str, text: str) -> Cell:
    place = locate(quote, text, cell.span.start if cell.span else None)
    if place is None:
        return _failed(cell, "the document does not have these words")
    if place.match == "fuzzy" and _digits(quote) != _digits(place.span.of(text)):
        return _failed(cell, "the document has other figures in these words")
    slight = f"the document's words differ slightly ({place.score:.2f} alike)"
    note = cell.note or slight if place.match == "fuzzy" else cell.note
    return replace(cell, span=place.span, note=note)


def _failed(cell: Cell, reason: str) -> Cell:
    return replace(cell, state=State.FAILED, value=None, unit=None, note=reason)


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)
