"""Where a value stands in a table: in which row and column, and what these say against it."""

import math
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from srag_mcp.claims.captions import is_head_line, is_tabular, read_head, read_scales, years_in
from srag_mcp.claims.figures import column_unit, rounds_to, scales_of
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, fold_words, stem, stems
from srag_mcp.values.dates import DateText
from srag_mcp.values.names import WORDS
from srag_mcp.values.quantities import read_numeral
from srag_mcp.values.units import is_currency, parse_unit, unit_of

_NUMERAL = re.compile(r"(?<![\w.,])\d[\d.,]*(?<=\d)(?!\w)")
_OPEN, _CLOSED = re.compile(r"\(\s?[^\w\s]{0,2}\s?$"), re.compile(r"\s?%?\s?\)")
_MINUS = re.compile(r"(?<![^\s|(])[-−–]\s?[$€£]?\s?$")
_PLACEHOLDER = re.compile(r"\W+$")
_UNSIGNED = re.compile(r"\b(?:positive|absolute|unsigned)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\bnegative\b", re.IGNORECASE)
_CURRENT = r"(?:current|this|present)"
_PRIOR = r"(?:prior|previous|preceding|last)"
_PERIOD = r"(?:\s(?:fiscal|financial|reporting))?\s(?:year|period|quarter|half|month)\b"
_RELATIVE = re.compile(rf"\b(?:(?P<now>{_CURRENT})|{_PRIOR}){_PERIOD}", re.IGNORECASE)
_SPEAKS_OF_PRIOR = re.compile(
    rf"\b{_PRIOR}{_PERIOD}|\b(?:comparative|year before|year earlier|prior|previous)\b",
    re.IGNORECASE,
)
_WAYS = {
    way: frozenset(stem(word) for words in lists for word in words.split())
    for way, lists in {
        "gain": (WORDS["signs"]["gain"], WORDS["directions"]["up"]),
        "loss": (WORDS["signs"]["loss"], WORDS["directions"]["down"]),
        "spent": (WORDS["signs"]["spent"],),
    }.items()
}
_POWERS = tuple(10.0**power for power in (0, 3, 6, 9, -3, -6, -9))
_DECIMALS, _LONGEST_UNPARTED = re.compile(r"[.,]\d{1,2}$"), 3
_TOTAL = frozenset({"total"})
_LETTERS, _MOST_LETTERS = re.compile(r"[^\W\d_]"), 8  # of a unit, a scale or a mark
_MOST_PLACES, _MOST_LINES = 20, 80
_FEWEST_ROWS = 2  # with several numbers: a line below another that has years is no table yet
_LONGEST_LINE = 120  # of what may still be a part of a table: longer lines are prose


@dataclass(frozen=True, slots=True)
class _Number:
    span: Span
    value: float


