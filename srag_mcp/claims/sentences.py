"""Whether a sentence stands on its quotes: each number, date and name in it is in one of them.

What code cannot see: a number or a name that its passages have, in another's place, where no head
of a column tells whose it is; a condition; and what words claim that neither deny nor bound.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import dropwhile, islice, takewhile
from typing import NamedTuple, TypeAlias

from srag_mcp.claims.captions import is_tabular, read_scales, read_years, spell_years
from srag_mcp.claims.figures import find_marks
from srag_mcp.claims.quotes import statement_at
from srag_mcp.documents.lines import collapse
from srag_mcp.text.spans import Span
from srag_mcp.text.words import (
    STOP_WORDS,
    WORD,
    content_words,
    fold_word,
    fold_words,
    languages_of,
    stem,
    words,
)
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.quantities import (
    DECIMAL_COMMA,
    Quantity,
    find_quantities,
    read_numeral,
    scan_figures,
)
from srag_mcp.values.states import NONE_OF, WORDS, has_denial
from srag_mcp.values.units import SCALES, convert, is_currency, parse_unit, unit_of, units_in

_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"\b[^\W\d_]\w+")
_PERIOD = re.compile(r"[HQ][1-4]|[FC]Y\d*")  # documents spell it out: `six months ended June 30`
_NAMED_YEAR = re.compile(r"(?:^|_)((?:19|20)\d\d)(?:_|$)")
_POINTS = re.compile(r"\s*(?:%|percent|per\s?cent|percentage|points?\b|pp\b)", re.IGNORECASE)
_BASIS_POINTS = re.compile(r"\s*(?:basis|bps?\b)", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"[\w&.-]+\s*$")
_MINUS = re.compile(r"(?<![^\s|(])[-−][$€£]?$")
_BEFORE = 3
_SAME = 1e-9
_ROUNDED = 0.05  # half of the last digit of two: fewer say too little
_SHORTEST_ROOT, _LONGEST_ENDING = 4, 2  # `Hotel`, `Hotels`; not `Marsh`, `Marshall`
_LONGEST_CODE = 6

# Whether a folded word is of another document, and whether the question names it.
IsAnother: TypeAlias = Callable[[str, bool], bool]


@dataclass(frozen=True, slots=True)
class Ground:
    """Words of a document, and the number that was read from them.

    Attributes:
        text: Of the document.
        quote: Where the words stand in it.
        floor: Where their page or section begins: heads are sought from there on.
        around: What was read with them, the names of the document included.
        value: The number, in *unit*; None where the words are what counts.
        unit: As it was given; its scale counts.
    """

    text: str
    quote: Span
    floor: int
    around: str
    value: float | None = None
    unit: str | None = None

    @property
    def size(self) -> float | None:
        """The value without its scale: 12 in `million USD` is 12,000,000."""
        return None if self.value is None else self.value * parse_unit(self.unit or "").scale


class Result(NamedTuple):
    """What was computed; *is_percent*: 12 means 12 %."""

    value: float | bool
    is_percent: bool = False


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number of a quote; *is_whole*: it has its scale or unit with it; *units*: it may be in."""

    value: float
    span: Span
    units: Set[str]
    is_whole: bool

    def sizes(self, ground: Ground, unit: str | None) -> Set[float]:
        if self.is_whole:
            return {self.value}
        scales = read_scales(ground.text, self.span, ground.floor, unit)
        return {self.value * scale for scale in scales}

    def may_be_in(self, units: Set[str], ground: Ground) -> bool:
        """Whether it is in one of *units*, or says none and what holds for it does."""
        if not units or self.units:
            return not units or not self.units.isdisjoint(units)
        said = statement_at(ground.text, self.span)
        known = units_in(
            ground.around if is_tabular(said.of(ground.text)) else said.of(ground.text)
        )
        is_money = any(map(is_currency, units)) and not any(map(is_currency, known))
        return not units.isdisjoint(known | units_in(ground.text) if is_money else known)

    def years(self, ground: Ground) -> Set[int]:
        return read_years(ground.text, self.span, ground.floor)


