"""What 16a3ebc kept in files and in the work database is taken over, and asked no more."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from srag_mcp.errors import LockedError
from srag_mcp.model.language_model import Prompt, hash_prompt
from srag_mcp.pipeline.jobs import list_jobs
from srag_mcp.pipeline.wishes import Unfinished, read_unfinished
from srag_mcp.settings import Settings
from srag_mcp.store.layout import ingestion_lock
from srag_mcp.store.replies import StoredReplies, read_calls
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import open_state
from srag_mcp.store.work import open_work
from tests.store.test_replies import MODEL, answered

SCHEMA = {"type": "object"}
# as WorkReplies of 16a3ebc made them
WORK_TABLES = """
CREATE TABLE replies (
  prompt_hash VARCHAR, step VARCHAR, asked_model VARCHAR, text VARCHAR, tokens_in BIGINT,
  tokens_out BIGINT, tokens_cached BIGINT, seconds DOUBLE, cost_usd DOUBLE, model VARCHAR,
  truncated BOOLEAN, delta VARCHAR);
CREATE TABLE ledger (
  call_id VARCHAR, ingestion BIGINT, step VARCHAR, subject VARCHAR, prompt_hash VARCHAR,
  model VARCHAR, outcome VARCHAR, called_at TIMESTAMP, tokens_in BIGINT, tokens_out BIGINT,
  tokens_cached BIGINT, seconds DOUBLE, cost_usd DOUBLE);
ALTER TABLE ledger ADD COLUMN is_estimated BOOLEAN DEFAULT FALSE;
CREATE TABLE useless_replies (prompt_hash VARCHAR, asked_model VARCHAR);
"""


def line(number: int, ingestion: int, text: str = "") -> bytes:
    """Write a call as a line, as 16a3ebc did."""
    call, kept = answered(number)
    written = asdict(kept)
    written["reply"]["text"] = text or kept.reply.text
    entry = {"call_id": f"{number:016x}", "ingestion": ingestion, "call": asdict(call)}
    return json.dumps(entry | {"kept": written}, default=str).encode() + b"\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The state folder of the corpus *tmp_path* as 16a3ebc left it."""
    state = tmp_path / ".srag"
    state.mkdir()
    with open_work(state) as work:
        work.connection.execute(WORK_TABLES)
        work.keep_note("ledger:ingestion", "3")
        for number in (1, 2, 3):
            call, kept = answered(number)
            work.connection.execute(
                "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, 100, 5, 60, 0.5, 0.001, true)",
                [f"{number:016x}", number, call.step, call.subject, call.prompt_hash, call.model,
                 call.outcome, call.at.replace(tzinfo=None)],
            )  # fmt: skip
            work.connection.execute(
                "INSERT INTO replies VALUES (?, 'records', ?, ?, 1, 1, 0, 1, 1, ?, ?, ?)",
                [kept.prompt_hash, MODEL, kept.reply.text, kept.reply.model, True, kept.delta],
            )
        work.connection.execute(
            "INSERT INTO useless_replies VALUES (?, ?)", [answered(2)[1].prompt_hash, MODEL]
        )
    for name in ("state.sqlite", "state.lock"):
        (state / name).unlink()
    return state


def find(state: Path, number: int) -> str | None:
    with open_state(state) as opened:
        found = StoredReplies(opened).find(answered(number)[1].prompt_hash, MODEL)
    return None if found is None else found.text


def test_replies_and_ledger_come_out_of_the_work_database_once(folder: Path) -> None:
    for _ in range(2):
        assert read_calls(folder.parent) == [answered(number)[0] for number in (1, 2, 3)]
        assert [find(folder, number) for number in (1, 2, 3)] == ['{"n": 1}', None, '{"n": 3}']
        with open_work(folder) as work:
            tables = work.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert not {"replies", "ledger", "useless_replies"} & {name for (name,) in tables}
    with open_state(folder) as state:
        replies = StoredReplies(state)
        assert replies.unsettled().n_calls == 1, "the third ingestion did not end"
        assert [kept.prompt_hash for kept in replies.kept()] == [
            answered(number)[1].prompt_hash for number in (1, 2, 3)
        ]


