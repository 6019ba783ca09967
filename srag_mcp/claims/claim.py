"""Whether a value follows from the words that are quoted for it: one check for all."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from srag_mcp.cells.cell import said_of
from srag_mcp.claims.figures import (
    FIRST_YEAR,
    LAST_YEAR,
    carry,
    column_unit,
    definition,
    find_marks,
    ignored_scale,
    is_computed,
    is_converted,
    may_be_year,
    read_figures,
)
from srag_mcp.claims.quotes import (
    counts_its_things,
    counts_others,
    dates_of,
    find_figures,
    find_number,
    find_sides,
    is_bare_count,
    may_be_day,
    other_unit,
)
from srag_mcp.claims.table_places import (
    find_objection,
    find_table_places,
    is_summed,
    object_to_sign,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, content_words, fold, fold_words, share_stem, stem, stems
from srag_mcp.values.dates import DateText, find_periods
from srag_mcp.values.quantities import find_spelled
from srag_mcp.values.states import (
    MONTHS,
    ORDINAL_DAYS,
    denies_only,
    has_denial,
    is_denying_name,
    read_boolean,
    read_missing,
)
from srag_mcp.values.types import Value
from srag_mcp.values.units import convert

_KEY = re.compile(r"[^:?|\n]*[:?|]\s*")
_WORD = re.compile(r"[^\W\d_]{3,}")
_SINGLE = re.compile(r"\b(?:one|single|sole|only)\b", re.IGNORECASE)
_ZERO = re.compile(r"\bzero\s+(?P<thing>[^\W\d_]+)", re.IGNORECASE)
_DIGITS_SHARE = 3
_NAME_BEFORE = re.compile(r"(?:[^\W\d_a-z][\w&.-]*|[§#№]+)[ \u00a0]?$")
_SERIAL = re.compile(r"\d{1,4}(?:[-–]\d{1,4})?[A-Z]?")
_FEWEST_DIGITS, _FEWEST_IN_SLIP = 2, 4
_BROKEN = re.compile(r"[-‐\u00ad][ \t]*\n\s*|\u00ad")
_CAPITALS = re.compile(r"\b[^\W\d_]{2,6}\b|\b(?:[^\W\d_]\.){2,6}")
_LONGEST_CODE = 6
_LONGEST_SHOWN = 80
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


def check(
    attribute: Attribute, quote: str, value: Value, text: str, span: Span | None = None
) -> Claim:
    """Hold *value* of *attribute* against *quote*, words of the document *text*, at *span*.

    Several numbers or dates contradict nothing, and show only what is among them or made of all of
    them. A yes, a no or a category is contradicted where the quote says another one and nothing
    else (`Pool: no`), a name where the document has no word of it. A number is also contradicted by
    the table that it stands in: by its scale, the sign there, a later period, a row of its name.
    """
    if isinstance(value, bool):
        return _check_answer(attribute, quote, value=value)
    if isinstance(value, str):
        return _check_text(attribute, quote, value, text)
    if isinstance(value, date):
        return _check_date(quote, value, text)
    places = find_table_places(quote, value, text, span)
    claim = _check_number(attribute, quote, value, text, span)
    if claim.follows and (why := find_objection(attribute, value, places)):
        return Claim(Bearing.CONTRADICTED, why)
    if not claim.follows and is_summed(attribute, value, places):
        return Claim(Bearing.DERIVED)
    if claim.bearing is Bearing.DERIVED:  # numbers of several periods make no number of one
        numbers = (float(found.value) for found in read_figures(quote).quantities)
        found = (x for number in numbers for x in find_table_places(quote, number, text, span))
        if any(place.has_periods for place in found):
            return Claim(Bearing.UNSHOWN)
    return claim


def says_none(quote: str) -> bool:
    """Return whether *quote* may say that there is none of something: `Pool: -`, `no pool`."""
    said = _KEY.sub("", quote, count=1).strip()
    return has_denial(quote) or read_missing(said) is not None or read_boolean(said) is False


def _check_number(
    attribute: Attribute, quote: str, value: float, text: str, span: Span | None
) -> Claim:
    figures = read_figures(quote)
    is_plain = abs(float(value)) in figures.plain
    if is_plain and (why := _misread(attribute, quote, value, text)):
        return Claim(Bearing.CONTRADICTED, why)
    alike = [found for found in figures.quantities if found.value == value]
    if is_plain and not (alike and all(found.unit and carry(attribute, found) for found in alike)):
        return Claim(Bearing.QUOTED)
    spelled = {number for _, number in find_spelled(quote, 1, text)}
    is_spelled = value in spelled and (value != 1 or not figures.quantities)  # `ein`, an article
    if is_spelled or is_converted(attribute, quote, value, text):
        return Claim(Bearing.CONVERTED)
    is_single = value == 1 and not figures.quantities and _SINGLE.search(quote)
    if (
        is_single
        or (value == 0 and _says_zero(attribute, quote))
        or is_computed(attribute, quote, value)
    ):
        return Claim(Bearing.DERIVED)
    if not figures.quantities and _is_defined(attribute, quote, value):
        return Claim(Bearing.DERIVED)
    said = ""
    if not is_bare_count(attribute):
        said = _only_number(attribute, quote, value)
    elif not figures.dates and len(figures.placed) == 1:  # else it may tell something else
        [(place, counted)] = figures.placed
        before, after = find_sides(quote, place, text, span)
        is_meant = counts_its_things(attribute, before, place.of(quote), after)
        said = str(counted.value) if is_meant else ""
    if said:
        return Claim(Bearing.CONTRADICTED, f"the quote says {said}, the value {value}")
    for found in figures.quantities:
        if _is_slip(float(found.value), value):
            return Claim(
                Bearing.CONTRADICTED, f"the quote says {found.value}, the value {value:.15g}"
            )
    return Claim(Bearing.UNSHOWN)


def _says_zero(attribute: Attribute, quote: str) -> bool:
    """Whether *quote* says that there is none of what it counts, not of a figure: `zero items`."""
    name = said_of(attribute)
    is_denied = has_denial(quote) and denies_only(quote, name)
    return is_denied or any(
        {*stems(found["thing"])} & {*stems(name)} for found in _ZERO.finditer(quote)
    )


def _misread(attribute: Attribute, quote: str, value: float, text: str) -> str:
    """Say how *value*, a number of *quote*, is read wrongly: its scale, sign, unit or marks."""
    if words := ignored_scale(attribute, quote, value):
        return f"the quote says {words!r}, the value {value}"
    is_grouped = attribute.type.is_whole or value == 0
    if not is_grouped and abs(value) not in read_figures(quote).plain_in(find_marks(text)):
        return f"is it {value:.15g}? The document has a {find_marks(text)} in other numbers"
    alike = [found for found in find_figures(quote) if abs(value) in map(abs, found.numbers)]
    if not alike:
        return ""
    units = [other_unit(attribute, found.figure) for found in alike]
    if all(units) and convert(1.0, units[0], column_unit(attribute) or "") is None:
        return f"the quote gives it in {units[0]}, the column is in {attribute.unit or 'no unit'}"
    stands = (quote.strip().isdigit() and find_number(attribute, value, text)) or any(
        place.label
        for place in find_table_places(quote, value, text, None)  # of what it names
    )
    if all(x.is_of_date for x in alike) and not stands and not may_be_year(attribute, value):
        return "its number is a part of a date"
    label = " ".join(quote[: found.span.start] for found in alike)
    is_negative = all(found.figure.sign < 0 for found in alike)
    if is_bare_count(attribute):  # a dash before it is no minus
        return ""
    return object_to_sign(attribute, value, label, is_negative=is_negative)


def _is_slip(number: float, value: float) -> bool:
    """Whether *value* is *number* in some scale but for a digit, or for two that changed places."""
    one, other = (f"{abs(each):.15g}".replace(".", "").strip("0") for each in (number, value))
    may_be_years = any(FIRST_YEAR <= each <= LAST_YEAR for each in (number, value))
    if len(one) != len(other) or len(one) < _FEWEST_IN_SLIP or may_be_years:
        return False
    from rapidfuzz.distance import OSA  # slow to import, and mostly not needed

    return OSA.distance(one, other) == 1


def _only_number(attribute: Attribute, quote: str, value: float) -> str:
    """Say which number *quote* states that is not *value*; empty where that is not sure."""
    figures, unit = read_figures(quote), column_unit(attribute)
    if figures.dates:
        years = {found.year for found in figures.dates if found.year is not None}
        is_other = len(years) == 1 and may_be_year(attribute, value)
        return str(years.pop()) if is_other else ""
    if len(figures.quantities) != 1 or (value == 1 and _SINGLE.search(quote)):
        return ""  # "one" is too common a word to be read as a number
    [(place, found)] = figures.placed
    if _is_designation(attribute, quote, place, value):
        return ""
    if found.unit is None and counts_others(attribute, quote[place.end :]):
        return ""
    if found.unit is not None and found.unit != unit and attribute.unit:
        carried = carry(attribute, found)
        if not carried:
            return ""
        return f"{found.value} {found.unit}, which is {carried[0]:.6g} in {attribute.unit}"
    letters = [letter for letter in quote if letter.isalnum()]
    is_number = sum(letter.isdigit() for letter in letters) * _DIGITS_SHARE >= len(letters)
    is_measured = found.unit is not None and found.unit == unit
    is_meant = is_measured or is_number or _names_attribute(attribute, quote)
    return str(found.value) if is_meant or not attribute.type.is_whole else ""


def _is_designation(attribute: Attribute, quote: str, place: Span, value: float) -> bool:
    """Whether the number at *place* is a part of a name: `Boeing 757`, `Article 5`, `§ 4`."""
    before, numeral = _NAME_BEFORE.search(quote[: place.start]), place.of(quote)
    if before is None or not _SERIAL.fullmatch(numeral):
        return False
    own = set(stems(" ".join((attribute.name, *attribute.synonyms))))
    word = fold(before[0])
    if word in STOP_WORDS or not own.isdisjoint(stems(word)):
        return False
    from rapidfuzz.distance import OSA

    written = f"{abs(value):.10g}"
    return min(len(numeral), len(written)) < _FEWEST_DIGITS or OSA.distance(numeral, written) > 1


def _names_attribute(attribute: Attribute, quote: str) -> bool:
    words = {word.casefold() for word in _WORD.findall(quote)}
    return any(word in words for word in attribute.name.split("_"))


def _check_answer(attribute: Attribute, quote: str, *, value: bool) -> Claim:
    """A no needs a word that denies; a yes is not shown by words that do."""
    said = read_boolean(_KEY.sub("", quote, count=1))
    if said in (None, value) or is_denying_name(attribute.name):
        is_shown = said is value or has_denial(quote) is not value
        return Claim(Bearing.QUOTED if is_shown else Bearing.UNSHOWN)
    if _KEY.match(quote) is None or _names_attribute(attribute, quote):
        return Claim(Bearing.CONTRADICTED, f"the quote says {quote!r}")
    return Claim(Bearing.UNSHOWN)


def _is_defined(attribute: Attribute, quote: str, value: float) -> bool:
    """Whether the definition gives *value* for words of *quote*: `0 if punctual (on time, RT)`."""
    written = f" {fold_words(attribute.description)} "
    before, _, behind = written.partition(f" {value:.15g} ")
    about, meant, said = (
        {*map(stem, content_words(text))} for text in (f"{attribute.name} {before}", behind, quote)
    )
    return not said.isdisjoint(meant - about)


def _check_date(quote: str, value: date, text: str) -> Claim:
    found = read_figures(quote).dates
    agreeing = [item for item in found if may_be_day(item, value)]
    day = re.search(rf"(?<!\d)0?{value.day}(?!\d)", quote)
    # `12 to 28 May`: the month of a stretch stands with its last day
    stretches = (x for _, x in find_periods(quote) if x.precision == "range") if day else ()
    if any(value == stretch.low for stretch in stretches):
        return Claim(Bearing.DERIVED)
    if len(found) == 1 and not agreeing:
        return Claim(Bearing.CONTRADICTED, f"the quote gives another date than {value.isoformat()}")
    if any(item.year is not None and item.day is not None for item in agreeing):
        return Claim(Bearing.QUOTED)
    is_open = agreeing or not found
    is_elsewhere = is_open and any(
        may_be_day(item, value) for _, item in dates_of(text) if item.year and item.day
    )
    is_shown = is_elsewhere or _has_parts(agreeing, quote, value, text)
    return Claim(Bearing.DERIVED if is_shown else Bearing.UNSHOWN)


def _has_parts(agreeing: Sequence[DateText], quote: str, value: date, text: str) -> bool:
    """Whether the quote has month and day of *value* as one date, and *text* its year."""
    names = "|".join(name for name, day in ORDINAL_DAYS.items() if day == value.day)
    months = "|".join(name for name, month in MONTHS.items() if month == value.month)
    day = rf"(?<![\w-])(?:0?{value.day}(?:st|nd|rd|th)|{names})"
    written = rf"{day}\s(?:of\s)?(?:{months})\b|\b(?:{months})\s(?:the\s)?{day}\b"
    is_day = any(item.day for item in agreeing) or re.search(written, quote, re.IGNORECASE)
    has_year = any(item.year and not item.two_digits for item in agreeing)
    is_dated = has_year or re.search(rf"(?<!\d){value.year}(?!\d)", text)
    return bool(is_day and is_dated)


def _check_text(attribute: Attribute, quote: str, value: str, text: str) -> Claim:
    folded = {fold(category): category for category in attribute.categories or ()}
    said = folded.get(fold(_KEY.sub("", quote, count=1)), value)
    if fold(said) != fold(value):
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
    """Whether *text*, the document, may have a word of *value*, if that is a name."""
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
    elsewhere = (definition(attribute), text)
    return _has_any(_name_words(quote), wanted, _ALIKE_IN_QUOTE) or any(
        _has_any(_name_words(other), wanted, _ALIKE_ANYWHERE) for other in elsewhere
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
        or any(share_stem(word, other) for other in known)
        for word in wanted
    )
