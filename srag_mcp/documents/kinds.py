"""Which kinds of documents a folder holds, by the words that recur in each kind.

Documents of one kind say the same words again and again ("invoice", "due", "total"), whatever they
say it of; documents of two kinds share few of them. Nothing else tells kinds apart here: a kind may
have several layouts, formats and folders.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import chain, islice
from operator import lt
from statistics import quantiles
from typing import TypeAlias

from srag_mcp.text.words import content_words, fold_words, stem
from srag_mcp.values.states import LEGAL_FORMS, MONTHS

Words: TypeAlias = frozenset[str]

# Measured on 15 folders of one kind and 120 mixtures of two to eight of them. By what is usual in
# either, two kinds are alike by 0.20 at most (invoices and receipts), layouts of one kind by 0.28
# and more; what one author writes says much that the others do not, but half of what they do
# (0.49), where another kind says 0.38 of it at most. A word that half of a kind's documents say
# is usual in it.
_ALIKE, _WITHIN = 0.22, 0.44
_USUAL = 0.5
# Of fewer documents it is not known which words recur.
MIN_DOCUMENTS = 5
# How far an outlier lies from the middle half of a kind, in widths of that (Tukey); a few that are
# like each other are told at a smaller distance, at which seven folders of one kind had none.
_ALONE, _FEW = 1.5, 1.0
# More centres leave groups too small to say what recurs in them; each group is looked at again.
_N_SEEDS, _N_EACH = 8, 3
_MAX_TURNS = 12
# At its top a document says what it is, and its number, in a few lines that are no sentences.
_N_TOP, _MAX_LINE = 4, 80
_NAME_END = re.compile(r"\S*\d|:|\s[-–—|·]\s")
_CODE, _WORD = re.compile(r"[\w/-]*\d[\w/-]*"), re.compile(r"[^\W\d_]*$")


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """Documents that are written alike.

    Attributes:
        shares: By stem, the share of them that say it; without what hardly one says.
        besides: How alike a document of another kind is to it that is of this one, too.
        least: How alike the least of its own documents are to it, but for outliers.
    """

    members: tuple[int, ...]
    shares: Mapping[str, float]
    besides: float = math.inf
    least: float = -math.inf

    def usual(self) -> list[str]:
        """Return the stems that half of them say, the most frequent first."""
        found = [word for word, share in self.shares.items() if share >= _USUAL]
        return sorted(found, key=lambda word: (-self.shares[word], word))

    def typical(self, documents: Sequence[Words], n: int) -> list[int]:
        """Return the places of *n* members that say most of what is usual in it."""
        usual = {*self.usual()}
        return nlargest(n, self.members, key=lambda place: len(documents[place] & usual))

    def score(self, words: Words) -> float:
        """Return how alike a document is to the members: 1 and more for one of this kind."""
        alone = DocumentKind((0,), dict.fromkeys(words, 1.0))
        return self.likeness(alone) if words and self.usual() else 0.0

    def likeness(self, other: "DocumentKind") -> float:
        """Return how alike two are: 1 and more for one kind.

        A document alone does not show what is usual in a kind of its own.
        """
        small, large = sorted((other, self), key=lambda kind: len(kind.members))
        usual = set(large.usual())
        within = _overlap(usual, large.shares, small.shares)
        if len(small.members) == 1:
            return within / _ALIKE
        of_both = _overlap({*usual, *small.usual()}, large.shares, small.shares)
        return max(of_both / _ALIKE, within / _WITHIN)


def _overlap(words: Set[str], one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return how much of what the documents of both say they have in common, 0 to 1."""
    pairs = [(one.get(word, 0.0), other.get(word, 0.0)) for word in words]
    most = sum(map(max, pairs))
    return sum(map(min, pairs)) / most if most else 1.0


def words_of(text: str) -> Words:
    """Return what a document is compared by: the stems of its content words without digits."""
    return frozenset(stem(word) for word in set(content_words(text)) if word.isalpha())


def find_kinds(documents: Sequence[Words]) -> list[DocumentKind]:
    """Group documents by kind, the largest kind first; some may be of none, or of several.

    A few that are like each other and not like a kind are of none, though each alone may seem to be
    of it: three invoices among receipts.
    """
    found, left = list[DocumentKind](), [tuple(range(len(documents)))]
    while left:
        places = left.pop()
        parts = _part(places, documents)
        if len(parts) == 1:
            found += parts
        else:
            left += [part.members for part in parts]
    kinds = [kind for kind in found if len(kind.members) >= MIN_DOCUMENTS]
    members = [list(kind.members) for kind in kinds]
    few = [kind for kind in found if len(kind.members) < MIN_DOCUMENTS]
    for place, part in sorted((place, at) for at, x in enumerate(few) for place in x.members):
        at = find_kind(documents[place], kinds)
        if at is not None and not _is_apart(few[part], kinds[at], documents):
            members[at].append(place)
    found = [kind_of(sorted(places), documents) for places in members]
    settled = [
        replace(
            kind,
            besides=_besides(kind, found, documents),
            least=_fence(kind, documents, _ALONE),
        )
        for kind in found
    ]
    kinds = [replace(kind, members=_of_one(kind, settled, documents)) for kind in settled]
    return sorted(kinds, key=lambda kind: (-len(kind.members), kind.members))


