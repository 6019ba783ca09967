"""Lists that a model reads, behind a real server: rows in replies become rows of a table."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.openai_server import Answer, Body, OpenAIServer, serving
from tests.pipeline.conftest import Ask
from tests.pipeline.reading_model import settings_for

SCHEMA = {
    "title": "Bill",
    "x-entity": "bills",
    "properties": {
        "shop": {"type": "string", "description": "Who sold it."},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"what": {"type": "string"}, "quantity": {"type": "integer"}},
            },
        },
    },
}
BILLS = {
    "a.txt": "Anna sold what follows.\n2 of Mug\n1 of Cap\n",
    "b.txt": "Bert sold what follows.\n3 of Mug\n",
    "c.txt": "Cora sold nothing: there are no items.\n",
    "d.txt": "Dora sold something, and does not say what.\n",
}
_DOCUMENT = re.compile(r"^(d\d+) \(path.*?\n<<<(\w+)\n(.*?)\n\2>>>", re.MULTILINE | re.DOTALL)


def say(body: Body) -> Answer:
    messages = body["messages"]
    assert isinstance(messages, list)
    instructions, content = (str(item["content"]) for item in messages)
    if not instructions.startswith("You read documents"):
        return Answer(json.dumps({"groups": [], "cells": [], "verdicts": []}))
    numbers = dict(re.findall(r"^(\d+) (\w+) \(", instructions, re.MULTILINE))
    place = {name: int(number) for number, name in numbers.items()}
    documents = []
    for key, _, text in _DOCUMENT.findall(content):
        cells: list[list[object]] = [[place["shop"], text.split()[0]]]
        rows = [[what, int(n)] for n, what in re.findall(r"(\d) of (\w+)", text)]
        cells += [[place["items"], rows]] if rows else []
        cells += [[place["items"], None, "no items"]] if "no items" in text else []
        documents.append({"id": key, "cells": cells})
    return Answer(json.dumps({"documents": documents}))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving(say) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bills = tmp_path / "bills"
    bills.mkdir()
    for name, text in BILLS.items():
        (bills / name).write_text(text)
    (bills / "schema.json").write_text(json.dumps(SCHEMA))
    return bills


def count_readings(server: OpenAIServer) -> int:
    return sum("You read documents" in json.dumps(body) for body in server.requests)


def test_rows_that_a_model_lists_are_rows_of_the_table(
    folder: Path, tmp_path: Path, server: OpenAIServer, ask: Ask, worker: QueryPool
) -> None:
    settings: Settings = settings_for(server, tmp_path / "home")
    ingest(folder, settings)

    assert ask(folder, "FROM bills_items ORDER BY ALL") == [
        ("a.txt", 1, "Mug", 2),
        ("a.txt", 2, "Cap", 1),
        ("b.txt", 1, "Mug", 3),
    ]
    lists = "SELECT document_id, state, value FROM cells WHERE position = 0 ORDER BY ALL"
    assert ask(folder, lists) == [
        ("a.txt", "stated", "2"),
        ("b.txt", "stated", "1"),
        ("c.txt", "stated_absent", "0"),
        ("d.txt", "not_mentioned", None),
    ]
    corpus = Corpus(folder, worker, settings.home)
    [cap] = corpus.trace("quantity", "bills_items", where="what = 'Cap'").evidence
    assert (cap.position, cap.as_stated) == (2, "1")
    assert corpus.document_text("a.txt")[cap.start : cap.end] == "1"

    n_asked = count_readings(server)
    (folder / "b.txt").write_text("Bert sold what follows.\n4 of Cap\n")
    ingest(folder, settings)
    assert count_readings(server) == n_asked + 1
    assert ask(folder, "SELECT what, quantity FROM bills_items WHERE document_id = 'b.txt'") == [
        ("Cap", 4)
    ]
