"""Grounds: what is said beside the rows of a query, whoever wrote it.

Over which records it was computed, what unknown cells could change, why nothing was found, which
quotes stand behind it. Rows are never lost to what is said of them.
"""

import logging
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, product
from operator import itemgetter
from typing import TypeVar

from srag_mcp.cells.cell import IN_DOUBT, is_predicted
from srag_mcp.errors import QueryError, QueryTimeoutError
from srag_mcp.inference.answer import (
    Bounds,
    ColumnCoverage,
    Denominator,
    Whole,
    is_empty,
    render_bounds,
    render_denominator,
    render_row,
    result_key,
    row_key,
)
from srag_mcp.inference.brief import explain_nothing, find_unstored
from srag_mcp.inference.unknowns import (
    NOT_WORKED_OUT,
    SAID_NONE,
    Unknowns,
    find_contradicted,
    find_gaps,
    find_unknowns,
    veil,
)
from srag_mcp.rules.doubts import find_loose_orders, find_mixed_units, say_doubted
from srag_mcp.sqlfacts.aggregates import find_cuts
from srag_mcp.sqlfacts.joins import Joins
from srag_mcp.sqlfacts.query import OutputColumn, QueryFacts, Role, Take
from srag_mcp.sqlfacts.trees import ALWAYS, any_of, exp, replace_values, said_name
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.evidence import Evidence, count_reviews
from srag_mcp.store.guard import ResultPage, Value
from srag_mcp.store.guard.check import MAX_CHARACTERS
from srag_mcp.store.kind_tables import KindTables
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.text.shown import quoted
from srag_mcp.values.columns import OTHER_DAYS

logger = logging.getLogger(__name__)

