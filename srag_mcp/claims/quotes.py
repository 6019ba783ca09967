"""Quotes: the words of a document that a model quotes, found in it but for slips."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.locate import Location, locate
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_word

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
_DENIAL = re.compile(
    r"\b(?:no|not|none|never|neither|nor|nothing|nobody|cannot|without|lacks?|except|unless"
    r"|\w+n['’]t|kein\w*|nicht\w*|nie|niemals|niemand|weder|ohne|außer|non|pas|sans|aucune?|jamais"
    r"|rien|sauf|sin|nunca|jam[aá]s|nada|ning[uú]n\w*|salvo|senza|nessun\w*|mai|niente|tranne"
    r"|geen|niet\w*|nooit|zonder|behalve|sem|n[aã]o|nenhum\w*|exceto|bez|nie|не|нет|без)\b"
    r"|[不没沒無无未非]",
    re.IGNORECASE,
)
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
    whole = [start for start in places if _is_whole(text, start, start + len(quote))]
    return max(whole or places, key=lambda start: _nearness(text, start, words))


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


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    joined_before = before.isalnum() and text[start].isalnum() and before < "\u2e80"
    joined_after = after.isalnum() and text[end - 1].isalnum() and after < "\u2e80"
    return not (joined_before or joined_after or re.match(r"[.,]\d", text[end : end + 2]))


def _is_cut(text: str, span: Span) -> bool:
    """Whether *span* is a part of a longer word or number that says something else."""
    around = text[max(0, span.start - 1) : span.start], text[span.end : span.end + 1]
    if around[0] in _APART and around[1] in _APART:
        return False  # quick, and true of most
    if _is_within_word(text, span.start):
        return True
    if text[span.start].isdecimal() and text[max(0, span.start - 1)].isdecimal() and span.start:
        return True
    last = _LAST_WORD.search(text, max(span.start, span.end - _SHORT_WORD - 1), span.end)
    if last is not None and len(last[0]) <= _SHORT_WORD and _is_within_word(text, span.end):
        return True
    return _is_part_of_number(text, span)


def _is_within_word(text: str, place: int) -> bool:
    """Whether a word goes on across *place*; a capital behind a small letter begins another."""
    before, after = text[max(0, place - 1) : place], text[place : place + 1]
    if before.isupper():
        return after.islower() or after.isupper()
    return before.islower() and after.islower()


def _is_part_of_number(text: str, span: Span) -> bool:
    """Whether the number at one end of *span* goes on behind a point or comma.

    Dates do not count: `2020` is in `12.05.2020`.
    """
    start, end = span.start, span.end
    goes_on = text[end - 1].isdecimal() and re.match(r"[.,]\d", text[end : end + 2])
    begins_before = text[start].isdecimal() and re.match(r"\d[.,]", text[max(0, start - 2) : start])
    return bool(goes_on and _is_one_number(text, end)) or bool(
        begins_before and _is_one_number(text, start)
    )


def _is_one_number(text: str, place: int) -> bool:
    before = _NUMERAL_BEFORE.search(text[max(0, place - _LONGEST_NUMERAL) : place])
    after = _NUMERAL_AFTER.match(text[place : place + _LONGEST_NUMERAL])
    numeral = f"{before[0] if before else ''}{after[0] if after else ''}".strip(".,")
    return _ONE_NUMBER.fullmatch(numeral) is not None


def _nearness(text: str, start: int, words: set[str]) -> int:
    before = text[max(0, start - _NEAR) : start].casefold()
    line = before.rpartition("\n")[2]
    return sum((word in line) + (word in before) for word in words)


def _joined(quote: str, text: str) -> Location | None:
    """Find a quote with words left out, where its parts follow closely on one another."""
    parts = [part for part in _ELLIPSIS.split(quote) if part]
    if len(parts) < 2:
        return None
    first = locate(parts[0], text)
    if first is None or first.match == "fuzzy" or _is_cut(text, first.span):
        return None
    end = first.span.end
    for part in parts[1:]:
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
    if _digits(quote) != _digits(words) or _denials(quote) != _denials(words):
        return False
    return _same_words(_tokens(quote), _tokens(words))


def _same_words(own: Sequence[str], other: Sequence[str]) -> bool:
    from rapidfuzz.distance import Indel  # slow to import

    changes = [change for change in Indel.opcodes(own, other) if change.tag != "equal"]
    runs: list[tuple[list[str], list[str], bool]] = []
    end = (-1, -1)
    for change in changes:
        if not runs or (change.src_start, change.dest_start) != end:
            is_edge = change.src_start in (0, len(own)) or change.src_end == len(own)
            runs.append(([], [], is_edge))
        runs[-1][0].extend(own[change.src_start : change.src_end])
        runs[-1][1].extend(other[change.dest_start : change.dest_end])
        end = (change.src_end, change.dest_end)
    return all(_is_slip(mine, theirs, is_edge=is_edge) for mine, theirs, is_edge in runs)


def _is_slip(own: Sequence[str], other: Sequence[str], *, is_edge: bool) -> bool:
    if not own:
        return is_edge
    if len(own) == len(other):
        return all(_is_same_word(*pair) for pair in zip(own, other, strict=True))
    return _is_same_word("".join(own), "".join(other))  # parted or joined


def _is_same_word(word: str, other: str) -> bool:
    from rapidfuzz import fuzz  # slow to import

    first, second = _shape(word), _shape(other)
    if first == second:
        return True
    if min(len(word), len(other)) <= _SHORT or first[0] != second[0]:
        return False
    is_opposite = first.endswith(second) or second.endswith(first)  # illegal, legal
    return not is_opposite and fuzz.ratio(word, other) >= _ALIKE


def _shape(word: str) -> str:
    return word.replace("rn", "m").translate(_ALIKE_LETTERS)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold_word(text.replace("\u00ad", "")))


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _denials(text: str) -> list[str]:
    return sorted(word.casefold() for word in _DENIAL.findall(text))


def denies(words: str) -> bool:
    """Return whether *words* have one that denies: `no pets`."""
    return _DENIAL.search(words) is not None
