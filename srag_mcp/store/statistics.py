"""Statistics of columns (S-RAG Appendix D, and more), exact and computed once, at publication."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from srag_mcp.cells.cell import IN_DOUBT, Mark, is_predicted, read_marks
from srag_mcp.documents.passages import MAX_VALUE_CHARACTERS
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.store.database import insert_rows, with_names
from srag_mcp.store.feedback import PERSON
from srag_mcp.values.states import State
from srag_mcp.values.types import COLUMN_TYPES, INTEGER, ColumnType, Value

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value and the number of records that have it."""

    value: Scalar
    count: int


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What a column holds, counted over all records.

    Attributes:
        column: The attribute's name; `position` for the list that a child table holds, whose
            records are the documents, and whose stated cells those that list any.
        n_records: Records of the build, or rows of the child table; of those without a cell it is
            not known what they say.
        n_non_zero: Records with a value that is neither 0 nor false nor empty.
        n_stated, n_stated_absent, n_not_mentioned, n_failed: Cells per state.
        n_read_in_part: Of n_not_mentioned, cells of documents that were not read to their end.
        n_ruled: Cells that rules which a model wrote decide, see `Attribute.audit`.
        n_doubted: Cells whose words say otherwise, or do not show the value.
        n_contradicted: Of n_stated, cells that another place of their document contradicts.
        n_corrected: Cells that were corrected; in the counts of states by what they hold now.
        n_by_agent, n_set_unknown: Of these, by an agent; in n_not_mentioned, as nobody can tell.
        n_silent: Of n_not_mentioned, lists of which a model found nothing in the whole document.
        minimum, maximum, mean, median, lower_quartile, upper_quartile: Of numbers and dates (ISO
            dates as text; mean None for dates); None for other types and for an empty column.
        values: The values by falling count, all of them unless *truncated*.
        table: The table that has the column; None for the record table.
    """

    column: str
    type: ColumnType
    n_records: int
    n_non_null: int
    n_non_zero: int
    n_stated: int
    n_stated_absent: int
    n_not_mentioned: int
    n_failed: int
    n_distinct: int
    minimum: Scalar | None = None
    maximum: Scalar | None = None
    mean: float | None = None
    median: Scalar | None = None
    lower_quartile: Scalar | None = None
    upper_quartile: Scalar | None = None
    values: tuple[ValueCount, ...] = ()
    truncated: bool = False
    n_read_in_part: int = 0
    n_doubted: int = 0
    n_ruled: int = 0
    n_contradicted: int = 0
    n_corrected: int = 0
    n_by_agent: int = 0
    n_set_unknown: int = 0
    n_silent: int = 0
    table: str | None = None

    @property
    def holds_figures(self) -> bool:
        """Whether most of its texts begin with a digit: what they say is in no order as texts."""
        texts = [str(found.value) for found in self.values] if self.type.is_text else []
        return 2 * sum(text[:1].isdigit() for text in texts) > len(texts)

    @property
    def n_read(self) -> int:
        """Records that were read for it: all but for a loose attribute."""
        return self.n_stated + self.n_stated_absent + self.n_not_mentioned + self.n_failed

    @property
    def n_open(self) -> int:
        """Of a list: documents of which it is not known whether they list any."""
        return self.n_not_mentioned - self.n_silent + self.n_failed

    @property
    def n_unread(self) -> int:
        """Records that were not read for it."""
        return self.n_records - self.n_read

    @property
    def n_none(self) -> int:
        """Records without a value, of which it is stated that they have none."""
        return max(0, self.n_stated + self.n_stated_absent - self.n_non_null)

    @property
    def n_unknown(self) -> int:
        """Records without a value that may have one."""
        return self.n_records - self.n_non_null - self.n_none


MAX_VALUES_LISTED = 50
MAX_INDEXED_PER_COLUMN = 100_000
MAX_INDEXED = 400_000
CELLS_AT_ONCE = 20_000  # of several columns, held together: of some 1,000 bytes each, 20 MB

_COUNTED = (
    "n_records", "n_non_null", "n_non_zero", "n_distinct", "minimum", "maximum", "mean",
)  # fmt: skip
_BY_AGENT, _SET_UNKNOWN, _SILENT = "by_agent", "set_unknown", "silent"
_COUNTED_CELLS = (
    *(*State, Mark.READ_IN_PART, Mark.DOUBTED, Mark.RULED, Mark.CONTRADICTED),
    *(_BY_AGENT, _SET_UNKNOWN, _SILENT),
)
_TOP_VALUES = """
SELECT {x}, count(*) FROM build.main.{entity} WHERE {x} IS NOT NULL
GROUP BY {x} ORDER BY count(*) DESC, {x} LIMIT ?
"""
_INDEX = """
INSERT INTO build.main.srag_values
SELECT ?, ?, {x}, count(*) FROM build.main.{entity} WHERE {x} IS NOT NULL AND length({x}) <= ?
GROUP BY {x} ORDER BY count(*) DESC, {x} LIMIT ?
"""
CELL_STATES = "SELECT attribute, state, marks, engine, value IS NULL, count(*) FROM "
_STATES = f"""{CELL_STATES}build.main.cells
WHERE table_name = ?
  AND document_id NOT IN (SELECT document_id FROM listing WHERE failure IS NOT NULL) GROUP BY ALL
