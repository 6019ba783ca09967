"""The commands that show what the columns hold, and where it comes from."""

from typing import Annotated, Literal

import typer

from srag_mcp.cli.opening import open_ready
from srag_mcp.cli.options import CorpusArgument, HomeOption, JsonOption, command_settings


def schema(corpus: CorpusArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show the columns of a corpus and what they hold."""
    from srag_mcp.cli.columns import print_schema

    with open_ready(corpus, command_settings(home)) as opened:
        print_schema(opened, as_json=as_json)


def stats(
    corpus: CorpusArgument,
    column: Annotated[
        list[str] | None, typer.Argument(help="Columns; all when none.", metavar="[COLUMN]...")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how many documents know a column, and its values."""
    from srag_mcp.cli.columns import print_statistics

    with open_ready(corpus, command_settings(home)) as opened:
        print_statistics(opened, column or [], as_json=as_json)


def trace(
    corpus: CorpusArgument,
    column: Annotated[str, typer.Argument(help="The column.", metavar="COLUMN")],
    value: Annotated[str, typer.Option(help="Only cells with this value.", metavar="TEXT")] = "",
    document: Annotated[str, typer.Option(help="Only this document.", metavar="ID")] = "",
    state: Annotated[
        Literal["stated", "stated_absent", "not_mentioned", "failed"] | None,
        typer.Option(help="Only cells in this state."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most cells.", metavar="N")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Cells to leave out first.", metavar="N")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the documents and quotes behind the values of a column."""
    from srag_mcp.cli.evidence import print_evidence

    with open_ready(corpus, command_settings(home)) as opened:
        if document:
            opened.document(document)
        found = opened.trace(
            column,
            value=value,
            document_id=document,
            state=state or "",
            limit=limit,
            offset=offset,
        )
        print_evidence(found, offset, as_json=as_json)


def review(
    corpus: CorpusArgument,
    column: Annotated[str, typer.Option(help="Only this column.", metavar="COLUMN")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most cells.", metavar="N")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Cells to leave out first.", metavar="N")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the cells that the model and a learned rule read differently."""
    from srag_mcp.cli.reviews import print_reviews
    from srag_mcp.store.evidence import read_reviews

    with open_ready(corpus, command_settings(home)) as opened:
        if column:
            opened.schema().attribute(column)  # or says which there are
        print_reviews(read_reviews(opened.read, column, limit, offset), offset, as_json=as_json)
