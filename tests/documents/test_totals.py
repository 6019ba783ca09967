"""Rows that name the rows below them, and rows that sum up those above."""

from collections.abc import Sequence

import pytest

from srag_mcp.documents.tables import SheetRow
from srag_mcp.documents.totals import LabelledRow, TableBody, groups_of, is_total, names_total


def read(text: str) -> list[LabelledRow]:
    """Read lines as rows: one that ends with a colon is a label alone, its blanks are kept."""
    return [
        LabelledRow(
            line.strip().removesuffix(":").strip("·"),
            line.endswith(":"),
            len(line) - len(line.lstrip()),
        )
        for line in text.strip("\n").splitlines()
    ]


def paths(text: str) -> dict[str, tuple[str, ...]]:
    """Return the labels above each row that is none, by the row's name."""
    rows = read(text)
    return {
        row.name: above
        for row, above in zip(rows, groups_of(rows), strict=True)
        if not row.is_group
    }


def test_a_label_is_above_what_is_indented_below_it() -> None:
    assert paths("""
Income:
  Rent
  Fees:
    Docks
    Cranes
Staff
""") == {
        "Rent": ("Income",),
        "Docks": ("Income", "Fees"),
        "Cranes": ("Income", "Fees"),
        "Staff": (),
    }


def test_labels_without_indents_are_levels_and_later_ones_replace_the_inner() -> None:
    assert paths("""
Harbour:
North quay:
Docks
South quay:
Cranes
""") == {"Docks": ("Harbour", "North quay"), "Cranes": ("Harbour", "South quay")}


def test_a_label_in_small_letters_goes_on_the_one_before_it() -> None:
    assert paths("""
Fees paid by:
owners of boats:
Docks
""") == {"Docks": ("Fees paid by owners of boats",)}


def test_a_total_ends_the_group_that_it_names() -> None:
    assert paths("""
Fees:
Docks
Cranes
Total fees
Staff
""") == {"Docks": ("Fees",), "Cranes": ("Fees",), "Total fees": ("Fees",), "Staff": ()}


def test_a_bare_total_ends_the_innermost_group_only() -> None:
    found = paths("""
Income:
Fees:
Docks
Total
Rent
""")
    assert found["Docks"] == found["Total"] == ("Income", "Fees")
    assert found["Rent"] == ("Income",)


def test_rows_without_labels_are_of_no_group() -> None:
    assert groups_of(read("Docks\nCranes")) == [(), ()]
    assert groups_of([]) == []


@pytest.mark.parametrize("said", ["Total", "total:", "Sum", "Grand total", "Summe", "Subtotal "])
def test_a_label_may_say_only_that_it_is_a_total(said: str) -> None:
    assert is_total(said)
    assert names_total(said)


@pytest.mark.parametrize("said", ["Total Oil Ltd", "Totals of May", "Summary", "", "Sum 41"])
def test_a_name_with_the_word_in_it_is_not_only_a_total(said: str) -> None:
    assert not is_total(said)


def body(*rows: Sequence[str]) -> TableBody:
    lines = [SheetRow(n, tuple(row), sum(map(bool, row))) for n, row in enumerate(rows, start=2)]
    return TableBody(lines, [("Dock", "Town", "Boats", "Fee")])


def test_a_row_that_sums_up_all_above_is_no_record() -> None:
    found = body(
        ("A1", "Norham", "3", "120"), ("A2", "Eastby", "5", "210"), ("A3", "Norham", "2", "95"),
        ("Total", "", "10", "425"),
    )  # fmt: skip
    assert found.left_out == {5: "the sum of the 3 rows above it"}


def test_a_dock_called_total_with_numbers_of_its_own_is_a_record() -> None:
    found = body(
        ("A1", "Norham", "3", "120"), ("Total", "Eastby", "5", "210"), ("A3", "Norham", "2", "95"),
        ("A4", "Eastby", "4", "130"),
    )  # fmt: skip
    assert found.left_out == {}
