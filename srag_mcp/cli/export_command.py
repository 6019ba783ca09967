"""`srag-mcp export`: a table, or the rows of a query, as a file for other programs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp import views
from srag_mcp.cli.arguments import CorpusArgument, HomeOption, command_settings, open_ready
from srag_mcp.cli.printing import say
from srag_mcp.errors import QueryMemoryError, QueryTimeoutError
from srag_mcp.settings import Settings
from srag_mcp.text.shown import one_line

if TYPE_CHECKING:  # listing the commands does not need it
    from srag_mcp.store.corpus import Corpus

ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


def export(
    corpus: CorpusArgument,
    out: Annotated[
        Path,
        typer.Argument(help="A .csv, .parquet, .xlsx, .jsonl or .duckdb file.", metavar="OUT"),
    ],
    statement: Annotated[
        str, typer.Option("--sql", help="The rows of this SELECT.", metavar="SQL")
    ] = "",
    table: Annotated[
        str, typer.Option(help="This table; the records when none.", metavar="NAME")
    ] = "",
    quotes: Annotated[
        bool, typer.Option("--quotes", help="Behind each column, the words of the document.")
    ] = False,
    states: Annotated[
        bool, typer.Option("--states", help="Behind each column, whether the document says it.")
    ] = False,
    force: ForceOption = False,
    home: HomeOption = None,
) -> None:
    """Write a whole table, or all rows of a query, to a file."""
    from srag_mcp.store.export import check_target, table_sql

    if statement and (table or quotes or states):
        msg = "--sql goes without --table, --quotes and --states: it says itself what is written"
        raise typer.BadParameter(msg)
    settings = command_settings(home)
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
