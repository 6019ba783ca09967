"""Search: the passages that a question is most likely about, ranked in one statement."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from srag_mcp.grammar.lexicon import light_stems, phrases, stem, words_of
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_text
from srag_mcp.store.values import IN_ORDER
from srag_mcp.text.spans import SPACELESS, Span
from srag_mcp.text.words import (
    STOP_WORDS,
    WORD,
    TermKind,
    asked_stems,
    fold_word,
    fold_words,
    name_term,
    phrase_terms,
    question_terms,
    stems,
    words,
)

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
        levels=_SCORED,
        labels=_listed(term for term in terms if term >> 30 == TermKind.LABEL),
        label_weight=_LABEL,
        chosen=_chosen(among, phrase),
        ahead="false" if ahead is None else f"place.document_id IN (FROM ({ahead}))",
        whole="page" if per_document is None else "document",
        per_document="" if per_document is None else _MOST_OF_ONE.format(n=per_document),
        n_wanted=offset + limit,
        limit=limit,
        offset=offset,
    )
    rows: Sequence[Any] = corpus.rank(statement, is_ours=not (among or phrase))
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
        alone = filter(lambda own: len(own) == 1, map(phrase_terms, (*names, *spoken)))
        own = {term for terms_of_one in alone for term in terms_of_one}
        if said := sorted(own & {*terms}):
            found |= dict.fromkeys(own - {*terms}, said[0])
    return found


_COUNTED = (
    "SELECT document AS unit, term, sum(n)::DOUBLE AS n FROM srag_at GROUP BY ALL",
    "SELECT page AS unit, term, sum(n)::DOUBLE AS n FROM srag_at WHERE page IS NOT NULL"
    " GROUP BY ALL",
    "SELECT passage AS unit, term, n::DOUBLE AS n FROM srag_at WHERE page IS NOT NULL",
)
_SCORED = ",".join(
    f"""
