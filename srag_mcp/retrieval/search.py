"""Search: the passages that a question is most likely about, ranked in one statement."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from srag_mcp.grammar.lexicon import light_stems, phrases, stem
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_text
from srag_mcp.text.spans import SPACELESS, Span
from srag_mcp.text.terms import TermKind, asked_stems, phrase_terms, question_terms
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
    idle = idle_words(question)
    terms = question_terms(question, idle)
    same = asked_stems(question, idle) | _other_names(corpus.schema(), question, terms)
    terms |= same.keys()
    statement = _STATEMENT.format(
        at=_at(terms, same),
        **_weighed(terms),
        chosen=_chosen(among, phrase),
        ahead="false" if ahead is None else f"place.document_id IN (FROM ({ahead}))",
        whole="page" if per_document is None else "document",
        per_document="" if per_document is None else _MOST_OF_ONE.format(n=per_document),
        n_wanted=offset + limit,
        limit=limit,
        offset=offset,
    )
    return _read_hits(corpus.rank(statement, is_ours=not (among or phrase)))


def _read_hits(rows: Sequence[Any]) -> HitPage:
    hits = tuple(read_hit(*row[:8]) for row in rows)
    return HitPage(hits, *(rows[0][-4:] if rows else (0, 0)))


def read_hit(*row: Any) -> Hit:  # noqa: ANN401 - as a query gives it
    """Read a row of a query: id, number, page, headings, start, end; score, whether it is ahead."""
    document_id, number, page, headings, start, end, *found = row
    return Hit(document_id, number, page, headings or "", Span(start, end), *(found or (0.0,)))


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
    light = light_stems()
    return _idle_words() | {word for word in words(question) if stem(word) in light}


def _other_names(schema: Schema, question: str, terms: Collection[int]) -> dict[int, int]:
    """Return the terms of what else columns that *question* names are called, each with the asked.

    Names of one word or two, each of which is one term; one that *terms* have is asked itself.
    """
    asked = {stem(word): word for word in words(question)}
    found: dict[int, int] = {}
    for column in (item for table in schema.tables for item in table.attributes):
        names = [" ".join(words(name)) for name in (column.name, *column.synonyms)]
        spoken = [asked.get(stem(name), name) for name in names]
        own = {term for name in (*names, *spoken) for term in _one_term(name)}
        if said := sorted(own & {*terms}):
            found |= dict.fromkeys(own - {*terms}, said[0])
    return found


def _one_term(name: str) -> frozenset[int]:
    found = phrase_terms(name)
    return found if len(found) == 1 else frozenset()


# Names that no table of a corpus has: SQL from outside stands within it, and means its own. Only
# passages that may be shown are put in order: those that are score no less than the best ones of as
# many pages, or, where there is a most of each document, of as many documents.
_STATEMENT = """
WITH srag_at AS MATERIALIZED ({at}),
{levels},
srag_labelled AS (
  SELECT passage, {label_weight} * max(ln(1 + (n_units - n_found + 0.5) / (n_found + 0.5))) AS score
  FROM (
    SELECT passage, count(*) OVER (PARTITION BY term) AS n_found
    FROM srag_postings WHERE term IN ({labels}))
  CROSS JOIN (SELECT count(*) AS n_units FROM srag_units WHERE level = 2) GROUP BY passage),
srag_scored AS MATERIALIZED (
  SELECT place.passage, place.page, place.document, {ahead} AS is_ahead,
    coalesce(of_document.score, 0) + of_page.score + of_passage.score
      + coalesce(srag_labelled.score, 0) AS score
  FROM srag_level_2 AS of_passage JOIN srag_passages AS place ON of_passage.unit = place.passage
    JOIN srag_level_1 AS of_page ON of_page.unit = place.page
    LEFT JOIN srag_level_0 AS of_document ON of_document.unit = place.document
    LEFT JOIN srag_labelled ON srag_labelled.passage = place.passage
  {chosen}),
