"""The filter that a question has by itself: documents that its own words name, or hold as values.

Words stand for documents that say them more often than all others do: `Amazon` for the filing of
Amazon, as others name it once or twice, and `earnings`, which all speak of, for none of those that
have it in their file's name.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from srag_mcp.grammar.lexicon import words_of
from srag_mcp.retrieval.search import idle_words
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_text
from srag_mcp.store.values import IN_ORDER
from srag_mcp.text.terms import asked_stems, name_term, phrase_terms
from srag_mcp.text.words import STOP_WORDS, WORD, fold_word, fold_words, stems, words

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
        kin = [group for group in groups if any(_are_kin(meaning, other) for other in group)]
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


def _are_kin(one: _Meaning, other: _Meaning) -> bool:
    return one.column == other.column or one.phrase == other.phrase


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
