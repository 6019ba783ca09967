"""Which layer stops each hostile statement alone: `layers.md` is written from here.

To write it anew: SRAG_WRITE_LAYERS=1 pytest tests/store/guard/test_layers.py
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from srag_mcp.errors import QueryError
from srag_mcp.store.guard import QueryLimits, second_opinion
from srag_mcp.store.guard.engine import open_locked
from srag_mcp.store.guard.text import check_text
from srag_mcp.store.guard.tree import read_tree

FOLDER = Path(__file__).parent
ATTACKS = [json.loads(line) for line in (FOLDER / "hostile.jsonl").read_text("utf-8").splitlines()]
HEADER = """\
# Which layer stops a hostile statement alone

Written by `SRAG_WRITE_LAYERS=1 pytest tests/store/guard/test_layers.py`; compared in every run.
The statements are in `hostile.jsonl`.

- **tree**: DuckDB's own parse tree. **sqlglot**: the second parser; what it cannot read would not
  pass if it were alone. **engine**: the lock, on a statement that nobody checked.
- `stops`: refused, or an error. `runs`: it runs, and shows nothing hidden. **`leaks`**: it runs and
  shows a table that is not exposed.
- A resource bomb that passes the parsers ends in the engine's limits or with its process
  (`test_bombs.py`); the engine column is left out for these, for it depends on the machine.
"""


Judge = Callable[[str, dict[str, list[str]]], object]


def ask_parser(judge: Judge, sql: str, tables: dict[str, list[str]]) -> str:
    """Let one parser judge, after the look at the text that comes before both."""
    try:
        check_text(sql)
        judge(sql, tables)
    except (QueryError, second_opinion.UnreadableError):
        return "stops"
    return "passes"


def ask_engine(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Run what nobody checked in the locked engine."""
    cursor = connection.cursor()
    try:
        result = cursor.execute(sql)
        rows = "" if result is None else repr(result.fetchmany(3))
    except (duckdb.Error, ValueError):  # ValueError: a parameter without a value
        return "stops"
    finally:
        cursor.close()
    return "**leaks**" if "CANARY" in rows else "runs"


@pytest.fixture(scope="module")
def table(records: Path, records_tables: dict[str, list[str]]) -> str:
    """The document, from what the layers do now."""
    limits = QueryLimits()
    rows = []
    with open_locked(records, limits) as connection:
        for attack in ATTACKS:
            sql = attack["sql"].replace("{TMP}", "/srv/nowhere")
            is_bomb = attack["kind"] == "resource"
            tree = ask_parser(read_tree, sql, records_tables)
            opinion = ask_parser(second_opinion.list_tables, sql, records_tables)
            engine = "–" if is_bomb else ask_engine(connection, sql)
            rows.append((attack["kind"], attack["id"], tree, opinion, engine))
    return HEADER + summarise(rows) + render(rows)


def summarise(rows: list[tuple[str, str, str, str, str]]) -> str:
    """Count the verdicts."""
    lines = ["\n| kind | statements | tree stops | sqlglot stops | engine stops | engine leaks |"]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    for kind in ("security", "resource"):
        of_kind = [row for row in rows if row[0] == kind]
        tree, opinion = (Counter(row[i] for row in of_kind)["stops"] for i in (2, 3))
        engine = Counter(row[4] for row in of_kind)
        shown = (engine["stops"], engine["**leaks**"]) if kind == "security" else ("–", "–")
        lines += [f"| {kind} | {len(of_kind)} | {tree} | {opinion} | {shown[0]} | {shown[1]} |"]
    return "\n".join(lines) + "\n"


def render(rows: list[tuple[str, str, str, str, str]]) -> str:
    """Write a row a statement."""
    lines = ["\n| statement | tree | sqlglot | engine |", "| --- | --- | --- | --- |"]
    lines += [f"| {name} | {tree} | {opinion} | {end} |" for _, name, tree, opinion, end in rows]
    return "\n".join(lines) + "\n"


def test_the_table_of_layers_is_what_the_layers_do(table: str) -> None:
    path = FOLDER / "layers.md"
    if "SRAG_WRITE_LAYERS" in os.environ:
        path.write_text(table, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == table


def test_the_tree_alone_stops_every_statement_that_reads_or_changes(table: str) -> None:
    lines = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")]
    verdicts = {line[0].removeprefix("| "): line[1] for line in lines}

    security = [attack["id"] for attack in ATTACKS if attack["kind"] == "security"]
    assert {name for name in security if verdicts[name] != "stops"} == set()
