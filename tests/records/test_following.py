from datetime import date

import pytest

from srag_mcp.records.following import follows, is_quoted
from srag_mcp.schema.attribute import Attribute

RUN = Attribute(name="run", type="number", unit="nautical miles")
LENGTH = Attribute(name="length", type="number")
CREW = Attribute(name="crew", type="integer")
CARGO = Attribute(name="cargo", type="number", unit="t")
SHARE = Attribute(name="share", type="number")
RATING = Attribute(name="rating", type="number")
MONTHS = Attribute(name="term", type="integer", unit="months")
RENT = Attribute(name="rent", type="number", unit="EUR", description="Rent of a year.")
SALES = Attribute(name="sales", type="number", unit="USD")
OPENED = Attribute(name="opened", type="integer")
DAY = Attribute(name="day", type="date")


@pytest.mark.parametrize(
    ("attribute", "quote", "value"),
    [
        (RUN, "run was 3,000 kilometres", 1619.87),
        (RUN, "run was 3,000 kilometres", 1620),
        (RUN, "242", 130.67),  # the head of the table has the unit
        (LENGTH, "7 miles", 11.27),
        (CREW, "25 hands on board", 25),
        (CREW, "twenty-five hands", 25),
        (CREW, "Anna, Bob and Carl", 3),
        (CREW, "12 officers and 13 men", 25),
        (CREW, "25 hands on board", 25_000),  # a caption may say so
        (CARGO, "19 thousand t", 19_000),
        (CARGO, "19000 kg", 19),
        (CARGO, "between 10 and 12 t", 11),
        (SHARE, "12 %", 0.12),
        (SHARE.model_copy(update={"unit": "percent"}), "0.12", 12),
        (RATING, "92/100", 9.2),
        (RATING, "4,4 von 5", 8.8),
        (MONTHS, "2 years and 6 months", 30),
        (MONTHS, "from March 2019", 24),
        (OPENED, "opened in '84", 1984),
        (RENT, "EUR 1,250 per month", 15_000),
        (SALES, "450 cents", 4.5),
        (SALES, "(340)", -340),
        (DAY, "03/04/2021", date(2021, 3, 4)),
        (DAY, "03/04/2021", date(2021, 4, 3)),
        (DAY, "1 May 2021 to 3 June 2021", date(2021, 6, 3)),
        (DAY, "the day before", date(2021, 5, 1)),
    ],
)
def test_what_the_words_say_in_some_form_follows(
    attribute: Attribute, quote: str, value: float | date
) -> None:
    assert follows(attribute, quote, value, f"Log of 2021. It says: {quote}.")


@pytest.mark.parametrize(
    ("attribute", "quote", "value"),
    [
        (RUN, "run was 3,000 kilometres", 9999),
        (RUN, "run was 3,000 kilometres", 3000),
        (LENGTH, "7 miles", 70),
        (CREW, "25 hands on board", 2500),
        (CREW, "25 hands on board", 26),
        (CREW, "crew numbered 25 hands", 2500),
        (CREW, "Anna, Bob and Carl", 9999),
        (CREW, "12 officers and 13 men", 99),
        (CARGO, "19 thousand t", 1900),
        (CARGO, "19 thousand t", 19),
        (CARGO, "19 t", 9.5),
        (SHARE, "12 %", 21),
        (RATING, "92/100", 2.9),
        (SALES, "340", 3400),
        (SALES, "US$ 350", 351),
        (SALES, "US$ 105", 97.3),  # no rate is known
        (OPENED, "opened in 1984", 1948),
        (OPENED, "opened in 1984 and 1990", 1948),
        (DAY, "03/04/2021", date(2021, 5, 4)),
        (DAY, "1 May 2021 to 3 June 2021", date(2021, 7, 3)),
        (DAY, "the day before", date(2030, 5, 1)),
    ],
)
def test_what_the_words_do_not_say_does_not_follow(
    attribute: Attribute, quote: str, value: float | date
) -> None:
    assert not follows(attribute, quote, value, f"Log of 2021. It says: {quote}.")


def test_a_caption_gives_other_scales_than_thousands() -> None:
    assert follows(SALES, "340", 34_000_000, "In lakh.\nSales 340")
    assert not follows(SALES, "340", 34_000_000, "Sales 340")


def test_the_only_number_of_a_quote_is_quoted() -> None:
    assert is_quoted("19 thousand t", 19_000)
    assert not is_quoted("19 thousand t", 19)
    assert not is_quoted("19 or 20", 19)
    assert not is_quoted("nineteen to twenty", 19.5)
