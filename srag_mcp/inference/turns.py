"""A question as a turn of a conversation: it may lean on one before, or call an answer wrong."""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar

from srag_mcp.cells.cell import is_predicted
from srag_mcp.errors import (
    LockedError,
    ModelError,
    QueryCancelledError,
    QueryError,
    QueryMemoryError,
    QueryTimeoutError,
    QuestionError,
    StoreError,
)
from srag_mcp.inference.answer import Answer, refuse, result_key
from srag_mcp.inference.ask import (
    OFFLINE,
    Asking,
    ask,
    ask_offline,
    check_length,
    fall_back,
    only_sure,
    open_metered,
    write_answer,
)
from srag_mcp.inference.brief import diagnose
from srag_mcp.inference.by_model import MAX_ROWS, TranslationReply
from srag_mcp.inference.grounds import find_grounds
from srag_mcp.model.language_model import (
    Correction,
    LanguageModel,
    count_tokens,
    enclose,
    render_prompt,
)
from srag_mcp.model.ledger import Totals
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.reply_content import ReplyContent, ask_for
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
    Turn,
    Verdict,
    follow_back,
    open_feedback,
    question_key,
)
from srag_mcp.store.renamings import renamed_in
from srag_mcp.store.state import open_state
from srag_mcp.text.shown import one_line, quoted, shorten
from srag_mcp.text.words import content_words, stem, words

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


logger = logging.getLogger(__name__)

AgentVerdict: TypeAlias = Literal["", "wrong"]
Returned = TypeVar("Returned")

NOT_KEPT = (
    "no questions are kept here, as the corpus cannot be written: of those before, the one that"
    " was given is known, and no other"
)
SAME_QUERY = "the question was read again, and the same query was written"
CALLED_WRONG = "this answer to this question was called wrong before"
SAME_RESULT = "another query was written, and it has the same result as the one before"
NEXT_BEST = "this is the grammar's best reading but for the one that was called wrong"
_NUMBER = re.compile(r"\d+")
_MAX_RESULT_CHARACTERS = 600  # of an answer that is called wrong, as a model is shown it
# What these mean stands in a question before; the grammar passes over them.
_POINTING = frozenset({"those", "these", "them", "they", "their", "it", "its", "ones", "same"})
# Behind these of them a question by itself may say which ones, as it does with their noun.
_OPEN = frozenset({"those", "these", "of them"})
_SAYING_WHICH = re.compile(
    r"(?:above|after|at|before|below|between|by|for|from|in|of|on|over|since|that|to|under|until"
    r"|where|which|who|whose|with|without)\Z"
)
_WRONG = """\
The query was run, and its result is:
{result}
Whoever asks says that this is not what the question asks for. Read the question again, word by \
word: which other column, condition, group, order or comparison do its words mean as well? Write \
the query of that reading. If something that the question needs is in no column, `sql` is null and \
`missing` names it; if its words have no other meaning, send the same query again. Answer with the \
whole reply, as one JSON object and nothing else."""


class ResolvedReply(ReplyContent):
    """A question that stands alone; None where nobody can tell what is asked."""

    question: str | None


def converse(
    corpus: Corpus,
    question: str,
    asking: Asking = OFFLINE,
    *,
    previous: str = "",
    verdict: AgentVerdict = "",
) -> Answer:
    """Answer *question* as `ask` does, and keep it as a turn.

    A question that a person has verified is answered by that query.

    Args:
        corpus: Whose records are asked.
        question: In plain words.
        asking: How it is translated.
        previous: The question before, where this one leans on it. A model writes both as one that
            stands alone. Without a model this one is asked as it is, and says so; one that points
            back is refused, with the query of the one before in the brief.
        verdict: `wrong` asks once more, for another reading, and shows both. It is kept and used
            for nothing else: documents may have led an agent to it.

    Raises:
        NotIngestedError, QuestionError, StoreError: As `ask`.
        QuestionError: If *previous* was asked more than once, and meant another thing each time.
    """
    for text in (question, previous):
        check_length(text)
    with _open_kept(corpus) as kept:
        return _converse(corpus, question, asking, kept, (previous, verdict))


def has_kept(corpus: Corpus, question: str) -> bool:
    """Whether *question* is answered by a query that is kept for it."""
    with _open_kept(corpus) as kept:
        return _with(kept, lambda kept: find_kept(corpus, kept, question)) is not None


