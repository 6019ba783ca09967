"""Where a value stands in a table, and what that says against it: scale, sign, period or row."""

import math
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import islice
from typing import NamedTuple, TypeAlias
from unicodedata import category

from srag_mcp.claims.captions import (
    column_of,
    heads_in,
    is_head_line,
    is_tabular,
    line_at,
    read_head,
    read_scales,
    years_in,
)
from srag_mcp.claims.figures import column_unit, definition, rounds_to, scales_of
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span, find_exactly
from srag_mcp.text.words import JOINING, stem, stems, words
from srag_mcp.values.dates import DateText
from srag_mcp.values.quantities import NUMBER_WORDS, read_numeral
from srag_mcp.values.states import WORDS
from srag_mcp.values.units import is_currency, parse_unit, unit_of

_NUMERAL = re.compile(r"(?<![\w.,])\d[\d.,]*(?<=\d)(?!\w)")
_OUT_OF, _OUT_OF_CHARACTERS = re.compile(r"\d\s?/\s?$"), 4
_OPEN, _CLOSED = re.compile(r"\(\s?[^\w\s@]{0,2}\s?$"), re.compile(r"\s?%?\s?\)")
_MINUS = re.compile(r"(?<![^\s|(])[-−–]\s?[$€£]?\s?$")
_MINUS_BEHIND = re.compile(r"[-−](?!\S)")
_IN_CELL, _GAP = re.compile(r"[^\W\d_]\s?$"), re.compile(r"\S(?:\s{2,}|\t|\s*\|)\s*\S")
_PLACEHOLDER = re.compile(r"\W+$")
_CURRENT = r"(?:current|this|present)"
_PRIOR = r"(?:prior|previous|preceding|last)"
_PERIOD = r"(?:\s(?:fiscal|financial|reporting))?\s(?:year|period|quarter|half|month)\b"
_RELATIVE = re.compile(rf"\b(?:(?P<now>{_CURRENT})|{_PRIOR}){_PERIOD}", re.IGNORECASE)
_POWERS = tuple(10.0**power for power in (0, 3, 6, 9, -3, -6, -9))
_BETWEEN = re.compile(r"[\s().,|:]+")
_LETTERS, _MOST_LETTERS = re.compile(r"[^\W\d_]"), 8  # of a unit, a scale or a mark
_MOST_PLACES, _MOST_LINES = 20, 80
_FEWEST_WORDS = 8  # of a line of running text: labels have fewer
_LONGEST_LINE = 120  # of what may still be a part of a table: longer lines are prose
_UNSIGNED = re.compile(r"\b(?:positive|absolute|unsigned)\b", re.IGNORECASE)
_SIGNED = re.compile(r"\b(?:negative|minus|below)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([^)]*")
_SIDES = re.compile(r"[()/]|\b(?:and|or)\b", re.IGNORECASE)
_SPEAKS_OF_PRIOR = re.compile(
    rf"\b{_PRIOR}{_PERIOD}|\b(?:comparative|year before|year earlier|prior|previous)\b",
    re.IGNORECASE,
)
_BOTH, _LESS = frozenset({"gain", "loss"}), frozenset({"loss", "spent"})
_DECIMALS, _LONGEST_UNPARTED = re.compile(r"[.,]\d{1,2}$"), 3
_TOTAL = frozenset({"total"})

_Head: TypeAlias = DateText | bool  # the period of a column, or whether that is the current one


class _Number(NamedTuple):
    span: Span
    value: float


