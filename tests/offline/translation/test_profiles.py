"""What a question may call a record, from the nouns of a schema."""

from srag_mcp.offline.translation.profiles import describe_table
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.values.types import TEXT

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


def _filled(name: str, n_non_null: int, n_distinct: int) -> ColumnStatistics:
    return ColumnStatistics(
        name, TEXT, 40, n_non_null, n_non_null, n_non_null, 0, 40 - n_non_null, 0, n_distinct
    )


def test_a_name_that_few_records_have_does_not_label_them() -> None:
    title = Attribute(name="title", type="string", synonyms=("name",))
    schema = Schema(
        title="Crew member",
        entity="crew",
        attributes=(title, Attribute(name="name", type="string")),
        nouns=("sailor",),
    )
    found = {"title": _filled("title", 40, 35), "name": _filled("name", 8, 8)}
    label = describe_table(schema, found).label
    assert label is not None
    assert label.name == "title"
