"""Filters against a summary: `more than the average`, `above the median price`."""

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Item, Sentence, filter_item
from srag_mcp.offline.translation.measures import only_measure
from srag_mcp.offline.translation.reading import Every, Function, Operator, Relative, Summary
from srag_mcp.offline.translation.thesaurus import COMPARATIVES

_FUNCTIONS: dict[str, Function] = {"avg": "avg", "median": "median"}
_OPERATORS: dict[str, Operator] = {">": ">", "<": "<", ">=": ">=", "<=": "<="}


def reduce_relatives(sentence: Sentence) -> Sentence:
    """Replace a comparator before an average, with the column they speak of, by a filter."""
    for item in sentence.of("above"):
        at = sentence.items.index(item)
        follower = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
        if follower is None or follower.kind != "aggregate" or follower.word not in _FUNCTIONS:
            continue
        found = _column(sentence, at)
        if found is not None:
            sentence = _related(sentence, at, found)
    return sentence


def _related(sentence: Sentence, at: int, found: tuple[int, int, Column]) -> Sentence:
    low, high, column = found
    item, follower = sentence.items[at], sentence.items[at + 1]
    summary = Summary(_FUNCTIONS[follower.word], column.term, Every())
    condition = Relative(column.term, _OPERATORS[item.word], summary)
    replaced = filter_item(sentence.items[low], sentence.items[high], condition)
    return sentence.spliced(low, high - low + 1, replaced)


def _column(sentence: Sentence, at: int) -> tuple[int, int, Column] | None:
    """Return the column: named behind the average, before the comparator, or by the adjective."""
    for index in (at + 2, at - 1):
        if 0 <= index < len(sentence.items) and sentence.items[index].kind == "attribute":
            column = sentence.column(sentence.items[index], lambda c: c.is_number)
            if column is not None and not _counts(sentence, at + 2):
                return min(at, index), max(at + 1, index), column
    column = _by_adjective(sentence, sentence.items[at])
    return None if column is None or _counts(sentence, at + 2) else (at, at + 1, column)


def _counts(sentence: Sentence, index: int) -> bool:
    """Whether another group follows, so that two averages are compared."""
    return index < len(sentence.items) and sentence.items[index].kind == "value"


def _by_adjective(sentence: Sentence, item: Item) -> Column | None:
    for word in sentence.words(item).lower().split():
        for concept in COMPARATIVES.get(word, ()):
            column = only_measure(sentence.table, concept)
            if column is not None:
                return column
    return only_measure(sentence.table, "any") if len(sentence.table.numbers) == 1 else None