@dataclass(frozen=True)
class TablePlace:
    """A number of a table of *text*; *floor* is where its statement begins, or what leads to it."""

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

    def begin(self, row: Span) -> "TablePlace":
        """Return the first number of another *row* of its table."""
        first = _numbers(self.text, row)[0]
        return TablePlace(self.text, first.span, first.value, row, self.floor)

    @cached_property
    def has_periods(self) -> bool:
        """Whether the numbers of its row are of several periods."""
        heads = (self.head_of(number.span) for number in _numbers(self.text, self.row))
        return len({_key(head) for head in heads if head is not None}) > 1

    @property
    def is_negative(self) -> bool:
        """Whether it stands in brackets or has a minus before or behind it."""
        return _is_negative(self.text, self.row, self.number)

    def head_of(self, number: Span) -> _Head | None:
        """Return the period of the column of *number*, or whether that is the current one."""

        def read_periods(line: str) -> list[DateText]:
            return heads_in(line) if is_head_line(line) else []

        def read_relative(line: str) -> list[bool]:
            return [found["now"] is not None for found in _RELATIVE.finditer(line)]

        dated = read_head(self.text, number, self.floor, read_periods)
        return dated or read_head(self.text, number, self.floor, read_relative)

    def later_than(self, own: _Head) -> tuple[str, _Head] | None:
        """Return the number of its row under the latest period, and that period, if it is later.

        The number is empty where there are several: nobody knows which is meant.
        """
        found: dict[tuple[int, ...], list[tuple[str, _Head]]] = {}
        for other in _numbers(self.text, self.row):
            head = self.head_of(other.span)
            if other.span != self.number and head is not None and _is_later(head, own):
                found.setdefault(_key(head), []).append((other.span.of(self.text), head))
        latest = found[max(found)] if found else []
        return latest[0] if len(latest) == 1 else ("", latest[0][1]) if latest else None

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
        """Yield the sum of its column, and that of its row, of at least two numbers each.

        Numbers of several periods make no sum.
        """
        column = [found.value for row in self.rows() if (found := self.below(row))]
        numbers = [] if self.has_periods else _numbers(self.text, self.row)
        own = [number.value for number in numbers]
        for values in (column, own):
            if len(values) > 1:
                yield math.fsum(values)

    def below(self, row: Span) -> _Number | None:
        """Return the number of its column in *row*, another one; None where that has none."""
        own, numbers = column_of(self.text, self.row, self.number), _numbers(self.text, row)
        if own is not None:
            return next((x for x in numbers if column_of(self.text, row, x.span) == own), None)
        beside = [found.span for found in _numbers(self.text, self.row)]
        place = beside.index(self.number) - len(beside)  # from the right, where there are no bars
        return numbers[place] if -place <= len(numbers) else None


def find_table_places(quote: str, value: float, text: str, span: Span | None) -> list[TablePlace]:
    """Return where in tables of *text* the number of *quote* stands that *value* is.

    It may be so many thousands or millions. Where *span*, the place of the quote, is not known, all
    places count that have the same words.
    """
    found = []
    for place in [span] if span else islice(find_exactly(quote, text), _MOST_PLACES):
        numbers = [
            (row, number)
            for row in _lines_of(text, place)
            for number in _numbers(text, row)
            if place.start <= number.span.start and number.span.end <= place.end
        ]
        alike = [(row, one) for row, one in numbers if _is_scaled(one.value, value)]
        for row, number in alike or numbers * (len(numbers) == 1):
            if is_tabular(row.of(text)):
                floor = _floor(text, row.start)
                found.append(TablePlace(text, number.span, number.value, row, floor))
    return found


def is_headed(text: str, number: Span, said: str) -> bool:
    """Whether the head of the column of *number* has all words *said*: `feet` below `Feet`."""
    floor = _floor(text, line_at(text, number).start)

    def read(line: str, word: str) -> list[str]:
        unit = unit_of(word.strip("().,"))
        pairs = ((x, {*stems(x)} >= {*stems(word)} != set()) for x in _BETWEEN.split(line))
        return [x for x, is_word in pairs if is_word or (unit and unit_of(x) == unit)][:1]

    return bool(said.split()) and all(
        read_head(text, number, floor, partial(read, word=word)) for word in said.split()
    )


def _say_period(head: _Head) -> str:
    """Write the period of a head: `2021-06-30`."""
    if isinstance(head, bool):
        return "the current period" if head else "the prior period"
    return "-".join(f"{part:02}" for part in (head.year, head.month, head.day) if part)


def _key(head: _Head) -> tuple[int, ...]:
    if isinstance(head, bool):
        return (int(head),)
    return (head.year or 0, head.month or 0, head.day or 0)


def _is_later(one: _Head, other: _Head) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is True and other is False
    pairs = zip(_key(one), _key(other), strict=True)
    known = [(a, b) for a, b in pairs if a and b]
    return [a for a, _ in known] > [b for _, b in known]


