"""Contrasts: the two groups of records that a question compares, and what both share."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.offline.translation.denials import deny
from srag_mcp.offline.translation.expressions import joined
from srag_mcp.offline.translation.filters import condition_columns
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.measures import where_of
from srag_mcp.offline.translation.reading import Condition, Every, OneOf
from srag_mcp.offline.translation.time_filters import period_condition


@dataclass(frozen=True)
class Contrast:
    """Two groups of records.

    Attributes:
        left, right: Conditions of the two, with those that both share.
        used: The filters of both.
        pinned: Whether each side is one day or one named thing.
        timed: Whether the sides are periods; *left* is then the one said first.
    """

    left: Every
    right: Every
    used: tuple[Item, ...]
    pinned: bool = False
    timed: bool = False


def contrast_of(sentence: Sentence, divider: Item | None) -> Contrast | None:
    """Split the filters at *divider*; without one, find the two filters of one column."""
    if divider is None:
        return _range_ends(sentence) or _paired(sentence)
    right = [item for item in sentence.of("filter") if item.first >= divider.last]
    before = [item for item in sentence.of("filter") if item.first < divider.first]
    if not right:
        return _without(sentence, divider, before)
    columns = _columns(sentence, right)
    left = [item for item in before if _columns(sentence, [item]) & columns]
    if not left:
        return None
    return _contrast(sentence, left, right)


def _without(sentence: Sentence, divider: Item, before: Sequence[Item]) -> Contrast | None:
    """Read `… with a spa than in one without`: the second group lacks what the first has."""
    denied = any(item.first >= divider.last for item in sentence.of("not"))
    if not denied or not before or before[-1].condition is None:
        return None
    common = where_of(sentence, without=before[-1:])
    left = joined(common, before[-1].condition)
    right = joined(common, deny(before[-1].condition, sentence.table))
    return Contrast(left, right, (*sentence.of("filter"), *sentence.of("not")))


def _columns(sentence: Sentence, items: Sequence[Item]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for item in items:
        if item.condition is not None:
            found |= condition_columns(item.condition, sentence.table)
    return found


def _contrast(sentence: Sentence, left: Sequence[Item], right: Sequence[Item]) -> Contrast:
    both = (*left, *right)
    common = where_of(sentence, without=both)
    days = all(item.period is not None and item.period.low == item.period.high for item in both)
    named = all(isinstance(c := i.condition, OneOf) and len(c.values) == 1 for i in both)
    return Contrast(
        joined(common, *_conditions(left)),
        joined(common, *_conditions(right)),
        tuple(sentence.of("filter")),
        pinned=days or named,
        timed=all(item.period is not None for item in both),
    )


def _conditions(items: Sequence[Item]) -> list[Condition]:
    return [item.condition for item in items if item.condition is not None]


def _range_ends(sentence: Sentence) -> Contrast | None:
    """Read the two ends of a range as two groups: `between 3 May and 10 May`."""
    for item in sentence.of("filter"):
        period = item.period
        column = sentence.table.column(item.columns[0][0]) if item.columns else None
        if period is None or period.first is None or period.last is None or column is None:
            continue
        ends = [period_condition(column, end, "in") for end in (period.first, period.last)]
        if ends[0] is None or ends[1] is None:
            continue
        common = where_of(sentence, without=(item,))
        pinned = all(end.low == end.high for end in (period.first, period.last))
        left, right = joined(common, ends[0]), joined(common, ends[1])
        return Contrast(left, right, tuple(sentence.of("filter")), pinned, timed=True)
    return None


def _paired(sentence: Sentence) -> Contrast | None:
    filters = sentence.of("filter")
    for index, left in enumerate(filters):
        for right in filters[index + 1 :]:
            columns = _columns(sentence, [left])
            if (
                columns
                and columns == _columns(sentence, [right])
                and left.condition != right.condition
            ):
                return _contrast(sentence, [left], [right])
    return None
