"""Columns by command: what changes is shown first, and asked about."""

import json
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

SEEN = [
    "passengers is now guests",
    "4 values are kept, 0 change, 0 are lost",
    "aldra.txt: passengers “120” -> 120",
]


def test_a_script_that_says_nothing_sees_what_would_change(cli: Cli, folder: Path) -> None:
    rename = ("columns", folder, "rename", "passengers", "guests")
    seen = cli(*rename)
    assert (seen.status, seen.out.splitlines()[:3]) == (3, SEEN)
    assert cli("sql", folder, "SELECT guests FROM ferry").status == 1
    as_json = cli(*rename, "--json")
    assert (as_json.status, json.loads(as_json.out)["n_kept"]) == (3, 4)

    done = cli(*rename, "--yes")
    assert (done.status, done.out.splitlines()[:3]) == (0, SEEN)
    assert done.out.endswith("published\n")
    both = cli("sql", folder, "SELECT sum(guests) AS a, sum(passengers) AS b FROM ferry")
    assert both.out.split() == ["a", "b", "1200", "1200"]
    assert cli("ask", folder, "How many guests do the ferries carry in total?").status == 0


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("\n", 3)])
def test_a_person_is_asked(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    monkeypatch.setattr("srag_mcp.cli.building_commands._is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", StringIO(answer))
    said = cli("columns", folder, "hide", "operator")
    assert (said.status, "Do it? [y/N]" in said.err) == (status, True)
    assert ("operator" in cli("schema", folder).out) == (status == 3)


def test_what_is_wrong_is_said(cli: Cli, folder: Path) -> None:
    assert (
        "'rename operator' is none of rename OLD NEW"
        in cli("columns", folder, "rename", "operator").err
    )
    assert cli("columns", folder, "rename").status == 2
    assert "no attribute 'captain'" in cli("columns", folder, "drop", "captain", "--yes").err
    [build] = sorted((folder / ".srag" / "builds").glob("*.duckdb"))
    assert "is a build alone" in cli("columns", build, "drop", "cafe", "--yes").err


def test_a_column_that_nothing_fills_says_so(cli: Cli, folder: Path) -> None:
    path = folder / ".srag" / "schema.json"
    written = json.loads(path.read_text())
    captain = {"type": "string", "description": "Who steers the ship on most days."}
    written["properties"]["skipper_in_charge"] = captain
    path.write_text(json.dumps(written))
    said = "no rule was found for skipper_in_charge, and no model has read it"
    assert said in cli("ingest", folder, "-q").out
