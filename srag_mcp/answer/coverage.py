"""Denominators and bounds: over how many documents a query was computed."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.answer.answer import ColumnCoverage
from srag_mcp.answer.wording import render_denominator, render_whole_columns
from srag_mcp.errors import QueryTimeoutError
from srag_mcp.query.admitted import admitting_conditions
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.statistics import ColumnStatistics

logger = logging.getLogger(__name__)

MANY_UNKNOWN = 0.2
# Counting reads the records again. In a large corpus a query shall not wait for that.
LARGE_CORPUS_DOCUMENTS = 100_000
LARGE_CORPUS_TIMEOUT_S = 0.012
_SLOWER = 2  # times than the query is a pass that admits what may be true


@dataclass(frozen=True, slots=True)
class _Asked:
    """A column that a query uses and that has gaps, and the condition on its records."""

    column: ColumnStatistics
    where: str


def count_coverage(corpus: Corpus, sql: str) -> tuple[ColumnCoverage, ...]:
    """Count, for each column that *sql* uses and that has gaps, the documents that say it.

    A column is counted over the documents that the conditions on other columns do not definitely
    exclude: one that says none of two columns is a gap of both. A column that every document of the
    corpus says is left out: it costs no query and there is nothing to say.
    """
    return _count_asked(corpus, _columns_with_gaps(corpus, _conditions(corpus, sql)))


def render_coverage(corpus: Corpus, sql: str, query_s: float) -> list[str]:
    """Say over how many documents *sql* was computed; nothing if it uses no column of the records.

    It took *query_s* seconds. In a large corpus, where counting would take long as well, the
    columns are told as they are before the conditions.
    """
    conditions = _conditions(corpus, sql)
    if not conditions:
        return []
    n_documents = corpus.info().n_documents
    asked = _columns_with_gaps(corpus, conditions)
    if n_documents <= LARGE_CORPUS_DOCUMENTS:
        return [render_denominator(n_documents, _count_asked(corpus, asked))]
    n_passes = len({item.where for item in asked} - {""})
    try:
        if n_passes * _SLOWER * query_s <= LARGE_CORPUS_TIMEOUT_S:
            counted = _count_asked(corpus, asked, LARGE_CORPUS_TIMEOUT_S)
            return [render_denominator(n_documents, counted)]
    except QueryTimeoutError:
        logger.debug("counting the documents of a query was stopped")
    return [render_whole_columns(n_documents, [_of_all(item.column) for item in asked])]


def _conditions(corpus: Corpus, sql: str) -> dict[str, str]:
    schema = corpus.schema()
    names = [item.name for item in schema.attributes]
    return admitting_conditions(sql, schema.entity, names, _gaps(corpus))


def _gaps(corpus: Corpus) -> dict[str, ColumnStatistics]:
    return {item.column: item for item in corpus.statistics() if item.n_non_null < item.n_records}


def _columns_with_gaps(corpus: Corpus, conditions: Mapping[str, str]) -> list[_Asked]:
    gaps = _gaps(corpus)
    return [_Asked(gaps[name], where) for name, where in conditions.items() if name in gaps]


def _count_asked(
    corpus: Corpus, asked: Sequence[_Asked], timeout_s: float | None = None
) -> tuple[ColumnCoverage, ...]:
    counted = _count(corpus, [item for item in asked if item.where], timeout_s)
    coverage = (
        counted[item.column.column] if item.where else _of_all(item.column) for item in asked
    )
    return tuple(item for item in coverage if item.n_known < item.n_documents)


def _of_all(item: ColumnStatistics) -> ColumnCoverage:
    return ColumnCoverage(item.column, item.n_records, item.n_non_null, item.n_failed)


def _count(
    corpus: Corpus, asked: Sequence[_Asked], timeout_s: float | None
) -> dict[str, ColumnCoverage]:
    """Count all columns by one statement: a pass over the records for each condition.

    A WHERE for each is several times faster than a FILTER for each count in one pass.
    """
    if not asked:
        return {}
    columns: defaultdict[str, list[str]] = defaultdict(list)
    for item in asked:
        columns[item.where].append(item.column.column)
    entity = _quoted(corpus.schema().entity)
    passes = [one for where, names in columns.items() for one in _passes(entity, where, names)]
    sql = f"SELECT * FROM {', '.join(passes)}"  # noqa: S608 - it runs through the guard
    counts = iter(int(value or 0) for value in corpus.count(sql, timeout_s))
    return {item.column: item for names in columns.values() for item in _take(counts, names)}


def _take(counts: Iterator[int], columns: Sequence[str]) -> list[ColumnCoverage]:
    """Take the counts of the passes of one condition."""
    n_documents = next(counts)
    known = [next(counts) for _ in columns]
    failed = [next(counts) for _ in columns]
    return [
        ColumnCoverage(name, n_documents, n_known, n_failed)
        for name, n_known, n_failed in zip(columns, known, failed, strict=True)
    ]


def _passes(entity: str, where: str, columns: Sequence[str]) -> list[str]:
    """Count documents and values, then failures, which have a small table of their own."""
    known = "".join(f", count({_quoted(name)})" for name in columns)
    failed = ", ".join(
        f"count(*) FILTER (list_contains(_failed, {_literal(name)}))" for name in columns
    )
    return [
        f"(SELECT count(*){known} FROM {entity} WHERE {where})",  # noqa: S608 - it runs through the guard
        f"(SELECT {failed} FROM srag_failures WHERE {where})",  # noqa: S608 - it runs through the guard
    ]


def warn_of_gaps(coverage: tuple[ColumnCoverage, ...]) -> tuple[str, ...]:
    """Name the columns that many of the documents say nothing about."""
    return tuple(
        f"{item.column} is not known for {item.n_unknown + item.n_failed} of {item.n_documents}"
        " documents"
        for item in coverage
        if item.n_unknown + item.n_failed > MANY_UNKNOWN * item.n_documents
    )


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _literal(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"
