"""The index of passages: which terms stand in which of them, and how long each is.

It is made where documents are read, of changed documents only, and published in the order of its
terms, so that a search reads no more than the blocks that hold its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from srag_mcp.documents.passages import PAGE_CHARACTERS
from srag_mcp.text.terms import TermKind, count_terms, document_names, name_term
from srag_mcp.text.words import languages_of

if TYPE_CHECKING:
    import duckdb

# Of the rules by which texts become terms: to be raised with any change of them, here or in
# `text/terms.py`, for a question that is read by others finds nothing.
INDEX_VERSION = "3"
PassageRow: TypeAlias = tuple[int, int | None, str, int, int, str, int | None, int | None]
"""number from 1, page, headings, start, end, kind, start and end of the heads of its table."""
Postings: TypeAlias = tuple[str, ...]
"""numbers of passages, 0 for the names of the document; terms; how often each is there.

With commas between, since a tuple a term takes four times as long to store; empty for no terms.
"""

INDEX_TABLES = ("srag_postings", "srag_passages", "srag_units")
INDEX_COMMENTS = {
    "srag_postings": "The index of passages: a row a term and passage, in the order of the terms.",
    "srag_postings.term": "Hash of a word, pair of words, label or name (its highest two bits).",
    "srag_postings.n": "How often it is there; 255 for more.",
    "srag_passages": "What postings point to: passages (number 0: the names of a document).",
    "srag_passages.page": "Counts all pages; where the format has none, stretches of its length.",
    "srag_passages.heads_start": "Where the heads of its table begin.",
    "srag_units": "What is ranked: documents (level 0), pages (1), passages (2).",
    "srag_units.words": "How many words it has, of the mean of its level; pairs: of words.",
}
_MOST_COUNTED = 255  # in one byte
_SUMMARIES = """
SELECT document_id, summary FROM summaries SEMI JOIN documents USING (document_id, sha256)
ORDER BY document_id
"""
_SAID_POSTINGS = """
CREATE OR REPLACE TEMP TABLE said_postings (document_id VARCHAR, term UINTEGER, n UTINYINT)
"""
_WITH_SAID = """(
  SELECT document_id, number, term, n FROM postings
  UNION ALL (
    SELECT document_id, 0 AS number, term, n FROM said_postings
    ANTI JOIN (SELECT document_id, term FROM postings WHERE number = 0)
      USING (document_id, term)))
"""
_TABLES = f"""
CREATE TABLE build.main.srag_passages AS
SELECT (row_number() OVER (ORDER BY document_id, number))::UINTEGER AS passage,
  (dense_rank() OVER (ORDER BY document_id))::UINTEGER AS document,
  CASE WHEN number > 0 THEN dense_rank() OVER (
    ORDER BY document_id, number = 0, coalesce(page, start // {PAGE_CHARACTERS})) END::UINTEGER
    AS page,
  document_id, number, heads_start, heads_end
FROM (
  SELECT document_id, number, page, start, heads_start, heads_end FROM passages
  UNION ALL SELECT DISTINCT document_id, 0, NULL, 0, NULL, NULL FROM passages)
ORDER BY passage;
CREATE TABLE build.main.srag_postings AS
SELECT term, passage, n FROM {{postings}}
JOIN build.main.srag_passages USING (document_id, number) ORDER BY term, passage;
CREATE TABLE build.main.srag_units AS
SELECT level, unit, coalesce(n_words / avg(n_words) OVER same, 0)::FLOAT AS words,
  coalesce(n_pairs / nullif(avg(n_pairs) OVER same, 0), 0)::FLOAT AS pairs
FROM (
  SELECT level, unit, sum(n_words) AS n_words, sum(n_pairs) AS n_pairs FROM (
    SELECT n_words, n_pairs, unnest([0, 1, 2])::UTINYINT AS level,
      unnest([document, page, CASE WHEN number > 0 THEN passage END]) AS unit
    FROM build.main.srag_passages LEFT JOIN (
      SELECT passage, sum(n) FILTER (term >> 30 = {TermKind.WORD:d}) AS n_words,
        sum(n) FILTER (term >> 30 = {TermKind.PAIR:d}) AS n_pairs
      FROM build.main.srag_postings GROUP BY passage) USING (passage))
  WHERE unit IS NOT NULL GROUP BY level, unit)
WINDOW same AS (PARTITION BY level) ORDER BY level, unit;
"""  # noqa: S608 - constants


def cut_postings(path: str, title: str, text: str, passages: Sequence[PassageRow]) -> Postings:
    """Return the terms of passages, each with the headings that it does not begin with itself.

    Those of passage 0 are what the document is called: by its file, and by its title.
    """
    if not passages:
        return ()
    stem = PurePosixPath(path).stem
    names = dict.fromkeys(map(name_term, document_names(stem, title, text)), 1)
    languages = languages_of(text)
    found = [(0, {**count_terms(f"{stem}\n{title}", languages), **names})]
    for number, _, headings, start, end, *_ in passages:
        said = text[start:end]
        above = [heading for heading in headings.split(" > ") if heading not in said]
        own = languages_of(said)
        spoken = languages | own if len(own) == 1 else languages
        found.append((number, count_terms("\n".join([*above, said]), spoken)))
    counted = [n for _, counts in found for n in counts.values()]
    columns = (
        chain.from_iterable([str(number)] * len(counts) for number, counts in found),
        map(str, chain.from_iterable(counts for _, counts in found)),
        ["1" if n == 1 else str(min(n, _MOST_COUNTED)) for n in counted],
    )
    return tuple(map(",".join, columns))


def write_index(connection: duckdb.DuckDBPyConnection) -> None:
    """Write the index of the passages of the build; what sums up a document is with its names."""
    said = connection.execute(_SUMMARIES).fetchall()
    rows = [(key, term, n) for key, text in said for term, n in count_terms(text).items()]
    if rows:
        connection.execute(_SAID_POSTINGS)
        with connection.appender("said_postings") as appender:
            appender.append_rows(rows)
        connection.execute(f"CREATE TABLE build.main.srag_summaries AS {_SUMMARIES}")
    connection.execute(_TABLES.format(postings=_WITH_SAID if rows else "postings"))
