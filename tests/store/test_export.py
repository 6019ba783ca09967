"""Exports, read back by the programs that they are for."""

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import duckdb
import pytest
from python_calamine import CalamineWorkbook

from srag_mcp.errors import CorpusError, QueryError, QueryTimeoutError, RefusedQueryError
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.export import FORMATS, Part, check_target, export_parts, table_sql
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.work import FinishedDocument, open_work

Finish = Callable[..., FinishedDocument]
FORMULAS = ("=1+1", "+49 30 1234", "-2", "@SUM(A1)", " =cmd|' /C calc'!A0", "＝1+1")
LONG = "SELECT string_agg(name, '') AS long FROM ships, range(9000)"
_WHOLE = "SELECT * FROM ships"


@pytest.fixture
def corpus(published: Path, worker: QueryPool) -> Corpus:
    return Corpus(published.parent, worker)


@pytest.fixture
def hostile(filled: Path, worker: QueryPool, ships: Schema, finish: Finish) -> Corpus:
    """Names of ships that a spreadsheet would run, and one that XML cannot hold."""
    names = (*FORMULAS, "a_x0041_b & <c>", "plain")
    found = [finish(f"{n}.txt", {"name": name}) for n, name in enumerate(names)]
    with open_work(filled) as work:
        work.store(found, [])
        publish(work, ships)
    return Corpus(filled.parent, worker)


def export(corpus: Corpus, sql: str, out: Path) -> int:
    [n_rows] = export_parts([Part(corpus, sql, "ships")], out, 60)
    return n_rows


def read_back(out: Path) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        if out.suffix == ".duckdb":
            connection.execute(f"ATTACH '{out}' AS there (READ_ONLY)")
            return connection.execute("FROM there.ships").fetchall()
        read = {".csv": "read_csv", ".parquet": "read_parquet", ".jsonl": "read_json"}[out.suffix]
        return connection.execute(f"FROM {read}('{out}')").fetchall()


@pytest.mark.parametrize("ending", [ending for ending in FORMATS if ending != ".xlsx"])
def test_a_table_is_read_back_as_it_was(corpus: Corpus, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"ships{ending}"
    sql = table_sql(corpus, quotes=False, states=False)
    with duckdb.connect(str(corpus.build_path()), read_only=True) as build:
        wanted = build.execute("FROM ships").fetchall()
    assert export(corpus, sql, out) == len(wanted) == 3
    assert read_back(out) == wanted
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".srag")] == []


def test_a_sheet_has_numbers_days_truth_values_and_texts(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "ships.xlsx"
    sql = """SELECT name, masts, length, has_engine, launched, NULL AS nothing, '007' AS number,
        9007199254740993 AS many, 1.25 AS decimal, [1, 2] AS list, DATE '1850-01-02' AS early
        FROM ships ORDER BY document_id LIMIT 1"""
    assert export(corpus, sql, out) == 1
    names, row = CalamineWorkbook.from_path(out).get_sheet_by_index(0).to_python()
    assert names[:2] == ["name", "masts"]
    assert row == [
        *("Albatross", 3.0, 61.5, False, date(1899, 5, 4).isoformat(), "", "007"),
        *("9007199254740993", 1.25, "[1, 2]", "1850-01-02"),
    ]
    export(corpus, "SELECT DATE '2024-02-29' AS day", out)
    assert CalamineWorkbook.from_path(out).get_sheet_by_index(0).to_python() == [
        ["day"],
        [date(2024, 2, 29)],
    ]


def test_quotes_and_states_stand_behind_their_columns(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "ships.csv"
    export(corpus, table_sql(corpus, quotes=True, states=True), out)
    albatross, bittern, _ = csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")))
    assert list(albatross)[:4] == ["document_id", "name", "name_state", "name_quote"]
    assert albatross["length"] == "61.5"
    assert albatross["length_quote"] == "61.5 m"
    assert (bittern["length_state"], bittern["length_quote"]) == ("failed", "rather long")
    assert (bittern["masts"], bittern["masts_state"], bittern["masts_quote"]) == (
        "0", "not_mentioned", "",
    )  # fmt: skip
    with pytest.raises(CorpusError, match="quotes and states are of the columns of ships"):
        table_sql(corpus, "documents", quotes=True, states=False)
    with pytest.raises(CorpusError, match="no table 'boats'; it has ships, documents"):
        table_sql(corpus, "boats", quotes=False, states=False)


def test_no_text_of_a_document_is_run_by_a_spreadsheet(hostile: Corpus, tmp_path: Path) -> None:
    sql = "SELECT name FROM ships WHERE document_id LIKE '%.txt' AND length(document_id) = 5"
    out = tmp_path / "names.csv"
    export(hostile, sql, out)
    shown = [row[0] for row in csv.reader(io.StringIO(out.read_text(encoding="utf-8")))]
    stored = [str(row[0]) for row in hostile.select(sql).rows]
    assert stored[0] == "=1+1"
    assert shown == ["name", *(f"'{text}" for text in stored[: len(FORMULAS)]), *stored[-2:]]
    sheet = tmp_path / "names.xlsx"
    export(hostile, sql, sheet)
    rows = CalamineWorkbook.from_path(sheet).get_sheet_by_index(0).to_python()
    assert [row[0] for row in rows[1:]] == stored  # texts, not results
    lines = tmp_path / "names.jsonl"
    export(hostile, f'SELECT name AS "=name" FROM ({sql})', lines)
    written = lines.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["=name"] for line in written] == stored
    export(hostile, f'SELECT 1 AS "=1+1", name AS "a", name AS "a" FROM ({sql})', out)
    assert out.read_text(encoding="utf-8").startswith("'=1+1,a,a_1\n1,'=1+1,")


def test_what_a_sheet_cannot_hold_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "ships.xlsx"
    out.write_text("an older file")
    for sql, said in (
        (LONG, r"texts of more than 32,767 characters in long"),
        ("SELECT 1 FROM range(1048576)", r"1,048,576 rows and their names"),
    ):
        with pytest.raises(QueryError, match=said):
            export(corpus, sql, out)
    assert out.read_text() == "an older file"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".srag")] == []
    assert export(corpus, LONG, out.with_suffix(".csv")) == 1


