"""`srag-mcp correct`: a value that a person sets instead of what was read."""

from typing import Annotated

import typer

from srag_mcp.cli.arguments import CorpusArgument, HomeOption, command_settings, open_ready
from srag_mcp.cli.printing import say
from srag_mcp.errors import CorpusError


def correct(
    corpus: CorpusArgument,
    document: Annotated[str, typer.Argument(help="Its document_id.", metavar="DOCUMENT")],
    column: Annotated[str, typer.Argument(help="The column.", metavar="COLUMN")],
    value: Annotated[
        str,
        typer.Argument(help="What it holds; after -- if it begins with one.", metavar="[VALUE]"),
    ] = "",
    absent: Annotated[bool, typer.Option("--absent", help="The document has none.")] = False,
    unknown: Annotated[bool, typer.Option("--unknown", help="Nobody can tell.")] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Keep what waits, or what an agent set.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take a correction back.")] = False,
    home: HomeOption = None,
) -> None:
    """Set a value instead of what was read; it is kept over ingestions."""
    from srag_mcp.pipeline.correction_run import Wanted
    from srag_mcp.pipeline.correction_run import correct as correct_cell

    flags: dict[Wanted, bool] = {
        "absent": absent, "unknown": unknown, "accept": accept, "undo": undo, "value": bool(value),
    }  # fmt: skip
    wanted = [name for name, is_set in flags.items() if is_set]
    if len(wanted) != 1:
        msg = "one of VALUE, --absent, --unknown, --accept and --undo says what it holds"
        raise typer.BadParameter(msg)
    settings = command_settings(home)
    with open_ready(corpus, settings) as opened:
        if opened.is_build:
            msg = f"{corpus} is a build alone: values are corrected in the folder of its documents"
            raise CorpusError(msg)
        # what is taken back may be of a document that is gone
        found = document if undo else opened.document(document).id
        say(correct_cell(opened.location, settings, (found, column), (wanted[0], value)).render())
