"""Grounds: what is said beside the rows of a query, whoever wrote it.

Rows are never lost to what is said of them: what goes wrong here is said instead.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from srag_mcp.ask.answer import Bounds, Denominator, render_bounds, render_denominator
from srag_mcp.ask.denominators import LARGE_CORPUS_DOCUMENTS, count_denominator
from srag_mcp.ask.diagnosis import explain_nothing, find_unstored, is_empty
from srag_mcp.ask.sources import quote_sources
from srag_mcp.ask.unknowns import NO_BOUNDS, Unknowns, find_unknowns
from srag_mcp.errors import QueryError, QueryTimeoutError
from srag_mcp.sqlfacts.query import QueryFacts
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import Evidence
from srag_mcp.store.guard import ResultPage
from srag_mcp.store.reviews import count_reviews

logger = logging.getLogger(__name__)

_MAX_SHOWN = 4
_TOO_LONG = "bounds are not worked out: in a corpus of this size it would take too long"
_MEANS = {"false": "no", "zero": "0"}

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a result rests on.

    Attributes:
        denominator: Over which records the filter ran; None where none is read.
        bounds: Between which the one number of the result lies; None where nothing is unknown, or
            they are not known.
        notes: What unknown cells could change, what not being mentioned counts as, and which cells
            to be careful with.
        nothing: Why the result is empty, where it is: texts that no record has, or conditions that
            none meets.
        sources: A few quotes.
    """

    denominator: Denominator | None = None
    bounds: Bounds | None = None
    notes: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    sources: tuple[Evidence, ...] = ()

    @property
    def coverage(self) -> list[str]:
        """Denominator and bounds in words."""
        said = [] if self.denominator is None else [render_denominator(self.denominator)]
        return said + ([] if self.bounds is None else [render_bounds(self.bounds)])


def find_grounds(
    corpus: Corpus, facts: QueryFacts, page: ResultPage, *, is_quick: bool = False
) -> Grounds:
    """Say of *page* what its rows rest on.

    Query and grounds together take no longer than one query may. *is_quick*: nothing is quoted, and
    in a large corpus nothing is counted that takes long beside the query.
    """
    corpus = corpus.within(corpus.worker.limits.timeout_s - page.seconds)
    is_large = is_quick and corpus.info().n_documents > LARGE_CORPUS_DOCUMENTS
    says_no = is_quick and [any(row) for row in page.rows] == [False]
    nothing: list[str] = []
    if is_empty(page.rows) or says_no:
        nothing = _or_else(
            lambda: find_unstored(corpus, facts) or explain_nothing(corpus, facts) * (not is_large),
            lambda _: [],
        )
    denominator = find_denominator(corpus, facts, page, is_quick=is_quick)
    if denominator is None:
        return Grounds(nothing=tuple(nothing))
    found = _or_else(
        lambda: _unknowns(corpus, facts, denominator, is_large=is_large),
        lambda _: Unknowns(notes=(NO_BOUNDS,)),
    )
    cells = _or_else(lambda: list(_note_cells(corpus, facts, is_quick=is_quick)), lambda _: [])
    if len(cells) > _MAX_SHOWN:
        cells[_MAX_SHOWN:] = [f"and so of {len(cells) - _MAX_SHOWN} more columns"]
    sources = (
        () if is_quick else _or_else(lambda: quote_sources(corpus, facts, page.rows), lambda _: ())
    )
    return Grounds(denominator, found.bounds, (*found.notes, *cells), tuple(nothing), sources)


def find_denominator(
    corpus: Corpus, facts: QueryFacts, page: ResultPage, *, is_quick: bool = True
) -> Denominator | None:
    """Say over which records the filter of *facts* ran; None where it reads none."""
    n_documents = corpus.info().n_documents
    is_large = is_quick and n_documents > LARGE_CORPUS_DOCUMENTS
    return _or_else(
        lambda: count_denominator(corpus, facts, page.seconds if is_large else None),
        lambda error: Denominator(n_documents, uncounted=_why(error)),
    )


def _unknowns(
    corpus: Corpus, facts: QueryFacts, denominator: Denominator, *, is_large: bool
) -> Unknowns:
    if denominator.uncounted:
        return Unknowns()  # it cannot be told which records are read: nor what they could change
    if not denominator.columns:  # nothing is unknown, but for what could not be read at all
        n_failed = 0 if facts.names else corpus.info().n_failed
        return Unknowns(
            notes=(f"{n_failed:,} of the documents could not be read",) * bool(n_failed)
        )
    return Unknowns(notes=(_TOO_LONG,)) if is_large else find_unknowns(corpus, facts)


def _note_cells(corpus: Corpus, facts: QueryFacts, *, is_quick: bool) -> Iterator[str]:
    """Say of the columns used what not mentioning them counts as, and which cells are in doubt.

    `"has_pool: not mentioned counts as no (34 of all 60 documents)"`: documents that were read in
    part may say it: theirs are unknown. `"depth_m: 2 of 12 values are read otherwise by a learned
    rule (srag-mcp review)"`, `"pets: 3 of 8 documents were read in part and may say it in the
    rest"`.
    """
    used = corpus.statistics(facts.names)
    reviews = count_reviews(corpus.read) if used and not is_quick else {}
    for item in used:
        name, implied = item.column, facts.schema.attribute(item.column).absent_means
        n_implied = item.n_not_mentioned - item.n_read_in_part
        if implied in _MEANS and n_implied:
            said = f"not mentioned counts as {_MEANS[implied]}"
            yield f"{name}: {said} ({n_implied:,} of all {item.n_records:,} documents)"
        if item.n_read_in_part:
            read = f"{item.n_read_in_part:,} of {item.n_records:,} documents"
            yield f"{name}: {read} were read in part and may say it in the rest"
        if n_reviews := reviews.get(name, 0):
            values = f"{n_reviews:,} of {item.n_non_null:,} values"
            yield f"{name}: {values} are read otherwise by a learned rule (srag-mcp review)"


def _or_else(find: Callable[[], Found], otherwise: Callable[[Exception], Found]) -> Found:
    try:
        return find()
    except QueryError as error:  # a condition that cannot stand elsewhere, or that takes too long
        return otherwise(error)
    except Exception as error:  # SQL of any shape comes here, and the rows are there
        logger.warning("what a result rests on could not be worked out", exc_info=True)
        return otherwise(error)


def _why(error: Exception) -> str:
    return "it takes too long" if isinstance(error, QueryTimeoutError) else "its conditions fail"
