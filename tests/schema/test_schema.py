"""A schema holds tables, and is read as its record table."""

import pytest
from pydantic import ValidationError

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import ListName, Schema, Table
from srag_mcp.values.types import COLUMN_TYPES

LENGTH = Attribute(name="length", type=COLUMN_TYPES["number"])
BOATS = Table(title="Boat", entity="boats", attributes=(LENGTH,))


def test_a_schema_that_was_written_as_a_table_is_read() -> None:
    flat = {"title": "Boat", "entity": "boats", "attributes": (LENGTH,), "version": 3}

    schema = Schema.model_validate(flat)

    assert schema.tables == (BOATS,)
    assert schema.version == 3
    assert Schema.model_validate_json(schema.model_dump_json()) == schema


def test_a_copy_changes_the_record_table() -> None:
    schema = Schema(title="Boat", entity="boats")

    copy = schema.model_copy(update={"attributes": (LENGTH,), "version": 2})

    assert copy == Schema(title="Boat", entity="boats", attributes=(LENGTH,), version=2)
    assert schema.attributes == ()


def test_a_column_is_found_by_its_table_too() -> None:
    schema = Schema(title="Boat", entity="boats", attributes=(LENGTH,))

    assert schema.attribute("length") == schema.attribute("length", "boats") == LENGTH
    with pytest.raises(SchemaError, match="no attribute 'length' of ships"):
        schema.attribute("length", "ships")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"attributes": (LENGTH, LENGTH)}, "attribute 'length' is there twice"),
        ({"attributes": (LENGTH.model_copy(update={"name": "document_id"}),)}, "is reserved"),
        ({"entity": "documents"}, "entity 'documents' is the name of another table"),
        ({"entity": "cells"}, "entity 'cells' is the name of another table"),
        ({"entity": "Boats"}, "String should match pattern"),
    ],
)
def test_a_table_that_cannot_be_stored_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Schema.model_validate({"title": "Boat", "entity": "boats"} | changed)


def test_a_column_that_is_not_there_is_told_with_those_that_are() -> None:
    width = LENGTH.model_copy(update={"name": "width"})
    schema = Schema(title="Boat", entity="boats", attributes=(LENGTH, width))
    with pytest.raises(SchemaError) as refused:
        schema.attribute("depth")
    assert str(refused.value) == "no attribute 'depth'; there are: length, width"


def test_a_schema_is_read_as_its_record_table() -> None:
    lists = (ListName(name="sails", members=("area",)),)
    schema = Schema(
        title="Boat", entity="boats", attributes=(LENGTH,), nouns=("boat", "yacht"), lists=lists
    )
    table = schema.table
    assert (schema.title, schema.entity, schema.nouns) == ("Boat", "boats", ("boat", "yacht"))
    assert (schema.attributes, schema.lists) == (table.attributes, table.lists)
    assert schema.list_asked_for("How many sails has the Albatros?") == lists[0]
    assert schema.list_asked_for("How long is the Albatros?") is None


def test_a_copy_of_the_schema_alone_keeps_its_table() -> None:
    schema = Schema(title="Boat", entity="boats", attributes=(LENGTH,))
    copy = schema.model_copy(update={"version": 7})
    assert (copy.version, copy.table) == (7, schema.table)