# Counting reads the records again. In a large corpus `run_sql` shall not wait for that.
LARGE_CORPUS_DOCUMENTS = 100_000
LARGE_CORPUS_TIMEOUT_S = 0.012
_SLOWER = 2  # times than the query is a pass that admits what may be true
_MOST_TOGETHER = 15  # columns, that one statement with a condition of 300 characters may count
MAX_SOURCES = 3
_ORDER: tuple[Role, ...] = ("measure", "order", "output", "filter", "group")
_MAX_SHOWN = 4
_MANY_NAMES = 10_000
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
        is_open: Whether, by what is unknown, something else may come first, or nobody can tell.
        doubts: Why a comparison may turn out otherwise.
        whole: Of what the result is a share; None where it is none, or over all that say it anyway.
    """

    denominator: Denominator | None = None
    bounds: Bounds | None = None
    notes: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    sources: tuple[Evidence, ...] = ()
    is_open: bool = False
    whole: Whole | None = None
    doubts: tuple[str, ...] = ()

    @property
    def coverage(self) -> list[str]:
        """Denominator, whole and bounds in words."""
        said = [] if self.denominator is None else [render_denominator(self.denominator)]
        said += [] if self.whole is None else [f"{self.whole.render()}."]
        return said + ([] if self.bounds is None else [render_bounds(self.bounds)])


def find_grounds(
    corpus: Corpus, facts: QueryFacts, page: ResultPage, *, is_quick: bool = False
) -> Grounds:
    """Say of *page* what its rows rest on.

    Query and grounds together take no longer than one query may. *is_quick*: nothing is quoted, and
    in a large corpus nothing is counted that takes long beside the query.
    """
    corpus = corpus.within(corpus.worker.limits.timeout_s - page.seconds)
    corpus = corpus.about(facts.schema.entity)
    is_large = is_quick and corpus.info().n_documents > LARGE_CORPUS_DOCUMENTS
    says_no = is_quick and [any(row) for row in page.rows] == [False]
    nothing: list[str] = []
    if is_empty(page.rows) or says_no:
        nothing = _or_else(
            lambda: find_unstored(corpus, facts) or explain_nothing(corpus, facts) * (not is_large),
            lambda _: [],
        )
    denominator = find_denominator(corpus, facts, page, is_quick=is_quick)
    repeated = [find_repeated(corpus, joins, page) for joins in (facts.joins, facts.counts)]
    unread = (*filter(None, repeated), *facts.mixed_units, *_note_unread(corpus, facts))
    lists = tuple(_note_lists(corpus, facts))
    if denominator is None:
        return Grounds(nothing=tuple(nothing), notes=(*lists, *unread, *corpus.notices()))
    found = Unknowns(notes=lists, is_open=bool(lists))
    # it can be told which records are read, and something is unknown, or what is first has no name
    is_first = facts.aggregate is not None and facts.aggregate.function == "first"
    open_ones = [
        x for x in denominator.columns if x.n_open or x.n_left_out or (x.n_none and is_first)
    ]
    is_open = corpus.info().n_failed or open_ones
    if not lists and is_open:
        found = Unknowns(notes=(_TOO_LONG,))
        if not is_large:
            found = _or_else(lambda: find_unknowns(corpus, facts), lambda _: NOT_WORKED_OUT)
    cells = _or_else(lambda: _note_tables(corpus, facts, is_large=is_large), lambda _: [])
    if len(cells) > _MAX_SHOWN:
        cells[_MAX_SHOWN:] = [f"and so of {len(cells) - _MAX_SHOWN} more columns"]
    sources = (
        () if is_quick else _or_else(lambda: quote_sources(corpus, facts, page.rows), lambda _: ())
    )
    said, doubts = list[str](), tuple[str, ...]()
    if not is_large:
        said = _or_else(lambda: list(_note_cuts(corpus, facts)), lambda _: [])
        said += _or_else(lambda: list(find_mixed_units(corpus, facts)), lambda _: [])
        said += _or_else(lambda: list(find_mixed_units(corpus, facts, is_sure=False)), lambda _: [])
        said = [*dict.fromkeys(said)]  # of two sums it is the same
        doubts = _or_else(lambda: tuple(find_loose_orders(corpus, facts)), lambda _: ())
        doubts += _or_else(lambda: tuple(find_other_days(corpus, facts, page)), lambda _: ())
        listed = max(Counter(item.columns for item in facts.comparisons).values(), default=0) > 1
        if listed and not nothing:
            said += _or_else(lambda: find_unstored(corpus, facts), lambda _: [])
        if corpus.info().united:
            said += _or_else(lambda: list(_note_united(corpus, facts, page)), lambda _: [])
    bounds = found.bounds and _around(found.bounds, page, is_share=facts.divides)
    whole = None
    has_gaps = any(item.n_open or item.n_none for item in denominator.columns)
    if facts.divides and has_gaps and not is_large:
        whole = _or_else(lambda: find_whole(corpus, facts, page), lambda _: None)
    shares = _note_shares(facts, denominator) if has_gaps and whole is None else ()
    notes = (*found.notes, *said, *shares, *unread, *cells, *corpus.notices())
    why = tuple(nothing)
    return Grounds(denominator, bounds, notes, why, sources, found.is_open, whole, doubts)


def find_repeated(corpus: Corpus | KindTables, joins: Joins, page: ResultPage) -> str:
    """Say that joins repeat rows that are summed up; empty where each once has the same result.

    `"SUM(o.total) takes a row of orders several times, as joins repeat it; with each once:
    9558.3"`, `"COUNT(*) counts rows of orders_items, not of orders; with each of these once: 12"`;
    nor is a count doubted in groups of one record each, that their columns tell apart.
    """
    if not joins.repeated:
        return ""
    rows = f"a row of {' and of '.join(joins.tables)}" if joins.tables else "a row"
    why = "joins repeat" if joins.is_joined else "a union may repeat"
    may, does = ((f"{x} {rows} several times, as {why} it", "each") for x in ("may take", "takes"))
    if joins.of:
        counts = f"counts rows of {joins.of}, not of {' and '.join(joins.tables)}"
        may = does = counts, "each of these"
    what = ", ".join(joins.repeated)
    try:
        if joins.groups and _tell_apart(corpus, joins):
            return ""
        shown = joins.once and _show_other(corpus, joins.once, page)
    except QueryError:
        shown = None
    if not shown and joins.once and shown is not None:
        return ""
    if not shown:
        return f"{what} {may[0]}; what it is with {may[1]} once was not worked out"
    return f"{what} {does[0]}; with {does[1]} once: {shown}"


def _tell_apart(corpus: Corpus | KindTables, joins: Joins) -> bool:
    """Whether each row of a table has other values of the columns that a query groups by."""
    names = ", ".join(map(quote_name, joins.groups))
    sql = f"SELECT count(*) = count(DISTINCT row({names})) FROM {quote_name(joins.tables[0])}"  # noqa: S608 - it runs through the guard
    return bool(corpus.select(sql, limit=1).rows[0][0])


def _show_other(corpus: Corpus | KindTables, sql: str, page: ResultPage) -> str:
    """Show the rows of another query that *page* has not; empty where the results are the same."""
    other = corpus.select(sql, limit=max(1, len(page.rows)))
    if result_key(other.rows) == result_key(page.rows):
        return ""
    known = set(map(row_key, page.rows))
    others = [*{row_key(row): row for row in other.rows if row_key(row) not in known}.values()]
    shown = "; ".join(render_row(row, other.columns) for row in others[:_MAX_SHOWN])
    more = f" … and {len(others) - _MAX_SHOWN} more rows" if len(others) > _MAX_SHOWN else ""
    return f"{shown or 'fewer rows'}{more}"


def find_other_days(corpus: Corpus, facts: QueryFacts, page: ResultPage) -> Iterator[str]:
    """Say which dates may be another day than is assumed, where the result is another one then.

    `"booked: days are taken to be day before month, which no other document proves; else: 4"`

    Raises:
        QueryError: If it took too long.
    """
    written = facts.tree.sql("duckdb") if facts.tree else ""
    used = {x.name.lower() for x in facts.tree.find_all(exp.Column)} if facts.tree else set()
    for own in map(corpus.about, dict.fromkeys((facts.schema.entity, *facts.listed))):
        dates = (x for x in own.schema().attributes if x.type.is_date and x.name.lower() in used)
        for item, (note, other) in product(dates, OTHER_DAYS):
            where = f"attribute = {quote_text(item.name)} AND contains(note, {quote_text(note)})"
            name, has, table = quote_name(item.name), own.has_cell(where), own.schema().entity
            [is_any] = own.count(f"SELECT count(*) > 0 FROM {quote_name(table)} WHERE {has}")  # noqa: S608 - it runs through the guard
            value = f"CASE WHEN {has} THEN {other.format(name)} ELSE {name} END"
            sql = replace_values(written, table, name, value)
            if is_any and (shown := _show_other(own, sql, page)):
                yield f"{item.name}: days are taken to be {note}; else: {shown}"


def find_open_lists(corpus: Corpus, names: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the lists that are open, how many documents may list more, and how many there are.

    Of those it is not known what they list; or not all of it, since something contradicts it.
    """
    for name in names:
        found = corpus.list_statistics(name)
        n_open = found.n_open + found.n_doubted
        if n_open:
            yield name, n_open, found.n_records


