"""The command line: its commands, and how one is run. Each parses, calls the library, prints.

`serve` is here, so that a server, which has to start fast, loads no module of other commands.
"""

import io
import logging
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from srag_mcp import __version__
from srag_mcp.cli import arguments as given
from srag_mcp.cli.arguments import flag, option
from srag_mcp.errors import AskFirstError, SragError
from srag_mcp.text.shown import printable

logger = logging.getLogger(__name__)

SERVE = "serve"
# In the order of the help, with the modules of this package that they are in.
_COMMANDS = {
    SERVE: "command_line",
    **dict.fromkeys(("ingest", "extend", "status", "kinds"), "building_commands"),
    "ask": "reading_commands",
    "feedback": "editing_commands",
    **dict.fromkeys(("sql", "search", "schema", "stats", "trace", "review"), "reading_commands"),
    **dict.fromkeys(("correct", "columns", "names"), "editing_commands"),
    **dict.fromkeys(("view", "export"), "reading_commands"),
    "ledger": "reading_commands",
    **dict.fromkeys(("demo", "eval", "judge", "compare", "config"), "trial_commands"),
    "prompts": "editing_commands",
}


def make_app(only: str = "") -> typer.Typer:
    """Make the command line, its commands in the order of the help.

    The one that is run is made alone: to load and describe all takes longer than most take.
    """
    is_alone = only in _COMMANDS
    app = typer.Typer(
        name="srag-mcp",
        help="Ask questions that need every document: a folder becomes one SQL table.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=not is_alone,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_options)
    for name in [only] if is_alone else _COMMANDS:
        module = import_module(f"srag_mcp.cli.{_COMMANDS[name]}")
        command = getattr(module, "evaluate" if name == "eval" else name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name=name)(command)
    return app


def serve(
    corpus: given.CorpusOptions,
    http: Annotated[
        int | None,
        option("Serve streamable HTTP on this port of 127.0.0.1.", "PORT", least=1, most=65535),
    ] = None,
    home: given.HomeOption = None,
) -> None:
    """Serve corpora to MCP clients, on stdio or over HTTP."""
    from srag_mcp.server.tools import build_server

    settings = given.command_settings(home)
    locations = given.find_corpora(corpus, settings)
    if http is not None:
        from srag_mcp.server.loopback import serve_loopback

        serve_loopback(build_server(locations, settings), http)
        return
    server = build_server(locations, settings)
    # A thread waits for stdin and cannot be interrupted: Ctrl-C would wait for the next line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        server.run("stdio")
    except* BrokenPipeError:
        logger.debug("the client left before its answers")
    # Nobody reads an answer any more: a thread that still waits for a model is not waited for.
    sys.stderr.flush()
    os._exit(0)


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
        try:
            make_app(sys.argv[1] if len(sys.argv) > 1 else "")()
        finally:
            _flush()
    except AskFirstError as error:
        _fail(str(error), given.REFUSED_STATUS)
    except SragError as error:
        _fail(str(error))
    except OSError as error:
        # No permission, a full disk: what the system says is what there is to say.
        named = f"{error.filename}: " if error.filename else ""
        _fail(f"{named}{error.strerror or error}")


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        # Python would try again at its end, and say so at length.
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise


def _fail(text: str, status: int = 1) -> NoReturn:
    from srag_mcp.views.results import for_terminal

    print(f"error: {for_terminal(printable(text))}", file=sys.stderr)
    sys.exit(status)


def _options(version: Annotated[bool, flag("--version", "Print the version.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit
