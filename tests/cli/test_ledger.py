"""The ledger: every call, for people, for pipes and while an ingestion runs."""

import json
import re
from pathlib import Path

import pytest

from srag_mcp.pipeline.jobs import read_job
from srag_mcp.settings import Settings
from tests.cli.conftest import Cli
from tests.cli.test_prompts import answer_all
from tests.model.openai_server import serving
from tests.pipeline.reading_model import say


def test_the_ledger_has_every_call_of_ingestion_and_questions(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        for _ in range(2):
            cli("ask", stations, "How high is the highest?", "--model", "openai/any")
        n_requests = len(server.requests)
    steps = json.loads(cli("ledger", stations, "--json").out)
    assert steps["total"]["n_calls"] == n_requests
    assert steps["total"]["is_estimated"] is False
    translated = steps["translate"]
    assert (translated["n_calls"], translated["n_cached"]) == (1, 1)
    calls = json.loads(cli("ledger", stations, "--calls", "--json").out)
    assert calls[-1]["subject"] == "How high is the highest?"
    assert [call["outcome"] for call in calls[-2:]] == ["answered", "cached"]
    assert "not known" in cli("ledger", stations).out


def test_off_a_terminal_each_call_is_one_line(
    cli: Cli, stations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = f"How high is the highest{' of all the stations there are' * 5}?"
    with serving(say) as server:
        monkeypatch.setenv("SRAG_API_BASE", server.base)
        cli("ask", stations, question, "--model", "openai/any", "--engine", "model")
    calls = json.loads(cli("ledger", stations, "--calls", "--json").out)

    header, *lines = cli("ledger", stations, "--calls").out.splitlines()

    assert header.split()[:3] == ["at", "(UTC)", "step"]
    assert [re.split(r" {2,}", line)[2:4] for line in lines] == [
        [call["subject"], "openai/any"] for call in calls
    ]
    assert question in lines[-1]


def test_the_tokens_of_an_agent_are_estimated_and_marked(
    cli: Cli, ferries: Path, job: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_all(cli, ferries, monkeypatch)
    read_job(ferries, settings, job, 60)

    total = json.loads(cli("ledger", ferries, "--json").out)["total"]
    [call] = json.loads(cli("ledger", ferries, "--calls", "--json").out)
    shown = cli("ledger", ferries)

    assert total["is_estimated"] is call["is_estimated"] is True
    assert (total["tokens_in"] > 500, 0 < total["tokens_out"] < 500) == (True, True)
    assert shown.out.splitlines()[-1].split()[4:6] == [
        f"~{total['tokens_in']}",
        f"~{total['tokens_out']}",
    ]
    assert shown.err == "~ nobody counted these tokens: they are estimated\n"


def test_the_ledger_can_be_read_while_an_ingestion_runs(
    cli: Cli, ferries: Path, job: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert json.loads(cli("ledger", ferries, "--json").out)["total"]["n_calls"] == 0
    answer_all(cli, ferries, monkeypatch)
    read_job(ferries, settings, job, 60)
    assert json.loads(cli("ledger", ferries, "--json").out)["total"]["n_calls"] == 1


def test_a_folder_that_was_not_ingested_has_no_ledger(cli: Cli, stations: Path) -> None:
    failed = cli("ledger", stations)
    assert failed.status == 1
    assert "was not ingested, so no language model was asked for it" in failed.err
