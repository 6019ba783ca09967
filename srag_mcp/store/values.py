"""The value index: which columns hold a phrase of a question, and how it is spelt there."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from srag_mcp.documents.passages import PAGE_CHARACTERS
from srag_mcp.names.uniting import LONGEST_ACRONYM, are_names, fold_name, read_name
from srag_mcp.text.words import (
    TermKind,
    count_terms,
    document_names,
    languages_of,
    name_term,
    singular,
)

if TYPE_CHECKING:
    import duckdb

_SILENT = re.compile(r"[.'’`´]")
SEPARATOR = re.compile(r"[,;/|()\[\]&–—•]|\+(?=\s*\w)|\s-\s|\band\b")  # of parts of a value
_BETWEEN_WORDS = re.compile(r"[^\w]+|_+")
# A word with the signs that make another value of it: `C++`, `A-`, `<5`, `II*`.
_SIGNED = re.compile(
    r"(?P<before>(?<!\w)[<>≤≥]\s?)?(?P<word>[^\W_]+)"
    r"(?P<behind>[+#*]+(?!\w)|(?<![^\W\d_]{4})(?<=[^\W\d_])[-‐‑–−](?!\w))?"
)
_FUZZY_MIN_CHARACTERS = 5
_FUZZY_CUTOFF = 84.0
_MAX_TEXT_CHARACTERS = 2000
_MOST_HOLDERS = 100  # as many values as a word brings together when names are compared
IN_ORDER = 0.9  # the least score of a value that holds the words of the phrase in its order


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A stored value that a phrase may mean.

    *score* is 1.0 for an equal value (folded), less for a fuzzy or partial match. *n_records* is
    the number of records with this value. *table* has the column; None for the record table.
    *spelling* is what was found, where that is another spelling of the value.
    """

    column: str
    value: str
    n_records: int
    score: float
    table: str | None = None
    spelling: str | None = None


@lru_cache(maxsize=8_192)
def fold_words(text: str) -> tuple[str, ...]:
    """Split into words without case, accents, punctuation and the plural endings of long words.

    `"St. John's Cafés" -> ("st", "john", "cafe")`
    """
    found = filter(None, _BETWEEN_WORDS.split(_SILENT.sub("", _plain(text))))
    return tuple(_one(word) for word in found)


@lru_cache(maxsize=8_192)
def signed_words(text: str) -> tuple[str, ...]:
    """Split into words as `fold_words` does, each with the signs that make another value of it.

    `"C++ (senior)" -> ("c++", "senior")`, `"O−" -> ("o-",)`, `"> 5 years" -> (">5", "year")`
    """
    plain = re.sub(r"(?<!\d)[.]|[.](?!\d)|['’`´]", "", _plain(text))
    return tuple(
        (match["before"] or "").strip()
        + _one(match["word"])
        + re.sub(r"[‐‑–−]", "-", match["behind"] or "")
        for match in _SIGNED.finditer(plain)
    )


def goes_on(words: Sequence[str], short: Sequence[str], *, is_name: bool = False) -> bool:
    """Whether a value has more words behind those of a short one, or before them if it is no name.

    `Austin`, `Austin College`; `kettle`, `electric kettle`; not `York`, `New York`
    """
    is_more, n = len(words) > len(short) > 0, len(short)
    return is_more and (words[:n] == short or (words[-n:] == short and not is_name))


def find_several(values: Iterable[str]) -> list[str]:
    """Return those of *values* that are several of them: `irrigation, power`, of three."""
    split = {x: [*filter(None, map(signed_words, SEPARATOR.split(x)))] for x in values}
    words = {signed_words(x) for x in split}
    return [x for x, parts in split.items() if len(parts) > 1 and words.issuperset(parts)]


def _plain(text: str) -> str:
    plain = text[:_MAX_TEXT_CHARACTERS]
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return plain.casefold().replace("'s", "").replace("’s", "")


def _one(word: str) -> str:
    return singular(word) if len(word) > 3 else word  # UPS is not up


