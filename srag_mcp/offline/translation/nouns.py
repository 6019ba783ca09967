"""Nouns of a question that mean a record, and words that only sound like one."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from srag_mcp.offline.translation.columns import NAME, Table
from srag_mcp.offline.translation.items import Item
from srag_mcp.offline.translation.lexicon import ENTITY_NOUNS, PERSON_NOUNS, PRONOUNS
from srag_mcp.offline.translation.tokens import PARTICIPLES, Token, stem

_ENTITY, _GENERIC, _LABEL, _LIGHT = 2.3, 1.9, 2.1, 0.7


def nouns_at(table: Table, tokens: Sequence[Token], at: int) -> Iterator[tuple[float, Item]]:
    """Yield the record that the token at *at* means: by its noun, a pronoun or any word for one."""
    token = tokens[at]
    if token.word in table.doers:
        return
    verb = token.word.endswith(("ed", "ing")) and len(token.word) > 5
    if verb or token.word in PARTICIPLES:
        if token.stem in table.nouns:
            yield _LIGHT, Item("glue", at, at + 1, "verb")
        return
    if token.stem in table.nouns:
        yield _ENTITY, Item("entity", at, at + 1)
        if at > 0 and tokens[at - 1].stem in table.about:
            yield 2 * _ENTITY, Item("entity", at - 1, at + 1)
    elif (
        token.word in PRONOUNS
        or (token.word == "times" and at > 0 and tokens[at - 1].number is not None)
        or (table.of_people and token.stem in _person_stems())
        or token.stem in _generic_nouns()
    ):
        yield _GENERIC, Item("entity", at, at + 1)


def label_at(table: Table, tokens: Sequence[Token], at: int) -> Iterator[tuple[float, Item]]:
    """Read `the name of …` and `the names of …` as the column that names a record."""
    follower = tokens[at + 1].word if at + 1 < len(tokens) else ""
    determined = tokens[at].word == "names" or (at > 0 and tokens[at - 1].word == "the")
    if tokens[at].stem != "name" or follower != "of" or not determined or table.label is None:
        return
    if any("name" in name for name in table.label.names):
        yield _LABEL, Item("attribute", at, at + 1, columns=((table.label.name, NAME),))


@lru_cache(maxsize=1)
def _person_stems() -> frozenset[str]:
    return frozenset(stem(noun) for noun in PERSON_NOUNS)


@lru_cache(maxsize=1)
def _generic_nouns() -> frozenset[str]:
    return frozenset(stem(noun) for noun in ENTITY_NOUNS)