def _is_negative(text: str, row: Span, number: Span) -> bool:
    """Whether a number has a minus, or brackets that are its cell: not `SR (6%)   49.06`."""
    before, after = text[row.start : number.start], text[number.end : row.end]
    bracket = _OPEN.search(before)
    if not bracket or not _CLOSED.match(after):
        return _MINUS.search(before) is not None or _MINUS_BEHIND.match(after) is not None
    label = before[: bracket.start()]
    is_spelled = any(not label[word.end() :].strip() for word in NUMBER_WORDS.finditer(label))
    is_drawn = category(label.rstrip()[-1:] or " ") == "So"
    is_in_cell = _IN_CELL.search(label) and (_GAP.search(label) or _GAP.search(after))
    return not is_spelled and not is_drawn and not is_in_cell


def _numbers(text: str, row: Span) -> list[_Number]:
    """Return the numbers of *row*, but for those of a name between bars: `Notes due 2027 | 12`."""
    found = []
    for match in _NUMERAL.finditer(text, row.start, row.end):
        span, value = Span(*match.span()), read_numeral(match[0])
        start = max(text.rfind("|", row.start, span.start) + 1, row.start)
        end = text.find("|", span.end, row.end)
        cell = text[start : end if end >= 0 else row.end]
        is_name = (start > row.start or end >= 0) and len(_LETTERS.findall(cell)) > _MOST_LETTERS
        is_out_of = _OUT_OF.search(text[max(start, span.start - _OUT_OF_CHARACTERS) : span.start])
        if value is not None and not is_name and not is_out_of:
            sign = -1 if _is_negative(text, row, span) else 1
            found.append(_Number(span, sign * float(value)))
    return found


def _is_scaled(number: float, value: float) -> bool:
    """Whether two numbers are one but for their sign, or for thousands or millions."""
    return any(math.isclose(abs(number) * power, abs(value), rel_tol=1e-6) for power in _POWERS)


def _may_be_row(line: str) -> bool:
    """Whether a line may stand within a table: a row, a rule, a heading of rows, nothing at all."""
    return len(line.strip()) <= _LONGEST_LINE or is_tabular(line)


def _lines_of(text: str, place: Span) -> Iterator[Span]:
    start = place.start
    while start < place.end:
        line = line_at(text, Span(start, start))
        yield line
        start = line.end + 1


def _next_line(text: str, line: Span, step: int) -> Span | None:
    """Return the line before or after *line*; None where there is none."""
    start = line.end + 1 if step > 0 else line.start - 1
    return line_at(text, Span(start, start)) if 0 <= start < len(text) else None


@lru_cache(maxsize=256)
def _floor(text: str, start: int) -> int:
    """Return where the statement of the line at *start* begins: with a heading, or behind prose."""
    is_prose, below = False, ""
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        line = text[above : start - 1]
        if is_prose and not line.strip():
            break
        wrapped = _is_running(line) and _is_running(below)
        is_prose = is_prose or wrapped or not _may_be_row(line)
        start, below = above, line
        if line.startswith("#"):
            break
    return start


def _is_running(line: str) -> bool:
    return len(line.split()) >= _FEWEST_WORDS and not is_tabular(line)


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
    objections = [
        _object_to_row(attribute, place)
        or _object_to_scale(attribute, value, place)
        or object_to_sign(attribute, value, place.label, is_negative=place.is_negative)
        or _object_to_made_sign(attribute, value, place)
        or _object_to_period(attribute, place)
        for place in places
    ]
    return objections[0] if objections and all(objections) else ""


def _object_to_row(attribute: Attribute, place: TablePlace) -> str:
    """Another row that is named as the column is, where this one is not, or only in part."""
    unit, own = column_unit(attribute), _name_stems(place.label)
    names = [_name_stems(name, unit) for name in (attribute.name, *attribute.synonyms)]
    if not own or any(name <= own for name in names):
        return ""
    is_part = any(own < name for name in names)
    wanted = {name for name in names if not name < names[0]}
    for row in place.rows():
        other = place.begin(row)
        said = _name_stems(other.label)
        is_named = not wanted.isdisjoint((said, said - _TOTAL))
        is_better = own < said if is_part else len(said & names[0]) >= len(own & names[0])
        if row == place.row or not is_named or not is_better:
            continue
        number = place.below(row)
        if number and number.value == place.value:
            return ""
        numerals = [x.of(place.text) for x in (number.span, place.number)] if number else []
        whole = [_DECIMALS.sub("", numeral) for numeral in numerals]
        # of one form: both decimals or none, both marks or none
        forms = [{*map(bool, map(_DECIMALS.search, numerals))}]
        forms += [{not part.isdecimal() for part in whole if len(part) > _LONGEST_UNPARTED}]
        if numerals and max(map(len, forms)) < 2:
            return f"its row is {place.label!r}, and the table has a row {other.label!r}"
    return ""


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


