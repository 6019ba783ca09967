"""Whether values follow from the words that are quoted for them."""

from datetime import date

import pytest

from srag_mcp.claims.claim import Bearing, Claim, check
from srag_mcp.claims.figures import read_figures
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.types import Value

PRICE = Attribute(name="price", type="number", unit="USD")
LENGTH = Attribute(name="length", type="number", unit="km")
MONTHS = Attribute(name="term_months", type="integer", unit="months")
ITEMS = Attribute(name="number_of_items", type="integer")
DAY = Attribute(name="day", type="date")


@pytest.mark.parametrize(
    ("attribute", "quote", "value"),
    [
        (PRICE, "$1.2 billion", 1_200_000_000),
        (PRICE, "340", 340_000),
        (PRICE, "1.250,00", 1250),
        (PRICE, "12.50", 12.5),
        (PRICE, "450 cents", 4.5),
        (PRICE, "(1,234)", -1234),
        (PRICE, "1.234,50", 1234.5),
        (PRICE, "between 10 and 12", 11),
        (PRICE, "born in 1960", 60),
        (PRICE, "a dozen", 12),
        (PRICE, "free of charge", 0),
        (PRICE, "4,6702 in all", 4670),
        (PRICE, "62 500 $", 62_500),
        (PRICE, "€ 90", 97.2),
        (LENGTH, "650 metres", 0.65),
        (LENGTH, "26.2 miles", 42.16),
        (DAY, "4 May 1899", date(1899, 5, 4)),
        (DAY, "04/05/1899", date(1899, 4, 5)),
        (DAY, "04/05/99", date(1899, 5, 4)),
        (DAY, "May 1899", date(1899, 5, 4)),
        (DAY, "5 March", date(2020, 3, 5)),
        (DAY, "from 1 May 2020 to 4 May 2020", date(2020, 5, 4)),
        (DAY, "from 4 to 18 May 1899", date(1899, 5, 4)),
        (DAY, "04–18 May 1899", date(1899, 5, 4)),
        (DAY, "last Thursday", date(2020, 5, 4)),
        (ITEMS, "8991 MUSHROOM SOUP", 1),
        (ITEMS, "one of the items weighs 500 g", 1),
        (MONTHS, "a term of 3 years", 36),
    ],
)
def test_a_value_that_can_follow_from_its_quote_is_not_doubted(
    attribute: Attribute, quote: str, value: float | date
) -> None:
    claim = check(attribute, quote, value, f"(in thousands) It says: {quote}.")
    assert claim.bearing is not Bearing.CONTRADICTED


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "doubt"),
    [
        (PRICE, "USD 1,234", 1243, "the quote says 1234, the value 1243"),
        (PRICE, "12.50", 12.05, "the quote says 12.5, the value 12.05"),
        (LENGTH, "7 km", 8, "the quote says 7, the value 8"),
        (LENGTH, "120 km", 12, "the quote says 120, the value 12"),
        (PRICE, "1,250.00", 12500, "the quote says 1250.0, the value 12500"),
        (LENGTH, "0 km", 8, "the quote says 0, the value 8"),
        (ITEMS, "3 items", 4, "the quote says 3, the value 4"),
        (ITEMS, "3", 4, "the quote says 3, the value 4"),
        (DAY, "13/05/2020", date(2020, 5, 12), "the quote gives another date than 2020-05-12"),
        (DAY, "May 1899", date(1899, 6, 4), "the quote gives another date than 1899-06-04"),
        (
            DAY,
            "from 4 to 18 May 1899",
            date(1899, 5, 5),
            "the quote gives another date than 1899-05-05",
        ),
        (
            DAY,
            "in May and June 1899",
            date(1899, 5, 1),
            "the quote gives another date than 1899-05-01",
        ),
        (DAY, "4 May 1899", date(1989, 5, 4), "the quote gives another date than 1989-05-04"),
    ],
)
def test_a_value_that_cannot_follow_from_its_quote_is_doubted(
    attribute: Attribute, quote: str, value: float | date, doubt: str
) -> None:
    assert check(attribute, quote, value, quote) == Claim(Bearing.CONTRADICTED, doubt)


