from datetime import date

import pytest

from srag_mcp.records.contradiction import find_contradiction, is_derived
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
        (DAY, "last Thursday", date(2020, 5, 4)),
        (ITEMS, "8991 MUSHROOM SOUP", 1),
        (ITEMS, "one of the items weighs 500 g", 1),
        (MONTHS, "a term of 3 years", 36),
    ],
)
def test_a_value_that_can_follow_from_its_quote_is_not_doubted(
    attribute: Attribute, quote: str, value: float | date
) -> None:
    assert find_contradiction(attribute, quote, value) == ""


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
        (DAY, "4 May 1899", date(1989, 5, 4), "the quote gives another date than 1989-05-04"),
    ],
)
def test_a_value_that_cannot_follow_from_its_quote_is_doubted(
    attribute: Attribute, quote: str, value: float | date, doubt: str
) -> None:
    assert find_contradiction(attribute, quote, value) == doubt


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
    ],
)
def test_a_quote_that_says_only_the_opposite_is_doubted(
    attribute: Attribute, quote: str, value: bool | str, doubt: str
) -> None:
    assert find_contradiction(attribute, quote, value) == doubt


TOWN = Attribute(name="town", type="string")
TEXT = "In Lyon, on 4 May 1899, Anna and Bob opened 12 rooms at 0.5 km."


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "derived"),
    [
        (ITEMS, "12 rooms", 12, False),
        (ITEMS, "Anna and Bob", 2, True),
        (ITEMS, "12 rooms", 999, True),
        (LENGTH, "0.5 km", 500.0, False),
        (LENGTH, "opened", 0.5, True),
        (DAY, "4 May 1899", date(1899, 5, 4), False),
        (DAY, "opened", date(1899, 5, 4), True),
        (DAY, "May 1899", None, False),
        (TOWN, "In Lyon", "Lyon", False),
        (TOWN, "opened", "Anna; Bob", False),
        (TOWN, "In Lyon", "Paris", True),
        (TOWN, "Gesell-\nschaft", "Gesellschaft", False),
        (TOWN, "In Lyon", "yon", True),
        (TOWN, "In Lyon", "an An", True),
        (TOWN, "In Lyon", "★", True),
        (TOWN, "In Lyon", "Bob, 1", True),
        (POOL, "opened", True, False),
        (STATUS, "opened", "Paid", False),
    ],
)
def test_a_value_that_its_words_do_not_have_is_derived(
    attribute: Attribute, quote: str, value: Value | None, *, derived: bool
) -> None:
    assert is_derived(attribute, quote, value, TEXT) is derived
