"""What a superlative ranks: the column beside it, and the function that is said of it."""

from dataclasses import dataclass

from srag_mcp.offline.translation.asked import is_compound
from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.measures import says_sum
from srag_mcp.offline.translation.reading import Function, Term
from srag_mcp.offline.translation.wordings import is_doubtful, tells_doing

_SKIPPED: frozenset[Kind] = frozenset(
    {
        "aggregate",
        "how_many",
        "how_much",
        "unit",
        "distinct",
        "hint",
        "yes_no",
        "wh",
        "number",
        "period",
        "each",
        "glue",
    }
)
QUANTITIES = frozenset({"most", "fewest", "least"})
_AGGREGATES: dict[str, Function] = {"avg": "avg", "sum": "sum", "median": "median"}


@dataclass(frozen=True)
class Pick:
    """A superlative with what it ranks.

    Attributes:
        item: The superlative.
        term: What is ranked; None ranks by the number of records.
        highest: Whether the highest is taken.
        function: Of a group (`highest average`), when it was said.
        used: The items that said all this.
        quantity: Whether it was `most` or `fewest`, which adds up over a group.
        often: Whether the value itself is the most frequent one.
        assumed: Whether the column was not named.
        counted: The date that the counted records have: `most inspections` of `inspection_date`.
    """

    item: Item
    term: Term | None
    highest: bool
    function: Function | None
    used: tuple[Item, ...]
    quantity: bool = False
    often: bool = False
    assumed: bool = False
    counted: Term | None = None


def scan(sentence: Sentence, at: int, step: int) -> tuple[Item, Column] | None:
    """Find the ordered column next to item *at*, over words that do not matter."""
    index = at + step
    while 0 <= index < len(sentence.items):
        item = sentence.items[index]
        if item.kind == "attribute":
            column = sentence.column(item, lambda c: c.is_ordered)
            fitting = [c for c in sentence.table.columns if c.is_ordered]
            doubtful = is_doubtful(sentence, item, fitting)
            if column is None or doubtful:
                return None
            if not tells_doing(sentence, item, column):
                return item, column
        elif item.kind not in _SKIPPED and not (step > 0 and is_compound(sentence, index)):
            return None
        index += step
    return None


def measured(sentence: Sentence, at: int, found: tuple[Item, Column], *, highest: bool) -> Pick:
    """Return the pick of the *found* column, with the function that is said of it."""
    item, (attribute, column) = sentence.items[at], found
    function, aggregates = function_near(sentence)
    if function is None and says_sum(sentence, attribute, column):
        function = "sum"
    quantity = sentence.words(item).lower().removeprefix("the ").split()[0] in QUANTITIES
    used = (item, attribute, *aggregates)
    numbered = quantity or "number of" in sentence.words(item).lower()
    counts = numbered and item.kind != "superlative" and function is None
    if counts and column.attribute.type == "date":
        counted = Term(column.name)
        return Pick(item, None, highest, None, used, quantity=True, counted=counted)
    return Pick(item, column.term, highest, function, used, quantity=quantity)


def function_near(sentence: Sentence) -> tuple[Function | None, tuple[Item, ...]]:
    """Return the function that the sentence says, and the words for it."""
    aggregates = tuple(sentence.of("aggregate"))
    words = [item.word for item in aggregates]
    for word in ("median", "avg", "sum"):
        if word in words:
            return _AGGREGATES[word], aggregates
    return None, ()