POOL = Attribute(name="has_pool", type="boolean")
NO_SMOKING = Attribute(name="no_smoking", type="boolean")
STATUS = Attribute(name="status", type="string", categories=("Paid", "Open"))


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "doubt"),
    [
        (POOL, "Pool: no", True, "the quote says 'Pool: no'"),
        (POOL, "✗", True, "the quote says '✗'"),
        (POOL, "Yes", False, "the quote says 'Yes'"),
        (POOL, "Pool: no", False, ""),
        (POOL, "Sauna: no", True, ""),
        (POOL, "no pool, but a beach", True, ""),
        (NO_SMOKING, "Smoking: no", True, ""),
        (STATUS, "Status: open", "Paid", "the quote says 'Open', the value 'Paid'"),
        (STATUS, "open", "Open", ""),
        (STATUS, "no longer open", "Paid", ""),
        (STATUS, "OPEN", "OPEN", ""),
    ],
)
def test_a_quote_that_says_only_the_opposite_is_doubted(
    attribute: Attribute, quote: str, value: bool | str, doubt: str
) -> None:
    assert check(attribute, quote, value, quote).why == doubt


TOWN = Attribute(name="town", type="string")
TEXT = "In Lyon, on 4 May 1899, Anna and Bob opened 12 rooms at 0.5 km."


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "bearing"),
    [
        (ITEMS, "12 rooms", 12, "quoted"),
        (ITEMS, "Anna and Bob", 2, "derived"),
        (ITEMS, "Anna and Bob", 4, "unshown"),
        (ITEMS, "★★★★", 4, "derived"),
        (ITEMS, "12 rooms", 999, "unshown"),
        (ITEMS, "no rooms", 0, "unshown"),
        (ITEMS, "rooms", 0, "unshown"),
        (LENGTH, "0.5 km", 500.0, "contradicted"),
        (LENGTH, "opened", 0.5, "unshown"),
        (DAY, "4 May 1899", date(1899, 5, 4), "quoted"),
        (DAY, "opened", date(1899, 5, 4), "derived"),
        (DAY, "May 1899", date(1899, 5, 4), "derived"),
        (DAY, "May 1899", date(1899, 5, 5), "unshown"),
        (DAY, "May the 5th, 1899", date(1899, 5, 5), "derived"),
        (DAY, "on the fifth of May", date(1899, 5, 5), "derived"),
        (DAY, "on the fifth of May", date(1898, 5, 5), "unshown"),
        (DAY, "5 men came in May", date(1899, 5, 5), "unshown"),
        (DAY, "the fifth man came in May", date(1899, 5, 5), "unshown"),
        (ITEMS, "One man, a rigger, was hurt", 1, "derived"),
        (ITEMS, "in 1899 it was shut (zero items)", 0, "derived"),
        (ITEMS, "no items in May", 0, "derived"),
        (ITEMS, "the temperature fell below zero", 0, "unshown"),
        (ITEMS, "there's no figure from last year", 0, "unshown"),
        (TOWN, "In Lyon", "Lyon", "quoted"),
        (TOWN, "opened", "Anna; Bob", "converted"),
        (TOWN, "In Lyon", "Paris", "contradicted"),
        (TOWN, "Gesell-\nschaft", "Gesellschaft", "quoted"),
        (TOWN, "In Lyon", "yon", "unshown"),
        (TOWN, "In Lyon", "an An", "unshown"),
        (TOWN, "In Lyon", "★", "unshown"),
        (TOWN, "In Lyon", "Bob, 1", "unshown"),
        (POOL, "opened", True, "quoted"),
        (POOL, "opened", False, "unshown"),
        (POOL, "no pool", False, "quoted"),
        (POOL, "no pool", True, "unshown"),
        (STATUS, "it was paid", "Paid", "quoted"),
        (STATUS, "opened", "Paid", "unshown"),
        (STATUS, "PAID", "PAID", "quoted"),
    ],
)
def test_a_quote_has_a_value_or_shows_how_it_is_made_or_neither(
    attribute: Attribute, quote: str, value: Value, bearing: str
) -> None:
    assert check(attribute, quote, value, TEXT).bearing == bearing


