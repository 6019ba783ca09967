"""Keys that mean one fact are called by what they share."""

import pytest

from srag_mcp.documents.reading import read_text
from srag_mcp.offline.induction import induce_schema
from srag_mcp.offline.shared_names import shared_name, shares


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (("adoption fee", "rehoming fee", "price"), "fee"),
        (("weight at admission", "body weight", "weight"), "weight"),
        (("estimated age years", "age", "years old"), "age"),
        (("rooms", "bedrooms and living rooms", "number of rooms"), "rooms"),
        (("move in", "available", "free from"), ""),
        (("start date", "date", "date of start", "due date"), ""),
        (("fee", "adoption fee"), ""),
    ],
)
def test_the_words_that_most_keys_share_name_them(keys: tuple[str, ...], name: str) -> None:
    assert shared_name(keys) == name


@pytest.mark.parametrize(
    ("key", "is_another"),
    [("adoption fee", True), ("fee", True), ("price", False), ("total fee", False),
     ("fee eur", False), ("fee rm", False)],
)  # fmt: skip
def test_a_key_with_words_that_tell_is_another_word_for_the_name(
    key: str, *, is_another: bool
) -> None:
    assert shares(key, "fee") is is_another


def test_a_column_is_called_by_the_word_that_its_keys_share() -> None:
    keys = ("Body weight", "Weight", "Weight at admission")
    documents = [
        read_text(f"Lot {n}\n{keys[n % 3]}: {4 + n} kg\nHall: {'ABC'[n % 3]}{n}\n", f"{n}.txt")
        for n in range(18)
    ]
    schema = induce_schema(documents, title="Lot", entity="lots")
    (weight,) = (a for a in schema.attributes if a.unit == "kg")
    assert weight.name == "weight"
    assert "body weight" in weight.synonyms
