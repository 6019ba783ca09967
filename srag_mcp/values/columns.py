"""Columns: cells are read with the whole column in view, which decides what one leaves open."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold, tidy
from srag_mcp.values.dates import (
    DateOrder,
    DateText,
    decide_century,
    decide_order,
    find_dates,
    is_bare_day,
    is_one_of_several,
    read_date,
    with_century,
    with_year,
)
from srag_mcp.values.numbers import (
    HEDGED,
    NO_VALUE,
    Hedge,
    beside_number,
    find_number,
    hedge_of,
    is_bound,
    loose_scales,
    number_reader,
    read_durations,
)
from srag_mcp.values.quantities import Figure, Quantity, decide_grouping, read_numeral
from srag_mcp.values.states import (
    Column,
    Reader,
    Reading,
    State,
    Words,
    denies,
    failed,
    find_answers,
    read_boolean,
    read_missing,
    read_statement,
)
from srag_mcp.values.types import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, ColumnType
from srag_mcp.values.units import SIZES, convert, unit_of_name

_ASSUMED = "day before month, which no other document proves"
_AHEAD = "in this century, though it lies ahead and no other document proves it"
OTHER_DAYS = (
    (_ASSUMED, "make_date(year({0}), day({0}), month({0}))"),
    (_AHEAD, "CAST({0} - INTERVAL 100 YEAR AS DATE)"),
)
"""What the note of a cell says of a date that is assumed, and the other day it may be, as SQL."""
WITHOUT_TIME = "without its time of day"
# Neither midnight, which stands for no time, nor the offset of a zone.
_TIME = re.compile(r"(?<![\d:+−-])(?!0?0:00(?::00)?(?![\d:]))\d{1,2}:\d{2}(?!\d)")
DATED = "dated: "  # said in the context of a day without a year: the date of its document
YEAR_ADDED = "its year is that in which it is nearest to the document's date"
_HALF_A_YEAR = 182
# A two-digit year is told from a time only by many years that are near one another.
_ENOUGH_YEARS, _NEAR_YEARS = 10, 10
_LETTERS = re.compile(r"[^\W\d_]|\s")
_ALIKE = 92.0  # of 100, for a word that is meant to be a category: one letter in twelve


def read_column(declared: Column, said: Sequence[Words]) -> list[Reading]:
    """Return what the cells of one column come to, in the same order.

    What one cell leaves open (`1.234`, `3/4/2020`, "(in millions)", two spellings of a name) is
    decided on the whole column. Words that cannot be read are FAILED, with the reason; a
    placeholder ("n/a", "none") is NOT_MENTIONED or STATED_ABSENT.
    """
    if declared.type.is_text:
        closed = declared.categories
        answers = {
            text: answer
            for text, answer in find_answers([words.text for words in said], declared.name).items()
            if not closed or (text not in closed and answer in closed)
        }
        said = [Words(answers.get(text, text), context) for text, context in said]
    placeholders = {words: _placeholder(declared, words.text) for words in dict.fromkeys(said)}
    stated = [words for words in said if placeholders[words] is None]
    read = _READERS[declared.type](declared, stated)
    # most columns repeat a few words many times: each is read once
    known = {words: placeholder or read(words) for words, placeholder in placeholders.items()}
    for words, reading in known.items() if declared.type.is_ordered else ():
        has_number = any(map(str.isdigit, words.text))  # `no later than May 2024`
        if reading.state is State.FAILED and denies(words.text) and not has_number:
            known[words] = Reading(State.STATED_ABSENT)  # `never` among dates
        elif declared.type.is_date and denies(words.text) and not HEDGED.match(words.text):
            known[words] = failed("a day behind a denial")  # `never (last seen 2024-03-01)`
    return [known[words] for words in said]


def _placeholder(declared: Column, text: str) -> Reading | None:
    """Return what a placeholder says; None for words that may hold a value."""
    folded = text.strip().casefold()
    if not folded:
        return Reading(State.NOT_MENTIONED)
    is_value = folded in {category.casefold() for category in declared.categories or ()}
    if is_value or (declared.type.is_boolean and read_boolean(folded) is not None):
        return None
    missing = read_missing(text, declared.name if declared.type.is_text else "")
    return None if missing is None else Reading(missing)


def _boolean_reader(declared: Column, said: Sequence[Words]) -> Reader:
    """Decide whether the cells are answers, most of them yes or no, and not names of things."""
    counts = Counter(words.text for words in said)
    n_plain = sum(n for text, n in counts.items() if read_boolean(text) is not None)
    are_answers = n_plain >= _FIT * len(said)

    def read(words: Words) -> Reading:
        value = read_statement(words.text, declared.name, is_answer=are_answers)
        return failed("neither yes nor no") if value is None else Reading(State.STATED, value)

    return read


def _date_reader(declared: Column, said: Sequence[Words]) -> Reader:
    """Decide on the order of day and month; a partial date fails, but for a day of `_in_years`."""
    years_of = _in_years(said)
    texts = {words: years_of.get(words, words.text) for words in said}
    dates = {text: find_dates(text) for text in dict.fromkeys(texts.values())}
    everything = [item for words in said for _, item in dates[texts[words]]]
    order, proven = decide_order(everything)
    last = decide_century(everything, today := datetime.now(UTC).date())
    years = sorted(item.year for item in everything if item.year and not item.two_digits)

    def read(words: Words) -> Reading:
        text, found = texts[words], dates[texts[words]]
        if any(is_one_of_several(text, span) for span, _ in found):
            return failed("several dates")
        if not found:
            compact = read_date(text)
            reason = "a partial date" if find_dates(text, partial=True) else "not a date"
            return Reading(State.STATED, compact) if compact else failed(reason)
        placed = [with_century(item, last) for _, item in found]
        days = {item.on(order) for item in placed}
        day = days.pop()
        if days or day is None:
            return failed("several dates" if days else "an impossible date")
        # two digits that are far from all years are more likely something else, such as a time
        is_near = len(years) < _ENOUGH_YEARS or (
            years[0] - _NEAR_YEARS <= day.year <= years[-1] + _NEAR_YEARS
        )
        if not is_near and any(item.two_digits for item in placed):
            return failed("a year of two digits that is far from the other documents' years")
        hedge = _hedge_of_day(text, found, f"{declared.name} {words.context}")
        if hedge is not None and hedge in NO_VALUE:
            return failed(hedge)
        is_assumed = not proven and any(item.ambiguous for _, item in found)
        is_ahead = not years and day > today and any(item.two_digits for _, item in found)
        notes = (
            [str(hedge)] * (hedge is not None)
            + [_ASSUMED] * is_assumed
            + [_AHEAD] * is_ahead
            + [WITHOUT_TIME] * has_time(text)
        )
        notes += [YEAR_ADDED] * (words in years_of)
        return Reading(State.STATED, day, note="; ".join(notes), is_guess=hedge is not None)

    return read


def has_time(text: str) -> bool:
    """Return whether a time of day stands in a text, which the value of a date leaves out."""
    return _TIME.search(text) is not None


def _hedge_of_day(text: str, found: Sequence[tuple[Span, DateText]], label: str) -> Hedge | None:
    return hedge_of(text, found[0][0], label, is_day=True) if found else None


def _in_years(said: Sequence[Words]) -> dict[Words, str]:
    """Return days without a year in the year in which they are nearest to their document's date."""
    apart: dict[Words, int] = {}
    completed: dict[Words, str] = {}
    for words in dict.fromkeys(said):
        own = read_date(words.context.partition(DATED)[2].partition(";")[0])
        if own is None:
            continue
        texts = [words.text]
        if is_bare_day(words.text):
            texts = [with_year(words.text, own.year + step) for step in (0, -1, 1)]
        days = [(day - own).days for text in texts if (day := read_date(text)) is not None]
        if days:
            apart[words] = min(days, key=abs)
            completed[words] = texts[days.index(apart[words])]
    for side in (1, -1):
        near = {w for w, n in apart.items() if 0 <= side * n <= _HALF_A_YEAR}
        if len(near) >= _ENOUGH_YEARS and len(near) >= _FIT * len(apart):
            return {w: completed[w] for w in near if completed[w] != w.text}
    return {}


