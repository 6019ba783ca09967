"""The bench of an evaluation: the folder in which a pack is ingested, and what is read from it.

The pack itself is never written to: its documents are copied.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from srag_mcp.evaluation.found_records import match_names
from srag_mcp.evaluation.pack import Pack
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryWorker

_LIMITS = QueryLimits(timeout_s=30, max_rows=10_000, max_bytes=20_000_000)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where an evaluation works: settings that keep all state in *folder*, and a query worker."""

    folder: Path
    settings: Settings
    worker: QueryWorker

    def corpus(self, folder: Path) -> Corpus:
        """Open what was ingested in *folder*."""
        return Corpus(folder, self.worker, self.settings.home)

    def lay_out(self, pack: Pack) -> Path:
        """Copy the documents of *pack* that its gold names, all where it names none; once."""
        folder = self.folder / pack.name
        source = pack.folder / "documents"
        paths = [path for path in sorted(source.rglob("*")) if path.is_file()]
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


@contextmanager
def open_bench(settings: Settings, work: Path | None) -> Iterator[Bench]:
    """Set up a bench in the folder *work*, which is kept; in a temporary one when None."""
    with (
        tempfile.TemporaryDirectory(prefix="srag-eval-") as scratch,
        QueryWorker(_LIMITS) as worker,
    ):
        folder = Path(scratch if work is None else work).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        yield Bench(folder, settings.model_copy(update={"home": folder / "home"}), worker)