@dataclass(frozen=True)
class TablePlace:
    """A number of a table of *text*; *floor* is where the table, or what leads to it, begins."""

    text: str
    number: Span
    value: float
    row: Span
    floor: int

    @cached_property
    def label(self) -> str:
        """What its row begins with, up to the first number."""
        first = _numbers(self.text, self.row)[0].span
        return _PLACEHOLDER.sub("", self.text[self.row.start : first.start]).strip(" |\t")

    @property
    def is_negative(self) -> bool:
        """Whether it stands in brackets or behind a minus."""
        return _is_negative(self.text, self.row, self.number)

    def head(self) -> DateText | bool | None:
        """Return the period at the head of its column, or whether that is the current one."""
        return self._head_of(self.number)

    def _head_of(self, number: Span) -> DateText | bool | None:
        dated = read_head(self.text, number, self.floor, _read_periods)
        return (
            dated if dated is not None else read_head(self.text, number, self.floor, _read_relative)
        )

    def later(self) -> tuple[str, str] | None:
        """Return the number of its row under the latest period, and that period, if it is later.

        The number is empty where there are several.
        """
        own = self.head()
        n_rows = sum(len(_numbers(self.text, row)) > 1 for row in self.rows())
        if own is None or n_rows < _FEWEST_ROWS:
            return None
        found: dict[tuple[int, ...], list[tuple[str, str]]] = {}
        for other in _numbers(self.text, self.row):
            head = self._head_of(other.span)
            if other.span == self.number or head is None or not _is_later(head, own):
                continue
            found.setdefault(_key(head), []).append((other.span.of(self.text), _say(head)))
        latest = found[max(found)] if found else []
        # of several under one period nobody knows which is meant
        number = latest[0][0] if len(latest) == 1 else ""
        return (number, latest[0][1]) if latest else None

    def rows(self) -> Iterator[Span]:
        """Yield the rows of its table that have numbers, its own included."""
        lines = [self.row]
        for step in (-1, 1):
            line = _next_line(self.text, self.row, step)
            for _ in range(_MOST_LINES):
                if line is None or not _may_be_row(line.of(self.text)):
                    break
                lines.append(line)
                line = _next_line(self.text, line, step)
        for line in sorted(lines, key=lambda line: line.start):
            if _numbers(self.text, line) and not is_head_line(line.of(self.text)):
                yield line

    def sums(self) -> Iterator[float]:
        """Yield the sum of its column, and that of its row, of at least two numbers each."""
        column = [found.value for row in self.rows() if (found := self.below(row))]
        own = [number.value for number in _numbers(self.text, self.row)]
        for values in (column, own):
            if len(values) > 1:
                yield math.fsum(values)

    def below(self, row: Span) -> _Number | None:
        """Return the number of its column in *row*, another one; None where that has none."""
        rank, is_barred = self._rank()
        numbers = _numbers(self.text, row)
        for place, number in enumerate(numbers):
            here = _bars(self.text, row, number.span) if is_barred else len(numbers) - place
            if here == rank:
                return number
        return None

    def _rank(self) -> tuple[int, bool]:
        """Return which column it is, counted from the right where there are no bars."""
        if "|" in self.row.of(self.text):
            return _bars(self.text, self.row, self.number), True
        numbers = _numbers(self.text, self.row)
        place = next(n for n, found in enumerate(numbers) if found.span == self.number)
        return len(numbers) - place, False


def find_places(quote: str, value: float, text: str, span: Span | None) -> list[TablePlace]:
    """Return where in tables of *text* the number of *quote* stands that *value* is.

    It may be so many thousands or millions. Where *span*, the place of the quote, is not known, all
    places count that have the same words.
    """
    found = []
    for place in [span] if span else _places(quote, text):
        numbers = [
            (row, number)
            for row in _lines_of(text, place)
            for number in _numbers(text, row)
            if place.start <= number.span.start and number.span.end <= place.end
        ]
        alike = [(row, one) for row, one in numbers if _is_scaled(one.value, value)]
        for row, number in alike or numbers * (len(numbers) == 1):
            if is_tabular(row.of(text)):
                floor = _floor(text, row)
                found.append(TablePlace(text, number.span, number.value, row, floor))
    return found


def is_summed(attribute: Attribute, value: float, places: Sequence[TablePlace]) -> bool:
    """Whether *value* is the sum of a column or a row that its quote lies in."""
    factors = {1.0, *(1 / scale for scale in scales_of(attribute))}
    return any(
        rounds_to(total * factor, value)
        for place in places
        for total in place.sums()
        for factor in (*factors, *_scales(attribute, place))
    )


def find_objection(attribute: Attribute, value: float, places: Sequence[TablePlace]) -> str:
    """Say what the table has against *value*: its scale, sign, period or row; empty for nothing.

    All *places* that it may be from must object.
    """
    objections = [_object(attribute, value, place) for place in places]
    return objections[0] if objections and all(objections) else ""


def _object(attribute: Attribute, value: float, place: TablePlace) -> str:
    return (
        _object_to_row(attribute, place)
        or _object_to_scale(attribute, value, place)
        or _object_to_sign(attribute, value, place)
        or _object_to_period(attribute, place)
    )


