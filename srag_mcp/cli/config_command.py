"""The command that writes configurations to paste: how MCP clients start the server."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from srag_mcp.cli.arguments import (
    ApiBaseOption,
    CorpusOptions,
    HomeOption,
    ModelOption,
    command_settings,
    find_corpus,
)
from srag_mcp.model.litellm_library import find_key_variables
from srag_mcp.settings import Settings

KEY_PLACE = "…"  # no key has this character, so that one that was not put in is found at once


class Client(StrEnum):
    """MCP clients whose configuration we can write."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


def config(
    client: Annotated[Client, typer.Argument(help="The MCP client.", metavar="CLIENT")],
    corpus: CorpusOptions,
    model: ModelOption = None,
    api_base: ApiBaseOption = None,
    home: HomeOption = None,
) -> None:
    """Print the configuration to paste into an MCP client."""
    settings = command_settings(home, model=model, api_base=api_base)
    corpora = [find_corpus(name, settings) for name in corpus]
    environment = server_environment(settings)
    print(f"Paste into {config_place(client)}:", file=sys.stderr)
    print(render_config(client, corpora, server_command(), settings.home, environment))
    keys = [name for name, value in environment.items() if value == KEY_PLACE]
    if keys:
        print(f"Put your key in the place of {KEY_PLACE}: {', '.join(keys)}", file=sys.stderr)


def server_command() -> list[str]:
    """Return the command that starts this installation, with an absolute path.

    Hosts run servers in a directory and with a PATH of their own.
    """
    beside = shutil.which("srag-mcp", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("srag-mcp")
    return [found] if found else [sys.executable, "-m", "srag_mcp"]


def render_config(
    client: Client,
    corpora: Sequence[Path],
    command: Sequence[str],
    home: Path | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Write what to paste for *client*.

    *home* and the variables of *environment* are passed on to the server where they are set: hosts
    do not pass on those of a shell.
    """
    options = [part for corpus in corpora for part in ("--corpus", str(corpus.resolve()))]
    if home is not None:
        options += ["--home", str(home.expanduser().resolve())]
    program = command[0]
    arguments = [*command[1:], "serve", *options]
    if client is Client.CODEX:
        # A JSON string is a TOML basic string where nothing is escaped to surrogate pairs.
        lines = ["[mcp_servers.srag]", f"command = {_json(program)}"]
        lines.append(f"args = [{', '.join(map(_json, arguments))}]")
        if environment:
            lines += ["", "[mcp_servers.srag.env]"]
            lines += [f"{name} = {_json(value)}" for name, value in environment.items()]
        return "\n".join(lines)
    entry: dict[str, object] = {"command": program, "args": arguments}
    if environment:
        entry["env"] = dict(environment)
    if client in {Client.VSCODE, Client.CLAUDE_CODE}:
        entry = {"type": "stdio", **entry}
    return _json({"servers" if client is Client.VSCODE else "mcpServers": {"srag": entry}})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def server_environment(settings: Settings) -> dict[str, str]:
    """Return the variables that make a server ask the model of *settings*; none without a model.

    What holds a key is named with `KEY_PLACE` for its value: no key is ever shown.
    """
    named = {"SRAG_MODEL": settings.model, "SRAG_API_BASE": settings.api_base}
    given = {name: value for name, value in named.items() if value}
    keys = find_key_variables(settings) if settings.model else ()
    return given | dict.fromkeys(keys, KEY_PLACE)


def config_place(client: Client) -> str:
    """Say where the configuration of *client* belongs."""
    return {
        Client.CLAUDE_DESKTOP: "claude_desktop_config.json (Settings > Developer > Edit Config);"
        " quit Claude Desktop fully and start it again",
        Client.CLAUDE_CODE: ".mcp.json in your project",
        Client.CURSOR: ".cursor/mcp.json in your project, or ~/.cursor/mcp.json",
        Client.VSCODE: ".vscode/mcp.json in your project",
        Client.CODEX: "~/.codex/config.toml",
    }[client]
