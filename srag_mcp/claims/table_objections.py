"""What the table that a value stands in says against it: its scale, sign, period or row."""

import math
import re
from collections.abc import Sequence, Set

from srag_mcp.claims.captions import read_scales, years_in
from srag_mcp.claims.figures import column_unit, rounds_to, scales_of
from srag_mcp.claims.table_places import PERIOD, PRIOR, TablePlace, is_scaled, say_period
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import STOP_WORDS, fold_words, stem, stems
from srag_mcp.values.dates import DateText
from srag_mcp.values.names import WORDS
from srag_mcp.values.units import is_currency, parse_unit, unit_of

_UNSIGNED = re.compile(r"\b(?:positive|absolute|unsigned)\b", re.IGNORECASE)
_SPEAKS_OF_PRIOR = re.compile(
    rf"\b{PRIOR}{PERIOD}|\b(?:comparative|year before|year earlier|prior|previous)\b",
    re.IGNORECASE,
)
_WAYS = {
    way: frozenset(stem(word) for words in lists for word in words.split())
    for way, lists in {
        "gain": (WORDS["signs"]["gain"], WORDS["directions"]["up"]),
        "loss": (WORDS["signs"]["loss"], WORDS["directions"]["down"]),
        "spent": (WORDS["signs"]["spent"],),
    }.items()
}
_BOTH = frozenset({"gain", "loss"})
_DECIMALS, _LONGEST_UNPARTED = re.compile(r"[.,]\d{1,2}$"), 3
_TOTAL = frozenset({"total"})


def is_summed(attribute: Attribute, value: float, places: Sequence[TablePlace]) -> bool:
    """Whether *value* is the sum of a column or a row that its quote lies in."""
    factors = {1.0, *(1 / scale for scale in scales_of(attribute))}
    return any(
        rounds_to(total * factor, value)
        for place in places
        for total in place.sums()
        for factor in (*factors, *_scales(attribute, place))
    )


def find_objection(attribute: Attribute, value: float, places: Sequence[TablePlace]) -> str:
    """Say what the table has against *value*: its scale, sign, period or row; empty for nothing.

    All *places* that it may be from must object.
    """
    objections = [_object(attribute, value, place) for place in places]
    return objections[0] if objections and all(objections) else ""


def _object(attribute: Attribute, value: float, place: TablePlace) -> str:
    return (
        _object_to_row(attribute, place)
        or _object_to_scale(attribute, value, place)
        or object_to_sign(attribute, value, place.label, is_negative=place.is_negative)
        or _object_to_made_sign(attribute, value, place)
        or _object_to_period(attribute, place)
    )


def _object_to_row(attribute: Attribute, place: TablePlace) -> str:
    """Another row that is named as the column is, where this one is not.

    It has as many words of the name as this one, and a number of the same form in this column. A
    synonym that is only a part of the name names no row: `GST` of `gst_amount` is in `GST NO`, too.
    """
    names = _names(attribute)
    own = _label_stems(place.label)
    if not own or any(name <= own or own <= name for name in names):
        return ""
    wanted = {name for name in names if not name < names[0]}
    for row in place.rows():
        other = place.begin(row)
        said = _label_stems(other.label)
        is_named = not wanted.isdisjoint((said, said - _TOTAL))
        if row == place.row or not is_named or len(said & names[0]) < len(own & names[0]):
            continue
        number = place.below(row)
        if number and _is_alike(number.span.of(place.text), place.number.of(place.text)):
            return f"its row is {place.label!r}, and the table has a row {other.label!r}"
    return ""


def _is_alike(one: str, other: str) -> bool:
    """Whether two numerals have one form: both decimals or none, both marks at thousands or none.

    `2.94`, `1,240.00` -> True; `2.94`, `001234567890` -> False
    """
    has_decimals = {_DECIMALS.search(numeral) is not None for numeral in (one, other)}
    whole = [_DECIMALS.sub("", numeral) for numeral in (one, other)]
    is_parted = {not part.isdecimal() for part in whole if len(part) > _LONGEST_UNPARTED}
    return len(has_decimals) == 1 and len(is_parted) < 2


