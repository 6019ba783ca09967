"""A question as a turn of a conversation: it may lean on one before, or call an answer wrong."""

import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar

from srag_mcp.errors import LockedError, ModelError, QuestionError, StoreError
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
)
from srag_mcp.inference.by_model import TranslationReply
from srag_mcp.inference.verified import answer_verified, find_kept, write_examples
from srag_mcp.model.language_model import Correction, LanguageModel
from srag_mcp.model.ledger import Totals
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.reply_content import ReplyContent, ask_for
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.feedback import (
    Feedback,
    Turn,
    Verdict,
    follow_back,
    open_feedback,
    question_key,
)
from srag_mcp.text.shown import one_line, quoted, shorten
from srag_mcp.text.words import stem, words

logger = logging.getLogger(__name__)

AgentVerdict: TypeAlias = Literal["", "wrong"]
Returned = TypeVar("Returned")

NOT_KEPT = (
    "no questions are kept here, as the corpus cannot be written: of those before, the one that"
    " was given is known, and no other"
)
SAME_QUERY = "the question was read again, and the same query was written"
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
    pointing = _pointing(corpus, question, previous)
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
    answer = refused or _with(kept, lambda kept: answer_verified(corpus, kept, asked))
    answer = answer or ask(corpus, asked, _inform(corpus, asked, left(), kept))
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