def _note_lists(corpus: Corpus, facts: QueryFacts) -> Iterator[str]:
    """Say what is not known of the lists that a query reads."""
    for name in facts.listed:
        listing = corpus.list_statistics(name)
        if listing.n_open:
            unknown = f"of {listing.n_open:,} of {listing.n_records:,} documents it is not known"
            yield f"{name}: {unknown} what they list"
        for n, why in (
            (listing.n_read_in_part, "were read in part and may list more in the rest"),
            (listing.n_doubted, "are in doubt about all that they list (cells.marks, cells.note)"),
        ):
            if n:
                yield f"{name}: {n:,} of {listing.n_records:,} documents {why}"
        if listing.n_corrected:
            by = f", {listing.n_by_agent:,} by an agent" if listing.n_by_agent else ""
            lists = f"{listing.n_corrected:,} of {listing.n_records:,} lists"
            yield f"{name}: {lists} were corrected as a whole, or have rows added or removed{by}"
    for of in facts.of_tables():
        name = of.schema.entity
        for item in corpus.statistics(of.names, name) if of is not facts else ():
            if item.n_unknown:
                told = f"{item.n_unknown:,} of {item.n_records:,} rows"
                yield f"{name}.{item.column}: {told} do not say it"


def find_whole(corpus: Corpus, facts: QueryFacts, page: ResultPage) -> Whole | None:
    """Count of what a share is a share; None where the result is none, or it is over the same.

    It is told only where what is counted here makes the result of the query.

    Raises:
        QueryError: If it took too long.
    """
    found = facts.aggregate
    if found is None or found.function != "share" or [len(row) for row in page.rows] != [1]:
        return None
    condition, part = f"({found.condition})", f"({found.part})"
    entity = quote_name(corpus.schema().entity)
    counts = (
        f"count(*) FILTER ({condition} AND {part})",
        f"count(*) FILTER ({condition} AND {part} IS NOT NULL)",
        f"count(*) FILTER ({condition})",
    )
    counted = corpus.count(f"SELECT {', '.join(counts)} FROM {entity}")  # noqa: S608 - it runs through the guard
    n_part, n_said, n_all = (int(str(value or 0)) for value in counted)
    [[value]] = page.rows
    if value is None or isinstance(value, str) or not n_said or n_said == n_all:
        return None
    digits = facts.decimals
    off = 0.0 if digits is None else 0.5 * 10.0**-digits
    shares = [found.factor * n_part / n for n in (n_said, n_all)]
    makes = [math.isclose(value, share, rel_tol=1e-9, abs_tol=off) for share in shares]
    return Whole(n_part, n_said, n_all, found.factor, makes[0]) if any(makes) else None


