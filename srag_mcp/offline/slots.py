"""Slots: typed values in running text, each with the words that tell what it is."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from srag_mcp.documents.document import Document
from srag_mcp.offline.sentences import Paragraph, Token, split_paragraphs, tokens_of
from srag_mcp.schema.extractors import SlotType
from srag_mcp.text.spans import Span
from srag_mcp.text.words import is_content
from srag_mcp.values.dates import find_dates
from srag_mcp.values.numerals import ambiguous_mark
from srag_mcp.values.quantities import Quantity, find_quantities
from srag_mcp.values.units import SIZES, is_currency

# Digits that belong to a name, a label or a code: "B-52", "A4", "§ 12", "#3".
_GLUED_BEFORE = re.compile(r"(?:[^\W\d_][-–/.]?|[§#№@]\s?)\Z")
_MARKED = re.compile(r"[/★⭐]")
_STARS = re.compile(r"(?<![★⭐☆])(?P<full>[★⭐]{1,10})[☆]{0,10}(?![★⭐☆])")
_NUMERAL = re.compile(r"\d[\d.,]*\d")
_GLUED_AFTER = re.compile(r"[^\W\d_]")
_STOPS = re.compile(r"[;:()\[\]]|[.!?](?:\s|$)|,\s")
_NEAR_WORDS = 5
_MAX_AROUND = 60
_MAX_TO_DATE = 30
_BOUND_MARKS = re.compile(r"[<>≤≥~]\s*$")


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value in a text.

    *amount* orders values: of a date its ordinal, of a measure in the base unit of its kind (of a
    length in metres). *other* is the amount where its separator could be read the other way
    ("1.019").
    """

    type: SlotType
    span: Span
    amount: float
    unit: str | None = None
    other: float | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A value in a sentence, with the features that `SlotRule.weights` is written in."""

    value: Value
    sentence: Span
    features: frozenset[str] = field(default=frozenset())


def find_slots(document: Document) -> list[Slot]:
    """Find the typed values of all running text, in order."""
    values = find_values(document.text)
    starts = [value.span.start for value in values]
    slots: list[Slot] = []
    for paragraph in split_paragraphs(document):
        first = bisect_left(starts, paragraph.span.start)
        last = bisect_right(starts, paragraph.span.end - 1)
        if first < last:
            slots.extend(_slots_of(document.text, paragraph, values[first:last]))
    return slots


def find_values(text: str) -> list[Value]:
    """Find all typed values of *text*, in order, without overlaps; dates win over numbers.

    Dates that are less than a day ("May 2021") are no values; a lone year is a number.
    """
    values: list[Value] = []
    taken: list[Span] = []
    for span, found in find_dates(text, partial=True):
        if found.precision == "year" or (span.start and text[span.start - 1].isalnum()):
            continue
        taken.append(span)
        day = found.on()
        if day is not None:
            values.append(Value("date", span, float(day.toordinal())))
    starts = [span.start for span in taken]
    for span, quantity in find_quantities(text):
        index = bisect_right(starts, span.end - 1) - 1
        if index >= 0 and taken[index].end > span.start:
            continue
        if quantity.upper is None and not _is_glued(text, span):
            values.append(_value_of(text, span, quantity))
    values.extend(
        Value("number", Span(*match.span()), float(len(match["full"])))
        for match in _STARS.finditer(text)
    )
    return sorted(values, key=lambda value: value.span.start)


def _value_of(text: str, span: Span, quantity: Quantity) -> Value:
    amount = float(quantity.value) * SIZES.get(quantity.unit or "", ("", 1.0))[1]
    numeral = _NUMERAL.search(text, span.start, span.end)
    other = None
    if numeral is not None and ambiguous_mark(numeral.group()):
        other = amount / 1000 if amount >= 1000 else amount * 1000
    return Value(_type_of(quantity.unit), span, amount, quantity.unit, other)


def _type_of(unit: str | None) -> SlotType:
    if unit == "percent":
        return "percent"
    return "money" if is_currency(unit) else "number"


def _is_glued(text: str, span: Span) -> bool:
    before = text[max(0, span.start - 3) : span.start]
    if text[span.start].isdigit() and _GLUED_BEFORE.search(before):
        return True
    return _GLUED_AFTER.match(text, span.end) is not None


def _slots_of(text: str, paragraph: Paragraph, values: Sequence[Value]) -> Iterator[Slot]:
    order = _order_of_dated(values)
    tokens = tokens_of(text, paragraph.span)
    stems = [token.stem for token in tokens if is_content(token.word)]
    around = frozenset(f"^{stem}" for stem in stems[:_MAX_AROUND])
    headings = frozenset(f"#{heading}" for heading in paragraph.section[-1:])
    value_starts = [value.span.start for value in values]
    token_starts = [token.start for token in tokens]
    for sentence in paragraph.sentences:
        inside = _within(value_starts, sentence)
        if not inside:
            continue
        span = _within(token_starts, sentence)
        own = tokens[span.start : span.stop]
        shared = around | headings | {f"~{t.stem}" for t in own if is_content(t.word)}
        group = [values[n] for n in inside]
        for position, number in enumerate(inside):
            if _BOUND_MARKS.search(
                text[max(0, values[number].span.start - 3) : values[number].span.start]
            ):
                continue  # "> 50" is a threshold, not a fact
            marks = {order[number]} if number in order else set()
            near = _near_features(text, own, group, position)
            yield Slot(values[number], sentence, shared | near | marks)


def _within(starts: Sequence[int], span: Span) -> range:
    """Return the numbers of the things that start within *span*."""
    return range(bisect_left(starts, span.start), bisect_left(starts, span.end))


def _near_features(
    text: str, tokens: Sequence[Token], group: Sequence[Value], position: int
) -> set[str]:
    value = group[position]
    left_end = group[position - 1].span.end if position else 0
    right_end = group[position + 1].span.start if position + 1 < len(group) else len(text)
    features = set(_left_words(text, tokens, left_end, value.span.start))
    features.update(_right_words(text, tokens, value.span.end, right_end))
    if value.type == "number" and (mark := _MARKED.search(value.span.of(text))):
        features.add("@score" if mark.group() == "/" else "@stars")
    if value.unit:
        features.add(f"unit:{SIZES[value.unit][0] if value.unit in SIZES else value.unit}")
    return features


def _left_words(text: str, tokens: Sequence[Token], start: int, end: int) -> Iterator[str]:
    near = [t for t in tokens if start <= t.start and t.end <= end and not t.word.isdigit()]
    if near:
        yield f"<!{near[-1].stem}"
    for token in reversed(near[-_NEAR_WORDS:]):
        if _STOPS.search(text, token.end, end):
            return
        if is_content(token.word):
            yield f"<{token.stem}"


def _right_words(text: str, tokens: Sequence[Token], start: int, end: int) -> Iterator[str]:
    near = [t for t in tokens if start <= t.start and t.end <= end and not t.word.isdigit()]
    if near:
        yield f">!{near[0].stem}"
    for token in near[:_NEAR_WORDS]:
        if _STOPS.search(text, start, token.start):
            return
        if is_content(token.word):
            yield f">{token.stem}"


def _order_of_dated(values: Sequence[Value]) -> dict[int, str]:
    """Mark the values that stand right before a date: `@latest`, `@earlier`, or a lone `@dated`.

    "from 41 on 1 May to 58 on 1 June" -> the second is `@latest`, the first `@earlier`.
    """
    dated = {
        index: values[index + 1].amount
        for index, value in enumerate(values[:-1])
        if value.type != "date"
        and values[index + 1].type == "date"
        and values[index + 1].span.start - value.span.end <= _MAX_TO_DATE
    }
    if len(set(dated.values())) < 2:
        return dict.fromkeys(dated, "@dated")
    latest = max(dated.values())
    return {index: "@latest" if day == latest else "@earlier" for index, day in dated.items()}
