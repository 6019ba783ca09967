"""Blocks of one text at their place in another."""

from dataclasses import replace

from srag_mcp.documents.document import Block, Heading, KeyValue, Table, TableCell
from srag_mcp.text.spans import Span


def moved_block(block: Block, offset: int, above: tuple[str, ...]) -> Block:
    """Return *block* moved by *offset* characters and below the headings *above*."""
    span = _moved(block.span, offset)
    if isinstance(block, Heading):
        return replace(block, span=span)
    section = (*above, *block.section)
    if isinstance(block, KeyValue):
        value_span = _moved(block.value_span, offset)
        return replace(block, span=span, value_span=value_span, section=section)
    if isinstance(block, Table):
        rows = tuple(tuple(_moved_cell(cell, offset) for cell in row) for row in block.rows)
        return replace(block, span=span, rows=rows, section=section)
    return replace(block, span=span, section=section)


def _moved(span: Span, offset: int) -> Span:
    return Span(span.start + offset, span.end + offset)


def _moved_cell(cell: TableCell, offset: int) -> TableCell:
    return TableCell(cell.text, _moved(cell.span, offset))
