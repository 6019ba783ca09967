"""Where a quote stands in its document, and whether a value follows from it: one check for all."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from itertools import islice

from srag_mcp.claims.figures import (
    find_other_number,
    is_computed,
    is_converted,
    names_attribute,
    read_figures,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.locate import Location, locate
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold, fold_word
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.states import (
    denials_in,
    has_denial,
    is_denying_name,
    read_boolean,
    read_missing,
)
from srag_mcp.values.types import Value

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


_KEY = re.compile(r"[^:?\n]*[:?]\s*")
_BROKEN = re.compile(r"[-‐\u00ad][ \t]*\n\s*|\u00ad")
_CAPITALS = re.compile(r"\b[^\W\d_]{2,6}\b|\b(?:[^\W\d_]\.){2,6}")
_LONGEST_CODE = 6
_LONGEST_SHOWN = 80
_SHORTEST_STEM = 4
_ALIKE_IN_QUOTE, _ALIKE_ANYWHERE = 50.0, 75.0


class Bearing(StrEnum):
    """How the words of a quote bear on a value.

    `QUOTED`: they have it as it is. `CONVERTED`: in another scale, unit or spelling.
    `DERIVED`: it is computed from all that they say, counted, or stands elsewhere.
    `UNSHOWN`: nothing shows how it follows. `CONTRADICTED`: they say something else.
    """

    QUOTED = "quoted"
    CONVERTED = "converted"
    DERIVED = "derived"
    UNSHOWN = "unshown"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a quote says of a value; *why*, in a clause, where it says something else."""

    bearing: Bearing
    why: str = ""

    @property
    def follows(self) -> bool:
        """Whether the quote shows the value."""
        return self.bearing in (Bearing.QUOTED, Bearing.CONVERTED, Bearing.DERIVED)


def check(attribute: Attribute, quote: str, value: Value, text: str) -> Claim:
    """Hold *value* of *attribute* against *quote*, words of the document *text*.

    Several numbers or dates contradict nothing, and show only what is among them or made of all of
    them. A yes, a no or a category is contradicted where the quote says another one and nothing
    else (`Pool: no`), a name where the document has no word of it.
    """
    if isinstance(value, bool):
        return _check_answer(attribute, quote, value=value)
    if isinstance(value, str):
        return _check_text(attribute, quote, value, text)
    if isinstance(value, date):
        return _check_date(quote, value, text)
    if why := find_other_number(attribute, quote, value, text):
        return Claim(Bearing.CONTRADICTED, why)
    if abs(float(value)) in read_figures(quote).plain:
        return Claim(Bearing.QUOTED)
    if is_converted(attribute, quote, value, text):
        return Claim(Bearing.CONVERTED)
    is_none = value == 0 and has_denial(quote)
    is_shown = is_none or is_computed(attribute, quote, value)
    return Claim(Bearing.DERIVED if is_shown else Bearing.UNSHOWN)


def says_none(quote: str) -> bool:
    """Return whether *quote* may say that there is none of something: `Pool: -`, `no pool`."""
    said = _KEY.sub("", quote, count=1).strip()
    return has_denial(quote) or read_missing(said) is not None or read_boolean(said) is False


def _check_answer(attribute: Attribute, quote: str, *, value: bool) -> Claim:
    """A no needs a word that denies; a yes is not shown by words that do."""
    said = read_boolean(_KEY.sub("", quote, count=1))
    if said in (None, value) or is_denying_name(attribute.name):
        is_shown = said is value or has_denial(quote) is not value
        return Claim(Bearing.QUOTED if is_shown else Bearing.UNSHOWN)
    if _KEY.match(quote) is None or names_attribute(attribute, quote):
        return Claim(Bearing.CONTRADICTED, f"the quote says {quote!r}")
    return Claim(Bearing.UNSHOWN)


def _check_date(quote: str, value: date, text: str) -> Claim:
    found = read_figures(quote).dates
    agreeing = [item for item in found if _agrees(item, value)]
    if len(found) == 1 and not agreeing:
        return Claim(Bearing.CONTRADICTED, f"the quote gives another date than {value.isoformat()}")
    if any(item.year is not None and item.day is not None for item in agreeing):
        return Claim(Bearing.QUOTED)
    is_open = agreeing or not found
    is_elsewhere = is_open and any(_agrees(item, value) for item in _full_dates(text))
    return Claim(Bearing.DERIVED if is_elsewhere else Bearing.UNSHOWN)


