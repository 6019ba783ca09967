"""Filters: the items of a sentence that restrict records, each as one condition."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from srag_mcp.offline.translation.columns import Column, Table
from srag_mcp.offline.translation.items import Bound, Item, Kind, Sentence, filter_item
from srag_mcp.offline.translation.reading import (
    Between,
    Compare,
    Condition,
    Either,
    Every,
    Missing,
    Negated,
    Operator,
    Truth,
)
from srag_mcp.offline.translation.relative_filters import reduce_relatives
from srag_mcp.offline.translation.time_filters import reduce_periods
from srag_mcp.offline.translation.units import CURRENCIES, unit_factor
from srag_mcp.offline.translation.value_filters import reduce_values

Step: TypeAlias = Callable[[Sentence], Sentence]
_OPERATORS: dict[str, Operator] = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "="}
_COUNT_WORDS = {"time", "times", "occasion", "occasions", "instance", "instances"}
_AFTER_NEGATION = {"left out", "excluded", "leave out", "exclude", "disregarded"}


def reduce_filters(sentence: Sentence) -> Sentence:
    """Replace the items that restrict records by filters; what has no operand is dropped."""
    steps: tuple[Step, ...] = (
        _reduce_bounds,
        _drop_prepositions,
        _reduce_says,
        _demote_nouns,
        reduce_values,
        reduce_periods,
        reduce_relatives,
        _reduce_comparisons,
        _reduce_equal_numbers,
        _reduce_booleans,
        _reduce_negations,
        _drop_idle,
    )
    for step in steps:
        sentence = step(sentence)
    return sentence


def _reduce_bounds(sentence: Sentence) -> Sentence:
    at = 0
    while at < len(sentence.items):
        found = _bound_at(sentence, at)
        if found is not None:
            sentence = sentence.spliced(at, found[1], found[0])
        at += 1
    return sentence


def _bound_at(sentence: Sentence, at: int) -> tuple[Item, int] | None:
    """Return the bound that begins at item *at*, and how many items it takes."""
    items = sentence.items[at : at + 4]
    kinds = tuple(item.kind for item in items)
    if kinds[:2] in {("above", "number"), ("exactly", "number"), ("which_of", "number")}:
        word = items[0].word if kinds[0] == "above" else "="
        return _bound(items[0], items[1], _OPERATORS[word]), 2
    if kinds[:2] == ("number", "bound_after"):
        return _bound(items[0], items[1], _OPERATORS[items[1].word]), 2
    if kinds[:2] == ("most", "number") and sentence.words(items[0]) == "at most":
        return _bound(items[0], items[1], "<="), 2
    if kinds == ("between", "number", "and", "number"):
        return _range(items[0], items[1], items[3]), 4
    if kinds[:3] == ("time", "number", "number") and items[0].word == ">=":
        return _range(items[0], items[1], items[2]), 3
    if kinds[:3] == ("between", "number", "number"):
        return _range(items[0], items[1], items[2]), 3
    return None


def _bound(first: Item, second: Item, operator: Operator) -> Item:
    number = first if first.kind == "number" else second
    bound = Bound(operator, number.number or 0.0, unit=number.unit)
    return Item("bound", first.first, second.last, bound=bound)


def _range(first: Item, low: Item, high: Item) -> Item:
    bound = Bound(">=", low.number or 0.0, high.number or 0.0, high.unit or low.unit)
    return Item("bound", first.first, high.last, bound=bound)


_PREPOSITIONS = {
    "by",
    "from",
    "through",
    "under",
    "over",
    "below",
    "above",
    "beneath",
    "following",
    "outside",
    "until",
}
_NAMED: frozenset[Kind] = frozenset({"value", "entity", "wh", "unknown"})


def _drop_prepositions(sentence: Sentence) -> Sentence:
    """Drop prepositions before names: `by Smith`, `under Texas law`, `over all receipts`."""
    kept: list[Item] = []
    for at, item in enumerate(sentence.items):
        after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
        plain = item.kind in {"time", "above", "between"} and (
            sentence.words(item).lower() in _PREPOSITIONS
        )
        if not (plain and after is not None and _names_thing(sentence, after)):
            kept.append(item)
    return sentence.with_items(kept)


_HEADS: frozenset[Kind] = frozenset(
    {"how_many", "wh", "list", "most", "least", "superlative", "which_of"}
)


def _demote_nouns(sentence: Sentence) -> Sentence:
    """Take a part of many values behind the question word for the noun: `which buildings`."""
    if sentence.table.named:
        return sentence
    items = list(sentence.items)
    for at in range(1, len(items)):
        item = items[at]
        plain = item.kind == "value" and len(item.matches) > 1 and item.matches[0].score < 1
        if plain and items[at - 1].kind in _HEADS and sentence.words(item).islower():
            items[at] = Item("entity", item.first, item.last)
    return sentence.with_items(items)


def _names_thing(sentence: Sentence, item: Item) -> bool:
    if item.kind in _NAMED:
        return True
    column = sentence.column(item) if item.kind == "attribute" else None
    return column is not None and column.attribute.type == "boolean"


def _reduce_comparisons(sentence: Sentence) -> Sentence:
    """Give each bound its column: the one beside it, or the one of its unit."""
    for bound in sentence.of("bound"):
        at = sentence.items.index(bound)
        counted = _counted(sentence, at)
        if counted is not None:
            sentence = sentence.spliced(at, 1, replace(bound, word="count"))
            continue
        near = _nearest_column(sentence, at)
        if near is not None:
            sentence = _compared(sentence, at, near)
        elif (column := _column_of_unit(sentence, bound)) is not None:
            item = filter_item(bound, bound, _comparison(column, bound.bound))
            sentence = sentence.spliced(at, 1, item)
    return sentence


def _counted(sentence: Sentence, at: int) -> Item | None:
    """Return the noun that a bound counts (`at least five receipts`), if there is one."""
    bound = sentence.items[at].bound
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    if after is None or after.kind != "entity" or bound is None or bound.unit is not None:
        return None
    return after if sentence.gap(sentence.items[at], after) <= 1 else None


def _nearest_column(sentence: Sentence, at: int) -> tuple[int, Column] | None:
    bound = sentence.items[at]
    after = _column_at(sentence, at + 1, bound)
    before = _column_before(sentence, at, bound)
    if after is not None and sentence.gap(bound, sentence.items[after[0]]) <= 1:
        return after
    return before or after


def _column_before(sentence: Sentence, at: int, bound: Item) -> tuple[int, Column] | None:
    for index in (at - 1, at - 2):
        if index < 0 or sentence.items[index].kind in {"than", "wh", "how_many"}:
            break
        found = _column_at(sentence, index, bound)
        if found is not None:
            return found
    return None


def _column_at(sentence: Sentence, index: int, bound: Item) -> tuple[int, Column] | None:
    if not 0 <= index < len(sentence.items) or sentence.items[index].kind != "attribute":
        return None
    unit = bound.bound.unit if bound.bound is not None else None
    column = sentence.column(sentence.items[index], lambda c: c.is_number and _fits(c, unit))
    return None if column is None else (index, column)


def _fits(column: Column, unit: str | None) -> bool:
    """Whether a number with *unit* may be compared with the column."""
    own = column.attribute.unit
    if unit is None or own is None:
        return True
    return unit_factor(unit, own) is not None or (unit not in CURRENCIES and unit in own.split())


def _compared(sentence: Sentence, at: int, near: tuple[int, Column]) -> Sentence:
    index, column = near
    bound, attribute = sentence.items[at], sentence.items[index]
    low, high = min(at, index), max(at, index)
    inner = [item for item in sentence.items[low + 1 : high] if item.kind != "not"]
    condition = _comparison(column, bound.bound)
    negated = any(item.kind == "not" for item in sentence.items[low + 1 : high])
    condition = Negated(condition) if negated else condition
    if any(item.kind == "entity" for item in inner):
        return sentence.spliced(at, 1, filter_item(bound, bound, condition))
    item = filter_item(bound, attribute, condition)
    return sentence.spliced(low, high - low + 1, item, *inner)


def _comparison(column: Column, bound: Bound | None) -> Condition:
    if bound is None:
        return Every()
    factor = 1.0
    if bound.unit is not None and column.attribute.unit is not None:
        factor = unit_factor(bound.unit, column.attribute.unit) or 1.0
    low = _tidy(bound.value * factor)
    if bound.high is not None:
        return Between(column.term, low, _tidy(bound.high * factor))
    return Compare(column.term, bound.operator, low)


def _tidy(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _column_of_unit(sentence: Sentence, bound: Item) -> Column | None:
    """Return the only number column, or the only one that has the bound's unit."""
    unit = bound.bound.unit if bound.bound is not None else None
    numbers = sentence.table.numbers
    if unit is not None:
        exact = [c for c in numbers if c.attribute.unit and _fits(c, unit)]
        if not exact and unit in CURRENCIES:
            exact = [c for c in numbers if c.measures("money") and c.attribute.unit is None]
        return exact[0] if len(exact) == 1 else None
    return numbers[0] if len(numbers) == 1 else None


