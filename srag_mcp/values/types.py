"""Types of columns: one class a type, with all that hangs on it.

A type is a text, its name in schema files, prompts and replies: `attribute.type == "date"` holds,
but what a type means is asked of the type: `attribute.type.is_numeric`, `attribute.type.sql`.
"""

import math
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Value: TypeAlias = str | int | float | bool | date

LONGEST_TEXT = 1000
_LARGEST_BIGINT = 2**63 - 1
_NUMBER = re.compile(r"[-+−]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PARTIAL_DAY = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])|-Q[1-4])?")
_YES_NO = {"true": True, "false": False, "yes": True, "no": False}
_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], " ")
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # of the writing direction


class ColumnType(str):
    """What the values of a column are, and how they are stored, written and counted.

    Attributes:
        sql: The type of DuckDB that holds its values.
        json_schema: How JSON Schema writes it.
        form: How a value is written, in words for a correction.
        noun, held: What one value is, and how it is held, in words for a description.
        asked: What a wish calls any value of the type: `date of opening` asks for the opening.
        looks: How the values look in a text, where that tells anything.
        is_numeric, is_text, is_boolean, is_date: What its values are.
        is_whole: Whether its numbers have no decimals.
        is_ordered: Whether its values have an order: one may be far from the others, and words
            beside one may say that it is but near, or an end.
        implied: What a document that does not mention it says, by what `absent_means` may say.
        denied: The value of "none" and "no": None where these words hold no value.
        n_non_zero_sql: How many values of column `{x}` are neither empty nor zero nor false.
        spread_sql: Smallest, largest, mean and quartiles of column `{x}`.
    """

    __slots__ = ()

    sql: ClassVar[str]
    json_schema: ClassVar[Mapping[str, str]]
    form: ClassVar[str]
    noun: ClassVar[str]
    held: ClassVar[str]
    asked: ClassVar[tuple[str, ...]] = ()
    looks: ClassVar[re.Pattern[str]] = re.compile(r"(?!)")
    is_numeric: ClassVar[bool] = False
    is_whole: ClassVar[bool] = False
    is_text: ClassVar[bool] = False
    is_boolean: ClassVar[bool] = False
    is_date: ClassVar[bool] = False
    is_ordered: ClassVar[bool] = False
    implied: ClassVar[Mapping[str, bool | int]] = {}
    denied: ClassVar[bool | None] = None
    n_non_zero_sql: ClassVar[str] = "count({x})"
    spread_sql: ClassVar[str] = "NULL, NULL, NULL, NULL"

    def fit(self, value: Value) -> Value | None:
        """Return *value* as the column holds it; None where it cannot: `3.0` -> 3 if whole."""
        raise NotImplementedError

    def write(self, value: object) -> str | None:
        """Write what a language model gave as canonical text; None where it does not fit."""
        raise NotImplementedError

    def read(self, text: str) -> Value | None:
        """Read what `write` wrote; None for a date that is not complete."""
        raise NotImplementedError

    def means(self, absence: str) -> bool:
        """Return whether `absent_means` of a column of this type may be *absence*."""
        return absence == "unknown" or absence in self.implied

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: object, _handler: "GetCoreSchemaHandler"
    ) -> "CoreSchema":
        """Let pydantic read a type from its name, and write it as one of five names."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            COLUMN_TYPES.__getitem__,
            core_schema.literal_schema(list(COLUMN_TYPES)),
            serialization=core_schema.plain_serializer_function_ser_schema(str),
        )


class _Text(ColumnType):
    """Texts, of an open or a closed set."""

    __slots__ = ()

    sql = "VARCHAR"
    json_schema: ClassVar = {"type": "string"}
    form = f"a text of at most {LONGEST_TEXT:,} characters"
    noun = "text"
    held = "Text as the document has it"
    asked = ("name",)
    is_text = True
    n_non_zero_sql = "count(*) FILTER ({x} <> '')"

    def fit(self, value: Value) -> Value | None:
        return str(value)

    def write(self, value: object) -> str | None:
        return None if value is None or isinstance(value, bool) else _one_line(value) or None

    def read(self, text: str) -> Value | None:
        return text


class _Numeric(ColumnType):
    """Numbers: whole ones, or any."""

    __slots__ = ()

    noun = "number"
    asked = ("number", "amount", "value")
    looks = re.compile(r"\d")
    is_numeric = True
    is_ordered = True
    implied: ClassVar = {"zero": 0}
    n_non_zero_sql = "count(*) FILTER ({x} <> 0)"
    spread_sql = "min({x}), max({x}), avg({x}), quantile_cont({x}, [0.25, 0.5, 0.75])"

    def write(self, value: object) -> str | None:
        """Write a number without exponent; None where it is none, or has decimals and must not."""
        text = _one_line(value)
        if value is None or isinstance(value, bool) or not _NUMBER.fullmatch(text):
            return None
        number = Decimal(text.replace(",", "").replace("−", "-"))
        if not math.isfinite(float(number)):
            return None
        if number == number.to_integral_value():
            return str(int(number))
        return None if self.is_whole else format(number, "f")


class _Integer(_Numeric):
    __slots__ = ()

    sql = "BIGINT"
    json_schema: ClassVar = {"type": "integer"}
    form = "a whole number, such as 1200"
    held = "A whole number"
    is_whole = True

    def fit(self, value: Value) -> Value | None:
        if not _is_number(value) or int(value) != value or abs(value) > _LARGEST_BIGINT:
            return None
        return int(value)

    def read(self, text: str) -> Value | None:
        return int(text)


class _Number(_Numeric):
    __slots__ = ()

    sql = "DOUBLE"
    json_schema: ClassVar = {"type": "number"}
    form = "a plain number, such as 12.5"
    held = "A number"

    def fit(self, value: Value) -> Value | None:
        return float(value) if _is_number(value) else None

    def read(self, text: str) -> Value | None:
        return float(text)


class _Boolean(ColumnType):
    __slots__ = ()

    sql = "BOOLEAN"
    json_schema: ClassVar = {"type": "boolean"}
    form = "true or false"
    noun = "statement"
    held = "Stored as true or false"
    asked = ("offer",)
    is_boolean = True
    implied: ClassVar = {"false": False}
    denied = False
    n_non_zero_sql = "count(*) FILTER ({x})"

    def fit(self, value: Value) -> Value | None:
        return value if isinstance(value, bool) else None

    def write(self, value: object) -> str | None:
        known = _YES_NO.get(_one_line(value).lower())
        return None if known is None else str(known).lower()

    def read(self, text: str) -> Value | None:
        return _YES_NO.get(text)


class _Date(ColumnType):
    __slots__ = ()

    sql = "DATE"
    json_schema: ClassVar = {"type": "string", "format": "date"}
    form = "a date as YYYY-MM-DD"
    noun = "date"
    held = "A date"
    asked = ("date", "day")
    looks = re.compile(
        r"\b(?:19|20)\d{2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|[12]\d{3}年"
        r"|\d{1,2}\.?\s[^\W\d_]{3,9}\.?\s\d{4}"
    )
    is_date = True
    is_ordered = True
    spread_sql = (
        "min({x})::VARCHAR, max({x})::VARCHAR, NULL,"
        " quantile_disc({x}, [0.25, 0.5, 0.75])::VARCHAR[]"
    )

    def fit(self, value: Value) -> Value | None:
        return value if isinstance(value, date) else None

    def write(self, value: object) -> str | None:
        """Write a day; a date that is known to the month or year only stays so: `2021-03`."""
        text = _one_line(value)
        return text if self.read(text) or is_partial_date(text) else None

    def read(self, text: str) -> Value | None:
        try:
            return date.fromisoformat(text) if _DAY.fullmatch(text) else None
        except ValueError:
            return None


TEXT: ColumnType = _Text("string")
INTEGER: ColumnType = _Integer("integer")
NUMBER: ColumnType = _Number("number")
BOOLEAN: ColumnType = _Boolean("boolean")
DATE: ColumnType = _Date("date")
COLUMN_TYPES: Mapping[str, ColumnType] = {
    str(kind): kind for kind in (TEXT, INTEGER, NUMBER, BOOLEAN, DATE)
}


def is_partial_date(text: str) -> bool:
    """Return whether *text* is a month, quarter or year: `2021-03`, `2021-Q1`, `2021`."""
    return _PARTIAL_DAY.fullmatch(text) is not None


def _is_number(value: Value) -> TypeGuard[int | float]:
    return not isinstance(value, bool | str | date) and math.isfinite(value)


def _one_line(value: object) -> str:
    """Write *value* on one line; empty where it is no number (NaN) or too long for a value."""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    text = " ".join(str(value).translate(_CONTROLS | _TURNS).split())
    return text if len(text) <= LONGEST_TEXT else ""
