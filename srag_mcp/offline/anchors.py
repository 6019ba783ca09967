"""Candidates from names in running text: what follows the same few words in many documents."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.named_phrases import Place
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import AnchorRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import content_words
from srag_mcp.text.words import fold_words as fold

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
    places = [sighting.named for sighting in sightings]
    for number, sighting in enumerate(sightings):
        for phrase, span in places[number]:
            found[phrase].setdefault(number, span.of(sighting.text))
    floor = max(_MIN_DOCUMENTS, _MIN_SHARE * len(sightings))
    frequent = {p: v for p, v in found.items() if len(v) >= floor and _vary(v) and _tells(p)}
    ranked = sorted(frequent, key=lambda phrase: (-len(frequent[phrase]), -len(phrase)))
    candidates: list[Candidate] = []
    for phrase in ranked:
        if not any(_same(frequent[phrase], other.values) for other in candidates):
            candidates.append(_candidate(_kindred(phrase, frequent), sightings, places))
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
    return _first(rule, sighting.named)


def _first(rule: AnchorRule, places: Iterable[Place]) -> Span | None:
    wanted = {phrase: rank for rank, phrase in enumerate(rule.before)}
    found = [(wanted[p], span.start, span) for p, span in places if p in wanted]
    return min(found, key=lambda place: place[:2])[2] if found else None


def _vary(values: dict[int, str]) -> bool:
    counts = Counter(fold(value) for value in values.values())
    return len(counts) >= _MIN_DISTINCT and max(counts.values()) <= _MAX_COMMON * len(values)


def _tells(phrase: str) -> bool:
    return bool(content_stems(phrase))


def _same(left: dict[int, str], right: dict[int, str]) -> bool:
    alike = sum(left[number] == right.get(number) for number in left)
    return 2 * alike > len(left)


def _kindred(phrase: str, frequent: Mapping[str, dict[int, str]]) -> list[str]:
    """Return *phrase* and those that give the same names; longer ones are surer, so first."""
    stems = set(content_stems(phrase))
    kin = [p for p in frequent if p != phrase and stems & set(content_stems(p))
           and _same(frequent[p], frequent[phrase])]  # fmt: skip
    return sorted([phrase, *kin], key=len, reverse=True)[:_MAX_PHRASES]


def _candidate(
    phrases: Sequence[str], sightings: Sequence[Sightings], places: Sequence[Sequence[Place]]
) -> Candidate:
    rule = AnchorRule(before=tuple(phrases))
    phrase = min(phrases, key=len)
    values: dict[int, str] = {}
    kinds: Counter[str] = Counter()
    for number, sighting in enumerate(sightings):
        span = _first(rule, places[number])
        if span is not None:
            values[number] = span.of(sighting.text)
            kinds.update(fold(sighting.text[max(0, span.start - 30) : span.start]).split()[-2:-1])
    label = " ".join(content_words(phrase))
    if phrase.endswith("* of") and kinds:
        label = f"{label} {kinds.most_common(1)[0][0]}"
    words = Counter(dict.fromkeys(content_stems(f"{label} {phrase}"), len(values)))
    return Candidate("anchor", label, [rule], values, words)
