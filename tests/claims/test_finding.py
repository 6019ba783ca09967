from datetime import date

import pytest

from srag_mcp.claims.odd_numbers import StatedValue, Suspicion
from srag_mcp.claims.suspects import find_suspicions
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.types import Value

REVENUE = Attribute(name="revenue", type="number", unit="USD")
COUNTRY = Attribute(name="country", type="string")


def column(values: list[tuple[Value, str]]) -> list[StatedValue]:
    return [StatedValue(f"d{n}", value, words) for n, (value, words) in enumerate(values)]


def suspected(attribute: Attribute, values: list[tuple[Value, str]]) -> dict[str, str]:
    found = find_suspicions(attribute, column(values))
    return {item.document_id: item.kind for item in found}


def numbers(values: list[float]) -> list[tuple[Value, str]]:
    return [(value, str(value)) for value in values]


def test_a_value_in_another_scale_is_found_with_the_reason() -> None:
    values = numbers([12.5e6, 13.1e6, 11.9e6, 14.2e6, 15e6, 12.8])
    assert find_suspicions(REVENUE, column(values)) == [
        Suspicion(
            "d5",
            "scale",
            "5 of 6 values lie between 11,900,000 and 15,000,000; this one is about 1,000,000"
            " times smaller: is the scale (thousand, million) worked in, and only once?",
        )
    ]


@pytest.mark.parametrize(
    "values",
    [
        [1, 10, 100, 1000, 10_000, 100_000],  # no gap
        [5e3, 6e3, 7e3, 5e5, 6e5, 7e5],  # two kinds of things
        [12, 13, 14, 15, 700],  # a gap that no scale explains
        [12e6, 13e6, 14e6, 12],  # too few to tell
        [0, 0, 12, 13, 14, 15, 11],
    ],
)
def test_values_that_merely_differ_are_left_alone(values: list[float]) -> None:
    assert suspected(REVENUE, numbers(values)) == {}


TAX = Attribute(name="gst", type="number", unit="MYR")


def test_a_large_sum_with_its_cents_is_no_other_scale() -> None:
    small = [(1.13, "1.13"), (0.85, "0.85"), (2.4, "RM 2.40"), (3.06, "3.06"), (4.2, "4.20")]
    assert suspected(TAX, [*small, (443.71, "443.71")]) == {}
    assert suspected(TAX, [*small, (2_443.71, "GST 2,443.71")]) == {}
    assert suspected(TAX, [*small, (2_443, "GST 2,443")]) == {"d5": "scale"}
    assert suspected(TAX, [*small, (443, "GST 443")]) == {}, "as quoted, and no thousand away"


def test_a_value_that_was_not_converted_is_found() -> None:
    distance = Attribute(name="distance", type="number", unit="km")
    values: list[tuple[Value, str]] = [(3.0, "3 km"), (2.0, "2 miles"), (1.6, "1 mile")]
    assert suspected(distance, values) == {"d1": "unit"}


def test_an_impossible_share_is_found() -> None:
    share = Attribute(name="share", type="number", unit="percent")
    assert suspected(share, numbers([10, 20, 30, 45, 450])) == {"d4": "impossible"}
    assert suspected(share, numbers([10, 20, 130, 145])) == {}, "half of them are so"
    assert suspected(share, [*numbers([10, 20, 30, 45]), (450, "grew by 450 %")]) == {}


def test_a_date_in_the_other_order_than_the_column_proves_is_found() -> None:
    signed = Attribute(name="signed", type="date")
    values: list[tuple[Value, str]] = [
        (date(2021, 3, 25), "25/03/2021"),
        (date(2021, 4, 30), "30/04/2021"),
        (date(2021, 3, 4), "03/04/2021"),
        (date(2021, 6, 5), "05/06/2021"),
        (date(1821, 6, 5), "5 June '21"),
    ]
    assert suspected(signed, values) == {"d2": "date_order", "d4": "impossible"}
    assert suspected(signed, values[2:3]) == {}, "nothing is proven"


def test_where_both_orders_are_proven_each_ambiguous_date_is_asked_about() -> None:
    signed = Attribute(name="signed", type="date")
    proofs: list[tuple[Value, str]] = [
        (date(2021, 4, 25), "25/04/2021"),
        (date(2021, 6, 30), "30/06/2021"),
        (date(2021, 4, 25), "04/25/2021"),
        (date(2021, 6, 30), "06/30/2021"),
    ]
    ambiguous: list[tuple[Value, str]] = [
        (date(2021, 3, 4), "03/04/2021"),
        (date(2021, 6, 5), "05/06/2021"),
    ]
    reason = (
        "2 dates of this column are written the day first, 2 the month first, and this one may"
        " be either: what does its document use?"
    )
    assert find_suspicions(signed, column(proofs + ambiguous)) == [
        Suspicion("d4", "date_orders", reason),
        Suspicion("d5", "date_orders", reason),
    ]
    one_exception = proofs[:2] * 5 + proofs[2:3] + ambiguous
    assert suspected(signed, one_exception) == {"d11": "date_order"}


