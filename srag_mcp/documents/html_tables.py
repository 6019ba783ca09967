"""Tables of web pages, with cells that span rows and columns."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.documents.html_text import inline_text, is_skipped
from srag_mcp.documents.lines import collapse

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_MAX_SPAN = 100
_MAX_COLUMNS = 500  # a few cells that span a lot would fill the memory
_BLOCKS_INSIDE = "table, ul, ol, dl, h1, h2, h3, h4, h5, h6, p + p, section"


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """The rows of a table; a cell that spans several places is repeated in each of them."""

    rows: list[list[str]]
    n_headers: int | None
    caption: str


def read_table(node: "LexborNode") -> HtmlTable | None:
    """Read a `<table>`; None if it arranges blocks of text and is no table of values."""
    rows = [row for row in node.css("tr") if not is_skipped(row)]
    if node.css_first("tr th") is None and node.css_first(_inside(node)) is not None:
        return None
    caption = node.css_first("caption")
    cells = [_cells(row) for row in rows]
    return HtmlTable(
        _grid(cells),
        _header_rows(rows, cells),
        collapse(inline_text(caption)) if caption is not None else "",
    )


def _inside(node: "LexborNode") -> str:
    return ", ".join(f"td {tag.strip()}" for tag in _BLOCKS_INSIDE.split(","))


def _cells(row: "LexborNode") -> "list[LexborNode]":
    cells = []
    child = row.child
    while child is not None:
        if child.tag in {"td", "th"}:
            cells.append(child)
        child = child.next
    return cells


def _header_rows(rows: "list[LexborNode]", cells: "list[list[LexborNode]]") -> int | None:
    """Count the rows at the top in `<thead>` or of `<th>` only; None if nothing marks any.

    A title that spans all columns above such rows counts with them.
    """
    width = max(map(len, cells), default=0)
    n = 0
    for number, (row, row_cells) in enumerate(zip(rows, cells, strict=True), start=1):
        in_head = row.parent is not None and row.parent.tag == "thead"
        if in_head or (row_cells and all(cell.tag == "th" for cell in row_cells)):
            n = number
        elif number > n + 1 or not _is_title(row_cells, width):
            break
    if n:
        return n
    has_row_names = any(row_cells and row_cells[0].tag == "th" for row_cells in cells)
    return 0 if has_row_names else None


def _is_title(cells: "list[LexborNode]", width: int) -> bool:
    return len(cells) == 1 < width - 1 and _span(cells[0], "colspan") >= width


def _grid(rows: "list[list[LexborNode]]") -> list[list[str]]:
    """Lay out the cells; `rowspan` and `colspan` repeat a cell's text."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, text
    for row in rows:
        line: list[str] = []
        for cell in row:
            _fill(line, hanging)
            text = inline_text(cell)
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            for _ in range(min(across, _MAX_COLUMNS - len(line))):
                if down > 1:
                    hanging[len(line)] = (down - 1, text)
                line.append(text)
        _fill(line, hanging)
        grid.append(line)
    return grid


def _fill(line: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    while len(line) in hanging:
        column = len(line)
        left, text = hanging.pop(column)
        if left > 1:
            hanging[column] = (left - 1, text)
        line.append(text)
        if left > 1 and len(line) == column:
            break


def _span(cell: "LexborNode", name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return max(1, min(int(value), _MAX_SPAN)) if value.isdecimal() and len(value) < 5 else 1
