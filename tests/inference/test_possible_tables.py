"""What is said of an answer holds in every table that the records may be, all cells known."""

import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from srag_mcp.inference.grounds import find_denominator, find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import KeyRule
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import insert_rows
from srag_mcp.store.guard import QueryPool
from tests.inference.conftest import SCHEMA

TEXTS_SCHEMA = SCHEMA.model_copy(
    update={
        "attributes": tuple(
            item.model_copy(update={"extractors": (KeyRule(keys=(item.name,)),)})
            for item in SCHEMA.attributes
        )
    }
)
OTHERWISE = {"town": "Sund", "height": 40}

Row: TypeAlias = tuple[object, ...]

N_TABLES = 5
ALL_NONE, SOME_NONE = 2, 3  # tables with towers that have no height, or no height or town
FIRST_OF_TEXTS = 4  # the tables from here on are of documents that contradict themselves
MOST_WORLDS = 20
N_CHANGED = 2
NAMES = ("town", "height", "lift", "crane")
SAID_OF_CELLS = r"not mentioned counts as|values \(cells.marks\) are in doubt"
NO_BOUNDS = "bounds are not worked out for this kind of query"


@dataclass(frozen=True, slots=True)
class Towers:
    """A corpus with unknown cells, and a connection to a schema for each table it may be.

    *changed* has, for each unknown or contradicted cell, the schemas of tables that differ in it
    alone, a list for each table that was changed.
    """

    corpus: Corpus
    worlds: dict[str, duckdb.DuckDBPyConnection]
    n_worlds: int
    changed: dict[tuple[int, str], list[list[str]]]

    def said(self, sql: str) -> tuple[list[Row], float | None, float | None, str]:
        """Return the rows, the bounds and the note that an answer has."""
        page = self.corpus.select(sql)
        found = find_grounds(self.corpus, read_query(sql, self.corpus.schema()), page)
        bounds, denominator = found.bounds, found.denominator
        notes = [note for note in found.notes if not re.search(SAID_OF_CELLS, note)]
        notes += ["not counted"] if denominator is not None and denominator.uncounted else []
        lower, upper = (bounds.lower, bounds.upper) if bounds else (None, None)
        return list(page.rows), lower, upper, "".join(notes)

    def told(self, sql: str) -> tuple[dict[str, int], str]:
        """Return how many documents do not surely say each column, and why it was not counted."""
        facts, page = read_query(sql, self.corpus.schema()), self.corpus.select(sql)
        found = find_denominator(self.corpus, facts, page)
        assert found is not None
        not_sure = {item.column: item.n_unknown + item.n_contradicted for item in found.columns}
        return not_sure, found.uncounted

    def decisive(self, sql: str) -> dict[str, set[int]]:
        """Return the unknown cells that alone change the result in a table that may be."""
        found: dict[str, set[int]] = {}
        for (number, name), tables in self.changed.items():
            for schemas in tables:
                results = {str(sorted(map(str, self._rows(sql, schema)))) for schema in schemas}
                if len(results) > 1:
                    found.setdefault(name, set()).add(number)
        return found

    def possible(self, sql: str) -> Iterator[list[Row]]:
        for number in range(self.n_worlds):
            yield self._rows(sql, f"world_{number}")

    def _rows(self, sql: str, schema: str) -> list[Row]:
        return self.worlds[schema].execute(sql).fetchall()


