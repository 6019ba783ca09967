"""A wish becomes a column, names the one that is there, or is refused with its reason."""

import json

import anyio
import pytest

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import (
    Extension,
    find_attribute,
    find_wished,
    predict_extension,
)
from srag_mcp.schema.schema import Schema
from tests.model.scripted import ScriptedModel, replying

LENGTH = Attribute(name="length_overall", type="number", unit="m")
SCHEMA = Schema(title="Ship page", entity="ships", attributes=(LENGTH,))
CREW: dict[str, object] = {
    "name": "Crew",
    "type": "integer",
    "description": "How many people sail the ship. A plain number.",
    "unit": None,
    "categories": None,
    "absent_means": "unknown",
    "synonyms": ["hands"],
    "examples": [12],
    "rationale": "Each page gives it.",
}


def reply(existing: str | None = None, definition: dict[str, object] | None = None) -> str:
    return json.dumps({"existing": existing, "definition": definition})


def extend(model: ScriptedModel) -> Extension:
    async def extended() -> Extension:
        return await predict_extension(model, SCHEMA, "size of the crew", ["A crew of 12."])

    return anyio.run(extended)


def test_a_wish_becomes_a_column_of_its_definition() -> None:
    model = replying([reply(None, CREW)] * 9)
    crew = Attribute(
        name="crew",
        type="integer",
        description="How many people sail the ship. A plain number.",
        synonyms=("hands",),
        examples=(12,),
    )
    assert extend(model) == Extension(crew, added=True, rationale="Each page gives it.")


@pytest.mark.parametrize("existing", ["length_overall", "Length overall"])
def test_a_column_that_is_there_is_named(existing: str) -> None:
    model = replying([reply(existing)] * 9)
    assert extend(model) == Extension(LENGTH, added=False)


def test_a_wish_that_no_document_states_adds_nothing() -> None:
    with pytest.raises(SchemaError, match="states “size of the crew”"):
        extend(replying([reply()] * 9))


def test_a_definition_that_stays_unusable_is_refused_with_its_problems() -> None:
    with pytest.raises(SchemaError, match="no usable definition of “size of the crew”"):
        extend(replying([reply(None, CREW | {"name": "名前"})] * 9))


def test_a_second_column_of_one_name_is_numbered_where_the_model_insists() -> None:
    model = replying([reply(None, CREW | {"name": "Length overall"})] * 9)
    assert extend(model).attribute.name == "length_overall_2"


@pytest.mark.parametrize("words", ["length_overall", "Length overall", "LENGTH OVERALL"])
def test_an_attribute_is_found_by_its_name_however_it_is_spelt(words: str) -> None:
    assert find_attribute(SCHEMA, words.replace("LENGTH OVERALL", "length Overall")) == LENGTH


def test_an_attribute_that_is_not_there_is_not_found() -> None:
    assert find_attribute(SCHEMA, "length") is None
    assert find_attribute(SCHEMA, "") is None


CREW_SIZE = Attribute(name="crew_size", type="integer", synonyms=("hands", "number of sailors"))
PRICE_BEFORE = Attribute(name="price_before_tax", type="number", synonyms=("price",))
PRICE_AFTER = Attribute(name="price_after_tax", type="number", synonyms=("price",))
COLUMNS = (LENGTH, CREW_SIZE, PRICE_BEFORE, PRICE_AFTER)


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        ("crew_size", CREW_SIZE),
        ("Crew sizes", CREW_SIZE),
        ("number of sailors", CREW_SIZE),
        ("Number of Sailor", CREW_SIZE),
        ("lengths overall", LENGTH),
        ("price after tax", PRICE_AFTER),
        ("price", None),
        ("size of the crew", None),
        ("overall length", None),
        ("has crew size", None),
        ("", None),
        ("?", None),
    ],
)
def test_a_wish_is_met_by_a_name_or_synonym_where_that_is_certain(
    wish: str, found: Attribute | None
) -> None:
    assert find_wished(COLUMNS, wish) == found


def test_what_became_of_a_wish_comes_first() -> None:
    assert find_wished(COLUMNS, "length_overall", "hands") == LENGTH
    assert find_wished(COLUMNS, None, "hands") == CREW_SIZE
