"""Spans: stretches of a text, and where a text has a quote."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: characters *start* to *end*, end exclusive."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters of *text* that the span covers."""
        return text[self.start : self.end]

    def moved(self, n: int) -> "Span":
        """Return the span *n* characters further on."""
        return Span(self.start + n, self.end + n)

    def trimmed(self, text: str) -> "Span":
        """Return the span in *text* without white space at its ends."""
        words = self.of(text)
        start = self.start + len(words) - len(words.lstrip())
        return Span(start, start + len(words.strip()))

    def overlaps(self, other: "Span") -> bool:
        """Return whether both cover a character."""
        return self.start < other.end and other.start < self.end

    def holds(self, other: "Span") -> bool:
        """Whether *other* lies in it."""
        return self.start <= other.start and other.end <= self.end


class Spans:
    """Stretches of a text, put in order once to ask of many others."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans, key=lambda span: (span.start, span.end))
        self._ends = list(accumulate((span.end for span in self._spans), max))

    def overlap(self, span: Span) -> bool:
        """Return whether one of them covers a character of *span*."""
        at = bisect_right(self._ends, span.start)
        return at < len(self._spans) and self._spans[at].start < span.end


_DASHES = "-‐‑‒–—−"
_SAME = {
    **dict.fromkeys("'‘’‚‛′`´", "'"),
    **dict.fromkeys('"“”„‟″«»', '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),  # marks without width
}
_PLAIN = r"[!-,.-_a-~]+"
_TOKEN = re.compile(
    rf"(?P<broken>[{_DASHES}\u00ad][ \t]*\n\s*)|(?P<plain>{_PLAIN}(?: {_PLAIN})*)|(?P<space>\s+)|.",
    re.DOTALL,
)
SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\uffef]")
_FRACTION = "\u2044"


def find_exactly(quote: str, text: str) -> Iterator[Span]:
    """Yield where *quote* stands in *text* as it is, in order."""
    start = text.find(quote) if quote else -1
    while start >= 0:
        yield Span(start, start + len(quote))
        start = text.find(quote, start + 1)


def find_typographically(quote: str, text: str) -> Iterator[Span]:
    """Yield where *quote* stands in *text* but for typography, each place once.

    That is white space, case, quotes, dashes, full-width letters, accents' encoding, words broken
    across lines, ligatures and raised figures.
    """
    found = set[Span]()
    for keeps_hyphen in (False, True):  # of that at the end of a line, which nobody can tell
        for place in _plain_text(text, keeps_hyphen).places(_PlainText(quote, keeps_hyphen).text):
            if place not in found:
                found.add(place)
                yield place


def locate(quote: str, text: str, near: int = 0) -> Span | None:
    """Find *quote* in *text*, as it is if possible; of several places the one nearest to *near*."""
    words = quote.strip()
    places = list(find_exactly(words, text)) or find_typographically(words, text)
    return min(places, key=lambda place: abs(place.start - near), default=None)


class _PlainText:
    """A text in plain letters of one case, which knows where each of them comes from."""

    def __init__(self, text: str, keeps_hyphen: bool) -> None:
        parts = [(_plain(token, keeps_hyphen), token) for token in _TOKEN.finditer(text)]
        self.text = "".join(part for part, _ in parts)
        self._starts: list[int] = []
        self._origins: list[tuple[Span, bool]] = []
        length = 0
        for part, token in parts:
            if part:
                self._starts.append(length)
                self._origins.append((Span(*token.span()), token["plain"] is not None))
                length += len(part)

    def places(self, sought: str) -> Iterator[Span]:
        """Yield where the text has the plain letters *sought*."""
        start = self.text.find(sought) if sought.strip() else -1
        while start >= 0:
            place = self._origin(start, start + len(sought))
            if place is not None:
                yield place
            start = self.text.find(sought, start + 1)

    def _origin(self, start: int, end: int) -> Span | None:
        """Return where letters come from; None where they are a part of one letter: `f` of `ﬁ`."""
        first, last = (bisect_right(self._starts, place) - 1 for place in (start, end - 1))
        opening, is_first_plain = self._origins[first]
        closing, is_last_plain = self._origins[last]
        n_skipped, n_taken = start - self._starts[first], end - self._starts[last]
        after = self._starts[last + 1] if last + 1 < len(self._starts) else len(self.text)
        if (n_skipped and not is_first_plain) or (end != after and not is_last_plain):
            return None
        stop = closing.start + n_taken if is_last_plain else closing.end
        return Span(opening.start + n_skipped, stop)


def _plain(token: re.Match[str], keeps_hyphen: bool) -> str:
    """Write letters plainly: `ﬁ` -> `fi`, `²` -> `2`, `½` -> `1/2`, `ß` -> `ss`."""
    letters, text = token.group(), token.string
    if token["plain"]:
        return letters.lower()
    if token["broken"]:
        return "-" if keeps_hyphen and letters[0] in _DASHES else ""
    if token["space"]:  # a line may end after any letter of a script without spaces
        start, end = token.span()
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        return "" if SPACELESS.match(before) and SPACELESS.match(after) else " "
    if letters in _SAME:
        return _SAME[letters]
    return unicodedata.normalize("NFKD", letters).replace(_FRACTION, "/").casefold()


_plain_text = lru_cache(maxsize=8)(_PlainText)  # the cells of a document ask for the same again
