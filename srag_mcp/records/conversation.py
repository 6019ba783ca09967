"""A conversation: records of some documents, and repairs of cells that cannot be used.

These are asked for again, or doubted ones, with what stands around them.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

import anyio

from srag_mcp.cells.cell import Cell, DocumentText, ListedCells, PredictedCell, PredictedRecord
from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
    ReplyError,
    SragError,
    UselessRepliesError,
)
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, Step, enclose, render_prompt
from srag_mcp.model.reply_content import ReplyContent, ask_for
from srag_mcp.records.judging import (
    CellList,
    CellReply,
    DocumentReply,
    Judge,
    Judgement,
    RecordsReply,
    SummarisedReply,
    read_cell,
    records_form,
)
from srag_mcp.records.listed import describe_list, judge_again, place_of, read_list
from srag_mcp.records.record_prompt import (
    Excerpt,
    Sought,
    choose_around,
    describe_attribute,
    render_records_prompt,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Table
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, stem, stems, words
from srag_mcp.values.states import State

N_DOCUMENTS = 5  # all of one kind, mostly: they tell what documents of it say late


@dataclass
class Pilot:
    """The first long documents: they are read on for all that they do not mention.

    A column that none of their further parts states, and that most of them never mention, is not
    sought in further parts of other documents, unless a question has *needed* it. Which documents
    these are depends on their order alone, and what they told is *kept*, by *keep*, before their
    records are handed over: later runs ask the same.
    """

    kept: str | None = None
    keep: Callable[[str], None] = lambda _: None
    needed: frozenset[str] = frozenset()
    _ids: set[str] = field(default_factory=set)
    _n_told: int = 0
    _stated: set[str] = field(default_factory=set)
    _silent: Counter[str] = field(default_factory=Counter)
    _idle: frozenset[str] | None = None
    _failed: SragError | None = None
    _over: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        if self.kept is not None:
            found = json.loads(self.kept)
            self._ids, self._idle = set(found["documents"]), frozenset(found["idle"])
            self._over.set()

    @classmethod
    def spared(cls) -> Self:
        """Return one that is over, and after which all documents are read on for all."""
        return cls(json.dumps({"documents": [], "idle": []}))

    @property
    def is_over(self) -> bool:
        """Whether it has told what others are read on for."""
        return self._idle is not None

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._ids

    def enrol(self, document_ids: Iterable[str]) -> None:
        """Take in the long documents of a batch, unless there are enough; in the order of them."""
        if not self.is_over and len(self._ids) < N_DOCUMENTS:
            self._ids.update(document_ids)

    def tell(self, document_id: str, stated: Collection[str], silent: Collection[str]) -> None:
        """Say what the further parts of one of its documents state, and what it never mentions."""
        if self.is_over or document_id not in self._ids:
            return
        self._n_told += 1
        self._stated.update(stated)
        self._silent.update(silent)
        if self._n_told == len(self._ids) >= N_DOCUMENTS:
            often = {name for name, n in self._silent.items() if 2 * n > self._n_told}
            idle = frozenset(often - self._stated - self.needed)
            self.keep(json.dumps({"documents": sorted(self._ids), "idle": sorted(idle)}))
            self._idle = idle
            self._over.set()

    def fail(self, error: SragError) -> None:
        """Let nobody wait for it: the run ends."""
        self._failed = self._failed or error
        self._over.set()

    async def idle(self) -> frozenset[str]:
        """Wait until it is over; return what is not sought in further parts.

        Raises:
            SragError: If it could not be read.
        """
        await self._over.wait()
        if self._failed is not None:
            raise self._failed
        return self._idle or frozenset()


MOST_AT_FIRST = 5
MOST_LATER = 25
_MAX_ROUNDS = 2  # of repairs
_LONGEST_SHOWN, _LONGEST_SUMMARY = 80, 300
_LEFT_OUT = "the reply leaves the document out"
MAX_REPAIRS = 30  # in one prompt
_AROUND = 150  # characters on both sides of a quote
_LINE = re.compile(r"[^\n]{1,150}(?!\w)")
_MAX_LINES = 3
_LONGEST_QUOTE = 300
Place: TypeAlias = tuple[str, int]
OF_RECORD: Place = ("", 0)


class RepairsReply(ReplyContent):
    """The cells of one prompt, put right; keys are those of the prompt."""

    cells: tuple[CellList, ...]


@dataclass(frozen=True, slots=True)
class Flaw:
    """A cell with a problem, of the record or at the *place* of a *row* of a list."""

    document: DocumentText
    attribute: Attribute
    judgement: Judgement
    place: Place = OF_RECORD
    row: Span | None = None


async def repair(model: LanguageModel, flaws: Sequence[Flaw], step: Step) -> list[CellReply | None]:
    """Ask for at most `MAX_REPAIRS` *flaws*; return what is said of each, None for nothing.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        ModelError: If no reply of use could be had.
    """
    keyed = {f"c{number}": flaw for number, flaw in enumerate(flaws, start=1)}
    prompt = render_prompt(
        "repair_cells",
        step,
        subject=", ".join(dict.fromkeys(flaw.document.document_id for flaw in flaws)),
        cells="\n\n".join(_render(key, flaw) for key, flaw in keyed.items()),
    )
    asked = await ask_for(model, prompt, RepairsReply)
    said = {cell.key: cell for cell in map(read_cell, asked.content.cells) if cell is not None}
    if said.keys().isdisjoint(keyed):
        asked.forget(model)
    return [said.get(key) for key in keyed]


def _render(key: str, flaw: Flaw) -> str:
    """Show a cell, its column, what was said of it, the reason, and its surroundings."""
    said, document = flaw.judgement.said, flaw.document
    place, reach = flaw.judgement.taken.cell.span or flaw.row, _AROUND
    if place is None:  # the lines that have most of its words
        places, reach = _find_lines(flaw), 0
    else:
        places = [Span(place.start, min(place.end, place.start + _LONGEST_QUOTE))]
    around = choose_around(document.text, places, reach, document.passages).strip()
    lines = (
        f"value: {shorten(json.dumps(said.value, ensure_ascii=False), _LONGEST_QUOTE)}",
        f"quote: {shorten(said.quote, _LONGEST_QUOTE) or '(none)'}",
        f"problem: {flaw.judgement.problem}",
        f"around: {around}",
    )
    return f"{describe_attribute(flaw.attribute)}\n{enclose(chr(10).join(lines), key)}"


def _find_lines(flaw: Flaw) -> list[Span]:
    """Return the lines with words of the column, the value and the quote; rare ones count more."""
    said, name = flaw.judgement.said, flaw.attribute.name.replace("_", " ")
    sought = (name, *flaw.attribute.synonyms, str(said.value or ""), said.quote[:_LONGEST_QUOTE])
    wanted = {stem(word) for text in sought for word in words(text) if word not in STOP_WORDS}
    lines = [
        (Span(*match.span()), wanted.intersection(stems(match[0])))
        for match in _LINE.finditer(flaw.document.text)
    ]
    times = Counter(word for _, found in lines for word in found)
    scored = [(sum(1 / times[word] for word in found), place) for place, found in lines if found]
    best = [place for _, place in sorted(scored, key=lambda item: -item[0])[:_MAX_LINES]]
    return best or [Span(0, min(_LONGEST_QUOTE, len(flaw.document.text)))]


@dataclass(slots=True)
class UselessReplies:
    """Counts documents in a row of which no reply had the right form: *is_proven* if any had."""

    is_proven: bool = False
    _n_in_a_row: int = 0

    def count(self, reason: str) -> None:
        """Take note of such a document; UselessRepliesError if there were many in a row."""
        self._n_in_a_row += 1
        if self._n_in_a_row < (MOST_LATER if self.is_proven else MOST_AT_FIRST):
            return
        msg = (
            f"no reply of use came for {self._n_in_a_row} documents in a row; the last one:"
            f" {reason.rstrip('.')}. Try another model (--model), another SRAG_REPLY_FORMAT or a"
            " smaller SRAG_PROMPT_TOKENS; what could be used is kept, start the same command again"
            " to go on"
        )
        raise UselessRepliesError(msg)

    def reset(self) -> None:
        """Take note of a document that was read."""
        self.is_proven = True
        self._n_in_a_row = 0


@dataclass(frozen=True, slots=True)
class RecordTask:
    """What all batches of one prediction have in common: *attributes* are asked for, in this order.

    Attributes:
        numbers: By name, the numbers that the columns have in all prompts of a build, from 1; those
            that have none get the next.
        engine: `model` or `agent`, for the cells.
        first_tokens: Most tokens shown of a document at first, where few attributes are sought;
            None for as many as one prompt may show.
        sought: By document id; of documents in which not all attributes are sought.
        pilot: Tells what is sought in further parts of long documents.
        summarised: Whether a sentence on each document is asked for.
        lists: The child tables that are asked for, by the names of their attributes.
    """

    model: LanguageModel
    attributes: tuple[Attribute, ...]
    engine: str
    first_tokens: int | None = None
    step: Step = "records"
    sought: Mapping[str, Sought] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    pilot: Pilot = field(default_factory=Pilot, compare=False)
    useless: UselessReplies = field(default_factory=UselessReplies, compare=False)
    summarised: bool = False
    lists: Mapping[str, Table] = field(default_factory=dict)

    @property
    def numbered(self) -> Mapping[int, Attribute]:
        """What is asked for, by the numbers of the columns."""
        numbers = number_columns(self.numbers, self.attributes)
        return {numbers[attribute.name]: attribute for attribute in self.attributes}


def number_columns(known: Mapping[str, int], attributes: Sequence[Attribute]) -> dict[str, int]:
    """Return numbers of columns by name: known ones stay, others get the next ones."""
    new = (attribute.name for attribute in attributes if attribute.name not in known)
    first = max(known.values(), default=0) + 1
    return {**known, **{name: number for number, name in enumerate(new, first)}}


def fail_record(task: RecordTask, document: DocumentText, reason: str) -> PredictedRecord:
    """Return a record whose cells are all FAILED."""
    cells = tuple(
        PredictedCell(Cell(attribute.name, State.FAILED, engine=task.engine, note=reason))
        for attribute in task.attributes
    )
    return PredictedRecord(document.document_id, document.sha256, cells, reason)


@dataclass(frozen=True, slots=True)
class _WholeReplies(LanguageModel):
    """A model whose reply to several documents must be whole: half of them fit better."""

    model: LanguageModel
    n_documents: int

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        reply = await self.model.complete(prompt, reply_schema)
        if reply.truncated and self.n_documents > 1:
            msg = f"the reply to {self.n_documents} documents was cut off"
            raise ReplyError(msg)
        return reply

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        if self.n_documents == 1:  # of several, those left out are asked again, in another prompt
            self.model.forget(prompt, reply_schema)


@dataclass
class _Draft:
    """The record of one document by now; *error*: why to ask again; *told*: doubts that were."""

    judge: Judge
    judged: dict[Place, dict[str, Judgement]] = field(default_factory=dict)
    error: str = ""
    told: set[tuple[Place, str]] = field(default_factory=set)
    summary: str = ""

    def take(self, flaw: Flaw, said: CellReply) -> None:
        """Take a cell that was asked for again, unless that makes it worse."""
        judged, name = self.judged[flaw.place], flaw.attribute.name
        if flaw.row is None:
            judgement = self.judge.judge_cell(flaw.attribute, said)
        else:
            others = [
                cell.taken.cell.span
                for place, row in self.judged.items()
                if place[0] == flaw.place[0] and place != flaw.place
                for cell in row.values()
                if cell.taken.cell.span is not None
            ]
            judgement = judge_again(self.judge, flaw.attribute, said, flaw.row, others)
        if judgement.is_usable or not judged[name].is_usable:
            judged[name] = judgement

    def find_flaws(self, task: RecordTask, names: Collection[str] | None) -> Iterator[Flaw]:
        """Yield what is to be asked again, of *names* where not all are sought; a doubt once."""
        for place, judged in self.judged.items():
            child, row = task.lists.get(place[0]), place_of(judged) if place != OF_RECORD else None
            for attribute in child.attributes if child else task.attributes:
                name, judgement = attribute.name, judged[attribute.name]
                is_sought = (names is None or name in names) and name not in task.lists
                is_told = judgement.told_once and (place, name) in self.told
                is_flaw = not judgement.is_usable if child else is_sought
                if judgement.problem and is_flaw and not is_told:
                    self.told.update([(place, name)] if judgement.told_once else ())
                    yield Flaw(self.judge.document, attribute, judgement, place, row)

    def finish(self, task: RecordTask) -> PredictedRecord:
        """Return the record; its error counts where a cell failed."""
        document = self.judge.document
        if not self.judged:
            return fail_record(task, document, self.error)
        cells = tuple(self.judged[OF_RECORD][item.name].taken for item in task.attributes)
        rows: dict[str, list[tuple[PredictedCell, ...]]] = {}
        for (table, _), judged in self.judged.items():
            if table:
                rows.setdefault(table, []).append(tuple(item.taken for item in judged.values()))
        is_lost = any(item.cell.state is State.FAILED for item in cells)
        return PredictedRecord(
            document.document_id,
            document.sha256,
            cells,
            self.error if is_lost else "",
            summary=self.summary,
            lists=tuple(ListedCells(table, tuple(items)) for table, items in rows.items()),
        )

    def read(self, task: RecordTask, said: "_Said", excerpt: Excerpt) -> None:
        """Judge what a reply says of the document, of which *excerpt* was shown."""
        lists = {name: read_list(self.judge, task.lists[name], given, excerpt.shows)
                 for name, given in said.lists.items()}  # fmt: skip
        self.judged = {OF_RECORD: self.judge.judge(task.numbered, said.cells or ())}
        for name, found in lists.items():
            self.judged[OF_RECORD][name] = found.judgement
            for number, row in enumerate(found.rows, start=1):
                self.judged[name, number] = {item.taken.cell.attribute: item for item in row}


@dataclass(frozen=True, slots=True)
class _Said:
    """What a reply says of one document; *odd* belongs to no column, *cells* is None for none."""

    cells: Sequence[CellReply] | None
    odd: Sequence[str] = ()
    summary: str = ""
    lists: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Asks for the records of some documents, then for the cells that are to be put right."""

    task: RecordTask
    batch: Sequence[Excerpt]

    async def finish(self) -> list[PredictedRecord]:
        """Return a record for each document; ModelError if the first prompt has no usable reply."""
        drafts = await self._read(self.batch)
        for _ in range(_MAX_ROUNDS):
            flaws = [
                (draft, flaw)
                for draft, excerpt in zip(drafts, self.batch, strict=True)
                if not draft.error
                for flaw in draft.find_flaws(self.task, excerpt.names)
            ]
            if not flaws:
                break
            for start in range(0, len(flaws), MAX_REPAIRS):
                await self._repair(flaws[start : start + MAX_REPAIRS])
        return [draft.finish(self.task) for draft in drafts]

    async def _read(self, batch: Sequence[Excerpt]) -> list[_Draft]:
        """Read documents; what the reply to several leaves out or confuses is asked alone."""
        excerpts = {f"d{number}": item for number, item in enumerate(batch, start=1)}
        found = await self._ask(excerpts)
        drafts = []
        for key, excerpt in excerpts.items():
            draft = _Draft(Judge(excerpt.document, self.task.engine))
            said = found[key]
            draft.summary = said.summary
            if said.cells is not None:
                draft.read(self.task, said, excerpt)
            if len(batch) > 1 and (said.cells is None or said.odd):
                try:
                    [draft] = await self._read((excerpt,))
                except ModelStoppedError:
                    raise
                except ModelError as error:
                    draft.error = str(error)
            drafts.append(draft)
        return drafts

    async def _ask(self, excerpts: Mapping[str, Excerpt]) -> Mapping[str, _Said]:
        """Ask for records; a reply that has none of the documents is of no use."""
        told: list[str] = []

        def read(reply: RecordsReply[DocumentReply]) -> Mapping[str, _Said]:
            return {key: _read_document(reply, key, self.task) for key in excerpts}

        def check(reply: RecordsReply[DocumentReply]) -> Sequence[str]:
            """Tell once of cells that belong to no column, unless some documents have none."""
            said = read(reply).values()
            odd = [why for item in said for why in item.odd]
            if all(item.cells is None for item in said):
                return odd or [_LEFT_OUT]
            if told or not all(item.odd or item.cells is None for item in said):
                return ()
            told.extend(odd)
            return odd

        summarised = self.task.summarised
        lists = {name: describe_list(child) for name, child in self.task.lists.items()}
        prompt = render_records_prompt(
            self.task.numbered, excerpts, summarised=summarised, lists=lists
        )
        prompt = replace(prompt, step=self.task.step)
        model = _WholeReplies(self.task.model, len(excerpts))
        form = records_form(listing=bool(lists), summarised=summarised)
        asked = await ask_for(model, prompt, form, check)
        found = read(asked.content)
        if all(item.cells is None for item in found.values()):
            asked.forget(model)
            raise ReplyError(asked.problems[0])
        return found

    async def _repair(self, flaws: Sequence[tuple[_Draft, Flaw]]) -> None:
        """Ask for cells again; where nobody can be asked, what was found before stands."""
        step: Step = "repairs" if self.task.step == "records" else self.task.step
        try:
            said = await repair(self.task.model, [flaw for _, flaw in flaws], step)
        except ModelStoppedError:
            raise
        except ModelError as error:
            for draft, _ in flaws:
                draft.error = str(error)
            return
        for (draft, flaw), cell in zip(flaws, said, strict=True):
            if cell is not None:
                draft.take(flaw, cell)