@pytest.fixture(scope="module", params=range(N_TABLES))
def towers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Towers]:
    chance = random.Random(request.param)
    folder = tmp_path_factory.mktemp("possible")
    stored = [_tower(chance) for _ in range(5)]
    if request.param in {ALL_NONE, SOME_NONE}:
        stored[0]["height"] = stored[1]["height"] = None
    if request.param == ALL_NONE:  # of each it is known whether it has one
        for tower in stored:
            tower.setdefault("height", None)
    if request.param == SOME_NONE:
        stored[2]["town"] = None
    values = _values(stored)
    gaps = [(n, name) for n, tower in enumerate(stored) for name in values if name not in tower]
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    if request.param < FIRST_OF_TEXTS:
        lines = "".join(f"{json.dumps(tower)}\n" for tower in stored)
        (folder / "towers.jsonl").write_text(lines)
        ingest(folder, settings, schema=SCHEMA)
    else:
        told = [(n, name) for n, name in product(range(2), ("town", "height")) if name in stored[n]]
        gaps += told
        for number, tower in enumerate(stored, 1):
            twice = [name for n, name in told if n == number - 1]
            (folder / f"{number}.txt").write_text(_sheet(tower, twice))
        ingest(folder, settings, schema=TEXTS_SCHEMA)
    template = "towers.jsonl#{}" if request.param < FIRST_OF_TEXTS else "{}.txt"
    ids = [template.format(number) for number in range(1, len(stored) + 1)]
    fillings = list(product(*(values[name] for _, name in gaps)))
    chance.shuffle(fillings)
    with QueryPool() as worker, duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        for number, filling in enumerate(fillings[:MOST_WORLDS]):
            table = [{"lift": False} | tower for tower in stored]
            for (at, name), value in zip(gaps, filling, strict=True):
                table[at][name] = value
            _write(connection, number, table, ids)
        corpus, n_worlds = Corpus(folder, worker, settings.home), len(fillings[:MOST_WORLDS])
        changed = {
            (number, name): [
                [_change(connection, world, ids[number], name, value) for value in values[name]]
                for world in range(min(n_worlds, N_CHANGED))
            ]
            for number, name in gaps
        }
        schemas = [f"world_{number}" for number in range(n_worlds)]
        schemas += [name for tables in changed.values() for names in tables for name in names]
        yield Towers(corpus, {name: _open(connection, name) for name in schemas}, n_worlds, changed)


def _open(connection: duckdb.DuckDBPyConnection, schema: str) -> duckdb.DuckDBPyConnection:
    """Open what runs queries on a schema as they are written: five rows need no other plan."""
    opened = connection.cursor()
    opened.execute(f"USE {schema}")
    opened.execute("PRAGMA disable_optimizer")
    return opened


def _tower(chance: random.Random) -> dict[str, object]:
    cells = {"town": chance.choice(("Olm", "Rann")), "height": chance.choice((10, 20, 30, 50))}
    tower = {**cells, "lift": chance.random() < 0.5, "crane": chance.random() < 0.5}
    return {name: value for name, value in tower.items() if chance.random() < 0.75}


def _sheet(tower: dict[str, object], twice: list[str]) -> str:
    """Write what a document says of a tower; each of *twice* otherwise at another place."""
    words = {True: "yes", False: "no"}
    lines = [f"{name.title()}: {words.get(tower[name], tower[name])}\n" for name in tower]  # type: ignore[call-overload]
    others = [f"\nMoved\n\n{name.title()}: {OTHERWISE[name]}\n" for name in twice]
    return f"Tower\n\n{''.join([*lines, *others])}"


