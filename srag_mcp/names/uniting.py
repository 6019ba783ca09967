"""What is one thing in a column: by code where it is certain, by a model, by a person."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pydantic import BaseModel, ConfigDict

from srag_mcp.names.spellings import Name, are_names, fold_name, read_name

_LONG_FORM = 3  # letters: shorter ones are also states, countries and particles


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

    The first of those that are one is the spelling to keep.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    same: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, ...], ...] = ()

    def pairs_apart(self) -> frozenset[frozenset[str]]:
        """Return the pairs of folded names that are not one thing."""
        folded = ([*dict.fromkeys(map(fold_name, names))] for names in self.apart)
        return frozenset(frozenset(pair) for keys in folded for pair in combinations(keys, 2))


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
    sets = _Sets(decided.pairs_apart())
    kept: dict[str, int] = {}
    for same in decided.same:
        sets.join([fold_name(name) for name in same])
        kept.setdefault(same[0], len(kept))
    of_names = are_names(counts)
    if of_names:
        for keys in _certain(names.values()):
            sets.join(keys)
    for verdict in reversed(verdicts):
        for found in verdict.same:
            sets.join(found.keys)
            kept.setdefault(found.name, len(kept))
    groups: dict[str, list[str]] = {}
    for value, name in names.items():
        is_one = name.key and (of_names or name.key in sets)  # `—` has no words, and no key
        groups.setdefault(sets.root(name.key) if is_one else value, []).append(value)
    things = []
    for values in groups.values():
        ordered = sorted(
            values, key=lambda value: (kept.get(value, len(kept)), rank_spelling(value, counts))
        )
        n_records = sum(counts[value] for value in ordered)
        all_keys = frozenset(names[value].key for value in ordered)
        things.append(Thing(names[ordered[0]], tuple(ordered), all_keys, n_records))
    return things


def rank_spelling(value: str, counts: Mapping[str, int]) -> tuple[int, bool, int, str]:
    """Return what sorts spellings: the most frequent, not in capitals, the longest one first."""
    return (-counts[value], value.isupper(), -len(value), value)


def _certain(names: Iterable[Name]) -> Iterable[list[str]]:
    """Yield the folded names that are the same but for their legal form.

    A name with a legal form and one without are the same if the column is one of companies, and no
    other form of the name speaks against it: `Acme` may be `Acme Ltd` or `Acme GmbH`.
    """
    of_bare: dict[tuple[str, ...], dict[tuple[str, ...], set[str]]] = {}
    long: set[str] = set()
    for name in names:
        if not name.bare:
            continue
        of_bare.setdefault(name.bare, {}).setdefault(name.forms, set()).add(name.key)
        long.update(form for form in name.forms if len(form) >= _LONG_FORM)
    # one form may be a word or a state: `Boston Spa`, `Ontario, CA`; two are of companies
    are_companies = len(long) > 1
    for by_forms in of_bare.values():
        if are_companies and len(by_forms.keys() - {()}) == 1:
            yield sorted(set().union(*by_forms.values()))
        else:
            yield from (sorted(keys) for keys in by_forms.values() if len(keys) > 1)


class _Sets:
    """Sets of folded names that grow together, but never over a pair that is apart."""

    def __init__(self, apart: frozenset[frozenset[str]]) -> None:
        self._apart = apart
        self._parents: dict[str, str] = {}
        self._members: dict[str, set[str]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._members or key in self._parents

    def root(self, key: str) -> str:
        while (parent := self._parents.get(key, key)) != key:
            key = parent
        return key

    def join(self, keys: Sequence[str]) -> None:
        for key in keys[1:]:
            one, other = self.root(keys[0]), self.root(key)
            members = [self._members.get(root, {root}) for root in (one, other)]
            if one == other or (self._apart and self._are_apart(*members)):
                continue
            self._parents[other] = one
            self._members[one] = members[0] | members[1]

    def _are_apart(self, some: set[str], others: set[str]) -> bool:
        return any(frozenset((a, b)) in self._apart for a in some for b in others)
