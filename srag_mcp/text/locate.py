"""Locating: where a text has a quote, whatever its typography and small errors."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from srag_mcp.text.spans import Span

Match: TypeAlias = Literal["exact", "normalised", "fuzzy"]

_SINGLE_QUOTES = "'‘’‚‛′`´"
_DOUBLE_QUOTES = '"“”„‟″«»'
_DASHES = "-‐‑‒–—−"
_LINE_END = r"(?:[ \t]*\n\s*)?"
_BROKEN = "(?:[-‐\u00ad][ \t]*\n\\s*|\u00ad)?"
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\uffef]")
_PIECE = 5
_FULL_WIDTH = 0xFEE0
_FUZZY_ENOUGH = 88.0
_FUZZY_SHORTEST = 8
_MAX_WINDOWS = 40
_WHOLE_TEXT = 20_000
_MAX_QUOTE = 2_000
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff")
# What is not typed: ligatures, raised and lowered figures, fractions, units as one letter, ß, and
# marks without width: letters that people type in another way.
_SPECIAL = re.compile(
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u00df\u1e9e\u200b-\u200d\u2060\u2070-\u209c"
    "\u2150-\u215f\u3380-\u33df\ufb00-\ufb06\ufeff]"
)
_FRACTION = "\u2044"


@dataclass(frozen=True, slots=True)
class Location:
    """Where a text has a quote: *score* is 1.0 unless the match is `fuzzy` (0.88 and more)."""

    span: Span
    score: float
    match: Match


def locate(quote: str, text: str, near: int | None = None) -> Location | None:
    """Find *quote* in *text*: as it is, then but for typography, then but for small errors.

    Typography is white space, case, quotes, dashes, full-width letters, accents' encoding, words
    broken across lines, ligatures and raised figures. Of several equal places the one nearest to
    *near* wins, else the first.
    """
    quote = quote.strip()
    if not quote:
        return None
    start = _find_near(quote, text, near)
    if start >= 0:
        return Location(Span(start, start + len(quote)), 1.0, "exact")
    if len(quote) > _MAX_QUOTE:
        return None
    spans = _find_typographically(quote, text)
    if spans:
        best = min(spans, key=lambda span: abs(span.start - near) if near is not None else 0)
        return Location(best, 1.0, "normalised")
    return _locate_fuzzily(quote, text, near) if len(quote) >= _FUZZY_SHORTEST else None


def _find_near(quote: str, text: str, near: int | None) -> int:
    if near is None:
        return text.find(quote)
    after = text.find(quote, max(0, near))
    before = text.rfind(quote, 0, max(0, near) + len(quote))
    found = [start for start in (before, after) if start >= 0]
    return min(found, key=lambda start: abs(start - near)) if found else -1


def _find_typographically(quote: str, text: str) -> list[Span]:
    spans = [Span(*match.span()) for match in _typography(quote).finditer(text)]
    if spans or not (_SPECIAL.search(quote) or _SPECIAL.search(text)):
        return spans
    plain, sought = _plain_text(text), _plain_text(quote).text
    if not sought.strip():
        return []
    return [plain.origin(*match.span()) for match in _typography(sought).finditer(plain.text)]


@lru_cache(maxsize=512)
def _typography(quote: str) -> re.Pattern[str]:
    """Compile a pattern that matches *quote* in any typography."""
    words = unicodedata.normalize("NFC", quote).replace("\u00ad", "").split()
    return re.compile(r"\s+".join(map(_word_pattern, words)), re.IGNORECASE)


def _word_pattern(word: str) -> str:
    """Write a pattern of *word*, which a line may end within.

    After a hyphen that is written only there, and after any letter of a script without spaces.
    """
    parts = [_letter_pattern(word[0])]
    for before, letter in pairwise(word):
        spaceless = _SPACELESS.match(before) and _SPACELESS.match(letter)
        parts += [_LINE_END if spaceless else _BROKEN, _letter_pattern(letter)]
    return "".join(parts)


def _letter_pattern(letter: str) -> str:
    if letter in _DASHES:  # a word with a hyphen of its own, too, is broken there
        return f"[{re.escape(_DASHES)}]{_LINE_END}"
    for alike in (_SINGLE_QUOTES, _DOUBLE_QUOTES):
        if letter in alike:
            return f"[{re.escape(alike)}]"
    variants = {letter, unicodedata.normalize("NFD", letter), unicodedata.normalize("NFKC", letter)}
    if "!" <= letter <= "~":
        variants.add(chr(ord(letter) + _FULL_WIDTH))
    return "(?:" + "|".join(re.escape(variant) for variant in sorted(variants, key=len)[::-1]) + ")"


def _locate_fuzzily(quote: str, text: str, near: int | None) -> Location | None:
    # Outside library, imported where it is needed: it is slow to start.
    from rapidfuzz import fuzz

    best: Location | None = None
    sought = _lower(quote)
    for window in _windows(quote, text, near):
        part = _lower(window.of(text))
        found = fuzz.partial_ratio_alignment(sought, part, score_cutoff=_FUZZY_ENOUGH)
        if found is None or found.dest_end <= found.dest_start or len(part) < len(sought) / 2:
            continue
        score = round(found.score / 100, 4)
        if best is None or score > best.score:
            start, end = window.start + found.dest_start, window.start + found.dest_end
            best = Location(_whole_words(text, start, end), score, "fuzzy")
    return best


def _windows(quote: str, text: str, near: int | None) -> Iterator[Span]:
    """Yield the few stretches of *text* that may hold *quote*: around its longest words."""
    width = len(quote) + len(quote) // 4 + 8
    if near is not None:
        yield Span(max(0, near - width), near + 2 * width)
    if len(text) <= _WHOLE_TEXT:
        yield Span(0, len(text))
        return
    left, lowered = _MAX_WINDOWS, _lower(text)
    for word in _landmarks(_lower(quote), lowered):
        start = lowered.find(word)
        while start >= 0 and left:
            yield Span(max(0, start - width), start + width)
            start, left = lowered.find(word, start + width), left - 1


def _landmarks(quote: str, text: str) -> list[str]:
    """Return the longest words of *quote*; pieces of it where *text* has none of them.

    In scripts without spaces a word is as long as a sentence, in some others a few letters.
    """
    words = sorted({*re.findall(r"\w{4,}", quote)}, key=len, reverse=True)[:6]
    if any(word in text for word in words):
        return words
    pieces = [quote[start : start + _PIECE] for start in range(0, len(quote), _PIECE)]
    found = [piece for piece in pieces if len(piece) == _PIECE and piece in text]
    return sorted(found, key=text.count)


def _lower(text: str) -> str:
    """Lower the case where that keeps the length, so that places stay true."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _whole_words(text: str, start: int, end: int) -> Span:
    while start > 0 and _is_within_word(text, start):
        start -= 1
    while end < len(text) and _is_within_word(text, end):
        end += 1
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _is_within_word(text: str, place: int) -> bool:
    """Whether a word goes on across *place*; scripts without spaces do not tell."""
    before, after = text[place - 1], text[place]
    if _SPACELESS.match(before) or _SPACELESS.match(after):
        return False
    return before.isalnum() and after.isalnum()


class _PlainText:
    """A text in plain letters of one case, which knows where each letter comes from."""

    def __init__(self, text: str) -> None:
        letters = [(part, place) for place, letter in enumerate(text) for part in _plain(letter)]
        self.text = "".join(part for part, _ in letters)
        self._places = [place for _, place in letters]

    def origin(self, start: int, end: int) -> Span:
        """Return where the letters from *start* to *end*, one at least, stand in the text."""
        return Span(self._places[start], self._places[end - 1] + 1)


@lru_cache(maxsize=4)
def _plain_text(text: str) -> _PlainText:
    """Return *text* in plain letters; the cells of one document ask for the same again."""
    return _PlainText(text)


def _plain(letter: str) -> str:
    """`ﬁ` -> `fi`, `²` -> `2`, `½` -> `1/2`, `ß` -> `ss`; nothing for a mark without width."""
    if letter in _INVISIBLE:
        return ""
    if letter < "\u0080":
        return letter.lower()
    return unicodedata.normalize("NFKC", letter).replace(_FRACTION, "/").casefold()
