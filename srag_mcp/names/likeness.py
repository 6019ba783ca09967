"""Doubtful names: those that may mean one thing, by initials, abbreviations, parts and slips."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from srag_mcp.names.spellings import Name
from srag_mcp.names.uniting import UNDECIDED, Decided, Thing
from srag_mcp.text.words import STOP_WORDS

MAX_GROUP = 12  # names: what a reader can keep apart, and what a prompt holds beside other groups
_SMALL_BLOCK = 8  # names that share a word; where more do, they have to share a letter besides
_MAX_BLOCK = 150
_MAX_HOLDERS = 3  # a word that is a part of more names than these stands for none of them
_SHORTEST_MISSPELT = 4  # letters; a shorter word with another letter is another word
_LONG_WORD = 8  # letters; in a longer word two slips are still a slip
_LONGEST_ACRONYM = 6
_SURE, _SHORT, _LEAST = 1.0, 0.9, 0.5


def find_candidates(things: Sequence[Thing], decided: Decided = UNDECIDED) -> list[list[Thing]]:
    """Return the groups of things that may be one, in the order of *things*.

    What differs in a number or a designator (`Part 6`, `Type B`, `Henry IV`) is never in one group
    for the other. A group is cut at `MAX_GROUP` things where its weakest likenesses are.
    """
    apart = decided.pairs_apart()
    blocks = _Blocks(things)
    edges = []
    for a, b in blocks.pairs():
        score = compare(things[a].name, things[b].name, blocks.n_holders)
        if score and not any(
            frozenset((x, y)) in apart for x in things[a].keys for y in things[b].keys
        ):
            edges.append((-score, a, b))
    groups: dict[int, list[int]] = {}
    for _, a, b in sorted(edges):
        one, other = groups.get(a, [a]), groups.get(b, [b])
        if one is not other and len(one) + len(other) <= MAX_GROUP:
            joined = one + other
            groups.update(dict.fromkeys(joined, joined))
    unique = {id(group): sorted(group) for group in groups.values()}
    return [[things[place] for place in group] for group in sorted(unique.values())]


def find_like(
    value: str, things: Sequence[Thing], decided: Decided = UNDECIDED
) -> tuple[Thing | None, list[Thing]]:
    """Return the thing that a value is, and those that may be it and nobody has decided on."""
    own = next((thing for thing in things if value in thing.spellings), None)
    if own is None:
        return None, []
    apart = decided.pairs_apart()
    holders = Counter(word for thing in things for word in set(thing.name.bare))
    return own, [
        thing
        for thing in things
        if thing is not own
        and compare(own.name, thing.name, holders)
        and not any(frozenset((x, y)) in apart for x in own.keys for y in thing.keys)
    ]


class _Blocks:
    """Which things share a word, a slip of a word, or initials, so that they are compared."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self._names = [thing.name for thing in things]
        self._blocks: defaultdict[str, list[int]] = defaultdict(list)
        self.n_holders: defaultdict[str, int] = defaultdict(int)
        for place, name in enumerate(self._names):
            for word in set(name.bare):
                self.n_holders[word] += 1
            for key in self._keys(name):
                self._blocks[key].append(place)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs to compare, each once."""
        seen: set[tuple[int, int]] = set()
        for key, places in self._blocks.items():
            if len(places) <= _SMALL_BLOCK:
                seen.update(combinations(places, 2))
            else:
                self._part(key, places, seen)
        yield from sorted(seen)

    @staticmethod
    def _keys(name: Name) -> set[str]:
        keys = {f" {initials}" for initials in name.initials}
        if len(name.squashed) <= _LONGEST_ACRONYM:
            keys.add(f" {name.squashed}")
        keys.add(name.squashed)
        for word in name.bare:
            if word not in STOP_WORDS and len(word) > 1:
                keys |= _slips(word)
        return keys

    def _part(self, key: str, places: Sequence[int], seen: set[tuple[int, int]]) -> None:
        """Pair what has another word of the same first letter; a single word with all others."""
        parts: defaultdict[str, list[int]] = defaultdict(list)
        single: list[int] = []
        for place in places:
            words = [word for word in self._names[place].content if key not in _slips(word)]
            for letter in {word[0] for word in words}:
                parts[letter].append(place)
            if not words:
                single.append(place)
        for part in parts.values():
            if len(part) <= _MAX_BLOCK:  # what stays larger is noise
                seen.update(combinations(part, 2))
        if len(single) * len(places) <= _MAX_BLOCK**2:
            seen.update((min(a, b), max(a, b)) for a in single for b in places if a != b)


@lru_cache(maxsize=262_144)
def _slips(word: str) -> frozenset[str]:
    """Return a word, and it without any one letter: words that differ in one have one in common."""
    if len(word) < _SHORTEST_MISSPELT or any(map(str.isdigit, word)):
        return frozenset({word})
    return frozenset({word, *(word[:place] + word[place + 1 :] for place in range(len(word)))})


def compare(a: Name, b: Name, n_holders: Mapping[str, int] | None = None) -> float:
    """Return how alike two names are, 0 to 1; 0 where they are no candidates for one thing.

    *n_holders*: of a word, in how many names of the column it is.
    """
    if a.designators != b.designators:
        return 0.0
    if a.squashed == b.squashed or a.sorted == b.sorted:
        return _SURE
    short, long = (a, b) if a.size <= b.size else (b, a)
    if len(short.squashed) <= _LONGEST_ACRONYM and short.squashed in long.initials:
        return _SHORT
    if len(short.bare) != len(long.bare) and _is_slip(short.squashed, long.squashed):
        return _SHORT
    few, many = short.content, long.content
    if len(few) > len(many):
        few, many = many, few
    for word in few:  # quick: nearly no pair of a block is alike
        is_found = word in many or any(
            (word[0] == other[0] or word[-1] == other[-1]) and _match(word, other) is not None
            for other in many
        )
        if not is_found and len(word) > _LONGEST_ACRONYM:
            return 0.0
    found = _align(few, many)
    if found is None or (not found.n_letters and found.n_short < 2):
        return 0.0
    is_part = len(few) == 1 and found.n_skipped > 0
    if is_part and n_holders is not None and n_holders[few[0]] - 1 > _MAX_HOLDERS:
        return 0.0
    return max(_LEAST, _SHORT - 0.1 * (found.n_weak + found.n_skipped))


@dataclass(frozen=True, slots=True)
class _Aligned:
    """How all words of one name are found in another, in order.

    *n_letters* of them are in whole words that both have; *n_weak* words are initials,
    abbreviations or slips, *n_short* of them abbreviations; *n_skipped* words only the other has.
    """

    n_letters: int = 0
    n_weak: int = 0
    n_short: int = 0
    n_skipped: int = 0

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.n_letters, -self.n_skipped, -self.n_weak


def _align(few: tuple[str, ...], many: tuple[str, ...]) -> _Aligned | None:
    """Find every word of *few* in *many*, in order, as well as can be; None where one is not."""
    if not few:
        return _Aligned(n_skipped=len(many))
    if not many:
        return None
    options: list[_Aligned] = []
    match = _match(few[0], many[0])
    if match is not None and (rest := _align(few[1:], many[1:])) is not None:
        options.append(_plus(match, rest))
    n = len(few[0])  # initials that are written together: `jp` of `john paul`
    if 1 < n <= len(many) and few[0] == "".join(word[0] for word in many[:n]):
        rest = _align(few[1:], many[n:])
        if rest is not None:
            options.append(_plus(_Aligned(n_weak=1), rest))
    if len(many) > len(few) and (rest := _align(few, many[1:])) is not None:
        options.append(_plus(_Aligned(n_skipped=1), rest))
    return max(options, key=lambda item: item.rank, default=None)


def _plus(one: _Aligned, other: _Aligned) -> _Aligned:
    return _Aligned(
        one.n_letters + other.n_letters,
        one.n_weak + other.n_weak,
        one.n_short + other.n_short,
        one.n_skipped + other.n_skipped,
    )


@lru_cache(maxsize=262_144)
def _match(a: str, b: str) -> _Aligned | None:
    if a == b:
        return _Aligned(n_letters=len(a) if len(a) > 1 else 0)
    if _is_short(a, b) or _is_short(b, a):
        return _Aligned(n_weak=1, n_short=int(min(len(a), len(b)) > 2))
    if _is_slip(a, b):
        return _Aligned(n_letters=min(len(a), len(b)) - 2, n_weak=1)
    return None


def _is_short(a: str, b: str) -> bool:
    """Whether *a* is an initial or an abbreviation of *b*: `j` of `john`, `intl`, `mfg`, `tom`."""
    if len(a) >= len(b) or a[0] != b[0]:
        return False
    if b.startswith(a):
        return True
    letters = iter(b)
    return all(letter in letters for letter in a) and (len(a) > 2 or a[-1] == b[-1])


def _is_slip(a: str, b: str) -> bool:
    """Whether two words or names are one but for a letter, in long ones two."""
    n_letters = max(len(a), len(b))
    if n_letters < _SHORTEST_MISSPELT or abs(len(a) - len(b)) > 2:
        return False
    if a[0] != b[0] and a[-1] != b[-1]:  # most pairs are not even near
        return False
    if abs(len(a) - len(b)) == 2 and (a.endswith(b) or b.endswith(a)):
        return False  # active, inactive
    # heavy, and only a column of names with doubtful ones needs it
    from rapidfuzz.distance import OSA

    most = 1 if n_letters < _LONG_WORD else 2
    return OSA.distance(a, b, score_cutoff=most) <= most
