"""Candidates: what may become a column, with what each sample document says of it."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from statistics import median
from typing import Literal, TypeAlias, TypeVar

from srag_mcp.documents.document import TableCell
from srag_mcp.rules.kinship import content_stems, is_same_name, kinship, own_words, says_more
from srag_mcp.schema.attribute import Extractor, KeyRule, SlotRule
from srag_mcp.text.words import fold_words
from srag_mcp.values.columns import TypeGuess, classify_values
from srag_mcp.values.dates import read_date
from srag_mcp.values.numbers import is_bound, is_range, read_number
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import read_boolean
from srag_mcp.values.types import BOOLEAN, NUMBER, ColumnType
from srag_mcp.values.units import SIZES, convert, is_currency

Origin: TypeAlias = Literal["label", "place", "slot", "item"]

# Limits of all that induction counts, in candidates and in what documents list.
SHOWN = 0.2  # of the documents have what is shown: one of five that a person opens
SPELLING = 0.02  # have a label or a layout that may be another one's, and is joined or dropped
# Nine in ten, as the yardstick takes a column for right. Of two places that agree so often, and
# two rules that agree at different places, 99.7 % are right (689 cells of six corpora).
NEARLY_ALL = 0.9
MAX_MEETINGS = 0.03  # of the documents have both of two labels: in one of 33 it may be a slip
SAME_VALUES = 0.5
LONG_VALUE = 100  # of 9,000 gold values of twelve tables only clauses of contracts are longer
_CODE_SHARE = 0.7
# Amounts of one fact in two layouts are of one order of magnitude; measured on receipts, reports
# and invoices at 16a3ebc: 6 parts "deaths" from "cases" and keeps the layouts of "total" together.
_SIZE_FACTOR = 6.0
_MISSING = frozenset({"", "n a", "na", "none", "unknown", "not given", "not reported", "tbd"})
_DIGITS = re.compile(r"\d+")

T = TypeVar("T")


Found: TypeAlias = TableCell
"""What one document says, and where."""
Stated: TypeAlias = tuple[Sequence[str], Set[object]]
"""What documents call a fact, and those that state it."""


@dataclass(eq=False)
class Candidate:
    """A possible column.

    Attributes:
        origin: What it was learnt from.
        labels: Phrases that documents use for it, the best first.
        rules: Best first.
        found: What each sample document states, by the document's number.
        near: Stems around a value in running text, with the share of its statements that have them.
        quotes: Passages that state it.
        asked: How much the sample questions ask for it.
        is_guess: Whether nothing but its place speaks for its label, which names nothing else.
        units: That its labels say in brackets, in the order of its rules: `Weight (kg)`.
    """

    origin: Origin
    labels: list[str]
    rules: list[Extractor]
    found: dict[int, Found]
    near: dict[str, float] = field(default_factory=dict)
    quotes: tuple[str, ...] = ()
    asked: float = 0.0
    is_guess: bool = False
    units: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The phrase that names it best."""
        return self.labels[0] if self.labels else ""

    @property
    def texts(self) -> list[str]:
        """What the documents state."""
        return [found.text for found in self.found.values()]

    @cached_property
    def exact(self) -> list[str]:
        """The texts without ranges and bounds, where these are fewer: they are of a number, too."""
        texts = [t for t in self.texts if not (is_range(t) or is_bound(t, label=self.label))]
        return texts if 2 * len(texts) > len(self.texts) else self.texts

    @cached_property
    def guess(self) -> TypeGuess:
        """The type of its values; what is only said or denied is a boolean."""
        if self.origin == "item":
            return TypeGuess(BOOLEAN, None, 1.0, None)
        guess = classify_values(self.exact, self.label)
        if not self.units or guess.unit or not guess.type.is_numeric:
            return guess
        is_one = all(convert(1.0, unit, self.units[0]) is not None for unit in self.units)
        kind = NUMBER if self.units[1:] else guess.type
        return replace(guess, type=kind, unit=self.units[0]) if is_one else guess

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.guess.type.is_numeric

    @property
    def usual(self) -> Set[str]:
        """The stems that most of its statements have around the value."""
        return {name for name, share in self.near.items() if 2 * share > 1}

    def share(self, n_documents: int) -> float:
        """Return the share of sample documents that state it."""
        return len(self.found) / max(1, n_documents)

    @cached_property
    def plain(self) -> dict[int, str]:
        """The values in one spelling: numbers and dates as they are stored."""
        kind = self.guess.type
        return {number: plain_value(item.text, kind) for number, item in self.found.items()}

    @cached_property
    def shape(self) -> "Shape":
        """What its values are like, what stands for a missing one left aside."""
        values = Counter({text: n for text, n in self.values().items() if text not in _MISSING})
        words = Counter(word for text, count in values.items() for word in text.split() * count)
        kind, detail, middle = str(self.guess.type), "", 0.0
        if self.is_number:
            kind, unit = "amount", self.guess.unit or ""
            amounts = [abs(n) for n in map(amount_of, self.texts) if n is not None]
            middle = median(amounts or [0.0])
            detail = SIZES[unit][0] if unit in SIZES else "money" if is_currency(unit) else unit
        elif self.guess.type.is_text:
            codes = Counter(map(code_of, self.texts))
            found, count = codes.most_common(1)[0] if codes else ("", 0)
            is_code = codes.total() - codes[""] >= _CODE_SHARE * codes.total()
            kind = "code" if is_code else "text"
            detail = found if is_code and count >= _CODE_SHARE * codes.total() else ""
        return Shape(kind, detail, middle, words, values)

    def values(self) -> Counter[str]:
        """Count the texts that are stated, folded."""
        return Counter(map(fold_words, self.texts))

    def absorb(self, other: "Candidate") -> None:
        """Take in what another candidate knows of the same fact; what is known already stays."""
        self.rules = [*self.rules, *other.rules]
        self.labels.extend(label for label in other.labels if label not in self.labels)
        self.found = self.found | {n: f for n, f in other.found.items() if n not in self.found}
        self.near = other.near | self.near
        self.units = tuple(dict.fromkeys((*self.units, *other.units)))
        self.quotes = self.quotes or other.quotes
        self.asked = max(self.asked, other.asked)
        for worked_out in ("exact", "guess", "plain", "shape"):
            self.__dict__.pop(worked_out, None)


