"""A schema holds tables, and is read as its one table as long as there is one."""

import pytest
from pydantic import ValidationError

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema, Table
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


@pytest.mark.parametrize("n_tables", [0, 2])
def test_a_schema_has_one_table_so_far(n_tables: int) -> None:
    with pytest.raises(ValidationError):
        Schema.model_validate({"tables": [BOATS] * n_tables})
