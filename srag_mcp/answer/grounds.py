"""Grounds: what is said beside the rows of a query that somebody else wrote."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.answer.answer import Bounds, Denominator
from srag_mcp.answer.bounds import find_bounds
from srag_mcp.answer.changes import NO_BOUNDS, note_changes
from srag_mcp.answer.closed_world import state_closed_world
from srag_mcp.answer.coverage import LARGE_CORPUS_DOCUMENTS, count_denominator
from srag_mcp.answer.wording import render_bounds, render_denominator
from srag_mcp.errors import QueryError
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage

logger = logging.getLogger(__name__)

_MAX_SHOWN = 4
_NOT_COUNTED = "bounds are not worked out: in a corpus of this size it would take too long"


@dataclass(frozen=True, slots=True)
class Grounds:
    """Over how many documents and between which bounds a result lies, and what to know of it."""

    coverage: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_grounds(corpus: Corpus, sql: str, page: ResultPage) -> Grounds:
    """Say of *page*, the first of *sql*, what an answer says of its rows.

    Nothing if it reads no record. In a large corpus nothing is counted that takes long.

    Raises:
        QueryError: If it could not be counted.
    """
    facts = read_query(sql, corpus.schema())
    denominator = count_denominator(corpus, facts, page.seconds)
    if denominator is None:
        return Grounds()
    closed_world = _shorten(state_closed_world(corpus, sql))
    if denominator.n_documents > LARGE_CORPUS_DOCUMENTS:
        changes: tuple[str, ...] = (_NOT_COUNTED,) if denominator.columns else ()
        bounds = None
    else:
        bounds, changes = find_changes(corpus, sql, denominator, len(page.rows))
    said = render_denominator(denominator), *(() if bounds is None else (render_bounds(bounds),))
    return Grounds(said, (*closed_world, *changes))


def render_coverage(corpus: Corpus, sql: str, page: ResultPage) -> list[str]:
    """Say over how many documents *sql* was computed; nothing if it reads no record."""
    found = count_denominator(corpus, read_query(sql, corpus.schema()), page.seconds)
    return [] if found is None else [render_denominator(found)]


def find_changes(
    corpus: Corpus, sql: str, denominator: Denominator | None, n_rows: int
) -> tuple[Bounds | None, tuple[str, ...]]:
    """Return the bounds of a result of *n_rows*, and what else unknown cells could make of it.

    None at all where it was not counted which records the query reads. Rows are never lost to what
    is said of them: whatever goes wrong here, there are no bounds.
    """
    if denominator is None or denominator.uncounted:
        return None, ()
    try:
        bounds = find_bounds(corpus, sql) if n_rows == 1 else None
        return bounds, note_changes(corpus, sql, denominator, bounds)
    except QueryError:  # a condition that cannot stand elsewhere, or that takes too long
        return None, (NO_BOUNDS,)
    except Exception:  # SQL of any shape comes here, and the rows are there
        logger.warning("the bounds of a query could not be worked out", exc_info=True)
        return None, (NO_BOUNDS,)


def _shorten(notes: Sequence[str]) -> tuple[str, ...]:
    """Keep the first of *notes* of one kind: a row of forty columns would have as many."""
    more = len(notes) - _MAX_SHOWN
    return (*notes[:_MAX_SHOWN], *((f"and so of {more} more columns",) if more > 0 else ()))
