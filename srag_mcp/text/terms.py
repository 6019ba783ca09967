"""Terms: the words, pairs of words, labels and names by which passages are found, as numbers.

Passages and questions are read by the same code. A term is 32 bits: two for its kind and 30
of its text; what two texts share by chance in so many bits is not told apart.
"""

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import groupby, islice, pairwise
from unicodedata import normalize

from srag_mcp.text.words import (
    ALL_FUNCTION_WORDS,
    FUNCTION_WORDS,
    WORD,
    fold_word,
    languages_of,
    stem,
    words,
)

# Scripts that put no space between words: Chinese, Japanese and Korean.
_SPACELESS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# letters and digits apart, so that `FY2019` and `FY 2019` are the same; `1,200` is one number
_TOKEN = re.compile(
    rf"[{_SPACELESS}]+|[^\W\d_{_SPACELESS}]+|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)*"
)
_WORD_OF_LETTERS = re.compile(rf"[^\W\d_{_SPACELESS}]+")
_PLAIN_TOKEN = re.compile(r"[a-z]+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*")  # in ASCII
# a word without a mark is taken as nothing at once, or it would be tried from each of its letters
_IDENTIFIER = re.compile(r"(§+\s?\d+(?:\.\d+)*|\w++(?:[-/.]\w++)+)|\w++")
_SHORT_YEAR = re.compile(r"\b(FY)\s?['’]?(\d\d)(?!\d)", re.IGNORECASE)
# a line, a bar, tabs, several blanks, a colon; all begin with one set, which is found at once
_CELL_END = re.compile(r"[\s|:](?:(?<=[\n|])\s*|(?<=:)\s+|(?<=\s)(?:\s*[\n|]\s*|(?<=\t)\t*|\s+))")
_MAX_LABEL_WORDS = 8
_MAX_LABEL_CHARACTERS = 100
_MAX_WORDS = 100  # of a question; with all terms of these its statement is still short enough
_MAX_STEMS = 500  # of these words in five languages


class TermKind(IntEnum):
    """What a term stands for; its highest two bits, so that in order the kinds lie apart."""

    # a word, unstemmed; an identifier as a whole: `10-K/A`, `§ 4.2`; a language and a stem of it
    WORD = 0
    PAIR = 1  # the stems of two neighbouring words, stop words left out
    LABEL = 2  # the stems of a whole heading, key, table cell or short line
    NAME = 3  # what a document may be called by


def count_terms(text: str, languages: Collection[str] = ()) -> Counter[int]:
    """Count the terms of a passage in *languages*; in those but English, words have stems beside.

    `"Net sales: 9,134"` -> words `net`, `sales`, `9134`; pairs `net sale`, `sale 9134`; the label
    `net sale`.
    """
    text = _SHORT_YEAR.sub(r"\1 20\2", text) if "fy" in text.lower() else text
    words: list[str] = []
    stems: list[str] = []
    labels: list[str] = []
    for cell in _CELL_END.split(text):
        said = _content(cell)
        own = [*map(_stem, said)]
        words += said
        stems += own
        is_short = len(said) <= _MAX_LABEL_WORDS and len(cell) <= _MAX_LABEL_CHARACTERS
        if is_short and not all(word[0].isdigit() for word in own):
            labels.append(" ".join(own))
    terms = _numbers([*words, *_identifiers(text)], TermKind.WORD)
    terms += _numbers(_pairs(stems), TermKind.PAIR)
    terms += [own for own, _ in _stem_terms(text, languages)]
    return Counter(terms + _numbers(labels, TermKind.LABEL))