def join_surest(
    items: Sequence[T],
    sureness: Callable[[T, T], float],
    join: Callable[[T, T], None],
    least: float,
) -> list[T]:
    """Join the surest pair, the later one into the earlier, as long as one is at least so sure."""
    left = dict(enumerate(items))
    points: dict[tuple[int, int], float] = {}

    def compare(one: int, other: int) -> None:
        if (sure := sureness(left[one], left[other])) >= least:
            points[one, other] = sure

    for pair in combinations(left, 2):
        compare(*pair)
    while points:
        kept, lost = max(points, key=lambda pair: (points[pair], -pair[0], -pair[1]))
        join(left[kept], left.pop(lost))
        for pair in [pair for pair in points if kept in pair or lost in pair]:
            del points[pair]
        for other in left.keys() - {kept}:
            compare(min(kept, other), max(kept, other))
    return list(left.values())


def amount_of(text: str) -> float | None:
    """Return the last number of a text, without its unit."""
    found = find_quantities(text)
    return float(found[-1][1].value) if found else None


def plain_value(text: str, kind: ColumnType) -> str:
    """Return a value in one spelling: a number, a day, yes or no as such, else folded words."""
    if kind.is_numeric:
        amount = amount_of(text)
        if amount is None and (number := read_number(text)) is not None:
            amount = float(number.value)
        return fold_words(text) if amount is None else repr(amount)
    if kind.is_date:
        return str(read_date(text) or fold_words(text))
    if kind.is_boolean:  # signs have no words: `✓`, `✗`
        return str(read_boolean(text))
    return fold_words(text)


@dataclass(frozen=True, slots=True)
class Shape:
    """What the values of a candidate are like.

    *kind* is `date`, `amount`, `code`, `boolean` or `text`; *detail* the sort of unit of an amount,
    or how a code is made up; *middle* the median amount; *words* counts the folded words of texts
    and *values* the folded texts.
    """

    kind: str
    detail: str
    middle: float
    words: Counter[str]
    values: Counter[str]


