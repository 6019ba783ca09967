"""The commands that answer: a question in words, or a query."""

from typing import Annotated

import typer

from srag_mcp.cli.opening import open_ready
from srag_mcp.cli.options import (
    CorpusArgument,
    EngineOption,
    HomeOption,
    JsonOption,
    ModelOption,
    command_settings,
)


def ask(
    corpus: CorpusArgument,
    question: Annotated[str, typer.Argument(help="In plain words.", metavar="QUESTION")],
    engine: EngineOption = None,
    model: ModelOption = None,
    votes: Annotated[
        int | None,
        typer.Option(
            help="Translations by the model whose results are compared; what the offline grammar is"
            " sure of is not asked (--engine model asks all).",
            metavar="N",
        ),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question, with SQL, denominator and quotes."""
    from srag_mcp.ask.ask import ask as answer
    from srag_mcp.cli.answers import print_answer
    from srag_mcp.engines.choice import choose_asking
    from srag_mcp.errors import ModelError

    settings = command_settings(home, engine=engine, model=model, votes=votes)
    asking = choose_asking(settings)
    with open_ready(corpus, settings) as opened:
        found = answer(opened, question, asking)
        no_reply = asking.model is not None and found.refused and found.taken is None
        if no_reply and not as_json:
            raise ModelError(found.text)
        print_answer(found, corpus, as_json=as_json)
        if no_reply:
            raise typer.Exit(1)


def sql(
    corpus: CorpusArgument,
    statement: Annotated[str, typer.Argument(help="One SELECT, DuckDB dialect.", metavar="SQL")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most rows.", metavar="N")] = 100,
    offset: Annotated[int, typer.Option(min=0, help="Rows to leave out first.", metavar="N")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one SELECT over the records of a corpus."""
    from srag_mcp.cli.tables import print_page

    with open_ready(corpus, command_settings(home)) as opened:
        print_page(opened.select(statement, limit=limit, offset=offset), as_json=as_json)
