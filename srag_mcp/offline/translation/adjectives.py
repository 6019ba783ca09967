"""Superlatives that are adjectives: what `oldest`, `cheapest`, `largest` rank."""

from collections.abc import Sequence

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.measures import only_measure
from srag_mcp.offline.translation.ranked import Pick, function_near, measured, scan
from srag_mcp.offline.translation.reading import ROW, Term
from srag_mcp.offline.translation.thesaurus import SUPERLATIVES, Concept
from srag_mcp.offline.translation.tokens import stem

_LISTED = {"list", "chart", "table", "top", "bottom"}


def bind_adjective(sentence: Sentence, at: int, *, highest: bool) -> Pick | None:
    """Find what the adjective at *at* ranks: the column beside it, or the one of its concept."""
    item = sentence.items[at]
    concepts = _concepts(sentence, item)
    near = scan(sentence, at, 1) or scan(sentence, at, -1)
    if near is not None and (concepts == ("any",) or _is_meant(near[1], concepts, sentence, item)):
        pick = measured(sentence, at, near, highest=highest)
        flipped = _is_flipped(near[1], concepts) and item.word != "newest"
        return _flip(pick) if flipped else pick
    if "time" in concepts and (not sentence.table.dates or _is_listed(sentence)):
        return Pick(item, Term(ROW), highest, None, (item,), assumed=not _is_listed(sentence))
    for concept in concepts:
        column = _column_of_concept(sentence, concept)
        if column is not None:
            function, aggregates = function_near(sentence)
            used = (item, *aggregates)
            pick = Pick(item, column.term, highest, function, used, assumed=True)
            flipped = _is_flipped(column, concepts) and item.word != "newest"
            return _flip(pick) if flipped else pick
    return None


def _concepts(sentence: Sentence, item: Item) -> tuple[Concept, ...]:
    """Return what an adjective ranks; the newest thing, unlike the newest record, is the youngest.

    `the newest vessel` of inspections was built last; `the newest inspection` took place last.
    """
    concepts = SUPERLATIVES[item.word][0]
    after = sentence.tokens[item.last : item.last + 3]
    own = any(token.stem in sentence.table.nouns for token in after)
    aged = any(column.year_text and column.measures("age") for column in sentence.table.columns)
    return (
        ("age",)
        if item.word == "newest" and sentence.table.named and aged and not own
        else concepts
    )


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
