"""Whatever text arrives: no file changes, none is made, and no canary comes back."""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from srag_mcp.errors import QueryError
from srag_mcp.store.guard import QueryLimits, QueryPool, check_query
from srag_mcp.store.guard.tree import fold

FOLDER = Path(__file__).parent
CANARY = "CANARY-TABLE"
EXPOSED = {"boats", "documents", "cells"}


def read_statements(name: str) -> list[str]:
    """Read the statements of a file, told of the fleet."""
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    statements = [json.loads(line) for line in lines]
    return [
        re.sub(r"\brecords\b", "boats", statement["sql"])
        for statement in statements
        if statement.get("kind") != "resource"
    ]


STATEMENTS = read_statements("hostile.jsonl") + read_statements("legitimate.jsonl")
TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
TOKENS = sorted({token for sql in STATEMENTS for token in TOKEN.findall(sql)})
HIDDEN_QUERIES = ["srag_build", "hidden_view", "FROM srag_build", "(SELECT model FROM srag_build)"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, fleet: Path) -> Path:
    """A folder of its own with the fleet and a file to be left alone."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copy(fleet, folder / "1.duckdb")
    (folder / "secret.csv").write_text("x\nCANARY-FILE\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def worker() -> Iterator[QueryPool]:
    with QueryPool(QueryLimits(timeout_s=1.0)) as worker:
        yield worker


def soup() -> st.SearchStrategy[str]:
    """Words of all statements in any order."""
    words = st.lists(st.sampled_from([*TOKENS, *HIDDEN_QUERIES]), min_size=1, max_size=25)
    return words.map(" ".join)


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A statement with some of its words replaced, dropped, doubled or taken from another."""
    tokens = TOKEN.findall(draw(st.sampled_from(STATEMENTS)))
    other = TOKEN.findall(draw(st.sampled_from(STATEMENTS)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(tokens)))
        length = draw(st.integers(0, 3))
        start = draw(st.integers(0, max(0, len(other) - 1)))
        cut = other[start : start + draw(st.integers(0, 8))]
        word = draw(st.sampled_from([[], cut, [draw(st.sampled_from(TOKENS))], HIDDEN_QUERIES[:1]]))
        tokens[place : place + length] = word
    return "".join(tokens)


@st.composite
def nested(draw: st.DrawFn) -> str:
    """Statements of CTEs and subqueries in which hidden names are bound here and there."""
    names = st.sampled_from(["srag_build", "a", "b", "boats", "srag_lin\u212as", "srag_links"])

    def query(depth: int) -> str:
        source = draw(names) if depth == 0 or draw(st.booleans()) else f"({query(depth - 1)}) q"
        ctes = [
            f"{draw(names)!r}".replace("'", '"') + f" AS ({query(depth - 1)})"
            for _ in range(draw(st.integers(0, 2)) if depth else 0)
        ]
        with_ = f"WITH {', '.join(ctes)} " if ctes else ""
        tail = draw(st.sampled_from(["", f" WHERE EXISTS (FROM {draw(names)})", " LIMIT 3"]))
        inner = f"(SELECT count(*) FROM {draw(names)})" if draw(st.booleans()) else "*"
        return f"{with_}SELECT {inner} FROM {source}{tail}"

    return query(3)


def texts() -> st.SearchStrategy[str]:
    return st.one_of(st.text(max_size=200), soup(), mutants(), nested())


@settings(
    max_examples=600,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(sql=texts())
def test_no_text_changes_a_file_or_brings_back_what_is_hidden(
    sql: str, worker: QueryPool, home: Path, fleet_tables: dict[str, list[str]]
) -> None:
    text = sql.replace("{TMP}", str(home))
    try:
        shown = repr(worker.select(home / "1.duckdb", text, tables=fleet_tables))
    except QueryError as error:
        shown = str(error)

    leaked = {name for name in ("CANARY-TABLE", "CANARY-LINK", "CANARY-FILE") if name in shown}
    assert {name for name in leaked if name not in text} == set()


def test_after_all_that_the_folder_is_as_it_was(home: Path, fleet: Path) -> None:
    """Runs after the test above: the folder is the module's."""
    assert {path.name for path in home.iterdir()} == {"1.duckdb", "secret.csv"}
    assert digest(home / "1.duckdb") == digest(fleet)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sql=texts())
def test_what_passes_names_only_exposed_tables_for_the_binder_too(
    sql: str, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    try:
        check_query(sql, fleet_tables)
    except QueryError:
        return
    with duckdb.connect(str(fleet), read_only=True) as connection:
        try:
            bound = connection.get_table_names(sql)
        except duckdb.Error:
            return

    assert {fold(name) for name in bound} <= EXPOSED
