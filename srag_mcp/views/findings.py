"""What is found in documents: passages that a search finds, quotes behind values, texts."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from operator import itemgetter
from typing import Literal, TypedDict, Unpack
from urllib.parse import quote

from srag_mcp.errors import QueryError, SchemaError
from srag_mcp.model.language_model import most_characters
from srag_mcp.retrieval.search import QuestionFilter, find_filter, search
from srag_mcp.retrieval.segments import Quote, quote_hits, sought_terms
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import UnitedName
from srag_mcp.store.evidence import Evidence, EvidenceFilter
from srag_mcp.store.kind_tables import KindTables
from srag_mcp.store.predictions import WHERE, narrow
from srag_mcp.text.shown import one_line, quoted, shorten, shorten_start
from srag_mcp.text.words import fold_words, words
from srag_mcp.views.holdings import check_column, loose_notes
from srag_mcp.views.results import (
    PAGE_SHARE,
    CorrectionPage,
    DocumentPage,
    FoundPassage,
    SearchPage,
    SourceEntry,
    Table,
    TracePage,
    cut_text,
    json_size,
    take_whole,
)

MAX_TOKENS = 2000  # of a reply: DESIGN 9b
MAX_HEADINGS_CHARACTERS = 300  # as many as of a quote: heads of a table are among them
MAX_UNREADABLE = 5
MAX_NAME = 200
MAX_CONDITION = 600  # characters of what a query narrows to by itself
_NARROWING = ("where", "documents", "phrase")
_READABLE = "SELECT count(*) FROM documents WHERE characters > 0"
_UNREADABLE = """
SELECT document_id FROM documents WHERE coalesce(characters, 0) = 0 ORDER BY document_id
"""


class SearchFilter(TypedDict, total=False):
    """Which passages, and which of them.

    *documents* is a SELECT of ids, *where* SQL that holds for the record of a document, *phrase*
    words that stand in a passage in a row; *per_document* is the most of one document, 0 for all.
    *narrow*: where neither SQL is given, documents that the query itself names come first.
    """

    documents: str
    where: str
    narrow: bool
    phrase: str
    per_document: int
    limit: int
    offset: int


def search_page(
    corpus: Corpus | KindTables, query: str, max_characters: int, **wanted: Unpack[SearchFilter]
) -> SearchPage:
    """Find passages, the best first, each by the words around what was found in it.

    Raises:
        StoreError: If the build is of an earlier version, without an index.
        SchemaError: If the query has no words.
        QueryError: If the SQL that chooses the documents is refused or wrong, of each kind.
    """
    if isinstance(corpus, KindTables):
        return _search_kinds(corpus, query, max_characters, **wanted)
    corpus = corpus.within()
    phrase, offset = wanted.get("phrase", ""), wanted.get("offset", 0)
    sought = f"{query} {phrase}"
    if not words(sought):
        msg = "the query has no words: pass what the passages should be about"
        raise SchemaError(msg)
    among = narrow(corpus, wanted.get("documents", ""), wanted.get("where", ""))
    named = None if among or not wanted.get("narrow", True) else find_filter(corpus, sought)
    ahead = None if named is None or named.is_thin else named
    ranked = partial(
        search,
        corpus,
        ahead.rest if ahead else sought,
        among=among or None,
        ahead=ahead.documents if ahead else None,
        phrase=phrase,
        per_document=wanted.get("per_document") or None,
    )
    limit = wanted.get("limit", 10)
    found = ranked(limit=limit + 1, offset=offset)  # one more than is shown: do others follow?
    keys = sought_terms(sought)
    passages = [
        passage_entry(quote, corpus.name)
        for quote in quote_hits(corpus, found.hits[:limit], keys, fold_words(phrase))
    ]
    written = "".join(passage.model_dump_json() for passage in passages)
    room = min(max_characters, most_characters(written, MAX_TOKENS))
    told = min(len(named.where), MAX_CONDITION) if named else 0  # twice: as data and in a note
    passages = take_whole(passages, int(room * PAGE_SHARE) - 2 * told)
    is_last = len(passages) == len(found.hits)
    n_documents = n_searched = _count(corpus, _READABLE)
    total, found_in = found.n_passages, found.n_documents
    shown = found.hits[: len(passages)]
    is_narrowed = bool(shown) and named is not None and all(hit.is_ahead for hit in shown)
    if named and is_narrowed:
        total, found_in, among = found.n_ahead, found.n_documents_ahead, named.documents
    if among:
        n_searched = _count(corpus, f"{_READABLE} AND document_id IN ({among}\n)")
    unreadable = [shorten(str(name), MAX_NAME) for (name,) in corpus.read(_UNREADABLE, [])]
    if len(unreadable) > MAX_UNREADABLE:
        unreadable[MAX_UNREADABLE:] = [f"and {len(unreadable) - MAX_UNREADABLE} more"]
    notes = [*corpus.notices()[bool(corpus.info().n_failed) :]]  # files are named here
    if named and shown:
        notes.insert(0, _say_named(named, found.n_ahead, is_narrowed=is_narrowed))
    if named and is_narrowed:  # its words may stand for others than the query means
        [best, *_] = search(corpus, sought, phrase=phrase, limit=1).hits
        if not corpus.read(f"{named.documents} AND document_id = $1", [best.document_id]):
            notes.insert(1, f"of all documents, {best.document_id} says the query best")
    if not passages:
        if offset:
            total = ranked(limit=1, offset=0).n_passages
        given = [name for name, value in wanted.items() if name in _NARROWING and value]
        notes.insert(0, _advice(corpus, offset, total, given))
    return SearchPage(
        corpus=corpus.name,
        passages=passages,
        total=total,
        found_in=found_in,
        searched=n_searched,
        documents=n_documents,
        narrowed_to=named.where if named and is_narrowed and told < MAX_CONDITION else "",
        truncated=not is_last,
        next_offset=None if is_last else offset + len(passages),
        unreadable=unreadable,
        notes=notes,
    )


def _search_kinds(
    kinds: KindTables, query: str, max_characters: int, **wanted: Unpack[SearchFilter]
) -> SearchPage:
    """Show the passages of the kinds, and of what is of none, by turns.

    Scores of two indexes are not of one scale.

    A passage is numbered by its rank in its kind and the turn of that; offsets are such numbers.
    """
    places = {x.name: x for x in kinds.corpora}
    if rest := kinds.rest():
        places["what is of no kind"] = rest
    n, offset, left_out = len(places), wanted.get("offset", 0), kinds.corpora[0].left_out()
    notes, pages = [f"not ingested yet: {name}" for name in kinds.missing], list[SearchPage]()
    found, unseen, errors = list[tuple[int, FoundPassage]](), list[int](), list[QueryError]()
    for turn, (name, corpus) in enumerate(places.items()):
        first = (offset - turn + n - 1) // n
        try:
            page = search_page(corpus, query, max_characters, **wanted | {"offset": first})
        except QueryError as error:  # it may name columns that this kind has not
            errors.append(error)
            notes.append(f"{name} was not searched: {one_line(str(error))}")
            continue
        pages.append(page)
        found += [((first + rank) * n + turn, x) for rank, x in enumerate(page.passages)]
        unseen += [(first + len(page.passages)) * n + turn] if page.truncated else []
        if page.documents:
            notes += [f"{name}: {line}" for line in page.head() if line not in left_out]
    if errors and not pages:
        raise errors[0]
    limit, end = wanted.get("limit", 10), min(unseen, default=math.inf)
    shown = sorted((x for x in found if x[0] < end), key=itemgetter(0))[:limit]
    passages = take_whole([x for _, x in shown], int(max_characters * PAGE_SHARE))
    is_last = not unseen and len(passages) == len(found)
    counted = ("total", "found_in", "searched", "documents")
    return SearchPage(
        corpus=kinds.name,
        passages=passages,
        **{name: sum(getattr(page, name) for page in pages) for name in counted},
        truncated=not is_last,
        next_offset=None if is_last else shown[len(passages) - 1][0] + 1,
        unreadable=[name for page in pages for name in page.unreadable],
        notes=notes,
    )


def _say_named(named: QuestionFilter, n_passages: int, *, is_narrowed: bool) -> str:
    """Say what the query names by itself, whether no others are shown, and what takes it off."""
    where = shorten(named.where, MAX_CONDITION)
    said = f"{named.reason}: where {where}"
    if is_narrowed:
        return f"{said}; narrow=false (--all) searches all"
    if named.is_thin:
        return f"{said}. As these say no other word of the query, all documents were searched"
    few = f"{n_passages} passages" if n_passages else "no passage"
    return f"{said}. As {few} of these match, all documents were searched; these come first"


def _advice(corpus: Corpus, offset: int, total: int, given: Sequence[str]) -> str:
    """Say what to try when there is no passage to show; *given* is what kept others out."""
    if total:
        return f"offset {offset} is behind the last of {total} passages"
    if not _count(corpus, "SELECT count(*) FROM passages"):
        return "the documents are rows without long texts: ask, or run_sql, finds their values"
    return "use other words" + (f", or leave out {' or '.join(given)}" if given else "")


def _count(corpus: Corpus, sql: str) -> int:
    return int(corpus.select(sql, limit=1).rows[0][0] or 0)


def passage_entry(item: Quote, corpus: str) -> FoundPassage:
    """Write a quote with its place; *corpus* is the name for the link."""
    return FoundPassage(
        document_id=item.document_id,
        page=item.page,
        headings=shorten_start(item.headings, MAX_HEADINGS_CHARACTERS),
        quote=one_line(item.text),
        start=item.span.start,
        end=item.span.end,
        link=f"srag://{quote(corpus)}/documents/{quote(item.document_id)}",
    )


MAX_NEAR_VALUES = 3
BEHIND = "the text ends before this start"
UNREAD = (
    "this document has no text that could be read; trace_value with its document_id and"
    " state=failed says why"
)


def trace_page(corpus: Corpus, column: str = "", **wanted: Unpack[EvidenceFilter]) -> TracePage:
    """Give the evidence of cells, those with a quote first.

    Raises as `check_column` and `Corpus.document`, and:
        SchemaError: If neither a column nor a document is named.
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
        following = _say_none(corpus, (column, table), wanted.get("value", ""), offset, found.total)
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
    place: tuple[str, str, int | None],
    value: str,
    instead: Literal["", "absent", "unknown", "undo", "add", "remove"],
) -> CorrectionPage:
    """Set a value, or what *instead* of one, as the calling agent; *place* as in `CellPlace`.

    Raises as `correct`, and UnknownNameError where there is no such column.
    """
    from srag_mcp.pipeline.correction_run import CellPlace, correct  # loads what learns rules

    if bool(value) == (instead not in {"", "add"}):
        msg = 'pass value, or instead; a row to add as a value: {"column": "value", …}'
        raise SchemaError(msg)
    document_id, column, position = place
    if instead != "undo":
        check_column(corpus, column)
        document_id = corpus.document(document_id).id
    at = CellPlace(document_id, column, position)
    done = correct(corpus.location, settings, at, (instead or "value", value), "agent")
    accepting = shlex.join(["srag-mcp", "correct", corpus.name, document_id, column, "--accept"])
    until = f"; answers say that it is an agent's, until a person accepts it: {accepting}"
    until = until if done.after else ""
    return CorrectionPage(corpus=corpus.name, said=f"{done.render()}{until}")


