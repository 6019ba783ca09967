"""Filters from numbers: a bound or a bare number beside its column."""

from dataclasses import replace

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Bound, Item, Sentence, filter_item
from srag_mcp.offline.translation.measures import column_compared, only_measure
from srag_mcp.offline.translation.reading import Between, Compare, Condition, Every, Negated
from srag_mcp.offline.translation.units import CURRENCIES, unit_factor


def reduce_comparisons(sentence: Sentence) -> Sentence:
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
    """Return the noun that a bound counts (`at least five matches`), if there is one."""
    bound = sentence.items[at].bound
    held = at + 1 < len(sentence.items) and sentence.items[at + 1].kind == "filter"
    step = 2 if held and sentence.table.named else 1
    after = sentence.items[at + step] if at + step < len(sentence.items) else None
    if after is None or after.kind != "entity" or bound is None or bound.unit is not None:
        return None
    near = sentence.items[at + step - 1] if step > 1 else sentence.items[at]
    return after if sentence.gap(near, after) <= 1 else None


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
    item = sentence.items[index]
    column = sentence.column(item, lambda c: c.is_number and _fits(c, unit))
    if sentence.table.named and item.tied and _is_doubtful(sentence, item, unit):
        return None
    return None if column is None else (index, column)


def _is_doubtful(sentence: Sentence, item: Item, unit: str | None) -> bool:
    """Whether the two columns that the words mean equally could both be compared."""
    columns = [sentence.table.column(name) for name, _ in item.columns[:2]]
    return all(
        column is not None and column.is_number and _fits(column, unit) for column in columns
    )


def _fits(column: Column, unit: str | None) -> bool:
    """Whether a number with *unit* may be compared with the column."""
    own = column.attribute.unit
    if unit is None or own is None:
        return True
    return unit_factor(unit, own) is not None or (unit not in CURRENCIES and unit in own.split())


def _compared(sentence: Sentence, at: int, near: tuple[int, Column]) -> Sentence:
    index, column = near
    bound = sentence.items[at]
    low, high = min(at, index), max(at, index)
    low -= _says_again(sentence, low, column)
    inner = [item for item in sentence.items[min(at, index) + 1 : high] if item.kind != "not"]
    condition = _comparison(column, bound.bound)
    negated = any(item.kind == "not" for item in sentence.items[low + 1 : high])
    condition = Negated(condition) if negated else condition
    if any(item.kind == "entity" for item in inner):
        return sentence.spliced(at, 1, filter_item(bound, bound, condition))
    item = filter_item(sentence.items[low], sentence.items[high], condition)
    return sentence.spliced(low, high - low + 1, item, *inner)


def _says_again(sentence: Sentence, at: int, column: Column) -> int:
    """Count the items before *at* that name the column as well: `cost more than 9 to repair`."""
    before = sentence.items[at - 1] if at and sentence.items[at].kind == "bound" else None
    named = before is not None and before.kind == "attribute" and sentence.column(before) == column
    return int(named and before is not None and sentence.gap(before, sentence.items[at]) == 0)


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
    compared = column_compared(sentence.table, sentence.words(bound).lower().split())
    if compared is not None and sentence.table.named and _fits(compared, unit):
        return compared
    if unit is not None:
        exact = [c for c in numbers if c.attribute.unit and _fits(c, unit)]
        if not exact and unit in CURRENCIES:
            exact = [c for c in numbers if c.measures("money") and c.attribute.unit is None]
        if len(exact) > 1 and unit in CURRENCIES:
            return only_measure(sentence.table, "money")
        return exact[0] if len(exact) == 1 else None
    return numbers[0] if len(numbers) == 1 else None


def reduce_equal_numbers(sentence: Sentence) -> Sentence:
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
