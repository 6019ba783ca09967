"""Corrections by command, and what is to be looked at again."""

import json
from pathlib import Path

import pytest
import typer

from tests.cli.conftest import Cli
from tests.shop import write_listed


def test_a_person_sets_and_takes_back(cli: Cli, folder: Path) -> None:
    done = cli("correct", folder, "aldra.txt", "passengers", "1,200")
    assert done.out == "passengers of aldra.txt: 1200 instead of 120; published\n"
    answer = cli("ask", folder, "How many passengers do the ferries carry in total?")
    assert "2280" in answer.out.replace(",", "")
    assert "passengers: 1 of 4 cells were corrected" in answer.out
    traced = cli("trace", folder, "passengers", "--state", "corrected").out
    assert "aldra.txt" in traced
    assert "was 120" in traced
    assert cli("review", folder).err == "nothing to review\n"
    undone = cli("correct", folder, "aldra.txt", "passengers", "--undo")
    assert undone.out == "passengers of aldra.txt: taken back; published\n"
    total = cli("sql", folder, "SELECT sum(passengers) AS n FROM ferry")
    assert total.out.split() == ["n", "1200"]


def test_a_row_of_a_list_is_added_removed_and_taken_back(cli: Cli, tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "orders")
    cli("ingest", folder, "-q")
    place = "correct", folder, "2.md", "orders_items"
    done = cli(*place, "--add-row", "item=oil = fat", "pieces=7")
    assert done.out == "orders_items of 2.md, row 4: added to 3 rows; published\n"
    done = cli(*place, "--remove-row", "2")
    assert (
        done.out == "orders_items of 2.md, row 2: removed instead of rice | 5 | 5.50; published\n"
    )
    rows = "SELECT string_agg(item || pieces, ', ') AS s FROM orders_items WHERE document_id='2.md'"
    assert cli("sql", folder, rows).out.split("\n")[1] == "tea2, salt5, oil = fat7"
    for row in ("2", "4"):
        assert "taken back" in cli(*place, "--undo", "--row", row).out
    assert cli("sql", folder, rows).out.split("\n")[1] == "tea2, rice5, salt5"
    for said in (["oil"], ["item=oil", "item=fat"]):
        refused = cli(*place, "--add-row", *said)
        assert refused.status == 2
        assert "--add-row with COLUMN=VALUE each" in " ".join(refused.err.replace("│", " ").split())


def test_what_waits_is_listed_until_a_person_accepts_it(cli: Cli, folder: Path) -> None:
    cli("correct", folder, "aldra.txt", "passengers", "--unknown")
    path = folder / "aldra.txt"
    path.write_text(path.read_text() + "Built: 1999\n")
    said = cli("ingest", folder, "-q")
    waits = "1 correction waits for a second look, and srag-mcp correct sets them anew"
    assert waits in said.out + said.err
    listed = cli("review", folder)
    assert "the document has changed" in listed.out
    assert "cells 1 to 1 of 1" in listed.err
    [kept] = json.loads(cli("review", folder, "--json").out)["corrections"]
    assert (kept["value"], kept["note"]) == (
        "unknown",
        "the document has changed; it replaced 120",
    )
    assert waits in cli("sql", folder, "SELECT count(*) FROM ferry").err
    assert cli("correct", folder, "aldra.txt", "passengers", "--accept").status == 0
    assert cli("review", folder).err == "nothing to review\n"


def test_one_thing_is_set_of_a_cell_that_is_there(cli: Cli, folder: Path) -> None:
    place = ("correct", folder, "aldra.txt", "passengers")
    for wrong in ((), ("3", "--absent"), ("--undo", "--unknown")):
        assert cli(*place, *wrong).status == 2
    assert cli(*place, "--", "-3").out.startswith("passengers of aldra.txt: -3")
    assert "does not fit passengers" in cli(*place, "many").err
    unknown = cli("correct", folder, "aldr", "passengers", "3")
    assert (unknown.status, "try: aldra.txt" in unknown.err) == (1, True)
    [build] = sorted((folder / ".srag" / "builds").glob("*.duckdb"))[-1:]
    alone = cli("correct", build, "aldra.txt", "passengers", "3")
    assert "is a build alone" in alone.err


def test_each_is_decided_by_a_key(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("aldra", "borgund", "calypso", "dovre"):
        cli("correct", folder, f"{name}.txt", "passengers", "7")
        path = folder / f"{name}.txt"
        path.write_text(path.read_text() + "Built: 1999\n")
    cli("ingest", folder, "-q")
    keys, values = iter("xtcaq"), iter(["many", "1,000"])
    monkeypatch.setattr(typer, "getchar", lambda: next(keys))
    monkeypatch.setattr(typer, "prompt", lambda *_, **__: next(values))
    first = cli("review", folder, "--decide")
    assert (
        "passengers of aldra.txt? a Accept 7, t Take it back, c correct, s skip, q quit"
        in first.err
    )
    assert "'many' does not fit passengers" in first.err
    assert first.out.splitlines() == [
        "passengers of borgund.txt: taken back; published",
        "passengers of dovre.txt: 7 instead of 480; published",
    ]
    keys = iter("cq")
    assert "1000 instead of 120" in cli("review", folder, "--decide").out
    values_now = cli("sql", folder, "SELECT list(passengers ORDER BY document_id) AS n FROM ferry")
    assert values_now.out.split("\n")[1] == "[1000, 240, 360, 7]"


def test_what_is_in_doubt_is_counted_beside_what_is_to_be_decided(cli: Cli, tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    orders.mkdir()
    for number in range(1, 7):
        goods = [("Saw", number), ("Nut", number + 1), ("Bit", number + 2)]
        rows = "".join(f"| {x} | 1 | {n}.50 | {n}.50 |\n" for x, n in goods)
        total = 3 * number + 4.5 + (50 if number == 2 else 0)
        table = f"| Item | Quantity | Price | Amount |\n|---|---|---|---|\n{rows}"
        said = f"# Order {number}\n\n{table}| Total | | | {total:.2f} |\n"
        (orders / f"{number}.md").write_text(said)
    cli("ingest", orders, "-q")
    listed = "in doubt, and listed by srag-mcp view: orders_items.amount (3)\n"
    assert cli("review", orders).err == listed
    for row in ("1", "2", "3"):
        amount = f"{1 + int(row)}.5"
        cli("correct", orders, "2.md", "orders_items.amount", amount, "--row", row)
    assert cli("review", orders).err == "nothing to review\n"
