"""What 16a3ebc was answered in an ingestion that did not end: it is not asked again.

Its replies are in a form of their own, and were to prompts that nobody writes any more.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from srag_mcp.cells.cell import DocumentText, PredictedCell, PredictedRecord
from srag_mcp.cells.normalised import ReplyValue
from srag_mcp.errors import ReplyError
from srag_mcp.model.asking import read_content
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.records.judging import CellReply, Judge
from srag_mcp.records.record_prompt import take_excerpt
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.earlier import find_basis
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.state import State, open_state
from srag_mcp.values.states import State as CellState

if TYPE_CHECKING:
    from srag_mcp.store.work import WorkDatabase

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
