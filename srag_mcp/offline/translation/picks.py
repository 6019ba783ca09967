"""Superlatives: what is highest, lowest, first, last, most or fewest, and of what."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from srag_mcp.offline.translation.asked import is_compound
from srag_mcp.offline.translation.columns import Column, concept_stems
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.lexicon import PAYING_VERBS
from srag_mcp.offline.translation.measures import only_measure, says_sum
from srag_mcp.offline.translation.reading import ROW, Function, Term
from srag_mcp.offline.translation.thesaurus import SUPERLATIVES, Concept
from srag_mcp.offline.translation.tokens import stem
from srag_mcp.offline.translation.wordings import is_doubtful

SUPERLATIVE_KINDS: tuple[Kind, ...] = ("most", "least", "superlative")
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
_PAYING = frozenset(stem(word) for word in PAYING_VERBS)
_NOUNS = {"maximum", "minimum", "max", "min", "peak"}
_QUANTITIES = {"most", "fewest", "least"}
_LISTED = {"list", "chart", "table", "top", "bottom"}


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
    """

    item: Item
    term: Term | None
    highest: bool
    function: Function | None
    used: tuple[Item, ...]
    quantity: bool = False
    often: bool = False
    assumed: bool = False


def picks_of(sentence: Sentence) -> list[Pick | None]:
    """Bind each superlative of a sentence; None for one that ranks nothing known."""
    return [bind_pick(sentence, item) for item in sentence.of(*SUPERLATIVE_KINDS)]


def bind_pick(sentence: Sentence, item: Item) -> Pick | None:
    """Find what the superlative *item* ranks."""
    at = sentence.items.index(item)
    highest = item.kind == "most" or (item.kind == "superlative" and SUPERLATIVES[item.word][1])
    if item.word == "often":
        return Pick(item, None, highest, None, (item,), quantity=True, often=True)
    counted = _counted_by(sentence, at)
    if counted:
        return Pick(item, None, highest, None, (item, *counted), quantity=True)
    if item.kind == "superlative":
        return _bind_adjective(sentence, at, highest=highest)
    found = None if _counts_records(sentence, at) else _ranked_column(sentence, at)
    if found is not None:
        return _measured(sentence, at, found, highest=highest)
    return _bind_entity(sentence, at, highest=highest)


def _counted_by(sentence: Sentence, at: int) -> tuple[Item, ...]:
    """Return the items of `by number of matches`, which say what a `top` ranks by."""
    for asks, noun in pairwise(sentence.items[at + 1 :]):
        near = {token.word for token in sentence.tokens[max(0, asks.first - 2) : asks.first]}
        if "by" in near and asks.kind == "how_many" and noun.kind == "entity":
            return asks, noun
    return ()


def _counts_records(sentence: Sentence, at: int) -> bool:
    """Whether `most` stands right before the noun of a record: `most matches`."""
    after = at + 1
    if after >= len(sentence.items) or sentence.items[after].kind != "entity":
        return False
    word = sentence.words(sentence.items[at]).lower().removeprefix("the ").split()[0]
    return word in _QUANTITIES and not is_compound(sentence, after)


def _ranked_column(sentence: Sentence, at: int) -> tuple[Item, Column] | None:
    before = _scan(sentence, at, -1)
    nominal = sentence.words(sentence.items[at]).lower().split()[-1] in _NOUNS
    if before is not None and nominal and sentence.gap(before[0], sentence.items[at]) == 0:
        return before
    return _scan(sentence, at, 1) or before


def _scan(sentence: Sentence, at: int, step: int) -> tuple[Item, Column] | None:
    """Find the ordered column next to item *at*, over words that do not matter."""
    index = at + step
    while 0 <= index < len(sentence.items):
        item = sentence.items[index]
        if item.kind == "attribute":
            column = sentence.column(item, lambda c: c.is_ordered)
            fitting = [c for c in sentence.table.columns if c.is_ordered]
            doubtful = is_doubtful(sentence, item, fitting)
            return None if column is None or doubtful else (item, column)
        if item.kind not in _SKIPPED and not (step > 0 and is_compound(sentence, index)):
            return None
        index += step
    return None


def _measured(sentence: Sentence, at: int, found: tuple[Item, Column], *, highest: bool) -> Pick:
    item, (attribute, column) = sentence.items[at], found
    function, aggregates = _function_near(sentence, at, attribute)
    if function is None and says_sum(sentence, attribute, column):
        function = "sum"
    quantity = sentence.words(item).lower().removeprefix("the ").split()[0] in _QUANTITIES
    used = (item, attribute, *aggregates)
    return Pick(item, column.term, highest, function, used, quantity=quantity)


_AGGREGATES: dict[str, Function] = {"avg": "avg", "sum": "sum", "median": "median"}


def _function_near(
    sentence: Sentence, at: int, attribute: Item
) -> tuple[Function | None, tuple[Item, ...]]:
    aggregates = tuple(sentence.of("aggregate"))
    words = [item.word for item in aggregates]
    for word in ("median", "avg", "sum"):
        if word in words:
            return _AGGREGATES[word], aggregates
    return None, ()


