"""What `srag-mcp prompts` does and prints: a script or a person answers for the agent engine."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio.to_thread
from pydantic import JsonValue

from srag_mcp.cli.tables import print_json
from srag_mcp.errors import SettingsError
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.prompt_pages import (
    ASKING,
    PromptCall,
    answers_page,
    await_prompts,
    count_refused,
    keep_answers,
    prompt_page,
    prompt_status,
)
from srag_mcp.server.prompt_results import AnswersPage, PromptPage, PromptStep
from srag_mcp.server.rendering import exact
from srag_mcp.settings import Settings
from srag_mcp.store.spool import LEASE_S
from srag_mcp.text.shown import printable


def fetch_prompts(
    location: Path, settings: Settings, max_prompts: int, wait_s: float, *, again: bool = False
) -> PromptPage:
    """Fetch prompts to answer, after a wait for those that the job is about to ask.

    *again*: at once, and with those that were given out before.

    Raises:
        JobError: If nothing asks.
    """
    call = PromptCall("", max_prompts=max_prompts, again=again)
    with closing(Corpora([location], settings)) as corpora:
        if not again:
            read = partial(anyio.to_thread.run_sync, prompt_status, corpora, call)
            run_to_end(await_prompts, read, max_prompts, wait_s)
        return prompt_page(corpora, call)


def give_answers(
    location: Path, settings: Settings, answers: list[JsonValue]
) -> tuple[AnswersPage, int]:
    """Answer prompts; return what became of them, and how many are to be sent again.

    Raises:
        JobError: If nothing asks.
        ModelError: If answers cannot be kept.
    """
    with closing(Corpora([location], settings)) as corpora:
        call, outcomes = keep_answers(corpora, PromptCall(""), answers)
        return answers_page(corpora, call, outcomes), count_refused(outcomes)


def read_answers(file: str) -> list[JsonValue]:
    """Read answers from *file*, or from stdin when it is `-`: a list as JSON, or one a line.

    Raises:
        SettingsError: If it cannot be read; the text names the line.
    """
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{file} cannot be read: {error}"
        raise SettingsError(msg) from error
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = list(_read_lines(text, file))
    return found if isinstance(found, list) else [found]


def print_prompts(page: PromptPage, corpus: str, *, as_json: bool) -> None:
    """Print prompts, a step after the other; on stderr, where the job stands and what to do."""
    if as_json:
        print_json(exact(page) | {"next": _advice(page, corpus)}, indent=None)
        return
    for step in page.steps:
        print(printable(_render_step(step)))
    print(_advice(page, corpus), file=sys.stderr)


def print_answers(page: AnswersPage, n_refused: int, corpus: str, *, as_json: bool) -> None:
    """Print what became of answers, of which *n_refused* are to be sent again."""
    advice = _advice(page, corpus)
    if n_refused and page.state in ASKING:
        advice = f"send the {n_refused} refused again, put right: srag-mcp prompts answer {corpus}"
    if as_json:
        print_json(exact(page) | {"next": advice}, indent=None)
        return
    print(f"{page.accepted} accepted, {len(page.problems)} refused")
    for item in page.problems:
        print(printable(f"{item.id}: {item.problem}"))
    print(advice, file=sys.stderr)


def _read_lines(text: str, file: str) -> Iterator[JsonValue]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:  # the latter: nested without end
                msg = f"{file}, line {number}, is not JSON: {error}"
                raise SettingsError(msg) from error


def _render_step(step: PromptStep) -> str:
    parts = [f"## Instructions ({step.step})", step.instructions]
    parts += ["## Reply schema", json.dumps(step.reply_schema, ensure_ascii=False)]
    for prompt in step.prompts:
        parts += [f"## Prompt {prompt.id}", prompt.content]
        for correction in prompt.corrections:
            parts += [f"## Earlier reply to {prompt.id}", correction.reply, correction.problem]
    return "\n".join(parts)


def _advice(page: PromptPage, corpus: str) -> str:
    n_given = sum(len(step.prompts) for step in page.steps)
    counts = f"{n_given} prompts to answer, {page.waiting} wait, {page.with_others} are with others"
    if n_given:
        answers = 'with lines {"id": …, "reply": …}'
        return f"{counts}: srag-mcp prompts answer {corpus} FILE, {answers}"
    if page.state == "done":
        return f'the ingestion is done: srag-mcp ask {corpus} "…"'
    if page.state in ASKING:
        again = ""
        if page.with_others and not page.waiting:
            minutes = f"{LEASE_S / 60:.0f} minutes"
            again = f", which are free again {minutes} after they were fetched, or at once with"
            again += " --again"
        return f"{counts}{again}: srag-mcp prompts next {corpus}"
    said = "; ".join([page.state, *page.report])
    return f"{said}. To go on: srag-mcp ingest {corpus} --engine agent"
