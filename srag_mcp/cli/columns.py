"""What `srag-mcp schema` and `srag-mcp stats` print."""

from collections.abc import Sequence
from dataclasses import asdict

from srag_mcp.cli.tables import print_json, print_table, render_cell
from srag_mcp.schema.attribute import Scalar
from srag_mcp.schema.json_schema import schema_to_json
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.text.shown import one_line, shorten

MAX_VALUES = 5
MAX_CHARACTERS = 30


def print_schema(corpus: Corpus, *, as_json: bool) -> None:
    """Print the columns of a corpus and what they hold."""
    schema = corpus.schema()
    if as_json:
        print_json(schema_to_json(schema))
        return
    print(f"{one_line(schema.title)}: table {schema.entity}, {corpus.info().n_documents} documents")
    units = {attribute.name: attribute.unit for attribute in schema.attributes}
    print_table(
        ("column", "type", "unit", "known", "holds"),
        [
            (item.column, item.type, units[item.column], item.n_non_null, describe_holdings(item))
            for item in corpus.statistics()
        ],
    )


def print_statistics(corpus: Corpus, columns: Sequence[str], *, as_json: bool) -> None:
    """Print the statistics of *columns*, of all when empty.

    Raises:
        SchemaError: If there is no such column.
    """
    for column in columns:
        corpus.schema().attribute(column)
    found = corpus.statistics(list(columns) or None)
    if as_json:
        print_json([asdict(item) for item in found])
        return
    print_table(
        ("column", "type", "known", "not mentioned", "failed", "distinct", "holds"),
        [
            (
                item.column,
                item.type,
                item.n_non_null,
                item.n_not_mentioned,
                item.n_failed,
                item.n_distinct,
                describe_holdings(item),
            )
            for item in found
        ],
    )


def describe_holdings(statistics: ColumnStatistics) -> str:
    """Say what a column holds in a line that fits a table.

    `"62 to 1244, median 482"`, `"Berlin (12), Rome (9), … 14 distinct"`
    """
    if statistics.minimum is not None and statistics.maximum is not None:
        ends = f"{_render(statistics.minimum)} to {_render(statistics.maximum)}"
        median = statistics.median
        return ends if median is None else f"{ends}, median {_render(median)}"
    shown = [f"{_render(item.value)} ({item.count})" for item in statistics.values[:MAX_VALUES]]
    if statistics.n_distinct > len(shown):
        shown.append(f"… {statistics.n_distinct} distinct")
    return ", ".join(shown)


def _render(value: Scalar) -> str:
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return shorten(render_cell(value), MAX_CHARACTERS)
