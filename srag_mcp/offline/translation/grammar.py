"""The grammar: the forms of questions, tried in order of how special they are."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from srag_mcp.offline.translation.choices import read_alternative, read_choice
from srag_mcp.offline.translation.columns_used import columns_used
from srag_mcp.offline.translation.counting import read_summary
from srag_mcp.offline.translation.differences import read_difference, read_rate
from srag_mcp.offline.translation.elapsed import read_elapsed
from srag_mcp.offline.translation.groups import read_groups
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.lexicon import EVENT_VERBS
from srag_mcp.offline.translation.listing import read_listing
from srag_mcp.offline.translation.neighbours import read_neighbour, read_same
from srag_mcp.offline.translation.parse import Parse, unused
from srag_mcp.offline.translation.reading import Existence, Listing, Reading, Single, Summary
from srag_mcp.offline.translation.shares import read_share
from srag_mcp.offline.translation.soundness import is_sound
from srag_mcp.offline.translation.superlatives import read_superlative
from srag_mcp.offline.translation.verdicts import read_existence, read_verdict

Form: TypeAlias = Callable[[Sentence], Parse | None]

THRESHOLD = 0.6

FORMS: tuple[Form, ...] = (
    read_same,
    read_choice,
    read_alternative,
    read_neighbour,
    read_rate,
    read_difference,
    read_elapsed,
    read_share,
    read_verdict,
    read_existence,
    read_groups,
    read_superlative,
    read_summary,
    read_listing,
)


_BEFORE_NOUN = {
    "how_many", "wh", "list", "most", "least", "superlative", "distinct", "number", "ordinal",
    "which_of", "other",
}  # fmt: skip
_UNKNOWN_COST = 0.13


def name_record(sentence: Sentence) -> Sentence:
    """Take the unknown noun behind the question word for the record, when nobody named it.

    Of two unknown words the first would be a condition; then nothing is taken.
    """
    if sentence.table.named:
        return sentence
    items = list(sentence.items)
    for at in range(1, len(items)):
        if items[at].kind == "unknown" and items[at - 1].kind in _BEFORE_NOUN:
            alone = at + 1 == len(items) or items[at + 1].kind != "unknown"
            near = sentence.gap(items[at - 1], items[at]) <= 1
            if near and (alone or sentence.gap(items[at], items[at + 1]) > 0):
                items[at] = replace(items[at], kind="entity")
            break
    return sentence.with_items(items)


def _forgiven(sentence: Sentence, parse: Parse, left: list[Item]) -> Parse | None:
    """Lower the score for unknown words about a table whose records have no name."""
    if sentence.table.named or not all(_is_forgivable(sentence, item) for item in left):
        return None
    if any(_modifies(sentence, item) for item in left) or not _is_restricted(parse.reading):
        return None
    if _counts_objects(sentence, parse.reading, left):
        return None
    score = parse.score - _UNKNOWN_COST * len(left)
    return replace(parse, score=score) if score >= THRESHOLD else None


def _is_forgivable(sentence: Sentence, item: Item) -> bool:
    """Whether *item* is unknown, or a verb such as `won` that also sounds like a column."""
    verb = item.kind == "attribute" and sentence.words(item).lower() in EVENT_VERBS
    return verb or item.kind in {"unknown", "hint"}


def _modifies(sentence: Sentence, item: Item) -> bool:
    """Whether an unknown word stands before a noun, and so restricts it."""
    at = sentence.items.index(item)
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    nouns = {"entity", "attribute", "unknown"}
    return after is not None and after.kind in nouns and sentence.gap(item, after) == 0


def _counts_objects(sentence: Sentence, reading: Reading, left: list[Item]) -> bool:
    """Whether a count asks what someone does to the counted: `how many sponsors does X employ`."""
    counts = isinstance(reading, Single) and getattr(reading.scalar, "function", "") == "count"
    if not counts or not any(token.word in {"do", "does", "did"} for token in sentence.tokens):
        return False
    return any(sentence.words(item).lower() not in EVENT_VERBS for item in left)


def _is_restricted(reading: Reading) -> bool:
    """Whether a reading has filters or an extreme: a bare count cannot stand for unknown words."""
    match reading:
        case Single(Summary(function, _, where)):
            return bool(where.conditions) or function in {"min", "max"}
        case Listing(_, where) | Existence(where):
            return bool(where.conditions)
    return True


def read_question(sentence: Sentence) -> tuple[Parse | None, list[Item]]:
    """Return the first parse that places every item, else None and what the best one left over."""
    fewest: list[Item] | None = None
    sentence = name_record(sentence)
    for form in FORMS:
        parse = form(sentence)
        if parse is None or not is_sound(parse.reading):
            continue
        left = unused(sentence, parse, {use.column for use in columns_used(parse.reading)})
        if not left:
            return parse, []
        forgiven = _forgiven(sentence, parse, left)
        if forgiven is not None:
            return forgiven, []
        if fewest is None or len(left) < len(fewest):
            fewest = left
    return None, _unbound(sentence) if fewest is None else fewest


_UNBOUND: tuple[tuple[Kind, ...], ...] = (
    ("unknown",),
    ("most", "least", "superlative"),
    ("bound", "elapsed", "share", "difference", "rate", "than", "listed", "ordinal"),
    ("hint", "attribute"),
    ("aggregate", "wh", "how_much"),
)


def _unbound(sentence: Sentence) -> list[Item]:
    """Return what kept every form from reading the sentence: the most telling kind of words."""
    found = (sentence.of(*kinds) for kinds in _UNBOUND)
    return next((items for items in found if items), [])
