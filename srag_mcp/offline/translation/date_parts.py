"""Which date a question is about, and the part of it that a noun such as `month` means."""

from srag_mcp.offline.translation.columns import Column
from srag_mcp.offline.translation.items import Item, Sentence
from srag_mcp.offline.translation.lexicon import GLUE
from srag_mcp.offline.translation.reading import Form, Term
from srag_mcp.offline.translation.tokens import stems

DATE_PARTS = frozenset({"year", "quarter", "month", "month_name", "week", "weekday", "decade"})
_DAYS = frozenset(stems("date day time month year on"))


def period_term(sentence: Sentence, item: Item) -> Term | None:
    """Return the date part that a period noun means, such as a month or a weekday."""
    year = _year_said(sentence) if item.word == "year" else None
    if year is not None:
        return Term(year.name)
    column = date_asked(sentence)
    if column is None:
        return None
    if column.attribute.type != "date":
        return Term(column.name, "plain") if item.word in {"year", "date"} else None
    forms: dict[str, Form] = {
        "month": "month", "year": "year", "quarter": "quarter", "weekday": "weekday",
        "decade": "decade", "week": "week", "date": "plain",
    }  # fmt: skip
    return Term(column.name, forms[item.word])


def _year_said(sentence: Sentence) -> Column | None:
    """Return the column of years whose other words are said: `in which year was … built`."""
    said = {token.stem for token in sentence.tokens}
    years = [c for c in sentence.table.of_type("integer") if c.year_text]
    named = [c for c in years if any(len(n) > 1 and set(n) <= said for n in c.names)]
    return named[0] if len(named) == 1 and sentence.table.named else None


def date_asked(sentence: Sentence) -> Column | None:
    """Return the date that a question is about: the one it filters by or names, else the main."""
    table = sentence.table
    filtered = {item.columns[0][0] for item in sentence.of("filter") if item.period is not None}
    named = [c for c in table.dates if c.name in filtered]
    if not named:
        said = {token.stem for token in sentence.tokens if token.word not in GLUE} - table.nouns
        named = [c for c in table.dates if any(said & (set(name) - _DAYS) for name in c.names)]
    return named[0] if len(named) == 1 else table.main_date


def asks_period(sentence: Sentence, item: Item) -> bool:
    """Whether a period noun stands behind the question word: `which month`, `list report dates`."""
    at = sentence.items.index(item)
    of_record = at > 0 and sentence.items[at - 1].kind == "entity"
    near = sentence.items[max(0, at - 3 if of_record else at - 2) : at]
    return any(
        other.kind in {"wh", "list", "each"} or (other.kind == "number" and at > 1)
        for other in near
    )


def asks_part(sentence: Sentence, item: Item) -> bool:
    """Whether a part of a date is asked for: `which month`; not `which date`, nor its `year`."""
    at = sentence.items.index(item)
    first = at == 0 or sentence.items[at - 1].kind != "period"
    return first and item.word in DATE_PARTS and asks_period(sentence, item)
