"""Groups: a summary for each value of a column, and the groups that meet a condition."""

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.date_parts import period_term
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.measures import measure_of, where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import SUPERLATIVE_KINDS
from srag_mcp.offline.translation.reading import Compare, Function, Grouping, Having, Summary, Term

_BLOCKED: tuple[Kind, ...] = (*SUPERLATIVE_KINDS, "share", "difference", "than")
_MAX_GROUPS = 20
_FUNCTIONS: dict[str, Function] = {"avg": "avg", "sum": "sum", "median": "median"}


def read_groups(sentence: Sentence) -> Parse | None:
    """Read `the average … per …`, `which … more than N … each`."""
    if any(sentence.has(kind) for kind in _BLOCKED):
        return None
    return _with_count(sentence) or _with_summary(sentence) or _for_each(sentence)


def _key_at(sentence: Sentence, item: Item) -> Term | None:
    if item.kind == "period" and item.word != "date":
        return period_term(sentence, item)
    column = sentence.column(item) if item.kind == "attribute" else None
    return Term(column.name) if column is not None and _is_key(column) else None


def _is_key(column: Column) -> bool:
    few = 0 < column.n_distinct <= min(_MAX_GROUPS, column.n_non_null // 2 + 1)
    whole = column.attribute.type == "integer" and few
    return column.attribute.type in {"string", "boolean"} or column.year_text or whole


def _first_key(sentence: Sentence) -> tuple[Item, Term] | None:
    for item in sentence.items:
        term = _key_at(sentence, item)
        if term is not None:
            return item, term
    return None


def _with_count(sentence: Sentence) -> Parse | None:
    """Read `which companies have more than three matches each`."""
    counts = [item for item in sentence.of("bound") if item.word == "count"]
    key = _first_key(sentence)
    if len(counts) != 1 or key is None or counts[0].bound is None:
        return None
    bound = counts[0].bound
    having = Having(bound.operator, bound.value)
    summary = Summary("count", None, where_of(sentence))
    count_only = sentence.has("how_many")
    reading = Grouping(key[1], summary, having=having, count_only=count_only)
    used = (*counts, key[0], *sentence.of("filter", "each", "number", "distinct"))
    return Parse(reading, used)


def _with_summary(sentence: Sentence) -> Parse | None:
    """Read `which months average more than 130`: a number compared with each group's summary."""
    aggregates = sentence.of("aggregate")
    compared = [
        item
        for item in sentence.of("filter")
        if isinstance(item.condition, Compare) and isinstance(item.condition.value, int | float)
    ]
    key = _first_key(sentence)
    if not aggregates or len(compared) != 1 or key is None or not _asks_key(sentence, key[0]):
        return None
    condition = compared[0].condition
    assert isinstance(condition, Compare)
    assert isinstance(condition.value, int | float)
    where = where_of(sentence, without=compared)
    summary = Summary(_FUNCTIONS[aggregates[0].word], condition.term, where)
    having = Having(condition.operator, float(condition.value))
    reading = Grouping(key[1], summary, having=having, count_only=sentence.has("how_many"))
    return Parse(reading, (*aggregates, key[0], *sentence.of("filter", "each")))


def _asks_key(sentence: Sentence, item: Item) -> bool:
    at = sentence.items.index(item)
    return at > 0 and any(
        i.kind in {"wh", "list", "how_many"} for i in sentence.items[max(0, at - 2) : at]
    )


def _for_each(sentence: Sentence) -> Parse | None:
    """Read `how many … per …`, `the average … for each …`, `… by …`."""
    for at, item in enumerate(sentence.items[:-1]):
        by = item.kind == "time" and sentence.words(item).lower() == "by"
        key = _key_at(sentence, sentence.items[at + 1]) if item.kind == "each" or by else None
        if key is None:
            continue
        rest = [i for i in sentence.items if i not in (item, sentence.items[at + 1])]
        measure = measure_of(sentence, rest, "sum")
        if measure is None:
            return None
        reading = Grouping(key, measure.over(where_of(sentence)))
        used = (item, sentence.items[at + 1], *measure.used, *sentence.of("filter", "direction"))
        return Parse(reading, used, ordered=sentence.has("direction"))
    return None
