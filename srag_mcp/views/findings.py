"""What a search finds: passages with the words around what was found, and where they stand."""

import re
from collections.abc import Iterator, Set
from functools import partial
from itertools import accumulate
from typing import TypedDict, Unpack
from urllib.parse import quote

from srag_mcp.errors import QueryError, SchemaError
from srag_mcp.model.language_model import most_characters
from srag_mcp.retrieval.question_filter import QuestionFilter, find_filter
from srag_mcp.retrieval.search import Hit, idle_words, search
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name
from srag_mcp.text.shown import one_line, shorten
from srag_mcp.text.spans import Span
from srag_mcp.text.terms import count_terms, question_terms
from srag_mcp.text.words import content_words, fold_words, stems, words
from srag_mcp.views.results import PAGE_SHARE, FoundPassage, SearchPage, take_whole
from srag_mcp.views.traces import WHERE

MAX_TOKENS = 2000  # of a reply: DESIGN 9b
MAX_QUOTE_CHARACTERS = 300
MAX_HEADINGS_CHARACTERS = 120
MAX_UNREADABLE = 5
MAX_NAME = 200
MAX_CONDITION = 600  # characters of what a query narrows to by itself
_ENDS = re.compile(r"(?:[.!?;][\"'”’)\]]*|\|)\s+|[。！？；]|\s*\n\s*")
_PART = re.compile(r"[^,;、，]{1,100}(?:[,;、，]\s*|\s|$)|.{1,100}", re.DOTALL)
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
    among = _narrow(corpus, wanted.get("documents", ""), wanted.get("where", ""))
    named = None if among or not wanted.get("narrow", True) else find_filter(corpus, sought)
    ranked = partial(
        search,
        corpus,
        sought,
        among=among or None,
        ahead=named.documents if named else None,
        phrase=phrase,
        per_document=wanted.get("per_document") or None,
    )
    limit = wanted.get("limit", 10)
    found = ranked(limit=limit + 1, offset=offset)  # one more than is shown: do others follow?
    keys = {
        *question_terms(sought, idle_words(sought)),
        *stems(" ".join(content_words(sought))),
    }
    passages = [_show(corpus, hit, keys, fold_words(phrase)) for hit in found.hits[:limit]]
    written = "".join(passage.model_dump_json() for passage in passages)
    room = min(max_characters, most_characters(written, MAX_TOKENS))
    told = min(len(named.where), MAX_CONDITION) if named else 0  # twice: as data and in a note
    passages = take_whole(passages, int(room * PAGE_SHARE) - 2 * told)
    is_last = len(passages) == len(found.hits)
    n_documents = n_searched = _count(corpus, _READABLE)
    total, found_in = found.n_passages, found.n_documents
    is_narrowed = named is not None and all(hit.is_ahead for hit in found.hits[: len(passages)])
    if named and is_narrowed and passages:
        total, found_in, among = found.n_ahead, found.n_documents_ahead, named.documents
    if among:
        n_searched = _count(corpus, f"{_READABLE} AND document_id IN ({among}\n)")
    unreadable = [shorten(str(name), MAX_NAME) for (name,) in corpus.read(_UNREADABLE, [])]
    if len(unreadable) > MAX_UNREADABLE:
        unreadable[MAX_UNREADABLE:] = [f"and {len(unreadable) - MAX_UNREADABLE} more"]
    notes = [*corpus.notices()[bool(corpus.info().n_failed) :]]  # files are named here
    if named:
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
        narrowed_to=named.where if named and len(named.where) <= MAX_CONDITION else "",
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


def _narrow(corpus: Corpus, documents: str, where: str) -> str:
    """Write the SELECT of the documents to search, empty for all; checked as SQL from outside is.

    Each part of it is a whole statement, so that what runs in a larger one is what was checked.
    """
    records, parts = quote_name(corpus.schema().entity), []
    for name, text, sql in (
        ("documents", documents.rstrip(" ;\n"), "SELECT document_id FROM ({}\n)"),
        ("where", WHERE.sub("", where), f"SELECT document_id FROM {records} WHERE ({{}}\n)"),  # noqa: S608 - guarded
    ):
        if text.strip():
            parts.append(sql.format(text))
            try:
                corpus.select(parts[-1], limit=1)
            except QueryError as error:
                msg = f"the SQL in {name} cannot be used: {error}"
                raise QueryError(msg, text) from error
    return "\nINTERSECT ".join(parts)


def _show(corpus: Corpus, hit: Hit, sought: Set[object], phrase: str) -> FoundPassage:
    text = corpus.document_text(hit.document_id, hit.span.start, hit.span.end)
    found = find_quote(text, sought, phrase)
    return FoundPassage(
        document_id=hit.document_id,
        page=hit.page,
        headings=shorten(hit.headings, MAX_HEADINGS_CHARACTERS),
        quote=one_line(found.of(text)),
        start=hit.span.start + found.start,
        end=hit.span.start + found.end,
        link=f"srag://{quote(corpus.name)}/documents/{quote(hit.document_id)}",
    )


def find_quote(text: str, sought: Set[object], phrase: str = "") -> Span:
    """Find the sentences or lines of *text* with the most of the terms and stems *sought*.

    They have the folded *phrase*, follow one another in at most `MAX_QUOTE_CHARACTERS` (as shown:
    the layout of a page keeps columns apart by blanks), and begin with one in which something was
    found, if anything was; of those that have as much, the first.
    """
    pieces = list(_pieces(text))
    said = [one_line(piece.of(text)) for piece in pieces]
    ends = list(accumulate((len(item) + 1 for item in said), initial=0))
    found: list[Set[object]] = [{*count_terms(item), *stems(item)} & sought for item in said]
    best, best_score = Span(0, 0), (False, -1)
    for first, opening in enumerate(pieces):
        last, there = first, set[object]()
        while last < len(pieces) and ends[last + 1] - ends[first] <= MAX_QUOTE_CHARACTERS + 1:
            there |= found[last]
            last += 1
        span = Span(opening.start, pieces[last - 1].end)
        score = (phrase in fold_words(span.of(text)), len(there))
        if score > best_score and (found[first] or not any(found)):
            best, best_score = span, score
    return best


def _pieces(text: str) -> Iterator[Span]:
    """Yield the sentences and lines of *text*, of one that is too long its parts; no blanks."""
    start = 0
    for end in [*(found.end() for found in _ENDS.finditer(text)), len(text)]:
        spans = [Span(start, end)]
        if len(one_line(text[start:end])) > MAX_QUOTE_CHARACTERS:
            spans = [Span(*found.span()) for found in _PART.finditer(text, start, end)]
        for span in spans:
            said = span.of(text)
            if stripped := said.strip():
                first = span.start + len(said) - len(said.lstrip())
                yield Span(first, first + len(stripped))
        start = end
