"""Known values: what some documents say beside a key, others say in a sentence or a title.

A text attribute whose values recur ("Halden Foundation", "silver") is a closed vocabulary. In a
document without the key, the first of its values that the document says is taken, if the documents
with the key show that this can be trusted: there, the value is said elsewhere as well and is the
same, or it is hardly said elsewhere at all.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Sightings
from srag_mcp.schema.extractors import KeyRule, ValueRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, WORD
from srag_mcp.text.words import fold_words as fold

_MIN_LENGTH = 3
_MAX_WORDS = 6
_MAX_VALUES = 80
_MIN_REPEATED = 0.5
_MIN_DISTINCT = 3
_MIN_KNOWN = 8
_MIN_MISSING = 2
_MIN_FOUND = 0.25
_TRUSTED = 0.75
_HARDLY = 0.34


def find_known(rule: ValueRule, text: str, hidden: Span | None = None) -> Span | None:
    """Return where *text* first says one of the values of *rule*, outside of *hidden*."""
    for match in _pattern(rule.values).finditer(text):
        if hidden is None or match.end() <= hidden.start or match.start() >= hidden.end:
            return Span(*match.span())
    return None


@lru_cache(maxsize=64)
def _pattern(values: tuple[str, ...]) -> re.Pattern[str]:
    parts = [r"[\W_]+".join(map(re.escape, WORD.findall(value))) for value in values]
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(parts, key=len, reverse=True))})(?!\w)", re.I)


def add_known_values(candidate: Candidate, sightings: Sequence[Sightings]) -> None:
    """Give a text attribute a rule for its known values, where documents show it to be right."""
    key = candidate.rules[0] if candidate.rules else None
    missing = [n for n in range(len(sightings)) if n not in candidate.values]
    if not isinstance(key, KeyRule) or len(missing) < _MIN_MISSING:
        return
    keys = {name for sighting in sightings for name in sighting.fields}
    values = _vocabulary(candidate.values, keys)
    if len(values) < _MIN_DISTINCT:
        return
    rule = ValueRule(values=values)
    found = {n: s for n in missing if (s := find_known(rule, sightings[n].text)) is not None}
    if len(found) < _MIN_FOUND * len(missing) or not _is_trusted(rule, key, candidate, sightings):
        return
    candidate.rules = [*candidate.rules, rule]
    candidate.values |= {n: span.of(sightings[n].text) for n, span in found.items()}


def _vocabulary(values: Mapping[int, str], keys: Collection[str]) -> tuple[str, ...]:
    """Return the values that recur, where most do; no sentence, no figure, none of *keys*."""
    counts = Counter(fold(value) for value in values.values())
    spelt = {fold(value): " ".join(WORD.findall(value)) for value in values.values()}
    recurring = [value for value, count in counts.most_common(_MAX_VALUES) if count > 1]
    repeated = sum(counts[value] for value in recurring)
    if len(values) < _MIN_KNOWN or repeated < _MIN_REPEATED * len(values):
        return ()
    return tuple(spelt[value] for value in recurring if _may_be_said(value) and value not in keys)


def _may_be_said(value: str) -> bool:
    words = value.split()
    letters = sum(map(str.isalpha, value))
    plain = any(word not in STOP_WORDS for word in words)
    return letters >= _MIN_LENGTH and len(words) <= _MAX_WORDS and plain


def _is_trusted(
    rule: ValueRule, key: KeyRule, candidate: Candidate, sightings: Sequence[Sightings]
) -> bool:
    """Whether what documents with the key say elsewhere agrees, or they say hardly anything."""
    known = said = right = 0
    for number, value in candidate.values.items():
        fields = [f for name in key.keys for f in sightings[number].fields.get(name, ())]
        if not fields:
            continue
        known += 1
        span = find_known(rule, sightings[number].text, fields[0].span)
        if span is not None:
            said += 1
            words = fold(span.of(sightings[number].text))
            right += words in fold(value) or fold(value) in words
    return bool(known) and (said <= _HARDLY * known or right >= _TRUSTED * said)