def _values(stored: list[dict[str, object]]) -> dict[str, tuple[object, ...]]:
    """Return what can stand in the unknown cells of each column; heights are within the known."""
    heights = [int(str(tower["height"])) for tower in stored if tower.get("height")]
    return {
        "town": ("Olm", "Rann", "Sund"),
        "height": (min(heights), (min(heights) + max(heights)) // 2, max(heights)),
        "crane": (True, False),
    }


def _write(
    connection: duckdb.DuckDBPyConnection,
    number: int,
    table: list[dict[str, object]],
    ids: list[str],
) -> None:
    connection.execute(f"CREATE SCHEMA world_{number}")
    connection.execute(f"USE world_{number}")
    connection.execute(
        "CREATE TABLE towers (document_id VARCHAR, town VARCHAR, height INT, lift BOOL, crane BOOL)"
    )
    pairs = zip(ids, table, strict=True)
    rows = [[document_id, *(row[name] for name in NAMES)] for document_id, row in pairs]
    insert_rows(connection, "towers", rows)


def _change(
    connection: duckdb.DuckDBPyConnection, world: int, document_id: str, name: str, value: object
) -> str:
    """Copy a table with another value in one cell; return the schema of the copy."""
    schema = f'"changed {world} {document_id} {name} {value}"'
    connection.execute(f"CREATE SCHEMA {schema}")
    connection.execute(
        f"CREATE TABLE {schema}.towers AS SELECT * REPLACE"
        f" (if(document_id = '{document_id}', ?, {name}) AS {name})"
        f" FROM world_{world}.towers",
        [value],
    )
    return schema


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM towers WHERE NOT crane OR crane IS NULL",
        "SELECT count(*) FROM towers WHERE height IS NULL OR height < 25 AND crane",
        "SELECT count(town) FROM towers WHERE crane",
        "SELECT count(height) FROM towers WHERE height > 15",
        "SELECT count(*) FROM towers WHERE CASE WHEN crane THEN height > 25 ELSE FALSE END",
        "SELECT count(*) FROM towers WHERE greatest(height, 15) < 25",
        "SELECT count(*) FROM towers WHERE concat(town, 'x') = 'x' OR crane",
        "SELECT count(*) FROM towers WHERE coalesce(town, 'Olm') = 'Olm' AND NOT lift",
        "SELECT avg(height) FROM towers WHERE town IS DISTINCT FROM 'Olm'",
        "SELECT avg(height) FROM towers WHERE crane OR town = 'Rann'",
        "SELECT avg(height) FROM towers WHERE NOT coalesce(crane, false)",
        "SELECT sum(height) FROM towers WHERE crane",
        "SELECT min(height) FROM towers WHERE NOT coalesce(crane, false)",
        "SELECT max(height) FROM towers WHERE town = 'Rann'",
        "SELECT 100.0 * count(*) FILTER (crane) / count(*) FROM towers WHERE town = 'Rann'",
        "SELECT count(*) - count(*) FILTER (crane) FROM towers",
        "SELECT avg(height) FILTER (crane) - avg(height) FILTER (NOT crane) FROM towers",
        "SELECT abs(sum(height) FILTER (town = 'Olm') - sum(height) FILTER (lift)) FROM towers",
        "SELECT 100.0 * count(*) FILTER (crane) / count(*) - 50 FROM towers",
    ],
)
def test_a_number_stays_within_its_bounds_or_something_is_said(towers: Towers, sql: str) -> None:
    rows, lower, upper, note = towers.said(sql)
    for [[value]] in (rows, *towers.possible(sql)):
        if lower is not None and upper is not None:
            number = math.nan if value is None else float(str(value))  # a share of none is none
            assert math.isnan(number) or lower - 1e-9 <= number <= upper + 1e-9
        else:
            assert note or (value,) == rows[0]


