"""Where an ingestion stands, its prompts for agents, and what to do next: for agents and people."""

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import anyio
from pydantic import JsonValue

from srag_mcp.engines.protocol import Workload
from srag_mcp.errors import JobError
from srag_mcp.pipeline.jobs import Job, agent_prompts, read_job
from srag_mcp.settings import Settings, named_engine
from srag_mcp.store.layout import POINTER_FILE, CorpusFolder
from srag_mcp.store.spool import AnswerOutcome, SpooledPrompt
from srag_mcp.store.state import pause_s
from srag_mcp.text.shown import one_line, shorten
from srag_mcp.views.results import (
    PAGE_SHARE,
    AnswerProblem,
    AnswersPage,
    CorrectionEntry,
    JobStatus,
    PromptEntry,
    PromptPage,
    PromptStep,
    extension_call,
    take_whole,
)

MAX_REPORT_LINES = 30
MAX_LINE_CHARACTERS = 400
ASKED_TO_STOP = "it was asked to stop; it ends after the document it is at"
SETTLED_S = 0.1  # a job writes prompts milliseconds apart
PROBLEMS_SHARE = 0.5
MAX_ID_CHARACTERS = 80
MAX_PROBLEM_CHARACTERS = 1000
NO_JOB = "no job"
OVER = "it is over, nothing waits"
ASKING = {"running", NO_JOB}
SAME_AS_BEFORE = "the same, and the same reply schema, as of the prompts that you just answered"


def job_page(folder: Path, settings: Settings, name: str, job: Job, note: str = "") -> JobStatus:
    """Show a job that ingests *folder*, the corpus called *name*."""
    report = [note] * bool(note)
    report += [shorten(line, MAX_LINE_CHARACTERS) for line in job.report[:MAX_REPORT_LINES]]
    if len(job.report) > MAX_REPORT_LINES:
        report.append(f"{len(job.report) - MAX_REPORT_LINES} more lines")
    if job.error:
        report.append(shorten(job.error, 10 * MAX_LINE_CHARACTERS))
    waiting, so_far = 0, ""
    if job.is_running and note != ASKED_TO_STOP:
        with agent_prompts(folder, settings) as spool:
            count, begun = spool.count(), datetime.fromisoformat(job.started_at)
            waiting, n_waiting = count.n_open, count.n_open + count.n_leased
            so_far = _say_how_far(spool.n_answered(begun), n_waiting, Workload(*job.expected))
    call = f"call ingest_corpus with corpus={name!r}"
    if (engine := named_engine(job.engine)) is not None:
        call += f", engine={engine!r} and go=true"
    if job.attribute:
        arguments: dict[str, str | bool] = {"attribute": job.attribute}
        if job.documents is not None:
            arguments |= {"documents": job.documents, "keep": False}
        call = extension_call(name, arguments)
    again = f"ingest_status with corpus={name!r}, job_id={job.id!r}"
    following = {
        "running": f"call {again} while the state is running",
        "failed": f"mend what the report names, then {call} again",
        "cancelled": f"{call} to go on where it stopped",
        "interrupted": f"{call} to go on where it stopped",
    }.get(job.status) or _next_call(folder, settings, name)
    if waiting:
        following = f"{waiting} prompts wait for you: call next_prompts with corpus={name!r}"
    elif job.quoted:
        kinds = [f"{name}/{kind}" for kind in CorpusFolder(folder, settings.home).kinds()]
        following = f"nothing was published: {choose_call(kinds or [name], job.engine)}"
    return JobStatus(
        job_id=job.id,
        corpus=name,
        state=job.state,
        stage=job.stage,
        done=job.done,
        total=job.total,
        waiting=waiting,
        so_far=so_far,
        report=report,
        next=following,
    )


def _next_call(folder: Path, settings: Settings, name: str) -> str:
    """Say what to call after an ingestion; of several kinds those first that nobody has read."""
    kinds = CorpusFolder(folder, settings.home).kinds()
    states = {kind: CorpusFolder(place, settings.home).readable() for kind, place in kinds.items()}
    unread = [
        repr(f"{name}/{x}") for x, state in states.items() if not (state / POINTER_FILE).exists()
    ]
    ask = f"call ask with corpus={name!r}, or get_schema"
    return f"call ingest_corpus with corpus={', then '.join(unread)}; then {ask}" if unread else ask


