"""The corpora that travel in the package, and how a corpus of the command line is found."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from srag_mcp import __version__
from srag_mcp.errors import CorpusError
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryWorker

SHIPPED = ("hotels", "cvs")


def find_corpus(name: str, settings: Settings) -> Path:
    """Return the folder or build called *name*: a path, or a copy of a shipped corpus.

    Raises:
        CorpusError: If there is neither.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path.resolve()
    if name in SHIPPED:
        return shipped_corpus(name, settings)
    msg = f"no folder or .duckdb build {name!r}; shipped corpora: {', '.join(SHIPPED)}"
    raise CorpusError(msg)


def shipped_corpus(name: str, settings: Settings) -> Path:
    """Copy the shipped corpus *name* to the user's data folder, once a version, and return it.

    The package's own folder may not be writable, and is not ours to write to.

    Raises:
        CorpusError: If the copy cannot be written.
    """
    target = settings.data_folder() / "corpora" / f"{name}-{__version__}" / name
    if (target / "README.md").exists():
        return target
    try:
        with as_file(files("srag_mcp.corpora") / name) as source:
            for part in ("documents", "sample_questions.txt", "README.md"):
                _copy(source / part, target / part)
    except OSError as error:
        msg = f"cannot copy the corpus {name} to {target}: {error.strerror}; set SRAG_HOME"
        raise CorpusError(msg) from error
    return target


@contextmanager
def open_corpus(location: Path, settings: Settings) -> Iterator[Corpus]:
    """Open the reader of one corpus, with a query worker of its own."""
    limits = QueryLimits(
        timeout_s=settings.query_timeout_s,
        memory_mb=settings.query_memory_mb,
        max_rows=settings.max_rows,
    )
    with QueryWorker(limits) as worker:
        yield Corpus(location, worker, settings.home)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)