def question_terms(question: str, idle: Collection[str] = ()) -> frozenset[int]:
    """Return the terms of a question: those of a passage, and each label that it may say whole.

    The folded words *idle* are parts of pairs and labels and no words by themselves, unless there
    are no others. Stems are as of `asked_stems`.
    """
    text = _SHORT_YEAR.sub(r"\1 20\2", question)
    words = _content(text)[:_MAX_WORDS]
    telling = [word for word in words if word not in idle]
    telling, idle = (telling, idle) if telling else (words, ())
    stems = [_stem(word) for word in words]
    lengths = range(1, _MAX_LABEL_WORDS + 1)
    starts = range(len(stems))
    labels = {" ".join(stems[start : start + length]) for start in starts for length in lengths}
    return frozenset(
        [
            *_numbers([*telling, *_identifiers(text)], TermKind.WORD),
            *_numbers(_pairs(stems), TermKind.PAIR),
            *_numbers(labels, TermKind.LABEL),
            *asked_stems(text, idle),
        ]
    )


def asked_stems(question: str, idle: Collection[str] = ()) -> dict[int, int]:
    """Return the terms of the stems of a question, each with that of a word whose stem it is.

    The folded words *idle* have none. A question that does not tell its language may be in any.
    """
    found = _stem_terms(question, languages_of(question) or FUNCTION_WORDS, idle)
    return dict(islice(found, _MAX_STEMS))


def _stem_terms(
    text: str, languages: Collection[str], idle: Collection[str] = ()
) -> Iterator[tuple[int, int]]:
    """Yield the terms of the stems of *text* in *languages* but English, and their words."""
    if not (others := sorted({*languages} - {"english"})):
        return
    for word in _WORD_OF_LETTERS.findall(normalize("NFC", text)):
        if (folded := fold_word(word)) not in ALL_FUNCTION_WORDS and folded not in idle:
            said = [f"{name} {fold_word(stem(word.casefold(), name))}" for name in others]
            *own, whole = _numbers([*said, folded], TermKind.WORD)
            yield from ((number, whole) for number in own)


def name_term(name: str) -> int:
    """Return the term of what a document may be called by, as `document_names` writes it."""
    [term] = _numbers([name], TermKind.NAME)
    return term


def phrase_terms(phrase: str) -> frozenset[int]:
    """Return the terms that a passage has all of if it says *phrase*: pairs, or its one word."""
    words = _content(phrase)
    if len(words) > 1:
        return frozenset(_numbers(_pairs(map(_stem, words)), TermKind.PAIR))
    return frozenset(_numbers(words, TermKind.WORD))


def _content(text: str) -> list[str]:
    """Return the words of *text*, folded, without stop words."""
    if text.isascii():  # folded all at once
        tokens: Iterable[str] = _PLAIN_TOKEN.findall(text.lower())
        tokens = [token.replace(",", "") for token in tokens] if "," in text else tokens
    else:
        tokens = _tokens(text)
    return [word for word in tokens if word not in ALL_FUNCTION_WORDS]


def _tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[0] < "\u3040" or not re.match(f"[{_SPACELESS}]", token):
            yield fold_word(token).replace(",", "")
        else:
            yield from map("".join, pairwise(token)) if len(token) > 1 else token


def _identifiers(text: str) -> Iterator[str]:
    """Yield what has a digit, a letter or § and a mark between: `SKU-0042`, not `2019-20`."""
    if "§" not in text:  # else most words are none, and need not be looked at
        text = " ".join(word for word in text.split() if not word.isalpha())
    for found in filter(None, _IDENTIFIER.findall(text)):
        has_digit = any(map(str.isdigit, found))
        if has_digit and (found[0] == "§" or any(map(str.isalpha, found))):
            yield "".join(fold_word(found).split())


def _pairs(stems: Iterable[str]) -> Iterator[str]:
    return map(" ".join, pairwise(stems))


def _numbers(texts: Iterable[str], kind: TermKind) -> list[int]:
    high = kind << 30
    return [zlib.crc32(text.encode("utf-8", "replace")) >> 2 | high for text in texts]


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return word if word[0].isdigit() else stem(word)


# --- Names of documents, as files and people write them ------------------------------------------

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