def check_number(name: str, ground: Ground) -> str:
    """Say why the value of *ground*, which is called *name*, does not follow; empty if it does.

    It is a number of the quote, times the scale that its table has, and of the year in its name.
    """
    size = ground.size
    if size is None:
        return ""
    agreeing = _agreeing(ground, size)
    if not agreeing:
        said = sorted({x for item in _figures(ground) for x in item.sizes(ground, ground.unit)})
        shown = ", ".join(f"{other:.15g}" for other in said) or "no number"
        return f"the value is {size:.15g}, and its quote has, with the scale of its table, {shown}"
    starts = (item.span.start for item in agreeing)
    before = (ground.text[max(0, start - _BEFORE) : start] for start in starts)
    if size > 0 and all(map(_MINUS.search, before)):  # brackets may part expenses from incomes
        return f"its number has a minus: the value is {-size:.15g}"
    named = _NAMED_YEAR.search(name)
    years = [item.years(ground) for item in agreeing]
    if named and all(years) and not any(int(named[1]) in found for found in years):
        found = " or ".join(map(str, sorted(years[0])))
        return f"its number stands in the column of {found}"
    return ""


def check_sentence(
    said: str,
    grounds: Sequence[Ground],
    results: Mapping[str, Result],
    question: str,
    is_another: IsAnother = lambda word, is_asked: False,
) -> list[str]:
    """Say what in the sentence *said* neither *grounds* nor the *results* of computing have.

    *is_another*: whether a folded word names a document that is none of those quoted or, where the
    question has it as a name, stands in others alone. A year may be that of the question; a number
    may not.
    """
    spelled = spell_years(said)
    dates = find_dates(spelled, partial=True)
    around = "\n".join(ground.around for ground in grounds)
    known = f"{around}\n{question}"
    problems = [
        f"the date {span.of(spelled)!r} is in none of its passages"
        for span, found in dates
        if not _has_date(span.of(spelled), found, known, grounds)
    ]
    years = {found.year for _, found in dates if found.year is not None}
    for span, quantity in _quantities(spelled, [taken for taken, _ in dates]):
        is_date = any(taken.start <= span.start and span.end <= taken.end for taken, _ in dates)
        if is_date or span.of(spelled).lower() == "one":
            continue
        ends = [end for end in (quantity.value, quantity.upper) if end is not None]
        units = _units_of(span.of(spelled), quantity)
        for end in ends:
            problem = _check_figure(end, units, span, spelled, grounds, results)
            problems += [problem] if problem and not _is_label(span, spelled, known) else []
        problems += _check_years(ends[0], _slack(span.of(spelled), ends[0]), years, grounds)
    problems += [
        f"the name {word!r} is in none of its passages"
        for word in _names(spelled, [span for span, _ in dates], around, question, is_another)
    ]
    quotes = "\n".join(ground.quote.of(ground.text) for ground in grounds)
    return [
        *problems,
        *_check_denial(said, grounds),
        *_check_direction(said, quotes, results),
        *_check_bounds(said, quotes),
        *_check_cause(said, [(ground.text, ground.quote) for ground in grounds]),
        *_check_multiples(
            said, quotes, _sizes(grounds), [float(x.value) for x in results.values()]
        ),
    ]


def _quantities(said: str, dates: Sequence[Span]) -> list[tuple[Span, Quantity]]:
    """Find the quantities of *said*, where no year ends a range: `60 % in 2018 to 23 % in 2019`."""
    found = find_quantities(said)
    ranges = [span for span, quantity in found if quantity.upper is not None]
    for taken in dates:
        if any(span.start <= taken.start and taken.end <= span.end for span in ranges):
            said = f"{said[: taken.start]}{'x' * (taken.end - taken.start)}{said[taken.end :]}"
            found = find_quantities(said)
    return found


def _units_of(said: str, quantity: Quantity) -> Set[str]:
    """Return the units that *quantity*, written as *said*, may be in: those of `$` are many."""
    figure = next(iter(scan_figures(said)), None)
    possible = frozenset[str]() if figure is None else figure.possible_currencies
    return possible | ({quantity.unit} if quantity.unit else frozenset())


def _sizes(grounds: Sequence[Ground]) -> list[tuple[float, int | None]]:
    """Return the numbers of *grounds*, those that were extracted if several were; and the years."""
    found = [
        (size, item.years(ground))
        for ground in grounds
        for item in _figures(ground)
        for size in item.sizes(ground, ground.unit)
        if ground.size is None or _is_same(size, ground.size)
    ]
    return [(abs(size), min(years) if len(years) == 1 else None) for size, years in found]


