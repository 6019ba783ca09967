"""Denominators and bounds: over how many documents a query was computed."""

from srag_mcp.answer.answer import Bounds, ColumnCoverage
from srag_mcp.answer.wording import render_denominator
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.selection import Selection, column_conditions

MANY_UNKNOWN = 0.2


def count_coverage(corpus: Corpus, sql: str) -> tuple[ColumnCoverage, ...]:
    """Count, for each column that *sql* uses, the documents that say something about it.

    A column is counted over the documents that the conditions on other columns leave.
    """
    schema = corpus.schema()
    conditions = column_conditions(sql, schema.entity, [item.name for item in schema.attributes])
    return tuple(_count_column(corpus, column, where) for column, where in conditions.items())


def _count_column(corpus: Corpus, column: str, where: str) -> ColumnCoverage:
    (statistics,) = corpus.statistics([column])
    if not where:
        known, failed = statistics.n_non_null, statistics.n_failed
        return ColumnCoverage(column, statistics.n_records, known, failed)
    entity, name = _quoted(corpus.schema().entity), _quoted(column)
    sql = f"SELECT count(*), count({name}) FROM {entity} WHERE {where}"  # noqa: S608 - it runs through the guard
    total, known = (int(value or 0) for value in corpus.select(sql, limit=1).rows[0])
    if known == total or not statistics.n_failed:
        return ColumnCoverage(column, total, known, 0)
    literal = column.replace("'", "''")
    sql = (
        f"SELECT count(*) FROM cells WHERE attribute = '{literal}' AND state = 'failed'"  # noqa: S608 - it runs through the guard
        f" AND document_id IN (SELECT document_id FROM {entity} WHERE {where})"
    )
    failed = int(corpus.select(sql, limit=1).rows[0][0] or 0)
    return ColumnCoverage(column, total, known, failed)


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
    """Say over how many documents *sql* was computed; nothing when it uses no column."""
    coverage = count_coverage(corpus, sql)
    return [render_denominator(corpus.info().n_documents, coverage)] if coverage else []


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
