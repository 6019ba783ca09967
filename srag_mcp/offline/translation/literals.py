"""Phrases of a question that name stored values."""

import re
from collections.abc import Iterator, Sequence

from srag_mcp.offline.translation.columns import Table
from srag_mcp.offline.translation.items import Item
from srag_mcp.offline.translation.lexicon import GLUE
from srag_mcp.offline.translation.linking import Candidate, is_common, light_stems
from srag_mcp.offline.translation.tokens import Token
from srag_mcp.store.values import ValueIndex, ValueMatch, fold_words

_QUOTED = re.compile(r"[\"“«](?P<text>[^\"”»]+)[\"”»]|(?<!\w)'(?P<single>[^']+)'(?!\w)")
_MAX_WORDS = 9
_MAX_MATCHES = 200
_EQUAL, _PART_OF_MANY, _PART = 2.9, 2.35, 1.95
_LOWER_PART = 1.45
_MIN_FUZZY = 0.7
_LONG_VALUE_WORDS = 8


def values_of(
    text: str, tokens: Sequence[Token], table: Table, values: ValueIndex
) -> Iterator[Candidate]:
    """Yield the stretches of tokens that are, or are part of, stored values."""
    yield from _quoted_values(text, tokens, values)
    lower = not any(token.text[:1].isupper() for token in tokens)
    for first in range(len(tokens)):
        if not _may_begin(tokens[first]):
            continue
        for last in range(first + 1, min(first + _MAX_WORDS, len(tokens)) + 1):
            if _may_end(tokens[last - 1]):
                yield from _matched(
                    text, tokens[first:last], (first, last), (table, values), lower=lower
                )


def _may_begin(token: Token) -> bool:
    return not token.is_mark or token.text in "#$"


def _may_end(token: Token) -> bool:
    return not token.is_mark or token.text in ".%)+!"


def _quoted_values(text: str, tokens: Sequence[Token], values: ValueIndex) -> Iterator[Candidate]:
    for quote in _QUOTED.finditer(text):
        phrase = quote.group("text") or quote.group("single")
        inside = [
            at for at, token in enumerate(tokens) if quote.start() <= token.start < quote.end()
        ]
        matches = tuple(values.search(phrase, limit=_MAX_MATCHES))
        if matches and inside:
            item = Item("value", inside[0], inside[-1] + 1, phrase, matches=matches)
            yield 4.0 * len(inside), item


def _matched(
    text: str,
    found: Sequence[Token],
    span: tuple[int, int],
    known: tuple[Table, ValueIndex],
    *,
    lower: bool,
) -> Iterator[Candidate]:
    table, values = known
    if len(found) == 1 and span[0] > 0 and _is_initial(found[0]):
        matches = tuple(values.search(found[0].text, limit=_MAX_MATCHES))
        if matches and matches[0].score >= 1.0:
            yield _EQUAL, Item("value", *span, found[0].text, matches=matches)
        return
    content = [token for token in found if token.word not in GLUE and not token.is_mark]
    if not content or all(token.number is not None for token in content):
        years = len(found) == 1 and _is_year(found[0]) and bool(table.dates)
        if not content or years:
            return
    if _names_record(content, table) or (len(found) == 1 and is_common(found[0].word)):
        return
    phrase = text[found[0].start : found[-1].end]
    matches = tuple(values.search(phrase, limit=_MAX_MATCHES))
    weight = _weigh(found, content, matches, lower=lower) if matches else 0.0
    column = table.column(matches[0].column) if matches else None
    weight *= column.trust if column is not None else 1.0
    if weight > 0:
        yield weight, Item("value", *span, phrase, matches=matches)


def _is_initial(token: Token) -> bool:
    """Whether a token is one capital letter, which may be a word of the language: `bay A`."""
    return len(token.text) == 1 and token.text.isalpha() and token.text.isupper()


def _names_record(content: Sequence[Token], table: Table) -> bool:
    """Whether the words mean a record, whatever title some record has: "invoices" and "Invoice"."""
    return all(token.stem in table.nouns for token in content)


def _weigh(
    found: Sequence[Token], content: Sequence[Token], matches: Sequence[ValueMatch], *, lower: bool
) -> float:
    """Weigh equal values over parts of values, and parts that look like names over plain words."""
    length = sum(not token.is_mark for token in found)
    score = matches[0].score
    if score >= 1.0:
        return _EQUAL * length + 0.1 * (length - 1)
    if not _may_be_part(found, content, score):
        return 0.0
    named = content[0].text[:1].isupper() or content[-1].text[:1].isupper()
    short = len(fold_words(matches[0].value)) <= _LONG_VALUE_WORDS
    quality = score if score < 0.9 else 1.0
    if length > 1:
        return _PART_OF_MANY * length * quality + 0.1 if named or short else 0.0
    if named:
        return _PART * quality
    return _LOWER_PART * quality if lower and short else 0.0


def _may_be_part(found: Sequence[Token], content: Sequence[Token], score: float) -> bool:
    """Whether tokens can be part of a name: no lone number, no glue at the ends."""
    if score < _MIN_FUZZY or (len(found) == 1 and content[0].number is not None):
        return False
    if (found[0].word in GLUE and not found[0].text[:1].isupper()) or found[-1].word in GLUE:
        return False
    return score >= 0.8 or _is_rare(content)


def _is_rare(content: Sequence[Token]) -> bool:
    """Whether no word is one of the language's common verbs, which are not misspelt names."""
    return not any(token.stem in light_stems() for token in content)


def _is_year(token: Token) -> bool:
    return token.text.isdigit() and 1000 <= int(token.text) <= 2199
