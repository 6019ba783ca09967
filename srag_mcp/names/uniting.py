"""Names that mean one thing in a column: by code where it is certain, by a model, by a person."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from srag_mcp.text.words import STOP_WORDS, fold, fold_word, stem
from srag_mcp.values.states import ARTICLES, LEGAL_FORMS, SHORT_LEGAL_FORMS, TITLES

_PLAIN = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,})*")
_APOSTROPHES = re.compile(r"(?<=\w)['’‘`´](?=\w)")
_DIGITS_BEGIN_OR_END = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_LONE_MARKS = re.compile(r"""(?<!\S)[^\w\s.,;:/&'’"“”()\[\]‐-―-]+(?!\S)""")
_SINGLES = re.compile(r"(?<!\S)[^\W\d_](?: [^\W\d_])+(?!\S)")
_ROMAN = re.compile(r"(?=..)x{0,3}(?:ix|iv|v?i{0,3})")
_LAST_INITIALS = re.compile(r",\s*(?:[^\W\d_](?:\.|\s|$)\s*)+$")
_JOINS = frozenset({"&", "and", "und", "et", "y", "e"})
_MARKED = re.compile(r"\w[./]\w")
_VOWEL = re.compile(r"[aeiou]")
_MOST_WORDS, _MOST_CHARACTERS = 10, 90  # a longer text is a phrase or an address
_MOST_LOOKED_AT = 2_000  # values of a column, spread evenly: what they are does not hang on a few
_MOST = 0.8  # of the values of a column of names are written as names; the rest is noise
LONGEST_ACRONYM = 6
_SURE, _AMONG_COMPANIES = 2, 1


def fold_name(text: str) -> str:
    """Return *text* without case, punctuation and the spaces that stand for it.

    `J.P. Müller & Sons` -> `jp müller and sons`; `F-16` and `F16` -> `f 16`; accents stay, for
    Münster is not Munster, and so do marks that make another value of a word, see
    `text.words.fold`, or stand for a word: a game against `@ Twins` is played at their place. Two
    names that fold alike are the same.
    """
    if _PLAIN.fullmatch(text):  # nearly all are, and columns are long
        return text.lower()
    folded = fold(_APOSTROPHES.sub("", text))
    spread = _DIGITS_BEGIN_OR_END.sub(" ", folded)
    joined = _SINGLES.sub(lambda match: match[0].replace(" ", ""), spread)
    marks = " ".join(_LONE_MARKS.findall(text))
    return f" {joined} {marks}".replace(" & ", " and ").strip()


@dataclass(frozen=True)
class Name:
    """A name as its words, folded.

    Attributes:
        key: The whole name, see `fold_name`: two names with one key are the same.
        bare: Its words without the legal forms at its end, and an article in small letters before.
        forms: These legal forms, in short: `limited` is `ltd`.
        surety: How far these are legal forms, see `_surety`.
        is_cut: Whether the last word is an initial: `Marta O.`, and not `Part O`.
    """

    key: str
    bare: tuple[str, ...]
    forms: tuple[str, ...]
    surety: int = 0
    is_cut: bool = False

    @cached_property
    def designators(self) -> tuple[str, ...]:
        """What tells things of one name apart: numbers, a letter at the end, Roman numerals."""
        last = len(self.bare) - 1
        return tuple(
            sorted(
                word
                for place, word in enumerate(self.bare)
                if any(map(str.isdigit, word))
                or (place == last and last > 0 and len(word) == 1 and not self.is_cut)
                or (place > 0 and _ROMAN.fullmatch(word) is not None)
            )
        )

    @cached_property
    def squashed(self) -> str:
        """The words without the spaces between them: `mc donald` is `mcdonald`."""
        return "".join(self.bare)

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Its words without function words, and of `Mrs Tranter` the surname alone."""
        is_titled = len(self.bare) == 2 and len(self.bare[0]) > 1 and self.bare[0] in TITLES
        said = self.bare[1:] if is_titled else self.bare
        return tuple(word for word in said if word not in STOP_WORDS)

    @cached_property
    def initials(self) -> frozenset[str]:
        """The first letters of its words, with and without function words and legal forms."""
        if len(self.bare) < 2:
            return frozenset()
        rows = (row + forms for row in (self.bare, self.content) for forms in ((), self.forms))
        return frozenset("".join(word[0] for word in row) for row in rows if len(row) > 1)


def read_name(text: str) -> Name:
    """Read a name: `Acme Holding Co., Limited` -> `acme holding`, forms `co`, `ltd`.

    `the Borough Council` -> `borough council`; in `The Who` the article is a part of the name.
    """
    key = fold_name(text)
    words = key.split()
    n = len(words)
    while n > 1 and (words[n - 1] in LEGAL_FORMS or (n < len(words) and words[n - 1] in _JOINS)):
        n -= 1
    forms = tuple(SHORT_LEGAL_FORMS.get(word, word) for word in words[n:] if word in LEGAL_FORMS)
    bare = words[:n]
    if n > 1 and not forms and _LAST_INITIALS.search(text):  # `Smith, J.`
        bare = [bare[-1], *bare[:-1]]
    if len(bare) > 1 and text.split()[0] in ARTICLES:
        bare = bare[1:]
    said = text.split()[n - 1 - len(words) :] if forms else []  # the forms, and what is before
    surety = max((_surety(*pair) for pair in pairwise(said)), default=0)
    return Name(key, tuple(bare), forms, surety, is_cut=not forms and text.endswith("."))


def _surety(before: str, word: str) -> int:
    """Return how far the last *word* of a name is a legal form, as it is written.

    2 where it can be nothing else: an abbreviation, no word that can be spoken, or one with marks
    or capitals within: `Ltd`, `GmbH`, `S.p.A.`. 1 where it is one among companies, and else may
    be a word or a state: `Limited`, `AG`. 0 for a word: `Boston Spa`, `Ontario, CA`.
    """
    letters = re.sub(r"\W", "", word)
    form = letters.casefold()
    if form not in LEGAL_FORMS:
        return 0
    if len(form) > 2:
        is_mixed = not letters[1:].islower() and not letters.isupper()
        is_short = form in SHORT_LEGAL_FORMS.values() or not _VOWEL.search(form)
        if is_short or is_mixed or _MARKED.search(word):
            return _SURE
        return _AMONG_COMPANIES if form in SHORT_LEGAL_FORMS else 0
    return 0 if before.endswith(",") and letters.isupper() else _AMONG_COMPANIES


def are_names(values: Iterable[str]) -> bool:
    """Whether the distinct *values* of a column are written as names of people, firms, places.

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


def closed_set(categories: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return *categories* that were found, but for names, of which any may come in any spelling."""
    return None if not categories or are_names(categories) else tuple(categories)


def describe_things(names: Iterable[Name], plain: Collection[str]) -> bool:
    """Whether *names* say what things are, as titles do, rather than name them.

    Most of their words stand in documents in small letters, too: *plain*, as stems. Nothing is to
    be united there: `Senior Software Engineer` is no spelling of `Software Engineer`.
    """
    words = {word for name in names for word in name.content if len(word) > 1 and word.isalpha()}
    return 2 * sum(stem(fold_word(word)) in plain for word in words) > len(words)


Decision: TypeAlias = Literal["same", "apart", "forget"]
"""Of names: they mean one thing; no two of them do; code and model decide on them again."""


class Same(BaseModel):
    """Names that mean one thing: folded, see `fold_name`; *name* is the spelling to keep."""

    model_config = ConfigDict(frozen=True)

    name: str
    keys: tuple[str, ...]


class Verdict(BaseModel):
    """What a model said of one doubtful group: which of its names are the same; else none are."""

    model_config = ConfigDict(frozen=True)

    keys: tuple[str, ...]
    same: tuple[Same, ...] = ()


class Decided(BaseModel):
    """What a person said of a column: names that are one thing, and names of which no two are.

    The first of those that are one is the spelling to keep. A name stands for all that fold alike.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    same: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, ...], ...] = ()

    def pairs_apart(self) -> frozenset[frozenset[str]]:
        """Return the pairs of folded names that are not one thing."""
        folded = ([*dict.fromkeys(map(fold_name, names))] for names in self.apart)
        return frozenset(frozenset(pair) for keys in folded for pair in combinations(keys, 2))

    def parts(self, values: Iterable[str]) -> bool:
        """Whether a person said of two of *values* that they are not the same."""
        pairs = combinations(map(fold_name, values), 2)
        return not self.pairs_apart().isdisjoint(map(frozenset, pairs))

    def decide(self, decision: Decision, names: Sequence[str]) -> "Decided":
        """Return what is decided when *names* are decided anew: no two of them are as before."""
        said = set(map(fold_name, names))
        least = 1 if decision == "forget" else 2

        def is_said(group: Iterable[str]) -> bool:
            return sum(fold_name(name) in said for name in group) >= least

        same, apart = [*self.same], [x for group in self.apart for x in combinations(group, 2)]
        if decision != "apart":
            apart = [pair for pair in apart if not is_said(pair)]
        if decision != "same":
            same = [
                tuple(name for name in group if fold_name(name) not in said or not is_said(group))
                for group in same
            ]
        same = [tuple(names), *same] if decision == "same" else same
        apart += combinations(names, 2) if decision == "apart" else ()
        kept = tuple(group for group in dict.fromkeys(same) if len(group) > 1)
        return Decided(same=kept, apart=tuple(dict.fromkeys(apart)))


