"""Candidates: what may become a column, with what each sample document says of it."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from statistics import median
from typing import Literal, TypeAlias, TypeVar

from srag_mcp.schema.attribute import Extractor
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words
from srag_mcp.values.columns import TypeGuess, classify_values
from srag_mcp.values.dates import read_date
from srag_mcp.values.numbers import read_number
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import read_boolean
from srag_mcp.values.types import BOOLEAN
from srag_mcp.values.units import SIZES, is_currency

Origin: TypeAlias = Literal["label", "place", "cell", "slot", "name", "item"]

_CODE_SHARE = 0.7
# Amounts of one fact in two layouts are of one order of magnitude; measured on receipts, reports
# and invoices at 16a3ebc: 6 parts "deaths" from "cases" and keeps the layouts of "total" together.
_SIZE_FACTOR = 6.0
_MISSING = frozenset({"", "n a", "na", "none", "unknown", "not given", "not reported", "tbd"})
_DIGITS = re.compile(r"\d+")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """What one document says, and where."""

    text: str
    span: Span


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
    """

    origin: Origin
    labels: list[str]
    rules: list[Extractor]
    found: dict[int, Found]
    near: dict[str, float] = field(default_factory=dict)
    quotes: tuple[str, ...] = ()
    asked: float = 0.0

    @property
    def label(self) -> str:
        """The phrase that names it best."""
        return self.labels[0] if self.labels else ""

    @property
    def texts(self) -> list[str]:
        """What the documents state."""
        return [found.text for found in self.found.values()]

    @cached_property
    def guess(self) -> TypeGuess:
        """The type of its values; what is only said or denied is a boolean."""
        if self.origin == "item":
            return TypeGuess(BOOLEAN, None, 1.0, None)
        return classify_values(self.texts, self.label)

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.guess.type.is_numeric

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
        """What its values are like."""
        return shape_of(self)

    def values(self) -> Counter[str]:
        """Count the texts that are stated, folded."""
        return Counter(map(fold_words, self.texts))

    def absorb(self, other: "Candidate") -> None:
        """Take in what another candidate knows of the same fact; what is known already stays."""
        self.rules = [*self.rules, *other.rules]
        self.labels.extend(label for label in other.labels if label not in self.labels)
        self.found = self.found | {n: f for n, f in other.found.items() if n not in self.found}
        self.near = other.near | self.near
        self.quotes = self.quotes or other.quotes
        self.asked = max(self.asked, other.asked)
        for worked_out in ("guess", "plain", "shape"):
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


def plain_value(text: str, kind: str) -> str:
    """Return a value in one spelling: a number, a day, yes or no as such, else folded words."""
    if kind in {"integer", "number"}:
        quantities = find_quantities(text)
        number = quantities[-1][1] if quantities else read_number(text)
        return repr(float(number.value)) if number is not None else fold_words(text)
    if kind == "date":
        return str(read_date(text) or fold_words(text))
    if kind == "boolean":  # signs have no words: `✓`, `✗`
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


def shape_of(candidate: Candidate) -> Shape:
    """Return what the values of *candidate* are like, what stands for a missing one left aside."""
    values = Counter({text: n for text, n in candidate.values().items() if text not in _MISSING})
    words = Counter(word for text, count in values.items() for word in text.split() * count)
    kind, detail, middle = str(candidate.guess.type), "", 0.0
    if candidate.is_number:
        kind, unit = "amount", candidate.guess.unit or ""
        read = filter(None, map(find_quantities, candidate.texts))
        amounts = [abs(float(quantities[-1][1].value)) for quantities in read]
        middle = median(amounts or [0.0])
        detail = SIZES[unit][0] if unit in SIZES else "money" if is_currency(unit) else unit
    elif kind == "string":
        codes = Counter(map(code_of, candidate.texts))
        found, count = codes.most_common(1)[0] if codes else ("", 0)
        is_code = codes.total() - codes[""] >= _CODE_SHARE * codes.total()
        kind = "code" if is_code else "text"
        detail = found if is_code and count >= _CODE_SHARE * codes.total() else ""
    return Shape(kind, detail, middle, words, values)


def code_of(text: str) -> str:
    """Return how a code is made up, empty where a value is none: `TX-2043` -> `TX-9`."""
    value = text.strip()
    is_code = 3 <= len(value) <= 30 and " " not in value and _DIGITS.search(value)
    return _DIGITS.sub("9", value) if is_code else ""


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
