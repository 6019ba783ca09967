"""Matching answers: when the rows of an answer are the expected answer.

One column of the rows is compared: the first whose values all have the expected type (a query may
give the measure beside the name that was asked for). Then:

- a single value: that column holds this value and no other (repeats count once);
- a list: the same members, in the same order where the question asks for one;
- numbers within the question's relative tolerance (at least 1e-6), dates by day, months by year and
  month in any notation, texts when they fold to the same (case, punctuation, white space);
- a truth value only matches a truth value.

The rows of a grouped answer are compared as rows, in whatever order their columns come.
"""

from collections.abc import Sequence
from itertools import permutations

from srag_mcp.evaluation.comparison import date_of, equal_numbers, month_of, number_of
from srag_mcp.evaluation.pack_question import PackQuestion, Row
from srag_mcp.schema.attribute import Scalar
from srag_mcp.store.guard import Value
from srag_mcp.text.words import fold

_MAX_COLUMNS = 6


def is_right(question: PackQuestion, rows: Sequence[Sequence[Value]]) -> bool:
    """Return whether *rows* answer *question* as expected; nothing answers the unanswerable."""
    expected = question.answer
    if expected is None:
        return False
    members = expected if isinstance(expected, tuple) else (expected,)
    if not members:
        return all(value is None for row in rows for value in row)
    wanted = [member for member in members if isinstance(member, tuple)]
    if wanted:
        return _same_rows(rows, wanted, question)
    return _is_right_column(question, rows, [m for m in members if not isinstance(m, tuple)])


def _is_right_column(
    question: PackQuestion, rows: Sequence[Sequence[Value]], members: Sequence[Scalar]
) -> bool:
    values = pick_column(rows, members)
    if values is None:
        return False
    if question.ordered:
        return len(values) == len(members) and all(
            equal_values(value, member, question.tolerance)
            for value, member in zip(values, members, strict=True)
        )
    return _same_members(values, members, question.tolerance)


def pick_column(rows: Sequence[Sequence[Value]], members: Sequence[Scalar]) -> list[Value] | None:
    """Return the values of the first column that could hold *members*; None when none could."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    for column in columns:
        if all(_could_be(value, members[0]) for value in column):
            return column
    return None


def equal_values(found: Value, expected: Scalar, tolerance: float) -> bool:
    """Return whether one value of an answer is the expected one."""
    if isinstance(expected, bool) or isinstance(found, bool) or found is None:
        return found is expected
    wanted = number_of(expected)
    if wanted is not None and not (isinstance(expected, str) and isinstance(found, str)):
        number = number_of(found)
        return number is not None and equal_numbers(number, wanted, tolerance)
    day, month = date_of(expected), month_of(expected)
    if day is not None:
        return date_of(found) == day
    if month is not None:
        return month_of(found) == month
    said, asked = fold(str(found)), fold(str(expected))
    return said == asked and (bool(asked) or found == expected)


def _could_be(found: Value, expected: Scalar) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return isinstance(expected, bool) and isinstance(found, bool)
    if isinstance(expected, int | float):
        return number_of(found) is not None
    if date_of(expected) is not None:
        return date_of(found) is not None
    if month_of(expected) is not None:
        return month_of(found) is not None
    return isinstance(found, str) or (found is not None and number_of(expected) is not None)


def _same_members(values: Sequence[Value], members: Sequence[Scalar], tolerance: float) -> bool:
    matched = [[equal_values(value, member, tolerance) for member in members] for value in values]
    every_value = all(any(row) for row in matched)
    return (
        bool(values) and every_value and all(any(column) for column in zip(*matched, strict=True))
    )


def _same_rows(
    rows: Sequence[Sequence[Value]], wanted: Sequence[Row], question: PackQuestion
) -> bool:
    """Return whether some columns of *rows* hold the *wanted* rows, and no others."""
    width, n_wanted = len(rows[0]) if rows else 0, len(wanted[0])
    if width > _MAX_COLUMNS or len(rows) != len(wanted):
        return False
    return any(
        _equal_rows([[row[place] for place in places] for row in rows], wanted, question)
        for places in permutations(range(width), n_wanted)
    )


def _equal_rows(
    found: Sequence[Sequence[Value]], wanted: Sequence[Row], question: PackQuestion
) -> bool:
    def equal(row: Sequence[Value], want: Row) -> bool:
        pairs = zip(row, want, strict=True)
        return all(equal_values(value, member, question.tolerance) for value, member in pairs)

    if any(len(row) != len(want) for row, want in zip(found, wanted, strict=True)):
        return False
    if question.ordered:
        return all(equal(row, want) for row, want in zip(found, wanted, strict=True))
    return all(any(equal(row, want) for row in found) for want in wanted) and all(
        any(equal(row, want) for want in wanted) for row in found
    )
