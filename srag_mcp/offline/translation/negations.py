"""Filters turned round: `not in 2018`, `without a pool`, `neither … nor …`."""

from dataclasses import replace
from itertools import pairwise

from srag_mcp.offline.translation.denials import deny, none_of
from srag_mcp.offline.translation.items import Item, Kind, Sentence, filter_item
from srag_mcp.offline.translation.reading import (
    Condition,
    Contains,
    Every,
    Missing,
    Negated,
    OneOf,
)

_OTHERS = {"other than", "besides", "apart from", "aside from", "except", "except for"}
_PASSED: frozenset[Kind] = frozenset(
    {"entity", "wh", "and", "distinct", "yes_no", "how_many", "period", "hint"}
)
_AFTER_NEGATION = {"left out", "excluded", "leave out", "exclude", "disregarded"}


def reduce_negations(sentence: Sentence) -> Sentence:
    """Turn round the filter beside each `not`; `without a price` is a missing value."""
    for negation in sentence.of("not"):
        if negation not in sentence.items or _lacks_records(sentence, negation):
            continue
        at = sentence.items.index(negation)
        words = sentence.words(negation).lower()
        step = -1 if words in _AFTER_NEGATION and at > 0 else 1
        index = _operand(sentence, at, step)
        if index is None:
            continue
        low, high = min(at, index), max(at, index)
        inner = list(sentence.items[low + 1 : high])
        condition = _turned(sentence, sentence.items[index])
        if words in _OTHERS:
            condition = _known(sentence, at, condition)
        if low > 0 and step > 0 and sentence.items[low - 1].condition == _plain(condition):
            low -= 1
            inner = []
        item = filter_item(negation, sentence.items[index], condition)
        sentence = sentence.spliced(low, high - low + 1, *inner, item)
        if words in {"neither", "not", "without", "no"}:
            sentence = _spread(sentence, sentence.items.index(item))
    return sentence


def _lacks_records(sentence: Sentence, negation: Item) -> bool:
    """Whether groups without a record are asked for: `which town has no hotel with a pool`.

    No filter says that: it would find the towns of the other hotels.
    """
    at = sentence.items.index(negation)
    before, after = sentence.items[:at], sentence.items[at + 1 : at + 2]
    grouped = any(
        left.kind in {"wh", "list", "how_many"} and right.kind == "attribute"
        for left, right in pairwise(before)
    )
    said = sentence.words(negation).lower() == "no" and sentence.table.named
    return said and grouped and bool(after) and after[0].kind == "entity"


def _known(sentence: Sentence, at: int, condition: Condition) -> Condition:
    """Leave out records without a value: `a colour other than red` is a colour."""
    before = sentence.items[at - 1] if at else None
    column = sentence.column(before) if before is not None and before.kind == "attribute" else None
    inner = _plain(condition)
    if column is None or not isinstance(inner, OneOf | Contains) or inner.column != column.name:
        return condition
    return Every((Negated(Missing(column.name)), condition))


def _plain(condition: Condition) -> Condition | None:
    """Return what is denied, to find it said before as well: `pays no dividend`."""
    return condition.condition if isinstance(condition, Negated) else None


def _operand(sentence: Sentence, at: int, step: int) -> int | None:
    for index in (at + step, at + 2 * step, at + 3 * step):
        if not 0 <= index < len(sentence.items):
            return None
        item = sentence.items[index]
        if item.kind == "filter" or (item.kind == "attribute" and sentence.column(item)):
            return index
        if item.kind not in _PASSED:
            return None
    return None


def _turned(sentence: Sentence, item: Item) -> Condition:
    if item.condition is not None:
        return deny(item.condition, sentence.table)
    column = sentence.column(item)
    return Every() if column is None else none_of(column)


def _spread(sentence: Sentence, at: int) -> Sentence:
    """Carry a negation over `or` and `nor`: neither a pool nor a garden."""
    for index in range(at + 1, len(sentence.items) - 1):
        link, right = sentence.items[index], sentence.items[index + 1]
        joins = link.kind == "or" or sentence.words(link).lower() == "nor"
        if not joins or right.kind != "filter" or right.condition is None:
            break
        turned = replace(right, condition=deny(right.condition, sentence.table))
        sentence = sentence.spliced(index, 2, replace(link, kind="and"), turned)
    return sentence
