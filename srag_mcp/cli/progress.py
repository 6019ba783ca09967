"""Progress bars on stderr."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from srag_mcp.pipeline.report import Progress as Step


@contextmanager
def progress_bar(*, quiet: bool = False) -> Iterator[Callable[[Step], None]]:
    """Show the stages of an ingestion while the block runs."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, disable=quiet or not console.is_terminal)
    with bar:
        tasks = {}

        def show(step: Step) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task(step.stage, total=step.total or None)
            bar.update(tasks[step.stage], completed=step.done, total=step.total or None)

        yield show
