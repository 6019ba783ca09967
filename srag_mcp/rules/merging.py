"""Merging: candidates that state one fact become one, and nothing else does.

Two places of a document that say the same in nearly all documents are one fact told twice. Two
labels that never meet in a document are one fact of two layouts if they share a word or a value,
and their values are of one sort. What shares neither is never merged, however well it would fit.
"""

import math
import re
from collections.abc import Sequence
from itertools import combinations

from srag_mcp.rules.candidates import Candidate, Found, likeness, overlap, shape_of
from srag_mcp.rules.kinship import content_stems, general_stems, kin_of, kinship, says_more
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words
from srag_mcp.values.dates import read_date

_ENOUGH = 1.25
_COMPLEMENT = 0.6
_ONLY_ONE = 0.4
_SAME_VALUES = 0.5
_MAX_MEETINGS = 0.03
_MAX_CANDIDATES = 150
_MIN_EXPECTED = 1.5
_MIN_SHARED = 3
# Two places that agree in nine documents of ten tell one fact; rules that agree at different places
# are right in 99.7 % (689 cells of six corpora).
_SAME = 0.9
_INSIDE = 0.6
_MIN_KNOWN = 5
_MARGIN = 0.5
_USUAL = 0.8
_NEAR = 0.6
_MIN_WORD = 5  # with a space on either side
_NUMERAL = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_ORDER = ("label", "cell", "slot", "name", "item", "place")


def join_layouts(candidates: Sequence[Candidate], n_documents: int) -> list[Candidate]:
    """Join candidates that never meet in a document, the surest pair first."""
    ranked = [item for item in candidates if len(item.found) > 1][:_MAX_CANDIDATES]
    gone = _Layouts(ranked, n_documents).merge()
    return sorted((c for c in candidates if id(c) not in gone), key=lambda c: -len(c.found))


class _Layouts:
    """The candidates with their shapes; each merge computes the shape of the joined one again."""

    def __init__(self, candidates: Sequence[Candidate], n_documents: int) -> None:
        self._candidates = dict(enumerate(candidates))
        self._n_documents = n_documents
        self._plain = {n: item.plain() for n, item in self._candidates.items()}
        self._shapes = {n: shape_of(item) for n, item in self._candidates.items()}
        self._constant = {n for n, own in self._plain.items() if len(set(own.values())) < 2}

    def merge(self) -> set[int]:
        """Merge, and return the ids of those that are gone."""
        gone: set[int] = set()
        points = {pair: self._points(*pair) for pair in combinations(self._candidates, 2)}
        while points:
            kept, lost = max(points, key=lambda pair: (points[pair], -pair[0], -pair[1]))
            if points[kept, lost] < _ENOUGH:
                break
            candidate, other = self._candidates[kept], self._candidates.pop(lost)
            gone.add(id(other))
            if says_more(other.label, candidate.label):
                candidate.labels.insert(0, other.label)
            candidate.absorb(other)
            self._plain[kept], self._shapes[kept] = candidate.plain(), shape_of(candidate)
            points = {p: v for p, v in points.items() if lost not in p and kept not in p}
            for name in self._candidates.keys() - {kept}:
                pair = (min(kept, name), max(kept, name))
                points[pair] = self._points(*pair)
        return gone

    def _points(self, left: int, right: int) -> float:
        """Return how sure it is that both are one; 0.0 where they cannot be."""
        if {left, right} & self._constant or not self._may_be_one(left, right):
            return 0.0
        shape, further = self._shapes[left], self._shapes[right]
        one, other = self._candidates[left], self._candidates[right]
        alike = likeness(shape, further)
        if not alike or kinship(one.label, other.label) < 0:
            return 0.0
        words = max((kinship(a, b) for a in one.labels for b in other.labels), default=0.0)
        if words <= 0:
            words = max(_said_near(one, other), _said_near(other, one))
        if shape.kind == "code":
            shares_values = shape.detail == further.detail and any(map(str.isalpha, shape.detail))
        else:
            is_text = shape.kind == "text"
            shares_values = is_text and overlap(shape.values, further.values) >= _SAME_VALUES
        if not words and not shares_values:
            return 0.0
        expected = len(one.found) * len(other.found) / self._n_documents
        points = alike + words + _COMPLEMENT * (1 - math.exp(-expected))
        return points + _ONLY_ONE * (expected >= _MIN_EXPECTED and self._is_only_one(left, right))

    def _may_be_one(self, left: int, right: int) -> bool:
        """Whether hardly any document gives both, or gives them different values."""
        one, other = self._plain[left], self._plain[right]
        shared = one.keys() & other.keys()
        differ = sum(one[number] != other[number] for number in shared)
        least = _MAX_MEETINGS * min(len(one), len(other))
        rules = self._candidates[left].rules[0], self._candidates[right].rules[0]
        sections = {getattr(rule, "section", None) for rule in rules} - {None}
        return differ <= least and len(shared) - differ <= max(1, least) and len(sections) < 2

    def _is_only_one(self, left: int, right: int) -> bool:
        """Whether all that *right* never meets are alternatives of *left* as well."""
        shape = self._shapes[left]
        least = len(self._plain[right]) / 2
        rivals = self._candidates.keys() - {left, right} - self._constant
        return shape.kind != "text" and all(
            self._may_be_one(left, other)
            for other in rivals
            if len(self._plain[other]) >= least
            and likeness(shape, self._shapes[other])
            and self._may_be_one(right, other)
        )


