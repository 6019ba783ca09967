"""Names of documents: the words that a file may be called by, as files and people write them."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from srag_mcp.text.words import WORD, fold_word, words

_JOINT = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_MOST_JOINED, _MOST_INITIALS = 3, 5
_MIN_SPLIT = 6  # letters of a word that may be several: the shortest of two short words


def document_names(stem: str, title: str, text: str) -> frozenset[str]:
    """Return what a document may be called by: words without marks between, folded.

    Its file's name and its title as a whole, the words of the file's name that are no numbers (a
    year names no document), and, with a capital, the words of the title: it is a sentence of the
    language, too, and only where somebody writes `Square` is it the firm.
    """
    named = filter(_is_name, name_words(stem, text))
    titled = (word.capitalize() for word in words(title) if _is_name(word))
    whole = ("".join(words(name)) for name in (stem, title))
    return frozenset([*named, *titled, *(name for name in whole if name and not name.isdigit())])


def _is_name(word: str) -> bool:
    return len(word) > 1 and not re.search(r"\d\d", word)


def name_words(name: str, text: str = "") -> tuple[str, ...]:
    """Return the words that say *name*, folded, each once: whole, split, joined, as initials.

    One that *text*, of the document so named, writes as several is these, too.
    `BestBuy_2017_10K` -> `bestbuy`, `best`, `buy`, `2017`, `10k`, `bb`
    """
    found: dict[str, None] = {}
    for spelling in (name, *_spellings(name, text)):
        parts: list[str] = []
        for word in WORD.findall(spelling.replace("_", " ")):
            # at capitals and between letters and digits; what leaves one letter stays: `10K`
            split = _JOINT.split(word)
            split = split if min(map(len, split)) > 1 else [word]
            parts += split
            found |= dict.fromkeys([word, *split])
        for lettered, run in groupby(parts, str.isalpha):
            found |= dict.fromkeys(_joined(list(run)) if lettered else ())
    return tuple(filter(None, dict.fromkeys(map(fold_word, found))))


def _spellings(name: str, text: str) -> Iterator[str]:
    """Yield how *text* writes the long words of *name*: `MGM Resorts` of `MGMRESORTS`."""
    for word in WORD.findall(name.replace("_", " ")):
        if len(word) >= _MIN_SPLIT and word.isalpha():
            pattern = rf"\b{'[ -]?'.join(word)}\b"
            yield from {found.casefold() for found in re.findall(pattern, text, re.IGNORECASE)}


def _joined(run: Sequence[str]) -> Iterator[str]:
    """Yield neighbouring words as one, and the initials of the first ones."""
    for start in range(len(run)):
        for end in range(start + 2, min(len(run), start + _MOST_JOINED) + 1):
            yield "".join(run[start:end])
    for end in range(2, min(len(run), _MOST_INITIALS) + 1):
        yield "".join(word[0] for word in run[:end])
