"""Terms: what a question and a passage have in common, however it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.text.words import (
    FUNCTION_WORDS,
    TermKind,
    count_terms,
    document_names,
    name_words,
    question_terms,
)


def shared(question: str, passage: str, *kinds: TermKind) -> int:
    """Count the terms of *kinds*, of all when there are none, that both have."""
    terms = question_terms(question) & count_terms(passage).keys()
    return sum(term >> 30 in (kinds or tuple(TermKind)) for term in terms)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("FY2019", "in 2019"),
        ("FY19", "the year 2019"),
        ("fy '19", "FY2019"),
        ("2019Q1", "the Q1"),
        ("1,200 units", "1200"),
        ("１２", "12"),
        ("Établissement", "ETABLISSEMENT"),
        ("Größe", "GRÖSSE"),
        ("東京都の人口", "人口は東京で"),
        ("서울특별시", "특별시장"),
        ("net_sales", "net income"),
    ],
)
def test_words_are_shared_however_they_are_written(question: str, passage: str) -> None:
    assert shared(question, passage, TermKind.WORD) > 0


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("the", "the"),
        ("goods", "good"),
        ("12", "1.2"),
        ("人工", "口人"),
        ("1,20", "120"),
        ("", "a"),
    ],
)
def test_other_words_are_not(question: str, passage: str) -> None:
    assert shared(question, passage, TermKind.WORD) == 0


@pytest.mark.parametrize("name", ["10-K/A", "SKU-0042", "§ 4.2", "§4.2", "B.1.617"])
def test_an_identifier_is_a_word_as_a_whole(name: str) -> None:
    apart = " and ".join(name.replace("-", " ").replace("/", " ").replace(".", " ").split())
    whole, parted = (shared(name, text, TermKind.WORD) for text in (f"see {name}, p. 3", apart))
    assert whole > parted


def test_an_identifier_is_found_behind_a_word_as_long_as_a_file() -> None:
    blob = "x" * 300_000
    name = "SKU-0042"
    assert shared(name, f"{blob} {name}", TermKind.WORD) == shared(name, name, TermKind.WORD)


def test_pairs_are_of_stems_across_stop_words_and_line_ends() -> None:
    assert (
        shared("cash from operating activities", "CASH BY\noperated activity", TermKind.PAIR) == 2
    )
    assert shared("operating cash", "cash operating", TermKind.PAIR) == 0


@pytest.mark.parametrize(
    ("passage", "is_said"),
    [
        ("Deferred tax assets: 12", True),
        ("Cash | Deferred tax asset | 12", True),
        ("Cash   Deferred tax assets   12", True),
        ("Deferred tax assets of banks: 12", False),
        ("Deferred tax: 12", True),
        ("We hold deferred tax assets, as was said in the notes of the year before last.", False),
        ("2019 | 12", False),
    ],
)
def test_a_label_is_shared_where_a_question_says_it_whole(passage: str, is_said: bool) -> None:
    question = "What were the deferred tax assets in 2019?"
    assert shared(question, passage, TermKind.LABEL) == is_said


@pytest.mark.parametrize(
    ("question", "passage", "languages", "n_shared"),
    [
        ("Ist ein Haustier erlaubt?", "Haustiere", {"german"}, 1),
        ("Haustier", "Haustiere", {"german"}, 1),
        ("animaux", "Un animal", {"french"}, 1),
        ("habitación", "Las habitaciones", {"spanish", "english"}, 1),
        ("la piscina", "Le piscine", {"italian"}, 1),
        ("Is a piscine there?", "Les piscines", {"french"}, 0),
        ("Haustier", "Haustiere", {"english"}, 0),
    ],
)
def test_words_share_their_stem_in_a_language_that_both_may_be_in(
    question: str, passage: str, languages: set[str], n_shared: int
) -> None:
    shared = question_terms(question) & count_terms(passage, languages).keys()
    assert len([term for term in shared if term >> 30 == TermKind.WORD]) == n_shared


def test_idle_words_are_no_words_by_themselves() -> None:
    passage = count_terms("the average price")
    found = question_terms("average price", {"average"}) & passage.keys()
    assert sorted(term >> 30 for term in found) == [TermKind.WORD, TermKind.PAIR, TermKind.LABEL]
    assert question_terms("average", {"average"}) == question_terms("average")


@given(st.text())
def test_any_text_has_terms_of_32_bits_and_shares_its_words_with_itself(text: str) -> None:
    counts = count_terms(text, FUNCTION_WORDS)
    assert all(0 <= term < 2**32 and n > 0 for term, n in counts.items())
    asked = question_terms(text)
    assert {term for term in asked if term >> 30 == TermKind.WORD} <= counts.keys()


def test_a_very_long_question_has_few_terms() -> None:
    assert len(question_terms(" ".join(f"word{n}x" for n in range(5000)))) < 1500


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("BESTBUY_2017_10K", {"bestbuy", "2017", "10k"}),
        ("BestBuy2017", {"bestbuy2017", "best", "buy", "bestbuy", "2017", "bb"}),
        ("best-buy.2017", {"best", "buy", "bestbuy", "2017", "bb"}),
        ("FY22 report", {"fy22", "fy", "22", "report"}),
        ("general_electric_q3", {"general", "electric", "generalelectric", "ge", "q3"}),
        ("iPhone", {"iphone"}),
        ("ÉcoleNormale", {"ecolenormale", "ecole", "normale", "en"}),
        ("決算報告2023", {"決算報告2023", "決算報告", "2023"}),
        ("___", set()),
    ],
)
def test_a_name_is_said_whole_split_joined_and_by_its_initials(name: str, words: set[str]) -> None:
    assert set(name_words(name)) == words


@pytest.mark.parametrize(
    ("file", "question"),
    [
        ("BESTBUY_2017_10K", "What did Best Buy sell in 2017?"),
        ("johnson_johnson-2023", "Who leads J&J, or JJ?"),
        ("best_buy", "What does BestBuy sell?"),
        ("bank-of-america", "How many branches has BOA?"),
    ],
)
def test_a_question_and_a_file_share_a_word_however_either_writes_it(
    file: str, question: str
) -> None:
    assert set(name_words(file)) & set(name_words(question)) - {"2017", "2023"}


@given(st.text("aB1_ -.é決²"))
def test_any_name_has_words_that_are_folded_and_there_once(name: str) -> None:
    words = name_words(name)
    assert len(set(words)) == len(words)
    assert all(words)
    assert bool(words) == any(char.isalnum() for char in name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We, MGM Resorts, own hotels.", {"mgm", "resorts", "mr"}),
        ("MGM-RESORTS, at www.mgmresorts.com", {"mgm", "resorts", "mr"}),
        ("We own resorts.", set()),
    ],
)
def test_a_name_is_split_as_the_document_writes_it(text: str, words: set[str]) -> None:
    assert set(name_words("MGMRESORTS_2023", text)) == words | {"mgmresorts", "2023"}


def test_a_document_is_called_by_words_of_its_file_and_capitals_of_its_title() -> None:
    names = document_names("BLOCK_2016_10K", "Square, Inc. 2016", "")
    assert names == {"block", "block201610k", "Square", "Inc", "squareinc2016"}


def test_a_number_names_no_document() -> None:
    assert document_names("2019-03-04", "2019", "") == frozenset()
