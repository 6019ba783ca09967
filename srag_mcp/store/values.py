"""The value index: which columns hold a phrase of a question, and how it is spelt there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A stored value that a phrase may mean.

    *score* is 1.0 for an equal value (folded), less for a fuzzy or partial match. *n_records* is
    the number of records with this value.
    """

    column: str
    value: str
    n_records: int
    score: float


class ValueIndex(Protocol):
    """Finds stored text values; `srag_mcp.store` has the implementations."""

    def search(
        self, phrase: str, columns: Sequence[str] | None = None, limit: int = 6
    ) -> list[ValueMatch]:
        """Find the values nearest to *phrase*, best first (of all text columns, when None)."""
        ...
