"""Calls of language models as lines of a file."""

import logging
import secrets
from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from srag_mcp.model.ledger import Call
from srag_mcp.model.reply_cache import KeptReply
from srag_mcp.store.work_rows import storable

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallEntry:
    """A call, the reply that it brought, and the number of the ingestion that made it.

    Attributes:
        call_id: Names the entry, so that nobody counts it twice.
        ingestion: 0 for a question.
    """

    call_id: str
    ingestion: int
    call: Call
    kept: KeptReply | None


_ENTRY = TypeAdapter(CallEntry)


def make_entry(call: Call, kept: KeptReply | None, ingestion: int) -> CallEntry:
    """Make the entry of a call, with texts that can be stored."""
    call = replace(call, subject=storable(call.subject))
    if kept is not None:
        kept = replace(kept, reply=replace(kept.reply, text=storable(kept.reply.text)))
    return CallEntry(secrets.token_hex(8), ingestion, call, kept)


def write_entry(entry: CallEntry) -> bytes:
    """Write an entry as one line, without its end."""
    return _ENTRY.dump_json(entry)


def read_entry(line: bytes) -> list[CallEntry]:
    """Read a line: one entry, or none if a disk has damaged it."""
    try:
        return [_ENTRY.validate_json(line)]
    except ValidationError:
        _logger.warning("a line of %d bytes among the calls is damaged", len(line))
        return []
