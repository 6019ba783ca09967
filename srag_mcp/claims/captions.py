"""Captions and heads: what stands above a number of a table and says its scale and its year."""

import re
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from srag_mcp.documents.lines import collapse, is_data
from srag_mcp.documents.passages import Passage, holds_in, passage_at
from srag_mcp.documents.totals import LabelledRow, groups_of
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, has_digit, words
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.quantities import scan_figures
from srag_mcp.values.units import ScaledUnit, as_money, is_currency, parse_unit, read_context

_LONGEST_CAPTION = 200
_BRACKETED = re.compile(r"(?<!\w)\([^()]+\)")  # not the `k` of `401(k)`
_CELL_END = re.compile(r"\||\t|\s{3,}")
# Two figures with nothing between, as rows end whose layout is lost: `Bonds 416,420 213,875`.
_ROW_END = re.compile(r"(?:\d[\d.,]*\)?|[-–—])\s+[^\w\s]{0,2}\s?\(?\d[\d.,]*[)%]?$")
_WRAPPED = re.compile(r"(\([^()\n]{1,100})\n\s*([^()\n]{1,100}\))")
_GAP = re.compile(r"\s*\|\s*|\t+|\s{2,}")
_NUMBER = re.compile(r"\d[\d.,]*|[-–—](?=\s|$|\|)")
_EXCEPTION = re.compile(r"\bexcept\b(.*)", re.IGNORECASE | re.DOTALL)
_PER = re.compile(r"\bper\b|%|percent", re.IGNORECASE)
_FISCAL = re.compile(r"\b(?:FY|CY)\s?['’]?(\d{4}|\d\d)(?!\d)", re.IGNORECASE)
_APOSTROPHE = re.compile(r"['’](?=[^\W\d_]{2})")  # `RMB’Million`
_CENTURY = "20"
_HALF_YEAR = 6
_UNSCALED = frozenset({1.0})
_SHARE = re.compile(r"\)?\s?%")
_MARKS = re.compile(r"\(\w\)|[$€£]?['’]?(?<!\d)000\b|[$€£]m\b|(?<=[^\W\d_]{3})\d\b")
_NOTE = re.compile(r"\d{1,2}")
_MOST_HEAD_WORDS = 12
_WHOLE_LINE = re.compile(r"[^\n]*\S[^\n]*")
_WITHIN = re.compile(r"\([^\W\d_]{1,3}\)(?=\s?[^\W\d_])")
_RULE = re.compile(r"[-:=]*")  # an empty cell, or one of the line below the heads of Markdown
_JOINED = re.compile(r"[-–—&/+,;]")
_Head = TypeVar("_Head")


def is_tabular(line: str) -> bool:
    """Whether *line* is a row of a table: its cells stand apart, or it ends in several figures."""
    said = line.strip()
    return bool(_CELL_END.search(said) or _ROW_END.search(said))


def read_scales(text: str, number: Span, floor: int, unit: str | None) -> frozenset[float]:
    """Return by what the bare *number* of *text*, meant in *unit*, may be multiplied.

    It is the scale of its column, of its table or of its caption, which stands above it behind
    *floor*. A sum of money, and a number without a unit, have it; what is counted or measured in
    another unit may; so may what the caption excepts, and what its row or the line above its rows
    says is a ratio: `per share`.
    """
    row = line_at(text, number)
    column = column_of(text, row, number)
    if not is_tabular(row.of(text)) or "%" in text[number.end : row.end].lstrip()[:1]:
        return _UNSCALED
    named, group = f"{unit or ''} {text[row.start : number.start]}", ""
    for line in _lines_above(text, floor, row.end):
        cells = _GAP.split(line) if "|" in line else [line]
        own = cells[column] if column is not None and column < len(cells) else ""
        if "%" in own and len(cells) > 1 and not has_digit(own):
            return _UNSCALED
        for context in dict.fromkeys((own, cells[0], line)):
            said = _read_caption(context)
            if said.scale > 1:
                exception = _EXCEPTION.search(line)
                is_per = _PER.search(f"{named} {group}") is not None
                if "/" in (unit or "") or (exception and is_per):
                    return _UNSCALED
                is_excepted = exception and (
                    "." in number.of(text) or not _PER.search(exception[1])
                )
                meant, scale = parse_unit(unit or "").unit, float(said.scale)
                is_scaled = meant is None or is_currency(meant) or meant == said.unit
                is_sure = is_scaled and not is_excepted and not is_per
                return frozenset({scale} if is_sure else {1.0, scale})
        is_group = len([cell for cell in cells if cell.strip()]) == 1 and (
            len(cells) > 1 or not is_tabular(line)
        )
        group = group or line * is_group
    return _UNSCALED


def _read_caption(line: str) -> ScaledUnit:
    """Read scale and unit of a caption; a short note ends its cell: not `AEON CO. (M) BHD`."""
    said = _APOSTROPHE.sub(" ", collapse(line))
    if len(said) > _LONGEST_CAPTION:
        said = " ".join(_BRACKETED.findall(said))
    return as_money(read_context(_WITHIN.sub(" ", said)))