def _object_to_scale(attribute: Attribute, value: float, place: TablePlace) -> str:
    scales = _scales(attribute, place)
    if 1.0 in scales or not value or not place.value:
        return ""
    unit = float(parse_unit(attribute.unit or "").scale)
    known = scales_of(attribute)
    if any(
        math.isclose(abs(value) * mine, abs(place.value) * scale, rel_tol=1e-6)
        for mine in (known if len(known) > 1 else {unit})
        for scale in scales
    ):
        return ""
    if not is_scaled(place.value, value):
        return ""
    [scale] = scales
    return f"its table is in {scale:,.0f}s: is that worked in, and only once?"


def _scales(attribute: Attribute, place: TablePlace) -> Set[float]:
    """Return the scale of the table where it counts for sure: for sums of money."""
    unit = column_unit(attribute)
    if not is_currency(unit):
        return frozenset({1.0})
    return read_scales(place.text, place.number, place.floor, attribute.unit)


def object_to_sign(attribute: Attribute, value: float, label: str, *, is_negative: bool) -> str:
    """Say what speaks against the sign of *value*, whose number has the words *label* before it.

    A minus counts, unless the description says that amounts are positive, or the column is of what
    is lost or spent, which some write with a minus. Where a number has none, words may say it: then
    the name or the label has one for a loss or for what is spent.
    """
    if not value or _UNSIGNED.search(attribute.description):
        return ""
    named, said = _ways(attribute.name.replace("_", " ")), _ways(label)
    is_loss = "spent" in named or ("loss" in named and "gain" not in named)
    if value > 0 and is_negative and not is_loss:
        return "the document gives it in brackets or with a minus: is it negative?"
    if "spent" in said | named:
        return ""
    is_one_way = len(named & _BOTH) == 1 == len(said & _BOTH)
    if value > 0 and is_one_way and not is_negative and said.isdisjoint(named):
        return f"it stands behind {label!r}: is it negative?"
    return ""


def _object_to_made_sign(attribute: Attribute, value: float, place: TablePlace) -> str:
    """A minus that is made, in a table that writes others."""
    ways = _ways(f"{attribute.name.replace('_', ' ')} {place.label}")
    is_made = value < 0 and place.has_negatives and not place.is_negative
    if (
        is_made
        and ways.isdisjoint({"loss", "spent"})
        and not _UNSIGNED.search(attribute.description)
    ):
        return "the table gives it without brackets or a minus: is it positive?"
    return ""


def _ways(words: str) -> set[str]:
    said = set(stems(words))
    return {way for way, known in _WAYS.items() if said & known}


def _object_to_period(attribute: Attribute, place: TablePlace) -> str:
    """A later period of the same row, which is what a document is about."""
    described = f"{attribute.name.replace('_', ' ')} {attribute.description}"
    if _SPEAKS_OF_PRIOR.search(described):
        return ""
    own = place.head()
    if isinstance(own, DateText) and str(own.year) in described:
        return ""
    if years_in(place.number.of(place.text)):  # `1993 to 2004`, below other years: it is one itself
        return ""
    later = place.later()
    if own is None or later is None:
        return ""
    number, period = later
    other = f"that for {period} is {number}" if number else f"there are others for {period}"
    return f"this is the row's number for {say_period(own)}; {other}"


def _names(attribute: Attribute) -> list[frozenset[str]]:
    spelled = (attribute.name.replace("_", " "), *attribute.synonyms)
    unit = column_unit(attribute)
    return [
        frozenset(
            stem(word) for word in fold_words(name).split() if unit_of(word) != unit or not unit
        )
        for name in spelled
    ]


def _label_stems(label: str) -> frozenset[str]:
    said = (word for word in fold_words(label).split() if word not in STOP_WORDS)
    return frozenset(map(stem, said))
