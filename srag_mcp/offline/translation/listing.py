"""Questions for a list of values: of the records that pass the filters."""

from srag_mcp.offline.translation.adjectives import column_of_adjective
from srag_mcp.offline.translation.asked import asks_in_vain, label_of, outputs_of
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.measures import where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import SUPERLATIVE_KINDS
from srag_mcp.offline.translation.reading import Listing, Term
from srag_mcp.offline.translation.thesaurus import SUPERLATIVES

_BLOCKED: tuple[Kind, ...] = (
    *SUPERLATIVE_KINDS, "share", "difference", "than", "aggregate", "listed", "elapsed",
)  # fmt: skip


def read_listing(sentence: Sentence) -> Parse | None:
    """Read `list the dates of …`, `which companies …`, `what is the price of …`."""
    if any(sentence.has(kind) for kind in _BLOCKED) or not _asks_for_list(sentence):
        return None
    if asks_in_vain(sentence):
        return None
    outputs, used = outputs_of(sentence, _ordering(sentence))
    if not outputs:
        outputs = (label_of(sentence.table),)
    where = where_of(sentence)
    if not where.conditions and not sentence.has("list") and not sentence.has("distinct"):
        return None
    order, descending = _order(sentence, outputs)
    distinct = _is_distinct(sentence, outputs) and (order is None or order in outputs)
    reading = Listing(outputs, where, distinct, order, descending)
    taken = (*used, *sentence.of("filter", "distinct", "direction", "which_of"))
    return Parse(reading, (*taken, *_dates(sentence)), ordered=order is not None)


def _asks_for_list(sentence: Sentence) -> bool:
    first = next(
        (i for i in sentence.items if i.kind in {"wh", "list", "how_many", "how_much", "yes_no"}),
        None,
    )
    return first is not None and first.kind in {"wh", "list"}


def _order(sentence: Sentence, outputs: tuple[Term, ...]) -> tuple[Term | None, bool]:
    directions = sentence.of("direction")
    by = _ordering_column(sentence)
    if by is not None:
        return by, any(item.word == "desc" for item in directions)
    if not directions:
        return None, False
    descending = directions[0].word == "desc"
    if "chronolog" in sentence.words(directions[0]).lower() and sentence.table.dates:
        column = sentence.table.main_date
        return (None if column is None else column.term), descending
    phrase = sentence.words(directions[0]).lower().removesuffix(" first")
    words = [phrase] if phrase in SUPERLATIVES else phrase.split()
    for word in words:
        column = column_of_adjective(sentence, word)
        if column is not None:
            aged = SUPERLATIVES[word][0][0] == "age" and column.attribute.type != "date"
            return column.term, descending != (aged and not column.year_text)
    return outputs[-1], descending


def _ordering_column(sentence: Sentence) -> Term | None:
    """Return the column behind `by`: `list the … by rating`."""
    for item in _ordering(sentence):
        column = sentence.column(item)
        return None if column is None else column.term
    return None


def _ordering(sentence: Sentence) -> list[Item]:
    """Return the attributes behind `by`."""
    found: list[Item] = []
    for _, left, right in sentence.pairs():
        if left.kind == "time" and sentence.words(left).lower() in {
            "by",
            "ordered by",
            "sorted by",
        }:
            found += [right] if right.kind == "attribute" else []
    return found


def _is_distinct(sentence: Sentence, outputs: tuple[Term, ...]) -> bool:
    """Whether repetitions say nothing: text that many records share, and date parts."""
    if sentence.has("distinct"):
        return True
    column = sentence.table.column(outputs[0].column)
    if len(outputs) > 1 or column is None:
        return False
    return outputs[0].form != "plain" or (column.attribute.type == "string" and not column.is_key)


def _dates(sentence: Sentence) -> list[Item]:
    return [item for item in sentence.of("period", "elapsed") if item.word in {"date", "day"}]
