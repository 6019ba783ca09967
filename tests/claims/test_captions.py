"""What stands above a number of a table: its scale, and the year of its column."""

import pytest

from srag_mcp.claims.captions import (
    find_scale_note,
    head_lines,
    headings_of_row,
    line_at,
    read_scales,
    read_years,
)
from srag_mcp.documents.passages import Passage
from srag_mcp.text.spans import Span

PAGE = """
                     STATEMENT OF INCOME
              (in thousands, except per share data)

                                        Year ended June 30,
                                        2021          2020
Sales                              $  11,588     $  10,073
Change                                  15 %           4 %
Profit per share                        0.58          0.44
Earnings per share:
Basic                                   0.59          0.45
Other items
Duty                                    0.77          0.66
Costs by quarter                           7             9             11
"""
BARS = """
| $ million | FY21 | FY20 | Change % |
| Orders | 532.0 | 470.0 | 13.2 |
| Margin (%) | 73.2 | 72.2 | 1.0 |

| | €m | |
| 31 March 2021 | 31 March 2020 |
| Trees | 1,216 | 1,212 |

Of 1,216 trees, 12 were felled.
"""
LOST = """
The following table presents the fund's holdings:
June 30, 2023 December 31, 2022
(In thousands)
Bonds Level 2 416,420 213,875
Paper Level 2 — 5,992
Total $ 509,921 $ 302,707
In 2022 the fund held 512 bonds.
"""
WRAPPED = """
December
  2016  2015
  (in
thousands)
Working capital  423,961  371,361
"""


def place(text: str, number: str) -> Span:
    start = text.index(number)
    return Span(start, start + len(number))


@pytest.mark.parametrize(
    ("text", "number", "unit", "scales"),
    [
        (PAGE, "11,588", "USD", {1000}),
        (PAGE, "11,588", None, {1000}),
        (LOST, "416,420", "USD", {1000}),
        (LOST, "5,992", "USD", {1000}),
        (LOST, "302,707", "USD", {1000}),
        (LOST, "512", "bonds", {1}),
        (WRAPPED, "423,961", "USD", {1000}),
        (PAGE, "11,588", "passengers", {1, 1000}),
        (PAGE, "15", None, {1}),
        (PAGE, "0.58", "USD", {1}),
        (PAGE, "0.59", "USD", {1}),  # below "per share"
        (PAGE, "0.77", "USD", {1, 1000}),
        (PAGE, "0.59", "USD/share", {1}),
        (BARS, "532.0", "USD", {1_000_000}),
        (BARS, "13.2", None, {1}),
        (BARS, "12 were", None, {1}),
        (f"{'Words ' * 40}per $ million of sales.\n| Cash | 78 |", "78", None, {1}),
        (f"{'Words ' * 40}(in millions):\n| Cash | 79 |", "79", None, {1_000_000}),
        ("| | RMB’Million |\n| Cash | 77 |", "77", "CNY", {1_000_000}),
    ],
)
def test_a_number_of_a_table_has_the_scale_that_stands_above_it(
    text: str, number: str, unit: str | None, scales: set[float]
) -> None:
    assert read_scales(text, place(text, number), 0, unit) == scales


@pytest.mark.parametrize(
    ("text", "number", "years"),
    [
        (PAGE, "11,588", {2021}),
        (PAGE, "10,073", {2020}),
        (PAGE, "0.44", {2020}),
        (PAGE, "11\n", set()),  # three numbers below two years
        (BARS, "532.0", {2021}),
        (BARS, "470.0", {2020}),
        (BARS, "13.2", set()),
        (BARS, "12 were", set()),
    ],
)
def test_a_column_is_of_the_year_in_its_head(text: str, number: str, years: set[int]) -> None:
    assert read_years(text, place(text, number), 0) == years


def test_a_year_that_ends_in_spring_may_be_named_after_the_one_before() -> None:
    text = "| | 31 March 2021 |\n| Sales | 12 |"
    assert read_years(text, place(text, "12"), 0) == {2020, 2021}


@pytest.mark.parametrize(
    "head", ["LOT 2110&2111 PARK ROAD", "2019 - 2020", "from 2019 to 2020", "2019, 2020"]
)
def test_years_that_are_joined_are_no_heads(head: str) -> None:
    text = f"{head}\nSales  12  13\nCosts  11  12"
    assert read_years(text, place(text, "13"), 0) == set()
    apart = f"of 2019  of 2020{text.removeprefix(head)}"
    assert read_years(apart, place(apart, "13"), 0) == {2020}


