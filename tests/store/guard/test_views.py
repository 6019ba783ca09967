"""What is made of several builds is as safe as one of them."""

import hashlib
import json
from pathlib import Path

import pytest

from srag_mcp.errors import QueryError, StoreError
from srag_mcp.store.guard import QueryPool, Views

ATTACKS = [
    json.loads(line)["sql"]
    for line in (Path(__file__).parent / "hostile.jsonl").read_text("utf-8").splitlines()
    if json.loads(line)["kind"] == "security"
]


@pytest.fixture(scope="module")
def views(fleet: Path, records: Path) -> Views:
    return {
        "boats": [(fleet, "boats")],
        "records": [(records, "records")],
        "documents": [(fleet, "documents"), (records, "documents")],
        "cells": [(fleet, "cells")],
    }


def digests(views: Views) -> set[str]:
    paths = {path for of in views.values() for path, _ in of}
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def test_rows_of_several_builds_stand_below_each_other(worker: QueryPool, views: Views) -> None:
    tables = {"documents": ["document_id", "path", "title"], "boats": ["name"]}
    sql = "SELECT count(*), (SELECT count(*) FROM boats) FROM documents"
    assert worker.select(views, sql, tables=tables).rows == ((100_008, 8),)


def test_hostile_statements_show_nothing_and_change_nothing(
    worker: QueryPool, views: Views, records_tables: dict[str, list[str]], tmp_path: Path
) -> None:
    before = digests(views)
    for sql in ATTACKS:
        with pytest.raises(QueryError) as caught:
            worker.select(views, sql.replace("{TMP}", str(tmp_path)), tables=records_tables)
        assert "CANARY" not in str(caught.value).replace(sql, "")
    assert digests(views) == before


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE OR REPLACE VIEW boats AS SELECT 1",
        "CREATE TABLE more AS SELECT 1",
        "DROP VIEW boats",
        "DELETE FROM build_0.main.boats",
        "SET enable_external_access = true",
    ],
)
def test_the_engine_alone_lets_nothing_be_changed(
    sql: str, worker: QueryPool, views: Views
) -> None:
    with pytest.raises(StoreError):
        worker.read(views, sql)
    assert worker.read(views, "SELECT count(*) FROM boats") == [(8,)]
