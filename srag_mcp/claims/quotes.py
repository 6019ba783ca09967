"""Places: where a quote or a value stands in its document, and what is said of it there."""

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import islice

from srag_mcp.cells.cell import COUNT_WORDS, is_count
from srag_mcp.claims.captions import is_tabular, line_at
from srag_mcp.claims.figures import (
    column_unit,
    definition,
    find_marks,
    groupings_of,
    is_in_currency,
    may_be_year,
    speaks_of_years,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span, find_exactly, find_typographically
from srag_mcp.text.words import STOP_WORDS, fold_word, share_stem, singular, stem, stems, words
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.quantities import Figure, find_quantities, scan_figures
from srag_mcp.values.types import Value
from srag_mcp.values.units import SIZES, convert, is_currency, unit_ending, unit_of

LONGEST_QUOTE = 2000
_NO_WORDS = re.compile(r"[\s.,;:!?'\"“”‘’«»()\[\]{}|/\\<>_…·]*")
_APART = frozenset(("", " ", "\n", "\t", ":", ";", "(", ")"))
_MAX_PLACES = 100
_MAX_SEEN = 10_000
_NEAR = 120
_WORD = re.compile(r"[^\W\d_]{3,}")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_SHORT_WORD = 3
_SHORT_VALUE = 2
_NUMERAL_BEFORE, _NUMERAL_AFTER = re.compile(r"[\d.,]*$"), re.compile(r"[\d.,]*")
_ONE_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{3})*(?:[.,]\d+)?|\d+[.,]\d+")
_CODE_BEFORE = re.compile(r"[^\W\d_]\d*[/-]$")
_LONGEST_NUMERAL = 40
_FIRST_CJK = "\u2e80"
_LETTERS = re.compile(r"[^\W\d_]+")
SENTENCE_END = re.compile(  # `all of it (“the Hall”). The`; not of `J. Doe`
    r"(?:(?<=[^\WA-Z_])|(?<=[)\]”’\"]))[.!?;]\s+(?=[^\W\d_a-z])"
)
_ITEM = re.compile(r"\n\s*(?=[•▪●◦–*-]\s)")
_CELL_BEGINS = re.compile(r"(?::|\s{2}|\t|\|)\s*$")
_SHARES = frozenset({"percent", "permille"})
_NOT_COUNTED = frozenset({kind for kind, _ in SIZES.values()} - {"time", "period"} | {"money"})
_MOST_DIGITS = 2  # of a number that may be anything
_WORD_BEFORE = re.compile(r"([^\W\d_]+)([^\w.!?;]*)$")
_WORD_AFTER = re.compile(r"[ \t\u00a0\u202f-]*([^\W\d_]+)")


def statement_at(text: str, span: Span) -> Span:
    """Return the row of a table or the sentences that *span* lies in: they say of what it is."""
    row = line_at(text, span)
    if is_tabular(row.of(text)):
        return row
    start = text.rfind("\n\n", 0, span.start) + 1
    end = span.end + len(text[span.end :].partition("\n\n")[0])
    marks = (SENTENCE_END, _ITEM)
    ends = [found.end() for mark in marks for found in mark.finditer(text, start, end)]
    first = max((at for at in ends if at <= span.start), default=start)
    last = min((at for at in ends if at >= span.end), default=end)
    return Span(first, last).trimmed(text)


def ground(quote: str, text: str, attribute: Attribute) -> Span | None:
    """Find *quote* in *text*, at the place most like *attribute*; None where it is not."""
    quote = quote.strip()
    if _NO_WORDS.fullmatch(quote) or len(quote) > LONGEST_QUOTE:
        return None
    rank = _rank(text, attribute)
    for find in (find_exactly, find_typographically):
        if best := max(_places(find, quote, text), key=rank, default=None):
            return best
    return None


