"""A parse: one way to read a sentence, and what of the sentence it leaves over."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.reading import Reading
from srag_mcp.offline.translation.units import same_unit
from srag_mcp.offline.translation.wordings import only_tells

# Kinds that may stay unused: they shape the sentence, but ask for nothing by themselves.
_FREE: frozenset[Kind] = frozenset(
    {
        "entity",
        "wh",
        "list",
        "and",
        "yes_no",
        "say",
        "glue",
        "mark",
        "each",
        "how_many",
        "how_much",
        "direction",
    }
)
_SAFE_TOGETHER: frozenset[Kind] = frozenset({"period"})


@dataclass(frozen=True)
class Parse:
    """A reading with the items it used.

    Attributes:
        reading: What is asked.
        used: The items that have a place in it, filters included.
        score: Below 1 where something was assumed.
        ordered: Whether the order of the rows is asked for.
    """

    reading: Reading
    used: tuple[Item, ...]
    score: float = 1.0
    ordered: bool = False


def unused(sentence: Sentence, parse: Parse, columns: Iterable[str]) -> list[Item]:
    """Return the items that carry meaning and have no place in *parse*.

    A word that only describes a column has its place when the reading uses that column (*columns*).
    """
    spoken = set(columns)
    used = {(item.first, item.last) for item in parse.used}
    return [
        item
        for item in sentence.items
        if (item.first, item.last) not in used
        and item.kind not in _FREE
        and not _is_covered(sentence, item, spoken)
    ]


def _is_covered(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    if item.kind in {"attribute", "hint"}:
        return _speaks_of(sentence, item, spoken) or only_tells(sentence, item)
    if item.kind == "or":
        at = sentence.items.index(item)
        near = [sentence.items[i].kind for i in (at - 1, at + 1) if 0 <= i < len(sentence.items)]
        later = sentence.items[at + 1 :]
        paired = sentence.words(item).lower() == "either" and any(i.kind == "or" for i in later)
        return near == ["filter", "filter"] or paired
    if item.kind == "unknown":
        people = sentence.tokens[item.first].stem == "person" and item.last - item.first == 1
        return people and sentence.has("attribute")
    if item.kind == "time":
        return sentence.words(item).lower() == "by"
    dates = {column.name for column in sentence.table.dates}
    period = item.kind == "period" and (item.word == "date" or bool(dates & spoken))
    return period or (item.kind == "unit" and _fits_unit(sentence, item, spoken))


def _fits_unit(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    """Whether a column in use can be in the unit: it is, or its unit is unknown."""
    columns = [column for name in spoken if (column := sentence.table.column(name)) is not None]
    shared = any(same_unit(c.attribute.unit, item.unit) for c in columns if c.attribute.unit)
    unknown = any(c.is_number and c.attribute.unit is None for c in columns)
    return shared or unknown or item.unit == "percent"


def _speaks_of(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    """Whether the words of *item* speak of a column in use, or only of people."""
    share = 0.3 if item.last - item.first == 1 else 0.6
    floor = share * item.columns[0][1] if item.columns else 0
    if any(name in spoken and weight >= floor for name, weight in item.columns):
        return True
    return sentence.tokens[item.first].stem == "person" and item.last - item.first == 1


def words_of(sentence: Sentence, items: Sequence[Item]) -> tuple[str, ...]:
    """Return what the question says with *items*."""
    return tuple(dict.fromkeys(sentence.words(item) for item in items))
