import pytest

from srag_mcp.schema.attribute import Attribute
from tests.claims.columns import Stated, reasons, suspected

SHARE = Attribute(name="share", type="number")
PERCENT = Attribute(name="share", type="number", unit="percent")
CREW = Attribute(name="crew", type="integer")
AMOUNT = Attribute(name="amount", type="number")
RATING = Attribute(name="rating", type="number")
SHARES: list[Stated] = [(12, "12 %"), (15, "15 %"), (9, "9 %")]
HANDS: list[Stated] = [(n, f"{n} hands on board") for n in (24, 31, 29)]
RATINGS: list[Stated] = [(9.2, "9.2/10"), (8.1, "8.1 / 10"), (7.7, "7.7 out of 10")]


@pytest.mark.parametrize("attribute", [SHARE, PERCENT])
def test_fractions_among_percentages_are_found_at_any_share(attribute: Attribute) -> None:
    half: list[Stated] = [*SHARES, (0.11, "11 %"), (0.13, "13 %"), (0.08, "8 %")]
    reason = "it is 100 times smaller than the number that is quoted, 3 others are not"
    assert reasons(attribute, half) == dict.fromkeys(("d3", "d4", "d5"), reason)
    assert suspected(attribute, [*SHARES, (0.8, "80 %")]) == {"d3": "shift"}
    assert list(suspected(attribute, [*SHARES, (1200, "12 %")])) == ["d3"]


def test_percentages_among_fractions_are_found() -> None:
    fractions: list[Stated] = [(0.12, "12 %"), (0.15, "15 %"), (0.09, "9 %")]
    assert reasons(SHARE, [*fractions, (13, "13 %")]) == {
        "d3": "3 values are 100 times smaller than the number that is quoted, not this"
    }
    assert suspected(SHARE, [*fractions, (0.13, "0.13"), (0.14, "0.14")]) == {}


@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        (PERCENT, [*SHARES, (12, "0.12")]),
        (SHARE, [*SHARES, (0.5, "0.5 %"), (0.12, "0.12")]),
        (AMOUNT, [(3, "3 EUR"), (4, "4 EUR"), (5, "5 EUR"), (4.5, "450 cents")]),
        (AMOUNT, [(3e6, "3.0"), (4e6, "4"), (5e6, "5"), (4.5, "4.5")]),  # a caption
        (AMOUNT, [(180, "180"), (175, "175"), (190, "190"), (180, "1.80")]),  # metres
        (AMOUNT, [(3, "3"), (4, "4"), (5, "5"), (30, "3 or 27"), (50, "between 5 and 95")]),
        (AMOUNT.model_copy(update={"unit": "cm"}), [(3, "3"), (4, "4"), (5, "5"), (200, "2")]),
        (AMOUNT.model_copy(update={"unit": "cm"}), [(3, "3"), (4, "4"), (5, "5"), (200, "2 m")]),
        (AMOUNT, [(3, "3"), (4, "4"), (40, "4")]),  # too few
    ],
)
def test_what_a_unit_a_caption_or_a_range_explains_is_left_alone(
    attribute: Attribute, values: list[Stated]
) -> None:
    assert suspected(attribute, values) == {}


@pytest.mark.parametrize("value", [240, 2400])
def test_ten_times_the_quote_is_found_also_in_words(value: int) -> None:
    assert suspected(CREW, [*HANDS, (value, "24 hands on board")]) == {"d3": "shift"}
    assert suspected(CREW, [*HANDS, (value // 10, str(value // 10))]) == {}


def test_the_number_is_found_among_others_unless_the_value_is_made_of_them() -> None:
    prices: list[Stated] = [(n, f"€ {n} for 2 nights") for n in (458, 546, 582)]
    assert suspected(AMOUNT, [*prices, (4580, "€ 458 for 3 nights")]) == {"d3": "shift"}
    assert suspected(AMOUNT, [*prices, (500, "10 nights at € 50")]) == {}
    assert suspected(AMOUNT, [*prices, (50, "10 % of € 500")]) == {}


@pytest.mark.parametrize("words", ["24", "24 hands on board", "24 hands"])
def test_negative_values_without_a_minus_are_found_in_a_small_column(words: str) -> None:
    assert reasons(CREW, [*HANDS, (-24, words)]) == {
        "d3": "it is negative, its words are not, and 3 others are positive"
    }
    two = suspected(CREW, [*HANDS, (27, "27"), (-24, words), (-33, "33 hands")])
    assert two == {"d4": "sign", "d5": "sign"}


@pytest.mark.parametrize(
    "words",
    [
        "-24",
        "▼ 24",
        "− 24",
        "minus 24",
        "(24)",
        "24-",
        "a loss of 24",
        "24 less hands",
        "Verlust: 24",
    ],
)
def test_a_negative_value_whose_words_say_so_is_left_alone(words: str) -> None:
    assert suspected(CREW, [*HANDS, (-24, words)]) == {}


def test_negative_values_that_are_not_rare_or_not_quoted_are_left_alone() -> None:
    assert suspected(CREW, [*HANDS, (-24, "24"), (-33, "33")]) == {}
    assert suspected(CREW, [*HANDS, (-2, "from 26 to 24 hands")]) == {}
    assert suspected(CREW, [*HANDS[:2], (-24, "24")]) == {}


def test_points_out_of_another_total_are_found() -> None:
    values: list[Stated] = [*RATINGS, (92, "92/100"), (4.4, "4,4 von 5")]
    assert reasons(RATING, values) == {
        "d3": "it is out of 100, 3 others are out of 10",
        "d4": "it is out of 5, 3 others are out of 10",
    }


@pytest.mark.parametrize(
    "values",
    [
        [*RATINGS, (9.2, "92/100"), (8.8, "4.4/5")],  # carried over
        [(3, "3 of 8"), (5, "5 of 12"), (9, "9 of 8"), (7, "7 of 30")],  # no total prevails
        [*RATINGS, (3, "3/12/2020"), (24, "24/7")],
    ],
)
def test_points_that_were_carried_over_and_other_pairs_are_left_alone(
    values: list[Stated],
) -> None:
    assert suspected(RATING, values) == {}