@pytest.mark.parametrize(
    ("head", "scale"), [("| Sales (m) |", 1_000_000), ("| ACME (m) BHD |", 1), ("| (k) Fees |", 1)]
)
def test_a_short_note_ends_its_cell(head: str, scale: int) -> None:
    text = f"{head}\n| 78 |"
    assert read_scales(text, place(text, "78"), 0, None) == {scale}


def test_nothing_above_the_floor_counts() -> None:
    floor = PAGE.index("Year ended")
    assert read_scales(PAGE, place(PAGE, "11,588"), floor, "USD") == {1}


def test_heads_are_the_last_lines_with_a_scale_and_with_years() -> None:
    assert head_lines(PAGE, 0, PAGE.index("Profit")) == (
        "(in thousands, except per share data)",
        "2021 2020",
    )
    assert head_lines("No table.\n", 0, 9) == ()


def sections(*parts: tuple[str, tuple[str, ...], int | None]) -> tuple[str, list[Passage]]:
    """Return a text and its passages, of what stands in each, its headings and its page."""
    text, passages = "", list[Passage]()
    for said, path, page in parts:
        span = Span(len(text), len(text) + len(said))
        passages.append(Passage(span, page, path, "text"))
        text += f"{said}\n"
    return text, passages


NOTE = "(in thousands of euros)"


@pytest.mark.parametrize(
    ("above", "below", "holds"),
    [
        ((("Income",), 1), (("Income",), 3), True),
        ((("Statements",), 1), (("Statements", "Income"), 3), True),
        ((("Statements", "Income"), 1), (("Statements", "Cash"), 1), False),
        (((), None), (("Income",), None), True),
        (((), 1), ((), 1), True),
        (((), 1), ((), 2), False),
    ],
)
def test_a_note_of_scale_holds_to_the_end_of_its_section_or_page(
    above: tuple[tuple[str, ...], int | None],
    below: tuple[tuple[str, ...], int | None],
    *,
    holds: bool,
) -> None:
    text, passages = sections((NOTE, *above), ("Sales 12", *below))

    note = find_scale_note(text, passages, text.index("12"))

    assert (note is not None) is holds


def test_the_next_note_of_scale_takes_the_place_of_the_one_before() -> None:
    text, passages = sections((NOTE, ("A",), 1), ("(in millions)", ("A",), 1), ("12", ("A",), 1))

    note = find_scale_note(text, passages, text.index("12"))

    assert note is not None
    assert note.of(text) == "(in millions)"


CARGO = """\
The harbour charged 8.0 million for the use of cranes.

Cargo of the year |  |  |
 | 2021 | 2020
 | €’000 | €’000
Fees of the lines that are used in |  |
the totals below |  |
North | 5 | 4
 | 12 | 11
Bulk: |  |
Inland |  |
Coal | 3 | 2
Total bulk | 3 | 2
Mail | 4 | 4
Total | 19 | 17
People: |  |
Crew | 7 | 7
Guests: |  |
Adults | 2 | 2
"""


@pytest.mark.parametrize(
    ("row", "groups"),
    [
        ("North | 5", ("Fees of the lines that are used in the totals below",)),
        (" | 12", ("Fees of the lines that are used in the totals below",)),
        ("Coal", ("Bulk", "Inland")),
        ("Total bulk", ("Bulk",)),
        ("Mail", ()),
        ("Total | 19", ()),
        ("Adults", ("Guests",)),
    ],
)
def test_a_row_stands_below_its_caption_its_columns_and_the_labels_that_hold_for_it(
    row: str, groups: tuple[str, ...]
) -> None:
    heads = Span(CARGO.index("Cargo of"), CARGO.index(" | €"))
    start = CARGO.index(row)
    place = line_at(CARGO, Span(start, start + len(row)))

    assert headings_of_row(CARGO, place, heads, 0) == (
        "€’000 | €’000",
        "Cargo of the year",
        "2021 | 2020",
        *groups,
    )


def test_indented_rows_stand_below_the_labels_that_are_indented_less() -> None:
    text = (
        "Fleet   2021   2020\nBuilt\n  At home\n    Ferries   3   2\n  All built   7   5\n"
        "Sold   1   1\n"
    )
    heads = Span(0, text.index("Built"))

    def above(row: str) -> tuple[str, ...]:
        start = text.index(row)
        return headings_of_row(text, line_at(text, Span(start, start + 1)), heads, 0)

    assert above("Ferries") == ("Fleet 2021 2020", "Built", "At home")
    assert above("All built") == ("Fleet 2021 2020", "Built")
    assert above("Sold") == ("Fleet 2021 2020",)
