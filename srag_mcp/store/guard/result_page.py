"""One page of a result, and what a query may use: rows taken until a limit is met."""

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from srag_mcp.errors import QueryError, QueryTimeoutError

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may use; the defaults suit an agent that reads pages of rows.

    The engine stops it after *timeout_s*, the worker process is killed half a second later; after
    *long_after_s* it may have to wait again. *address_space_mb* is of the process (Linux). A page
    has *max_bytes* as JSON, or one row. With one of *threads*, a statement gives the same rows in
    the same order each time: pages follow each other, and sums of floating-point numbers agree.
    """

    timeout_s: float = 5.0
    long_after_s: float = 1.0
    memory_mb: int = 512
    address_space_mb: int = 2048
    max_rows: int = 1000
    max_bytes: int = 200_000
    max_cell_characters: int = 2000
    threads: int = 1


Views: TypeAlias = Mapping[str, Sequence[tuple[Path, str]]]
"""By the name of a view, the tables of builds whose rows it has, one after the other."""
Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = tuple[Value, ...]
Deadline: TypeAlias = Callable[[], None]
"""Raises QueryTimeoutError when the time is over."""

MAX_COLUMNS = 1000
MAX_EXACT_INTEGER = 2**53
MAX_NAME_CHARACTERS = 200
_NOT_FINITE = {math.inf: "Infinity", -math.inf: "-Infinity"}  # what JSON has no number for
_SKIP_ROWS = 2048
_MIN_CELL_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of rows, as JSON can hold them; *types* are DuckDB's, *seconds* those of the engine.

    Integers beyond 2^53, decimals, dates and times are text (ISO 8601), and so are NaN, Infinity
    and -Infinity; lists, structs and maps are JSON text; a cell or name that was cut ends with
    "…[+312 chars]". *next_offset* is of the next page, None if this is the last: a statement gives
    its rows in the same order each time.
    """

    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    truncated: bool = False
    next_offset: int | None = None
    seconds: float = 0.0


def deadline_in(timeout_s: float, sql: str) -> Deadline:
    """Make the check that raises once *timeout_s* seconds have gone by."""
    end = time.monotonic() + timeout_s

    def check() -> None:
        if time.monotonic() > end:
            raise timed_out(timeout_s, sql)

    return check


def timed_out(timeout_s: float, sql: str) -> QueryTimeoutError:
    """Say that the query was stopped, and what to try."""
    msg = (
        f"The query was stopped after {timeout_s:g} s: filter earlier, join on fewer rows,"
        " or aggregate before sorting."
    )
    return QueryTimeoutError(msg, sql)


def read_page(
    cursor: "duckdb.DuckDBPyConnection",
    sql: str,
    limits: QueryLimits,
    *,
    limit: int,
    offset: int,
) -> ResultPage:
    """Run *sql* and return *limit* of its rows, from *offset* on.

    Raises:
        QueryError: If the result has too many columns, or their names are too long.
        QueryTimeoutError: If the time is over.
    """
    started, check_time = time.perf_counter(), deadline_in(limits.timeout_s, sql)
    cursor.execute(sql)
    description = cursor.description or []
    if len(description) > MAX_COLUMNS:
        msg = (
            f"The result has {len(description)} columns, at most {MAX_COLUMNS}: name those you"
            " need."
        )
        raise QueryError(msg, sql)
    names = tuple(_cut(str(name), MAX_NAME_CHARACTERS) for name, *_ in description)
    types = tuple(_cut(str(kind), MAX_NAME_CHARACTERS) for _, kind, *_ in description)
    n_bytes = len(json.dumps([names, types], ensure_ascii=False).encode())
    if n_bytes > limits.max_bytes:
        msg = (
            f"The names of the {len(names)} columns have {sum(map(len, names))} characters, more"
            " than a result may have: name fewer columns, or give them short names with AS."
        )
        raise QueryError(msg, sql)
    rows: list[Row] = []
    n_left = offset
    while n_left > 0 and (skipped := cursor.fetchmany(min(n_left, _SKIP_ROWS))):
        n_left -= len(skipped)
        check_time()
    share = max(_MIN_CELL_CHARACTERS, limits.max_bytes // max(1, len(names)))
    max_characters = min(limits.max_cell_characters, share)
    truncated = False
    while (raw := cursor.fetchone()) is not None:
        cells = map(to_value, raw)
        row = tuple(_cut(cell, max_characters) if isinstance(cell, str) else cell for cell in cells)
        n_bytes += len(json.dumps(row, ensure_ascii=False).encode())
        truncated = len(rows) >= limit or (bool(rows) and n_bytes > limits.max_bytes)
        if truncated:
            break
        rows.append(row)
        check_time()
    next_offset = offset + len(rows) if truncated else None
    seconds = round(time.perf_counter() - started, 6)
    return ResultPage(names, types, tuple(rows), truncated, next_offset, seconds)


def _cut(text: str, max_characters: int) -> str:
    """Cut long text and say by how much: `("abcdef", 4) -> "abcd…[+2 chars]"`."""
    if len(text) <= max_characters:
        return text
    return f"{text[:max_characters]}…[+{len(text) - max_characters} chars]"


def to_value(cell: object) -> Value:
    """Turn what DuckDB hands out into what JSON can hold without loss of meaning."""
    if cell is None or isinstance(cell, (str, bool)):
        return cell
    if isinstance(cell, int):
        return cell if -MAX_EXACT_INTEGER <= cell <= MAX_EXACT_INTEGER else str(cell)
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else _NOT_FINITE.get(cell, "NaN")
    if isinstance(cell, (list, tuple, dict)):
        return json.dumps(_to_json(cell), ensure_ascii=False)
    if isinstance(cell, (datetime, date, time_of_day)):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return cell.hex()
    return str(cell) if isinstance(cell, (Decimal, UUID, timedelta)) else repr(cell)


_Json: TypeAlias = "Value | list[_Json] | dict[str, _Json]"


def _to_json(cell: object) -> _Json:
    if isinstance(cell, dict):
        return {str(to_value(key)): _to_json(item) for key, item in cell.items()}
    if isinstance(cell, (list, tuple)):
        return [_to_json(item) for item in cell]
    return to_value(cell)
