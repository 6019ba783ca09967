"""Linked values: the stored values that phrases of a question may mean."""

from collections.abc import Collection

from srag_mcp.schema.schema import Schema
from srag_mcp.store.values import ValueIndex, ValueMatch, fold_words

MAX_LINKED = 10
_PER_PHRASE = 4
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
            for match in values.search(phrase, limit=_PER_PHRASE):
                if _is_meant(match, phrase, is_first=start == 0):
                    found.setdefault((match.column, match.value), match)
    return tuple(found.values())[:MAX_LINKED]


def _is_meant(match: ValueMatch, phrase: str, *, is_first: bool) -> bool:
    """Whether *phrase* is the value, or enough of it: half of its words, and one word only as name.

    `the` is not “The Lamplighter”, `rooms` is not “Double Room”; `Conti` may be “Giulia Conti”.
    """
    if match.score >= 1.0:
        return True
    asked, stored = fold_words(phrase), fold_words(match.value)
    is_name = len(asked) > 1 or (phrase[0].isupper() and not is_first)
    return match.score >= _ALIKE and is_name and 2 * len(asked) >= len(stored)
