"""Texts that are probably one value in several spellings."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from srag_mcp.claims.stated_values import StatedValue, Suspicion, SuspicionKind
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold

_MOST_DISTINCT = 200
_MOST_DISTINCT_SHARE = 0.8
_ALIKE = 82.0
_WORDS_ALIKE = 70.0
_VERY_ALIKE = 88.0
_SHORTEST = 4
_LETTERS = {
    "ä": "ae", "æ": "ae", "ö": "oe", "ø": "oe", "œ": "oe", "ü": "ue", "å": "aa", "þ": "th",
    "ß": "ss",
}  # fmt: skip
_TRANSLITERATION = str.maketrans(_LETTERS)


def suspect_spellings(attribute: Attribute, values: Sequence[StatedValue]) -> Iterator[Suspicion]:
    """Find values outside of the categories, and ones that resemble a value as frequent or more.

    Of two equally frequent ones the later in the alphabet is suspected. Columns in which almost
    every document has a value of its own (names, numbers) are left alone, but for letters that are
    written out or without their accents, and a name in another order: `Koeln`, `Sao Paulo`,
    `Okafor, M.`.
    """
    counts = Counter(str(item.value) for item in values)
    known = _written_otherwise(counts)
    outside: set[str] = set()
    if attribute.categories:
        inside = {fold(name) for name in attribute.categories}
        outside = {text for text in counts if fold(text) not in inside}
        reasons = _alike(counts, _is_one_spelt_twice, known) | dict.fromkeys(
            outside, f"it is none of the categories {', '.join(attribute.categories)}"
        )
    elif len(counts) > min(_MOST_DISTINCT, _MOST_DISTINCT_SHARE * len(values)):
        reasons = known
    else:
        reasons = _alike(counts, _may_be_one, known)
    for item in values:
        text = str(item.value)
        if text in reasons:
            kind: SuspicionKind = "category" if text in outside else "spelling"
            yield Suspicion(item.document_id, kind, reasons[text])


def alike_categories(categories: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of *categories* that are probably one in two spellings.

    `Bulk carrier`, `Bulk carriers`, `Tanker` -> the first two
    """
    return [pair for pair in combinations(categories, 2) if _is_one_spelt_twice(*pair)]


def _may_be_one(text: str, other: str) -> bool:
    """Return whether two texts resemble each other, or one is initials or beginning of the other.

    `U.K.` and `United Kingdom`; `Phase 2` and `Phase 3` are not alike: their figures differ.
    """
    from rapidfuzz import fuzz  # slow to import

    if [letter for letter in text if letter.isdigit()] != [c for c in other if c.isdigit()]:
        return False
    if _is_short_for(text, other):
        return True
    first, second = fold(text), fold(other)
    short, long = sorted((first, second), key=len)
    if len(short) < _SHORTEST:
        return False
    if long.startswith(f"{short} "):
        return True
    return fuzz.ratio(first, second) >= _ALIKE and _differ_slightly(first.split(), second.split())


def _alike(
    counts: Mapping[str, int], rarer_alike: Callable[[str, str], bool], known: Mapping[str, str]
) -> dict[str, str]:
    """Map each value to why it may be another one, which at least as many documents have.

    *known* are the reasons that were found before.
    """
    ranked = sorted(counts, key=lambda text: (-counts[text], text))
    reasons = dict(known)
    for place, text in enumerate(ranked):
        if text in reasons:
            continue
        for frequent in ranked[:place]:
            n_frequent = counts[frequent]
            alike = rarer_alike if counts[text] < n_frequent else _is_one_spelt_twice
            if frequent not in reasons and alike(text, frequent):
                reasons[text] = _is_it(frequent, n_frequent)
                break
    return reasons


def _written_otherwise(counts: Mapping[str, int]) -> dict[str, str]:
    """Map values to why they may be another one: they are the same words, written otherwise."""
    ranked = sorted(counts, key=lambda text: (-counts[text], text.isascii(), text))
    reasons: dict[str, str] = {}
    for write in (_written_out, _without_accents, _in_order):
        spellings: defaultdict[str, list[str]] = defaultdict(list)
        for text in ranked:
            spellings[write(text)].append(text)
        for frequent, *rarer in spellings.values():
            for text in rarer:
                if _differ(text, frequent) and frequent not in reasons:
                    reasons.setdefault(text, _is_it(frequent, counts[frequent]))
    return reasons


def _differ(text: str, other: str) -> bool:
    """Whether texts differ by more than case and marks, which make no other value anyway."""
    return fold(text) != fold(other) or ("ß" in text) != ("ß" in other)


def _written_out(text: str) -> str:
    """Fold a text as one without such letters is written: `Köln` -> `koeln`."""
    return unicodedata.normalize("NFC", fold(text)).translate(_TRANSLITERATION)


def _without_accents(text: str) -> str:
    """Fold a text without its accents, but for letters that are written out: `São` -> `sao`."""
    return "".join(
        letter if letter in _LETTERS else unicodedata.normalize("NFD", letter)[0]
        for letter in unicodedata.normalize("NFC", fold(text))
    )


def _in_order(text: str) -> str:
    """Fold a text with what follows its comma in front: `Okafor, M.` -> `m okafor`."""
    last, comma, first = text.partition(",")
    return fold(f"{first} {last}") if comma and "," not in first else fold(text)


def _is_it(frequent: str, n_documents: int) -> str:
    return f"{n_documents} documents have “{frequent}”: is this the same value?"


def _is_one_spelt_twice(text: str, other: str) -> bool:
    """Whether two texts, neither of which is an exception, are most likely the same.

    `Economy` and `Economy Plus` are two, and so are `Niger` and `Nigeria`.
    """
    from rapidfuzz import fuzz  # slow to import

    if not _may_be_one(text, other):
        return False
    return _is_short_for(text, other) or fuzz.ratio(fold(text), fold(other)) >= _VERY_ALIKE


def _is_short_for(text: str, other: str) -> bool:
    """Whether two texts are the same but for spaces, or one is the initials of the other."""
    first, second = fold(text), fold(other)
    close = first.replace(" ", ""), second.replace(" ", "")
    return close[0] == close[1] or _initials(first) == close[1] or _initials(second) == close[0]


def _differ_slightly(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether the words that two texts do not share resemble each other.

    `university of lyon` and `university of bologna` share most letters, and are two places;
    `insured` and `uninsured` are opposites.
    """
    from rapidfuzz import fuzz

    own = [word for word in words if word not in others]
    foreign = [word for word in others if word not in words]
    pairs = zip(own, foreign, strict=False)
    if any(word.endswith(other) or other.endswith(word) for word, other in pairs):
        return False
    return fuzz.ratio(" ".join(own), " ".join(foreign)) >= _WORDS_ALIKE


def _initials(text: str) -> str:
    words = text.split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""