def _agrees(found: DateText, value: date) -> bool:
    year = found.year is None or (
        found.year % 100 == value.year % 100 if found.two_digits else found.year == value.year
    )
    if not year or found.quarter is not None:
        return year
    days = {(found.month, found.day)}
    if found.ambiguous:
        days.add((found.day, found.month))
    return any(month in (None, value.month) and day in (None, value.day) for month, day in days)


@lru_cache(maxsize=8)
def _full_dates(text: str) -> tuple[DateText, ...]:
    return tuple(item for _, item in find_dates(text) if item.year is not None)


def _check_text(attribute: Attribute, quote: str, value: str, text: str) -> Claim:
    folded = {fold(category): category for category in attribute.categories or ()}
    said = folded.get(fold(_KEY.sub("", quote, count=1)), value)
    if said != value:
        return Claim(Bearing.CONTRADICTED, f"the quote says {said!r}, the value {value!r}")
    words = fold(value).split()
    if words and _has_words(quote, words):
        return Claim(Bearing.QUOTED)
    if folded:  # the document may speak of all categories
        return Claim(Bearing.UNSHOWN)
    if not _says_name(attribute, quote, value, text):
        why = f"the document has no word of {value!r:.{_LONGEST_SHOWN}}"
        return Claim(Bearing.CONTRADICTED, why)
    is_there = _has_words(text, words) if words else value in text
    return Claim(Bearing.CONVERTED if is_there else Bearing.UNSHOWN)


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Whether *text* has all folded *words*; in scripts without case within longer ones, too."""
    folded, known = _fold_words(text)
    return all(
        word in known or (word in folded and not (word.islower() or word.isdecimal()))
        for word in words
    )


@lru_cache(maxsize=8)
def _fold_words(text: str) -> tuple[str, frozenset[str]]:
    """Return *text* folded, and its words; the cells of one document ask for the same again."""
    folded = fold(_BROKEN.sub("", text))
    return folded, frozenset(folded.split())


def _says_name(attribute: Attribute, quote: str, value: str, text: str) -> bool:
    """Whether *text*, the document, may have a word of *value*, if that is a name.

    Only texts whose words have capitals are; one that another script, an abbreviation (`the PRC`)
    or the description of the column may explain is there.
    `Rotterdam`, quoted as "put out from Hamburg" -> False; `China`, as "the PRC" -> True
    """
    parts = _WORD.findall(value)
    is_code = value.isupper() and len(value) <= _LONGEST_CODE  # `DE`, `EUR` stand for other words
    if not parts or is_code or not all(word[0].isupper() for word in parts):
        return True
    scripts, others = (
        {unicodedata.name(letter, "?").split()[0] for letter in words if letter.isalpha()}
        for words in (value, quote)
    )
    is_mixed = not (value.isupper() or quote.isupper())
    if not scripts & others or (is_mixed and any(map(str.isupper, _CAPITALS.findall(quote)))):
        return True
    wanted = _name_words(value)
    described = f"{attribute.name.replace('_', ' ')} {attribute.description}"
    return _has_any(_name_words(quote), wanted, _ALIKE_IN_QUOTE) or any(
        _has_any(_name_words(other), wanted, _ALIKE_ANYWHERE) for other in (described, text)
    )


@lru_cache(maxsize=8)
def _name_words(text: str) -> tuple[str, ...]:
    found = _WORD.findall(_BROKEN.sub("", text))
    return tuple(fold(word) for word in dict.fromkeys(found))


def _has_any(words: Sequence[str], wanted: Sequence[str], alike: float) -> bool:
    """Whether one of *wanted* is among *words*, is like one, or has the stem of one."""
    known = set(words)
    if not known.isdisjoint(wanted):
        return True
    from rapidfuzz import fuzz, process  # slow to import, and mostly not needed

    return any(
        process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=alike)
        or any(_share_stem(word, other) for other in known)
        for word in wanted
    )


def _share_stem(one: str, other: str) -> bool:
    """`italian` and `italy`; `mietvertrag` and `vertrag`."""
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST_STEM:
        return False
    return long.startswith(short[:_SHORTEST_STEM]) or short in long
