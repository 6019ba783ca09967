"""Words of labels: their stems, which are akin, and which exclude one another."""

import tomllib
from functools import lru_cache
from pathlib import Path

from srag_mcp.text.words import content_words, fold_words, stem, words
from srag_mcp.values.states import has_denial

# Found by trial on the layouts of receipts and CVs at 16a3ebc; words that only say what sort of
# thing a value is ("date", "total") tell less.
_LIKE, _VAGUE = 0.7, 0.45

Stems = frozenset[str]


@lru_cache(maxsize=1)
def _listed() -> dict[str, list[list[Stems]]]:
    """Return the lists of the file beside this one: lines of one or two groups of stems."""
    listed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        name: [[_stems(side) for side in line.split("|")] for line in text.split(";")]
        for name, text in listed.items()
    }


def _stems(text: str) -> Stems:
    return frozenset(map(stem, words(text)))


@lru_cache(maxsize=65_536)
def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the content words, in order: `Date of birth` -> `date, birth`."""
    return tuple(stem(word) for word in content_words(text))


def telling_stems(text: str) -> Stems:
    """Return the stems of content words, and a letter that ends the text: `Pump A`, `Mrs Y`."""
    *before, last = text.split() or [""]
    return frozenset((*content_stems(text), *([last] if before and len(last) == 1 else ())))


def general_stems() -> Stems:
    """Return the stems of words that say what sort of thing a value is, and not whose."""
    return _listed()["general"][0][0]


def wordy_stems() -> Stems:
    """Return the stems of what heads a column of any texts: they name none of the things."""
    return general_stems() | _listed()["wordy"][0][0]


def is_contrary(text: str) -> bool:
    """Whether a word of *text* has an opposite: `excl. tax`."""
    return any(end & _stems(text) for pair in _listed()["opposites"] for end in pair)


@lru_cache(maxsize=65_536)
def kin_of(name: str) -> Stems:
    """Return the stems that labels use for what *name* says, itself included."""
    return frozenset({name}).union(*(group for (group,) in _listed()["kin"] if name in group))


def says_more(label: str, other: str) -> bool:
    """Whether *other* only says what sort of thing it is, and *label* whose: `invoice date`."""
    stems, vague = {*content_stems(label)}, {*content_stems(other)}
    return vague < stems and vague <= general_stems() and not stems <= general_stems()


def is_same_name(left: str, right: str, besides: Stems = frozenset()) -> bool:
    """Whether two phrases name one thing: each telling word of the one has kin in the other.

    Contrary words, denials and figures are never left out: `temperature` is no `minimum
    temperature`. Those of *besides* may be: they name the record, or the sort of value.
    """
    one, other = _telling(left, besides), _telling(right, besides)
    if not one or not other or _denies(left) != _denies(right):
        return False
    return all(kin_of(name) & other for name in one) and all(kin_of(name) & one for name in other)


def own_words(left: str, right: str) -> Stems:
    """Return the stems in which two phrases that share one differ: `by card`, `by cash`."""
    one, other = _telling(left), _telling(right)
    differ = one & other and one - other and other - one and not is_same_name(left, right)
    tells = any(kin_of(name).isdisjoint(general_stems()) for name in one ^ other)
    return one ^ other if differ and tells else frozenset()


def _telling(text: str, besides: Stems = frozenset()) -> Stems:
    """Return the stems of content words, but *besides* where others are left; ends; figures."""
    names, said = frozenset(content_stems(text)), _stems(text)
    ends = [name for pair in _listed()["opposites"] for end in pair for name in end]
    return (names - besides or names) | {n for n in said if n in ends or n.isdigit()}


def _denies(text: str) -> bool:
    return has_denial(" ".join(words(text)[:-1]))  # `Permit no` denies nothing


def kinship(left: str, right: str) -> float:
    """Return how surely two labels name one thing by their words, 0 to 1.

    Below 0 where they exclude one another (`start date`, `end date`); 0.0 where they share no word,
    though some are akin beside others (`unit price`, `repair cost`), or have other figures (`line
    1`, `line 2`).
    """
    one, other = frozenset(content_stems(left)), frozenset(content_stems(right))
    said, further = _stems(left), _stems(right)
    figures = [{word for word in stems if word.isdigit()} for stems in (said, further)]
    if all(figures) and figures[0] != figures[1]:
        return 0.0  # `line 1`, `line 2`
    for pair in _listed()["opposites"]:
        for here, there in (pair, pair[::-1]):
            if here & said and there & further and not (there & said or here & further):
                return -1.0
    telling, further = one - general_stems(), other - general_stems()
    if not telling or not further:
        ends = [name for pair in _listed()["opposites"] for end in pair for name in end]
        are_kin = any(kin_of(name) & other for name in one)
        if not are_kin or not (telling | further).isdisjoint(ends):
            return 0.0
        return _LIKE if telling == further else _VAGUE
    if all(kin_of(n) & further for n in telling) and all(kin_of(n) & telling for n in further):
        return 0.8
    if telling < further or further < telling:
        return 0.7
    if shared := sum(any(is_form(name, twin) for twin in further) for name in telling):
        return 0.6 * shared / min(len(telling), len(further))
    short, long = sorted((fold_words(left), fold_words(right)), key=len)
    initials = "".join(word[0] for word in long.split())  # `DOB`, `date of birth`
    return 0.6 if len(initials) > 2 and short.split()[:1] == [initials] else 0.0


def is_form(left: str, right: str) -> bool:
    """Whether two stems are forms of one word: `child`, `children`."""
    short, long = sorted((left, right), key=len)
    is_form = len(short) > 3 and long.startswith(short) and len(long) <= len(short) + 4
    return left == right or is_form
