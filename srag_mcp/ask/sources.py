"""Sources: the quotes that stand behind an answer."""

from collections import Counter
from collections.abc import Sequence

from srag_mcp.sqlfacts.query import OutputColumn, QueryFacts, Role
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name, quote_text
from srag_mcp.store.evidence import Evidence
from srag_mcp.store.guard import Value

MAX_SOURCES = 3
_ORDER: tuple[Role, ...] = ("measure", "order", "output", "filter", "group")


def quote_sources(
    corpus: Corpus, facts: QueryFacts, rows: Sequence[Sequence[Value]]
) -> tuple[Evidence, ...]:
    """Quote the column that matters most to the answer and is quoted anywhere.

    The quotes are of records that the query reads and that its first *rows* come from: of the
    winner, where the query looks for one, of what a share is the share of. None where neither can
    be told.

    Raises:
        QueryError: If the records could not be found.
    """
    found, read = facts.aggregate, facts.condition
    if found is not None and found.function == "share":
        read = f"({found.condition}) AND ({found.part})"
    shown = _condition(facts.outputs, rows[:MAX_SOURCES])
    if read is None and not shown:
        return ()
    where = " AND ".join(f"({condition})" for condition in (read, shown) if condition)
    for use in sorted(facts.columns, key=lambda use: _ORDER.index(use.role)):
        sources = corpus.quotes(use.column, where, MAX_SOURCES)
        if sources:
            return sources
    return ()


def _condition(outputs: Sequence[OutputColumn | None], rows: Sequence[Sequence[Value]]) -> str:
    """Return the condition on the records that *rows* come from; empty where it cannot be told."""
    conditions = [_condition_of(outputs, row) for row in rows if len(row) == len(outputs)]
    return " OR ".join(f"({item})" for item in conditions) if all(conditions) else ""


def _condition_of(outputs: Sequence[OutputColumn | None], row: Sequence[Value]) -> str:
    """Require each column as the row has it.

    Of the highest and the lowest, and of a column of two records, one is enough.
    """
    given = [(item, value) for item, value in zip(outputs, row, strict=True) if item is not None]
    named = Counter(item.column for item, _ in given)
    plain: list[str] = []
    ends: list[str] = []
    for item, value in given:
        is_one_of_several = item.is_extreme or named[item.column] > 1
        (ends if is_one_of_several else plain).append(_is(item.column, value))
    return " AND ".join([*plain, *([f"({' OR '.join(ends)})"] if ends else [])])


def _is(column: str, value: Value) -> str:
    name = quote_name(column)
    return f"{name} IS NULL" if value is None else f"{name} = {quote_text(str(value))}"
