"""A build of 100,000 documents that list 1,000,000 items: seconds, processor seconds, peak memory.

The work database is filled by SQL; what is measured is the publication, with names and numbers that
mostly differ, then queries over both tables and their export with quotes and states.

Run: pytest -m benchmark -s tests/benchmarks/test_child_scale.py
"""

import resource
import time
from itertools import product
from pathlib import Path

import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema, Table
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.export import Part, export_parts, table_sql
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import open_work
from srag_mcp.values.types import NUMBER, TEXT
from srag_mcp.views.answers import result_table

pytestmark = pytest.mark.benchmark

N_DOCUMENTS, N_ITEMS, N_NAMES = 100_000, 10, 100_000
MAX_PEAK_MB = 2048
ITEMS = Table(
    title="items",
    entity="orders_items",
    attributes=(Attribute(name="name", type=TEXT), Attribute(name="price", type=NUMBER)),
    parent="orders",
    list_name="items",
)
SCHEMA = Schema(
    title="Orders",
    entity="orders",
    attributes=(Attribute(name="total", type=NUMBER),),
    children=(ITEMS,),
)
QUERIES = (
    "SELECT count(*), avg(price) FROM orders_items",
    "SELECT name, sum(price) FROM orders_items GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
    "SELECT count(DISTINCT document_id) FROM orders JOIN orders_items USING (document_id)"
    " WHERE price > 999",
    "SELECT count(*), avg(total) FROM orders",
)
FILL = f"""
INSERT INTO documents SELECT 'o.jsonl#' || lpad(i::VARCHAR, 6, '0'), 'o.jsonl', 'o',
  'application/jsonl', md5(i::VARCHAR), 'total: 5', now()::TIMESTAMP, 1
FROM range({N_DOCUMENTS}) AS numbers(i);
INSERT INTO files (path, size, mtime_ns, rows) VALUES ('o.jsonl', 1, 1, true);
INSERT INTO cells SELECT document_id, 'total', 'stated', '5', 7, 8, 'total', NULL, 'offline', '', ''
FROM documents;
INSERT INTO child_cells
SELECT document_id, 'orders_items', p, name, 'stated', words, 10, 15, name, NULL, 'offline', '', ''
FROM (SELECT document_id, p, unnest(['name', 'price']) AS name, unnest([
    'Thing number ' || (hash(document_id, p) % {N_NAMES})::VARCHAR,
    (hash(p, document_id) % 100000 / 100.0)::DECIMAL(9, 2)::VARCHAR]) AS words
  FROM documents, range(1, {N_ITEMS + 1}) AS positions(p));
INSERT INTO child_cells SELECT document_id, 'orders_items', 0, 'position', 'stated', 'x', 1, 2, '',
  NULL, 'offline', '', '' FROM documents;
"""


def test_a_million_items_are_published_in_two_gibibytes(tmp_path: Path) -> None:
    with open_work(CorpusFolder(tmp_path).writable()) as work:
        work.put_in_force(SCHEMA, "given")
        work.connection.execute(FILL)
        work.count_revision()
        started, used = time.perf_counter(), time.process_time()
        publish(work, SCHEMA)
        seconds, used = time.perf_counter() - started, time.process_time() - used
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n{N_DOCUMENTS * N_ITEMS:,} items: {seconds:.0f} s, {used:.0f} s of processor,"
          f" peak {peak_mb:.0f} MB")  # fmt: skip
    assert peak_mb < MAX_PEAK_MB
    with QueryPool() as pool:
        corpus = Corpus(tmp_path, pool)
        for sql in QUERIES:
            started = time.perf_counter()
            page = result_table(corpus, sql, 10, 0, 20_000)
            said = "; ".join(page.coverage)
            print(f"{time.perf_counter() - started:.2f} s: {sql}: {page.rows[0]} {said}")
        for table, ending in product(("orders", "orders_items"), (".parquet", ".csv")):
            started, out = time.perf_counter(), tmp_path / f"{table}{ending}"
            sql = table_sql(corpus, table, quotes=True, states=True)
            [n_rows] = export_parts([Part(corpus, sql, table)], out, 600)
            size_mb = out.stat().st_size / 1e6
            seconds = time.perf_counter() - started
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{out.name}: {n_rows:,} rows, {seconds:.1f} s, {size_mb:.0f} MB,"
                f" peak {peak_mb:.0f} MB"
            )
            assert n_rows in {N_DOCUMENTS, N_DOCUMENTS * N_ITEMS}
