"""The bench of an evaluation: the folder in which a pack is ingested, and what is read from it.

The pack itself is never written to: its documents are copied.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from srag_mcp.evaluation.found_records import match_names
from srag_mcp.evaluation.pack import Pack
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryPool

OnProgress: TypeAlias = Callable[[str, int, int], None]

_LIMITS = QueryLimits(timeout_s=30, max_rows=10_000, max_bytes=20_000_000)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where an evaluation works: settings that keep all state in *folder*, and a query worker.

    *on_progress* takes the name of a stage, and how many of how many steps of it are done.
    """

    folder: Path
    settings: Settings
    worker: QueryPool
    on_progress: OnProgress

    def corpus(self, folder: Path) -> Corpus:
        """Open what was ingested in *folder*."""
        return Corpus(folder, self.worker, self.settings.home)

    def lay_out(self, pack: Pack) -> Path:
        """Copy the documents of *pack* that its gold names, all where it names none; once.

        What is hidden is left out, and with it what an earlier ingestion made of the documents, and
        so are links that lead out of the folder.
        """
        folder = self.folder / pack.name
        source = pack.folder / "documents"
        paths = [path for path in sorted(source.rglob("*")) if _is_document(path, source)]
        names = {path: path.relative_to(source).as_posix() for path in paths}
        wanted = match_names(names.values(), list(pack.gold)) if pack.gold else None
        for path, name in names.items():
            if wanted is not None and name not in wanted and pack.is_part:
                continue
            target = folder / name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
        return folder


def _is_document(path: Path, source: Path) -> bool:
    if any(part.startswith(".") for part in path.relative_to(source).parts):
        return False
    return path.is_file() and path.resolve().is_relative_to(source.resolve())


@contextmanager
def open_bench(settings: Settings, work: Path | None, on_progress: OnProgress) -> Iterator[Bench]:
    """Set up a bench in the folder *work*, which is kept; in a temporary one when None."""
    with (
        tempfile.TemporaryDirectory(prefix="srag-eval-") as scratch,
        QueryPool(_LIMITS) as worker,
    ):
        folder = Path(scratch if work is None else work).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        apart = settings.model_copy(update={"home": folder / "home"})
        yield Bench(folder, apart, worker, on_progress)
