"""Figures of a quote: what they may mean as a number, in the scale and the unit of a column."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import islice

from srag_mcp.cells.cell import IN_DOUBT, Cell, Mark, is_count
from srag_mcp.claims.captions import note_scales
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span, find_exactly
from srag_mcp.text.words import STOP_WORDS, fold, stem, stems
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.quantities import (
    DECIMAL_COMMA,
    FOOTNOTED,
    NUMBER_WORDS,
    PARTS_OF_ONE,
    Quantity,
    ambiguous_mark,
    find_quantities,
    find_style,
    read_number_words,
    read_numeral,
    scan_figures,
)
from srag_mcp.values.states import LEGAL_FORMS, TITLES, State
from srag_mcp.values.types import Value
from srag_mcp.values.units import (
    SCALES,
    SIZES,
    UNITS,
    conversions_between,
    convert,
    is_currency,
    parse_unit,
    unit_of,
)

_NUMERALS = (
    re.compile(r"\d+(?:[.,]\d+)*"),
    re.compile(r"(?<!\d)\d{1,3}(?:['’ \u00a0\u202f\u2009]\d{3})+(?:[.,]\d+)?(?!\d)"),
)
_CODE = re.compile(r"(?<!\w)[^\W\d_]+\d+[/_:][\w.,/]+")  # `SS21/39,47400`
_MIXED = re.compile(r"(?<![\w.,/])(?:(\d{1,4})[ \u00a0-])?(\d{1,2})/(\d{1,2})(?![.,/]?\w)")
_SPELT_PART = re.compile(
    rf"(?:(?:(?:an?|the|one)\s(?P<one>[^\W\d_]+)|(?P<whole>[\w-]+))\s+and\s+)?"
    rf"\b(?P<top>an?|[\w-]+?)[\s-]"
    rf"(?P<part>{'|'.join(PARTS_OF_ONE)})\b|\b(?P<half>half)\san?(?=\s)(?!\s(?:dozen|hundred|thousand|million|billion)\b)",
    re.IGNORECASE,
)
_ONE_IN = re.compile(
    r"\b(?P<top>one|\d+)\s(?:[^\W\d_]+\s)?(?:in|out of)\s(?P<bottom>[\w-]+)", re.IGNORECASE
)
_ONE = re.compile(r"\bone\s(?=[^\W\d_])(?!of\b)", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-4])(?:[:.h](?P<minute>[0-5]\d))?(?::[0-5]\d)?(?![\d:])"
    r"(?:\s?(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^[ \t#]*\d+[.,]\d+(?=\s[^\W\d_])", re.MULTILINE)
_SHORT_YEAR = re.compile(r"(?<!\w)['’](\d\d)(?!\w)")
_LETTERS = re.compile(r"[^\W\d_]+")
_HUNDREDTHS = re.compile(
    r"\b(?:cents?|centimes?|c[eé]nt[ei][ms]\w*|centavos?|penn(?:y|ies)|pence|gros\w+|[öø]re|paise"
    r"|kop\w+|sen|ct)\b|¢",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"fractions?|ratios?|proportions?|quotients?|anteil|bruchteil|fracci[oó]n|frazione|fraç[aã]o"
    r"|\b(?:0|zero)\s*(?:to|and|bis|à|[-–])\s*(?:1|one)\b(?![\d.,])",
    re.IGNORECASE,
)
_RATIO = re.compile(r"/|\b(?:per|pro|par|por|à)\b", re.IGNORECASE)
_OUT_OF = re.compile(
    r"(?<![\d/.,])(\d+(?:[.,]\d+)?)\s*(?:/|\b(?:out of|of|von|sur|su|de|van|av)\b)"
    r"\s*(\d+)(?![\d/]|[.,]\d)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[,;\n|•·]+")
_PARTS = (0.01, 100.0)
_SHARES = {"percent": 0.01, "permille": 0.001}
_THOUSANDS = tuple(10.0**power for power in (-9, -6, -3, 3, 6, 9))
_TOTALS = (1, 5, 10, 20, 100)
_SAME, _ROUNDED = 1e-6, 0.02
FIRST_YEAR, LAST_YEAR = 1000, 2199
_MONTHS, _DAY = 12, 24
_HUNDRED = 100
_SCALE_WORD = re.compile(r"[^\W\d_]+|[千万萬亿億]")
_IN_THOUSANDS = re.compile(r"(?<![\d,.])['’]?000s?\b|[TKk][€$]|\b[TkK]EUR\b")
_AROUND = 200
_MAX_PLACES = 20


class Figures:
    """The figures and dates of a quote, each read when it is asked for."""

    def __init__(self, quote: str) -> None:
        self.quote = quote

    @cached_property
    def placed(self) -> list[tuple[Span, Quantity]]:
        """Its quantities with their places in it, in their order."""
        return find_quantities(self.quote)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its quantities, in their order."""
        return [quantity for _, quantity in self.placed]

    @cached_property
    def fractions(self) -> list[Quantity]:
        """What it says in parts of one: `2 1/2 cups`, `three quarters`, `one bottle in five`.

        Three quarters may also be three of a year: the whole numbers stay among the quantities.
        """
        said = _ONE_IN.sub(_as_decimals, self.quote)
        said = _SPELT_PART.sub(_as_decimals, _MIXED.sub(_as_decimals, said))
        found = [] if said == self.quote else [number for _, number in find_quantities(said)]
        return [number for number in found if number not in self.quantities]

    @cached_property
    def shares(self) -> set[float]:
        """Its shares, and fractions, in parts of one: `a fifth`, `20 %` -> 0.2."""
        percent = {x.value / _HUNDRED for x in self.quantities if x.unit == "percent"}
        return percent | {float(found.value) for found in self.fractions if found.unit is None}

    @cached_property
    def addends(self) -> list[Quantity]:
        """Its quantities without those that repeat in brackets what is spelled: `thirty (30)`."""
        return [
            found
            for place, (span, found) in enumerate(self.placed)
            if not place
            or found.value != self.placed[place - 1][1].value
            or self.quote[self.placed[place - 1][0].end : span.start].strip() != "("
        ]

    @cached_property
    def clocks(self) -> list[float]:
        """Its times of day, in hours: `8 am to 10:30` -> 8.0, 10.5."""
        found = []
        for time in _CLOCK.finditer(self.quote):
            if time["half"] or (time["minute"] and time[0][len(time["hour"])] != "."):
                hour = int(time["hour"]) + int(time["minute"] or 0) / 60
                half = (time["half"] or "").lower()
                found.append(hour % 12 + 12 * (half == "p") if half else hour)
        return found

    @cached_property
    def dates(self) -> list[DateText]:
        """Its dates, those that it gives in part included, as far as a year: `'84`."""
        found = [date for _, date in find_dates(self.quote, partial=True)]
        short = map(int, _SHORT_YEAR.findall(self.quote)) if not found else ()
        return [*found, *(DateText(year, two_digits=True) for year in short)]

    @cached_property
    def plain(self) -> set[float]:
        """What its numerals may be: `1.250` -> 1.25 and 1250."""
        return self.plain_in("")

    def plain_in(self, style: str) -> set[float]:
        """Return what its numerals may be in a document of a *style*, see `find_marks`.

        In `2.635,673` both marks may be meant to part thousands; `4,6702` may be 4,670 with the
        mark of a footnote.
        """
        said = _CODE.sub(" ", self.quote)
        numerals = [numeral for kind in _NUMERALS for numeral in kind.findall(said)]
        numerals += [mark[1] for numeral in numerals if (mark := FOOTNOTED.fullmatch(numeral))]
        read = (read_numeral(one, marks) for one in numerals for marks in groupings_of(one, style))
        return {float(number) for number in read if number is not None}

    @cached_property
    def points(self) -> list[tuple[float, int]]:
        """Points out of a total: `92/100`, `4,4 von 5`."""
        return [
            (float(points.replace(",", ".")), int(total))
            for points, total in _OUT_OF.findall(self.quote)
        ]

    def is_only(self, value: object) -> bool:
        """Return whether *value* is its only number, as it stands there with its scale."""
        return [quantity.value for quantity in self.quantities] == [value]

    def has_in_thousands(self, value: float) -> bool:
        """Return whether it states *value*, but for thousands, millions or billions."""
        return any(_is_product(_ends(found), _THOUSANDS, value) for found in self.quantities)


