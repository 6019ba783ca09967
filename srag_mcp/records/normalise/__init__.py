"""Normalisation of values: numbers, dates, booleans, categories."""

from srag_mcp.records.normalise.booleans import read_boolean
from srag_mcp.records.normalise.columns import normalise_column
from srag_mcp.records.normalise.dates import (
    DateOrder,
    DateText,
    decide_order,
    find_dates,
    read_date,
)
from srag_mcp.records.normalise.folding import fold, tidy
from srag_mcp.records.normalise.guess import TypeGuess, classify_values
from srag_mcp.records.normalise.number_cells import read_number
from srag_mcp.records.normalise.numerals import digit_grouping
from srag_mcp.records.normalise.quantities import find_quantities
from srag_mcp.records.normalise.quantity import Quantity

__all__ = [
    "DateOrder",
    "DateText",
    "Quantity",
    "TypeGuess",
    "classify_values",
    "decide_order",
    "digit_grouping",
    "find_dates",
    "find_quantities",
    "fold",
    "normalise_column",
    "read_boolean",
    "read_date",
    "read_number",
    "tidy",
]
