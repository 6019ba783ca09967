"""Replies of language models and the ledger, in the work database.

A commit takes 7 ms, so a call goes to a journal first, and into the tables with many others: when
there are enough of them, and when the database is closed or opened again.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC

from srag_mcp.model.language_model import Reply
from srag_mcp.model.ledger import Call, Ledger, Totals
from srag_mcp.model.reply_cache import KeptReply
from srag_mcp.store.asked_replies import read_asked
from srag_mcp.store.call_entries import CallEntry, make_entry, read_entry, write_entry
from srag_mcp.store.journal import Journal
from srag_mcp.store.layout import asked_path, journal_path
from srag_mcp.store.work import WorkDatabase

BATCH_CALLS = 256
_TABLES = """
CREATE TABLE IF NOT EXISTS replies (
  prompt_hash VARCHAR, step VARCHAR, asked_model VARCHAR, text VARCHAR, tokens_in BIGINT,
  tokens_out BIGINT, tokens_cached BIGINT, seconds DOUBLE, cost_usd DOUBLE, model VARCHAR,
  truncated BOOLEAN, delta VARCHAR);
CREATE TABLE IF NOT EXISTS ledger (
  call_id VARCHAR, ingestion BIGINT, step VARCHAR, subject VARCHAR, prompt_hash VARCHAR,
  model VARCHAR, outcome VARCHAR, called_at TIMESTAMP, tokens_in BIGINT, tokens_out BIGINT,
  tokens_cached BIGINT, seconds DOUBLE, cost_usd DOUBLE);
ALTER TABLE ledger ADD COLUMN IF NOT EXISTS is_estimated BOOLEAN DEFAULT FALSE;
CREATE TABLE IF NOT EXISTS useless_replies (prompt_hash VARCHAR, asked_model VARCHAR);
"""
_FIND = """
SELECT text, tokens_in, tokens_out, tokens_cached, seconds, cost_usd, model, truncated
FROM replies WHERE prompt_hash = ? AND asked_model = ? ORDER BY rowid DESC LIMIT 1
"""
_FOUND = """
SELECT prompt_hash, asked_model FROM replies
ANTI JOIN useless_replies USING (prompt_hash, asked_model)
"""
_UNFORGET = """
DELETE FROM useless_replies WHERE (prompt_hash, asked_model) IN (SELECT (unnest(?), unnest(?)))
"""
_KEPT = """
SELECT prompt_hash, step, asked_model, delta, text, tokens_in, tokens_out, tokens_cached, seconds,
  cost_usd, model, truncated
FROM replies ORDER BY rowid
"""
_CALLS = """
SELECT step, subject, prompt_hash, model, outcome, called_at, tokens_in, tokens_out, tokens_cached,
  seconds, cost_usd, is_estimated
