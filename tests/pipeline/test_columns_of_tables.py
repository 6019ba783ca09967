"""A model beside a table file: code reads what a column states, a model what no column does."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from srag_mcp.cells.cell import Cell, PredictedCell, PredictedRecord
from srag_mcp.inference.ask import ask_offline
from srag_mcp.pipeline.column_run import change_columns
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.pipeline.schema_choice import PREDICTED
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import open_work
from srag_mcp.values.states import State
from srag_mcp.values.types import NUMBER, TEXT
from tests.model.openai_server import Answer, Body, OpenAIServer, content_of, serving
from tests.pipeline.conftest import Ask
from tests.pipeline.reading_model import describe, settings_for

HEAD = "Order,Day,Net (EUR),Comment"
ROWS = (
    'A-1,2024-05-01,"1,200.50",The parcel came late',
    "A-2,2024-05-03,80,",
    "A-3,2024-06-11,310,The cup was broken",
    "A-4,2024-06-12,45,",
)
LATE = "How many comments are about delivery?"
_DOCUMENT = re.compile(r"^(d\d+) \(path.*?\n<<<(\w+)\n(.*?)\n\2>>>", re.MULTILINE | re.DOTALL)
_ASKED = re.compile(r"^(\d+) (\w+) \(", re.MULTILINE)


def say(body: Body) -> Answer:
    """Answer as a model that finds topics, and wants a column anew that the table has."""
    messages = body["messages"]
    assert isinstance(messages, list)
    instructions, content = (str(message["content"]) for message in messages[:2])
    if instructions.startswith("Code has read the rows"):
        topic = {**describe("topic", "string"), "categories": ["delivery", "damage"]}
        return answer({"attributes": [topic, describe("order", "string")]})
    if instructions.startswith("You read documents"):
        return answer({"documents": list(read(instructions, content))})
    if instructions.startswith("A table was filled in"):
        return answer({"existing": None, "definition": describe("mood", "string")})
    return answer({"missing": [], "sql": "SELECT count(*) FROM orders WHERE topic = 'delivery'"})


def answer(reply: dict[str, object]) -> Answer:
    return Answer(json.dumps(reply))


def read(instructions: str, content: str) -> Iterable[dict[str, object]]:
    """Fill in the topic; whatever else is asked for is told wrong."""
    for key, _mark, text in _DOCUMENT.findall(content):
        cells: list[list[object]] = []
        for number, name in _ASKED.findall(instructions):
            found = re.search(r"parcel|cup", text)
            if name == "topic" and found:
                topic = "delivery" if found[0] == "parcel" else "damage"
                cells.append([int(number), topic, found[0]])
            elif name != "topic":
                cells.append([int(number), "wrong", text.split()[0]])
        yield {"id": key, "cells": cells}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving(say) as running:
        yield running


@pytest.fixture
def settings(server: OpenAIServer, tmp_path: Path) -> Settings:
    return settings_for(server, tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    orders = tmp_path / "orders"
    orders.mkdir()
    write(orders, *ROWS)
    return orders


def write(folder: Path, *rows: str) -> None:
    (folder / "orders.csv").write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")


def asked_for(server: OpenAIServer) -> list[list[str]]:
    """Return the columns that each prompt asks documents for."""
    instructions = [str(body["messages"][0]["content"]) for body in server.requests]  # type: ignore[index]
    read = [x for x in instructions if x.startswith("You read documents")]
    return [[name for _, name in _ASKED.findall(text)] for text in read]


CELLS = """
SELECT document_id, attribute, state, as_stated, start, "end", value, unit, engine, marks, note
FROM cells ORDER BY ALL
"""
TOPICS = 'SELECT "order", topic FROM orders ORDER BY ALL'


def test_a_model_is_not_asked_for_what_a_table_states(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    ingest(folder, settings.model_copy(update={"engine": "offline", "model": None}))
    by_code = ask(folder, CELLS)
    quote = quote_ingestion(folder, settings)

    report = ingest(folder, settings)

    assert (quote.n_documents, quote.n_to_read, quote.least.n_prompts, quote.by_code) == (
        4,
        0,
        0,
        True,
    )
    assert quote.is_schema_known
    assert "code reads the columns of the table" in quote.sentence()
    assert server.requests == []
    assert (report.engine, report.n_predicted, report.warnings) == ("model", 0, ())
    assert ask(folder, CELLS) == by_code
    assert ask(folder, "SELECT count(*), sum(net_eur) FROM orders") == [(4, 1635.5)]
    write(folder, *ROWS, "A-5,2024-07-01,12.5,")
    assert quote_ingestion(folder, settings).least.n_prompts == 0
    ingest(folder, settings)
    assert ask(folder, "SELECT count(*), sum(net_eur) FROM orders") == [(5, 1648.0)]
    assert server.requests == []


def test_what_a_question_needs_and_no_column_states_is_read(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    quote = quote_ingestion(folder, settings, questions=[LATE])
    report = ingest(folder, settings, questions=[LATE])

    assert (quote.n_to_read, quote.least.n_prompts, quote.is_schema_known) == (0, 2, False)
    assert report.answered == (LATE,)
    assert asked_for(server) == [["topic"]]
    assert ask(folder, TOPICS) == [
        ("A-1", "delivery"), ("A-2", None), ("A-3", "damage"), ("A-4", None)
    ]  # fmt: skip
    engines = "SELECT DISTINCT engine, attribute = 'topic' FROM cells ORDER BY ALL"
    assert ask(folder, engines) == [("model", True), ("offline", False)]
    shown = content_of(server.requests[0])
    assert "- net_eur (number, EUR): " in shown
    assert LATE in shown

    write(folder, *ROWS, "A-5,2024-07-01,12.5,The parcel was wet")
    priced = quote_ingestion(folder, settings)
    ingest(folder, settings)
    assert (priced.n_to_read, priced.n_attributes) == (1, 5)
    assert asked_for(server) == [["topic"], ["topic"]]
    assert "A-5" in content_of(server.requests[-1])
    assert "A-1" not in content_of(server.requests[-1])
    assert ask(folder, TOPICS)[-1] == ("A-5", "delivery")


def test_a_column_that_is_added_later_is_all_that_is_asked_for(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    ingest(folder, settings)
    quote = quote_ingestion(folder, settings, attribute="how the customer feels")
    ingest(folder, settings, attribute="how the customer feels")
    assert quote.n_to_read == 4
    assert asked_for(server) == [["mood"]]


def test_a_schema_that_a_person_wrote_is_read_by_code_where_columns_are_called_so(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    given = {
        "title": "Order",
        "x-entity": "orders",
        "type": "object",
        "properties": {
            "order": {"type": "string", "description": "Its number."},
            "amount": {"type": "number", "x-synonyms": ["Net (EUR)"]},
            "topic": {"type": "string", "enum": ["delivery", "damage"]},
        },
    }
    ingest(folder, settings, schema=schema_from_json(given))
    assert asked_for(server) == [["topic"]]
    assert ask(folder, 'SELECT "order", amount, topic FROM orders ORDER BY ALL')[:2] == [
        ("A-1", 1200.5, "delivery"),
        ("A-2", 80.0, None),
    ]


def test_what_a_person_edited_stays_when_a_model_is_named(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    ingest(folder, settings.model_copy(update={"engine": "offline", "model": None}))
    change_columns(folder, settings, "rename", ("net_eur", "amount"))
    ingest(folder, settings, questions=[LATE])
    assert asked_for(server) == [["topic"]]
    assert ask(folder, "SELECT sum(amount) FROM orders") == [(1635.5,)]


def test_another_table_has_columns_of_its_own(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    ingest(folder, settings, questions=[LATE])
    n_asked = len(server.requests)
    (folder / "orders.csv").write_text("Ship,Length\nArla,30\nBrun,41\nCori,22\n")
    ingest(folder, settings)
    assert ask(folder, "SELECT ship, length FROM orders ORDER BY ALL") == [
        ("Arla", 30), ("Brun", 41), ("Cori", 22)
    ]  # fmt: skip
    assert len(server.requests) == n_asked


def test_what_a_model_read_of_rows_before_stays_and_is_not_asked_again(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    told = build_as_earlier(folder, settings)
    quote = quote_ingestion(folder, settings)
    ingest(folder, settings)
    assert quote.least.n_prompts == 0
    assert server.requests == []
    values = "SELECT document_id, attribute, value FROM cells WHERE state = 'stated' ORDER BY ALL"
    assert ask(folder, values) == told


def build_as_earlier(folder: Path, settings: Settings) -> list[tuple[object, ...]]:
    """Leave what a version does that let a model name the columns and read every row."""
    ingest(folder, settings.model_copy(update={"engine": "offline", "model": None}))
    rules = (KeyRule(keys=("net eur",)),)
    columns = (
        Attribute(name="number", type=TEXT, description="Its number.", extractors=()),
        Attribute(name="total", type=NUMBER, description="What was paid.", extractors=rules),
    )
    says = {"orders.csv#1": ("A-1", "1200.5"), "orders.csv#2": ("A-2", "80"),
            "orders.csv#3": ("A-3", "310"), "orders.csv#4": ("A-4", "45")}  # fmt: skip
    with open_work(CorpusFolder(folder, settings.home).writable()) as work:
        work.put_in_force(
            Schema(title="Order", entity="orders", attributes=columns), PREDICTED,
            is_taken_over=True,
        )  # fmt: skip
        hashes = dict(work.run("SELECT document_id, sha256 FROM documents"))
        records = [
            PredictedRecord(key, hashes[key], tuple(
                PredictedCell(Cell(column.name, State.STATED, value, engine="model"), value)
                for column, value in zip(columns, values, strict=True)
            ))
            for key, values in says.items()
        ]  # fmt: skip
        Predictions(work).store(columns, records)
        work.put_engine_in_force("model")
    return sorted(
        (key, column.name, value if column.type == TEXT else str(float(value)))
        for key, values in says.items()
        for column, value in zip(columns, values, strict=True)
    )


def test_columns_of_a_table_are_doubted_beside_a_model_as_without_one(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    sums = ("€5", "$7", "€8", "$9", "€11", "$2")
    rows = "".join(f"F-{n},{said}\n" for n, said in enumerate(sums))
    (folder / "orders.csv").write_text(f"Order,Fee\n{rows}", encoding="utf-8")
    refused = []
    for engine in ("offline", "model"):
        ingest(folder, settings.model_copy(update={"engine": engine}))
        answer = ask_offline(Corpus(folder, worker, settings.home), "What is the total fee?")
        assert answer.brief is not None
        refused.append(answer.brief.reason)
    assert refused[0].startswith("3 of 6 values of fee are in doubt")
    assert refused[0] == refused[1]
