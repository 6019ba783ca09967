"""Idle words that are not idle where they stand: they ask for what nothing else can give."""

from collections.abc import Sequence

from srag_mcp.offline.translation.items import Item
from srag_mcp.offline.translation.lexicon import (
    ADVERBS,
    AMOUNT_NOUNS,
    FORMS_OF_BE,
    PARTICLES,
    PERIODS,
    RANKING_ADJECTIVES,
    RELATIVE_WORDS,
    SORTING,
)
from srag_mcp.offline.translation.tokens import Token, stem

_AMOUNTS = frozenset(stem(word) for word in AMOUNT_NOUNS)


def asks_for_more(
    tokens: Sequence[Token], items: Sequence[Item], index: int, *, named: bool
) -> bool:
    """Whether a word that says nothing elsewhere asks for something at this place.

    *named* is whether there are words for a record, see `Table`.
    """
    item = items[index]
    return (
        _is_vague(tokens, item)
        or (named and _is_relative(tokens, item))
        or _is_group(tokens, items, index)
        or _is_missing_noun(tokens, items, index)
        or _is_predicate(tokens, item)
    )


def _is_group(tokens: Sequence[Token], items: Sequence[Item], index: int) -> bool:
    """Whether a word that is idle elsewhere is what to group by: `per type`, `of each kind`."""
    item = items[index]
    if item.kind != "glue" or index == 0 or items[index - 1].kind not in {"each", "time"}:
        return False
    if items[index - 1].kind == "time" and tokens[items[index - 1].first].word != "by":
        return False
    after = next((other for other in items[index + 1 :] if other.kind != "glue"), None)
    is_of = item.last < len(tokens) and tokens[item.last].word == "of"
    names = is_of and after is not None and after.kind in {"attribute", "hint"}
    return tokens[item.first].stem in SORTING and not names


def _is_missing_noun(tokens: Sequence[Token], items: Sequence[Item], index: int) -> bool:
    """Whether a word that is idle elsewhere is what an average is asked of: `average rating`."""
    item = items[index]
    if item.kind != "glue" or item.word != "verb" or index == 0:
        return False
    ranks = tokens[items[index - 1].last - 1].word in RANKING_ADJECTIVES
    on_average = tokens[items[index - 1].first].word in {"on", "in"}
    after = [other for other in items[index + 1 : index + 4] if other.kind != "glue"]
    followed = bool(after) and after[0].kind in {"attribute", "hint", "unknown"}
    return ranks and not on_average and not followed and tokens[item.first].stem not in _AMOUNTS


def _is_vague(tokens: Sequence[Token], item: Item) -> bool:
    """Whether a word makes the number behind it inexact: `about 5`."""
    after = tokens[item.last] if item.last < len(tokens) else None
    inexact = item.kind == "glue" and item.word in {"about", "around"}
    return inexact and after is not None and (after.number is not None or after.text in "€$£")


def _is_relative(tokens: Sequence[Token], item: Item) -> bool:
    """Whether `last month`, `the past 30 days` reckon from today, which no document knows."""
    word = tokens[item.last - 1].word
    if word not in RELATIVE_WORDS or item.last - item.first > 2:
        return False
    before = [token.word for token in tokens[max(0, item.last - 3) : item.last - 1]]
    after = [token for token in tokens[item.last : item.last + 2] if token.number is None]
    timed = bool(after) and after[0].word in PERIODS
    the = before[-1:] == ["the"]
    return timed and (not the or before[0] in {"in", "during", "over", "within", "for"})


def _is_predicate(tokens: Sequence[Token], item: Item) -> bool:
    """Whether a particle is all that the question says of its subject: `are still out`."""
    rest = [token for token in tokens[item.last :] if not token.is_mark]
    if rest or item.kind != "glue" or item.word not in PARTICLES:
        return False
    before = [token.word for token in tokens[: item.first] if token.word not in ADVERBS]
    return bool(before) and before[-1] in FORMS_OF_BE
