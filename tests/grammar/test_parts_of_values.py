"""A word that stands within stored values tells them apart, and what has it may be counted."""

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import build_world
from tests.grammar.tables import answer, refusal

_DRILLS = Schema(
    title="Drill",
    entity="drills",
    nouns=("drill", "drills"),
    attributes=(
        Attribute(
            name="school",
            type="string",
            description='The text beside "School". Written as "Millbrook Primary" or "Olm High".',
        ),
        Attribute(name="finding", type="string"),
    ),
)
_ROWS = [
    ("Millbrook Primary", "lamp out"),
    ("Millbrook Primary", "door stuck"),
    ("Rann Primary", "lamp dim"),
    ("Olm High", "door stuck"),
]
WORLD = build_world(_DRILLS, [*_ROWS])


def test_a_word_within_stored_values_is_never_left_out() -> None:
    assert refusal(WORLD, "How many primary schools are there?").reason
    assert answer(WORLD, "How many schools are there?").rows == [(3,)]


def test_what_has_a_word_in_its_name_is_not_counted_by_its_records() -> None:
    assert refusal(WORLD, "How many Primary schools are there?").reason


def test_of_what_is_no_name_nobody_says_whether_records_are_counted() -> None:
    assert refusal(WORLD, "How many Lamp findings are there?").reason
