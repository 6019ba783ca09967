"""Candidates from parts of lines: what stands between constant words and commas.

Pages made from one template have lines such as "12 High Street, 1080 Vienna, Austria - Show map" or
titles such as "Name, Vienna - a site". Constant words at both ends are cut off; the parts between
commas that take few values over the corpus (a town, a country, a kind) are candidates.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from srag_mcp.documents.document import Heading, KeyValue, Prose
from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import PartRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import WORD, fold_word
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.names import COUNTRIES

_N_BLOCKS = 14
_MAX_LINE = 160
_MAX_PARTS = 3
_MIN_SHARE = 0.5
_MAX_DISTINCT = 0.5
_MIN_REPEATED = 0.5
_MAX_TAIL = 6
_SURE = 0.95
_MIN_KNOWN = 0.7
_COMMA = re.compile(r"\s*,\s+")
_CODE = re.compile(r"^(?:[A-Z]{0,2}-?\d[\w-]*\s+)+|(?:\s+[A-Z]{0,2}\d[\w-]*)+$")


def part_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the lines that documents have in common, and their parts that recur."""
    found: list[Candidate] = []
    for key, tail in _sources(sightings):
        rules = [PartRule(key=key, tail=tail, index=-n) for n in range(1, _MAX_PARTS + 1)]
        parts = [_candidate(rule, sightings) for rule in rules]
        for part, before in pairwise(parts):
            if part.label == "country":
                before.label = "city"  # an address goes from the small to the large
        found.extend(part for part in parts if _recurs(part, len(sightings)))
    return found


def find_part(rule: PartRule, sighting: Sightings) -> Span | None:
    """Return where the part of *rule* is, or None."""
    text = sighting.text
    for key, span in _lines(sighting):
        if key != (rule.key or ""):
            continue
        body = _without_tail(text, span, rule.tail)
        if body is None:
            continue
        pieces = _pieces(text, body)
        if len(pieces) > 1 and len(pieces) >= -rule.index:
            return _without_code(text, pieces[rule.index])
    return None


def _lines(sighting: Sightings) -> Iterator[tuple[str, Span]]:
    """Yield the values of keys, with the key, and the short lines near the top, without one."""
    n_lines = 0
    for block in sighting.document.blocks:
        if isinstance(block, KeyValue) and "," in block.value and len(block.value) <= _MAX_LINE:
            yield " ".join(map(fold_word, WORD.findall(block.key))), block.value_span
        elif isinstance(block, Prose | Heading) and n_lines < _N_BLOCKS:
            n_lines += 1
            if block.span.end - block.span.start <= _MAX_LINE:
                yield "", block.span


def _sources(sightings: Sequence[Sightings]) -> list[tuple[str | None, tuple[str, ...]]]:
    """Return the kinds of lines that most documents have: a key, or the words at their end."""
    keyed: dict[str, list[list[str]]] = defaultdict(list)
    tails: Counter[tuple[str, ...]] = Counter()
    for sighting in sightings:
        for key, span in _lines(sighting):
            line = span.of(sighting.text)
            if "," not in line:
                continue
            words = [fold_word(word) for word in WORD.findall(line)]
            if key:
                keyed[key].append(words)
            else:
                tails.update({tuple(words[-n:]) for n in range(2, _MAX_TAIL) if len(words) > n})
    floor = _MIN_SHARE * len(sightings)
    found: list[tuple[str | None, tuple[str, ...]]] = [
        (key, _common_tail(lines)) for key, lines in keyed.items() if len(lines) >= floor
    ]
    frequent = {tail: count for tail, count in tails.items() if count >= floor}
    whole = [t for t in frequent if frequent[t] >= _SURE * frequent.get(t[1:], 0)]
    longest = [t for t in whole if not any(o != t and o[-len(t) :] == t for o in whole)]
    return [*found, *((None, tail) for tail in longest), (None, ())]


def _common_tail(lines: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the words that all *lines* but a few end in."""
    tail: tuple[str, ...] = ()
    for n in range(1, min(map(len, lines))):
        ends = Counter(tuple(line[-n:]) for line in lines)
        end, count = ends.most_common(1)[0]
        if count < 0.9 * len(lines):
            break
        tail = end
    return tail


def _without_tail(text: str, span: Span, tail: Sequence[str]) -> Span | None:
    words = list(WORD.finditer(text, span.start, span.end))
    if len(words) <= len(tail):
        return None
    ends = [fold_word(match.group()) for match in words[len(words) - len(tail) :]]
    if ends != list(tail):
        return None
    return Span(span.start, words[len(words) - len(tail) - 1].end())


def _pieces(text: str, span: Span) -> list[Span]:
    pieces, start = [], span.start
    for match in _COMMA.finditer(text, span.start, span.end):
        pieces.append(Span(start, match.start()))
        start = match.end()
    return [*pieces, Span(start, span.end)]


def _without_code(text: str, span: Span) -> Span:
    """Cut off a postal code: `1080 Vienna` -> `Vienna`."""
    words = span.of(text)
    bare = _CODE.sub("", words)
    if not bare or bare == words:
        return span
    start = span.start + words.index(bare)
    return Span(start, start + len(bare))


def _candidate(rule: PartRule, sightings: Sequence[Sightings]) -> Candidate:
    values = {}
    for number, sighting in enumerate(sightings):
        span = find_part(rule, sighting)
        if span is not None:
            values[number] = span.of(sighting.text)
    label = rule.key or "line"
    words = Counter(dict.fromkeys(content_stems(label), 1))
    candidate = Candidate("part", f"{label} part {-rule.index}", [rule], values, words)
    if _are_countries(values.values()):
        candidate.label = "country"
    return candidate


def _are_countries(values: Collection[str]) -> bool:
    known = sum(fold(value) in COUNTRIES for value in values)
    return bool(values) and known >= _MIN_KNOWN * len(values)


def _recurs(candidate: Candidate, n_documents: int) -> bool:
    """Whether the values are few, repeated, and words."""
    counts = Counter(candidate.values.values())
    n_values = len(candidate.values)
    if n_values < _MIN_SHARE * n_documents or not 1 < len(counts) <= _MAX_DISTINCT * n_values:
        return False
    repeated = sum(count for count in counts.values() if count > 1)
    letters = all(any(map(str.isalpha, value)) and len(value) <= 40 for value in counts)
    digits = sum(any(map(str.isdigit, value)) for value in counts)
    return letters and repeated >= _MIN_REPEATED * n_values and digits <= 0.1 * len(counts)
