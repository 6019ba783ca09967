"""Doubtful names: those that may mean one thing, and what a language model says of them."""

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from operator import add
from string import ascii_lowercase
from typing import NamedTuple

from srag_mcp.errors import ModelError
from srag_mcp.model.language_model import (
    LanguageModel,
    Prompt,
    count_tokens,
    enclose,
    render_prompt,
)
from srag_mcp.model.reply_content import (
    ReplyContent,
    ReplyElement,
    ask_all,
    ask_for,
    describe_misfits,
)
from srag_mcp.names.uniting import (
    LONGEST_ACRONYM,
    UNDECIDED,
    Decided,
    Name,
    Same,
    Thing,
    Verdict,
    fold_name,
    read_name,
)
from srag_mcp.text.shown import one_line, shorten
from srag_mcp.text.words import DENYING, fold, fold_words, stem
from srag_mcp.values.states import ARTICLES, read_boolean, read_statement

logger = logging.getLogger(__name__)

MAX_GROUP = 12  # names: what a reader can keep apart, and what a prompt holds beside other groups
MAX_GROUPS, MAX_TOKENS = 25, 1_100  # of a prompt: with the instructions it stays below 1,500
_PLACEHOLDER = "_"  # for a name within the words around it
_AROUND = 40  # characters on either side of a name: what it belongs to, most often
_LONGEST_DESCRIPTION, _LONGEST_SPELLING = 160, 100
_MAX_BLOCK = 100  # a word that more names have brings none of them together
_MAX_HOLDERS = 3  # a word that is a part of more names than these stands for none of them
_SHORTEST_MISSPELT = 4  # letters; a shorter word with another letter is another word
_LONG_WORD = 8  # letters; in a longer word two slips are still a slip
_NO_WORD = re.compile(r"[A-Z]+|[b-df-hj-np-tv-xz]+|[a-z]")
_LONGEST_ENDING = 2  # letters, as of `passed`
_REMARK = re.compile(r"\s*(?:[,;:(–—]|\s-\s).*", re.DOTALL)
_SURE, _SHORT, _LEAST = 1.0, 0.9, 0.5


def find_candidates(things: Sequence[Thing], decided: Decided = UNDECIDED) -> list[list[Thing]]:
    """Return the groups of things that may be one, in the order of *things*.

    What differs in a number or a designator (`Part 6`, `Type B`, `Henry IV`) is never in one group
    for the other. A group is cut at `MAX_GROUP` things where its weakest likenesses are.
    """
    apart = decided.pairs_apart()
    n_holders = Counter(word for thing in things for word in set(thing.name.bare))

    def compare_things(one: Thing, other: Thing) -> float:
        """Return how alike two things are; 0 where a person said that they are two."""
        score = compare(one.name, other.name, n_holders)
        keys = ((x, y) for x in one.keys for y in other.keys) if score and apart else ()
        return 0.0 if any(frozenset(pair) in apart for pair in keys) else score

    pairs = _find_pairs([thing.name for thing in things])
    scored = ((compare_things(things[a], things[b]), a, b) for a, b in pairs)
    edges = [(-score, a, b) for score, a, b in scored if score]
    groups: dict[int, list[int]] = {}
    for _, a, b in sorted(edges):
        one, other = groups.get(a, [a]), groups.get(b, [b])
        if one is not other and len(one) + len(other) <= MAX_GROUP:
            joined = one + other
            groups.update(dict.fromkeys(joined, joined))
    unique = {id(group): sorted(group) for group in groups.values()}
    return [[things[place] for place in group] for group in sorted(unique.values())]


def find_forms(values: Iterable[str], column: str) -> list[list[str]]:
    """Return the groups of values of a column that are forms of one, or one with a remark.

    `pass`, `passed`; `good`, `good, stable`; `yes`, and `native` in the column `native`; not
    `Part A`, `Part B`, nor `done`, `not done`, nor `very good`. A remark is known by the value that
    stands without one: `Smith, Anna` and `Smith, John` are two.
    """
    groups: dict[tuple[bool | str, ...], list[str]] = {}
    values, plain = list(values), set[tuple[bool | str, ...]]()
    has_answers = any(read_boolean(value) is not None for value in values)
    for value in values:
        head = _REMARK.sub("", value)
        said = read_statement(head, column, is_answer=True) if has_answers else None
        named = (word for word in fold_words(head).split() if word not in ARTICLES)
        content = tuple(stem(word) for word in named if len(word) > 1)
        words = (*content, *read_name(head).designators) if content else (fold(head) or head,)
        denied = read_statement(head, column) is False
        key: tuple[bool | str, ...] = (*words, denied) if said is None else (said,)
        groups.setdefault(key, []).append(value)
        plain |= {key} if head == value else set()
    return [group for key, group in groups.items() if key in plain and len(group) > 1]


