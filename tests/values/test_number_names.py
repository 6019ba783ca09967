"""Numbers in words of other languages than English, in running text and in whole cells."""

import pytest

from srag_mcp.values.columns import read_column
from srag_mcp.values.quantities import find_quantities, find_spelled, read_number_words
from srag_mcp.values.states import Column, Words
from srag_mcp.values.types import INTEGER


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("dreißig", 30),
        ("dreissig", 30),
        ("eine", 1),
        ("quatre-vingt-dix", 90),
        ("veintidós", 22),
        ("trecentoquarantacinque", 345),
        ("tweeëntwintig", 22),
        ("duzentas e vinte", 220),
        ("seize", None),  # an English word
    ],
)
def test_a_whole_cell_may_be_a_number_in_words(text: str, number: int | None) -> None:
    assert read_number_words(text) == number


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("die dreißig Pfeifen", [(30, None)]),
        ("vingt et un euros", [(21, "EUR")]),
        ("dreißig Prozent", [(30, "percent")]),
        ("mil novecentos e trinta", []),  # but a part of a number
        ("zwanzig Millionen Euro", []),
        ("um zwanzig Uhr", []),
        ("gegen sechzehn Uhr dreißig", []),
        ("zwanzig Komma fünf, von zwanzig bis dreißig Jahren, trente euros cinquante", []),
        ("zwanzig und ein halb, vingt ans et demi", []),
        ("quinze avril 1999", [(1999, None)]),
        ("hundert zwanzig", []),
        ("trente-cinq pour cent", [(35, "percent")]),
        ("minus zwanzig Grad", [(-20, None)]),
        ("siebzehn Pfeifen, sıebzehn", [(17, None)]),  # another i, as re.IGNORECASE has it
        ("This is a venti, and they may seize goods", []),  # English words
        ("it fell due once, and sei gegrüßt", []),
        ("einige hundert, cinque per cento", []),
    ],
)
def test_running_text_has_numbers_from_thirteen_on(
    text: str, found: list[tuple[int, str | None]]
) -> None:
    assert [(item.value, item.unit) for _, item in find_quantities(text)] == found


def test_smaller_ones_are_found_where_they_are_asked_for() -> None:
    assert [number for _, number in find_spelled("ein Balg, neun Pfeifen", 1)] == [1, 9]


def test_a_word_for_pieces_is_no_other_unit() -> None:
    texts = ["9 Stück", "3", "4", "12 pcs", "ein"]
    read = read_column(Column(INTEGER, "count"), [Words(text) for text in texts])
    assert [(item.value, item.note) for item in read] == [(n, "") for n in (9, 3, 4, 12, 1)]


def test_a_word_for_pieces_is_another_unit_where_others_are_measured() -> None:
    texts = ["9 Stück", "3 kg", "4 kg", "5 kg"]
    read = read_column(Column(INTEGER, "weight", "kg"), [Words(text) for text in texts])
    assert read[0].note == "with 'stück' behind it, unlike its column"
