"""The commands that hand a corpus on: to a file for other programs, to a page for a browser."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp import views
from srag_mcp.cli import arguments as given
from srag_mcp.cli.arguments import argument, flag, open_ready, option
from srag_mcp.cli.printing import say
from srag_mcp.errors import QueryMemoryError, QueryTimeoutError, SettingsError
from srag_mcp.settings import Settings
from srag_mcp.text.shown import one_line

if TYPE_CHECKING:
    from srag_mcp.store.corpus import Corpus


ForceOption = Annotated[bool, flag("--force", "Replace a file that is there.")]


def export(
    corpus: given.CorpusArgument,
    out: Annotated[Path, argument("A .csv, .parquet, .xlsx, .jsonl or .duckdb file.", "OUT")],
    statement: Annotated[str, option("The rows of this SELECT.", "SQL", name="--sql")] = "",
    table: Annotated[str, option("This table; the records when none.", "NAME")] = "",
    quotes: Annotated[
        bool, flag("--quotes", "Behind each column, the words of the document.")
    ] = False,
    states: Annotated[
        bool, flag("--states", "Behind each column, whether the document says it.")
    ] = False,
    force: ForceOption = False,
    home: given.HomeOption = None,
) -> None:
    """Write a whole table, or all rows of a query, to a file."""
    from srag_mcp.store.export import check_target, table_sql

    if statement and (table or quotes or states):
        msg = "--sql goes without --table, --quotes and --states: it says itself what is written"
        raise typer.BadParameter(msg)
    settings = given.command_settings(home)
    check_target(out, force=force)
    with open_ready(corpus, settings) as opened:
        if statement:
            export_query(opened, statement, out, settings)
            return
        sql = table_sql(opened, table, quotes=quotes, states=states)
        _export(opened, sql, out, settings, table or opened.schema().entity)
        say(*map(one_line, opened.notices()), file=sys.stderr)


def export_query(corpus: "Corpus", statement: str, out: Path, settings: Settings) -> None:
    """Write all rows of a query; say of them on stderr what `srag-mcp sql` says."""
    room, said = settings.max_result_characters, ["over how many documents this is was not counted"]
    try:
        page = views.answers.result_table(corpus, statement, 1, 0, room)
        said = [*page.coverage, *page.notes]
    except (QueryTimeoutError, QueryMemoryError) as error:  # an export may take longer
        said.append(str(error))
    _export(corpus, statement, out, settings, "result")
    say(*map(one_line, said), file=sys.stderr)


def _export(corpus: "Corpus", sql: str, out: Path, settings: Settings, name: str) -> None:
    from srag_mcp.store.export import export_rows

    n_rows = export_rows(corpus, sql, out, settings.export_timeout_s, name)
    print(f"{n_rows:,} {'row' if n_rows == 1 else 'rows'} written to {out}")


def view(
    corpus: given.CorpusArgument,
    write: Annotated[
        Path | None, option("Write a page to read without a server, to a .html file.", "FILE")
    ] = None,
    force: ForceOption = False,
    port: Annotated[
        int, option("Of 127.0.0.1; 0 for a free one.", "PORT", least=0, most=65535)
    ] = 0,
    open_browser: Annotated[bool, flag("--open/--no-open", "Open it in a browser.")] = True,
    engine: given.EngineOption = None,
    model: given.ModelOption = None,
    home: given.HomeOption = None,
) -> None:
    """Look at a corpus in a browser: rows, columns, quotes, what to check, questions, search."""
    settings = given.command_settings(home, engine=engine, model=model)
    if write is not None:
        from srag_mcp.page.page_server import ENDINGS, write_page
        from srag_mcp.store.export import check_target

        check_target(write, force=force, endings=ENDINGS)
    with open_ready(corpus, settings) as opened:
        if write is not None:
            print(write_page(opened, write))
            return
        from srag_mcp.page.page_server import serve_page

        def tell(address: str) -> None:
            print(f"{address}\nCtrl-C ends it.", flush=True)
            if open_browser and _has_screen():
                webbrowser.open(address)

        opened.info()  # what is wrong with the build is said here, and its reader is warm
        try:
            serve_page(opened, settings, port, tell)
        except OSError as error:
            msg = f"port {port} of 127.0.0.1 cannot be used: {error.strerror}"
            raise SettingsError(msg) from error


def _has_screen() -> bool:
    """Whether a browser has a window; one in the terminal would hold it."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in {"win32", "darwin"} or any(map(os.environ.get, names))
