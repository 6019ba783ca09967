"""The values of a column with their words, and the suspicion that one does not fit the others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from srag_mcp.cells.cell import PredictedCell
from srag_mcp.claims.figures import Figures, read_figures
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State
from srag_mcp.values.types import Value
from srag_mcp.values.units import unit_of

SuspicionKind: TypeAlias = Literal[
    "scale",
    "scale_word",
    "shift",
    "sign",
    "out_of",
    "impossible",
    "unit",
    "other_unit",
    "date_order",
    "date_orders",
    "spelling",
    "category",
]
Tags: TypeAlias = Mapping[str, frozenset[str]]
"""The units that text cells name, by document id: `{"a.txt": {"EUR"}}`."""

NO_TAGS: Tags = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StatedValue:
    """The value of one document in a column, and the words that say it."""

    document_id: str
    value: Value
    as_stated: str

    @property
    def number(self) -> float:
        """The value as a number; 0 where it is none."""
        return float(self.value) if isinstance(self.value, int | float) else 0.0

    @property
    def figures(self) -> Figures:
        """What its words have of figures and dates."""
        return read_figures(self.as_stated)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A value that is probably written in another way than the rest of its column.

    *reason* is one clause for the model: what the others look like.
    """

    document_id: str
    kind: SuspicionKind
    reason: str

    @property
    def is_of_quote(self) -> bool:
        """Whether the value's own words show it, so that a reader may have been told of it."""
        return self.kind in ("scale_word", "shift", "unit")

    def is_wrong_again(self, *, is_quoted: bool) -> bool:
        """Whether a value that was changed is none the better for it.

        A rare spelling may be right, and one that is the number of its quote may be rare; of two
        orders of dates, the column cannot tell.
        """
        if self.kind in ("spelling", "date_orders"):
            return False
        return not (is_quoted and self.kind in ("scale", "impossible"))


def read_tags(columns: Iterable[Mapping[str, PredictedCell]]) -> Tags:
    """Read which units the cells of text *columns* name, by document: a column of currencies.

    `{"a.txt": EUR}`, `{"a.txt": Lyon}` -> `{"a.txt": {"EUR"}}`
    """
    tags: defaultdict[str, set[str]] = defaultdict(set)
    for cells in columns:
        for document_id, item in cells.items():
            unit = unit_of((item.value_text or "").strip())
            if unit is not None:
                tags[document_id].add(unit)
    return {document_id: frozenset(units) for document_id, units in tags.items()}


def read_stated(attribute: Attribute, cells: Mapping[str, PredictedCell]) -> list[StatedValue]:
    """Read the values of the predicted *cells*, by document id, that state one."""
    return [
        StatedValue(document_id, value, item.cell.as_stated or "")
        for document_id, item in cells.items()
        if item.cell.state is State.STATED and item.value_text is not None
        if (value := attribute.type.read(item.value_text)) is not None
    ]
