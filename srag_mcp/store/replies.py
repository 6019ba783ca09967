"""Replies of language models, each paid for once, and the ledger of all calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

from pydantic import TypeAdapter
from typing_extensions import override

from srag_mcp.documents.encoding import storable
from srag_mcp.errors import NotIngestedError
from srag_mcp.model.language_model import Reply
from srag_mcp.model.ledger import Call, KeptReply, Ledger, MemoryReplies, Totals
from srag_mcp.store.layout import STATE_FILE, WORK_FILE, CorpusFolder
from srag_mcp.store.state import TAKEN_OVER, State, read_state
from srag_mcp.store.work import open_work

INGESTION = "ingestion"  # the note of the number of the present one
QUESTIONS = 0  # in its place
_CALL = tuple(field.name for field in fields(Call))
_CALLS = TypeAdapter(list[Call])


class StoredReplies(MemoryReplies):
    """Those of a corpus, shared by ingestions and by questions, which no budget counts.

    Calls count as those of *ingestion*, of the present one when None.
    """

    def __init__(self, state: State, ingestion: int | None = None) -> None:
        self._state = state
        present = int(state.note(INGESTION) or "1")
        self._ingestion = present if ingestion is None else ingestion

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
        self._state.keep_note(INGESTION, str(self._ingestion))
        self._state.run("DELETE FROM earlier_answers")  # another thing is asked now


def read_calls(folder: Path, home: Path | None = None) -> list[Call]:
    """Return all calls that were made for the corpus in *folder*, questions too, oldest first.

    Raises:
        NotIngestedError: If it was never ingested.
        StoreError: If they cannot be read; LockedError where an earlier version runs.
    """
    state = CorpusFolder(folder, home).readable()
    if not ((state / STATE_FILE).exists() or (state / WORK_FILE).exists()):
        msg = f"{folder} was not ingested, so no language model was asked for it"
        raise NotIngestedError(msg)
    with read_state(state) as found:
        if found.note(TAKEN_OVER) is not None:
            return StoredReplies(found).calls()
    with open_work(state), read_state(state) as found:  # an earlier version kept them there
        return StoredReplies(found).calls()


def _reply(text: str, model: str, truncated: int) -> Reply:
    return Reply(text, model=model, truncated=bool(truncated))