def _check_figure(  # noqa: PLR0913 - a number where it stands, and what it is held against
    value: float,
    units: Set[str],
    span: Span,
    said: str,
    grounds: Sequence[Ground],
    results: Mapping[str, Result],
) -> str:
    after = said[span.end :]
    is_share = units == {"percent"} or _POINTS.match(after) is not None
    slack = _slack(span.of(said), value)
    factor = 100 if is_share else 10_000 if _BASIS_POINTS.match(after) else 1
    for number, is_percent in results.values():
        size = number * (factor / 100 if is_percent else factor)
        is_same = _is_same(size, value, slack)
        if is_same and not isinstance(number, bool) and not (is_percent and factor == 1):
            return ""
    if any(_says(ground, value, units, slack) for ground in grounds):
        return ""
    n_listed = len({ground.quote for ground in grounds if ground.value is None})
    if value == n_listed > 1 and not units:
        return ""  # counted: each of them has a quote
    told = ", ".join(f"{name} = {item.value:.6g}" for name, item in results.items())
    computing = f", and compute gives {told}" if told else ", and no result of compute"
    return f"the number {span.of(said)!r} is in none of its quotes{computing}"


def _says(ground: Ground, value: float, units: Set[str], slack: float) -> bool:
    """Whether *ground* has the number *value*: as its own, or as one of its words in prose."""
    size = ground.size
    given = (parse_unit(ground.unit or "").unit or "").partition("/")[0]  # `EUR/share` is EUR
    if size is not None and given and units and given not in units:
        carried = [convert(size, given, unit) for unit in units]
        return any(item is not None and _is_same(item, value, slack) for item in carried)
    line = ground.text[ground.text.rfind("\n", 0, ground.quote.start) + 1 : ground.quote.end]
    unit = next(iter(units)) if len(units) == 1 else None
    figures = [item for item in _figures(ground) if item.may_be_in(units, ground)]
    is_cell, is_scaled = is_tabular(line), ground.unit is None and unit not in (None, "percent")
    if size is not None and is_cell and is_scaled:
        figures = [item for item in figures if _is_same(item.value, size)]
    elif size is not None and figures and (is_cell or _is_same(size, value, slack)):
        return _is_same(size, value, slack)
    meant = unit or ground.unit
    return any(_is_same(x, value, slack) for item in figures for x in item.sizes(ground, meant))


def _figures(ground: Ground) -> Iterator[_Figure]:
    quote, start = ground.quote.of(ground.text), ground.quote.start
    taken: list[Span] = []
    said: list[tuple[Span, Set[str]]] = []
    for figure in scan_figures(quote):
        read = figure.read()
        units = set() if read is None else _units_of(figure.span.of(quote), read)
        said.append((figure.span, units))
        if read is not None and (figure.scaled or figure.unit == "percent"):
            taken.append(figure.span)
            for end in (read.value, read.upper):
                if end is not None:
                    yield _Figure(float(end), figure.span.moved(start), units, is_whole=True)
    for span, quantity in find_quantities(quote):
        if not any(map(str.isdigit, span.of(quote))):  # a number in words
            units = _units_of(span.of(quote), quantity)
            yield _Figure(float(quantity.value), span.moved(start), units, is_whole=True)
    before = ground.text.rfind("\n\n", 0, start) + 1
    block = ground.text[before : max(ground.text.find("\n\n", start), ground.quote.end)]
    style = find_marks(block) or find_marks(ground.around)
    for found in _NUMERAL.finditer(quote):
        place = Span(*found.span())
        value = read_numeral(found[0], "." if style == DECIMAL_COMMA else ",")
        if value is not None and not any(place.overlaps(other) for other in taken):
            own = next((units for span, units in said if place.overlaps(span)), set())
            yield _Figure(float(value), place.moved(start), own, is_whole=False)


def _agreeing(ground: Ground, size: float) -> list[_Figure]:
    """Return the numbers of a quote that may be *size*, with the scale of their table."""
    return [
        item
        for item in _figures(ground)
        if any(_is_same(size, one) for one in item.sizes(ground, ground.unit))
    ]


def _check_years(
    value: float, slack: float, years: Set[int], grounds: Sequence[Ground]
) -> list[str]:
    """Say so where a number stands in the column of a year that the sentence does not name."""
    for ground in grounds:
        if not years or ground.size is None or not _is_same(ground.size, value, slack):
            continue
        for item in _agreeing(ground, ground.size):
            found = item.years(ground)
            if found and not found & years:
                told = " or ".join(map(str, sorted(found)))
                return [f"{ground.quote.of(ground.text)!r} stands in the column of {told}"]
    return []


def _has_date(said: str, found: DateText, known: str, grounds: Sequence[Ground]) -> bool:
    spelled = spell_years(known.replace("_", " "))
    if fold_words(said) in fold_words(spelled):
        return True
    for _, other in find_dates(spelled, partial=True):
        is_year = found.year is None or other.year == found.year
        is_month = found.month in (None, other.month) and found.day in (None, other.day)
        if is_year and is_month and found.quarter in (None, other.quarter):
            return True
    is_bare = found.month is None and found.quarter is None
    heads = (item.years(ground) for ground in grounds for item in _figures(ground))
    return is_bare and any(found.year in years for years in heads)


