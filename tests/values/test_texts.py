"""Columns of texts: one spelling of a value, and categories."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.text.words import fold, tidy
from srag_mcp.values.columns import choose_spellings, classify_values, read_column
from srag_mcp.values.states import (
    Column,
    State,
    Words,
    denies,
    read_missing,
    read_statement,
)
from srag_mcp.values.types import TEXT

_SPELLINGS = st.lists(
    st.sampled_from(["Café", "CAFÉ", "café.", "C", "C++", "A", "A*", "<65", ">65", "Rome", "rome"]),
    max_size=12,
)


@given(_SPELLINGS)
def test_each_spelling_becomes_one_of_its_own_and_stays_so(values: list[str]) -> None:
    kept = choose_spellings(values)
    assert kept.keys() == set(values)
    for value, spelling in kept.items():
        assert spelling.casefold() == value.casefold()
        assert kept[spelling] == spelling
    assert len({value.casefold() for value in values}) == len(set(kept.values()))


@given(_SPELLINGS)
def test_the_most_frequent_spelling_is_kept(values: list[str]) -> None:
    counts = Counter(values)
    for value, spelling in choose_spellings(values).items():
        assert counts[spelling] >= counts[value]


@pytest.mark.parametrize(
    ("value", "kept"),
    [("Grade II", "Grade II"), ("grade ii*", "Grade II*"), ("Grade I", "Grade I"),
     ("conservatoin area", "Conservation area")],
)  # fmt: skip
def test_a_category_is_meant_in_spite_of_a_slip_and_not_of_a_mark(value: str, kept: str) -> None:
    categories = ("Grade II*", "Conservation area", "none")
    [reading] = read_column(Column(TEXT, categories=categories), [Words(value)])
    assert reading.value == kept


@given(st.lists(st.text(max_size=15), max_size=6))
def test_the_order_of_the_documents_does_not_matter(values: list[str]) -> None:
    assert choose_spellings(values) == choose_spellings(values[::-1])


@given(_SPELLINGS, st.sets(st.sampled_from(["Café", "C", "C++", "A-", "Rome"]), min_size=1))
def test_a_category_stays_itself_and_others_are_told(
    values: list[str], categories: set[str]
) -> None:
    declared = Column(TEXT, categories=tuple(sorted(categories)))
    for words, reading in zip(
        values, read_column(declared, [Words(value) for value in values]), strict=True
    ):
        assert reading.state is State.STATED
        if words in categories:
            assert reading.value == words
        assert (reading.value in categories) != (reading.note == "not one of the categories")


@given(st.text(max_size=40))
def test_tidying_twice_changes_nothing_but_the_quotes_of_quotes(text: str) -> None:
    once = tidy(text)
    assert once == once.strip()
    assert "  " not in once
    assert fold(tidy(once)) == fold(once)


def test_what_denies_all_that_a_column_names_is_an_absence_and_no_value() -> None:
    said = [
        "worn cable",
        "none found",
        "No defects",
        "nothing to report",
        "no brake",
        "keine Mängel",
    ]
    readings = read_column(Column(TEXT, "defects"), [Words(text) for text in said])
    assert [reading.value for reading in readings] == [
        "worn cable", None, None, None, "no brake", "keine Mängel",
    ]  # fmt: skip
    assert {reading.state for reading in readings[1:4]} == {State.STATED_ABSENT}
    assert classify_values(said * 4, "defects").categories == (
        "worn cable",
        "no brake",
        "keine Mängel",
    )
    for words in ("none seen so far", "none yet", "none"):
        assert read_missing(words) is State.STATED_ABSENT
    [kept] = read_column(Column(TEXT, "stop", categories=("no stop", "full")), [Words("no stop")])
    assert kept.value == "no stop"


@pytest.mark.parametrize(
    ("words", "name", "state"),
    [
        ("none known", "defects", State.NOT_MENTIONED),
        ("No known defects", "defects", State.NOT_MENTIONED),
        ("keine bekannt", "", State.NOT_MENTIONED),
        ("no known owner", "defects", None),
    ],
)
def test_that_none_is_known_is_no_statement_that_there_is_none(
    words: str, name: str, state: State | None
) -> None:
    assert read_missing(words, name) is state
    assert read_statement(f"{words} of it", name) is None
    assert not denies(words)


@pytest.mark.parametrize(
    ("categories", "values"),
    [(None, ["no", "no", "minor", "no", None]),
     (("no", "minor"), ["no", "no", "minor", "no", None]),
     (("none", "minor"), ["no", None, "minor", "none", None])],
)  # fmt: skip
def test_an_absence_is_said_in_one_word_of_the_column(
    categories: tuple[str, ...] | None, values: list[str | None]
) -> None:
    texts = ["no", "None found", "minor", "none", "—"]
    read = read_column(Column(TEXT, "rot", None, categories), [Words(text) for text in texts])
    assert [reading.value for reading in read] == values


def test_the_categories_of_a_column_hold_a_yes_once() -> None:
    values = ["yes", "native", "introduced", "no"] * 5
    assert classify_values(values, "native").categories == ("yes", "introduced", "no")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (["19:30", "7:30 pm", "7.30 p.m.", "7 pm", "12:15 am", "12 pm"],
         ["19:30", "19:30", "19:30", "19:00", "00:15", "12:00"]),
        (["07:30", "7:30", "11:00"], ["07:30", "07:30", "11:00"]),
        (["19h30", "8.15 Uhr", "20:00", "7 pm"], ["19:30", "08:15", "20:00", "19:00"]),
        (["7:30", "8:00 pm", "9:00"], None),  # which half of the day
        (["7:30", "7:30 pm", "19:30"], None),
        (["07:30", "7:30 pm", "19:30"], ["07:30", "19:30", "19:30"]),
        (["10.04", "9.30", "09.30", "12.04"], None),  # days of a year, sums of money
        (["7:30 pm", "8:00 pm"], None),  # in one way
        (["12:30", "13:15"], None),
        (["19:30", "7:30 pm", "by arrangement"], None),
        (["19:30", "77:30 pm"], None),
        (["7", "7 pm", "19:00"], None),
        (["36:51", "7:30 pm"], None),
    ],
)  # fmt: skip
def test_times_of_day_that_are_written_in_two_ways_have_one_spelling(
    said: list[str], kept: list[str] | None
) -> None:
    found = choose_spellings(said)
    assert [found[value] for value in said] == (kept or said)
    read = read_column(Column(TEXT), [Words(text) for text in said])
    assert [reading.value for reading in read] == (kept or said)
