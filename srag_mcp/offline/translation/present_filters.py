"""Filters on having a value at all: `with a fee`, `led to a fine`, `have an address`."""

from srag_mcp.offline.translation.items import Item, Kind, Sentence, filter_item
from srag_mcp.offline.translation.lexicon import HAVING_PHRASES
from srag_mcp.offline.translation.reading import Compare, Condition, Either, Missing, Negated

_ARTICLES = frozenset({"a", "an", "any"})
# What makes the column a measure or a comparison instead.
_COMPARED: frozenset[Kind] = frozenset(
    {"above", "number", "bound", "between", "time", "exactly", "value", "than", "most", "least",
     "superlative", "aggregate", "filter", "bound_after", "starts"}
)  # fmt: skip


def reduce_present(sentence: Sentence) -> Sentence:
    """Read a column behind `with a`, `has any` as a filter on records that have a value."""
    for item in sentence.of("attribute"):
        at = sentence.items.index(item)
        condition = _condition(sentence, item)
        if condition is not None and _is_had(sentence, item) and not _is_compared(sentence, at):
            sentence = sentence.spliced(at, 1, filter_item(item, item, condition))
    return sentence


def _condition(sentence: Sentence, item: Item) -> Condition | None:
    column = sentence.column(item)
    if column is None or item.tied or column.attribute.type in {"boolean", "date"}:
        return None
    if column.n_non_null == column.n_records:
        return None
    if column.is_number:
        return Negated(Either((Missing(column.name), Compare(column.term, "=", 0))))
    return Negated(Missing(column.name))


def _is_had(sentence: Sentence, item: Item) -> bool:
    before = [token.word for token in sentence.tokens[: item.first]]
    if not sentence.table.named or not before or before[-1] not in _ARTICLES:
        return False
    near = {tuple(before[-2:-1]), tuple(before[-3:-1])}
    denied = {"no", "not", "without", "never"} & set(before[-5:])
    return bool(near & HAVING_PHRASES) and not denied


def _is_compared(sentence: Sentence, at: int) -> bool:
    """Whether a bound, a value or `of` follows, or the column is what is measured."""
    item = sentence.items[at]
    last = item.last
    follower = sentence.tokens[last].word if last < len(sentence.tokens) else ""
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    close = after is not None and sentence.gap(item, after) <= 1 and after.kind in _COMPARED
    return follower == "of" or close
