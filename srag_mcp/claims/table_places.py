"""Where a value stands in a table: in which row and column, and what these say against it."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from srag_mcp.claims.captions import heads_in, is_head_line, is_tabular, read_head
from srag_mcp.text.spans import Span
from srag_mcp.values.dates import DateText
from srag_mcp.values.quantities import NUMBER_WORDS, read_numeral

_NUMERAL = re.compile(r"(?<![\w.,])\d[\d.,]*(?<=\d)(?!\w)")
_OPEN, _CLOSED = re.compile(r"\(\s?[^\w\s]{0,2}\s?$"), re.compile(r"\s?%?\s?\)")
_MINUS = re.compile(r"(?<![^\s|(])[-−–]\s?[$€£]?\s?$")
_IN_CELL, _GAP = re.compile(r"[^\W\d_]\s?$"), re.compile(r"\S(?:\s{2,}|\t|\s*\|)\s*\S")
_PLACEHOLDER = re.compile(r"\W+$")
_CURRENT = r"(?:current|this|present)"
PRIOR = r"(?:prior|previous|preceding|last)"
PERIOD = r"(?:\s(?:fiscal|financial|reporting))?\s(?:year|period|quarter|half|month)\b"
_RELATIVE = re.compile(rf"\b(?:(?P<now>{_CURRENT})|{PRIOR}){PERIOD}", re.IGNORECASE)
_POWERS = tuple(10.0**power for power in (0, 3, 6, 9, -3, -6, -9))
_LETTERS, _MOST_LETTERS = re.compile(r"[^\W\d_]"), 8  # of a unit, a scale or a mark
_MOST_PLACES, _MOST_LINES = 20, 80
_FEWEST_WORDS = 8  # of a line of running text: labels have fewer
_LONGEST_LINE = 120  # of what may still be a part of a table: longer lines are prose


@dataclass(frozen=True, slots=True)
class _Number:
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
    def has_negatives(self) -> bool:
        """Whether its table has numbers in brackets or behind a minus."""
        return any(
            _is_negative(self.text, row, number.span)
            for row in self.rows()
            for number in _numbers(self.text, row)
        )

    @cached_property
    def has_periods(self) -> bool:
        """Whether the numbers of its row are of several periods."""
        heads = (self._head_of(number.span) for number in _numbers(self.text, self.row))
        return len({_key(head) for head in heads if head is not None}) > 1

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
        if own is None:
            return None
        found: dict[tuple[int, ...], list[tuple[str, str]]] = {}
        for other in _numbers(self.text, self.row):
            head = self._head_of(other.span)
            if other.span == self.number or head is None or not _is_later(head, own):
                continue
            found.setdefault(_key(head), []).append((other.span.of(self.text), say_period(head)))
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
        alike = [(row, one) for row, one in numbers if is_scaled(one.value, value)]
        for row, number in alike or numbers * (len(numbers) == 1):
            if is_tabular(row.of(text)):
                floor = _floor(text, row.start)
                found.append(TablePlace(text, number.span, number.value, row, floor))
    return found


def say_period(head: DateText | bool) -> str:
    """Write the period of a head: `2021-06-30`."""
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
    return heads_in(line) if is_head_line(line) else []


def _read_relative(line: str) -> list[bool]:
    return [found["now"] is not None for found in _RELATIVE.finditer(line)]


def _is_negative(text: str, row: Span, number: Span) -> bool:
    """Whether a number has a minus, or brackets that are its cell: not those of `SR (6%)   49.06`.

    Nor those that repeat what is spelled: `thirty (30)`.
    """
    before, after = text[row.start : number.start], text[number.end : row.end]
    bracket = _OPEN.search(before)
    if not bracket or not _CLOSED.match(after):
        return _MINUS.search(before) is not None
    label = before[: bracket.start()]
    is_spelled = any(not label[word.end() :].strip() for word in NUMBER_WORDS.finditer(label))
    is_in_cell = _IN_CELL.search(label) and (_GAP.search(label) or _GAP.search(after))
    return not is_spelled and not is_in_cell


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


def is_scaled(number: float, value: float) -> bool:
    """Whether two numbers are one but for their sign, or for thousands or millions."""
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


@lru_cache(maxsize=256)
def _floor(text: str, start: int) -> int:
    """Return where the statement of the line at *start* begins: with a heading, or behind prose.

    Heads and a note on its scale hold so far, however long its tables are. Prose is a line that is
    too long for a table, or two of running text; one paragraph of it leads to what follows.
    """
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
