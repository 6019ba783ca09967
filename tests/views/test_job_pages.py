"""Where an ingestion stands and what to do next, in the words of a terminal."""

import pytest

from srag_mcp.store.job import Job
from srag_mcp.store.spool import AnswerOutcome
from srag_mcp.views.job_pages import (
    NOT_AN_ANSWER,
    count_refused,
    job_command,
    job_lines,
    prompts_command,
    step_lines,
)
from srag_mcp.views.results import CorrectionEntry, PromptEntry, PromptPage, PromptStep

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


def job(**facts: object) -> Job:
    return Job.model_validate({"id": "1", "folder": "/huts"} | facts)


def page(state: str = "running", **facts: object) -> PromptPage:
    return PromptPage.model_validate({"job_id": "1", "corpus": "huts", "state": state} | facts)


@pytest.mark.parametrize(
    ("facts", "lines"),
    [
        ({}, ["job 1 is running: starting"]),
        (
            {"stage": "predicting", "done": 2, "total": 4, "waiting": 3},
            ["job 1 is running: predicting, 2 of 4, 3 prompts wait for answers"],
        ),
        (
            {"status": "failed", "report": ["a\nb", ""], "error": "no key"},
            ["job 1 is failed", "a b", "no key"],
        ),
    ],
)
def test_a_job_says_where_it_is(facts: dict[str, object], lines: list[str]) -> None:
    assert job_lines(job(**facts)) == lines


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "next: srag-mcp status huts (--cancel stops it)"),
        (
            {"waiting": 1},
            "next: srag-mcp prompts next huts, or srag-mcp status huts (--cancel stops it)",
        ),
        ({"status": "done"}, 'next: srag-mcp ask huts "…"'),
        ({"status": "failed"}, "to go on: srag-mcp ingest huts"),
        (
            {"status": "cancelled", "engine": "agent"},
            "to go on: srag-mcp ingest huts --engine agent",
        ),
        (
            {"status": "interrupted", "attribute": "beds"},
            'to go on: srag-mcp extend huts --attribute "beds"',
        ),
    ],
)
def test_a_job_says_what_to_do_next(facts: dict[str, object], said: str) -> None:
    assert job_command(job(**facts), "huts") == said


@pytest.mark.parametrize(
    ("shown", "n_refused", "said"),
    [
        (page(), 2, "send the 2 refused again, put right: srag-mcp prompts answer huts"),
        (
            page(steps=[STEP], waiting=4),
            0,
            "1 prompts to answer, 4 wait, 0 are with others: srag-mcp prompts answer huts FILE,"
            ' with lines {"id": …, "reply": …}',
        ),
        (page("done"), 2, 'the ingestion is done: srag-mcp ask huts "…"'),
        (
            page(waiting=1, with_others=2),
            0,
            "0 prompts to answer, 1 wait, 2 are with others: srag-mcp prompts next huts",
        ),
        (
            page("no job", with_others=2),
            0,
            "0 prompts to answer, 0 wait, 2 are with others, which are free again 5 minutes after"
            " they were fetched, or at once with --again: srag-mcp prompts next huts",
        ),
        (
            page("failed", report=["call ingest_corpus again"]),
            0,
            "failed; run srag-mcp ingest again. To go on: srag-mcp ingest huts --engine agent",
        ),
    ],
)
def test_prompts_say_what_to_do_next(shown: PromptPage, n_refused: int, said: str) -> None:
    assert prompts_command(shown, "huts", n_refused) == said


def test_only_what_can_be_put_right_counts_as_refused() -> None:
    outcomes = [
        AnswerOutcome("a", "", "shared"),
        AnswerOutcome("b", "no JSON", "shared"),
        AnswerOutcome("c", "it has an answer"),
        AnswerOutcome("5", NOT_AN_ANSWER),
    ]

    assert count_refused(outcomes) == 2


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
