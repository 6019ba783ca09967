"""Linked values: the stored values that phrases of a question may mean."""

from collections.abc import Collection

from srag_mcp.schema.schema import Schema
from srag_mcp.store.values import ValueIndex, ValueMatch

MAX_LINKED = 8
_MIN_PHRASE_CHARACTERS = 3
_ALIKE = 0.9
_LONGEST_PHRASE = 4


def link_values(question: str, schema: Schema, values: ValueIndex) -> tuple[ValueMatch, ...]:
    """Find stored values that phrases of *question* mean; names of the entity mean none."""
    names = {schema.entity, schema.title.lower(), *schema.nouns}
    return _linked(question, values, names | {f"{name}s" for name in names})


def _linked(question: str, values: ValueIndex, names: Collection[str]) -> tuple[ValueMatch, ...]:
    words = question.strip(" ?.!").split()
    found: dict[tuple[str, str], ValueMatch] = {}
    for length in range(_LONGEST_PHRASE, 0, -1):
        for start in range(len(words) - length + 1):
            phrase = " ".join(words[start : start + length]).strip(",;:'\"")
            if len(phrase) < _MIN_PHRASE_CHARACTERS or phrase.lower() in names:
                continue
            for match in values.search(phrase, limit=2):
                if match.score >= _ALIKE:
                    found.setdefault((match.column, match.value), match)
    return tuple(found.values())[:MAX_LINKED]
