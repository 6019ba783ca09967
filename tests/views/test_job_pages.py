"""Where an ingestion stands and what to do next, in the words of tools and of a terminal."""

from pathlib import Path

import pytest

from srag_mcp.pipeline.jobs import Job
from srag_mcp.settings import Settings
from srag_mcp.views.job_pages import job_lines, job_page, step_lines
from srag_mcp.views.results import (
    CorrectionEntry,
    JobStatus,
    PromptEntry,
    PromptStep,
    for_terminal,
)

STEP = PromptStep(
    step="records",
    instructions="Read.",
    reply_schema={"type": "object"},
    prompts=[
        PromptEntry(
            id="ab12",
            content="A note.",
            corrections=[CorrectionEntry(reply="{", problem="no JSON")],
        )
    ],
)


@pytest.mark.parametrize(
    ("facts", "lines"),
    [
        ({}, ["job 1 is running: starting"]),
        (
            {"stage": "predicting", "done": 2, "total": 4, "waiting": 3},
            ["job 1 is running: predicting, 2 of 4, 3 prompts wait for answers"],
        ),
        (
            {"state": "failed", "report": ["a\nb", "", "no key"]},
            ["job 1 is failed", "a b", "no key"],
        ),
    ],
)
def test_a_job_says_where_it_is(facts: dict[str, object], lines: list[str]) -> None:
    page = {"job_id": "1", "corpus": "huts", "state": "running"} | facts
    assert job_lines(JobStatus.model_validate(page)) == lines


@pytest.mark.parametrize(
    ("facts", "tool", "command"),
    [
        (
            {"status": "done"},
            "call ask with corpus='my huts', or get_schema",
            "run srag-mcp ask 'my huts', or srag-mcp schema",
        ),
        (
            {"status": "failed"},
            "mend what the report names, then call ingest_corpus with corpus='my huts' again",
            "mend what the report names, then run srag-mcp ingest 'my huts' again",
        ),
        (
            {"status": "cancelled", "engine": "agent"},
            "call ingest_corpus with corpus='my huts', engine='agent' and go=true to go on where it"
            " stopped",
            "run srag-mcp ingest 'my huts' --engine agent --go to go on where it stopped",
        ),
        (
            {"status": "interrupted", "attribute": "a hut's beds"},
            "call extend_schema with corpus='my huts' and attribute=\"a hut's beds\" to go on where"
            " it stopped",
            "run srag-mcp extend 'my huts' --attribute 'a hut'\"'\"'s beds' to go on where it"
            " stopped",
        ),
    ],
)
def test_a_job_says_what_to_do_next(facts: dict[str, object], tool: str, command: str) -> None:
    job = Job.model_validate({"id": "1", "folder": "/huts"} | facts)
    page = job_page(Path("/huts"), Settings(), "my huts", job)

    assert page.next == tool
    assert for_terminal(page.next) == command


def test_a_step_is_written_with_what_was_wrong_before() -> None:
    assert step_lines(STEP) == [
        "## Instructions (records)",
        "Read.",
        "## Reply schema",
        '{"type": "object"}',
        "## Prompt ab12",
        "A note.",
        "## Earlier reply to ab12",
        "{",
        "no JSON",
    ]