def find_kind(words: Words, kinds: Sequence[DocumentKind]) -> int | None:
    """Return which of *kinds* a document is of; None where it is like none of them, or several."""
    fitting = fitting_kinds(words, kinds)
    return fitting[0] if len(fitting) == 1 else None


def fitting_kinds(words: Words, kinds: Sequence[DocumentKind]) -> list[int]:
    """Return which of *kinds* a document is like, the most alike first."""
    scores = [kind.score(words) for kind in kinds]
    best = max(range(len(kinds)), key=lambda at: scores[at], default=None)
    if best is None or scores[best] < 1:
        return []
    return [best, *(at for at, x in enumerate(kinds) if at != best and scores[at] >= x.besides)]


def _is_apart(few: DocumentKind, kind: DocumentKind, documents: Sequence[Words]) -> bool:
    """Whether a few documents are not of *kind*: as one, and each less than nearly all that are."""
    if len(few.members) == 1 or kind.likeness(few) >= 1:
        return False
    least = _fence(kind, documents, _FEW)
    return all(kind.score(documents[place]) < least for place in few.members)


def find_odd(documents: Sequence[Words], kinds: Sequence[DocumentKind]) -> list[int]:
    """Return the places of documents that `find_kinds` found to be like none of *kinds*.

    Where these are not most of the documents, nothing is odd.
    """
    members = {place for kind in kinds for place in kind.members}
    if 2 * len(members) <= len(documents):
        return []
    return [
        place
        for place, words in enumerate(documents)
        if place not in members
        and (is_odd(words, kinds) or len(fitting_kinds(words, kinds)) == 1)  # with a few others
    ]


def is_odd(words: Words, kinds: Sequence[DocumentKind]) -> bool:
    """Whether a document alone is like none of *kinds*, and much less than their documents are."""
    scores = [kind.score(words) for kind in kinds]
    return max(scores, default=1) < 1 and all(map(lt, scores, (kind.least for kind in kinds)))


def _codes_of(text: str) -> Iterator[str]:
    """Yield the codes of a text; with the word before it, what is a number alone: `invoice 7`."""
    before = ""
    for token in text.casefold().replace(".", " ").split():
        for code in () if token.isalpha() else _CODE.findall(token):
            word = _WORD.findall(before)[0] if token.startswith(code) else ""
            yield code if any(map(str.isalpha, code)) else f"{word} {code}"
        before = token


def _calls(text: str) -> dict[str, str]:
    """Return what the first lines of a document call it, and its codes: `invoice`, `inv-7`."""
    found = dict[str, str]()
    for line in islice(filter(str.strip, text.splitlines()), _N_TOP):
        value = line.partition(":")[2].strip().casefold()
        name = [x for x in fold_words(_NAME_END.split(line)[0]).split() if x not in MONTHS]
        code = next(_codes_of(value or line), "")
        is_name = len(line) <= _MAX_LINE and value in {"", code}  # no other label
        if is_name and name and name[-1] not in LEGAL_FORMS:
            found[" ".join(name)] = code
    return found


