"""Names: what a document may be called by, and what stands above a passage of it, made by code."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from statistics import median

from srag_mcp.text.words import WORD, fold_word, fold_words

_JOINT = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_MOST_JOINED, _MOST_INITIALS = 3, 5


def name_words(name: str) -> tuple[str, ...]:
    """Return the words that say *name*, folded, each once: whole, split, joined, as initials.

    A question is read by the same code, for either may write as one word what the other splits.
    `BestBuy_2017_10K` -> `bestbuy`, `best`, `buy`, `2017`, `10k`, `bb`
    """
    found: dict[str, None] = {}
    parts: list[str] = []
    for word in WORD.findall(name.replace("_", " ")):
        split = _split(word)
        parts += split
        found |= dict.fromkeys([word, *split])
    for lettered, run in groupby(parts, str.isalpha):
        found |= dict.fromkeys(_joined(list(run)) if lettered else ())
    return tuple(filter(None, dict.fromkeys(map(fold_word, found))))


def _split(word: str) -> list[str]:
    """Split at capitals and between letters and digits; what leaves one letter stays: `10K`."""
    parts = _JOINT.split(word)
    return parts if min(map(len, parts)) > 1 else [word]


def _joined(run: Sequence[str]) -> Iterator[str]:
    """Yield neighbouring words as one, and the initials of the first ones."""
    for start in range(len(run)):
        for end in range(start + 2, min(len(run), start + _MOST_JOINED) + 1):
            yield "".join(run[start:end])
    for end in range(2, min(len(run), _MOST_INITIALS) + 1):
        yield "".join(word[0] for word in run[:end])


def telling_titles(titles: Iterable[str]) -> frozenset[str]:
    """Return the *titles* of all documents that tell them apart: those no more usual than most."""
    counts = Counter(titles)
    if len(counts) < 2:
        return frozenset()
    usual = median(counts.values())
    return frozenset(title for title, n in counts.items() if n <= usual)


def context_line(
    path: str, title: str = "", naming: Sequence[str] = (), headings: Sequence[str] = ()
) -> str:
    """Say on one line what a passage is of: `BESTBUY 2017 10K · Best Buy Co. · Risks > Supply`.

    Args:
        path: The file.
        title: Of the document; empty where it does not tell documents apart.
        naming: What the columns say of the document that tell records apart.
        headings: Those above the passage, outermost first.

    Source: spRAG, AutoContext.
    """
    stem = " ".join(PurePosixPath(path).stem.replace("_", " ").split())
    said: list[str] = []
    for name in (stem, title, *naming, " > ".join(headings)):
        is_said = any(f" {fold_words(name)} " in f" {fold_words(part)} " for part in said)
        if fold_words(name) and not is_said:
            said.append(name)
    return " · ".join(said)
