"""A folder that holds several kinds of documents: a corpus for each kind, told and never silent."""

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain, count, repeat
from pathlib import Path, PurePosixPath

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.documents.folder import (
    DOCUMENTS_FOLDER,
    KIND_FILE,
    KINDS_FOLDER,
    REST_FOLDER,
    STATE_FOLDER,
    TABLE_TYPES,
    KindMembers,
    SourceFile,
    media_type,
    read_members,
)
from srag_mcp.documents.kinds import (
    MIN_DOCUMENTS,
    DocumentKind,
    Words,
    find_apart,
    find_kind,
    find_kinds,
    find_odd,
    fitting_kinds,
    is_odd,
    kind_of,
    words_of,
)
from srag_mcp.documents.table_files import Kind
from srag_mcp.errors import CorpusError, DocumentError
from srag_mcp.pipeline.file_plan import FoundFiles, SettledTables, TableSurvey, is_kind, read_sample
from srag_mcp.pipeline.reader_pool import ReaderPool, Sampled, SampleTask, Unreadable
from srag_mcp.pipeline.wishes import RowsMode
from srag_mcp.rules.naming import find_nouns
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import snake_case, unique_name
from srag_mcp.schema.definition import KindReply
from srag_mcp.schema.json_schema import find_schema_file
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corrections import (
    Correction,
    read_corrections,
    without_corpus,
    write_corrections,
)
from srag_mcp.store.layout import (
    CORRECTIONS_FILE,
    KINDS_FILE,
    StoredKind,
    ingestion_lock,
    read_assigned,
    read_kinds,
    write_atomically,
    write_kinds,
)
from srag_mcp.store.renamings import attached_former
from srag_mcp.store.takeover import hand_over
from srag_mcp.store.work import APART, MIXED, ODD, WorkDatabase, open_work
from srag_mcp.text.shown import first_of, one_line, shorten
from srag_mcp.text.words import content_words, stem, stems

