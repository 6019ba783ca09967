"""Record prediction by a language model: all documents, many prompts at a time (S-RAG 3.2.2).

A batch is asked in parts where it must be; then documents are read on for what they left unsaid.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import anyio

from srag_mcp.cells.cell import (
    IN_DOUBT,
    UNQUOTED,
    DocumentText,
    Mark,
    PredictedCell,
    PredictedRecord,
    add_note,
)
from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
    PromptRefusedError,
    PromptTooLongError,
    ReplyError,
    SragError,
)
from srag_mcp.model.language_model import count_tokens
from srag_mcp.model.reply_content import reply_schema
from srag_mcp.records.conversation import Conversation, RecordTask, fail_record, number_columns
from srag_mcp.records.judging import RecordsReply
from srag_mcp.records.listed import join_rows, list_attribute
from srag_mcp.records.record_prompt import (
    MAX_DOCUMENTS,
    MAX_PARTS,
    MAX_STRETCHES,
    Excerpt,
    choose_around,
    plan_batches,
    render_records_prompt,
    take_excerpt,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import (
    DEFINITION_TOKENS_IN,
    DEFINITION_TOKENS_OUT,
    WISH_DOCUMENTS,
    WISH_TOKENS,
)
from srag_mcp.schema.schema import Table
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

MAX_PROMPTFULS = 3  # a document costs at most so many times the tokens that one prompt may show
_GROWTH = 4
_MIN_TOKENS = 100
_FEW = 4
_FIRST_TOKENS, _TOKENS_AN_ATTRIBUTE = 400, 100
_TOKENS_A_DOCUMENT = 40  # its id, path, title and marks
_TOKENS_A_CELL = 8  # recorded replies over five packs have 6.3 to 10.6 for one that is stated
_ROWS_A_LIST = 3  # the seven lists of three packs have 0.6 to 5.5 a document
_TOKENS_A_QUOTE, _TOKENS_A_RULE = 20, 100  # of played lessons on receipts: 60 rules, 29 columns
HAND_OVER_RECORDS = 500  # more at once are handed over before the second is over
HAND_OVER_S = 1.0
_AROUND = 200  # characters on both sides of a place, as for a second look: a sentence or two
_SMALL = 2  # times what is read first
OnDone = Callable[[Sequence[PredictedRecord]], None]
Reading: TypeAlias = tuple[PredictedRecord, Excerpt]
"""A record, and the excerpt that it is from."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate in tokens, see `model.tokens`; corrections are not in it.

    *tokens_out* supposes that each document states every attribute: mostly it is less.
    """

    n_prompts: int
    tokens_in: int
    tokens_out: int

    @property
    def tokens(self) -> int:
        """Both, in and out."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "Estimate") -> "Estimate":
        """Return what both take."""
        return Estimate(
            self.n_prompts + other.n_prompts,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )


def estimate_definition(n_documents: int) -> Estimate:
    """Estimate what it takes to define an attribute, from passages of some of so many documents."""
    shown = min(n_documents, WISH_DOCUMENTS) * WISH_TOKENS
    return Estimate(1, DEFINITION_TOKENS_IN + shown, DEFINITION_TOKENS_OUT)


def estimate_records(
    attributes: Sequence[Attribute], n_tokens: Iterable[int], prompt_tokens: int
) -> Estimate:
    """Estimate the prompts and tokens for documents of *n_tokens* each.

    Long documents are taken to be read on as far as they ever are: an upper end.
    """
    lengths = [length for length in n_tokens if length]
    shown = (min(length, prompt_tokens) for length in lengths)
    further = [  # the parts after the first in which a document is read
        (min(prompt_tokens, end - start),)
        for end in (min(length, MAX_PROMPTFULS * prompt_tokens) for length in lengths)
        for start in range(prompt_tokens, end, prompt_tokens)
    ]
    empty = render_records_prompt(dict(enumerate(attributes, start=1)), {})
    instructions = empty.count_tokens(reply_schema(RecordsReply))
    batches = [*plan_batches(shown, lambda n: n, len(attributes), prompt_tokens), *further]
    tokens_in = sum(instructions + sum(x) + _TOKENS_A_DOCUMENT * len(x) for x in batches)
    return Estimate(len(batches), tokens_in, len(lengths) * len(attributes) * _TOKENS_A_CELL)


def estimate_rows(
    lists: Sequence[Table], n_tokens: Sequence[int], n_read: int, prompt_tokens: int
) -> Estimate:
    """Estimate the rows of *lists* beside *n_read* documents; others are read for these alone."""
    n_members = sum(len(child.attributes) for child in lists)
    rows = Estimate(0, 0, len(n_tokens) * n_members * _ROWS_A_LIST * _TOKENS_A_CELL)
    rest = n_tokens[n_read:] if lists else ()
    return estimate_records([*map(list_attribute, lists)], rest, prompt_tokens) + rows