def _converse(
    corpus: Corpus,
    question: str,
    asking: Asking,
    kept: Feedback | None,
    given: tuple[str, AgentVerdict],
) -> Answer:
    """Answer and keep a turn; *given* are the question before and the verdict."""
    previous, verdict = given
    began = time.monotonic()

    def left() -> Asking:
        """Return how to ask in what is left of the time of this question."""
        if asking.timeout_s is None:
            return asking
        return replace(asking, timeout_s=max(0.0, asking.timeout_s + began - time.monotonic()))

    earlier = _with(kept, lambda kept: follow_back(kept.turns(), previous)) if previous else None
    earlier = earlier or []
    asked, taken, refused = question, Totals(), None
    answer = None if previous else _with(kept, lambda kept: answer_verified(corpus, kept, question))
    pointing = "" if answer else _pointing(corpus, question, previous)
    is_clear = bool(previous or not pointing)
    asking = replace(asking, grammar_first=asking.grammar_first and is_clear)
    if pointing and asking.model is None:
        refused = refuse(corpus, question, pointing)
    elif previous and asking.model is not None:
        before = [turn.asked for turn in earlier] or [previous]
        try:
            found = run_to_end(resolve_question, corpus, question, before, asking, asking.model)
            asked, taken = found.question, found.taken
            if found.problem:
                refused = replace(refuse(corpus, question, found.problem), taken=Totals())
        except ModelError as failure:
            refused = fall_back(corpus, question, None, failure)
    answer = answer or refused
    if previous and answer is None:
        answer = _with(kept, lambda kept: answer_verified(corpus, kept, asked))
    answer = answer or ask(corpus, asked, _inform(corpus, asked, left(), kept))
    answer = _say_called_wrong(answer, asked, kept)
    if verdict and not answer.refused:
        said = Verdict("agent", verdict, asked, answer.sql)
        _with(kept, lambda kept: kept.keep_verdict(said))
        answer = _ask_again(corpus, asked, left(), answer, kept)
    if previous:
        answer = _say_previous(answer, previous, earlier, asking)
    if taken.n_calls + taken.n_cached and (answer.taken or not answer.refused):
        answer = replace(answer, taken=taken + (answer.taken or Totals()))
    reason = "" if answer.brief is None else answer.brief.reason
    leaned_on = earlier[-1].asked if earlier else previous
    turn = Turn(question, leaned_on, asked, answer.restated, answer.sql, reason)
    n_kept = _with(kept, lambda kept: kept.keep_turn(turn))
    if previous and n_kept is None:
        answer = replace(answer, warnings=(*answer.warnings, NOT_KEPT))
    asked = "" if question_key(asked) == question_key(question) else asked
    return replace(answer, question=question, asked=asked, n_kept=n_kept)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question as one that stands alone.

    Attributes:
        question: As it was put, where there is a problem.
        taken: What that took.
        problem: Why there is none: nobody can tell what is asked, or other numbers were written
            than the questions say.
    """

    question: str
    taken: Totals
    problem: str = ""


async def resolve_question(
    corpus: Corpus, question: str, earlier: Sequence[str], asking: Asking, model: LanguageModel
) -> Resolved:
    """Let *model* write *question* and those before as one.

    Raises:
        ModelError: If no reply could be had.
    """
    lines = "\n".join(f"{number}. {one_line(text)}" for number, text in enumerate(earlier, 1))
    prompt = render_prompt(
        "resolve_question", "rewrite", question, earlier=enclose(lines), question=enclose(question)
    )
    own, known = (set(_NUMBER.findall(text)) for text in (question, f"{question} {earlier}"))

    def check(reply: ResolvedReply) -> list[str]:
        if reply.question is None:
            return []
        said = set(_NUMBER.findall(reply.question))
        problems = [f"no question says {', '.join(sorted(said - known))}"] if said - known else []
        if own - said:
            problems.append(f"the new question says {', '.join(sorted(own - said))}: keep it")
        try:
            check_length(reply.question)
        except QuestionError as error:
            problems.append(str(error))
        return problems if reply.question.strip() else ["the question is empty"]

    async with open_metered(corpus, asking, model) as metered:
        found = await ask_for(metered, prompt, ResolvedReply, check)
        if found.problems:
            found.forget(metered)
    whole, taken = found.content.question, metered.ledger.total
    if whole is not None and not found.problems:
        return Resolved(one_line(whole), taken)
    why = "; ".join(found.problems) or "it could mean several things"
    problem = f"the question could not be written as one that stands alone ({why}); ask one"
    return Resolved(question, taken, problem)


@contextmanager
def _open_kept(corpus: Corpus) -> Iterator[Feedback | None]:
    """Open what is kept of a corpus, once for all of a question; None where nothing can be."""
    with ExitStack() as stack:
        kept = None
        if corpus.state is not None:
            try:
                kept = stack.enter_context(open_feedback(corpus.state))
            except (StoreError, LockedError) as error:
                logger.info("turns and verdicts are not used: %s", error)
        yield kept


def _with(kept: Feedback | None, work: Callable[[Feedback], Returned]) -> Returned | None:
    """Do *work* on what is kept; None where it cannot be used: that loses no answer."""
    if kept is None:
        return None
    try:
        return work(kept)
    except (StoreError, LockedError) as error:
        logger.info("turns and verdicts are not used: %s", error)
        return None


def _pointing(corpus: Corpus, question: str, previous: str) -> str:
    """Say so where a word of *question* points to another one, empty where none does."""
    said = words(question)
    if previous:
        found = next((word for word in said if word in _POINTING), "")
        known = "the question before, which takes a language model to read"
        return f"“{found}” points to {known}" if found else ""
    schema = corpus.schema()
    nouns = {stem(word) for noun in (schema.entity, *schema.nouns) for word in words(noun)}
    for before, word, behind in zip(["", *said], said, [*said[1:], ""], strict=False):
        is_said = _SAYING_WHICH.match(behind) or stem(behind) in nouns
        if not is_said and not _OPEN.isdisjoint({word, f"{before} {word}"}):
            return f"“{word}” points to a question before, and none is given (`previous`)"
    return ""


def _inform(corpus: Corpus, question: str, asking: Asking, kept: Feedback | None) -> Asking:
    if asking.model is None:
        return asking
    examples = _with(kept, lambda kept: write_examples(corpus, kept, question))
    return replace(asking, how=replace(asking.how, examples=examples or ""))


def _ask_again(
    corpus: Corpus, question: str, asking: Asking, first: Answer, kept: Feedback | None
) -> Answer:
    """Answer *question* by another reading than that of *first*, and keep *first* beside it."""
    if asking.model is None:
        second = _ask_grammar_again(corpus, question, first)
        if asking.grammar_first:
            second = only_sure(corpus, second)
    else:
        reply = TranslationReply(missing=[], sql=first.sql)
        result = enclose(shorten(first.text, _MAX_RESULT_CHARACTERS))
        rejected = Correction(reply.model_dump_json(), _WRONG.format(result=result))
        asking = replace(asking, how=replace(asking.how, rejected=rejected), grammar_first=False)
        second = ask(corpus, question, _inform(corpus, question, asking, kept))
    if first.taken and second.taken:
        second = replace(second, taken=first.taken + second.taken)
    if _is_same_query(first, second):
        return replace(second, warnings=(SAME_QUERY, *second.warnings))
    second = replace(second, before=replace(first, translation=None))
    if not second.refused and result_key(second.rows) == result_key(first.rows):
        return replace(second, warnings=(SAME_RESULT, *second.warnings))
    return second


def _is_same_query(first: Answer, second: Answer) -> bool:
    """Whether two queries are the same but for how they are written."""
    both = [item.translation.facts.tree for item in (first, second) if item.translation]
    are_parsed = len(both) == 2 and None not in both
    return first.sql == second.sql or (are_parsed and both[0] == both[1])


def _ask_grammar_again(corpus: Corpus, question: str, first: Answer) -> Answer:
    """Answer by the grammar's best reading that has another result than *first*."""
    rejected = {first.sql}
    while True:
        second = ask_offline(corpus, question, rejected)
        if second.refused:
            return second
        if result_key(second.rows) != result_key(first.rows):
            return replace(second, warnings=(NEXT_BEST, *second.warnings))
        rejected.add(second.sql)


def _say_called_wrong(answer: Answer, asked: str, kept: Feedback | None) -> Answer:
    """Say that somebody called this answer wrong, where it is given again."""
    said = _with(kept, lambda kept: kept.verdicts(asked)) or ()
    if answer.sql and any((x.judgement, x.sql) == ("wrong", answer.sql) for x in said):
        return replace(answer, warnings=(CALLED_WRONG, *answer.warnings))
    return answer


def _say_previous(answer: Answer, previous: str, earlier: Sequence[Turn], asking: Asking) -> Answer:
    """Say that the question before was left aside, or, in a brief, what its query was."""
    if answer.brief is not None:
        last = earlier[-1] if earlier else None
        query = f", and its query was {last.sql}" if last and last.sql else ""
        said = f"{quoted(last.asked if last else previous)} was asked before{query}"
        return replace(answer, brief=replace(answer.brief, previous=said))
    if asking.model is None:
        return replace(answer, text=f"Taken alone, without {quoted(previous)}: {answer.text}")
    return answer
