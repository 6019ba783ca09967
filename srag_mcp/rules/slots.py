"""Slots: values in running text, each with the words around it that tell what it is."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose
from srag_mcp.schema.extractors import SlotType
from srag_mcp.text.spans import Span
from srag_mcp.text.words import WORD, fold_word, fold_words, is_content, stem
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import Quantity, ambiguous_mark, find_quantities
from srag_mcp.values.units import SIZES, is_currency

# A full stop ends a sentence only before a capital, and not after an initial or a short
# abbreviation ("No. 5", "approx. 3", "J. Smith").
_END = re.compile(r"(?<=[a-z0-9)\]%”\"][.!?…])[)\]”\"]?\s+(?=[\"“(\[•]?[A-ZÀ-Þ0-9])|\n\s*\n|;\s+")
_ABBREVIATION = re.compile(
    r"\b(?:no|nr|st|mr|mrs|ms|dr|prof|approx|ca|vs|inc|ltd|co|corp)\.\s*$", re.I
)
_LINK = re.compile(r"(?:https?://|www\.)[^\s)>\]]+|\S+@\S+")
_LONGEST_SENTENCE = 4_000
_MIN_RUNNING = 60  # characters of the value of a label that is read as running text
# Digits that belong to a name, a label or a code: "B-52", "A4", "§ 12", "#3".
_GLUED_BEFORE = re.compile(r"(?:[^\W\d_][-–/.]?|[§#№@]\s?)\Z")
_GLUED_AFTER = re.compile(r"[^\W\d_]")
_MARKED = re.compile(r"[/★⭐]")
_STARS = re.compile(r"(?<![★⭐☆])(?P<full>[★⭐]{1,10})[☆]{0,10}(?![★⭐☆])")
_NUMERAL = re.compile(r"\d[\d.,]*\d")
_STOPS = re.compile(r"[;:()\[\]]|[.!?](?:\s|$)|,\s")
_BOUND_MARKS = re.compile(r"[<>≤≥~]\s*$")  # "> 50" is a threshold, not a fact
_NEAR_WORDS = 5
_MAX_AROUND = 60
_MAX_TO_DATE = 30
_NAME_WORD = r"(?:[A-ZÀ-Þ]\.(?:\s?[A-ZÀ-Þ]\.)*|[A-ZÀ-Þ][\w'’&-]*(?:\.\w+)*)"
_NAME = re.compile(
    rf"\b{_NAME_WORD}(?:[ \t]+(?:(?:of|de|the|and|&|du|der|von)[ \t]+)?{_NAME_WORD}){{0,4}}"
)
_BEFORE = re.compile(r"((?:[\w'’-]+[ \t\n]+){1,5})\Z")
_BEHIND = re.compile(r"[ \t\n]+((?:[\w'’-]+(?:[ \t\n]+|(?=[.,;])|$)){2,4})")
_PHRASE_WORDS = (5, 4, 3, 2, 1)
_BEFORE_CHARACTERS = 70


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a sentence: its folded form, its stem, and where it is in the document."""

    word: str
    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value in a text.

    *amount* orders values: of a date its ordinal, of a measure in the base unit of its kind (of a
    length in metres). *other* is the amount where its separator could be read the other way
    ("1.019").
    """

    type: SlotType
    span: Span
    amount: float = 0.0
    unit: str | None = None
    other: float | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A value in a sentence, with the features that `SlotRule.weights` is written in."""

    value: Value
    sentence: Span
    features: frozenset[str]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of running text, its sentences, and the folded heading above it."""

    span: Span
    sentences: tuple[Span, ...]
    heading: str


def split_paragraphs(document: Document) -> Iterator[Paragraph]:
    """Yield all running text, in order; tables and short fields have none."""
    for block in document.blocks:
        if isinstance(block, Prose | ListItem):
            heading = fold_words(block.section[-1]) if block.section else ""
        elif isinstance(block, Heading):
            heading = ""
        elif isinstance(block, KeyValue) and len(block.value) >= _MIN_RUNNING:
            heading = fold_words(block.key)
        else:
            continue
        yield Paragraph(block.span, tuple(_cut(document.text, block.span)), heading)


def _cut(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for match in _END.finditer(text, span.start, span.end):
        if _ABBREVIATION.search(text, max(start, match.start() - 8), match.start() + 1):
            continue
        yield Span(start, match.start())
        start = match.end()
    if start < span.end:
        yield Span(start, min(span.end, start + _LONGEST_SENTENCE))


def tokens_of(text: str, span: Span) -> list[Token]:
    """Return the words of *text* within *span*, without those of web addresses."""
    links = [match.span() for match in _LINK.finditer(text, span.start, span.end)]
    found = []
    for match in WORD.finditer(text, span.start, span.end):
        if any(start <= match.start() < end for start, end in links):
            continue
        word = fold_word(match.group())
        found.append(Token(word, stem(word), match.start(), match.end()))
    return found


def find_slots(document: Document) -> list[Slot]:
    """Find the dates and numbers of all running text, in order."""
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
    """Find all dates and numbers of *text*, in order, without overlaps; dates win over numbers.

    Dates that are less than a day ("May 2021") are no values; a lone year is a number.
    """
    values: list[Value] = []
    taken: list[Span] = []
    for span, found in find_dates(text, partial=True):
        if found.precision == "year" or (span.start and text[span.start - 1].isalnum()):
            continue
        taken.append(span)
        if (day := found.on()) is not None:
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
    kind: SlotType = "money" if is_currency(quantity.unit) else "number"
    return Value(
        "percent" if quantity.unit == "percent" else kind, span, amount, quantity.unit, other
    )


def _is_glued(text: str, span: Span) -> bool:
    before = text[max(0, span.start - 3) : span.start]
    if text[span.start].isdigit() and _GLUED_BEFORE.search(before):
        return True
    return _GLUED_AFTER.match(text, span.end) is not None


def _slots_of(text: str, paragraph: Paragraph, values: Sequence[Value]) -> Iterator[Slot]:
    order = _order_of_dated(values)
    tokens = tokens_of(text, paragraph.span)
    stems = [token.stem for token in tokens if is_content(token.word)]
    around = {f"^{name}" for name in stems[:_MAX_AROUND]}
    around |= {f"#{paragraph.heading}"} if paragraph.heading else set()
    value_starts = [value.span.start for value in values]
    token_starts = [token.start for token in tokens]
    for sentence in paragraph.sentences:
        inside = _within(value_starts, sentence)
        own = _within(token_starts, sentence)
        words = tokens[own.start : own.stop]
        shared = around | {f"~{token.stem}" for token in words if is_content(token.word)}
        for number in inside:
            value = values[number]
            if _BOUND_MARKS.search(text[max(0, value.span.start - 3) : value.span.start]):
                continue
            left = values[number - 1].span.end if number > inside.start else 0
            right = values[number + 1].span.start if number + 1 < inside.stop else len(text)
            near = _near_features(text, words, value, Span(left, right))
            marks = {order[number]} if number in order else set()
            yield Slot(value, sentence, frozenset(shared | near | marks))


def _within(starts: Sequence[int], span: Span) -> range:
    """Return the numbers of the things that start within *span*."""
    return range(bisect_left(starts, span.start), bisect_left(starts, span.end))


def _near_features(text: str, tokens: Sequence[Token], value: Value, room: Span) -> set[str]:
    """Return what stands beside a value, between it and its neighbours (*room*)."""
    start, end = value.span.start, value.span.end
    plain = [token for token in tokens if not token.word.isdigit()]
    before = [token for token in plain if room.start <= token.start and token.end <= start]
    behind = [token for token in plain if end <= token.start and token.end <= room.end]
    features = {f"<!{before[-1].stem}"} if before else set()
    features |= {f">!{behind[0].stem}"} if behind else set()
    for token in reversed(before[-_NEAR_WORDS:]):
        if _STOPS.search(text, token.end, start):
            break
        if is_content(token.word):
            features.add(f"<{token.stem}")
    for token in behind[:_NEAR_WORDS]:
        if _STOPS.search(text, end, token.start):
            break
        if is_content(token.word):
            features.add(f">{token.stem}")
    if (
        value.type == "number"
        and value.unit is None
        and (mark := _MARKED.search(value.span.of(text)))
    ):
        # glyphs say the word: "★★★" and "3 stars" are one fact
        features |= {"@score"} if mark.group() == "/" else {"@stars", ">!star", ">star"}
    if value.unit:
        features.add(f"unit:{SIZES[value.unit][0] if value.unit in SIZES else value.unit}")
    return features


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


def find_named(document: Document) -> list[Slot]:
    """Find the names of all running text, with the phrases before (`<=`) and behind (`=>`) them.

    A capitalised word before "of" is `*` in a phrase: "the laws of the State of Ohio" has the name
    `Ohio` with `<=the laws of the * of`. A name is also tried without its first word, which may
    only be the first of a sentence: "Captain Ada Berg" -> `Ada Berg` with `<=captain`.
    """
    slots: list[Slot] = []
    running = [block.span for block in document.blocks if isinstance(block, Prose | ListItem)]
    for span in running:
        for match in _NAME.finditer(document.text, span.start, span.end):
            if not match.group().isupper():
                slots.extend(_named(document.text, match, span))
    return slots


def _named(text: str, match: re.Match[str], place: Span) -> Iterator[Slot]:
    start, end = match.span()
    left = text[max(place.start, start - _BEFORE_CHARACTERS) : start]
    before = fold_words(found[1]).split() if (found := _BEFORE.search(left)) else []
    behind = _BEHIND.match(text, end, place.end)
    words = fold_words(behind[1]).split() if behind else []
    after = [f"=>{' '.join(words[:n])}" for n in range(2, len(words) + 1)]
    yield _name_slot(Span(start, end), place, before, after)
    inner = [word.start() for word in re.finditer(_NAME_WORD, match.group())][1:]
    if inner:
        skipped = fold_words(match.group()[: inner[0]]).split()
        lead = ["*", *skipped[1:]] if len(skipped) > 1 and before else skipped
        yield _name_slot(Span(start + inner[0], end), place, [*before, *lead], after)


def _name_slot(span: Span, place: Span, before: Sequence[str], after: Sequence[str]) -> Slot:
    phrases = {f"<={' '.join(before[-n:])}" for n in _PHRASE_WORDS if len(before) >= n}
    return Slot(Value("name", span), place, frozenset((*phrases, *after)))
