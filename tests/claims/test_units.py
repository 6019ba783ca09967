import pytest

from srag_mcp.cells.cell import Cell, PredictedCell
from srag_mcp.claims.odd_numbers import read_tags
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State
from tests.claims.columns import Stated, reasons, suspected

EUROS = Attribute(name="price", type="number", unit="EUR")
PRICE = Attribute(name="price", type="number")
LENGTH = Attribute(name="length", type="number", unit="km")
RUN = Attribute(name="run", type="number")
IN_EUROS: list[Stated] = [(100, "€ 100"), (120, "€ 120"), (130, "130 euros"), (99, "€ 99")]
IN_KM: list[Stated] = [(10, "10 km"), (12, "12 km"), (9, "9 km")]


def test_another_currency_than_that_of_the_column_is_found() -> None:
    values = [*IN_EUROS, (110, "$ 110"), (105, "US$ 105"), (140, "GBP 140")]
    assert reasons(EUROS, values) == {
        "d4": "the document gives it in USD, the column is in EUR",
        "d5": "the document gives it in USD, the column is in EUR",
        "d6": "the document gives it in GBP, the column is in EUR",
    }
    assert suspected(EUROS, [(105, "US$ 105")]) == {"d0": "other_unit"}, "also in a small column"
    assert suspected(EUROS, [*IN_EUROS, (10, "10 %")]) == {"d4": "other_unit"}


@pytest.mark.parametrize("currency", ["USD", "CAD", "AUD", "MXN", "CLP"])
def test_a_bare_dollar_sign_is_that_of_any_dollar(currency: str) -> None:
    column = PRICE.model_copy(update={"unit": currency})
    values: list[Stated] = [(10, f"{currency} 10"), (11, f"{currency} 11"), (12, "$ 12")]
    assert suspected(column, values) == {}
    assert suspected(column, [*values, (9, "HK$ 9")]) == {"d3": "other_unit"}


@pytest.mark.parametrize(
    ("currency", "words"),
    [("SEK", "120 kr"), ("CNY", "¥ 120"), ("PKR", "Rs. 120"), ("GBP", "120 pounds")],
)
def test_a_sign_that_several_currencies_have_is_no_other_one(currency: str, words: str) -> None:
    column = PRICE.model_copy(update={"unit": currency})
    values: list[Stated] = [(10, f"{currency} 10"), (11, f"{currency} 11"), (120, words)]
    assert suspected(column, values) == {}


def test_a_dollar_sign_may_mean_the_local_money_where_few_write_what_it_is() -> None:
    ringgit = PRICE.model_copy(update={"unit": "MYR"})
    bare: list[Stated] = [(12, "12.00"), (14, "14.00"), (9, "RM 9.00"), (8, "TOTAL $8.00")]
    assert suspected(ringgit, bare) == {}
    written: list[Stated] = [(12, "RM 12"), (14, "RM 14"), (9, "RM 9.00"), (8, "TOTAL $8.00")]
    assert suspected(ringgit, written) == {"d3": "other_unit"}


def test_without_a_unit_the_currency_of_most_counts() -> None:
    values: list[Stated] = [*IN_EUROS, (110, "US$ 110"), (7, "7 nights"), (8, "8")]
    assert reasons(PRICE, values) == {
        "d4": "the document gives it in USD, 4 others of the column are in EUR"
    }
    dollars: list[Stated] = [(1, "$ 1"), (2, "$ 2"), (3, "$ 3"), (4, "CAD 4")]
    assert suspected(PRICE, dollars) == {"d3": "other_unit"}
    none_prevails: list[Stated] = [*IN_EUROS[:3], (1, "GBP 1"), (2, "CHF 2"), (3, "US$ 3")]
    assert suspected(PRICE, none_prevails) == {}
    assert suspected(PRICE, [(1, "€ 1"), (2, "€ 2"), (3, "GBP 3")]) == {}, "too few to tell"


def test_currencies_that_another_column_tells_are_meant_to_be_kept() -> None:
    def say(currency: str | None) -> PredictedCell:
        state = State.STATED if currency else State.NOT_MENTIONED
        return PredictedCell(Cell("currency", state, currency), currency)

    values: list[Stated] = [*IN_EUROS, (110, "US$ 110"), (140, "£ 140"), (90, "CHF 90")]
    towns = {f"d{n}": say("Bern") for n in range(7)}
    currencies = {"d4": say("USD"), "d5": say("sterling"), "d6": say(None)}
    tags = read_tags([towns, currencies])
    assert tags == {"d4": {"USD"}, "d5": {"GBP"}}
    assert suspected(PRICE, values, tags) == {"d6": "other_unit"}
    assert suspected(EUROS, values, tags) == {
        "d4": "other_unit",
        "d5": "other_unit",
        "d6": "other_unit",
    }, "a column that names its unit has one"


def test_without_a_unit_lengths_are_in_that_of_most() -> None:
    values: list[Stated] = [*IN_KM, (7, "7 miles"), (11.3, "7 miles")]
    assert reasons(RUN, values) == {
        "d3": "the document gives it in mi, 3 others of the column are in km"
    }
    half: list[Stated] = [*IN_KM, (7, "7 miles"), (8, "8 miles"), (5, "5 miles")]
    assert set(suspected(RUN, half)) == {"d3", "d4", "d5"}
    assert suspected(RUN, [*IN_KM, (3, "3 hours"), (4, "4 kg"), (12, "12 km or 7 miles")]) == {}


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        (LENGTH, 7, "7 hours"),
        (LENGTH.model_copy(update={"unit": "days"}), 3, "3 months"),
        (LENGTH.model_copy(update={"unit": "percent"}), 12, "EUR 12"),
    ],
)
def test_a_unit_that_cannot_be_carried_into_that_of_the_column_is_found(
    attribute: Attribute, value: float, words: str
) -> None:
    assert suspected(attribute, [(value, words)]) == {"d0": "other_unit"}


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        (EUROS, 12, "12 g"),  # one letter may be anything
        (EUROS, 1.55, "10 % service 1.55"),
        (EUROS.model_copy(update={"unit": "rooms"}), 3, "3 days"),
        (LENGTH.model_copy(update={"unit": "km per litre"}), 12, "12 hours"),
        (LENGTH, 11.27, "7 miles"),
        (LENGTH, 12, "12 kilometres"),
    ],
)
def test_a_unit_that_fits_or_says_nothing_is_left_alone(
    attribute: Attribute, value: float, words: str
) -> None:
    assert suspected(attribute, [(value, words)]) == {}
