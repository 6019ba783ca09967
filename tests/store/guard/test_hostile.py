"""Statements that read, write or change what they should not: each is stopped."""

import hashlib
import json
from pathlib import Path

import duckdb
import pytest

from srag_mcp.errors import QueryError
from srag_mcp.store.guard import QueryPool, check_query

ATTACKS = [
    json.loads(line)
    for line in (Path(__file__).parent / "hostile.jsonl").read_text("utf-8").splitlines()
]
SECURITY = {attack["id"]: attack["sql"] for attack in ATTACKS if attack["kind"] == "security"}
EXPOSED = ("records", "documents", "cells")
HARMLESS = {
    "a comment inside a comment": "SELECT 1 /* /* */ ; DROP TABLE cells; -- */",
    "a column called as a function": "SELECT * FROM documents AS d(read_text) LIMIT 1",
    "a lambda over column names": "SELECT COLUMNS(lambda c: c ~ 'title') FROM documents LIMIT 1",
    "a backslash, which escapes nothing": "SELECT 'a\\' FROM records --', model FROM srag_build",
    "a path as text": "SELECT '/etc/passwd' FROM documents LIMIT 1",
    "words of change as text": "SELECT 'DROP TABLE cells; INSERT' FROM documents LIMIT 1",
}


@pytest.fixture(scope="module")
def traps(records: Path) -> Path:
    """Put files with canaries beside the build."""
    folder = records.parent
    (folder / "secret.txt").write_text("CANARY-TEXT", encoding="utf-8")
    (folder / "secret.csv").write_text("x\nCANARY-CSV\n", encoding="utf-8")
    (folder / "secret.json").write_text('[{"x": "CANARY-JSON"}]', encoding="utf-8")
    with duckdb.connect() as connection:
        parquet = folder / "secret.parquet"
        connection.execute(f"COPY (SELECT 'CANARY-PARQUET' AS x) TO '{parquet}' (FORMAT parquet)")
    with duckdb.connect(str(folder / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 'CANARY-OTHER' AS x")
    (folder / "out").mkdir()
    return folder


def snapshot(folder: Path) -> dict[str, str]:
    """Hash every file."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("attack", SECURITY)
def test_a_hostile_statement_is_refused_before_it_runs(
    attack: str, records_tables: dict[str, list[str]]
) -> None:
    with pytest.raises(QueryError) as caught:
        check_query(SECURITY[attack].replace("{TMP}", "/srv/nowhere"), records_tables)

    assert str(caught.value)


def test_hostile_statements_leave_every_file_as_it_was(
    worker: QueryPool, records: Path, records_tables: dict[str, list[str]], traps: Path
) -> None:
    before = snapshot(traps)

    for sql in SECURITY.values():
        with pytest.raises(QueryError) as caught:
            worker.select(records, sql.replace("{TMP}", str(traps)), tables=records_tables)
        assert "CANARY" not in str(caught.value).replace(sql, "")

    assert snapshot(traps) == before


def test_the_locked_engine_alone_keeps_files_safe(
    worker: QueryPool, records: Path, traps: Path
) -> None:
    before = snapshot(traps)
    leaked = set()

    for sql in SECURITY.values():
        try:  # `read` does not check: what is left is the engine and its process
            rows = worker.read(records, sql.replace("{TMP}", str(traps)))
        except QueryError:
            continue
        leaked |= {
            name
            for name in ("TEXT", "CSV", "JSON", "PARQUET", "OTHER")
            if f"CANARY-{name}" in repr(rows) and f"CANARY-{name}" not in sql
        }

    assert snapshot(traps) == before
    assert leaked == set()


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_hostile_runs(
    name: str, worker: QueryPool, records: Path, records_tables: dict[str, list[str]]
) -> None:
    page = worker.select(records, HARMLESS[name], tables=records_tables, limit=1)

    assert len(page.rows) == 1
    assert "CANARY" not in repr(page)


def test_there_are_enough_hostile_statements() -> None:
    assert len(set(SECURITY.values())) >= 150
    assert len({attack["id"] for attack in ATTACKS}) == len(ATTACKS)