def code_of(text: str) -> str:
    """Return how a code is made up, empty where a value is none: `TX-2043` -> `TX-9`, `0.43`."""
    value = text.strip()
    is_code = 3 <= len(value) <= 30 and " " not in value and _DIGITS.search(value)
    made = _DIGITS.sub("9", value) if is_code else ""
    return "" if made.lstrip("-+") in {"9.9", "9,9"} else made


def likeness(left: Shape, right: Shape) -> float:
    """Return how alike the values of two candidates are, 0 to 1; 0.0 where they cannot be one."""
    if left.kind != right.kind:
        return 0.0
    if left.kind == "amount":
        if left.detail and right.detail and left.detail != right.detail:
            return 0.0
        low, high = sorted((left.middle, right.middle))
        return 0.0 if low and high > _SIZE_FACTOR * low else 0.6 if left.detail else 0.4
    if left.kind in {"code", "date"}:
        return 1.0 if left.detail and left.detail == right.detail else 0.4
    one, other = left.words, right.words
    norm = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    cosine = sum(n * other[word] for word, n in one.items()) / norm if norm else 0.0
    return max(overlap(left.values, right.values), cosine)


def overlap(left: Mapping[str, int], right: Mapping[str, int]) -> float:
    """Return the share of the statements of the rarer side that the other makes, too."""
    rarer, other = sorted((left, right), key=lambda counts: sum(counts.values()))
    return sum(n for value, n in rarer.items() if value in other) / max(1, sum(rarer.values()))


_ENOUGH = 1.25
_COMPLEMENT = 0.6
_MAX_CANDIDATES = 150
_MIN_SHARED = 3
_INSIDE = 0.6
_MIN_KNOWN = 5
_MARGIN = 0.5
_MIN_WORD = 5  # with a space on either side
_NUMERAL = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_ORDER = ("label", "slot", "item", "place")


def join_layouts(candidates: Sequence[Candidate], n_documents: int) -> list[Candidate]:
    """Join candidates that never meet in a document, the surest pair first.

    What says less than two that are no one fact, as `your share`, is neither before the other one
    has its own label of the other layout.
    """
    several = [item for item in candidates if len(item.found) > 1][:_MAX_CANDIDATES]
    rest = [([*item.labels], {*item.found}) for item in several]
    left, n_left = several, 0

    def join(kept: Candidate, lost: Candidate) -> None:
        if says_more(lost.label, kept.label):
            kept.labels.insert(0, lost.label)
        kept.absorb(lost)

    def sureness(one: Candidate, other: Candidate) -> float:
        sure = _sureness(one, other, n_documents)
        here, there = ((item.labels, item.found.keys()) for item in (one, other))
        return 0.0 if sure >= _ENOUGH and differ_by_a_value(here, there, rest) else sure

    def may_be_others(less: Candidate, more: Candidate) -> bool:
        others = [item for item in left if item is not more and _says_less(less, item)]
        return _says_less(less, more) and any(
            sureness(less, other) >= _ENOUGH > sureness(other, more) for other in others
        )

    def sureness_alone(one: Candidate, other: Candidate) -> float:
        sure = sureness(one, other)
        is_any = sure >= _ENOUGH and (may_be_others(one, other) or may_be_others(other, one))
        return 0.0 if is_any else sure

    while len(left) != n_left:
        n_left = len(left)
        left = join_surest(left, sureness_alone, join, _ENOUGH)
    gone = {*several} - {*left}
    return sorted((c for c in candidates if c not in gone), key=lambda c: -len(c.found))


def _says_less(one: Candidate, other: Candidate) -> bool:
    return {*content_stems(one.label)} < {*content_stems(other.label)}


def differ_by_a_value(one: Stated, other: Stated, rest: Iterable[Stated]) -> bool:
    """Whether the word in which labels differ is a value: `paid by card: 5`, `paid by cash: 7`.

    It is one fact in two layouts only where more of the *rest* of what documents state changes
    with it than stays. What has such a word itself tells nothing: `rooms upper floor`, `cleaning
    upper floor`. Labels of which some only say more than others do not differ.
    """
    words = [own_words(*pair) for pair in product(one[0], other[0])]
    if not words or not all(words):
        return False
    differing, n_more = frozenset().union(*words), 0
    for labels, documents in rest:
        if differing.isdisjoint(stem for label in labels for stem in content_stems(label)):
            low, high = sorted(len(documents & own) / len(own) for _, own in (one, other))
            n_more += (high - low >= NEARLY_ALL) - (low >= NEARLY_ALL)
    return n_more <= 0


