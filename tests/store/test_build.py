import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import duckdb
import pytest

from srag_mcp.errors import NotIngestedError, StoreError
from srag_mcp.schema.schema import Schema
from srag_mcp.store import build, statistics
from srag_mcp.store.build import BuildInfo, publish, published_info
from srag_mcp.store.layout import published_build
from srag_mcp.store.work import OTHER_KIND, FinishedDocument, FinishedFile, open_work

Finish = Callable[..., FinishedDocument]


def publish_now(state: Path, schema: Schema) -> BuildInfo:
    with open_work(state) as work:
        return publish(work, schema)


def rows(state: Path, sql: str) -> list[tuple[object, ...]]:
    path = published_build(state)
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_records_have_typed_columns_and_one_row_a_document(published: Path) -> None:
    assert rows(published, "FROM ships ORDER BY document_id") == [
        ("albatross.txt", "Albatross", 3, 61.5, False, date(1899, 5, 4)),
        ("bittern.txt", "Bittern", 0, None, True, None),
        ("curlew.txt", "Curlew", 2, None, False, date(1931, 6, 30)),
    ]
    types = (
        "SELECT data_type FROM duckdb_columns() WHERE table_name = 'ships' ORDER BY column_index"
    )
    assert [row[0] for row in rows(published, types)] == [
        "VARCHAR",
        "VARCHAR",
        "BIGINT",
        "DOUBLE",
        "BOOLEAN",
        "DATE",
    ]


def test_cells_say_what_the_document_says_and_where(published: Path) -> None:
    sql = 'SELECT state, as_stated, start, "end", value, unit, note FROM cells WHERE attribute = '
    assert rows(published, f"{sql} 'length' ORDER BY document_id")[0] == (
        "stated",
        "61.5 m",
        33,
        39,
        "61.5",
        "m",
        "",
    )
    states = [row[0] for row in rows(published, f"{sql} 'length' ORDER BY document_id")]
    assert states == ["stated", "failed", "not_mentioned", "failed"]
    assert rows(published, f"{sql} 'has_engine' ORDER BY document_id")[2:] == [
        ("not_mentioned", None, None, None, "false", None, ""),
        ("failed", None, None, None, None, None, "it is encrypted"),
    ]
    assert rows(published, "SELECT table_name, count(*) FROM cells GROUP BY ALL") == [("ships", 20)]


