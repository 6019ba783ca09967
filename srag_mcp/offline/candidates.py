"""Candidates: what may become an attribute, with what each sample document says of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from srag_mcp.schema.attribute import AbsentMeans
from srag_mcp.schema.extractors import Extractor

Origin: TypeAlias = Literal["field", "item", "slot", "anchor", "place", "part", "cell"]


@dataclass(slots=True)
class Candidate:
    """A possible attribute.

    Attributes:
        origin: What it was learnt from.
        label: The words that name it best, as documents write them.
        rules: Extractors, best first.
        values: What each sample document states, by the document's number.
        words: Stems around it, with how often; questions and names are matched to them.
        near: Stems that say what the value is, with the share of its statements that have them.
        context: Words that change the reading of its values ("in millions").
        labels: Other words for it that documents use.
        full_label: More words for it, for when another attribute has the label already.
        quotes: Passages that state it.
        asked: How much the sample questions ask for it.
        absent_means: What a document that does not mention it says.
    """

    origin: Origin
    label: str
    rules: list[Extractor]
    values: dict[int, str]
    words: Counter[str] = field(default_factory=Counter)
    near: dict[str, float] = field(default_factory=dict)
    context: str = ""
    labels: tuple[str, ...] = ()
    full_label: str = ""
    quotes: tuple[str, ...] = ()
    asked: float = 0.0
    absent_means: AbsentMeans = "unknown"

    def share(self, n_documents: int) -> float:
        """Return the share of sample documents that state it."""
        return len(self.values) / max(1, n_documents)

    def variety(self) -> float:
        """Return the number of distinct values over the number of values."""
        return len(set(self.values.values())) / max(1, len(self.values))


def agreement(left: Mapping[int, str], right: Mapping[int, str]) -> tuple[int, float]:
    """Return how many documents state both, and the share of those that state them alike."""
    shared = left.keys() & right.keys()
    if not shared:
        return 0, 0.0
    same = sum(_alike(left[number], right[number]) for number in shared)
    return len(shared), same / len(shared)


def _alike(left: str, right: str) -> bool:
    return left == right or left.casefold().split() == right.casefold().split()


def complementary(left: Sequence[int] | Mapping[int, str], right: Mapping[int, str]) -> bool:
    """Whether hardly any document states both."""
    shared = sum(number in right for number in left)
    return shared <= 0.05 * min(len(left), len(right))
