"""Typed candidates: what may become an attribute, and what its values are."""

from dataclasses import dataclass

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.values import numbers_of
from srag_mcp.values.dates import read_date
from srag_mcp.values.guess import TypeGuess, classify_values
from srag_mcp.values.types import BOOLEAN


@dataclass(frozen=True, slots=True)
class TypedCandidate:
    """A candidate and what its values are."""

    candidate: Candidate
    guess: TypeGuess


def typed(candidate: Candidate) -> TypedCandidate:
    """Tell the type of *candidate* by its values; what is only said or not is a boolean."""
    if candidate.origin == "item":
        return TypedCandidate(candidate, TypeGuess(BOOLEAN, None, 1.0, None))
    return TypedCandidate(candidate, classify_values(list(candidate.values.values())))


def plain_values(item: TypedCandidate) -> dict[int, str]:
    """Return the values of each document in one spelling: numbers and dates as they are stored."""
    values = item.candidate.values
    if item.guess.type in {"integer", "number"}:
        return numbers_of(values)
    if item.guess.type == "date":
        return {number: str(read_date(value)) for number, value in values.items()}
    return values
