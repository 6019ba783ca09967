"""`srag-mcp names`: which spellings are one value, and what a person decides on them."""

from dataclasses import asdict
from typing import Annotated

import typer

from srag_mcp import views
from srag_mcp.cli.arguments import (
    CorpusArgument,
    HomeOption,
    JsonOption,
    command_settings,
    open_ready,
)
from srag_mcp.cli.printing import print_json, print_table, say
from srag_mcp.errors import CorpusError, SchemaError
from srag_mcp.text.shown import one_line

_MAX_LISTED = 1_000


def names(
    corpus: CorpusArgument,
    column: Annotated[
        str, typer.Argument(help="Only this column.", metavar="[COLUMN]", show_default=False)
    ] = "",
    spellings: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two or more names of it, to be decided on.",
            metavar="[NAME]...",
            show_default=False,
        ),
    ] = None,
    same: Annotated[
        bool, typer.Option("--same", help="They mean one thing, written as the first.")
    ] = False,
    apart: Annotated[bool, typer.Option("--apart", help="No two of them mean one thing.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Take back what was decided on them.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which spellings of names are one value; decide on some for good, as a person."""
    from srag_mcp.pipeline.name_run import Decision, decide_names

    given = list(dict.fromkeys(spellings or ()))
    n_decisions = same + apart + forget
    if n_decisions > 1 or bool(given) != bool(n_decisions) or (len(given) < 2 and (same or apart)):
        msg = "two or more names of a column take one of --same, --apart and --forget"
        raise typer.BadParameter(msg)
    settings = command_settings(home)
    with open_ready(corpus, settings) as opened:
        if column:
            opened.schema().attribute(column)  # or says which there are
        if opened.is_build and given:
            msg = f"{corpus} is a build alone: names are decided on in the folder of its documents"
            raise CorpusError(msg)
        for name in given:
            near = opened.values().search(name, [column])
            if not near or near[0].score < 1.0:
                alike = ", ".join(f"“{item.spelling or item.value}”" for item in near)
                hint = f"; names that look alike: {alike}" if alike else ""
                msg = f"{column} has no name “{one_line(name)}”{hint}"
                raise SchemaError(msg)
        if given:
            decision: Decision = "same" if same else "apart" if apart else "forget"
            decide_names(opened.location, settings, column, given, decision)
            say("kept, and published" if decision != "forget" else "forgotten, and published")
        found = opened.united_names(column, _MAX_LISTED)
    if as_json:
        print_json([asdict(item) for item in found])
        return
    if found:
        print_table(*views.traces.united_table(found))
    else:
        say("no name has several spellings")
