"""The grammar: the forms of questions, tried in order of how special they are."""

from collections.abc import Callable
from typing import TypeAlias

from srag_mcp.offline.translation.choices import read_alternative, read_choice
from srag_mcp.offline.translation.columns_used import columns_used
from srag_mcp.offline.translation.counting import read_summary
from srag_mcp.offline.translation.differences import read_difference, read_rate
from srag_mcp.offline.translation.elapsed import read_elapsed
from srag_mcp.offline.translation.groups import read_groups
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.listing import read_listing
from srag_mcp.offline.translation.neighbours import read_neighbour, read_same
from srag_mcp.offline.translation.parse import Parse, unused
from srag_mcp.offline.translation.shares import read_share
from srag_mcp.offline.translation.soundness import is_sound
from srag_mcp.offline.translation.superlatives import read_superlative
from srag_mcp.offline.translation.verdicts import read_existence, read_verdict

Form: TypeAlias = Callable[[Sentence], Parse | None]

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


def read_question(sentence: Sentence) -> tuple[Parse | None, list[Item]]:
    """Return the first parse that places every item, else None and what the best one left over."""
    fewest: list[Item] | None = None
    for form in FORMS:
        parse = form(sentence)
        if parse is None or not is_sound(parse.reading):
            continue
        left = unused(sentence, parse, {use.column for use in columns_used(parse.reading)})
        if not left:
            return parse, []
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