def _reduce_equal_numbers(sentence: Sentence) -> Sentence:
    """Read a column beside a bare number (`rank 3`, `13 points`) as equality."""
    for at, left, right in reversed(list(sentence.pairs())):
        pair = {left.kind, right.kind}
        if pair != {"attribute", "number"} or sentence.gap(left, right) > 1:
            continue
        if at > 0 and sentence.items[at - 1].kind in {"most", "least", "superlative", "between"}:
            continue
        number, attribute = (left, right) if left.kind == "number" else (right, left)
        column = sentence.column(attribute, lambda c: c.is_number)
        after = sentence.items[at + 2].kind if at + 2 < len(sentence.items) else ""
        one = sentence.words(number).lower() == "one"
        counts = at > 0 and sentence.items[at - 1].kind == "each"
        if column is None or one or counts or after in {"most", "least"} or _is_pick(sentence, at):
            continue
        bound = Bound("=", number.number or 0.0, unit=number.unit)
        item = filter_item(left, right, _comparison(column, bound))
        sentence = sentence.spliced(at, 2, item)
    return sentence


def _is_pick(sentence: Sentence, at: int) -> bool:
    """Whether the number at *at* counts what is picked: `three highest`, `which two`."""
    before = sentence.items[at - 1].kind if at else ""
    return before in {"wh", "most", "least", "superlative", "list"}


