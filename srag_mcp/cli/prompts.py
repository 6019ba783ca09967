"""What `srag-mcp prompts` does and prints: a script or a person answers for the agent engine."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import anyio.to_thread
from pydantic import JsonValue

from srag_mcp.cli.tables import print_json
from srag_mcp.errors import SettingsError
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.settings import Settings
from srag_mcp.text.shown import printable
from srag_mcp.views.prompt_pages import (
    PromptDesk,
    await_prompts,
    count_refused,
    next_command,
    step_lines,
)
from srag_mcp.views.results import AnswersPage, PromptPage


def fetch_prompts(
    location: Path, settings: Settings, max_prompts: int, wait_s: float, *, again: bool = False
) -> PromptPage:
    """Fetch prompts to answer, after a wait for those that the job is about to ask.

    *again*: at once, and with those that were given out before.

    Raises:
        JobError: If nothing asks.
    """
    desk = PromptDesk(location, settings, location.name)
    if not again:
        read = partial(anyio.to_thread.run_sync, desk.status)
        run_to_end(await_prompts, read, max_prompts, wait_s)
    return desk.hand_out(max_prompts, again=again)


def give_answers(
    location: Path, settings: Settings, answers: list[JsonValue]
) -> tuple[AnswersPage, int]:
    """Answer prompts; return what became of them, and how many are to be sent again.

    Raises:
        JobError: If nothing asks.
        ModelError: If answers cannot be kept.
    """
    desk = PromptDesk(location, settings, location.name)
    outcomes = desk.keep(answers)
    return desk.say(outcomes), count_refused(outcomes)


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
        print_json(page.exact() | {"next": next_command(page, corpus)}, indent=None)
        return
    for step in page.steps:
        print(printable("\n".join(step_lines(step))))
    print(next_command(page, corpus), file=sys.stderr)


def print_answers(page: AnswersPage, n_refused: int, corpus: str, *, as_json: bool) -> None:
    """Print what became of answers, of which *n_refused* are to be sent again."""
    advice = next_command(page, corpus, n_refused)
    if as_json:
        print_json(page.exact() | {"next": advice}, indent=None)
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
