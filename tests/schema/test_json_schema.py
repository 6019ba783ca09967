"""Schemas as JSON Schema: read, written, and refused with the attribute's name."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute, Audit, KeyRule, WrittenRule
from srag_mcp.schema.json_schema import read_schema_file, schema_from_json, schema_to_json
from srag_mcp.schema.schema import Schema
from srag_mcp.store.predictions import hash_attribute
from srag_mcp.store.work import hash_schema
from srag_mcp.values.types import COLUMN_TYPES, ColumnType

SCHEMA = Schema(
    title="Weather report",
    entity="reports",
    nouns=("report", "reports"),
    version=3,
    attributes=(
        Attribute(
            name="wind",
            type="number",
            description="Speed of the wind. Written with a unit.",
            unit="km/h",
            examples=(12.5, 30),
            absent_means="zero",
            synonyms=("wind speed",),
            extractors=(KeyRule(keys=("wind",)),),
        ),
        Attribute(name="day", type="date", examples=("2020-03-04",)),
        Attribute(name="sky", type="string", categories=("clear", "overcast")),
        Attribute(name="storm", type="boolean", absent_means="false"),
        Attribute(name="order", type="integer"),
    ),
)


def test_a_schema_reads_back_as_it_was_written() -> None:
    assert schema_from_json(json.loads(json.dumps(schema_to_json(SCHEMA)))) == SCHEMA


def test_the_written_form_is_plain_json_schema() -> None:
    written = schema_to_json(SCHEMA)
    assert written["x-entity"] == "reports"
    assert written["properties"] == {
        "wind": {
            "type": "number",
            "description": "Speed of the wind. Written with a unit.",
            "examples": [12.5, 30],
            "x-unit": "km/h",
            "x-absent-means": "zero",
            "x-synonyms": ["wind speed"],
            "x-extractors": [KeyRule(keys=("wind",)).model_dump(mode="json")],
        },
        "day": {"type": "string", "format": "date", "examples": ["2020-03-04"]},
        "sky": {"type": "string", "enum": ["clear", "overcast"]},
        "storm": {"type": "boolean", "x-absent-means": "false"},
        "order": {"type": "integer"},
    }


def read(properties: dict[str, object], **header: object) -> tuple[Attribute, ...]:
    return schema_from_json({"properties": properties} | header).attributes


def test_what_other_tools_write_is_read() -> None:
    defs: dict[str, object] = {"Sky": {"enum": ["clear", "overcast"], "type": "string"}}
    attributes = read(
        {
            "a": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "title": "A"},
            "b": {"type": ["string", "null"], "format": "date-time"},
            "c": {"$ref": "#/$defs/Sky"},
            "d": {"type": "boolean", "default": False},
            "e": {"enum": [1, 2, None]},
            "f": {"type": ["integer", "number"], "minimum": 0, "x-unit": "m"},
            "g": {"allOf": [{"$ref": "#/$defs/Sky"}], "description": "The sky."},
        },
        **{"$defs": defs},
    )
    sky = ("clear", "overcast")
    assert attributes == (
        Attribute(name="a", type="integer", synonyms=("A",)),
        Attribute(name="b", type="date"),
        Attribute(name="c", type="string", categories=sky),
        Attribute(name="d", type="boolean"),  # a default is of who fills in a form
        Attribute(name="e", type="number", examples=(1, 2)),
        Attribute(name="f", type="number", unit="m"),
        Attribute(name="g", type="string", categories=sky, description="The sky."),
    )


def test_names_of_any_spelling_become_unique_column_names() -> None:
    text = {"type": "string"}
    names = ["order", "Group By", "Prix (€)", "名前", "hotelName", "7-day rate", "group_by",
             "Größe", "document_id", "a" * 80, "'; DROP TABLE x"]  # fmt: skip
    attributes = read(dict.fromkeys(names, text))
    assert [attribute.name for attribute in attributes] == [
        "order", "group_by", "prix_eur", "attribute_4", "hotel_name", "n_7_day_rate", "group_by_2",
        "grosse", "document_id_2", "a" * 60, "drop_table_x",
    ]  # fmt: skip
    assert attributes[3].synonyms == ("名前",)
    assert attributes[1].synonyms == ("Group By",)


@pytest.mark.parametrize(
    ("header", "entity"),
    [({}, "record"), ({"title": "Hotel page"}, "hotel_page"), ({"title": "Documents"}, "records"),
     ({"title": "名前"}, "records"), ({"x-entity": "receipts"}, "receipts")],
)  # fmt: skip
def test_the_entity_comes_from_the_title_unless_given(
    header: dict[str, object], entity: str
) -> None:
    assert schema_from_json({"properties": {"a": {"type": "string"}}} | header).entity == entity


TEXT: dict[str, object] = {"type": "string"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "not a list"),
        ("x", "not a text"),
        (None, "not null"),
        (3, "not a number"),
        ({}, "needs `properties`"),
        ({"type": "array", "properties": {"a": TEXT}}, "not 'array'"),
        ({"properties": []}, "needs `properties`"),
        ({"properties": {}}, "is empty"),
        ({"properties": {f"a{n}": TEXT for n in range(501)}}, "501 attributes are too many"),
        ({"properties": {"tags": {"type": "array"}}}, "'tags': a list needs `items`"),
        ({"properties": {"address": {"type": "object"}}}, "'address' is an object"),
        ({"properties": {"a": "string"}}, "'a': its definition must be an object"),
        ({"properties": {"a": True}}, "'a': its definition must be an object"),
        ({"properties": {"a": {}}}, "'a': it must have one `type`"),
        ({"properties": {"a": {"type": "null"}}}, "'a': it must have one `type`"),
        ({"properties": {"a": {"type": ["string", "boolean"]}}}, "'a': it must have one `type`"),
        ({"properties": {"a": {"type": "float"}}}, "'a': type 'float' is unknown"),
        ({"properties": {"a": {"anyOf": [TEXT, {"type": "integer"}]}}}, "anyOf offers 2"),
        ({"properties": {"a": {"$ref": "#/$defs/None"}}}, "nowhere in this schema"),
        ({"properties": {"a": {"$ref": "http://example.com/x"}}}, "nowhere in this schema"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "round in a circle"),
        ({"properties": {"a": {"type": "string", "enum": []}}}, "'a': its enum has no value"),
        ({"properties": {"a": {"type": "string", "enum": ["x", 1]}}}, "'a': its enum must hold"),
        ({"properties": {"a": {"type": "string", "enum": [{}]}}}, "'a': enum must hold texts"),
        ({"properties": {"a": TEXT | {"examples": [[1]]}}}, "'a': examples must hold"),
        ({"properties": {"a": TEXT | {"description": 3}}}, "'a': description"),
        ({"properties": {"a": TEXT | {"x-unit": ["m"]}}}, "'a': unit"),
        ({"properties": {"a": TEXT | {"x-synonyms": "word"}}}, "'a': x-synonyms must be a list"),
        ({"properties": {"a": TEXT | {"x-absent-means": "never"}}}, "'a': absent_means"),
        ({"properties": {"a": TEXT | {"x-absent-means": "false"}}}, "does not fit the type string"),
        ({"properties": {"a": TEXT | {"x-extractors": [{"kind": "x"}]}}}, "'a': extractors"),
        ({"properties": {"a": TEXT}, "x-entity": "documents"}, "name of another table"),
        ({"properties": {"a": TEXT}, "x-entity": "No Name"}, "x-entity"),
        ({"properties": {"a": TEXT}, "x-version": 0}, "x-version"),
        ({"properties": {"a": TEXT}, "x-nouns": "word"}, "x-nouns"),
        ({"properties": {"a": TEXT}, "title": 3}, "title"),
    ],
)
def test_a_bad_schema_is_refused_by_name(data: object, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        schema_from_json(data)
    assert message in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=12), JSON, max_size=4))
def test_any_json_is_a_schema_or_refused(properties: dict[str, object]) -> None:
    try:
        schema = schema_from_json({"properties": properties})
    except SchemaError:
        return
    assert schema_from_json(schema_to_json(schema)) == schema


@given(st.lists(st.text(max_size=20), min_size=1, max_size=8, unique=True))
def test_any_names_make_a_schema_that_reads_back(names: list[str]) -> None:
    schema = schema_from_json({"properties": dict.fromkeys(names, TEXT)})
    assert len(schema.attributes) == len(names)
    assert schema_from_json(schema_to_json(schema)) == schema


GOOD = '{"title": "Tower", "properties": {"height": {"type": "number"}}}'


def test_a_schema_file_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.json", tmp_path / "marked.json"
    plain.write_text(GOOD, encoding="utf-8")
    marked.write_text(GOOD, encoding="utf-8-sig")
    assert read_schema_file(plain) == read_schema_file(marked)
    assert [item.name for item in read_schema_file(plain).attributes] == ["height"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON that can be read"),
        (
            '{"properties": {"a": {"type": "number"}, "a": {"type": "string"}}}',
            "'a' is there twice",
        ),
        ('{"properties": {"a": {"type": "array"}}}', "a"),
    ],
)
def test_a_bad_schema_file_is_named_with_its_fault(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "schema.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        read_schema_file(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_a_missing_schema_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="No such file"):
        read_schema_file(tmp_path / "schema.json")


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, "one type; anyOf offers 2"),
        ({"anyOf": "string"}, "one type; anyOf offers 0"),
        ({"$ref": "#/$defs/nowhere"}, "'#/$defs/nowhere' is nowhere in this schema"),
        ({"$ref": "other.json"}, "'other.json' is nowhere in this schema"),
        ({"$ref": "#/$defs/circle"}, "its references go round in a circle"),
        ({"type": "array"}, "a list needs `items`"),
        ({"properties": {}}, "is an object; a record has one value an attribute"),
        ({"type": "money"}, "type 'money' is unknown; use one of string, integer, number, boolean"),
        ({"type": ["string", "boolean"]}, "it must have one `type` of string, integer"),
        ({"type": "string", "enum": [None]}, "its enum has no value"),
        ({"type": "string", "enum": ["low", 2]}, "its enum must hold texts only"),
        ({"type": "string", "enum": [["low"]]}, "enum must hold texts, numbers or booleans"),
        ({"type": "string", "examples": [{}]}, "examples must hold texts, numbers or booleans"),
        ({"type": "string", "x-synonyms": "tall"}, "x-synonyms must be a list of texts"),
        ({"type": "string", "x-absent-means": "false"}, "'false' does not fit the type string"),
        ({"type": "boolean", "x-absent-means": "zero"}, "'zero' does not fit the type boolean"),
        ({"type": "string", "x-absent-means": ["zero"]}, "absent_means: Input should be"),
        (True, "its definition must be an object such as {'type': 'string'}"),
    ],
)
def test_a_bad_property_is_refused_by_its_name(definition: object, message: str) -> None:
    circle = {"$ref": "#/$defs/circle"}
    with pytest.raises(SchemaError) as refused:
        schema_from_json({"properties": {"height": definition}, "$defs": {"circle": circle}})
    assert str(refused.value).startswith("attribute 'height'")
    assert message in str(refused.value)


@pytest.mark.parametrize("kind", COLUMN_TYPES.values())
def test_each_type_of_column_reads_back_from_a_schema(kind: ColumnType) -> None:
    schema = Schema(title="Hut", attributes=(Attribute(name="height", type=kind),))
    [height] = schema_from_json(schema_to_json(schema)).attributes
    assert type(height.type) is type(kind)


@pytest.mark.parametrize(
    ("form", "kind"), [("date-time", "date"), ("email", "string"), ([], "string")]
)
def test_a_text_of_another_format_is_a_text(form: object, kind: str) -> None:
    [height] = read({"height": {"type": "string", "format": form}})
    assert height.type == kind


def test_rules_that_a_model_wrote_and_their_audit_are_kept() -> None:
    rule = WrittenRule(pattern=r"weighs (?P<value>\d+)", veto=("about",), right=5)
    audit = Audit(cells=100, audited=39, wrong=0, bound=0.05, holds=True)
    mass = Attribute(name="mass", type="integer", rules=(rule,), audit=audit)
    schema = Schema(title="Anchor", attributes=(mass,))
    assert schema_from_json(json.loads(json.dumps(schema_to_json(schema)))) == schema
    assert str(audit) == "error ≤ 5.0 % (95 %)"
    assert hash_schema(schema) == hash_schema(
        Schema(title="Anchor", attributes=(Attribute(name="mass", type="integer"),))
    )
    assert hash_attribute(mass) == hash_attribute(Attribute(name="mass", type="integer"))