def _sureness(one: Candidate, other: Candidate, n_documents: int) -> float:
    """Return how sure it is that both are one fact; 0.0 where they cannot be."""
    is_constant = any(len(set(item.plain.values())) < 2 for item in (one, other))
    rules = (*one.rules, *other.rules)
    # "5 per 1,000" in running text is no rate in percent, nor "VAT 5 %: 30" a VAT of 5
    sorts = {rule.value_type for rule in rules if isinstance(rule, SlotRule)}
    parts = {rule.reads == "label" for rule in rules if isinstance(rule, KeyRule)}
    if is_constant or max(len(sorts), len(parts)) > 1 or _meet_too_often(one, other):
        return 0.0
    shape, further = one.shape, other.shape
    alike = likeness(shape, further)
    if not alike or kinship(one.label, other.label) < 0:
        return 0.0
    if shape.kind == "amount" and not any(
        is_same_name(a, b) or {*content_stems(a)} & {*content_stems(b)}
        for a in one.labels
        for b in other.labels
    ):
        return 0.0  # amounts meet by chance: a `unit price` is akin to any `repair cost`
    kin = [[kinship(a, b) for b in other.labels] for a in one.labels]
    words = max([0.0, *(akin for row in kin for akin in row)])
    # Most names of either are akin: "items" are "total items", and these are no "total".
    for rows in (kin, [*zip(*kin, strict=True)]) if words else ():
        words *= 2 * sum(max(row) > 0 for row in rows) > len(rows)
    if shape.kind == "code":
        shares_values = shape.detail == further.detail and any(map(str.isalpha, shape.detail))
    else:
        is_text = shape.kind == "text"
        shares_values = is_text and overlap(shape.values, further.values) >= SAME_VALUES
    if not words and not shares_values:
        return 0.0
    expected = len(one.found) * len(other.found) / n_documents
    return alike + words + _COMPLEMENT * (1 - math.exp(-expected))


def _meet_too_often(one: Candidate, other: Candidate) -> bool:
    """Whether many a document gives both, or some give them different values."""
    sections = {getattr(item.rules[0], "section", None) for item in (one, other)} - {None}
    shared = one.plain.keys() & other.plain.keys()
    if shared and max(map(_equal_by_chance, (one, other))) > MAX_MEETINGS:
        return True
    differ = sum(one.plain[number] != other.plain[number] for number in shared)
    least = MAX_MEETINGS * min(len(one.plain), len(other.plain))
    return differ > least or len(shared) - differ > max(1, least) or len(sections) > 1


def _equal_by_chance(candidate: Candidate) -> float:
    """Return how many pairs of documents state the same value, 0 to 1."""
    counts = Counter(candidate.plain.values())
    n = counts.total()
    return sum(one * (one - 1) for one in counts.values()) / max(1, n * (n - 1))