def find_value(attribute: Attribute, value: Value, text: str) -> Span | None:
    """Find where *text* has *value* of *attribute* itself; None where only a quote can tell.

    A text as `ground` finds it; a number in any common writing, in digits or words, with the unit
    and the scale that stand beside it (`$1.2 billion` is 1200000000, not 1.2), as `find_number`
    finds it; a day in any. Of several places the one is meant that has words of the attribute's
    name near it, else the first; of a single letter none, as it may be anything there.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        places = [found.span for found in find_number(attribute, value, text)]
    else:
        places = find_places(value, text)
    rank = _rank(text, attribute)
    best = max(places[:_MAX_PLACES], key=rank, default=None)
    if best is None or len(places) == 1 or not isinstance(value, str):
        return best
    is_short = sum(map(str.isalnum, value)) <= _SHORT_VALUE and value < _FIRST_CJK
    return None if is_short and not rank(best) else best


def find_places(value: Value, text: str, most: int = _MAX_PLACES) -> list[Span]:
    """Return where *text* has *value* itself, whatever it may be of there, in order.

    Of a text, the first *most* places.
    """
    if isinstance(value, str):
        finds = (find_exactly, find_typographically)
        found = (list(_places(find, value, text, most)) for find in finds)
        return next(filter(None, found), [])
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [found.span for found in find_figures(text) if value in found.numbers]
    dated = ((place, found) for place, found in dates_of(text) if found.year and found.day)
    return [place for place, found in dated if may_be_day(found, value)]


def _places(
    find: Callable[[str, str], Iterator[Span]], quote: str, text: str, most: int = _MAX_PLACES
) -> Iterator[Span]:
    seen = islice(find(quote, text), _MAX_SEEN)
    return islice((place for place in seen if not _is_cut(text, place)), most)


def _rank(text: str, attribute: Attribute) -> Callable[[Span], int]:
    """Return what says how many words of the name stand near a place."""
    words = {word.casefold() for word in _WORD.findall(attribute.name.replace("_", " "))}

    def rank(place: Span) -> int:
        near = text[max(0, place.start - _NEAR) : place.start].casefold()
        line = near.rpartition("\n")[2]
        return sum((word in line) + (word in near) for word in words)

    return rank


@lru_cache(maxsize=8)
def dates_of(text: str) -> tuple[tuple[Span, DateText], ...]:
    """Return the dates of a document, those that it gives in part included, and where they are."""
    return tuple(find_dates(text, partial=True))


def may_be_day(found: DateText, day: date) -> bool:
    """Return whether a date, perhaps given in part, is *day* as far as it says."""
    century = 100 if found.two_digits else 10_000
    is_year = found.year is None or (found.year - day.year) % century == 0
    if not is_year or found.quarter is not None:
        return is_year
    days = {(found.month, found.day)} | ({(found.day, found.month)} if found.ambiguous else set())
    return any(month in (None, day.month) and at in (None, day.day) for month, at in days)


def _is_cut(text: str, span: Span) -> bool:
    """Whether *span* is a part of a longer word or number that says something else."""
    start, end = span.start, span.end
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before in _APART and after in _APART:
        return False  # quick, and true of most
    if _is_within_word(text, start) or (text[start].isdecimal() and before.isdecimal()):
        return True
    last = _LAST_WORD.search(text, max(start, end - _SHORT_WORD - 1), end)
    if last is not None and len(last[0]) <= _SHORT_WORD and _is_within_word(text, end):
        return True
    goes_on = text[end - 1].isdecimal() and re.match(r"[.,]\d", text[end : end + 2])
    begins_before = text[start].isdecimal() and re.match(r"\d[.,]", text[max(0, start - 2) : start])
    ends = [place for place, is_part in ((end, goes_on), (start, begins_before)) if is_part]
    return any(_is_one_number(text, place) for place in ends)


def _is_within_word(text: str, place: int) -> bool:
    """Whether a word goes on across *place*; a capital behind a small letter begins another."""
    before, after = text[max(0, place - 1) : place], text[place : place + 1]
    if before.isupper():
        return after.islower() or after.isupper()
    return before.islower() and after.islower()


def _is_one_number(text: str, place: int) -> bool:
    head = text[max(0, place - _LONGEST_NUMERAL) : place]
    before = _NUMERAL_BEFORE.search(head)
    if before and _CODE_BEFORE.search(head, 0, before.start()):
        return False  # of an address, run together: `SS21/39,47400`
    after = _NUMERAL_AFTER.match(text[place : place + _LONGEST_NUMERAL])
    numeral = f"{before[0] if before else ''}{after[0] if after else ''}".strip(".,")
    return _ONE_NUMBER.fullmatch(numeral) is not None


@dataclass(frozen=True)
class PlacedFigure:
    """A figure of *text*, a document or a quote; *numbers* are all that it may be."""

    text: str
    figure: Figure
    numbers: Set[float]

    @property
    def span(self) -> Span:
        """Of sign, numeral, scale and unit."""
        return self.figure.span

    @cached_property
    def is_of_date(self) -> bool:
        """Whether it is a day, month or year of a date; `1600 metres` is no year."""
        found = [place for place, _ in dates_of(self.text) if self.span.overlaps(place)]
        is_measured = self.figure.unit is not None
        return any(not (is_measured and place.of(self.text).isdigit()) for place in found)

    def is_whole_value(self, attribute: Attribute) -> bool:
        """Whether a label of *attribute* has nothing else behind it: `Net amount: 1245`.

        All its words are of the column, the last one of its name: not `Invoice year: 2021`.
        """
        line = _line_of(self.text, self.span)
        label, _, rest = line.of(self.text).rpartition(":")
        said = [stem(word) for word in words(label) if word not in STOP_WORDS]
        name = _stems_of(" ".join((attribute.name, *attribute.synonyms)))
        wanted = name | _stems_of(definition(attribute))
        is_named = bool(said) and said[-1] in name and wanted.issuperset(said)
        return is_named and rest.strip() == self.figure.numeral

    def speaks_of(self, attribute: Attribute, value: float) -> bool:
        """Whether something there says that it is of *attribute*: its unit, or a word of it.

        The word stands in its sentence with no other figure between, at the head of its row or its
        column, or on the line above one that has no words.
        """
        own = column_unit(attribute) or unit_ending(attribute.name)
        if own is not None and self.figure.unit == own:
            return True
        if own is None and is_currency(self.figure.unit) and is_in_currency(attribute):
            return True
        if may_be_year(attribute, value) and speaks_of_years(attribute) and self.is_of_date:
            return True
        wanted = _stems_of(" ".join((definition(attribute), *attribute.synonyms)))
        return any(
            stem(word) in wanted or any(share_stem(word, other) for other in wanted)
            for said in self._beside(attribute)
            for word in words(said)
        )

    def _beside(self, attribute: Attribute) -> Iterator[str]:
        text, place, line = self.text, self.span, _line_of(self.text, self.span)
        named = set(words(definition(attribute)))
        others = [
            item.span
            for item in find_figures(text)
            if item.span.end > line.start
            and item.span.start < line.end
            and item.span != place
            and not item.is_of_date
            and (item.figure.unit != "percent" or self.figure.unit == "percent")  # `up 6% at £8m`
            and item.figure.numeral not in named  # the 7 of `7-day incidence` is no other value
        ]
        start = max((span.end for span in others if span.end <= place.start), default=line.start)
        end = min((span.start for span in others if span.start >= place.end), default=line.end)
        yield SENTENCE_END.split(text[start : place.start])[-1]
        yield SENTENCE_END.split(text[place.end : end])[0]
        yield place.of(text).partition(self.figure.numeral)[2]
        before, after = text[line.start : place.start], text[place.end : line.end]
        is_bare = not _LETTERS.search(before) and not _LETTERS.search(after)
        if is_tabular(line.of(text)) or is_bare or _CELL_BEGINS.search(before):
            first = min((span.start for span in others), default=place.start)
            yield text[line.start : min(first, place.start)]
            yield _head_above(text, line)


@lru_cache(maxsize=8)
def find_figures(text: str) -> tuple[PlacedFigure, ...]:
    """Return the figures of *text*, in order; a document is asked for many values."""
    style, found = find_marks(text), []
    for figure in scan_figures(text):
        read = [figure.read(grouping) for grouping in groupings_of(figure.numeral, style)]
        ends = {end for item in read if item for end in (item.value, item.upper)}
        numbers = {float(end) for end in ends if end is not None}
        place = figure.span
        if text[place.start - 1 : place.start] == "(" and text[place.end : place.end + 1] == ")":
            numbers |= {-number for number in numbers}  # as accounts write what is negative
        found.append(PlacedFigure(text, figure, numbers))
    return tuple(found)


def find_number(attribute: Attribute, value: float, text: str) -> list[PlacedFigure]:
    """Return where *text* has *value*, in digits or else in words, and it may be of *attribute*.

    Where some of these places speak of it, these only. A number of few digits may be anything where
    none does: then there is none.
    """
    places = [found for found in find_figures(text) if value in found.numbers]
    if not places:
        places = [
            PlacedFigure(text, Figure(span, span.of(text), unit=found.unit), frozenset({value}))
            for span, found in find_quantities(text)
            if found.value == value
        ]
    may_be_dates = may_be_year(attribute, value)
    places = [
        found
        for found in places
        if not other_unit(attribute, found.figure)
        and (may_be_dates or not found.is_of_date or found.is_whole_value(attribute))
    ]
    speaking = [found for found in places if found.speaks_of(attribute, value)]
    is_short = len(f"{abs(value):.15g}".replace(".", "")) <= _MOST_DIGITS
    return speaking or places * (not is_short)


def is_spoken_of(attribute: Attribute, value: Value, place: Span | None, text: str) -> bool:
    """Whether words at *place* of *text* are more than a number, or stand by such words."""
    if place is None or isinstance(value, bool) or not isinstance(value, int | float):
        return True
    found = [item for item in find_figures(text) if item.span.overlaps(place)]
    if len(found) != 1:
        return True
    name = " ".join((attribute.name, *attribute.synonyms))
    if _stems_of(name).isdisjoint(_stems_of(text)):
        return True
    figure = found[0].span
    more = text[place.start : max(place.start, figure.start)] + text[figure.end : place.end]
    return _LETTERS.search(more) is not None or found[0].speaks_of(attribute, value)


def kind_of(unit: str | None) -> str:
    """Return what *unit* measures; empty where that is not known."""
    if is_currency(unit):
        return "money"
    if unit in _SHARES:
        return "share"
    return SIZES[unit][0] if unit in SIZES else ""


def other_unit(attribute: Attribute, figure: Figure) -> str:
    """Return the unit of *figure* if it is none that a value of *attribute* has there."""
    own, unit = column_unit(attribute) or unit_ending(attribute.name), figure.unit
    if unit is None or unit == own or own in figure.possible_currencies:
        return ""
    if own is None:
        named = {unit_of(word) for word in _LETTERS.findall(definition(attribute))}
        is_counted = is_bare_count(attribute) and unit not in named
        return unit if is_counted and kind_of(unit) in _NOT_COUNTED else ""
    is_letter = len(figure.symbol) == 1 and figure.symbol.isalpha()
    if not kind_of(own) or {own, unit} <= _SHARES:
        return ""
    return "" if is_letter and convert(1.0, unit, own) is None else unit


@lru_cache(maxsize=64)
def _stems_of(said: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(said) if word not in STOP_WORDS)


def _line_of(text: str, place: Span) -> Span:
    """Return the line of *place*, with those over which its sentence is wrapped; a row has none."""
    line = line_at(text, place)
    if is_tabular(line.of(text)):
        return line
    start, end = text.rfind("\n", 0, place.start) + 1, text.find("\n", place.end)
    while start and text[start : start + 1].islower():
        start = text.rfind("\n", 0, start - 1) + 1
    while end >= 0 and text[end + 1 : end + 2].islower():
        end = text.find("\n", end + 1)
    return Span(start, end if end >= 0 else len(text))


def _head_above(text: str, line: Span) -> str:
    """Return the nearest lines above that have words and no figure but dates."""
    head, end = "", line.start - 1
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        above = Span(start, end)
        is_row = any(
            item.span.overlaps(above) and not item.is_of_date for item in find_figures(text)
        )
        if head and (is_row or not above.of(text).strip()):
            break
        if not is_row and _LETTERS.search(text, start, end):
            head = f"{above.of(text)} {head}"
        end = start - 1
    return head


def is_bare_count(attribute: Attribute) -> bool:
    """Return whether *attribute* counts things, in no unit that a figure could be measured in."""
    return column_unit(attribute) is None and is_count(attribute)


def counts_its_things(attribute: Attribute, before: str, figure: str, after: str) -> bool:
    """Return whether *figure* counts the things of *attribute*, by the words right beside it.

    A word of the column stands there, or nothing at all. A single thing with a number behind it has
    it as a name: `Room 12`, but `Rooms 12`, `Room: 12`, `Room count 12`. On the line above stands a
    label that says that it counts; another one is the heading of a list: `Rooms`, `12 Blue Room`.
    """
    line = before.rpartition("\n")[2]
    is_below = not any(map(str.isalnum, line + after))
    if is_below:
        line = before.rstrip().rpartition("\n")[2]
    if is_below and not _LETTERS.search(line) and not _LETTERS.search(figure):
        return True
    spelled = (attribute.name, attribute.unit or "", *attribute.synonyms)
    said = " ".join(COUNT_WORDS.sub(" ", name.replace("_", " ")) for name in spelled)
    things = _stems_of(said)  # `line_item_count` -> `line`, `item`
    following = _WORD_AFTER.match(after)
    beside = f"{figure} {following[1] if following else ''}"
    if not things.isdisjoint(stems(beside)):
        return True
    label = COUNT_WORDS.sub(" ", line)
    leading = _WORD_BEFORE.search(label)
    if leading is None or things.isdisjoint(stems(leading[1])):
        return False
    if is_below or label != line:
        return label != line
    word = fold_word(leading[1])
    return bool(leading[2].strip()) or singular(word) != word


def counts_others(attribute: Attribute, after: str) -> bool:
    """Return whether a figure is said of many things, by the word *after* it, and not measured.

    Those of a column that measures are not its unit: `940 barrels`, where that is in litres.
    """
    following = _WORD_AFTER.match(after)
    word = fold_word(following[1]) if following else ""
    return bool(kind_of(column_unit(attribute))) and singular(word) != word


def find_sides(quote: str, place: Span, text: str, span: Span | None) -> tuple[str, str]:
    """Return what stands before *place* in *quote*, at *span* of *text*, and behind it there."""
    before, after = quote[: place.start], quote[place.end :]
    if span is None:
        return before, after
    return text[: span.start] + before, after + text[span.end : line_at(text, span).end]
