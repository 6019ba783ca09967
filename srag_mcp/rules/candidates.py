"""Candidates: what may become a column, with what each sample document says of it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, TypeAlias

from srag_mcp.rules.kinship import content_stems
from srag_mcp.schema.attribute import AbsentMeans
from srag_mcp.schema.extractors import Extractor
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words
from srag_mcp.values.columns import TypeGuess, classify_values
from srag_mcp.values.dates import read_date
from srag_mcp.values.numbers import read_number
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.types import BOOLEAN
from srag_mcp.values.units import SIZES, is_currency

Origin: TypeAlias = Literal["label", "place", "cell", "slot", "name", "item"]

_NUMERIC = ("integer", "number")


@dataclass(frozen=True, slots=True)
class Found:
    """What one document says, and where."""

    text: str
    span: Span


@dataclass(slots=True, eq=False)
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
        absent_means: What a document that does not mention it says.
        others: Phrases near its values, for when another column has its labels.
        n_marked: Documents of which different places contradict one another.
        n_places: At how many places a document that states it does so.
    """

    origin: Origin
    labels: list[str]
    rules: list[Extractor]
    found: dict[int, Found]
    near: dict[str, float] = field(default_factory=dict)
    quotes: tuple[str, ...] = ()
    asked: float = 0.0
    absent_means: AbsentMeans = "unknown"
    others: tuple[str, ...] = ()
    n_marked: int = 0
    n_places: float = 1.0
    _guess: TypeGuess | None = None

    @property
    def label(self) -> str:
        """The phrase that names it best."""
        return self.labels[0] if self.labels else ""

    @property
    def guess(self) -> TypeGuess:
        """The type of its values; what is only said or denied is a boolean."""
        if self._guess is None:
            texts = [found.text for found in self.found.values()]
            is_item = self.origin == "item"
            self._guess = TypeGuess(BOOLEAN, None, 1.0, None) if is_item else classify_values(texts)
        return self._guess

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.guess.type in _NUMERIC

    def share(self, n_documents: int) -> float:
        """Return the share of sample documents that state it."""
        return len(self.found) / max(1, n_documents)

    def plain(self) -> dict[int, str]:
        """Return the values in one spelling: numbers and dates as they are stored."""
        return {
            number: plain_value(item.text, self.guess.type) for number, item in self.found.items()
        }

    def absorb(self, other: "Candidate", *, first: bool = False) -> None:
        """Take in what another candidate knows of the same fact; what is known already stays."""
        self.rules = [*other.rules, *self.rules] if first else [*self.rules, *other.rules]
        self.labels.extend(label for label in other.labels if label not in self.labels)
        for number, found in other.found.items():
            if first or number not in self.found:
                self.found[number] = found
        for name, share in other.near.items():
            self.near.setdefault(name, share)
        self.quotes = self.quotes or other.quotes
        self.asked = max(self.asked, other.asked)
        self._guess = None


def plain_value(text: str, kind: str) -> str:
    """Return a value in one spelling: a number as a number, a date as a day, else folded words."""
    if kind in _NUMERIC:
        quantities = find_quantities(text)
        number = quantities[-1][1] if quantities else read_number(text)
        return repr(float(number.value)) if number is not None else fold_words(text)
    if kind == "date":
        return str(read_date(text) or fold_words(text))
    return fold_words(text)


def agreement(left: Mapping[int, str], right: Mapping[int, str]) -> tuple[int, float]:
    """Return how many documents state both, and the share of those that state them alike."""
    shared = left.keys() & right.keys()
    same = sum(left[number] == right[number] for number in shared)
    return len(shared), same / len(shared) if shared else 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    """What the values of a candidate are like.

    *kind* is `date`, `amount`, `code`, `boolean` or `text`; *detail* the sort of unit of an amount,
    or how a code is made up; *middle* the median amount in the base unit; *words* counts the folded
    words of texts and *values* the folded texts.
    """

    kind: str
    detail: str
    middle: float
    bare: float
    words: Counter[str]
    values: Counter[str]


_CODE_SHARE = 0.7
# Amounts of one fact in two layouts are of one order of magnitude; measured on receipts, reports
# and invoices at 16a3ebc: 6 parts "deaths" from "cases" and keeps the layouts of "total" together.
_SIZE_FACTOR = 6.0
_MISSING = frozenset({"", "n a", "na", "none", "unknown", "not given", "not reported", "tbd"})


