"""Filters: the items of a sentence that restrict records, each as one condition."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from srag_mcp.offline.translation.bounds import reduce_bounds
from srag_mcp.offline.translation.columns import Column, Table
from srag_mcp.offline.translation.currency_filters import reduce_currencies
from srag_mcp.offline.translation.items import Item, Sentence, filter_item
from srag_mcp.offline.translation.negations import reduce_negations
from srag_mcp.offline.translation.number_filters import reduce_comparisons, reduce_equal_numbers
from srag_mcp.offline.translation.prepositions import demote_nouns, drop_idle, drop_prepositions
from srag_mcp.offline.translation.present_filters import reduce_present
from srag_mcp.offline.translation.reading import Condition, StartsWith, Truth
from srag_mcp.offline.translation.relative_filters import reduce_relatives
from srag_mcp.offline.translation.stated_filters import reduce_stated
from srag_mcp.offline.translation.time_filters import reduce_periods
from srag_mcp.offline.translation.value_filters import reduce_values

Step: TypeAlias = Callable[[Sentence], Sentence]


def reduce_filters(sentence: Sentence) -> Sentence:
    """Replace the items that restrict records by filters; what has no operand is dropped."""
    steps: tuple[Step, ...] = (
        reduce_bounds,
        drop_prepositions,
        _reduce_letters,
        reduce_currencies,
        reduce_stated,
        reduce_present,
        demote_nouns,
        reduce_values,
        reduce_periods,
        reduce_relatives,
        reduce_comparisons,
        reduce_equal_numbers,
        _reduce_booleans,
        reduce_negations,
        drop_idle,
    )
    for step in steps:
        sentence = step(sentence)
    return sentence


def _reduce_letters(sentence: Sentence) -> Sentence:
    """Read `names that start with B`: the column before, the letters behind."""
    for item in sentence.of("starts"):
        at = sentence.items.index(item)
        rest = [token for token in sentence.tokens[item.last :] if not token.is_mark]
        before = sentence.items[at - 1] if at else item
        column = sentence.column(before, lambda c: c.attribute.type == "string")
        column = column or sentence.table.label
        if not rest or column is None:
            continue
        taken = [i for i in sentence.items[at:] if i.first <= sentence.tokens.index(rest[0])]
        condition = StartsWith(column.name, rest[0].text, at_end=item.word == "end")
        found = filter_item(item, taken[-1], condition)
        sentence = sentence.spliced(at, len(taken), found)
    return sentence


def _surely(sentence: Sentence, item: Item) -> Column | None:
    """Return the column of an attribute item, of equals the one that is not boolean."""
    other = sentence.column(item, lambda c: c.attribute.type != "boolean")
    best = {name for name, _ in item.columns[:2]}
    if item.tied and other is not None and other.name in best:
        return other
    doubtful = item.tied and sentence.table.named and other is None
    return None if doubtful else sentence.column(item)


def _is_noun(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether *item* ends in the noun of the question, which means the record: `how many dogs`."""
    noun = sentence.tokens[item.last - 1].stem
    return any(noun in name for name in column.names) and sentence.is_head(item)


def _reduce_booleans(sentence: Sentence) -> Sentence:
    items: list[Item] = []
    for item in sentence.items:
        column = _surely(sentence, item) if item.kind == "attribute" else None
        if (
            column is not None
            and column.attribute.type == "boolean"
            and not _is_noun(sentence, item, column)
        ):
            last = items[-1] if items else None
            truth = Truth(column.name)
            if last is not None and last.condition == truth:
                items[-1] = filter_item(last, item, truth)
                continue
            item = filter_item(item, item, truth)
        items.append(item)
    return sentence.with_items(items)


def condition_columns(condition: Condition, table: Table) -> frozenset[str]:
    """Return the columns that a condition speaks of."""
    found: set[str] = set()
    for name in ("term", "left", "right"):
        term = getattr(condition, name, None)
        if term is not None:
            found.add(term.column)
    column = getattr(condition, "column", None)
    if isinstance(column, str):
        found.add(column)
    inner = getattr(condition, "condition", None)
    nested: Sequence[Condition] = getattr(condition, "conditions", ())
    for part in (*nested, *((inner,) if inner is not None else ())):
        found |= condition_columns(part, table)
    return frozenset(found)