UNDECIDED = Decided()


@dataclass(frozen=True, slots=True)
class Thing:
    """Spellings that mean one thing.

    Attributes:
        name: Of the spelling that is kept, as words.
        spellings: Values of the column, the one that is kept first.
        keys: Of all spellings, folded.
        n_records: Records with any of them.
    """

    name: Name
    spellings: tuple[str, ...]
    keys: frozenset[str]
    n_records: int


def unite(
    counts: Mapping[str, int],
    decided: Decided = UNDECIDED,
    verdicts: Sequence[Verdict] = (),
) -> list[Thing]:
    """Unite the values of a column that mean one thing.

    `counts` has the number of records of each value. A person wins over code, and code over a
    model. Where the column is not one of names, only what a person or a model said counts.
    """
    names = {value: read_name(value) for value in counts}
    apart, sets = decided.pairs_apart(), dict[str, list[str]]()

    def join(keys: Sequence[str]) -> None:
        for key in keys[1:]:
            one, other = (sets.setdefault(x, [x]) for x in (keys[0], key))
            are_apart = apart and any(frozenset((a, b)) in apart for a in one for b in other)
            if one is not other and not are_apart:
                one += other
                sets.update(dict.fromkeys(other, one))

    kept = [same[0] for same in decided.same]
    for same in decided.same:
        join([fold_name(name) for name in same])
    of_names = are_names(counts)
    for keys in _certain(names.values()) if of_names else ():
        join(keys)
    for found in (found for verdict in reversed(verdicts) for found in verdict.same):
        join(found.keys)
        kept.append(found.name)
    groups: dict[str, list[str]] = {}
    for value, name in names.items():
        is_one = name.key and (of_names or name.key in sets)  # `—` has no words, and no key
        root = sets.get(name.key, [name.key])[0] if is_one else value
        groups.setdefault(root, []).append(value)
    ranks = {fold_name(name): place for place, name in reversed([*enumerate(kept)])}

    def rank(value: str) -> tuple[object, ...]:
        """Sort what is to be kept first, then the most frequent, not in capitals, the longest."""
        place = ranks.get(names[value].key, len(kept))
        is_other = place < len(kept) and kept[place] != value
        return place, is_other, -counts[value], value.isupper(), -len(value), value

    things = []
    for values in groups.values():
        values.sort(key=rank)
        own = frozenset(names[value].key for value in values)
        n_records = sum(counts[value] for value in values)
        things.append(Thing(names[values[0]], tuple(values), own, n_records))
    return things


def _certain(names: Collection[Name]) -> Iterable[list[str]]:
    """Yield the folded names that are the same but for their legal form or article."""
    of_bare: dict[tuple[str, ...], dict[tuple[str, ...], set[str]]] = {}
    for name in names:
        if name.bare:
            of_bare.setdefault(name.bare, {}).setdefault(name.forms, set()).add(name.key)
    sure = {name.bare for name in names if name.surety == _SURE}
    are_companies = len(sure) > 1  # one may be a title: `Monsters, Inc.` is not `Monsters`
    companies = {name.bare for name in names if name.surety} if are_companies else set()
    for bare, by_forms in of_bare.items():
        if bare in companies and len(by_forms.keys() - {()}) == 1:
            yield sorted(set().union(*by_forms.values()))
        else:
            yield from (sorted(keys) for keys in by_forms.values() if len(keys) > 1)
