"""Denominators and bounds: over how many documents a query was computed."""

from collections.abc import Sequence

from srag_mcp.answer.answer import Bounds, ColumnCoverage
from srag_mcp.answer.wording import render_denominator
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.selection import Selection, column_conditions
from srag_mcp.store.statistics import ColumnStatistics

MANY_UNKNOWN = 0.2


def count_coverage(corpus: Corpus, sql: str) -> tuple[ColumnCoverage, ...]:
    """Count, for each column that *sql* uses and that has gaps, the documents that say it.

    A column is counted over the documents that the conditions on other columns leave. A column that
    every document of the corpus says is left out: it costs no query and there is nothing to say.
    """
    schema = corpus.schema()
    conditions = column_conditions(sql, schema.entity, [item.name for item in schema.attributes])
    gaps = {item.column: item for item in corpus.statistics() if item.n_non_null < item.n_records}
    asked = [(gaps[column], where) for column, where in conditions.items() if column in gaps]
    counted = _count(corpus, [(item, where) for item, where in asked if where])
    coverage = (
        counted[item.column]
        if where
        else ColumnCoverage(item.column, item.n_records, item.n_non_null, item.n_failed)
        for item, where in asked
    )
    return tuple(item for item in coverage if item.n_known < item.n_documents)


def _count(
    corpus: Corpus, asked: Sequence[tuple[ColumnStatistics, str]]
) -> dict[str, ColumnCoverage]:
    """Count all columns in one pass over the records."""
    if not asked:
        return {}
    parts: list[str] = []
    for item, where in asked:
        failed = f"count(*) FILTER (({where}) AND {_failed(item)})" if item.n_failed else "0"
        known = f"count({_quoted(item.column)}) FILTER ({where})"
        parts += [f"count(*) FILTER ({where})", known, failed]
    sql = f"SELECT {', '.join(parts)} FROM {_quoted(corpus.schema().entity)}"  # noqa: S608 - it runs through the guard
    counts = [int(value or 0) for value in corpus.select(sql, limit=1).rows[0]]
    return {
        item.column: ColumnCoverage(item.column, *counts[3 * number : 3 * number + 3])
        for number, (item, _where) in enumerate(asked)
    }


def _failed(item: ColumnStatistics) -> str:
    literal = item.column.replace("'", "''")
    return (
        "document_id IN (SELECT cells.document_id FROM cells"  # noqa: S608 - it runs through the guard
        f" WHERE cells.attribute = '{literal}' AND cells.state = 'failed')"
    )


def bound_count(corpus: Corpus, selection: Selection) -> Bounds | None:
    """Bound a count of records: one with unknown cells may or may not meet the condition.

    None when the query is no count of records, or nothing is unknown.
    """
    if not selection.counts_records or not selection.definite:
        return None
    condition = selection.definite
    sql = (
        f"SELECT count(*) FILTER ({condition}), count(*) FILTER (({condition}) IS NULL)"  # noqa: S608 - it runs through the guard
        f" FROM {_quoted(corpus.schema().entity)}"
    )
    met, unknown = (int(value or 0) for value in corpus.select(sql, limit=1).rows[0])
    return Bounds(met, met + unknown) if unknown else None


def warn_of_gaps(coverage: tuple[ColumnCoverage, ...]) -> tuple[str, ...]:
    """Name the columns that many of the documents say nothing about."""
    return tuple(
        f"{item.column} is not known for {item.n_unknown + item.n_failed} of {item.n_documents}"
        " documents"
        for item in coverage
        if item.n_unknown + item.n_failed > MANY_UNKNOWN * item.n_documents
    )


def render_coverage(corpus: Corpus, sql: str) -> list[str]:
    """Say over how many documents *sql* was computed."""
    return [render_denominator(corpus.info().n_documents, count_coverage(corpus, sql))]


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
