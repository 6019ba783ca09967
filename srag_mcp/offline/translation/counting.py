"""Questions for one number over the records that pass the filters."""

from dataclasses import replace

from srag_mcp.offline.translation.date_parts import period_term
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.measure import Measure
from srag_mcp.offline.translation.measures import (
    measure_of,
    sum_of_listed,
    where_of,
)
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import SUPERLATIVE_KINDS
from srag_mcp.offline.translation.reading import Single, Summary

_ASSUMED = 0.9
_HUNDRED = 100
_OTHER_FORMS: tuple[Kind, ...] = ("share", "difference", "than", "listed")
_ASKS: tuple[Kind, ...] = ("how_many", "how_much", "aggregate", "elapsed")


def read_summary(sentence: Sentence) -> Parse | None:
    """Read counts, sums, averages and medians."""
    if any(
        sentence.has(kind) for kind in (*SUPERLATIVE_KINDS, "share", "difference", "than", "listed")
    ):
        return None
    percentile = _percentile(sentence)
    if percentile is not None:
        return percentile
    periods = _counted_periods(sentence)
    if periods is not None:
        return periods
    measure = measure_of(sentence, _asking(sentence), None) if _asks_for_number(sentence) else None
    if measure is None and _asks_for_total(sentence):
        measure = sum_of_listed(sentence)
    if measure is None or _measures_no_time(sentence, measure):
        return None
    summary = measure.over(where_of(sentence))
    score = _ASSUMED if measure.assumed else 1.0
    return Parse(Single(summary), (*_taken(sentence, measure), *sentence.of("filter")), score)


def _measures_no_time(sentence: Sentence, measure: Measure) -> bool:
    """Whether `how many days` is answered with an amount of something else."""
    units = [item.word for item in sentence.of("elapsed")]
    term = measure.term
    column = sentence.table.column(term.column) if term is not None else None
    if not units or column is None or not (measure.assumed or measure.function == "avg"):
        return False
    named = any(item.kind in {"attribute", "hint"} for item in measure.used)
    return not named or not (column.measures("duration") or column.measures("age"))


def _percentile(sentence: Sentence) -> Parse | None:
    """Read `the 90th percentile of …`."""
    asked = [item for item in sentence.of("aggregate") if item.word == "percentile"]
    ranks = [item for item in sentence.of("ordinal") if 0 < (item.number or 0) < _HUNDRED]
    for item in sentence.of("attribute"):
        column = sentence.column(item, lambda c: c.is_number)
        if asked and ranks and column is not None:
            share = (ranks[0].number or 0) / _HUNDRED
            summary = Summary("percentile", column.term, where_of(sentence), share=share)
            used = (*asked, *ranks[:1], item, *sentence.of("filter"))
            return Parse(Single(summary), used)
    return None


def _taken(sentence: Sentence, measure: Measure) -> tuple[Item, ...]:
    """Return the items of the measure, and the words for days where each record is one day."""
    days = [item for item in sentence.of("elapsed", "period") if item.word in {"day", "date"}]
    return (*measure.used, *(days if sentence.table.dates else ()))


def _asking(sentence: Sentence) -> list[Item]:
    """Read `on how many days` as a count of records when each record has its day."""
    return [
        replace(item, kind="how_many", word="times") if item.kind == "elapsed" else item
        for item in sentence.items
    ]


def _asks_for_total(sentence: Sentence) -> bool:
    """Whether one total is asked for, and not a list of them."""
    first = sentence.items[0] if sentence.items else None
    numbers = [i for i in sentence.of("attribute") if sentence.column(i) is not None]
    return first is not None and first.kind == "wh" and first.word == "what" and len(numbers) == 1


def _asks_for_number(sentence: Sentence) -> bool:
    return any(sentence.has(kind) for kind in _ASKS)


def _counted_periods(sentence: Sentence) -> Parse | None:
    """Read `in how many different months …`: the distinct parts of a date."""
    for item in sentence.of("period", "elapsed"):
        at = sentence.items.index(item)
        before = [
            i for i in sentence.items[max(0, at - 2) : at] if i.kind in {"how_many", "distinct"}
        ]
        asked = item.kind == "elapsed" or any(i.kind == "how_many" for i in before)
        if not asked or (
            item.word in {"day", "date"} and not any(i.kind == "distinct" for i in before)
        ):
            continue
        noun = item if item.kind == "period" else Item("period", item.first, item.last, item.word)
        term = period_term(sentence, noun)
        if term is None:
            continue
        summary = Summary("count", term, where_of(sentence), distinct=True)
        extra = sentence.of("bound") if _at_least_one(sentence) else []
        return Parse(Single(summary), (item, *before, *sentence.of("filter"), *extra))
    return None


def _at_least_one(sentence: Sentence) -> bool:
    bounds = [item.bound for item in sentence.of("bound") if item.bound is not None]
    return all(bound.operator == ">=" and bound.value == 1 for bound in bounds)
