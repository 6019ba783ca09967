"""Words: which marks make another value, and which forms are one word."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.text.words import content_words, fold, language_of, stem, stems, words


@pytest.mark.parametrize(
    ("one", "other"), [("A", "A-"), ("O+", "O−"), ("O", "O-"), ("<65", ">65"), ("≥ 3", "3")]
)
def test_marks_that_make_another_value_stay(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("BB -", "bb−"), ("Inn-", "Inn -"), ("Hotel-", "hotel")]
)
def test_other_marks_do_not(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    "forms",
    ["hotel hotels", "city cities", "located location locate", "issued issue issuing issues",
     "governing governed govern", "nation national nationality", "fee fees"],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len(set(stems(forms))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("new", "news"), ("current", "noncurrent"), ("minimum", "maximum"), ("case", "cash")],
)
def test_other_words_have_another_stem(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_german_words_have_german_stems() -> None:
    assert len({stem(word, "german") for word in words("Zimmer Zimmers Zimmern")}) == 1
    assert language_of("Wie viele Zimmer hat das Haus in der Stadt?") == "german"
    assert language_of("How many rooms does it have?") == "english"
    assert language_of("") == "english"


def test_function_words_are_known_with_their_accents() -> None:
    assert content_words("für die Zimmer über più") == ["zimmer"]


@settings(deadline=None)  # the first stem of a process loads the stemmers
@given(st.lists(st.text(alphabet="abcdeginorst", min_size=1, max_size=12), min_size=40))
def test_stems_do_not_hang_on_who_asks_beside(asked: list[str]) -> None:
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(stem.__wrapped__, asked))
    assert together == [stem(word) for word in asked]