@lru_cache(maxsize=8)
def find_marks(text: str) -> str:
    """Return which decimal mark the numerals of a document agree on, in words; else empty.

    The number of a heading is none: `2.1 Scope`.
    """
    headings = {heading.end() for heading in _NUMBERED.finditer(text)}
    return find_style(
        figure.numeral for figure in scan_figures(text) if figure.span.end not in headings
    )


def groupings_of(numeral: str, style: str) -> tuple[str, ...]:
    """Return the marks that may group digits in *numeral*, in a document of a *style*, in turns.

    Without a style, or where *numeral* itself says what its marks are, any may.
    """
    if style and ambiguous_mark(numeral):
        return (".",) if style == DECIMAL_COMMA else (",",)
    return ("", ".", ",", ".,")


@lru_cache(maxsize=64)
def read_figures(quote: str) -> Figures:
    """Read the figures of a quote, once for all that is asked of it."""
    return Figures(quote)


def _as_decimals(match: re.Match[str]) -> str:
    """Write a fraction as a number: `2 1/2` -> `2.500000`; as it is where it is none."""
    groups = match.groupdict()
    whole: float | None = 0
    unit = ""
    if "bottom" in groups:
        top, bottom = map(_read_count, match.groups())
        if top and bottom and top >= bottom:
            top = None  # `12 rooms in 3 houses` are no part
    elif groups:
        said = (groups["top"] or "a").lower()
        top = 1 if said in ("a", "an") else _read_count(said)
        bottom = PARTS_OF_ONE[(groups["half"] or groups["part"]).lower()]
        whole = _read_count(groups["whole"]) if groups["whole"] else 0
        if groups["one"]:  # `the mile and a half`
            unit, whole = f" {groups['one']}", 1 if unit_of(groups["one"]) else None
    else:
        whole, top, bottom = (int(part or 0) for part in match.groups())
    if whole is None or not top or not bottom:
        return match[0]
    return f"{whole + top / bottom:.6f}{unit}"


