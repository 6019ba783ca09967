"""Which parts of a document tell a column: those with a word that stands where others state it."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from srag_mcp.cells.cell import DocumentText
from srag_mcp.records.selection import cut_parts, find_terms, stem_words
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

_FEWEST = 3  # statements; of fewer nobody knows where they stand
_FEWEST_PARTS = 2  # that have a word: what one has may be its own
_MISSED = 0.025  # of what is stated: half of what an audit lets pass
_MOST_TOLD = 0.5  # of a text: more of it is read whole for hardly more
_KNOWN_VALUE = "@value"
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document, with its words: stems, forms of numbers, symbols."""

    span: Span
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReadText:
    """A document that was read whole, and where it states a column; None where it does not."""

    parts: Sequence[Part]
    place: Span | None


def find_parts(document: DocumentText) -> list[Part]:
    """Return the parts of *document*, in its order."""
    return [
        Part(span, frozenset((*_bare(stems), *_symbols(said))))
        for span, said, stems in cut_parts(document.text, document.passages)
    ]


def _bare(stems: Iterable[str]) -> Iterator[str]:
    return (_DIGIT.sub("0", stem) for stem in stems)


def _symbols(said: str) -> set[str]:
    """Return what stands for words: `€`, `★`, `%`."""
    marks = (mark for mark in {*said} if not mark.isalnum())
    return {mark for mark in marks if mark == "%" or unicodedata.category(mark)[0] == "S"}


@dataclass(frozen=True, slots=True)
class TellingWords:
    """The *words* of a column: a part that has one may tell it (stems, forms of numbers, symbols).

    *values*: what is known of its values, by their words, where these tell it, too.
    """

    words: frozenset[str]
    values: frozenset[frozenset[str]] = frozenset()

    def find(self, parts: Iterable[Part]) -> list[Span]:
        """Return the parts that may tell the column, in their order."""
        return [
            part.span
            for part in parts
            if not part.words.isdisjoint(self.words) or _has_value(part, self.values)
        ]


def _has_value(part: Part, values: Iterable[frozenset[str]]) -> bool:
    return any(value <= part.words for value in values)


@dataclass
class _Counts:
    """In how many parts that state a column, and in how many others, each word stands."""

    stating: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    n_stating: int = 0
    n_others: int = 0

    def weigh(self, word: str, n_left_out: int = 0) -> float:
        """Return how much likelier a word is where others state the column, as a logarithm."""
        n = self.stating[word] - n_left_out
        if n < _FEWEST_PARTS:
            return -math.inf
        stating = (n + 0.5) / (self.n_stating - n_left_out + 1)
        return math.log(stating) - math.log((self.others[word] + 0.5) / (self.n_others + 1))

    def weigh_alone(self, stating: Sequence[frozenset[str]]) -> float:
        """Return what the strongest word of a statement weighs by all others."""
        own = Counter(chain.from_iterable(stating))
        return max((self.weigh(word, n) for word, n in own.items()), default=-math.inf)


def learn_words(
    attribute: Attribute, read: Iterable[ReadText], values: Iterable[str] = ()
) -> TellingWords | None:
    """Learn where *attribute* is stated, and how little may tell so, by what was *read* whole.

    Its definition counts as one statement more. None where too little is stated, or where what may
    tell it is most of a document.
    """
    known = frozenset(frozenset(_bare(stem_words(value))) for value in values) - {frozenset()}
    counts, statements, texts = _Counts(), list[list[frozenset[str]]](), list[Sequence[Part]]()
    for item in read:
        texts.append(item.parts)
        stating = list[frozenset[str]]()
        for part in item.parts:
            said = part.words | {_KNOWN_VALUE} if _has_value(part, known) else part.words
            if item.place is not None and part.span.overlaps(item.place):
                stating.append(said)
                counts.stating.update(said)
            else:
                counts.others.update(said)
                counts.n_others += 1
        counts.n_stating += len(stating)
        statements += [stating] if stating else []
    if len(statements) < _FEWEST:
        return None
    counts.stating.update(find_terms(attribute).keys())
    counts.n_stating += 1
    found = sorted(map(counts.weigh_alone, statements))
    least = found[int(_MISSED * len(found))]
    strong = frozenset(word for word in counts.stating if counts.weigh(word) >= least)
    telling = TellingWords(strong, known if _KNOWN_VALUE in strong else frozenset())
    n_told = sum(span.end - span.start for parts in texts for span in telling.find(parts))
    n_all = sum(part.span.end - part.span.start for parts in texts for part in parts)
    return telling if n_told <= _MOST_TOLD * n_all else None
