"""The pool: pages, values, limits, restarts and cancellation, on a real process."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from srag_mcp.errors import (
    QueryCancelledError,
    QueryError,
    QueryMemoryError,
    QueryTimeoutError,
    RefusedQueryError,
    StoreError,
    UnknownNameError,
)
from srag_mcp.store.guard import Call, QueryLimits, QueryPool, ResultPage
from srag_mcp.store.guard.pool import N_WORKERS, Statement
from srag_mcp.store.guard.process import Reply, WorkerProcess

NAMES = "SELECT name FROM boats ORDER BY name"
ENDLESS = "SELECT count(*) FROM range(1000000000000) a(i), range(1000) b(j) WHERE i % 7 = j"


def rows_of(page: ResultPage) -> list[list[object]]:
    return [list(row) for row in page.rows]


def test_a_page_is_rows_columns_and_types(
    worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    page = worker.select(
        fleet, "SELECT name, crew FROM boats ORDER BY name LIMIT 2", tables=fleet_tables
    )

    assert page == ResultPage(
        columns=("name", "crew"),
        types=("VARCHAR", "BIGINT"),
        rows=(("Alba", 4), ("Bora", 6)),
        truncated=False,
        next_offset=None,
        seconds=page.seconds,
    )


def test_pages_follow_each_other_by_next_offset(
    worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    seen: list[object] = []
    offset: int | None = 0
    while offset is not None:
        page = worker.select(fleet, NAMES, tables=fleet_tables, limit=3, offset=offset)
        seen += [row[0] for row in page.rows]
        offset = page.next_offset

    assert seen == ["Alba", "Bora", "Ciro", "Dara", "Echo", "Fram", "Gaia", "Hali"]


@pytest.mark.parametrize(
    ("limit", "offset", "n_rows", "next_offset"),
    [(8, 0, 8, None), (7, 0, 7, 7), (5, 5, 3, None), (5, 8, 0, None), (5, 1000, 0, None)],
)
def test_truncated_is_told_exactly(
    worker: QueryPool,
    fleet: Path,
    fleet_tables: dict[str, list[str]],
    limit: int,
    offset: int,
    n_rows: int,
    next_offset: int | None,
) -> None:
    page = worker.select(fleet, NAMES, tables=fleet_tables, limit=limit, offset=offset)

    assert (len(page.rows), page.next_offset) == (n_rows, next_offset)
    assert page.truncated is (next_offset is not None)


@pytest.mark.parametrize(("limit", "offset"), [(0, 0), (-1, 0), (1, -1)])
def test_a_page_without_rows_cannot_be_asked_for(
    worker: QueryPool,
    fleet: Path,
    fleet_tables: dict[str, list[str]],
    limit: int,
    offset: int,
) -> None:
    with pytest.raises(QueryError, match="limit must be at least 1"):
        worker.select(fleet, NAMES, tables=fleet_tables, limit=limit, offset=offset)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("9007199254740992", 2**53),
        ("9007199254740993", "9007199254740993"),
        ("-170141183460469231731687303715884105727", "-170141183460469231731687303715884105727"),
        ("1.50::DECIMAL(10, 2)", "1.50"),
        ("'nan'::DOUBLE", "NaN"),
        ("'inf'::FLOAT", "Infinity"),
        ("'-inf'::DOUBLE", "-Infinity"),
        ("['nan'::DOUBLE]", '["NaN"]'),
        ("2.5::DOUBLE", 2.5),
        ("true", True),
        ("NULL", None),
        ("DATE '2020-02-29'", "2020-02-29"),
        ("DATE '20000-01-01'", "20000-01-01"),
        ("TIMESTAMP '2020-01-01 10:00:00'", "2020-01-01T10:00:00"),
        ("TIMESTAMPTZ '2020-01-01 10:00:00+00'", "2020-01-01T10:00:00+00:00"),
        ("TIME '10:00'", "10:00:00"),
        ("INTERVAL 2 DAYS", "2 days, 0:00:00"),
        ("'ab'::BLOB", "6162"),
        ("'00000000-0000-0000-0000-000000000001'::UUID", "00000000-0000-0000-0000-000000000001"),
        ("[1, NULL, 3]", "[1, null, 3]"),
        ("{'a': DATE '2020-01-01', 'b': [1.5]}", '{"a": "2020-01-01", "b": ["1.5"]}'),
        ("MAP {'k': 1}", '{"k": 1}'),
        ("'Größe – ✓'", "Größe – ✓"),
    ],
)
def test_a_value_is_what_json_can_hold(
    worker: QueryPool,
    fleet: Path,
    fleet_tables: dict[str, list[str]],
    expression: str,
    value: object,
) -> None:
    page = worker.select(fleet, f"SELECT {expression}", tables=fleet_tables)

    assert rows_of(page) == [[value]]
    assert type(page.rows[0][0]) is type(value)


def test_a_long_cell_is_cut_and_says_by_how_much(
    records: Path, records_tables: dict[str, list[str]]
) -> None:
    with QueryPool(QueryLimits(max_cell_characters=50)) as worker:
        page = worker.select(records, "SELECT as_stated FROM cells LIMIT 1", tables=records_tables)

    assert page.rows == ((("lorem ipsum dolor " * 50)[:50] + "…[+850 chars]",),)


def test_a_page_ends_at_the_bytes_or_rows_that_are_allowed_at_a_whole_row(
    records: Path, records_tables: dict[str, list[str]]
) -> None:
    sql = "SELECT as_stated FROM cells ORDER BY document_id"
    with QueryPool(QueryLimits(max_bytes=3000, max_rows=2)) as worker:
        by_bytes = worker.select(records, sql, tables=records_tables)
        by_rows = worker.select(records, "SELECT 1 FROM cells", tables=records_tables)
    with QueryPool(QueryLimits(max_bytes=40)) as worker:
        one_row = worker.select(records, sql, tables=records_tables)

    assert (len(by_bytes.rows), by_bytes.next_offset) == (2, 2)
    assert (len(by_rows.rows), by_rows.next_offset) == (2, 2)
    assert (len(one_row.rows), one_row.next_offset) == (1, 1)


def test_a_result_with_thousands_of_columns_is_an_error_that_says_so(
    worker: QueryPool, records: Path, records_tables: dict[str, list[str]]
) -> None:
    sql = f"SELECT {', '.join('*' for _ in range(40))} FROM records"

    with pytest.raises(QueryError, match="at most 1000: name those you need"):
        worker.select(records, sql, tables=records_tables)


def test_a_long_name_is_cut_and_says_by_how_much(
    worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    page = worker.select(fleet, f'SELECT 1 AS "{"z" * 300}"', tables=fleet_tables)

    assert page.columns == ("z" * 200 + "…[+100 chars]",)


def test_names_longer_than_a_result_may_be_are_an_error_that_says_so(
    worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    stars = ", ".join("*" for _ in range(900))
    sql = f'SELECT {stars} FROM (SELECT 1 AS "{"z" * 17_000}")'

    with pytest.raises(QueryError, match=r"names of the 900 columns have 193500 .* with AS"):
        worker.select(fleet, sql, tables=fleet_tables)


def test_an_unknown_column_comes_with_the_nearest_names(
    worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean length_m") as caught:
        worker.select(fleet, "SELECT lenght_m FROM boats", tables=fleet_tables)

    assert caught.value.nearest[0] == "length_m"
    assert caught.value.sql == "SELECT lenght_m FROM boats"


def test_an_error_of_the_engine_keeps_its_advice(
    worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    with pytest.raises(QueryError, match="must appear in the GROUP BY clause"):
        worker.select(fleet, "SELECT port, count(*) FROM boats", tables=fleet_tables)


def test_a_view_is_seen_through(worker: QueryPool, fleet: Path) -> None:
    with pytest.raises(UnknownNameError, match="srag_build"):
        worker.select(fleet, "SELECT * FROM hidden_view", tables={"hidden_view": ["model"]})


def test_our_own_statements_read_every_table_and_take_text_as_parameters(
    worker: QueryPool, fleet: Path
) -> None:
    rows = worker.read(
        fleet, "SELECT model, ?, ? FROM srag_build WHERE model <> ?", ["it's", None, "'; --"]
    )

    assert rows == [("CANARY-TABLE", "it's", None)]


def test_our_own_statements_are_not_cut(worker: QueryPool, records: Path) -> None:
    rows = worker.read(records, "SELECT document_id, as_stated FROM cells")

    assert len(rows) == 20_000
    assert {len(str(text)) for _, text in rows} == {900}


def test_our_own_statements_cannot_write_either(worker: QueryPool, fleet: Path) -> None:
    with pytest.raises(QueryError, match="read-only"):
        worker.read(fleet, "DELETE FROM boats")


@pytest.fixture
def quick_worker() -> Iterator[QueryPool]:
    with QueryPool(QueryLimits(timeout_s=1.0)) as worker:
        yield worker


def test_a_query_over_time_is_stopped_and_the_next_one_runs(
    quick_worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    with pytest.raises(QueryTimeoutError, match=r"stopped after 1 s"):
        quick_worker.select(fleet, ENDLESS, tables=fleet_tables)

    assert len(quick_worker.select(fleet, NAMES, tables=fleet_tables).rows) == 8


def test_a_query_that_does_not_listen_is_killed(quick_worker: QueryPool, fleet: Path) -> None:
    with pytest.raises(QueryTimeoutError):
        quick_worker.read(fleet, "SELECT sleep_ms(60000)")

    assert quick_worker.read(fleet, "SELECT 1") == [(1,)]


def test_a_query_over_memory_says_so_and_the_next_one_runs(
    fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    endless = "SELECT len(list(i)) FROM range(10000000000) t(i)"
    with QueryPool(QueryLimits(timeout_s=60)) as worker:  # a busy machine fills memory slowly
        with pytest.raises(QueryMemoryError, match="more than 512 MiB"):
            worker.select(fleet, endless, tables=fleet_tables)

        assert worker.read(fleet, "SELECT 1") == [(1,)]


def test_a_worker_that_was_killed_from_outside_is_replaced(fleet: Path) -> None:
    with QueryPool() as worker:
        assert not worker.process_ids
        worker.read(fleet, "SELECT 1")
        first = worker.process_ids
        os.kill(first[0], signal.SIGKILL)

        assert worker.read(fleet, "SELECT 2") == [(2,)]
        assert len(worker.process_ids) == len(first) == 1
        assert worker.process_ids != first


@dataclass
class Asking:
    """A thread that sends a statement, and what came of it."""

    thread: threading.Thread
    call: Call
    outcome: list[object]


def ask_in_thread(worker: QueryPool, work: Callable[[], object]) -> Asking:
    """Do *work*, which sends statements, on a thread of its own, as a call of its own."""
    outcome: list[object] = []
    call = Call(object())

    def run() -> None:
        with worker.serving(call):
            try:
                outcome.append(work())
            except (QueryError, StoreError) as error:
                outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return Asking(thread, call, outcome)


def test_a_call_that_was_given_up_ends_at_once_and_sends_nothing_more(fleet: Path) -> None:
    with QueryPool(QueryLimits(timeout_s=60)) as worker:
        asking = ask_in_thread(worker, lambda: worker.read(fleet, ENDLESS))
        worker.give_up(asking.call)  # it may not have sent its query yet
        asking.thread.join()

        assert isinstance(asking.outcome[0], QueryCancelledError)
        with worker.serving(asking.call), pytest.raises(QueryCancelledError):
            worker.read(fleet, "SELECT 1")
        assert worker.read(fleet, "SELECT 1") == [(1,)]


def test_giving_up_stops_no_statement_of_another_call(fleet: Path) -> None:
    with QueryPool() as worker:
        worker.give_up(Call(threading.get_ident()))

        assert worker.read(fleet, "SELECT 1") == [(1,)]


def test_a_process_that_was_killed_before_it_had_its_query_goes_to_no_other(
    fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with QueryPool() as worker:
        run, call = worker._run, Call(object())

        def give_up_first(process: WorkerProcess, statement: Statement) -> Reply:
            worker.give_up(statement.call)
            return run(process, statement)

        monkeypatch.setattr(worker, "_run", give_up_first)
        monkeypatch.setattr(WorkerProcess, "is_alive", True)  # as a killed one is for a moment
        with worker.serving(call), pytest.raises(QueryCancelledError):
            worker.read(fleet, "SELECT 1")

        assert not worker.process_ids


def test_long_queries_of_many_hold_up_neither_short_ones_nor_our_own(
    fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    with QueryPool(QueryLimits(timeout_s=120, long_after_s=0.05)) as worker:
        askings = [
            ask_in_thread(worker, lambda: worker.select(fleet, ENDLESS, tables=fleet_tables))
            for _ in range(10)
        ]

        assert worker.select(fleet, NAMES, tables=fleet_tables).rows
        assert worker.read(fleet, "SELECT 1") == [(1,)]
        assert len(worker.process_ids) <= N_WORKERS + 1
        for asking in askings:
            worker.give_up(asking.call)
            asking.thread.join()
        ends = [end for asking in askings for end in asking.outcome]
        assert [type(end) for end in ends] == [QueryCancelledError] * 10


def test_a_query_that_lost_its_process_is_run_again_and_has_its_rows(
    fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    sql = "SELECT count(*) FROM range(20000000) a(i) WHERE hash(i) % 3 = 1"
    with QueryPool(QueryLimits(timeout_s=120, long_after_s=0.01), n_workers=2) as worker:
        askings = [
            ask_in_thread(worker, lambda: worker.select(fleet, sql, tables=fleet_tables).rows)
            for _ in range(4)
        ]
        for asking in askings:
            asking.thread.join()

    (rows,) = {str(asking.outcome) for asking in askings}
    assert rows == "[((6664554,),)]"


def test_closing_ends_a_running_query(fleet: Path) -> None:
    worker = QueryPool(QueryLimits(timeout_s=60))
    worker.read(fleet, "SELECT 1")
    asking = ask_in_thread(worker, lambda: worker.read(fleet, ENDLESS))

    worker.close()
    asking.thread.join()

    assert isinstance(asking.outcome[0], StoreError)
    with pytest.raises(StoreError, match="closed"):
        worker.read(fleet, "SELECT 1")


def test_many_threads_share_one_worker(worker: QueryPool, fleet: Path) -> None:
    results: dict[int, list[tuple[object, ...]]] = {}

    def ask(number: int) -> None:
        results[number] = [tuple(row) for row in worker.read(fleet, "SELECT ?", [number])]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == {number: [(number,)] for number in range(20)}


def test_builds_of_several_folders_are_open_together(
    worker: QueryPool, fleet: Path, tmp_path: Path
) -> None:
    builds = []
    for number in range(6):
        (tmp_path / str(number)).mkdir()
        builds.append(tmp_path / str(number) / "1.duckdb")
        with duckdb.connect(str(builds[-1])) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {number} AS n")

    for _ in range(2):
        assert [worker.read(build, "FROM t") for build in builds] == [[(n,)] for n in range(6)]


def test_the_next_build_of_a_folder_is_read_and_so_is_a_file_put_in_its_place(
    worker: QueryPool, tmp_path: Path
) -> None:
    first, second = tmp_path / "1.duckdb", tmp_path / "2.duckdb"
    for number, path in enumerate((first, second), start=1):
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {number} AS n")
    assert worker.read(first, "FROM t") == [(1,)]
    assert worker.read(second, "FROM t") == [(2,)]

    shutil.copy(second, tmp_path / "new")
    (tmp_path / "new").replace(first)

    assert worker.read(first, "FROM t") == [(2,)]


def test_a_build_that_is_gone_or_damaged_is_a_clear_error(
    worker: QueryPool, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.duckdb"
    damaged.write_bytes(b"not a database")

    with pytest.raises(StoreError, match=r"There is no build 9\.duckdb"):
        worker.read(tmp_path / "9.duckdb", "SELECT 1")
    with pytest.raises(StoreError, match=r"damaged\.duckdb cannot be opened"):
        worker.read(damaged, "SELECT 1")


def test_text_that_is_too_long_is_not_even_sent(fleet: Path) -> None:
    with QueryPool() as worker, pytest.raises(RefusedQueryError, match="at most 20000"):
        worker.select(fleet, "SELECT 1" + " " * 20_000, tables={})


@pytest.mark.usefixtures("cold_starts")
def test_the_server_process_needs_neither_duckdb_nor_sqlglot(fleet: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from srag_mcp.store.guard import QueryPool\n"
        "with QueryPool() as worker:\n"
        "    page = worker.select(Path(sys.argv[1]), 'SELECT 1 AS a', tables={'boats': ['name']})\n"
        "print(page.rows, {'duckdb', 'sqlglot'} & set(sys.modules))"
    )

    shown = subprocess.run(
        [sys.executable, "-c", program, str(fleet)], capture_output=True, text=True, check=True
    )

    assert shown.stdout == "((1,),) set()\n"


def test_a_statement_may_have_less_time_than_others(
    worker: QueryPool, fleet: Path, fleet_tables: dict[str, list[str]]
) -> None:
    worker.read(fleet, "SELECT 1")
    process_ids = worker.process_ids

    with pytest.raises(QueryTimeoutError, match=r"stopped after 0\.05 s"):
        worker.select(fleet, ENDLESS, tables=fleet_tables, timeout_s=0.05)

    assert worker.process_ids == process_ids
    page = worker.select(fleet, "SELECT count(*) FROM boats", tables=fleet_tables)
    assert rows_of(page) == [[8]]