def _read_document(reply: RecordsReply[DocumentReply], key: str, task: RecordTask) -> _Said:
    attributes = task.numbered
    records = [item for item in reply.documents if item.id == key and not item.misfits]
    given = [(cell, read_cell(cell)) for item in records for cell in item.cells]
    lists = {
        attribute.name: cell
        for number, attribute in attributes.items()
        if attribute.name in task.lists
        for cell, read in given
        if read is not None and read.key in {str(number), attribute.name}
    }
    given = [(cell, read) for cell, read in given if cell not in lists.values()]
    columns = {*map(str, attributes), *(attribute.name for attribute in attributes.values())}
    cells = [cell for _, cell in given if cell is not None and cell.key in columns]
    odd = [
        f"{key}: {shorten(repr(cell), _LONGEST_SHOWN)} is of none of the columns"
        f" {_ranges(attributes)}"
        for cell, read in given
        if read is None or read.key not in columns
    ]
    if given and all(cell.misfit for cell in cells):  # words of another form are no silence
        return _Said(None, odd + [f"{key}, {cell.key}: {cell.misfit}" for cell in cells])
    told = (item.summary for item in records if isinstance(item, SummarisedReply))
    summary = shorten(" ".join(next(told, "").split()), _LONGEST_SUMMARY)
    return _Said(cells if records else None, odd, summary, lists)


def _ranges(numbers: Iterable[int]) -> str:
    """Write rising numbers shortly: `1-4, 7`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ", ".join("-".join(map(str, span)) for span in spans)