def _read_count(word: str) -> int | float | None:
    if word.isdecimal():
        return int(word)
    return read_number_words(word) if NUMBER_WORDS.fullmatch(word) else None


def definition(attribute: Attribute) -> str:
    """Return the name, the unit and the description of a column."""
    return f"{attribute.name.replace('_', ' ')} {attribute.unit or ''} {attribute.description}"


def is_in_currency(attribute: Attribute) -> bool:
    """Whether a column has no unit, and its definition speaks of a currency, as a model writes."""
    return not attribute.unit and stem("currency") in stems(definition(attribute))


def column_unit(attribute: Attribute) -> str | None:
    """Return the unit of the column; None for one that is a ratio (`grams per litre`)."""
    unit = parse_unit(attribute.unit or "").unit
    is_ratio = unit in SIZES and "/" not in unit and _RATIO.search(attribute.unit or "")
    return None if is_ratio else unit


def may_be_year(attribute: Attribute, value: float) -> bool:
    """Return whether *value* of a column may be the number of a year."""
    is_whole = attribute.type.is_whole and column_unit(attribute) in (None, "year")
    return is_whole and FIRST_YEAR <= value <= LAST_YEAR


def speaks_of_years(attribute: Attribute) -> bool:
    """Return whether unit, name or description of a column has a word for years."""
    words = _LETTERS.findall(definition(attribute).lower())
    return any(UNITS.get(word) == "year" for word in words)