def read_years(text: str, number: Span, floor: int) -> Set[int]:
    """Return the years that the head of the column of *number* may mean; empty: it is not known.

    A date in the first half of a year may end the fiscal year before.
    """
    head = read_head(text, number, floor, heads_in)
    if head is None or head.year is None:
        return frozenset()
    is_early = head.month is not None and head.month <= _HALF_YEAR
    return frozenset({head.year, head.year - 1} if is_early else {head.year})


def read_head(
    text: str, number: Span, floor: int, read: Callable[[str], Sequence[_Head]]
) -> _Head | None:
    """Return what the head of the column of *number* says; *read* finds it in a line or a cell.

    A column belongs to a head by its place between bars, or because a line above has as many heads
    as the row has numbers: without the numbers of notes, and without shares.
    """
    row = line_at(text, number)
    if not is_tabular(row.of(text)):
        return None
    column = column_of(text, row, number)
    figures = [
        Span(row.start + found.start(), row.start + found.end())
        for found in _NUMBER.finditer(row.of(text))
    ]
    for line, above in pairwise((*_lines_above(text, floor, row.start), "")):
        if _is_row(line, above):
            continue
        if column is not None:
            cells = _GAP.split(line) if "|" in line else []
            own = read(cells[column]) if column < len(cells) else []
            counted = scan_figures(_MARKS.sub(" ", cells[column])) if len(own) == 1 else ()
            if len(own) == 1 and not any(n.unit or n.scaled for n in counted):
                return own[0]  # a head, and no value
            continue
        found = read(line)
        kept = _as_many(text, figures, len(found)) if len(found) > 1 else []
        for figure, head in zip(kept, found, strict=False):
            if figure.overlaps(number):
                return head
        if kept:
            return None
    return None


def _is_row(line: str, above: str) -> bool:
    """Whether *line* has a label and numbers right below other numbers: then it is no head."""
    label, *cells = _cells(line)
    is_labelled = any(map(str.isalpha, label)) and any(map(is_data, cells))
    return is_labelled and any(map(is_data, _cells(above)[1:]))


def _as_many(text: str, figures: Sequence[Span], n_heads: int) -> Sequence[Span]:
    """Return the figures of a row that stand below *n_heads* heads; none where they do not."""
    amounts = [found for found in figures if not _SHARE.match(text, found.end)]
    kept = figures if len(figures) == n_heads else amounts
    n_more = len(kept) - n_heads
    notes = [found.of(text) for found in kept[: max(0, n_more)]]
    rest = [found.of(text) for found in kept[max(0, n_more) :]]
    is_noted = (
        n_more > 0 and all(map(_NOTE.fullmatch, notes)) and not any(map(_NOTE.fullmatch, rest))
    )
    return kept[n_more:] if is_noted else kept if not n_more else []


def is_head_line(line: str) -> bool:
    """Whether *line* has years and hardly anything else, as the heads of columns do.

    Else is a mark of a note, or a unit: `2019 (1)`, `2018 $’000 RESTATED3`.
    """
    line = spell_years(_MARKS.sub(" ", line))
    found = find_dates(line, partial=True)
    rest = line
    for span, _ in reversed(found):
        rest = f"{rest[: span.start]} {rest[span.end :]}"
    return bool(found) and not has_digit(rest) and len(rest.split()) <= _MOST_HEAD_WORDS


def _joins(between: str, before: str) -> bool:
    """Whether what stands between two dates makes one thing of them: a mark, or `to`, `and`."""
    said = words(between)
    is_word = bool(said) and STOP_WORDS.issuperset(said) and not set(said) <= set(words(before))
    is_marked = not said and _JOINED.search(between) is not None
    return is_word or is_marked or not any(map(str.isspace, between))


def find_scale_note(text: str, passages: Sequence[Passage], place: int) -> Span | None:
    """Return the line above *place* that says the scale of what stands there.

    It holds until another one follows, or its section ends, see `holds_in`. Without *passages*
    only what stands near is known to be of one section.
    """
    here = passage_at(passages, place) or Passage(Span(place, place), None, (), "text")
    for note in reversed(_find_scale_notes(text)):
        if note.end <= place:
            above = passage_at(passages, note.start) or Passage(note, None, (), "text")
            if holds_in(above, here):
                return note
    return None


def note_scales(text: str) -> set[float]:
    """Return the scales that lines of *text* say."""
    return {float(_read_note(note.of(text)).scale) for note in _find_scale_notes(text)}


def _read_note(note: str) -> ScaledUnit:
    return _read_caption(_WRAPPED.sub(r"\1 \2", note))


