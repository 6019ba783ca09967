"""Databases as the package writes them: names and texts in SQL, errors, tables of CSV files."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.documents.folder import storable
from srag_mcp.errors import LockedError, StoreError
from srag_mcp.store.database import (
    open_csv_table,
    open_for_writing,
    quote_name,
    quote_text,
    store_errors,
    with_names,
)

PRICES = 'name,price\nAlba,10\nBora,20\n"O\'Hara, ""Ltd""",\n'


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@settings(deadline=None)
@given(text=TEXTS)
def test_any_text_is_one_text_and_one_name_in_sql(
    connection: duckdb.DuckDBPyConnection, text: str
) -> None:
    found = connection.execute(f"SELECT {quote_text(text)} AS {quote_name(text)}")

    assert [column[0] for column in found.description or ()] == [text]
    assert found.fetchall() == [(text,)]


def test_placeholders_are_filled_with_quoted_names() -> None:
    assert with_names("SELECT {x} FROM {t}", x="order", t='a"b') == 'SELECT "order" FROM "a""b"'


def test_what_utf_8_cannot_hold_is_replaced_character_by_character() -> None:
    assert storable("a\ud800\udc00ß") == "a??ß"


def test_errors_of_the_engine_say_what_was_being_done() -> None:
    with (
        duckdb.connect() as connection,
        pytest.raises(StoreError, match="counting ships: Catalog Error"),
        store_errors("counting ships"),
    ):
        connection.execute("FROM ships")


def test_a_database_that_another_program_writes_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "work.duckdb"
    program = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(1, flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    other.stdout.readline()
    with pytest.raises(LockedError, match=r"another program has .* open; close it"):
        open_for_writing(path, tmp_path / "spill")
    other.communicate("\n")
    open_for_writing(path, tmp_path / "spill").close()


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text(PRICES, encoding="utf-8")
    return path


def test_a_csv_file_is_a_table_for_sql(prices: Path) -> None:
    with open_csv_table(prices, "gold", "name") as select:
        assert select("SELECT sum(price), count(*) FROM gold") == [(30, 3)]
        assert select("SELECT name FROM gold WHERE price IS NULL") == [('O\'Hara, "Ltd"',)]
    with open_csv_table(prices, "gold", "name", {"Bora", "Nobody"}) as select:
        assert select("FROM gold") == [("Bora", 20)]


def test_sql_on_a_csv_file_reads_no_other_file(prices: Path) -> None:
    with open_csv_table(prices, "gold", "name") as select:
        with pytest.raises(StoreError, match=r"FROM read_csv.*Permission"):
            select(f"FROM read_csv({quote_text(str(prices))})")
        with pytest.raises(StoreError, match="SELECT weight FROM gold: Binder Error"):
            select("SELECT weight FROM gold")


def test_a_csv_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match=r"none\.csv: "),
        open_csv_table(tmp_path / "none.csv", "gold", "name"),
    ):
        pass
