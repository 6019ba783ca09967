"""The value index in memory: equal, containing and misspelt values."""

import pytest

from srag_mcp.store.values import ValueIndex, ValueMatch, fold_words, signed_words

ENTRIES = [
    ("shop", "Harbour Café", 4),
    ("shop", "Harbour Café & Bar Ltd.", 9),
    ("shop", "D.I.Y. Corner", 2),
    ("city", "Guatemala City", 3),
    ("city", "Harbour", 1),
]


@pytest.fixture
def index() -> ValueIndex:
    return ValueIndex(ENTRIES)


def test_case_accents_dots_and_plurals_are_folded() -> None:
    assert fold_words("The D.I.Y. Cafés of St. John's") == (
        "the",
        "diy",
        "cafe",
        "of",
        "st",
        "john",
    )


def test_a_short_word_that_ends_in_s_is_no_plural() -> None:
    assert fold_words("UPS") == ("ups",)


def test_an_equal_value_comes_before_those_that_contain_it(index: ValueIndex) -> None:
    matches = index.search("harbour cafe")
    assert matches[0] == ValueMatch("shop", "Harbour Café", 4, 1.0)
    assert [match.value for match in matches] == ["Harbour Café", "Harbour Café & Bar Ltd."]
    assert matches[1].score < 1.0


def test_columns_restrict_the_search(index: ValueIndex) -> None:
    assert [match.value for match in index.search("Harbour", ["city"])] == ["Harbour"]


def test_dotted_abbreviations_are_found_without_their_dots(index: ValueIndex) -> None:
    assert index.search("DIY corner")[0].score == 1.0


def test_a_misspelt_word_finds_its_value_with_a_lower_score(index: ValueIndex) -> None:
    match = index.search("Guatamala")[0]
    assert match.value == "Guatemala City"
    assert match.score < 0.9


def test_an_unknown_word_finds_nothing(index: ValueIndex) -> None:
    assert index.search("zeppelin") == []
    assert index.search("  ") == []


def test_the_limit_keeps_the_best(index: ValueIndex) -> None:
    assert [match.value for match in index.search("harbour", limit=1)] == ["Harbour"]


def test_a_plural_in_oes_folds_to_its_singular() -> None:
    assert fold_words("Tomatoes and potatoes") == fold_words("tomato and potato")
    assert fold_words("shoes") == ("shoe",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C++ (senior)", ("c++", "senior")),
        ("C#", ("c#",)),
        ("O−", ("o-",)),
        ("AB- or A+", ("ab-", "or", "a+")),
        ("> 5 years", (">5", "year")),
        ("1.5 t", ("1", "5", "t")),
        ("A+B, Round-about - Smith & Sons'", ("a", "b", "round", "about", "smith", "son")),
    ],
)
def test_signs_that_make_another_value_stay_with_their_words(
    text: str, words: tuple[str, ...]
) -> None:
    assert signed_words(text) == words


def test_another_spelling_is_found_as_the_value_it_stands_for() -> None:
    index = ValueIndex(
        [("issuer", "International Borel Mining", 4), ("issuer", "Borel Labs", 1)],
        [("issuer", "IBM", "International Borel Mining"),
         ("issuer", "International Borel Mining", "International Borel Mining"),
         ("issuer", "Gone", "Gone Ltd")],
    )  # fmt: skip
    [found] = index.search("ibm")
    assert found == ValueMatch("issuer", "International Borel Mining", 4, 1.0, spelling="IBM")
    assert [match.value for match in index.search("Borel")] == [
        "Borel Labs", "International Borel Mining"
    ]  # fmt: skip
    assert index.search("Gone") == []


def test_what_may_be_written_for_a_name_shares_a_word_a_slip_or_initials() -> None:
    names = ["World Health Organization", "WHO", "Health World", "Wrold Organisation", "UNESCO"]
    index = ValueIndex([("body", name, at) for at, name in enumerate(names, start=1)])
    assert index.near("World Health Organization", "body").keys() == {*names} - {"UNESCO"}
    assert index.near("UNESCO", "body") == {"UNESCO": 5}
    assert index.near("WHO", "town") == {}