def _note_shares(facts: QueryFacts, denominator: Denominator) -> tuple[str, ...]:
    """Say of what shares are shares that were not counted, where some do not say what is asked."""
    gaps = ", ".join(item.column for item in denominator.columns)
    of = " and ".join(facts.shares_of)
    return (f"shares are of {of}: not all say {gaps}",) if of else ()


def _note_cuts(corpus: Corpus, facts: QueryFacts) -> Iterator[str]:
    """Say that a LIMIT cuts through rows that tie: `"LIMIT 1 cuts a tie: 3 rows come as far"`."""
    for limit, counted in find_cuts(facts):
        n = int(str(corpus.count(counted)[0] or 0))
        if n > limit:
            yield f"LIMIT {limit} cuts a tie: {n:,} rows come as far as the last that is taken"


def _around(bounds: Bounds, page: ResultPage, *, is_share: bool) -> Bounds | None:
    """Return *bounds*, of a share with the result in them; None where they say nothing but that."""
    numbers = [float(str(value)) for row in page.rows for value in row if value is not None]
    finite = [*filter(math.isfinite, numbers)]
    if bounds.is_point and all(math.isclose(x, bounds.lower, abs_tol=1e-9) for x in finite):
        return None
    if len(numbers) != 1 or not is_share:
        return bounds
    ends = bounds.lower, bounds.upper, *finite
    return replace(bounds, lower=min(ends), upper=max(ends))


