"""One cell that holds a number: which figure of its text is meant."""

import re
from dataclasses import dataclass, replace

from srag_mcp.text.spans import Span
from srag_mcp.values.dates import find_dates
from srag_mcp.values.number_words import NUMBER_WORDS, read_number_words
from srag_mcp.values.numerals import DEFAULT_GROUPING
from srag_mcp.values.quantities import Figure, Quantity, find_quantities, scan_figures
from srag_mcp.values.unit_words import SIZES
from srag_mcp.values.units import as_money, convert, is_currency, read_context

_BRACKETED = re.compile(
    r"\s*[^\w\s()]{0,3}[^\W\d_]{0,3}\s?\((?P<inner>[^()]*\d[^()]*)\)\s*\S{0,8}\s*"
)
_LEADING_MINUS = re.compile(r"\s*[-−]\s[$€£¥]?\s?[\d.,' ]*\d\s?%?\s*")
_TRAILING_MINUS = re.compile(r"\s*\D{0,4}[\d.,' ]*\d\s?[-−]\s*")
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|±\s?[\d.,]+")
_ORDINAL = re.compile(
    r"(?:#|no\.?\s?|nr\.?\s?)?(\d{1,4})\.?(?:st|nd|rd|th|er|e|º|ª)?", re.IGNORECASE
)
_FREE = frozenset({"free", "free of charge", "gratis", "kostenlos", "complimentary", "gratuit"})
_MIXED = re.compile(r"(?<![\d/.,])(\d{1,4})[ -](\d{1,2})[/⁄](2|3|4|5|6|8|16|32|64)(?![\d/.,])")
_STARS = re.compile(r"[★⭐✩☆✪]+")


@dataclass(frozen=True, slots=True)
class NumberCell:
    """What a text holds: a *figure*, a *number* that needs no reading, or the *reason* it fails."""

    figure: Figure | None = None
    number: Quantity | None = None
    reason: str = ""


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


def find_number(text: str, unit: str | None = None) -> NumberCell:
    """Find the figure that a cell means; *unit* is what the column is measured in."""
    text = _MIXED.sub(_as_decimal, text)
    figures = list(scan_figures(text))
    if len(figures) != 1 or _maybe_a_date(text):
        figures = _outside_dates(text, figures)
    if not figures:
        return _without_figures(text, unit)
    figures = _without_asides(text, figures)
    if len(figures) == 1:
        return NumberCell(figure=_signed(text, figures[0]))
    summed = _compound(figures)
    if summed is not None:
        return NumberCell(number=summed)
    chosen = _choose(figures, unit)
    return NumberCell(figure=chosen) if chosen else NumberCell(reason="several numbers")


def _as_decimal(mixed: re.Match[str]) -> str:
    whole, top, bottom = (int(part or 0) for part in mixed.groups())
    return f"{whole + top / bottom:.6g}" if top < bottom else mixed.group()


def _maybe_a_date(text: str) -> bool:
    return any(character.isalpha() for character in text) or text.count("-") + text.count(".") > 1


def _outside_dates(text: str, figures: list[Figure]) -> list[Figure]:
    dates = [span for span, _ in find_dates(text)]
    return [figure for figure in figures if not any(_overlap(figure.span, span) for span in dates)]


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


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
    spelled = [q for _, q in find_quantities(text)] if NUMBER_WORDS.search(text) else []
    if len(spelled) == 1:
        return NumberCell(number=spelled[0])
    return NumberCell(reason="several numbers" if spelled else "not a number")


def _signed(text: str, figure: Figure) -> Figure:
    bracketed = _BRACKETED.fullmatch(text)
    is_minus = _LEADING_MINUS.fullmatch(text) or _TRAILING_MINUS.fullmatch(text)
    if (bracketed and _is_bare(bracketed["inner"])) or is_minus:
        return replace(figure, sign=-abs(figure.sign))
    return figure


def _is_bare(inner: str) -> bool:
    return all(not word.isalpha() or len(word) <= 3 for word in re.findall(r"[^\W\d_]+", inner))


def _compound(figures: list[Figure]) -> Quantity | None:
    """Add parts of one measure: `1 h 30 min` -> 1.5 h, `6 ft 6 in` -> 6.5 ft."""
    first = figures[0]
    if first.unit not in SIZES or any(figure.upper for figure in figures):
        return None
    total, size = 0.0, float("inf")
    for figure in figures:
        quantity = figure.read()
        unit = figure.unit or ("inch" if first.unit == "ft" else None)
        if quantity is None or unit not in SIZES or SIZES[unit][1] >= size:
            return None
        part = convert(float(quantity.value), unit, str(first.unit))
        if part is None:
            return None
        total, size = total + part, SIZES[unit][1]
    return Quantity(round(total, 9), first.unit)


def _without_asides(text: str, figures: list[Figure]) -> list[Figure]:
    """Leave out figures in brackets where others are outside: `73 kg (161 lb)` is 73 kg."""
    asides = [Span(*match.span()) for match in _ASIDE.finditer(text)]
    outside = [f for f in figures if not any(_overlap(f.span, aside) for aside in asides)]
    return outside or figures


def _choose(figures: list[Figure], unit: str | None) -> Figure | None:
    measured = [figure for figure in figures if unit and _fits(figure, unit)]
    if len(measured) == 1:
        return measured[0]
    same = {(figure.numeral, figure.sign, figure.scale) for figure in figures}
    return figures[0] if len(same) == 1 else None


def _fits(figure: Figure, unit: str) -> bool:
    return figure.unit is not None and (
        figure.unit == unit or convert(1.0, figure.unit, unit) is not None
    )
