"""A category that a schema names in its own way is the gold value that it means."""

import pytest

from srag_mcp.evaluation.comparison import FieldScore, align, name_as_gold
from srag_mcp.store.guard import Value


@pytest.mark.parametrize(
    ("categories", "gold", "names"),
    [
        (["sailing ship", "TUG"], ["Sailing", "Tug"], {"sailing ship": "Sailing", "TUG": "Tug"}),
        (["a captain's ship"], ["captain"], {"a captain's ship": "captain"}),
        (["small", "tall"], ["large", "tal"], {}),
        (["north", "north east"], ["north east coast", "south"], {}),  # it may be either
        (["ship"], ["sailing ship", "motor ship"], {}),
        (["north", "north east"], ["north", "east"], {"north": "north", "north east": "east"}),
        ([], ["Tug"], {}),
    ],
)
def test_one_name_has_the_words_of_the_other(
    categories: list[str], gold: list[str], names: dict[str, str]
) -> None:
    assert name_as_gold(categories, gold) == names


def test_only_closed_sets_are_renamed() -> None:
    gold = {
        str(number): {"kind": kind} for number, kind in enumerate(["Tug", "Tug", "Sailing", ""])
    }
    kinds: list[Value] = ["tug", "harbour tug", "sailing ship", None]
    found = {str(number): {"type": kind} for number, kind in enumerate(kinds)}
    assert align(gold, found) == (FieldScore("kind", "type", 0.5),)
    assert align(gold, found, {"type": ["tug", "sailing ship", "barge"]}) == (
        FieldScore("kind", "type", 0.75),
    )