def _bind_entity(sentence: Sentence, at: int, *, highest: bool) -> Pick | None:
    """Rank by number of records (`most matches`) or by size (`largest order`)."""
    item = sentence.items[at]
    word = sentence.words(item).lower().removeprefix("the ").split()[0]
    after = _entity_after(sentence, at) or _text_after(sentence, at)
    counts = "number of" in sentence.words(item).lower() or word in _QUANTITIES
    function, aggregates = _function_near(sentence, at, item)
    if after is not None and counts and function is None:
        return Pick(item, None, highest, None, (item, after), quantity=True)
    if _is_bare(sentence, at, word):
        return Pick(item, None, highest, None, (item,), quantity=True, often=True)
    column = only_measure(sentence.table, "money" if word not in {"biggest", "largest"} else "any")
    if column is None or (after is None and _names_column(sentence, at)):
        return None
    return Pick(item, column.term, highest, function, (item, *aggregates), assumed=True)


def _is_bare(sentence: Sentence, at: int, word: str) -> bool:
    """Whether `most` ends its clause after a verb without a price: `was borrowed the most`."""
    last = sentence.items[at].last
    after = sentence.tokens[last] if last < len(sentence.tokens) else None
    ended = after is None or after.is_mark or after.word in {"in", "at", "by", "from", "during"}
    stems_before = {token.stem for token in sentence.tokens[: sentence.items[at].first]}
    paid = bool(stems_before & (concept_stems("money") | _PAYING))
    return sentence.table.named and word in {"most", "least"} and ended and not paid


def _names_column(sentence: Sentence, at: int) -> bool:
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    plain = after is not None and after.kind == "hint" and sentence.table.named
    return plain or (after is not None and after.kind in {"unknown", "attribute", "value"})


def _entity_after(sentence: Sentence, at: int) -> Item | None:
    for item in sentence.items[at + 1 : at + 4]:
        if item.kind == "entity":
            return item
        if item.kind not in {"filter", "distinct", "aggregate", "how_many"}:
            return None
    return None


def _text_after(sentence: Sentence, at: int) -> Item | None:
    """Return the text column that names what a record without a noun is: `most competitions`."""
    after = sentence.items[at + 1] if at + 1 < len(sentence.items) else None
    if after is None or after.kind != "attribute" or sentence.table.named:
        return None
    return after if sentence.column(after, lambda c: c.attribute.type == "string") else None


def _bind_adjective(sentence: Sentence, at: int, *, highest: bool) -> Pick | None:
    item = sentence.items[at]
    concepts = SUPERLATIVES[item.word][0]
    near = _scan(sentence, at, 1) or _scan(sentence, at, -1)
    if near is not None and (concepts == ("any",) or _is_meant(near[1], concepts, sentence, item)):
        pick = _measured(sentence, at, near, highest=highest)
        flipped = _is_flipped(near[1], concepts)
        return _flip(pick) if flipped else pick
    if "time" in concepts and (not sentence.table.dates or _is_listed(sentence)):
        return Pick(item, Term(ROW), highest, None, (item,), assumed=not _is_listed(sentence))
    for concept in concepts:
        column = _column_of_concept(sentence, concept)
        if column is not None:
            pick = Pick(item, column.term, highest, None, (item,), assumed=True)
            return _flip(pick) if _is_flipped(column, concepts) else pick
    return None


def _is_meant(column: Column, concepts: Sequence[Concept], sentence: Sentence, item: Item) -> bool:
    return any(column.measures(concept) for concept in concepts) or (
        concepts[0] == "age" and column.attribute.type == "date"
    )


def column_of_adjective(sentence: Sentence, word: str) -> Column | None:
    """Return the column that an adjective such as `oldest` or `cheapest` ranks by."""
    for concept in SUPERLATIVES[word][0] if word in SUPERLATIVES else ():
        column = _column_of_concept(sentence, concept)
        if column is not None:
            return column
    return None


def _column_of_concept(sentence: Sentence, concept: Concept) -> Column | None:
    if concept == "any":
        return only_measure(sentence.table, "money")
    if concept in {"time", "age"}:
        ordered = [c for c in sentence.table.columns if c.is_ordered or c.year_text]
        ages = [c for c in ordered if concept == "age" and c.measures("age")]
        dates = sorted(sentence.table.dates, key=lambda column: -column.n_non_null)
        years = [c for c in ordered if c.year_text and concept == "age"]
        return next(iter([*ages, *years, *dates]), None)
    fitting = [c for c in sentence.table.columns if c.is_ordered and c.measures(concept)]
    if concept == "money":
        return only_measure(sentence.table, "money")
    return fitting[0] if fitting else None


def _is_flipped(column: Column, concepts: Sequence[Concept]) -> bool:
    """Whether a high value means a low degree: dates of the old, times of the fast."""
    if concepts[0] == "age":
        born = any(word in {"birth", "born"} for name in column.names for word in name)
        return not column.is_number or column.year_text or born
    spoken = {word for name in column.names for word in name}
    return concepts[0] == "speed" and stem("time") in spoken


def _flip(pick: Pick) -> Pick:
    return Pick(
        pick.item,
        pick.term,
        not pick.highest,
        pick.function,
        pick.used,
        pick.quantity,
        pick.often,
        pick.assumed,
    )


def _is_listed(sentence: Sentence) -> bool:
    """Whether the order of the table is meant: `the last code listed`."""
    return any(
        token.stem in _LISTED and token.text != token.text.upper() for token in sentence.tokens
    )