def _text_reader(declared: Column, said: Sequence[Words]) -> Reader:
    """Decide on the spellings of a column of texts, and return how each cell is read."""
    tidied = {text: tidy(text) for text in dict.fromkeys(words.text for words in said)}
    spellings = choose_spellings([tidied[words.text] for words in said])
    known = set(declared.categories or ())
    same = Counter(map(fold, declared.categories or ()))
    exact = {fold(name): name for name in declared.categories or () if same[fold(name)] == 1}
    if known:
        spellings = {
            value: value if value in known else _category(value, exact) or kept
            for value, kept in spellings.items()
        }

    def read(words: Words) -> Reading:
        written, note = tidied[words.text], ""
        value = spellings[written]
        if known and value not in known:
            note = "not one of the categories"
        elif value != written and fold(value) != fold(written):
            note = f"spelt {value!r} as {'in the categories' if known else 'other times are'}"
        return Reading(State.STATED, value, note=note)

    return read


def _category(value: str, exact: Mapping[str, str]) -> str | None:
    """Return the category that is meant, alone or among other words, but for a slip of letters."""
    from rapidfuzz import fuzz, process  # slow to import

    folded = fold(value)
    inside = [category for key, category in exact.items() if f" {key} " in f" {folded} "]
    if folded in exact or len(inside) == 1:
        return exact.get(folded) or inside[0]
    signs = _LETTERS.sub("", folded)
    like = [key for key in exact if _LETTERS.sub("", key) == signs]
    found = process.extractOne(folded, like, scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return exact[found[0]] if found else None


def choose_spellings(values: Sequence[str]) -> dict[str, str]:
    """Map every spelling to the one to keep: the most frequent, then the first in order.

    Times of day that are written in two ways become one: `7:30 pm` and `19:30` -> `19:30`.
    """
    if times := _write_times(values):
        return times
    counts = Counter(values)
    groups: dict[str, list[str]] = {}
    for value in counts:
        plain = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
        groups.setdefault(plain, []).append(value)
    kept: dict[str, str] = {}
    for group in groups.values():
        best = min(group, key=lambda value: (-counts[value], value.isupper(), value))
        kept.update(dict.fromkeys(group, best))
    return kept


_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>[0-5]\d))?\s?"
    r"(?:(?P<half>[ap])\.?\s?m\.?|(?P<of_24>uhr|h)|o['’]clock)?",
    re.IGNORECASE,
)


