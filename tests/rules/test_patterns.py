"""Regular expressions as rules: where they are tried, what they take, and what stops them."""

from collections.abc import Mapping
from time import monotonic

import pytest

from srag_mcp.cells.cell import Cell, normalise_column
from srag_mcp.documents.reading import read_text
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import Attribute, PatternRule
from srag_mcp.schema.schema import Schema
from srag_mcp.values.states import State

TENDER = """Tender 17/B
Estimate: 90 crowns

Bids
Alder offers 120 crowns.
Birch offers 75 crowns, withdrawn.
Cedar offers 310 crowns.

Deadline
3 May, noon; later 9 May.
Closed with 75 crowns.
"""


def read(pattern: str, given: Mapping[str, object] | None = None, text: str = TENDER) -> Cell:
    rule = PatternRule.model_validate({"pattern": pattern, **(given or {})})
    attribute = Attribute(name="x", type="string", extractors=(rule,))
    schema = Schema(title="T", attributes=(attribute,))
    return extract_record(Sightings(read_text(text, "tender.txt")), schema).cells[0]


CROWNS = r"(?P<value>\d+) crowns"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "90"),
        ({"pick": "last"}, "75"),
        ({"pick": "max"}, "310"),
        ({"pick": "unique"}, None),
        ({"scope": "head", "characters": 12}, None),
        ({"scope": "tail", "characters": 30}, "75"),
        ({"scope": "after", "label": "birch"}, "75"),
        ({"scope": "after", "label": "oak"}, None),
        ({"scope": "under", "label": "bids"}, "120"),
        ({"scope": "under", "label": "deadline"}, "75"),
        ({"need": ["offers"]}, "120"),
        ({"need": ["offers"], "veto": ["alder"]}, "75"),
        ({"veto": ["withdrawn", "estimate", "alder"]}, "310"),
    ],
)
def test_a_pattern_takes_its_value_where_it_is_told_to(
    given: dict[str, object], words: str | None
) -> None:
    found = read(CROWNS, given)
    assert found.as_stated == words
    assert found.state is (State.STATED if words else State.NOT_MENTIONED)


def test_a_pattern_without_a_group_takes_all_that_it_matches() -> None:
    assert read(r"\d+/[A-Z]").as_stated == "17/B"


def test_one_value_that_is_said_twice_is_unique() -> None:
    assert read(r"(?P<value>75) crowns", {"pick": "unique"}).as_stated == "75"


def test_a_pattern_that_cannot_be_read_fails_its_cell_and_says_why() -> None:
    found = read("(?P<value>[a-z")
    assert found.state is State.FAILED
    assert "'(?P<value>[a-z' cannot be read" in found.note


def test_a_slow_pattern_fails_its_cell_in_time() -> None:
    found = read(r"(a|aa)+$", text="a" * 60 + "!")
    assert found.state is State.FAILED
    assert "takes longer than" in found.note


@pytest.mark.parametrize("pattern", ["(" * 900 + "a" + ")" * 900, "((a{99}){99}){99}", "[z-a]"])
def test_a_pattern_that_only_costs_is_refused_before_it_runs(pattern: str) -> None:
    started = monotonic()
    assert read(pattern).state is State.FAILED
    assert monotonic() - started < 1


def test_the_time_limit_holds_for_all_places_of_a_rule_together() -> None:
    text = f"Bid: {'a' * 60}!\n" * 40
    started = monotonic()
    found = read(r"(a|aa)+$", {"scope": "after", "label": "bid"}, text)
    assert (found.state, monotonic() - started < 2) == (State.FAILED, True)


def test_case_counts_unless_the_pattern_says_otherwise() -> None:
    assert read("ALDER").state is State.NOT_MENTIONED
    assert read("(?i)ALDER").as_stated == "Alder"


def test_a_map_says_the_value_of_what_was_matched() -> None:
    rule = PatternRule(pattern=r"\b(?:wins|withdrawn)\b", map={"WITHDRAWN": "gone"})
    attribute = Attribute(name="x", type="string", extractors=(rule,))
    schema = Schema(title="T", attributes=(attribute,))
    texts = [TENDER, "Dogwood wins.\n"]
    cells = [extract_record(Sightings(read_text(text, "t.txt")), schema).cells[0] for text in texts]

    done = normalise_column(attribute, cells)
    assert [(cell.value, cell.as_stated) for cell in done] == [
        ("gone", "withdrawn"),
        ("wins", "wins"),
    ]
