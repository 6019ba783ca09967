"""The agent engine on the command line: a job in the background, answered by files."""

import json
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest

from srag_mcp.model.language_model import Prompt, hash_prompt
from srag_mcp.pipeline.jobs import read_job
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import open_state
from tests.cli.conftest import PASSENGERS, Cli

SHIP = re.compile(r'^(d\d+) \(path "\w+\.txt".*?Passengers: (\d+)', re.DOTALL | re.MULTILINE)
N_SHIPS = len(PASSENGERS)


def reply(content: str) -> dict[str, object]:
    """Read the ferries of a prompt."""
    documents = []
    for key, passengers in SHIP.findall(content):
        cells = [[1, int(passengers), f"Passengers: {passengers}"]]
        documents.append({"id": key, "cells": cells})
    return {"documents": documents}


def ask(ferries: Path, prompt: Prompt, reply_schema: Mapping[str, object]) -> str:
    """Ask as an ingestion that is no job; return the name of the prompt."""
    name = hash_prompt(prompt, reply_schema)
    with open_state(CorpusFolder(ferries).writable()) as state:
        assert PromptSpool(state).ask(name, prompt, reply_schema) is None
    return name


def answer_all(cli: Cli, ferries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer all prompts that wait."""
    (step,) = json.loads(cli("prompts", "next", ferries, "--json").out)["steps"]
    answers = [{"id": item["id"], "reply": reply(item["content"])} for item in step["prompts"]]
    monkeypatch.setattr("sys.stdin", StringIO(json.dumps(answers)))
    assert cli("prompts", "answer", ferries).status == 0


def test_a_script_answers_the_prompts_of_a_job(
    cli: Cli, ferries: Path, job: str, tmp_path: Path, settings: Settings
) -> None:
    page = json.loads(cli("prompts", "next", ferries, "--json").out)
    given = [prompt for step in page["steps"] for prompt in step["prompts"]]
    lines = [json.dumps({"id": item["id"], "reply": reply(item["content"])}) for item in given]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    said = cli("prompts", "answer", ferries, file)
    ended = read_job(ferries, settings, job, 60)
    done = cli("prompts", "next", ferries)
    table = cli("sql", ferries, "SELECT sum(passengers) AS n, count(*) AS m FROM ferry", "--json")

    assert (page["job_id"], page["state"]) == (job, "running")
    assert (said.status, said.out) == (0, f"{len(given)} accepted, 0 refused\n")
    assert (ended.status, ended.engine) == ("done", "agent"), ended
    assert json.loads(table.out)["rows"] == [[sum(PASSENGERS.values()), N_SHIPS]]
    assert json.loads(cli("prompts", "next", ferries, "--json").out)["steps"] == []
    over = "it is over, nothing waits and the job is done"
    next_step = f"next: {over}: run srag-mcp ask {ferries}, or srag-mcp schema\n"
    assert (done.out, done.err) == ("", f"job {job} is done\n{next_step}")


def test_the_next_ingestion_of_such_a_corpus_is_for_an_agent_too(
    cli: Cli, ferries: Path, job: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    answer_all(cli, ferries, monkeypatch)
    read_job(ferries, settings, job, 60)

    again = cli("ingest", ferries)

    job_id = again.out.split()[1]
    assert again.out.startswith("job ")
    assert read_job(ferries, settings, job_id, 60).status == "done"


def test_prompts_are_printed_with_their_instructions_once(
    cli: Cli, ferries: Path, settings: Settings
) -> None:
    for text in ("Aldra\x1b[2J", "Borgund"):
        ask(ferries, Prompt("records", "Read the ferry.", text), {"type": "object"})

    shown = cli("prompts", "next", ferries, "--max", "5")
    ids = re.findall(r"^## Prompt (\w+)$", shown.out, re.MULTILINE)

    assert shown.out.count("Read the ferry.") == 1
    assert '## Reply schema\n{"type": "object"}\n' in shown.out
    assert "Aldra�[2J" in shown.out
    assert len(ids) == 2
    assert shown.err == (
        f"next: answer each by its step's instructions: run srag-mcp prompts answer {ferries}\n"
    )


def test_a_refused_answer_is_named_and_the_status_is_1(
    cli: Cli, ferries: Path, tmp_path: Path
) -> None:
    name = ask(ferries, Prompt("records", "Read.", "Aldra"), {"type": "object", "required": ["n"]})
    file = tmp_path / "answers.json"
    file.write_text(json.dumps({"id": name[:8], "reply": {"m": 1}}), encoding="utf-8")

    said = cli("prompts", "answer", ferries, file)

    assert said.status == 1
    assert said.out == f"0 accepted, 1 refused\n{name[:8]}: fields are missing: n\n"
    again = f"run srag-mcp prompts answer {ferries}\n"
    assert said.err == f"next: send the 1 refused ones again, put right: {again}"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"id": "a", "reply": {}}\n{"id": ', "answers.json, line 2, is not JSON"),
        ("[" * 100_000, "answers.json, line 1, is not JSON"),
        (None, "answers.json cannot be read"),
    ],
)
def test_answers_that_cannot_be_read_are_an_error(
    cli: Cli, ferries: Path, tmp_path: Path, text: str | None, error: str
) -> None:
    if text is not None:
        (tmp_path / "answers.json").write_text(text, encoding="utf-8")

    said = cli("prompts", "answer", ferries, "answers.json")

    assert said.status == 1
    assert said.err.startswith(f"error: {error}")


def test_without_a_job_it_is_said_what_to_do(cli: Cli, ferries: Path) -> None:
    said = cli("prompts", "next", ferries)

    assert said.status == 1
    assert said.err.startswith("error: no ingestion job of ")


def test_a_question_to_a_new_folder_does_not_wait_for_an_agent(
    cli: Cli, ferries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRAG_ENGINE", "agent")

    said = cli("ask", ferries, "How many ferries are there?")

    assert said.status == 1
    assert f"start with srag-mcp ingest {ferries} --engine agent, or take --engine" in said.err


def test_who_fetches_prompts_twice_is_told_when_they_are_free_again(
    cli: Cli, ferries: Path
) -> None:
    ask(ferries, Prompt("records", "Read.", "Aldra"), {})
    cli("prompts", "next", ferries)

    again = cli("prompts", "next", ferries, "--wait", "0")

    assert again.out == ""
    assert again.err == (
        "next: the 1 prompts that wait were given out, to other agents or to you: answer yours; if"
        f" they are lost, run srag-mcp prompts next {ferries} --again; those that nobody answers"
        " are free in 300 s\n"
    )
    assert "Aldra" in cli("prompts", "next", ferries, "--again").out
