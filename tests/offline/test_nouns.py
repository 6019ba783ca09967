"""Columns are named for things, not for units or for people."""

import pytest

from srag_mcp.offline.nouns import names_nothing


@pytest.mark.parametrize(
    "label", ["people", "years", "yearly", "records", "kilograms", "persons yearly"]
)
def test_units_and_words_for_anyone_name_nothing(label: str) -> None:
    assert names_nothing(label)


@pytest.mark.parametrize("label", ["crew", "years of service", "", "rooms"])
def test_things_name_something(label: str) -> None:
    assert not names_nothing(label)
