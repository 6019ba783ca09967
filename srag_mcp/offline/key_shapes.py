"""Shapes: what the values beside a key look like, so that keys of one fact can be told."""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import median

from srag_mcp.offline.values import look
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.units import SIZES, is_currency

_SHARE = 0.7
_MAX_WORDS = 7
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_RUNS = (re.compile(r"[^\W\d_]+"), re.compile(r"\d+"))
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S{4,30}")
_MISSING = frozenset({"", "n a", "na", "none", "unknown", "not given", "not reported", "tbd"})
_NEXT_WORD = re.compile(r"\s*[^\W\d_]+")
_SIZE_FACTOR = 6.0
_SAME_KIND = {"code": 1.0, "date": 0.4}


@dataclass(frozen=True, slots=True)
class Shape:
    """What most values of a key are.

    *kind* is `date`, `amount`, `code` or `text`; *detail* the kind of unit of an amount, or how a
    code is made up; *middle* the median amount; *words* counts the folded words of texts and
    *values* the folded texts.
    """

    kind: str
    detail: str
    middle: float
    words: Counter[str]
    values: Counter[str]


def shape_of(values: Collection[str]) -> Shape:
    """Return the shape of *values*; what stands for a missing value is left aside."""
    given = [value for value in values if fold(value) not in _MISSING]
    folded = Counter(fold(value) for value in given)
    words = Counter(word for value, count in folded.items() for word in value.split() * count)
    kind, detail, middle = _kind(given)
    return Shape(kind, detail, middle, words, folded)


def _kind(values: Collection[str]) -> tuple[str, str, float]:
    least = _SHARE * len(values)
    if values and sum(look(value) == "date" for value in values) >= least:
        return "date", "", 0.0
    codes = Counter(signature(value) for value in values if _CODE.fullmatch(value.strip()))
    if codes and codes.most_common(1)[0][1] >= least:
        return "code", codes.most_common(1)[0][0], 0.0
    amounts = [amount for value in values if (amount := _amount(value)) is not None]
    if amounts and len(amounts) >= least:
        detail, count = Counter(detail for detail, _ in amounts).most_common(1)[0]
        if count >= 0.6 * len(amounts):
            return "amount", detail, median(size for _, size in amounts)
    return "text", "", 0.0


def signature(value: str) -> str:
    """Return how a code is made up: `TX-2043` -> `a-9`."""
    return _RUNS[1].sub("9", _RUNS[0].sub("a", value.strip()))


def _amount(value: str) -> tuple[str, float] | None:
    span = amount_span(value)
    if span is None:
        return None
    _, quantity = find_quantities(span.of(value))[0]
    unit = quantity.unit or ""
    kind, factor = SIZES.get(unit, ("money" if is_currency(unit) else unit, 1.0))
    return kind, abs(float(quantity.value)) * factor


def amount_span(value: str) -> Span | None:
    """Return where the only amount of a short value is, with its unit; None where there is none.

    Example: `Actual: 165 (final)` -> the place of `165`
    """
    bare = _BRACKETED.sub(lambda match: " " * len(match.group()), value)
    if len(bare.split()) > _MAX_WORDS:
        return None
    found = find_quantities(bare)
    if len(found) != 1 or found[0][1].upper is not None:
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
    """Return how alike the values of two keys are, 0 to 1."""
    if left.kind != right.kind or left.detail != right.detail:
        return 0.0
    if left.kind in _SAME_KIND:
        return _SAME_KIND[left.kind]
    if left.kind == "amount":
        low, high = sorted((left.middle, right.middle))
        if low and high > _SIZE_FACTOR * low:
            return 0.0
        return 0.6 if left.detail else 0.4
    return max(_overlap(left.values, right.values), _cosine(left.words, right.words))


def _overlap(left: Counter[str], right: Counter[str]) -> float:
    """Return the share of the statements of the rarer key that the other makes, too."""
    rarer, other = sorted((left, right), key=lambda counts: counts.total())
    return sum(n for value, n in rarer.items() if value in other) / max(1, rarer.total())


def _cosine(left: Mapping[str, int], right: Mapping[str, int]) -> float:
    norm = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return sum(n * right.get(word, 0) for word, n in left.items()) / norm if norm else 0.0
