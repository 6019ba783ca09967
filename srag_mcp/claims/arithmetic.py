"""Arithmetic in a remark: `derived: 12.37-0.02`."""

import re
from dataclasses import dataclass

from srag_mcp.values.quantities import read_numeral

_NUMERAL = r"(?:\d+(?:[.,]\d+)*)"
_TIMES = r"\s*([*×x/÷])\s*"
_PRODUCT = re.compile(rf"{_NUMERAL}(?:{_TIMES}{_NUMERAL})*")
_FACTOR = re.compile(rf"(?:{_TIMES})?({_NUMERAL})")
_FORMULA = re.compile(
    rf"(?<![\w.,]){_PRODUCT.pattern}(?:\s*[-+−–]\s*{_PRODUCT.pattern})*(?![\w.,]\w)"
)
_TERM = re.compile(rf"([-+−–]?)\s*({_PRODUCT.pattern})")


@dataclass(frozen=True, slots=True)
class Made:
    """What a formula makes, and of which numbers."""

    result: float
    operands: tuple[float, ...]


def compute(remark: str) -> Made | None:
    """Compute the first formula of *remark*, of at least two numbers; None where it has none.

    `22 + 1 guests` -> 23; the numbers of `2 x 14.90 - 0.02` are multiplied first.
    """
    for formula in _FORMULA.finditer(remark):
        result, operands = 0.0, []
        for term in _TERM.finditer(formula[0]):
            product = 1.0
            for factor in _FACTOR.finditer(term[2]):
                number = read_numeral(factor[2])
                if number is None or (factor[1] in _DIVIDE and not number):
                    return None
                operands.append(float(number))
                product = product / number if factor[1] in _DIVIDE else product * number
            result += product if term[1] in _PLUS else -product
        if len(operands) > 1:
            return Made(result, tuple(operands))
    return None


_DIVIDE, _PLUS = frozenset("/÷"), frozenset(("", "+"))
