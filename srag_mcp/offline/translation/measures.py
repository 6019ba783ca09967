"""What is counted or measured, where, and what is put out."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from srag_mcp.offline.translation.columns import Column, Table
from srag_mcp.offline.translation.counted_nouns import is_count_of
from srag_mcp.offline.translation.counts import count_of, counts_entities
from srag_mcp.offline.translation.expressions import joined
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.measure import Measure
from srag_mcp.offline.translation.reading import (
    Between,
    Compare,
    Condition,
    Contains,
    Either,
    Every,
    Function,
    OneOf,
    Relative,
)
from srag_mcp.offline.translation.thesaurus import COMPARATIVES, Concept
from srag_mcp.offline.translation.units import CURRENCIES, canonical_unit, same_unit
from srag_mcp.offline.translation.wordings import (
    is_doubtful,
    is_participle,
    tells_doing,
)

_SUMMED = {"total", "sum", "overall"}
_FUNCTIONS: dict[str, Function] = {"avg": "avg", "sum": "sum", "median": "median"}


def sum_of_listed(sentence: Sentence) -> Measure | None:
    """Return the sum that `what is the total … of` asks for without saying `sum`."""
    for item in sentence.of("attribute"):
        column = sentence.column(item, lambda c: c.is_number)
        said = {token.word for token in sentence.tokens[item.first : item.last]}
        if column is not None and said & _SUMMED:
            return Measure("sum", column.term, (item,), assumed=True)
    return None


def where_of(sentence: Sentence, without: Sequence[Item] = ()) -> Every:
    """Join the filters of a sentence; `or`, and two values of one column, widen."""
    groups: list[list[Item]] = []
    for item in sentence.of("filter"):
        if item in without:
            continue
        if groups and _widens(sentence, groups[-1][-1], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return joined(*(_one_of(group) for group in groups))


def _one_of(group: Sequence[Item]) -> Condition:
    conditions = tuple(item.condition for item in group if item.condition is not None)
    return conditions[0] if len(conditions) == 1 else Either(conditions)


def _widens(sentence: Sentence, left: Item, right: Item) -> bool:
    between = [i for i in sentence.items if left.last <= i.first < right.first]
    if any(item.kind == "or" for item in between):
        return all(item.kind in {"or", "entity", "hint"} for item in between)
    match left.condition, right.condition:
        case (
            (OneOf(a), OneOf(b))
            | (OneOf(a), Contains(b))
            | (Contains(a), OneOf(b))
            | (Contains(a), Contains(b))
        ):
            return a == b
        case Compare(a, "=", low), Compare(b, "=", high):
            return a == b and low != high
        case Between(a, _, high), Between(b, low, _):
            return a == b and (str(high) < str(low))
    return False


def measure_of(
    sentence: Sentence, items: Sequence[Item], default: Function | None
) -> Measure | None:
    """Find what *items* measure; *default* is the function of a bare number column."""
    aggregates = [item for item in items if item.kind == "aggregate"]
    attributes = [item for item in items if item.kind == "attribute"]
    asks = [item for item in items if item.kind in {"how_many", "how_much", "distinct"}]
    function = _function(aggregates)
    number = _first(sentence, attributes, lambda column: column.is_number)
    if number is not None and not _only_counts(sentence, number, function, asks):
        return _of_number(sentence, number, (function, default), (*aggregates, *asks))
    unit = _of_unit(sentence, items) if number is None else None
    if unit is not None:
        return unit
    counts = any(item.kind == "how_many" for item in asks)
    if function is not None and not (function == "sum" and counts):
        return _assumed(sentence, attributes, function, (*aggregates, *asks))
    if any(item.kind == "how_much" for item in asks):
        return _assumed(sentence, attributes, function or default or "sum", (*aggregates, *asks))
    return count_of(sentence, items, attributes, (*aggregates, *asks))


def _of_unit(sentence: Sentence, items: Sequence[Item]) -> Measure | None:
    """Read `how many kilograms …` as the sum of the only column in that unit."""
    for ask, item in pairwise(items):
        if ask.kind != "how_many" or item.kind != "unit" or sentence.gap(ask, item) > 0:
            continue
        columns = [c for c in sentence.table.numbers if same_unit(c.attribute.unit, item.unit)]
        if len(columns) == 1 and columns[0].is_additive:
            function = _function([i for i in items if i.kind == "aggregate"]) or "sum"
            used = (ask, item, *(i for i in items if i.kind == "aggregate"))
            return Measure(function, columns[0].term, used)
    return None


def _only_counts(
    sentence: Sentence, number: tuple[Item, Column], function: Function | None, asks: Sequence[Item]
) -> bool:
    """Whether `how many` means records: of a column already compared, or without a sense of sum.

    A noun that is only part of a column's name has none: `stations` of `station_height`.
    """
    item, column = number
    if function in {"avg", "median"} or not any(item.kind == "how_many" for item in asks):
        return False
    compared = {
        item.condition.term.column
        for item in sentence.of("filter")
        if isinstance(item.condition, Compare | Between | Relative)
    }
    if column.name in compared or not column.is_additive or counts_entities(sentence.items):
        return True
    return function is None and not is_count_of(column, sentence.stems(item))


def _function(aggregates: Sequence[Item]) -> Function | None:
    words = [item.word for item in aggregates]
    for word in ("median", "avg", "sum"):
        if word in words:
            return _FUNCTIONS[word]
    return None


def _first(
    sentence: Sentence, items: Sequence[Item], wanted: Callable[[Column], bool]
) -> tuple[Item, Column] | None:
    """Return the first fitting column, of several the one that most items may mean."""
    fitting = [column for column in sentence.table.columns if wanted(column)]
    sure = [item for item in items if not is_doubtful(sentence, item, fitting)]
    found = [
        (item, column)
        for item in sure
        if (column := sentence.column(item, wanted)) is not None
        and not _is_done(sentence, item, column)
    ]
    if not found:
        return None
    return max(found, key=lambda pair: sum(pair[1].name in dict(i.columns) for i in items))


def _is_done(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether *item* is a verb that only belongs to a longer name: `borrowed`, `borrower_age`."""
    said = {token.stem for token in sentence.tokens}
    whole = any(set(name) <= said for name in column.names)
    counted = sentence.has("how_many") and is_participle(sentence, item) and not whole
    counted = counted and sentence.table.named and not sentence.has("aggregate")
    return counted or tells_doing(sentence, item, column)


