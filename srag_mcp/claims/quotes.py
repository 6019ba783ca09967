"""Quotes: where the words that are given for a value stand in their document."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.locate import Location, locate
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_word
from srag_mcp.values.states import denials_in

LONGEST_QUOTE = 2000
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…|\[…\])\s*")
_NO_WORDS = re.compile(r"[\s.,;:!?'\"“”‘’«»()\[\]{}|/\\<>_…·]*")
_APART = frozenset(("", " ", "\n", "\t", ":", ";", "(", ")"))
_MAX_PLACES = 100
_MAX_SEEN = 10_000
_MAX_GAP = 400
_NEAR = 120
_WORD = re.compile(r"[^\W\d_]{3,}")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_SHORT_WORD = 3
_NUMERAL_BEFORE, _NUMERAL_AFTER = re.compile(r"[\d.,]*$"), re.compile(r"[\d.,]*")
_ONE_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{3})*(?:[.,]\d+)?|\d+[.,]\d+")
_LONGEST_NUMERAL = 40
_FIRST_CJK = "\u2e80"
_TOKEN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\uffef]|[^\\W_]+")
# Letters that recognition of characters takes for one another.
_ALIKE_LETTERS = str.maketrans(
    {"e": "c", "o": "c", "0": "c", "1": "l", "i": "l", "v": "u", "5": "s"}
)
_SHORT = 5
_ALIKE = 80.0


def ground(quote: str, text: str, attribute: Attribute) -> Location | None:
    """Find *quote* in *text*, at the place that most looks like *attribute*; None where it is not.

    A short quote stands in many places: one that is not inside a longer word or number wins, then
    the one with words of the attribute's name near it, then the first. A part of a word or number
    that says something else is none: `7` is not in `17` or `7.5`, `male` not in `female`, `no` not
    in `north`. The beginning of a number is one, as the mark of a footnote may follow it. Neither
    are marks alone, more than LONGEST_QUOTE characters, or words that
    differ by more than slips: a denial, a name.
    """
    quote = quote.strip()
    if _NO_WORDS.fullmatch(quote) or len(quote) > LONGEST_QUOTE:
        return None
    place = locate(quote, text, _best_start(quote, text, attribute))
    if place is None:
        return _joined(quote, text)
    if place.match == "fuzzy" and not says_the_same(quote, place.span.of(text)):
        return None
    return None if _is_cut(text, place.span) else place


def _best_start(quote: str, text: str, attribute: Attribute) -> int | None:
    """Return where *quote* most likely stands as it is, but for case; None where it does not."""
    words = {word.casefold() for word in _WORD.findall(attribute.name.replace("_", " "))}
    places = list(islice(_places(quote, text), _MAX_PLACES))
    if not places:
        found = re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", text, re.IGNORECASE)
        return None if found is None else found.start()

    def rank(start: int) -> tuple[bool, int]:
        end = start + len(quote)
        before, after = text[start - 1 : start], text[end : end + 1]
        is_within = (before.isalnum() and text[start].isalnum() and before < _FIRST_CJK) or (
            after.isalnum() and text[end - 1].isalnum() and after < _FIRST_CJK
        )
        is_whole = not is_within and not re.match(r"[.,]\d", text[end : end + 2])
        near = text[max(0, start - _NEAR) : start].casefold()
        line = near.rpartition("\n")[2]
        return is_whole, sum((word in line) + (word in near) for word in words)

    return max(places, key=rank)


def _places(quote: str, text: str) -> Iterator[int]:
    """Yield where *quote* stands and is not cut; the first place where it always is."""
    first = start = text.find(quote)
    n_seen = n_found = 0
    while start >= 0 and n_seen < _MAX_SEEN:
        n_seen += 1
        if not _is_cut(text, Span(start, start + len(quote))):
            n_found += 1
            yield start
        start = text.find(quote, start + 1)
    if first >= 0 and not n_found:
        yield first


def _is_cut(text: str, span: Span) -> bool:
    """Whether *span* is a part of a longer word or number that says something else.

    A number may go on behind a point or comma, but not in dates: `2020` is in `12.05.2020`.
    """
    start, end = span.start, span.end
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before in _APART and after in _APART:
        return False  # quick, and true of most
    if _is_within_word(text, start) or (text[start].isdecimal() and before.isdecimal()):
        return True
    last = _LAST_WORD.search(text, max(start, end - _SHORT_WORD - 1), end)
    if last is not None and len(last[0]) <= _SHORT_WORD and _is_within_word(text, end):
        return True
    goes_on = text[end - 1].isdecimal() and re.match(r"[.,]\d", text[end : end + 2])
    begins_before = text[start].isdecimal() and re.match(r"\d[.,]", text[max(0, start - 2) : start])
    ends = [place for place, is_part in ((end, goes_on), (start, begins_before)) if is_part]
    return any(_is_one_number(text, place) for place in ends)


def _is_within_word(text: str, place: int) -> bool:
    """Whether a word goes on across *place*; a capital behind a small letter begins another."""
    before, after = text[max(0, place - 1) : place], text[place : place + 1]
    if before.isupper():
        return after.islower() or after.isupper()
    return before.islower() and after.islower()


def _is_one_number(text: str, place: int) -> bool:
    before = _NUMERAL_BEFORE.search(text[max(0, place - _LONGEST_NUMERAL) : place])
    after = _NUMERAL_AFTER.match(text[place : place + _LONGEST_NUMERAL])
    numeral = f"{before[0] if before else ''}{after[0] if after else ''}".strip(".,")
    return _ONE_NUMBER.fullmatch(numeral) is not None


def _joined(quote: str, text: str) -> Location | None:
    """Find a quote with words left out, where its parts follow closely on one another."""
    first_part, *parts = [part for part in _ELLIPSIS.split(quote) if part] or [""]
    first = locate(first_part, text) if parts else None
    if first is None or first.match == "fuzzy" or _is_cut(text, first.span):
        return None
    end = first.span.end
    for part in parts:
        place = text.find(part, end, end + _MAX_GAP)
        if place < 0 or _is_cut(text, Span(place, place + len(part))):
            return None
        end = place + len(part)
    return Location(Span(first.span.start, end), 1.0, "normalised")


def says_the_same(quote: str, words: str) -> bool:
    """Return whether *quote* is *words* of a document but for slips within words.

    `The Tenant may assign` is not `The Tenant may not assign`, nor is `Beta AG` `Zeta AG`. The
    document may have words more at either end, unless they deny.
    """
    if _digits(quote) != _digits(words) or denials_in(quote) != denials_in(words):
        return False
    from rapidfuzz.distance import Indel  # slow to import

    own, other = (_TOKEN.findall(fold_word(text.replace("\u00ad", ""))) for text in (quote, words))
    runs: list[tuple[list[str], list[str], bool]] = []
    end = (-1, -1)
    for change in Indel.opcodes(own, other):
        if change.tag == "equal":
            continue
        if (change.src_start, change.dest_start) != end:
            is_edge = change.src_start in (0, len(own)) or change.src_end == len(own)
            runs.append(([], [], is_edge))
        runs[-1][0].extend(own[change.src_start : change.src_end])
        runs[-1][1].extend(other[change.dest_start : change.dest_end])
        end = (change.src_end, change.dest_end)
    return all(_is_slip(mine, theirs) if mine else is_edge for mine, theirs, is_edge in runs)


def _is_slip(own: Sequence[str], other: Sequence[str]) -> bool:
    if len(own) != len(other):  # parted or joined
        own, other = ["".join(own)], ["".join(other)]
    return all(_is_same_word(*pair) for pair in zip(own, other, strict=True))


def _is_same_word(word: str, other: str) -> bool:
    from rapidfuzz import fuzz  # slow to import

    first, second = (part.replace("rn", "m").translate(_ALIKE_LETTERS) for part in (word, other))
    if first == second:
        return True
    if min(len(word), len(other)) <= _SHORT or first[0] != second[0]:
        return False
    is_opposite = first.endswith(second) or second.endswith(first)  # illegal, legal
    return not is_opposite and fuzz.ratio(word, other) >= _ALIKE


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)
