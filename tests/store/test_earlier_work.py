"""What an ingestion that did not end was answered counts, whatever its prompts look like today."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import anyio
import pytest

from srag_mcp.model.language_model import Correction, Prompt, Step
from srag_mcp.pipeline.wishes import Unfinished, remember_unfinished, remembered
from srag_mcp.schema.schema import Schema
from srag_mcp.store.earlier import EarlierAnswers
from srag_mcp.store.state import State, open_state
from srag_mcp.store.work import WorkDatabase, open_work
from tests.model.scripted import ScriptedModel
from tests.store.conftest import Finish
from tests.store.test_replies import MODEL, answered

SHIPS = "albatross.txt, bittern.txt"


def line(number: int, step: Step, subject: str, text: str) -> bytes:
    """Write a call as a line, as 16a3ebc did."""
    call, kept = answered(number)
    call = replace(call, step=step, subject=subject)
    kept = replace(kept, step=step, reply=replace(kept.reply, text=text, truncated=False))
    entry = {"call_id": f"{number}", "ingestion": 1, "call": asdict(call), "kept": asdict(kept)}
    return json.dumps(entry, default=str).encode() + b"\n"


@pytest.fixture
def earlier(filled: Path) -> Iterator[tuple[State, WorkDatabase]]:
    """A corpus as 16a3ebc left it: two rounds of the schema, two prompts of records answered."""
    for name in ("state.sqlite", "state.lock"):
        (filled / name).unlink()
    with open_work(filled) as work:
        work.connection.execute("CREATE TABLE useless_replies (prompt_hash TEXT, model TEXT)")
        work.connection.execute(
            "CREATE TABLE ledger AS SELECT '' AS step, '' AS subject, '' AS prompt_hash,"
            " '' AS model, '' AS outcome, now()::TIMESTAMP AS called_at, 0 AS tokens_in,"
            " 0 AS tokens_out, 0 AS tokens_cached, 0.0 AS seconds, 0.0 AS cost_usd,"
            " false AS is_estimated, 0 AS ingestion, '' AS call_id LIMIT 0"
        )
        work.connection.execute(
            "CREATE TABLE replies AS SELECT '' AS prompt_hash, '' AS asked_model, '' AS step,"
            " '' AS text, '' AS model, false AS truncated, '' AS delta LIMIT 0"
        )
    for name in ("state.sqlite", "state.lock"):
        (filled / name).unlink()
    lines = [
        line(1, "schema", "round 1", "a first one"),
        line(2, "schema", "round 1", "put right"),
        line(3, "records", SHIPS, "two ships"),
        line(4, "records", "curlew.txt", "the beginning"),
        line(5, "records", "curlew.txt", "the rest"),
    ]
    (filled / "calls.jsonl").write_bytes(b"".join(lines))
    with open_work(filled) as work, open_state(filled) as state:
        yield state, work


def ask(state: State, work: WorkDatabase, prompt: Prompt, name: str = MODEL) -> str:
    model = EarlierAnswers(ScriptedModel(lambda prompt: "asked anew"), name, state, work)
    return anyio.run(model.complete, prompt, {}).text


def prompt(step: Step, subject: str, content: str = "In other words.") -> Prompt:
    return Prompt(step, "Read.", content, subject=subject)


def test_an_answer_counts_once(earlier: tuple[State, WorkDatabase]) -> None:
    found = [ask(*earlier, prompt("records", SHIPS)) for _ in range(2)]
    assert found == ["two ships", "asked anew"]


def test_of_a_round_of_the_schema_the_last_answer_counts(
    earlier: tuple[State, WorkDatabase],
) -> None:
    assert ask(*earlier, prompt("schema", "round 1")) == "put right"
    assert ask(*earlier, prompt("schema", "round 2")) == "asked anew"


@pytest.mark.parametrize(
    "other",
    [
        prompt("records", "curlew.txt"),
        prompt("records", "albatross.txt"),
        prompt("standardise", SHIPS),
        prompt("records", SHIPS, "The beginning. […]"),
        replace(prompt("records", SHIPS), corrections=(Correction("two ships", "no"),)),
    ],
    ids=["answered twice", "one of two", "another step", "shown in part", "a correction"],
)
def test_what_may_have_been_asked_otherwise_is_asked_anew(
    earlier: tuple[State, WorkDatabase], other: Prompt
) -> None:
    assert ask(*earlier, other) == "asked anew"


def test_another_model_is_asked_anew(earlier: tuple[State, WorkDatabase]) -> None:
    assert ask(*earlier, prompt("records", SHIPS), "another/model") == "asked anew"


def test_a_document_that_has_changed_is_asked_anew(
    earlier: tuple[State, WorkDatabase], finish: Finish
) -> None:
    state, work = earlier
    work.store([finish("bittern.txt", {"name": "Bittern II"}, replaces=True)], [])
    assert ask(state, work, prompt("records", SHIPS)) == "asked anew"


def test_other_columns_are_asked_for_anew(
    earlier: tuple[State, WorkDatabase], ships: Schema, finish: Finish
) -> None:
    state, work = earlier
    documents = [finish(name, {"name": name}) for name in SHIPS.split(", ")]
    work.put_in_force(ships.model_copy(update={"attributes": ships.attributes[:2]}), "given")
    work.store(documents, [])
    assert ask(state, work, prompt("records", SHIPS)) == "asked anew"


@pytest.mark.parametrize(
    ("questions", "found"), [(("When?",), "put right"), (("Where?",), "asked anew")]
)
def test_for_other_questions_columns_are_found_anew(
    earlier: tuple[State, WorkDatabase], questions: tuple[str, ...], found: str
) -> None:
    state, work = earlier
    remember_unfinished(state.folder, Unfinished(engine="model", questions=("When?",)))
    with remembered(state.folder, Unfinished(engine="model", questions=questions), lambda: True):
        assert ask(state, work, prompt("schema", "round 1")) == found
