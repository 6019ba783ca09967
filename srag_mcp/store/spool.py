"""Prompts that wait for an agent: a job asks, agents answer, and either may die in between."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from pathlib import Path

import anyio
from pydantic import TypeAdapter
from typing_extensions import override

from srag_mcp.documents.folder import storable
from srag_mcp.errors import ModelStoppedError, NotIngestedError
from srag_mcp.model.language_model import (
    AGENT,
    LanguageModel,
    Prompt,
    Reply,
    count_tokens,
    hash_prompt,
)
from srag_mcp.model.ledger import Call, KeptReply, Ledger, MemoryReplies, Totals
from srag_mcp.model.reply_content import find_problem
from srag_mcp.store.layout import STATE_FILE, WORK_FILE, CorpusFolder
from srag_mcp.store.state import TAKEN_OVER, State, pause_s, read_state
from srag_mcp.store.work import open_work

LEASE_S = 300.0
IDLE_S = 1800.0
_KEPT_S = 7 * 24 * 3600.0
_N_ID = 12  # of 64: among 100,000 prompts, two begin alike in one corpus of 50,000
_ID = re.compile(r"[0-9a-f]{8,64}")  # versions before gave fewer characters


@dataclass(frozen=True, slots=True)
class SpooledPrompt:
    """A prompt that waits, and the form of its answer; *id* begins its hash, and is not kept."""

    prompt: Prompt
    reply_schema: Mapping[str, object]
    id: str = ""

    @property
    def shared(self) -> str:
        """What it has in common with the other prompts of its step."""
        return json.dumps([self.prompt.instructions, self.reply_schema], ensure_ascii=False)

    @property
    def own(self) -> str:
        """What it has for itself."""
        corrections = [asdict(item) for item in self.prompt.corrections]
        return json.dumps([self.id, self.prompt.content, corrections], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class SpoolCount:
    """How many prompts wait that no agent has, and that one has: the first is open in *lease_s*."""

    n_open: int = 0
    n_leased: int = 0
    lease_s: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What became of the answer to the prompt *id*; *problem*: why it was not kept, if so.

    *shared*: what the prompt shared with others of its step; empty where it is not known.
    """

    id: str
    problem: str = ""
    shared: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the answer was kept; the job may still find fault with it, and ask again."""
        return not self.problem


_ENTRY = TypeAdapter(SpooledPrompt)


class PromptSpool:
    """The prompts of one corpus that wait for an agent; StoreError where they cannot be written.

    A prompt is asked until it has an answer, or parked when the job that asked it is gone: an
    answer to it is still kept. Of one whose answer a job has, only the answer is left, until the
    job has kept it elsewhere. One that an agent has is not given to another for *lease_s*.
    """

    def __init__(self, state: State, lease_s: float = LEASE_S) -> None:
        self._state = state
        self._lease_s = lease_s

    @property
    def was_used(self) -> bool:
        """Whether anything was asked here lately."""
        return bool(self._state.run("SELECT 1 FROM prompts LIMIT 1"))

    def ask(self, name: str, prompt: Prompt, reply_schema: Mapping[str, object]) -> str | None:
        """Return the answer to the prompt called *name*; None as long as it waits for one.

        To ask the same twice is to ask once. An answer can be had again: a job that dies before it
        has kept it loses nothing.

        Raises:
            StoreError: If it cannot be written.
        """
        rows = self._state.run("SELECT answer, is_parked FROM prompts WHERE name = ?", name)
        if rows and rows[0][0] is not None:
            self._state.run("UPDATE prompts SET entry = NULL WHERE name = ?", name)
            return str(rows[0][0])
        if not rows or rows[0][1]:
            entry = json.dumps({"prompt": asdict(prompt), "reply_schema": dict(reply_schema)})
            self._state.run(
                "INSERT INTO prompts (name, entry, asked_at) VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET is_parked = 0, asked_at = excluded.asked_at",
                name,
                entry,
                time.time(),
            )
        return None

    def forget(self, name: str) -> None:
        """Forget the answer to a prompt, which is of no use."""
        self._state.run("DELETE FROM prompts WHERE name = ? AND entry IS NULL", name)

    def forget_taken(self) -> None:
        """Forget the answers that were had; for a job that has kept them all."""
        self._state.run("DELETE FROM prompts WHERE entry IS NULL")

    def park(self) -> None:
        """Put aside what earlier jobs asked, free for any agent, and forget what is old."""
        old = time.time() - _KEPT_S
        with self._state.transaction():
            self._state.run("UPDATE prompts SET is_parked = 1, leased_at = NULL")
            self._state.run(
                "DELETE FROM prompts WHERE max(asked_at, ifnull(answered_at, 0)) < ?", old
            )

    def seconds_since_sign(self) -> float:
        """Return for how long no agent has fetched or answered a prompt; infinite if none ever."""
        [(leased, answered)] = self._state.run(
            "SELECT max(leased_at), max(answered_at) FROM prompts"
        )
        return time.time() - max(leased or float("-inf"), answered or float("-inf"))

    def count(self) -> SpoolCount:
        """Count the prompts that wait for an answer."""
        since = time.time() - self._lease_s
        [(n_all, n_leased, first)] = self._state.run(
            "SELECT count(*), ifnull(sum(leased_at > ?), 0),"
            " min(CASE WHEN leased_at > ? THEN leased_at END) FROM waiting",
            since,
            since,
        )
        return SpoolCount(n_all - n_leased, n_leased, first - since if n_leased else 0.0)

    def n_waiting(self) -> int:
        """Count the prompts that wait for an answer, with agents or not."""
        [(n_waiting,)] = self._state.run("SELECT count(*) FROM waiting")
        return int(n_waiting)

    def n_answered(self, since: datetime) -> int:
        """Count the prompts that were answered *since* a moment, and not forgotten yet."""
        [(n_answered,)] = self._state.run(
            "SELECT count(*) FROM prompts WHERE answered_at >= ?", since.timestamp()
        )
        return int(n_answered)

    def hand_out(
        self,
        max_prompts: int,
        max_characters: int,
        known: Collection[str] = (),
        *,
        again: bool = False,
    ) -> list[SpooledPrompt]:
        """Give the oldest prompts that no agent has to one, for the time of a lease.

        What they share (`SpooledPrompt.shared`) counts once, and not where the agent has *known* it
        before; one that is too large by itself is given alone. *again*: give those, too, that were
        given out, as who had them has lost them.

        Raises:
            StoreError: If the leases cannot be written.
        """
        now, given = time.time(), list[SpooledPrompt]()
        shared, left = set(known), max_characters
        with self._state.transaction():
            waiting = self._state.run(
                "SELECT name, entry FROM waiting WHERE ? OR ifnull(leased_at, 0) <= ?"
                " ORDER BY asked_at, name LIMIT ?",
                again,
                now - self._lease_s,
                max_prompts,
            )
            for name, written in waiting:
                found = replace(_ENTRY.validate_json(written), id=name[:_N_ID])
                left -= len(found.own) + (0 if found.shared in shared else len(found.shared))
                if given and left < 0:
                    break
                self._state.run("UPDATE prompts SET leased_at = ? WHERE name = ?", now, name)
                given.append(found)
                shared.add(found.shared)
        return given

    def answer(self, answers: Sequence[tuple[object, object]]) -> list[AnswerOutcome]:
        """Keep answers, unless code can see that they are none; return what became of each.

        One is the id of a prompt, as it was handed out, and the reply: a JSON object, or its text.

        Raises:
            StoreError: If they cannot be kept.
        """
        with self._state.transaction():
            return [self._answer(prompt_id, reply) for prompt_id, reply in answers]

    def _answer(self, prompt_id: object, reply: object) -> AnswerOutcome:
        if not isinstance(prompt_id, str) or not _ID.fullmatch(prompt_id):
            return AnswerOutcome(str(prompt_id)[:80], "not an id of a prompt; copy it as given")
        found = self._state.run(
            "SELECT name, entry, answer FROM prompts WHERE name GLOB ? LIMIT 2", f"{prompt_id}*"
        )
        if len(found) != 1:
            return AnswerOutcome(prompt_id, "no such prompt is asked, or not any more")
        name, written, kept = found[0]
        if written is None or kept is not None:
            return AnswerOutcome(prompt_id, "answered before; the first answer is kept")
        entry = _ENTRY.validate_json(written)
        problem = find_problem(reply, entry.reply_schema)
        if not problem:
            text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
            self._state.run(
                "UPDATE prompts SET answer = ?, answered_at = ? WHERE name = ?",
                storable(text),
                time.time(),
                name,
            )
        return AnswerOutcome(prompt_id, problem, entry.shared)


class AgentModel(LanguageModel):
    """Puts prompts into a *spool* for agents; gives up after *idle_s* in which none did a thing."""

    def __init__(self, spool: PromptSpool, *, idle_s: float = IDLE_S) -> None:
        self._spool = spool
        self._idle_s = idle_s
        self._is_started = False
        self._last_sign = time.monotonic()

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Wait until an agent has answered; ModelStoppedError if none does so for long."""
        if not self._is_started:
            self._is_started = True
            self._spool.park()  # what earlier jobs asked
        started = time.monotonic()
        self._last_sign = started  # to ask is a sign, too
        name = hash_prompt(prompt, reply_schema)
        while (text := self._spool.ask(name, prompt, reply_schema)) is None:
            is_idle = time.monotonic() - self._last_sign >= self._idle_s
            if is_idle and self._spool.seconds_since_sign() >= self._idle_s:
                msg = (
                    f"no agent has answered for {self._idle_s / 60:.0f} minutes, and"
                    f" {self._spool.n_waiting()} prompts wait. What was answered is kept: call"
                    " ingest_corpus again, then next_prompts and answer_prompts"
                )
                raise ModelStoppedError(msg)
            await anyio.sleep(pause_s(time.monotonic() - started))
        self._last_sign = time.monotonic()
        return Reply(
            text,
            tokens_in=prompt.count_tokens(reply_schema),
            tokens_out=count_tokens(text),
            seconds=self._last_sign - started,
            model=AGENT,
            is_estimated=True,
        )

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let agents answer *prompt* once more."""
        self._spool.forget(hash_prompt(prompt, reply_schema))


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