def find_shortened(values: Sequence[str]) -> list[list[str]]:
    """Return the pairs of values, a short form first: `auto`, `automatic`; `VW`, `Volkswagen`.

    A word is cut within, or some of its letters stand alone: one, in capitals, or without a vowel.
    The long one has more than an ending. In `north`, `northeast` nothing is cut where `east` is a
    value; `Grade V` and `Grade VIII` differ in what tells grades apart. So are those that are one
    but for a letter: `gray`, `grey`.
    """
    names = {value: fold_name(value) for value in values}
    words = {word for name in names.values() for word in name.split()}
    pairs = [
        [short, long]
        for short, long in permutations(names, 2)
        if len(names[long]) > len(names[short]) + _LONGEST_ENDING
        if _is_cut(names[short], names[long], words)
        or (_NO_WORD.fullmatch(short.replace(".", "")) and _has_letters(names[short], names[long]))
    ]
    pairs += [
        [one, other]
        for one, other in combinations(sorted(names), 2)
        if not _slips(names[one]).isdisjoint(_slips(names[other]))
        and _is_slip(names[one], names[other])
    ]
    return [x for x in pairs if read_name(x[0]).designators == read_name(x[1]).designators]


def _is_cut(short: str, long: str, words: Collection[str]) -> bool:
    """Whether the last word of *short* goes on in *long*, and not with another of *words*."""
    rest, last = long.removeprefix(short), short.rpartition(" ")[2]
    goes_on = rest != long and rest[:1].isalpha() and rest.split()[0] not in words
    return goes_on and last.isalpha()


def _has_letters(short: str, long: str) -> bool:
    """Whether *long* begins with the first letter of *short*, and has the others in order."""
    letters = iter(long)
    return long[:1] == short[:1] and all(letter in letters for letter in short)


def _find_pairs(names: Sequence[Name]) -> list[tuple[int, int]]:
    """Return the pairs to compare: they share a word, a slip of a word, or initials."""
    blocks: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        keys = {name.squashed, *(f" {initials}" for initials in name.initials)}
        if len(name.squashed) <= LONGEST_ACRONYM:
            keys.add(f" {name.squashed}")
        for word in name.content:
            keys |= _slips(word)
        for word, other in permutations(name.content, 2):
            if len(word) > 1:  # of a word that many have, those with the same letter beside it
                keys.add(f"{word} {other[0]}")
        for key in keys - {"", " "}:
            blocks[key].append(place)
    few = (places for places in blocks.values() if len(places) <= _MAX_BLOCK)
    return sorted({pair for places in few for pair in combinations(places, 2)})


@lru_cache(maxsize=262_144)
def _slips(word: str) -> frozenset[str]:
    """Return a word, and it without any one letter: words that differ in one have one in common."""
    if len(word) < _SHORTEST_MISSPELT or any(map(str.isdigit, word)):
        return frozenset({word} if len(word) > 1 else ())
    return frozenset({word, *(word[:place] + word[place + 1 :] for place in range(len(word)))})


def compare(a: Name, b: Name, n_holders: Mapping[str, int] | None = None) -> float:
    """Return how alike two names are, 0 to 1; 0 where they are no candidates for one thing.

    *n_holders*: in how many names of the column a word is; None where that is not known.
    """
    if a.designators != b.designators:
        return 0.0
    if a.squashed == b.squashed or sorted(a.bare) == sorted(b.bare):
        return _SURE
    short, long = sorted((a, b), key=lambda name: (len(name.bare), len(name.squashed)))
    if len(short.squashed) <= LONGEST_ACRONYM and short.squashed in long.initials:
        return _SHORT
    if len(short.bare) != len(long.bare) and _is_slip(short.squashed, long.squashed):
        return _SHORT
    few, many = sorted((short.content, long.content), key=len)
    found = _align(few, many)
    if found is None or not (found.n_letters or found.n_short > 1):
        return 0.0
    is_part = len(few) == 1 and found.n_more
    if is_part and n_holders and n_holders[few[0]] > _MAX_HOLDERS + 1:
        return 0.0
    return max(_LEAST, _SHORT + 0.1 * (found.n_more + found.n_like))


