"""The corpora that travel in the package, and how a corpus of the command line is found."""

import logging
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from srag_mcp import __version__
from srag_mcp.documents.folder import STATE_FOLDER
from srag_mcp.errors import CorpusError, NotIngestedError
from srag_mcp.settings import Settings

if TYPE_CHECKING:
    from srag_mcp.store.corpus import Corpus

logger = logging.getLogger(__name__)

SHIPPED = ("hotels", "cvs")
BUILD_SUFFIX = ".duckdb"
COPIED = ("documents", "sample_questions.txt", "README.md")


def find_corpus(name: str, settings: Settings) -> Path:
    """Return the folder or build called *name*: a path, or a copy of a shipped corpus.

    Raises:
        CorpusError: If there is neither, or the path is some other file, or a folder of databases.
    """
    if not name.strip():
        msg = "the name of the corpus is empty; give a folder, `.` for the one you are in"
        raise CorpusError(msg)
    path = Path(name).expanduser()
    if path.name == STATE_FOLDER and path.is_dir():
        msg = f"{name} holds the databases of a corpus, not its documents; give the folder it is in"
        raise CorpusError(msg)
    if path.is_dir() or (path.is_file() and path.suffix == BUILD_SUFFIX):
        return path.resolve()
    if path.exists():
        msg = f"{name} is neither a folder nor a {BUILD_SUFFIX} build; give the folder it is in"
        raise CorpusError(msg)
    if name in SHIPPED:
        return shipped_corpus(name, settings)
    msg = f"no folder or .duckdb build {name!r}; shipped corpora: {', '.join(SHIPPED)}"
    raise CorpusError(msg)


def find_corpora(names: Sequence[str], settings: Settings) -> list[Path]:
    """Return the corpora to serve, as `find_corpus` does; of several, some may be missing.

    They are kept: the server says what is wrong with them, and serves the others.

    Raises:
        CorpusError: If all are missing, or one is something else.
    """
    locations: list[Path] = []
    missing: list[CorpusError] = []
    for name in names:
        try:
            locations.append(find_corpus(name, settings))
        except CorpusError as error:
            path = Path(name).expanduser()
            if not name.strip() or path.exists():
                raise
            locations.append(path.resolve())
            missing.append(error)
    if len(missing) == len(names):
        raise missing[0]
    for problem in missing:
        logger.warning("%s; the other corpora are served", problem)
    return locations


def shipped_corpus(name: str, settings: Settings) -> Path:
    """Copy the shipped corpus *name* to the user's data folder, once a version, and return it.

    The package's own folder may not be writable, and is not ours to write to.

    Raises:
        CorpusError: If the copy cannot be written.
    """
    target = settings.data_folder() / "corpora" / __version__ / name
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=f".{name}-") as scratch:
            copy = Path(scratch) / name
            with as_file(files("srag_mcp.corpora") / name) as source:
                for part in COPIED:
                    _copy(source / part, copy / part)
            _move_whole(copy, target)
    except OSError as error:
        msg = f"cannot copy the corpus {name} to {target}: {error.strerror}; set SRAG_HOME"
        raise CorpusError(msg) from error
    return target


@contextmanager
def open_corpus(location: Path, settings: Settings) -> Iterator["Corpus"]:
    """Open the reader of one corpus, with a query worker of its own."""
    # Here, because `serve` finds corpora, too, and has to start fast.
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.guard import QueryLimits, QueryPool

    limits = QueryLimits(
        timeout_s=settings.query_timeout_s,
        memory_mb=settings.query_memory_mb,
        max_rows=settings.max_rows,
    )
    with QueryPool(limits) as worker:
        yield Corpus(location, worker, settings.home)


@contextmanager
def open_ready(name: str, settings: Settings) -> Iterator["Corpus"]:
    """Open the corpus called *name*; ingest it first, after *settings*, when that was never done.

    Raises:
        CorpusError: As `find_corpus`.
        NotIngestedError: If it cannot be ingested here, or was stopped before its end.
    """
    location = find_corpus(name, settings)
    with open_corpus(location, settings) as corpus:
        try:
            corpus.build_path()
        except NotIngestedError:
            if corpus.is_build:
                raise
            from srag_mcp.cli.ingestion import ingest_first  # all that reads documents

            ingest_first(location, settings)
        yield corpus


def _move_whole(copy: Path, target: Path) -> None:
    """Put the copy in its place at once; another process may have been first."""
    try:
        copy.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)