def _reduce_says(sentence: Sentence) -> Sentence:
    """Read what documents say or do not say: `do not give the price`, `state how many`."""
    for item in sentence.of("say"):
        if item not in sentence.items:
            continue
        at = sentence.items.index(item)
        found = _said_column(sentence, at)
        if found is not None:
            sentence = _said(sentence, at, found)
    return sentence.with_items([item for item in sentence.items if item.kind != "say"])


_ABSENT = {
    "unknown",
    "missing",
    "absent",
    "blank",
    "empty",
    "unspecified",
    "unstated",
    "undated",
    "unnamed",
}
_PRESENT = {
    "known",
    "available",
    "stated",
    "given",
    "mentioned",
    "specified",
    "indicated",
    "provided",
    "disclosed",
}


def _said_column(sentence: Sentence, at: int) -> tuple[int, Column] | None:
    """Find the column that is (not) said: after the verb, or before its participle."""
    skipped = {"how_many", "not", "wh", "entity", "aggregate", "period", "hint", "yes_no"}
    for step, limit in ((1, 6), (-1, 5)):
        for index in range(at + step, at + step * limit, step):
            if not 0 <= index < len(sentence.items):
                break
            item = sentence.items[index]
            if item.kind == "attribute":
                column = sentence.column(item)
                return None if column is None else (index, column)
            if item.kind not in skipped:
                break
    undated = sentence.words(sentence.items[at]).lower() == "undated"
    return (at, sentence.table.dates[0]) if undated and sentence.table.dates else None


def _said(sentence: Sentence, at: int, found: tuple[int, Column]) -> Sentence:
    index, column = found
    word = sentence.words(sentence.items[at]).lower()
    low, high = min(at, index), max(at, index)
    negation = _negation_near(sentence, low, high)
    stated = not _asks(sentence, low) and (word in _PRESENT or _reports(sentence, at, index))
    if word not in _ABSENT and negation is None and not stated:
        return sentence
    condition: Condition = Missing(column.name)
    if word not in _ABSENT and negation is None:
        condition = Negated(condition)
    low = low if negation is None else min(low, negation)
    high = high if negation is None else max(high, negation)
    item = filter_item(sentence.items[low], sentence.items[high], condition)
    return sentence.spliced(low, high - low + 1, item)


def _asks(sentence: Sentence, low: int) -> bool:
    """Whether the column is what the question asks for (`which price is given …`)."""
    before = sentence.items[low - 1].kind if low else ""
    return before in {"wh", "how_many", "distinct", "most", "least", "aggregate", "superlative"}


def _reports(sentence: Sentence, at: int, index: int) -> bool:
    """Whether a document is said to state it: `reports state how many …`."""
    before = sentence.items[at - 1].kind if at else ""
    after = sentence.items[at + 1].kind if at + 1 < len(sentence.items) else ""
    asked = index == at + 1 or after in {"how_many", "wh"}
    counted = sentence.has("how_many") or sentence.has("share") or sentence.has("yes_no")
    bounded = any(item.kind in {"bound", "most", "least"} for item in sentence.items)
    return index > at and before == "entity" and asked and counted and not bounded


