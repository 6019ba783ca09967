"""What 16a3ebc kept in files and in the work database is taken over, and asked no more."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from srag_mcp.errors import LockedError
from srag_mcp.model.language_model import Prompt
from srag_mcp.pipeline.wishes import Unfinished, read_unfinished
from srag_mcp.store.layout import ingestion_lock
from srag_mcp.store.spool import StoredReplies, read_calls
from srag_mcp.store.state import open_state
from srag_mcp.store.work import open_work
from tests.store.test_replies import MODEL, answered

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

    assert [call.subject for call in read_calls(folder.parent)] == [
        f"{number}.txt" for number in (1, 2, 3, 4, 6, 7)
    ]
    assert [find(folder, number) for number in (1, 4, 5, 6, 7, 8)] == [
        "newer", '{"n": 4}', None, '{"n": 6}', None, None
    ]  # fmt: skip
    assert find(folder, 1) == "newer"
    with open_state(folder) as state:
        assert StoredReplies(state).unsettled().n_calls == 2, "of the third ingestion, 3 and 4"
    assert not list(folder.glob("*.jsonl"))


def test_an_answer_of_an_agent_that_no_job_heard_counts(folder: Path) -> None:
    place = folder / "prompts"
    (place / "parked").mkdir(parents=True)
    for number, name in enumerate(("heard", "parked/late", "open", "torn")):
        asked = Prompt("schema", "Design.", "Notes", subject=f"round {number}")
        entry = {"prompt": asdict(asked), "reply_schema": {"type": "object"}}
        (place / f"{name}.json").write_text(json.dumps(entry))
    (place / "heard.lease").touch()
    (place / "heard.reply.json").write_text('{"text": "0 \\ud800"}')
    (place / "late.reply.json").write_text('{"text": "1"}')
    (place / "torn.reply.json").write_text('{"text')
    (place / "gone.reply.json").write_text('{"text": "4"}')

    with open_work(folder), open_state(folder) as state:
        found = state.run("SELECT subject, asked_model, text FROM earlier_answers ORDER BY subject")
    assert found == [("round 0", "agent", "0 ?"), ("round 1", "agent", "1")]
    assert not place.exists()


def test_what_did_not_end_is_remembered(folder: Path) -> None:
    wish = Unfinished(engine="agent", questions=("When?",))
    (folder / "unfinished.json").write_text(wish.model_dump_json())

    assert read_unfinished(folder) == wish
    with open_work(folder):
        assert read_unfinished(folder) == wish
    assert not (folder / "unfinished.json").exists()


@pytest.mark.usefixtures("impatient")
def test_nothing_is_taken_from_an_ingestion_that_runs(folder: Path) -> None:
    (folder / "calls.jsonl").write_bytes(line(4, 3))
    with ingestion_lock(folder), pytest.raises(LockedError), open_work(folder):
        pass
    assert find(folder, 4) is None
    with open_work(folder):
        pass
    assert find(folder, 4) == '{"n": 4}'