RUN = Attribute(name="run", type="number", unit="nautical miles")
LENGTH = Attribute(name="length", type="number")
CREW = Attribute(name="crew", type="integer")
CARGO = Attribute(name="cargo", type="number", unit="t")
SHARE = Attribute(name="share", type="number")
RATING = Attribute(name="rating", type="number")
MONTHS = Attribute(name="term", type="integer", unit="months")
YEARS = Attribute(name="experience", type="integer", unit="years")
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
        (CREW, "25 hands on board", 25),
        (CREW, "17,862", 17_862),
        (ITEMS, "17,862", 17_862),
        (CREW, "twenty-five hands", 25),
        (CREW, "Anna, Bob and Carl", 3),
        (CREW, "12 officers and 13 men", 25),
        (CARGO, "19 thousand t", 19_000),
        (CARGO, "19000 kg", 19),
        (CARGO, "between 10 and 12 t", 11),
        (SHARE, "12 %", 0.12),
        (SHARE.model_copy(update={"unit": "percent"}), "0.12", 12),
        (RATING, "92/100", 9.2),
        (RATING, "4,4 von 5", 8.8),
        (MONTHS, "2 years and 6 months", 30),
        (MONTHS, "from March 2019 to June 2021", 27),
        (YEARS, "2012 - 2019", 7),
        (OPENED, "opened in '84", 1984),
        (RENT, "EUR 1,250 per month", 15_000),
        (SALES, "450 cents", 4.5),
        (SALES, "(340)", -340),
        (DAY, "03/04/2021", date(2021, 3, 4)),
        (DAY, "03/04/2021", date(2021, 4, 3)),
        (DAY, "1 May 2021 to 3 June 2021", date(2021, 6, 3)),
    ],
)
def test_what_the_words_say_in_some_form_follows(
    attribute: Attribute, quote: str, value: float | date
) -> None:
    assert check(attribute, quote, value, f"Log of 2021. It says: {quote}.").follows


@pytest.mark.parametrize(
    ("attribute", "quote", "value"),
    [
        (RUN, "run was 3,000 kilometres", 9999),
        (RUN, "run was 3,000 kilometres", 3000),
        (LENGTH, "7 miles", 70),
        (LENGTH, "7 miles", 11.27),  # no unit is declared
        (MONTHS, "from March 2019", 24),
        (DAY, "the day before", date(2021, 5, 1)),
        (CREW, "25 hands on board", 2500),
        (CREW, "25 hands on board", 25_000),
        (CREW, "25 hands on board", 26),
        (CREW, "crew numbered 25 hands", 2500),
        (CREW, "Anna, Bob and Carl", 9999),
        (CREW, "12 officers and 13 men", 99),
        (CREW, "12 of the 1st, 13 of the 2nd and 9 of the 3rd watch", 21),
        (CREW, "thirty (30) hands", 60),
        (CREW, "2012 - 2019", 7),
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
    assert not check(attribute, quote, value, f"Log of 2021. It says: {quote}.").follows


def test_a_caption_gives_other_scales_than_thousands() -> None:
    assert check(SALES, "340", 34_000_000, "In lakh.\nSales 340").follows
    assert not check(SALES, "340", 34_000_000, "Sales 340").follows


def test_the_only_number_of_a_quote_is_quoted() -> None:
    assert read_figures("19 thousand t").is_only(19_000)
    assert not read_figures("19 thousand t").is_only(19)
    assert not read_figures("19 or 20").is_only(19)
    assert not read_figures("nineteen to twenty").is_only(19.5)


PORT = Attribute(name="port", type="string", description="Where the voyage began.")
LOG = "The crew of the Vesta put out from Hamburg under Captain Löwe, an Italian."


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Rotterdam", "put out from Hamburg"),
        ("Santos", "put out from H"),
        ("ROTTERDAM DOCKS", "put out from Hamburg"),
        ("Rotterdam", "PUT OUT FROM HAMBURG"),
        ("Роттердам", "put out from Гамбург"),
    ],
)
def test_a_name_without_a_word_in_the_document_is_doubted(value: str, quote: str) -> None:
    why = f"the document has no word of {value!r}"
    assert check(PORT, quote, value, LOG) == Claim(Bearing.CONTRADICTED, why)


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Hamburg", "put out from Hamburg"),
        ("Port of Hamburg", "put out from Hamburg"),
        ("Hambourg", "put out from Hamburg"),
        ("Italy", "an Italian"),
        ("Munich", "aus München"),
        ("Vienna", "in Wien"),
        ("China", "laws of the PRC"),
        ("United Kingdom", "in the U.K."),
        ("UK", "in Great Britain"),
        ("Cairo", "مقرها القاهرة"),
        ("north", "put out from Hamburg"),
        ("North sea", "put out from Hamburg"),
        ("12 B", "put out from Hamburg"),
    ],
)
def test_what_may_be_the_same_name_in_other_words_is_not_doubted(value: str, quote: str) -> None:
    assert check(PORT, quote, value, LOG).why == ""


