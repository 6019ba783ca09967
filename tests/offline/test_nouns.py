"""Columns are named for things, not for what people do or for units."""

import pytest

from srag_mcp.documents.reading import read_text
from srag_mcp.offline.induction import induce_schema
from srag_mcp.offline.nouns import asked_verbs, find_verbs, names_nothing
from srag_mcp.offline.sightings import Sightings


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("How many guests travel with a dog?", "travel"),
        ("What share of the guests travel with a dog?", "travel"),
        ("Which guests want to cook?", "cook"),
        ("How many of these boats can race at sea?", "rac"),
    ],
)
def test_words_behind_the_counted_noun_and_behind_to_are_verbs(question: str, verb: str) -> None:
    assert verb in asked_verbs([question])


def test_what_a_question_counts_is_no_verb() -> None:
    assert asked_verbs(["How many sheds are there?", "Is there a sauna?"]) == {"are"}


def _documents(*texts: str) -> list[Sightings]:
    return [Sightings(read_text(text, f"{n}.txt")) for n, text in enumerate(texts)]


def test_a_verb_that_documents_use_as_a_noun_is_a_noun() -> None:
    sightings = _documents("The audit is in May.", "We have an audit each year.", "They dance.")
    questions = ["Who has the right to audit the books?", "Who likes to dance?"]
    assert find_verbs({"audit", "danc"}, questions, sightings) == {"danc"}


def test_a_verb_of_the_documents_needs_no_question() -> None:
    sightings = _documents("I sail and I paint.", "She can sail.", "A boat for all.")
    assert find_verbs({"sail", "boat"}, [], sightings) == {"sail"}


@pytest.mark.parametrize(
    "label", ["people", "years", "yearly", "records", "kilograms", "persons yearly"]
)
def test_units_and_words_for_anyone_name_nothing(label: str) -> None:
    assert names_nothing(label)


@pytest.mark.parametrize("label", ["crew", "years of service", "", "rooms"])
def test_things_name_something(label: str) -> None:
    assert not names_nothing(label)


def test_a_verb_of_the_sample_questions_becomes_no_column() -> None:
    texts = [f"Lot {n}: {n + 3} acres.{' We rent it out to farmers.' if n % 3 else ''}\n"
             for n in range(12)]  # fmt: skip
    documents = [read_text(text, f"{n}.txt") for n, text in enumerate(texts)]
    schema = induce_schema(
        documents, title="Lot", entity="lots", questions=["How many owners rent to farmers?"]
    )
    assert "rent" not in {attribute.name for attribute in schema.attributes}