def _object_to_row(attribute: Attribute, place: TablePlace) -> str:
    """Another row that is named as the column is, where this one is not.

    It has as many words of the name as this one, and a number of the same form in this column. A
    synonym that is only a part of the name names no row: `GST` of `gst_amount` is in `GST NO`, too.
    """
    names = _names(attribute)
    own = _label_stems(place.label)
    if not own or any(name <= own or own <= name for name in names):
        return ""
    wanted = {name for name in names if not name < names[0]}
    for row in place.rows():
        other = TablePlace(place.text, _numbers(place.text, row)[0].span, 0.0, row, place.floor)
        said = _label_stems(other.label)
        is_named = not wanted.isdisjoint((said, said - _TOTAL))
        if row == place.row or not is_named or len(said & names[0]) < len(own & names[0]):
            continue
        number = place.below(row)
        if number and _is_alike(number.span.of(place.text), place.number.of(place.text)):
            return f"its row is {place.label!r}, and the table has a row {other.label!r}"
    return ""


def _is_alike(one: str, other: str) -> bool:
    """Whether two numerals have one form: both decimals or none, both marks at thousands or none.

    `2.94`, `1,240.00` -> True; `2.94`, `001234567890` -> False
    """
    has_decimals = {_DECIMALS.search(numeral) is not None for numeral in (one, other)}
    whole = [_DECIMALS.sub("", numeral) for numeral in (one, other)]
    is_parted = {not part.isdecimal() for part in whole if len(part) > _LONGEST_UNPARTED}
    return len(has_decimals) == 1 and len(is_parted) < 2


def _object_to_scale(attribute: Attribute, value: float, place: TablePlace) -> str:
    scales = _scales(attribute, place)
    if 1.0 in scales or not value or not place.value:
        return ""
    unit = float(parse_unit(attribute.unit or "").scale)
    known = scales_of(attribute)
    if any(
        math.isclose(abs(value) * mine, abs(place.value) * scale, rel_tol=1e-6)
        for mine in (known if len(known) > 1 else {unit})
        for scale in scales
    ):
        return ""
    if not _is_scaled(place.value, value):
        return ""
    [scale] = scales
    return f"its table is in {scale:,.0f}s: is that worked in, and only once?"


def _scales(attribute: Attribute, place: TablePlace) -> Set[float]:
    """Return the scale of the table where it counts for sure: for sums of money."""
    unit = column_unit(attribute)
    if not is_currency(unit):
        return frozenset({1.0})
    return read_scales(place.text, place.number, place.floor, attribute.unit)


def _object_to_sign(attribute: Attribute, value: float, place: TablePlace) -> str:
    """A sign that is lost, or made, where the column tells a gain from a loss."""
    if not value or _UNSIGNED.search(attribute.description):
        return ""
    named, label = _ways(attribute.name.replace("_", " ")), _ways(place.label)
    is_signed = bool(_NEGATIVE.search(attribute.description)) or (
        "gain" in named and "spent" not in named
    )
    if is_signed and value > 0 and place.is_negative:
        return "the table gives it in brackets or with a minus: is it negative?"
    if "spent" in label | named:
        return ""
    is_one_way = len(named & {"gain", "loss"}) == 1 == len(label & {"gain", "loss"})
    is_other_way = is_one_way and label.isdisjoint(named)
    if value > 0 and is_other_way and not place.is_negative:
        return f"its row is {place.label!r}: is it negative?"
    is_marked = any(
        _is_negative(place.text, row, number.span)
        for row in place.rows()
        for number in _numbers(place.text, row)
    )
    is_plain = not place.is_negative and "loss" not in label | named
    if value < 0 and is_plain and is_marked:
        return "the table gives it without brackets or a minus: is it positive?"
    return ""


def _ways(words: str) -> set[str]:
    said = set(stems(words))
    return {way for way, known in _WAYS.items() if said & known}


def _object_to_period(attribute: Attribute, place: TablePlace) -> str:
    """A later period of the same row, which is what a document is about."""
    described = f"{attribute.name.replace('_', ' ')} {attribute.description}"
    if _SPEAKS_OF_PRIOR.search(described):
        return ""
    own = place.head()
    if isinstance(own, DateText) and str(own.year) in described:
        return ""
    if years_in(place.number.of(place.text)):  # `1993 to 2004`, below other years: it is one itself
        return ""
    later = place.later()
    if own is None or later is None:
        return ""
    number, period = later
    other = f"that for {period} is {number}" if number else f"there are others for {period}"
    return f"this is the row's number for {_say(own)}; {other}"


