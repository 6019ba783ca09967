"""Superlatives: what is highest, lowest, first, last, most or fewest, and of what."""

from itertools import pairwise

from srag_mcp.offline.translation.adjectives import bind_adjective
from srag_mcp.offline.translation.asked import is_compound
from srag_mcp.offline.translation.columns import Column, concept_stems
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.lexicon import PAYING_VERBS, RANKING_ADJECTIVES
from srag_mcp.offline.translation.measures import only_measure
from srag_mcp.offline.translation.ranked import QUANTITIES, Pick, function_near, measured, scan
from srag_mcp.offline.translation.reading import Contains, OneOf, Truth
from srag_mcp.offline.translation.thesaurus import SUPERLATIVES
from srag_mcp.offline.translation.tokens import stem

SUPERLATIVE_KINDS: tuple[Kind, ...] = ("most", "least", "superlative")
_PAYING = frozenset(stem(word) for word in PAYING_VERBS)
_TOTAL = frozenset({"total", "the"})
_NOUNS = {"maximum", "minimum", "max", "min", "peak"}


def picks_of(sentence: Sentence) -> list[Pick | None]:
    """Bind each superlative of a sentence; None for one that ranks nothing known."""
    return [bind_pick(sentence, item) for item in sentence.of(*SUPERLATIVE_KINDS)]


def bind_pick(sentence: Sentence, item: Item) -> Pick | None:
    """Find what the superlative *item* ranks."""
    at = sentence.items.index(item)
    highest = item.kind == "most" or (item.kind == "superlative" and SUPERLATIVES[item.word][1])
    counted = _counted_by(sentence, at)
    if item.word == "often" or counted:
        often = item.word == "often"
        return Pick(item, None, highest, None, (item, *counted), quantity=True, often=often)
    ranked = _ranked_by(sentence, at)
    if ranked is not None:
        return measured(sentence, at, ranked, highest=highest)
    if item.kind == "superlative":
        return bind_adjective(sentence, at, highest=highest)
    return _bind_quantity(sentence, at, highest=highest)


def _bind_quantity(sentence: Sentence, at: int, *, highest: bool) -> Pick | None:
    """Bind `most`, `highest`, `top` to the column or the records beside it."""
    found = None if _counts_records(sentence, at) else _ranked_column(sentence, at)
    if found is not None:
        return measured(sentence, at, found, highest=highest)
    return _bind_entity(sentence, at, highest=highest)


def _counted_by(sentence: Sentence, at: int) -> tuple[Item, ...]:
    """Return the items of `by number of matches`, which say what a `top` ranks by."""
    for asks, noun in pairwise(sentence.items[at + 1 :]):
        near = {token.word for token in sentence.tokens[max(0, asks.first - 2) : asks.first]}
        if "by" in near and asks.kind == "how_many" and noun.kind == "entity":
            return asks, noun
    return ()


def _ranked_by(sentence: Sentence, at: int) -> tuple[Item, Column] | None:
    """Return the column that a choice of the best few names behind `by`."""
    for item in sentence.items[at + 1 :]:
        column = sentence.column(item, lambda c: c.is_ordered) if item.columns else None
        near = [token.word for token in sentence.tokens[max(0, item.first - 2) : item.first]]
        by = near[-1:] == ["by"] or (near[:1] == ["by"] and near[-1] in RANKING_ADJECTIVES | _TOTAL)
        if by and item.kind == "attribute" and column is not None and not column.year_text:
            return item, column
    return None


def _counts_records(sentence: Sentence, at: int) -> bool:
    """Whether `most` stands right before the noun of a record: `most matches`."""
    after = at + 1
    if after >= len(sentence.items) or sentence.items[after].kind != "entity":
        return False
    word = sentence.words(sentence.items[at]).lower().removeprefix("the ").split()[0]
    return word in QUANTITIES and not is_compound(sentence, after)


def _ranked_column(sentence: Sentence, at: int) -> tuple[Item, Column] | None:
    before = scan(sentence, at, -1)
    nominal = sentence.words(sentence.items[at]).lower().split()[-1] in _NOUNS
    if before is not None and nominal and sentence.gap(before[0], sentence.items[at]) == 0:
        return before
    return scan(sentence, at, 1) or before


def _bind_entity(sentence: Sentence, at: int, *, highest: bool) -> Pick | None:
    """Rank by number of records (`most matches`) or by size (`largest order`)."""
    item = sentence.items[at]
    word = sentence.words(item).lower().removeprefix("the ").split()[0]
    after = _entity_after(sentence, at) or _text_after(sentence, at)
    counts = "number of" in sentence.words(item).lower() or word in QUANTITIES
    function, aggregates = function_near(sentence)
    after = after or _value_after(sentence, at, word)
    if after is not None and counts and function is None:
        return Pick(item, None, highest, None, (item, after), quantity=True)
    if _is_bare(sentence, at, word):
        return Pick(item, None, highest, None, (item,), quantity=True, often=True)
    column = only_measure(sentence.table, "money" if word not in {"biggest", "largest"} else "any")
    if column is None or (after is None and _names_column(sentence, at)):
        return None
    return Pick(item, column.term, highest, function, (item, *aggregates), assumed=True)


def _value_after(sentence: Sentence, at: int, word: str) -> Item | None:
    """Return the stored value whose records are counted: `the most fires`."""
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    held = after is not None and isinstance(after.condition, OneOf | Contains | Truth)
    near = after is not None and sentence.gap(sentence.items[at], after) == 0
    return after if word in QUANTITIES and held and near and sentence.table.named else None


def _is_bare(sentence: Sentence, at: int, word: str) -> bool:
    """Whether `most` ends its clause after a verb without a price: `was borrowed the most`."""
    last = sentence.items[at].last
    after = sentence.tokens[last] if last < len(sentence.tokens) else None
    ended = after is None or after.is_mark or after.word in {"in", "at", "by", "from", "during"}
    stems_before = {token.stem for token in sentence.tokens[: sentence.items[at].first]}
    paid = bool(stems_before & (concept_stems("money") | _PAYING))
    return sentence.table.named and word in {"most", "least"} and ended and not paid


def _names_column(sentence: Sentence, at: int) -> bool:
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    plain = after is not None and after.kind == "hint" and sentence.table.named
    return plain or (after is not None and after.kind in {"unknown", "attribute", "value"})


def _entity_after(sentence: Sentence, at: int) -> Item | None:
    for item in sentence.items[at + 1 : at + 4]:
        if item.kind == "entity":
            return item
        if item.kind not in {"filter", "distinct", "aggregate", "how_many"}:
            return None
    return None


def _text_after(sentence: Sentence, at: int) -> Item | None:
    """Return the text column that names what a record without a noun is: `most competitions`."""
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    if after is None or after.kind != "attribute" or sentence.table.named:
        return None
    return after if sentence.column(after, lambda c: c.attribute.type == "string") else None
