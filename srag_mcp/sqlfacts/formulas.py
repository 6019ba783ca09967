"""Formulas: SQL expressions over named values, as a language model writes them to have computed."""

from collections.abc import Iterable
from dataclasses import dataclass

from srag_mcp.sqlfacts.trees import exp, parse_query

# What formulas divide and multiply by, and no document has to say: percent and scales are powers of
# ten, a mean of quarters or months divides by 12 at most; days, weeks, hours and minutes.
_PLAIN = frozenset({24, 52, 60, 360, 365, 366, *range(13), *(10**power for power in range(2, 13))})


@dataclass(frozen=True, slots=True)
class Formula:
    """What a formula is made of: the names and the numbers in it; *problem*: why it is none.

    *is_ratio*: it divides by what is named, so that its result has not the unit of the names.
    """

    names: frozenset[str] = frozenset()
    numbers: tuple[float, ...] = ()
    problem: str = ""
    is_ratio: bool = False


def read_formula(sql: str) -> Formula:
    """Read one expression over names; no table, no query, and no text may stand in it.

    `"(a - b) / b * 100"` -> names `a` and `b`, number 100
    """
    tree = parse_query(f"SELECT {sql}")
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return Formula(problem="it is not one SQL expression")
    others = (exp.Table, exp.Query, exp.Star, exp.AggFunc, exp.Alias)
    if any(node is not tree for node in tree.find_all(*others)) or set(tree.args) - {
        name for name, value in tree.args.items() if name in {"expressions", "kind"} or not value
    }:
        return Formula(problem="only names, numbers and functions of one row may stand in it")
    literals = list(tree.find_all(exp.Literal))
    if any(literal.is_string for literal in literals):
        return Formula(problem="it has a text; a result is a number, or true or false")
    if any(not function.find(exp.Column) for function in tree.find_all(exp.Func)):
        return Formula(problem="each function in it must be one of names")  # not of chance, or now
    names = frozenset(column.name.lower() for column in tree.find_all(exp.Column))
    if not names:
        return Formula(problem="it has no name of an extracted value, so that it computes nothing")
    is_ratio = any(item.expression.find(exp.Column) for item in tree.find_all(exp.Div))
    return Formula(names, tuple(float(literal.this) for literal in literals), is_ratio=is_ratio)


def invented_numbers(formula: Formula, known: Iterable[float]) -> list[float]:
    """Return the numbers of *formula* that are neither plain ones nor *known*."""
    said = _PLAIN | set(known)
    return [number for number in formula.numbers if number not in said]
