"""Words that only join: prepositions before names, verbs of place, nouns that name the record."""

from dataclasses import replace

from srag_mcp.offline.translation.items import Item, Kind, Sentence

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


def drop_prepositions(sentence: Sentence) -> Sentence:
    """Drop prepositions before names: `by Smith`, `under a new coach`, `over all matches`."""
    kept: list[Item] = []
    for at, item in enumerate(sentence.items):
        after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
        plain = item.kind in {"time", "above", "between"} and (
            sentence.words(item).lower() in _PREPOSITIONS
        )
        named = after is not None and _names_thing(sentence, after)
        denied = sentence.words(item).lower().removeprefix("not ") in _PREPOSITIONS
        if item.kind == "above" and named and denied and not plain:
            kept.append(replace(item, kind="not", last=item.first + 1))
        elif not (plain and named):
            kept.append(item)
    return sentence.with_items(kept)


_HEADS: frozenset[Kind] = frozenset(
    {"how_many", "wh", "list", "most", "least", "superlative", "which_of"}
)


def demote_nouns(sentence: Sentence) -> Sentence:
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


_IDLE_PREPOSITIONS = {"over", "by", "through", "from", "since", "above", "below", "under"}


def drop_idle(sentence: Sentence) -> Sentence:
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
    follower = next((i for i in sentence.items if i.first >= item.last), None)
    plain = (
        follower is not None
        and follower.period is None
        and follower.kind in {"filter", "wh", "attribute"}
    )
    if words == "by" and follower is not None and follower.kind in {"attribute", "period"}:
        return False
    always = words in {"over", "by", "through", "from", "between"}
    return always or (words in _IDLE_PREPOSITIONS and plain)


def _precedes_filter(sentence: Sentence, item: Item) -> bool:
    """Whether `fall` only says where a value lies: `fall between`, `fall in`."""
    follower = next((i for i in sentence.items if i.first >= item.last), None)
    falls = sentence.words(item).lower() in {"fall", "fell"} and not sentence.has("difference")
    lies = follower is not None and follower.kind == "filter"
    return falls and (lies or sentence.has("most") or sentence.has("least"))
