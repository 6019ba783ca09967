"""Canonical values: the one way in which a language model may write a value of each type."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from srag_mcp.records.cell import Cell, add_note
from srag_mcp.records.normalise.texts import normalise_texts
from srag_mcp.records.predicted_record import PredictedCell
from srag_mcp.records.reply import ReplyValue
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold
from srag_mcp.values.states import State
from srag_mcp.values.types import Value

_NUMBER = re.compile(r"[-+−]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PARTIAL_DAY = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])|-Q[1-4])?")
_LONGEST = 1000
_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], " ")
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # of the writing direction
_YES_NO = {"true": True, "false": False, "yes": True, "no": False}
_COUNT = re.compile(
    r"^n\b|^num\b|\bnumber of (?!the\b|this\b|an?\b)|\bcount\b|\bhow many\b"
    r"|\b(?:0|zero) (?:if|when|where) ",
    re.IGNORECASE,
)
_FORMS = {
    "integer": "a whole number, such as 1200",
    "number": "a plain number, such as 12.5",
    "boolean": "true or false",
    "date": "a date as YYYY-MM-DD",
    "string": f"a text of at most {_LONGEST:,} characters",
}


def write_canonical(attribute: Attribute, value: ReplyValue) -> str | None:
    """Write *value* as canonical text; None where it does not fit the attribute's type.

    A date that is known to the month or year only stays so: `2021-03`.
    """
    text = _one_line(value)
    if attribute.type == "boolean":
        return _yes_or_no(text)
    if value is None or isinstance(value, bool):
        return None
    if attribute.type == "string":
        return _category(attribute, text) or None
    return _day(text) if attribute.type == "date" else _plain_number(attribute, text)


def read_canonical(attribute: Attribute, text: str) -> Value | None:
    """Read what `write_canonical` wrote; None for a date that is not complete."""
    if attribute.type == "string":
        return text
    if attribute.type == "boolean":
        return _YES_NO.get(text)
    if attribute.type == "date":
        return _read_day(text)
    return int(text) if attribute.type == "integer" else float(text)


def is_partial_date(text: str) -> bool:
    """Return whether *text* is a month, quarter or year: `2021-03`, `2021-Q1`, `2021`."""
    return _PARTIAL_DAY.fullmatch(text) is not None


def describe_form(attribute: Attribute) -> str:
    """Say how a value of *attribute* is written, for a correction."""
    return _FORMS[attribute.type]


def read_column(attribute: Attribute, predicted: Sequence[PredictedCell]) -> list[Cell]:
    """Return the cells of one attribute over all documents, in the same order, with values.

    Spellings of a text that differ only in case or punctuation become the most frequent one, as
    they do for cells that code extracted. One that is none of the categories stays as it is: the
    model was asked twice whether it is one of them.
    """
    cells = [_with_value(attribute, item) for item in predicted]
    if attribute.type != "string":
        return cells
    places = [place for place, cell in enumerate(cells) if isinstance(cell.value, str)]
    spelt = [replace(cells[place], as_stated=str(cells[place].value)) for place in places]
    known = set(attribute.categories or ())
    free = attribute.model_copy(update={"categories": None})
    for place, cell in zip(places, normalise_texts(free, spelt), strict=True):
        found = replace(cells[place], value=cell.value)
        is_other = known and cell.value not in known
        cells[place] = add_note(found, "not one of the categories") if is_other else found
    return cells


def _with_value(attribute: Attribute, predicted: PredictedCell) -> Cell:
    cell, text = predicted.cell, predicted.value_text
    if cell.state is State.STATED_ABSENT:
        return replace(cell, value=_absent(attribute), unit=None)
    if cell.state is not State.STATED or text is None:
        return cell
    value = read_canonical(attribute, text)
    if value is None:
        reason = "a partial date" if is_partial_date(text) else f"{text!r} does not fit its type"
        return add_note(replace(cell, state=State.FAILED, unit=None), reason)
    return replace(cell, value=value)


def _absent(attribute: Attribute) -> bool | int | None:
    """Return what "none" says: of a count it is 0, whatever a silent document means by silence."""
    if attribute.type == "boolean":
        return False
    return 0 if attribute.absent_means == "zero" or _is_count(attribute) else None


def _is_count(attribute: Attribute) -> bool:
    """Whether the definition says how many there are of something."""
    words = f"{attribute.name.replace('_', ' ')}. {attribute.description}"
    return attribute.type == "integer" and _COUNT.search(words) is not None


def _one_line(value: ReplyValue) -> str:
    """Write *value* on one line; empty where it is no number (NaN) or too long for a value."""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    text = " ".join(str(value).translate(_CONTROLS | _TURNS).split())
    return text if len(text) <= _LONGEST else ""


def _yes_or_no(text: str) -> str | None:
    known = _YES_NO.get(text.lower())
    return None if known is None else str(known).lower()


def _day(text: str) -> str | None:
    return text if _read_day(text) or is_partial_date(text) else None


def _read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def _plain_number(attribute: Attribute, text: str) -> str | None:
    """Write a number without exponent; None where it is none, or has decimals and must not."""
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text.replace(",", "").replace("−", "-"))
    if not math.isfinite(float(number)):
        return None
    if number == number.to_integral_value():
        return str(int(number))
    return None if attribute.type == "integer" else format(number, "f")


def _category(attribute: Attribute, text: str) -> str:
    known = attribute.categories or ()
    alike = [text] if text in known else [item for item in known if fold(item) == fold(text)]
    return alike[0] if len(alike) == 1 else text
