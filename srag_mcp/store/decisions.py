"""Decisions on columns: why each is there, and what was left out, beside the databases."""

import json
import logging
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import Decision, Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.store.layout import DECISIONS_FILE, write_atomically
from srag_mcp.store.work import WorkDatabase

logger = logging.getLogger(__name__)

_OTHER_KINDS = "other_kinds"
_DECISIONS = TypeAdapter(list[Decision])


def read_decisions(state: Path) -> list[Decision]:
    """Read what was decided; nothing where a person or rules found the schema."""
    path = state / DECISIONS_FILE
    try:
        return _DECISIONS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValidationError) as error:
        logger.warning("%s is damaged, and left out: %s", path, error)
        return []


def write_decisions(state: Path, decisions: Sequence[Decision]) -> None:
    """Write why each column is there, for people, and what was left out."""
    text = _DECISIONS.dump_json(list(decisions), indent=2, exclude_none=True)
    write_atomically(state / DECISIONS_FILE, text.decode())


def add_decision(state: Path, wish: str, extension: Extension) -> None:
    """Add why an attribute was added later."""
    decisions = read_decisions(state)
    why = f"somebody asked for “{wish}”"
    rationale = f"{why}: {extension.rationale}" if extension.rationale else why
    number = 1 + max((decision.round for decision in decisions), default=0)
    decisions.append(Decision(number, "add", extension.attribute.name, rationale))
    write_decisions(state, decisions)


def forget_decisions(work: WorkDatabase) -> None:
    """Forget what was decided: the columns are others now."""
    (work.state / DECISIONS_FILE).unlink(missing_ok=True)
    keep_other_kinds(work, ())


def keep_other_kinds(work: WorkDatabase, kinds: Sequence[str]) -> None:
    """Keep which kinds of documents there seem to be beside those that the columns fit."""
    work.keep_note(_OTHER_KINDS, json.dumps(list(kinds), ensure_ascii=False))


def describe_design(work: WorkDatabase, schema: Schema, corpus: str) -> list[str]:
    """Say what the columns of *schema* leave out, as far as a language model told it.

    `["2 more columns were proposed and left out, as the table has 30 (SRAG_COLUMNS): …"]`
    """
    said = []
    left = [item.name for item in find_left_out(work.state, schema)]
    if left:
        columns = "1 more column was" if len(left) == 1 else f"{len(left)} more columns were"
        said.append(
            f"{columns} proposed and left out, as the table has {len(schema.attributes)}"
            f" (SRAG_COLUMNS): {', '.join(left)}; to add one, call"
            f" extend_schema with corpus={corpus!r} and attribute={left[0]!r}"
        )
    if schema.pending_lists:
        lists = ", ".join(map(str, schema.pending_lists))
        said.append(
            f"the documents list {lists}: kept as pending, no table holds it; a model reads that"
            " with effort full and SRAG_LISTS"
        )
    kinds = json.loads(work.note(_OTHER_KINDS) or "[]")
    if kinds:
        said.append(f"some documents seem to be of another kind: {', '.join(kinds)}")
    return said


def find_left_out(state: Path | None, schema: Schema) -> tuple[Attribute, ...]:
    """Return what was proposed beside the columns of *schema* and left out, in that order."""
    names = {attribute.name for attribute in schema.attributes}
    decisions = read_decisions(state) if state is not None else []
    left = [item.definition for item in decisions if item.definition is not None]
    return tuple(item for item in left if item.name not in names)
