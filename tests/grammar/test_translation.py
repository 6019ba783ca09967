"""What a translation says of itself: restatement, columns, literals, unit, and its refusals."""

from collections.abc import Mapping
from typing import Protocol

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.sqlfacts.query import BoundLiteral, ColumnUse, Translation


class World(Protocol):
    """What the fixture `worlds` gives: a table to ask."""

    def ask(self, question: str) -> Translation: ...


def test_a_translation_names_columns_literals_and_unit(worlds: Mapping[str, World]) -> None:
    translation = worlds["products"].ask("What is the average price of Kordt products?")
    assert translation == Translation(
        question="What is the average price of Kordt products?",
        restated="average of price where brand is 'Kordt'",
        facts=translation.facts,
        literals=(BoundLiteral("Kordt", "brand", "Kordt"),),
        ordered=False,
    )
    assert translation.sql == "SELECT AVG(price) FROM products WHERE brand = 'Kordt'"
    assert translation.facts.unit == "EUR"
    used = {ColumnUse("price", "measure"), ColumnUse("brand", "filter")}
    assert set(translation.facts.columns) == used


def test_a_superlative_returns_ties_and_skips_unknown_values(worlds: Mapping[str, World]) -> None:
    translation = worlds["matches"].ask("On which date was the attendance highest?")
    assert translation.sql == (
        "SELECT match_date FROM matches WHERE attendance = (SELECT MAX(attendance) FROM matches) "
        "AND NOT match_date IS NULL ORDER BY document_id"
    )


def test_an_order_that_is_asked_for_is_part_of_the_answer(worlds: Mapping[str, World]) -> None:
    assert worlds["matches"].ask("What are the three highest attendances?").ordered
    assert not worlds["invoices"].ask("List the invoice numbers of Orion Foods.").ordered


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many invoices were disputed?", ["disputed"]),
        ("What is the average discount of Blue Fox Logistics?", ["discount"]),
        ("Which supplier has the best delivery time?", ["delivery"]),
    ],
)
def test_words_without_a_place_are_named(
    worlds: Mapping[str, World], question: str, words: list[str]
) -> None:
    with pytest.raises(QuestionError) as refusal:
        worlds["invoices"].ask(question)
    assert set(words) <= {word for phrase in refusal.value.unplaced for word in phrase.split()}
    assert all(word in str(refusal.value) for word in words)


@pytest.mark.parametrize(
    "question",
    ["", "?", "   ", "how many", "'; DROP TABLE invoices; --", "the the the", "🙂🙂", "x" * 5000],
)
def test_no_text_crashes_the_translation(worlds: Mapping[str, World], question: str) -> None:
    try:
        translation = worlds["invoices"].ask(question)
    except QuestionError as refusal:
        assert str(refusal)
    else:
        assert translation.sql.startswith("SELECT")
