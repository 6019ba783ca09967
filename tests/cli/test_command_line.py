"""The command line as a whole: its commands, and how little a server loads of it."""

import json
import logging
import subprocess
import sys

import pytest

from srag_mcp.cli.arguments import command_settings
from tests.cli.conftest import Cli

SERVE = """
import json, sys
import typer
from srag_mcp.cli.command_line import make_app

made = {only: list(typer.main.get_command(make_app(only)).commands) for only in sys.argv[1:]}
print(json.dumps({"made": made, "loaded": sorted(sys.modules)}))
"""


def run(*names: str) -> dict[str, dict[str, list[str]]]:
    command = [sys.executable, "-c", SERVE, *names]
    said = subprocess.run(command, capture_output=True, check=True).stdout
    found: dict[str, dict[str, list[str]]] = json.loads(said)
    return found


@pytest.mark.usefixtures("cold_starts")
def test_a_server_loads_no_other_command() -> None:
    said = run("serve")

    assert said["made"] == {"serve": ["serve"]}
    loaded = [name for name in said["loaded"] if name.startswith("srag_mcp.cli.")]
    assert sorted(loaded) == ["srag_mcp.cli.arguments", "srag_mcp.cli.command_line"]
    assert "rich" not in said["loaded"]


def test_a_command_that_is_run_is_made_alone_and_all_are_in_the_order_of_the_help(
    cli: Cli,
) -> None:
    _, _, listed = cli("--help").out.partition("Commands:\n")
    names = [line.split()[0] for line in listed.splitlines()]
    made = run("", "bogus", *names)["made"]

    assert made.pop("") == made.pop("bogus") == names
    assert (names[0], names[-1]) == ("serve", "prompts")
    assert made == {name: [name] for name in names}


def test_a_shell_completes_commands_and_h_is_for_help(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("sql", "-h").out == cli("sql", "--help").out
    assert cli("-h").out == cli("--help").out
    # Which shell runs the tests, if any does, is not asked: it is named.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    assert "complete" in cli("--show-completion", "bash").out
    monkeypatch.setenv("_SRAG_MCP_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "srag-mcp ex")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert cli().out.split() == ["extend", "export"]


def test_the_command_that_is_made_alone_keeps_its_usage(cli: Cli) -> None:
    told, wrong = cli("serve", "--help"), cli("serve", "--corpora", "x")

    assert told.out.splitlines()[0].endswith("srag-mcp serve [OPTIONS]")
    assert wrong.status == 2
    assert wrong.err.splitlines()[0].endswith("srag-mcp serve [OPTIONS]")


def test_more_or_less_is_logged_as_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger()
    before = logger.level
    monkeypatch.setenv("SRAG_LOG_LEVEL", "error")
    try:
        command_settings(None)
        assert logger.level == logging.ERROR
    finally:
        logger.setLevel(before)
