"""Configurations to paste: how each MCP client is told to start the server."""

import json
import shutil
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from srag_mcp.errors import SettingsError


class Client(StrEnum):
    """MCP clients whose configuration we can write."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


def read_client(name: str) -> Client:
    """Return the client called *name*.

    Raises:
        SettingsError: If we know no such client; the text lists those we know.
    """
    try:
        return Client(name)
    except ValueError as error:
        msg = f"no client {name!r}; one of: {', '.join(Client)}"
        raise SettingsError(msg) from error


def server_command() -> list[str]:
    """Return the command that starts this installation, with an absolute path.

    Hosts run servers in a directory and with a PATH of their own.
    """
    beside = Path(sys.executable).with_name("srag-mcp")
    if beside.exists():
        return [str(beside)]
    found = shutil.which("srag-mcp")
    return [found] if found else [sys.executable, "-m", "srag_mcp"]


def render_config(client: Client, corpora: Sequence[Path], command: Sequence[str]) -> str:
    """Write what to paste (or, for Claude Code, to run) for *client*."""
    options = [part for corpus in corpora for part in ("--corpus", str(corpus.resolve()))]
    program = command[0]
    arguments = [*command[1:], "serve", *options]
    entry = {"command": program, "args": arguments}
    if client is Client.VSCODE:
        return json.dumps({"servers": {"srag": {"type": "stdio", **entry}}}, indent=2)
    if client is Client.CODEX:
        quoted = ", ".join(json.dumps(argument) for argument in arguments)
        return f"[mcp_servers.srag]\ncommand = {json.dumps(program)}\nargs = [{quoted}]"
    if client is Client.CLAUDE_CODE:
        entry = {"type": "stdio", **entry}
    return json.dumps({"mcpServers": {"srag": entry}}, indent=2)


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