def test_a_name_broken_across_lines_is_in_the_document() -> None:
    text = "We put out, leaving Rotter-\ndam."
    assert check(PORT, "put out", "Rotterdam", text) == Claim(Bearing.CONVERTED)


def test_what_the_column_says_of_its_values_explains_a_name() -> None:
    described = PORT.model_copy(update={"description": "The sea: Atlantic, Baltic or Pacific."})
    closed = PORT.model_copy(update={"categories": ("Rotterdam", "Kiel")})

    assert check(described, "from Hamburg", "Baltic", LOG) == Claim(Bearing.UNSHOWN)
    assert check(closed, "from Hamburg", "Rotterdam", LOG) == Claim(Bearing.UNSHOWN)


PEOPLE = Attribute(name="people", type="integer")
HOURS = Attribute(name="duration", type="number", unit="hours")
MINUTES = Attribute(name="duration", type="integer", unit="minutes")
NIGHTS = Attribute(name="nights", type="integer", unit="days")
PERCENT = Attribute(name="rate", type="number", unit="percent")
VOLUME = Attribute(name="volume", type="number", unit="hectolitres")


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("people on the Boeing 757", 188),
        ("people on the Boeing 757-200", 188),
        ("people: see Table 31", 188),
        ("people under § 41", 188),
    ],
)
def test_a_number_in_a_name_is_no_other_count(quote: str, value: int) -> None:
    assert check(PEOPLE, quote, value, quote) == Claim(Bearing.UNSHOWN)


