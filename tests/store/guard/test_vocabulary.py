"""The lists are complete: no function or type of this DuckDB is without judgement."""

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from srag_mcp.store.guard import check_query
from srag_mcp.store.guard.check import DENIED_CLASSES
from srag_mcp.store.guard.tree import WordList, fold, read_vocabulary


def names(query: str) -> set[str]:
    with duckdb.connect() as connection:
        return {fold(name) for (name,) in connection.execute(query).fetchall()}


CALLABLES = (
    "SELECT function_name FROM duckdb_functions()"
    " WHERE function_type IN ('scalar', 'aggregate', 'macro', 'window')"
)
TABLE_FUNCTIONS = (
    "SELECT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')"
)
TYPES = "SELECT type_name FROM duckdb_types()"


def test_every_function_of_this_duckdb_was_judged() -> None:
    assert names(CALLABLES) - read_vocabulary().functions.judged == set()


def test_every_table_function_of_this_duckdb_was_judged() -> None:
    assert names(TABLE_FUNCTIONS) - read_vocabulary().table_functions.judged == set()


def test_every_type_of_this_duckdb_was_judged() -> None:
    assert names(TYPES) - read_vocabulary().types.judged == set()


def test_few_table_functions_are_allowed() -> None:
    allowed = {"generate_series", "json_each", "json_tree", "range", "unnest"}

    assert read_vocabulary().table_functions.allowed == allowed


@pytest.mark.parametrize("kind", ["functions", "table_functions", "types"])
def test_no_name_is_both_allowed_and_denied(kind: str) -> None:
    words = getattr(read_vocabulary(), kind)
    assert isinstance(words, WordList)

    assert words.allowed & words.denied.keys() == set()
    assert all(denial.reason and denial.instead for denial in words.denied.values())


def test_what_to_write_for_a_function_of_another_database_is_allowed_here() -> None:
    vocabulary = read_vocabulary()
    columns = {"t": ["x", "d", "a", "b", "text"]}

    assert vocabulary.elsewhere.keys() & vocabulary.functions.judged == set()
    for here in vocabulary.elsewhere.values():
        for expression in here.replace("…", "x").split(" or "):
            check_query(f"SELECT {expression} FROM t", columns)


@pytest.mark.parametrize(
    "prefix", ["read_", "duckdb_", "pragma_", "parquet_", "sniff_", "pg_", "arrow_", "python_"]
)
def test_nothing_that_reads_files_or_the_catalog_is_allowed(prefix: str) -> None:
    words = read_vocabulary()

    assert [
        name
        for name in words.functions.allowed | words.table_functions.allowed
        if name.startswith(prefix)
    ] == []


@pytest.mark.parametrize(
    ("name", "folded"),
    [("ABC_z", "abc_z"), ("Größe", "größe"), ("ÄB", "Äb"), ("\u212a", "\u212a"), ("İ", "İ")],
)
def test_case_is_folded_as_duckdb_folds_it(name: str, folded: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f'CREATE TABLE "{name}" AS SELECT 1')
        found = connection.execute(f'FROM "{folded}"').fetchall()

    assert (fold(name), found) == (folded, [(1,)])


def test_the_kelvin_sign_is_another_letter_than_k_for_duckdb() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE k AS SELECT 'table' AS what")
        rows = connection.execute('WITH "\u212a" AS (SELECT 1) FROM k').fetchall()

    assert rows == [("table",)]
    assert "\u212a".lower() == "k"  # why `str.lower` is not used


def test_sqlglots_classes_of_denied_functions_are_known() -> None:
    words = read_vocabulary().functions
    known = {fold(name) for name in DuckDB.Parser.FUNCTIONS}
    denied = {kind for name in known & words.denied.keys() for kind in classes_made_of(name)}
    allowed = {kind for name in known & words.allowed for kind in classes_made_of(name)}

    assert denied - allowed == set(DENIED_CLASSES)


def classes_made_of(name: str) -> set[str]:
    """Let sqlglot read a call of *name*, with none to three arguments."""
    made = set()
    for arguments in ("", "a", "a, b", "a, b, c"):
        try:
            select = sqlglot.parse_one(f"SELECT {name}({arguments})", read="duckdb")
        except (sqlglot.errors.SqlglotError, ValueError, AttributeError):
            continue
        node = select.find(exp.Func)
        if node is not None and not isinstance(node, (exp.Anonymous, exp.Cast)):
            made.add(type(node).__name__)
    return made