def estimate_rules(attributes: Sequence[Attribute], shown: Sequence[int]) -> Estimate:
    """Estimate what it takes to write rules for *attributes*, shown documents of so many tokens.

    Half of it is for further lessons, on what the first ones missed.
    """
    empty = render_records_prompt(dict(enumerate(attributes, start=1)), {})
    said = len(shown) * len(attributes) * _TOKENS_A_QUOTE
    return Estimate(
        3, 2 * (empty.count_tokens() + sum(shown) + said), 2 * len(attributes) * _TOKENS_A_RULE
    )


async def predict_records(
    task: RecordTask,
    documents: Iterable[DocumentText],
    *,
    prompt_tokens: int,
    max_in_flight: int,
    on_done: OnDone,
) -> None:
    """Predict the record of each document; hand over finished ones, in groups of a second.

    *documents* are read lazily; *prompt_tokens* are most of one document in one prompt, and
    *max_in_flight* the most batches at a time. *on_done* gets whole batches, in no order: keeping
    them in one transaction keeps the batches of a later run the same.

    Raises:
        ModelStoppedError: If no further prompt can be answered, or what *on_done* raised. What was
            in flight is finished and handed over first.

    Source: S-RAG 3.2.2.
    """
    task = replace(task, numbers=number_columns(task.numbers, task.attributes))
    run = _Run(task, on_done, anyio.Semaphore(max_in_flight), prompt_tokens)
    try:
        excerpts = run.excerpts(documents)
        counts = [x.stated * len(x.names) for x in task.sought.values()] or [len(task.attributes)]
        n_sought = math.ceil(sum(counts) / len(counts))
        is_short = any(item.places for item in task.sought.values())
        n_most = (MAX_STRETCHES if is_short else MAX_PARTS) if task.sought else MAX_DOCUMENTS
        await run.predict_all(
            plan_batches(excerpts, lambda x: x.n_tokens, n_sought, prompt_tokens, n_most)
        )
    finally:
        run.hand_over()
    if run.stopped is not None:
        raise run.stopped


class _Run:
    """One prediction; finished records are gathered a moment: to keep few costs as much."""

    def __init__(
        self, task: RecordTask, on_done: OnDone, slots: anyio.Semaphore, prompt_tokens: int
    ) -> None:
        self.stopped: SragError | None = None
        self._task = task
        self._on_done = on_done
        self._slots = slots
        self._prompt_tokens = prompt_tokens
        self._finished: list[PredictedRecord] = []
        self._held: list[PredictedRecord] = []
        self._handed_at = time.monotonic()

    async def predict_all(self, batches: Iterable[Sequence[Excerpt]]) -> None:
        async with anyio.create_task_group() as tasks:
            for batch in batches:
                await self._slots.acquire()
                if self.stopped is not None:
                    break
                self._task.pilot.enrol(item.document.document_id for item in batch if item.unread)
                tasks.start_soon(self._predict, batch)
        if self.stopped is None:
            self._finished += self._held

    def hand_over(self) -> None:
        records, self._finished = self._finished, []
        self._handed_at = time.monotonic()
        try:
            if records:
                self._on_done(records)
        except SragError as error:
            self.stopped = self.stopped or error

    def excerpts(self, documents: Iterable[DocumentText]) -> Iterator[Excerpt]:
        """Yield what is shown of each document first; those without text are finished at once."""
        task, most = self._task, self._prompt_tokens
        for document in documents:
            sought = task.sought.get(document.document_id)
            if sought is not None and sought.places:
                around = choose_around(document.text, sought.places, 0, document.passages)
                yield Excerpt(document, around, names=sought.names)
            elif document.text.strip():
                if sought is not None:
                    wanted = tuple(x for x in task.attributes if x.name in sought.names)
                    yield replace(take_excerpt(document, wanted, most), names=sought.names)
                    continue
                first = min(task.first_tokens or most, most)
                # Parts of a small one save nothing.
                n_tokens = most if count_tokens(document.text) <= _SMALL * first else first
                yield take_excerpt(document, task.attributes, n_tokens)
            else:
                self._finished.append(fail_record(self._task, document, "it has no text"))

    async def _predict(self, batch: Sequence[Excerpt]) -> None:
        try:
            records = await predict_documents(self._task, batch, self._prompt_tokens)
            pilot = self._task.pilot
            is_held = not pilot.is_over and any(item.document_id in pilot for item in records)
            (self._held if is_held else self._finished).extend(records)
            if pilot.is_over:
                self._finished += self._held
                self._held.clear()
        except SragError as error:
            self.stopped = self.stopped or error
            self._task.pilot.fail(error)
        finally:
            self._slots.release()
        is_late = time.monotonic() - self._handed_at >= HAND_OVER_S
        if is_late or len(self._finished) >= HAND_OVER_RECORDS:
            self.hand_over()