@pytest.mark.parametrize(
    ("attribute", "quote", "value"),
    [
        (PEOPLE, "People 757", 188),  # the word speaks of the column
        (PEOPLE, "people: Turnout 757", 775),  # a slip of the digits
        (PRICE, "Fee 340", 34),
        (PRICE, "Fee 1,340", 7),
    ],
)
def test_a_number_behind_a_capital_is_no_name_where_it_was_misread(
    attribute: Attribute, quote: str, value: float
) -> None:
    assert check(attribute, quote, value, quote).bearing is Bearing.CONTRADICTED


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "bearing"),
    [
        (PEOPLE, "Twenty-two passengers and one flight attendant", 23, "derived"),
        (PEOPLE, "people: two adults and two children", 4, "derived"),
        (PEOPLE, "people: one adult and three children", 4, "derived"),
        (PEOPLE, "three people, one of them from Lyon", 4, "contradicted"),
        (PEOPLE, "people: three on a ship", 4, "contradicted"),
        (HOURS, "2 1/2 hours", 2.5, "converted"),
        (HOURS, "two and a half hours", 2.5, "converted"),
        (HOURS, "half an hour", 0.5, "converted"),
        (HOURS, "two thirds of an hour", 0.67, "converted"),
        (HOURS, "three quarters of an hour", 0.75, "converted"),
        (HOURS, "2½ hours", 2.5, "converted"),
        (HOURS, "2.50 hours", 2.5, "quoted"),
        (MINUTES, "one and a half hours", 90, "converted"),
        (MINUTES, "the hour and a half", 90, "converted"),
        (MINUTES, "two hours and a half", 150, "converted"),
        (MINUTES, "two hours and a half", 90, "contradicted"),
        (MINUTES, "two hours and a half", 120, "contradicted"),
        (MINUTES, "from 08:15 to 10:00", 105, "derived"),
        (MINUTES, "from 08:15 to 10:00", 115, "unshown"),
        (MINUTES, "23:30 to 00:15", 45, "derived"),
        (HOURS, "8.15 am to 10 am", 1.75, "derived"),
        (YEARS, "1984-1990", 6, "derived"),
        (
            Attribute(name="nights", type="integer", unit="days"),
            "3 May 2020 to 10 May 2020",
            7,
            "derived",
        ),
        (PERCENT, "One bottle in four was sold abroad", 25, "converted"),
        (PERCENT, "three tenths of what we sell", 30, "converted"),
        (PERCENT, "one in eight", 12.5, "converted"),
        (PERCENT, "480 € (30 %)", 30, "quoted"),
        (PRICE, "sales of one point nine million", 1_900_000, "converted"),
        (PRICE, "12 euros and 50 cents", 12.5, "derived"),
        (VOLUME, "720,000 litres", 7200, "converted"),
        (VOLUME, "720 barrels", 1178, "unshown"),  # which nobody can convert
        (VOLUME, "720 hl", 727, "contradicted"),
        (VOLUME, "720 litres", 72, "contradicted"),  # a unit in the plural is one
        (PERCENT, "12 rooms in 3 houses", 400, "unshown"),  # which is no part
        (PERCENT, "5 ‰", 0.5, "converted"),
        (PERCENT, "5 ‰", 5, "contradicted"),
        (SHARE, "5 ‰", 5, "quoted"),
        (CREW, "1\u2009200 hands", 1200, "quoted"),
        (CREW, "1’200 hands", 1200, "quoted"),
        (PRICE, "SS21/39,47400", 39.474, "unshown"),  # a code
        (PRICE, "SS21/39,47400", 3_947_400, "unshown"),
    ],
)
def test_numbers_are_read_as_people_write_them(
    attribute: Attribute, quote: str, value: float, bearing: str
) -> None:
    assert check(attribute, quote, value, quote).bearing == bearing


DELAY = Attribute(
    name="delay_minutes",
    type="integer",
    description="Minutes by which it was late; 0 if it was on time (right time, RT, punctual).",
)


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "bearing"),
    [
        (DELAY, "15:55 back. RT", 0, Bearing.DERIVED),
        (DELAY, "Punctuality: perfect", 0, Bearing.DERIVED),
        (DELAY, "right time, all trips", 0, Bearing.DERIVED),
        (DELAY, "The train was late", 0, Bearing.UNSHOWN),
        (DELAY, "It poured", 0, Bearing.UNSHOWN),
        (DELAY, "punctual on both", 4, Bearing.UNSHOWN),
        (DELAY, "ten minutes late", 0, Bearing.CONTRADICTED),
        (DELAY, "late at best", 0, Bearing.UNSHOWN),
    ],
)
def test_words_for_which_the_definition_gives_the_value_show_it(
    attribute: Attribute, quote: str, value: float, bearing: Bearing
) -> None:
    assert check(attribute, quote, value, f"On Monday: {quote}.").bearing is bearing


ALTITUDE = Attribute(name="entrance_altitude", type="integer", unit="m")
CAVES = (
    "Cave | depth | entrance | seen\n--- | --- | --- | ---\n"
    "K-5 | 88 | 2110 | 12.05.2020\nK-6 | 288 | 1990 | 13.05.2020\n"
)


@pytest.mark.parametrize(
    ("quote", "value", "is_doubted"),
    [
        ("K-5 | 88 | 2110", 2110, False),
        ("1990", 1990, False),
        ("12.05.2020", 2020, True),
        ("In 1985", 1985, True),
    ],
)
def test_a_number_of_a_named_row_is_no_year_because_it_looks_like_one(
    quote: str, value: int, *, is_doubted: bool
) -> None:
    claim = check(ALTITUDE, quote, value, f"{CAVES}\nIn 1985 nobody came.")
    assert claim.follows is not is_doubted
