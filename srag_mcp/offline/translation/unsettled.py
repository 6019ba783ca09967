"""Readings that answer, and yet leave open what was meant: a second reader should be asked."""

from functools import cache

from srag_mcp.offline.translation.asked import is_compound, label_of
from srag_mcp.offline.translation.columns_used import columns_used
from srag_mcp.offline.translation.date_parts import DATE_PARTS
from srag_mcp.offline.translation.filters import condition_columns
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.lexicon import LEXICON
from srag_mcp.offline.translation.parse import Parse
from srag_mcp.offline.translation.reading import (
    Extreme,
    Grouping,
    Listing,
    Operation,
    Reading,
    Single,
    Summary,
)


def is_unsettled(sentence: Sentence, parse: Parse) -> bool:
    """Whether *parse* rests on a choice that the words of *sentence* do not make.

    Source: PRECISE, which asks back where a question has more than one sound mapping.
    """
    reading = parse.reading
    return (
        _denies_unknown(sentence, reading)
        or _loses_groups(reading)
        or _takes_for_records(sentence, parse)
        or _names_no_record(sentence, reading)
        or _ranks_one_record(reading)
        or _is_of_silent(sentence, reading)
    )


def _denies_unknown(sentence: Sentence, reading: Reading) -> bool:
    """Whether a `not` stands beside a filter of which not all documents speak.

    Where it is asked what documents do not say, the filter is all that is asked.
    """
    words = {token.word for token in sentence.tokens}
    if not words & _meaning("not") or words & _meaning("say"):
        return False
    columns = [
        column
        for use in columns_used(reading)
        if use.role == "filter" and (column := sentence.table.column(use.column))
    ]
    return any(column.has_gaps for column in columns)


@cache
def _meaning(kind: str) -> frozenset[str]:
    """Return the words, not the phrases, that mean *kind*."""
    phrases = ";".join(text for (of, _), text in LEXICON.items() if of == kind).split(";")
    return frozenset(phrase.strip() for phrase in phrases if " " not in phrase.strip())


def _loses_groups(reading: Reading) -> bool:
    """Whether the fewest records of a kind are asked for, and a group may have none at all."""
    if not isinstance(reading, Grouping) or reading.pick != "lowest":
        return False
    return reading.summary.function == "count" and bool(reading.summary.where.conditions)


def _takes_for_records(sentence: Sentence, parse: Parse) -> bool:
    """Whether records are counted for a noun that sounds like a column: `inspections`."""
    match parse.reading:
        case Single(Summary("count", None)):
            counted = [b for _, a, b in sentence.pairs() if a.kind == "how_many"]
            return any(item.kind in {"attribute", "hint"} for item in counted)
    return False


def _names_no_record(sentence: Sentence, reading: Reading) -> bool:
    """Whether `which` or the top few of the records are answered by no name of a record."""
    if not _asks_record(sentence):
        return False
    match reading:
        case Listing(outputs):
            return label_of(sentence.table) not in outputs
        case Grouping(key):
            return label_of(sentence.table) != key
        case Single():
            return True
    return False


def _asks_record(sentence: Sentence) -> bool:
    """Whether the noun of the records is the first behind `which`, `list` or `top`."""
    passed = {"wh", "list", "number", "most", "least", "distinct"}
    rest = [at for at, item in enumerate(sentence.items) if item.kind not in passed]
    if not rest or rest[0] == 0 or not _is_head(sentence.items[0]):
        return False
    return sentence.items[rest[0]].kind == "entity" and not is_compound(sentence, rest[0])


def _is_head(item: Item) -> bool:
    return item.kind in {"list", "most", "least"} or (item.kind, item.word) == ("wh", "what")


def _ranks_one_record(reading: Reading) -> bool:
    """Whether the month of the one highest record is taken for the month that has most."""
    if not isinstance(reading, Listing) or not any(t.form in DATE_PARTS for t in reading.outputs):
        return False
    dates = {term.column for term in reading.outputs}
    extremes = [part for part in reading.where.conditions if isinstance(part, Extreme)]
    return any(part.term.column not in dates for part in extremes)


def _is_of_silent(sentence: Sentence, reading: Reading) -> bool:
    """Whether a share is of records, too, that do not say whether they are part of it."""
    match reading:
        case Single(Operation("/", Summary("count") as part, Summary("count", None) as whole)):
            columns = condition_columns(part.where, sentence.table)
            columns -= condition_columns(whole.where, sentence.table)
            found = map(sentence.table.column, columns)
            return any(column is not None and column.has_gaps for column in found)
    return False
