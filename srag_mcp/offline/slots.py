"""Slots: typed values in running text, each with the words that tell what it is."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from srag_mcp.documents.document import Document, Span
from srag_mcp.offline.sentences import Sentence, Token, split_sentences, tokens_of
from srag_mcp.offline.words import is_content
from srag_mcp.records.normalise.dates import find_dates
from srag_mcp.records.normalise.quantities import find_quantities
from srag_mcp.records.normalise.units import is_currency
from srag_mcp.schema.extractors import SlotType

# Digits that belong to a name, a label or a code: "COVID-19", "7-day", "A4", "§ 12", "#3".
_GLUED_BEFORE = re.compile(r"(?:[^\W\d_][-–/.]?|[§#№@])\s?$")
_GLUED_AFTER = re.compile(r"[-–][^\W\d_]|[^\W\d_]")
_STOPS = re.compile(r"[;:()\[\]]|[.!?](?:\s|$)|,\s")
_NEAR_WORDS = 5
_BOUND_MARKS = re.compile(r"[<>≤≥~]\s*$")


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value in a text; *amount* orders values (a date's is its ordinal)."""

    type: SlotType
    span: Span
    amount: float
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A value in a sentence, with the features that `SlotRule.weights` is written in."""

    value: Value
    sentence: Sentence
    features: frozenset[str] = field(default=frozenset())


def find_slots(document: Document) -> list[Slot]:
    """Find the typed values of all running text, in order."""
    values = find_values(document.text)
    starts = [value.span.start for value in values]
    slots: list[Slot] = []
    for sentence in split_sentences(document):
        first = bisect_left(starts, sentence.span.start)
        last = bisect_right(starts, sentence.span.end - 1)
        if first < last:
            slots.extend(_slots_of(document.text, sentence, values[first:last]))
    return slots


def find_values(text: str) -> list[Value]:
    """Find all typed values of *text*, in order, without overlaps; dates win over numbers.

    Dates that are less than a day ("May 2021") are no values; a lone year is a number.
    """
    values: list[Value] = []
    taken: list[Span] = []
    for span, found in find_dates(text, partial=True):
        if found.precision == "year":
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
            values.append(
                Value(_type_of(quantity.unit), span, float(quantity.value), quantity.unit)
            )
    return sorted(values, key=lambda value: value.span.start)


def _type_of(unit: str | None) -> SlotType:
    if unit == "percent":
        return "percent"
    return "money" if is_currency(unit) else "number"


def _is_glued(text: str, span: Span) -> bool:
    before = text[max(0, span.start - 3) : span.start]
    if text[span.start].isdigit() and _GLUED_BEFORE.search(before) and not before.endswith(" "):
        return True
    return _GLUED_AFTER.match(text, span.end) is not None


def _slots_of(text: str, sentence: Sentence, values: Sequence[Value]) -> Iterator[Slot]:
    tokens = tokens_of(text, sentence.span)
    shared = {f"~{token.stem}" for token in tokens if is_content(token.word)}
    shared.update(f"#{heading}" for heading in sentence.section[-1:])
    order = _order_of_dated(values)
    for index, value in enumerate(values):
        if _BOUND_MARKS.search(text[max(0, value.span.start - 3) : value.span.start]):
            continue  # "> 50" is a threshold, not a fact
        left_end = values[index - 1].span.end if index else sentence.span.start
        right_end = values[index + 1].span.start if index + 1 < len(values) else sentence.span.end
        features = set(shared)
        features.update(_left_words(text, tokens, left_end, value.span.start))
        features.update(_right_words(text, tokens, value.span.end, right_end))
        if value.unit:
            features.add(f"unit:{value.unit}")
        if index in order:
            features.add(order[index])
        yield Slot(value, sentence, frozenset(features))


def _left_words(text: str, tokens: Sequence[Token], start: int, end: int) -> Iterator[str]:
    near = [token for token in tokens if start <= token.start and token.end <= end]
    if near:
        yield f"<!{near[-1].stem}"
    for token in reversed(near[-_NEAR_WORDS:]):
        if _STOPS.search(text, token.end, end):
            return
        if is_content(token.word):
            yield f"<{token.stem}"


def _right_words(text: str, tokens: Sequence[Token], start: int, end: int) -> Iterator[str]:
    near = [token for token in tokens if start <= token.start and token.end <= end]
    if near:
        yield f">!{near[0].stem}"
    for token in near[:_NEAR_WORDS]:
        if _STOPS.search(text, start, token.start):
            return
        if is_content(token.word):
            yield f">{token.stem}"


def _order_of_dated(values: Sequence[Value]) -> dict[int, str]:
    """Mark the values that stand right before or after a date, when there are several dates.

    "from 1,470 on 27/10 to 3,059 on 10/11" -> the second is `@latest`, the first `@earlier`.
    """
    dates = [value.amount for value in values if value.type == "date"]
    if len(set(dates)) < 2:
        return {}
    marks: dict[int, str] = {}
    for index, value in enumerate(values[:-1]):
        following = values[index + 1]
        if value.type != "date" and following.type == "date":
            marks[index] = "@latest" if following.amount == max(dates) else "@earlier"
    return marks
