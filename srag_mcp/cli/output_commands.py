"""The commands that hand a corpus on: to a file for other programs, to a page for a browser."""

import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp import views
from srag_mcp.cli import arguments as given
from srag_mcp.cli.arguments import argument, flag, open_tables, option
from srag_mcp.cli.printing import say
from srag_mcp.errors import (
    QueryMemoryError,
    QueryTimeoutError,
    SettingsError,
    SeveralKindsError,
)
from srag_mcp.settings import Settings
from srag_mcp.text.shown import one_line

if TYPE_CHECKING:
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.export import Part


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
    """Write a whole table, or all rows of a query, to a file; of several kinds, all tables."""
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.export import Part, check_target, files_of, table_sql

    if statement and (table or quotes or states):
        msg = "--sql goes without --table, --quotes and --states: it says itself what is written"
        raise typer.BadParameter(msg)
    settings = given.command_settings(home)
    check_target(out, force=force)
    with open_tables(corpus, settings) as opened:
        if isinstance(opened, Corpus):
            if statement:
                export_query(opened, statement, out, settings)
                return
            wanted = [(opened, table, table or opened.schema().entity)]
        else:
            own = [x for x in opened.own_tables() if table in {"", x.name}]
            if statement or not own:
                raise SeveralKindsError(corpus, [opened.names()])
            wanted = [(x.corpus, x.table.entity, x.name) for x in own]
        parts = [
            Part(of, table_sql(of, name, quotes=quotes, states=states), called)
            for of, name, called in wanted
        ]
        for file in {*files_of([x.name for x in parts], out)}:
            check_target(file, force=force)
        _export(parts, out, settings)
        say(*map(one_line, opened.notices()), file=sys.stderr)


def export_query(corpus: "Corpus", statement: str, out: Path, settings: Settings) -> None:
    """Write all rows of a query; say of them on stderr what `srag-mcp sql` says."""
    from srag_mcp.store.export import Part

    room, said = settings.max_result_characters, ["over how many documents this is was not counted"]
    try:
        page = views.answers.result_table(corpus, statement, 1, 0, room)
        said = [*page.coverage, *page.notes]
    except (QueryTimeoutError, QueryMemoryError) as error:  # an export may take longer
        said.append(str(error))
    _export([Part(corpus, statement, "result")], out, settings)
    say(*map(one_line, said), file=sys.stderr)


def _export(parts: "Sequence[Part]", out: Path, settings: Settings) -> None:
    from srag_mcp.store.export import export_parts, files_of

    counts = export_parts(parts, out, settings.export_timeout_s)
    files = files_of([part.name for part in parts], out)
    for part, file, n_rows in zip(parts, files, counts, strict=True):
        of = f" of {part.name}" if len(parts) > 1 else ""
        print(f"{n_rows:,} {'row' if n_rows == 1 else 'rows'}{of} written to {file}")


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
    from srag_mcp.store.corpus import Corpus

    settings = given.command_settings(home, engine=engine, model=model)
    if write is not None:
        from srag_mcp.page.page_server import ENDINGS, write_page
        from srag_mcp.store.export import check_target, files_of

        check_target(write, force=force, endings=ENDINGS)
    with open_tables(corpus, settings) as found:
        kinds = [found] if isinstance(found, Corpus) else found.corpora
        if write is not None:
            files = files_of([x.name.rpartition("/")[2] for x in kinds], write)
            for file in files:
                check_target(file, force=force, endings=ENDINGS)
            for opened, file in zip(kinds, files, strict=True):
                print(write_page(opened, file))
            return
        from srag_mcp.page.page_server import serve_page

        def tell(address: str) -> None:
            print(f"{address}\nCtrl-C ends it.", flush=True)
            if open_browser and _has_screen():
                webbrowser.open(address)

        for opened in kinds:
            opened.info()  # what is wrong with the build is said here, and its reader is warm
        try:
            serve_page(kinds, settings, port, tell)
        except OSError as error:
            msg = f"port {port} of 127.0.0.1 cannot be used: {error.strerror}"
            raise SettingsError(msg) from error


def _has_screen() -> bool:
    """Whether a browser has a window; one in the terminal would hold it."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in {"win32", "darwin"} or any(map(os.environ.get, names))
