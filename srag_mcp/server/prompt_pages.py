"""What next_prompts and answer_prompts return; no protocol in here.

Imports of the layers below stand in the functions: listing the tools does not need them.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio
from pydantic import JsonValue

from srag_mcp.errors import JobError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.job_pages import open_spool, status_page
from srag_mcp.server.page_size import take_whole
from srag_mcp.server.prompt_results import (
    AnswerProblem,
    AnswersPage,
    CorrectionEntry,
    PromptEntry,
    PromptPage,
    PromptStep,
)
from srag_mcp.server.results import JobStatus
from srag_mcp.text.shown import shorten

if TYPE_CHECKING:
    from srag_mcp.store.spool import AnswerOutcome, SpooledPrompt

PAGE_SHARE = 0.9  # of the characters of a result; the rest is for what stands around the prompts
POLL_S = 0.25
PROBLEMS_SHARE = 0.5
MAX_ID_CHARACTERS = 80
MAX_PROBLEM_CHARACTERS = 1000
NO_JOB = "no job"
ASKING = {"running", NO_JOB}
NOT_AN_ANSWER = "an answer is an object with id and reply"
SAME_AS_BEFORE = "the same, and the same reply schema, as of the prompts that you just answered"


@dataclass(frozen=True, slots=True)
class PromptCall:
    """Which prompts an agent wants.

    Attributes:
        corpus: Its name.
        job_id: The job that asks them; empty for the latest.
        max_prompts: Most prompts to give.
        known: What steps share that the agent has read already.
        again: Whether those that were given out are wanted, too.
    """

    corpus: str
    job_id: str = ""
    max_prompts: int = 0
    known: frozenset[str] = frozenset()
    again: bool = False


async def await_prompts(
    read: Callable[[], Awaitable[JobStatus]], max_prompts: int, wait_s: float
) -> None:
    """Wait until so many prompts wait, or no more come, or nothing can come.

    A job asks its prompts one after the other: those of the first moment would make small pages.
    """
    n_before = 0
    with anyio.move_on_after(wait_s):
        while (page := await read()).state in ASKING and page.waiting < max_prompts:
            if page.waiting == n_before > 0:
                return
            n_before = page.waiting
            await anyio.sleep(POLL_S)


def prompt_status(corpora: Corpora, call: PromptCall) -> JobStatus:
    """Return the state of the job that asks; `no job` for an ingestion that is none.

    Raises:
        JobError: If there is no such job, and nothing was ever asked.
    """
    try:
        return status_page(corpora, call.corpus, call.job_id)
    except JobError:
        with open_spool(corpora, call.corpus) as spool:
            if call.job_id or not spool.was_used:
                raise
            n_open = spool.count().n_open
        return JobStatus(job_id="", corpus=corpora.name(call.corpus), state=NO_JOB, waiting=n_open)


def prompt_page(corpora: Corpora, call: PromptCall) -> PromptPage:
    """Hand prompts out, as many as fit into one result."""
    status = prompt_status(corpora, call)
    if status.state not in ASKING:
        return PromptPage(**status.model_dump())
    given: Sequence[SpooledPrompt] = ()
    with open_spool(corpora, call.corpus) as spool:
        if call.max_prompts:
            room = int(corpora.settings.max_result_characters * PAGE_SHARE)
            given = spool.hand_out(call.max_prompts, room, call.known, again=call.again)
        count = spool.count()
    page = PromptPage(**status.model_dump(exclude={"next", "waiting"}), waiting=count.n_open)
    page.steps = _steps(given, call.known)
    page.with_others = max(0, count.n_leased - len(given))
    page.next = _advice(page, len(given), count.lease_s)
    return page


def keep_answers(
    corpora: Corpora, call: PromptCall, answers: Sequence[JsonValue]
) -> tuple[PromptCall, Sequence["AnswerOutcome"]]:
    """Keep answers; return what became of each, and the call with the steps that it knows.

    Raises:
        JobError: If there is no such job.
        ModelError: If answers cannot be kept.
    """
    from srag_mcp.store.spool import AnswerOutcome

    prompt_status(corpora, call)
    pairs = [_pair(answer) for answer in answers]
    whole = [pair for pair in pairs if pair is not None]
    with open_spool(corpora, call.corpus) as spool:
        kept = iter(spool.answer(whole))
    outcomes = [
        AnswerOutcome(_id_of(answer), NOT_AN_ANSWER) if pair is None else next(kept)
        for answer, pair in zip(answers, pairs, strict=True)
    ]
    known = frozenset(outcome.shared for outcome in outcomes if outcome.shared)
    return replace(call, known=known), outcomes


def answers_page(
    corpora: Corpora, call: PromptCall, outcomes: Sequence["AnswerOutcome"]
) -> AnswersPage:
    """Say what became of answers, with further prompts where *call* asks for them."""
    page = prompt_page(corpora, call)
    refused = [
        AnswerProblem(
            id=shorten(item.id, MAX_ID_CHARACTERS),
            problem=shorten(item.problem, MAX_PROBLEM_CHARACTERS),
        )
        for item in outcomes
        if not item.accepted
    ]
    n_accepted = len(outcomes) - len(refused)
    problems = take_whole(refused, int(corpora.settings.max_result_characters * PROBLEMS_SHARE))
    n_refused = count_refused(outcomes)
    if n_refused and page.state in ASKING:
        theirs = "answer those of this page, and " if page.steps else ""
        page.next = (
            f"{theirs}send the {n_refused} refused ones again, put right: call answer_prompts with"
            f" corpus={page.corpus!r}"
        )
    if len(problems) < len(refused):
        page.next = f"{len(refused) - len(problems)} more problems are not shown; {page.next}"
    return AnswersPage(**page.model_dump(), accepted=n_accepted, problems=problems)


def count_refused(outcomes: Sequence["AnswerOutcome"]) -> int:
    """Count the answers that were not kept, and that it helps to put right.

    It does not help where the prompt has an answer, or is not there.
    """
    return sum(bool(item.problem and (item.shared or item.problem == NOT_AN_ANSWER))
               for item in outcomes)  # fmt: skip


def _pair(answer: JsonValue) -> tuple[JsonValue, JsonValue] | None:
    if not isinstance(answer, Mapping) or not {"id", "reply"} <= answer.keys():
        return None
    return answer["id"], answer["reply"]


def _id_of(answer: JsonValue) -> str:
    return str(answer.get("id", "")) if isinstance(answer, Mapping) else str(answer)


def _steps(given: Sequence["SpooledPrompt"], known: Collection[str]) -> list[PromptStep]:
    """Group prompts by what they share."""
    steps: dict[str, PromptStep] = {}
    for item in given:
        step = steps.setdefault(
            item.shared,
            PromptStep(step=item.prompt.step, instructions=SAME_AS_BEFORE, prompts=[]),
        )
        if item.shared not in known:
            step.instructions = item.prompt.instructions
            step.reply_schema = dict(item.reply_schema)
        corrections = [
            CorrectionEntry(reply=correction.reply, problem=correction.message)
            for correction in item.prompt.corrections
        ]
        content = item.prompt.content
        step.prompts.append(PromptEntry(id=item.id, content=content, corrections=corrections))
    return list(steps.values())


def _advice(page: PromptPage, n_given: int, lease_s: float) -> str:
    at = f"corpus={page.corpus!r}"
    if n_given:
        return f"answer each by its step's instructions: call answer_prompts with {at}"
    if page.waiting:
        return f"{page.waiting} prompts wait: call next_prompts with {at}"
    if page.with_others:
        return (
            f"the {page.with_others} prompts that wait were given out, to other agents or to you:"
            " answer yours; if they are lost, call next_prompts with again=true; those that nobody"
            f" answers are free in {lease_s:.0f} s: call next_prompts with {at} then"
        )
    return f"no prompt waits now: call next_prompts with {at} again"
