"""What a question may call a record, from the nouns of a schema."""

from srag_mcp.offline.translation.profiles import describe_table
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema

TEAM = Attribute(name="team", type="string", description="Name of the team.")


def _schema(*nouns: str) -> Schema:
    return Schema(title="Table", entity="records", attributes=(TEAM,), nouns=nouns)


def test_a_number_from_a_file_name_names_no_record() -> None:
    table = describe_table(_schema("772", "772s", "record", "records"), {})
    assert (table.nouns, table.named) == (frozenset(), False)


def test_a_noun_names_the_record() -> None:
    table = describe_table(_schema("match", "matches"), {})
    assert table.named
    assert "match" in table.nouns
