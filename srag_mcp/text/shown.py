"""Text of documents as it is shown: it moves no cursor, hides nothing, and stays on its line.

For people and for agents alike: a file's name can hold line ends, a value an image's address.
"""

import re
from collections.abc import Sequence

# Control characters but tab and line end; overrides of the direction of text; characters that a
# reader does not see and a model does (tags, supplementary variants); halves of a character.
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u180e\u202a-\u202e\u2061-\u206f\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]+"
)
# Seen by nobody and of use to few: zero-width spaces, byte order marks, marks of direction. Joiners
# of scripts (U+200C, U+200D) stay.
_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028\u2029\u2060\ufeff]")
_LINK = re.compile(r"\](?=[(\[])")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def printable(text: str) -> str:
    r"""Replace what acts instead of being read; line ends and tabs stay.

    `"a\x1b[2J" -> "a�[2J"`
    """
    return _UNSEEN.sub("", _ACTING.sub("\N{REPLACEMENT CHARACTER}", text))


def one_line(text: str) -> str:
    r"""Write *text* on one line: `"two\n  lines" -> "two lines"`."""
    return printable(" ".join(text.split()))


def shorten(text: str, max_characters: int) -> str:
    r"""Write *text* on one line, in so many characters: `("two\n lines", 6) -> "two l…"`."""
    flat = one_line(text)
    if len(flat) <= max_characters:
        return flat
    return f"{flat[: max(0, max_characters - 1)].rstrip()}…"


def shorten_start(text: str, max_characters: int) -> str:
    """Write the last characters of *text* on one line, as of headings: the innermost says most."""
    flat = one_line(text)
    return flat if len(flat) <= max_characters else f"…{flat[-max_characters:]}"


def quoted(text: str, max_characters: int = 160) -> str:
    """Write the words of a document between quotation marks, on one line."""
    return f"“{shorten(text, max_characters)}”"


def first_of(texts: Sequence[str], most: int) -> list[str]:
    """Return the first of *texts*, and how many more there are: `("abc", 1) -> ["a", "2 more"]`."""
    n_more = len(texts) - most
    return [*texts[:most], f"{n_more:,} more"] if n_more > 0 else [*texts]


def literal(text: str) -> str:
    """Write a value on one line as SQL has it: `"Cork's (7)" -> "'Cork''s (7)'"`."""
    return "'" + one_line(text).replace("'", "''") + "'"


def inert(text: str) -> str:
    """Part links, images and tags, so that who renders *text* fetches nothing.

    `"![x](http://a/?d=1) <img src=b>" -> "![x] (http://a/?d=1) < img src=b>"`
    """
    return _TAG.sub("< ", _LINK.sub("] ", text))


def printable_json(text: str) -> str:
    r"""Escape in a JSON text what `printable` would replace: the reader gets what was stored."""
    return _UNSEEN.sub(_escape, _ACTING.sub(_escape, text))


def _escape(found: "re.Match[str]") -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
