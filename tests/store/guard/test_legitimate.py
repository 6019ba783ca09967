"""Analytic statements that the guard must let through, with the rows that are right."""

import json
from pathlib import Path

import pytest

from srag_mcp.store.guard import QueryPool

STATEMENTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "legitimate.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement["sql"][:60])
def test_an_analytic_statement_passes_and_gives_the_right_rows(
    worker: QueryPool,
    fleet: Path,
    fleet_tables: dict[str, list[str]],
    statement: dict[str, object],
) -> None:
    page = worker.select(fleet, str(statement["sql"]), tables=fleet_tables)

    assert [list(row) for row in page.rows] == statement["rows"]
    assert (page.truncated, page.next_offset) == (False, None)


def test_there_are_enough_analytic_statements() -> None:
    assert len({statement["sql"] for statement in STATEMENTS}) >= 60
