"""Progress on stderr: bars on a terminal, a line a stage elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

Show: TypeAlias = Callable[[str, int, int], None]

SHOWN = {
    "schema": "finding the columns",
    "extracting": "reading and extracting",
    "predicting": "predicting records",
    "standardising": "standardising columns",
    "normalising": "normalising columns",
    "tables": "evaluating tables",
    "asking": "asking questions",
}


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Show]:
    """Show the stages of some work while the block runs; nothing when *quiet*.

    What is yielded takes the name of a stage, and how many of how many steps (0: not known) of it
    are done. Terminals that cannot move their cursor get lines, too.
    """
    console = Console(stderr=True)
    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield _lines(quiet=quiet)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _bars(bar)


def _lines(*, quiet: bool) -> Show:
    said: set[str] = set()

    def show(stage: str, done: int, total: int) -> None:
        if quiet or stage not in SHOWN or stage in said:
            return
        said.add(stage)
        number = f": {total:,}" if total else ""
        print(f"{SHOWN[stage]}{number}", file=sys.stderr, flush=True)

    return show


def _bars(bar: Progress) -> Show:
    tasks: dict[str, TaskID] = {}

    def show(stage: str, done: int, total: int) -> None:
        if stage not in SHOWN:
            return
        if stage not in tasks:
            tasks[stage] = bar.add_task(SHOWN[stage], total=total or None)
        bar.update(tasks[stage], completed=done, total=total or None)

    return show
