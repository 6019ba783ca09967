"""Words: which marks make another value, and which forms are one word."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.text.words import (
    STOP_WORDS,
    content_words,
    fold,
    fold_words,
    languages_of,
    lettered,
    plural,
    singular,
    stem,
    stems,
    tidy,
    words,
)


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


def test_function_words_are_known_with_their_accents() -> None:
    assert content_words("für die Zimmer über più") == ["zimmer"]


@settings(deadline=None)  # the first stem of a process loads the stemmers
@given(st.lists(st.text(alphabet="abcdeginorst", min_size=1, max_size=12), min_size=40))
def test_stems_do_not_hang_on_who_asks_beside(asked: list[str]) -> None:
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(stem.__wrapped__, asked))
    assert together == [stem(word) for word in asked]


@pytest.mark.parametrize(
    ("text", "tidied"),
    [('"Berlin",', "Berlin"), ("Example Inc.", "Example Inc."),
     ("It ended yesterday.", "It ended yesterday"),
     ("„Hof“", "Hof"), ("  two   words ;", "two words"), ('"a" and "b"', '"a" and "b"'), ("", "")],
)  # fmt: skip
def test_a_value_is_tidied_of_what_is_no_part_of_it(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


@pytest.mark.parametrize(
    ("text", "folded"),
    [("ACME CO. (N) LTD.", "acme co n ltd"), ("C++", "c++"), ("1.5", "1.5"), ("A−", "a-"),
     ("ＦＵＬＬ　width", "full width"), ("St. John's", "st john s"), ("5 %", "5 %"), ("a_b", "a b"),
     ("Straße", "strasse"), ("12:30-13:00", "12:30-13:00")],
)  # fmt: skip
def test_the_fold_of_a_value_keeps_the_marks_that_tell(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(max_size=30))
def test_case_width_and_the_encoding_of_accents_do_not_matter(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text))
    plain = fold(text)
    assert fold(f"  {text}  ") == plain or "-" in plain


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20))
def test_a_stem_begins_as_its_word_and_is_no_longer(word: str) -> None:
    found = stem(word)
    assert len(found) <= len(word) + 1
    assert word.startswith(found[:2])


@given(st.lists(st.sampled_from(["Größe", "rooms", "THE", "of", "Città", "7", "für"]), max_size=6))
def test_content_words_are_the_words_that_carry_a_subject(listed: list[str]) -> None:
    text = " ".join(listed)
    assert set(content_words(text)) <= set(words(text))
    assert not set(content_words(text)) & (STOP_WORDS | {"7"})
    assert fold_words(text).split() == words(text)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("party", "parties"),
        ("box", "boxes"),
        ("survey", "surveys"),
        ("dish", "dishes"),
        ("waltz", "waltzes"),
        ("size", "sizes"),
        ("pie", "pies"),
        ("cv", "cvs"),
    ],
)
def test_a_noun_has_one_form_for_one_and_one_for_many(one: str, many: str) -> None:
    assert (plural(one), singular(many)) == (many, one)


def test_the_letters_of_a_text_are_found_between_digits_and_marks() -> None:
    assert lettered("12March, half-OPEN; Été_2") == {"march", "half", "open", "été"}


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("What was the profit of the year?", {"english"}),
        ("Was kostet die Fahrt?", {"german"}),
        ("Où se trouve la clé ?", {"french"}),
        ("¿Cuál es el precio?", {"spanish"}),
        ("Quanto costa il biglietto della domenica?", {"italian"}),
        ("Waar is het station?", {"dutch"}),
        ("Was kostet Kaffee?", {"english", "german"}),
        ("Kaffee", set()),
    ],
)
def test_a_text_is_in_the_language_of_most_of_its_function_words(
    text: str, languages: set[str]
) -> None:
    assert languages_of(text) == languages
