"""Progress on stderr: bars on a terminal, a line a stage elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from srag_mcp.pipeline.report import Progress as Step
from srag_mcp.pipeline.report import Stage

SHOWN: dict[Stage, str] = {
    "schema": "reading a sample",
    "extracting": "reading and extracting",
    "normalising": "normalising columns",
}


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Callable[[Step], None]]:
    """Show the stages of an ingestion while the block runs; nothing when *quiet*."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
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


def _lines(*, quiet: bool) -> Callable[[Step], None]:
    said: set[Stage] = set()

    def show(step: Step) -> None:
        if quiet or step.stage not in SHOWN or step.stage in said:
            return
        said.add(step.stage)
        number = f": {step.total:,}" if step.total else ""
        print(f"{SHOWN[step.stage]}{number}", file=sys.stderr, flush=True)

    return show


def _bars(bar: Progress) -> Callable[[Step], None]:
    tasks: dict[Stage, TaskID] = {}

    def show(step: Step) -> None:
        if step.stage not in SHOWN:
            return
        total = step.total or None
        if step.stage not in tasks:
            tasks[step.stage] = bar.add_task(SHOWN[step.stage], total=total)
        bar.update(tasks[step.stage], completed=step.done, total=total)

    return show
