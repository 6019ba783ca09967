"""Which labels may name one thing by their words alone."""

import pytest

from srag_mcp.rules.kinship import content_stems, kin_of, kinship, own_words, says_more
from srag_mcp.rules.naming import column_name, free_name


@pytest.mark.parametrize(
    ("one", "other", "sureness"),
    [
        ("Sowing date", "date of sowing", 0.8),
        ("Sowing", "sowings", 0.8),
        ("Employer", "Company", 0.8),
        ("Hull", "Hull plating", 0.7),
        ("RPM", "Revs per minute", 0.6),
        ("Date", "Day", 0.0),
        ("Number", "Reference", 0.45),
        ("Hull", "Mast", 0.0),
        ("Hull plating", "Hull price", 0.3),
        ("Unit price", "Repair cost", 0.0),
        ("Start date", "End date", -1.0),
        ("Net weight", "Gross weight", -1.0),
        ("Net and gross weight", "Gross weight", 0.7),
        ("Arrival", "Departure", -1.0),
        ("Hold 1 depth", "Hold 2 depth", 0.0),
    ],
)
def test_labels_are_one_by_their_words_or_exclude_each_other(
    one: str, other: str, sureness: float
) -> None:
    assert kinship(one, other) == pytest.approx(sureness)
    assert kinship(other, one) == pytest.approx(sureness)


def test_a_word_is_its_own_kin_and_of_those_that_forms_use_for_it() -> None:
    (phone, telephone), (hull,) = content_stems("phone telephone"), content_stems("hull")
    assert {phone, telephone} <= kin_of(phone)
    assert kin_of(hull) == {hull}


@pytest.mark.parametrize(
    ("label", "other", "more"),
    [("Sowing date", "Date", True), ("Date", "Sowing date", False), ("Hull", "Mast", False)],
)
def test_a_label_says_more_than_what_only_says_its_sort(label: str, other: str, more: bool) -> None:
    assert says_more(label, other) is more


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("TOTAL SALES (INCL. TAX)", "total_sales_incl_tax"),
        ("2nd mate", "n_2nd_mate"),
        ("Übergröße", "ubergrosse"),
        ("document id", ""),
        ("№ 7", ""),
        ("the day on which the last of the rivets was counted", "day_last_rivets_counted"),
    ],
)
def test_a_label_gives_a_name_for_a_column(label: str, name: str) -> None:
    assert column_name(label) == name


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert free_name("Hull", {"hull", "hull_2"}) == "hull_3"
    assert free_name("2019", ()) == "n_2019"
    assert free_name("中文", ()) == "value"


@pytest.mark.parametrize(
    ("left", "right", "differing"),
    [
        ("Paid by card", "Paid by cash", {"card", "cash"}),
        ("Tariff day", "Tariff night", {"day", "night"}),
        ("Day 1", "Day 4", {"1", "4"}),
        ("Paid", "Paid by card", set()),  # says less
        ("Town tax", "City tax", set()),  # akin
        ("Bulb count", "Total bulbs", set()),  # what sort of thing it is
        ("Paid by card", "Weight", set()),
    ],
)
def test_labels_that_share_a_word_differ_by_others(
    left: str, right: str, differing: set[str]
) -> None:
    assert own_words(left, right) == own_words(right, left) == differing