def _is_label(span: Span, said: str, known: str) -> bool:
    """Whether a number is a part of a name that stands there: `Note 5`, `S&P 500`."""
    before = _WORD_BEFORE.search(said[: span.start])
    name = fold_words(f"{before[0] if before else ''}{span.of(said)}")
    is_named = before is not None and not before[0][0].islower() and not before[0][0].isdigit()
    return is_named and f" {name} " in f" {fold_words(known)} "


def _names(
    said: str,
    dates: Sequence[Span],
    around: str,
    question: str,
    is_another: IsAnother,
) -> Iterator[str]:
    """Yield the names of *said* that no passage has, but the question alone may have."""
    said_of = ({*words(text.replace("_", " "))} for text in (around, question))
    there, asked = (found | {*map(stem, found)} for found in said_of)
    # of the words with capitals: `Chief Executive Officer`
    initials = "".join(
        other[0] if other[0].isupper() else "" if fold_word(other) in STOP_WORDS else " "
        for other in WORD.findall(around)
    )
    for found in _NAME.finditer(said):
        word, folded = found[0], fold_word(found[0])
        place = Span(*found.span())
        if not word[0].isupper() or any(place.overlaps(span) for span in dates):
            continue
        is_general = folded in STOP_WORDS or folded in SCALES or unit_of(word) is not None
        if is_general or _is_known(folded, there):
            continue
        if _is_known(folded, asked):
            is_name = _PERIOD.fullmatch(word) is None
            if is_name and is_another(folded, f" {word}" in question):
                yield word
            continue
        if word.isupper() and len(word) <= _LONGEST_CODE and word in initials:
            continue
        before, after = said[: found.start()].rstrip("“\"'( "), said[found.end() :]
        is_first = not before or before[-1] in ".!?:;"
        goes_on = re.match(r"['’]s\b| (?:[A-Z]|Inc|Ltd|GmbH)[^\W\d_]", after) is not None
        if not is_first or goes_on or is_another(folded, False):
            yield word


def _is_known(word: str, known: Set[str]) -> bool:
    """Whether a folded word or a form of it is among *known*: `Hotels` beside `Hotel`."""
    if word in known or stem(word) in known:
        return True
    return any(
        min(len(word), len(other)) >= _SHORTEST_ROOT
        and abs(len(word) - len(other)) <= _LONGEST_ENDING
        and (word.startswith(other) or other.startswith(word))
        for other in known
    )


def _check_denial(said: str, grounds: Sequence[Ground]) -> list[str]:
    """Say so where a sentence repeats its one quote but for a word that denies."""
    quotes = [ground.quote.of(ground.text) for ground in grounds if ground.value is None]
    if len(quotes) != 1 or len(grounds) != 1 or has_denial(said) == has_denial(quotes[0]):
        return []
    told, quoted = (
        {stem(word) for word in content_words(text) if not has_denial(word)}
        for text in (said, quotes[0])
    )
    return ["it denies what its quote says, or the other way round"] if told <= quoted else []


def _check_direction(said: str, quotes: str, results: Mapping[str, Result]) -> list[str]:
    """Say so where a change goes up and its quotes or its result go down, or vice versa."""
    way = _direction_of(said)
    if way == 0:
        return []
    if not results:
        is_other = _direction_of(quotes) == -way
        return ["it says the contrary of its quotes: up for down, or down for up"] * is_other
    if any(isinstance(item.value, bool) for item in results.values()):
        return []  # the words were chosen by a comparison
    negative = [name for name, item in results.items() if item.value < 0]
    return [f"{name} is negative: say the change by a comparison" for name in negative[:1]]


def _slack(said: str, value: float) -> float:
    """Return how far a number may be off that is written as *said*: half of its last digit."""
    figure = next(iter(scan_figures(said)), None)
    number = read_numeral(figure.numeral) if figure is not None and figure.numeral else None
    if figure is None or number is None:
        return 0.0
    decimals = len(re.split("[.,]", figure.numeral)[-1]) if isinstance(number, float) else 0
    end = figure if figure.scaled or figure.upper is None else figure.upper
    return min(end.scale * 10.0 ** (end.power - decimals) / 2, _ROUNDED * abs(value))


def _is_same(one: float, other: float, slack: float = 0.0) -> bool:
    return math.isclose(abs(one), abs(other), rel_tol=_SAME, abs_tol=slack)