class _Aligned(NamedTuple):
    """How the words of one name are found in another, in order: the greater, the better.

    *n_letters* of them are in whole words that both have; *n_more* words (less than 0) only the
    other has; *n_like* (less than 0) are initials, abbreviations or slips, *n_short* abbreviations.
    """

    n_letters: int = 0
    n_more: int = 0
    n_like: int = 0
    n_short: int = 0


def _align(few: tuple[str, ...], many: tuple[str, ...]) -> _Aligned | None:
    """Find every word of *few* in *many*, in order, as well as can be; None where one is not."""
    if not few or len(few) > len(many):
        return None if few else _Aligned(n_more=-len(many))
    options = [(_match(few[0], many[0]), 1, 1)]
    n = len(few[0])  # initials that are written together: `jp` of `john paul`
    if n > 1 and few[0] == "".join(word[0] for word in many[:n]):
        options.append((_Aligned(n_like=-1), 1, n))
    if len(many) > len(few):
        options.append((_Aligned(n_more=-1), 0, 1))
    found = [
        _Aligned(*map(add, option, rest))
        for option, n_few, n_many in options
        if option is not None and (rest := _align(few[n_few:], many[n_many:])) is not None
    ]
    return max(found, default=None)


@lru_cache(maxsize=262_144)
def _match(a: str, b: str) -> _Aligned | None:
    if a == b:
        return _Aligned(n_letters=len(a) if len(a) > 1 else 0)
    short, long = sorted((a, b), key=len)
    if _is_short(short, long):
        return _Aligned(n_like=-1, n_short=int(len(short) > 2))
    return _Aligned(n_letters=len(short) - 2, n_like=-1) if _is_slip(a, b) else None


def _is_short(a: str, b: str) -> bool:
    """Whether *a* is an initial or an abbreviation of *b*: `j` of `john`, `intl`, `mfg`, `tom`."""
    is_whole = len(a) > 2 or a[-1] == b[-1]
    return len(a) < len(b) and (b.startswith(a) or (is_whole and _has_letters(a, b)))


def _is_slip(a: str, b: str) -> bool:
    """Whether two words or names are one but for a letter, in long ones two."""
    n_letters = max(len(a), len(b))
    if n_letters < _SHORTEST_MISSPELT or abs(len(a) - len(b)) > 2:
        return False
    if a[0] != b[0] and a[-1] != b[-1]:  # most pairs are not even near
        return False
    if any(prefix + a == b or prefix + b == a for prefix in DENYING):
        return False  # active, inactive
    # heavy, and only a column of names with doubtful ones needs it
    from rapidfuzz.distance import OSA

    most = 1 if n_letters < _LONG_WORD else 2
    return OSA.distance(a, b, score_cutoff=most) <= most


class GroupReply(ReplyElement):
    """Which letters of a group mean one thing, the one to keep first."""

    id: str
    same: tuple[tuple[str, ...], ...]


class NamesReply(ReplyContent):
    """The groups of one prompt in which names are the same."""

    groups: tuple[GroupReply, ...]


def cut_around(text: str, start: int, end: int) -> str:
    """Return the words around a name that stands in *text*: `published by _ in May`."""
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return one_line(f"{before}{_PLACEHOLDER}{after}").strip()


@dataclass(frozen=True, slots=True)
class Doubt:
    """Things of a column that may be one, with the words around a spelling, see `cut_around`."""

    column: str
    description: str
    things: tuple[Thing, ...]
    around: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NamesPrompt:
    """A prompt, and the groups that it asks about by their short ids."""

    prompt: Prompt
    doubts: Mapping[str, Doubt]