def test_rare_spellings_of_a_frequent_value_are_found() -> None:
    names = ["United Kingdom"] * 4 + ["U.K.", "France", "France", "Frence", "Niger", "Nigeria"]
    found = suspected(COUNTRY, [(name, name) for name in names])
    assert found == {"d4": "spelling", "d7": "spelling"}
    phases = ["Phase 2"] * 3 + ["Phase 3"] * 2
    assert suspected(COUNTRY, [(name, name) for name in phases]) == {}


def test_two_names_that_share_most_words_are_two() -> None:
    names = ["University of Bologna"] * 3 + ["University of Lyon", "Univercity of Bologna"]
    assert suspected(COUNTRY, [(name, name) for name in names]) == {"d4": "spelling"}


def test_old_dates_among_dates_of_all_times_are_left_alone() -> None:
    years = [1790, 1845, 1887, 1920, 1950, 1971, 2001]
    values: list[tuple[Value, str]] = [(date(year, 1, 1), str(year)) for year in years]
    opened = Attribute(name="opened", type="date")
    assert suspected(opened, values) == {}
    assert suspected(opened, [*values, (date(1071, 1, 1), "'71")]) == {"d7": "impossible"}


def test_a_column_of_names_is_left_alone() -> None:
    names = [f"Person {letter}{letter}on" for letter in "abcdefghij"]
    assert suspected(COUNTRY, [(name, name) for name in names]) == {}


def test_a_value_outside_of_the_categories_is_found() -> None:
    flag = Attribute(name="flag", type="string", categories=("red", "green"))
    values: list[tuple[Value, str]] = [("Red", "Red"), ("green", "green"), ("lime", "lime")]
    assert suspected(flag, values) == {"d2": "category"}


SHIP_TYPES = ["Bulk carrier"] * 4 + ["Bulk carriers"] * 4 + ["Tanker"] * 4


@pytest.mark.parametrize("categories", [None, ("Bulk carrier", "Bulk carriers", "Tanker")])
def test_of_two_spellings_that_are_equally_frequent_one_is_found(
    categories: tuple[str, ...] | None,
) -> None:
    ship_type = Attribute(name="ship_type", type="string", categories=categories)
    found = find_suspicions(ship_type, column([(name, name) for name in SHIP_TYPES]))
    reason = "4 documents have “Bulk carrier”: is this the same value?"
    assert found == [Suspicion(f"d{n}", "spelling", reason) for n in (4, 5, 6, 7)]
    turned = find_suspicions(ship_type, column([(name, name) for name in SHIP_TYPES[::-1]]))
    assert {item.reason for item in turned} == {reason}, "the order of the documents is no reason"


@pytest.mark.parametrize(
    ("one", "other"),
    [("Economy", "Economy Plus"), ("insured", "uninsured"), ("Grade 1", "Grade 2")],
)
def test_categories_that_somebody_keeps_apart_are_two(one: str, other: str) -> None:
    attribute = Attribute(name="it", type="string", categories=(one, other))
    names = [one] * 4 + [other] * 4
    assert suspected(attribute, [(name, name) for name in names]) == {}


TONNES = Attribute(name="cargo", type="number", unit="t")


@pytest.mark.parametrize("n_small", [5, 6, 7, 12])
def test_a_scale_is_found_in_any_share_of_the_column(n_small: int) -> None:
    small, large = [15.0 + n / 10 for n in range(n_small)], [21e3 + n for n in range(7)]
    found = suspected(TONNES, numbers([*small, *large]))
    few, many = {f"d{n}" for n in range(n_small)}, {f"d{n_small + n}" for n in range(7)}
    assert set(found.values()) == {"scale"}
    assert set(found) == (few if n_small < 7 else few | many if n_small == 7 else many)


def test_a_scale_word_that_the_value_leaves_out_is_found_in_a_small_column() -> None:
    values: list[tuple[Value, str]] = [
        (15.0, "15 thousand tonnes"),
        (16_000.0, "16 thousand tonnes"),
        (17.0, "17 tonnes"),
    ]
    assert find_suspicions(TONNES, column(values)) == [
        Suspicion(
            "d0",
            "scale_word",
            "the document says 15 thousand tonnes: is the scale (thousand, million) worked in?",
        )
    ]


@pytest.mark.parametrize(
    "declared",
    [
        Attribute(name="sales", type="number", unit="thousand USD"),
        Attribute(name="sales", type="number", description="Sales in thousands."),
        Attribute(name="sales_thousand", type="number"),
    ],
)
def test_a_column_in_thousands_leaves_the_word_out(declared: Attribute) -> None:
    assert suspected(declared, [(15.0, "15 thousand"), (3.5, "USD 3.5 thousand")]) == {}
    assert suspected(declared, [(15.0, "15 million")]) == {"d0": "scale_word"}


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ([(2022, 1, 4), (2022, 4, 1), (2022, 1, 4)], {"d1": "date_orders"}),
        ([(2022, 1, 4), (2022, 4, 1)], {"d0": "date_orders", "d1": "date_orders"}),
        ([(2022, 4, 1), (2022, 4, 1)], {}),
    ],
)
def test_dates_that_may_be_either_are_read_in_one_order(
    read: list[tuple[int, int, int]], expected: dict[str, str]
) -> None:
    values: list[tuple[Value, str]] = [(date(*day), "04/01/2022") for day in read]
    values.append((date(2021, 3, 3), "03/03/2021"))
    assert suspected(Attribute(name="day", type="date"), values) == expected
