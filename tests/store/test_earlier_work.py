"""What an ingestion that did not end was answered counts, whatever its prompts look like today."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import anyio
import pytest

from srag_mcp.cells.cell import Cell, PredictedCell, PredictedRecord
from srag_mcp.model.language_model import Correction, Prompt, Step
from srag_mcp.pipeline.wishes import Unfinished, remember_unfinished, remembered
from srag_mcp.schema.schema import Schema
from srag_mcp.store.earlier import EarlierAnswers
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.state import State, open_state
from srag_mcp.store.work import WorkDatabase, open_work
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State as CellState
from tests.model.scripted import ScriptedModel
from tests.store.conftest import Finish
from tests.store.test_replies import MODEL, answered

SHIPS = "albatross.txt, bittern.txt"


def stated(attribute: str, value: object, quote: str) -> dict[str, object]:
    return {"attribute": attribute, "state": "stated", "value": value, "quote": quote}


RECORDS = json.dumps({"documents": [
    {"id": "d1", "not_mentioned": ["has_engine"], "cells": [
        stated("name", "Albatross", "Albatross"), stated("masts", 3, "masts: 3"),
        stated("length", 61.5, "61.5 m"), stated("launched", "1899-05-04", "4 May 1899")]},
    {"id": "d2", "not_mentioned": ["length", "launched"], "cells": [
        stated("name", "Bittern", "name: Bittern"), stated("has_engine", True, "has_engine: yes"),
        stated("masts", 2, "two masts"), stated("launched", "1931-06-30", "June")]},
]})  # fmt: skip


def line(number: int, step: Step, subject: str, text: str) -> bytes:
    """Write a call as a line, as 16a3ebc did."""
    call, kept = answered(number)
    call = replace(call, step=step, subject=subject)
    kept = replace(kept, step=step, reply=replace(kept.reply, text=text, truncated=False))
    entry = {"call_id": f"{number}", "ingestion": 1, "call": asdict(call), "kept": asdict(kept)}
    return json.dumps(entry, default=str).encode() + b"\n"


def plant(filled: Path, records: str = RECORDS) -> None:
    """Make it a corpus as 16a3ebc left it: two rounds of the schema, two prompts answered."""
    for name in ("state.sqlite", "state.lock"):
        (filled / name).unlink()
    lines = [
        line(1, "schema", "round 1", "a first one"),
        line(2, "schema", "round 1", "put right"),
        line(3, "records", SHIPS, records),
        line(4, "records", "curlew.txt", "the beginning"),
        line(5, "records", "curlew.txt", "the rest"),
    ]
    (filled / "calls.jsonl").write_bytes(b"".join(lines))


@pytest.fixture
def earlier(filled: Path) -> Iterator[tuple[State, WorkDatabase]]:
    """A corpus that was planted, opened."""
    plant(filled)
    with open_work(filled) as work, open_state(filled) as state:
        yield state, work


def ask(state: State, prompt: Prompt, name: str = MODEL) -> str:
    model = EarlierAnswers(ScriptedModel(lambda prompt: "asked anew"), name, state)
    return anyio.run(model.complete, prompt, {}).text


def prompt(step: Step, subject: str, content: str = "In other words.") -> Prompt:
    return Prompt(step, "Read.", content, subject=subject)


def predicted(work: WorkDatabase) -> dict[str, list[str]]:
    """Return what is predicted of each document: `name=Albatross`."""
    present = work.schema_in_force()
    assert present is not None
    found: dict[str, list[str]] = {}
    for attribute in present.schema.attributes:
        for document_id, item in Predictions(work).cells(attribute).items():
            said = item.value_text or item.cell.state.value
            found.setdefault(document_id, []).append(f"{attribute.name}={said}")
    return found


def test_of_a_round_of_the_schema_the_last_answer_counts_once(
    earlier: tuple[State, WorkDatabase],
) -> None:
    state, _ = earlier
    assert ask(state, prompt("schema", "round 1")) == "put right"
    assert ask(state, prompt("schema", "round 1")) == "asked anew"
    assert ask(state, prompt("schema", "round 2")) == "asked anew"


@pytest.mark.parametrize(
    "other",
    [
        prompt("standardise", "round 1"),
        prompt("records", SHIPS),
        replace(prompt("schema", "round 1"), corrections=(Correction("put right", "no"),)),
    ],
    ids=["another step", "records", "a correction"],
)
def test_what_may_have_been_asked_otherwise_is_asked_anew(
    earlier: tuple[State, WorkDatabase], other: Prompt
) -> None:
    assert ask(earlier[0], other) == "asked anew"


def test_another_model_is_asked_anew(earlier: tuple[State, WorkDatabase]) -> None:
    state, _ = earlier
    assert ask(state, prompt("schema", "round 1"), "another/model") == "asked anew"


def test_records_are_predictions_where_they_can_be_used(
    earlier: tuple[State, WorkDatabase],
) -> None:
    """What has no words, or not those of the document, is to be asked; so is what was left out."""
    assert predicted(earlier[1]) == {
        "albatross.txt": [
            "name=Albatross", "masts=3", "length=61.5", "has_engine=not_mentioned",
            "launched=1899-05-04",
        ],
        "bittern.txt": ["name=Bittern", "length=not_mentioned", "has_engine=true"],
    }  # fmt: skip


def test_what_was_predicted_before_stays(filled: Path, ships: Schema) -> None:
    name = ships.attributes[0]
    cell = PredictedCell(Cell("name", CellState.STATED, "Albatross", Span(6, 15)), "The Albatross")
    with open_work(filled) as work:
        [document] = Predictions(work).texts(["albatross.txt"])
        record = PredictedRecord(document.document_id, document.sha256, (cell,))
        Predictions(work).store([name], [record])
    plant(filled)
    with open_work(filled) as work:
        assert predicted(work)["albatross.txt"][:2] == ["name=The Albatross", "masts=3"]


def test_silence_on_a_document_that_was_shown_in_part_perhaps_does_not_count(
    filled: Path, finish: Finish
) -> None:
    with open_work(filled) as work:
        values = {"name": "Bittern", "length": "1 m" + " and a line that says nothing" * 5000}
        work.store([finish("bittern.txt", values, replaces=True)], [])
    plant(filled)
    with open_work(filled) as work:
        found = predicted(work)
    assert "has_engine=not_mentioned" in found["albatross.txt"]
    assert "length=not_mentioned" not in found["bittern.txt"]
    assert "name=Bittern" in found["bittern.txt"]


def test_a_correction_of_some_documents_of_a_prompt_is_left(filled: Path) -> None:
    """Its keys are those of the prompt before, which other documents had here."""
    plant(filled, RECORDS.replace('"d1"', '"d3"'))
    with open_work(filled) as work:
        assert predicted(work) == {}


def test_a_document_that_has_changed_since_is_asked_anew(
    earlier: tuple[State, WorkDatabase], finish: Finish
) -> None:
    _, work = earlier
    work.store([finish("bittern.txt", {"name": "Bittern II"}, replaces=True)], [])
    assert list(predicted(work)) == ["albatross.txt"]


def test_columns_that_are_others_since_are_asked_for_anew(
    earlier: tuple[State, WorkDatabase], ships: Schema
) -> None:
    _, work = earlier
    name = ships.attributes[0].model_copy(update={"description": "What she is called."})
    work.put_in_force(ships.model_copy(update={"attributes": (name,)}), "given")
    assert predicted(work) == {}


@pytest.mark.parametrize(
    ("questions", "found"), [(("When?",), "put right"), (("Where?",), "asked anew")]
)
def test_for_other_questions_columns_are_found_anew(
    earlier: tuple[State, WorkDatabase], questions: tuple[str, ...], found: str
) -> None:
    state, _ = earlier
    remember_unfinished(state.folder, Unfinished(engine="model", questions=("When?",)))
    with remembered(state.folder, Unfinished(engine="model", questions=questions), lambda: True):
        assert ask(state, prompt("schema", "round 1")) == found
