"""What `config` prints starts the server, for each client; so does the repository's example."""

import json
import os
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client

from srag_mcp.model.litellm_library import run_to_end
from tests.cli.conftest import Cli

TOOLS = [
    "list_corpora",
    "ingest_corpus",
    "extend_schema",
    "ingest_status",
    "get_schema",
    "get_column_stats",
    "run_sql",
    "ask",
    "search_documents",
    "trace_value",
    "correct_value",
    "get_document",
    "next_prompts",
    "answer_prompts",
]
EXAMPLE = Path(__file__).parents[2] / "claude_desktop_config.example.json"


def _under(key: str) -> Callable[[str], object]:
    return lambda text: json.loads(text)[key]["srag"]


def _codex(text: str) -> object:
    return tomllib.loads(text)["mcp_servers"]["srag"]


READERS = {
    "claude-desktop": _under("mcpServers"),
    "claude-code": _under("mcpServers"),
    "cursor": _under("mcpServers"),
    "vscode": _under("servers"),
    "codex": _codex,
}


def _how_to_start(entry: object) -> dict[str, object]:
    assert isinstance(entry, dict)
    return {key: value for key, value in entry.items() if key in {"command", "args", "env"}}


def _list_tools(entry: object, environment: dict[str, str], folder: Path) -> list[str]:
    """Start the server as a client does: in some folder, with little of an environment."""
    assert isinstance(entry, dict)
    server = StdioServerParameters(
        command=entry["command"], args=entry["args"], env=environment, cwd=folder
    )

    async def run() -> list[str]:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return [tool.name for tool in (await session.list_tools()).tools]

    return run_to_end(run)


def test_the_printed_configuration_starts_the_server(
    cli: Cli, ferries: Path, tmp_path: Path
) -> None:
    odd = ferries.rename(tmp_path / 'ferries "ø" \\ x')
    entries = []
    for client, read in READERS.items():
        result = cli("config", client, "--corpus", odd)
        assert (result.status, result.err[:11]) == (0, "Paste into "), client
        entries.append(read(result.out))

    entry = entries[0]
    assert isinstance(entry, dict)
    assert entry["args"] == ["serve", "--corpus", str(odd), "--home", str(tmp_path / "home")]
    assert _list_tools(entry, {}, tmp_path) == TOOLS
    assert [_how_to_start(other) for other in entries] == [_how_to_start(entry)] * len(READERS)


@pytest.mark.parametrize("client", READERS)
def test_a_model_is_passed_on_and_its_key_is_only_named(
    cli: Cli, ferries: Path, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")

    result = cli("config", client, "--corpus", ferries, "--model", "openai/gpt-4o-mini")

    entry = READERS[client](result.out)
    assert isinstance(entry, dict)
    assert entry["env"] == {"SRAG_MODEL": "openai/gpt-4o-mini", "SRAG_API_KEY": "…"}
    assert result.err.splitlines()[-1] == "Put your key in the place of …"
    assert "sk-0123456789" not in result.out + result.err


def test_a_server_of_ones_own_is_passed_on_without_a_key(cli: Cli, ferries: Path) -> None:
    address = "http://localhost:11434/v1"
    options = ["--model", "openai/llama3.1", "--api-base", address]

    result = cli("config", "cursor", "--corpus", ferries, *options)

    entry = json.loads(result.out)["mcpServers"]["srag"]
    assert entry["env"] == {"SRAG_MODEL": "openai/llama3.1", "SRAG_API_BASE": address}
    assert "key" not in result.err


def test_the_model_of_the_shell_is_passed_on_and_so_is_the_name_of_the_key_that_is_set(
    cli: Cli, ferries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_MODEL", "mistral/mistral-small")
    monkeypatch.setenv("SRAG_API_KEY", "0123456789")

    result = cli("config", "cursor", "--corpus", ferries)

    entry = json.loads(result.out)["mcpServers"]["srag"]
    assert entry["env"] == {"SRAG_MODEL": "mistral/mistral-small", "SRAG_API_KEY": "…"}
    assert "0123456789" not in result.out + result.err


def test_several_corpora_are_served_in_their_order(
    cli: Cli, ferries: Path, ingested: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SRAG_HOME")

    result = cli("config", "cursor", "--corpus", ferries, "--corpus", ingested)

    entry = json.loads(result.out)["mcpServers"]["srag"]
    assert entry["args"] == ["serve", "--corpus", str(ferries), "--corpus", str(ingested)]


def test_the_example_serves_a_shipped_corpus_when_pasted(tmp_path: Path) -> None:
    entry = json.loads(EXAMPLE.read_text(encoding="utf-8"))["mcpServers"]["srag"]
    assert entry == {"command": "srag-mcp", "args": ["serve", "--corpus", "hotels"]}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PATH": path, "SRAG_HOME": str(tmp_path / "home")}

    assert _list_tools(entry, environment, tmp_path) == TOOLS

    copies = list((tmp_path / "home").rglob("documents/*.html"))
    assert len(copies) == 60
