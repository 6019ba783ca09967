"""Search: the passages that a question is most likely about, ranked in one statement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from srag_mcp.grammar.lexicon import phrases, stem, stems_of
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_text
from srag_mcp.text.locate import SPACELESS
from srag_mcp.text.spans import Span
from srag_mcp.text.terms import TermKind, question_terms
from srag_mcp.text.words import words

# Of BM25 (Robertson and others): the usual values. Others within 0.8–2 and 0.3–0.75 moved nothing.
_K1, _B = 1.2, 0.75
# Of documents, pages and passages; of pairs beside words; of a label. Round numbers: the best of 14
# settings for both TAT-QA and FinanceBench, where most differ by one question in a hundred.
_LEVELS = (1.0, 1.0, 0.5)
_PAIR = 0.8
_LABEL = 3.0
# What a question wants to be done with values, and how it asks: documents do not say so.
_IDLE_KINDS = frozenset(
    {"aggregate", "ask", "difference", "distinct", "each", "fewer", "fraction", "more", "rank",
     "share", "than"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found.

    Attributes:
        document_id: Its document.
        number: Of the passage in its document, from 1.
        page: That it begins on, from 1; None where the format has none.
        headings: Those above it, outermost first, with ` > ` between.
        span: Where it lies in the text of the document.
        score: For comparing the hits of one search only.
        is_ahead: Whether its document was to come first.
    """

    document_id: str
    number: int
    page: int | None
    headings: str
    span: Span
    score: float
    is_ahead: bool = False


@dataclass(frozen=True, slots=True)
class HitPage:
    """A page of hits, best first.

    Attributes:
        hits: The passages.
        n_passages: How many passages share a term with the question, on all pages.
        n_documents: How many documents these are of.
        n_ahead: How many of the passages are of documents that come first.
        n_documents_ahead: How many documents these are of.
    """

    hits: tuple[Hit, ...]
    n_passages: int
    n_documents: int
    n_ahead: int = 0
    n_documents_ahead: int = 0


def search(  # noqa: PLR0913 - where to look, and which hits
    corpus: Corpus,
    question: str,
    *,
    among: str | None = None,
    ahead: str | None = None,
    phrase: str = "",
    per_document: int | None = None,
    limit: int = 10,
    offset: int = 0,
) -> HitPage:
    """Return the passages that fit *question* best; of one page its best one comes first.

    Args:
        corpus: Where to look.
        question: In the user's words.
        among: SQL from outside whose first column are the ids of the documents to look in; None
            for all.
        ahead: SQL of this package for the documents that come first, as `find_filter` writes it;
            where their passages fill the page, that is as if no others were looked in.
        phrase: Words that stand in each passage in a row, whatever marks are between them.
        per_document: Most hits of a document; None for any number.
        limit: Most hits of this page.
        offset: Hits to leave out first.

    Raises:
        QueryError: If *among* is refused or wrong.
        StoreError: If the build is of an earlier version, without an index.

    Source: BM25, in SQL; MixRAG and spRAG for what stands around a passage.
    """
    if among is not None:
        corpus.select(among, limit=1)  # by itself: an error is told in the caller's own words
    terms = question_terms(question, idle_words(question))
    statement = _statement(terms, _chosen(among, phrase), ahead, per_document)
    return _read_hits(corpus.rank(statement, limit, offset).rows)


def _read_hits(rows: Sequence[Any]) -> HitPage:
    hits = tuple(
        Hit(document_id, number, page, headings, Span(start, end), score, is_ahead)
        for document_id, number, page, headings, start, end, score, is_ahead, *_ in rows
    )
    return HitPage(hits, *(rows[0][-4:] if rows else (0, 0)))


@cache
def _idle_words() -> frozenset[str]:
    kinds = {
        spoken[0]: {kind for kind, _ in meanings}
        for spoken, meanings in phrases().items()
        if len(spoken) == 1
    }
    return frozenset(word for word, found in kinds.items() if found & _IDLE_KINDS)


def idle_words(question: str) -> frozenset[str]:
    """Return the folded words of *question* that say what to do with values, or only ask for them.

    `"What is the average net income?" -> {"average", …}`; no word of a subject is among them.
    """
    light = stems_of("function", "light")
    return _idle_words() | {word for word in words(question) if stem(word) in light}