def test_files_of_calls_are_taken_over_without_what_was_torn(folder: Path) -> None:
    again = line(1, 1, "newer")  # as if killed between the commit and the clearing
    calls = again + line(4, 3) + b"\x00\x00\n" + line(5, 3)[:-20]
    (folder / "calls.jsonl").write_bytes(calls)
    forgotten = {"forgotten": [answered(7)[1].prompt_hash, MODEL]}
    asked = b"\n" + line(6, 0) + b"\n" + line(7, 0) + b"\n" + json.dumps(forgotten).encode()
    (folder / "asked.jsonl").write_bytes(asked + b"\n\n" + line(8, 0)[:-9])

    assert [find(folder, number) for number in (1, 4, 5, 6, 7, 8)] == [
        "newer", '{"n": 4}', None, '{"n": 6}', None, None
    ]  # fmt: skip
    assert [call.subject for call in read_calls(folder.parent)] == [
        f"{number}.txt" for number in (1, 2, 3, 4, 6, 7)
    ]
    assert find(folder, 1) == "newer"
    with open_state(folder) as state:
        assert StoredReplies(state).unsettled().n_calls == 2, "of the third ingestion, 3 and 4"
    assert not list(folder.glob("*.jsonl"))


def test_prompts_that_agents_answered_are_answered_and_the_others_asked_again(
    folder: Path,
) -> None:
    asked = [Prompt("records", "Read.", f"Note {number}") for number in range(5)]
    names = [hash_prompt(prompt, SCHEMA) for prompt in asked]
    place = folder / "prompts"
    for sub in ("parked", "taken"):
        (place / sub).mkdir(parents=True)
    for name, prompt in zip(names[:3], asked, strict=False):
        entry = {"prompt": asdict(prompt), "reply_schema": SCHEMA}
        (place / f"{name}.json").write_text(json.dumps(entry))
    (place / f"{names[0]}.reply.json").write_text('{"text": "0 \\ud800"}')
    (place / f"{names[1]}.lease").touch()
    (place / f"{names[2]}.json").replace(place / "parked" / f"{names[2]}.json")
    (place / "taken" / f"{names[3]}.reply.json").write_text('{"text": "3"}')
    (place / "taken" / f"{names[4]}.reply.json").write_text('{"text')

    with open_state(folder) as state:
        spool = PromptSpool(state)
        late = spool.answer([(names[2][:8], {"n": 2})])
        found = [spool.ask(*item, SCHEMA) for item in zip(names, asked, strict=True)]
        open_ones = [item.prompt.content for item in spool.hand_out(9, 9999)]

    assert [item.accepted for item in late] == [True], "who has a prompt may still answer it"
    assert found == ["0 ?", None, '{"n": 2}', "3", None]
    assert open_ones == ["Note 1", "Note 4"]
    assert not place.exists()


def test_jobs_and_what_did_not_end_are_remembered(folder: Path) -> None:
    jobs = folder / "jobs"
    jobs.mkdir()
    told = {"folder": "notes", "engine": "agent", "report": ["a line"], "n_documents": 3}
    for job_id, status in (("20261121-1", "done"), ("20261122-2", "running")):
        text = json.dumps(told | {"id": job_id, "status": status, "error": ""})
        (jobs / f"{job_id}.job.json").write_text(text)
    (jobs / "20261120-0.job.json").write_text("{")
    wish = Unfinished(engine="agent", questions=("When?",))
    (folder / "unfinished.json").write_text(wish.model_dump_json())

    found = list_jobs(folder.parent, Settings())

    assert [(job.id, job.status, job.report) for job in found] == [
        ("20261122-2", "interrupted", ("a line",)),
        ("20261121-1", "done", ("a line",)),
    ]
    assert read_unfinished(folder) == wish
    assert not jobs.exists()
    assert not (folder / "unfinished.json").exists()


def test_nothing_is_taken_from_an_ingestion_that_runs(folder: Path) -> None:
    (folder / "calls.jsonl").write_bytes(line(4, 3))
    with (
        ingestion_lock(folder),
        pytest.raises(LockedError, match="an earlier version ingests this corpus"),
        open_state(folder),
    ):
        pass
    assert find(folder, 4) == '{"n": 4}'