def find_apart(read: Callable[[], Iterable[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """Yield which documents most others are not like, of those *read* by path and text, and why.

    In place of what most call themselves they say what none of these does: a credit note among
    invoices. Or they name another one by a code that most have under one name, and each its own, as
    a correction does; where it is usual to name others, none is told.
    """
    tops = {path: _calls(text) for path, text in read()}
    usual = [name for name, n in Counter(chain(*tops.values())).items() if 2 * n > len(tops)]
    codes = [{path: top[name] for path, top in tops.items() if top.get(name)} for name in usual]
    apart = [x for x in codes if len({*x.values()}) == len(x)]
    own = {code: path for x in apart for path, code in x.items()}
    named = ((path, x) for path, text in (read() if own else ()) for x in _codes_of(text))
    found = {path: own[x] for path, x in named if own.get(x, path) != path}
    yield from ((x, f"names {found[x]}") for x in found if 2 * len(found) < len(tops))
    for name in usual:
        known = {x for top in tops.values() if name in top for x in top}
        at = {place for top in tops.values() for place, x in enumerate(top) if x == name}
        for path, top in tops.items():
            called = [x for place, x in enumerate(top) if place in at and x not in known]
            if called and name not in top:
                yield path, f"is called {called[0]}, not {name}"


def _fence(kind: DocumentKind, documents: Sequence[Words], distance: float) -> float:
    """Return how alike to *kind* an outlier of its documents is at most."""
    low, high = _quartiles(kind, kind, documents)
    return low - distance * (high - low)


def _of_one(
    kind: DocumentKind, kinds: Sequence[DocumentKind], documents: Sequence[Words]
) -> tuple[int, ...]:
    """Return the members of *kind* that are of no other one of *kinds* as well."""
    others = [x for x in kinds if x is not kind]
    return tuple(
        place
        for place in kind.members
        if all(other.score(documents[place]) < other.besides for other in others)
    )


def _besides(
    kind: DocumentKind, kinds: Sequence[DocumentKind], documents: Sequence[Words]
) -> float:
    """Return how alike to *kind* a document of another one is that is of both."""
    least = [_fence(kind, documents, 0)]
    for other in kinds:
        if other is not kind:
            low, high = _quartiles(other, kind, documents)
            least.append(math.nextafter(high + _ALONE * (high - low), math.inf))
    return max(least) if len(kinds) > 1 else math.inf


def _quartiles(
    kind: DocumentKind, to: DocumentKind, documents: Sequence[Words]
) -> tuple[float, float]:
    """Return between which likenesses *to* another kind the middle half of the members lies."""
    low, _, high = quantiles([to.score(documents[x]) for x in kind.members], method="inclusive")
    return low, high


def _part(places: Sequence[int], documents: Sequence[Words]) -> list[DocumentKind]:
    """Part documents into groups that are not alike."""
    clusters = _cluster(places, documents)
    groups = {at: kind_of(members, documents) for at, members in enumerate(clusters)}
    pairs = {(at, to): groups[at].likeness(groups[to]) for at in groups for to in range(at)}
    while pairs:
        (at, to), likeness = max(pairs.items(), key=lambda item: (item[1], item[0]))
        if likeness < 1:
            break
        joined = sorted((*groups.pop(at).members, *groups[to].members))
        groups[to] = kind_of(joined, documents)
        pairs = {pair: value for pair, value in pairs.items() if at not in pair}
        for pair in ((max(other, to), min(other, to)) for other in groups if other != to):
            pairs[pair] = groups[pair[0]].likeness(groups[pair[1]])
    return [*groups.values()]


def kind_of(members: Sequence[int], documents: Sequence[Words]) -> DocumentKind:
    """Return the kind that *members* of documents make."""
    counts = Counter(word for place in members for word in documents[place])
    least = min(2, len(members))
    shares = {word: n / len(members) for word, n in counts.items() if n >= least}
    return DocumentKind(tuple(members), shares)


def _cluster(places: Sequence[int], documents: Sequence[Words]) -> list[list[int]]:
    """Group by the nearest of a few centres, which start far from one another (k-means)."""
    spread = Counter(word for place in places for word in documents[place])
    # What tells kinds apart is said by a good part of the documents and not by the rest: rarity
    # alone would put together what shares a name.
    shares = {word: n / len(places) for word, n in spread.items() if n > 1}
    weights = {word: math.sqrt(share) * -math.log(share) for word, share in shares.items()}
    vectors = [
        _unit({word: weights[word] for word in documents[place] if weights.get(word)})
        for place in places
    ]
    # A document without a word that recurs is like no other, and no centre for others either.
    first = next((vector for vector in vectors if vector), {})
    centres = [first]
    nearest = [_cosine(vector, first) if vector else 1.0 for vector in vectors]
    while len(centres) < min(_N_SEEDS, max(1, len(places) // _N_EACH)):
        far = min(range(len(vectors)), key=lambda at: nearest[at])
        centres.append(vectors[far])
        nearest = [
            max(near, _cosine(vector, vectors[far]))
            for near, vector in zip(nearest, vectors, strict=True)
        ]
    labels: list[int] = []
    for _ in range(_MAX_TURNS):
        now = [
            max(range(len(centres)), key=lambda at: _cosine(vector, centres[at]))
            for vector in vectors
        ]
        if now == labels:
            break
        labels = now
        sums = [Counter[str]() for _ in centres]
        for label, vector in zip(labels, vectors, strict=True):
            sums[label].update(vector)
        centres = [_unit(total) for total in sums]
    groups: dict[int, list[int]] = {}
    for label, place, vector in zip(labels, places, vectors, strict=True):
        groups.setdefault(label if vector else -1 - place, []).append(place)
    return list(groups.values())


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
    return {word: value / length for word, value in vector.items()}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(value * other.get(word, 0.0) for word, value in one.items())