def is_converted(attribute: Attribute, quote: str, value: float, text: str) -> bool:
    """Return whether *value* is a number of *quote* in another scale, unit or form.

    The scale (thousand, million) may stand in the definition of the column or in *text*, the
    document. The unit, too, may stand elsewhere: `242`, below "nautical miles".
    """
    figures = read_figures(quote)
    numbers = {float(found.value) for found in figures.quantities}
    years = {found.year % _HUNDRED if found.two_digits else found.year
             for found in figures.dates if found.year is not None}  # fmt: skip
    if may_be_year(attribute, value):
        is_of_years = speaks_of_years(attribute) or figures.dates
        if value in {*years, *numbers} or (is_of_years and value % _HUNDRED in {*years, *numbers}):
            return True
    if any(
        total and rounds_to(points / total * other, value)
        for points, total in figures.points  # 92/100, 9.2
        for other in _TOTALS
    ):
        return True
    for found in figures.fractions:
        sizes = [float(found.value) * one for one in _factors(attribute, found, quote, text)]
        if any(rounds_to(size, value) for size in (*sizes, *carry(attribute, found))):
            return True
    for found in figures.quantities:
        if any(rounds_to(size, value) for size in carry(attribute, found)):
            return True
        factors = _factors(attribute, found, quote, text)
        if _is_product(_ends(found), factors, value):
            return True
    return False


def carry(attribute: Attribute, found: Quantity) -> list[float]:
    """Return what a quantity in another unit is in that of the column.

    It is all that it may be where it has no unit, and nothing where it cannot be carried.
    """
    unit = column_unit(attribute)
    if unit is None or found.unit == unit:
        return []
    if found.unit in _SHARES and unit in _SHARES:
        return [number * _SHARES[found.unit] / _SHARES[unit] for number in _ends(found)]
    scale = parse_unit(attribute.unit or "").scale
    sizes = [
        convert(float(number), other, unit)
        for other in ([found.unit] if found.unit else SIZES)
        if other != unit
        for number in _ends(found)
    ]
    return [size / scale for size in sizes if size is not None]


def _factors(attribute: Attribute, found: Quantity, quote: str, text: str) -> Iterator[float]:
    """Yield by what *found*, a number of *quote*, may be multiplied."""
    words = definition(attribute)
    yield from conversions_between(f"{quote} {words}")
    if found.unit is not None and carry(attribute, found):
        return  # the number as it stands is in another unit
    yield 1.0
    if "percent" in (column_unit(attribute), found.unit):
        if _FRACTION.search(words) or attribute.unit is None:
            yield from _PARTS
        elif found.unit != "percent" and abs(found.value) <= 1:  # 0.12 may be written for 12 %
            yield 100.0
        return
    if _HUNDREDTHS.search(quote) or _HUNDREDTHS.search(words):
        yield from _PARTS
    if found.ambiguous and not find_marks(text):
        yield from (0.001, 1000.0)
    is_scaled = any(figure.scaled for figure in scan_figures(quote))
    # a caption speaks of money and of bare numbers: neither of `12 m` nor of what is counted
    is_own = is_count(attribute) or (found.unit is not None and not is_currency(found.unit))
    stated = {1.0} if is_scaled or is_own else stated_scales(quote, text)
    yield from (one / other for one in stated for other in scales_of(attribute))


def is_computed(attribute: Attribute, quote: str, value: float) -> bool:
    """Return whether *value* follows from all figures of *quote*: their sum, or the like.

    Of two, also their difference, mean and product, or the time between two dates or times of day.
    Any two of many would give nearly any number. Words without a figure may be counted as what they
    list.
    """
    figures, size = read_figures(quote), abs(value)
    found = list(_times_between(attribute, figures))
    wanted = column_unit(attribute)
    numbers = [
        number if carried is None else carried
        for quantity in figures.addends
        for number in (float(quantity.value),)
        for carried in (convert(number, quantity.unit or "", wanted or ""),)
    ]
    if not numbers and not found:
        return size in _count_listed(quote)
    n_ones = len(_ONE.findall(quote))
    found += [sum(numbers)] if len(numbers) > 1 else []
    found += [sum(numbers) + n_ones] if numbers and n_ones else []
    if len(set(numbers)) == 2:
        one, other = dict.fromkeys(numbers)
        found += [one - other, (one + other) / 2, one * other, one * other / _HUNDRED]
        found += [one + other / _HUNDRED] if _HUNDREDTHS.search(quote) else []
    return any(rounds_to(number, size) for number in found)


