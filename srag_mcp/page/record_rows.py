"""Rows of a table as the page shows them: filtered, searched, sorted, a page at a time.

Names of columns come from the build, and all that a person wrote goes into parameters.
"""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Annotated, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field, Json

from srag_mcp.errors import CorpusError, QueryTimeoutError
from srag_mcp.schema.schema import RESERVED_TABLES
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name
from srag_mcp.store.guard import Value
from srag_mcp.store.statistics import ColumnStatistics

KEYS = ("document_id", "position")  # what tells a row; the latter of tables of what documents list
MAX_ROWS = 500
N_BINS = 24  # at most; steps are round numbers
_STEPS = (1, 2, 5, 10)

Comparison = Literal["is", "has", "from", "to", "filled", "empty"]
Text = Annotated[str, Field(max_length=5_000)]


class Condition(BaseModel):
    """What a column must hold: `{"column": "price", "must": "from", "value": "10"}`."""

    model_config = ConfigDict(extra="forbid")

    column: str
    must: Comparison
    value: Text = ""


class RowsWanted(BaseModel):
    """Which rows, from query parameters; *sort* is a column, with `-` before it from the top."""

    model_config = ConfigDict(extra="forbid")

    table: str = ""
    search: Text = ""
    sort: str = ""
    filters: Json[list[Condition]] = []
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=100, ge=1, le=MAX_ROWS)


class RowPage(TypedDict):
    """Rows, how many are before these, and on all pages; None where counting took too long."""

    columns: list[str]
    rows: list[tuple[Value, ...]]
    total: int | None
    offset: int


class TableWanted(BaseModel):
    """Which table; the main one if empty."""

    model_config = ConfigDict(extra="forbid")

    table: str = ""


def record_tables(corpus: Corpus) -> dict[str, list[str]]:
    """Return the tables of records with their columns, the keys first; the main one first."""
    aside = RESERVED_TABLES | {corpus.info().former_table}
    return {
        table: [
            *(key for key in KEYS if key in names),
            *(item.column for item in corpus.statistics(table=table)),
        ]
        for table, names in corpus.tables().items()
        if table not in aside
    }


def find_columns(corpus: Corpus, table: str) -> tuple[str, list[str]]:
    """Return the name of *table*, the main one if empty, and its columns.

    Raises:
        CorpusError: If it is none of records.
    """
    tables, table = record_tables(corpus), table or corpus.schema().entity
    if table not in tables:
        msg = f"there is no table {table!r}; tables: {', '.join(tables)}"
        raise CorpusError(msg)
    return table, tables[table]


def find_rows(corpus: Corpus, wanted: RowsWanted) -> RowPage:
    """Return a page of rows.

    Raises:
        CorpusError: If there is no such table or column.
        QueryTimeoutError: If it takes too long.
    """
    corpus = corpus.within()
    table, columns = find_columns(corpus, wanted.table)
    values: list[Value] = []
    conditions = [
        *(_condition(corpus, table, columns, item, values) for item in wanted.filters),
        *_found_by(wanted.search, columns, values),
    ]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    source = f"FROM {quote_name(table)}{where}"
    order = ""
    if wanted.sort:
        name = quote_name(_known(wanted.sort.removeprefix("-"), columns))
        way = "DESC" if wanted.sort.startswith("-") else "ASC"
        order = f" ORDER BY {name} {way} NULLS LAST, rowid"
    page = f" LIMIT {wanted.limit:d} OFFSET {wanted.offset:d}"
    names = ", ".join(map(quote_name, columns))
    rows = corpus.read(f"SELECT {names} {source}{order}{page}", values)
    total: int | None = None
    with suppress(QueryTimeoutError):
        total = int(corpus.read(f"SELECT count(*) {source}", values)[0][0] or 0)
    return {"columns": columns, "rows": rows, "total": total, "offset": wanted.offset}


def _known(column: str, columns: Sequence[str]) -> str:
    if column not in columns:
        msg = f"there is no column {column!r}; columns: {', '.join(columns)}"
        raise CorpusError(msg)
    return column