def shape_of(candidate: Candidate) -> Shape:
    """Return what the values of *candidate* are like, what stands for a missing one left aside."""
    texts = [found.text for found in candidate.found.values()]
    folded = Counter(text for text in map(fold_words, texts) if text not in _MISSING)
    words = Counter(word for text, count in folded.items() for word in text.split() * count)
    kind, detail, middle, bare = str(candidate.guess.type), "", 0.0, 0.0
    if candidate.is_number:
        kind = "amount"
        sizes = [size for text in texts if (size := _size(text)) is not None]
        middle = median(size for size, _ in sizes) if sizes else 0.0
        bare = median(plain for _, plain in sizes) if sizes else 0.0
        unit = candidate.guess.unit or ""
        detail = SIZES[unit][0] if unit in SIZES else "money" if is_currency(unit) else unit
    elif kind == "string":
        codes = Counter(code_of(text) for text in texts)
        found, count = codes.most_common(1)[0] if codes else ("", 0)
        has_codes = sum(n for code, n in codes.items() if code) >= _CODE_SHARE * len(texts)
        kind, detail = (
            ("code", found if count >= _CODE_SHARE * len(texts) else "")
            if has_codes
            else ("text", "")
        )
    return Shape(kind, detail, middle, bare, words, folded)


def code_of(text: str) -> str:
    """Return how a code is made up, empty where a value is none: `TX-2043` -> `TX-9`."""
    value = text.strip()
    if not 3 <= len(value) <= 30 or " " in value or not any(char.isdigit() for char in value):
        return ""
    made: list[str] = []
    for char in value:
        kind = "9" if char.isdigit() else char
        if kind != "9" or made[-1:] != ["9"]:
            made.append(kind)
    return "".join(made)


def _size(text: str) -> tuple[float, float] | None:
    """Return the size of an amount in the base unit of its kind, and as it is written."""
    quantities = find_quantities(text)
    if not quantities:
        return None
    quantity = quantities[-1][1]
    bare = abs(float(quantity.value))
    return bare * SIZES.get(quantity.unit or "", ("", 1.0))[1], bare


_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_NEXT_WORD = re.compile(r"\s*[^\W\d_]+")
_MAX_WORDS = 7


def amount_span(value: str) -> Span | None:
    """Return where the only amount of a short value is, with its unit; None where there is none.

    Example: `Actual: 165 (final)` -> the place of `165`
    """
    bare = _BRACKETED.sub(lambda match: " " * len(match.group()), value)
    found = find_quantities(bare)
    if len(bare.split()) > _MAX_WORDS or len(found) != 1 or found[0][1].upper is not None:
        return None
    span, quantity = found[0]
    before = bare[max(0, span.start - 1) : span.start]
    if before.isalnum() or before == "-":
        return None
    alone = find_quantities(span.of(bare))
    following = _NEXT_WORD.match(bare, span.end)
    if following and (not alone or alone[0][1].unit != quantity.unit):
        return Span(span.start, following.end())
    return span if alone else None


def likeness(left: Shape, right: Shape) -> float:
    """Return how alike the values of two candidates are, 0 to 1; 0.0 where they cannot be one."""
    if left.kind != right.kind:
        return 0.0
    if left.kind == "amount":
        if left.detail and right.detail and left.detail != right.detail:
            return 0.0
        has_units = left.detail and right.detail
        sizes = (left.middle, right.middle) if has_units else (left.bare, right.bare)
        low, high = sorted(sizes)
        return 0.0 if low and high > _SIZE_FACTOR * low else 0.6 if left.detail else 0.4
    if left.kind == "code":
        return 1.0 if left.detail and left.detail == right.detail else 0.4
    if left.kind == "date":
        return 0.4
    return max(overlap(left.values, right.values), _cosine(left.words, right.words))


def overlap(left: Counter[str], right: Counter[str]) -> float:
    """Return the share of the statements of the rarer side that the other makes, too."""
    rarer, other = sorted((left, right), key=lambda counts: counts.total())
    return sum(n for value, n in rarer.items() if value in other) / max(1, rarer.total())


def _cosine(left: Mapping[str, int], right: Mapping[str, int]) -> float:
    norm = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return sum(n * right.get(word, 0) for word, n in left.items()) / norm if norm else 0.0


def stems_of(labels: Iterable[str]) -> frozenset[str]:
    """Return the stems of the content words of all *labels*."""
    return frozenset(name for label in labels for name in content_stems(label))
