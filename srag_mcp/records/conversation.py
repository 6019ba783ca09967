"""A conversation: records of some documents, asked again for what cannot be used."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from srag_mcp.cells.cell import Cell, DocumentText, PredictedCell, PredictedRecord
from srag_mcp.claims.quotes import LONGEST_QUOTE
from srag_mcp.errors import ModelError, ModelStoppedError, ReplyError, UselessRepliesError
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import Correction, LanguageModel, Prompt, Reply, Step
from srag_mcp.records.judging import (
    LEFT_OUT,
    CellReply,
    DocumentReply,
    Judge,
    Judgement,
    RecordsReply,
)
from srag_mcp.records.pilot import Pilot
from srag_mcp.records.record_prompt import Excerpt, render_records_prompt
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

MOST_AT_FIRST = 5
MOST_LATER = 25
MAX_CORRECTIONS = 2
_MAX_PROBLEMS = 60
_LEFT_OUT = "the reply leaves the document out"
_CORRECTION = (
    "These cells cannot be used as they are. Answer for them again, put right, and for nothing"
    " else, as one JSON object of the same form. What the document does not say goes into"
    " not_mentioned."
)


@dataclass(slots=True)
class UselessReplies:
    """Counts the documents in a row of which no reply had the right form.

    Attributes:
        is_proven: Whether any document was read: then some odd ones in a row may be by chance.
    """

    is_proven: bool = False
    _n_in_a_row: int = 0

    def count(self, reason: str) -> None:
        """Take note of a document whose replies were of no use.

        Raises:
            UselessRepliesError: If there were many in a row, more where others could be read.
        """
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
    """What all batches of one prediction have in common.

    Attributes:
        model: Who is asked.
        attributes: What is asked for, in this order.
        engine: `model` or `agent`, for the cells.
        first_tokens: Most tokens shown of a document at first, where few attributes are sought;
            None for as many as one prompt may show.
        step: What it counts as.
        places: By document id; only what stands around them is shown of these documents.
        pilot: Tells what is sought in further parts of long documents.
        useless: Documents in a row that nothing came of.
    """

    model: LanguageModel
    attributes: tuple[Attribute, ...]
    engine: str
    first_tokens: int | None = None
    step: Step = "records"
    places: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    pilot: Pilot = field(default_factory=Pilot, compare=False)
    useless: UselessReplies = field(default_factory=UselessReplies, compare=False)


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
class Conversation:
    """Asks for the records of some documents until nothing is left to put right.

    A correction asks only for the cells that it is about; other documents are not sent again.
    """

    task: RecordTask
    batch: Sequence[Excerpt]
    _judged: dict[str, dict[str, Judgement]] = field(default_factory=dict)
    _doubted: set[tuple[str, str]] = field(default_factory=set)
    _heard: set[str] = field(default_factory=set)
    _unanswered: Mapping[str, str] = field(default_factory=dict)

    async def finish(self) -> list[PredictedRecord]:
        """Return a record for each document, in their order.

        Raises:
            ModelError: If the first prompt has no reply that can be used.
            ModelStoppedError: If no further prompt can be answered.
        """
        excerpts = {f"d{number}": item for number, item in enumerate(self.batch, start=1)}
        names = tuple(attribute.name for attribute in self.task.attributes)
        wanted: dict[str, tuple[str, ...]] = dict.fromkeys(excerpts, names)
        correction: tuple[Correction, ...] = ()
        for n_corrections in range(MAX_CORRECTIONS + 1):
            asked = {key: excerpts[key] for key in wanted}
            part = wanted if n_corrections else None
            prompt = render_records_prompt(self.task.attributes, asked, part, correction)
            prompt = replace(prompt, step=self.task.step)
            try:
                reply = await self._ask(prompt, len(asked))
            except ModelError as error:
                if not n_corrections or isinstance(error, ModelStoppedError):
                    raise
                self._unanswered = dict.fromkeys(wanted, str(error))
                break  # what was found before stands
            self._judge(asked, wanted, reply)
            wanted = self._open_questions(wanted)
            if not wanted:
                break
            correction = (self._correct(reply, wanted),)
        return [await self._ask_alone(key, item) for key, item in excerpts.items()]

    async def _ask(self, prompt: Prompt, n_documents: int) -> RecordsReply:
        """Ask, and let the model forget a reply of which nothing can be made."""
        model = _WholeReplies(self.task.model, n_documents)
        asked = await ask_for(model, prompt, RecordsReply)
        if not any(map(_names_in, asked.content.documents)):
            asked.forget(model)
        return asked.content

    async def _ask_alone(self, key: str, excerpt: Excerpt) -> PredictedRecord:
        """Return the record of a document; what the replies to several leave out is asked alone."""
        record = self._record(key, excerpt)
        if not record.error or len(self.batch) == 1:
            return record
        try:
            [alone] = await Conversation(self.task, (excerpt,)).finish()
        except ModelStoppedError:
            raise
        except ModelError:
            return record
        return record if alone.error else alone

    def _judge(
        self,
        excerpts: Mapping[str, Excerpt],
        wanted: Mapping[str, Sequence[str]],
        reply: RecordsReply,
    ) -> None:
        for key, excerpt in excerpts.items():
            attributes = [item for item in self.task.attributes if item.name in wanted[key]]
            replies = [document for document in reply.documents if document.id == key]
            if any(_names_in(document).intersection(wanted[key]) for document in replies):
                self._heard.add(key)
            judged = Judge(excerpt.document, self.task.engine).judge(attributes, replies)
            before = self._judged.setdefault(key, {})
            for name, judgement in judged.items():
                if judgement.is_usable or name not in before or not before[name].is_usable:
                    before[name] = judgement

    def _open_questions(self, wanted: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        """Return what is to be asked again: what has a problem that was not told before."""
        open_questions: dict[str, tuple[str, ...]] = {}
        doubted = self._doubted
        for key, names in wanted.items():
            judged = self._judged[key]
            told = {name for name in names if judged[name].told_once}
            left = [
                x for x in names if judged[x].problem and not (x in told and (key, x) in doubted)
            ]
            doubted.update((key, name) for name in left if name in told)
            if left:
                open_questions[key] = tuple(left)
        return open_questions

    def _correct(self, reply: RecordsReply, wanted: Mapping[str, Sequence[str]]) -> Correction:
        """Give back the part of *reply* that is asked for again, with what is wrong with it."""
        parts = [
            {
                "id": item.id,
                "cells": [_shortened(x) for x in item.cells if x.attribute in wanted[item.id]],
                "not_mentioned": [name for name in item.not_mentioned if name in wanted[item.id]],
            }
            for item in reply.documents
            if item.id in wanted
        ]
        text = json.dumps({"documents": parts}, ensure_ascii=False, separators=(",", ":"))
        problems = [
            f"{key}, {name}: {self._judged[key][name].problem}"
            for key, names in wanted.items()
            for name in names
        ]
        told = "\n".join(f"- {problem}" for problem in problems[:_MAX_PROBLEMS])
        return Correction(text, f"{_CORRECTION}\n{told}")

    def _record(self, key: str, excerpt: Excerpt) -> PredictedRecord:
        """Return the record by now; its error says why to ask about the document again.

        That is where no reply has it, or nobody put it right.
        """
        judged, document, error = self._judged[key], excerpt.document, ""
        cells = tuple(judged[attribute.name].taken for attribute in self.task.attributes)
        if key not in self._heard:
            notes = (item.cell.note for item in cells)
            misfit = next((note for note in notes if note != LEFT_OUT), _LEFT_OUT)
            error = self._unanswered.get(key, misfit)
        elif any(item.cell.state is State.FAILED for item in cells):
            error = self._unanswered.get(key, "")
        return PredictedRecord(document.document_id, document.sha256, cells, error)


def _names_in(document: DocumentReply) -> frozenset[str]:
    """Return the names of the attributes of which a reply says something."""
    stated = [cell.attribute for cell in document.cells if not cell.misfits]
    return frozenset([*stated, *document.not_mentioned])


def _shortened(cell: CellReply) -> dict[str, object]:
    """Write a cell for the model that gave it; of endless texts the beginning."""
    fields = cell.model_dump().items()
    return {key: f[:LONGEST_QUOTE] if isinstance(f, str) else f for key, f in fields}
