"""Words of labels: their stems, which are akin, and which exclude one another."""

import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from srag_mcp.text.words import content_words, fold_words, stem, words

# Found by trial on the layouts of receipts and CVs at 16a3ebc; words that only say what sort of
# thing a value is ("date", "total") tell less.
_LIKE, _VAGUE = 0.7, 0.45
_FILE = Path(__file__).with_name("kinship.toml")


@lru_cache(maxsize=1)
def _listed() -> dict[str, str]:
    return dict(tomllib.loads(_FILE.read_text(encoding="utf-8")))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


@lru_cache(maxsize=65_536)
def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the content words, in order: `Date of birth` -> `date, birth`."""
    return tuple(stem(word) for word in content_words(text))


@lru_cache(maxsize=1)
def general_stems() -> frozenset[str]:
    """Return the stems of words that say what sort of thing a value is, and not whose."""
    return _stems(_listed()["general"])


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for line in _listed()["kin"].split(";"):
        group = _stems(line)
        for name in group:
            groups[name] = groups.get(name, frozenset()) | group
    return groups


def kin_of(name: str) -> frozenset[str]:
    """Return the stems that labels use for what *name* says, itself included."""
    return _groups().get(name, frozenset()) | {name}


@lru_cache(maxsize=1)
def _opposites() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    pairs = (pair.split("|") for pair in _listed()["opposites"].split(";"))
    return tuple((_stems(one), _stems(other)) for one, other in pairs)


def exclude(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether one side has a stem, and the other its opposite ("start", "end"), and not both."""
    one, other = frozenset(left), frozenset(right)
    return any(
        (low & one and high & other and not (high & one or low & other))
        or (high & one and low & other and not (low & one or high & other))
        for low, high in _opposites()
    )


def says_more(label: str, other: str) -> bool:
    """Whether *other* only says what sort of thing it is, and *label* whose: `invoice date`."""
    stems, vague = {*content_stems(label)}, {*content_stems(other)}
    return vague < stems and vague <= general_stems() and not stems <= general_stems()


def _is_opposite(stems: Iterable[str]) -> bool:
    return any(name in end for pair in _opposites() for end in pair for name in stems)


def kinship(left: str, right: str) -> float:
    """Return how surely two labels name one thing by their words, 0 to 1.

    Below 0 where they exclude one another (`start date`, `end date`); 0.0 where they share no word.
    """
    one, other = frozenset(content_stems(left)), frozenset(content_stems(right))
    if exclude(_all_stems(left), _all_stems(right)):
        return -1.0
    telling, further = one - general_stems(), other - general_stems()
    if not telling or not further:
        if not any(kin_of(name) & other for name in one) or _is_opposite(telling | further):
            return 0.0
        return _LIKE if telling == further else _VAGUE
    if telling == further or (_covers(telling, further) and _covers(further, telling)):
        return 0.8
    if telling < further or further < telling:
        return 0.7
    shared = sum(any(_akin(name, twin) for twin in further) for name in telling)
    return 0.6 * shared / min(len(telling), len(further)) if shared else _initials(left, right)


def _all_stems(label: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(label))


def _covers(one: frozenset[str], other: frozenset[str]) -> bool:
    return all(kin_of(name) & other for name in one)


def _akin(left: str, right: str) -> bool:
    short, long = sorted((left, right), key=len)
    is_form = len(short) > 3 and long.startswith(short) and len(long) <= len(short) + 4
    return is_form or right in kin_of(left)


def _initials(left: str, right: str) -> float:
    """`DOB`, `date of birth` -> 0.6."""
    short, long = sorted((fold_words(left), fold_words(right)), key=len)
    initials = "".join(word[0] for word in long.split())
    return 0.6 if len(initials) > 2 and short.split()[:1] == [initials] else 0.0
