"""The commands below `srag-mcp prompts`."""

from typing import Annotated

import typer

from srag_mcp.cli.options import CorpusArgument, HomeOption, JsonOption, command_settings

prompts = typer.Typer(
    help="Answer the prompts of the agent engine, by hand or by a script.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@prompts.command(name="next")
def next_prompts(
    corpus: CorpusArgument,
    max_prompts: Annotated[
        int, typer.Option("--max", min=1, help="Most prompts.", metavar="N")
    ] = 20,
    wait: Annotated[
        float, typer.Option(min=0, help="Longest wait for prompts.", metavar="SECONDS")
    ] = 20.0,
    again: Annotated[
        bool, typer.Option("--again", help="Those, too, that were given out, and are lost.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print prompts of a running ingestion; they are yours to answer."""
    from srag_mcp.cli.prompts import fetch_prompts, print_prompts
    from srag_mcp.cli.shipped import find_corpus

    settings = command_settings(home)
    page = fetch_prompts(find_corpus(corpus, settings), settings, max_prompts, wait, again=again)
    print_prompts(page, corpus, as_json=as_json)


@prompts.command(name="answer")
def answer_prompts(
    corpus: CorpusArgument,
    file: Annotated[
        str, typer.Argument(help="JSON or JSON lines of {id, reply}; - for stdin.", metavar="FILE")
    ] = "-",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer prompts; exit 1 if an answer was refused."""
    from srag_mcp.cli.prompts import give_answers, print_answers, read_answers
    from srag_mcp.cli.shipped import find_corpus

    settings = command_settings(home)
    page, n_refused = give_answers(find_corpus(corpus, settings), settings, read_answers(file))
    print_answers(page, n_refused, corpus, as_json=as_json)
    if page.problems:
        raise typer.Exit(1)