def find_denominator(
    corpus: Corpus, facts: QueryFacts, page: ResultPage, *, is_quick: bool = True
) -> Denominator | None:
    """Say over which records the filter of *facts* ran; None where it reads none."""
    corpus = corpus.about(facts.schema.entity)
    n_documents = corpus.info().n_documents
    is_large = is_quick and n_documents > LARGE_CORPUS_DOCUMENTS

    def uncounted(error: Exception) -> Denominator:
        is_late = isinstance(error, QueryTimeoutError)
        why = "it takes too long" if is_late else "its conditions fail"
        return Denominator(n_documents, uncounted=why)

    query_s = page.seconds if is_large else None
    found = _or_else(lambda: count_denominator(corpus, facts, query_s), uncounted)
    table, listed = facts.schema.table, None
    if table.parent:
        of = corpus.list_statistics(table.entity)
        listed = (of.n_stated, of.n_stated_absent, of.n_silent, of.n_records)
    by_rules = not is_predicted(corpus.info().engine)
    opened = tuple(find_open_lists(corpus, facts.listed))
    beside = [of for of in facts.of_tables() if of is not facts]
    told = (x for of in beside for x in corpus.statistics(of.names, of.schema.entity))
    is_open = facts.has_unnamed or any(x.n_unknown or x.n_contradicted for x in told)
    found = found and replace(found, open_lists=opened, has_open_tables=is_open)
    return found and replace(found, by_rules=by_rules, rows=table.rows, listed=listed)


def _note_unread(corpus: Corpus, facts: QueryFacts) -> Iterator[str]:
    """Say of which columns not all documents were read, those in conditions on cells included."""
    for item in corpus.statistics():
        is_used = item.column in facts.names or quote_text(item.column) in facts.sql
        if item.n_unread and is_used:
            yield f"{item.column}: read for {item.n_read:,} of {item.n_records:,} documents only"


def _note_tables(corpus: Corpus, facts: QueryFacts, *, is_large: bool) -> list[str]:
    """Say it of each table that a query reads, of the rows that it uses; what doubts most first."""
    notes = list[tuple[float, str]]()
    for of in facts.of_tables():
        own = corpus.about(of.schema.entity)
        rows = dict.fromkeys(of.names) if is_large else of.rows_of(find_gaps(own))
        above = "" if of is facts else f"{of.schema.entity}."
        notes += [(rank, f"{above}{note}") for rank, note in note_cells(own, rows)]
    return [note for _, note in sorted(notes, key=itemgetter(0), reverse=True)]


