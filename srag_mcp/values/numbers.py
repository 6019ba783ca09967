"""Numbers in cells: which figure of a text is meant, and what a whole column decides of it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import pairwise

from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, fold, fold_words, singular, stem, stems
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    DEFAULT_GROUPING,
    ELSEWHERE,
    FOOTNOTED,
    NUMBER_WORDS,
    Figure,
    Quantity,
    ambiguous_mark,
    decide_grouping,
    decimal_mark,
    find_quantities,
    grouping_mark,
    is_guessed,
    proven_grouping,
    read_number_words,
    read_numeral,
    scan_figures,
)
from srag_mcp.values.states import WEEKDAYS, WORDS, Column, Reader, Reading, State, Words, failed
from srag_mcp.values.units import (
    MONEY_SCALES,
    PIECES,
    SIZES,
    ScaledUnit,
    as_money,
    convert,
    is_currency,
    parse_unit,
    period_of,
    rate_of,
    read_context,
    unit_of,
    unit_of_name,
    unit_of_row,
)


class Hedge(StrEnum):
    """How a value is said; as a text, the note of its cell."""

    BOUND = "a bound is stated, and no value"
    INTENT = "what is intended is stated, and no value"
    ROUGH = "a rough value is stated"
    SEVERAL = "several values are stated, and no one"


NO_VALUE = frozenset({Hedge.BOUND, Hedge.INTENT})
# Before a number; with the words that say the same in a name.
SIGNS: Mapping[str, str] = {">": "over", "<": "under", "≥": "from", "≤": "up to"}
SIGN = f"[{''.join(SIGNS)}]"


def _words(*keys: str) -> str:
    """Return the words of all languages under *keys*, for a regular expression."""
    texts = (words.get(key, "") for words in WORDS["hedges"].values() for key in keys)
    lines = (" ".join(line.split()) for text in texts for line in text.splitlines())
    return "|".join(dict.fromkeys(filter(None, lines)))


_NUMBERS, _DAYS = _words("bound", "limit"), _words("bound", "limit", "day")
_START, _BEHIND, _ROUGH, _INTENT = map(_words, ("start", "behind", "rough", "intent"))
_BETWEEN, AND = map(_words, ("between", "and"))
# Around a number they leave what it measures.
HEDGES = rf"\b(?:{_NUMBERS}|{_START}|{_ROUGH})\b\.?|[~≈±+()]|{SIGN}"
_HEDGES = re.compile(rf"\b(?:only|total|per|each|an?|of|plus|minus)\b\.?|{HEDGES}", re.IGNORECASE)
_LINKS = rf"(?:(?:{_words('link')}|{'|'.join(WEEKDAYS)})\b[.,]?\s*){{0,3}}"
_NEAR = 20  # characters beside a value of running text that may say how it is meant
_REACH = re.compile(rf".{{0,{_NEAR}}}\w*[^\S\n]?\w?", re.DOTALL)  # and what the last word is of
_CLAUSE = re.compile(rf"[:|\n]|[.!?]\s+(?=[A-ZÀ-Þ])|{SIGN}")
_PLACE = "\0"  # of the value among what is said beside it
# No arrow, nor a quoted line, which says more than a number.
_SIGN_IN_TEXT = re.compile(
    rf"(?:[<≤≥]=?|(?<=[^\s>])[ \t]*(?<![>=-])>=?|(?<![>=-])>=|^[ \t]*>(?=[ \t]*{_PLACE}[ \t]*$))"
    rf"[ \t]*{_PLACE}",
    re.MULTILINE,
)


@cache  # most processes look for none of the four
def _beside(words: str, sign: str, behind: str = "(?!)") -> re.Pattern[str]:
    """Match *words* or a *sign* before a value, or *behind* it; words also where they end all."""
    before = rf"(?:{sign}|(?<!\d)(?<!\d\s)\b(?:{words})\b\.?)\s*{_LINKS}\W{{0,2}}{_PLACE}"
    closing = rf"{_PLACE}\s?\(?(?:{words})\b\.?\)?\s*(?:[,;.)]|\Z)"
    return re.compile(rf"{before}|{closing}|{_PLACE}\s?{behind}", re.IGNORECASE)


_OPEN = rf"\(?(?:{_BEHIND})\b"
_RANGE = re.compile(  # both ends: `between 5 and 7 kg`
    rf"\b(?:{_BETWEEN})\b(?:\s*{_PLACE}\s*(?:{AND})\b\D{{0,5}}\d"
    rf"|\D{{0,5}}\d[\d.,]*\D{{0,5}}\b(?:{AND})\s*{_PLACE})",
    re.IGNORECASE,
)
_BOUND_DAY = _DAYS, f"{SIGN}=?", _OPEN
_BOUND_IN_TEXT = _NUMBERS, "(?!)", rf"(?:\+(?!\s?\d)|{_OPEN})"
_BOUND_NUMBER = f"{_NUMBERS}|{_START}", f"{SIGN}=?", rf"(?:\+(?!\s?\d)|{_OPEN})"
_ROUGH_BESIDE = _ROUGH, "[~≈]"
_INTENDED_DAY = re.compile(rf"\b(?:{_INTENT})\b", re.IGNORECASE)
# Before a number, right behind it, or at an end: `90 rooms and a planned pool` are 90.
_INTENDED = re.compile(
    rf"\b(?:{_INTENT})\b[^,;]*{_PLACE}|{_PLACE}\s?\(?(?:{_INTENT})\b"
    rf"|{_PLACE}[^,;]*\b(?:{_INTENT})\b(?!\s*\w)",
    re.IGNORECASE,
)
_DOTTED = re.compile(rf"\b({_NUMBERS}|{_START}|{_ROUGH})\.", re.IGNORECASE)  # no end of a sentence
# In the label of a number; in that of a day.
_NAMED, _NAMED_DAY = (
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (f"{_words('limit')}|{_INTENT}", f"{_DAYS}|{_START}|{_INTENT}|{_words('term')}")
)
# whether a number may be hedged: many times as fast as to find the number
HEDGED = re.compile(rf"{HEDGES}|\b(?:{_DAYS}|{_BEHIND}|{_INTENT})\b", re.IGNORECASE)
_YEAR = re.compile(rf"{_PLACE}(?!\s?[^\W\d_])")  # `by 1950`, but not `by 1950 guests`
_FOUR_DIGITS = re.compile(r"[12]\d{3}")


def hedge_of(text: str, span: Span, label: str = "", *, is_day: bool = False) -> Hedge | None:
    """Return how the number or the day at *span* of a cell is said; None for a plain one.

    Below a *label* that speaks of an end, or of a day that is intended, this is what the value is
    said to be: the deadline `by 3 May 2021` is that day.
    `<1`, `max. 500 m`, `5 or more`, `from 12 EUR`, `before 1950` -> BOUND; `ca. 5` -> ROUGH
    """
    return _hedge_of_bound(text, span, label, _BOUND_DAY if is_day else _BOUND_NUMBER)


def hedge_in_text(text: str, span: Span, label: str = "", *, is_day: bool = False) -> Hedge | None:
    """Return how the number or the day at *span* of running text is said, as `hedge_of` does.

    A number may lead away from where `from` stands, and the words of a label are not of its value:
    `Distance from: 5`.
    """
    before = text[max(0, span.start - _NEAR) : span.start]
    before = _DOTTED.sub(r"\1 ", before) if "." in before else before
    reach = _REACH.match(text, span.end)
    behind = reach[0] if reach is not None else ""
    has_sign = any(sign in before for sign in SIGNS)
    if has_sign and _SIGN_IN_TEXT.search(f"{before}{_PLACE}{behind}"):
        return Hedge.BOUND
    said = _CLAUSE.split(before)[-1]
    near = f"{said}{span.of(text)}{_CLAUSE.split(behind)[0]}"
    place = Span(len(said), len(said) + span.end - span.start)
    return _hedge_of_bound(near, place, label, _BOUND_DAY if is_day else _BOUND_IN_TEXT)


def _hedge_of_bound(text: str, span: Span, label: str, bound: tuple[str, str, str]) -> Hedge | None:
    said = f"{text[: span.start]}{_PLACE}{text[span.end :]}"
    if said == _PLACE:
        return None
    is_year = _FOUR_DIGITS.fullmatch(span.of(text)) and _YEAR.search(said)
    is_day = bound is _BOUND_DAY or is_year
    hedge = Hedge.INTENT if (_INTENDED_DAY if is_day else _INTENDED).search(said) else None
    is_end = _beside(*bound).search(said) or _RANGE.search(said)
    if is_end or (is_year and _beside(*_BOUND_DAY).search(said)):
        hedge = Hedge.BOUND
    if hedge and not (_NAMED_DAY if is_day else _NAMED).search(label.replace("_", " ")):
        return hedge
    return Hedge.ROUGH if _beside(*_ROUGH_BESIDE).search(said) else None


_BRACKETED = re.compile(
    r"\s*[^\w\s()]{0,3}[^\W\d_]{0,3}\s?\((?P<inner>[^()]*\d[^()]*)\)\s*\S{0,8}\s*"
)
_LONG_WORD = re.compile(r"[^\W\d_]{4}")
_MINUS = re.compile(r"\s*[-−]\s[$€£¥]?\s?[\d.,' ]*\d\s?%?\s*|\s*\D{0,4}[\d.,' ]*\d\s?[-−]\s*")
ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|±\s?[\d.,]+")
_ORDINAL = re.compile(
    r"(?:#|no\.?\s?|nr\.?\s?)?(\d{1,4})\.?(?:st|nd|rd|th|er|e|º|ª)?", re.IGNORECASE
)
_FREE = frozenset({"free", "free of charge", "gratis", "kostenlos", "complimentary", "gratuit"})
_MIXED = re.compile(r"(?<![\d/.,])(\d{1,4})[ -](\d{1,2})[/⁄](2|3|4|5|6|8|16|32|64)(?![\d/.,])")
_STARS = re.compile(r"[★⭐✩☆✪]+")
_BIGINT = 2**63
_MOST = 2 / 3
_ENOUGH = 2


@dataclass(frozen=True, slots=True)
class NumberCell:
    """What a text holds: a *figure*, a *number* that needs no reading, or the *reason* it fails.

    *span* is that of a number of several figures, or in words.
    """

    figure: Figure | None = None
    number: Quantity | None = None
    reason: str = ""
    span: Span | None = None

    @property
    def place(self) -> Span | None:
        """Where the number stands."""
        return self.figure.span if self.figure else self.span


def read_number(text: str, context: str = "") -> Quantity | None:
    """Read the one number of *text*; None where there is none, several or a range.

    *context* gives a scale or unit that the text lacks: `("1,234", "(in thousands)")` -> 1234000.
    `(1,234)` -> -1234; `6.72/10 (917 reviews)` -> 6.72; `$3.2M` -> 3200000 USD
    """
    found = find_number(text)
    around = read_context(context or (text if "(" in text else ""))
    quantity = found.number
    if found.figure is not None:
        if is_currency(found.figure.unit):
            around = as_money(around)
        scale = around.scale if found.figure.unit != "percent" else 1
        quantity = found.figure.read(DEFAULT_GROUPING, scale)
    if quantity is None or quantity.upper is not None:
        return None
    return quantity if quantity.unit else replace(quantity, unit=around.unit)


def find_stated_unit(words: Words, wanted: str | None = None) -> str | None:
    """Return the unit that a cell or what stands around it states; None for none."""
    found = find_number(words.text, wanted)
    measured = found.figure or found.number
    return (measured.unit if measured else None) or read_context(words.context).unit


def find_number(text: str, unit: str | None = None) -> NumberCell:
    """Find the figure that a cell means; *unit* is what the column is measured in."""
    text = _MIXED.sub(_as_decimal, text)
    figures = list(scan_figures(text))
    may_be_dated = any(map(str.isalpha, text)) or text.count("-") + text.count(".") > 1
    if len(figures) != 1 or may_be_dated:
        figures = _outside(figures, [span for span, _ in find_dates(text)])
    if not figures:
        return _without_figures(text, unit)
    # `73 kg (161 lb)` is 73 kg
    figures = _outside(figures, [Span(*aside.span()) for aside in ASIDE.finditer(text)]) or figures
    if len(figures) == 1:
        bracketed, [figure] = _BRACKETED.fullmatch(text), figures
        is_bare = bracketed is not None and not _LONG_WORD.search(bracketed["inner"])
        is_negative = is_bare or _MINUS.fullmatch(text)
        return NumberCell(replace(figure, sign=-abs(figure.sign)) if is_negative else figure)
    summed = _compound(figures, text)
    if summed is not None:
        return NumberCell(number=summed, span=Span(figures[0].span.start, figures[-1].span.end))
    measured = [f for f in figures if unit and f.unit and convert(1.0, f.unit, unit) is not None]
    if len(measured) == 1:
        return NumberCell(measured[0])
    if len({(f.numeral, f.sign, f.extra, f.scale) for f in figures}) == 1:
        return NumberCell(figures[0])
    return NumberCell(reason="several numbers")


def is_bound(text: str, label: str = "") -> bool:
    """Whether the number that a cell means is but the end of where its value lies.

    *label* is what its column is called.
    `<1`, `over 500 m`, `5 or more`, `under five` -> True; `5 (more than in May)` -> False
    """
    found = find_number(text) if HEDGED.search(text) else None
    return found is not None and _hedge(text, found, label) in NO_VALUE


def is_range(text: str) -> bool:
    """Whether a cell gives two ends between which its number lies: `£5 – £7`."""
    figure = find_number(text).figure
    return figure is not None and figure.upper is not None


def _hedge(text: str, found: NumberCell, label: str = "") -> Hedge | None:
    """Return how the number that was *found* in a cell is said."""
    text = _MIXED.sub(_as_decimal, text)
    span = found.place
    if span is None and (spelled := NUMBER_WORDS.search(text)):
        span = Span(*spelled.span())
    return hedge_of(text, span, label) if span else None


def beside_number(text: str) -> str:
    """Return the words beside a number, folded, without those that say how it is meant."""
    return fold(_HEDGES.sub(" ", ASIDE.sub(" ", text)))


def _as_decimal(mixed: re.Match[str]) -> str:
    whole, top, bottom = (int(part or 0) for part in mixed.groups())
    return f"{whole + top / bottom:.6g}" if top < bottom else mixed.group()


def _outside(figures: Sequence[Figure], spans: Sequence[Span]) -> list[Figure]:
    return [figure for figure in figures if not any(map(figure.span.overlaps, spans))]


def _without_figures(text: str, unit: str | None) -> NumberCell:
    stripped = text.strip().strip(".").lower()
    if _STARS.fullmatch(stripped):
        return NumberCell(number=Quantity(sum(map(stripped.count, "★⭐✪"))))
    if stripped in _FREE and is_currency(unit):
        return NumberCell(number=Quantity(0, unit))
    ordinal = _ORDINAL.fullmatch(stripped)
    number = int(ordinal[1]) if ordinal else read_number_words(stripped)
    if number is not None:
        return NumberCell(number=Quantity(number))
    spelled = find_quantities(text)
    if len(spelled) == 1:
        return NumberCell(number=spelled[0][1], span=spelled[0][0])
    return NumberCell(reason="several numbers" if spelled else "not a number")


_JOINED = re.compile(r"[\s,.]*(?:(?:and|und|et|y|&)\s+)?", re.IGNORECASE)


def _compound(figures: list[Figure], text: str) -> Quantity | None:
    """Add parts of one measure: `1 h 30 min` -> 1.5 h, `6 ft 6 in` -> 6.5 ft."""
    first = figures[0]
    if first.unit not in SIZES or any(figure.upper or figure.sign < 0 for figure in figures):
        return None
    gaps = (text[one.span.end : other.span.start] for one, other in pairwise(figures))
    if not all(map(_JOINED.fullmatch, gaps)):
        return None
    total, above = 0.0, math.inf
    for figure in figures:
        quantity = figure.read()
        unit = figure.unit or ("inch" if first.unit == "ft" else "")
        size = convert(1.0, unit, str(first.unit))
        part = convert(float(quantity.value), unit, str(first.unit)) if quantity else None
        if part is None or size is None or max(size, part) >= above:
            return None
        total, above = total + part, size
    return Quantity(round(total, 12), first.unit)


_CLOCK = re.compile(r"(?:(\d{1,3}):(?=[0-5]))?(\d{1,3}):([0-5]\d(?:[.,]\d{1,3})?)")
_HOURS_OF_DAY = 24


def read_durations(texts: Iterable[str]) -> dict[str, Quantity]:
    """Read a column of times that something took, as seconds, where it proves that they are.

    No hour of a day is so late, so that `36:51` beside `1:01:19` is of minutes and seconds. Where
    nothing proves it they may be times of day, or hours and minutes: nothing is returned.
    """
    found = {text: match for text in texts if (match := _CLOCK.fullmatch(text.strip()))}
    has_hours = any(match[1] for match in found.values())
    is_proven = any(
        match[1] is None
        and ((has_hours and int(match[2]) >= _HOURS_OF_DAY) or len(match[3]) > len("00"))
        for match in found.values()
    )
    if not is_proven:
        return {}
    seconds = {
        text: 3600 * int(match[1] or 0) + 60 * int(match[2]) + float(match[3].replace(",", "."))
        for text, match in found.items()
    }
    return {text: Quantity(int(n) if n.is_integer() else n, "s") for text, n in seconds.items()}


@dataclass(frozen=True, slots=True)
class _Decided:
    """What was decided on a column of numbers."""

    grouping: str
    unit: ScaledUnit
    written: str | None
    whole: bool
    name: str
    footnotes: bool  # most numerals are grouped, so that `4,6702` is 4,670 with a mark
    guessed: frozenset[str] = frozenset()  # numerals that only the size of the others decides
    signed: bool = False  # cells say that they are per cents, and the name of the column does not
    tails: frozenset[str] = frozenset()  # words behind its numbers that change none of them
    head: str = ""  # words before most of them


def number_reader(declared: Column, said: Sequence[Words]) -> Reader:
    """Decide on a column of numbers, and return how each of its cells is read.

    The column tells what groups digits, whether figures have marks, and the unit that most carry,
    or have beside them.
    """
    wanted = parse_unit(declared.unit or "").unit
    found = {text: find_number(text, wanted) for text in dict.fromkeys(w.text for w in said)}
    found |= {text: NumberCell(number=n) for text, n in read_durations(found).items()}
    figured = [(words, f) for words in said if (f := found[words.text].figure) is not None]
    units = Counter(f.unit or read_context(words.context).unit for words, f in figured)
    del units[None]
    shared = units.most_common(1)[0][0] if units.total() * 2 >= len(figured) and units else None
    unit = parse_unit(declared.unit) if declared.unit else ScaledUnit(1, shared)
    if unit.unit == "percent":
        found |= _read_fractions(found)
        figured = [(words, f) for words in said if (f := found[words.text].figure) is not None]
    whole = declared.type.is_whole
    scaled = [_scaled(words, figure, unit) for words, figure in figured if figure.numeral]
    numerals = [figure.numeral for figure, _ in scaled]
    grouped = [n for n in numerals if ambiguous_mark(n) or grouping_mark(n)]
    marked = len(grouped) >= max(_ENOUGH, _MOST * sum(len(n) > 3 for n in numerals))
    sizes = [figure.factor if figure.scaled else scale for figure, scale in scaled]
    grouping = decide_grouping(numerals, sizes, whole=whole)
    guessed = {n for n in set(grouped) if is_guessed(n, numerals, grouping)}
    styles = {DECIMAL_COMMA: ".", DECIMAL_POINT: ","}
    marks = [m for style, m in styles.items() if any(style in words.context for words in said)]
    is_odd = marks == [","] and "." in grouping and any(ELSEWHERE in w.context for w in said)
    if len(marks) == 1 and not is_odd:  # of whole numbers, and by its size, a point groups
        grouping, guessed = proven_grouping(numerals) or marks[0], set()
    written = declared.unit or unit.unit
    signed = units["percent"] > 0 and unit_of_name(declared.name) != "percent"
    tails = _tails(declared, unit, [(words, found[words.text]) for words in said])
    heads = Counter(_head(x, found[x.text], declared.name) for x in said if found[x.text].place)
    [(head, n_most), *_] = heads.most_common(1) or [("", 0)]
    column = _Decided(
        *(grouping, unit, written, whole, declared.name, marked, frozenset(guessed), signed),
        *(tails, head if n_most > 1 and 2 * n_most >= heads.total() else ""),
    )
    return lambda words: _read(words, found[words.text], column)


def _read_fractions(found: Mapping[str, NumberCell]) -> dict[str, NumberCell]:
    """Read the numbers without a sign in a column of per cents as fractions: `28 %`, `0.34`."""
    figures = {text: cell.figure for text, cell in found.items() if cell.figure}
    bare = {text: f for text, f in figures.items() if not f.unit and not f.scaled and not f.symbol}
    sizes, signed = _sizes(bare.values()), _sizes(f for f in figures.values() if f.unit)
    has_decimals = any(decimal_mark(figure.numeral) for figure in bare.values())
    is_small = bool(signed and sizes) and sizes[-1] <= 0 and has_decimals
    if not is_small or signed[len(signed) // 2] - sizes[len(sizes) // 2] <= 1:
        return {}
    cell = NumberCell(reason="a share or a per cent")
    return {t: cell if signed[0] < 0 else NumberCell(replace(f, power=2)) for t, f in bare.items()}


_TAIL = re.compile(r"\s?-?(?P<tail>[^\W\d_]+(?:\.[^\W\d_]+)*|[\"'″′](?!\w))(?P<more>[^\S\n]+\w)?")
_EACH, _SCALE = "for each ", "×"


def _tails(
    declared: Column, unit: ScaledUnit, said: Sequence[tuple[Words, NumberCell]]
) -> frozenset[str]:
    """Return what may stand behind the numbers of a column: its name, or what half have."""
    figured = [(words, found.figure) for words, found in said if found.figure]
    loose = loose_scales([figure for _, figure in figured], unit.unit)
    counts = Counter(_tail(*pair) for pair in figured if pair[1] not in loose)
    is_measured = unit.unit and any(one.unit for _, x in said if (one := x.figure or x.number))
    most = [tail for tail, _ in counts.most_common()]
    others = [tail for tail in most if tail and not tail.startswith(_EACH)]
    usual = [x for x in others[:1] if x[0] == "/" or 2 * counts[x] >= counts.total()]
    name = f"{declared.name} {declared.unit or ''}"
    called = {name, *(words.context for words, _ in figured)}
    words = {word for text in called for word in fold_words(text).split()}
    periods = {period_of(word) for word in words if singular(word) == word} - {None}  # no `hours`
    each = {f"{_EACH}{period}" for period in periods} or {*most[:1]} - {*others}
    scales = [tail for tail in most if tail.startswith(_SCALE)]
    names = map(singular, [unit.unit or "", *fold_words(declared.name).split()])
    counted = () if is_measured else (*usual, *(PIECES if unit.unit is None else ()))
    return frozenset({"", *each, *scales, *names, *counted})


def _tail(words: Words, figure: Figure) -> str:
    """Return what stands right behind a number and is no unit of it, one for all its forms.

    `£9 a week` -> `for each week`, `26 pallets` -> `pallet`, `4 nights` -> `day`, `12/20` -> `/20`,
    `5 in Ghent` -> "", `5 in` -> `in`, `3 million` -> `×`, `3M` -> `×M`
    """
    is_last = figure.span.end == len(words.text)  # as most are
    behind = "" if is_last else _MIXED.sub(_as_decimal, words.text)[figure.span.end :]
    if behind and (rate := rate_of(behind, figure.unit)):
        return f"{_EACH}{rate}"
    if figure.unit or figure.upper or figure.scaled or figure.symbol:
        return f"{_SCALE if figure.scaled else ''}{'' if figure.unit else figure.symbol}"
    match = _TAIL.match(behind)
    if match is None or (match["more"] and match["tail"].lower() in STOP_WORDS):
        return ""
    tail = match["tail"].lower()
    return period_of(tail) or singular(tail)


def _head(words: Words, found: NumberCell, name: str) -> str:
    """Return what stands before the number of a cell and is no word of its label or column.

    `waived, was €45` -> `waived was`, `approved: 45` -> `approved`, `Total: 45` of a total -> ""
    """
    start = found.place.start if found.place else 0
    before = _MIXED.sub(_as_decimal, words.text)[:start] if start else ""
    if not any(map(str.isalpha, before)) or _ORDINAL.fullmatch(words.text):
        return ""
    head = beside_number(HEDGED.sub(" ", before))
    number = found.figure.read() if head and found.figure else None
    if number and read_number_words(fold_words(head)) == number.value:  # `thirty (30) days`
        return ""
    called = {*stems(f"{name.replace('_', ' ')} {words.context}")}
    others = (word for word in fold_words(head).split() if unit_of(word) is None)
    return " ".join(word for word in others if stem(word) not in called)


def loose_scales(figures: Sequence[Figure], unit: str | None) -> frozenset[Figure]:
    """Return the figures whose scale may as well be a unit: one behind each, as in `12T`.

    Two scales beside each other are some: `900K`, `1.2M`. So is one where the numbers without any
    go on in those with it: `950`, `1.2k`, but not `5.00`, `10.00 CR`; of money; or where *unit*,
    that of their column, stands at none of them.
    """
    own = {figure.unit for figure in figures} - {None}
    steps = {math.log10(figure.factor) for figure in figures if figure.scaled}
    if len(steps) != 1 or any(map(is_currency, {unit, *own})) or (unit and not own):
        return frozenset()
    loose = [figure for figure in figures if figure.scaled and figure.symbol and not figure.unit]
    bare, said = _sizes(f for f in figures if not (f.unit or f.symbol)), _sizes(loose)
    gap = said[0] - bare[-1] if bare and said else 0.0
    goes_on = abs(gap + steps.pop()) < abs(gap)
    return frozenset() if goes_on else frozenset(loose)


def _sizes(figures: Iterable[Figure]) -> list[float]:
    """Return the sizes of the numerals of *figures* in powers of ten, in order; zeros have none."""
    read = (read_numeral(figure.numeral) for figure in figures if figure.numeral)
    return sorted(math.log10(number) for number in read if number)


def _scaled(words: Words, figure: Figure, unit: ScaledUnit) -> tuple[Figure, int]:
    """Return a figure of a column in *unit*, and by what it is multiplied without a scale."""
    around, is_money = read_context(words.context), is_currency(unit.unit)
    around = as_money(around) if is_money else around
    if is_money and figure.symbol in MONEY_SCALES and not figure.scaled:  # `1.2m` is no length
        figure = replace(figure, scale=MONEY_SCALES[figure.symbol], unit=None)
    scale = around.scale if around.scale != 1 or figure.scaled else unit.scale
    return figure, 1 if figure.unit == "percent" else scale


def _read(words: Words, found: NumberCell, column: _Decided) -> Reading:
    hedge = _hedge(words.text, found, f"{column.name} {words.context}")
    if hedge is not None and hedge in NO_VALUE:
        return failed(hedge)
    measured = column.unit.unit
    is_money = is_currency(measured)
    note, is_bare, quantity, figure = "", False, found.number, found.figure
    if why := _why_other(words, found, column, is_hedged=bool(hedge)):
        return failed(f"{why}, unlike its column")
    guessed: str = hedge or ""
    if figure is not None:
        figure, scale = _scaled(words, figure, column.unit)
        if figure.numeral in column.guessed:
            guessed = "its mark may be one of decimals or of thousands"
        if column.footnotes and (footnoted := FOOTNOTED.fullmatch(figure.numeral)):
            note = f"footnote mark {figure.numeral[-1]!r} left out"
            figure = replace(figure, numeral=footnoted[1])
        quantity = figure.read(column.grouping, scale)
        if quantity is not None:
            # its own unit; where that is none, or a `$`, what stands beside it
            around = read_context(words.context)
            beside = (as_money(around) if is_money else around).unit
            if beside and measured and not (is_currency(beside) and is_money):
                beside = None if convert(1.0, beside, measured) is None else beside
            is_bare = column.signed and not (quantity.unit or beside or figure.power)
            guessed = guessed or "without the % of others" * is_bare
            likely, unit = unit_of_row(words.context).unit or beside or measured, quantity.unit
            if unit is None or (is_money and likely in figure.possible_currencies):
                quantity = replace(quantity, unit=likely)
    if quantity is None:
        return failed(found.reason or "not a number")
    if quantity.upper is not None:
        return failed("a range, not a number")
    reading = _with_value(quantity, column, note)
    if not guessed or reading.state is not State.STATED:
        return reading
    unit = None if is_bare else reading.unit
    note = "; ".join(filter(None, (guessed, reading.note)))
    return replace(reading, unit=unit, note=note, is_guess=True)


def _why_other(words: Words, found: NumberCell, column: _Decided, *, is_hedged: bool) -> str:
    """Say what stands beside a number that is beside no other of its column; empty for nothing."""
    tail = _tail(words, found.figure) if found.figure else ""
    is_each = tail.startswith(_EACH)
    if tail not in column.tails and (is_each or not is_hedged):
        return tail if is_each else f"with {tail.removeprefix(_SCALE)!r} behind it"
    head = _head(words, found, column.name)
    return "" if head in {"", column.head} else f"with {head!r} before it"


def _with_value(quantity: Quantity, column: _Decided, note: str) -> Reading:
    value, unit = quantity.value, column.written
    target = column.unit.unit
    if quantity.unit and target and quantity.unit != target:
        converted = convert(float(value), quantity.unit, target)
        unit = quantity.unit if converted is None else column.written
        value = value if converted is None else converted
        verb = f"not in {target}" if converted is None else f"converted into {target}"
        note = f"in {quantity.unit}, {verb}"
    elif quantity.unit and not target:
        unit = quantity.unit
    if column.unit.scale != 1 and unit == column.written:
        value = value / column.unit.scale
    if not math.isfinite(value) or abs(value) >= _BIGINT:
        return failed("too large a number")
    if column.whole and value != int(value):
        return failed("not a whole number")
    return Reading(State.STATED, int(value) if column.whole else float(value), unit, note)
