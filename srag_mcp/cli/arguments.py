"""What commands take: options, the settings that they make, and the corpus that is named.

Some corpora travel in the package.
"""

import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from srag_mcp import __version__, open_corpus
from srag_mcp.documents.folder import STATE_FOLDER
from srag_mcp.errors import CorpusError, NotIngestedError, SeveralKindsError
from srag_mcp.settings import BUILD_SUFFIX, EngineChoice, EngineName, Settings
from srag_mcp.store.layout import CorpusFolder, locate

if TYPE_CHECKING:
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.kind_tables import KindTables

logger = logging.getLogger(__name__)

REFUSED_STATUS = 3
"""Exit status where a question is refused, or a folder should be looked at before it is read."""

SHIPPED = ("hotels", "cvs")
COPIED = ("documents", "sample_questions.txt", "README.md")
CORPUS_HELP = "A folder of documents, a published .duckdb build, or a shipped corpus (hotels, cvs)."


def option(
    text: str,
    metavar: str | None = None,
    *,
    name: str = "",
    least: float | None = None,
    most: float | None = None,
) -> object:
    """Return what `Annotated` says of an option: its help, and what stands for its value."""
    named = [name] if name else []
    return typer.Option(*named, help=text, metavar=metavar, min=least, max=most)


def flag(name: str, text: str) -> object:
    """Return what `Annotated` says of an option without a value."""
    return typer.Option(name, help=text)


def argument(text: str, metavar: str) -> object:
    """Return what `Annotated` says of an argument; the help does not repeat an empty default."""
    return typer.Argument(help=text, metavar=metavar, show_default=False)


CorpusArgument = Annotated[str, argument(CORPUS_HELP, "CORPUS")]
CorpusOptions = Annotated[list[str], option(CORPUS_HELP, "CORPUS", name="--corpus")]
JsonOption = Annotated[bool, flag("--json", "Print JSON for machines.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
_ENGINES = ", ".join(get_args(EngineName))
EngineOption = Annotated[
    EngineChoice | None,
    option(f"Who does the thinking: {_ENGINES} or auto (SRAG_ENGINE).", "ENGINE"),
]
ModelOption = Annotated[
    str | None, option("Language model as litellm names it (SRAG_MODEL).", "NAME")
]
ApiBaseOption = Annotated[
    str | None, option("Address of an own model server (SRAG_API_BASE).", "URL")
]
YesOption = Annotated[bool, flag("--yes", "Do it without asking, as scripts must.")]
HomeOption = Annotated[
    Path | None, option("Folder for databases that DIR/.srag cannot hold (SRAG_HOME).", "DIR")
]


def command_settings(home: Path | None, **options: object) -> Settings:
    """Read the settings of a command, or SettingsError; options win over the environment."""
    settings = Settings.from_environ(os.environ, home=home, **options)
    logging.getLogger().setLevel(settings.log_level.upper())
    return settings


def find_corpus(name: str, settings: Settings) -> Path:
    """Return the folder or build called *name*: a path, or a copy of a shipped corpus.

    `docs/invoices` is also the kind `invoices` of a folder that holds several.

    Raises:
        CorpusError: If there is neither, or the path is some other file, or a folder of databases.
    """
    path, problem = Path(name).expanduser(), ""
    if not name.strip():
        problem = "the name of the corpus is empty; give a folder, `.` for the one you are in"
    elif path.name == STATE_FOLDER and path.is_dir():
        holds = "holds the databases of a corpus, not its documents"
        problem = f"{name} {holds}; give the folder it is in"
    elif (place := locate(path, settings.home)) != path:
        return place
    elif path.is_dir() or (path.is_file() and path.suffix == BUILD_SUFFIX):
        return path.resolve()
    elif path.exists():
        problem = f"{name} is neither a folder nor a {BUILD_SUFFIX} build; give the folder it is in"
    elif name in SHIPPED:
        return shipped_corpus(name, settings)
    else:
        problem = f"no folder or .duckdb build {name!r}; shipped corpora: {', '.join(SHIPPED)}"
    raise CorpusError(problem)


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
            copy.mkdir()
            with as_file(files("srag_mcp.corpora") / name) as source:
                for part in COPIED:
                    if (source / part).is_dir():
                        shutil.copytree(source / part, copy / part)
                    else:
                        shutil.copyfile(source / part, copy / part)
            try:
                copy.rename(target)
            except OSError:
                if not target.is_dir():  # another process may have been first
                    raise
    except OSError as error:
        msg = f"cannot copy the corpus {name} to {target}: {error.strerror}; set SRAG_HOME"
        raise CorpusError(msg) from error
    return target


@contextmanager
def open_ready(name: str, settings: Settings) -> Iterator["Corpus"]:
    """Open the corpus called *name*; ingest it first, after *settings*, when that was never done.

    Raises:
        CorpusError: As `find_corpus`; or if it holds several kinds of documents.
        NotIngestedError: If it cannot be ingested here, or was stopped before its end.
    """
    from srag_mcp.store.corpus import Corpus

    with open_tables(name, settings) as opened:
        if not isinstance(opened, Corpus):
            raise SeveralKindsError(name, [opened.names()])
        yield opened


@contextmanager
def open_tables(name: str, settings: Settings) -> Iterator["Corpus | KindTables"]:
    """Open the corpus called *name* as `open_ready` does, or all kinds of its documents."""
    location = find_corpus(name, settings)
    with open_corpus(location, settings) as corpus:
        corpus.name = name  # what texts propose to run takes it so
        try:
            corpus.build_path()
        except NotIngestedError:
            if corpus.is_build:
                raise
            from srag_mcp.cli.building_commands import ingest_first
            from srag_mcp.store.kind_tables import open_kinds

            folder = CorpusFolder(location, settings.home)
            if not folder.kinds():
                ingest_first(location, settings)
            if kinds := folder.kinds():
                yield open_kinds(name.rstrip("/"), kinds, corpus.worker, settings.home)
                return
        yield corpus
