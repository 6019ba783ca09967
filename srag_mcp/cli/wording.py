"""Texts of documents on terminals: short, and without what would move the cursor."""

import re

MAX_QUOTE = 160

_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_COLUMN_LIST = re.compile(r"\s*\(columns: .*\)\s*$", re.DOTALL)


def printable(text: str) -> str:
    r"""Replace control characters but for line ends: a document could speak to the terminal.

    `"a\x1b[2J" -> "a�[2J"`
    """
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def shorten(text: str, length: int) -> str:
    r"""Write *text* on one line, in at most *length* characters.

    `("two\n lines", 6) -> "two l…"`
    """
    flat = printable(" ".join(text.split()))
    return flat if len(flat) <= length else f"{flat[: length - 1].rstrip()}…"


def quote(text: str) -> str:
    """Write the words of a document between quotation marks, on one line."""
    return f"“{shorten(text, MAX_QUOTE)}”"


def shorten_reason(reason: str) -> str:
    """Leave the list of all columns out of the reason of a refusal: a terminal shows it apart."""
    return _COLUMN_LIST.sub("", reason)