def _condition(
    corpus: Corpus, table: str, columns: Sequence[str], item: Condition, values: list[Value]
) -> str:
    """Write a condition, its value into *values*; one that the column cannot hold finds nothing."""
    name = quote_name(_known(item.column, columns))
    if item.must in {"filled", "empty"}:
        return f"{name} IS {'NOT ' if item.must == 'filled' else ''}NULL"
    values.append(item.value)
    kind = "VARCHAR" if item.column == KEYS[0] else "INTEGER"
    if item.column not in KEYS:
        kind = corpus.schema().attribute(item.column, table).type.sql
    if item.must == "has" or (item.must == "is" and kind == "VARCHAR"):
        texts = f"lower({name}::VARCHAR)", f"lower(${len(values)})"
        return f"contains({', '.join(texts)})" if item.must == "has" else " = ".join(texts)
    sign = {"is": "=", "from": ">=", "to": "<="}[item.must]
    return f"{name} {sign} TRY_CAST(${len(values)} AS {kind})"


def _found_by(search: str, columns: Sequence[str], values: list[Value]) -> Iterator[str]:
    """Write a condition for each word of *search*: some column has it, in any case."""
    whole = f"lower(concat_ws(' ', {', '.join(map(quote_name, columns))}))"
    for word in search.split():
        values.append(word)
        yield f"contains({whole}, lower(${len(values)}))"


def count_spreads(corpus: Corpus, wanted: TableWanted) -> dict[str, list[tuple[Value, Value, int]]]:
    """Count how numbers and dates are spread: by column, `(from, below, records)` of each bin.

    Of columns whose values are few, their statistics have them one by one.
    """
    table, _ = find_columns(corpus, wanted.table)
    parts: list[str] = []
    bins: list[tuple[ColumnStatistics, float, float]] = []
    for item in corpus.statistics(table=table):
        low, high = _as_number(item.minimum), _as_number(item.maximum)
        if low is None or high is None or low == high or item.type.is_text:
            continue
        step = _round_up((high - low) / N_BINS)
        step = step if item.type.is_numeric and not item.type.is_whole else max(1.0, step)
        first = math.floor(low / step) * step
        x = quote_name(item.column)
        x = f"({x} - DATE '1970-01-01')" if item.type.is_date else x
        parts.append(f"to_json(histogram(TRY_CAST(floor(({x} - {first!r}) / {step!r}) AS BIGINT)))")
        bins.append((item, first, step))
    if not parts:
        return {}
    sql = f"SELECT {', '.join(parts)} FROM {quote_name(table)}"  # noqa: S608 - quoted
    [row] = corpus.within().read(sql, [])
    found: dict[str, list[tuple[Value, Value, int]]] = {}
    for (item, first, step), text in zip(bins, row, strict=True):
        counted = {int(key): int(n) for key, n in json.loads(str(text)).items()}
        edges = [
            _as_value(first + at * step, is_date=item.type.is_date)
            for at in range(max(counted) + 2)
        ]
        found[item.column] = [
            (edges[at], edges[at + 1], counted.get(at, 0)) for at in range(max(counted) + 1)
        ]
    return found


def _as_number(value: Value) -> float | None:
    """Return a number that a bin can begin with; of an ISO date, the days since 1970."""
    if isinstance(value, str):
        try:
            return float((date.fromisoformat(value) - date(1970, 1, 1)).days)
        except ValueError:
            return None
    return None if value is None or not math.isfinite(value) else float(value)


def _as_value(number: float, *, is_date: bool) -> Value:
    if not is_date:
        return float(f"{number:.12g}")
    day = date(1970, 1, 1).toordinal() + math.ceil(number)
    last = date.max.toordinal()
    return (date.min + timedelta(days=min(max(day, 1), last) - 1)).isoformat()


def _round_up(least: float) -> float:
    """Return the next round width of bins: `0.7 -> 1`, `31 -> 50`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(n * power for n in _STEPS if n * power >= least * (1 - 1e-9))