def write_prompts(doubts: Sequence[Doubt]) -> list[NamesPrompt]:
    """Pack *doubts* into as few prompts as hold them, those of a column together.

    A group has the same prompt as long as the groups before it are the same.
    """
    parts: list[list[Doubt]] = [[]]
    for doubt in doubts:
        is_full = count_tokens(_render([*parts[-1], doubt])) > MAX_TOKENS
        if parts[-1] and (is_full or len(parts[-1]) == MAX_GROUPS):
            parts.append([])
        parts[-1].append(doubt)
    return [_write(part) for part in parts if part]


def _render(doubts: Sequence[Doubt]) -> str:
    """Write groups as they stand in a prompt, each column with what it holds."""
    lines: list[str] = []
    for number, doubt in enumerate(doubts):
        if not number or doubt.column != doubts[number - 1].column:
            said = shorten(doubt.description, _LONGEST_DESCRIPTION)
            lines.append(f"Column `{doubt.column}`" + (f": {said}" if said else ""))
        lines.append(f"g{number + 1}")
        for letter, thing in zip(ascii_lowercase, doubt.things, strict=False):
            spelling = thing.spellings[0]
            around = f" | {found}" if (found := doubt.around.get(spelling)) else ""
            shown = shorten(spelling, _LONGEST_SPELLING)
            lines.append(f"{letter} ({thing.n_records}) {shown}{around}")
    return "\n".join(lines)


def _write(doubts: Sequence[Doubt]) -> NamesPrompt:
    columns = ", ".join(dict.fromkeys(doubt.column for doubt in doubts))
    prompt = render_prompt("resolve_names", "names", columns, groups=enclose(_render(doubts)))
    return NamesPrompt(prompt, {f"g{number}": x for number, x in enumerate(doubts, start=1)})


async def resolve(
    model: LanguageModel, prompts: Sequence[NamesPrompt]
) -> list[tuple[str, Verdict]]:
    """Ask which names are the same; return what was said of each group, behind its column.

    A prompt without a reply of use decides nothing.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
    """
    said: list[tuple[str, Verdict]] = []

    async def ask(asked: NamesPrompt) -> None:
        def check(reply: NamesReply) -> list[str]:
            return [*_problems(reply, asked.doubts)]

        found = await ask_for(model, asked.prompt, NamesReply, check)
        for key, doubt in asked.doubts.items():
            lists = [x for item in found.content.groups if item.id == key for x in item.same]
            said.append((doubt.column, _read_lists(lists, doubt)))

    def warn(asked: NamesPrompt, _: ModelError) -> None:
        logger.warning("no reply of use on the names of %s", asked.prompt.subject)

    await ask_all(prompts, ask, warn)
    return said


def _read_lists(lists: Sequence[Sequence[str]], doubt: Doubt) -> Verdict:
    """Return what *lists* of letters say of a group; letters that they say twice stand alone."""
    times = Counter(letter for letters in lists for letter in set(letters))
    by_letter = dict(zip(ascii_lowercase, doubt.things, strict=False))
    same = []
    for letters in lists:
        once = [letter for letter in dict.fromkeys(letters) if times[letter] == 1]
        things = [by_letter[letter] for letter in once if letter in by_letter]
        if len(things) > 1:
            same.append(Same(name=things[0].spellings[0], keys=_keys_of(things)))
    return Verdict(keys=_keys_of(doubt.things), same=tuple(same))


def _keys_of(things: Sequence[Thing]) -> tuple[str, ...]:
    return tuple(sorted(key for thing in things for key in thing.keys))


def _problems(reply: NamesReply, doubts: Mapping[str, Doubt]) -> Iterator[str]:
    ids = Counter(item.id for item in reply.groups)
    yield from (f"{key}: there is no such group" for key in ids if key not in doubts)
    for item in reply.groups:
        yield from (f"{item.id}: {why}" for why in describe_misfits(item))
        n = len(doubts[item.id].things) if item.id in doubts else 0
        times = Counter(letter for letters in item.same for letter in dict.fromkeys(letters))
        for letter, count in times.items():
            if n and letter not in ascii_lowercase[:n]:
                yield f"{item.id}: there is no letter {letter!r:.20}"
            elif count > 1:
                yield f"{item.id}: {letter} is in two lists"
