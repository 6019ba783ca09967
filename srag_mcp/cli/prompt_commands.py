"""The commands below `srag-mcp prompts`: a script or a person answers for the agent engine."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from srag_mcp import views
from srag_mcp.cli import arguments as given
from srag_mcp.cli.arguments import argument, find_corpus, flag, option
from srag_mcp.cli.printing import print_json, say
from srag_mcp.errors import SettingsError
from srag_mcp.text.shown import printable
from srag_mcp.views.results import for_terminal

if TYPE_CHECKING:
    from srag_mcp.views.job_pages import PromptDesk
    from srag_mcp.views.results import PromptPage

_MAX_CHARACTERS = 30_000  # a page that agents' shells show whole

prompts = typer.Typer(
    help="Answer the prompts of the agent engine, by hand or by a script.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@prompts.command(name="next")
def next_prompts(
    corpus: given.CorpusArgument,
    max_prompts: Annotated[int, option("Most prompts.", "N", name="--max", least=1)] = 200,
    max_characters: Annotated[
        int, option("Most characters of them.", "N", least=1)
    ] = _MAX_CHARACTERS,
    wait: Annotated[float, option("Longest wait for prompts.", "SECONDS", least=0)] = 20.0,
    again: Annotated[
        bool, flag("--again", "Those, too, that were given out, and are lost.")
    ] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Print prompts of a running ingestion; they are yours to answer."""
    import anyio.to_thread

    from srag_mcp.model.litellm_library import run_to_end

    desk = _open_desk(corpus, home)
    if not again:  # the job may be about to ask
        read = partial(anyio.to_thread.run_sync, desk.status)
        run_to_end(views.job_pages.await_prompts, read, max_prompts, wait)
    page = desk.hand_out(max_prompts, max_characters=max_characters, again=again)
    if not as_json:
        for step in page.steps:
            print(printable("\n".join(views.job_pages.step_lines(step))))
    _print_next(page, as_json=as_json)


@prompts.command(name="answer")
def answer_prompts(
    corpus: given.CorpusArgument,
    file: Annotated[str, argument("JSON or JSON lines of {id, reply}; - for stdin.", "FILE")] = "-",
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Answer prompts; exit 1 if an answer was refused."""
    desk = _open_desk(corpus, home)
    outcomes = desk.keep(read_answers(file))
    page = desk.say(outcomes)
    if not as_json:
        print(f"{page.accepted} accepted, {len(page.problems)} refused")
        for item in page.problems:
            print(printable(f"{item.id}: {item.problem}"))
    _print_next(page, as_json=as_json)
    if page.problems:
        raise typer.Exit(1)


def _open_desk(corpus: str, home: Path | None) -> "PromptDesk":
    settings = given.command_settings(home)
    folder = find_corpus(corpus, settings)
    return views.job_pages.PromptDesk(folder, settings, corpus)


def _print_next(page: "PromptPage", *, as_json: bool) -> None:
    """Print what to do next, on stderr; or the whole page as JSON."""
    if as_json:
        print_json(page.exact() | {"next": for_terminal(page.next)}, indent=None)
        return
    if page.state not in views.job_pages.ASKING:
        lines = views.job_pages.job_lines(page)
        say(*(lines[:1] if page.state == "done" else lines), file=sys.stderr)
    say(*filter(None, [page.so_far]), f"next: {page.next}", file=sys.stderr)


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
        found = []
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                found += [json.loads(line)] if line.strip() else []
            except (ValueError, RecursionError) as error:  # the latter: nested without end
                msg = f"{file}, line {number}, is not JSON: {error}"
                raise SettingsError(msg) from error
    return found if isinstance(found, list) else [found]
