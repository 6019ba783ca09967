"""Which layer stops each hostile statement alone: `layers.md` is written from here.

To write it anew: SRAG_WRITE_LAYERS=1 pytest tests/store/guard/test_layers.py
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

from srag_mcp.errors import QueryError
from srag_mcp.store.guard import QueryLimits
from srag_mcp.store.guard.check import UnreadableError, check_text, list_tables
from srag_mcp.store.guard.locked_engine import open_locked
from srag_mcp.store.guard.tree import read_tree

FOLDER = Path(__file__).parent
ATTACKS = [json.loads(line) for line in (FOLDER / "hostile.jsonl").read_text("utf-8").splitlines()]
HEADER = """\
# Which layer stops a hostile statement alone

Written by `SRAG_WRITE_LAYERS=1 pytest tests/store/guard/test_layers.py`; compared in every run.
The statements are in `hostile.jsonl`.

- **tree**: DuckDB's own parse tree. **sqlglot**: the second parser; what it cannot read would not
  pass if it were alone. **engine**: the lock, on a statement that nobody checked. **process**: the
  confined process with an engine that is neither read-only nor locked.
- `stops`: refused, or an error. `runs`: it runs, and shows nothing hidden. **`leaks`**: it runs and
  shows a table that is not exposed, or a file.
- A resource bomb that passes the parsers ends in the engine's limits or with its process
  (`test_bombs.py`); both columns are left out for these, for they depend on the machine.
"""


Judge = Callable[[str, dict[str, list[str]]], object]


PARSERS: list[Judge] = [read_tree, list_tables]


class Row(NamedTuple):
    """One statement and what each layer alone does with it."""

    kind: str
    name: str
    verdicts: list[str]


def ask_parser(judge: Judge, sql: str, tables: dict[str, list[str]]) -> str:
    """Let one parser judge, after the look at the text that comes before both."""
    try:
        check_text(sql)
        judge(sql, tables)
    except (QueryError, UnreadableError):
        return "stops"
    return "passes"


def ask_engine(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Run what nobody checked in the locked engine."""
    cursor = connection.cursor()
    try:
        result = cursor.execute(sql)
        rows = "" if result is None else repr(result.fetchall())
    except (duckdb.Error, ValueError):  # ValueError: a parameter without a value
        return "stops"
    finally:
        cursor.close()
    return "**leaks**" if "CANARY" in rows else "runs"


# One connection a statement, for some leave the database unusable; nothing goes to the network.
UNLOCKED = """
import json, sys
import duckdb
from srag_mcp.store.guard.child import confine
from srag_mcp.store.guard.process import QueryLimits
build, statements = sys.argv[1], json.load(sys.stdin)
confine(QueryLimits())
offline = {"threads": 2, "autoinstall_known_extensions": False,
           "custom_extension_repository": "/srv/nowhere"}
for sql in statements:
    try:
        with duckdb.connect(build, config=offline) as connection:
            result = connection.execute(sql)
            rows = "" if result is None else repr(result.fetchall())
        print("**leaks**" if "CANARY" in rows else "runs", flush=True)
    except (duckdb.Error, ValueError):
        print("stops", flush=True)
"""


def ask_processes(build: Path, statements: list[str]) -> list[str]:
    """Run what nobody checked in a confined process; start another when one dies."""
    verdicts: list[str] = []
    while len(verdicts) < len(statements):
        shown = subprocess.run(
            [sys.executable, "-c", UNLOCKED, str(build)],
            cwd=build.parent,  # one statement writes below the working directory
            input=json.dumps(statements[len(verdicts) :]),
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split("\n")[:-1]
        died = [] if len(verdicts) + len(shown) == len(statements) else ["stops"]
        verdicts += shown + died
    return verdicts


@pytest.fixture(scope="module")
def small(records: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tables with few rows, and files with canaries beside the build."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "out").mkdir()
    (folder / "secret.txt").write_text("CANARY-TEXT", encoding="utf-8")
    (folder / "secret.csv").write_text("x\nCANARY-CSV\n", encoding="utf-8")
    (folder / "secret.json").write_text('[{"x": "CANARY-JSON"}]', encoding="utf-8")
    with duckdb.connect(str(folder / "1.duckdb")) as connection:
        connection.execute(f"ATTACH '{records}' AS large (READ_ONLY)")
        for name in ("records", "documents", "cells", "srag_build", "srag_links"):
            connection.execute(f"CREATE TABLE {name} AS FROM large.{name} LIMIT 20")
        connection.execute("CREATE VIEW hidden_view AS FROM srag_build")
    return folder / "1.duckdb"


@pytest.fixture(scope="module")
def table(small: Path, records_tables: dict[str, list[str]]) -> str:
    """The document, from what the layers do now."""
    rows: list[Row] = []
    texts = {attack["id"]: attack["sql"].replace("{TMP}", str(small.parent)) for attack in ATTACKS}
    security = [attack["id"] for attack in ATTACKS if attack["kind"] == "security"]
    with open_locked(small, QueryLimits()) as connection:
        engine = {name: ask_engine(connection, texts[name]) for name in security}
    ends = ask_processes(small, [texts[name] for name in security])
    process = dict(zip(security, ends, strict=True))
    for attack in ATTACKS:
        name, sql = attack["id"], texts[attack["id"]]
        parsers = [ask_parser(judge, sql, records_tables) for judge in PARSERS]
        verdicts = [*parsers, engine.get(name, "–"), process.get(name, "–")]
        rows.append(Row(attack["kind"], name, verdicts))
    return HEADER + summarise(rows) + render(rows)


def summarise(rows: list[Row]) -> str:
    """Count the verdicts."""
    lines = ["\n| | tree | sqlglot | engine | process |", "| --- | --- | --- | --- | --- |"]
    for kind in ("security", "resource"):
        of_kind = [row for row in rows if row.kind == kind]
        for verdict in ("stops", "**leaks**") if kind == "security" else ("stops",):
            counts = [Counter(row.verdicts[i] for row in of_kind)[verdict] for i in range(4)]
            shown = counts if kind == "security" else [*counts[:2], "–", "–"]
            what = f"{kind}: {len(of_kind)} statements, {verdict}"
            lines += [f"| {what} | {' | '.join(map(str, shown))} |"]
    return "\n".join(lines) + "\n"


def render(rows: list[Row]) -> str:
    """Write a row a statement."""
    lines = ["\n| statement | tree | sqlglot | engine | process |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    lines += [f"| {row.name} | {' | '.join(row.verdicts)} |" for row in rows]
    return "\n".join(lines) + "\n"


@pytest.mark.skipif(sys.platform != "linux", reason="some statements speak of /proc")
@pytest.mark.thorough
def test_the_table_of_layers_is_what_the_layers_do(table: str) -> None:
    path = FOLDER / "layers.md"
    if "SRAG_WRITE_LAYERS" in os.environ:
        path.write_text(table, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == table


@pytest.mark.thorough
def test_the_tree_alone_stops_every_statement_that_reads_or_changes(table: str) -> None:
    lines = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")]
    verdicts = {line[0].removeprefix("| "): line[1] for line in lines}

    security = [attack["id"] for attack in ATTACKS if attack["kind"] == "security"]
    assert {name for name in security if verdicts[name] != "stops"} == set()
