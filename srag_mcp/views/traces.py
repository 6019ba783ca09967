"""What stands behind a value, a row or an aggregate: quotes, and the text around them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal, Unpack

from srag_mcp.errors import QueryError, SchemaError
from srag_mcp.pipeline.correction_run import correct
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import Kept
from srag_mcp.store.evidence import Evidence, EvidenceFilter, Review
from srag_mcp.store.loose import WHERE
from srag_mcp.store.united_names import UnitedName
from srag_mcp.text.shown import quoted, shorten
from srag_mcp.views.holdings import check_column, loose_notes
from srag_mcp.views.results import (
    PAGE_SHARE,
    CorrectionPage,
    DocumentPage,
    SourceEntry,
    Table,
    TracePage,
    cut_text,
    json_size,
)

MAX_NEAR_VALUES = 3
BEHIND = "the text ends before this start"
UNREAD = (
    "this document has no text that could be read; trace_value with its document_id and"
    " state=failed says why"
)


def trace_page(corpus: Corpus, column: str = "", **wanted: Unpack[EvidenceFilter]) -> TracePage:
    """Give the evidence of cells, those with a quote first.

    Raises:
        SchemaError: If neither a column nor a document is named.
        UnknownNameError: If there is no such column.
        CorpusError: If there is no such document.
        QueryError: If the condition cannot be used.
    """
    if not column and not wanted.get("document_id"):
        msg = "pass column (its quotes), document_id (all quotes of one document), or both"
        raise SchemaError(msg)
    corpus = corpus.within()  # all that follows takes no longer than one query may
    table = None
    if column:
        table, column = check_column(corpus, column)
    if wanted.get("document_id"):  # it may be as it was shown
        wanted["document_id"] = corpus.document(wanted["document_id"]).id
    where, offset = WHERE.sub("", wanted.get("where", "")), wanted.get("offset", 0)
    try:
        found = corpus.trace(column, table, **wanted | {"where": where})
    except QueryError as error:
        if not where:
            raise
        msg = f"the condition in where cannot be used: {error}"
        raise QueryError(msg, where) from error
    following = ""
    if not found.evidence:
        following = _advice(corpus, (column, table), wanted.get("value", ""), offset, found.total)
    elif found.next_offset == found.total:
        following = "there may be more: counting them took too long"
    return TracePage(
        corpus=corpus.name,
        sources=list(map(source_entry, found.evidence)),
        total=found.total,
        truncated=found.next_offset is not None,
        next_offset=found.next_offset,
        next=following,
    )


def correct_page(
    corpus: Corpus,
    settings: Settings,
    place: tuple[str, str],
    value: str,
    instead: Literal["", "absent", "unknown", "undo"],
) -> CorrectionPage:
    """Set a value, or what *instead* of one, as the calling agent.

    Raises:
        SchemaError: If neither or both are given, or the column cannot hold the value.
        UnknownNameError: If there is no such column.
        CorpusError: If there is no such document or correction, or it is not an agent's.
        LockedError: If the corpus is being ingested.
    """
    if bool(value) == bool(instead):
        msg = "pass value, or instead"
        raise SchemaError(msg)
    document_id, column = place
    if instead != "undo":
        table, name = check_column(corpus, column)
        if table != corpus.schema().entity:
            msg = f"{column} is of what documents list, and only values of records are corrected"
            raise SchemaError(msg)
        place = corpus.document(document_id).id, name
    done = correct(corpus.location, settings, place, (instead or "value", value), "agent")
    until = "; until a person accepts it, answers say that it is an agent's" if done.after else ""
    return CorrectionPage(corpus=corpus.name, said=f"{done.render()}{until}")


def _advice(
    corpus: Corpus, place: tuple[str, str | None], value: str, offset: int, total: int
) -> str:
    """Say what to try when no cell was found."""
    column, table = place
    if total:
        return f"offset {offset} is behind the last of {total} cells"
    if not value:
        loose = "".join(f"; {note}" for note in loose_notes(corpus, column))
        return f"no cell meets these conditions: leave one out{loose}"
    columns = [column] if column else None
    found = corpus.values().search(value, columns, MAX_NEAR_VALUES, table)
    near = [item.value for item in found]
    stored = f"stored values that look alike: {', '.join(near)}" if near else "it is not stored"
    return f"no cell has the value {value!r}: {stored}; see get_column_stats"


def source_entry(found: Evidence, max_characters: int | None = None) -> SourceEntry:
    """Show a cell, its quote cut after *max_characters*."""
    fields = asdict(found)
    quote = fields.pop("as_stated")
    if quote is not None and max_characters is not None:
        quote = shorten(quote, max_characters)
    return SourceEntry(**fields, quote=quote)


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


def documents_page(corpus: Corpus, max_characters: int, start: int) -> DocumentPage:
    """Give the texts of all documents in a row, from character *start* of them on.

    As many as fit, whole; one that is longer than a page by itself comes in parts.
    """
    info = corpus.info()
    entries = corpus.documents_like("", info.n_documents + info.n_failed)
    total = sum(item.characters for item in entries)
    start = end = min(start, total)
    left, at, parts = max_characters, 0, list[str]()
    for item in entries:
        at += item.characters
        if at <= end:
            continue
        if parts and item.characters > left * PAGE_SHARE:
            break
        first = item.characters - (at - end)
        page = document_page(corpus, item.id, left, first, item.characters)
        if parts and page.truncated:
            break
        parts.append(page.render())
        left -= json_size(parts[-1])
        end += page.end - page.start
        if page.truncated:
            break
    return DocumentPage(
        document_id="",
        title=f"{len(parts)} of {len(entries)} documents",
        characters=total,
        start=start,
        end=end,
        text="\n\n".join(parts),
        truncated=end < total,
        next_start=end if end < total else None,
        note="" if parts else BEHIND,
    )


def evidence_table(found: Sequence[Evidence]) -> Table:
    """Tabulate documents and quotes for people."""
    rows = []
    for item in found:
        quote = [] if item.as_stated is None else [quoted(item.as_stated)]
        said = " ".join([*quote, f"({item.note})"] if item.note else quote)
        at = f" item {item.position}" if item.position else ""
        rows.append((f"{item.document_id}{at}", item.value, item.state, said))
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


def correction_table(found: Sequence[Kept]) -> Table:
    """Tabulate corrections that are to be looked at again, and why."""
    return ("document", "column", "set to", "instead of", "by", "look again, since"), [
        (
            *(item.document_id, item.column, item.render(), item.was_value or item.was_state),
            *(item.author, kept.problem or "no person has accepted it"),
        )
        for kept in found
        for item in [kept.correction]
    ]


def united_table(found: Sequence[UnitedName]) -> Table:
    """Tabulate the spellings of names that have several, a row a spelling."""
    return ("column", "value", "records", "spelling"), [
        (item.column, item.value, n, spelling) for item in found for spelling, n in item.spellings
    ]