"""  # noqa: S608 - constants


def write_statistics(connection: duckdb.DuckDBPyConnection, schema: Schema) -> None:
    """Compute the statistics of all columns of the attached build and keep them in it."""
    for table in schema.tables:
        found = connection.execute(_STATES, [table.entity]).fetchall()
        states, rows = _count_states(found, table.parent), []
        columns = [_of_list(table, states[POSITION])] if table.parent else []
        n_rows = max((sum(n[key] for key in State) for n in states.values()), default=0)
        n_together = max(1, CELLS_AT_ONCE // max(1, n_rows))
        for start in range(0, len(table.attributes), n_together):
            group = table.attributes[start : start + n_together]
            columns += _of_columns(connection, table.entity, group, states)
        for position, item in enumerate(map(asdict, columns)):
            rows.append((item.pop("table"), item["column"], position, json.dumps(item)))
        insert_rows(connection, "build.main.srag_statistics", rows)


def _count_states(rows: Iterable[Sequence[Any]], parent: str) -> Mapping[str, Counter[str]]:
    """Count the cells of each column by `CELL_STATES`; of a child table, *parent* is its own."""
    states: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, state, marks, engine, is_empty, n in rows:
        found = read_marks(marks)
        states[name][state] += n
        if state == State.CORRECTED:
            states[name][_BY_AGENT] += n if engine != PERSON else 0  # the author, in a cell so set
            is_none = Mark.SAID_NONE in found
            states[name][_SET_UNKNOWN] += n if is_empty and not is_none else 0
            says = State.NOT_MENTIONED if is_empty else State.STATED
            states[name][State.STATED_ABSENT if is_none else says] += n
        # a list that is stated may go on in the rest
        of_list = {State.STATED, State.CORRECTED}
        is_open = state in (of_list if name == POSITION and parent else {State.NOT_MENTIONED})
        if is_open and Mark.READ_IN_PART in found:
            states[name][Mark.READ_IN_PART] += n
        is_sure = is_predicted(engine) and found.isdisjoint({*IN_DOUBT, Mark.READ_IN_PART})
        is_silent = is_sure and (name, state) == (POSITION, State.NOT_MENTIONED)
        states[name][_SILENT] += n if is_silent and parent else 0
        states[name][Mark.RULED] += n if Mark.RULED in found else 0
        if not IN_DOUBT.isdisjoint(found):
            states[name][Mark.DOUBTED] += n
        if state == State.STATED and Mark.CONTRADICTED in found:
            states[name][Mark.CONTRADICTED] += n
    return states


def _of_list(table: Table, n: Counter[str]) -> ColumnStatistics:
    n_listing = n[State.STATED]
    return ColumnStatistics(
        column=POSITION,
        type=INTEGER,
        n_records=sum(n[key] for key in State if key is not State.CORRECTED),  # it is two then
        n_non_null=n_listing,
        n_non_zero=n_listing,
        n_distinct=0,
        **{f"n_{key}": n[key] for key in _COUNTED_CELLS},
        values=(),
        truncated=False,
        table=table.entity,
    )


def _of_columns(
    connection: duckdb.DuckDBPyConnection,
    entity: str,
    attributes: Sequence[Attribute],
    states: Mapping[str, Counter[str]],
) -> Iterator[ColumnStatistics]:
    counts = ", ".join(
        with_names(
            f"count(*), count({{x}}), {item.type.n_non_zero_sql}, count(DISTINCT {{x}}),"
            f" {item.type.spread_sql}",
            x=item.name,
        )
        for item in attributes
    )
    [row] = connection.execute(
        with_names("FROM build.main.{entity} SELECT ", entity=entity) + counts
    ).fetchall()
    n_values = len(_COUNTED) + 1
    for place, item in enumerate(attributes):
        counted = row[place * n_values : (place + 1) * n_values]
        yield _of_column(connection, entity, item, states[item.name], counted)


def _of_column(
    connection: duckdb.DuckDBPyConnection,
    entity: str,
    attribute: Attribute,
    n: Counter[str],
    row: Sequence[Any],
) -> ColumnStatistics:
    *counted, quartiles = row
    lower, median, upper = quartiles or (None, None, None)
    top: list[tuple[Value, int]] = connection.execute(
        with_names(_TOP_VALUES, x=attribute.name, entity=entity), [MAX_VALUES_LISTED]
    ).fetchall()
    return ColumnStatistics(
        column=attribute.name,
        type=attribute.type,
        **dict(zip(_COUNTED, counted, strict=True)),
        **{f"n_{key}": n[key] for key in _COUNTED_CELLS},
        median=median,
        lower_quartile=lower,
        upper_quartile=upper,
        values=tuple(
            ValueCount(value if isinstance(value, int | float) else str(value), count)
            for value, count in top
        ),
        truncated=counted[3] > MAX_VALUES_LISTED,
        table=entity,
    )


def of_rows(
    item: ColumnStatistics, n_records: int, n_non_null: int, cells: Iterable[Sequence[Any]]
) -> ColumnStatistics:
    """Return the statistics of a column with the counts of some rows: *cells* as CELL_STATES."""
    n = _count_states(cells, "")[item.column]
    counted: dict[str, Any] = {f"n_{key}": n[key] for key in _COUNTED_CELLS}
    return replace(item, n_records=n_records, n_non_null=n_non_null, **counted)


def read_statistics(text: str, table: str) -> ColumnStatistics:
    """Read what `write_statistics` kept of a column of *table*."""
    entry = json.loads(text)
    values = tuple(ValueCount(**item) for item in entry.pop("values"))
    kind = COLUMN_TYPES[entry.pop("type")]
    return ColumnStatistics(**entry, type=kind, values=values, table=table)


def write_values(connection: duckdb.DuckDBPyConnection, schema: Schema) -> None:
    """Write the distinct texts of all columns to the value index, of very many the commonest."""
    names = [
        (table.entity, item.name)
        for table in schema.tables
        for item in table.attributes
        if item.type.is_text
    ]
    limit = min(MAX_INDEXED_PER_COLUMN, MAX_INDEXED // max(1, len(names)))
    for entity, name in names:
        index = with_names(_INDEX, x=name, entity=entity)
        connection.execute(index, [entity, name, MAX_VALUE_CHARACTERS, limit])