def _count_listed(words: str) -> set[int]:
    """Return how many things *words* list; the last two may be parted by a word: `Bob and Cyd`."""
    symbols = "".join(words.split())
    if len(set(symbols)) == 1 and not symbols.isalnum():
        return {len(symbols)}
    parts = [part.strip() for part in _LISTED.split(words) if part.strip()]
    inner = [word.casefold() for part in parts[-1:] for word in part.split()[1:-1]]
    return {len(parts), len(parts) + any(word in STOP_WORDS for word in inner)}


def _times_between(attribute: Attribute, figures: Figures) -> Iterator[float]:
    """Yield the whole years, months or days between the first and the last of several dates."""
    unit = column_unit(attribute)
    if unit is not None and len(figures.clocks) == 2:
        first_hour, last_hour = figures.clocks
        between = convert((last_hour - first_hour) % _DAY, "h", unit)
        yield from [] if between is None else [between]
    spans = [(found.value, found.upper) for found in figures.quantities if found.upper is not None]
    dated = [found for found in figures.dates if found.year]
    if not dated and len(spans) == 1 and all(FIRST_YEAR <= end <= LAST_YEAR for end in spans[0]):
        dated = [DateText(int(end)) for end in spans[0]]
    if len(dated) < 2:
        return
    first, last = dated[0], dated[-1]
    months = _MONTHS * ((last.year or 0) - (first.year or 0))
    if unit == "year" or (unit is None and speaks_of_years(attribute)):
        years = abs(months) // _MONTHS
        yield from (years - 1, years, years + 1)
    if unit == "month" and first.month and last.month:
        months = abs(months + last.month - first.month)
        yield from (months, months + 1)
    first_day, last_day = first.on(), last.on()
    if unit in ("day", "week") and first_day and last_day:
        days = abs((last_day - first_day).days)
        yield from (n / (7 if unit == "week" else 1) for n in (days, days + 1))


def _ends(quantity: Quantity) -> Sequence[float]:
    """Return what a quantity may be: a range either of its ends, or the middle."""
    if quantity.upper is None:
        return (quantity.value,)
    return (quantity.value, quantity.upper, (quantity.value + quantity.upper) / 2)


def _is_product(numbers: Sequence[float], factors: Iterable[float], value: float) -> bool:
    return any(_is_same(number * factor, value) for factor in factors for number in numbers)


def _is_same(one: float, other: float) -> bool:
    return math.isclose(abs(one), abs(other), rel_tol=_SAME)


def rounds_to(number: float, value: float) -> bool:
    """Return whether *value* is what is computed, rounded where it ends: 804.67 -> 805, 804.7."""
    last = Decimal(str(value)).normalize().as_tuple().exponent
    slack = min(10.0 ** int(last) / 2, _ROUNDED * abs(value))
    return _is_same(number, value) or abs(abs(number) - abs(value)) <= slack


def ignored_scale(attribute: Attribute, quote: str, value: float) -> str:
    """Return the words of *quote* whose scale *value* leaves out; empty where there are none.

    `15 thousand tonnes`, 15 -> `15 thousand tonnes`, unless the column is in thousands
    """
    for figure in scan_figures(quote) if value else ():
        whole = figure.read()
        if whole is None or (whole.upper is not None and whole.upper < whole.value):
            continue  # `10-1M` is no range
        for end in (figure, figure.upper):
            quantity = end.read() if end is not None and end.scaled else None
            if end is None or quantity is None:
                continue
            factor = end.scale * 10.0**end.power
            is_without = math.isclose(abs(quantity.value), abs(value) * factor)
            if is_without and factor not in scales_of(attribute):
                return figure.span.of(quote)
    return ""


