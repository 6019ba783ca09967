"""Items: the parts of a question that mean something, in their order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from srag_mcp.offline.translation.columns import Column, Table
from srag_mcp.offline.translation.lexicon import DETERMINERS
from srag_mcp.offline.translation.lexicon import Kind as WordKind
from srag_mcp.offline.translation.reading import Condition, Operator
from srag_mcp.offline.translation.tokens import Token
from srag_mcp.store.values import ValueMatch
from srag_mcp.values.periods import Period

Kind: TypeAlias = WordKind | Literal[
    "attribute", "hint", "value", "number", "period_value", "superlative", "bound", "filter",
    "unknown", "unit", "mark", "comparative",
]  # fmt: skip


_ASKING: frozenset[Kind] = frozenset({"how_many", "wh", "list", "share", "distinct", "which_of"})
_LINKED: frozenset[Kind] = frozenset({"and", "or", "entity", "attribute", "filter", "value"})


@dataclass(frozen=True, slots=True)
class Bound:
    """A relation to a number; *high* is the upper end of a range."""

    operator: Operator
    value: float
    high: float | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A stretch of the question with one meaning.

    Attributes:
        kind: What it does in the sentence.
        first, last: Its tokens, *last* exclusive.
        word: The meaning within the kind (`avg`, `>=`, `who` …).
        columns: Of an attribute or hint: names of columns with weights, best first.
        number, unit: Of a number or a bound.
        period: Of a period value.
        matches: Of a value: the stored values, best first.
        bound: Of a bound.
        condition: Of a filter.
        tied: Whether the best two columns speak equally.
    """

    kind: Kind
    first: int
    last: int
    word: str = ""
    columns: tuple[tuple[str, float], ...] = ()
    number: float | None = None
    unit: str | None = None
    period: Period | None = None
    matches: tuple[ValueMatch, ...] = ()
    bound: Bound | None = None
    condition: Condition | None = None
    tied: bool = False


@dataclass(frozen=True)
class Sentence:
    """A question as items, over one table."""

    text: str
    tokens: tuple[Token, ...]
    items: tuple[Item, ...]
    table: Table

    def of(self, *kinds: Kind) -> list[Item]:
        """Return the items of these kinds, in order."""
        return [item for item in self.items if item.kind in kinds]

    def has(self, kind: Kind, word: str | None = None) -> bool:
        """Whether there is an item of this kind (and word)."""
        return any(i.kind == kind and (word is None or i.word == word) for i in self.items)

    def column(self, item: Item, wanted: Callable[[Column], bool] | None = None) -> Column | None:
        """Return the best column of an attribute item, of those that are *wanted*."""
        if not item.columns:
            return None
        floor = item.columns[0][1] * 0.6
        for name, weight in item.columns:
            column = self.table.column(name)
            if column is not None and weight >= floor and (wanted is None or wanted(column)):
                return column
        return None

    def words(self, item: Item) -> str:
        """Return the words of an item as they were asked."""
        if item.first >= item.last:
            return ""
        return self.text[self.tokens[item.first].start : self.tokens[item.last - 1].end]

    def is_head(self, item: Item) -> bool:
        """Whether *item* is the noun right behind the question word, which means the record.

        `How many dogs are there?`, but `How many barking dogs`, `How many have a dog?`
        """
        at = self.items.index(item)
        asks = at > 0 and self.items[at - 1].kind in _ASKING
        between = self.tokens[self.items[at - 1].last : item.first] if asks else ()
        if not asks or any(token.word not in DETERMINERS for token in between):
            return False
        for left, right in pairwise(self.items[at:]):
            if self.gap(left, right) > 0 or right.kind not in _LINKED:
                return True
            if right.kind in {"entity", "attribute"}:
                return False
        return True

    def stems(self, item: Item) -> frozenset[str]:
        """Return the stems of the words of an item."""
        return frozenset(token.stem for token in self.tokens[item.first : item.last])

    def with_items(self, items: Sequence[Item]) -> "Sentence":
        """Return the sentence with other items."""
        return replace(self, items=tuple(items))

    def spliced(self, at: int, length: int, *items: Item) -> "Sentence":
        """Return the sentence with *items* in the place of *length* items from *at*."""
        kept = list(self.items)
        kept[at : at + length] = items
        return replace(self, items=tuple(kept))

    def gap(self, left: Item, right: Item) -> int:
        """Count the tokens between two items."""
        return max(0, right.first - left.last)

    def pairs(self) -> Iterator[tuple[int, Item, Item]]:
        """Yield each item with the next one and its index."""
        for index in range(len(self.items) - 1):
            yield index, self.items[index], self.items[index + 1]


def filter_item(first: Item, last: Item, condition: Condition, word: str = "") -> Item:
    """Return a filter that takes the place of the items from *first* to *last*."""
    low, high = min(first.first, last.first), max(first.last, last.last)
    return Item("filter", low, high, word, condition=condition)
