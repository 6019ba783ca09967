"""Filters from currencies, where a column says in which currency each amount is."""

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.reading import OneOf
from srag_mcp.offline.translation.units import CURRENCIES, canonical_unit, same_unit


def reduce_currencies(sentence: Sentence) -> Sentence:
    """Turn `in euros` and the unit of `100,000 euros` into a filter on the currency column."""
    columns = [c for c in sentence.table.of_type("string") if _names_currency(c)]
    if len(columns) != 1:
        return sentence
    items: list[Item] = []
    for item in sentence.items:
        unit = item.bound.unit if item.bound is not None else item.unit
        condition = _condition(columns[0], unit, sentence.words(item))
        if condition is None:
            items.append(item)
            continue
        if item.kind != "unit":
            items.append(item)
        items.append(Item("filter", item.last - 1, item.last, "=", condition=condition))
    return sentence.with_items(items)


def _names_currency(column: Column) -> bool:
    return any("currency" in name for name in column.names)


def _condition(column: Column, unit: str | None, asked: str) -> OneOf | None:
    money = canonical_unit(unit) in CURRENCIES or unit == "lb"
    stored = tuple(v for v in column.known_values if same_unit(v, unit)) if money else ()
    return OneOf(column.name, stored, asked) if stored else None
