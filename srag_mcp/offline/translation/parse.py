"""A parse: one way to read a sentence, and what of the sentence it leaves over."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from srag_mcp.offline.translation.date_parts import asks_part
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.reading import OneOf, Reading
from srag_mcp.offline.translation.stated_filters import ABSENT
from srag_mcp.offline.translation.thesaurus import COMPARATIVES
from srag_mcp.offline.translation.tokens import stem
from srag_mcp.offline.translation.units import CURRENCIES, canonical_unit, same_unit
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
_ASKED: frozenset[Kind] = frozenset(
    {"how_many", "distinct", "each", "wh", "list", "most", "least", "than", "not"}
)
_NAMING = frozenset(stem(word) for word in ("name", "title"))
_PAYING = frozenset(stem(word) for word in ("pay", "cost", "spend", "charge"))


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
        and not _is_free(sentence, item, spoken)
        and not _is_covered(sentence, item, spoken)
    ]


def _is_free(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    """Whether *item* only shapes the sentence; `how long` asks for a column that is long."""
    if item.kind == "wh" and item.word in COMPARATIVES and sentence.table.named:
        columns = [column for name in spoken if (column := sentence.table.column(name))]
        return any(c.measures(concept) for c in columns for concept in COMPARATIVES[item.word])
    if item.kind == "each" and sentence.table.named:
        at = sentence.items.index(item) + 1
        held = at < len(sentence.items) and isinstance(sentence.items[at].condition, OneOf)
        return not held or sentence.gap(item, sentence.items[at]) > 0
    if item.kind == "wh" and item.word in {"when", "where", "who"}:
        return not _asks_again(sentence, item) or _answers(sentence, item, spoken)
    if item.kind == "say":
        return sentence.words(item).lower() not in ABSENT or not sentence.table.named
    return item.kind in _FREE


def _asks_again(sentence: Sentence, item: Item) -> bool:
    """Whether *item* asks a second thing behind `and`: `… and when was it built`."""
    at = sentence.items.index(item)
    return at > 1 and sentence.items[at - 1].kind == "and" and sentence.table.named


def _answers(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    """Whether a column in use answers *item*: a date for `when`."""
    kinds = {"date"} if item.word == "when" else {"string"}
    return any(
        (column := sentence.table.column(name)) is not None and column.attribute.type in kinds
        for name in spoken
    )


def _is_covered(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    if item.kind in {"attribute", "hint"}:
        told = only_tells(sentence, item) or _pays(sentence, item, spoken)
        told = told or _is_thing(sentence, item)
        return told or _speaks_of(sentence, item, spoken)
    if item.kind == "unknown":
        return _pays(sentence, item, spoken) or (
            _is_person(sentence, item) and sentence.has("attribute")
        )
    if item.kind == "or":
        return _joins_filters(sentence, item)
    if item.kind == "time":
        return sentence.words(item).lower() == "by"
    return _fits_date(sentence, item, spoken) or _fits_unit(sentence, item, spoken)


def _is_thing(sentence: Sentence, item: Item) -> bool:
    """Whether *item* is the thing that the label names, and nothing is asked of it: `vessels`."""
    label, at = sentence.table.label, sentence.items.index(item)
    before = sentence.items[at - 1].kind if at else "list"
    if label is None or before in _ASKED or not sentence.table.named:
        return False
    word = sentence.tokens[item.first].stem
    named = any(len(name) > 1 and word in name and word not in _NAMING for name in label.names)
    return item.last - item.first == 1 and (named or label.is_called(word))


def _joins_filters(sentence: Sentence, item: Item) -> bool:
    """Whether an `or` joins two filters, or is the `either` of such a pair."""
    at = sentence.items.index(item)
    near = [sentence.items[i].kind for i in (at - 1, at + 1) if 0 <= i < len(sentence.items)]
    later = any(other.kind == "or" for other in sentence.items[at + 1 :])
    return near == ["filter", "filter"] or (later and sentence.words(item).lower() == "either")


def _is_person(sentence: Sentence, item: Item) -> bool:
    return sentence.tokens[item.first].stem == "person" and item.last - item.first == 1


def _fits_date(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    """Whether a noun for time belongs to a date in use: `in the year 2020`, not `the week of`."""
    if item.kind != "period" or asks_part(sentence, item):
        return False
    dates = {column.name for column in sentence.table.dates}
    timed = item.word not in {"week", "quarter", "decade"} and bool(dates & spoken)
    return item.word == "date" or timed


def _pays(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    """Whether *item* is a verb of payment beside an amount of money: `paid the highest fine`."""
    priced = any(
        canonical_unit(column.attribute.unit) in CURRENCIES
        for name in spoken
        if (column := sentence.table.column(name)) is not None
    )
    token = sentence.tokens[item.first]
    return priced and item.last - item.first == 1 and token.stem in _PAYING


def _fits_unit(sentence: Sentence, item: Item, spoken: set[str]) -> bool:
    """Whether a column in use can be in the unit: it is, or its unit is unknown."""
    if item.kind != "unit":
        return False
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
    return _is_person(sentence, item)


def words_of(sentence: Sentence, items: Sequence[Item]) -> tuple[str, ...]:
    """Return what the question says with *items*."""
    return tuple(dict.fromkeys(sentence.words(item) for item in items))
