"""Snippets: the words of a passage that say most of what was sought, and where they stand."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate

from srag_mcp.claims.quotes import statement_at
from srag_mcp.retrieval.search import Hit, idle_words
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.shown import one_line
from srag_mcp.text.spans import Span
from srag_mcp.text.terms import count_terms, question_terms
from srag_mcp.text.words import content_words, fold_words, languages_of, stems

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
        for span in spans:
            said = span.of(text)
            if stripped := said.strip():
                first = span.start + len(said) - len(said.lstrip())
                yield Span(first, first + len(stripped))
        start = end
