"""Periods of time among the tokens of a question."""

from collections.abc import Sequence
from functools import lru_cache

from srag_mcp.offline.translation.tokens import Token
from srag_mcp.values.periods import Period, find_periods


def read_period(tokens: Sequence[Token], start: int) -> tuple[Period, int] | None:
    """Read the period that begins at token *start*; return it and the token after it."""
    return _periods(tuple(tokens)).get(start)


@lru_cache(maxsize=64)
def _periods(tokens: tuple[Token, ...]) -> dict[int, tuple[Period, int]]:
    letters = [" "] * (tokens[-1].end if tokens else 0)
    for token in tokens:
        letters[token.start : token.end] = token.text
    firsts = {token.start: at for at, token in enumerate(tokens)}
    afters = {token.end: at + 1 for at, token in enumerate(tokens)}
    return {
        firsts[span.start]: (period, afters[span.end])
        for span, period in find_periods("".join(letters))
        if span.start in firsts and span.end in afters
    }
