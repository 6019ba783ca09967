"""Merging: candidates that state one fact become one, and nothing else does.

Two places of a document that say the same in nearly all documents are one fact told twice. Two
labels that never meet in a document are one fact of two layouts if they share a word or a value,
and their values are of one sort. What shares neither is never merged, however well it would fit.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

from srag_mcp.rules.candidates import (
    Candidate,
    Found,
    agreement,
    likeness,
    overlap,
    plain_value,
    shape_of,
)
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


def merge(candidates: Sequence[Candidate], n_documents: int) -> list[Candidate]:
    """Join candidates for one fact; the first of each keeps its name."""
    return join_told_twice(join_layouts(candidates, n_documents))


def join_layouts(candidates: Sequence[Candidate], n_documents: int) -> list[Candidate]:
    """Join candidates that never meet in a document, the surest pair first."""
    ranked = [item for item in candidates if len(item.found) > 1][:_MAX_CANDIDATES]
    merging = _Layouts(ranked, n_documents)
    gone = merging.merge()
    return sorted((c for c in candidates if id(c) not in gone), key=lambda c: -len(c.found))


class _Layouts:
    """The candidates with their shapes; each merge computes the shape of the joined one again."""

    def __init__(self, candidates: Sequence[Candidate], n_documents: int) -> None:
        self._candidates = dict(enumerate(candidates))
        self._n_documents = n_documents
        self._plain = {n: item.plain() for n, item in self._candidates.items()}
        self._shapes = {n: shape_of(item) for n, item in self._candidates.items()}
        self._constant = {n for n, item in self._candidates.items() if not _varies(item)}

    def merge(self) -> set[int]:
        """Merge, and return the ids of those that are gone."""
        gone: set[int] = set()
        points = {pair: self._points(*pair) for pair in combinations(self._candidates, 2)}
        while points:
            kept, lost = max(points, key=lambda pair: (points[pair], -pair[0], -pair[1]))
            if points[kept, lost] < _ENOUGH:
                break
            other = self._candidates.pop(lost)
            gone.add(id(other))
            self._unite(kept, other)
            points = {
                pair: v for pair, v in points.items() if lost not in pair and kept not in pair
            }
            for name in self._candidates:
                if name != kept:
                    pair = (min(kept, name), max(kept, name))
                    points[pair] = self._points(*pair)
        return gone

    def _unite(self, kept: int, other: Candidate) -> None:
        candidate = self._candidates[kept]
        if says_more(other.label, candidate.label):
            candidate.labels.insert(0, other.label)
        candidate.absorb(other)
        self._plain[kept] = candidate.plain()
        self._shapes[kept] = shape_of(candidate)

    def _points(self, left: int, right: int) -> float:
        """Return how sure it is that both are one; 0.0 where they cannot be."""
        if {left, right} & self._constant or not self._may_be_one(left, right):
            return 0.0
        alike = likeness(self._shapes[left], self._shapes[right])
        if not alike:
            return 0.0
        one, other = self._candidates[left], self._candidates[right]
        words = _kinship(one, other)
        if words < 0 or (words <= 0 and not self._shares_values(left, right)):
            return 0.0
        expected = len(one.found) * len(other.found) / self._n_documents
        points = alike + max(words, 0.0) + _COMPLEMENT * (1 - math.exp(-expected))
        return points + _ONLY_ONE * (expected >= _MIN_EXPECTED and self._is_only_one(left, right))

    def _shares_values(self, left: int, right: int) -> bool:
        one, other = self._shapes[left], self._shapes[right]
        if one.kind == "code":
            return any(map(str.isalpha, one.detail)) and one.detail == other.detail
        return one.kind == "text" and overlap(one.values, other.values) >= _SAME_VALUES

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
        rivals = (n for n in self._candidates if n not in {left, right} and n not in self._constant)
        return shape.kind != "text" and all(
            self._may_be_one(left, other)
            for other in rivals
            if len(self._plain[other]) >= least
            and likeness(shape, self._shapes[other])
            and self._may_be_one(right, other)
        )


def _kinship(one: Candidate, other: Candidate) -> float:
    """Return how surely two candidates have one name; below 0 where their names exclude that."""
    if kinship(one.label, other.label) < 0:
        return -1.0
    words = max((kinship(a, b) for a in one.labels for b in other.labels), default=0.0)
    return words if words > 0 else max(_said_near(one, other), _said_near(other, one))


def _said_near(one: Candidate, other: Candidate) -> float:
    """Return how surely the words that nearly always stand near one are the name of the other."""
    wanted = {
        kin for label in other.labels[:1] for name in content_stems(label) for kin in kin_of(name)
    }
    near = {name for name, share in one.near.items() if share >= _USUAL}
    return _NEAR if wanted & near - general_stems() else 0.0


def _varies(candidate: Candidate) -> bool:
    return len(set(candidate.plain().values())) > 1


def join_told_twice(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Join candidates that say the same wherever both are there, the best named first.

    What only repeats, as a part of it or at the same place, is dropped; what another place says
    helps out where the first is silent, and is compared with it where it is not.
    """
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=_precedence):
        twin = next((other for other in kept if _says_the_same(other, candidate)), None)
        if twin is not None and not may_stand_in(twin, candidate):
            continue
        if twin is None:
            if not any(_stands_inside(other, candidate) for other in kept):
                kept.append(candidate)
        else:
            _take_in(twin, candidate)
    return kept


