"""Relations to numbers: `more than 30`, `between 5 and 10`, `at least three`."""

from srag_mcp.offline.translation.items import Bound, Item, Sentence
from srag_mcp.offline.translation.reading import Operator

_OPERATORS: dict[str, Operator] = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "="}


def reduce_bounds(sentence: Sentence) -> Sentence:
    """Join each comparator with its number."""
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
