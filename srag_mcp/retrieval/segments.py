"""Segments: passages that belong together, joined to stretches of a document (spRAG's RSE)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, combinations_with_replacement
from math import exp

from srag_mcp.claims.quotes import statement_at
from srag_mcp.documents.lines import collapse
from srag_mcp.model.language_model import count_tokens
from srag_mcp.retrieval.search import Hit, find_filter, idle_words, search
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.shown import one_line
from srag_mcp.text.spans import Span
from srag_mcp.text.words import (
    content_words,
    count_terms,
    fold_words,
    languages_of,
    question_terms,
    stems,
)

# spRAG (dsRAG), preset "balanced": what an irrelevant passage costs, and how relevance falls.
_COST, _DECAY = 0.18, 30
_MOST_TOKENS = 1500  # of a segment: a page of a filing with its layout left out (FinanceBench)
_PASSAGES = """
SELECT number, page, headings, start, "end" FROM passages WHERE document_id = $1
ORDER BY number
"""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a document that is read as a whole.

    Attributes:
        document_id: Its document.
        page: That it begins on, from 1; None where the format has none.
        headings: Those above it, outermost first, with ` > ` between.
        span: Where it lies in the text of the document.
        floor: Where its page begins or, without pages, what stands below its headings.
        n_passages: How many passages it has.
        heads: The caption and the column heads of the table of which it begins with a later part.
    """

    document_id: str
    page: int | None
    headings: str
    span: Span
    floor: int
    n_passages: int
    heads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Passage:
    number: int
    page: int | None
    headings: str
    span: Span
    n_tokens: int
    heads: Span | None


def gather(
    corpus: Corpus, searches: Sequence[str], among: str | None, limit: int
) -> tuple[Hit, ...]:
    """Return the passages that fit *searches* best, those that several of them find first.

    Scores are added as shares of the best score of their search: rarer words make all scores of one
    search higher, and ranks would forget how far the first is ahead. Where *among* chooses none,
    documents that the first search names come first.

    Raises:
        QueryError: If *among* is refused or wrong.
        StoreError: If the build has no index.
    """
    totals: defaultdict[tuple[str, int], float] = defaultdict(float)
    found: dict[tuple[str, int], Hit] = {}
    named = None if among or not searches else find_filter(corpus, searches[0])
    ahead = named.documents if named else None
    for words in dict.fromkeys(searches):
        hits = search(corpus, words, among=among, ahead=ahead, limit=limit).hits
        most = max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            key = (hit.document_id, hit.number)
            found[key] = hit
            totals[key] += hit.score / most
    best = sorted(found, key=lambda key: (not found[key].is_ahead, -totals[key], key))
    return tuple(found[key] for key in best[:limit])


def join_segments(corpus: Corpus, hits: Sequence[Hit], n_tokens: int) -> tuple[Segment, ...]:
    """Join *hits*, the most relevant first, to segments of at most *n_tokens* in all.

    Each passage is worth what its rank makes it, less a constant, and one that was not found costs
    that constant; the stretch of a document that is worth most comes first, and takes in what lies
    between two good passages. A table keeps its head where it was cut.
    """
    worth: dict[str, dict[int, float]] = {}
    for rank, hit in enumerate(hits):
        worth.setdefault(hit.document_id, {})[hit.number] = exp(-rank / _DECAY) - _COST
    stretches: list[tuple[float, str, list[_Passage]]] = []
    passages: dict[str, list[_Passage]] = {}
    for document_id, values in worth.items():
        passages[document_id] = found = _read_passages(corpus, document_id)
        stretches += _stretches(document_id, found, values)
    taken: list[Segment] = []
    used: set[tuple[str, int]] = set()
    left = n_tokens
    for _, document_id, stretch in sorted(stretches, key=lambda item: -item[0]):
        size = sum(item.n_tokens for item in stretch)
        keys = {(document_id, item.number) for item in stretch}
        if keys & used or (size > left and taken):
            continue
        used |= keys
        left -= size
        taken.append(_segment(corpus, document_id, passages[document_id], stretch))
    return tuple(taken)


def _stretches(
    document_id: str, passages: list[_Passage], values: Mapping[int, float]
) -> list[tuple[float, str, list[_Passage]]]:
    """Return all that may become segments: from one relevant passage to another, not too long."""
    places = [place for place, item in enumerate(passages) if item.number in values]
    found = []
    for first, last in combinations_with_replacement(places, 2):
        stretch = passages[first : last + 1]
        if first == last or sum(item.n_tokens for item in stretch) <= _MOST_TOKENS:
            value = sum(values.get(item.number, -_COST) for item in stretch)
            found.append((value, document_id, stretch))
    return found


