"""Merging: candidates that state one fact become one, and nothing else does.

Two places of a document that say the same in nearly all documents are one fact told twice. Two
labels that never meet in a document are one fact of two layouts if they share a word or a value,
and their values are of one sort. What shares neither is never merged, however well it would fit.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from srag_mcp.rules.candidates import Candidate, Found, join_surest, likeness, overlap
from srag_mcp.rules.kinship import kinship, says_more
from srag_mcp.schema.attribute import KeyRule, SlotRule
from srag_mcp.text.words import fold_words
from srag_mcp.values.dates import read_date

_ENOUGH = 1.25
_COMPLEMENT = 0.6
_SAME_VALUES = 0.5
_MAX_MEETINGS = 0.03
_MAX_CANDIDATES = 150
_MIN_SHARED = 3
# Two places that agree in nine documents of ten tell one fact; rules that agree at different places
# are right in 99.7 % (689 cells of six corpora).
_SAME = 0.9
_INSIDE = 0.6
_MIN_KNOWN = 5
_MARGIN = 0.5
_MIN_WORD = 5  # with a space on either side
_NUMERAL = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_ORDER = ("label", "cell", "slot", "name", "item", "place")


def join_layouts(candidates: Sequence[Candidate], n_documents: int) -> list[Candidate]:
    """Join candidates that never meet in a document, the surest pair first."""

    def join(kept: Candidate, lost: Candidate) -> None:
        if says_more(lost.label, kept.label):
            kept.labels.insert(0, lost.label)
        kept.absorb(lost)

    several = [item for item in candidates if len(item.found) > 1][:_MAX_CANDIDATES]
    left = join_surest(several, lambda a, b: _sureness(a, b, n_documents), join, _ENOUGH)
    gone = {*several} - {*left}
    return sorted((c for c in candidates if c not in gone), key=lambda c: -len(c.found))


def _sureness(one: Candidate, other: Candidate, n_documents: int) -> float:
    """Return how sure it is that both are one fact; 0.0 where they cannot be."""
    is_constant = any(len(set(item.plain.values())) < 2 for item in (one, other))
    rules = (*one.rules, *other.rules)
    # "5 per 1,000" in running text is no rate in percent, nor "VAT 5 %: 30" a VAT of 5
    sorts = {rule.value_type for rule in rules if isinstance(rule, SlotRule)}
    parts = {rule.reads == "label" for rule in rules if isinstance(rule, KeyRule)}
    if is_constant or max(len(sorts), len(parts)) > 1 or _meet_too_often(one, other):
        return 0.0
    shape, further = one.shape, other.shape
    alike = likeness(shape, further)
    if not alike or kinship(one.label, other.label) < 0:
        return 0.0
    kin = [[kinship(a, b) for b in other.labels] for a in one.labels]
    words = max([0.0, *(akin for row in kin for akin in row)])
    # Most names of either are akin: "items" are "total items", and these are no "total".
    for rows in (kin, [*zip(*kin, strict=True)]) if words else ():
        words *= 2 * sum(max(row) > 0 for row in rows) > len(rows)
    if shape.kind == "code":
        shares_values = shape.detail == further.detail and any(map(str.isalpha, shape.detail))
    else:
        is_text = shape.kind == "text"
        shares_values = is_text and overlap(shape.values, further.values) >= _SAME_VALUES
    if not words and not shares_values:
        return 0.0
    expected = len(one.found) * len(other.found) / n_documents
    return alike + words + _COMPLEMENT * (1 - math.exp(-expected))


def _meet_too_often(one: Candidate, other: Candidate) -> bool:
    """Whether many a document gives both, or some give them different values.

    Below different headings a label says different things. Values that are often equal from one
    document to the next may be equal by chance: one meeting tells that the labels are two.
    """
    sections = {getattr(item.rules[0], "section", None) for item in (one, other)} - {None}
    shared = one.plain.keys() & other.plain.keys()
    if shared and max(map(_equal_by_chance, (one, other))) > _MAX_MEETINGS:
        return True
    differ = sum(one.plain[number] != other.plain[number] for number in shared)
    least = _MAX_MEETINGS * min(len(one.plain), len(other.plain))
    return differ > least or len(shared) - differ > max(1, least) or len(sections) > 1


def _equal_by_chance(candidate: Candidate) -> float:
    """Return how many pairs of documents state the same value, 0 to 1."""
    counts = Counter(candidate.plain.values())
    n = counts.total()
    return sum(one * (one - 1) for one in counts.values()) / max(1, n * (n - 1))


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
        elif may_stand_in(twin, candidate) and not _is_said_by(kept, candidate, twin):
            _take_in(twin, candidate)
    return kept


def _take_in(twin: Candidate, candidate: Candidate) -> None:
    """Let *twin* know what *candidate* says of the same fact: its name, if it has a better one."""
    labels = list(twin.labels)
    shared = twin.found.keys() & candidate.found.keys()
    apart = sum(not twin.found[n].span.overlaps(candidate.found[n].span) for n in shared)
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
    one, other = left.plain, right.plain
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
        return whole.span.overlaps(part.span) or is_said

    shared = other.found.keys() & candidate.found.keys()
    inside = sum(is_part(candidate.found[n], other.found[n]) for n in shared)
    return inside >= _INSIDE * len(candidate.found)


def _is_said_by(others: Sequence[Candidate], candidate: Candidate, twin: Candidate) -> bool:
    """Whether what only *candidate* says mostly stands beside a label that its *twin* is not.

    The first date of a letter is its `Date`, and of a form without one its `Closing date`.
    """
    alone = candidate.found.keys() - twin.found.keys()
    labels = [other for other in others if other is not twin and other.origin == "label"]
    rest = [other.found for other in labels if _meet_too_often(other, twin)]
    taken = sum(
        any(n in own and own[n].span.overlaps(candidate.found[n].span) for own in rest)
        for n in alone
    )
    return 2 * taken > len(alone)


def may_stand_in(field: Candidate, other: Candidate) -> bool:
    """Whether what only *other* says lies where the values of *field* lie.

    The first date of a letter is its date, also where nothing says so. The first date of a form is
    its first field, and of a form without this field it is another fact: it lies elsewhere.
    """
    known = _sizes(field, field.plain)
    alone = {n: text for n, text in other.plain.items() if n not in field.found}
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
