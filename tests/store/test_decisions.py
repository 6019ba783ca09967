"""Decisions are written for people, and read again with the definitions of what was left out."""

import json
from pathlib import Path

import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import Decision, Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.store.layout import DECISIONS_FILE
from srag_mcp.store.predictions import hash_attribute
from srag_mcp.store.takeover import add_decision, find_left_out, read_decisions, write_decisions

YARD = Attribute(
    name="yard", type="string", description="Where it was built.", synonyms=("shipyard",)
)
DRAUGHT = Attribute(name="draught", type="number", unit="m", examples=(2.0, 3))
DECISIONS = [
    Decision(1, "add", "yard", "Asked."),
    Decision(3, "leave_out", "yard", "stated in 1 of 4", YARD),
    Decision(3, "leave_out", "draught", "stated in 1 of 4", DRAUGHT),
]


def schema(*attributes: Attribute) -> Schema:
    return Schema(title="Ship", entity="ships", attributes=attributes)


def test_decisions_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_decisions(tmp_path, DECISIONS)
    assert read_decisions(tmp_path) == DECISIONS
    assert [hash_attribute(item) for item in find_left_out(tmp_path, schema())] == [
        hash_attribute(YARD),
        hash_attribute(DRAUGHT),
    ]
    first = json.loads((tmp_path / DECISIONS_FILE).read_text())[0]
    assert first == {"round": 1, "action": "add", "attribute": "yard", "rationale": "Asked."}


def test_what_became_a_column_is_not_left_out_any_more(tmp_path: Path) -> None:
    write_decisions(tmp_path, DECISIONS)
    add_decision(tmp_path, "the yard", Extension(YARD, added=True, rationale="it was left out"))
    assert find_left_out(tmp_path, schema(YARD)) == (DRAUGHT,)
    why = "somebody asked for “the yard”: it was left out"
    assert read_decisions(tmp_path)[-1] == Decision(4, "add", "yard", why)


def test_decisions_of_earlier_versions_are_read(tmp_path: Path) -> None:
    old = {"round": 2, "action": "remove", "attribute": "deck", "rationale": "Always the same."}
    (tmp_path / DECISIONS_FILE).write_text(json.dumps([old]))
    assert read_decisions(tmp_path) == [Decision(2, "remove", "deck", "Always the same.")]


@pytest.mark.parametrize("text", ["", "{}", '[{"round": "x"}]'])
def test_what_is_damaged_counts_as_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / DECISIONS_FILE).write_text(text)
    assert read_decisions(tmp_path) == []
    assert find_left_out(tmp_path, schema()) == ()


def test_where_nothing_was_decided_nothing_was_left_out(tmp_path: Path) -> None:
    assert find_left_out(tmp_path, schema()) == ()
    assert find_left_out(None, schema()) == ()
