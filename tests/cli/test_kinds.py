"""The command that lists and names the kinds of documents that a folder holds."""

import json
from pathlib import Path

import duckdb
from python_calamine import CalamineWorkbook

from tests.cli.conftest import Cli

BOAT = "# Boat {n}\n\n- Berth: {n}\n- Hull: wood\n- Skipper: sailor {n}\n"
LESSON = "# Lesson {n}\n\n- Pupil: child {n}\n- Strokes: {n}\n- Badge: bronze\n"


def test_kinds_are_listed_named_and_asked(cli: Cli, ferries: Path, tmp_path: Path) -> None:
    sea = tmp_path / "sea"
    sea.mkdir()
    for number in range(1, 7):
        (sea / f"b{number}.md").write_text(BOAT.format(n=number))
        (sea / f"c{number}.md").write_text(LESSON.format(n=number))
    asked = cli("ask", "sea", "How many lessons are there?")
    assert asked.out.startswith("6: number of records.")
    assert "asked of sea/lessons" in asked.err
    listed = cli("kinds", "sea")
    assert listed.out == "sea/boats: 6 documents\nsea/lessons: 6 documents\n"
    renamed = cli("kinds", "sea", "--rename", "boats", "fleet", "--json")
    assert json.loads(renamed.out) == {"sea/fleet": 6, "sea/lessons": 6}
    for called in ("boats", "fleets"):
        asked = cli("ask", "sea/fleet", f"How many {called} are there?")
        assert asked.out.startswith("6: number of records.")
    rows = cli("sql", "sea/fleet", "SELECT count(*) FROM boats", "--json")
    assert json.loads(rows.out)["rows"] == [[6]]
    both = cli(
        "sql", "sea", "SELECT (SELECT max(berth) FROM boats), count(*) FROM lessons", "--json"
    )
    assert json.loads(both.out)["rows"] == [[6, 6]]
    schema = cli("schema", "sea").out
    assert "Fleet: table boats, 6 documents" in schema
    assert "no columns of two kinds have so many values in common" in schema
    priced = cli("ingest", "sea", "--quote", "--engine", "agent")
    assert priced.out.startswith("sea/fleet:\n  6 of 6 documents to be read")
    traced = cli("trace", "sea", "pupil", "--value", "child 3")
    assert traced.out.splitlines()[1].split(None, 1) == ["c3.md", "child 3  stated  “child 3”"]
    searched = cli("search", "sea", "sailor 2", "--limit", "1")
    assert searched.out.startswith("1. b2.md")
    assert "sea/fleet: 1 passages of 1 documents match; 1 of 6 documents were" in searched.err
    unnamed = cli("stats", "sea")
    assert unnamed.status == 1
    assert "name one: sea/fleet, sea/lessons" in unnamed.err
    alone = cli("kinds", "ferries")
    assert alone.out == "ferries holds one kind of documents, or was never ingested\n"
    joined = cli("kinds", "sea", "--join")
    assert (joined.out, joined.status) == ("", 0)
    assert joined.err.startswith("the next ingestion makes one table of all documents;")
    assert cli("ask", "sea", "How many records are there?").out.startswith("12: ")


def test_two_tables_of_one_name_are_shown_as_sql_knows_them(cli: Cli, tmp_path: Path) -> None:
    both = tmp_path / "both"
    both.mkdir()
    items = [{"po": f"P{n}", "items": [{"sku": f"S{n % 5}", "qty": n}]} for n in range(1, 26)]
    parts = [{"code": f"C{n}", "weight": n} for n in range(25)]
    (both / "purchases.json").write_text(json.dumps(items))
    (both / "purchases_items.json").write_text(json.dumps(parts))
    schema = cli("ingest", "both", "-q"), cli("schema", "both")
    lines = schema[1].out.splitlines()
    tables = [line.partition(":")[0] for line in lines if line.startswith("table ")]
    assert tables == ["table purchases_purchases_items"]
    assert "Purchases items: table purchases_items_purchases_items, 25 documents" in lines
    assert any(line.startswith("purchases_purchases_items.sku ") for line in lines)
    counts = cli("sql", "both", "SELECT sum(qty) FROM purchases_purchases_items", "--json")
    assert json.loads(counts.out)["rows"] == [[325]]
    names = {
        "purchases": 25, "purchases_purchases_items": 25, "purchases_items_purchases_items": 25,
    }  # fmt: skip
    for ending in (".duckdb", ".xlsx", ".csv"):
        out = tmp_path / f"all{ending}"
        written = cli("export", "both", out)
        files = {name: tmp_path / f"all-{name}.csv" if ending == ".csv" else out for name in names}
        said = {f"{n} rows of {name} written to {files[name]}" for name, n in names.items()}
        assert {*written.out.splitlines()} == said
        assert cli("export", "both", out).err.endswith("--force replaces a file\n")
    with duckdb.connect(str(tmp_path / "all.duckdb"), read_only=True) as database:
        assert {name for name, *_ in database.execute("SHOW TABLES").fetchall()} == {*names}
        found = database.execute("SELECT sum(qty) FROM purchases_purchases_items").fetchall()
        assert found == [(325,)]
    sheets = CalamineWorkbook.from_path(tmp_path / "all.xlsx")
    assert sheets.sheet_names == [
        "purchases",
        "purchases_purchases_items",
        "purchases_items_purchases_items",
    ]
    assert len(sheets.get_sheet_by_index(1).to_python()) == 26
    assert len(files["purchases"].read_text().splitlines()) == 26
    one = cli("export", "both", tmp_path / "one.csv", "--table", "purchases", "--quotes")
    assert one.out == f"25 rows written to {tmp_path / 'one.csv'}\n"
    pages = cli("view", "both", "--write", tmp_path / "page.html")
    assert pages.out.splitlines()[0].endswith(f"written to {tmp_path / 'page-purchases.html'}")
    assert (tmp_path / "page-purchases_items.html").is_file()