srag_best AS (
  SELECT is_ahead, max(score) AS score FROM srag_scored GROUP BY {whole}, is_ahead
  ORDER BY is_ahead DESC, score DESC LIMIT 1 OFFSET {n_wanted} - 1),
srag_spread AS (
  SELECT passage, document, is_ahead,
    score / row_number() OVER (PARTITION BY page ORDER BY score DESC, passage) AS score
  FROM srag_scored
  WHERE coalesce((is_ahead, score) >= (SELECT (is_ahead, score) FROM srag_best), true)),
srag_shown AS (
  FROM srag_spread {per_document}
  ORDER BY is_ahead DESC, score DESC, passage LIMIT {limit} OFFSET {offset})
SELECT document_id, number, passages.page, headings, start, "end", score, is_ahead, srag_found.*
FROM srag_shown JOIN srag_passages USING (passage) JOIN passages USING (document_id, number)
CROSS JOIN (
  SELECT count(*), count(DISTINCT document), count(*) FILTER (is_ahead),
    count(DISTINCT document) FILTER (is_ahead) FROM srag_scored) AS srag_found
ORDER BY is_ahead DESC, score DESC, passage
"""
_LEVEL = """
srag_counted_{level} AS MATERIALIZED ({counted}),
srag_level_{level} AS (
  SELECT unit, {weight} * sum(idf * n / (n + {k1} * (1 - {b} + {b} * CASE WHEN is_pair THEN pairs
    ELSE words END))) AS score
  FROM srag_counted_{level} JOIN (
    SELECT term, term >> 30 = {pair} AS is_pair,
      CASE WHEN term >> 30 = {pair} THEN {pair_weight} ELSE 1 END * {k1_and_1}
        * ln(1 + (any_value(n_units) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
    FROM srag_counted_{level}
      CROSS JOIN (SELECT count(*) AS n_units FROM srag_units WHERE level = {level})
    GROUP BY term) USING (term)
  JOIN (FROM srag_units WHERE level = {level}) USING (unit)
  GROUP BY unit)"""
_AT = """
SELECT term, n, passage, page, document
FROM srag_postings JOIN srag_passages USING (passage) WHERE term IN ({terms})"""
_AT_OF_SAME = """
SELECT coalesce(word, term) AS term, max(n) AS n, passage, page, document
FROM ({at}) LEFT JOIN (VALUES {same}) AS srag_same(term, word) USING (term) GROUP BY ALL"""
_MOST_OF_ONE = """
QUALIFY row_number() OVER (PARTITION BY document ORDER BY score DESC, passage) <= {n:d}"""
_COUNTED = (
    "SELECT document AS unit, term, sum(n)::DOUBLE AS n FROM srag_at GROUP BY ALL",
    "SELECT page AS unit, term, sum(n)::DOUBLE AS n FROM srag_at WHERE page IS NOT NULL"
    " GROUP BY ALL",
    "SELECT passage AS unit, term, n::DOUBLE AS n FROM srag_at WHERE page IS NOT NULL",
)


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


def _at(terms: Iterable[int], same: Mapping[int, int]) -> str:
    """Write where the terms are; those with the *same* meaning are one, whichever a passage has."""
    at = _AT.format(terms=_listed(term for term in terms if term >> 30 != TermKind.LABEL))
    return _AT_OF_SAME.format(at=at, same=", ".join(map(str, same.items()))) if same else at


def _weighed(terms: Iterable[int]) -> dict[str, object]:
    """Write what the statement holds of a question: numbers, and how much they weigh."""
    labels = (term for term in terms if term >> 30 == TermKind.LABEL)
    levels = (
        _LEVEL.format(
            level=level,
            counted=counted,
            weight=weight,
            pair=TermKind.PAIR.value,
            pair_weight=_PAIR,
            k1=_K1,
            k1_and_1=_K1 + 1,
            b=_B,
        )
        for level, (counted, weight) in enumerate(zip(_COUNTED, _LEVELS, strict=True))
    )
    return {
        "labels": _listed(labels),
        "levels": ",".join(levels),
        "label_weight": _LABEL,
    }


def _listed(terms: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(terms))) or "NULL"
