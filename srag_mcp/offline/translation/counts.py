"""What `how many` counts: records, or the different values of a column."""

from collections.abc import Sequence

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.counted_nouns import is_count_of
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.measure import Measure
from srag_mcp.offline.translation.reading import Between, Compare, Contains, OneOf, Term
from srag_mcp.offline.translation.wordings import (
    is_participle,
    is_verb,
    only_tells,
    says_modifier_only,
)


def count_of(
    sentence: Sentence, items: Sequence[Item], attributes: Sequence[Item], used: tuple[Item, ...]
) -> Measure | None:
    """Count records, or the different values of a text column."""
    counts = any(item.kind == "how_many" for item in items) or _has_entity(items)
    if not counts:
        return None
    distinct = any(item.kind == "distinct" for item in items)
    entities = tuple(item for item in items if item.kind == "entity")
    if not distinct and entities and counts_entities(items):
        return Measure("count", None, (*used, *entities))
    telling = [item for item in attributes if not only_tells(sentence, item)]
    named = [
        (item, column)
        for item in telling
        if (column := sentence.column(item)) and not _is_held(sentence, item, column)
    ]
    if not named:
        vain = sentence.table.named and distinct and not entities
        return None if vain else Measure("count", None, (*used, *entities))
    if _modifies_records(sentence, named[0], entities):
        return Measure("count", None, (*used, named[0][0], *entities))
    return _count_named(sentence, items, named[0], used)


def _count_named(
    sentence: Sentence, items: Sequence[Item], found: tuple[Item, Column], used: tuple[Item, ...]
) -> Measure | None:
    """Count the different values of a column, or the records where it tells them apart."""
    item, column = found
    distinct = any(other.kind == "distinct" for other in items)
    if not distinct and column.attribute.type == "date":
        return None
    if sentence.table.named and _is_not_counted(sentence, item, column):
        return None
    if not distinct and _only_belongs(sentence, item, column):
        return None
    pinned = column.name in _pinned(sentence) or any(i.word == "times" for i in items)
    if not distinct and (column.is_key or pinned or _names_record(sentence, item, column)):
        return Measure("count", None, (item, *used))
    return Measure("count", Term(column.name), (item, *used), distinct=True)


def _is_held(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether *item* is the verb of a filter: `planted after 1990`."""
    held = {
        item.condition.term.column
        for item in sentence.of("filter")
        if isinstance(item.condition, Compare | Between)
    }
    return sentence.table.named and column.name in held and is_participle(sentence, item)


def _is_not_counted(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether *item* is a verb, or means someone that no column tells apart."""
    if column.attribute.type == "boolean":
        return False
    text = column.attribute.type == "string"
    verb = is_verb(sentence, item) or is_participle(sentence, item)
    return verb or (text and says_modifier_only(sentence, item, column))


def _modifies_records(
    sentence: Sentence, found: tuple[Item, Column], entities: Sequence[Item]
) -> bool:
    """Whether a word repeats beside the record what a filter holds: `home games` of a home team."""
    item, column = found
    beside = any(entity.first == item.last for entity in entities)
    return beside and column.name in _pinned(sentence)


def _only_belongs(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether a number, a yes or a no is only said of what *item*, behind `how many`, means.

    That is another noun than the one of the records, where they have one.
    """
    asked = any(left.kind == "how_many" and right is item for _, left, right in sentence.pairs())
    if not (sentence.table.named and asked):
        return False
    if column.attribute.type == "boolean":
        return True
    return column.is_additive and not is_count_of(column, sentence.stems(item))


def _names_record(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether *item* is the noun of a record that a column only belongs to: game of `game_site`."""
    said = {token.stem for token in sentence.tokens[item.first : item.last]}
    return not sentence.table.named and all(
        name[0] in said and name[-1] not in said for name in column.names
    )


def _pinned(sentence: Sentence) -> set[str]:
    """Return the columns that a filter holds to stored values."""
    return {
        item.condition.column
        for item in sentence.of("filter")
        if isinstance(item.condition, OneOf | Contains)
    }


def counts_entities(items: Sequence[Item]) -> bool:
    """Whether the first noun after `how many` is a record, or only records are spoken of."""
    asks = [at for at, item in enumerate(items) if item.kind == "how_many"]
    for item in items[asks[0] + 1 :] if asks else items:
        if item.kind in {"entity", "attribute"}:
            return item.kind == "entity"
    return any(item.word == "times" for item in items)


def _has_entity(items: Sequence[Item]) -> bool:
    return any(item.kind == "entity" for item in items)
