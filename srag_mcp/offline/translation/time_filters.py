"""Filters from periods of time: `in March 2018`, `before 2000`, `on a Sunday`, `since May`."""

from calendar import month_name
from dataclasses import replace
from datetime import date

from srag_mcp.offline.translation.asked import spoken_for
from srag_mcp.offline.translation.columns import Column, Table
from srag_mcp.offline.translation.items import Item, Sentence, filter_item
from srag_mcp.offline.translation.lexicon import GLUE
from srag_mcp.offline.translation.reading import (
    Between,
    Compare,
    Condition,
    Contains,
    Either,
    Every,
    PartIs,
    Term,
)
from srag_mcp.values.periods import Period

_MAX_GAP = 2
_PLAIN = GLUE | {"before", "after", "since", "until", "between", "from"}
_NAMES = dict(enumerate(map(str.lower, month_name)))


def reduce_periods(sentence: Sentence) -> Sentence:
    """Replace each period, with its preposition and the name of its column, by a filter."""
    for item in sentence.of("period_value"):
        at = sentence.items.index(item)
        column, low, high = _date_column(sentence, at)
        if column is None or item.period is None:
            continue
        low, relation, high = _relation(sentence, low, high)
        condition = period_condition(column, item.period, relation)
        if condition is None:
            continue
        found = filter_item(sentence.items[low], sentence.items[high], condition, relation)
        found = replace(found, period=item.period, columns=((column.name, 1.0),))
        sentence = sentence.spliced(low, high - low + 1, found)
    return sentence


def _date_column(sentence: Sentence, at: int) -> tuple[Column | None, int, int]:
    """Return the date column of the period at *at*, and the items that name it."""
    low = high = at
    if at and sentence.items[at - 1].kind == "period" and _names_period(sentence, at):
        low = at - 1
    years = tuple(column for column in sentence.table.columns if column.year_text)
    dates = (*sentence.table.dates, *(c for c in years if c not in sentence.table.dates))
    for index in (low - 1, low - 2):
        column = _named_date(sentence, index, dates)
        if column is not None and _close(sentence, index, at):
            asked = index > 0 and sentence.items[index - 1].kind in {"wh", "list", "how_many"}
            return column, low if asked or index == low - 2 else index, high
    spoken = [c for item in sentence.of("attribute") if (c := _spoken_date(sentence, item, dates))]
    chosen = spoken[0] if spoken else _by_words(sentence, sentence.items[at])
    return chosen, low, high


def _names_period(sentence: Sentence, at: int) -> bool:
    """Whether the noun before a period belongs to it: `the year 2000`, `month of March`."""
    noun, period = sentence.items[at - 1], sentence.items[at].period
    asked = at > 1 and sentence.items[at - 2].kind in {"wh", "how_many", "distinct"}
    words = {token.word for token in sentence.tokens[noun.last : sentence.items[at].first]}
    fits = period is not None and noun.word in {period.precision, "date", "weekday"}
    return fits and not asked and words <= {"of", "the"}


def _spoken_date(sentence: Sentence, item: Item, dates: tuple[Column, ...]) -> Column | None:
    return sentence.column(item, lambda column: column in dates)


def _named_date(sentence: Sentence, index: int, dates: tuple[Column, ...]) -> Column | None:
    if not 0 <= index < len(sentence.items) or sentence.items[index].kind != "attribute":
        return None
    return _spoken_date(sentence, sentence.items[index], dates)


def _by_words(sentence: Sentence, item: Item) -> Column | None:
    """Choose among date columns by the words before the period, else the fullest one."""
    before = sentence.tokens[max(0, item.first - 3) : item.first]
    near = {token.stem for token in before if token.word not in _PLAIN} - sentence.table.nouns
    asked = {token.stem for token in sentence.tokens if token.word not in GLUE}
    asked -= sentence.table.nouns
    dates = tuple(c for c in _filled(sentence.table) if _may_be_meant(sentence.table, c, asked))
    scores = [(spoken_for(c, near) * 2 + spoken_for(c, asked)) * c.trust for c in dates]
    best = max(scores, default=0)
    if best > 0 and scores.count(best) == 1:
        return dates[scores.index(best)]
    return sentence.table.main_date


def _may_be_meant(table: Table, column: Column, asked: set[str]) -> bool:
    """Whether a year of a thing is asked for by its name: `built in 1990`; dates always may be."""
    if column in table.dates or not table.named:
        return True
    return any(asked & (set(name) - {"year"}) for name in column.names)


