"""Which names may be one thing, what a model is asked about them, and what it makes of them."""

import json
import random
import time
from collections import Counter
from collections.abc import Sequence

import anyio
import pytest

from srag_mcp.model.language_model import LanguageModel, count_tokens
from srag_mcp.model.ledger import ReplayModel
from srag_mcp.names.doubtful import (
    MAX_GROUP,
    MAX_GROUPS,
    Doubt,
    compare,
    find_candidates,
    resolve,
    write_prompts,
)
from srag_mcp.names.uniting import Decided, Same, Verdict, read_name, unite
from tests.model.scripted import ScriptedModel, replying
from tests.names import name_set


def groups_of(*values: str, decided: Decided | None = None) -> list[set[str]]:
    kept = decided or Decided()
    found = find_candidates(unite(dict.fromkeys(values, 1), kept), kept)
    return [{spelling for thing in group for spelling in thing.spellings} for group in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("J. Smith", "John Smith"),
        ("Smith, J.", "John Smith"),
        ("Marta O.", "Marta Ohlsen"),
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
        ("Marta O.", "Marta Prang"),
        ("Dock O", "Dock Ohlsen"),
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


def test_among_many_of_one_word_a_slip_is_found() -> None:
    letters = "abcdefghijklmnopqrst"
    smiths = [f"{a.upper()}{b}ko Smith" for a in letters for b in letters]
    assert {"Jonathan Smith", "Jonathn Smith"} in groups_of(
        "Jonathan Smith", *smiths, "Jonathn Smith"
    )
    assert groups_of("—", "***") == []


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
    columns = name_set.make_columns()
    assert sum(len(column.things) for column in columns) == 100
    assert sum(len(column.counts) for column in columns) == 313
    scores = name_set.score(columns)
    n_true, n_met = scores["all"].n_true, scores["all"].n_right
    for column in columns:
        true = column.true_pairs()
        for group in find_candidates(unite(column.counts)):
            spellings = [spelling for thing in group for spelling in thing.spellings]
            certain = name_set.pairs(thing.spellings for thing in group)
            n_met += len(true & (name_set.pairs([spellings]) - certain))
    with capsys.disabled():
        print(f"\ncandidates: recall {n_met / n_true:.3f}; certain: {scores['all']}")
    assert n_met >= 0.95 * n_true
    assert scores["all"].precision == 1.0


def test_a_recorded_model_unites_what_is_one() -> None:
    found = name_set.ask(ReplayModel(name_set.REPLIES))["all"]
    assert found.precision >= 0.99, str(found)
    assert found.recall >= 0.9, str(found)


def test_ten_thousand_names_take_seconds() -> None:
    chance = random.Random(1)
    letters = ("bcdfghklmnprstvw", "aeiou") * 4
    words = ["".join(map(chance.choice, letters[: 5 + n % 4])).title() for n in range(3_000)]
    names = {" ".join(chance.sample(words, 1 + n % 3)): 1 for n in range(12_000)}
    assert len(names) > 10_000
    started = time.process_time()
    find_candidates(unite(names))
    assert time.process_time() - started < 60


def doubt(*spellings: str, column: str = "issuer") -> Doubt:
    [group] = find_candidates(unite(dict.fromkeys(spellings, 2)))
    around = {"Acme": "published by _ in May"}
    return Doubt(column, "Who issues it.", tuple(group), around)


def ask(model: LanguageModel, doubts: Sequence[Doubt]) -> list[Verdict]:
    return [verdict for _, verdict in anyio.run(resolve, model, write_prompts(doubts))]


def said(*groups: tuple[str, Sequence[Sequence[str]]]) -> str:
    return json.dumps({"groups": [{"id": key, "same": same} for key, same in groups]})


ACME = ("Acme", "Acme Holdings", "Acme Labs")


def test_a_group_is_shown_with_its_counts_and_the_words_around() -> None:
    [asked] = write_prompts([doubt(*ACME), doubt("Bo Hale", "B. Hale", column="author")])
    lines = asked.prompt.content.splitlines()[1:-1]
    assert lines == [
        "Column `issuer`: Who issues it.",
        "g1",
        "a (2) Acme | published by _ in May",
        "b (2) Acme Holdings",
        "c (2) Acme Labs",
        "Column `author`: Who issues it.",
        "g2",
        "a (2) Bo Hale",
        "b (2) B. Hale",
    ]
    assert asked.prompt.step == "names"


def test_the_first_letter_of_a_list_is_the_spelling_to_keep() -> None:
    [verdict] = ask(replying([said(("g1", [["b", "a"]]))]), [doubt(*ACME)])
    keys = ("acme", "acme holdings")
    assert verdict == Verdict(
        keys=("acme", "acme holdings", "acme labs"), same=(Same(name="Acme Holdings", keys=keys),)
    )


def test_a_group_that_is_left_out_stands_apart() -> None:
    [verdict] = ask(replying([said()]), [doubt(*ACME)])
    assert verdict.same == ()


@pytest.mark.parametrize(
    "wrong",
    [
        said(("g7", [["a", "b"]])),
        said(("g1", [["a", "z"]])),
        said(("g1", [["a", "b"], ["b", "c"]])),
    ],
)
def test_a_reply_that_cannot_be_is_asked_for_again(wrong: str) -> None:
    model = replying([wrong, said(("g1", [["a", "c"]]))])
    [verdict] = ask(model, [doubt(*ACME)])
    assert [item.name for item in verdict.same] == ["Acme"]
    assert len(model.prompts) == 2


def test_a_letter_in_two_lists_to_the_end_is_in_none() -> None:
    [verdict] = ask(replying([said(("g1", [["a", "b"], ["b", "c"]]))] * 3), [doubt(*ACME)])
    assert verdict.same == ()


def test_without_a_reply_of_use_nothing_is_decided() -> None:
    assert ask(ScriptedModel(lambda prompt: "no idea"), [doubt(*ACME)]) == []


def test_prompts_are_small_and_hold_many_groups() -> None:
    prompts = write_prompts(name_set.find_doubts(name_set.make_columns()))
    assert max(asked.prompt.count_tokens() for asked in prompts) <= 1_500
    n_groups = sum(len(asked.doubts) for asked in prompts)
    n_tokens = sum(count_tokens(asked.prompt.content) for asked in prompts)
    assert (n_groups, len(prompts)) == (65, 5)
    assert n_tokens < 90 * n_groups
    many = [doubt(f"Acme {name}", f"{name} Acme") for name in map(str, range(2, 60))]
    assert max(len(asked.doubts) for asked in write_prompts(many)) == MAX_GROUPS


@pytest.mark.parametrize(
    ("values", "is_asked"),
    [(["Sheila Tranter", "Mrs Tranter"], True), (["Dr. Okafor", "Ada Okafor"], True),
     (["Sheila Tranter", "Mrs Oakes"], False)],
)  # fmt: skip
def test_a_title_before_a_surname_may_be_the_one_who_has_that(
    values: list[str], is_asked: bool
) -> None:
    groups = find_candidates(unite(Counter(values)))
    assert [{thing.spellings[0] for thing in group} for group in groups] == [{*values}] * is_asked
