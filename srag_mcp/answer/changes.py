"""Changes: what unknown cells could make of a result that has no two bounds."""

from srag_mcp.answer.answer import Bounds, Denominator
from srag_mcp.answer.bounds import read_amounts
from srag_mcp.answer.record_totals import count_distinct, count_met, count_records, select_totals
from srag_mcp.query.aggregate import Aggregate
from srag_mcp.query.aggregate_reader import read_aggregate
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name

NO_BOUNDS = "bounds are not worked out for this kind of query"


def note_changes(
    corpus: Corpus, sql: str, denominator: Denominator, bounds: Bounds | None
) -> tuple[str, ...]:
    """Say what unknown cells could change of a result that is not within *bounds*.

    `"each count may be up to 3 higher: it is not known where that many documents belong"`; that
    nothing is worked out where a query is of another kind; and nothing where no column has gaps. A
    count without any column counts the documents that could not be read as well.
    """
    if not denominator.columns:
        n_failed = corpus.info().n_failed
        return (f"{n_failed:,} of the documents could not be read",) if n_failed else ()
    found = read_aggregate(sql, corpus.schema())
    said = NO_BOUNDS if found is None else _say_change(corpus, found, bounds)
    return (said,) if said else ()


def _say_change(corpus: Corpus, found: Aggregate, bounds: Bounds | None) -> str:
    if found.function in {"count", "distinct", "share", "sum", "avg"}:
        return _change_of_number(corpus, found, bounds)
    changes = {
        "groups": _change_of_groups,
        "leads": _change_of_leading_group,
        "list": _change_of_list,
        "first": _change_of_first,
        "compares": _change_of_comparison,
        "decides": _change_of_decision,
        "min": _change_of_end,
        "max": _change_of_end,
    }
    return changes[found.function](corpus, found)


def _change_of_decision(corpus: Corpus, found: Aggregate) -> str:
    met, unknown = count_met(corpus, found)
    return "" if met or not unknown else f"it may be otherwise: {_not_known_of(unknown)}"


def _change_of_number(corpus: Corpus, found: Aggregate, bounds: Bounds | None) -> str:
    """Say of a sum what it leaves out; of a number without bounds, that they are not worked out."""
    if found.function in {"sum", "avg"}:
        known = read_amounts(corpus, found)
        if found.function == "sum" and bounds is not None and known.n_without:
            return f"the sum leaves out {_documents(int(known.n_without))} without a value"
        is_open = known.n_without + known.n_open + known.n_blank > 0
    elif found.function == "share":
        is_open = any(
            count_records(
                corpus,
                f"({found.condition}) IS NULL",
                f"({found.condition}) AND ({found.part}) IS NULL",
            )
        )
    else:
        return ""
    return NO_BOUNDS if is_open and bounds is None else ""


def _change_of_end(corpus: Corpus, found: Aggregate) -> str:
    """Say what a lowest or highest value may be instead: `lower`, for a date `earlier`."""
    dates = {item.name.lower() for item in corpus.schema().attributes if item.type.is_date}
    is_date = found.column.lower() in dates
    words = {"min": ("lower", "earlier"), "max": ("higher", "later")}
    column, condition = quote_name(found.column), f"({found.condition})"
    end = f"{found.function}({column}) FILTER ({found.counted})"
    [is_safe] = select_totals(
        corpus, [f"{end} IS NOT DISTINCT FROM {found.function}({column}) FILTER ({condition})"]
    )
    beyond = "<" if found.function == "min" else ">"
    entity = quote_name(corpus.schema().entity)
    stated = f"(SELECT {end} FROM {entity})"  # noqa: S608 - it runs through the guard
    [n_beyond] = count_records(
        corpus,
        f"{condition} IS NOT FALSE AND {column} IS NULL"
        f" OR {condition} IS NULL AND {column} {beyond} {stated}",
    )
    if not is_safe:
        return f"it may be otherwise: {_not_known_of(count_distinct(corpus, found)[1])}"
    change = words[found.function][is_date]
    return f"it may be {change}: {_not_known_of(n_beyond)}" if n_beyond else ""


