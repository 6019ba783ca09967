"""Filters on what documents state: `do not give the price`, `state how many`."""

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Sentence, filter_item
from srag_mcp.offline.translation.reading import Compare, Condition, Missing, Negated, Term


def reduce_stated(sentence: Sentence) -> Sentence:
    """Read what documents say or do not say: `do not give the price`, `state how many`."""
    for item in sentence.of("say"):
        if item not in sentence.items:
            continue
        at = sentence.items.index(item)
        found = _said_column(sentence, at)
        if found is not None:
            sentence = _said(sentence, at, found)
    return sentence.with_items([item for item in sentence.items if item.kind != "say"])


ABSENT = {
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
    if word not in ABSENT and negation is None and not stated:
        return sentence
    condition: Condition = Missing(column.name)
    if column.attribute.type == "boolean" and negation is not None and negation > at:
        condition = Compare(Term(column.name), "=", value=False)
    if word not in ABSENT and negation is None:
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
