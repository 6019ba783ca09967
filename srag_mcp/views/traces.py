"""What stands behind a value, a row or an aggregate: quotes, and the text around them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.errors import QueryError, QueryTimeoutError, SchemaError
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.evidence import Evidence, Review
from srag_mcp.text.shown import quoted
from srag_mcp.views.holdings import check_column
from srag_mcp.views.results import (
    PAGE_SHARE,
    DocumentPage,
    SourceEntry,
    Table,
    TracePage,
    cut_text,
)

MAX_NEAR_VALUES = 3
BEHIND = "the text ends before this start"
UNREAD = (
    "this document has no text that could be read; trace_value with its document_id and"
    " state=failed says why"
)
CELLS = (
    'cells.document_id, documents.title, attribute, state, value, unit, as_stated, start, "end",'
    " note"
)
WHERE = re.compile(r"^\s*where\b", re.IGNORECASE)  # agents pass the clause with its first word


@dataclass(frozen=True, slots=True)
class TraceCall:
    """Which cells trace_value shows; an empty text means any.

    Attributes:
        column: Cells of this column.
        document_id: Cells of this document.
        where: Cells of the records for which this SQL condition holds; `WHERE` before it is left
            out.
        value: Cells with this value.
        state: Cells in this state.
        limit, offset: The page.
    """

    column: str = ""
    document_id: str = ""
    where: str = ""
    value: str = ""
    state: str = ""
    limit: int = 20
    offset: int = 0

    def condition(self, entity: str) -> str:
        """Write the clause that finds the cells, where it needs one."""
        equal = {
            "attribute": self.column,
            "cells.document_id": self.document_id,
            "state": self.state,
        }
        conditions = [f"{name} = {quote_text(text)}" for name, text in equal.items() if text]
        if self.value:
            text = quote_text(self.value)
            number = f"TRY_CAST(value AS DOUBLE) = TRY_CAST({text} AS DOUBLE)"
            conditions.append(f"(lower(value) = lower({text}) OR {number})")
        if self.where:
            records = f"SELECT document_id FROM {quote_name(entity)} WHERE"  # noqa: S608 - guarded
            where = WHERE.sub("", self.where)
            conditions.append(f"cells.document_id IN ({records} ({where}\n))")
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def trace_page(corpus: Corpus, call: TraceCall) -> TracePage:
    """Give the evidence of cells, those with a quote first.

    The statements hold conditions that agents write: they run through the guard like any other.

    Raises:
        SchemaError: If neither a column nor a document is named.
        UnknownNameError: If there is no such column.
        CorpusError: If there is no such document.
        QueryError: If the condition cannot be used.
    """
    if not call.column and not call.document_id:
        msg = "pass column (its quotes), document_id (all quotes of one document), or both"
        raise SchemaError(msg)
    corpus = corpus.within()  # all that follows takes no longer than one query may
    if call.column:
        check_column(corpus, call.column)
    if call.document_id:
        corpus.document(call.document_id)
    condition = call.condition(corpus.schema().entity)
    try:
        page = corpus.select(
            f"SELECT {CELLS} FROM cells JOIN documents USING (document_id){condition}"  # noqa: S608 - guarded
            "  ORDER BY as_stated IS NULL, cells.document_id, attribute",
            limit=call.limit,
            offset=call.offset,
        )
    except QueryError as error:
        if not call.where:
            raise
        msg = f"the condition in where cannot be used: {error}"
        raise QueryError(msg, call.where) from error
    total, following = call.offset + len(page.rows), ""
    try:
        [[counted]] = corpus.select(f"SELECT count(*) FROM cells{condition}", limit=1).rows  # noqa: S608 - guarded
        total = counted if isinstance(counted, int) else 0
    except QueryTimeoutError:
        following = "there may be more: counting them took too long" if page.truncated else ""
    names = list(SourceEntry.model_fields)
    sources = [
        SourceEntry.model_validate(dict(zip(names, (*row[:-1], row[-1] or ""), strict=True)))
        for row in page.rows
    ]
    return TracePage(
        corpus=corpus.name,
        sources=sources,
        total=total,
        truncated=page.truncated,
        next_offset=page.next_offset,
        next=following if page.rows else _advice(corpus, call, total),
    )


def _advice(corpus: Corpus, call: TraceCall, total: int) -> str:
    """Say what to try when no cell was found."""
    if total:
        return f"offset {call.offset} is behind the last of {total} cells"
    if not call.value:
        return "no cell meets these conditions: leave one out"
    columns = [call.column] if call.column else None
    near = [item.value for item in corpus.values().search(call.value, columns, MAX_NEAR_VALUES)]
    stored = f"stored values that look alike: {', '.join(near)}" if near else "it is not stored"
    return f"no cell has the value {call.value!r}: {stored}; see get_column_stats"


def document_page(
    corpus: Corpus, document_id: str, max_characters: int, start: int, length: int
) -> DocumentPage:
    """Give a stretch of the text of a document.

    Raises:
        CorpusError: If there is no such document; the text names some that look alike.
    """
    found = corpus.document(document_id)
    start = min(start, found.characters)
    text = corpus.document_text(document_id, start, start + length)
    text = cut_text(text, int(max_characters * PAGE_SHARE))
    end = start + len(text)
    truncated = bool(text) and end < found.characters
    return DocumentPage(
        document_id=found.id,
        title=found.title,
        characters=found.characters,
        start=start,
        end=end,
        text=text,
        truncated=truncated,
        next_start=end if truncated else None,
        note="" if text else BEHIND if found.characters else UNREAD,
    )


def evidence_table(found: Sequence[Evidence]) -> Table:
    """Tabulate documents and quotes for people."""
    rows = []
    for item in found:
        quote = [] if item.as_stated is None else [quoted(item.as_stated)]
        said = " ".join([*quote, f"({item.note})"] if item.note else quote)
        rows.append((item.document_id, item.value, item.state, said))
    return ("document", "value", "state", "says"), rows


def review_table(found: Sequence[Review]) -> Table:
    """Tabulate the cells that a model and a learned rule read differently."""
    return ("document", "column", "model", "says", "rule", "says"), [
        (
            *(item.document_id, item.column, item.value, quoted(item.as_stated)),
            *(item.rule_value, quoted(item.rule_as_stated)),
        )
        for item in found
    ]
