import json
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.errors import SchemaError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.json_schema import schema_to_json
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.work import open_work

Ask = Callable[[Path, str], list[tuple[object, ...]]]
WriteStation = Callable[..., Path]


def write_schema(path: Path, schema: Schema) -> None:
    path.write_text(json.dumps(schema_to_json(schema)), encoding="utf-8")


def without_height(schema: Schema) -> Schema:
    return schema.model_copy(update={"attributes": schema.attributes[:1]})


def test_a_schema_in_the_folder_is_followed_and_is_no_document(
    corpus: Path, settings: Settings, schema: Schema, ask: Ask
) -> None:
    write_schema(corpus / "schema.json", schema)

    report = ingest(corpus, settings)

    assert (report.attributes, report.n_documents) == (("town", "height"), 5)
    assert ask(corpus, "SELECT town FROM stations LIMIT 1") == [("Town 1",)]


def test_a_changed_schema_in_the_folder_counts_at_the_next_ingestion(
    corpus: Path, settings: Settings, schema: Schema
) -> None:
    write_schema(corpus / "schema.json", schema)
    ingest(corpus, settings)
    write_schema(corpus / "schema.json", without_height(schema))

    report = ingest(corpus, settings)

    assert (report.attributes, report.published) == (("town",), True)
    assert report.n_extracted == 0, "what is left is read already"
    assert ingest(corpus, settings).n_extracted == 0


def test_the_schema_in_force_is_written_for_people_and_their_edits_count(
    ingested: Path, settings: Settings
) -> None:
    path = ingested / ".srag" / "schema.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert list(written["properties"]) == ["town", "height"]
    del written["properties"]["town"]
    path.write_text(json.dumps(written), encoding="utf-8")

    report = ingest(ingested, settings)

    assert (report.attributes, report.n_extracted) == (("height",), 0)
    assert not ingest(ingested, settings).published


def test_a_new_layout_of_the_file_is_no_change(ingested: Path, settings: Settings) -> None:
    path = ingested / ".srag" / "schema.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")

    assert ingest(ingested, settings).n_extracted == 0


def test_a_deleted_schema_file_is_written_again(ingested: Path, settings: Settings) -> None:
    path = ingested / ".srag" / "schema.json"
    path.unlink()

    assert ingest(ingested, settings).n_extracted == 0
    assert list(json.loads(path.read_text(encoding="utf-8"))["properties"]) == ["town", "height"]


def test_an_induced_schema_stays_when_documents_are_added(
    corpus: Path, settings: Settings, write_station: WriteStation
) -> None:
    for number in range(6, 14):
        write_station(corpus, number)
    first = ingest(corpus, settings)
    (corpus / "odd.txt").write_text("Colour: green\nTown: Odd\n", encoding="utf-8")

    second = ingest(corpus, settings)

    assert {"town", "height"} <= set(first.attributes)
    assert (second.attributes, second.n_extracted) == (first.attributes, 1)


def test_fresh_induces_the_schema_anew(
    corpus: Path, settings: Settings, schema: Schema, write_station: WriteStation
) -> None:
    for number in range(6, 14):
        write_station(corpus, number)
    ingest(corpus, settings, schema=without_height(schema))

    former = (corpus / ".srag" / "schema.json").read_bytes()

    report = ingest(corpus, settings, fresh=True)

    assert {"town", "height"} <= set(report.attributes)
    assert (corpus / ".srag" / "schema-1.json").read_bytes() == former


def test_the_version_counts_changes(ingested: Path, settings: Settings, schema: Schema) -> None:
    ingest(ingested, settings, schema=without_height(schema))
    ingest(ingested, settings, schema=without_height(schema))

    with open_work(ingested / ".srag") as work:
        present = work.schema_in_force()
    assert present is not None
    assert present.schema.version == 2


def test_the_record_table_is_named_after_the_folder_but_not_with_a_word_of_sql(
    tmp_path: Path, settings: Settings, write_station: WriteStation, ask: Ask
) -> None:
    for name, table in (("My Stations", "my_stations"), ("order", "order_records")):
        for number in range(1, 8):
            write_station(tmp_path / name, number)
        ingest(tmp_path / name, settings)
        assert ask(tmp_path / name, f"SELECT count(*) FROM {table}") == [(7,)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON that can be read"),
        ("[]", "a schema is a JSON object"),
        ('{"type": "object"}', "needs `properties`"),
        ('{"properties": {"tags": {"type": "array"}}}', "tags"),
        ('{"properties": {"address": {"type": "object", "properties": {}}}}', "address"),
        ('{"properties": {"a": {"type": "colour"}}}', "a"),
        ('{"x-entity": "cells", "properties": {"a": {"type": "string"}}}', "cells"),
        ('{"x-entity": "srag_build", "properties": {"a": {"type": "string"}}}', "srag_"),
    ],
)
def test_a_schema_that_cannot_be_used_is_an_error_that_names_file_and_problem(
    corpus: Path, settings: Settings, text: str, says: str
) -> None:
    path = corpus / "schema.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(SchemaError, match=rf"schema\.json.*{says}"):
        ingest(corpus, settings)


@pytest.mark.parametrize("place", ["schema.json", ".srag/schema.json"])
def test_nothing_is_lost_by_a_schema_that_cannot_be_used(
    ingested: Path, settings: Settings, place: str, ask: Ask
) -> None:
    (ingested / place).write_text("{", encoding="utf-8")

    with pytest.raises(SchemaError, match="Mend it, or remove it"):
        ingest(ingested, settings)

    assert ask(ingested, "SELECT count(*) FROM stations") == [(5,)]
    (ingested / place).unlink()
    assert ingest(ingested, settings).n_extracted == 0
