import pytest

from srag_mcp.claims.claim import check
from srag_mcp.schema.attribute import Attribute

SALES = Attribute(name="sales", type="number", unit="USD")
SHARE = Attribute(name="share", type="number", unit="percent")
LENGTH = Attribute(name="length", type="number", unit="km")
SPEED = Attribute(name="speed", type="number", unit="km/h")
RUN = Attribute(name="run", type="number", unit="nautical miles")
MINUTES = Attribute(name="duration", type="integer", unit="minutes")
OPENED = Attribute(name="opened", type="integer")
RENT = Attribute(name="rent", type="number", unit="EUR", description="Rent of a year.")
LINES = "Cost 1\n" * 200


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "text"),
    [
        (SALES, "340", 340_000, "All sums in thousands.\n\nSales 340"),
        (SALES, "340", 340_000, f"(in thousands)\n{LINES}Sales 340"),
        (SALES, "340", 340_000_000, f"Sales (€m)\n{LINES}Sales 340"),
        (SALES, "34.0", 34_000_000, "Sales, millions: 34.0"),
        (SALES, "340", 340_000, f"(amounts x 1,000 euro)\n{LINES}Sales 340"),
        (SALES, "340", 340_000_000, f"Sales × €1.000.000\n{LINES}Sales 340"),
        (SALES, "340", 340_000, "Umsatz in TEUR: 340"),
        (SALES.model_copy(update={"unit": "million USD"}), "$3.4 billion", 3400, ""),
        (SALES.model_copy(update={"unit": "million USD"}), "3,400,000", 3.4, ""),
        (SALES.model_copy(update={"unit": "million USD"}), "3,400", 3.4, "(in thousands) 3,400"),
        (SALES, "450 cents", 4.5, ""),
        (SALES, "1.250", 1250, ""),
        (SALES, "1 rm 1.250.000,50 net", 1_250_000.5, ""),
        (SALES, "Lot 5 12 500 $", 12_500, ""),
        (SALES, "1'250.50", 1250.5, ""),
        (SALES, "2.635,673", 2_635_673, ""),
        (SALES, "4,6702 in all", 4670, ""),
        (SHARE, "0.12", 12, ""),
        (SHARE.model_copy(update={"unit": None}), "12 %", 0.12, ""),
        (SHARE.model_copy(update={"description": "As a fraction."}), "12 %", 0.12, ""),
        (LENGTH, "45 miles", 72.4, ""),
        (LENGTH, "242 nautical miles", 448.2, ""),
        (LENGTH, "45 hours", 100, ""),
        (SPEED, "30 knots", 56, ""),
        (RUN, "242 kilometres", 130.67, ""),
        (RUN, "242 nautical miles", 242, ""),
        (RUN.model_copy(update={"unit": "miles per gallon"}), "12.7 km per litre", 29.9, ""),
        (MINUTES, "1½ hours", 90, ""),
        (MINUTES, "2 rooms", 45, ""),
        (OPENED, "the items weigh 500 g", 3, ""),
        (OPENED, "opened in 1984 and 1990", 1948, ""),
        (OPENED, "opened in '84", 1984, ""),
        (OPENED, "aged 36 in 2020", 36, ""),
        (RENT, "EUR 1,250 per month", 15_000, ""),
    ],
)
def test_what_a_caption_a_unit_or_a_period_explains_is_not_doubted(
    attribute: Attribute, quote: str, value: float, text: str
) -> None:
    assert check(attribute, quote, value, text).why == ""


@pytest.mark.parametrize(
    ("attribute", "quote", "value", "doubt"),
    [
        (SALES, "340", 340_000, "the quote says 340, the value 340000"),
        (SALES, "$3.4 million", 3.4, "the quote says '$3.4 million', the value 3.4"),
        (SALES, "$3.4 million", 3.4e12, "the quote says 3400000, the value 3400000000000.0"),
        (SALES, "fifteen thousand", 15, "the quote says 15000, the value 15"),
        (SALES, "250 USD", 25.0, "the quote says 250, the value 25.0"),
        (SALES, "250 USD", 125, "the quote says 250, the value 125"),
        (LENGTH, "5 miles", 5, "the quote says 5 mi, which is 8.04672 in km, the value 5"),
        (SALES, "12.5", 1.25, "the quote says 12.5, the value 1.25"),
        (SHARE, "12 %", 0.12, "the quote says 12, the value 0.12"),
        (SHARE, "12 %", 1200, "the quote says 12, the value 1200"),
        (LENGTH, "45 miles", 100, "the quote says 45 mi, which is 72.4205 in km, the value 100"),
        (LENGTH, "45 miles", 45, "the quote says 45 mi, which is 72.4205 in km, the value 45"),
        (SPEED, "30 knots", 99, "the quote says 30 knot, which is 55.56 in km/h, the value 99"),
        (
            RUN,
            "run 242 km",
            798.6,
            "the quote says 242 km, which is 130.67 in nautical miles, the value 798.6",
        ),
        (MINUTES, "30 Minuten", 45, "the quote says 30, the value 45"),
        (OPENED, "erbaut 1984", 1948, "the quote says 1984, the value 1948"),
        (OPENED, "since 3 May 1984", 1948, "the quote says 1984, the value 1948"),
        (RENT, "EUR 1,250 per month", 37_500, "the quote says 1250, the value 37500"),
    ],
)
def test_what_nothing_explains_is_doubted(
    attribute: Attribute, quote: str, value: float, doubt: str
) -> None:
    assert check(attribute, quote, value, f"It says: {quote}.").why == doubt
