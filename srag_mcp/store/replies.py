"""Replies of language models, each paid for once, and the ledger of all calls.

What 16a3ebc was answered in an ingestion that did not end is not asked again, either. Its replies
are in a form of their own, and were to prompts that nobody writes any more.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import TypeAdapter
from typing_extensions import override

from srag_mcp.cells.cell import DocumentText, PredictedCell, PredictedRecord
from srag_mcp.cells.normalised import ReplyValue
from srag_mcp.documents.encoding import storable
from srag_mcp.errors import NotIngestedError, ReplyError
from srag_mcp.model.asking import read_content
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.model.ledger import Call, KeptReply, Ledger, MemoryReplies, Totals
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.records.judging import CellReply, Judge
from srag_mcp.records.record_prompt import take_excerpt
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.earlier import find_basis, is_work_taken_over
from srag_mcp.store.layout import STATE_FILE, WORK_FILE, CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.state import State, open_state, read_state
from srag_mcp.store.work import WorkDatabase, open_work
from srag_mcp.values.states import State as CellState

_INGESTION = "ingestion"
_CALL = tuple(field.name for field in fields(Call))
_CALLS = TypeAdapter(list[Call])


class StoredReplies(MemoryReplies):
    """Those of a corpus, shared by ingestions and by questions, which no budget counts."""

    def __init__(self, state: State, *, of_questions: bool = False) -> None:
        self._state = state
        self._ingestion = 0 if of_questions else int(state.note(_INGESTION) or "1")

    @override
    def find(self, prompt_hash: str, asked_model: str) -> Reply | None:
        rows = self._state.run(
            "SELECT text, model, truncated FROM replies"
            " WHERE prompt_hash = ? AND asked_model = ? AND NOT is_useless",
            prompt_hash,
            asked_model,
        )
        return _reply(*rows[0]) if rows else None

    @override
    def keep(self, call: Call, kept: KeptReply | None = None) -> None:
        told = asdict(call) | {
            "subject": storable(call.subject),
            "at": call.at.isoformat(timespec="microseconds"),
        }
        with self._state.transaction():
            self._state.run(
                "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
                *told.values(),
                self._ingestion,
            )
            if kept is not None:
                self._state.run(
                    "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
                    kept.prompt_hash, kept.asked_model, kept.step, storable(kept.reply.text),
                    kept.reply.model, kept.reply.truncated, kept.delta,
                )  # fmt: skip

    @override
    def forget(self, prompt_hash: str, asked_model: str) -> None:
        self._state.run(
            "UPDATE replies SET is_useless = 1 WHERE prompt_hash = ? AND asked_model = ?",
            prompt_hash,
            asked_model,
        )

    @override
    def kept(self) -> Iterator[KeptReply]:
        rows = self._state.run(
            "SELECT prompt_hash, step, asked_model, delta, text, model, truncated"
            " FROM replies ORDER BY rowid"
        )
        for prompt_hash, step, asked_model, delta, *reply in rows:
            yield KeptReply(prompt_hash, step, asked_model, _reply(*reply), delta)

    @override
    def calls(self, since: int = 0) -> list[Call]:
        rows = self._state.run("SELECT * FROM calls WHERE ingestion >= ? ORDER BY at, rowid", since)
        return _CALLS.validate_python([dict(zip(_CALL, row, strict=False)) for row in rows])

    def unsettled(self) -> Totals:
        """Return what the present ingestion has taken, with those that it continues."""
        return Ledger(self.calls(self._ingestion)).total

    def settle(self) -> None:
        """Say that the present ingestion is finished: a budget counts anew from here."""
        self._ingestion += 1
        self._state.keep_note(_INGESTION, str(self._ingestion))
        forget_earlier_answers(self._state)


def read_calls(folder: Path, home: Path | None = None) -> list[Call]:
    """Return all calls that were made for the corpus in *folder*, questions too, oldest first.

    Raises:
        NotIngestedError: If it was never ingested.
        LockedError: If an ingestion of an earlier version runs.
        StoreError: If they cannot be read.
    """
    state = CorpusFolder(folder, home).readable()
    if not ((state / STATE_FILE).exists() or (state / WORK_FILE).exists()):
        msg = f"{folder} was not ingested, so no language model was asked for it"
        raise NotIngestedError(msg)
    with read_state(state) as found:
        if is_work_taken_over(found):
            return StoredReplies(found).calls()
    with open_work(state), read_state(state) as found:  # an earlier version kept them there
        return StoredReplies(found).calls()


def _reply(text: str, model: str, truncated: int) -> Reply:
    return Reply(text, model=model, truncated=bool(truncated))


logger = logging.getLogger(__name__)

_FROM = "FROM earlier_answers WHERE step = ? AND asked_model = ?"


class _OldCell(ReplyElement):
    blanks: ClassVar = {"attribute": "", "state": "stated", "value": None, "quote": ""}

    attribute: str
    state: Literal["stated", "stated_absent"]
    value: ReplyValue
    quote: str


class _OldDocument(ReplyElement):
    blanks: ClassVar = {"id": "", "cells": (), "not_mentioned": ()}

    id: str
    cells: tuple[_OldCell, ...]
    not_mentioned: tuple[str, ...]


class _OldRecords(ReplyContent):
    documents: tuple[_OldDocument, ...]


class EarlierAnswers(LanguageModel):
    """A model that is not asked for the rounds of a schema that it has answered."""

    def __init__(self, model: LanguageModel, name: str, state: State) -> None:
        self._model = model
        self._name = name
        self._state = state

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt* as before, once; else let the model answer it."""
        if prompt.step == "schema" and not prompt.corrections:
            key = (prompt.step, self._name, prompt.subject)
            found = self._state.run(f"SELECT text {_FROM} AND subject = ?", *key)
            self._state.run(f"DELETE {_FROM} AND subject = ?", *key)
            if found:
                return Reply(found[0][0], cost_usd=0.0, model=self._name)
        return await self._model.complete(prompt, reply_schema)

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let the model forget its reply."""
        self._model.forget(prompt, reply_schema)


def take_over_records(
    work: WorkDatabase, asked_model: str, engine: str, prompt_tokens: int
) -> None:
    """Keep the cells that *asked_model* gave an earlier version, as predictions of *engine*.

    Those that could not be used as they are, and those of other documents or definitions, are
    asked for. So is what a document does not mention that was shown in part, perhaps.
    """
    with open_state(work.state) as state:
        found = state.run(f"SELECT subject, text, basis {_FROM}", "records", asked_model)
        present = work.schema_in_force()
        if not found or present is None:
            return
        attributes, predictions = present.schema.attributes, Predictions(work)
        lacking = {
            document_id: group.attributes
            for group in predictions.pending(attributes)
            for document_id in group.document_ids
        }
        for subject, text, basis in found:
            if basis != find_basis(work, "records", subject):
                continue
            texts = list(predictions.texts(subject.split(", ")))
            records = []
            for document, said in _read_records(text, texts):
                whole = not take_excerpt(document, attributes, prompt_tokens).unread
                judged = _judge(said, document, lacking.get(document.document_id, ()), engine)
                is_complete = whole and {item.key for item in said} >= {x.name for x in attributes}
                cells = tuple(
                    item
                    for item in judged
                    if is_complete or item.cell.state is not CellState.NOT_MENTIONED
                )
                records.append(PredictedRecord(document.document_id, document.sha256, cells))
            predictions.store(attributes, records)
        state.run(f"DELETE {_FROM}", "records", asked_model)


def forget_earlier_answers(state: State) -> None:
    """Forget what an earlier version was answered: another thing is asked now."""
    state.run("DELETE FROM earlier_answers")


def _read_records(
    text: str, documents: Sequence[DocumentText]
) -> Iterator[tuple[DocumentText, list[CellReply]]]:
    """Yield what a reply says of each of the documents that it was asked about."""
    try:
        said = read_content(text, _OldRecords).documents
    except ReplyError as error:
        logger.warning("an answer of an earlier version cannot be read: %s", error)
        return
    keys = [f"d{number}" for number in range(1, len(documents) + 1)]
    if sorted(item.id for item in said) != sorted(keys):
        return  # a correction has the keys of the prompt before: nobody knows their documents
    by_key = {item.id: item for item in said}
    for key, document in zip(keys, documents, strict=True):
        silent = map(CellReply, by_key[key].not_mentioned)
        yield document, [*map(_read_cell, by_key[key].cells), *silent]


def _read_cell(cell: _OldCell) -> CellReply:
    misfit = "; ".join(describe_misfits(cell))
    if cell.state == "stated":
        return CellReply(cell.attribute, cell.value, cell.quote, misfit=misfit)
    misfit = misfit or ("it is stated_absent, and has a value" if cell.value else "")
    return CellReply(cell.attribute, None, cell.quote, misfit=misfit)


def _judge(
    said: Sequence[CellReply], document: DocumentText, attributes: Sequence[Attribute], engine: str
) -> Iterator[PredictedCell]:
    """Yield the cells of those of *attributes* that a reply names, if they can be used."""
    named = {cell.key for cell in said}
    asked = [attribute for attribute in attributes if attribute.name in named]
    for judgement in Judge(document, engine).judge(dict(enumerate(asked, 1)), said).values():
        if not judgement.problem:
            yield judgement.taken