def _change_of_groups(corpus: Corpus, found: Aggregate) -> str:
    """Say how many records may belong to a group that does not count them, or not to theirs."""
    nowhere = " OR ".join(f"({key}) IS NULL" for key in found.keys)
    counted, condition = f"({found.counted})", f"({found.condition})"
    n_more, n_less = count_records(
        corpus,
        f"{condition} IS NOT FALSE AND ({counted} IS NOT TRUE OR {nowhere})",
        f"{counted} AND ({condition} IS NULL OR {nowhere})",
    )
    ends = [f"{n:,} {end}" for n, end in ((n_more, "higher"), (n_less, "lower")) if n]
    if not ends:
        return ""
    where = "it is not known where that many documents belong"
    return f"each count may be up to {' or '.join(ends)}: {where}"


def _change_of_leading_group(corpus: Corpus, found: Aggregate) -> str:
    """Say that another group may lead, if those of which no group is known can make it so."""
    condition = f"({found.condition})"
    nowhere = " OR ".join(f"({key}) IS NULL" for key in found.keys)
    n_open, n_nowhere = count_records(
        corpus, f"{condition} IS NULL", f"{condition} AND ({nowhere})"
    )
    if n_open:
        return NO_BOUNDS
    entity, keys = quote_name(corpus.schema().entity), ", ".join(found.keys)
    sql = (
        f"SELECT count(*) FROM {entity} WHERE {condition} AND NOT ({nowhere})"  # noqa: S608 - it runs through the guard
        f" GROUP BY {keys} ORDER BY 1 DESC LIMIT 2"
    )
    counts = [int(str(row[0])) for row in corpus.select(sql, limit=2).rows]
    most, next_most = (*counts, 0, 0)[:2]
    if not n_nowhere or next_most + n_nowhere < most:
        return ""
    return f"it may be otherwise: that is not known of {_documents(n_nowhere)}"


def _change_of_list(corpus: Corpus, found: Aggregate) -> str:
    """Say how many records may belong to a list that has them not, or not to it."""
    nothing = " OR ".join(f"({key}) IS NULL" for key in found.keys) or "false"
    counted, condition = f"({found.counted})", f"({found.condition})"
    n_more, n_less = count_records(
        corpus,
        f"{condition} IS NOT FALSE AND ({counted} IS NOT TRUE OR {nothing})",
        f"{counted} AND {condition} IS NULL",
    )
    more = [f"up to {n_more:,} more may belong to the list"] if n_more else []
    less = [f"up to {n_less:,} of the list may not belong to it"] if n_less else []
    return f"{', and '.join([*more, *less])}: that is not known of them" if n_more + n_less else ""


def _change_of_first(corpus: Corpus, found: Aggregate) -> str:
    """Say that what comes first may be another, where records do not say by what it is ranked."""
    if found.column.lower() not in {item.name.lower() for item in corpus.schema().attributes}:
        return NO_BOUNDS
    condition, column = f"({found.condition})", quote_name(found.column)
    n_without, n_open = count_records(
        corpus, f"{condition} IS NOT FALSE AND {column} IS NULL", f"{condition} IS NULL"
    )
    if n_without:
        known = f"{found.column} is not known of {_documents(n_without)}"
        return f"another may come first: {known}"
    return NO_BOUNDS if n_open else ""


def _change_of_comparison(corpus: Corpus, found: Aggregate) -> str:
    """Say that a comparison of counts may turn out otherwise, where their bounds let it."""
    left, right = (_range_of(corpus, side) for side in found.sides)
    ends = {_holds(found.operator, a, b) for a in left for b in right}
    overlap = left[0] <= right[1] and right[0] <= left[1]
    is_point = left[0] == left[1] == right[0] == right[1]
    if len(ends) == 1 and (found.operator not in {"=", "<>"} or is_point or not overlap):
        return ""
    said = [_said_range(one) for one in (left, right) if one[0] < one[1]]
    counts = "counts" if len(said) > 1 else "count"
    return f"it may be otherwise: the {counts} may be {' and '.join(said)}"


def _range_of(corpus: Corpus, side: Aggregate | float) -> tuple[float, float]:
    if isinstance(side, float):
        return side, side
    counts = count_distinct if side.function == "distinct" else count_met
    lower, n_more = counts(corpus, side)
    return lower, lower + n_more


def _holds(operator: str, left: float, right: float) -> bool:
    return {
        ">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right,
        "=": left == right, "<>": left != right,
    }[operator]  # fmt: skip


def _said_range(ends: tuple[float, float]) -> str:
    return f"{ends[0]:,.0f} to {ends[1]:,.0f}"


def _not_known_of(n_documents: int) -> str:
    return f"that is not known of {_documents(n_documents)}"


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count:,} documents"