def _write_times(values: Sequence[str]) -> dict[str, str]:
    """Write times of day as `19:30` where *values* are nothing else, in two ways; else nothing."""
    found = {value: _CLOCK.fullmatch(value) for value in values}
    times = {value: match for value, match in found.items() if match}
    hours = {value: int(match["hour"]) for value, match in times.items()}
    are_times = (
        hours[value] <= (_NOON if match["half"] else 2 * _NOON)
        and (match["minute"] or match["half"])
        for value, match in times.items()
    )
    bare = [value for value, match in times.items() if not match["half"]]
    late = [
        hours[x] > _NOON or x[0] == "0" or bool(times[x]["of_24"] or "h" in x.lower()) for x in bare
    ]
    is_open = not (all(late) if len(bare) < len(times) else any(late))
    is_marked = any(":" in x or "h" in x.lower() or times[x]["half"] for x in times)
    if len(times) < len(found) or not all(are_times) or (bare and is_open) or not is_marked:
        return {}
    for value, match in times.items():
        if match["half"]:
            hours[value] = hours[value] % _NOON + _NOON * (match["half"].lower() == "p")
    written = {value: f"{hours[value]:02}:{times[value]['minute'] or '00'}" for value in times}
    is_mixed = 0 < len(bare) < len(times) or len({*written.values()}) < len(written)
    return written if is_mixed else {}


_NOON = 12
_READERS: Mapping[ColumnType, Callable[[Column, Sequence[Words]], Reader]] = {
    TEXT: _text_reader,
    INTEGER: number_reader,
    NUMBER: number_reader,
    BOOLEAN: _boolean_reader,
    DATE: _date_reader,
}

_FIT = 0.7
_MAX_CATEGORIES = 12
_CODE = re.compile(r"0\d+|\+?\d{10,}|\d[\d ]*-[\d -]*\d")
_LEADING_ZERO = re.compile(r"0\d[\d.,]*")
_WEEKDAY_OR_TIME = re.compile(
    r"\b(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?|as of|on"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\d{2}:\d{2}\S*",
    re.IGNORECASE,
)
_LONGEST_DATE = 12
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class TypeGuess:
    """The type that fits best.

    Attributes:
        type: `string` when nothing narrower fits most values.
        unit: The unit that most numbers carry; None when they carry none.
        share: Of the values that fit the type, 0 to 1; placeholders ("n/a") are not counted.
        categories: The spellings of a small closed set of texts, by falling count; else None.
    """

    type: ColumnType
    unit: str | None
    share: float
    categories: tuple[str, ...] | None


