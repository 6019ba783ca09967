"""Traces: how a document would speak of a column that has no value for it."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from srag_mcp.answer.twins import meet_in_time
from srag_mcp.offline.kin import GENERAL_STEMS
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import ItemRule, KeyRule, MentionRule, PlaceRule
from srag_mcp.schema.schema import Schema
from srag_mcp.store.silence import Traces
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.units import CURRENCY_SYMBOLS, CURRENCY_WORDS, UNITS, is_currency

_NUMBERED = re.compile(r"_\d+$")
_MAX_VALUES = 60
_MAX_YEARS = 5
_NTH = r"\d{1,2}(?:st|nd|rd|th)?\.?,? "
_MONTH = r"[^\W\d_]{3,9}\.?,? "
_DAY_BEFORE_YEAR = rf"\d{{1,2}}[./-]|{_NTH}{_MONTH}|{_MONTH}{_NTH}"
_MIN_VALUE, _MAX_VALUE = 4, 40
_SAYING_NOTHING = frozenset({"none", "true", "false", "other", "unknown"})
_BETWEEN = r"\W{1,3}(?:\w+\W{1,3}){0,3}"
_ENDINGS = "e|es|s|ed|ing|ings|ly|ments?|ions?|ations?|ate[ds]?"
_NEAR = r"[^\n]{0,40}?"
_AMOUNT = r"\d[\d.,]*"


def traces_of(
    attribute: Attribute,
    schema: Schema,
    statistics: Mapping[str, ColumnStatistics],
    asked: Collection[str] = (),
) -> Traces:
    """Return what a document says that speaks of *attribute*: its names, values, and amounts.

    *asked* are the words of a question that mean a value of it.
    """
    own = statistics[attribute.name]
    stems = dict.fromkeys(found for name in _names(attribute) if (found := _telling(name)))
    patterns = [_together(found) for found in stems]
    if attribute.type.is_numeric or attribute.type.is_date:
        patterns = [_beside_a_digit(pattern) for pattern in patterns]
    if attribute.type.is_text:
        said = [*asked, *_values(own)]
        patterns += [rf"\b{_words(value)}\b" for value in said]
    if attribute.type.is_date:
        dates = [item.name for item in schema.attributes if item.type.is_date]
        same = [name for name in dates if meet_in_time(own, statistics[name])]
        return Traces(_any(patterns), _days(own), tuple(same))
    same = [item.name for item in schema.attributes if item.unit and item.unit == attribute.unit]
    return Traces(_any(patterns), _amounts(attribute), tuple(same))


def _names(attribute: Attribute) -> list[str]:
    """Return what documents call the attribute; a value told by its place has no name there."""
    rules = attribute.extractors
    if rules and all(isinstance(rule, PlaceRule | MentionRule) for rule in rules):
        return []
    names = [_NUMBERED.sub("", attribute.name).replace("_", " ")]
    for rule in rules:
        if isinstance(rule, KeyRule):
            names += rule.keys
        elif isinstance(rule, ItemRule):
            names += rule.items
    return list(dict.fromkeys(names))


def _telling(name: str) -> tuple[str, ...]:
    """Return the stems of *name*; none where they say only what sort of value it is."""
    stems = tuple(dict.fromkeys(content_stems(name)))
    return () if set(stems) <= GENERAL_STEMS else stems


def _together(stems: Sequence[str]) -> str:
    """Match all of *stems* near one another, in their order or backwards."""
    words = [_forms_of(stem) for stem in stems]
    forms = [_BETWEEN.join(words), _BETWEEN.join(reversed(words))]
    return "|".join(dict.fromkeys(forms))


def _forms_of(stem: str) -> str:
    """Match the words that have *stem*: `spa` is in "spas", and not in "space"."""
    if stem.endswith("y"):
        return rf"\b{re.escape(stem[:-1])}(?:y|ies|ied|ying)\b"
    return rf"\b{re.escape(stem)}(?:{_ENDINGS})?\b"


def _beside_a_digit(pattern: str) -> str:
    return rf"(?:{pattern}){_NEAR}\d|\d{_NEAR}(?:{pattern})"


def _values(statistics: ColumnStatistics) -> list[str]:
    """Return values that can be told anywhere in a text: words of some length."""
    texts = [str(item.value) for item in statistics.values if item.value is not None]
    return [text for text in texts if _is_telling(text)][:_MAX_VALUES]


def _is_telling(value: str) -> bool:
    folded = fold(value)
    return (
        len(folded) >= _MIN_VALUE
        and len(value) <= _MAX_VALUE
        and not any(char.isdigit() for char in folded)
        and folded not in _SAYING_NOTHING
    )


def _words(value: str) -> str:
    return r"\s+".join(re.escape(word) for word in value.split())


def _amounts(attribute: Attribute) -> str:
    """Match an amount in the unit of a column of numbers."""
    unit = attribute.unit
    if unit is None or not attribute.type.is_numeric:
        return ""
    known = (UNITS, CURRENCY_SYMBOLS, CURRENCY_WORDS)
    spelt = {unit, *(word for words in known for word, name in words.items() if name == unit)}
    spelling = "|".join(re.escape(word) for word in sorted(spelt))
    after = rf"{_AMOUNT}[\s-]?(?:{spelling})(?:\W|$)"
    in_key = rf"\b(?:{spelling})\)?\s?[:=|]\s*{_AMOUNT}"
    before = rf"|(?:{spelling})\s?{_AMOUNT}" if is_currency(unit) else ""
    return f"{after}|{in_key}{before}"


def _days(statistics: ColumnStatistics) -> str:
    """Match a day in the years of a column of dates, where these are few enough to tell."""
    first, last = (str(end or "")[:4] for end in (statistics.minimum, statistics.maximum))
    if not first.isdigit() or not last.isdigit() or int(last) - int(first) >= _MAX_YEARS:
        return ""
    years = rf"(?:{'|'.join(map(str, range(int(first), int(last) + 1)))})"
    return rf"(?:{_DAY_BEFORE_YEAR}){years}\b|\b{years}-\d\d-\d\d"


def _any(patterns: Iterable[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)
