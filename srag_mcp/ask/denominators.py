"""Denominators: over which records a query was computed, and how many do not say its columns."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srag_mcp.ask.answer import ColumnCoverage, Denominator
from srag_mcp.errors import QueryTimeoutError
from srag_mcp.sqlfacts.query import QueryFacts
from srag_mcp.sqlfacts.three_valued import admitting_conditions
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name, quote_text
from srag_mcp.store.statistics import ColumnStatistics

logger = logging.getLogger(__name__)

# Counting reads the records again. In a large corpus `run_sql` shall not wait for that.
LARGE_CORPUS_DOCUMENTS = 100_000
LARGE_CORPUS_TIMEOUT_S = 0.012
_SLOWER = 2  # times than the query is a pass that admits what may be true


@dataclass(frozen=True, slots=True)
class _Asked:
    """A column that a query uses and that has gaps, and the conditions on its records."""

    column: ColumnStatistics
    admitting: str
    met: str


def count_denominator(
    corpus: Corpus, facts: QueryFacts, query_s: float | None = None
) -> Denominator | None:
    """Count the records that *facts* reads, and those that say each column; None if it reads none.

    A column is counted over the documents that the conditions on other columns do not definitely
    exclude: one that says none of two columns is a gap of both. A column that every document of the
    corpus says is left out: it costs no query and there is nothing to say.

    Where the query took *query_s* seconds and is not to wait long for this, columns are told as
    they are before the conditions, if counting after them would take long as well.
    """
    n_documents = corpus.info().n_documents
    if facts.uncounted:
        return Denominator(n_documents, uncounted=facts.uncounted)
    if not facts.readings:
        return None
    statistics = {item.column: item for item in corpus.statistics()}
    gaps = {name: item for name, item in statistics.items() if item.n_non_null < item.n_records}
    conditions = admitting_conditions(facts, gaps)
    asked = [_Asked(gaps[name], *pair) for name, pair in conditions.items() if name in gaps]
    selecting = facts.selecting
    if query_s is None:
        return _count(corpus, asked, selecting, None)
    n_passes = len({item.admitting for item in asked} | {selecting or ""} - {""})
    try:
        if n_passes * _SLOWER * query_s <= LARGE_CORPUS_TIMEOUT_S:
            return _count(corpus, asked, selecting, LARGE_CORPUS_TIMEOUT_S)
    except QueryTimeoutError:
        logger.debug("counting the documents of a query was stopped")
    return Denominator(
        n_documents, columns=tuple(_of_all(item.column) for item in asked), before_conditions=True
    )


def _of_all(item: ColumnStatistics) -> ColumnCoverage:
    n_unknown = item.n_records - item.n_non_null - item.n_failed
    return ColumnCoverage(item.column, item.n_non_null, n_unknown, item.n_failed)


def _count(
    corpus: Corpus, asked: Sequence[_Asked], selecting: str, timeout_s: float | None
) -> Denominator:
    """Count all columns by one statement: a pass over the records for each condition.

    A WHERE for each is several times faster than a FILTER for each count in one pass.
    """
    groups: defaultdict[str, list[_Asked]] = defaultdict(list)
    for item in asked:
        if item.admitting:
            groups[item.admitting].append(item)
    entity = quote_name(corpus.schema().entity)
    passes = [one for where, items in groups.items() for one in _passes(entity, where, items)]
    if selecting:
        passes.append(f"(SELECT count(*) FROM {entity} WHERE {selecting})")  # noqa: S608 - it runs through the guard
    found = corpus.count(f"SELECT * FROM {', '.join(passes)}", timeout_s) if passes else ()  # noqa: S608 - as above
    counts = iter(int(value or 0) for value in found)
    counted = {one.column: one for items in groups.values() for one in _take(counts, items)}
    columns = (counted.get(item.column.column) or _of_all(item.column) for item in asked)
    return Denominator(
        corpus.info().n_documents,
        n_selected=next(counts) if selecting else None,
        columns=tuple(item for item in columns if item.n_unknown or item.n_failed),
    )


def _passes(entity: str, where: str, items: Sequence[_Asked]) -> list[str]:
    """Count values and gaps, then failures, which have a small table of their own."""
    counts = []
    for item in items:
        name = quote_name(item.column.column)
        met = f" FILTER ({item.met})" if item.met and item.met != where else ""
        counts += [f"count({name}){met}", f"count(*) FILTER ({name} IS NULL)"]
    failed = ", ".join(
        f"count(*) FILTER (list_contains(_failed, {quote_text(item.column.column)}))"
        for item in items
    )
    return [
        f"(SELECT {', '.join(counts)} FROM {entity} WHERE {where})",  # noqa: S608 - it runs through the guard
        f"(SELECT {failed} FROM srag_failures WHERE {where})",  # noqa: S608 - it runs through the guard
    ]


def _take(counts: Iterator[int], items: Sequence[_Asked]) -> list[ColumnCoverage]:
    """Take the counts of the passes of one condition."""
    said = [(next(counts), next(counts)) for _ in items]
    failed = [next(counts) for _ in items]
    return [
        ColumnCoverage(item.column.column, n_used, n_null - n_failed, n_failed)
        for item, (n_used, n_null), n_failed in zip(items, said, failed, strict=True)
    ]
