"""How far an ingestion is, and its end by order."""

import json
import os
import time
from pathlib import Path

import pytest

from srag_mcp.pipeline.jobs import read_job
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder, ingestion_lock
from tests.cli.conftest import Cli
from tests.cli.test_prompts import answer_all


def test_a_job_says_where_it_is(cli: Cli, ferries: Path, job: str) -> None:
    told = f"job {job} is running: predicting, 0 of 4, 1 prompts wait for answers, "
    told += "0 of about 1 prompts are answered, about 1,000 tokens to go\n"

    end = time.monotonic() + 30
    shown = cli("status", ferries)
    while shown.out != told and time.monotonic() < end:  # its state is up to a second old
        shown = cli("status", ferries)

    assert (shown.status, shown.out) == (0, told)
    assert shown.err == f"next: 1 prompts wait for you: run srag-mcp prompts next {ferries}\n"


def test_a_job_is_cancelled_and_another_goes_on(
    cli: Cli, ferries: Path, job: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled = cli("status", ferries, "--cancel")
    again = json.loads(cli("ingest", ferries, "--json").out)["job_id"]
    answer_all(cli, ferries, monkeypatch)
    read_job(ferries, settings, again, 60)
    ended = cli("status", ferries, "--cancel", "--json")

    assert cancelled.status == 0
    assert cancelled.out.splitlines()[0] == f"job {job} is cancelled"
    assert cancelled.err == (
        f"next: run srag-mcp ingest {ferries} --engine agent --go to go on where it stopped\n"
    )
    told = json.loads(ended.out)
    assert (told["job_id"], told["state"]) == (again, "done")
    assert "4 documents (" in told["report"][1]


def test_without_a_job_it_is_said_what_to_do(cli: Cli, ferries: Path, settings: Settings) -> None:
    failed = cli("status", ferries)
    assert failed.status == 1
    assert failed.err.startswith(f"error: {ferries} was never ingested: ")

    with ingestion_lock(CorpusFolder(ferries, settings.home).writable()):
        held = cli("status", ferries, "--cancel")
    assert held.status == 1
    assert f"not in the background but by process {os.getpid()} on" in held.err


def test_an_ingestion_that_was_waited_for_says_how_it_ended(cli: Cli, ferries: Path) -> None:
    cli("ingest", ferries, "--engine", "offline", "--quiet")
    told, page = cli("status", ferries), json.loads(cli("status", ferries, "--json").out)
    assert told.status == 0
    assert told.out.startswith("none runs; the latest, not in the background, ended 20")
    assert told.out.endswith(": 4 documents, 0 could not be read\n")
    assert (page["job_id"], page["state"], page["report"]) == (None, "done", [told.out.strip()])
