"""Differences and ratios: between two groups, two dates, or the highest and the lowest."""

from typing import Literal

from srag_mcp.offline.translation.contrasts import Contrast, contrast_of
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.measure import Measure
from srag_mcp.offline.translation.measures import measure_of, where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import SUPERLATIVE_KINDS, picks_of
from srag_mcp.offline.translation.reading import Function, Operation, Single, Summary
from srag_mcp.offline.translation.thesaurus import SUPERLATIVES

_FALLING = ("fewer", "less", "lower", "smaller", "cheaper")
_UNSIGNED = ("difference", "gap", "margin", "spread", "range")


def read_difference(sentence: Sentence) -> Parse | None:
    """Read `how many more … than …`, `by how much did … change`, `the gap between …`."""
    asks = sentence.of("difference")
    if not asks and not (sentence.has("how_many") and sentence.has("than")):
        return None
    spread = _spread(sentence)
    if spread is not None:
        return spread
    contrast = contrast_of(sentence, _divider(sentence))
    if contrast is None:
        return None
    measure = _measure(sentence, contrast)
    if measure is None:
        return None
    scalars = measure.over(contrast.left), measure.over(contrast.right)
    sign, swapped = _direction(sentence, contrast)
    left, right = reversed(scalars) if swapped else scalars
    reading = Single(Operation(sign, left, right))
    return Parse(reading, _used(sentence, measure, contrast), 0.9 if measure.assumed else 1.0)


def _used(sentence: Sentence, measure: Measure, contrast: Contrast) -> tuple[Item, ...]:
    links = sentence.of(
        "difference", "than", "change", "above", "comparative", "between", "time", "each"
    )
    days = [item for item in sentence.of("period") if item.word == "date"]
    return (*measure.used, *contrast.used, *links, *days, *sentence.of("aggregate"))


def _divider(sentence: Sentence) -> Item | None:
    for item in sentence.of("than", "above"):
        return item
    for item in sentence.of("change"):
        if sentence.words(item).lower() == "exceed":
            return item
    return None


def _direction(sentence: Sentence, contrast: Contrast) -> tuple[Literal["-", "distance"], bool]:
    """Return the sign, and whether the right side comes first."""
    words = " ".join(sentence.words(item).lower() for item in sentence.of("difference"))
    if any(word in words.split() for word in _FALLING):
        return "-", True
    changes = [item.word for item in sentence.of("change") if sentence.words(item) != "exceed"]
    if changes and contrast.timed and _divider(sentence) is None:
        return "-", "down" not in changes
    if any(word in words.split() for word in _UNSIGNED):
        return "distance", False
    return "-", False


def _measure(sentence: Sentence, contrast: Contrast) -> Measure | None:
    default: Function | None = "max" if contrast.pinned and contrast.timed else None
    if contrast.pinned and not contrast.timed:
        default = "sum"
    return measure_of(sentence, _measured(sentence), default)


def _measured(sentence: Sentence) -> list[Item]:
    """Return the items to measure; `how many more` asks for a count."""
    items = [item for item in sentence.items if item.kind not in {"filter", "than"}]
    asks = [item for item in sentence.of("difference") if "many" in sentence.words(item).lower()]
    return [*items, *(Item("how_many", item.first, item.last) for item in asks)]


def _spread(sentence: Sentence) -> Parse | None:
    """Read the gap between the highest and the lowest value of one column."""
    items = sentence.of(*SUPERLATIVE_KINDS)
    picks = picks_of(sentence)
    if len(items) != 2 or {_is_high(item) for item in items} != {True, False}:
        return None
    terms = {pick.term for pick in picks if pick is not None and pick.term is not None}
    named = [sentence.column(i, lambda c: c.is_number) for i in sentence.of("attribute")]
    terms = {column.term for column in named if column is not None} or terms
    if len(terms) != 1:
        return None
    where, term = where_of(sentence), terms.pop()
    top, low = (Summary(name, term, where) for name in _ENDS)
    used = [item for pick in picks if pick is not None for item in pick.used]
    links = sentence.of("difference", "between", "than", "above", "comparative", "filter")
    return Parse(Single(Operation("-", top, low)), (*used, *links, *items))


def _is_high(item: Item) -> bool:
    return item.kind == "most" or (item.kind == "superlative" and SUPERLATIVES[item.word][1])


_ENDS: tuple[Function, Function] = ("max", "min")


def read_rate(sentence: Sentence) -> Parse | None:
    """Read `how many times larger is … than …` and `… per 100 …`."""
    per = _per(sentence)
    if per is not None:
        return per
    if not sentence.has("rate"):
        return None
    contrast = contrast_of(sentence, next(iter(sentence.of("than", "above")), None))
    items = [item for item in sentence.items if item.kind != "filter"]
    measure = measure_of(sentence, items, "sum") if contrast is not None else None
    if contrast is None or measure is None:
        return None
    reading = Operation("/", measure.over(contrast.left), measure.over(contrast.right))
    links = sentence.of("rate", "than", "aggregate", "comparative", "above")
    score = 0.9 if measure.assumed else 1.0
    return Parse(Single(reading), (*measure.used, *contrast.used, *links), score)


def _per(sentence: Sentence) -> Parse | None:
    """Read the sum of one column for so many of another: `returns per 100 orders`."""
    for at in range(len(sentence.items) - 2):
        each, base, right = sentence.items[at : at + 3]
        if (each.kind, base.kind, right.kind) == ("each", "number", "attribute"):
            return _rated(sentence, (each, base, right))
    return None


def _rated(sentence: Sentence, found: tuple[Item, Item, Item]) -> Parse | None:
    each, base, right = found
    below = sentence.column(right, lambda c: c.is_number)
    others = [item for item in sentence.of("attribute") if item.first < each.first]
    above = sentence.column(others[-1], lambda c: c.is_number) if others else None
    if below is None or above is None or above == below:
        return None
    where = where_of(sentence)
    top, low = Summary("sum", above.term, where), Summary("sum", below.term, where)
    reading = Operation("/", top, low, factor=base.number or 1)
    return Parse(Single(reading), (*found, *others, *sentence.of("filter", "aggregate")))
