"""Types of columns and of the values in them."""

from datetime import date
from typing import Literal, TypeAlias

AttributeType: TypeAlias = Literal["string", "integer", "number", "boolean", "date"]
Value: TypeAlias = str | int | float | bool | date
