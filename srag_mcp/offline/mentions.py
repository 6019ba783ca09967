"""Candidates from questions alone: what they speak of that only some documents mention."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.nouns import find_verbs, names_nothing
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.words import QUESTION_WORDS, stem
from srag_mcp.schema.extractors import MentionRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import WORD, content_words, fold_word
from srag_mcp.values.names import MONTHS
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.units import UNITS

_COUNTS = re.compile(r"\b(?:how many|share|percent\w*|proportion|any)\b", re.IGNORECASE)
_AMOUNTS = re.compile(
    r"\d|\b(?:most|least|highest|lowest|average|mean|median|total|sum|above|below|more|fewer|less"
    r"|over|under|exceed\w*|between|number)\b",
    re.IGNORECASE,
)
_MIN_SHARE = 0.05
_MAX_SHARE = 0.85
_MIN_STEM = 4
_MAX_CANDIDATES = 8


def mention_candidates(
    sightings: Sequence[Sightings], questions: Sequence[str], known: Collection[str]
) -> list[Candidate]:
    """Make a boolean of each noun of *questions* that no other candidate has (*known* stems)."""
    wanted: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for question in questions:
        for word in content_words(question) if _asks_who_has(question) else ():
            name = stem(word)
            if _may_be_had(word) and name not in known and len(name) >= _MIN_STEM:
                wanted.setdefault(name, word)
                counts[name] += 1
    documents: dict[str, dict[int, str]] = defaultdict(dict)
    for number, sighting in enumerate(sightings):
        for name in {stem(fold_word(word)) for word in WORD.findall(sighting.text)} & wanted.keys():
            documents[name][number] = "yes"
    low, high = _MIN_SHARE * len(sightings), _MAX_SHARE * len(sightings)
    telling = [name for name in counts if low <= len(documents[name]) <= high]
    verbs = find_verbs(telling, questions, sightings)
    telling = [name for name in telling if name not in verbs and not names_nothing(wanted[name])]
    telling.sort(key=lambda name: (-counts[name], name))
    return [_candidate(name, wanted[name], documents[name]) for name in telling[:_MAX_CANDIDATES]]


def _asks_who_has(question: str) -> bool:
    """Whether a question counts or shares out, and compares no amounts."""
    return bool(_COUNTS.search(question)) and not _AMOUNTS.search(question)


def _may_be_had(word: str) -> bool:
    """Whether a word may be a thing that some have: no number, unit, or month."""
    if word in QUESTION_WORDS or word in UNITS or word in MONTHS:
        return False
    return not find_quantities(f"{word} things")


def _candidate(name: str, word: str, values: dict[int, str]) -> Candidate:
    candidate = Candidate("mention", word, [MentionRule(stems=(name,))], values)
    candidate.words = Counter({name: len(values)})
    candidate.absent_means = "false"
    return candidate


def find_mention(rule: MentionRule, sighting: Sightings) -> Span | None:
    """Return the first word that begins with a stem of *rule*, or None."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, rule.stems))})\w*", re.IGNORECASE)
    match = pattern.search(sighting.text)
    return Span(*match.span()) if match else None