async def predict_batch(task: RecordTask, batch: Sequence[Excerpt]) -> list[Reading]:
    """Return a record for each document of *batch*, in its order.

    A batch that cannot be answered is asked in halves; a single document that is too long, with
    half as many passages. One that fails alone gets FAILED cells with the reason.

    Raises:
        ModelStoppedError: If no further prompt can be answered, or many in a row are of no use.
    """
    try:
        records = await Conversation(task, batch).finish()
        for record in records:
            if record.error and all(item.cell.state is State.FAILED for item in record.cells):
                task.useless.count(record.error)
            else:
                task.useless.reset()
        return [*zip(records, batch, strict=True)]
    except ModelStoppedError:
        raise
    except (ReplyError, PromptTooLongError, PromptRefusedError) as error:
        if len(batch) > 1:
            half = len(batch) // 2
            return [
                *await predict_batch(task, batch[:half]),
                *await predict_batch(task, batch[half:]),
            ]
        n_tokens = batch[0].n_tokens // 2
        if isinstance(error, PromptTooLongError) and n_tokens >= _MIN_TOKENS:
            document, before = batch[0].document, batch[0].before
            shorter = take_excerpt(document, task.attributes, n_tokens, before)
            return await predict_batch(task, (replace(shorter, names=batch[0].names),))
        if not isinstance(error, PromptRefusedError):
            task.useless.count(str(error))
        return [_fail(task, batch[0], str(error))]
    except ModelError as error:
        return [_fail(task, excerpt, str(error)) for excerpt in batch]


def _fail(task: RecordTask, excerpt: Excerpt, reason: str) -> Reading:
    return fail_record(task, excerpt.document, reason), excerpt


def choose_first_tokens(n_attributes: int, n_columns: int) -> int | None:
    """Return how much of a document is read first for *n_attributes* of the columns of its record.

    None, for as much as one prompt may show, unless they are few: one more column must not cost as
    much as all. Where the passages likely to hold it do not say it, the document is read on.
    """
    if n_attributes * _FEW > n_columns:
        return None
    return _FIRST_TOKENS + _TOKENS_AN_ATTRIBUTE * n_attributes


def stretches_around(text: str, places: Iterable[Span]) -> list[Span]:
    """Return what is shown around *places* where only their words are in doubt."""
    return [
        Span(max(0, place.start - _AROUND), min(len(text), place.end + _AROUND)) for place in places
    ]


async def predict_documents(
    task: RecordTask, batch: Sequence[Excerpt], max_tokens: int
) -> list[PredictedRecord]:
    """Return a record for each document of *batch*, reading on where something is not mentioned.

    Asked again are attributes that no part before has mentioned, but for those that the pilot tells
    to leave; along with them those whose value does not stand in its words as it is. *max_tokens*
    are shown in one prompt, of a document MAX_PROMPTFULS times as many; what is still unread then
    is told in the note of the cells that it may concern.

    Raises:
        ModelStoppedError: If no further prompt can be answered.

    Source: S-RAG 3.2.2 reads documents whole; this bounds what a long one costs.
    """
    further = replace(task, summarised=False)  # the first part is the likeliest to tell it
    left = MAX_PROMPTFULS * max_tokens - min(task.first_tokens or max_tokens, max_tokens)
    documents = []
    for (record, first), asked in zip(await predict_batch(task, batch), batch, strict=True):
        document = _Document(asked, record, max_tokens, left, first)
        document.turn_to(first, asked)
        if asked.unread and asked.document.document_id not in task.pilot:
            document.idle = await task.pilot.idle()
        sought = task.sought.get(asked.document.document_id)
        if sought is not None:
            others = (item.name for item in task.attributes if item.name not in sought.names)
            document.idle = document.idle.union(others)
        documents.append(document)
    while unsaid := _group(documents):
        for names, group in unsaid.items():
            cells = (item.cell for document in group for item in document.record.cells)
            # for values with doubtful words a later part may have better ones
            unquoted = {x.attribute for x in cells if not x.marks.isdisjoint(UNQUOTED)}
            named = names.union(unquoted)
            attributes = tuple(item for item in task.attributes if item.name in named)
            await _read_on(replace(further, attributes=attributes), group, max_tokens)
    for document in documents:
        if document.first.unread:
            document_id = document.first.document.document_id
            task.pilot.tell(document_id, document.found, document.silent())
    return [document.finish() for document in documents]


