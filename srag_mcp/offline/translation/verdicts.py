"""Yes-or-no questions: whether there is such a record, whether one group has more than another."""

from srag_mcp.offline.translation.contrasts import contrast_of
from srag_mcp.offline.translation.items import Item, Kind, Sentence
from srag_mcp.offline.translation.measures import measure_of, where_of
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.picks import SUPERLATIVE_KINDS
from srag_mcp.offline.translation.reading import (
    Compare,
    Existence,
    Function,
    Operator,
    Summary,
    Verdict,
)

_OPERATORS: dict[str, Operator] = {">": ">", "<": "<", ">=": ">=", "<=": "<="}
_BLOCKED: tuple[Kind, ...] = (*SUPERLATIVE_KINDS, "share", "difference", "than")


def read_verdict(sentence: Sentence) -> Parse | None:
    """Read `was the average in A lower than in B`, `were there more … than …`."""
    divider = next(iter(sentence.of("than", "above")), None)
    operator = _operator(sentence, divider)
    if not _asks(sentence) or divider is None or operator is None:
        return None
    contrast = contrast_of(sentence, divider)
    if contrast is None:
        return None
    default: Function | None = "sum" if contrast.pinned else None
    measure = measure_of(sentence, [i for i in sentence.items if i.kind != "filter"], default)
    if measure is None:
        return None
    reading = Verdict(measure.over(contrast.left), operator, measure.over(contrast.right))
    links = sentence.of("than", "above", "comparative", "aggregate")
    return Parse(reading, (*measure.used, *contrast.used, *links), 0.9 if measure.assumed else 1.0)


def _asks(sentence: Sentence) -> bool:
    first = next((item for item in sentence.items if item.kind != "filter"), None)
    return first is not None and first.kind == "yes_no"


def _operator(sentence: Sentence, divider: Item | None) -> Operator | None:
    if divider is not None and divider.kind == "above":
        return _OPERATORS[divider.word]
    for item in sentence.of("comparative"):
        return _OPERATORS[item.word]
    return None


def read_existence(sentence: Sentence) -> Parse | None:
    """Read `is there any …`, `did any … exceed …`, `was there ever …`."""
    if not _asks(sentence) or any(sentence.has(kind) for kind in _BLOCKED):
        return None
    where = where_of(sentence)
    if not where.conditions:
        return None
    used = sentence.of("filter", "which_of", "distinct")
    if _is_universal(sentence):
        return _of_all(sentence, used)
    summarised = _summarised(sentence)
    return summarised if summarised is not None else Parse(Existence(where), tuple(used))


def _is_universal(sentence: Sentence) -> bool:
    """Whether the question is about all records: `is every …`, `are all …`."""
    first = sentence.tokens[sentence.items[0].last : sentence.items[0].last + 3]
    return any(token.word in {"all", "every", "each", "always"} for token in first)


def _of_all(sentence: Sentence, used: list[Item]) -> Parse:
    """Compare the records that meet all filters with those that meet all but the last."""
    last = sentence.of("filter")[-1:]
    both = Summary("count", None, where_of(sentence))
    base = Summary("count", None, where_of(sentence, without=last))
    return Parse(Verdict(both, "=", base), (*used, *sentence.of("each")))


def _summarised(sentence: Sentence) -> Parse | None:
    """Read `is the average … above 30`: a summary and a number."""
    aggregates = sentence.of("aggregate")
    compared = [item for item in sentence.of("filter") if isinstance(item.condition, Compare)]
    if not aggregates or len(compared) != 1:
        return None
    condition = compared[0].condition
    assert isinstance(condition, Compare)
    if not isinstance(condition.value, int | float):
        return None
    functions: dict[str, Function] = {"avg": "avg", "sum": "sum", "median": "median"}
    where = where_of(sentence, without=compared)
    summary = Summary(functions[aggregates[0].word], condition.term, where)
    reading = Verdict(summary, condition.operator, condition.value)
    return Parse(reading, (*sentence.of("filter"), *aggregates))