def _say(head: DateText | bool) -> str:
    if isinstance(head, bool):
        return "the current period" if head else "the prior period"
    return "-".join(f"{part:02}" for part in (head.year, head.month, head.day) if part)


def _key(head: DateText | bool) -> tuple[int, ...]:
    if isinstance(head, bool):
        return (int(head),)
    return (head.year or 0, head.month or 0, head.day or 0)


def _is_later(one: DateText | bool, other: DateText | bool) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is True and other is False
    pairs = zip(_key(one), _key(other), strict=True)
    known = [(a, b) for a, b in pairs if a and b]
    return [a for a, _ in known] > [b for _, b in known]


def _read_periods(line: str) -> list[DateText]:
    return years_in(line) if is_head_line(line) else []


def _read_relative(line: str) -> list[bool]:
    return [found["now"] is not None for found in _RELATIVE.finditer(line)]


def _names(attribute: Attribute) -> list[frozenset[str]]:
    spelled = (attribute.name.replace("_", " "), *attribute.synonyms)
    unit = column_unit(attribute)
    return [
        frozenset(
            stem(word) for word in fold_words(name).split() if unit_of(word) != unit or not unit
        )
        for name in spelled
    ]


def _label_stems(label: str) -> frozenset[str]:
    said = (word for word in fold_words(label).split() if word not in STOP_WORDS)
    return frozenset(map(stem, said))


def _is_negative(text: str, row: Span, number: Span) -> bool:
    before, after = text[row.start : number.start], text[number.end : row.end]
    is_bracketed = _OPEN.search(before) and _CLOSED.match(after)
    return bool(is_bracketed or _MINUS.search(before))


def _numbers(text: str, row: Span) -> list[_Number]:
    """Return the numbers of *row*, but for those of a name between bars: `Notes due 2027 | 12`."""
    found = []
    for match in _NUMERAL.finditer(text, row.start, row.end):
        span, value = Span(*match.span()), read_numeral(match[0])
        start = max(text.rfind("|", row.start, span.start) + 1, row.start)
        end = text.find("|", span.end, row.end)
        cell = text[start : end if end >= 0 else row.end]
        is_name = (start > row.start or end >= 0) and len(_LETTERS.findall(cell)) > _MOST_LETTERS
        if value is not None and not is_name:
            sign = -1 if _is_negative(text, row, span) else 1
            found.append(_Number(span, sign * float(value)))
    return found


def _is_scaled(number: float, value: float) -> bool:
    return any(math.isclose(abs(number) * power, abs(value), rel_tol=1e-6) for power in _POWERS)


def _places(quote: str, text: str) -> Iterator[Span]:
    start = text.find(quote) if quote else -1
    for _ in range(_MOST_PLACES):
        if start < 0:
            return
        yield Span(start, start + len(quote))
        start = text.find(quote, start + 1)


def _may_be_row(line: str) -> bool:
    """Whether a line may stand within a table: a row, a rule, a heading of rows, nothing at all."""
    return len(line.strip()) <= _LONGEST_LINE or is_tabular(line)


def _lines_of(text: str, place: Span) -> Iterator[Span]:
    start = text.rfind("\n", 0, place.start) + 1
    while start < place.end:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield Span(start, end)
        start = end + 1


def _next_line(text: str, line: Span, step: int) -> Span | None:
    """Return the line before or after *line*; None where there is none."""
    if step > 0:
        start = line.end + 1
        return next(_lines_of(text, Span(start, start + 1)), None) if start < len(text) else None
    if not line.start:
        return None
    end = line.start - 1
    return Span(text.rfind("\n", 0, end) + 1, end)


def _bars(text: str, row: Span, number: Span) -> int:
    return text.count("|", row.start, number.start)


def _floor(text: str, row: Span) -> int:
    """Return where the table of *row*, or the sentence that leads to it, begins."""
    line: Span | None = row
    for _ in range(_MOST_LINES):
        above = _next_line(text, line, -1) if line else None
        if above is None:
            break
        line = above
        if not _may_be_row(line.of(text)):
            break
    return line.start if line else row.start
