"""What people and machines see: tables and JSON on stdout, progress on stderr.

Progress is bars on a terminal, a line a stage elsewhere.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO, TypeAlias

from rich.console import Console
from rich.table import Table

from srag_mcp.text.shown import one_line, printable_json
from srag_mcp.views.results import CellScalar, for_terminal, render_cell

Show: TypeAlias = Callable[[str, int, int], None]

WIDTH_OF_FILES = 100
ONE_LINE_A_ROW = 1_000_000
SHOWN = {
    "schema": "finding the columns",
    "extracting": "reading and extracting",
    "predicting": "predicting records",
    "standardising": "standardising columns",
    "uniting": "uniting names",
    "normalising": "normalising columns",
    "tables": "evaluating tables",
    "asking": "asking questions",
}

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
    written = [["" if value is None else render_cell(value) for value in row] for row in rows]
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=file_width)
    widest = [max(map(len, cells)) for cells in zip(columns, *written, strict=True)]
    # Below this width cells are folded to a few letters a line.
    least = sum(min(width, _LEAST_COLUMN) for width in widest) + 2 * (len(widest) - 1)
    tables = []
    if written and least > console.width:
        for cells in written:
            tables.append(Table(box=None, pad_edge=False, show_header=False))
            tables[-1].add_column(style="bold", overflow="fold")
            tables[-1].add_column(overflow="fold")
            for pair in zip(columns, cells, strict=True):
                tables[-1].add_row(*pair)
    else:
        tables.append(Table(box=None, pad_edge=False, header_style="bold"))
        for column in columns:
            tables[-1].add_column(column, overflow="fold")
        for cells in written:
            tables[-1].add_row(*cells)
    for number, table in enumerate(tables):
        if number:
            print()
        with console.capture() as capture:
            console.print(table)
        print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def say(*lines: str, file: TextIO | None = None) -> None:
    """Print lines for people, on stdout if not on *file*; what to do is named by commands."""
    for line in lines:
        print(for_terminal(line), file=file)


def print_json(value: object, indent: int | None = 2) -> None:
    """Print *value* as JSON."""
    print(printable_json(json.dumps(value, ensure_ascii=False, indent=indent)))


def print_either(data: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print *data* as JSON for machines, or *lines* for people."""
    if as_json:
        print_json(data)
    else:
        say(*lines)


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Show]:
    """Show the stages of some work while the block runs; nothing when *quiet*.

    What is yielded takes the name of a stage, and how many of how many steps (0: not known) of it
    are done. Terminals that cannot move their cursor get lines, too.
    """
    console, said = Console(stderr=True), set[str]()

    def say_once(stage: str, done: int, total: int) -> None:
        if not quiet and stage in SHOWN and stage not in said:
            said.add(stage)
            number = f": {total:,}" if total else ""
            print(f"{SHOWN[stage]}{number}", file=sys.stderr, flush=True)

    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield say_once
        return
    from rich import progress as bars  # not needed off a terminal

    parts = (bars.BarColumn(), bars.MofNCompleteColumn(), bars.TimeElapsedColumn())
    description = bars.TextColumn("{task.description}")
    with bars.Progress(description, *parts, console=console, transient=True) as shown:
        tasks: dict[str, bars.TaskID] = {}

        def move(stage: str, done: int, total: int) -> None:
            if stage in SHOWN:
                if stage not in tasks:
                    tasks[stage] = shown.add_task(SHOWN[stage], total=total or None)
                shown.update(tasks[stage], completed=done, total=total or None)

        yield move
