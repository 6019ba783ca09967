"""Queries that are kept with their question: its answer; those of a person, examples for others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from srag_mcp.cells.cell import is_predicted
from srag_mcp.errors import (
    QueryCancelledError,
    QueryError,
    QueryMemoryError,
    QueryTimeoutError,
    QuestionError,
)
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import write_answer
from srag_mcp.inference.by_model import MAX_ROWS
from srag_mcp.inference.diagnosis import diagnose
from srag_mcp.inference.grounds import find_grounds
from srag_mcp.model.language_model import count_tokens
from srag_mcp.prompting import enclose
from srag_mcp.schema.edits import former_names
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import QueryFacts, Translation, read_query
from srag_mcp.sqlfacts.trees import rename_columns
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.feedback import (
    MODEL,
    PERSON,
    Feedback,
    Giver,
    Verdict,
    follow_back,
    question_key,
)
from srag_mcp.store.renamings import renamed_in
from srag_mcp.store.state import open_state
from srag_mcp.text.shown import one_line
from srag_mcp.text.words import content_words, stem

VERIFIED = "verified"  # who translated, where a person has
BY_PERSON = "by a query that a person has verified"
BY_MODEL = "by the query that was written for this question when the folder was ingested"
_MAX_EXAMPLES = 2
_MAX_TOKENS = 150  # of an example: the longest of the template has 100
_EXAMPLES = "Other questions for this table, with queries that a person has verified:"
_PASSING = (QueryTimeoutError, QueryMemoryError, QueryCancelledError)


def verify(corpus: Corpus, question: str, sql: str) -> Answer:
    """Run *sql* as the answer to *question*, for a person who says that it is right.

    Raises:
        QueryError: If it is refused, wrong or too heavy, names what is called otherwise now, or
            would be the same whatever the records say.
    """
    facts = read_query(sql, corpus.schema())
    if renamed := renamed_in(sql, corpus.info().renamed):
        msg = f"write the query by the names of today: {renamed[0]}"
        raise QueryError(msg, sql)
    if facts.ungrounded:
        msg = f"{', '.join(facts.ungrounded)} would be the same whatever the records say"
        raise QueryError(msg, sql)
    return _answer(corpus, question, facts, PERSON)


def give_verdict(
    corpus: Corpus, kept: Feedback, question: str, *, is_right: bool, sql: str = ""
) -> Answer | None:
    """Keep what a person says of the query of *question*; return what it gives if it is right.

    Without *sql* it is the query that is kept of the question. One that leaned on another is taken
    as it was asked in the end.

    Raises:
        QuestionError: If no query of the question is kept, or several: an agent may have had the
            question read again since the person saw an answer. If a question is called wrong that
            was never asked.
        QueryError: As `verify`.
    """
    turns = kept.turns()
    said = follow_back(turns, question)
    asked = said[-1].asked if said else question
    same = [turn for turn in turns if question_key(turn.asked) == question_key(asked)]
    several = dict.fromkeys([sql] if sql else [turn.sql for turn in same if turn.sql])
    if not is_right:
        if not same and not kept.verdicts(asked):
            msg = f"{question!r} is none of the questions that are kept: ask it before you judge it"
            raise QuestionError(msg)
        kept.keep_verdict(Verdict(PERSON, "wrong", asked, next(reversed(several), "")))
        return None
    if len(several) != 1:
        how_many = "several queries of {} are kept" if several else "no query of {} is kept"
        shown = "".join(f"\n{query}" for query in several)
        msg = f"{how_many.format(repr(question))}: give the one that is right (--sql){shown}"
        raise QuestionError(msg)
    [query] = several
    answer = verify(corpus, asked, query)
    kept.keep_verdict(mark_right(corpus, asked, query))
    return answer


def mark_right(corpus: Corpus, question: str, sql: str) -> Verdict:
    """Return the verdict of a person that *sql*, which `verify` has run, answers *question*."""
    columns = describe_columns(read_query(sql, corpus.schema()))
    build = corpus.build_path().stem
    return Verdict(PERSON, "right", question, sql, columns, build)


def keep_translated(corpus: Corpus, queries: Mapping[str, QueryFacts]) -> None:
    """Keep the query that a model has written for each of some questions, to answer them by it.

    Raises:
        StoreError, LockedError: If that cannot be written.
    """
    if corpus.state is None or not queries:
        return
    build = corpus.build_path().stem
    with open_state(corpus.state) as state:
        kept = Feedback(state)
        for question, facts in queries.items():
            columns = describe_columns(facts)
            kept.keep_verdict(Verdict(MODEL, "right", question, facts.sql, columns, build))


def answer_verified(corpus: Corpus, kept: Feedback, question: str) -> Answer | None:
    """Answer *question* by the query that is kept for it; None if there is none.

    What a person has said of it counts, else what a model has written, as long as the table is one
    that it has read. None, too, where the query compares with a text that is stored otherwise.

    Raises:
        QueryError: If it cannot be run at the moment.
    """
    found = find_kept(corpus, kept, question)
    return found and _answer(corpus, question, *found)


def find_kept(corpus: Corpus, kept: Feedback, question: str) -> tuple[QueryFacts, Giver] | None:
    """Return the query that `answer_verified` would run, and whose it is."""
    said = kept.verdicts(question)
    by_person = [x for x in said if x.giver == PERSON]
    by_model = said if is_predicted(corpus.info().engine) else []
    for pair in by_person or by_model:
        if still_holds(corpus, kept, pair):
            facts = read_query(pair.sql, corpus.schema())
            return None if diagnose(corpus, facts) else (facts, pair.giver)
    return None


def write_examples(corpus: Corpus, kept: Feedback, question: str) -> str:
    """Write the verified pairs most like *question*, for the end of a prompt; empty if none is.

    Alike are those that share most of their words, but for the names of the record.
    """
    schema = corpus.schema()
    asked, ranked = _subject(question, schema), list[tuple[float, Verdict]]()
    for pair in filter(lambda pair: pair.is_verified, kept.verdicts()):
        words = _subject(pair.question, schema)
        shared = len(asked & words) / max(1, len(asked | words))
        if shared and question_key(pair.question) != question_key(question):
            ranked.append((shared, pair))
    shown: list[str] = []
    for _, pair in sorted(ranked, key=lambda item: (-item[0], -item[1].number)):
        line = f"- “{one_line(pair.question)}” → {one_line(pair.sql)}"
        if count_tokens(line) <= _MAX_TOKENS and still_holds(corpus, kept, pair):
            shown.append(line)
        if len(shown) == _MAX_EXAMPLES:
            break
    lines = "\n".join(shown)
    return f"\n\n{_EXAMPLES}\n{enclose(lines)}" if shown else ""


def still_holds(corpus: Corpus, kept: Feedback, pair: Verdict) -> bool:
    """Whether a kept query means what it did; it is retired where it does not.

    It is looked at once a build.
    """
    build = corpus.build_path().stem
    if not pair.answers or pair.build == build:
        return pair.answers
    pair = _renamed(corpus, pair)
    try:
        fault = _find_fault(corpus, pair)
    except _PASSING:
        return False
    kept.keep_seen(replace(pair, build=build, retired=fault))
    return not fault


def retire_pairs(corpus: Corpus, kept: Feedback) -> None:
    """Retire each kept query that does not mean any more what it did."""
    for pair in kept.verdicts():
        still_holds(corpus, kept, pair)


def describe_columns(facts: QueryFacts) -> str:
    """Say what the columns of a query are: `"length number m, town string"`."""
    used = (item for item in facts.schema.attributes if item.name in facts.names)
    return ", ".join(" ".join(filter(None, (x.name, str(x.type), x.unit))) for x in used)


def _renamed(corpus: Corpus, pair: Verdict) -> Verdict:
    """Return *pair* by the names that its columns have now, as far as a person gave them."""
    tables = {table.entity: former_names(table) for table in corpus.schema().tables}
    sql = rename_columns(pair.sql, tables)
    if sql == pair.sql:
        return pair
    names = tables[read_query(sql, corpus.schema()).schema.entity]
    described = (item.partition(" ") for item in pair.columns.split(", "))
    columns = ", ".join(f"{names.get(name, name)} {rest}" for name, _, rest in described)
    return replace(pair, sql=sql, columns=columns)


def _find_fault(corpus: Corpus, pair: Verdict) -> str:
    if renamed := renamed_in(pair.sql, corpus.info().renamed):
        return renamed[0]
    try:
        corpus.select(pair.sql, limit=1)
    except _PASSING:
        raise
    except QueryError as error:
        return one_line(str(error))
    now = describe_columns(read_query(pair.sql, corpus.schema()))
    is_same = {*now.split(", ")} == {*pair.columns.split(", ")}
    return "" if is_same else f"its columns were {pair.columns}, and are {now}"


def _answer(corpus: Corpus, question: str, facts: QueryFacts, giver: Giver) -> Answer:
    page = corpus.select(facts.sql, limit=MAX_ROWS)
    restated = facts.words or question.strip(" .?")
    grounds = find_grounds(corpus, facts, page)
    answer = write_answer(Translation(question, restated, facts), page, grounds)
    engine, told = (VERIFIED, BY_PERSON) if giver == PERSON else (corpus.info().engine, BY_MODEL)
    return replace(answer, engine=engine, assumptions=(told, *answer.assumptions))


def _subject(question: str, schema: Schema) -> frozenset[str]:
    names: Sequence[str] = (schema.entity, schema.title, *schema.nouns)
    nouns = {stem(word) for name in names for word in content_words(name)}
    return frozenset(map(stem, content_words(question))) - nouns