# Names that no table of a corpus has: SQL from outside stands within it, and means its own.
_STATEMENT = """
WITH srag_at AS (
  SELECT term, n, passage, page, document
  FROM srag_postings JOIN srag_passages USING (passage) WHERE term IN ({terms})),
srag_mean AS (
  SELECT level, count(*) AS n_units, avg(n_words) AS n_words, avg(n_pairs) AS n_pairs
  FROM srag_units GROUP BY level),
srag_counted AS (
  SELECT level, unit, term, sum(n)::DOUBLE AS n FROM (
    SELECT term, n, unnest([0, 1, 2]) AS level, unnest([document, page, passage]) AS unit
    FROM srag_at WHERE term >> 30 < {label})
  WHERE unit IS NOT NULL GROUP BY level, unit, term),
srag_rarity AS (
  SELECT level, term, ln(1 + (any_value(n_units) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
  FROM srag_counted JOIN srag_mean USING (level) GROUP BY level, term),
srag_ranked AS (
  SELECT level, unit, list_extract({levels}, level + 1) * sum(
    CASE WHEN term >> 30 = {pair} THEN {pair_weight} ELSE 1 END * idf * {k1_and_1} * n / (
      n + {k1} * (1 - {b} + {b} * CASE WHEN term >> 30 = {pair}
        THEN length.n_pairs / srag_mean.n_pairs ELSE length.n_words / srag_mean.n_words END))
    ) AS score
  FROM srag_counted JOIN srag_rarity USING (level, term) JOIN srag_mean USING (level)
    JOIN srag_units AS length USING (level, unit)
  GROUP BY level, unit),
srag_labelled AS (
  SELECT passage, {label_weight} * max(idf) AS score FROM srag_at JOIN (
    SELECT term, ln(1 + (n_units - count(*) + 0.5) / (count(*) + 0.5)) AS idf
    FROM srag_at JOIN srag_mean ON level = 2 WHERE term >> 30 = {label} GROUP BY term, n_units
  ) USING (term) GROUP BY passage),
srag_scored AS (
  SELECT place.document_id, place.number, place.page, place.passage, {ahead} AS is_ahead,
    coalesce(of_document.score, 0) + of_page.score + of_passage.score
      + coalesce(srag_labelled.score, 0) AS score
  FROM srag_passages AS place
    JOIN srag_ranked AS of_passage ON of_passage.level = 2 AND of_passage.unit = place.passage
    JOIN srag_ranked AS of_page ON of_page.level = 1 AND of_page.unit = place.page
    LEFT JOIN srag_ranked AS of_document
      ON of_document.level = 0 AND of_document.unit = place.document
    LEFT JOIN srag_labelled ON srag_labelled.passage = place.passage
  {chosen}),
srag_spread AS (
  SELECT document_id, number, passage, is_ahead,
    score / row_number() OVER (PARTITION BY page ORDER BY score DESC, passage) AS score
  FROM srag_scored)
SELECT document_id, number, passages.page, headings, start, "end", score, is_ahead, srag_found.*
FROM srag_spread JOIN passages USING (document_id, number) CROSS JOIN (
  SELECT count(*), count(DISTINCT document_id), count(*) FILTER (is_ahead),
    count(DISTINCT document_id) FILTER (is_ahead) FROM srag_spread) AS srag_found
{per_document}
ORDER BY is_ahead DESC, score DESC, passage
"""


# Texts first: to find the beginning of a passage in a long one takes time.
_PHRASE = """
(place.document_id, place.number) IN (
  SELECT (document_id, number) FROM passages JOIN (
    SELECT document_id, text FROM srag_texts
    WHERE regexp_matches(strip_accents(lower(text)), {pattern})) USING (document_id)
  WHERE regexp_matches(strip_accents(lower(substr(text, start + 1, "end" - start))), {pattern}))
"""


def _chosen(among: str | None, phrase: str) -> str:
    """Write the clause for the passages to look in."""
    conditions = []
    if among is not None:
        conditions.append(f"place.document_id IN (SELECT * FROM (\n{among}\n))")  # noqa: S608 - guarded
    if phrase:
        conditions.append(_PHRASE.format(pattern=quote_text(_pattern(phrase))))
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def _pattern(phrase: str) -> str:
    """Write the folded words of *phrase*, with marks and blanks between, as a regular expression.

    In a script without spaces words have no edges.
    """
    between, pattern = r"[^\pL\pN]", ""
    folded = words(phrase)
    for number, (before, after) in enumerate(pairwise(["", *folded, ""])):
        is_free = SPACELESS.match(before[-1:]) or SPACELESS.match(after)
        if 0 < number < len(folded):
            pattern += f"{between}{'*' if is_free else '+'}"
        elif not is_free:
            pattern += f"(^|{between}|$)"
        pattern += after
    return pattern


def _statement(
    terms: Iterable[int], chosen: str, ahead: str | None, per_document: int | None
) -> str:
    """Write the statement that ranks; of the question it holds numbers alone."""
    nth = "row_number() OVER (PARTITION BY document_id ORDER BY score DESC, passage)"
    return _STATEMENT.format(
        terms=", ".join(map(str, sorted(terms))) or "NULL",
        levels=list(_LEVELS),
        pair=TermKind.PAIR.value,
        label=TermKind.LABEL.value,
        pair_weight=_PAIR,
        label_weight=_LABEL,
        k1=_K1,
        k1_and_1=_K1 + 1,
        b=_B,
        chosen=chosen,
        ahead="false" if ahead is None else f"place.document_id IN (FROM ({ahead}))",
        per_document="" if per_document is None else f"QUALIFY {nth} <= {per_document:d}",
    )
