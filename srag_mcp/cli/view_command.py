"""`srag-mcp view`: a page to look at a corpus with, served on this computer or in a file."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from srag_mcp.cli.arguments import (
    CorpusArgument,
    EngineOption,
    HomeOption,
    ModelOption,
    command_settings,
    open_ready,
)
from srag_mcp.cli.export_command import ForceOption
from srag_mcp.errors import SettingsError


def view(
    corpus: CorpusArgument,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Write a page to read without a server, to a .html file.", metavar="FILE"
        ),
    ] = None,
    force: ForceOption = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of 127.0.0.1; 0 for a free one.", metavar="PORT")
    ] = 0,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open it in a browser.")
    ] = True,
    engine: EngineOption = None,
    model: ModelOption = None,
    home: HomeOption = None,
) -> None:
    """Look at a corpus in a browser: rows, columns, quotes, what to check, questions, search."""
    settings = command_settings(home, engine=engine, model=model)
    if write is not None:
        from srag_mcp.page.page_server import ENDINGS, write_page
        from srag_mcp.store.export import check_target

        check_target(write, force=force, endings=ENDINGS)
    with open_ready(corpus, settings) as opened:
        if write is not None:
            print(write_page(opened, write))
            return
        from srag_mcp.page.page_server import serve_page

        def tell(address: str) -> None:
            print(f"{address}\nCtrl-C ends it.", flush=True)
            if open_browser and _has_screen():
                webbrowser.open(address)

        opened.info()  # what is wrong with the build is said here, and its reader is warm
        try:
            serve_page(opened, settings, port, tell)
        except OSError as error:
            msg = f"port {port} of 127.0.0.1 cannot be used: {error.strerror}"
            raise SettingsError(msg) from error


def _has_screen() -> bool:
    """Whether a browser has a window; one in the terminal would hold it."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in {"win32", "darwin"} or any(map(os.environ.get, names))