def note_cells(corpus: Corpus, rows: Mapping[str, str | None]) -> Iterator[tuple[float, str]]:
    """Say of some columns what not mentioning them counts as, and which cells are in doubt.

    `"has_pool: not mentioned counts as no (34 of all 60 documents)"`: documents that were read in
    part may say it: theirs are unknown. `"depth_m: 2 of 12 values are read otherwise by a learned
    rule (trace_value)"`, `"pets: 3 of 8 documents were read in part and may say it in the
    rest"`. *rows* says of which rows each is used (`QueryFacts.rows_of`). Each with the
    share of the values that it doubts: where there is not room for all, the most comes first.
    """
    used, called = corpus.statistics([*rows]), corpus.schema().table.rows
    is_list = bool(corpus.schema().table.parent)  # rules read none twice
    reviews = corpus.once(_count_reviews) if used and not is_list else {}
    for whole in used:
        item, name, where = whole, whole.column, rows.get(whole.column)
        if where:
            counted = _or_else(partial(corpus.statistics_of, whole, where), lambda _: None)
            item, where = counted or whole, where if counted else None
        every, each = "" if where else "all ", "all " if where is None else ""
        of_rows, any_of = f"of {each}{item.n_records:,}", ", used or not," * (where is None)
        implied = corpus.schema().attribute(name).absent_means
        all_rows = f"{every}{item.n_records:,} {called}"
        n_implied = item.n_not_mentioned - item.n_read_in_part - item.n_set_unknown
        if implied in _MEANS and n_implied:
            said = f"not mentioned counts as {_MEANS[implied]}"
            yield 0.0, f"{name}: {said} ({n_implied:,} of {all_rows})"
        n_zero = item.n_stated_absent - item.n_none
        if item.type.is_numeric and implied != "zero" and n_zero > 0:
            yield 1.0, f"{name}: “none” counts as 0 ({n_zero:,} of {all_rows})"
        if item.n_read_in_part:
            read = f"{item.n_read_in_part:,} {of_rows} {called}{any_of}"
            yield 0.0, f"{name}: {read} were read in part and may say it in the rest"
        if n_reviews := reviews.get(name, 0):
            values = f"{n_reviews:,} of {'all ' * (where != '')}{whole.n_non_null:,} values"
            share = n_reviews / whole.n_non_null
            yield share, f"{name}: {values} are read otherwise by a learned rule (trace_value)"
        if item.n_ruled:
            bound = corpus.schema().attribute(name).certificate or "which nobody has audited"
            ruled = f"{item.n_ruled:,} {of_rows} cells{any_of}"
            yield 0.0, f"{name}: {ruled} are read by rules, {bound}"
        if item.n_corrected:
            by = f", {item.n_by_agent:,} by an agent" if item.n_by_agent else ""
            share = item.n_corrected / item.n_records
            yield share, f"{name}: {item.n_corrected:,} {of_rows} cells{any_of} were corrected{by}"
        if item.n_doubted:
            values = f"{item.n_doubted:,} of {each}{item.n_non_null:,} values (cells.marks)"
            said = say_doubted(corpus, name, *IN_DOUBT, where=where or "")
            share = item.n_doubted / max(1, item.n_non_null)
            yield share, f"{name}: {values}{any_of} are {said}"


def _count_reviews(corpus: Corpus) -> dict[str, int]:
    return count_reviews(corpus.read)


def _note_united(corpus: Corpus, facts: QueryFacts, page: ResultPage) -> Iterator[str]:
    """Say which names that are compared with, put out or counted stand for several spellings."""
    counted = {use.column for use in facts.columns if use.role in {"measure", "group"}}
    used: defaultdict[str, set[Value]] = defaultdict(set)
    for place, output in enumerate(facts.outputs):
        if output is not None:
            used[output.column].update(row[place] for row in page.rows)
    entity = quote_name(corpus.schema().entity)
    compared = {item.columns[0] for item in facts.comparisons if len(item.columns) == 1}
    columns = dict.fromkeys((*used, *compared, *counted))
    united = {name: found for name in columns if (found := corpus.united_names(name, _MANY_NAMES))}
    for item in facts.comparisons:
        if len(item.columns) == 1 and item.columns[0] in united:
            sql = f"SELECT DISTINCT {quote_name(item.columns[0])} FROM {entity} WHERE {item.sql}"  # noqa: S608 - it runs through the guard
            rows = corpus.select(sql, limit=_MANY_NAMES).rows
            used[item.columns[0]].update(value for (value,) in rows)
    for column, found in united.items():
        names = [
            name
            for name in found
            if name.value in used[column] or (column in counted and not used[column])
        ]
        if len(names) > _MAX_SHOWN:
            n_spellings = sum(len(name.spellings) for name in names)
            yield f"{column}: {len(names):,} names stand for {n_spellings:,} spellings"
            continue
        for name in names:
            others = [quoted(text) for text, _ in name.spellings if text != name.value]
            more = f" and {len(others) - _MAX_SHOWN:,} more" if len(others) > _MAX_SHOWN else ""
            yield f"{column}: {quoted(name.value)} is also {', '.join(others[:_MAX_SHOWN])}{more}"


