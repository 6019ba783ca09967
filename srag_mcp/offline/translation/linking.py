"""Linking: the tokens of a question to words of the lexicon, columns, stored values and literals.

Every possible meaning of a stretch of tokens is a candidate with a weight; the heaviest set of
candidates that do not overlap wins.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from srag_mcp.offline.translation.columns import GROUP, NAME, UNIT, Table
from srag_mcp.offline.translation.items import Item
from srag_mcp.offline.translation.lexicon import (
    GLUE,
    LEXICON,
    LIGHT_VERBS,
    MEASURE_NOUNS,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    PERIODS,
    SCALES,
    Kind,
)
from srag_mcp.offline.translation.nouns import label_at, nouns_at
from srag_mcp.offline.translation.periods import read_period
from srag_mcp.offline.translation.thesaurus import SUPERLATIVES
from srag_mcp.offline.translation.tokens import Token, inflected, stem
from srag_mcp.offline.translation.units import CURRENCIES, SHORT, unit_of

Candidate = tuple[float, Item]

_FULL_NAME, _PART_NAME, _GROUP_WORD, _UNIT_WORD, _DESCRIPTION_WORD = 3.0, 2.1, 1.7, 1.2, 0.9
_WORD, _PERIOD, _NUMBER, _GLUE, _LIGHT = 2.0, 2.6, 1.5, 0.6, 0.7
_COMMON_WORD = 1.2
_TIME_UNITS = frozenset({"day", "week", "month", "year"})
_MAX_PHRASE = 8


def words_of(table: Table, tokens: Sequence[Token]) -> Iterator[Candidate]:
    """Yield what the tokens mean in any field, and as columns of *table*."""
    for at in range(len(tokens)):
        yield from _lexicon_at(tokens, at)
        yield from _numbers_at(tokens, at)
        yield from _periods_at(table, tokens, at)
        yield from _columns_at(table, tokens, at)
        yield from label_at(table, tokens, at)
        yield from nouns_at(table, tokens, at)


def heaviest(tokens: Sequence[Token], candidates: Sequence[Candidate]) -> list[Item]:
    """Choose the candidates of the greatest total weight that do not overlap."""
    ending: list[list[Candidate]] = [[] for _ in range(len(tokens) + 1)]
    for candidate in candidates:
        ending[candidate[1].last].append(candidate)
    best: list[tuple[float, Item | None]] = [(0.0, None)]
    for at in range(1, len(tokens) + 1):
        default = Item("mark" if tokens[at - 1].is_mark else "unknown", at - 1, at)
        choices = [(best[at - 1][0], default)]
        choices += [(best[item.first][0] + weight, item) for weight, item in ending[at]]
        best.append(max(choices, key=lambda choice: choice[0]))
    return _trace_back(best)


def _trace_back(best: Sequence[tuple[float, Item | None]]) -> list[Item]:
    chosen: list[Item] = []
    at = len(best) - 1
    while at > 0:
        item = best[at][1]
        assert item is not None
        chosen.append(item)
        at = item.first
    return chosen[::-1]


@lru_cache(maxsize=1)
def _phrases() -> dict[tuple[str, ...], list[tuple[Kind, str]]]:
    phrases: dict[tuple[str, ...], list[tuple[Kind, str]]] = {}
    for meaning, text in LEXICON.items():
        for phrase in text.split(";"):
            phrases.setdefault(tuple(phrase.replace("/", " / ").split()), []).append(meaning)
    for word, (concepts, highest) in SUPERLATIVES.items():
        falling = highest != (concepts[0] == "age")
        meaning = ("direction", "desc" if falling else "asc")
        phrases.setdefault((*word.split(), "first"), [meaning])
    return phrases


def _phrase(tokens: Sequence[Token], at: int, length: int) -> tuple[str, ...]:
    return tuple(token.word for token in tokens[at : at + length])


def _lexicon_at(tokens: Sequence[Token], at: int) -> Iterator[Candidate]:
    for length in range(1, min(_MAX_PHRASE, len(tokens) - at) + 1):
        words = _phrase(tokens, at, length)
        weight = _WORD * length + 0.3 * (length - 1)
        weight -= _WORD - _GLUE if words[0] in {"the", "a", "an"} else 0.0
        for kind, word in _phrases().get(words, ()):
            yield _adjusted(weight, kind, tokens, at), Item(kind, at, at + length, word)
        text = " ".join(words)
        if text in SUPERLATIVES:
            yield weight + 0.1, Item("superlative", at, at + length, text)
    word = tokens[at].word
    if word in GLUE:
        yield _GLUE, Item("glue", at, at + 1, word)
    elif is_light(word) or stem(word) in _noun_stems():
        yield _LIGHT, Item("glue", at, at + 1, "verb")


@lru_cache(maxsize=1)
def light_stems() -> frozenset[str]:
    """Return the stems of verbs that mean nothing by themselves."""
    return frozenset(stem(word) for word in LIGHT_VERBS)


@lru_cache(maxsize=4096)
def is_light(word: str) -> bool:
    """Whether a word is a form of a light verb: `issued`, not the noun `issuer`."""
    form = inflected(word)
    acts = form.endswith(("er", "or")) and form not in _light_forms()
    return stem(word) in light_stems() and not acts


@lru_cache(maxsize=1)
def _light_forms() -> frozenset[str]:
    return frozenset(inflected(word) for word in LIGHT_VERBS)


@lru_cache(maxsize=1)
def _noun_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in MEASURE_NOUNS)


_WEAK_KINDS: dict[Kind, float] = {
    "say": 0.8, "list": 0.5, "yes_no": 0.7, "which_of": 1.0, "other": 1.0, "each": 1.2,
    "change": 1.6, "time": 1.5, "listed": 1.4, "elapsed": 2.1, "between": 1.2, "same": 1.5,
    "distinct": 1.8,
}  # fmt: skip


def _adjusted(weight: float, kind: Kind, tokens: Sequence[Token], at: int) -> float:
    """Weigh verbs and prepositions by their place: a list verb only counts at the beginning."""
    if kind == "bound_after" and _opens_bound(tokens, at):
        return 0.0
    if kind == "list":
        return weight + 1.2 if at == 0 or tokens[at - 1].word in {"please", ",", ".", "?"} else 0.5
    if kind == "yes_no":
        return weight + 0.5 if at == 0 or tokens[at - 1].word in {",", "."} else 0.65
    return weight * _WEAK_KINDS.get(kind, 2.0) / 2.0


def _opens_bound(tokens: Sequence[Token], at: int) -> bool:
    """Whether `or above` begins a second bound: `below 10 or above 40`."""
    after = tokens[at + 2 : at + 4]
    return any(token.number is not None for token in after[:1]) or (
        len(after) > 1 and _is_currency(after[0].word) and after[1].number is not None
    )


def _numbers_at(tokens: Sequence[Token], at: int) -> Iterator[Candidate]:
    token = tokens[at]
    ordinal = ORDINAL_WORDS.get(token.word)
    follower = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if ordinal is not None and ordinal > 1:
        yield _WORD, Item("ordinal", at, at + 1, number=ordinal)
    if token.number is not None and follower in {"st", "nd", "rd", "th"}:
        yield _WORD * 2, Item("ordinal", at, at + 2, number=token.number)
    number = token.number if token.number is not None else NUMBER_WORDS.get(token.word)
    if number is None:
        return
    first, last, unit = at, at + 1, None
    scale = _scale_at(tokens, last, follows_money=at > 0 and _is_currency(tokens[at - 1].word))
    if scale is not None:
        number, last = number * scale, last + 1
    if last < len(tokens) and unit_of(tokens[last].word) is not None:
        unit, last = unit_of(tokens[last].word), last + 1
    elif at > 0 and _is_currency(tokens[at - 1].word):
        unit, first = unit_of(tokens[at - 1].word), at - 1
    spare = 1.3 if unit in _TIME_UNITS else 3.2
    weight = _NUMBER + spare * (last - first - 1)
    if unit is not None:
        yield weight, Item("number", first, last, number=number, unit=unit)
    last = last - (unit is not None and first == at)
    yield _NUMBER + 0.8 * (last - at - 1), Item("number", at, last, number=number)


def _is_currency(word: str) -> bool:
    return unit_of(word) in CURRENCIES and word not in SHORT


def _scale_at(tokens: Sequence[Token], at: int, *, follows_money: bool) -> float | None:
    """Return the factor that the word at *at* is; `20 m` is a length, `$ 20 m` is millions."""
    word = tokens[at].word if at < len(tokens) else ""
    return SCALES.get(word) if follows_money or unit_of(word) is None else None


def _periods_at(table: Table, tokens: Sequence[Token], at: int) -> Iterator[Candidate]:
    for length in range(1, 5):
        period = PERIODS.get(" ".join(_phrase(tokens, at, length)))
        if period is not None and len(tokens) - at >= length and table.dates:
            yield _WORD * length + 0.1, Item("period", at, at + length, period)
    found = read_period(tokens, at) if table.dates else None
    if found is not None:
        yield _PERIOD * (found[1] - at), Item("period_value", at, found[1], period=found[0])


def is_common(word: str) -> bool:
    """Whether a word is one of the language or a unit, and not by itself a name."""
    return (word,) in _phrases() or unit_of(word) is not None


def _columns_at(table: Table, tokens: Sequence[Token], at: int) -> Iterator[Candidate]:
    for column in table.columns:
        for name in column.names:
            if not set(name) <= table.nouns or tokens[at].word in table.doers:
                yield from _names_at(table, tokens, at, (name, column.weights.get(name[0], NAME)))
    noun = tokens[at].stem in table.nouns and tokens[at].word not in table.doers
    if not (tokens[at].is_mark or noun or is_light(tokens[at].word)):
        weight = max((c.weights.get(tokens[at].stem, 0.0) for c in table.columns), default=0.0)
        if weight > 0:
            # A word of the language, such as `highest`, is first of all that word.
            common = (tokens[at].word,) in _phrases()
            weight = _COMMON_WORD if common else _word_weight(weight)
            yield weight, _attribute(table, tokens, at, at + 1)
    yield from _rates_at(table, tokens, at)
    unit = unit_of(tokens[at].word)
    if unit is not None and tokens[at].word not in SHORT:
        yield 1.6 if unit in CURRENCIES else 1.0, Item("unit", at, at + 1, unit=unit)


def _names_at(
    table: Table, tokens: Sequence[Token], at: int, named: tuple[tuple[str, ...], float]
) -> Iterator[Candidate]:
    """Yield a whole name of a column, its words in any order."""
    name, trust = named
    found = tuple(token.stem for token in tokens[at : at + len(name)])
    if sorted(found) == sorted(name):
        weight = (_FULL_NAME * len(name) + 0.2 * (len(name) - 1)) * trust
        yield weight, _attribute(table, tokens, at, at + len(name))
    last = _turned_name(tokens, at, name)
    if last is not None:
        yield _FULL_NAME * len(name) + _GLUE, _attribute(table, tokens, at, last)


def _turned_name(tokens: Sequence[Token], at: int, name: tuple[str, ...]) -> int | None:
    """Return the end of a two-word name said apart: `date of birth`, `speak any French`."""
    if len(name) != 2 or at + 2 >= len(tokens):
        return None
    if tokens[at + 1].word in {"any", "a", "the", "some"}:
        said = (tokens[at].stem, tokens[at + 2].stem) == name
        return at + 3 if said else None
    counts = tokens[at].word == "number" and tokens[at + 2].word.endswith("s")
    if tokens[at + 1].word != "of" or counts:
        return None
    last = at + 2 + (tokens[at + 2].word == "the")
    said = last < len(tokens) and (tokens[last].stem, tokens[at].stem) == name
    return last + 1 if said else None


def _word_weight(weight: float) -> float:
    if weight >= NAME:
        return _PART_NAME
    if weight >= GROUP:
        return _GROUP_WORD
    return _UNIT_WORD if weight >= UNIT else _DESCRIPTION_WORD


def _rates_at(table: Table, tokens: Sequence[Token], at: int) -> Iterator[Candidate]:
    """Read `per 100,000 inhabitants` as words of a column that is written so."""
    if tokens[at].word != "per" or at + 2 >= len(tokens) or tokens[at + 1].number is None:
        return
    base = re.compile(rf"(?:per|/) ?{re.escape(tokens[at + 1].text)}(?![\d,])")
    columns = tuple(
        (column.name, UNIT)
        for column in table.columns
        if base.search(f"{column.attribute.unit} {column.attribute.description}")
    )
    if columns:
        yield 9.0, Item("attribute", at, at + 3, "rate", columns)


def _attribute(table: Table, tokens: Sequence[Token], first: int, last: int) -> Item:
    found = tuple(token.stem for token in tokens[first:last])
    weights = {
        column.name: sum(column.weights.get(word, 0.0) for word in set(found))
        for column in table.columns
        if any(word in column.weights for word in found)
    }
    ranked = sorted(weights.items(), key=lambda pair: -pair[1])
    kind = "attribute" if ranked and ranked[0][1] > UNIT else "hint"
    return Item("attribute" if kind == "attribute" else "hint", first, last, columns=tuple(ranked))