def classify_values(values: Sequence[str], name: str = "") -> TypeGuess:
    """Find the narrowest type that most of *values* have, in a column called *name*."""
    given = [value for value in values if value.strip() and read_missing(value, name) is None]
    if not given:
        return TypeGuess(TEXT, None, 0.0, None)
    if sum(len(value) <= _LONGEST_VALUE for value in given) < _FIT * len(given):
        return TypeGuess(TEXT, None, 1.0, None)
    if not all(value.strip().isdigit() for value in given):
        share = sum(read_boolean(value) is not None for value in given) / len(given)
        # where all others are a yes, too, the words tell more: `available`, `reserved`
        if share >= _FIT and (share == 1 or len({*map(read_statement, given)} - {None}) > 1):
            return TypeGuess(BOOLEAN, None, share, None)
    order = decide_order([day for value in given for _, day in find_dates(value)])[0]
    share = sum(_is_date(value, order) for value in given) / len(given)
    n_plain = sum(_hedge_of_day(value, find_dates(value), name) not in NO_VALUE for value in given)
    if share >= _FIT and 2 * n_plain >= len(given):
        return TypeGuess(DATE, None, share, None)
    durations = read_durations(given)
    share = sum(value in durations for value in given) / len(given)
    if share >= _FIT:
        whole = all(isinstance(item.value, int) for item in durations.values())
        return TypeGuess(INTEGER if whole else NUMBER, "s", share, None)
    numbers = _guess_numbers(given, name)
    if numbers is not None and numbers.share >= _FIT:
        return numbers
    answers = find_answers(values, name)
    texts = {value: answers.get(value, value) for value in (*given, *answers)}
    tidied = [tidy(texts[value]) for value in values if value in texts]
    kept = choose_spellings(tidied)
    counts = Counter(kept[value] for value in tidied)
    is_closed = 1 < len(counts) <= _MAX_CATEGORIES and len(counts) * 4 <= len(given)
    categories = tuple(value for value, _ in counts.most_common()) if is_closed else None
    return TypeGuess(TEXT, None, 1.0, categories)


def _is_date(value: str, order: DateOrder) -> bool:
    """Return whether the value is a date, and not a sentence with a date in it."""
    if read_date(value, order) is None:
        return False
    spans = [span for span, _ in find_dates(value)]
    rest = value[: spans[0].start] + value[spans[0].end :] if spans else ""
    return len(_WEEKDAY_OR_TIME.sub("", rest).strip()) <= _LONGEST_DATE


def _guess_numbers(values: Sequence[str], name: str) -> TypeGuess | None:
    """Guess a column of numbers; None where one value is a code: `00123` is no 123."""
    if 2 * sum(is_bound(value, label=name) for value in values) > len(values):
        return None
    padded = [value for value in values if _LEADING_ZERO.fullmatch(value.strip())]
    is_one_width = len({len(value.strip()) for value in values}) == 1
    if any(value.strip().isdigit() or is_one_width for value in padded):
        return None
    figures = [found for value in values if (found := _figure(value)) is not None]
    rests = Counter(rest for _, rest in figures)
    enough = max(len(values) / 2, min(2, len(values)))
    fitting = [figure for figure, rest in figures if not rest or rests[rest] >= enough]
    n_said = len(fitting)
    loose = loose_scales(fitting, unit_of_name(name))
    fitting = [
        figure
        for figure in fitting
        if not figure.numeral or read_numeral(figure.numeral) is not None
        if figure not in loose
    ]
    written = [figure for figure in fitting if figure.numeral]
    is_marked = not all(figure.numeral.isdigit() for figure in written)
    if not fitting or (len(fitting) < n_said and is_marked and not loose):
        return None
    grouping = decide_grouping(
        [figure.numeral for figure in written], [figure.factor for figure in written]
    )
    numbers = [figure.read(grouping) for figure in fitting]
    units = Counter(figure.unit for figure in fitting)
    unit, count = units.most_common(1)[0]
    if unit is None:
        unit = next((u for u, n in units.most_common() if u and n >= count / 2), None)
    whole = all(_is_whole(number, unit) for number in numbers if number is not None)
    return TypeGuess(INTEGER if whole else NUMBER, unit, len(fitting) / len(values), None)


def _is_whole(number: Quantity, unit: str | None) -> bool:
    """Return whether a number is a whole one in the unit of its column: 8 months are no years."""
    value = convert(float(number.value), number.unit or "", unit or "")
    if value is None or number.unit == unit:
        return isinstance(number.value, int)
    return value == int(value)


def _figure(value: str) -> tuple[Figure, str] | None:
    """Return the figure of a value and the words behind it, folded; None where it is none."""
    is_dated = any(found.precision != "year" for _, found in find_dates(value, partial=True))
    if is_dated or _CODE.fullmatch(value.strip()):
        return None
    found = find_number(value, "USD")
    if found.number is not None and found.number.unit in SIZES:  # `1 h 30 min`
        return Figure(Span(0, 0), str(found.number.value), unit=found.number.unit), ""
    if found.figure is None:
        is_word = len(value.split()) == 1 and not re.search(r"\d", value)
        if found.number is None or not is_word:
            return None
        return Figure(Span(0, 0), str(found.number.value)), ""
    if found.figure.upper is not None:
        return None
    span = found.figure.span
    before, behind = map(beside_number, (value[: span.start], value[span.end :]))
    return None if any(map(str.isalpha, before)) else (found.figure, f"{before} {behind}".strip())