ATOMS = st.sampled_from(
    ["crane", "NOT crane", "crane IS NOT TRUE", "crane IS FALSE", "coalesce(crane, false)",
     "NOT coalesce(crane, false)", "(crane OR crane IS NULL)", "lift", "NOT lift", "crane::INT = 1",
     "coalesce(crane, lift)", "CASE WHEN crane THEN height > 15 ELSE FALSE END", "town = 'Olm'",
     "town NOT IN ('Rann')", "town IS DISTINCT FROM 'Olm'", "coalesce(town, 'Olm') = 'Olm'",
     "town IS NOT DISTINCT FROM 'Rann'", "lower(town) = 'rann'", "nullif(town, 'Olm') = 'Rann'",
     "height > 20", "height BETWEEN 10 AND 20", "NOT height < 30", "height * 2 > 50",
     "(height IS NOT NULL AND height > 20)", "(height IS NULL OR height < 25)",
     "coalesce(height, 0) > 15", "greatest(height, 15) < 25", "height IN (10, 50)", "true"]
)  # fmt: skip
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda x: f"({' '.join(x)})"),
        inner.map("NOT ({})".format),
    ),
    max_leaves=3,
)
FUNCTIONS = st.sampled_from(
    ["count(*)", "count(DISTINCT town)", "count(DISTINCT height)", "sum(height)", "avg(height)",
     "median(height)", "quantile_cont(height, 0.25)", "count_if({0})", "avg(crane::INT)",
     "sum(CASE WHEN {0} THEN 1 ELSE 0 END)", "min(height)", "max(height)", "stddev(height)",
     "sum(DISTINCT height)", "avg(coalesce(height, 0))"]
)  # fmt: skip
NUMBERS = st.sampled_from(
    ["{1}", "{1}", "{1} FILTER (WHERE {0})", "{1} - {2}", "{1} + {2}", "abs({1} - {2})", "{1} / 2",
     "100.0 * count(*) FILTER (WHERE {0}) / count(*)", "1.0 * count_if({0}) / count({3})",
     "count(*) FILTER (WHERE {0}) / nullif(count(DISTINCT {3}), 0)", "3 * {1} - 5", "{1} / {2}"]
)  # fmt: skip


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """A query of one number over the towers, with any conditions."""
    made = [draw(FUNCTIONS).format(draw(CONDITIONS)) for _ in range(2)]
    column = draw(st.sampled_from(["crane", "town", "height"]))
    number = draw(NUMBERS).format(draw(CONDITIONS), *made, column)
    source = draw(st.sampled_from(["towers", "towers", "(SELECT * FROM towers WHERE {0}) AS t"]))
    where = draw(st.sampled_from(["", " WHERE {0}"])).format(draw(CONDITIONS))
    return f"SELECT {number} FROM {source.format(draw(CONDITIONS))}{where}"


any_number = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@any_number
@given(sql=numbers())
@example(
    sql="SELECT count_if(coalesce(height, 0) <= 15) / count(height) FROM towers WHERE NOT crane"
)
@example(sql="SELECT count_if(NOT crane AND height > 20) / count(height) FROM towers")
@example(sql="SELECT count_if(crane) / count(height) FROM towers WHERE greatest(height, 15) < 25")
def test_any_number_stays_within_its_bounds_or_something_is_said(towers: Towers, sql: str) -> None:
    rows, lower, upper, note = towers.said(sql)
    [[stated]] = rows
    for [[value]] in (rows, *towers.possible(sql)):
        if value is None or not math.isfinite(number := float(str(value))):
            continue  # a share of none is none
        if lower is not None and upper is not None:
            assert lower - 1e-9 <= number <= upper + 1e-9
        elif stated is not None and math.isfinite(float(str(stated))):
            assert note or number == pytest.approx(float(str(stated)))