srag_counted_{level} AS MATERIALIZED ({counted}),
srag_level_{level} AS (
  SELECT unit, {weight} * sum(idf * n / (n + {_K1} * (1 - {_B} + {_B} * CASE WHEN is_pair THEN pairs
    ELSE words END))) AS score
  FROM srag_counted_{level} JOIN (
    SELECT term, term >> 30 = {TermKind.PAIR.value} AS is_pair,
      CASE WHEN term >> 30 = {TermKind.PAIR.value} THEN {_PAIR} ELSE 1 END * {_K1 + 1}
        * ln(1 + (any_value(n_units) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
    FROM srag_counted_{level}
      CROSS JOIN (SELECT count(*) AS n_units FROM srag_units WHERE level = {level})
    GROUP BY term) USING (term)
  JOIN (FROM srag_units WHERE level = {level}) USING (unit)
  GROUP BY unit)"""  # noqa: S608 - of numbers alone
    for level, (counted, weight) in enumerate(zip(_COUNTED, _LEVELS, strict=True))
)
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
_AT = """
SELECT term, n, passage, page, document
FROM srag_postings JOIN srag_passages USING (passage) WHERE term IN ({terms})"""
_AT_OF_SAME = """
SELECT coalesce(word, term) AS term, max(n) AS n, passage, page, document
FROM ({at}) LEFT JOIN (VALUES {same}) AS srag_same(term, word) USING (term) GROUP BY ALL"""
_MOST_OF_ONE = """
QUALIFY row_number() OVER (PARTITION BY document ORDER BY score DESC, passage) <= {n:d}"""


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


def _listed(terms: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(terms))) or "NULL"


_MOST_IN_PHRASE = 6  # words: as in the grammar
_MOST_IN_VALUE = 8  # words of a value that is a name, and no prose: as of a label
_MOST_LISTED = 200  # values or documents: with more the condition is too long to be shown
_MOST_ASKED = 100  # words of a question that are looked at
# What stands behind them may be left out: "all but Rome", "besides Rome".
_BUT = frozenset({"but", "besides", "beside", "beyond", "aside from", "instead of", "rather than"})
_POSSESSIVE = re.compile(r"['’]s\b")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAMED = """
SELECT term, document_id FROM srag_postings JOIN srag_passages USING (passage)
WHERE term IN ({terms}) QUALIFY count(*) OVER (PARTITION BY term) <= {most}
"""
_SAID = """
SELECT (SELECT count(*) FROM ({documents})), coalesce(sum(n), 0),
  coalesce(sum(n) FILTER (is_meant), 0),
  count(DISTINCT document_id), count(DISTINCT document_id) FILTER (is_meant)
FROM (
  SELECT document_id, min(n) AS n, document_id IN (FROM ({documents})) AS is_meant
  FROM srag_postings JOIN srag_passages USING (passage)
  WHERE term IN ({terms}) GROUP BY passage, document_id HAVING count(*) = {n_terms})
"""
_SAYING = """
SELECT count(*) FILTER (document_id IN (FROM ({documents}))), count(*)
FROM srag_postings JOIN srag_passages USING (passage) WHERE term IN ({terms})
"""


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """Documents that words of a question stand for.

    Attributes:
        words: These words, as asked.
        where: The condition that holds for the records of these documents.
        documents: The same as a SELECT of document_id.
        rest: The question without values that each record has for itself, such as a tenant: they
            tell documents apart, and no passages of one; all of it where nothing else is said.
        is_thin: Whether these say no other word of the question, and others do.
    """

    words: tuple[str, ...]
    where: str
    documents: str
    rest: str
    is_thin: bool = False

    @property
    def reason(self) -> str:
        """Say where the condition comes from: `“Best Buy” stands for documents`."""
        quoted = ", ".join(f"“{said}”" for said in self.words)
        return f"{quoted} {'stand' if len(self.words) > 1 else 'stands'} for documents"


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Words of a question, from the *first* to the *last*, exclusive; as asked, and folded."""

    first: int
    last: int
    text: str
    words: tuple[str, ...]

    @property
    def has_capital(self) -> bool:
        """Whether it is written as names are, and not as the beginning of a sentence."""
        return self.first > 0 and self.text[0].isupper()


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a phrase says of a document: a condition on *column*; of its names, on the id.

    *is_name*: no two records have the same value in that column.
    """

    phrase: _Phrase
    column: str
    where: str
    may_be_unknown: bool = False
    is_name: bool = False

    def overlaps(self, other: "_Meaning") -> bool:
        """Whether another phrase has a word of this one."""
        mine, its = self.phrase, other.phrase
        return mine != its and mine.first < its.last and its.first < mine.last


def find_filter(corpus: Corpus, question: str) -> QuestionFilter | None:
    """Return the documents that words of *question* stand for; None where none do.

    What is said of one column, or by one phrase, is an alternative (two companies); else all must
    hold, where a document meets all. What a column does not say of a document leaves it in. Words
    without a capital name nothing that says no other word of the question, where others do.

    Raises:
        StoreError: If the build is of an earlier version, without an index.
    """
    asked, question = question, _POSSESSIVE.sub("  ", question)
    phrases = list(_phrases(question))
    meanings = [*_named(corpus, phrases), *_valued(corpus, phrases), *_dated(corpus, phrases)]
    found: list[_Meaning] = []
    for meaning in sorted(
        _meant(corpus, meanings), key=lambda item: item.phrase.first - item.phrase.last
    ):
        if not any(map(meaning.overlaps, found)):
            found.append(meaning)
    if not found:
        return None
    groups: list[list[_Meaning]] = []
    for meaning in found:
        kin = [
            group
            for group in groups
            if any(meaning.column == x.column or meaning.phrase == x.phrase for x in group)
        ]
        groups = [group for group in groups if group not in kin]
        groups.append([*(item for group in kin for item in group), meaning])
    groups = [_without_repeats(corpus, group) for group in groups]
    where = " AND ".join(map(_any_of, groups))
    if len(groups) > 1 and not corpus.read(f"{_documents(corpus, where)} LIMIT 1", []):
        where = _any_of(found)
    documents = _documents(corpus, where)
    named = [item.phrase for item in found]
    are_names = all(phrase.has_capital for phrase in named)
    is_thin = not _say_the_rest(corpus, question, named, documents)
    if is_thin and not are_names:
        return None
    words = tuple(dict.fromkeys(item.phrase.text for item in found))
    names = "|".join(re.escape(item.phrase.text) for item in found if item.is_name)
    rest = re.sub(rf"(?<!\w)(?:{names})(?!\w)", " ", asked) if names else asked
    has_more = not STOP_WORDS.union(idle_words(rest)).issuperset(fold_words(rest).split())
    return QuestionFilter(words, where, documents, rest if has_more else asked, is_thin)


def _say_the_rest(corpus: Corpus, question: str, named: Iterable[_Phrase], documents: str) -> bool:
    """Whether *documents* say any other word of *question*, or nobody does."""
    taken = {at for phrase in named for at in range(phrase.first, phrase.last)}
    said = [fold_word(word[0]) for word in WORD.finditer(question.replace("_", " "))]
    idle = STOP_WORDS | idle_words(question)
    rest = [word for at, word in enumerate(said) if at not in taken and word not in idle]
    words = {term for word in rest for term in phrase_terms(word)}
    terms = sorted(words | {own for own, word in asked_stems(question).items() if word in words})
    counted = _SAYING.format(terms=", ".join(map(str, terms)) or "NULL", documents=documents)
    [(n_own, n_saying)] = corpus.read(counted, [])
    return bool(n_own) or not n_saying


def _without_repeats(corpus: Corpus, group: list[_Meaning]) -> list[_Meaning]:
    """Leave out what adds no document: first what may be unknown, then names, then full columns."""
    kept = sorted(group, key=lambda item: (not item.may_be_unknown, item.column != "document_id"))
    for meaning in list(kept):
        others = " OR ".join(item.where for item in kept if item is not meaning)
        own = _documents(corpus, f"{meaning.where} AND ({others or 'false'}) IS NOT TRUE LIMIT 1")
        if not corpus.read(own, []):
            kept.remove(meaning)
    return kept


def _any_of(meanings: list[_Meaning]) -> str:
    """Write that one of *meanings* holds; or that it is not known, unless names tell."""
    conditions = [item.where for item in meanings]
    if all(item.may_be_unknown for item in meanings):
        conditions += [f"{item.column} IS NULL" for item in meanings]
    return f"({' OR '.join(dict.fromkeys(conditions))})"


def _documents(corpus: Corpus, where: str) -> str:
    return f"SELECT document_id FROM {corpus.sql_name(corpus.schema().entity)} WHERE {where}"  # noqa: S608 - quoted


def _meant(corpus: Corpus, meanings: list[_Meaning]) -> Iterator[_Meaning]:
    """Yield those whose documents, not most of all, say the phrase more often than the others.

    Without a capital a word may be one of the language (`hotel`, which each file is, and some are
    called): then most documents that say it at all must be meant. What a record is called tells
    none apart.
    """
    schema = corpus.schema()
    nouns = {*stems(f"{schema.title} {schema.entity}")}
    statements = []
    for meaning in meanings:
        terms = phrase_terms(meaning.phrase.text)
        statements.append(
            _SAID.format(
                terms=", ".join(map(str, terms)) or "NULL",
                n_terms=len(terms),
                documents=_documents(corpus, meaning.where),
            )
        )
    rows = corpus.read("UNION ALL".join(statements), []) if statements else []
    for meaning, row in zip(meanings, rows, strict=True):
        n_meant, n_said, n_own, n_saying, n_own_saying = (int(count or 0) for count in row)
        is_told = 2 * n_own_saying > n_saying
        is_told |= meaning.phrase.has_capital or meaning.phrase.text.isdigit()
        is_few = 0 < 2 * n_meant <= corpus.info().n_documents
        if is_few and is_told and 2 * n_own > n_said and {*stems(meaning.phrase.text)} - nouns:
            yield meaning


def _phrases(question: str) -> Iterator[_Phrase]:
    """Yield each run of a few words; none begins or ends with a function word, or may be denied."""
    found = list(WORD.finditer(question.replace("_", " ")))[:_MOST_ASKED]
    folded = [fold_word(word[0]) for word in found]
    for first in range(len(found)):
        before = f" {' '.join(folded[:first])} "
        if any(f" {word} " in before for word in words_of("link", "not") | _BUT):
            return
        for last in range(first + 1, min(len(found), first + _MOST_IN_PHRASE) + 1):
            if not {folded[first], folded[last - 1]} & STOP_WORDS:
                text = question[found[first].start() : found[last - 1].end()]
                yield _Phrase(first, last, text, tuple(folded[first:last]))


def _named(corpus: Corpus, phrases: Iterable[_Phrase]) -> Iterator[_Meaning]:
    """Yield the phrases that documents are called by, in their files' names or their titles."""
    named: dict[int, _Phrase] = {}
    for phrase in phrases:
        name = "".join(phrase.words)
        named[name_term(name)] = phrase
        if phrase.has_capital:
            named[name_term(name.capitalize())] = phrase
    sql = _NAMED.format(terms=", ".join(map(str, named)) or "NULL", most=_MOST_LISTED)
    documents: dict[_Phrase, set[str]] = {}
    for term, document_id in corpus.rank(sql, is_ours=True):
        documents.setdefault(named[int(term or 0)], set()).add(str(document_id))
    for phrase, ids in documents.items():
        yield _Meaning(phrase, "document_id", _is_one_of("document_id", ids))


def _valued(corpus: Corpus, phrases: Iterable[_Phrase]) -> Iterator[_Meaning]:
    """Yield the phrases that are values of a column of texts, or, with a capital, parts of them."""
    entity, index = corpus.schema().entity, corpus.values()
    columns = corpus.statistics()
    full = {item.column for item in columns if item.n_non_null == item.n_records}
    naming = {item.column for item in columns if item.n_non_null == item.n_distinct}
    for phrase in phrases:
        values: dict[str, set[str]] = {}
        found = index.about(entity).search(phrase.text, limit=_MOST_LISTED + 1, is_spelt=True)
        for match in found if len(found) <= _MOST_LISTED else ():
            said = tuple(words(match.value))
            is_held = match.score >= IN_ORDER and len(said) <= _MOST_IN_VALUE
            if said == phrase.words or (phrase.has_capital and is_held):
                values.setdefault(match.column, set()).add(match.value)
        for column, texts in values.items():
            name = corpus.sql_name(column)
            yield _Meaning(
                phrase, name, _is_one_of(name, texts), column not in full, column in naming
            )


def _dated(corpus: Corpus, phrases: Iterable[_Phrase]) -> Iterator[_Meaning]:
    """Yield the years that may be those of a column of dates which all documents fill."""
    years = {item: year[0] for item in phrases if (year := _YEAR.fullmatch(item.text))}
    for column in corpus.statistics():
        if column.type.is_date and column.n_non_null == column.n_records:
            name = corpus.sql_name(column.column)
            for phrase, number in years.items():
                yield _Meaning(phrase, name, f"year({name}) = {number}")


def _is_one_of(column: str, texts: Iterable[str]) -> str:
    quoted = sorted(map(quote_text, texts))
    return f"{column} = {quoted[0]}" if len(quoted) == 1 else f"{column} IN ({', '.join(quoted)})"
