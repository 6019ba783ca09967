"""The command line: its commands, and how one is run. Each parses, calls the library, prints."""

import io
import logging
import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from srag_mcp import __version__
from srag_mcp.cli.options import REFUSED_STATUS
from srag_mcp.cli.serve_command import serve
from srag_mcp.errors import AskFirstError, SragError
from srag_mcp.text.shown import printable
from srag_mcp.views.wording import for_terminal

SERVE = "serve"


def make_app(only: str = "") -> typer.Typer:
    """Make the command line; for `serve` with no other command, as a server has to start fast."""
    app = typer.Typer(
        name="srag-mcp",
        help="Ask questions that need every document: a folder becomes one SQL table.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback(invoke_without_command=True)(_options)
    app.command(name=SERVE)(serve)
    if only != SERVE:
        _add_other_commands(app)
    return app


def _add_other_commands(app: typer.Typer) -> None:
    """Add all but `serve`, in the order of the help."""
    from srag_mcp.cli.building_commands import extend, ingest, status
    from srag_mcp.cli.config_command import config
    from srag_mcp.cli.prompt_commands import prompts
    from srag_mcp.cli.reading_commands import ask, ledger, review, schema, sql, stats, trace
    from srag_mcp.cli.trial_commands import demo, evaluate

    for command in (ingest, extend, status, ask, sql, schema, stats, trace, review, ledger, demo):
        app.command()(command)
    app.command(name="eval")(evaluate)
    app.command()(config)
    app.add_typer(prompts, name="prompts")


def run() -> None:
    """Run the command line; print `error: …` and exit 1 for every error raised on purpose.

    The status of a refusal is 3.
    """
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s: %(message)s"
    )
    for stream in (sys.stdout, sys.stderr):
        # A file name or a terminal may not know a character; that must not end an answer.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        _run_app()
    except AskFirstError as error:
        _fail(str(error), REFUSED_STATUS)
    except SragError as error:
        _fail(str(error))
    except OSError as error:
        # No permission, a full disk: what the system says is what there is to say.
        named = f"{error.filename}: " if error.filename else ""
        _fail(f"{named}{error.strerror or error}")


def _run_app() -> None:
    """Run the command and write all that it printed.

    Raises:
        OSError: If stdout cannot be written, besides what the command raises.
    """
    try:
        make_app(sys.argv[1] if len(sys.argv) > 1 else "")()
    finally:
        try:
            sys.stdout.flush()
        except OSError:
            # Python would try again at its end, and say so at length.
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            raise


def _fail(text: str, status: int = 1) -> NoReturn:
    print(f"error: {for_terminal(printable(text))}", file=sys.stderr)
    sys.exit(status)


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit
