"""A column holds one value a document: lists go back to the model that defined them."""

import pytest

from srag_mcp.schema.predicted_attribute import find_problems
from srag_mcp.schema.schema_reply import AttributeReply

TOLD = "its values are lists, and a column holds one value: give a boolean column to each item"


def problems(name: str, description: str, *examples: str) -> str:
    definition: dict[str, object] = {
        "name": name,
        "type": "string",
        "description": description,
        "unit": None,
        "categories": None,
        "absent_means": "unknown",
        "synonyms": [],
        "examples": examples,
        "rationale": "",
    }
    return "; ".join(find_problems(AttributeReply.model_validate(definition)))


@pytest.mark.parametrize(
    ("name", "description", "examples"),
    [
        ("equipment", "The list of sensors. In lower case.", ()),
        ("equipment", "What it measures with. A comma-separated list in lower case.", ()),
        ("sensors", "What it measures with. Separated by commas.", ("wind, rain",)),
        ("sensors", "What it measures with. In lower case.", ("wind, rain, snow", "rain, sun")),
        ("languages_spoken", "What they speak there. In English.", ("Ladin; German", "Dari, Urdu")),
    ],
)
def test_a_list_is_sent_back(name: str, description: str, examples: tuple[str, ...]) -> None:
    assert problems(name, description, *examples).startswith(f"attribute {name!r}: {TOLD}")


@pytest.mark.parametrize(
    ("name", "description", "examples"),
    [
        (
            "street_address",
            "The street of the hut. On one line, the parts separated by commas.",
            ("No. 3, Upper Alp", "12, Lake Road, Arla"),
        ),
        ("place", "Where the hut stands. Town and country.", ("Arla, Norway", "Brun, Norway")),
        (
            "first_item_name",
            "The first entry in the list of goods. In capitals.",
            ("ROPE, 10 M", "TEA"),
        ),
        ("status", "Whether it is open. As printed.", ("open, in summer", "closed, for repair")),
        ("owners", "Who owns the hut. As printed.", ("Hut Club", "Arla, Brun & Co.", "Alp Ltd")),
    ],
)
def test_one_value_with_commas_is_none(
    name: str, description: str, examples: tuple[str, ...]
) -> None:
    assert problems(name, description, *examples) == ""