def _read_passages(corpus: Corpus, document_id: str) -> list[_Passage]:
    text = corpus.document_text(document_id)
    heads, found = corpus.table_heads(document_id), []
    for number, page, headings, start, end in corpus.read(_PASSAGES, [document_id]):
        span = Span(int(str(start)), int(str(end)))
        n_tokens = count_tokens(collapse(span.of(text)))
        place = None if page is None else int(str(page))
        key = int(str(number))
        found.append(_Passage(key, place, str(headings or ""), span, n_tokens, heads.get(key)))
    return found


def _segment(
    corpus: Corpus, document_id: str, passages: list[_Passage], stretch: list[_Passage]
) -> Segment:
    first = stretch[0]
    before = passages.index(first)

    def is_with(other: _Passage) -> bool:
        if first.page is None:
            return other.headings == first.headings
        return other.page == first.page

    while before and is_with(passages[before - 1]):
        before -= 1
    heads: list[str] = []
    if first.heads is not None and first.heads.end <= first.span.start:
        span = first.heads
        lines = corpus.document_text(document_id, span.start, span.end).splitlines()
        heads = [collapse(line) for line in lines if line.strip()]
    return Segment(
        document_id,
        first.page,
        first.headings,
        Span(first.span.start, stretch[-1].span.end),
        passages[before].span.start,
        len(stretch),
        tuple(heads),
    )


MAX_QUOTE_CHARACTERS = 300
_ENDS = re.compile(r"(?:[.!?;][\"'”’)\]]*|\|)\s+|[。！？；]|\s*\n\s*")
_PART = re.compile(r"[^,;、，]{1,100}(?:[,;、，]\s*|\s|$)|.{1,100}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document, and where they stand.

    Attributes:
        document_id: Their document.
        page: That they stand on or, of a longer stretch, that it begins on; None without pages.
        headings: Those above, outermost first, with ` > ` between.
        text: The words.
        span: Where they are in the text of the document.
    """

    document_id: str
    page: int | None
    headings: str
    text: str
    span: Span


def quote_hits(
    corpus: Corpus, hits: Sequence[Hit], sought: Set[object], phrase: str = ""
) -> Iterator[Quote]:
    """Quote the words of each passage that say most of what was *sought*, see `find_quote`."""
    texts = corpus.document_texts([(hit.document_id, hit.span) for hit in hits])
    for hit, text in zip(hits, texts, strict=True):
        found = find_quote(text, sought, phrase)
        span = found.moved(hit.span.start)
        yield Quote(hit.document_id, hit.page, hit.headings, found.of(text), span)


def sought_terms(question: str) -> Set[object]:
    """Return the terms and the stems by which a quote for *question* is chosen."""
    terms = question_terms(question, idle_words(question))
    return {*terms, *stems(" ".join(content_words(question)))}


def shared_terms(text: str, sought: Set[object], languages: Set[str] | None = None) -> Set[object]:
    """Return which of the terms and stems *sought* the words of *text* have.

    *languages*: that it may be in; None: those that it tells.
    """
    spoken = languages_of(text) if languages is None else languages
    return {*count_terms(text, spoken), *stems(text)} & sought


def find_quote(text: str, sought: Set[object], phrase: str = "") -> Span:
    """Find the sentences or lines of *text* with the most of the terms and stems *sought*.

    They have the folded *phrase*, follow one another in at most `MAX_QUOTE_CHARACTERS` (as shown:
    the layout of a page keeps columns apart by blanks), and begin with one in which something was
    found, if anything was; of those that have as much, the first.
    """
    pieces = list(_pieces(text))
    said = [one_line(piece.of(text)) for piece in pieces]
    ends = list(accumulate((len(item) + 1 for item in said), initial=0))
    languages = languages_of(text)
    found = [shared_terms(item, sought, languages) for item in said]
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


def whole_statement(text: str, span: Span) -> Span:
    """Return `statement_at` *span*; what is longer than `MAX_QUOTE_CHARACTERS` stays as it is."""
    said = statement_at(text, span)
    return said if len(one_line(said.of(text))) <= MAX_QUOTE_CHARACTERS else span


def _pieces(text: str) -> Iterator[Span]:
    """Yield the sentences and lines of *text*, of one that is too long its parts; no blanks."""
    start = 0
    for end in [*(found.end() for found in _ENDS.finditer(text)), len(text)]:
        spans = [Span(start, end)]
        if len(one_line(text[start:end])) > MAX_QUOTE_CHARACTERS:
            spans = [Span(*found.span()) for found in _PART.finditer(text, start, end)]
        said = (span.trimmed(text) for span in spans)
        yield from (span for span in said if span.start < span.end)
        start = end
