"""What 16a3ebc kept in files and in the work database: taken over by the next ingestion, once.

What was answered is not asked again, also where prompts read otherwise today; prompts that were
handed out and not answered are. Its replies have a form of their own.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter

from srag_mcp.cells.cell import BY_MODEL, DocumentText, PredictedCell, PredictedRecord
from srag_mcp.documents.folder import storable
from srag_mcp.errors import ReplyError
from srag_mcp.model.language_model import AGENT, LanguageModel, Prompt, Reply
from srag_mcp.model.ledger import Call, KeptReply
from srag_mcp.model.reply_content import ReplyContent, ReplyElement, describe_misfits, read_content
from srag_mcp.records.judging import CellReply, Judge
from srag_mcp.records.record_prompt import take_excerpt
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.settings import PROMPT_TOKENS
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.spool import INGESTION, StoredReplies
from srag_mcp.store.state import TAKEN_OVER, UNFINISHED_FILE
from srag_mcp.values.states import State as CellState

if TYPE_CHECKING:
    from pathlib import Path

    from srag_mcp.store.state import State
    from srag_mcp.store.work import WorkDatabase


logger = logging.getLogger(__name__)

_CALLS = ("calls.jsonl", "asked.jsonl")
_TABLES = ("ledger", "replies", "useless_replies")
_IN_WORK = """
SELECT {'call_id': call_id, 'ingestion': ingestion,
  'call': {'step': calls.step, 'subject': subject, 'prompt_hash': calls.prompt_hash,
    'model': calls.model, 'outcome': outcome,
    'at': strftime(called_at, '%Y-%m-%dT%H:%M:%S.%fZ'), 'tokens_in': calls.tokens_in,
    'tokens_out': calls.tokens_out, 'tokens_cached': calls.tokens_cached,
    'seconds': calls.seconds, 'cost_usd': calls.cost_usd, 'is_estimated': is_estimated},
  'kept': CASE WHEN text IS NOT NULL THEN {'prompt_hash': said.prompt_hash, 'step': said.step,
    'asked_model': asked_model, 'delta': delta,
    'reply': {'text': text, 'model': said.model, 'truncated': truncated}} END}
FROM ledger AS calls LEFT JOIN replies AS said
ON outcome = 'answered' AND (calls.prompt_hash, calls.model) = (said.prompt_hash, asked_model)
ORDER BY calls.rowid
"""
_ANSWERED = """
SELECT calls.step, subject, asked_model, text FROM (SELECT * FROM calls ORDER BY at) AS calls
JOIN replies ON calls.prompt_hash = replies.prompt_hash AND calls.model = asked_model
WHERE outcome = 'answered' AND NOT is_useless AND NOT truncated AND ingestion >= ?
"""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A call and its reply; *ingestion* is 0 for a question."""

    call_id: str
    ingestion: int
    call: Call
    kept: KeptReply | None


_ENTRY = TypeAdapter(_Entry)


def take_over(state: State, work: WorkDatabase) -> None:
    """Move what is in the files and the work database to where it is today, but for damages."""
    entries, useless = dict[str, _Entry](), set[tuple[str, str]]()
    in_work = {str(name) for (name,) in work.run("SELECT table_name FROM duckdb_tables()")}
    if in_work.issuperset(_TABLES):
        found = (_ENTRY.validate_python(row) for (row,) in work.run(_IN_WORK))
        entries = {entry.call_id: entry for entry in found}
        useless = set(work.run("FROM useless_replies"))
    for name in _CALLS:
        if (work.state / name).exists():
            _read_calls(work.state / name, entries, useless)
    with state.transaction():
        for entry in entries.values():
            StoredReplies(state, entry.ingestion).keep(entry.call, entry.kept)
        for key in useless:
            StoredReplies(state).forget(*key)
        if number := work.note("ledger:ingestion"):
            state.keep_note(INGESTION, number)
        _keep_answers(state, work)
        state.keep_note(TAKEN_OVER, "yes")
    state.run("PRAGMA wal_checkpoint(TRUNCATE)")  # to the disk, so that what it is from may go
    for name in in_work.intersection(_TABLES):
        work.run(f"DROP TABLE {name}")
    for name in ("prompts", "jobs"):
        shutil.rmtree(work.state / name, ignore_errors=True)
    for name in (*_CALLS, UNFINISHED_FILE, "prompts.lock"):
        (work.state / name).unlink(missing_ok=True)


def _read_calls(path: Path, entries: dict[str, _Entry], useless: set[tuple[str, str]]) -> None:
    """Read a file of calls, which is newer than the work database."""
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            if line.startswith(b'{"forgotten"'):
                prompt_hash, asked_model = json.loads(line)["forgotten"]
                useless.add((prompt_hash, asked_model))
            elif line.strip():
                entry = _ENTRY.validate_json(line)
                entries[entry.call_id] = entry
                if entry.kept is not None:
                    useless.discard((entry.kept.prompt_hash, entry.kept.asked_model))
        except ValueError:  # perhaps its process was killed
            logger.warning("a line of %d bytes among the calls is damaged", len(line))


def _answered_by_agents(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield what agents answered, and no job has heard: as `_ANSWERED`."""
    for path in sorted(folder.glob("*.reply.json")):
        name = path.name.replace(".reply", "")
        asked = next((x for x in (folder / name, folder / "parked" / name) if x.exists()), None)
        try:
            text = json.loads(path.read_bytes())["text"]
            prompt = json.loads(asked.read_bytes())["prompt"] if asked else {}
            yield prompt["step"], prompt["subject"], AGENT, storable(str(text))
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.warning("%s is damaged, and left out: %s", path, error)


def _keep_answers(state: State, work: WorkDatabase) -> None:
    """Keep what the ingestion that did not end was answered, by what it was asked about.

    Of several answers on the same documents none is kept; of those to a round of a schema the last.
    """
    answers: dict[tuple[str, str, str], list[str]] = {}
    answered = state.run(_ANSWERED, int(state.note(INGESTION) or "1"))
    for step, subject, asked_model, text in (
        *answered,
        *_answered_by_agents(work.state / "prompts"),
    ):
        answers.setdefault((step, subject, asked_model), []).append(text)
    for (step, subject, asked_model), texts in answers.items():
        if step == "schema":
            row = (step, subject, asked_model, texts[-1])
            state.run("INSERT INTO earlier_answers VALUES (?, ?, ?, ?, '')", *row)
        elif step == "records" and len(texts) == 1:
            engine = AGENT if asked_model == AGENT else BY_MODEL
            _keep_records(work, subject.split(", "), texts[0], engine)


def _keep_records(work: WorkDatabase, ids: Sequence[str], text: str, engine: str) -> None:
    """Keep the usable cells that a reply gives of documents, as predictions of *engine*."""
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


class _OldCell(ReplyElement):
    attribute: str
    state: Literal["stated", "stated_absent"]
    value: Scalar | None
    quote: str


class _OldDocument(ReplyElement):
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