def choose_call(names: Sequence[str], engine: str) -> str:
    """Say what to call for corpora of which nobody has agreed that *engine* reads them."""
    each = ", then ".join(map(repr, names))
    return (
        f"call ingest_corpus with corpus={each}, engine={engine!r} and go=true, and the same"
        " questions, to have that done, or with engine='offline' for the columns that code finds;"
        " then get_document without document_id reads all documents"
    )


def _say_how_far(n_answered: int, n_waiting: int, expected: Workload) -> str:
    """Say how many prompts of a job are answered, and what is to go; nothing where it asks none.

    `(12, 8, Workload(36, 60_000)) -> "12 of about 36 prompts are answered, … 40,000 tokens to go"`
    """
    n_all = max(expected.prompts, n_answered + n_waiting)
    if not n_answered and not n_waiting:
        return ""
    if not expected.prompts:
        return f"{n_answered} prompts are answered"
    n_tokens = expected.tokens * (n_all - n_answered) // max(1, n_all - expected.done)
    said = f"{n_answered} of about {n_all} prompts are answered"
    return f"{said}, about {round(n_tokens, -3) or n_tokens:,} tokens to go"


def job_lines(page: JobStatus) -> list[str]:
    """Write where a job is for people: `"job 1 is running: predicting, 26 of 40"`, its report."""
    where = ""
    if page.state == "running":
        parts = [page.stage or "starting"]
        if page.total:
            parts.append(f"{page.done} of {page.total}")
        if page.waiting:
            parts.append(f"{page.waiting} prompts wait for answers")
        parts += [page.so_far] * bool(page.so_far)
        where = f": {', '.join(parts)}"
    return [f"job {page.job_id} is {page.state}{where}", *map(one_line, filter(None, page.report))]