def _said_near(one: Candidate, other: Candidate) -> float:
    """Return how surely the words that nearly always stand near one are the name of the other."""
    near = {name for name, share in one.near.items() if share >= _USUAL} - general_stems()
    wanted = (kin_of(name) for label in other.labels[:1] for name in content_stems(label))
    return _NEAR if any(kin & near for kin in wanted) else 0.0


def join_told_twice(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Join candidates that say the same wherever both are there, the best named first.

    What only repeats, as a part of it or at the same place, is dropped; what another place says
    helps out where the first is silent, and is compared with it where it is not.
    """
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (_ORDER.index(c.origin), -len(c.found))):
        twins = [other for other in kept if _says_the_same(other, candidate)]
        twin = next(iter(twins), None)
        if any(kinship(one.label, other.label) < 0 for one, other in combinations(twins, 2)):
            continue  # the first date of a form is its start date here, its end date there
        if twin is None:
            if not any(_stands_inside(other, candidate) for other in kept):
                kept.append(candidate)
        elif may_stand_in(twin, candidate):
            _take_in(twin, candidate)
    return kept


def _take_in(twin: Candidate, candidate: Candidate) -> None:
    """Let *twin* know what *candidate* says of the same fact: its name, if it has a better one."""
    labels = list(twin.labels)
    shared = twin.found.keys() & candidate.found.keys()
    apart = sum(not _meet(twin.found[n].span, candidate.found[n].span) for n in shared)
    is_elsewhere = 2 * apart > len(shared)
    if is_elsewhere or candidate.found.keys() - twin.found.keys():
        twin.absorb(candidate)
    names_better = candidate.origin == "label" and says_more(candidate.label, twin.label)
    if names_better or not labels or (twin.origin == "slot" and candidate.origin == "place"):
        twin.labels = [*candidate.labels, *(one for one in labels if one not in candidate.labels)]
    elif not is_elsewhere and candidate.origin != "label":
        twin.labels = labels


def _says_the_same(left: Candidate, right: Candidate) -> bool:
    kinds = {"amount" if item.is_number else str(item.guess.type) for item in (left, right)}
    if "item" in {left.origin, right.origin} or len(kinds) > 1:
        return False
    one, other = left.plain(), right.plain()
    shared = one.keys() & other.keys()
    same = sum(one[number] == other[number] for number in shared)
    enough = max(_MIN_SHARED, min(len(one), len(other)) / 2)
    return len(shared) >= enough and same >= _SAME * len(shared)


def _stands_inside(other: Candidate, candidate: Candidate) -> bool:
    """Whether *candidate* mostly reads what *other* reads, or a part of it."""
    is_guess = candidate.origin in {"name", "place"}

    def is_part(part: Found, whole: Found) -> bool:
        words = f" {fold_words(part.text)} "
        says = is_guess and len(whole.text) <= 2 * len(part.text) and len(words) > _MIN_WORD
        says = says and words.replace(" ", "").isalpha()
        is_said = says and words in f" {fold_words(whole.text)} "
        return _meet(whole.span, part.span) or is_said

    shared = other.found.keys() & candidate.found.keys()
    inside = sum(is_part(candidate.found[n], other.found[n]) for n in shared)
    return inside >= _INSIDE * len(candidate.found)


def may_stand_in(field: Candidate, other: Candidate) -> bool:
    """Whether what only *other* says lies where the values of *field* lie.

    The first date of a letter is its date, also where nothing says so. The first date of a form is
    its first field, and of a form without this field it is another fact: it lies elsewhere.
    """
    known = _sizes(field, field.plain())
    alone = {n: text for n, text in other.plain().items() if n not in field.found}
    sizes = _sizes(other, alone)
    if len(known) < _MIN_KNOWN or not sizes:
        return True
    margin = _MARGIN * (known[-1] - known[0])
    inside = sum(known[0] - margin <= size <= known[-1] + margin for size in sizes)
    return inside >= _SAME * len(sizes)


def _sizes(candidate: Candidate, plain: dict[int, str]) -> list[float]:
    """Return dates as days and numbers as they are, in order; texts have no size."""
    if candidate.guess.type == "date":
        days = map(read_date, plain.values())
        return sorted(float(day.toordinal()) for day in days if day is not None)
    numbers = plain.values() if candidate.is_number else ()
    return sorted(float(text) for text in numbers if _NUMERAL.fullmatch(text))


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