@pytest.mark.parametrize("at_once", [1, 12])
def test_a_build_is_the_same_however_much_is_written_together(
    filled: Path, ships: Schema, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = ("ships", "cells", "srag_failures", "srag_statistics", "srag_values", "srag_texts")
    found = []
    for n_cells in (50_000, at_once):
        monkeypatch.setattr(build, "TEXTS_AT_ONCE", 2 * n_cells)
        monkeypatch.setattr(build, "CELLS_AT_ONCE", n_cells)
        monkeypatch.setattr(statistics, "CELLS_AT_ONCE", n_cells)
        with open_work(filled) as work:
            publish(work, ships)
        found.append([rows(filled, f"FROM {name}") for name in tables])
    assert found[0] == found[1]


def test_documents_and_texts_are_in_the_build(published: Path) -> None:
    sql = "SELECT document_id, path, title, media_type, characters FROM documents"
    assert rows(published, f"{sql} ORDER BY document_id DESC LIMIT 2") == [
        ("dodo.pdf", "dodo.pdf", "dodo.pdf", "", 0),
        ("curlew.txt", "curlew.txt", "curlew", "text/plain", 44),
    ]
    texts = "SELECT document_id, text LIKE 'name: %' FROM srag_texts ORDER BY 1"
    assert rows(published, texts) == [
        ("albatross.txt", True),
        ("bittern.txt", True),
        ("curlew.txt", True),
    ]


def test_records_that_an_earlier_version_called_passages_keep_their_name(
    filled: Path, ships: Schema
) -> None:
    schema = ships.model_copy(update={"entity": "passages"})
    with open_work(filled) as work:
        work.put_in_force(schema, "given")
        publish(work, schema)
    assert rows(filled, "SELECT column_name FROM (DESCRIBE passages) LIMIT 2") == [
        ("document_id",),
        ("name",),
    ]


def test_tables_and_columns_carry_comments(published: Path) -> None:
    tables = "SELECT table_name FROM duckdb_tables() WHERE comment IS NULL"
    assert rows(published, tables) == []
    columns = (
        "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'ships'"
        " AND comment IS NOT NULL ORDER BY column_index"
    )
    assert rows(published, columns) == [
        ("name", 'It\'s the "name".'),
        ("masts", "Absent: zero."),
        ("length", "Unit: m."),
        ("has_engine", "Absent: false."),
        ("launched", "launched"),
    ]


def test_a_build_says_what_it_is(filled: Path, ships: Schema) -> None:
    info = publish_now(filled, ships)

    assert published_info(filled) == info
    assert (info.entity, info.n_documents, info.n_failed, info.n_attributes, info.engine) == (
        "ships",
        3,
        1,
        5,
        "offline",
    )
    [(schema,)] = rows(filled, "FROM srag_schema")
    assert Schema.model_validate_json(str(schema)) == ships


def test_the_value_index_counts_distinct_texts(filled: Path, ships: Schema, finish: Finish) -> None:
    with open_work(filled) as work:
        work.store([finish("e.txt", {"name": "Bittern"})], [])
    publish_now(filled, ships)

    assert rows(filled, "FROM srag_values") == [
        ("ships", "name", "Bittern", 2),
        ("ships", "name", "Albatross", 1),
        ("ships", "name", "Curlew", 1),
    ]


def test_two_builds_are_kept_and_none_is_named_as_another_was(filled: Path, ships: Schema) -> None:
    ids = [publish_now(filled, ships).build_id for _ in range(4)]

    builds = sorted(path.stem for path in (filled / "builds").iterdir())
    assert builds == ids[2:]
    assert len({item[:6] for item in ids}) == 4
    for path in (filled / "builds").iterdir():
        path.unlink()
    (filled / "current.json").unlink()
    again = publish_now(filled, ships).build_id
    assert again.startswith("000001-")
    assert again != ids[0]


def test_a_failed_publication_leaves_the_old_build(filled: Path, ships: Schema) -> None:
    first = publish_now(filled, ships)

    def fail(done: int, total: int, name: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with open_work(filled) as work, pytest.raises(KeyboardInterrupt):
        publish(work, ships, on_column=fail)

    assert published_info(filled) == first
    assert [path.stem for path in (filled / "builds").iterdir()] == [first.build_id]
    assert publish_now(filled, ships).n_documents == 3


def test_a_build_folder_that_cannot_be_written_is_an_error(filled: Path, ships: Schema) -> None:
    publish_now(filled, ships)
    with open_work(filled) as work:
        for path in (filled / "builds").iterdir():
            path.unlink()
        (filled / "builds").rmdir()
        with pytest.raises(StoreError, match="writing the build"):
            publish(work, ships)


def test_a_pointer_that_is_missing_or_damaged_is_told_apart(state: Path) -> None:
    with pytest.raises(NotIngestedError):
        published_build(state)
    for text in ("", "[]", "{}", '{"build": 3}', '{"build": "../000001-ab"}', "\x00"):
        (state / "current.json").write_text(text, encoding="utf-8")
        with pytest.raises(StoreError, match=r"current\.json is damaged"):
            published_build(state)


def test_statistics_are_exact(published: Path) -> None:
    found = {
        str(name): json.loads(str(text))
        for name, text in rows(published, "SELECT column_name, statistics FROM srag_statistics")
    }

    assert list(found) == ["name", "masts", "length", "has_engine", "launched"]
    assert found["masts"] | {"values": None} == {
        "column": "masts",
        "type": "integer",
        "n_records": 3,
        "n_non_null": 3,
        "n_non_zero": 2,
        "n_stated": 2,
        "n_stated_absent": 0,
        "n_not_mentioned": 1,
        "n_failed": 0,
        "n_distinct": 3,
        "minimum": 0,
        "maximum": 3,
        "mean": 5 / 3,
        "median": 2.0,
        "lower_quartile": 1.0,
        "upper_quartile": 2.5,
        "values": None,
        "truncated": False,
        "n_read_in_part": 0,
        "n_doubted": 0,
        "n_ruled": 0,
        "n_contradicted": 0,
        "n_corrected": 0,
        "n_by_agent": 0,
        "n_set_unknown": 0,
        "n_silent": 0,
    }
    assert found["has_engine"]["values"] == [
        {"value": False, "count": 2},
        {"value": True, "count": 1},
    ]
    launched = found["launched"]
    assert (launched["minimum"], launched["median"], launched["maximum"], launched["mean"]) == (
        "1899-05-04",
        "1899-05-04",
        "1931-06-30",
        None,
    )


def test_records_with_failures_are_found_without_a_look_at_the_cells(
    filled: Path, ships: Schema
) -> None:
    publish_now(filled, ships)

    failures = rows(
        filled, "SELECT document_id, list_sort(_failed) FROM srag_failures ORDER BY document_id"
    )

    cells = "SELECT document_id, list(attribute ORDER BY attribute) FROM cells"
    known = "state = 'failed' AND document_id IN (SELECT document_id FROM ships)"
    assert failures == rows(filled, f"{cells} WHERE {known} GROUP BY ALL ORDER BY 1")
    assert failures == [("bittern.txt", ["length"])]


def test_a_column_may_be_called_failed(filled: Path, ships: Schema) -> None:
    failed = ships.attributes[0].model_copy(update={"name": "failed"})
    publish_now(filled, ships.model_copy(update={"attributes": (*ships.attributes, failed)}))
    assert rows(filled, "SELECT failed, _failed FROM srag_failures ORDER BY document_id")[0] == (
        None,
        ["length"],
    )


def test_of_what_is_left_out_documents_and_tables_have_advice_of_their_own(
    filled: Path, ships: Schema
) -> None:
    left = [
        FinishedFile(path, 10, 1, rows=False, error=OTHER_KIND) for path in ("a.csv", "letter.md")
    ]
    with open_work(filled) as work:
        work.store((), left)
        told = publish(work, ships).other_kinds
    assert told.endswith(
        ": a.csv, letter.md; the rows of a table file are counted in a folder of its own, or it as"
        " one document (--rows file); columns that are found anew (--fresh-schema, rebuild_schema)"
        " give each kind of documents a table"
    )