FROM ledger WHERE ingestion >= ? ORDER BY rowid
"""
_INGESTION = "ledger:ingestion"


class WorkReplies:
    """The `ReplyCache` of an ingestion; opened by `open_replies`."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        # its own connection: a transaction of the pipeline and one of these do not meet
        self._connection = work.connection.cursor()
        self._connection.execute(_TABLES)
        self._journal = Journal(journal_path(work.state))
        self._waiting: list[CallEntry] = []
        self._absorb()
        rows = self._connection.execute(_FOUND).fetchall()
        self._stored = {(str(prompt_hash), str(asked)) for prompt_hash, asked in rows}
        self._recent: dict[tuple[str, str], Reply] = {}
        self._ingestion = int(work.note(_INGESTION) or "1")

    def find(self, prompt_hash: str, asked_model: str) -> Reply | None:
        """Return the reply that *asked_model* gave to that prompt; None if it has not yet."""
        key = (prompt_hash, asked_model)
        if key in self._recent:
            return self._recent[key]
        if key not in self._stored:
            return None
        [row] = self._connection.execute(_FIND, key).fetchall()
        return Reply(*row)

    def keep(self, call: Call, kept: KeptReply | None = None) -> None:
        """Take *call* into the ledger and keep its reply, if it brought one.

        Raises:
            StoreError: If they cannot be written.
        """
        entry = make_entry(call, kept, self._ingestion)
        if entry.kept is not None:
            self._recent[entry.kept.prompt_hash, entry.kept.asked_model] = entry.kept.reply
        self._journal.append(write_entry(entry))
        self._waiting.append(entry)
        if len(self._waiting) >= BATCH_CALLS:
            self.flush()

    def forget(self, prompt_hash: str, asked_model: str) -> None:
        """Find that reply no more, until there is another one; `kept` still has it.

        Raises:
            StoreError: If it cannot be written down.
        """
        self.flush()
        key = (prompt_hash, asked_model)
        self._connection.execute("INSERT INTO useless_replies VALUES (?, ?)", key)
        self._stored.discard(key)

    def flush(self) -> None:
        """Move what the journal holds into the tables."""
        self._write(self._waiting)
        self._journal.clear()
        self._waiting = []
        self._stored |= self._recent.keys()
        self._recent = {}

    def ledger(self) -> Ledger:
        """Count all calls that were ever made for this corpus."""
        return Ledger(self.calls())

    def calls(self) -> Iterator[Call]:
        """Return all calls that were ever made for this corpus, oldest first."""
        self.flush()
        return self._calls(0)

    def unsettled(self) -> Totals:
        """Return what the present ingestion has taken, with those that it continues."""
        self.flush()
        return Ledger(self._calls(self._ingestion)).total

    def settle(self) -> None:
        """Say that the present ingestion is finished: a budget counts anew from here."""
        self._ingestion += 1
        self._work.keep_note(_INGESTION, str(self._ingestion))

    def kept(self) -> Iterator[KeptReply]:
        """Return all replies, oldest first."""
        self.flush()
        rows = self._connection.execute(_KEPT).fetchall()
        for prompt_hash, step, asked_model, delta, *reply in rows:
            yield KeptReply(prompt_hash, step, asked_model, Reply(*reply), delta)

    def close(self) -> None:
        """Move what the journal holds into the tables, and close."""
        self.flush()
        self._journal.close()
        self._connection.close()

    def _calls(self, since: int) -> Iterator[Call]:
        rows = self._connection.execute(_CALLS, [since]).fetchall()
        for step, subject, prompt_hash, model, outcome, at, *taken in rows:
            yield Call(step, subject, prompt_hash, model, outcome, at.replace(tzinfo=UTC), *taken)

    def _absorb(self) -> None:
        """Take over what a process that ended has left, and into the ledger what questions took."""
        self._add([entry for line in self._journal.lines() for entry in read_entry(line)])
        self._journal.clear()
        asked = read_asked(asked_path(self._work.state))
        self._add([replace(entry, kept=None) for entry in asked])

    def _add(self, entries: Sequence[CallEntry]) -> None:
        """Write *entries*, but for those that are here already."""
        if not entries:
            return
        known = self._connection.execute(
            "SELECT call_id FROM ledger WHERE call_id IN (SELECT unnest(?))",
            [[entry.call_id for entry in entries]],
        ).fetchall()
        present = {row[0] for row in known}
        self._write([entry for entry in entries if entry.call_id not in present])

    def _write(self, entries: Sequence[CallEntry]) -> None:
        """Append *entries* to both tables, all or nothing."""
        if not entries:
            return
        kept = [entry.kept for entry in entries if entry.kept]
        self._connection.begin()
        try:
            with self._connection.appender("ledger") as calls:
                calls.append_rows([_call_row(entry) for entry in entries])
            with self._connection.appender("replies") as replies:
                replies.append_rows([_reply_row(item) for item in kept])
            hashes, asked = [item.prompt_hash for item in kept], [item.asked_model for item in kept]
            self._connection.execute(_UNFORGET, [hashes, asked])
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()


@contextmanager
def open_replies(work: WorkDatabase) -> Iterator[WorkReplies]:
    """Open the replies and the ledger of a work database; what a dead process left is taken over.

    Raises:
        StoreError: If they cannot be written.
    """
    replies = WorkReplies(work)
    try:
        yield replies
    finally:
        replies.close()


def _call_row(entry: CallEntry) -> tuple[object, ...]:
    call = entry.call
    return (
        entry.call_id,
        entry.ingestion,
        call.step,
        call.subject,
        call.prompt_hash,
        call.model,
        call.outcome,
        call.at.astimezone(UTC).replace(tzinfo=None),
        call.tokens_in,
        call.tokens_out,
        call.tokens_cached,
        call.seconds,
        call.cost_usd,
        call.is_estimated,
    )


def _reply_row(kept: KeptReply) -> tuple[object, ...]:
    reply = kept.reply
    return (
        kept.prompt_hash,
        kept.step,
        kept.asked_model,
        reply.text,
        reply.tokens_in,
        reply.tokens_out,
        reply.tokens_cached,
        reply.seconds,
        reply.cost_usd,
        reply.model,
        reply.truncated,
        kept.delta,
    )
