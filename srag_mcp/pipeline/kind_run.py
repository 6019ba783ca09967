"""A folder that holds several kinds of documents: a corpus for each kind, told and never silent."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.documents.folder import (
    DOCUMENTS_FOLDER,
    KIND_FILE,
    KINDS_FOLDER,
    STATE_FOLDER,
    KindMembers,
    SourceFile,
)
from srag_mcp.documents.kinds import DocumentKind, find_kind, find_kinds, words_of
from srag_mcp.errors import CorpusError, StoreError
from srag_mcp.pipeline.file_plan import FoundFiles
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.reading_tasks import Sampled, SampleTask
from srag_mcp.rules.naming import find_nouns
from srag_mcp.rules.sightings import Sightings
from srag_mcp.store.layout import ingestion_lock, write_atomically

_MAX_COMPARED = 120  # as many as are compared in a second
_JOINED = "{}"  # of `_KINDS_FILE` where a person wants one table
_KINDS_FILE = "kinds.json"  # what is usual in each kind, by which later documents are known


@dataclass(frozen=True, slots=True)
class KindCorpus:
    """The corpus of one kind: its folder, named after it, and how many documents it has."""

    folder: Path
    n_documents: int

    @property
    def name(self) -> str:
        """What the kind is called."""
        return self.folder.name


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of a folder, and the documents that are of none of them."""

    corpora: tuple[KindCorpus, ...]
    odd: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KindSorter:
    """Sorts the documents of a folder by kind.

    Attributes:
        state: The state folder of *folder*.
        folder: The documents.
        found: Its files, each of which is a document.
        readers: Read files that nobody has read yet.
    """

    state: Path
    folder: Path
    found: FoundFiles
    readers: ReaderPool

    def find(self, sample: Sequence[Document]) -> Kinds | None:
        """Look whether *sample* is of several kinds; make a corpus of each. None for one kind."""
        compared = spread_evenly(sample, _MAX_COMPARED)
        kinds = find_kinds([words_of(document.text) for document in compared])
        if len(kinds) < 2:
            return None
        names = list[str]()
        for kind in kinds:
            names.append(_name([compared[place] for place in kind.members], names))
        places = {compared[at].path: number for number, k in enumerate(kinds) for at in k.members}
        return self._write(dict(zip(names, kinds, strict=True)), places)

    def sort(self) -> Kinds | None:
        """Sort the files into the kinds that were found before; None where none were.

        A file stays what it was; a new one is read.

        Raises:
            StoreError: If what was found cannot be read.
        """
        path = self.state / _KINDS_FILE
        if not path.is_file() or self.is_joined:
            return None
        places: dict[str, int] = {}
        try:
            kept = json.loads(path.read_bytes())
            kinds: dict[str, DocumentKind] = {}
            for number, (name, shares) in enumerate(kept.items()):
                written = json.loads((self._place(name) / KIND_FILE).read_bytes())
                places |= dict.fromkeys(written["documents"], number)
                kinds[name] = DocumentKind(tuple(range(len(written["documents"]))), shares)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            msg = f"{path} is damaged ({error}); delete it, and ingest the folder again"
            raise StoreError(msg) from error
        return self._write(kinds, places)

    @property
    def is_joined(self) -> bool:
        """Whether a person wants one table for all."""
        path = self.state / _KINDS_FILE
        return path.is_file() and path.read_text(encoding="utf-8") == _JOINED

    def _place(self, name: str) -> Path:
        return self.state / KINDS_FOLDER / name

    def _write(self, kinds: dict[str, DocumentKind], places: dict[str, int]) -> Kinds:
        """Write which files are of which kind; those that *places* does not know are read."""
        sources, usual = self.found.sources, list(kinds.values())
        odd: list[str] = []
        for path, text in self._read([item for item in sources if item.relative not in places]):
            number = find_kind(words_of(text), usual)
            if number is None:
                odd.append(path)
            else:
                places[path] = number
        corpora: list[KindCorpus] = []
        for number, name in enumerate(kinds):
            place = self._place(name)
            place.mkdir(parents=True, exist_ok=True)
            paths = (source.relative for source in sources)
            members = tuple(path for path in paths if places.get(path) == number)
            is_inside = self.state.parent == self.folder  # so that both can be moved together
            home = os.path.relpath(self.folder, place) if is_inside else str(self.folder)
            write_atomically(place / KIND_FILE, KindMembers(home, members).write())
            corpora.append(KindCorpus(place, len(members)))
        shares = {name: dict(kind.shares) for name, kind in kinds.items()}
        write_atomically(self.state / _KINDS_FILE, json.dumps(shares))
        return Kinds(tuple(corpora), tuple(odd))

    def _read(self, sources: Sequence[SourceFile]) -> Iterator[tuple[str, str]]:
        """Yield the paths and texts of files; one that cannot be read has none."""
        tasks = [SampleTask(source, self.found.rows_of(source), 1) for source in sources]
        for reply in self.readers.perform(tasks):
            texts = [item.text for item in reply.documents] if isinstance(reply, Sampled) else []
            yield reply.path, "\n".join(texts)


def join_kinds(state: Path) -> None:
    """Let the next ingestion make one table of all kinds; what was read of each is laid aside.

    Raises:
        CorpusError: If the folder holds no kinds.
        LockedError: If the folder is being ingested.
    """
    place = state / KINDS_FOLDER
    with ingestion_lock(state):
        if not place.is_dir():
            msg = f"{state.parent} holds no kinds"
            raise CorpusError(msg)
        aside = (state / f"{KINDS_FOLDER}-{number}" for number in count(1))
        place.rename(next(path for path in aside if not path.exists()))
        write_atomically(state / _KINDS_FILE, _JOINED)


def rename_kind(state: Path, old: str, new: str) -> None:
    """Call a kind otherwise; its corpus moves with all that was read. Its table keeps its name.

    Args:
        state: The state folder of the folder that holds the kinds.
        old: What the kind is called.
        new: A name of letters, digits and `_`.

    Raises:
        CorpusError: If there is no kind *old*, or *new* is taken or no such name.
        LockedError: If the folder, or the kind, is being ingested.
    """
    path, place = state / _KINDS_FILE, state / KINDS_FOLDER
    with ingestion_lock(state):
        kept = json.loads(path.read_bytes()) if path.is_file() else {}
        problem = ""
        if old not in kept:
            problem = f"there is no kind {old!r}; there are: {', '.join(kept) or 'none'}"
        elif not new.isidentifier():
            problem = f"{new!r} is no name of letters, digits and _"
        elif new in kept or (place / new).exists():
            problem = f"there is a kind {new!r} already"
        if problem:
            raise CorpusError(problem)
        with ingestion_lock(place / old / STATE_FOLDER):
            pass  # nobody is at it
        (place / old).rename(place / new)
        named = {new if name == old else name: shares for name, shares in kept.items()}
        write_atomically(path, json.dumps(named))


def _name(documents: Sequence[Document], taken: Sequence[str]) -> str:
    """Name a kind after what its documents are called; by number where they say nothing sure."""
    nouns = find_nouns([Sightings(document) for document in documents], "", (), ())
    folders = {PurePosixPath(document.path).parent.name for document in documents}
    folder = folders.pop() if len(folders) == 1 else ""  # a folder of their own
    wanted = [noun for noun in (*nouns[1::2], folder) if noun.isidentifier()]
    wanted = [noun for noun in wanted if noun != DOCUMENTS_FOLDER]
    return next((name for name in wanted if name not in taken), f"documents_{len(taken) + 1}")