@any_number
@given(sql=numbers())
@example(sql="SELECT count_if(height > 20) / count(*) FROM towers WHERE town NOT IN ('Rann')")
@example(sql="SELECT count(DISTINCT town) FILTER (WHERE coalesce(crane, false)) FROM towers")
@example(sql="SELECT sum(height) FILTER (WHERE NOT (town IS DISTINCT FROM 'Olm')) FROM towers")
@example(sql="SELECT sum(height) FILTER (WHERE NOT (crane IS NOT TRUE)) FROM towers")
@example(sql="SELECT sum(height) FILTER (WHERE coalesce(height, 0) > 15) FROM towers")
def test_each_gap_that_alone_may_change_a_number_is_in_its_denominator(
    towers: Towers, sql: str
) -> None:
    n_unknown, uncounted = towers.told(sql)
    for name, numbers_of_rows in towers.decisive(sql).items():
        assert uncounted or n_unknown.get(name, 0) >= len(numbers_of_rows)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) >= 2 FROM towers WHERE crane",
        "SELECT count(*) > 2 FROM towers WHERE town = 'Olm'",
        "SELECT 3 = count(*) FROM towers WHERE height < 25",
        "SELECT count(*) FILTER (crane) > count(*) FILTER (NOT crane) FROM towers",
        "SELECT (SELECT count(*) FROM towers WHERE town = 'Olm')"
        " <= (SELECT count(*) FROM towers WHERE town = 'Rann')",
        "SELECT (SELECT avg(height) FROM towers WHERE crane)"
        " > (SELECT avg(height) FROM towers WHERE NOT crane)",
        "SELECT avg(height) FILTER (crane) >= avg(height) FROM towers",
        "SELECT sum(height) > 90 FROM towers WHERE NOT coalesce(crane, false)",
        "SELECT NOT bool_and(crane) FROM towers",
        "SELECT document_id FROM towers WHERE height = (SELECT max(height) FROM towers)",
        "SELECT document_id FROM towers ORDER BY height LIMIT 1",
        "SELECT document_id FROM towers WHERE crane ORDER BY height DESC NULLS LAST LIMIT 1",
        "SELECT document_id FROM towers WHERE crane AND height = (SELECT min(height) FROM towers)",
        "SELECT arg_max(document_id, height) FROM towers",
        "SELECT town FROM towers WHERE town IS NOT NULL GROUP BY town"
        " QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
        "SELECT town FROM towers WHERE town IS NOT NULL AND NOT lift GROUP BY town"
        " QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
        "SELECT crane FROM towers WHERE crane GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
        "SELECT town, avg(height) FROM towers GROUP BY town",
        "SELECT town FROM towers GROUP BY town HAVING count(*) > 1",
        "SELECT DISTINCT coalesce(town, 'Olm') FROM towers WHERE crane",
    ],
)
def test_what_may_be_otherwise_is_said_to_be(towers: Towers, sql: str) -> None:
    rows, _, _, note = towers.said(sql)
    assert note or all(set(possible) == set(rows) for possible in towers.possible(sql))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT town, count(*) FROM towers WHERE town IS NOT NULL AND crane GROUP BY town",
        "SELECT town, count(*) FROM towers WHERE NOT coalesce(crane, false) GROUP BY town",
        "SELECT town, count(*) FROM towers WHERE town IS NOT NULL AND height > 25 GROUP BY 1",
        "SELECT town, count(*) FILTER (crane) FROM towers GROUP BY ALL",
        "SELECT town, count_if(crane) FROM towers GROUP BY town",
        "SELECT town, count(height) FROM towers GROUP BY town",
        "SELECT coalesce(town, 'Olm') AS place, count(*) FROM towers GROUP BY place",
        "SELECT town, count(*) FROM towers WHERE crane IS NULL OR crane GROUP BY town",
    ],
)
def test_a_group_changes_by_no_more_than_is_said(towers: Towers, sql: str) -> None:
    rows, _, _, note = towers.said(sql)
    higher, lower = _number(r"([\d,]+) higher", note), _number(r"([\d,]+) lower", note)
    for possible in towers.possible(sql):
        counts = {key: int(str(count or 0)) for key, count in possible}
        for key, count in ((key, int(str(count or 0))) for key, count in rows if key is not None):
            assert count - lower <= counts.get(key, 0) <= count + higher


def test_a_part_of_what_a_row_names_has_no_bounds(towers: Towers) -> None:
    assert towers.said("SELECT town, count(*) FROM towers GROUP BY town, crane")[3] == NO_BOUNDS


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT document_id FROM towers WHERE crane AND town = 'Rann'",
        "SELECT document_id FROM towers WHERE NOT coalesce(crane, false) ORDER BY height",
        "SELECT document_id FROM towers WHERE town IS DISTINCT FROM 'Olm' AND height IS NOT NULL"
        " AND height < 25",
        "SELECT DISTINCT town FROM towers WHERE crane",
    ],
)
def test_a_list_changes_by_no_more_than_is_said(towers: Towers, sql: str) -> None:
    rows, _, _, note = towers.said(sql)
    more, less = _number(r"([\d,]+) more", note), _number(r"([\d,]+) of the list", note)
    stated = {row for row in rows if row != (None,)}
    for possible in towers.possible(sql):
        assert len(set(possible) - stated) <= more
        assert len(stated - set(possible)) <= less


def _number(pattern: str, note: str) -> int:
    found = re.search(pattern, note)
    return int(found[1].replace(",", "")) if found else 0