def scales_of(attribute: Attribute) -> set[float]:
    """Return the scales that the unit and the definition of a column speak of, and 1."""
    unit = float(parse_unit(attribute.unit or "").scale)
    return {1.0, unit, *_scales_in(definition(attribute))}


def stated_scales(quote: str, text: str) -> set[float]:
    """Return the scales that *text* speaks of around *quote* or in a caption, and 1."""
    found = {1.0, *_scales_in(quote)}
    for place in islice(find_exactly(quote, text), _MAX_PLACES):
        found |= _scales_in(text[max(0, place.start - _AROUND) : place.end + _AROUND])
    return found | note_scales(text)


def _scales_in(words: str) -> set[float]:
    found = {float(SCALES[word]) for word in _SCALE_WORD.findall(words.lower()) if word in SCALES}
    if _IN_THOUSANDS.search(words):
        found.add(1000.0)
    return found


_ATTACHED = LEGAL_FORMS | TITLES | {"the"}
FEWEST_BOTH = 5  # read by both, for one that they read differently


def is_same_value(one: Value | None, other: Value | None) -> bool:
    """Whether two values of a column are one: numbers to 1e-6, texts but for case and marks."""
    if isinstance(one, str) and isinstance(other, str):
        return fold(one) == fold(other)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_SAME)
    return one == other


def agree(model: Cell, rule: Cell) -> bool:
    """Whether a model and a rule read the same of a document.

    A number that the rule converted may be rounded; a name may have a legal form or a title more.
    """
    one, other = model.value, rule.value
    if is_same_value(one, other) or isinstance(one, bool) or isinstance(other, bool):
        return is_same_value(one, other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        is_quoted = read_figures(rule.as_stated or "").is_only(other)
        return not is_quoted and rounds_to(other, one)
    if isinstance(one, str) and isinstance(other, str):
        plain, said = ([x for x in fold(t).split() if x not in _ATTACHED] for t in (one, other))
        return bool(plain) and plain == said
    return False


def find_disputed(model: Mapping[int, Cell], rule: Mapping[int, Cell]) -> list[int]:
    """Return the numbers of documents of which both readers of an attribute state other values.

    Keys number the documents. What a rule reads is witnessed by the documents that both speak of: a
    rule that was not right in four of them for each that it reads otherwise is no witness, and
    nothing is returned. Where *model* has the very cell of *rule* there was one reader. What a rule
    doubts itself disputes nothing, nor do words as they stand a value that is made of them: the
    `ten` of “two hours and ten minutes”.
    """
    both = [
        number
        for number, cell in model.items()
        if (own := rule.get(number)) is not None
        and own is not cell
        and _speaks(cell)
        and _speaks(own)
        and not _names(own)
        and own.marks.isdisjoint(IN_DOUBT)
        and not (
            Mark.DERIVED in cell.marks and cell.span and own.span and cell.span.overlaps(own.span)
        )
    ]
    differing = [number for number in both if not agree(model[number], rule[number])]
    return differing if len(both) >= FEWEST_BOTH * len(differing) else []


def mark_disputed(cell: Cell, rule: Cell) -> Cell:
    """Return *cell* marked as disputed, with what the rule reads in its note."""
    other = f"a learned rule reads otherwise: {rule.value} (“{rule.as_stated}”)"
    noted = f"{cell.note}; {other}" if cell.note else other
    return replace(cell, note=noted, marks=cell.marks | {Mark.DISPUTED})


def _speaks(cell: Cell) -> bool:
    """Whether a document says a value; that there is none of something is a no, or a zero."""
    return cell.state in (State.STATED, State.STATED_ABSENT) and cell.value is not None


def _names(cell: Cell) -> bool:
    """Whether a yes is read from one word of the column's name: `detection`, which says nothing."""
    words = fold(cell.as_stated or "").split()
    return cell.value is True and len(words) == 1 and words[0] in cell.attribute.split("_")
