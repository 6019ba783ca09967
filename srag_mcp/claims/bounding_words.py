"""Words that join or bound what a sentence says: causes, times, amounts, multiples, directions.

Such a word claims as much as a number does, and has to come from somewhere as a number has: a cause
from a statement that names one, a bound from words that say no other of the same thing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile, islice, takewhile

from srag_mcp.claims.quotes import statement_at
from srag_mcp.documents.lines import collapse
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, content_words, fold_word, languages_of, stem, words
from srag_mcp.values.names import NONE_OF, WORDS


def _pattern(said: str) -> re.Pattern[str]:
    return re.compile(_whole(said))


def _whole(said: str) -> str:
    joined = said.replace("\n", "")
    return rf"(?<!\w)(?:{fold_word(joined)})(?!\w)"


_UP, _DOWN = (frozenset(map(fold_word, WORDS["directions"][way].split())) for way in ("up", "down"))
# What is said of one thing on one axis is said instead of the others.
_IS_YEAR = r"(?=\s[\w ,./-]{0,12}\b(?:19|20)\d\d\b)"
_AXES = {
    name: re.compile("|".join(rf"(?P<{kind}>{_whole(said)})" for kind, said in kinds.items()))
    for name, kinds in {
        "times": {
            way: rf"{WORDS['times'][way]}|(?:{WORDS['times'][f'{way}_year']}){_IS_YEAR}"
            for way in ("before", "after")
        },
        "amounts": {**WORDS["amounts"], "none": NONE_OF},
    }.items()
}
_CAUSE = _pattern(WORDS["causes"]["followed"])
_ANY_CAUSE = _pattern("|".join(WORDS["causes"].values()))
_MULTIPLES = {float(times): _pattern(said) for times, said in WORDS["multiples"].items()}
_MORE_THAN = re.compile(rf"(?:{WORDS['over']['words']})\s*$")
_CLAUSE = re.compile(r"[^.,;:()|]*")
_N_SCOPE = 2  # content words that a bound is of: `some of the older rooms`
_ROUNDED = 0.05  # as numbers of two digits are


def direction_of(text: str) -> int:
    """Return 1 where words say that something goes up, -1 for down, and 0 for neither or both."""
    found = set(words(text))
    return bool(found & _UP) - bool(found & _DOWN)


def check_bounds(said: str, quotes: str) -> Iterator[str]:
    """Yield what *said* says of a time or an amount, and *quotes* say otherwise.

    `all rooms` where the quote has `some rooms`, `until 2006` for `since 2006`.
    """
    for axis in _AXES.values():
        claimed, known = set(_bounds(axis, said)), set(_bounds(axis, quotes))
        for kind, word in sorted(claimed):
            others = {other for other, same in known if same == word} - {kind}
            is_quoted = (kind, word) in known or any((other, word) in claimed for other in others)
            if others and not is_quoted:
                yield f"it says {kind!r} of {word!r}, and its quotes say {min(others)!r}"
                break


def _bounds(axis: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    folded = fold_word(collapse(text))
    for found in axis.finditer(folded):
        clause = _CLAUSE.match(folded, found.end())
        said = dropwhile(STOP_WORDS.__contains__, words(clause[0] if clause else ""))
        scope = takewhile(lambda word: word not in STOP_WORDS, said)
        yield from ((str(found.lastgroup), stem(word)) for word in islice(scope, _N_SCOPE))


def check_cause(said: str, places: Iterable[tuple[str, Span]]) -> Iterator[str]:
    """Yield that *said* gives a cause which no statement around the quotes at *places* gives."""
    folded = fold_word(collapse(said))
    if (found := _CAUSE.search(folded)) is None:
        return
    clause = _CLAUSE.match(folded, found.end())
    given = set(map(stem, content_words(clause[0] if clause else "")))
    for text, span in places:
        stated = collapse(statement_at(text, span).of(text))
        named = set(map(stem, content_words(stated)))
        is_foreign = not languages_of(stated) & languages_of(said)
        if _ANY_CAUSE.search(fold_word(stated)) and (is_foreign or not given or given & named):
            return
    yield f"what follows {found[0]!r} is the cause of nothing in its quotes"


def check_multiples(
    said: str, quotes: str, sizes: Sequence[tuple[float, int | None]], ratios: Sequence[float]
) -> Iterator[str]:
    """Yield the multiples (`doubled`) of *said* that no quote says, nor any two *sizes* are.

    A size has the year of its column, where that is known; *ratios* are results.
    """
    folded, known = (fold_word(collapse(text)) for text in (said, quotes))
    has_order = direction_of(said) != 0
    found = [
        one / other
        for one, year in sizes
        for other, before in sizes
        if other and not (has_order and year and before and year < before)
    ]
    found += [x for one in ratios if one for x in (one, 1 / one, 1 + one)]
    for times, pattern in _MULTIPLES.items():
        match = None if pattern.search(known) else pattern.search(folded)
        if match is not None:
            is_more = _MORE_THAN.search(folded, 0, match.start()) is not None
            others = (x > times if times > 1 else x < times for x in found if is_more)
            if not any(abs(x / times - 1) <= _ROUNDED for x in found) and not any(others):
                yield f"no two numbers of its quotes make {match[0]!r}"
