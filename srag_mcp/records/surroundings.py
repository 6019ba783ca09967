"""What stands around a value and changes its reading: headers, captions and headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from srag_mcp.documents.captions import is_caption
from srag_mcp.documents.document import Block, KeyValue, Table
from srag_mcp.records.cell import Cell
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
