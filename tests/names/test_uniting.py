"""What is certainly one name."""

import pytest

from srag_mcp.names.uniting import (
    Decided,
    Same,
    Verdict,
    are_names,
    closed_set,
    describe_things,
    fold_name,
    read_name,
    unite,
)


def united(
    *values: str, decided: Decided | None = None, verdicts: tuple[Verdict, ...] = ()
) -> set[tuple[str, ...]]:
    things = unite(dict.fromkeys(values, 1), decided or Decided(), verdicts)
    return {thing.spellings for thing in things if len(thing.spellings) > 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("U.S. Steel", "US STEEL"),
        ("McDonald's", "McDonalds"),
        ("Peña, José", "PEÑA JOSÉ"),
        ("F-16", "F16"),
        ("Vitamin B 12", "Vitamin B12"),
        ("J. P. Morgan", "JP Morgan"),
        ("Smith & Sons", "Smith and Sons"),
    ],
)
def test_case_and_punctuation_make_no_other_name(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Part 1 1", "Part 11"),
        ("Münster", "Munster"),
        ("C++ Group", "C Group"),
        ("Version 1.5", "Version 15"),
        ("がく", "かく"),
        ("Part 6", "Part 7"),
        ("@ Twins", "Twins"),
    ],
)
def test_numbers_signs_and_marks_of_other_scripts_do(one: str, other: str) -> None:
    assert fold_name(one) != fold_name(other)


def test_a_legal_form_is_read_in_short() -> None:
    name = read_name("Acme Holding Co., Limited")
    assert (name.bare, name.forms) == (("acme", "holding"), ("co", "ltd"))
    assert read_name("GmbH").bare == ("gmbh",)
    assert read_name("Foo GmbH & Co. KG").forms == ("gmbh", "co", "kg")


def test_a_company_with_and_without_its_form_is_one() -> None:
    values = ("Acme Ltd", "ACME LIMITED", "Acme", "Borel Inc.", "Borel")
    assert united(*values) == {("Acme Ltd", "Acme", "ACME LIMITED"), ("Borel Inc.", "Borel")}


def test_different_legal_forms_are_different_companies() -> None:
    values = ("Acme Ltd", "Acme Limited", "Acme GmbH", "Acme", "Borel Inc.")
    assert united(*values) == {("Acme Limited", "Acme Ltd")}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Boston", "Boston Spa"),
        ("Grand Hotel", "Grand Hotel SPA"),
        ("Ontario", "Ontario, CA"),
        ("Grand Cherokee", "Grand Cherokee Limited"),
        ("Siemens", "Siemens AG"),
        ("Monsters", "Monsters Spa"),
    ],
)
def test_a_word_that_may_be_none_is_no_legal_form(one: str, other: str) -> None:
    assert united(one, other, "Leeds", "Leeds Spa", "Acme Ltd") == set()


def test_among_companies_only_what_may_be_a_word_or_a_state_is_none() -> None:
    companies = ("Acme Ltd", "Borel GmbH")
    assert united("Boston", "Boston Spa", "Ontario", "Ontario, CA", *companies) == set()
    assert united("Siemens", "Siemens AG", *companies) == {("Siemens AG", "Siemens")}
    assert united("Corvin", "Corvin Limited", *companies) == {("Corvin Limited", "Corvin")}


@pytest.mark.parametrize(
    "company", ["Fiat S.p.A.", "Fiat SpA", "Fiat GmbH", "Fiat Inc", "Fiat LLC", "Fiat, Ltd."]
)
def test_what_can_be_nothing_but_a_legal_form_is_one_where_others_have_one(company: str) -> None:
    assert united("Fiat", company, "Leeds", "Acme Ltd") == {(company, "Fiat")}
    assert united("Fiat", company, "Leeds") == set(), "it may be a title"


def test_an_article_in_small_letters_is_no_part_of_a_name() -> None:
    of_column = ("Borough Council", "the Borough Council", "die Stadtwerke", "Stadtwerke", "Acme")
    assert {frozenset(group) for group in united(*of_column)} == {
        frozenset({"Borough Council", "the Borough Council"}),
        frozenset({"Stadtwerke", "die Stadtwerke"}),
    }
    assert united("The Who", "WHO", "The Other Woman", "Other Woman", "de Vries", "Vries") == set()


def test_names_are_no_closed_set() -> None:
    assert closed_set(("good", "fair", "poor")) == ("good", "fair", "poor")
    assert closed_set(("Borough Council", "the Borough Council", "Acme")) is None
    assert closed_set(None) is None


def test_what_documents_write_in_small_letters_describes() -> None:
    plain = frozenset({"senior", "engin", "softwar", "market", "manag", "bank"})
    titles = ["Software Engineer", "Senior Software Engineer", "Marketing Manager", "Banker"]
    assert describe_things(map(read_name, titles), plain)
    assert not describe_things(map(read_name, ["Acme Bank", "Borel Software"]), plain)
    assert not describe_things(map(read_name, ["東京", "大阪"]), plain)


def test_codes_and_phrases_are_no_names() -> None:
    assert are_names(["Acme Ltd", "de Vries", "F-16 Falcon", "BMW", "東京"])
    assert not are_names(["A-12", "B-7", "00123", "X9-2"])
    assert not are_names(["was late twice", "paid in full by the tenant", "no fault was found"])
    assert not are_names([])
    assert united("a-12", "A12", "b-3 c") == set()


def test_what_has_no_words_is_never_one() -> None:
    assert united("Acme", "Borel", "Corvin", "Dunmore", "Elva", "Fenwick", "—", "***") == set()


def test_what_a_model_said_unites_and_names() -> None:
    verdict = Verdict(
        keys=("ibm", "international business machines"),
        same=(Same(name="International Business Machines",
                   keys=("ibm", "international business machines")),),
    )  # fmt: skip
    values = ("IBM", "International Business Machines", "Borel")
    assert united(*values, verdicts=(verdict,)) == {("International Business Machines", "IBM")}


def test_a_person_wins_over_code_and_model() -> None:
    keys = ("acme", "acme holdings")
    verdict = Verdict(keys=keys, same=(Same(name="Acme Holdings", keys=keys),))
    decided = Decided(same=(("ACM", "Acme"),), apart=(("Acme", "Acme Holdings"),))
    found = united("Acme", "Acme Holdings", "ACM", decided=decided, verdicts=(verdict,))
    assert found == {("ACM", "Acme")}
    split = Decided(apart=(("Acme", "Acme Ltd"),))
    assert united("Acme", "Acme Ltd", "Borel Inc.", decided=split) == set()


def test_a_decision_holds_in_any_case() -> None:
    decided = Decided(same=(("acme labs", "ACME HOLDING"),))
    assert united("Acme Labs", "ACME LABS", "Acme Holding", decided=decided) == {
        ("Acme Labs", "ACME LABS", "Acme Holding")
    }


def test_of_equals_the_most_frequent_spelling_is_kept() -> None:
    counts = {"ACME": 3, "Acme Ltd": 1, "Acme": 3, "Borel Inc.": 1}
    assert [thing.spellings[0] for thing in unite(counts)] == ["Acme", "Borel Inc."]
