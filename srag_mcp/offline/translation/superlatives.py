"""Questions with one superlative: the highest value, the record that has it, the best few."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from srag_mcp.offline.translation.asked import asks_in_vain, label_of, outputs_of
from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.date_parts import asks_part
from srag_mcp.offline.translation.expressions import joined
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.measures import where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import picks_of
from srag_mcp.offline.translation.ranked import Pick
from srag_mcp.offline.translation.reading import (
    ROW,
    Every,
    Extreme,
    Grouping,
    Listing,
    Reading,
    Single,
    Summary,
    Term,
)
from srag_mcp.offline.translation.tokens import stem, words_in
from srag_mcp.offline.translation.wordings import is_noun_after

_ASSUMED = 0.9
_SINGLE = frozenset({"single", "one"})


def read_superlative(sentence: Sentence) -> Parse | None:
    """Read a question with exactly one superlative."""
    picks = picks_of(sentence)
    if len(picks) != 1 or picks[0] is None or sentence.has("difference") or sentence.has("than"):
        return None
    pick = picks[0]
    if asks_in_vain(sentence):
        return None
    outputs, shown = outputs_of(sentence, pick.used, pick.term)
    if pick.term is None or pick.often:
        return _counted(sentence, pick, (outputs, shown))
    if outputs and _groups(sentence, pick, outputs, shown):
        return _grouped(sentence, pick, (outputs, shown))
    return _picked(sentence, pick, (outputs, shown))


def _counted(
    sentence: Sentence, pick: Pick, found: tuple[tuple[Term, ...], tuple[Item, ...]]
) -> Parse | None:
    outputs, shown = found
    if len(outputs) != 1 or outputs[0].column == ROW:
        return None
    summary = Summary("count", pick.counted, where_of(sentence))
    reading = Grouping(outputs[0], summary, _direction(pick), limit=_limit(sentence))
    return Parse(reading, (*pick.used, *shown, *_common(sentence)), _score(pick))


def _groups(sentence: Sentence, pick: Pick, outputs: Sequence[Term], shown: Sequence[Item]) -> bool:
    """Whether the superlative ranks groups of records, and not single records."""
    key = outputs[0]
    if len(outputs) > 1 or pick.term is None or pick.term.column == ROW:
        return False
    if is_noun_after(sentence.tokens, _SINGLE, sentence.table.nouns):
        return False
    column = sentence.table.column(key.column)
    if column is None or (key.form == "plain" and column.is_key) or column.is_number:
        return False
    if (column.attribute.type == "date" and key.form == "plain") or _is_own(sentence, pick, column):
        return False
    return (
        pick.function is not None
        or (pick.quantity and key.form != "plain")
        or (pick.quantity and not column.is_key)
    )


def _is_own(sentence: Sentence, pick: Pick, column: Column) -> bool:
    """Whether what is ranked is described as a thing's own: `Number of pages of the book`."""
    ranked = sentence.table.column(pick.term.column) if pick.term is not None else None
    described = words_in(ranked.attribute.description) if ranked is not None else ()
    owners = (stem(right) for left, right in pairwise(described) if left in {"the", "each"})
    return any(column.is_called(owner) for owner in owners)


def _grouped(
    sentence: Sentence, pick: Pick, found: tuple[tuple[Term, ...], tuple[Item, ...]]
) -> Parse:
    outputs, shown = found
    summary = Summary(pick.function or "sum", pick.term, where_of(sentence))
    reading = Grouping(outputs[0], summary, _direction(pick), limit=_limit(sentence))
    return Parse(reading, (*pick.used, *shown, *_common(sentence)), _score(pick))


def _direction(pick: Pick) -> Literal["highest", "lowest"]:
    return "highest" if pick.highest else "lowest"


def _picked(
    sentence: Sentence, pick: Pick, found: tuple[tuple[Term, ...], tuple[Item, ...]]
) -> Parse | None:
    outputs, shown = found
    assert pick.term is not None
    if pick.function is not None:
        return None
    used = (*pick.used, *shown, *_common(sentence))
    where = where_of(sentence)
    outputs = tuple(term for term in outputs if term != pick.term or len(outputs) > 1)
    if not outputs and _asks_other(sentence, pick):
        return None
    if not outputs and pick.term.column == ROW:
        outputs = (label_of(sentence.table),)
    limit, nth = _limit(sentence), _nth(sentence)
    ordered = limit is not None and limit > 1
    reading = _reading(pick, outputs, where, (limit, nth))
    return Parse(reading, used, _score(pick), ordered=ordered)


def _asks_other(sentence: Sentence, pick: Pick) -> bool:
    """Whether a noun behind `which` asks for something else than the value that is ranked."""
    head = next(iter(sentence.of("wh", "list")), None)
    at = sentence.items.index(head) + 1 if head is not None else len(sentence.items)
    noun = sentence.items[at] if at < len(sentence.items) else None
    if head is None or noun is None or noun.kind != "hint" or not sentence.table.named:
        return False
    ranked = pick.term is not None and noun.columns[0][0] == pick.term.column
    return sentence.gap(head, noun) == 0 and not (ranked and not noun.tied)


def _reading(
    pick: Pick, outputs: tuple[Term, ...], where: Every, place: tuple[int | None, int | None]
) -> Reading:
    assert pick.term is not None
    limit, nth = place
    if limit is not None or nth is not None:
        shown = outputs or (pick.term,)
        return Listing(
            shown,
            where,
            order=pick.term,
            descending=pick.highest,
            limit=limit or 1,
            offset=(nth or 1) - 1,
        )
    if not outputs:
        return Single(Summary("max" if pick.highest else "min", pick.term, where))
    return Listing(outputs, joined(where, Extreme(pick.term, pick.highest, where)))


def _limit(sentence: Sentence) -> int | None:
    """Return how many are asked for: `the three highest`."""
    for item in sentence.of("number"):
        if item.unit is None and item.number is not None and 1 < item.number <= 100:
            return int(item.number)
    return None


def _nth(sentence: Sentence) -> int | None:
    for item in sentence.of("ordinal"):
        return int(item.number or 1)
    return None


def _common(sentence: Sentence) -> tuple[Item, ...]:
    """Return the items that any superlative takes: filters, counts, ordinals, directions."""
    kinds: tuple[Kind, ...] = ("filter", "number", "ordinal", "direction", "which_of")
    periods = [item for item in sentence.of("period") if not asks_part(sentence, item)]
    return (*sentence.of(*kinds), *periods)


def _score(pick: Pick) -> float:
    return _ASSUMED if pick.assumed else 1.0
