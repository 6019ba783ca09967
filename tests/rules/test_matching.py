"""A hand-written schema gets its extractors from what the documents say."""

import pytest

from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import read_text
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import learn_extractors
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.values.states import State

MATERIALS = ("oak", "steel", "glass")


def boats(n: int = 12) -> list[Document]:
    """Descriptions of boats: keys, a sentence with a length, and a list."""
    return [
        read_text(
            f"# Boat {chr(65 + n)}ria\n\nHull material: {MATERIALS[n % 3]}\n"
            f"Launched: {n + 1} May 19{60 + n}\n\n"
            f"From bow to stern the boat measures {8 + n}.5 metres over all.\n\n"
            f"## Equipment\n\n- Anchor\n{'- Radar' if n % 2 else '- Compass'}\n",
            f"{n}.md",
        )
        for n in range(n)
    ]


def stated(attribute: Attribute, documents: list[Document]) -> list[str | None]:
    schema = learn_extractors(Schema(title="Boat", attributes=(attribute,)), documents)
    return [
        extract_record(Sightings(document), schema).cells[0].as_stated for document in documents
    ]


def test_a_text_is_found_by_the_words_of_its_name() -> None:
    documents = boats()
    attribute = Attribute(name="material_of_hull", type="string", description="What it is made of.")
    assert stated(attribute, documents) == [MATERIALS[n % 3] for n in range(12)]


def test_a_text_is_found_by_its_categories_alone() -> None:
    attribute = Attribute(name="built_from", type="string", categories=("Oak", "Steel", "Glass"))
    assert stated(attribute, boats())[:3] == ["oak", "steel", "glass"]


def test_a_number_is_not_found_by_a_description_that_shares_no_name_with_it() -> None:
    attribute = Attribute(
        name="size",
        type="number",
        unit="m",
        description="What the boat measures from bow to stern. A decimal number in metres.",
    )
    assert stated(attribute, boats())[:2] == [None, None]


def test_a_date_is_found_by_a_word_of_like_form() -> None:
    attribute = Attribute(name="launch_date", type="date")
    assert stated(attribute, boats())[:2] == ["1 May 1960", "2 May 1961"]


def test_a_boolean_is_found_in_a_list() -> None:
    documents = boats()
    schema = learn_extractors(
        Schema(
            title="Boat",
            attributes=(Attribute(name="has_radar", type="boolean", absent_means="false"),),
        ),
        documents,
    )
    states = [extract_record(Sightings(document), schema).cells[0].state for document in documents]
    assert states == [State.STATED_ABSENT, State.STATED] * 6


def test_extractors_that_are_there_are_kept() -> None:
    rule = KeyRule(keys=("launched",))
    given = Schema(
        title="Boat", attributes=(Attribute(name="x", type="string", extractors=(rule,)),)
    )
    assert learn_extractors(given, boats()) == given


def test_an_attribute_that_nothing_states_stays_without_extractors() -> None:
    given = Schema(title="Boat", attributes=(Attribute(name="captain", type="string"),))
    assert learn_extractors(given, boats()).attributes[0].extractors == ()


def called(wish: str, type_: str = "number") -> bool:
    """Whether *wish* is matched to what documents call so and no otherwise."""
    documents = [
        read_text(
            f"# Kiln {n}\n\nLowest heat: {700 + n} C\nNet weight: {40 + n} kg\n"
            f"Fee before tax: EUR {10 + n}\nFired on: {n + 1} May 2020\n\n"
            "Glazed: yes\n\n## Parts\n\n- Closed lid\n- No window\n",
            f"{n}.md",
        )
        for n in range(12)
    ]
    attribute = Attribute(name="asked", type=type_, synonyms=(wish,))
    schema = Schema(title="Kiln", attributes=(attribute,))
    learnt = learn_extractors(schema, documents, (wish,), as_called=True)
    cells = [extract_record(Sightings(document), learnt).cells[0] for document in documents]
    return any(cell.state is State.STATED for cell in cells)


@pytest.mark.parametrize(
    ("wish", "type_"),
    [
        ("lowest heat of the kiln", "number"),
        ("net weight", "number"),
        ("net mass of a kiln", "number"),
        ("fee before tax", "number"),
        ("day it was fired on", "date"),
    ],
)
def test_a_wish_is_what_documents_call_so(wish: str, type_: str) -> None:
    assert called(wish, type_)


@pytest.mark.parametrize(
    ("wish", "type_"),
    [
        ("heat", "number"),
        ("highest heat", "number"),
        ("weight", "number"),
        ("gross weight", "number"),
        ("fee", "number"),
        ("fee after tax", "number"),
        ("net weight of the lid", "number"),
        ("fired by", "string"),
        ("heat", "boolean"),
        ("weight", "boolean"),
        ("not glazed", "boolean"),
        ("open lid", "boolean"),
    ],
)
def test_a_wish_takes_nothing_that_is_called_otherwise(wish: str, type_: str) -> None:
    assert not called(wish, type_)