def _filled(table: Table) -> tuple[Column, ...]:
    """Return the columns of dates and years, without sparse ones when there are full ones."""
    dates = table.dates
    years = (c for c in table.of_type("integer") if c.year_text and c not in dates)
    found = (*dates, *years)
    full = tuple(column for column in found if column.fill >= 0.5)
    return tuple(c for c in found if c.trust >= 1.0 or c in full) if full else found


def _close(sentence: Sentence, left: int, right: int) -> bool:
    return sentence.gap(sentence.items[left], sentence.items[right]) <= _MAX_GAP


_TIME_WORDS = {"before", "after", "preceding", "following", "prior to", "up to"}


def _relation(sentence: Sentence, low: int, high: int) -> tuple[int, str, int]:
    """Return the relation to the period (`before`, `or later`) and the items that say it."""
    after = sentence.items[high + 1] if high + 1 < len(sentence.items) else None
    if after is not None and after.kind == "bound_after":
        return low, after.word, high + 1
    before = sentence.items[low - 1] if low else None
    if before is None or sentence.gap(before, sentence.items[low]) > 1:
        return low, "in", high
    relation = _said_relation(sentence, before, high)
    return (low, "in", high) if relation is None else (low - 1, relation, high)


def _said_relation(sentence: Sentence, before: Item, high: int) -> str | None:
    words = sentence.words(before).lower()
    if before.kind == "time" or words in _TIME_WORDS:
        return _time_relation(sentence, before, words, high)
    if before.kind == "between" or (before.kind == "above" and words == "over"):
        return "in"
    return before.word if before.kind == "above" else None


def _time_relation(sentence: Sentence, item: Item, words: str, high: int) -> str:
    if words == "from":
        last = sentence.items[high].last
        follower = sentence.tokens[last].word if last < len(sentence.tokens) else ""
        return ">=" if follower in {"on", "onward", "onwards"} else "in"
    if words in {"through", "by"} and sentence.items[high].period is not None:
        return "<="
    if words in {"before", "preceding", "prior to"}:
        return "<"
    if words in {"after", "following"}:
        return ">"
    return item.word or "in"


def period_condition(column: Column, period: Period, relation: str) -> Condition | None:
    """Return the condition that *column* stands in *relation* to *period*, None when it cannot."""
    if column.attribute.type == "date":
        return _date_condition(column.name, period, relation)
    if period.low is not None and period.high is not None:
        return _year_condition(column, (period.low, period.high), period, relation)
    if column.attribute.type == "string" and period.months and relation == "in":
        names = [_NAMES[month] for month in period.months]
        spelt = [name for full in names for name in dict.fromkeys((full, full[:3]))]
        return Either(tuple(Contains(column.name, name, name) for name in spelt))
    return None


def _date_condition(column: str, period: Period, relation: str) -> Condition | None:
    if period.low is None or period.high is None:
        return _part_condition(column, period) if relation == "in" else None
    term = Term(column)
    if relation == "in":
        if period.low == period.high:
            return Compare(term, "=", period.low)
        return Between(term, period.low, period.high)
    return _ordered(term, (period.low, period.high), relation)


def _ordered(term: Term, ends: tuple[date | int, date | int], relation: str) -> Condition | None:
    if relation == "<":
        return Compare(term, "<", ends[0])
    if relation == "<=":
        return Compare(term, "<=", ends[1])
    if relation == ">":
        return Compare(term, ">", ends[1])
    return Compare(term, ">=", ends[0]) if relation == ">=" else None


def _part_condition(column: str, period: Period) -> Condition:
    parts: list[Condition] = []
    if period.months:
        parts.append(PartIs(column, "month", period.months))
    if period.days:
        parts.append(PartIs(column, "day", period.days))
    if period.weekdays:
        parts.append(PartIs(column, "weekday", period.weekdays))
    return parts[0] if len(parts) == 1 else Every(tuple(parts))


def _year_condition(
    column: Column, ends: tuple[date, date], period: Period, relation: str
) -> Condition | None:
    """Compare a column of years; text that holds years is searched for the year."""
    whole = ends[0].timetuple().tm_yday == 1 and (ends[1].month, ends[1].day) == (12, 31)
    text = column.attribute.type == "string"
    if not whole:
        spelt = f"{_NAMES[ends[0].month]} {ends[0].day}, {ends[0].year}"
        usable = text and ends[0] == ends[1] and relation == "in"
        return Contains(column.name, spelt, spelt) if usable else None
    low, high = ends[0].year, ends[1].year
    term = Term(column.name, "text_year" if text else "plain")
    if relation != "in":
        return _ordered(term, (low, high), relation)
    if low == high:
        return Contains(column.name, str(low), str(low)) if text else Compare(term, "=", low)
    return Between(term, low, high)
