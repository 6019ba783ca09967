"""Columns: cells are read with the whole column in view, which decides what one leaves open."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold, tidy
from srag_mcp.values.dates import (
    DateOrder,
    DateText,
    decide_order,
    find_dates,
    is_one_of_several,
    read_date,
    with_century,
)
from srag_mcp.values.numbers import number_reader
from srag_mcp.values.states import (
    Column,
    Reader,
    Reading,
    State,
    Words,
    denies,
    failed,
    read_boolean,
    read_missing,
    read_statement,
)
from srag_mcp.values.types import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, ColumnType

_ASSUMED = "day before month, which no other document proves"
# A two-digit year is told from a time only by many years that are near one another.
_ENOUGH_YEARS, _NEAR_YEARS = 10, 10


def read_column(declared: Column, said: Sequence[Words]) -> list[Reading]:
    """Return what the cells of one column come to, in the same order.

    What one cell leaves open (`1.234`, `3/4/2020`, "(in millions)", two spellings of a name) is
    decided on the whole column. Words that cannot be read are FAILED, with the reason; a
    placeholder ("n/a", "none") is NOT_MENTIONED or STATED_ABSENT.
    """
    placeholders = {words: _placeholder(declared, words.text) for words in dict.fromkeys(said)}
    stated = [words for words in said if placeholders[words] is None]
    read = _READERS[declared.type](declared, stated)
    # most columns repeat a few words many times: each is read once
    known = {words: placeholder or read(words) for words, placeholder in placeholders.items()}
    return [known[words] for words in said]


def absence(declared: Column) -> bool | int | float | None:
    """Return the value of a cell that says that there is none: `no pool` -> False."""
    if declared.type.denied is not None:
        return declared.type.denied
    if declared.absent_means == "zero":
        return 0 if declared.type.is_whole else 0.0
    return None


def _placeholder(declared: Column, text: str) -> Reading | None:
    """Return what a placeholder says; None for words that may hold a value."""
    if not text.strip():
        return Reading(State.NOT_MENTIONED)
    missing = None if _is_value(declared, text) else read_missing(text)
    if missing is None:
        return None
    return Reading(missing, absence(declared) if missing is State.STATED_ABSENT else None)


def _is_value(declared: Column, text: str) -> bool:
    """Return whether a placeholder is a value here, such as the category "Unknown"."""
    folded = text.strip().casefold()
    if declared.type.is_boolean:
        return read_boolean(folded) is not None
    return folded in {category.casefold() for category in declared.categories or ()}


def _boolean_reader(declared: Column, _said: Sequence[Words]) -> Reader:
    def read(words: Words) -> Reading:
        value = read_statement(words.text, declared.name)
        return failed("neither yes nor no") if value is None else Reading(State.STATED, value)

    return read


def _number_reader(declared: Column, said: Sequence[Words]) -> Reader:
    read = number_reader(declared, said)

    def read_or_deny(words: Words) -> Reading:
        reading = read(words)
        if reading.state is State.FAILED and denies(words.text):
            return Reading(State.STATED_ABSENT, absence(declared))
        return reading

    return read_or_deny


@dataclass(frozen=True, slots=True)
class _Dates:
    """What was decided on a column; *years* are those with four digits, sorted."""

    order: DateOrder
    proven: bool
    years: tuple[int, ...]


def _date_reader(_declared: Column, said: Sequence[Words]) -> Reader:
    """Decide on the order of day and month; a partial date is not completed but fails."""
    found = {text: find_dates(text) for text in dict.fromkeys(words.text for words in said)}
    everything = [item for words in said for _, item in found[words.text]]
    order, proven = decide_order(everything)
    years = sorted(item.year for item in everything if item.year and not item.two_digits)
    column = _Dates(order, proven, tuple(years))
    return lambda words: _read_day(words.text, found[words.text], column)


def _read_day(text: str, found: Sequence[tuple[Span, DateText]], column: _Dates) -> Reading:
    if any(is_one_of_several(text, span) for span, _ in found):
        return failed("several dates")
    if not found:
        compact = read_date(text)
        reason = "a partial date" if find_dates(text, partial=True) else "not a date"
        return Reading(State.STATED, compact) if compact else failed(reason)
    placed = [with_century(item, column.years) for _, item in found]
    days = {item.on(column.order) for item in placed}
    day = days.pop()
    if days or day is None:
        return failed("several dates" if days else "an impossible date")
    if any(_is_far(item, column.years) for item in placed):
        return failed("a year of two digits that is far from the other documents' years")
    assumed = not column.proven and any(item.ambiguous for _, item in found)
    return Reading(State.STATED, day, note=_ASSUMED if assumed else "")


def _is_far(found: DateText, years: Sequence[int]) -> bool:
    """Return whether a two-digit year is more likely something else, such as a time."""
    if not found.two_digits or found.year is None or len(years) < _ENOUGH_YEARS:
        return False
    return not years[0] - _NEAR_YEARS <= found.year <= years[-1] + _NEAR_YEARS


_ALIKE = 92.0  # of 100, for a word that is meant to be a category: one letter in twelve


def _text_reader(declared: Column, said: Sequence[Words]) -> Reader:
    """Decide on the spellings of a column of texts, and return how each cell is read.

    Spellings that differ only in case, punctuation or white space become the most frequent one. A
    closed set of categories wins over the spelling of the documents.
    """
    tidied = {text: tidy(text) for text in dict.fromkeys(words.text for words in said)}
    spellings = choose_spellings([tidied[words.text] for words in said])
    if declared.categories:
        spellings = _categories(spellings, declared.categories)
    known = set(declared.categories or ())

    def read(words: Words) -> Reading:
        value = tidied[words.text]
        return _spelt(value, spellings[value], known)

    return read


def choose_spellings(values: Sequence[str]) -> dict[str, str]:
    """Map every spelling to the one to keep: the most frequent, then the first in order."""
    counts = Counter(values)
    groups: dict[str, list[str]] = {}
    for value in counts:
        groups.setdefault(fold(value) or value, []).append(value)
    kept: dict[str, str] = {}
    for group in groups.values():
        best = min(group, key=lambda value: (-counts[value], value.isupper(), value))
        kept.update(dict.fromkeys(group, best))
    return kept


def _categories(spellings: Mapping[str, str], categories: Sequence[str]) -> dict[str, str]:
    same = Counter(map(fold, categories))
    exact = {fold(category): category for category in categories if same[fold(category)] == 1}
    return {
        value: value
        if value in categories
        else exact.get(fold(value)) or _nearest(value, exact) or kept
        for value, kept in spellings.items()
    }


def _nearest(value: str, exact: Mapping[str, str]) -> str | None:
    # Outside library, imported where it is needed: it is slow to start.
    from rapidfuzz import fuzz, process

    folded = fold(value)
    inside = [category for key, category in exact.items() if f" {key} " in f" {folded} "]
    if len(inside) == 1:
        return inside[0]
    found = process.extractOne(folded, list(exact), scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return exact[found[0]] if found else None


def _spelt(tidied: str, value: str, known: set[str]) -> Reading:
    note = ""
    if known and value not in known:
        note = "not one of the categories"
    elif value != tidied and fold(value) != fold(tidied):
        note = f"spelt {value!r} as in the categories"
    return Reading(State.STATED, value, note=note)


_READERS: Mapping[ColumnType, Callable[[Column, Sequence[Words]], Reader]] = {
    TEXT: _text_reader,
    INTEGER: _number_reader,
    NUMBER: _number_reader,
    BOOLEAN: _boolean_reader,
    DATE: _date_reader,
}
