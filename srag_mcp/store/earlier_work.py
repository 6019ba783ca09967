"""Replies and ledger as 16a3ebc kept them in the work database: taken over, once.

What an ingestion that did not end was answered counts also where prompts read otherwise today.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from srag_mcp.model.agent_model import AGENT
from srag_mcp.model.language_model import LanguageModel, Price, Prompt, Reply
from srag_mcp.records.passages import LEFT_OUT
from srag_mcp.store.earlier_state import KEEP_CALL, WORK_TAKEN_OVER, call_row

if TYPE_CHECKING:
    from srag_mcp.store.state import State
    from srag_mcp.store.work import WorkDatabase

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
    tables = work.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    earlier = {"ledger", "replies", "useless_replies"} & {str(name) for (name,) in tables}
    with state.transaction():
        if earlier:
            for row in work.connection.execute(_CALLS).fetchall():
                state.run(KEEP_CALL, *call_row(row))
            latest = {row[:2]: row for row in work.connection.execute(_REPLIES).fetchall()}
            useless = set(work.connection.execute("FROM useless_replies").fetchall())
            for key, row in latest.items():
                values = (*row, key in useless)
                state.run("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *values)
            state.keep_note("ingestion", work.note("ledger:ingestion"))
            _keep_answers(state, work)
        state.keep_note(WORK_TAKEN_OVER, "yes")
    state.sync()
    for name in earlier:
        work.connection.execute(f"DROP TABLE {name}")


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
        basis = _basis(work, step, subject)
        if basis is not None and (len(texts) == 1 or step == "schema"):
            state.run(
                "INSERT INTO earlier_answers VALUES (?, ?, ?, ?, ?)",
                step, subject, asked_model, texts[-1], basis,
            )  # fmt: skip


class EarlierAnswers(LanguageModel):
    """A model that is not asked for what an earlier version was answered by it."""

    def __init__(self, model: LanguageModel, name: str, state: State, work: WorkDatabase) -> None:
        self._model = model
        self._name = name
        self._state = state
        self._work = work

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt* as before, once; else let the model answer it."""
        text = self._take(prompt)
        if text is not None:
            return Reply(text, cost_usd=0.0, model=self._name)
        return await self._model.complete(prompt, reply_schema)

    def load(self) -> None:
        """Let the model load what it needs."""
        self._model.load()

    async def find_price(self) -> Price | None:
        """Return what the model charges; None where that is not known."""
        return await self._model.find_price()

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let the model forget its reply."""
        self._model.forget(prompt, reply_schema)

    def _take(self, prompt: Prompt) -> str | None:
        if prompt.corrections or LEFT_OUT in prompt.content:  # other parts may be shown today
            return None
        rows = self._state.run(
            "SELECT rowid, text, basis FROM earlier_answers"
            " WHERE step = ? AND subject = ? AND asked_model = ?",
            prompt.step, prompt.subject, self._name,
        )  # fmt: skip
        for rowid, text, basis in rows:
            self._state.run("DELETE FROM earlier_answers WHERE rowid = ?", rowid)
            if basis == _basis(self._work, prompt.step, prompt.subject):
                return str(text)
        return None


def forget_earlier_answers(state: State) -> None:
    """Forget what an earlier version was answered: another thing is asked now."""
    state.run("DELETE FROM earlier_answers")


def _basis(work: WorkDatabase, step: str, subject: str) -> str | None:
    """Name what an answer rests on; None for one that cannot be used.

    That to a prompt of records rests on the definitions of columns and on the documents' bytes.
    """
    if step == "schema":
        return ""
    ids = subject.split(", ")
    rows = work.connection.execute(
        "SELECT document_id, sha256 FROM documents WHERE document_id IN (SELECT unnest(?))"
        " ORDER BY document_id",
        [ids],
    ).fetchall()
    present = work.schema_in_force()
    if step != "records" or present is None or len(rows) < len(ids):
        return None
    text = f"{present.schema.model_dump_json(include={'attributes'})}{rows}"
    return hashlib.sha256(text.encode()).hexdigest()
