"""Choices: which of two named records or groups has more."""

from typing import Literal

from srag_mcp.offline.translation.expressions import joined
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.measures import only_measure, where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import bind_pick
from srag_mcp.offline.translation.ranked import Pick
from srag_mcp.offline.translation.reading import (
    Condition,
    Contains,
    Either,
    Every,
    Extreme,
    Grouping,
    Listing,
    OneOf,
    Summary,
    Term,
)
from srag_mcp.offline.translation.thesaurus import COMPARATIVES

_RANKING: tuple[Kind, ...] = ("comparative", "most", "least", "superlative")


def read_choice(sentence: Sentence) -> Parse | None:
    """Read `which is taller, A or B`, `who had more points, A or B`."""
    options = _options(sentence)
    rankings = sentence.of(*_RANKING)
    if len(options) < 2 or len(rankings) != 1:
        return None
    rank = _rank(sentence, rankings[0])
    if rank is None:
        return None
    column = _column(options[0].condition)
    common = where_of(sentence, without=options)
    scope = joined(common, Either(tuple(i.condition for i in options if i.condition is not None)))
    used = (*options, *rank.used, *rankings, *sentence.of("or", "filter", "than"))
    return Parse(_reading(sentence, Term(column), rank, scope), used, 0.95)


def read_alternative(sentence: Sentence) -> Parse | None:
    """Read `was X from A or B`: the one of two values that the other filters leave."""
    options = _options(sentence)
    others = [item for item in sentence.of("filter") if item not in options]
    kinds = {item.kind for item in sentence.items}
    if len(options) != 2 or not others or sentence.items[0].kind != "yes_no":
        return None
    if not kinds <= {"yes_no", "filter", "or", "unknown", "hint"} or _asks_for_any(sentence):
        return None
    where = where_of(sentence)
    reading = Listing((Term(_column(options[0].condition)),), where, distinct=True)
    return Parse(reading, tuple(sentence.of("filter", "or", "yes_no")), 0.9)


def _asks_for_any(sentence: Sentence) -> bool:
    return any(token.word in {"any", "there", "ever"} for token in sentence.tokens)


def _options(sentence: Sentence) -> list[Item]:
    """Return the values of one column that `or` joins."""
    for item in sentence.of("or"):
        at = sentence.items.index(item)
        if 0 < at < len(sentence.items) - 1:
            left, right = sentence.items[at - 1], sentence.items[at + 1]
            column = _column(left.condition)
            if column and column == _column(right.condition):
                return [i for i in sentence.of("filter") if _column(i.condition) == column]
    return []


def _column(condition: Condition | None) -> str:
    return condition.column if isinstance(condition, OneOf | Contains) else ""


def _rank(sentence: Sentence, item: Item) -> Pick | None:
    if item.kind != "comparative":
        return bind_pick(sentence, item)
    highest = item.word == ">"
    numbers = [i for i in sentence.of("attribute") if sentence.column(i, lambda c: c.is_ordered)]
    if numbers:
        column = sentence.column(numbers[0], lambda c: c.is_ordered)
        assert column is not None
        more = sentence.words(item).lower() in {"more", "fewer", "less"} and column.is_additive
        summed = more and sentence.table.named
        return Pick(item, column.term, highest, None, (item, numbers[0]), quantity=summed)
    word = sentence.words(item).lower().split()[-1]
    for concept in COMPARATIVES.get(word, ()):
        fitting = [c for c in sentence.table.columns if c.is_ordered and c.measures(concept)]
        if fitting:
            return Pick(item, fitting[0].term, highest, None, (item,))
    if word in {"more", "fewer", "less"} and not sentence.has("unknown"):
        return Pick(item, None, highest, None, (item,), quantity=True)
    sized = "size" in COMPARATIVES.get(word, ("size",))
    column = only_measure(sentence.table, "any") if sized else None
    return None if column is None else Pick(item, column.term, highest, None, (item,))


def _reading(sentence: Sentence, key: Term, rank: Pick, scope: Every) -> Listing | Grouping:
    column = sentence.table.column(key.column)
    direction: Literal["highest", "lowest"] = "highest" if rank.highest else "lowest"
    if rank.term is None:
        return Grouping(key, Summary("count", None, scope), direction)
    if rank.quantity and column is not None and not column.is_key:
        return Grouping(key, Summary("sum", rank.term, scope), direction)
    return Listing((key,), joined(scope, Extreme(rank.term, rank.highest, scope)), distinct=True)
