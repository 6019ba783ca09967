"""Names of documents, as files and people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.documents.document_names import document_names, name_words


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
