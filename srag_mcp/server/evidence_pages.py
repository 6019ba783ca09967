"""What trace_value and get_document return: quotes, and the text around them."""

from typing import TYPE_CHECKING

from srag_mcp.errors import QueryError, SchemaError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.page_size import cut_text
from srag_mcp.server.results import CellScalar, DocumentPage, SourceEntry, TracePage
from srag_mcp.server.schema_pages import PAGE_SHARE, check_column
from srag_mcp.server.traced_cells import TraceCall, cells_sql, count_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from srag_mcp.store.corpus import Corpus

MAX_NEAR_VALUES = 3
BEHIND = "the text ends before this start"
UNREAD = (
    "this document has no text that could be read; trace_value with its document_id and"
    " state=failed says why"
)


def trace_page(corpora: Corpora, call: TraceCall) -> TracePage:
    """Give the evidence of cells.

    Raises:
        SchemaError: If neither a column nor a document is named.
        UnknownNameError: If there is no such column.
        CorpusError: If there is no such document.
        QueryError: If the condition cannot be used.
    """
    corpus = corpora.readable(call.corpus)
    if not call.column and not call.document_id:
        msg = "pass column (its quotes), document_id (all quotes of one document), or both"
        raise SchemaError(msg)
    if call.column:
        check_column(corpus, call.column)
    if call.document_id:
        corpus.document(call.document_id)
    entity = corpus.schema().entity
    try:
        page = corpus.select(cells_sql(entity, call), limit=call.limit, offset=call.offset)
        total = corpus.select(count_sql(entity, call), limit=1).rows[0][0]
    except QueryError as error:
        if not call.where:
            raise
        msg = f"the condition in where cannot be used: {error}"
        raise QueryError(msg, call.where) from error
    return TracePage(
        corpus=corpora.name(call.corpus),
        sources=[_source_entry(row) for row in page.rows],
        total=total if isinstance(total, int) else 0,
        truncated=page.truncated,
        next_offset=page.next_offset,
        next="" if page.rows else _advice(corpus, call, total),
    )


def _source_entry(row: "Sequence[CellScalar]") -> SourceEntry:
    document_id, title, column, state, value, unit, quote, start, end, note = row
    return SourceEntry(
        document_id=str(document_id),
        title=str(title),
        column=str(column),
        state=str(state),
        value=value,
        unit=None if unit is None else str(unit),
        quote=None if quote is None else str(quote),
        start=start if isinstance(start, int) else None,
        end=end if isinstance(end, int) else None,
        note=str(note or ""),
    )


def _advice(corpus: "Corpus", call: TraceCall, total: CellScalar) -> str:
    """Say what to try when no cell was found."""
    if total:
        return f"offset {call.offset} is behind the last of {total} cells"
    if not call.value:
        return "no cell meets these conditions: leave one out"
    columns = [call.column] if call.column else None
    found = corpus.values().search(call.value, columns, MAX_NEAR_VALUES)
    near = [match.value for match in found]
    stored = f"stored values that look alike: {', '.join(near)}" if near else "it is not stored"
    return f"no cell has the value {call.value!r}: {stored}; see get_column_stats"


def document_page(
    corpora: Corpora, name: str, document_id: str, start: int, length: int
) -> DocumentPage:
    """Give a stretch of the text of a document.

    Raises:
        CorpusError: If there is no such document; the text names some that look alike.
    """
    corpus = corpora.readable(name)
    found = corpus.document(document_id)
    room = int(corpora.settings.max_result_characters * PAGE_SHARE)
    start = min(start, found.characters)
    text = cut_text(corpus.document_text(document_id, start, start + length), room)
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
