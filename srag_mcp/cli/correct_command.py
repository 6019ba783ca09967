"""`srag-mcp correct`: a value that a person sets instead of what was read."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp.cli.arguments import CorpusArgument, HomeOption, command_settings, open_ready
from srag_mcp.cli.printing import say
from srag_mcp.errors import SragError
from srag_mcp.settings import Settings
from srag_mcp.text.shown import one_line

if TYPE_CHECKING:  # listing the commands does not need them
    from srag_mcp.pipeline.correction_run import Wanted
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.corrections import Kept
    from srag_mcp.store.evidence import Review

_OTHER_KEYS = {"c": "correct", "s": "skip", "q": "quit"}


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
        # what is taken back may be of a document that is gone
        found = document if undo else opened.document(document).id
        say(correct_cell(opened.location, settings, (found, column), (wanted[0], value)).render())


def decide_each(
    corpus: "Corpus", settings: Settings, kept: "Sequence[Kept]", reviews: "Sequence[Review]"
) -> None:
    """Ask for a key on each cell that is to be looked at again; what is decided is published."""
    from srag_mcp.pipeline.correction_run import correct as correct_cell

    asked: list[tuple[str, str, dict[str, tuple[str, Wanted, str]]]] = []
    for item in kept:
        held, it = item.correction, item.correction.render()
        keys: dict[str, tuple[str, Wanted, str]] = {"a": (f"accept {it}", "accept", "")}
        asked.append((held.document_id, held.column, keys | {"u": ("undo", "undo", "")}))
    for cell in reviews:
        said = {"a": cell.value, "r": cell.rule_value}
        keys = {key: (f"accept {value}", "value", value) for key, value in said.items()}
        asked.append((cell.document_id, cell.column, keys))
    for document, column, keys in asked:
        choices = {**{key: what for key, (what, *_) in keys.items()}, **_OTHER_KEYS}
        shown = ", ".join(f"{key} {what}" for key, what in choices.items())
        say(one_line(f"{column} of {document}? {shown}"), file=sys.stderr)
        key = typer.getchar()
        if key == "q":
            return
        wanted: tuple[Wanted, str] | None = keys[key][1:] if key in keys else None
        if key == "c":
            wanted = "value", str(typer.prompt("value", err=True))
        if wanted is not None:
            try:
                say(correct_cell(corpus.location, settings, (document, column), wanted).render())
            except SragError as error:
                print(f"error: {error}", file=sys.stderr)
