"""What a search finds: passages with the words around what was found, and where they stand."""

from functools import partial
from typing import TypedDict, Unpack
from urllib.parse import quote

from srag_mcp.errors import SchemaError
from srag_mcp.model.language_model import most_characters
from srag_mcp.retrieval.question_filter import QuestionFilter, find_filter
from srag_mcp.retrieval.search import search
from srag_mcp.retrieval.snippets import Quote, quote_hit, sought_terms
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.loose import narrow
from srag_mcp.text.shown import one_line, shorten
from srag_mcp.text.words import fold_words, words
from srag_mcp.views.results import PAGE_SHARE, FoundPassage, SearchPage, take_whole

MAX_TOKENS = 2000  # of a reply: DESIGN 9b
MAX_HEADINGS_CHARACTERS = 120
MAX_UNREADABLE = 5
MAX_NAME = 200
MAX_CONDITION = 600  # characters of what a query narrows to by itself
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
    corpus: Corpus, query: str, max_characters: int, **wanted: Unpack[SearchFilter]
) -> SearchPage:
    """Find passages, the best first, each by the words around what was found in it.

    Raises:
        StoreError: If the build is of an earlier version, without an index.
        SchemaError: If the query has no words.
        QueryError: If the SQL that chooses the documents is refused or wrong.
    """
    corpus = corpus.within()
    phrase, offset = wanted.get("phrase", ""), wanted.get("offset", 0)
    sought = f"{query} {phrase}"
    if not words(sought):
        msg = "the query has no words: pass what the passages should be about"
        raise SchemaError(msg)
    among = narrow(corpus, wanted.get("documents", ""), wanted.get("where", ""))
    named = None if among or not wanted.get("narrow", True) else find_filter(corpus, sought)
    ranked = partial(
        search,
        corpus,
        sought,
        among=among or None,
        ahead=named.documents if named and not named.is_thin else None,
        phrase=phrase,
        per_document=wanted.get("per_document") or None,
    )
    limit = wanted.get("limit", 10)
    found = ranked(limit=limit + 1, offset=offset)  # one more than is shown: do others follow?
    keys = sought_terms(sought)
    passages = [
        passage_entry(quote_hit(corpus, hit, keys, fold_words(phrase)), corpus.name)
        for hit in found.hits[:limit]
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
    if not passages:
        if offset:
            total = ranked(limit=1, offset=0).n_passages
        notes.insert(0, _advice(corpus, offset, total))
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


def _advice(corpus: Corpus, offset: int, total: int) -> str:
    """Say what to try when there is no passage to show."""
    if total:
        return f"offset {offset} is behind the last of {total} passages"
    if not _count(corpus, "SELECT count(*) FROM passages"):
        return "the documents are rows without long texts: ask, or run_sql, finds their values"
    return "use other words, or leave out where, documents or phrase"


def _count(corpus: Corpus, sql: str) -> int:
    return int(corpus.select(sql, limit=1).rows[0][0] or 0)


def passage_entry(item: Quote, corpus: str) -> FoundPassage:
    """Write a quote with its place; *corpus* is the name for the link."""
    return FoundPassage(
        document_id=item.document_id,
        page=item.page,
        headings=shorten(item.headings, MAX_HEADINGS_CHARACTERS),
        quote=one_line(item.text),
        start=item.span.start,
        end=item.span.end,
        link=f"srag://{quote(corpus)}/documents/{quote(item.document_id)}",
    )
