"""`srag-mcp columns`: what a person can do in `schema.json`, by command, seen before it is done."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp.cli.arguments import (
    REFUSED_STATUS,
    CorpusArgument,
    HomeOption,
    JsonOption,
    YesOption,
    command_settings,
    find_corpus,
)
from srag_mcp.cli.building_commands import agrees
from srag_mcp.cli.printing import print_json, say
from srag_mcp.settings import COLUMN_EDITS

if TYPE_CHECKING:
    from srag_mcp.pipeline.column_run import ColumnChange


def columns(
    corpus: CorpusArgument,
    action: Annotated[
        str,
        typer.Argument(help=f"{COLUMN_EDITS}.", metavar="ACTION"),
    ],
    names: Annotated[list[str], typer.Argument(help="What it takes.", metavar="NAME...")],
    yes: YesOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rename, drop, hide, merge or retype columns; what changes is shown and asked about first."""
    from srag_mcp.pipeline.column_run import change_columns

    settings = command_settings(home)
    location = find_corpus(corpus, settings)
    if not yes:
        _show(change_columns(location, settings, action, names, is_preview=True), as_json=as_json)
        if not agrees("Do it?"):
            raise typer.Exit(REFUSED_STATUS)
    change = change_columns(location, settings, action, names)
    _show(change, as_json=as_json and yes)
    if not as_json:
        say("published")


def _show(change: "ColumnChange", *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(change))
    else:
        say(*change.lines())