def join_told_twice(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Join candidates that say the same wherever both are there, the best named first.

    What only repeats, as a part of it or at the same place, is dropped; what another place says
    helps out where the first is silent, and is compared with it where it is not.
    """
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (_ORDER.index(c.origin), -len(c.found))):
        twins = [other for other in kept if _says_the_same(other, candidate)]
        twin = next(iter(twins), None)
        if any(kinship(one.label, other.label) < 0 for one, other in combinations(twins, 2)):
            continue  # the first date of a form is its start date here, its end date there
        if twin is None:
            if not any(_stands_inside(other, candidate) for other in kept):
                kept.append(candidate)
        elif may_stand_in(twin, candidate) and not _is_said_by(kept, candidate, twin):
            _take_in(twin, candidate)
    return kept


def _take_in(twin: Candidate, candidate: Candidate) -> None:
    """Let *twin* know what *candidate* says of the same fact: its name, if it has a better one."""
    labels = list(twin.labels)
    is_elsewhere = _is_elsewhere(twin, candidate)
    if is_elsewhere or candidate.found.keys() - twin.found.keys():
        twin.absorb(candidate)
    names_better = candidate.origin == "label" and says_more(candidate.label, twin.label)
    names_better |= (twin.origin, candidate.origin) == ("slot", "place") and not candidate.is_guess
    if names_better or not labels:
        twin.labels = [*candidate.labels, *(one for one in labels if one not in candidate.labels)]
    elif candidate.is_guess or (not is_elsewhere and candidate.origin != "label"):
        twin.labels = labels


def _is_elsewhere(one: Candidate, other: Candidate) -> bool:
    """Whether documents that have both mostly say them at two places."""
    shared = one.found.keys() & other.found.keys()
    apart = sum(not one.found[n].span.overlaps(other.found[n].span) for n in shared)
    return 2 * apart > len(shared)


def _says_the_same(left: Candidate, right: Candidate) -> bool:
    """Whether both say one fact: equal values at two places are one by a word that these share."""
    kinds = {"amount" if item.is_number else str(item.guess.type) for item in (left, right)}
    origins = {left.origin, right.origin}
    if "item" in origins or len(kinds) > 1:
        return False
    if "place" not in origins and _is_elsewhere(left, right):
        akin = kinship(left.label, right.label) > 0 or bool(left.usual & right.usual)
        akin = akin and left.guess.unit == right.guess.unit
        if not (akin or is_same_name(left.label, right.label)):
            return False
    one, other = left.plain, right.plain
    shared = one.keys() & other.keys()
    same = sum(one[number] == other[number] for number in shared)
    enough = max(_MIN_SHARED, min(len(one), len(other)) / 2)
    return len(shared) >= enough and same >= NEARLY_ALL * len(shared)


def _stands_inside(other: Candidate, candidate: Candidate) -> bool:
    """Whether *candidate* mostly reads what *other* reads, or a part of it."""
    is_guess = candidate.origin == "place"

    def is_part(part: Found, whole: Found) -> bool:
        words = f" {fold_words(part.text)} "
        says = is_guess and len(whole.text) <= 2 * len(part.text) and len(words) > _MIN_WORD
        says = says and words.replace(" ", "").isalpha()
        is_said = says and words in f" {fold_words(whole.text)} "
        return whole.span.overlaps(part.span) or is_said

    shared = other.found.keys() & candidate.found.keys()
    inside = sum(is_part(candidate.found[n], other.found[n]) for n in shared)
    return inside >= _INSIDE * len(candidate.found)


def _is_said_by(others: Sequence[Candidate], candidate: Candidate, twin: Candidate) -> bool:
    """Whether what only *candidate* says mostly stands beside a label that its *twin* is not."""
    alone = candidate.found.keys() - twin.found.keys()
    labels = [other for other in others if other is not twin and other.origin == "label"]
    rest = [x.found for x in labels if _meet_too_often(x, twin) or kinship(x.label, twin.label) > 0]
    taken = sum(
        any(n in own and own[n].span.overlaps(candidate.found[n].span) for own in rest)
        for n in alone
    )
    return 2 * taken > len(alone)


def may_stand_in(field: Candidate, other: Candidate) -> bool:
    """Whether what only *other* says lies where the values of *field* lie.

    The first date of a letter is its date, also where nothing says so. The first date of a form is
    its first field, and of a form without this field it is another fact: it lies elsewhere.
    """
    known = _sizes(field, field.plain)
    alone = {n: text for n, text in other.plain.items() if n not in field.found}
    sizes = _sizes(other, alone)
    if len(known) < _MIN_KNOWN or not sizes:
        return True
    margin = _MARGIN * (known[-1] - known[0])
    inside = sum(known[0] - margin <= size <= known[-1] + margin for size in sizes)
    return inside >= NEARLY_ALL * len(sizes)


def _sizes(candidate: Candidate, plain: dict[int, str]) -> list[float]:
    """Return dates as days and numbers as they are, in order; texts have no size."""
    if candidate.guess.type.is_date:
        days = map(read_date, plain.values())
        return sorted(float(day.toordinal()) for day in days if day is not None)
    numbers = plain.values() if candidate.is_number else ()
    return sorted(float(text) for text in numbers if _NUMERAL.fullmatch(text))
