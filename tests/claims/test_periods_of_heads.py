"""Which period a head says of its column, and which column it speaks against."""

import pytest

from srag_mcp.claims.claim import Bearing, check
from srag_mcp.schema.attribute import Attribute

ACCOUNTS = (
    "| Item | This year (kGBP) | Last year (kGBP) |\n|---|---|---|\n| Receipts | 14.9 | 15.2 |"
)


@pytest.mark.parametrize(
    ("title", "name", "is_odd"),
    [
        ("# Report 2023", "receipts", True),
        ("# Report 2023", "receipts_2023", True),
        ("# Report 2023", "receipts_2022", False),
        ("# Report", "receipts_2023", False),  # nobody knows which period that is
    ],
)
def test_a_relative_head_speaks_of_a_known_period(title: str, name: str, *, is_odd: bool) -> None:
    column = Attribute(name=name, type="number", unit="thousand GBP")
    found = check(column, "Receipts | 14.9 | 15.2", 15.2, f"{title}\n\n{ACCOUNTS}")
    assert (found.bearing is Bearing.CONTRADICTED) is is_odd


def test_a_row_of_numbers_below_others_is_no_head() -> None:
    rows = (
        "\n| Children | 1100 | 1190 |\n| Special events | 1086 | 1075 |\n| Visitors | 6730 | 6905 |"
    )
    column = Attribute(name="visitors", type="integer")
    for rule in ("", "\n|---|---|---|"):
        text = f"# Guests\n\n| In all | this | before |{rule}{rows}"
        assert check(column, "Visitors | 6730 | 6905", 6905, text).bearing is Bearing.QUOTED
        dated = text.replace("this | before", "2023 | 2022")
        assert check(column, "Visitors | 6730 | 6905", 6905, dated).why == (
            "this is the row's number for 2022; that for 2023 is 6730"
        )


def test_a_head_behind_an_empty_line_is_one() -> None:
    text = "# Guests\n\nAdults | 80 | 90\n\nIn all | 2023 | 2022\nVisitors | 6730 | 6905"
    column = Attribute(name="visitors", type="integer")
    assert check(column, "Visitors | 6730 | 6905", 6905, text).why


@pytest.mark.parametrize(
    ("quote", "value"), [("neun Stunden lang", 9), ("dreißig Pfeifen", 30), ("ein Balgleder", 1)]
)
def test_number_words_of_other_languages_show_a_value(quote: str, value: int) -> None:
    column = Attribute(name="n", type="integer")
    assert check(column, quote, value, quote).bearing is Bearing.CONVERTED
    assert not check(column, quote, value + 1, quote).follows