def _take_in(twin: Candidate, candidate: Candidate) -> None:
    """Let *twin* know what *candidate* says of the same fact: its name, if it has a better one."""
    labels, is_elsewhere = list(twin.labels), _elsewhere(twin, candidate)
    if is_elsewhere or candidate.found.keys() - twin.found.keys():
        twin.absorb(candidate)
    names_better = candidate.origin == "label" and says_more(candidate.label, twin.label)
    if names_better or not labels or (twin.origin == "slot" and candidate.origin == "place"):
        twin.labels = [*candidate.labels, *(one for one in labels if one not in candidate.labels)]
    elif not is_elsewhere and candidate.origin != "label":
        twin.labels = labels


_ORDER = ("label", "cell", "slot", "name", "item", "place")


def _precedence(candidate: Candidate) -> tuple[int, int]:
    return _ORDER.index(candidate.origin), -len(candidate.found)


def _says_the_same(left: Candidate, right: Candidate) -> bool:
    if left.origin == "item" or right.origin == "item":
        return False
    one, other = shape_kind(left), shape_kind(right)
    if one != other and {one, other} != {"text", "code"}:
        return False
    shared, alike = agreement(left.plain(), right.plain())
    enough = max(_MIN_SHARED, min(len(left.found), len(right.found)) / 2)
    return shared >= enough and alike >= _SAME


def shape_kind(candidate: Candidate) -> str:
    """Return what the values of a candidate are, without counting them."""
    return "amount" if candidate.is_number else str(candidate.guess.type)


def _stands_inside(other: Candidate, candidate: Candidate) -> bool:
    """Whether *candidate* mostly reads what *other* reads, or a part of it."""
    shared = other.found.keys() & candidate.found.keys()
    guess = candidate.origin in {"name", "place"}
    inside = sum(_is_part(candidate.found[n], other.found[n], is_guess=guess) for n in shared)
    return inside >= _INSIDE * len(candidate.found)


def _is_part(part: Found, whole: Found, *, is_guess: bool) -> bool:
    words = f" {fold_words(part.text)} "
    says = (
        is_guess
        and len(whole.text) <= 2 * len(part.text)
        and len(words) > _MIN_WORD
        and words in f" {fold_words(whole.text)} "
    )
    return _meet(whole.span, part.span) or (says and words.replace(" ", "").isalpha())


def may_stand_in(field: Candidate, other: Candidate) -> bool:
    """Whether what only *other* says lies where the values of *field* lie.

    The first date of a letter is its date, also where nothing says so. The first date of a form is
    its first field, and of a form without this field it is another fact: it lies elsewhere.
    """
    known, alone = (
        _sizes(field, field.found),
        _sizes(other, other.found.keys() - field.found.keys()),
    )
    if len(known) < _MIN_KNOWN or not alone:
        return True
    margin = _MARGIN * (known[-1] - known[0])
    inside = sum(known[0] - margin <= size <= known[-1] + margin for size in alone)
    return inside >= _SAME * len(alone)


def _sizes(candidate: Candidate, numbers: Iterable[int]) -> list[float]:
    """Return dates as days and numbers as they are, in order; texts have no size."""
    texts = (candidate.found[number].text for number in numbers)
    if candidate.guess.type == "date":
        days = (read_date(text) for text in texts)
        return sorted(float(day.toordinal()) for day in days if day is not None)
    plain = (plain_value(text, "number") for text in texts if candidate.is_number)
    return sorted(float(number) for number in plain if _is_float(number))


def _is_float(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).replace("e+", "", 1).isdigit()


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _elsewhere(left: Candidate, right: Candidate) -> bool:
    """Whether both mostly stand at different places."""
    shared = left.found.keys() & right.found.keys()
    apart = sum(not _meet(left.found[n].span, right.found[n].span) for n in shared)
    return 2 * apart > len(shared)
