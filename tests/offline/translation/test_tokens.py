"""Tokens and stems of questions."""

import pytest

from srag_mcp.offline.translation.tokens import stem, stems, tokenise
from srag_mcp.offline.translation.units import same_unit, unit_factor


@pytest.mark.parametrize(
    "words",
    [
        ("governed", "governing", "governs"),
        ("winner", "win", "won", "winners"),
        ("vaccine", "vaccinated", "vaccination"),
        ("city", "cities"),
        ("box", "boxes"),
        ("sponsor", "sponsored", "sponsors"),
        ("study", "studies", "studied"),
        ("calorie", "calories"),
        ("maximum", "max"),
        ("director", "directed", "directs"),
        ("fine", "fined", "fines"),
        ("renew", "renewed", "renewals"),
        ("sow", "sown", "sowing"),
    ],
)
def test_forms_of_a_word_share_their_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(
    ("left", "right"), [("station", "state"), ("number", "numb"), ("use", "us")]
)
def test_different_words_keep_different_stems(left: str, right: str) -> None:
    assert stem(left) != stem(right)


def test_numbers_marks_and_compounds_are_told_apart() -> None:
    tokens = tokenise("Is the 7-day COVID-19 rate of New York-law firms over $1,234.50?")
    assert [token.word for token in tokens if not token.is_mark] == [
        "is", "the", "7day", "covid19", "rate", "of", "new", "york", "law", "firms", "over",
        "1,234.50",
    ]  # fmt: skip
    assert [token.number for token in tokens if token.number is not None] == [1234.5]


def test_names_of_columns_are_split_at_underscores() -> None:
    assert stems("incidence_7day") == (stem("incidence"), "7day")


def test_units_convert_only_where_they_measure_the_same() -> None:
    assert same_unit("€", "EUR")
    assert unit_factor("h", "minutes") == 60.0
    assert unit_factor("g", "kg") == 0.001
    assert unit_factor("kg", "EUR") is None
