"""Arguments and options that several commands have, and the settings that they make."""

import logging
import os
from pathlib import Path
from typing import Annotated

import typer

from srag_mcp.settings import EngineChoice, Settings

REFUSED_STATUS = 3
"""Exit status where a question is refused, or a folder should be looked at before it is read."""

CORPUS_HELP = "A folder of documents, a published .duckdb build, or a shipped corpus (hotels, cvs)."
CorpusArgument = Annotated[str, typer.Argument(help=CORPUS_HELP, metavar="CORPUS")]
CorpusOptions = Annotated[list[str], typer.Option("--corpus", help=CORPUS_HELP, metavar="CORPUS")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
EngineOption = Annotated[
    EngineChoice | None,
    typer.Option(
        help="Who does the thinking: offline, model, agent or auto (SRAG_ENGINE).", metavar="ENGINE"
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(help="Language model as litellm names it (SRAG_MODEL).", metavar="NAME"),
]
ApiBaseOption = Annotated[
    str | None,
    typer.Option(help="Address of an own model server (SRAG_API_BASE).", metavar="URL"),
]
HomeOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder for databases that DIR/.srag cannot hold (SRAG_HOME).", metavar="DIR"
    ),
]


def command_settings(home: Path | None, **options: object) -> Settings:
    """Read the settings of a command, and log as they say; options win over the environment.

    Raises:
        SettingsError: If a value cannot be used.
    """
    settings = Settings.from_environ(os.environ, home=home, **options)
    logging.getLogger().setLevel(settings.log_level.upper())
    return settings
