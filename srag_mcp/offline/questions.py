"""Sample questions: which candidates they ask for."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.words import QUESTION_WORDS, stem
from srag_mcp.text.words import content_words

_BEST = 4
_MIN_MATCH = 0.5
_MAX_WORDS_OF_CANDIDATE = 24


def weigh_by_questions(candidates: Sequence[Candidate], questions: Sequence[str]) -> None:
    """Set how much *questions* ask for each candidate."""
    profiles = [_profile(candidate) for candidate in candidates]
    spread = Counter(name for profile in profiles for name in profile)
    for question in questions:
        stems = set(question_stems(question))
        rarity = {name: _rarity(name, spread, profiles) for name in stems}
        matches = [(_match(rarity, profile), index) for index, profile in enumerate(profiles)]
        for match, index in sorted(matches, reverse=True)[:_BEST]:
            if match >= _MIN_MATCH:
                candidates[index].asked += match


def _match(rarity: Mapping[str, float], profile: Mapping[str, float]) -> float:
    """Return how much of a question is about a candidate, more where that is all it is about."""
    points = sum(weight * profile.get(name, 0.0) for name, weight in rarity.items())
    known = sum(profile.get(name, 0.0) for name in rarity)
    return points * math.sqrt(known / sum(profile.values())) if points else 0.0


def question_stems(question: str) -> list[str]:
    """Return the stems of the words of *question* that may name an attribute."""
    return [stem(word) for word in content_words(question) if word not in QUESTION_WORDS]


def _profile(candidate: Candidate) -> dict[str, float]:
    """Return the stems of a candidate with their shares, the most frequent ones."""
    if not candidate.words:
        return {}
    top = max(candidate.words.values())
    return {
        name: min(1.0, count / top)
        for name, count in candidate.words.most_common(_MAX_WORDS_OF_CANDIDATE)
    }


def _rarity(name: str, spread: Counter[str], profiles: Sequence[dict[str, float]]) -> float:
    return math.log(1 + len(profiles) / (1 + spread[name]))