@dataclass(frozen=True, slots=True)
class PromptDesk:
    """Where agents fetch the prompts of a corpus and leave their answers.

    Attributes:
        folder: Of the documents.
        settings: Of the corpus.
        name: What the corpus is called.
    """

    folder: Path
    settings: Settings
    name: str

    def status(self) -> JobStatus:
        """Return the state of the latest job; `no job` for an ingestion that is none.

        Raises:
            JobError: If there is no job, and nothing was ever asked.
        """
        try:
            job = read_job(self.folder, self.settings)
        except JobError:
            with agent_prompts(self.folder, self.settings) as spool:
                if not spool.was_used:
                    raise
                count = spool.count()
            call = _next_call(self.folder, self.settings, self.name)
            following = f"{OVER} and no ingestion runs: {call}"
            corpus = CorpusFolder(self.folder, self.settings.home)
            if count.n_open or count.n_leased or corpus.is_ingested_now():  # it may ask soon
                following = ""
            return JobStatus(
                job_id="", corpus=self.name, state=NO_JOB, waiting=count.n_open, next=following
            )
        return job_page(self.folder, self.settings, self.name, job)

    def hand_out(
        self,
        max_prompts: int,
        known: Collection[str] = (),
        *,
        max_characters: int | None = None,
        again: bool = False,
    ) -> PromptPage:
        """Give prompts, as many as fit into *max_characters*; None: into one result.

        *known* is what steps share that the agent has read already; *again*: those prompts, too,
        that were given.
        """
        status = self.status()
        if status.state not in ASKING:
            over = f"{OVER} and the job is {status.state}: {status.next}"
            return PromptPage(**status.model_dump(exclude={"next"}), next=over)
        if status.state == NO_JOB and status.next:
            return PromptPage(**status.model_dump())
        given: Sequence[SpooledPrompt] = ()
        with agent_prompts(self.folder, self.settings) as spool:
            if max_prompts:
                room = int((max_characters or self.settings.max_result_characters) * PAGE_SHARE)
                given = spool.hand_out(max_prompts, room, known, again=again)
            count = spool.count()
        page = PromptPage(**status.model_dump(exclude={"next", "waiting"}), waiting=count.n_open)
        page.steps = _steps(given, known)
        page.with_others = max(0, count.n_leased - len(given))
        at = f"corpus={self.name!r}"
        page.next = (
            f"no prompt waits now, and the job runs on: call ingest_status with {at}, which waits"
            " for it, and next_prompts again"
        )
        if page.steps:
            page.next = f"answer each by its step's instructions: call answer_prompts with {at}"
        elif page.waiting:
            page.next = f"{page.waiting} prompts wait: call next_prompts with {at}"
        elif page.with_others:
            page.next = (
                f"the {page.with_others} prompts that wait were given out, to other agents or to"
                f" you: answer yours; if they are lost, call next_prompts with {at}, again=true;"
                f" those that nobody answers are free in {count.lease_s:.0f} s"
            )
        return page

    def keep(self, answers: Sequence[JsonValue]) -> list[AnswerOutcome]:
        """Keep answers; return what became of each. JobError as `status`."""
        self.status()
        pairs = [
            (answer.get("id"), answer.get("reply"))
            if isinstance(answer, Mapping)
            else (answer, None)
            for answer in answers
        ]
        with agent_prompts(self.folder, self.settings) as spool:
            return spool.answer(pairs)

    def say(
        self,
        outcomes: Sequence[AnswerOutcome],
        max_prompts: int = 0,
        max_characters: int | None = None,
    ) -> AnswersPage:
        """Say what became of answers, with further prompts."""
        known = {item.shared for item in outcomes if item.shared}
        page = self.hand_out(max_prompts, known, max_characters=max_characters)
        refused = [
            AnswerProblem(
                id=shorten(item.id, MAX_ID_CHARACTERS),
                problem=shorten(item.problem, MAX_PROBLEM_CHARACTERS),
            )
            for item in outcomes
            if not item.accepted
        ]
        room = int(self.settings.max_result_characters * PROBLEMS_SHARE)
        problems = take_whole(refused, room)
        # one whose prompt has an answer, or is not there, it does not help to put right
        n_refused = sum(bool(item.problem and item.shared) for item in outcomes)
        if n_refused and page.state in ASKING:
            theirs = "answer those of this page, and " if page.steps else ""
            page.next = (
                f"{theirs}send the {n_refused} refused ones again, put right: call answer_prompts"
                f" with corpus={page.corpus!r}"
            )
        if len(problems) < len(refused):
            page.next = f"{len(refused) - len(problems)} more problems are not shown; {page.next}"
        n_accepted = len(outcomes) - len(refused)
        return AnswersPage(**page.model_dump(), accepted=n_accepted, problems=problems)


def _steps(given: Sequence[SpooledPrompt], known: Collection[str]) -> list[PromptStep]:
    """Group prompts by what they share."""
    steps: dict[str, PromptStep] = {}
    for item in given:
        step = steps.setdefault(
            item.shared, PromptStep(step=item.prompt.step, instructions=SAME_AS_BEFORE, prompts=[])
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


async def await_prompts(
    read: Callable[[], Awaitable[JobStatus]], max_prompts: int, wait_s: float
) -> None:
    """Wait until so many prompts wait, or no more come, or nothing can come.

    A job asks its prompts one after the other: those of the first moment would make small pages.
    """
    n_before, changed_at = 0, (started := anyio.current_time())
    with anyio.move_on_after(wait_s):
        while (page := await read()).state in ASKING and page.waiting < max_prompts:
            now = anyio.current_time()
            if page.waiting != n_before:
                n_before, changed_at = page.waiting, now
            is_over = page.state == NO_JOB and page.next
            if is_over or (n_before and now - changed_at >= SETTLED_S):
                return
            await anyio.sleep(pause_s(now - started))


def step_lines(step: PromptStep) -> list[str]:
    """Write the prompts of a step for people and scripts."""
    parts = [f"## Instructions ({step.step})", step.instructions]
    parts += ["## Reply schema", json.dumps(step.reply_schema, ensure_ascii=False)]
    for prompt in step.prompts:
        parts += [f"## Prompt {prompt.id}", prompt.content]
        for correction in prompt.corrections:
            parts += [f"## Earlier reply to {prompt.id}", correction.reply, correction.problem]
    return parts