def _or_else(find: Callable[[], Found], otherwise: Callable[[Exception], Found]) -> Found:
    try:
        return find()
    except QueryError as error:  # a condition that cannot stand elsewhere, or that takes too long
        return otherwise(error)
    except Exception as error:  # SQL of any shape comes here, and the rows are there
        logger.warning("what a result rests on could not be worked out", exc_info=True)
        return otherwise(error)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A column that a query uses and that has gaps, and the conditions on its records."""

    column: ColumnStatistics
    admitting: str
    met: str
    takes: Sequence[Take]
    may_take: str


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
    gaps = {
        item.column: item
        for item in corpus.statistics(facts.names)
        if item.n_non_null < item.n_records
        or item.n_contradicted
        or any(x.lost for x in facts.takes.get(item.column, ()))
    }
    asked: list[_Asked] = []
    if gaps:
        unknown = find_gaps(corpus, find_contradicted(corpus, facts))
        conditions = facts.admitting(unknown)
        asked = [
            _Asked(gaps[name], *pair, facts.takes.get(name, ()), facts.may_take(name, unknown))
            for name, pair in conditions.items()
            if name in gaps
        ]
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
        n_documents, columns=tuple(of_all(item.column) for item in asked), before_conditions=True
    )


def of_all(item: ColumnStatistics) -> ColumnCoverage:
    """Count a column over all records."""
    return ColumnCoverage(
        item.column,
        n_used=item.n_non_null,
        n_unknown=item.n_unknown - item.n_failed - item.n_unread,
        n_failed=item.n_failed,
        n_none=item.n_none,
        n_contradicted=item.n_contradicted,
        n_unread=item.n_unread,
    )


def _count(
    corpus: Corpus, asked: Sequence[_Asked], selecting: str, timeout_s: float | None
) -> Denominator:
    """Count all columns: a pass over the records for each condition, and some columns of it.

    By one statement, or as many as it takes where none may be that long.
    """
    groups: defaultdict[str, list[_Asked]] = defaultdict(list)
    for item in asked:
        if item.admitting or item.takes:
            groups[item.admitting or ALWAYS].append(item)
    entity = quote_name(corpus.schema().entity)
    doubted = [item.column.column for item in asked if item.column.n_contradicted]
    veiled = veil(corpus, entity, doubted) if doubted else entity
    passes = []
    each = ((x, of, at) for x, of in groups.items() for at in range(0, len(of), _MOST_TOGETHER))
    batches = [(x, of[at : at + _MOST_TOGETHER]) for x, of, at in each]
    for where, items in batches:
        used, gaps, failed = [], [], []
        for item in items:
            column, met = item.column, item.met or ALWAYS
            name, text = quote_name(column.column), quote_text(column.column)
            own = quote_name(said_name(column.column)) if column.n_contradicted else name
            said = corpus.has_cell(f"attribute = {text} AND {SAID_NONE}")
            is_none = f"{own} IS NULL" + (f" AND {said}" if column.n_unknown else "")
            no_cell = corpus.has_cell(f"attribute = {text}", is_none=True)
            taken = any_of([x.taken for x in item.takes]) or ALWAYS
            may = f"({item.may_take or ALWAYS})"  # the gaps are of the rows that may be taken
            gaps += [
                f"{may} AND {own} IS NULL",
                f"{may} AND {is_none}" if column.n_none else "false",
                f"{may} AND {name} IS NULL AND {own} IS NOT NULL"
                if column.n_contradicted
                else "false",
                f"{may} AND {no_cell}" if column.n_unread else "false",
            ]
            lost = " OR ".join(x.lost for x in item.takes if x.lost) or "false"
            used += [
                f"count({name}) FILTER (({met}) AND ({taken}) AND ({lost}) IS NOT TRUE)",
                f"count(*) FILTER (({met}) AND ({lost}))",
            ]
            failed.append(f"count(*) FILTER ({may} AND list_contains(_failed, {text}))")
        gaps = [f"count(*) FILTER ({gap})" for gap in gaps]
        counts = {entity: used, veiled: gaps, corpus.failures: failed}
        if veiled == entity:  # nothing is contradicted: one pass
            counts[entity] = used + gaps
        for table, outputs in counts.items():
            # short names: of many columns those that a query makes are more than a result may have
            named = ", ".join(f"{x} AS _{at}" for at, x in enumerate(outputs))
            passes.append(f"(SELECT {named} FROM {table} WHERE {where})")  # noqa: S608 - it runs through the guard
    if selecting:
        passes.append(f"(SELECT count(*) FROM {entity} WHERE {selecting})")  # noqa: S608 - as above
    statements = list[str]()
    for counting in passes:
        if statements and len(statements[-1]) + len(counting) < MAX_CHARACTERS:
            statements[-1] += f", {counting}"
        else:
            statements.append(f"SELECT * FROM {counting}")  # noqa: S608 - as above
    found = chain.from_iterable(corpus.count(sql, timeout_s) for sql in statements)
    numbers = iter(int(value or 0) for value in [*found])
    counted: dict[str, ColumnCoverage] = {}
    for _, items in batches:
        n_used, n_gaps, n_failed = ([*islice(numbers, n * len(items))] for n in (2, 4, 1))
        for at, item in enumerate(items):
            n_null, n_none, n_contradicted, n_unread = n_gaps[4 * at : 4 * at + 4]
            n_unknown = n_null - n_failed[at] - n_none - n_unread
            counted[item.column.column] = ColumnCoverage(
                *(item.column.column, n_used[2 * at], n_unknown, n_failed[at]),
                *(n_none, n_contradicted, n_unread, n_used[2 * at + 1]),
                next((x.said for x in item.takes if x.lost), "") * (n_used[2 * at + 1] > 0),
            )
    told = (counted.get(item.column.column) or of_all(item.column) for item in asked)
    return Denominator(
        corpus.info().n_documents,
        n_selected=next(numbers) if selecting else None,
        conditions=selecting,
        columns=tuple(item for item in told if item.n_open or item.n_none or item.n_left_out),
    )


def quote_sources(
    corpus: Corpus, facts: QueryFacts, rows: Sequence[Sequence[Value]]
) -> tuple[Evidence, ...]:
    """Quote the column that matters most to the answer and is quoted anywhere.

    The quotes are of records that the query reads and that its first *rows* come from: of the
    winner, where the query looks for one, of what a share is the share of. None where neither can
    be told.

    Raises:
        QueryError: If the records could not be found.
    """
    found, read = facts.aggregate if facts.divides else None, facts.condition
    if found is not None and found.function == "share":
        read = f"({found.condition}) AND ({found.part})"
    conditions = [_condition_of(facts.outputs, row) for row in rows[:MAX_SOURCES]]
    shown = " OR ".join(f"({item})" for item in conditions) if all(conditions) else ""
    if read is None and not shown:
        return ()
    where = " AND ".join(f"({condition})" for condition in (read, shown) if condition)
    ranked = sorted(facts.columns, key=lambda use: _ORDER.index(use.role))
    for column in dict.fromkeys(use.column for use in ranked):
        sources = corpus.quotes(column, where, MAX_SOURCES)
        if sources:
            return sources
    return ()


def _condition_of(outputs: Sequence[OutputColumn | None], row: Sequence[Value]) -> str:
    """Require each column as the row has it; empty where none has values of a column."""
    if len(row) != len(outputs):
        return ""
    given = [(item, value) for item, value in zip(outputs, row, strict=True) if item is not None]
    named = Counter(item.column for item, _ in given)
    plain: list[str] = []
    ends: list[str] = []
    for item, value in given:
        said = "IS NULL" if value is None else f"= {quote_text(str(value))}"
        is_one_of_several = item.is_extreme or named[item.column] > 1
        (ends if is_one_of_several else plain).append(f"{quote_name(item.column)} {said}")
    return " AND ".join([*plain, *([f"({' OR '.join(ends)})"] if ends else [])])
