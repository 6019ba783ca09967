"""Slots: values in running text, the words around them, and rules that find one by its words."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice, pairwise
from operator import itemgetter
from typing import TypeAlias

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose
from srag_mcp.rules.candidates import NEARLY_ALL
from srag_mcp.rules.kinship import is_form
from srag_mcp.schema.attribute import SlotRule, SlotType
from srag_mcp.text.spans import Span, Spans
from srag_mcp.text.words import (
    HELPING,
    JOINING,
    WORD,
    fold_word,
    fold_words,
    is_content,
    singular,
    stem,
)
from srag_mcp.values.dates import find_dates
from srag_mcp.values.numbers import AND, SIGN
from srag_mcp.values.quantities import ambiguous_mark, find_quantities
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
_GLUED_AFTER = re.compile(r"[^\W\d_]|[–—][^\W\d_]")  # "7b", "2005–today"
_MARKED = re.compile(r"[/★⭐]")
# `one child`, but not `one of them`, `no one`, `one by one`
_ONE = re.compile(r"(?<!no )(?<!-)\bone(?=\s+(?P<noun>[^\W\d_]{3,}))", re.I)
_STARS = re.compile(r"(?<![★⭐☆])(?P<full>[★⭐]{1,10})[☆]{0,10}(?![★⭐☆])")
_NUMERAL = re.compile(r"\d[\d.,]*\d")
_STOPS = re.compile(r"[;:()\[\]]|[.!?](?:\s|$)|,\s")
# "44 less than the day before" is a difference, and none of the numbers that it compares
_DIFFERENCE = re.compile(
    r"\s+(?:[^\W\d_]+\s+)?(?:more|less|fewer|higher|lower|mehr|weniger)\s+(?:than|als)\b", re.I
)
# What is counted or measured under a threshold: "9 wells above > 50 mg" are no other wells.
_THRESHOLD = re.compile(rf"(?<![-=\n]){SIGN}\s?\d[\d.,]*(?:\s?[-–]\s?\d[\d.,]*)?(?<![.,])")
_CLAUSE_END = re.compile(r"[;:()\[\]]|\b(?:and|und)\b")
_JOINED = re.compile(  # with the next value: `4 for adults and 2 for children`, `4, a scone 2`
    rf"(?P<own>[^\d;:()\[\].,]*?)(?:,|,?\s(?:{AND})\b)(?P<name>(?:\s[^\W\d_]+){{0,3}})\s*"
)
_VERBS = HELPING - {"the", "a", "an"}
_NEAR_WORDS = 5
_MAX_AROUND = 60
_MAX_TO_DATE = 30
_MAX_FEATURES = 18
_MIN_SHARE = 0.04
_SMOOTH = 0.02
_RANGE_FACTOR = 4.0
_LEAST_POINTS = 0.01
_NEAR = 0.95  # of the points of the best slot: too near to tell which is meant


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


@dataclass(frozen=True)
class Slot:
    """A value in a sentence; *describe* tells the features that `SlotRule.weights` is written in.

    Most values are of a type or a size that no rule asks for: nobody looks at the words around.
    """

    value: Value
    sentence: Span
    describe: Callable[[], frozenset[str]]

    @cached_property
    def features(self) -> frozenset[str]:
        """What stands around it."""
        return self.describe()

    @property
    def threshold(self) -> str:
        """Under which threshold it counts or measures, empty where nothing says so: `>250-500`."""
        return next((name[2:] for name in self.features if name[0] == "|"), "")


def find_slots(document: Document) -> list[Slot]:
    """Find the dates and numbers of running text, in order; tables and short fields have none.

    A heading has dates only: its numbers count headings, or are part of a name.
    """
    values, slots = find_values(document.text), list[Slot]()
    starts = [value.span.start for value in values]
    for block in document.blocks:
        heading = ""
        if isinstance(block, Prose | ListItem):
            heading = fold_words(block.section[-1]) if block.section else ""
        elif isinstance(block, KeyValue) and len(block.value) >= _MIN_RUNNING:
            heading = fold_words(block.key)
        elif not isinstance(block, Heading):
            continue
        if own := _within(starts, block.span):
            inside = values[own.start : own.stop]
            if isinstance(block, Heading):
                inside = [value for value in inside if value.type == "date"]
            slots.extend(_slots_of(document.text, block.span, heading, inside))
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
        is_taken = index >= 0 and taken[index].end > span.start
        before = text[max(0, span.start - 3) : span.start]
        is_glued = text[span.start].isdigit() and _GLUED_BEFORE.search(before)
        if is_taken or quantity.upper is not None or is_glued or _GLUED_AFTER.match(text, span.end):
            continue
        amount = float(quantity.value) * SIZES.get(quantity.unit or "", ("", 1.0))[1]
        numeral, other = _NUMERAL.search(text, span.start, span.end), None
        if numeral is not None and ambiguous_mark(numeral.group()):
            other = amount / 1000 if amount >= 1000 else amount * 1000
        kind: SlotType = "money" if is_currency(quantity.unit) else "number"
        kind = "percent" if quantity.unit == "percent" else kind
        values.append(Value(kind, span, amount, quantity.unit, other))
    known = Spans(value.span for value in values)
    ones = (Span(*m.span()) for m in _ONE.finditer(text) if is_content(fold_word(m["noun"])))
    values.extend(Value("number", span, 1.0) for span in ones if not known.overlap(span))
    starred = _STARS.finditer(text) if "★" in text or "⭐" in text else ()
    stars = ((Span(*match.span()), match["full"]) for match in starred)
    values.extend(Value("number", span, float(len(full))) for span, full in stars)
    return sorted(values, key=lambda value: value.span.start)


_Token: TypeAlias = tuple[int, int, str, str]
"""Where a word starts and ends in the text; it, folded, and its stem."""

_start = itemgetter(0)


def _slots_of(text: str, span: Span, heading: str, values: Sequence[Value]) -> Iterator[Slot]:
    """Yield the *values* within a paragraph with the words around them."""
    order = _order_of_dated(text, values)

    @cache
    def read() -> tuple[list[_Token], set[str]]:
        has_links = any(mark in text for mark in ("://", "www.", "@"))
        found = _LINK.finditer(text, span.start, span.end) if has_links else ()
        links = [match.span() for match in found]
        tokens = [
            (*match.span(), word := fold_word(match.group()), stem(word))
            for match in WORD.finditer(text, span.start, span.end)
            if not links or not any(start <= match.start() < end for start, end in links)
        ]
        stems = (base for _, _, word, base in tokens if is_content(word))
        around = {f"^{name}" for name in islice(stems, _MAX_AROUND)}
        return tokens, around | ({f"#{heading}"} if heading else set())

    def describe(number: int, sentence: Span, room: Span) -> frozenset[str]:
        (tokens, around), value = read(), values[number]
        first, end = (bisect_left(tokens, at, key=_start) for at in (sentence.start, sentence.end))
        shared = {f"~{base}" for _, _, word, base in tokens[first:end] if is_content(word)}
        near = _near_features(text, tokens[first:end], value, room)
        marks = {order[number]} if number in order else set()
        return frozenset(around | shared | near | marks | _thresholds(text, sentence, value))

    value_starts = [value.span.start for value in values]
    for sentence in _sentences(text, span):
        inside = _within(value_starts, sentence)
        for number in inside:
            if not _DIFFERENCE.match(text, values[number].span.end):
                left = values[number - 1].span.end if number > inside.start else 0
                is_last = number + 1 == inside.stop
                right = len(text) if is_last else values[number + 1].span.start
                features = partial(describe, number, sentence, Span(left, right))
                yield Slot(values[number], sentence, features)


def _within(starts: Sequence[int], span: Span) -> range:
    """Return the numbers of the things that start within *span*."""
    return range(bisect_left(starts, span.start), bisect_left(starts, span.end))


def _sentences(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for match in _END.finditer(text, span.start, span.end):
        if not _ABBREVIATION.search(text, max(start, match.start() - 8), match.start() + 1):
            yield Span(start, match.start())
            start = match.end()
    if start < span.end:
        yield Span(start, min(span.end, start + _LONGEST_SENTENCE))


def _near_features(text: str, tokens: Sequence[_Token], value: Value, room: Span) -> set[str]:
    """Return what stands beside a value, between it and its neighbours (*room*)."""
    start, end = value.span.start, value.span.end
    plain = [token for token in tokens if not token[2].isdigit()]
    before = [token for token in reversed(plain) if room.start <= token[0] and token[1] <= start]
    behind = [token for token in plain if end <= token[0] and token[1] <= room.end]
    features: set[str] = set()
    for side, near in (("<", before), (">", behind)):
        features |= {f"{side}!{near[0][3]}"} if near else set()
        for first, last, word, base in near[:_NEAR_WORDS]:
            gap = (last, start) if side == "<" else (end, first)
            if _STOPS.search(text, *gap):
                break
            if is_content(word):
                features.add(f"{side}{base}")
    mark = _MARKED.search(text, start, end)
    if mark and value.type == "number" and value.unit is None:
        # glyphs say the word: "★★★" and "3 stars" are one fact
        features |= {"@score"} if mark.group() == "/" else {"@stars", ">!star", ">star"}
    if value.unit:
        features.add(f"unit:{SIZES[value.unit][0] if value.unit in SIZES else value.unit}")
    return features


def _thresholds(text: str, sentence: Span, value: Value) -> set[str]:
    """Return the nearest threshold of the clause before (`|<`) and behind (`|>`) a value."""
    before = _CLAUSE_END.split(text[sentence.start : value.span.start])[-1]
    behind = _CLAUSE_END.split(text[value.span.end : sentence.end])[0]
    first, last = _THRESHOLD.findall(behind)[:1], _THRESHOLD.findall(before)[-1:]
    found = [f"|>{mark}" for mark in first] or [f"|<{mark}" for mark in last]
    return {"".join(mark.split()) for mark in found}


def _order_of_dated(text: str, values: Sequence[Value]) -> Mapping[int, str]:
    """Mark the values right before a date in a sentence: `@latest`, `@earlier`, a lone `@dated`."""
    dated = {
        index: values[index + 1].amount
        for index, value in enumerate(values[:-1])
        if value.type != "date"
        and values[index + 1].type == "date"
        and values[index + 1].span.start - value.span.end <= _MAX_TO_DATE
        and not _END.search(text, value.span.end, values[index + 1].span.start)
    }
    if len(set(dated.values())) < 2:
        return dict.fromkeys(dated, "@dated")
    latest = max(dated.values())
    return {index: "@latest" if day == latest else "@earlier" for index, day in dated.items()}


def score(rule: SlotRule, slot: Slot) -> float:
    """Return the points of *slot* under *rule*; 0.0 where its type, amount or words do not fit."""
    if slot.value.type != rule.value_type:
        return 0.0
    low = -math.inf if rule.minimum is None else rule.minimum
    high = math.inf if rule.maximum is None else rule.maximum
    other = slot.value.other
    if not low <= slot.value.amount <= high and (other is None or not low <= other <= high):
        return 0.0
    features = _with_plural(slot, rule)
    if rule.needs and not any(f"~{name}" in features for name in rule.needs):
        return 0.0
    if rule.besides and features.issuperset(rule.besides):
        return 0.0
    return sum(weight for name, weight in rule.weights.items() if name in features)


def _with_plural(slot: Slot, rule: SlotRule) -> frozenset[str]:
    """Return what stands around one thing as it would around several: `1 child`, `children`."""
    nouns = [name[2:] for name in slot.features if name[:2] == ">!"]
    if slot.value.amount != 1 or not nouns:
        return slot.features
    others = {name for name in rule.weights if name[:2] == ">!" and is_form(name[2:], nouns[0])}
    return slot.features.union(
        f"{mark}{name[2:]}" for name in others for mark in (">!", ">", "~", "^")
    )


def best_slot(rule: SlotRule, slots: Sequence[Slot]) -> Slot | None:
    """Return the slot with the most points, the first of equals; None below the threshold."""
    best, found = 0.0, None
    for slot in slots:
        if (points := score(rule, slot)) > best:
            best, found = points, slot
    if found is None or best < rule.threshold:
        return None
    asks_for_earlier = rule.weights.get("@earlier", 0.0) > 0
    return found if asks_for_earlier else to_latest(found, slots)


def rival(rule: SlotRule, chosen: Slot, slots: Sequence[Slot], text: str) -> Slot | None:
    """Return a slot of nearly as many points as *chosen* that gives another value, or None."""

    def said(slot: Slot) -> tuple[float, str]:
        return slot.value.amount, slot.value.span.of(text).casefold()

    near = _near(rule, chosen, slots)
    return next((slot for slot in near if said(slot) != said(chosen)), None)


def _near(rule: SlotRule, chosen: Slot, slots: Sequence[Slot]) -> list[Slot]:
    least = _NEAR * score(rule, chosen)
    near = (slot for slot in slots if score(rule, slot) >= least)
    return [slot for slot in near if "@earlier" not in slot.features]


def _is_plural(word: str) -> bool:
    return is_content(word) and singular(word) != word


def told_apart(text: str, place: Span, sentence: Span) -> tuple[str, bool] | None:
    """Return what is said of the value at *place* alone, where it is one of several alike.

    And whether all that stands before these is said of each (`£4 for adults and £2 for children`),
    or the last word only: `tea costs £4, a scone £2`. What both count is not said of it alone: of
    `5 men in May and 7 in June` it is `in may`. None where it stands alone, as where the next
    one begins a sentence of its own (`£4, and £2 went to him`) or is a part of it (`£2 of which`).
    """
    said = sentence.of(text)
    place = place.moved(-sentence.start)
    for one, other in pairwise(find_values(said)):
        joined = _JOINED.fullmatch(said, one.span.end, other.span.start)
        is_alike = one.type == other.type and (one.type == "money" or one.unit == other.unit)
        rest = _STOPS.split(said[other.span.end :])[0]
        following = fold_words(rest).split() or ["and"]
        if not joined or not is_alike or following[0] == "of":
            continue
        own, name = (fold_words(joined[part]).split() for part in ("own", "name"))
        noun = next(filter(_is_plural, own), *own[:1]) if is_content(*own[:1] or "-") else ""
        own = own[own.index(noun) + 1 :] if noun else own
        # of `12 seats inside and 8 outside` both count seats; `8 beds` would be something else
        is_said = _is_plural(noun) and own and not any(map(_is_plural, (*own, *following)))
        if is_content(following[0]) and not is_said:
            continue
        if not name and (one.span.overlaps(place) or other.span.overlaps(place)):
            return " ".join(own if one.span.overlaps(place) else following), True
        if one.span.overlaps(place) and not (JOINING | _VERBS).intersection(name):
            words = said[: one.span.start].split()
            return " ".join((*(words[:-1] or words), joined["own"])), False
    return None


def to_latest(slot: Slot, slots: Iterable[Slot]) -> Slot:
    """Return the latest of the values that one paragraph gives for several dates.

    "from 41 on 1 May to 58 on 1 June": the second is what holds now.
    """
    if "@earlier" not in slot.features:
        return slot
    around = {name for name in slot.features if name[0] == "^"}
    for other in slots:
        is_latest = "@latest" in other.features and other.value.type == slot.value.type
        if is_latest and around <= other.features:
            return other
    return slot


def learn_slot_rule(members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]]) -> SlotRule:
    """Learn what tells *members* (one slot a document) from all other slots of *documents*."""
    own = list(members.values())
    kind, amounts = own[0].value.type, [slot.value.amount for slot in own]
    others = [
        slot
        for number, slots in enumerate(documents)
        for slot in slots
        if slot.value.type == kind and slot is not members.get(number)
    ]
    low, high = (0.0, 0.0) if kind == "date" else (min(amounts), max(amounts))
    rule = SlotRule(
        value_type=kind,
        weights=_weights(own, others),
        threshold=1.0,
        minimum=round(low / _RANGE_FACTOR, 6) if low > 0 else None,
        maximum=round(high * _RANGE_FACTOR, 6) if high > 0 else None,
    )
    if besides := _besides(rule, members, documents):
        without = rule.model_copy(update={"besides": besides})
        picks = ((best_slot(without, slots), best_slot(rule, slots)) for slots in documents)
        rule = without if all(new in {None, old} for new, old in picks) else rule
    return rule.model_copy(update={"threshold": _threshold(rule, members, documents)})


def _besides(
    rule: SlotRule, members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]]
) -> tuple[str, ...]:
    """Return the words that only sentences have that say otherwise behind the right ones."""
    met = [
        (member, other)
        for number, member in members.items()
        for other in _near(rule, member, documents[number])
        if other.value.amount != member.value.amount
        and other.sentence.start > member.sentence.start
    ]
    around = Counter(name for _, other in met for name in other.features if name[0] == "~")
    own = frozenset[str]().union(*(member.features for member, _ in met))
    return tuple(sorted({name for name, n in around.items() if n >= NEARLY_ALL * len(met)} - own))


def _weights(members: Sequence[Slot], others: Sequence[Slot]) -> dict[str, float]:
    inside = Counter(name for slot in members for name in slot.features)
    shares = {
        name: share
        for name, count in inside.items()
        if (share := count / len(members)) >= _MIN_SHARE and (count > 1 or len(members) < 3)
    }
    names = frozenset(shares)
    outside = Counter(name for slot in others for name in slot.features & names)
    weights = {}
    for name, share in shares.items():
        elsewhere = outside[name] / max(1, len(others))
        odds = math.log((share + _SMOOTH) / (elsewhere + _SMOOTH))
        if odds > 0:
            weights[name] = round(odds * math.sqrt(share), 3)
    best = sorted(weights, key=lambda name: (-weights[name], name))[:_MAX_FEATURES]
    return {name: weights[name] for name in best if weights[name] > 0} or {"~": 1.0}


def _threshold(
    rule: SlotRule, members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]]
) -> float:
    """Choose the number of points that best parts members from best slots of other documents."""
    hits = sorted(score(rule, member) for member in members.values())
    silent = (  # `one child` is a member, as `4 children` are, though it looks otherwise
        [slot for slot in slots if _with_plural(slot, rule) == slot.features]
        for number, slots in enumerate(documents)
        if number not in members
    )
    misses = [max((score(rule, slot) for slot in slots), default=0.0) for slots in silent]

    def quality(limit: float) -> float:
        n_wrong = sum(miss >= limit for miss in misses)
        return sum(hit >= limit for hit in hits) / (len(hits) + n_wrong)

    limit = max((hit for hit in hits if hit > 0), key=quality, default=_LEAST_POINTS)
    floor = max((miss for miss in misses if miss < limit), default=0.0)
    return round(max(_LEAST_POINTS, limit - 0.4 * (limit - floor)), 3)