class ValueIndex:
    """A value index in memory: equal values, values that contain the phrase, then misspellings.

    Built from `(column, value, number of records)`, and the table where there are several.
    *spellings*, `(column, spelling, value)` and the table likewise, are found as the value that
    they stand for. Values of *table* are found, of all tables where it is None.
    """

    def __init__(
        self,
        entries: Iterable[tuple[str, str, int] | tuple[str, str, int, str]],
        spellings: Iterable[tuple[str, str, str] | tuple[str, str, str, str]] = (),
        table: str | None = None,
    ) -> None:
        self._table = table
        self._entries: list[tuple[ValueMatch, tuple[str, ...]]] = []
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        self._spellings: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        others: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for column, spelling, value, *table_of in spellings:
            others[column, value, *table_of] += [spelling] if spelling != value else []
        for column, value, n_records, *table_of in entries:
            found = ValueMatch(column, value, n_records, 1.0, *table_of)
            self._add(found, value)
            for spelling in others.get((column, value, *table_of), ()):
                self._add(replace(found, spelling=spelling), spelling)
        for word in self._holding:
            self._spellings[word[0], len(word)].append(word)

    def about(self, table: str | None) -> ValueIndex:
        """Return the same index as one that finds values of *table*; None for those of all."""
        found = copy(self)
        found._table = table
        return found

    def _add(self, found: ValueMatch, text: str) -> None:
        words = fold_words(text)
        for word in set(words):
            self._holding[word].append(len(self._entries))
        self._entries.append((found, words))

    def search(
        self,
        phrase: str,
        columns: Sequence[str] | None = None,
        limit: int = 6,
        *,
        is_spelt: bool = False,
    ) -> list[ValueMatch]:
        """Find the values nearest to *phrase*, best first (of all text columns, when None).

        Equal values score 1.0, values that hold the words of the phrase in its order 0.9 and more,
        in another order 0.8, and misspelt ones less; these are left out where *is_spelt*.
        """
        words = fold_words(phrase)
        if not words:
            return []
        found = self._scored(words)
        if not found and not is_spelt:
            found = self._misspelt(words)
        matches = [
            replace(entry, score=score)
            for (entry, _), score in ((self._entries[number], found[number]) for number in found)
            if (columns is None or entry.column in columns) and self._table in {None, entry.table}
        ]
        matches.sort(key=lambda match: (-match.score, -match.n_records, match.column, match.value))
        best: dict[tuple[str, str, str | None], ValueMatch] = {}  # of all spellings of a value
        for match in matches:
            best.setdefault((match.column, match.value, match.table), match)
        return list(best.values())[:limit]

    def near(self, value: str, column: str) -> dict[str, int]:
        """Return the values of a column that may be written for *value*, with their records.

        They share a word or a misspelt one, or initials. A word that more than `_MOST_HOLDERS`
        values have brings none of them.
        """
        words = fold_words(value)
        said = {"".join(words), *words, *(near for word in words for near, _ in self._like(word))}
        held = (self._holding.get(word, ()) for word in said)
        found = [self._entries[n][0] for some in held if len(some) <= _MOST_HOLDERS for n in some]
        found += self.search_initials(value)
        return {
            item.value: item.n_records
            for item in found
            if item.column == column and self._table in {None, item.table}
        }

    def search_initials(self, phrase: str) -> list[ValueMatch]:
        """Find the names of which *phrase* has the initials, or that are written as its initials.

        `"WHO"` -> “World Health Organization”, and the other way round. Which of several names is
        meant, and whether, is not said.
        """
        if phrase.isupper() and len(phrase) <= LONGEST_ACRONYM:
            full = [
                self._entries[number][0] for number in self._initials.get(fold_name(phrase), ())
            ]
            return [
                item
                for item in full
                if self._table in {None, item.table} and are_names([item.spelling or item.value])
            ]
        found = (self.search(short, is_spelt=True) for short in read_name(phrase).initials)
        return [
            item
            for matches in found
            for item in matches
            if item.score >= 1.0 and (item.spelling or item.value).isupper()
        ]

    @cached_property
    def _initials(self) -> Mapping[str, Sequence[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, (entry, said) in enumerate(self._entries):
            if len(said) > 1:
                for initials in read_name(entry.spelling or entry.value).initials:
                    found[initials].append(number)
        return found

    def _scored(self, words: tuple[str, ...]) -> dict[int, float]:
        lists = sorted((self._holding.get(word, []) for word in words), key=len)
        numbers = set(lists[0]).intersection(*lists[1:]) if lists[0] else set()
        return {number: _similarity(words, self._entries[number][1]) for number in numbers}

    def _misspelt(self, words: tuple[str, ...]) -> dict[int, float]:
        mended = [
            (word, 100.0) if word in self._holding else next(iter(self._like(word)), None)
            for word in words
        ]
        best = [found for found in mended if found is not None]
        if len(best) < len(mended):
            return {}
        share = min(score for _, score in best) / 100
        found = self._scored(tuple(word for word, _ in best))
        return {number: score * share * 0.95 for number, score in found.items()}

    def _like(self, word: str) -> list[tuple[str, float]]:
        """Return the stored words that *word* may be a misspelling of, the nearest first."""
        if len(word) < _FUZZY_MIN_CHARACTERS or any(map(str.isdigit, word)):
            return []
        # Heavy, and most questions spell their values as they are stored.
        from rapidfuzz import fuzz, process

        lengths = range(len(word) - 1, len(word) + 2)
        near = [spelt for n in lengths for spelt in self._spellings.get((word[0], n), [])]
        found = process.extract(word, near, scorer=fuzz.ratio, score_cutoff=_FUZZY_CUTOFF)
        return [(spelt, score) for spelt, score, _ in found]


def _similarity(words: tuple[str, ...], stored: tuple[str, ...]) -> float:
    if words == stored:
        return 1.0
    share = len(words) / max(len(stored), len(words))
    in_order = any(
        stored[start : start + len(words)] == words for start in range(len(stored) - len(words) + 1)
    )
    starts = 0.03 if stored[: len(words)] == words else 0.0
    return (IN_ORDER if in_order else 0.8) + starts + 0.05 * share


# Of the rules by which texts become terms: to be raised with any change of them, here or in
# `text/words.py`, for a question that is read by others finds nothing.
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
