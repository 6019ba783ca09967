"""Pages of one statement follow each other, whoever runs them: no row twice, none left out."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from srag_mcp.errors import QueryError
from srag_mcp.store.guard import QueryLimits, QueryPool, ResultPage

N_ROUNDS = 8  # where the engine has two threads, the third shows another order
TABLES = {"rows": ["id", "name", "place", "size"]}
STATEMENTS = {
    "grouping": "SELECT name, count(*) FROM rows GROUP BY name",
    "distinct": "SELECT DISTINCT name FROM rows",
    "join": "SELECT a.name, b.id FROM rows a JOIN rows b USING (place) WHERE a.id < 15",
    "union": "SELECT name FROM rows WHERE size < 4 UNION SELECT name FROM rows WHERE size > 96",
    "ties": "SELECT name, size FROM rows WHERE id < 3000 ORDER BY size DESC",
    "window": "SELECT id FROM rows QUALIFY row_number() OVER (PARTITION BY name ORDER BY size) = 1",
    "list": "SELECT place, list(id), avg(size / 7) FROM rows WHERE size < 9 GROUP BY place",
    "random": "SELECT id FROM rows WHERE id < 3000 ORDER BY random()",
    "sample": "SELECT id FROM rows USING SAMPLE 1500 ROWS",
    "seed": "SELECT id FROM rows TABLESAMPLE bernoulli(1%) REPEATABLE (42)",
}


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a build of 300,000 rows: three of the portions that threads of DuckDB take."""
    path = tmp_path_factory.mktemp("pages") / "1.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE rows AS SELECT i AS id, 'name ' || (hash(i) % 1500) AS name,"
            " 'place ' || (hash(i * 3) % 2500) AS place, (hash(i * 7) % 100)::INTEGER AS size"
            " FROM range(300000) t(i)"
        )
    return path


@pytest.fixture(scope="module")
def pool() -> Iterator[QueryPool]:
    with QueryPool(QueryLimits(timeout_s=60, max_bytes=10_000_000)) as running:
        yield running


@pytest.mark.parametrize("name", STATEMENTS)
def test_pages_read_again_and_again_by_any_worker_are_the_same(
    name: str, build: Path, pool: QueryPool
) -> None:
    def read_pages(_round: int) -> list[ResultPage]:
        pages = [pool.select(build, STATEMENTS[name], tables=TABLES, limit=1000)]
        while (offset := pages[-1].next_offset) is not None:
            found = pool.select(build, STATEMENTS[name], tables=TABLES, limit=1000, offset=offset)
            pages.append(found)
        return pages

    with ThreadPoolExecutor(4) as threads:
        rounds = list(threads.map(read_pages, range(N_ROUNDS)))

    assert len(rounds[0]) > 1
    assert len({str([page.rows for page in pages]) for pages in rounds}) == 1


def test_pages_of_a_sample_that_is_drawn_anew_are_refused_with_the_reason(
    build: Path, pool: QueryPool
) -> None:
    sql = "SELECT id FROM rows TABLESAMPLE bernoulli(10%)"

    page = pool.select(build, sql, tables=TABLES, limit=5)

    assert page.next_offset == 5
    with pytest.raises(QueryError, match=r"drawn anew .* bernoulli\(5%\) REPEATABLE \(42\)"):
        pool.select(build, sql, tables=TABLES, limit=5, offset=5)