def _whole(said: str) -> str:
    return rf"(?<!\w)(?:{fold_word(said.replace(chr(10), ''))})(?!\w)"


_UP, _DOWN = (frozenset(map(fold_word, WORDS["directions"][way].split())) for way in ("up", "down"))
# What is said of one thing on one axis is said instead of the others.
_IS_YEAR = r"(?=\s[\w ,./-]{0,12}\b(?:19|20)\d\d\b)"
_AXES = {
    name: re.compile("|".join(rf"(?P<{kind}>{_whole(said)})" for kind, said in kinds.items()))
    for name, kinds in {
        "times": {
            way: rf"{WORDS['times'][way]}|(?:{WORDS['times'][f'{way}_year']}){_IS_YEAR}"
            for way in ("before", "after")
        },
        "amounts": {**WORDS["amounts"], "none": NONE_OF},
    }.items()
}
_CAUSE = re.compile(_whole(WORDS["causes"]["followed"]))
_ANY_CAUSE = re.compile(_whole("|".join(WORDS["causes"].values())))
_MULTIPLES = {float(times): re.compile(_whole(x)) for times, x in WORDS["multiples"].items()}
_MORE_THAN = re.compile(rf"(?:{WORDS['over']['words']})\s*$")
_CLAUSE = re.compile(r"[^.,;:()|]*")
_N_SCOPE = 2  # content words that a bound is of: `some of the older rooms`
_NEARLY = 0.05  # as numbers of two digits are


def _direction_of(text: str) -> int:
    """Return 1 where words say that something goes up, -1 for down, and 0 for neither or both."""
    found = set(words(text))
    return bool(found & _UP) - bool(found & _DOWN)


def _check_bounds(said: str, quotes: str) -> Iterator[str]:
    """Yield what *said* says of a time or an amount, and *quotes* say otherwise."""
    for axis in _AXES.values():
        claimed, known = set(_bounds(axis, said)), set(_bounds(axis, quotes))
        for kind, word in sorted(claimed):
            others = {other for other, same in known if same == word} - {kind}
            is_quoted = (kind, word) in known or any((other, word) in claimed for other in others)
            if others and not is_quoted:
                yield f"it says {kind!r} of {word!r}, and its quotes say {min(others)!r}"
                break


def _bounds(axis: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    folded = fold_word(collapse(text))
    for found in axis.finditer(folded):
        clause = _CLAUSE.match(folded, found.end())
        said = dropwhile(STOP_WORDS.__contains__, words(clause[0] if clause else ""))
        scope = takewhile(lambda word: word not in STOP_WORDS, said)
        yield from ((str(found.lastgroup), stem(word)) for word in islice(scope, _N_SCOPE))


def _check_cause(said: str, places: Iterable[tuple[str, Span]]) -> Iterator[str]:
    """Yield that *said* gives a cause which no statement around the quotes at *places* gives."""
    folded = fold_word(collapse(said))
    if (found := _CAUSE.search(folded)) is None:
        return
    clause = _CLAUSE.match(folded, found.end())
    given = set(map(stem, content_words(clause[0] if clause else "")))
    for text, span in places:
        stated = collapse(statement_at(text, span).of(text))
        named = set(map(stem, content_words(stated)))
        is_foreign = not languages_of(stated) & languages_of(said)
        if _ANY_CAUSE.search(fold_word(stated)) and (is_foreign or not given or given & named):
            return
    yield f"what follows {found[0]!r} is the cause of nothing in its quotes"


def _check_multiples(
    said: str, quotes: str, sizes: Sequence[tuple[float, int | None]], ratios: Sequence[float]
) -> Iterator[str]:
    """Yield the multiples (`doubled`) of *said* that no quote says, nor any two *sizes* are."""
    folded, known = (fold_word(collapse(text)) for text in (said, quotes))
    has_order = _direction_of(said) != 0
    found = [
        one / other
        for one, year in sizes
        for other, before in sizes
        if other and not (has_order and year and before and year < before)
    ]
    found += [x for one in ratios if one for x in (one, 1 / one, 1 + one)]
    for times, pattern in _MULTIPLES.items():
        match = None if pattern.search(known) else pattern.search(folded)
        if match is not None:
            is_more = _MORE_THAN.search(folded, 0, match.start()) is not None
            others = (x > times if times > 1 else x < times for x in found if is_more)
            if not any(abs(x / times - 1) <= _NEARLY for x in found) and not any(others):
                yield f"no two numbers of its quotes make {match[0]!r}"
