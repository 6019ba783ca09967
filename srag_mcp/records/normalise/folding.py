"""Folding: the form in which two spellings of one value are equal."""

import re
import unicodedata

_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.,/:-](?=\d)")
_PUNCTUATION = re.compile(r"[^\w\s+#&%<>≤≥\x00]|_")
_GRADE = re.compile(r"([^\W\d_]{1,3})\s?[-‐‑–−]")
_HELD = "\x00"
_HELD_MARK = re.compile(_HELD)
_SPACE = re.compile(r"\s+")


def fold(text: str) -> str:
    """Return *text* without case, width, accents' encoding, punctuation and extra space.

    Marks between digits, the minus of a grade and `+`, `#`, `&`, `%`, `<`, `>` stay, because they
    make another value.
    `ACME CO. (N) LTD.` -> `acme co n ltd`; `C++` -> `c++`; `1.5` -> `1.5`; `A−` -> `a-`
    """
    if text.isascii() and text.isalnum():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    if grade := _GRADE.fullmatch(folded.strip()):
        return f"{grade[1]}-"
    marks = iter(_BETWEEN_DIGITS.findall(folded))
    kept = _PUNCTUATION.sub(" ", _BETWEEN_DIGITS.sub(_HELD, folded.replace(_HELD, " ")))
    restored = _HELD_MARK.sub(lambda _held: next(marks), kept)
    return _SPACE.sub(" ", restored).strip()


def tidy(text: str) -> str:
    """Return *text* as a value: one space between words, without surrounding quotes and commas.

    `"Berlin",` -> `Berlin`; a full stop stays after an abbreviation: `Example Inc.`
    """
    tidied = _SPACE.sub(" ", text).strip()
    tidied = tidied.rstrip(",;:").strip()
    for left, right in ('""', "''", "“”", "‘’", "«»", "„“"):
        inner = tidied[1:-1]
        if len(tidied) > 1 and tidied[0] == left and tidied[-1] == right and right not in inner:
            tidied = inner.strip()
    return tidied[:-1] if _ends_a_sentence(tidied) else tidied


def _ends_a_sentence(text: str) -> bool:
    last = text.rpartition(" ")[2]
    return text.endswith(".") and last[:-1].isalpha() and len(last) > 5
