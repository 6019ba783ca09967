"""Plain text: ligatures, raised figures and letters of other forms as they are typed, in place."""

import re
import unicodedata
from functools import lru_cache

from srag_mcp.text.spans import Span

_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff")
# What is not typed: ligatures, raised and lowered figures, fractions, units as one letter, ß, and
# marks without width.
_SPECIAL = re.compile(
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u00df\u1e9e\u200b-\u200d\u2060\u2070-\u209c"
    "\u2150-\u215f\u3380-\u33df\ufb00-\ufb06\ufeff]"
)
_FRACTION = "\u2044"


class PlainText:
    """A text in plain letters of one case, which knows where each letter comes from."""

    def __init__(self, text: str) -> None:
        letters: list[str] = []
        places: list[int] = []
        for place, letter in enumerate(text):
            for part in _plain(letter):
                letters.append(part)
                places.append(place)
        self.text = "".join(letters)
        self._places = places

    def origin(self, start: int, end: int) -> Span:
        """Return where the letters from *start* to *end*, one at least, stand in the text."""
        return Span(self._places[start], self._places[end - 1] + 1)


def is_special(text: str) -> bool:
    """Whether *text* has letters that people type in another way."""
    return _SPECIAL.search(text) is not None


@lru_cache(maxsize=4)
def plain_text(text: str) -> PlainText:
    """Return *text* in plain letters; the cells of one document ask for the same again."""
    return PlainText(text)


def _plain(letter: str) -> str:
    """`ﬁ` -> `fi`, `²` -> `2`, `½` -> `1/2`, `ß` -> `ss`; nothing for a mark without width."""
    if letter in _INVISIBLE:
        return ""
    if letter < "\u0080":
        return letter.lower()
    return unicodedata.normalize("NFKC", letter).replace(_FRACTION, "/").casefold()