@dataclass
class _Document:
    """What is known of one document by now; *left* tokens may be shown, *most* in one part."""

    excerpt: Excerpt
    record: PredictedRecord
    most: int
    left: int
    first: Excerpt
    idle: frozenset[str] = frozenset()
    found: set[str] = field(default_factory=set)

    def turn_to(self, excerpt: Excerpt, asked: Excerpt) -> None:
        """Take *excerpt* as read; where *asked* was too long for the model, the next is not."""
        if excerpt.n_tokens < asked.n_tokens:
            self.left += asked.n_tokens - excerpt.n_tokens
            self.most = min(self.most, excerpt.n_tokens)
        self.excerpt = excerpt

    def unsaid(self) -> frozenset[str]:
        """Return the attributes to look for in the rest of it."""
        is_spent = min(self.left, self.most) < _MIN_TOKENS
        if is_spent or not self.excerpt.unread or self.record.error:
            return frozenset()
        return self.silent() - self.idle

    def silent(self) -> frozenset[str]:
        """Return what nothing is said of; a list may go on in the rest."""
        lists = {item.table for item in self.record.lists}
        return frozenset(
            item.cell.attribute
            for item in self.record.cells
            if _is_silent(item) or item.cell.attribute in lists
        )

    def next_part(self, task: RecordTask) -> Excerpt:
        """Choose what to show next: more than before, if that was little."""
        n_tokens = min(self.most, self.left, _GROWTH * max(_MIN_TOKENS, self.excerpt.n_tokens))
        self.left -= n_tokens
        return take_excerpt(self.excerpt.document, task.attributes, n_tokens, self.excerpt)

    def add(self, record: PredictedRecord) -> None:
        """Take the cells of a further part where those before say nothing, or have worse words."""
        found = {item.cell.attribute: item for item in record.cells}
        lists = {item.table: item for item in self.record.lists}
        cells = []
        for item in self.record.cells:
            later = found.get(item.cell.attribute, item)
            if _is_silent(item) and later.cell.state in {State.STATED, State.STATED_ABSENT}:
                self.found.add(item.cell.attribute)
            is_plain = later.cell.marks.isdisjoint(UNQUOTED) and later.cell.state is State.STATED
            is_better = is_plain and not item.cell.marks.isdisjoint(IN_DOUBT)
            if item.cell.attribute in lists and later is not item:  # the rows of both are kept
                if later.cell.state is State.FAILED or not later.cell.marks.isdisjoint(IN_DOUBT):
                    noted = add_note(item.cell, later.cell.note, Mark.DOUBTED)
                    item = replace(item, cell=noted)
            elif _is_silent(item) or is_better:
                item = later
            cells.append(item)
        for listed in record.lists:
            known = lists.get(listed.table)
            joined = listed if known is None else join_rows(known, listed)
            if known is None or len(joined.rows) > len(known.rows):
                self.found.add(listed.table)
            lists[listed.table] = joined
        self.record = replace(
            self.record, cells=tuple(cells), error=record.error, lists=tuple(lists.values())
        )

    def finish(self) -> PredictedRecord:
        """Return the record; silent cells tell what was not read."""
        cells, text = [], self.excerpt.document.text
        for item in self.record.cells:
            part = self.first if item.cell.attribute in self.idle else self.excerpt
            is_open = any(item.cell.attribute == listed.table for listed in self.record.lists)
            if part.unread and (_is_silent(item) or is_open):
                note = f"read in part: {part.n_read:,} of {len(text):,} characters"
                item = replace(item, cell=add_note(item.cell, note, Mark.READ_IN_PART))
            cells.append(item)
        return replace(self.record, cells=tuple(cells))


def _is_silent(item: PredictedCell) -> bool:
    return item.cell.state is State.NOT_MENTIONED


def _group(documents: Sequence[_Document]) -> Mapping[frozenset[str], list[_Document]]:
    """Put the documents together that lack the same attributes."""
    groups: defaultdict[frozenset[str], list[_Document]] = defaultdict(list)
    for document in documents:
        if names := document.unsaid():
            groups[names].append(document)
    return groups


async def _read_on(task: RecordTask, documents: Sequence[_Document], max_tokens: int) -> None:
    parts = [(document, document.next_part(task)) for document in documents]
    parts = [(document, part) for document, part in parts if part.shown]  # else it has no room
    n_attributes = len(task.attributes)
    for batch in plan_batches(parts, lambda part: part[1].n_tokens, n_attributes, max_tokens):
        asked = [excerpt for _, excerpt in batch]
        readings = await predict_batch(task, asked)
        for (document, part), (record, shown) in zip(batch, readings, strict=True):
            document.add(record)
            document.turn_to(shown, part)
