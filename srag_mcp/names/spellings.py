"""Spellings of one name: what is the same in another case, punctuation or legal form."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from srag_mcp.text.words import STOP_WORDS, fold
from srag_mcp.values.names import LEGAL_FORMS, SHORT_LEGAL_FORMS

_PLAIN = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,})*")
_APOSTROPHES = re.compile(r"(?<=\w)['’‘`´](?=\w)")
_DIGITS_BEGIN_OR_END = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_SINGLES = re.compile(r"(?<!\S)[^\W\d_](?: [^\W\d_])+(?!\S)")
_ROMAN = re.compile(r"(?=..)x{0,3}(?:ix|iv|v?i{0,3})")
_LAST_INITIALS = re.compile(r",\s*(?:[^\W\d_](?:\.|\s|$)\s*)+$")
_JOINS = frozenset({"&", "and", "und", "et", "y", "e"})
_MOST_WORDS, _MOST_CHARACTERS = 10, 90  # a longer text is a phrase or an address
_MOST_LOOKED_AT = 2_000  # values of a column, spread evenly: what they are does not hang on a few
_MOST = 0.8  # of the values of a column of names are written as names; the rest is noise


def fold_name(text: str) -> str:
    """Return *text* without case, punctuation and the spaces that stand for it.

    `J.P. Müller & Sons` -> `jp müller and sons`; `F-16` and `F16` -> `f 16`; accents stay, for
    Münster is not Munster, and so do marks that make another value of a word, see
    `text.words.fold`. Two names that fold alike are the same.
    """
    if _PLAIN.fullmatch(text):  # nearly all are, and columns are long
        return text.lower()
    folded = fold(_APOSTROPHES.sub("", text))
    spread = _DIGITS_BEGIN_OR_END.sub(" ", folded)
    joined = _SINGLES.sub(lambda match: match[0].replace(" ", ""), spread)
    return f" {joined} ".replace(" & ", " and ").strip()


@dataclass(frozen=True)
class Name:
    """A name as its words, folded.

    Attributes:
        key: The whole name, see `fold_name`: two names with one key are the same.
        bare: Its words without the legal forms at its end.
        forms: These legal forms, in short: `limited` is `ltd`.
    """

    key: str
    bare: tuple[str, ...]
    forms: tuple[str, ...]

    @cached_property
    def designators(self) -> tuple[str, ...]:
        """What tells things of one name apart: numbers, a letter at the end, Roman numerals."""
        last = len(self.bare) - 1
        return tuple(
            sorted(
                word
                for place, word in enumerate(self.bare)
                if any(map(str.isdigit, word))
                or (place == last and last > 0 and len(word) == 1)
                or (place > 0 and _ROMAN.fullmatch(word) is not None)
            )
        )

    @cached_property
    def squashed(self) -> str:
        """The words without the spaces between them: `mc donald` is `mcdonald`."""
        return "".join(self.bare)

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Its words without function words."""
        return tuple(word for word in self.bare if word not in STOP_WORDS)

    @cached_property
    def sorted(self) -> tuple[str, ...]:
        """Its words in the order of the alphabet."""
        return tuple(sorted(self.bare))

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many words it has, and letters."""
        return len(self.bare), len(self.squashed)

    @cached_property
    def initials(self) -> frozenset[str]:
        """The first letters of its words, with and without function words and legal forms."""
        if len(self.bare) < 2:
            return frozenset()
        content, whole = self.content, (*self.bare, *self.forms)
        rows = (self.bare, content, whole, (*content, *self.forms))
        return frozenset("".join(word[0] for word in row) for row in rows if len(row) > 1)


def read_name(text: str) -> Name:
    """Read a name: `Acme Holding Co., Limited` -> `acme holding`, forms `co`, `ltd`."""
    key = fold_name(text)
    words = key.split()
    n = len(words)
    while n > 1 and (words[n - 1] in LEGAL_FORMS or (n < len(words) and words[n - 1] in _JOINS)):
        n -= 1
    forms = [SHORT_LEGAL_FORMS.get(word, word) for word in words[n:] if word in LEGAL_FORMS]
    bare = words[:n]
    if n > 1 and not forms and _LAST_INITIALS.search(text):  # `Smith, J.`
        bare = [bare[-1], *bare[:-1]]
    return Name(key, tuple(bare), tuple(forms))


def are_names(values: Iterable[str]) -> bool:
    """Whether the distinct *values* of a column are names: of people, places, firms or products.

    Most are few words, and most of these words begin with a capital, or have none in their script.
    Codes and identifiers, which have no word of three letters, are none; neither are phrases.
    """
    given = list(values)
    kinds = Counter(map(_is_name, given[:: 1 + len(given) // _MOST_LOOKED_AT]))
    return kinds[True] > 0 and kinds[True] >= _MOST * kinds.total()


def _is_name(value: str) -> bool:
    words = re.findall(r"[^\W\d_][\w'’.-]*", value)
    if not words or len(words) > _MOST_WORDS or len(value) > _MOST_CHARACTERS:
        return False
    if max(len(word) for word in re.findall(r"[^\W\d_]+", value)) < 3:
        return value.isalpha() and not value.islower()  # `GE`, `東京`, and no `B-12`
    n_digits = sum(map(str.isdigit, value))
    if 2 * n_digits > len(value):
        return False
    said = [word for word in words if word.casefold() not in STOP_WORDS] or words
    n_capital = sum(not word[0].islower() for word in said)
    return 2 * n_capital > len(said) and not said[0][0].islower()
