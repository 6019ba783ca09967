"""What is said of an answer holds in every table that the records may be, all cells known."""

import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import TypeAlias

import duckdb
import pytest

from srag_mcp.ask.grounds import find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.ask.conftest import SCHEMA

Row: TypeAlias = tuple[object, ...]

N_TABLES = 3
MOST_WORLDS = 20
NAMES = ("town", "height", "lift", "crane")
NO_BOUNDS = "bounds are not worked out for this kind of query"


@dataclass(frozen=True, slots=True)
class Towers:
    """A corpus with unknown cells, and a connection with a schema for each table it may be."""

    corpus: Corpus
    worlds: duckdb.DuckDBPyConnection
    n_worlds: int

    def said(self, sql: str) -> tuple[list[Row], float | None, float | None, str]:
        """Return the rows, the bounds and the note that an answer has."""
        page = self.corpus.select(sql)
        found = find_grounds(self.corpus, read_query(sql, self.corpus.schema()), page)
        bounds, denominator = found.bounds, found.denominator
        notes = [note for note in found.notes if "not mentioned counts as" not in note]
        notes += ["not counted"] if denominator is not None and denominator.uncounted else []
        lower, upper = (bounds.lower, bounds.upper) if bounds else (None, None)
        return list(page.rows), lower, upper, "".join(notes)

    def possible(self, sql: str) -> Iterator[list[Row]]:
        for number in range(self.n_worlds):
            self.worlds.execute(f"USE world_{number}")
            yield self.worlds.execute(sql).fetchall()


@pytest.fixture(scope="module", params=range(N_TABLES))
def towers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Towers]:
    chance = random.Random(request.param)
    folder = tmp_path_factory.mktemp("possible")
    stored = [_tower(chance) for _ in range(5)]
    lines = "".join(f"{json.dumps(tower)}\n" for tower in stored)
    (folder / "towers.jsonl").write_text(lines)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=SCHEMA)
    tables = list(islice(_fill([{"lift": False} | tower for tower in stored], chance), MOST_WORLDS))
    with QueryPool() as worker, duckdb.connect() as connection:
        for number, table in enumerate(tables):
            _write(connection, number, table)
        yield Towers(Corpus(folder, worker, settings.home), connection, len(tables))


def _tower(chance: random.Random) -> dict[str, object]:
    cells = {"town": chance.choice(("Olm", "Rann")), "height": chance.choice((10, 20, 30, 50))}
    tower = {**cells, "lift": chance.random() < 0.5, "crane": chance.random() < 0.5}
    return {name: value for name, value in tower.items() if chance.random() < 0.75}


def _fill(
    stored: list[dict[str, object]], chance: random.Random
) -> Iterator[list[dict[str, object]]]:
    """Yield the tables that the stored one may be, in no order; heights are within the known."""
    heights = [int(str(tower["height"])) for tower in stored if "height" in tower]
    possible: dict[str, tuple[object, ...]] = {
        "town": ("Olm", "Rann", "Sund"),
        "height": (min(heights), (min(heights) + max(heights)) // 2, max(heights)),
        "crane": (True, False),
    }
    gaps = [(n, name) for n, tower in enumerate(stored) for name in possible if name not in tower]
    fillings = list(product(*(possible[name] for _, name in gaps)))
    chance.shuffle(fillings)
    for values in fillings:
        filled = [dict(tower) for tower in stored]
        for (number, name), value in zip(gaps, values, strict=True):
            filled[number][name] = value
        yield filled


def _write(
    connection: duckdb.DuckDBPyConnection, number: int, table: list[dict[str, object]]
) -> None:
    connection.execute(f"CREATE SCHEMA world_{number}")
    connection.execute(f"USE world_{number}")
    connection.execute(
        "CREATE TABLE towers (document_id VARCHAR, town VARCHAR, height INT, lift BOOL, crane BOOL)"
    )
    rows = [[f"towers.jsonl#{n}", *(row[name] for name in NAMES)] for n, row in enumerate(table, 1)]
    connection.executemany("INSERT INTO towers VALUES (?, ?, ?, ?, ?)", rows)


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
    for [[value]] in towers.possible(sql):
        if lower is not None and upper is not None:
            number = math.nan if value is None else float(str(value))  # a share of none is none
            assert math.isnan(number) or lower - 1e-9 <= number <= upper + 1e-9
        else:
            assert note or (value,) == rows[0]


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
