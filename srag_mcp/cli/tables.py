"""Tables for people, on stdout, and JSON for machines."""

import json
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from srag_mcp.text.shown import one_line, printable_json
from srag_mcp.views.results import CellScalar, render_cell
from srag_mcp.views.wording import for_terminal

WIDTH_OF_FILES = 100
ONE_LINE_A_ROW = 1_000_000

_LEAST_COLUMN = 6


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[CellScalar]],
    *,
    file_width: int = WIDTH_OF_FILES,
) -> None:
    """Print rows below their column names, each on a line; cells are folded, never cut.

    Where the columns are too many for the width, each row is printed as a table of its own, with a
    line a column. *file_width* is that of a file or pipe; with `ONE_LINE_A_ROW` nothing is folded
    there.
    """
    columns = [one_line(column) for column in columns]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    written = [["" if value is None else render_cell(value) for value in row] for row in rows]
    for cells in written:
        table.add_row(*cells)
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=file_width)
    if written and _least_width(columns, written) > console.width:
        _print_records(console, columns, written)
    else:
        _print_rendered(console, table)


def _least_width(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return the width below which cells are folded to a few letters a line."""
    widest = [
        max(len(column), *(len(row[place]) for row in rows)) for place, column in enumerate(columns)
    ]
    return sum(min(width, _LEAST_COLUMN) for width in widest) + 2 * (len(widest) - 1)


def _print_records(console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for number, row in enumerate(rows):
        if number:
            print()
        record = Table(box=None, pad_edge=False, show_header=False)
        record.add_column(style="bold", overflow="fold")
        record.add_column(overflow="fold")
        for column, cell in zip(columns, row, strict=True):
            record.add_row(column, cell)
        _print_rendered(console, record)


def _print_rendered(console: Console, table: Table) -> None:
    with console.capture() as capture:
        console.print(table)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def say(*lines: str) -> None:
    """Print lines for people; what they say to do is named by commands."""
    for line in lines:
        print(for_terminal(line))


def print_json(value: object, indent: int | None = 2) -> None:
    """Print *value* as JSON."""
    print(printable_json(json.dumps(value, ensure_ascii=False, indent=indent)))
