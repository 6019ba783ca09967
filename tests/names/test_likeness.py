"""Which names may be one thing, and how many of the true ones are found."""

import random
import time
from itertools import combinations

import pytest

from srag_mcp.names.likeness import MAX_GROUP, compare, find_candidates
from srag_mcp.names.spellings import read_name
from srag_mcp.names.uniting import Decided, unite
from tests.names.name_set import make_columns, measure


def groups_of(*values: str, decided: Decided | None = None) -> list[set[str]]:
    kept = decided or Decided()
    found = find_candidates(unite(dict.fromkeys(values, 1), kept), kept)
    return [{spelling for thing in group for spelling in thing.spellings} for group in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("J. Smith", "John Smith"),
        ("Smith, J.", "John Smith"),
        ("Smith, John", "John Smith"),
        ("John Smith", "John P. Smith"),
        ("J.P. Morgan", "John Pierpont Morgan"),
        ("IBM", "International Business Machines"),
        ("UNESCO", "United Nations Educational, Scientific and Cultural Organization"),
        ("NY Times", "New York Times"),
        ("Acme", "Acme Holdings"),
        ("Intl. Mfg.", "International Manufacturing"),
        ("St. Albans", "Saint Albans"),
        ("Mc Donalds", "McDonald's"),
        ("Cristopher Hale", "Christopher Hale"),
        ("Tom Hale", "Thomas Hale"),
        ("Acme Ltd", "Acme GmbH"),
        ("Falcon X-200", "Aero Falcon X200"),
    ],
)
def test_what_may_be_one_thing_is_asked_about(one: str, other: str) -> None:
    assert groups_of(one, other) == [{one, other}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Part 6", "Part 7"),
        ("Model 737", "Model 747"),
        ("Boeing 737", "Boeing"),
        ("Hepatitis A", "Hepatitis B"),
        ("Henry IV", "Henry V"),
        ("Henry II", "Henry III"),
        ("J. Smith", "K. Smith"),
        ("John Smith", "Jane Smith"),
        ("Bank of Leeds", "Bank of Porto"),
        ("Jon", "Jan"),
    ],
)
def test_what_differs_in_a_number_or_an_initial_is_not(one: str, other: str) -> None:
    assert compare(read_name(one), read_name(other)) == 0
    assert groups_of(one, other) == []


def test_what_a_prefix_denies_is_no_slip() -> None:
    assert compare(read_name("Active"), read_name("Inactive")) == 0
    assert compare(read_name("Complete"), read_name("Incomplete")) == 0


def test_a_word_that_many_names_have_stands_for_none_of_them() -> None:
    banks = [f"{town} Bank" for town in ("Leeds", "Porto", "Graz", "Turku", "Lyon")]
    assert groups_of("Bank", *banks) == []


def test_what_a_person_set_apart_is_not_asked_about() -> None:
    decided = Decided(apart=(("Acme", "Acme Holdings"),))
    assert groups_of("Acme", "Acme Holdings", decided=decided) == []


def test_a_group_stays_so_small_that_a_reader_can_judge_it() -> None:
    names = [f"{first} Smith" for first in
             ("John", "Jo", "J.", "Joh", "Johanna", "Jonathan", "Johannes", "Joan", "Josef",
              "Joseph", "Johnny", "Josephine", "Jona", "Jonas", "Johan")]  # fmt: skip
    found = groups_of(*names)
    assert max(map(len, found)) <= MAX_GROUP
    assert sum(map(len, found)) >= len(names) - 1


def test_of_a_hundred_things_nearly_all_spellings_meet(capsys: pytest.CaptureFixture[str]) -> None:
    columns = make_columns()
    n_true = n_met = n_certain = n_wrong = 0
    for column in columns:
        true = column.true_pairs()
        things = unite(column.counts)
        certain = {frozenset(p) for thing in things for p in combinations(thing.spellings, 2)}
        met = set(certain)
        for group in find_candidates(things):
            spellings = [spelling for thing in group for spelling in thing.spellings]
            met.update(map(frozenset, combinations(spellings, 2)))
        n_true, n_met = n_true + len(true), n_met + len(true & met)
        n_certain, n_wrong = n_certain + len(certain), n_wrong + len(certain - true)
    with capsys.disabled():
        print(f"\ncandidates: recall {n_met / n_true:.3f} of {n_true} pairs; certain: {n_certain}"
              f" pairs, {n_wrong} wrong\n{measure(columns, {})}")  # fmt: skip
    assert sum(len(column.things) for column in columns) == 100
    assert sum(len(column.counts) for column in columns) == 299
    assert n_met >= 0.95 * n_true
    assert n_wrong == 0


def test_ten_thousand_names_take_seconds() -> None:
    chance = random.Random(1)
    letters = ("bcdfghklmnprstvw", "aeiou") * 4
    words = ["".join(map(chance.choice, letters[: 5 + n % 4])).title() for n in range(3_000)]
    names = {" ".join(chance.sample(words, 1 + n % 3)): 1 for n in range(14_500)}
    assert len(names) > 10_000
    started = time.process_time()
    find_candidates(unite(names))
    assert time.process_time() - started < 60
