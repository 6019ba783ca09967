"""Relations to numbers: `more than 30`, `between 5 and 10`, `at least three`."""

from collections.abc import Sequence

from srag_mcp.offline.translation.items import Bound, Item, Sentence
from srag_mcp.offline.translation.reading import Operator

_OPERATORS: dict[str, Operator] = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "="}
_NUMBER_FIRST = {("number", "most"), ("number", "above")}
_AT_MOST, _AT_LEAST = {"at most", "at the most"}, {"at least", "at the least"}


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
    operator = _operator(sentence, items)
    if operator is not None:
        return _bound(items[0], items[1], operator), 2
    if kinds == ("between", "number", "and", "number"):
        return _range(items[0], items[1], items[3]), 4
    if kinds[:2] == ("number", "number") and _spans(sentence, items[0], items[1]):
        return _range(items[0], items[0], items[1]), 2
    opened = kinds[:1] == ("between",) or (kinds[:1] == ("time",) and items[0].word == ">=")
    if opened and kinds[1:3] == ("number", "number"):
        return _range(items[0], items[1], items[2]), 3
    return None


def _spans(sentence: Sentence, low: Item, high: Item) -> bool:
    """Whether two numbers are the ends of a range: `3 to 6`."""
    between = [token.word for token in sentence.tokens[low.last : high.first]]
    return between in (["to"], ["–"]) and (low.number or 0) < (high.number or 0)


def _operator(sentence: Sentence, items: Sequence[Item]) -> Operator | None:
    """Return the relation that the first two of *items* say to a number."""
    pair = tuple(item.kind for item in items[:2])
    if pair in {("exactly", "number"), ("which_of", "number")}:
        return "="
    if pair == ("above", "number"):
        return _OPERATORS[items[0].word]
    if pair == ("number", "bound_after"):
        return _OPERATORS[items[1].word]
    closed = len(items) < 3 or items[2].kind != "number"
    if pair == ("most", "number") or (closed and pair in _NUMBER_FIRST):
        words = {sentence.words(item).lower() for item in items[:2]}
        return "<=" if words & _AT_MOST else ">=" if words & _AT_LEAST else None
    return None


def _bound(first: Item, second: Item, operator: Operator) -> Item:
    number = first if first.kind == "number" else second
    bound = Bound(operator, number.number or 0.0, unit=number.unit)
    return Item("bound", first.first, second.last, bound=bound)


def _range(first: Item, low: Item, high: Item) -> Item:
    bound = Bound(">=", low.number or 0.0, high.number or 0.0, high.unit or low.unit)
    return Item("bound", first.first, high.last, bound=bound)