def _negation_near(sentence: Sentence, low: int, high: int) -> int | None:
    for index in range(max(0, low - 3), min(high + 2, len(sentence.items))):
        if sentence.items[index].kind == "not":
            return index
    return None


def _reduce_booleans(sentence: Sentence) -> Sentence:
    items: list[Item] = []
    for item in sentence.items:
        column = sentence.column(item) if item.kind == "attribute" else None
        if column is not None and column.attribute.type == "boolean":
            last = items[-1] if items else None
            truth = Truth(column.name)
            if last is not None and last.condition == truth:
                items[-1] = filter_item(last, item, truth)
                continue
            item = filter_item(item, item, truth)
        items.append(item)
    return sentence.with_items(items)


def _reduce_negations(sentence: Sentence) -> Sentence:
    """Turn round the filter beside each `not`; `without a price` is a missing value."""
    for negation in sentence.of("not"):
        if negation not in sentence.items:
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
        item = filter_item(negation, sentence.items[index], condition)
        sentence = sentence.spliced(low, high - low + 1, *inner, item)
        if words in {"neither", "not", "without", "no"}:
            sentence = _spread(sentence, sentence.items.index(item))
    return sentence


def _operand(sentence: Sentence, at: int, step: int) -> int | None:
    for index in (at + step, at + 2 * step, at + 3 * step):
        if not 0 <= index < len(sentence.items):
            return None
        item = sentence.items[index]
        if item.kind == "filter" or (item.kind == "attribute" and sentence.column(item)):
            return index
        if item.kind not in {"entity", "wh", "and", "distinct", "yes_no", "how_many", "period"}:
            return None
    return None


def _turned(sentence: Sentence, item: Item) -> Condition:
    if item.condition is not None:
        return Negated(item.condition)
    column = sentence.column(item)
    if column is None:
        return Every()
    if column.is_number:
        return Either((Missing(column.name), Compare(column.term, "=", 0)))
    return Missing(column.name)


def _spread(sentence: Sentence, at: int) -> Sentence:
    """Carry a negation over `or` and `nor`: neither a pool nor a garden."""
    for index in range(at + 1, len(sentence.items) - 1):
        link, right = sentence.items[index], sentence.items[index + 1]
        joins = link.kind == "or" or sentence.words(link).lower() == "nor"
        if not joins or right.kind != "filter" or right.condition is None:
            break
        turned = replace(right, condition=Negated(right.condition))
        sentence = sentence.spliced(index, 2, replace(link, kind="and"), turned)
    return sentence


_IDLE_PREPOSITIONS = {"over", "by", "through", "from", "since", "above", "below", "under"}


def _drop_idle(sentence: Sentence) -> Sentence:
    """Drop prepositions and auxiliary words that found no operand."""
    kept = [
        item
        for item in sentence.items
        if not (
            (item.kind in {"time", "above", "between"} and _is_idle(sentence, item))
            or (item.kind == "change" and _precedes_filter(sentence, item))
            or (item.kind == "yes_no" and item is not sentence.items[0])
            or (item.kind == "number" and sentence.words(item).lower() == "one")
        )
    ]
    return sentence.with_items(kept)


def _is_idle(sentence: Sentence, item: Item) -> bool:
    words = sentence.words(item).lower()
    if words in {"over", "by", "through", "from", "between"}:
        return True
    follower = next((i for i in sentence.items if i.first >= item.last), None)
    plain = (
        follower is not None
        and follower.period is None
        and follower.kind in {"filter", "wh", "attribute"}
    )
    return words in _IDLE_PREPOSITIONS and plain


def _precedes_filter(sentence: Sentence, item: Item) -> bool:
    """Whether `fall` only says where a value lies: `fall between`, `fall in`."""
    follower = next((i for i in sentence.items if i.first >= item.last), None)
    falls = sentence.words(item).lower() in {"fall", "fell"}
    return (
        falls
        and follower is not None
        and follower.kind == "filter"
        and not sentence.has("difference")
    )


def condition_columns(condition: Condition, table: Table) -> frozenset[str]:
    """Return the columns that a condition speaks of."""
    found: set[str] = set()
    for name in ("term", "left", "right"):
        term = getattr(condition, name, None)
        if term is not None:
            found.add(term.column)
    column = getattr(condition, "column", None)
    if isinstance(column, str):
        found.add(column)
    inner = getattr(condition, "condition", None)
    nested: Sequence[Condition] = getattr(condition, "conditions", ())
    for part in (*nested, *((inner,) if inner is not None else ())):
        found |= condition_columns(part, table)
    return frozenset(found)