def _of_number(
    sentence: Sentence,
    number: tuple[Item, Column],
    functions: tuple[Function | None, Function | None],
    used: tuple[Item, ...],
) -> Measure | None:
    item, column = number
    asked, default = functions
    if asked is None and says_sum(sentence, item, column):
        asked = "sum"
    counted = any(part.kind in {"how_many", "how_much"} for part in used)
    function = (
        asked or (default if default in {"min", "max"} else None) or ("sum" if counted else default)
    )
    if function is None:
        return None
    return Measure(function, column.term, (item, *used), assumed=asked is None)


def says_sum(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether the words of a column also say `total`, beyond its name."""
    words = {token.stem for token in sentence.tokens[item.first : item.last]}
    said = {token.word for token in sentence.tokens[item.first : item.last]} & _SUMMED
    return bool(said) and not any(words <= set(name) for name in column.names)


def _assumed(
    sentence: Sentence, attributes: Sequence[Item], function: Function, used: tuple[Item, ...]
) -> Measure | None:
    """Take the only number column, or the only one of money, when none is named."""
    if any(sentence.words(item).lower().endswith("number of") for item in used):
        return None
    if any(sentence.column(item) for item in attributes if _is_wanted(sentence, item)):
        return None
    said = adjectives_said(sentence)
    column = column_compared(sentence.table, said) if said else None
    if column is None and not said:
        column = only_measure(sentence.table, "money")
    if column is None:
        return None
    asked = tuple(item for item in sentence.of("wh") if item.word in COMPARATIVES)
    return Measure(function, column.term, (*used, *asked), assumed=True)


def adjectives_said(sentence: Sentence) -> list[str]:
    """Return the adjectives of degree in `how much taller`, `taller than`; `more` is none."""
    items = sentence.of("difference", "wh", "comparative", "above")
    words = [item.word if item.kind == "wh" else sentence.words(item) for item in items]
    said = [word for phrase in words for word in phrase.lower().split()]
    found = [word for word in said if "size" not in COMPARATIVES.get(word, ("size",))]
    return [word for word in found if word != "much"] if sentence.table.named else []


def column_compared(table: Table, adjectives: Sequence[str]) -> Column | None:
    """Return the only number column that one of *adjectives* is said of."""
    for word in adjectives:
        for concept in COMPARATIVES.get(word, ()):
            if concept == "money":
                return only_measure(table, "money")
            found = [column for column in table.numbers if column.is_named_for(concept)]
            found = found or [column for column in table.numbers if column.measures(concept)]
            if len(found) == 1:
                return found[0]
    return None


def _is_wanted(sentence: Sentence, item: Item) -> bool:
    column = sentence.column(item)
    return column is not None and column.attribute.type != "date" and not column.is_key


def only_measure(table: Table, concept: Concept) -> Column | None:
    """Return the only number column that measures *concept*, or the only one at all.

    Columns that most records have come first, and those whose name says it before those whose
    unit does.
    """
    numbers = [column for column in table.numbers if not column.year_text]
    priced = [column for column in numbers if canonical_unit(column.attribute.unit) in CURRENCIES]
    numbers = priced if priced and concept == "money" else numbers
    own = table.own_measure
    if own in numbers and (concept == "any" or (own and own.measures(concept))):
        return own
    filled = [column for column in numbers if column.fill >= 0.5] or numbers
    tiers = (
        [column for column in filled if column.is_named_for(concept)],
        [column for column in filled if column.names_part(concept)],
        [column for column in filled if column.measures(concept)],
    )
    fitting: list[Column] = next((tier for tier in tiers if tier), [])
    if len(fitting) == 1:
        return fitting[0]
    return filled[0] if len(filled) == 1 and concept in {"money", "any", "size"} else None