_MAX_COMPARED = 120  # as many as are compared in a second
_MAX_TOPS = 5_000
_TEXTS = "SELECT path, text FROM documents WHERE path IN (SELECT unnest(?))"
_STORED = "SELECT path, {} FROM documents WHERE path NOT IN (SELECT path FROM files WHERE rows)"
_WAS_THERE = "sha256 IN (SELECT sha256 FROM former.main.documents)"
# What a language model sees of a kind: documents, their characters, and words; strays at most, and
# of so many documents all.
_N_SHOWN, _N_CHARACTERS, _N_WORDS, _MAX_STRAYS, _MAX_ALL = 3, 160, 12, 20, 60


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of a folder, the documents that are of none of them, and what cannot be read.

    *corpora*: their folders, called after them, and how many documents each has.
    *rest*: the folder of a corpus without columns, with what is of no kind; None where all is.
    *told*: what a language model said of those that code found, and which documents a person put
    into one and are not there; empty where there is nothing to tell.
    """

    corpora: Mapping[Path, int]
    odd: tuple[str, ...]
    failed: tuple[DocumentError, ...]
    rest: Path | None
    told: str = ""


def hand_over_table(work: WorkDatabase, kinds: Kinds) -> None:
    """Give the table that a folder had so far to the kind of most of its documents."""
    known, members = work.paths_of_documents(), dict[Path, set[str]]()
    for place in kinds.corpora:
        found = read_members(place)
        members[place] = {*found.documents} if found else set()
    heir = max(members, key=lambda place: len(members[place] & known))
    aside = (work.state / f"table-{number}" for number in count(1))  # kinds were there before
    state = next(path for path in chain([heir / STATE_FOLDER], aside) if not path.exists())
    hand_over(work, state)


_CORRECTED = (f"{KINDS_FOLDER}*/*/{STATE_FOLDER}/{CORRECTIONS_FILE}", f"table-*/{CORRECTIONS_FILE}")


def share_corrections(state: Path, kinds: Kinds | None) -> None:
    """Let corrections follow their documents from kind to kind; to one table where no kinds are.

    *state* is that of the folder. Those of documents that no kind has stay where they are.
    """
    homes: defaultdict[str, list[Path]] = defaultdict(list)
    for place in kinds.corpora if kinds else ():
        if found := read_members(place):
            for path in found.documents:
                homes[path].append(place / STATE_FOLDER)
    for source in sorted(path.parent for path in chain(*map(state.glob, _CORRECTED))):
        kept, going = read_corrections(source), defaultdict[Path, list[Correction]](list)
        for item in kept:  # of a row of a table file, the number stands behind the path
            known = homes.get(item.document_id) or homes[item.document_id.rpartition("#")[0]]
            own = known if kinds else [state]
            if len(own) == 1 and own != [source]:
                going[own[0]].append(item)
        if not going:
            continue
        with open_work(source) as work:
            present = work.schema_in_force()
        for to, items in going.items():
            new = [without_corpus(x, present.schema) if present else x for x in items]
            to.mkdir(exist_ok=True)
            with nullcontext() if to == state else ingestion_lock(to):  # that of the folder is held
                write_corrections(to, dict.fromkeys((*read_corrections(to), *new)))
            kept = [item for item in kept if item not in items]
        write_corrections(source, kept)


def take_back(work: WorkDatabase) -> None:
    """Count what is of other kinds with the records again, and say nothing of kinds."""
    work.forget_files(work.left_out())
    for note in (MIXED, ODD, APART):
        work.keep_note(note, "", is_content=True)


def note_apart(work: WorkDatabase, found: FoundFiles) -> None:
    """Note which documents are in the table, and are not what most are, or name another one.

    None of which it is told already, or was decided by a person.
    """
    is_one = (work.state / KINDS_FILE).is_file() and not read_kinds(work.state)
    is_table = found.rows is not None and found.rows.alone
    mended = {item.document_id for item in read_corrections(work.state)}
    stored = {path for path, _ in work.run(_STORED.format("true"))}.difference(work.odd(), mended)
    paths = [] if is_one or is_table or work.note(MIXED) else sorted(stored)[:_MAX_TOPS]
    apart = [*find_apart(lambda: _read_texts(work, paths))]
    shown = first_of([shorten(" ".join(item), _N_CHARACTERS) for item in apart], _N_SHOWN)
    note = f"counted and added up as the others are: {'; '.join(shown)}" if apart else ""
    work.keep_note(APART, note, is_content=True)


def may_be_split(
    work: WorkDatabase, folder: Path, tables: SettledTables, given: Schema | None, *, fresh: bool
) -> bool:
    """Whether the folder gets a table for each kind of its documents.

    One that has a table keeps that until its columns are to be found *fresh*, or rows of tables are
    beside documents: the table it has is that of one kind then.
    """
    rows = tables.found.rows
    is_one = (rows is not None and not rows.alone) or (work.schema_in_force() and not fresh)
    may = tables.documents is not None or not is_one
    return may and read_members(folder) is None and may_have_kinds(work.state, folder, given)


def may_have_kinds(state: Path, folder: Path, given: Schema | None) -> bool:
    """Whether a table is of one kind of the documents of *folder*.

    A person decides otherwise who gives columns or wants one table.
    """
    members = read_members(folder)
    wants_one = given is not None or ((state / KINDS_FILE).is_file() and not read_kinds(state))
    is_one = wants_one or (members is not None and not members.is_sole)
    return not is_one and find_schema_file(folder) is None


@dataclass(frozen=True)
class KindSorter:
    """Sorts the rows of tables, and the documents beside them, by kind.

    Attributes:
        state: The state folder of *folder*.
        folder: The documents.
        found: Its files.
        readers: Read files that nobody has read yet.
        questions: What people ask of the folder.
        survey: The tables, where their rows are records.
        is_mixed: Whether documents beside these may be a kind.
    """

    state: Path
    folder: Path
    found: FoundFiles
    readers: ReaderPool
    questions: Sequence[str] = ()
    survey: TableSurvey | None = None
    is_mixed: bool = False

    @cached_property
    def stored(self) -> dict[str, KindMembers]:
        """The kinds that were found before, by name."""
        found = ((name, read_members(self._place(name))) for name in read_kinds(self.state))
        return {name: members or KindMembers("", ()) for name, members in found}

    @cached_property
    def of_documents(self) -> list[str]:
        """The names of those that are of documents."""
        return [name for name, kept in self.stored.items() if not kept.columns]

    @cached_property
    def _survey(self) -> TableSurvey:
        if self.survey and not (self.of_documents and self.survey.scale > 1):
            return self.survey  # else what is not read may be a document
        is_any = self.survey or len(self.of_documents) < len(self.stored)
        tables = [x for x in self.found.sources if media_type(x.relative) in TABLE_TYPES]
        return TableSurvey(tables if is_any else (), self.readers, len(tables))

    @cached_property
    def tables(self) -> dict[str, Kind]:
        """What the columns of each kind of tables are called; known ones keep their names."""
        known = {name: kept for name, kept in self.stored.items() if kept.columns}
        kinds, survey = {name: frozenset(of.columns) for name, of in known.items()}, self._survey
        gone = [name for name, kind in kinds.items() if not survey.of_kind(kind)]
        taken = {*self.stored, *self.taken(())}
        for kind, tables in survey.kinds(kinds.values()):
            if kind in kinds.values() or not is_kind(tables, plain=self.is_mixed):
                continue
            paths, sheets = {path for path, _ in tables}, {x.name for _, x in tables}
            files = {PurePosixPath(path).stem for path in paths}
            called = (snake_case(*names) for names in (sheets, files) if len(names) == 1)
            same = next((x for x in gone if paths & {*known[x].documents}), "")
            name = same or _free_name(called, taken) or f"table_{len(kinds) + 1}"
            gone = [x for x in gone if x != same]
            taken.add(name)
            kinds[name] = kind
        return kinds

    def _files_of(self, kind: Kind) -> tuple[set[str], int]:
        """Return the files that may have tables of a kind, and about how many rows these have."""
        others = [item for item in self.tables.values() if item != kind]
        paths, n_rows = self._survey.paths_of(kind, others)
        # beside documents, one that cannot be read may be any
        return paths & self._survey.files.keys() if self.is_mixed else paths, n_rows

    @cached_property
    def documents(self) -> tuple[SourceFile, ...]:
        """The files without a table of any of the kinds."""
        held = {path for kind in self.tables.values() for path in self._files_of(kind)[0]}
        return tuple(item for item in self.found.sources if item.relative not in held)

    def taken(self, members: Collection[str]) -> set[str]:
        """Return the names of entries of the folder, which no kind can have.

        But for that of a folder that has its *members* and no other document, and is no corpus.
        """
        own = {PurePosixPath(path).parts[0] for path in members}
        others = (x.relative for x in self.found.sources if x.relative not in members)
        is_alone = len(own) == 1 and own.isdisjoint(PurePosixPath(x).parts[0] for x in others)
        is_corpus = any((self.folder / name / STATE_FOLDER).exists() for name in own)
        names = {entry.name for entry in self.folder.iterdir()} | {REST_FOLDER}
        return names - own if is_alone and not is_corpus else names

    def find(
        self,
        sample: Callable[[], Sequence[Document]],
        rows: RowsMode,
        *,
        fresh: bool = False,
        anew: bool = False,
        has_table: bool = False,
    ) -> "Kinds | Grouping | None":
        """Make a corpus of each kind; None where there is one kind.

        Rows of tables with the same columns are a kind. The documents beside them are sorted into
        the kinds that were found before, unless these are to be found *anew*. Else documents like
        those of *sample* are grouped, and nothing is kept yet; beside tables all are one kind where
        no two are found, until columns are found *fresh*, or where they *have a table*.
        *rows* may say that each table file is a document: that is one kind, then.
        """
        if rows == "file" and len(self.of_documents) < len(self.stored):
            return None
        if len(self.of_documents) == 1:  # no two were found, or a person wants no two
            place = self._place(self.of_documents[0])
            anew = fresh and may_have_kinds(place / STATE_FOLDER, place, None)
        if self.of_documents and not anew:
            return self._sort_again().keep()
        if not self.tables:
            return self._find(sample())
        files = replace(self.found, sources=self.documents, mode=None)
        is_few = len(files.sources) < MIN_DOCUMENTS and not (self.of_documents or has_table)
        read = () if is_few else read_sample(files, self.readers).documents
        found = self._find(read, has_table=has_table)
        if found is None or len(found.kinds) > 1:
            return found
        return found.keep() if len(found.kinds) + len(self.tables) > 1 else None

    def _find(self, sample: Sequence[Document], *, has_table: bool = False) -> "Grouping | None":
        compared = spread_evenly(sample, _MAX_COMPARED)
        words = [words_of(document.text) for document in compared]
        kinds = find_kinds(words)
        if len(kinds) < 2 and not self.tables:
            return None
        paths = [item.relative for item in self.documents]
        is_one = has_table or len(kinds) < 2
        if is_one:
            # a few files that are not alike are no kind beside rows that outweigh them
            if not (has_table or kinds or self.of_documents or (words and not self.found.rows)):
                return self._sort({}, {}, dict.fromkeys(paths, ""))
            kinds = [kind_of(range(len(words)), words)]
        taken, called = {*self.tables, *self.taken(())}, list[str]()
        members = [[compared[place] for place in kind.members] for kind in kinds]
        for documents in members:
            called.append(_name(documents, (), {*called, *taken}))
        names = [name or f"documents_{n}" for n, name in enumerate(called, start=1)]
        shares = (kind.shares for kind in kinds)
        shared = _share_out(dict(zip(names, shares, strict=True)), self.questions)
        for n, name in enumerate(called):
            if not name:  # documents may not say what they are, and people do
                asked = [*chain(*shared[names[n]])]
                names[n] = _name(members[n], asked, {*names, *taken}) or names[n]
        by_name = {name: (kind,) for name, kind in zip(names, kinds, strict=True)}
        if is_one:
            return self._sort(by_name, dict.fromkeys(paths, 0), {})
        places = {compared[at].path: number for number, k in enumerate(kinds) for at in k.members}
        odd = {x.path: _begin(x.path, x.text) for x in compared if x.path not in places}
        found = self._sort(by_name, places, odd)
        n_shown = _N_SHOWN if len(paths) > _MAX_ALL else _MAX_ALL
        middle = [[compared[at] for at in kind.typical(words, n_shown)] for kind in kinds]
        return replace(found, middle=middle)

    def _sort_again(self) -> "Grouping":
        """Sort the documents into the kinds that were found before.

        One stays what it was; a new one is read, but for those of the only kind beside tables.

        Raises:
            StoreError: If what was found cannot be read.
        """
        kinds: dict[str, tuple[DocumentKind, ...]] = {}
        places: dict[str, int] = {}
        for number, name in enumerate(self.of_documents):
            kept = read_kinds(self.state)[name]
            size = max(kept.documents, MIN_DOCUMENTS + 1)  # one that is empty by now is known still
            ways = zip(
                (kept.shares, *kept.also), chain(kept.besides, repeat(math.inf)), strict=False
            )
            kinds[name] = tuple(DocumentKind(tuple(range(size)), *way) for way in ways)
            places |= dict.fromkeys(self.stored[name].documents, number)
        if self.tables and len(kinds) == 1:
            places = dict.fromkeys((item.relative for item in self.documents), 0)
        return self._sort(kinds, places, {})

    def leave_out(self, work: WorkDatabase) -> list[str]:
        """Take what is of kinds that came later out of the one table of *work*; return these files.

        Kinds are told apart as in a folder that nobody has ingested, so that another layout is
        none. One of which most documents were in the table already stays, and that is noted, and so
        does a document in which somebody corrected a value. Which of the others are like no kind is
        noted, too.
        """
        with attached_former(work.connection, self.state) as is_there:
            was_there = _WAS_THERE if is_there else "false"
            stored: dict[str, bool] = dict(work.run(_STORED.format(was_there)))
        old, new = ([x for x in stored if stored[x] is is_old] for is_old in (True, False))
        if not new and work.note(ODD) is not None:
            return []
        n_each = _MAX_COMPARED // 2 if old and new else _MAX_COMPARED
        compared = (*spread_evenly(old, n_each), *spread_evenly(new, n_each))
        words = dict(_read_words(work, compared))
        before = {*work.left_out()}
        again = [source for source in self.found.sources if source.relative in before]
        words |= {path: words_of(text) for path, text in self._read(spread_evenly(again, n_each))}
        paths, kinds = [*words], find_kinds([*words.values()])
        odd = {paths[at] for at in find_odd([*words.values()], kinds)}
        members = [[paths[at] for at in kind.members] for kind in kinds]
        late = [
            bool(old) and 2 * sum(stored.get(path, False) for path in of) <= len(of)
            for of in members
        ]
        alike = [of[0] for of, is_late in zip(members, late, strict=True) if not is_late]
        is_late = bool(alike) and any(late)
        places = {path: at for at, of in enumerate(members) for path in of}
        further = [path for path in stored if is_late and path not in words]
        odd |= {*work.odd()} - {*words, *further}
        for path, said in _read_words(work, further):
            if (at := find_kind(said, kinds)) is not None:
                places[path] = at
            elif is_odd(said, kinds):
                odd.add(path)
        if old:  # one document of each is an example
            note = (
                f"the records may be of {len(alike)} kinds of documents, such as"
                f" {' and '.join(map(one_line, alike))}, and are counted together; columns that"
                " are found anew (--fresh-schema, rebuild_schema) give each kind a table"
            ) * (len(alike) > 1)
            work.keep_note(MIXED, note, is_content=True)
        elif not is_there:  # all of it was compared when no table was there
            work.keep_note(MIXED, "")
        mended = {item.document_id for item in read_corrections(self.state)}
        out = [x for x in stored if is_late and x in places and late[places[x]] and x not in mended]
        work.leave_out(out)
        told = json.dumps(sorted((odd & stored.keys()) - mended.union(out)))
        work.keep_note(ODD, told, is_content=told != (work.note(ODD) or "[]"))
        return out

    def _place(self, name: str) -> Path:
        return self.state / KINDS_FOLDER / name

    def _sort(
        self,
        kinds: Mapping[str, tuple[DocumentKind, ...]],
        places: dict[str, int],
        odd: dict[str, str],
    ) -> "Grouping":
        """Sort the files by kind; those that neither *places* nor *odd* knows are read."""
        ways = [(kind, number) for number, of in enumerate(kinds.values()) for kind in of]
        usual = [kind for kind, _ in ways]
        failed = [*self.found.failed]
        known = places.keys() | odd.keys()
        new = [source for source in self.documents if source.relative not in known]
        for path, text in self._read(new, failed):
            fitting = {ways[at][1] for at in fitting_kinds(words_of(text), usual)}
            if len(fitting) == 1:
                places[path] = fitting.pop()
            else:
                odd[path] = _begin(path, text)
        stored, heirs = read_assigned(self.state), self._heirs(places)
        paths = {source.relative for source in self.documents}
        for name, at in heirs.items():
            places |= dict.fromkeys((x for x in stored[name].assigned if x in paths), at)
        odd = {path: text for path, text in odd.items() if path not in places}
        stay = {x for x, kind in stored.items() if kind.is_given or [x] == self.of_documents}
        given = {at: name for name, at in heirs.items() if name in stay}
        taken, named = frozenset(given.values()), dict[str, tuple[DocumentKind, ...]]()
        for number, (name, of) in enumerate(kinds.items()):
            free = unique_name(name, taken, "") if name in taken else name
            named[given.get(number, free)] = of
        return Grouping(self, named, places, odd, tuple(failed), taken)

    def _read(
        self, sources: Iterable[SourceFile], failed: list[DocumentError] | None = None
    ) -> Iterator[tuple[str, str]]:
        """Yield the texts of files; what cannot be read is put with the *failed*."""
        tasks = [SampleTask(source, None, 1) for source in sources]
        for reply in self.readers.perform(tasks):
            if isinstance(reply, Sampled):
                yield reply.path, "\n".join(document.text for document in reply.documents)
            elif isinstance(reply, Unreadable) and failed is not None:
                failed.append(DocumentError(reply.path, reply.reason))

    def kind_at(self, paths: Collection[str]) -> DocumentKind:
        """Return the kind that the documents at *paths* make."""
        chosen = (source for source in self.found.sources if source.relative in paths)
        words = [words_of(text) for _, text in self._read(chosen)]
        return kind_of(range(len(words)), words)

    def _heirs(self, places: Mapping[str, int]) -> dict[str, int]:
        """Return which kind by now has most documents of each that was kept, by its name."""
        heirs = dict[str, int]()
        for name in self.of_documents:
            found = Counter(places[x] for x in self.stored[name].documents if x in places)
            heirs.update((name, at) for at, n in found.items() if 2 * n > found.total())
        return heirs

    def write(self, found: "Grouping", told: str) -> Kinds:
        """Write which files are of which kind."""
        corpora, written = dict[Path, int](), dict[str, StoredKind]()
        words = {
            name: {word: n for kind in of for word, n in kind.shares.items()}
            for name, of in found.kinds.items()
        }
        for name, kind in self.tables.items():
            words[name] = dict.fromkeys(stems(" ".join(kind)), 1.0)
        shared = _share_out(words, self.questions)
        stored = read_assigned(self.state)
        before = {name: kind.assigned for name, kind in stored.items()}
        said = {path: name for name, paths in before.items() for path in paths}
        missing = [x for x, name in said.items() if name in self.tables or x not in found.places]
        if missing := sorted(map(one_line, missing)):
            shown = ", ".join(first_of(missing, _N_SHOWN))
            told = "; ".join(filter(None, (told, f"assigned by hand, and not there: {shown}")))
        for number, (name, of) in enumerate(found.kinds.items()):
            paths = (source.relative for source in self.found.sources)
            members = tuple(path for path in paths if found.places.get(path) == number)
            is_sole = bool(self.tables) and len(found.kinds) == 1
            kept = KindMembers("", members, is_sole=is_sole)
            corpora[self._keep(name, kept, shared[name])] = len(members)
            shares, besides = [x.shares for x in of], tuple(x.besides for x in of)
            gone = (path for path in before.get(name, ()) if path not in found.places)
            own = (*(path for path in members if path in said), *gone)
            known = (name in found.given and stored[name].is_given, besides, own)
            written[name] = StoredKind(len(members), shares[0], tuple(shares[1:]), *known)
        for name, kind in self.tables.items():
            paths_of, n_rows = self._files_of(kind)
            members = tuple(x.relative for x in self.found.sources if x.relative in paths_of)
            others = tuple(tuple(sorted(x)) for x in self.tables.values() if x != kind)
            kept = KindMembers("", members, columns=tuple(sorted(kind)), others=others)
            corpora[self._keep(name, kept, shared[name])] = n_rows
            written[name] = StoredKind(n_rows, {}, assigned=before.get(name, ()))
        write_kinds(self.state, written)
        rest = KindMembers("", (*found.odd, *(item.path for item in found.failed)))
        is_any = rest.documents or self._place(REST_FOLDER).is_dir()  # or was
        place = self._keep(REST_FOLDER, rest, ((), ())) if is_any else None
        documents, kinds = {x.relative for x in self.documents}, [*self.tables.values()]
        left = (of for kind, of in self._survey.kinds(kinds) if kind not in kinds)
        sheets = (f"{x}, sheet {y.name}" for x, y in chain(*left) if x not in documents)
        return Kinds(corpora, (*found.odd, *sheets), found.failed, place, told)

    def _keep(self, name: str, kept: KindMembers, questions: Iterable[Sequence[str]]) -> Path:
        place = self._place(name)
        place.mkdir(parents=True, exist_ok=True)
        is_inside = self.state.parent == self.folder  # so that both can be moved together
        home = os.path.relpath(self.folder, place) if is_inside else str(self.folder)
        own, needed = map(tuple, questions)
        seen = tuple(self.found.seen)
        kept = replace(kept, folder=home, sorted=seen, questions=own, needed=needed)
        write_atomically(place / KIND_FILE, json.dumps(asdict(kept)))
        return place


@dataclass(frozen=True)
class Grouping:
    """The files of a folder, sorted into kinds of which nothing is kept yet.

    Attributes:
        kinds: The ways in which the documents of each are written, by name.
        places: Which kind a file is of.
        odd: How those begin that are of none, by path.
        given: The names that a person gave, which stay.
        middle: Of each the documents that say most of what is usual in it.
    """

    sorter: KindSorter
    kinds: Mapping[str, tuple[DocumentKind, ...]]
    places: Mapping[str, int]
    odd: Mapping[str, str]
    failed: tuple[DocumentError, ...]
    given: frozenset[str] = frozenset()
    middle: Sequence[Sequence[Document]] = ()

    @cached_property
    def sizes(self) -> list[str]:
        """How many files are of each kind: `boats (8)`."""
        counts = Counter(self.places.values())
        return [f"{name} ({counts[number]})" for number, name in enumerate(self.kinds)]

    @cached_property
    def _singles(self) -> dict[str, str]:
        """The documents that a model may put into a kind by themselves, by key: strays first.

        None that a person has assigned.
        """
        said = {x for kind in read_assigned(self.sorter.state).values() for x in kind.assigned}
        shown = (item.path for documents in self.middle for item in documents)
        paths = [*[*self.odd][:_MAX_STRAYS], *(path for path in shown if path not in said)]
        return {f"s{number}": path for number, path in enumerate(paths, start=1)}

    def describe(self) -> dict[str, str]:
        """Return what a language model is to know of each kind, and of files of none, by key."""
        texts, keys = dict[str, str](), {path: key for key, path in self._singles.items()}
        for number, (kind, *_) in enumerate(self.kinds.values()):
            shown = self.middle[number]
            forms = {stem(x): x for item in shown for x in content_words(item.text)}
            words = ", ".join([forms[x] for x in kind.usual() if x in forms][:_N_WORDS])
            begun = (f"\n- {keys.get(x.path, '')} {_begin(x.path, x.text)}" for x in shown)
            texts[f"g{number + 1}"] = "".join((f"{self.sizes[number]}, words: {words}", *begun))
        return texts | {keys[path]: text for path, text in self.odd.items() if path in keys}

    def keep(self, said: Sequence[KindReply] | None = None) -> Kinds | None:
        """Make a corpus of each kind; None where a language model *said* that they are one.

        One that was asked and said nothing of use changes nothing.
        """
        if not said:
            alone = "found by their words alone: a language model says which of them are one kind,"
            alone += " if the columns are found anew with one (--fresh-schema, rebuild_schema)"
            heard = alone if self.middle else ""
            if said is not None:
                heard = "nothing of use was said of them, and their names are those that code found"
            return self.sorter.write(self, heard)
        if len(said) == 1 and not self.sorter.tables:
            write_kinds(self.sorter.state, {})
            return None
        kinds, told = dict[str, tuple[DocumentKind, ...]](), list[str]()
        places, names = dict[str, int](), [*self.kinds]
        joined = [
            [self._singles[key] for key in reply.of if key in self._singles] for reply in said
        ]
        apart = {*chain(*joined)}
        for number, reply in enumerate(said):
            groups, singles = reply.places(), joined[number]
            own = [names[at] for at in groups]
            grouped = [path for path, at in self.places.items() if at in groups]
            moved = [path for path in singles if path not in grouped]
            members = [*(path for path in grouped if path not in apart), *singles]
            taken = {*self.sorter.taken(members), *self.sorter.tables, *kinds, *self.given}
            taken.add(DOCUMENTS_FOLDER)
            given = next((name for name in own if name in self.given), "")
            name = given or _free_name((snake_case(reply.name or ""), *own), taken)
            name = name or unique_name(DOCUMENTS_FOLDER, taken, "")
            ways = tuple(kind for old in own for kind in self.kinds[old])
            kinds[name] = ways or (self.sorter.kind_at(singles),)
            places |= dict.fromkeys(members, number)
            if own != [name] or moved:
                told.append(f"{name} for {', '.join((*own, *first_of(moved, _N_SHOWN)))}")
        if len(kinds) == 1:
            places = dict.fromkeys((item.relative for item in self.sorter.documents), 0)
        odd = {path: text for path, text in self.odd.items() if path not in places}
        settled = replace(self, kinds=kinds, places=places, odd=odd)
        return self.sorter.write(settled, "; ".join(("a language model confirmed them", *told)))


def join_kinds(state: Path) -> None:
    """Let the next ingestion make one table of all documents; what was read is laid aside.

    What was corrected goes along, see `share_corrections`. Kinds of tables stay what they are.

    Raises:
        CorpusError: If the folder holds no kinds, or they are tables with other columns.
        LockedError: If the folder is being ingested.
    """
    place, kept = state / KINDS_FOLDER, read_kinds(state)
    with open_work(state) as work:
        is_doubted = work.left_out() or work.note(MIXED) or work.odd()
    with ingestion_lock(state):
        if is_doubted and not place.is_dir():
            write_kinds(state, {})
            return
        if not place.is_dir():
            msg = f"{state.parent} holds no kinds"
            raise CorpusError(msg)
        members = {name: read_members(place / name) for name in kept}
        tables = {name: kept[name] for name, item in members.items() if item and item.columns}
        if tables and tables == kept:
            msg = f"the kinds of {state.parent} are tables with other columns, which no table holds"
            raise CorpusError(msg)
        for kind in place.glob(f"*/{STATE_FOLDER}"):
            with ingestion_lock(kind):
                pass  # nobody is at it
        documents = [name for name in kept if name not in tables]
        if not tables or len(documents) > 1:
            aside = (state / f"{KINDS_FOLDER}-{number}" for number in count(1))
            former = place.rename(next(path for path in aside if not path.exists()))
            for name in tables:
                place.mkdir(exist_ok=True)
                (former / name).rename(place / name)
            documents = [unique_name(f"{DOCUMENTS_FOLDER}_1", kept, "")] if tables else []
        for name in documents:
            (own := place / name / STATE_FOLDER).mkdir(parents=True, exist_ok=True)
            write_kinds(own, {})  # fresh columns do not part them either
            tables[name] = kept.get(name, StoredKind(0, {}))
        write_kinds(state, tables)


def rename_kind(state: Path, old: str, new: str) -> Path:
    """Call a kind *new*, and return its place; its corpus moves with all that was read.

    Its table keeps its name. *state* is the state folder of the folder that holds the kinds.

    Raises:
        CorpusError: If there is no kind *old*, or *new* is taken or no such name.
        LockedError: If the folder, or the kind, is being ingested.
    """
    place = state / KINDS_FOLDER
    with ingestion_lock(state):
        kept, problem = read_assigned(state), ""
        if old not in read_kinds(state):
            problem = f"there is no kind {old!r}; there are: {', '.join(kept) or 'none'}"
        elif not new.isidentifier():
            problem = f"{new!r} is no name of letters, digits and _"
        elif new in {*kept, REST_FOLDER} or (place / new).exists():
            problem = f"there is a kind {new!r} already"
        if problem:
            raise CorpusError(problem)
        with ingestion_lock(place / old / STATE_FOLDER):
            kept[old] = replace(kept[old], is_given=True)
            (place / old).rename(place / new)
            write_kinds(state, {new if name == old else name: kind for name, kind in kept.items()})
    return place / new


def _share_out(
    words: Mapping[str, Mapping[str, float]], questions: Iterable[str]
) -> dict[str, tuple[list[str], list[str]]]:
    """Share out *questions* among kinds, by the stems that their documents say, and how often.

    One goes to the kinds that it names, else to those that alone say most of its words. Of these
    one is its home: the only one, or where it names none, that in which its words are usual. Each
    kind gets those of which it is the home, and those that it may need columns for.
    """
    names = {name: {*stems(name.replace("_", " "))} for name in words}
    shared: dict[str, tuple[list[str], list[str]]] = {name: ([], []) for name in words}
    for question in questions:
        asked = {*stems(question)}
        may = home = [name for name in words if names[name] & asked]
        if not may:
            said = {name: asked & shares.keys() for name, shares in words.items()}
            n_said = Counter(word for mine in said.values() for word in mine)
            alone = {name: sum(n_said[x] == 1 for x in mine) for name, mine in said.items()}
            may = [name for name, n in alone.items() if n == max(alone.values())]
            home = [max(may, key=lambda name: sum(words[name][x] for x in said[name]))]
        for name in may:
            shared[name][[name] != home].append(question)
    return shared


def _read_texts(work: WorkDatabase, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    for at in range(0, len(paths), _MAX_COMPARED):
        yield from work.run(_TEXTS, [*paths[at : at + _MAX_COMPARED]])


def _read_words(work: WorkDatabase, paths: Sequence[str]) -> Iterator[tuple[str, Words]]:
    """Yield what documents that are stored are compared by."""
    return ((path, words_of(text)) for path, text in _read_texts(work, paths))


def _begin(path: str, text: str) -> str:
    return f"{one_line(path)}: {shorten(text[: 4 * _N_CHARACTERS], _N_CHARACTERS)}"


def _name(documents: Sequence[Document], questions: Sequence[str], taken: Collection[str]) -> str:
    """Name a kind after what its documents are called; empty where nothing sure says it."""
    nouns = find_nouns([Sightings(document) for document in documents], "", questions, ())
    folders = {PurePosixPath(document.path).parent.name for document in documents}
    folder = folders.pop() if len(folders) == 1 else ""  # a folder of their own
    return _free_name((*nouns[1::2], folder), taken)


def _free_name(wanted: Iterable[str], taken: Collection[str]) -> str:
    names = [name for name in wanted if name.isidentifier() and name != DOCUMENTS_FOLDER]
    return next((name for name in names if name not in taken), "")
