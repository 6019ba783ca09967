"""How a word stands in its question: as a verb, as part of a longer name, between two columns."""

from collections.abc import Sequence
from itertools import pairwise

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.lexicon import (
    DETERMINERS,
    FORMS_OF_BE,
    FORMS_OF_DO,
    INNER_WORDS,
    MEASURE_NOUNS,
)
from srag_mcp.offline.translation.tokens import PARTICIPLES, Token, stem, stems

_NAMING = frozenset(stems("name title id number code no price cost fee"))
_NAMING |= frozenset(stem(word) for word in MEASURE_NOUNS)
_WELL_FILLED = 0.9


def is_participle(sentence: Sentence, item: Item) -> bool:
    """Whether *item* is one word in the form of a past participle: `borrowed`, `sown`."""
    word = sentence.tokens[item.first].word
    return item.last - item.first == 1 and (word.endswith("ed") or word in PARTICIPLES)


def is_verb(sentence: Sentence, item: Item) -> bool:
    """Whether *item* is the verb of its clause: `were returned`, `did Smith borrow`."""
    if item.last - item.first != 1:
        return False
    before = sentence.tokens[: item.first]
    near = [token.word for token in before[-3:]]
    while near and near[-1] in INNER_WORDS:
        near.pop()
    if is_participle(sentence, item):
        acts = not _describes(sentence, item)
        return acts and any(token.word in FORMS_OF_BE for token in before)
    asked = any(token.word in FORMS_OF_DO for token in before)
    token = sentence.tokens[item.first]
    noun = bool(near) and near[-1] in DETERMINERS | FORMS_OF_DO
    return asked and token.stem == token.word and not noun


def _describes(sentence: Sentence, item: Item) -> bool:
    """Whether a participle stands before its noun: `detained ships`."""
    after = next((other for other in sentence.items if other.first == item.last), None)
    return after is not None and after.kind in {"attribute", "entity", "hint"}


def only_tells(sentence: Sentence, item: Item) -> bool:
    """Whether *item* is a verb that says of a record what all of them are.

    `borrowed`, where every record has a borrower; `grown`, where the crop is described as grown;
    `claimed` of a claim.
    """
    if not sentence.table.named:
        return False
    if sentence.tokens[item.first].stem in sentence.table.nouns and is_participle(sentence, item):
        return True
    columns = [sentence.table.column(name) for name, _ in item.columns]
    texts = all(column is None or _is_given(column, item, sentence) for column in columns[:1])
    dated = bool(columns) and columns[0] is not None and columns[0].attribute.type == "date"
    acts = dated and is_participle(sentence, item) and not _describes(sentence, item)
    return bool(columns) and texts and (acts or is_verb(sentence, item))


def _is_given(column: Column, item: Item, sentence: Sentence) -> bool:
    said = sentence.tokens[item.first].word
    if column.fill < _WELL_FILLED:
        return False
    kind = column.attribute.type
    return kind == "date" or (kind == "string" and said not in column.name.split("_"))


def says_modifier_only(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether *item* says of a name only what its noun belongs to: `borrowers`, `borrower_type`."""
    here = {token.stem for token in sentence.tokens[item.first : item.last]}
    said = {token.stem for token in sentence.tokens} | _NAMING
    return all(bool(here & set(name)) and _head(name) not in said for name in column.names)


def tells_doing(sentence: Sentence, item: Item, column: Column) -> bool:
    """Whether *item* is a verb, of which a longer name only has the doer: `borrower_age`."""
    if not sentence.table.named or column.attribute.type == "date":
        return False
    acts = is_verb(sentence, item) or is_participle(sentence, item)
    return acts and says_modifier_only(sentence, item, column)


def _head(name: Sequence[str]) -> str:
    return name[list(name).index("of") - 1] if "of" in name[1:] else name[-1]


def is_doubtful(sentence: Sentence, item: Item, fitting: Sequence[Column]) -> bool:
    """Whether the words of *item* mean two of the *fitting* columns equally."""
    if not (sentence.table.named and item.tied):
        return False
    names = [name for name, _ in item.columns[:2]]
    best = [column for column in fitting if column.name in names]
    if len(best) < 2:
        return False
    first, second = sorted(best, key=lambda column: names.index(column.name))
    return first.name_length >= second.name_length and first.fill < 2 * second.fill


def is_noun_after(tokens: Sequence[Token], words: frozenset[str], nouns: frozenset[str]) -> bool:
    """Whether one of *words* stands right before a noun of *nouns*: `a single inspection`."""
    return any(left.word in words and right.stem in nouns for left, right in pairwise(tokens))
