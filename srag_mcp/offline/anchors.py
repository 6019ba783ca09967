"""Candidates from names in running text: what follows the same few words in many documents."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from srag_mcp.documents.document import ListItem, Prose, Span
from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.words import content_stems, content_words, fold
from srag_mcp.schema.extractors import AnchorRule

_WORD = r"[A-ZÀ-Þ][\w'’&-]*(?:\.\w+)*"
_NAME = rf"{_WORD}(?:\s+(?:(?:of|de|the|and|&|du|der|von)\s+)?{_WORD}){{0,4}}"
_ANCHORED = re.compile(rf"(?P<before>(?:\b[\w'’]+\s+){{2,5}})(?P<name>{_NAME})")
_KIND = re.compile(r"[A-ZÀ-Þ]\w+\s+(?:of|de|von)\s+(?=[A-ZÀ-Þ])")
_N_WORDS = (6, 5, 4, 3, 2)
_MIN_SHARE = 0.15
_MIN_DOCUMENTS = 4
_MIN_DISTINCT = 3
_MAX_COMMON = 0.6
_MAX_CANDIDATES = 8
_MAX_PHRASES = 6
_MIN_HELD = 0.6


def anchor_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find phrases that one name follows in many documents, and not the same everywhere."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for number, sighting in enumerate(sightings):
        for phrase, span in _anchored(sighting):
            found[phrase].setdefault(number, span.of(sighting.text))
    floor = max(_MIN_DOCUMENTS, _MIN_SHARE * len(sightings))
    frequent = {p: v for p, v in found.items() if len(v) >= floor and _vary(v) and _tells(p)}
    ranked = sorted(frequent, key=lambda phrase: (-len(frequent[phrase]), -len(phrase)))
    candidates: list[Candidate] = []
    for phrase in ranked:
        if not any(_same(frequent[phrase], other.values) for other in candidates):
            candidates.append(_candidate(phrase, frequent, sightings))
    return [c for c in candidates if not _holds_another(c, candidates)][:_MAX_CANDIDATES]


def _holds_another(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether another candidate gives the inner names: "Ohio" of "State of Ohio"."""
    return any(
        sum(
            number in other.values and value.endswith(f" of {other.values[number]}")
            for number, value in candidate.values.items()
        )
        >= _MIN_HELD * len(candidate.values)
        for other in others
        if other is not candidate
    )


def find_anchored(rule: AnchorRule, sighting: Sightings) -> Span | None:
    """Return where the name after the first phrase of *rule* is, or None."""
    wanted = {phrase: rank for rank, phrase in enumerate(rule.before)}
    places = [(wanted[p], span.start, span) for p, span in _anchored(sighting) if p in wanted]
    return min(places, key=lambda place: place[:2])[2] if places else None


def _anchored(sighting: Sightings) -> Iterator[tuple[str, Span]]:
    """Yield each name of running text with the phrases of several lengths before it."""
    for block in sighting.document.blocks:
        if not isinstance(block, Prose | ListItem):
            continue
        for match in _ANCHORED.finditer(sighting.text, block.span.start, block.span.end):
            words = fold(match["before"]).split()
            yield from _phrases(words, Span(*match.span("name")))
            kind = _KIND.match(match["name"])
            if kind:  # "the laws of the State of Ohio": the name is Ohio
                inner = Span(match.start("name") + kind.end(), match.end("name"))
                yield from _phrases([*words, "*", "of"], inner)


def _phrases(words: Sequence[str], span: Span) -> Iterator[tuple[str, Span]]:
    for n in _N_WORDS:
        if len(words) >= n:
            yield " ".join(words[-n:]), span


def _vary(values: dict[int, str]) -> bool:
    counts = Counter(fold(value) for value in values.values())
    return len(counts) >= _MIN_DISTINCT and max(counts.values()) <= _MAX_COMMON * len(values)


def _tells(phrase: str) -> bool:
    return bool(content_stems(phrase))


def _same(left: dict[int, str], right: dict[int, str]) -> bool:
    alike = sum(left[number] == right.get(number) for number in left)
    return 2 * alike > len(left)


def _candidate(
    phrase: str, frequent: dict[str, dict[int, str]], sightings: Sequence[Sightings]
) -> Candidate:
    """Join phrases that give the same names where both are there: longer ones are surer."""
    stems = set(content_stems(phrase))
    kin = [p for p in frequent if p != phrase and stems & set(content_stems(p))
           and _same(frequent[p], frequent[phrase])]  # fmt: skip
    phrases = sorted([phrase, *kin], key=len, reverse=True)[:_MAX_PHRASES]
    rule = AnchorRule(before=tuple(phrases))
    values: dict[int, str] = {}
    kinds: Counter[str] = Counter()
    for number, sighting in enumerate(sightings):
        span = find_anchored(rule, sighting)
        if span is not None:
            values[number] = span.of(sighting.text)
            kinds.update(fold(sighting.text[max(0, span.start - 30) : span.start]).split()[-2:-1])
    label = " ".join(content_words(phrase))
    if phrase.endswith("* of") and kinds:
        label = f"{label} {kinds.most_common(1)[0][0]}"
    words = Counter(dict.fromkeys(content_stems(f"{label} {phrase}"), len(values)))
    return Candidate("anchor", label, [rule], values, words)