def _say_none(
    corpus: Corpus, place: tuple[str, str | None], value: str, offset: int, total: int
) -> str:
    """Say what to try when no cell was found."""
    column, table = place
    if total:
        return f"offset {offset} is behind the last of {total} cells"
    if not value:
        loose = "".join(f"; {note}" for note in loose_notes(corpus, column))
        return f"no cell meets these conditions: leave one out{loose}"
    columns, index = [column] if column else None, corpus.values()
    found = (index.about(table) if table else index).search(value, columns, MAX_NEAR_VALUES)
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
    """Give a stretch of the text of a document, see `Corpus.document`."""
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


def evidence_table(found: Sequence[SourceEntry]) -> Table:
    """Tabulate documents and quotes for people."""
    rows = []
    for item in found:
        quote = [] if item.quote is None else [quoted(item.quote)]
        said = " ".join([*quote, f"({item.note})"] if item.note else quote)
        at = f" item {item.position}" if item.position else ""
        rows.append((f"{item.document_id}{at}", item.value, item.state, said))
    return ("document", "value", "state", "says"), rows


def united_table(found: Sequence[UnitedName]) -> Table:
    """Tabulate the spellings of names that have several, a row a spelling."""
    return ("column", "value", "records", "spelling"), [
        (item.column, item.value, n, spelling) for item in found for spelling, n in item.spellings
    ]