@lru_cache(maxsize=8)  # a document is looked through for each of its tables
def _find_scale_notes(text: str) -> tuple[Span, ...]:
    """Return the lines of *text* that say a scale; what is wrapped in brackets is one line."""
    wrapped = [found.span() for found in _WRAPPED.finditer(text)]
    notes, end = list[Span](), 0
    for found in _WHOLE_LINE.finditer(text):
        if found.start() < end:
            continue
        end = found.end()
        while wrapped and wrapped[0][0] < end:
            end = max(end, wrapped.pop(0)[1])
        line = Span(found.start(), end)
        is_scale = _read_note(line.of(text)).scale > 1
        if is_scale and not any(figure.scaled for figure in scan_figures(line.of(text))):
            notes.append(line)
    return tuple(notes)


def head_lines(
    text: str,
    floor: int,
    start: int,
    passages: Sequence[Passage] = (),
    heads: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the line above *start* that says the scale there, and the last one that has years.

    Years are those of columns: they are sought from *floor* on, where the *heads* of its table are
    not known. Of a text whose *passages* are not known, the scale is, too.
    """
    kept = list[tuple[int, str]]()
    note = find_scale_note(text, passages, start)
    if note is not None and (passages or note.start >= floor):
        kept.append((note.start, collapse(note.of(text))[-_LONGEST_CAPTION:]))
    place = start
    for line in () if heads else _lines_above(text, floor, start):
        shown = collapse(line)[-_LONGEST_CAPTION:]
        place = max(floor, text.rfind(line, floor, place))
        if len(years_in(shown)) > 1 and is_tabular(line):
            kept.append((place, shown))
            break
    return tuple(dict.fromkeys((*(line for _, line in sorted(kept)), *heads)))


def headings_of_row(text: str, row: Span, heads: Span, floor: int) -> tuple[str, ...]:
    """Return what stands above *row* of a table and holds for it, outermost first.

    That is its scale, its caption and column heads, which stand at *heads*, and the labels of the
    groups that it is in: `("(in thousands)", "2019 | 2018", "Deferred tax liabilities")`.
    """
    shown = [collapse(line) for line in heads.of(text).splitlines() if line.strip()]
    below = [line for line in text[heads.end : row.end].splitlines() if line.strip()]
    rows = [_read_row(line) for line in below]
    first = rows[0] if len(rows) > 1 else None  # it may say the units: ` | US$’000 | US$’000`
    is_unit = first is not None and (
        not first.name or (first.is_group and _read_caption(first.name).scale > 1)
    )
    start = heads.end + len(below[0]) + 1 if is_unit else heads.end
    said = head_lines(text, floor, min(start, row.start), heads=shown)
    groups = groups_of(rows[1:] if is_unit else rows)[-1] if rows else ()
    filled = ([x for x in _cells(line) if not _RULE.fullmatch(x)] for line in said)
    written = (" | ".join(cells).rstrip(": ") for cells in filled)
    return tuple(dict.fromkeys(filter(None, (*written, *groups))))


def _cells(line: str) -> list[str]:
    return [cell.strip(" #") for cell in _GAP.split(line.removeprefix("|").strip())]


def _read_row(line: str) -> LabelledRow:
    """Read what names a row of a table: its first cell, or its only one, unless that is a value."""
    cells = _cells(line)
    filled = [cell for cell in cells if cell]
    is_alone = len(filled) == 1
    name = filled[0] if is_alone else cells[0]
    name = "" if is_data(name) else name.rstrip(": ")
    return LabelledRow(name, bool(name) and is_alone, len(line) - len(line.lstrip()))


def years_in(text: str) -> list[DateText]:
    """Return the dates of *text* that have a year, fiscal years included: `FY19` is 2019."""
    return [
        found for _, found in find_dates(spell_years(text), partial=True) if found.year is not None
    ]


def heads_in(line: str) -> list[DateText]:
    """Return the dates of *line* that may be heads: they stand apart, not as in `2019 to 2021`."""
    spelled = spell_years(line)
    places = [span for span, found in find_dates(spelled, partial=True) if found.year is not None]
    before = spelled[: places[0].start] if places else ""
    between = (spelled[one.end : other.start] for one, other in pairwise(places))
    return [] if any(_joins(text, before) for text in between) else years_in(line)


def spell_years(text: str) -> str:
    """Write fiscal years as years: `FY19`, `FY2019` -> ` 2019 `."""
    return _FISCAL.sub(
        lambda found: f" {found[1] if len(found[1]) > 2 else _CENTURY + found[1]} ", text
    )


def line_at(text: str, place: Span) -> Span:
    """Return the line of *text* that *place* begins on, or the lines."""
    end = text.find("\n", place.end)
    return Span(text.rfind("\n", 0, place.start) + 1, len(text) if end < 0 else end)


def column_of(text: str, row: Span, number: Span) -> int | None:
    """Return which cell between bars *number* stands in; None where there are no bars."""
    return text.count("|", row.start, number.start) if "|" in row.of(text) else None


@lru_cache(maxsize=8)
def _lines_above(text: str, floor: int, end: int) -> Sequence[str]:
    """Return the lines that begin from *floor* on and before *end*, the last one first."""
    whole = _WRAPPED.sub(r"\1 \2", text[floor:end])
    return [line for line in reversed(whole.splitlines()) if "|" not in line or line.strip("|-: ")]
