"""Where a number stands in its document, and what its place says of it: unit, date, words."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from srag_mcp.claims.captions import is_tabular
from srag_mcp.claims.counts import is_bare_count
from srag_mcp.claims.figures import (
    column_unit,
    definition,
    find_marks,
    groupings_of,
    may_be_year,
    speaks_of_years,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, share_stem, stem, words
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import Figure, find_quantities, scan_figures
from srag_mcp.values.types import Value
from srag_mcp.values.units import SIZES, convert, is_currency, unit_ending, unit_of

_LETTERS = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"(?<=[^\WA-Z_])[.!?;]\s+(?=[^\W\d_a-z])")
_CELL_BEGINS = re.compile(r"(?::|\s{2}|\t|\|)\s*$")
_SHARES = frozenset({"percent", "permille"})
_NOT_COUNTED = frozenset({kind for kind, _ in SIZES.values()} - {"time", "period"} | {"money"})
_MOST_DIGITS = 2  # of a number that may be anything


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
        found = [date for date in _dates(self.text) if self.span.overlaps(date)]
        is_measured = self.figure.unit is not None
        return any(not (is_measured and date.of(self.text).isdigit()) for date in found)

    def may_be_of(self, attribute: Attribute, value: float) -> bool:
        """Whether nothing there, a date or another unit, says that it is not of *attribute*."""
        is_date = self.is_of_date and not may_be_year(attribute, value)
        return not is_date and not other_unit(attribute, self.figure)

    def speaks_of(self, attribute: Attribute, value: float) -> bool:
        """Whether something there says that it is of *attribute*: its unit, or a word of it.

        The word stands in its sentence with no other figure between, at the head of its row or its
        column, or on the line above one that has no words.
        """
        own = column_unit(attribute) or unit_ending(attribute.name)
        if own is not None and self.figure.unit == own:
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
            and item.figure.numeral not in named  # the 7 of `7-day incidence` is no other value
        ]
        start = max((span.end for span in others if span.end <= place.start), default=line.start)
        end = min((span.start for span in others if span.start >= place.end), default=line.end)
        yield _SENTENCE_END.split(text[start : place.start])[-1]
        yield _SENTENCE_END.split(text[place.end : end])[0]
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
    places = [found for found in places if found.may_be_of(attribute, value)]
    speaking = [found for found in places if found.speaks_of(attribute, value)]
    is_short = len(f"{abs(value):.15g}".replace(".", "")) <= _MOST_DIGITS
    return speaking or places * (not is_short)


def is_spoken_of(attribute: Attribute, value: Value, place: Span | None, text: str) -> bool:
    """Whether words of a cell at *place* of *text* are more than a number, or stand by such words.

    What is no number needs none, and a document that has no word of the column anywhere, being in
    another language, cannot say more.
    """
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
    """Return the unit of *figure* if it is none that a value of *attribute* has as it stands there.

    What counts things has none; another column without a unit may have any. A single letter may be
    no unit: `5 g`.
    """
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


@lru_cache(maxsize=8)
def _dates(text: str) -> tuple[Span, ...]:
    return tuple(span for span, _ in find_dates(text, partial=True))


@lru_cache(maxsize=64)
def _stems_of(said: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(said) if word not in STOP_WORDS)


def _line_of(text: str, place: Span) -> Span:
    """Return the line of *place*, with those over which its sentence is wrapped."""
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
