"""What 16a3ebc kept in the work database, and was answered in an ingestion that did not end.

It is taken over once: what was answered is not asked again, also where prompts read otherwise
today; prompts that were handed out and not answered are. Its replies have a form of their own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from srag_mcp.cells.cell import BY_MODEL, DocumentText, PredictedCell, PredictedRecord
from srag_mcp.errors import ReplyError
from srag_mcp.model.asking import read_content
from srag_mcp.model.language_model import AGENT, LanguageModel, Prompt, Reply
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits
from srag_mcp.records.judging import CellReply, Judge
from srag_mcp.records.record_prompt import take_excerpt
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.settings import PROMPT_TOKENS
from srag_mcp.store.earlier import KEEP_CALL, WORK_TAKEN_OVER, call_row
from srag_mcp.store.predictions import Predictions
from srag_mcp.values.states import State as CellState

if TYPE_CHECKING:
    from srag_mcp.store.state import State
    from srag_mcp.store.work import WorkDatabase


logger = logging.getLogger(__name__)

_CALLS = """
SELECT step, subject, prompt_hash, model, outcome, called_at, tokens_in, tokens_out, tokens_cached,
  seconds, cost_usd, is_estimated, ingestion, call_id
FROM ledger ORDER BY rowid
"""
_REPLIES = """
SELECT prompt_hash, asked_model, step, text, model, truncated, delta FROM replies ORDER BY rowid
"""
_ANSWERED = """
SELECT calls.step, subject, asked_model, text FROM (SELECT * FROM calls ORDER BY at) AS calls
JOIN replies ON calls.prompt_hash = replies.prompt_hash AND calls.model = asked_model
WHERE outcome = 'answered' AND NOT is_useless AND NOT truncated AND ingestion >= ?
UNION ALL
SELECT json_extract(entry, '$.prompt.step'), json_extract(entry, '$.prompt.subject'), ?, answer
FROM prompts WHERE entry IS NOT NULL AND answer IS NOT NULL
"""


def is_work_taken_over(state: State) -> bool:
    """Whether the work database holds no replies and calls any more."""
    return state.note(WORK_TAKEN_OVER) is not None


def take_over_work(state: State, work: WorkDatabase) -> None:
    """Move replies and ledger out of the work database, once; its lock is held.

    What the files had is newer.
    """
    if is_work_taken_over(state):
        return
    tables = work.run("SELECT table_name FROM duckdb_tables()")
    earlier = {"ledger", "replies", "useless_replies"} & {str(name) for (name,) in tables}
    with state.transaction():
        if earlier:
            for row in work.run(_CALLS):
                state.run(KEEP_CALL, *call_row(row))
            latest = {row[:2]: row for row in work.run(_REPLIES)}
            useless = set(work.run("FROM useless_replies"))
            for key, row in latest.items():
                values = (*row, key in useless)
                state.run("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *values)
            state.keep_note("ingestion", work.note("ledger:ingestion"))
            _keep_answers(state, work)
        state.keep_note(WORK_TAKEN_OVER, "yes")
    state.sync()
    for name in earlier:
        work.run(f"DROP TABLE {name}")


def _keep_answers(state: State, work: WorkDatabase) -> None:
    """Keep what the ingestion that did not end was answered, by what it was asked about.

    Of several answers on the same documents nobody knows which is to what part of them; that to a
    round of the schema is the last one, which was put right.
    """
    answers: dict[tuple[str, str, str], list[str]] = {}
    for *key, text in state.run(_ANSWERED, int(state.note("ingestion") or "1"), AGENT):
        step, subject, asked_model = key
        answers.setdefault((step, subject, asked_model), []).append(text)
    for (step, subject, asked_model), texts in answers.items():
        if step == "schema":
            row = (step, subject, asked_model, texts[-1])
            state.run("INSERT INTO earlier_answers VALUES (?, ?, ?, ?, '')", *row)
        elif step == "records" and len(texts) == 1:
            engine = AGENT if asked_model == AGENT else BY_MODEL
            _keep_records(work, subject.split(", "), texts[0], engine)


def _keep_records(work: WorkDatabase, ids: Sequence[str], text: str, engine: str) -> None:
    """Keep the cells that a reply gives of documents, as predictions of *engine*.

    Those that could not be used as they are, and those of documents that are gone, are asked for.
    So is what a document does not mention that was shown in part.
    """
    present, predictions = work.schema_in_force(), Predictions(work)
    documents = list(predictions.texts(ids))
    if present is None or len(documents) < len(ids):
        return
    attributes = present.schema.attributes
    lacking = {
        document_id: group.attributes
        for group in predictions.pending(attributes)
        for document_id in group.document_ids
    }
    records = []
    for document, said in _read_records(text, documents):
        whole = not take_excerpt(document, attributes, PROMPT_TOKENS).unread
        judged = _judge(said, document, lacking.get(document.document_id, ()), engine)
        is_complete = whole and {item.key for item in said} >= {x.name for x in attributes}
        cells = tuple(
            item for item in judged if is_complete or item.cell.state is not CellState.NOT_MENTIONED
        )
        records.append(PredictedRecord(document.document_id, document.sha256, cells))
    predictions.store(attributes, records)


class EarlierAnswers(LanguageModel):
    """A model that is not asked for the rounds of a schema that it has answered."""

    def __init__(self, model: LanguageModel, name: str, state: State) -> None:
        self._model = model
        self._name = name
        self._state = state

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt* as before, once; else let the model answer it."""
        if prompt.step == "schema" and not prompt.corrections:
            found = self._state.run(
                "DELETE FROM earlier_answers WHERE asked_model = ? AND subject = ? RETURNING text",
                self._name,
                prompt.subject,
            )
            if found:
                return Reply(found[0][0], cost_usd=0.0, model=self._name)
        return await self._model.complete(prompt, reply_schema)

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let the model forget its reply."""
        self._model.forget(prompt, reply_schema)


def forget_earlier_answers(state: State) -> None:
    """Forget what an earlier version was answered: another thing is asked now."""
    state.run("DELETE FROM earlier_answers")


class _OldCell(ReplyElement):
    blanks: ClassVar = {"attribute": "", "state": "stated", "value": None, "quote": ""}

    attribute: str
    state: Literal["stated", "stated_absent"]
    value: Scalar | None
    quote: str


class _OldDocument(ReplyElement):
    blanks: ClassVar = {"id": "", "cells": (), "not_mentioned": ()}

    id: str
    cells: tuple[_OldCell, ...]
    not_mentioned: tuple[str, ...]


class _OldRecords(ReplyContent):
    documents: tuple[_OldDocument, ...]


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