def test_queries_pass_the_guard_and_the_engine_is_locked(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    for sql in (
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY ships TO 'elsewhere.csv'",
        "SELECT * FROM srag_texts",
        "SELECT 1) TO 'elsewhere.csv'; --",
        "SELECT * FROM written.records",
        "SELECT getenv('HOME')",
    ):
        with pytest.raises(QueryError):
            export(corpus, sql, out)
    with pytest.raises(RefusedQueryError, match="exactly one"):
        export(corpus, "SELECT 1; SELECT 2", out)
    assert not out.exists()
    assert export(corpus, "SELECT 1 AS a -- of all\n;", out) == 1


def test_an_export_has_a_time_limit_of_its_own(corpus: Corpus, tmp_path: Path) -> None:
    heavy = "SELECT count(*) FROM range(100000) a, range(100000) b WHERE a.range * b.range = 7"
    with pytest.raises(QueryTimeoutError, match=r"after 0\.2 s"):
        export_parts([Part(corpus, heavy, "ships")], tmp_path / "out.csv", 0.2)
    assert not (tmp_path / "out.csv").exists()


def test_what_would_be_lost_is_refused(tmp_path: Path) -> None:
    there = tmp_path / "out.csv"
    there.touch()
    with pytest.raises(CorpusError, match="is there already; --force replaces"):
        check_target(there, force=False)
    check_target(there, force=True)
    with pytest.raises(CorpusError, match=r"must end in one of \.csv, \.parquet, \.xlsx"):
        check_target(tmp_path / "out.txt", force=True)
    with pytest.raises(CorpusError, match="there is no folder"):
        check_target(tmp_path / "no" / "out.csv", force=True)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(CorpusError, match="is there already"):
        check_target(tmp_path / "folder.csv", force=True)


# --- Programs that may not be here: `.ci/run` names those that it tried ---------------------------

COLUMNS = ["name", "masts", "length", "has_engine", "launched"]


def plain(row: Sequence[object]) -> tuple[object, ...]:
    """Return a row with a day as text, and None where a data frame has nothing."""
    *held, day = (None if str(value) in {"nan", "NaT", "<NA>"} else value for value in row)
    return (*held, day and str(day)[:10])


def stored(corpus: Corpus, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(corpus.build_path()), read_only=True) as build:
        return build.execute(sql).fetchall()


@pytest.mark.thorough
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl", ".xlsx"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_hold_what_was_exported(
    corpus: Corpus, tmp_path: Path, library: str, ending: str
) -> None:
    needed = {"pandas": {".parquet": "pyarrow"}, "polars": {".xlsx": "fastexcel"}}
    for name in filter(None, (library, needed[library].get(ending))):
        frames = pytest.importorskip(name, reason=f"{name} is not here: exports are not read by it")
    frames = pytest.importorskip(library)
    out, sql = tmp_path / f"ships{ending}", f"SELECT {', '.join(COLUMNS)} FROM ships ORDER BY name"
    export(corpus, sql, out)
    if library == "pandas":
        read = {
            ".csv": frames.read_csv,
            ".parquet": frames.read_parquet,
            ".jsonl": partial(frames.read_json, lines=True),
            ".xlsx": partial(frames.read_excel, engine="calamine"),
        }
        frame = read[ending](out)
        assert [*frame.columns] == COLUMNS
        rows = [*frame.astype(object).itertuples(index=False, name=None)]
    else:
        read = {
            ".csv": frames.read_csv,
            ".parquet": frames.read_parquet,
            ".jsonl": frames.read_ndjson,
            ".xlsx": frames.read_excel,
        }
        frame = read[ending](out)
        assert frame.columns == COLUMNS
        rows = frame.rows()
    assert [plain(row) for row in rows] == [plain(row) for row in stored(corpus, sql)]


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not here")
@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_libreoffice_opens_an_export_and_runs_nothing_of_it(
    hostile: Corpus, tmp_path: Path, ending: str
) -> None:
    out, read = tmp_path / f"ships{ending}", tmp_path / "read"
    sql = "SELECT name, 1.5 AS length FROM ships ORDER BY document_id"
    export(hostile, sql, out)
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "csv", "--outdir", str(read)]
    subprocess.run([*command, str(out)], check=True, capture_output=True, timeout=300)
    [names, *rows] = csv.reader((read / "ships.csv").read_text(encoding="utf-8").splitlines())
    texts = [str(name) for name, _ in stored(hostile, sql)]
    assert "=1+1" in texts
    if ending == ".csv":
        texts = [f"'{text}" if text[0] in "=+-@" else text for text in texts]
    assert (names, rows) == (["name", "length"], [[text, "1.5"] for text in texts])
