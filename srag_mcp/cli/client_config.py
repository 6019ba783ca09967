"""Configurations to paste: how each MCP client is told to start the server."""

import json
import shutil
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path


class Client(StrEnum):
    """MCP clients whose configuration we can write."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


def server_command() -> list[str]:
    """Return the command that starts this installation, with an absolute path.

    Hosts run servers in a directory and with a PATH of their own.
    """
    beside = shutil.which("srag-mcp", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("srag-mcp")
    return [found] if found else [sys.executable, "-m", "srag_mcp"]


def render_config(
    client: Client, corpora: Sequence[Path], command: Sequence[str], home: Path | None = None
) -> str:
    """Write what to paste for *client*; *home* is passed on to the server when it is set."""
    options = [part for corpus in corpora for part in ("--corpus", str(corpus.resolve()))]
    if home is not None:
        options += ["--home", str(home.expanduser().resolve())]
    program = command[0]
    arguments = [*command[1:], "serve", *options]
    entry = {"command": program, "args": arguments}
    if client is Client.VSCODE:
        return _json({"servers": {"srag": {"type": "stdio", **entry}}})
    if client is Client.CODEX:
        return f"[mcp_servers.srag]\ncommand = {_toml(program)}\nargs = [{_toml(*arguments)}]"
    if client is Client.CLAUDE_CODE:
        entry = {"type": "stdio", **entry}
    return _json({"mcpServers": {"srag": entry}})


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


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _toml(*texts: str) -> str:
    # A JSON string is a TOML basic string; surrogate pairs are not, so nothing is escaped to them.
    return ", ".join(json.dumps(text, ensure_ascii=False) for text in texts)
