"""The statements that find the cells behind a value, a row or an aggregate.

They hold conditions that agents write, so they run through the guard like any other query.
"""

import re
from dataclasses import dataclass

CELLS = (
    'cells.document_id, documents.title, attribute, state, value, unit, as_stated, start, "end",'
    " note"
)
WHERE = re.compile(r"^\s*where\b", re.IGNORECASE)  # agents pass the clause with its first word


@dataclass(frozen=True, slots=True)
class TraceCall:
    """Which cells trace_value shows; an empty text means any.

    Attributes:
        corpus: Its name.
        column: Cells of this column.
        document_id: Cells of this document.
        where: Cells of the records for which this SQL condition holds; `WHERE` before it is left
            out.
        value: Cells with this value.
        state: Cells in this state.
        limit, offset: The page.
    """

    corpus: str
    column: str = ""
    document_id: str = ""
    where: str = ""
    value: str = ""
    state: str = ""
    limit: int = 20
    offset: int = 0


def cells_sql(entity: str, call: TraceCall) -> str:
    """Write the statement that returns the cells, those with a quote first."""
    return (
        f"SELECT {CELLS} FROM cells JOIN documents USING (document_id)"  # noqa: S608 - guarded
        f"{_condition(entity, call)} "
        " ORDER BY as_stated IS NULL, cells.document_id, attribute"
    )


def count_sql(entity: str, call: TraceCall) -> str:
    """Write the statement that counts the cells."""
    return f"SELECT count(*) FROM cells{_condition(entity, call)}"  # noqa: S608 - guarded


def _condition(entity: str, call: TraceCall) -> str:
    from srag_mcp.store.database import quote_name, quote_text  # not needed to list tools

    conditions = [
        f"{column} = {quote_text(text)}"
        for column, text in (
            ("attribute", call.column),
            ("cells.document_id", call.document_id),
            ("state", call.state),
        )
        if text
    ]
    if call.value:
        text = quote_text(call.value)
        number = f"TRY_CAST(value AS DOUBLE) = TRY_CAST({text} AS DOUBLE)"
        conditions.append(f"(lower(value) = lower({text}) OR {number})")
    if call.where:
        records = f"SELECT document_id FROM {quote_name(entity)} WHERE"  # noqa: S608 - guarded
        where = WHERE.sub("", call.where)
        conditions.append(f"cells.document_id IN ({records} ({where}\n))")
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""
