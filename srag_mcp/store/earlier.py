"""What 16a3ebc kept in files: taken over, once; what it kept elsewhere is for `earlier_work`."""

from __future__ import annotations

import json
import logging
import re
import shutil
from dataclasses import asdict, dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from srag_mcp.documents.encoding import storable
from srag_mcp.model.ledger import Call, KeptReply
from srag_mcp.store.layout import WORK_FILE

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


logger = logging.getLogger(__name__)

WORK_TAKEN_OVER = "work taken over"
_FILES = ("calls.jsonl", "asked.jsonl", "unfinished.json")
_FOLDERS = ("prompts", "jobs")
_HASH = re.compile(r"[0-9a-f]{64}")
KEEP_CALL = "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_KEEP_REPLY = "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, 0)"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a file of calls; *ingestion* is 0 for a question."""

    call_id: str
    ingestion: int
    call: Call
    kept: KeptReply | None


_ENTRY = TypeAdapter(_Entry)


def has_earlier_state(folder: Path) -> bool:
    """Whether an earlier version left anything in the state folder."""
    return any((folder / name).exists() for name in (*_FILES, *_FOLDERS))


def take_over_files(connection: sqlite3.Connection, folder: Path) -> None:
    """Write what lies in the files of an earlier version; what is damaged is left out."""
    if not (folder / WORK_FILE).exists():
        connection.execute("INSERT INTO notes VALUES (?, 'yes')", [WORK_TAKEN_OVER])
    for name in ("calls.jsonl", "asked.jsonl"):
        if (folder / name).exists():
            with (folder / name).open("rb") as lines:
                for line in lines:
                    if line.strip() and line.endswith(b"\n"):  # else its process was killed
                        _take_over_line(connection, line.strip())
    wish = _read_object(folder / "unfinished.json")
    if wish is not None:
        connection.execute("INSERT INTO notes VALUES ('unfinished', ?)", [json.dumps(wish)])
    _take_over_prompts(connection, folder / "prompts")
    for path in sorted((folder / "jobs").glob("*.job.json")):  # their names begin with the time
        told = _read_object(path)
        if told is not None:
            if told.get("status") == "running":
                error = "its process ended without a word; start it again to go on"
                told = {**told, "status": "interrupted", "error": error}
            connection.execute(
                "INSERT INTO jobs VALUES (?, NULL, ?, 0)",
                [path.name.removesuffix(".job.json"), json.dumps(told)],
            )


def remove_earlier_state(folder: Path) -> None:
    """Remove the files that were taken over."""
    for name in _FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (*_FILES, "prompts.lock"):
        (folder / name).unlink(missing_ok=True)


def _take_over_line(connection: sqlite3.Connection, line: bytes) -> None:
    if line.startswith(b'{"forgotten"'):
        forget = "UPDATE replies SET is_useless = 1 WHERE prompt_hash = ? AND asked_model = ?"
        connection.execute(forget, json.loads(line)["forgotten"])
        return
    try:
        entry = _ENTRY.validate_json(line)
    except ValidationError:
        logger.warning("a line of %d bytes among the calls is damaged", len(line))
        return
    call = (*asdict(entry.call).values(), entry.ingestion, entry.call_id)
    connection.execute(KEEP_CALL, call_row(call))
    if entry.kept is not None:
        kept, reply = entry.kept, entry.kept.reply
        said = (kept.step, reply.text, reply.model, reply.truncated, kept.delta)
        connection.execute(_KEEP_REPLY, (kept.prompt_hash, kept.asked_model, *said))


def call_row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Write the time of a call as text; DuckDB has it without its zone, which is UTC."""
    return (*row[:5], row[5].replace(tzinfo=UTC).isoformat(timespec="microseconds"), *row[6:])


def _read_object(path: Path | None) -> dict[str, object] | None:
    try:
        found = None if path is None else json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        logger.warning("%s is damaged, and left out: %s", path, error)
        return None
    return found if isinstance(found, dict) else None


def _take_over_prompts(connection: sqlite3.Connection, folder: Path) -> None:
    """Park what was asked, so that an answer to it is still kept."""
    asked = {path.name[:64]: path for path in (folder / "parked").glob("*.json")}
    asked |= {path.name.removesuffix(".json"): path for path in folder.glob("*.json")}
    answered = {path.name[:64]: path for path in (folder / "taken").glob("*.reply.json")}
    answered |= {path.name[:64]: path for path in folder.glob("*.reply.json")}
    for name in sorted(filter(_HASH.fullmatch, asked.keys() | answered.keys())):
        entry, reply = _read_object(asked.get(name)), _read_object(answered.get(name))
        if entry is None and reply is None:
            continue
        asked_at = (asked.get(name) or answered[name]).stat().st_mtime
        text = None if reply is None else storable(str(reply.get("text")))
        written = None if entry is None else json.dumps(entry)
        connection.execute(
            "INSERT INTO prompts VALUES (?, ?, 1, ?, NULL, ?, ?)",
            (name, written, asked_at, text, asked_at),
        )