def object_to_sign(attribute: Attribute, value: float, label: str, *, is_negative: bool) -> str:
    """Say what speaks against the sign of *value*, whose number has the words *label* before it.

    A minus counts, unless the description says that amounts are positive, or the column is only of
    what is lost or spent, which some write with a minus. Where a number has none, words may say it:
    then the name or the label has one for a loss or for what is spent.
    """
    if not value or _UNSIGNED.search(attribute.description):
        return ""
    named, said = _ways(attribute.name), _ways(label)
    is_loss = named & _LESS and not _is_two_way(attribute.name, label)
    if value > 0 and is_negative and not is_loss:
        return "the document gives it in brackets or with a minus: is it negative?"
    if "spent" in said | named:
        return ""
    is_one_way = len(named & _BOTH) == 1 == len(said & _BOTH)
    if value > 0 and is_one_way and not is_negative and said.isdisjoint(named):
        return f"it stands behind {label!r}: is it negative?"
    return ""


def _object_to_made_sign(attribute: Attribute, value: float, place: TablePlace) -> str:
    """A minus that neither the number has nor a word of its row, its column or the description."""
    if value >= 0 or place.is_negative or _UNSIGNED.search(attribute.description):
        return ""
    row = place.row.of(place.text)
    said = _ways(_IN_BRACKETS.sub(" ", row))
    if not _is_two_way(attribute.name, place.label):
        said |= _ways(attribute.name)
    own = _name_stems(place.label) - _name_stems(attribute.name)
    described = attribute.description.casefold()
    is_told = "negative" in described and own & _name_stems(described)
    if is_told or said & _LESS or _SIGNED.search(row):
        return ""
    return "the table gives it without brackets or a minus: is it positive?"


def _is_two_way(name: str, label: str) -> bool:
    """Whether a column is of what comes in and of what goes out, as `net_cash_used` is."""
    named = _ways(name)
    said = ([_ways(side) for side in _SIDES.split(x.replace("_", " "))] for x in (name, label))
    are_joined = any({"gain"} in sides and {"spent"} in sides for sides in said)
    is_net = "net" in words(name) and "loss" not in named
    return is_net or named >= _BOTH or ("gain" in named and are_joined)


def _ways(said: str) -> set[str]:
    found = set(stems(said))
    return {way for way, known in _words_of_ways().items() if found & known}


@cache
def _words_of_ways() -> dict[str, frozenset[str]]:
    up, down = (WORDS["directions"][way] for way in ("up", "down"))
    moving = {"gain": up, "loss": down, "spent": ""}
    said = {way: f"{WORDS['signs'][way]} {own}".split() for way, own in moving.items()}
    return {way: frozenset(map(stem, own)) for way, own in said.items()}


def _object_to_period(attribute: Attribute, place: TablePlace) -> str:
    """A later period of the same row, which is what a document is about; its title dates it."""
    described, own = definition(attribute), place.head_of(place.number)
    if own is None or _SPEAKS_OF_PRIOR.search(described):
        return ""
    if isinstance(own, DateText) and str(own.year) in described:
        return ""
    title = place.text.strip().partition("\n")[0]
    meant, told = ({date.year for date in years_in(said)} for said in (described, title))
    if isinstance(own, bool) and meant and meant != told:
        return ""
    if years_in(place.number.of(place.text)):  # `1993 to 2004`, below other years: it is one itself
        return ""
    later = place.later_than(own)
    if later is None:
        return ""
    number, period = later[0], _say_period(later[1])
    other = f"that for {period} is {number}" if number else f"there are others for {period}"
    return f"this is the row's number for {_say_period(own)}; {other}"


def _name_stems(name: str, unit: str | None = None) -> frozenset[str]:
    """Return the stems of what names a row or a column, but for its *unit* and joining words."""
    said = (word for word in words(name) if word not in JOINING)
    return frozenset(stem(word) for word in said if not unit or unit_of(word) != unit)
