"""Lists that a model reads, behind a real server: rows in replies become rows of a table."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.inference.ask import ask
from srag_mcp.inference.grounds import find_grounds
from srag_mcp.pipeline.column_run import change_columns
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
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
PROPOSED = {
    "title": "Bill",
    "entity": "bills",
    "nouns": [],
    "attributes": [
        {
            "name": "shop",
            "type": "string",
            "description": "Who sold it.",
            "unit": None,
            "categories": None,
            "absent_means": "unknown",
            "synonyms": [],
            "examples": [],
            "rationale": "",
        }
    ],
    "needs": [],
    "lists": [{"name": "items", "description": "What is sold.", "fields": ["what", "quantity"]}],
    "other_kinds": [],
}
_DOCUMENT = re.compile(r"^(d\d+) \(path.*?\n<<<(\w+)\n(.*?)\n\2>>>", re.MULTILINE | re.DOTALL)


def sent(body: Body) -> list[str]:
    """Return the instructions and the content of a prompt."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return [str(item["content"]) for item in messages]


def say(body: Body) -> Answer:
    instructions, content = sent(body)
    if instructions.startswith("You design"):
        return Answer(json.dumps(PROPOSED))
    if instructions.startswith("You improve"):
        return Answer(json.dumps({"changes": [], "needs": []}))
    if not instructions.startswith("You read documents"):
        keys = re.findall(r"^\[(c\d+), begin", content, re.MULTILINE)
        kept = [{"id": key, "verdict": "keep", "value": None, "rationale": ""} for key in keys]
        return Answer(json.dumps({"groups": [], "cells": [], "verdicts": kept}))
    numbers = re.findall(r"^(\d+) (\w+) \(", instructions, re.MULTILINE)
    place = {name: int(number) for number, name in numbers}
    documents = []
    for key, _, text in _DOCUMENT.findall(content):
        cells: list[list[object]] = [[place["shop"], text.split()[0]]] if "shop" in place else []
        rows = [[what, int(n)] for n, what in re.findall(r"(\d) of (\w+)", text)]
        is_asked = "items" in place
        cells += [[place["items"], rows]] if rows and is_asked else []
        cells += [[place["items"], None, "no items"]] if "no items" in text and is_asked else []
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
    sql = "SELECT sum(quantity) FROM bills_items"
    grounds = find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql))
    over = "3 items of 2 of 4 documents (1 list none, in 1 none was found)"
    assert grounds.coverage == [f"Over all {over}; none is left out as unknown."]
    assert grounds.notes == ()

    n_asked = count_readings(server)
    (folder / "b.txt").write_text("Bert sold what follows.\n4 of Cap\n")
    ingest(folder, settings)
    assert count_readings(server) == n_asked + 1
    assert ask(folder, "SELECT what, quantity FROM bills_items WHERE document_id = 'b.txt'") == [
        ("Cap", 4)
    ]


def say_in_words(body: Body) -> Answer:
    """Say members of lists as documents write them: nobody said what type they are."""
    reply = json.loads(say(body).text or "{}")
    for document in reply.get("documents", ()):
        for cell in document["cells"]:
            if isinstance(cell[1], list):
                cell[1] = [[what, f"{n}"] for what, n in cell[1]]
    return Answer(json.dumps(reply))


@pytest.fixture
def proposed(folder: Path) -> Path:
    (folder / "schema.json").unlink()
    return folder


def test_a_list_that_a_model_proposes_becomes_a_table_with_types(
    proposed: Path, tmp_path: Path, ask: Ask
) -> None:
    with serving(say_in_words) as server:
        settings = settings_for(server, tmp_path / "home")
        report = ingest(proposed, settings)
        rows = [("a.txt", 1, "Mug", 2), ("a.txt", 2, "Cap", 1), ("b.txt", 1, "Mug", 3)]
        assert ask(proposed, "FROM bills_items ORDER BY ALL") == rows
        lists = "SELECT document_id, state, value FROM cells WHERE position = 0 ORDER BY ALL"
        assert ask(proposed, lists)[2:] == [
            ("c.txt", "stated_absent", "0"),
            ("d.txt", "not_mentioned", None),
        ]
        assert not any("pending" in line for line in report.designed)

        n_asked = count_readings(server)
        ingest(proposed, settings)
        assert count_readings(server) == n_asked, "nothing is asked twice"
        (proposed / "b.txt").write_text("Bert sold what follows.\n4 of Cap\n")
        ingest(proposed, settings)
        assert count_readings(server) == n_asked + 1
        changed = "SELECT what, quantity FROM bills_items WHERE document_id = 'b.txt'"
        assert ask(proposed, changed) == [("Cap", 4)]


@pytest.mark.parametrize("before", [{"lists": False}, {"effort": "checked"}, {"effort": "draft"}])
def test_lists_that_stayed_pending_are_asked_for_alone(
    before: dict[str, object], proposed: Path, tmp_path: Path, ask: Ask
) -> None:
    with serving(say_in_words) as server:
        settings = settings_for(server, tmp_path / "home")
        report = ingest(proposed, settings.model_copy(update=before))
        settings = settings.model_copy(update={"effort": "full"})
        assert any("items (what, quantity): kept as pending" in line for line in report.designed)
        n_asked = len(server.requests)
        quote = quote_ingestion(proposed, settings)
        ingest(proposed, settings)
        [body] = [x for x in server.requests[n_asked:] if "You read documents" in json.dumps(x)]
        [instructions] = re.findall(r"Columns\n(.*?)\nA column", sent(body)[0], re.S)
        assert [line.split()[:3] for line in instructions.splitlines()] == [
            ["2", "items", "(list):"]
        ]
        assert (quote.n_to_read, quote.least.n_prompts) == (4, 1)
        assert ask(proposed, "SELECT sum(quantity) FROM bills_items") == [(6,)]


def test_a_list_that_a_person_takes_out_of_the_schema_is_not_read(
    proposed: Path, tmp_path: Path
) -> None:
    with serving(say_in_words) as server:
        settings = settings_for(server, tmp_path / "home")
        ingest(proposed, settings.model_copy(update={"lists": False}))
        path = proposed / ".srag" / "schema.json"
        written = json.loads(path.read_text())
        del written["x-pending-lists"]
        path.write_text(json.dumps(written))
        n_asked = len(server.requests)
        ingest(proposed, settings)
        assert len(server.requests) == n_asked


def test_a_list_that_goes_on_through_a_long_document_has_each_row_once(
    proposed: Path, tmp_path: Path, ask: Ask
) -> None:
    wares = [("Mug", "Cap", "Jug")[number % 3] for number in range(150)]
    lines = [
        f"{1 + n % 2} of {ware}, packed with care in plain paper" for n, ware in enumerate(wares)
    ]
    (proposed / "e.txt").write_text("Edna sold what follows.\n" + "\n".join(lines))
    with serving(say_in_words) as server:
        settings = settings_for(server, tmp_path / "home").model_copy(
            update={"prompt_tokens": 1000}
        )
        ingest(proposed, settings)
    found = "SELECT what, quantity FROM bills_items WHERE document_id = 'e.txt' ORDER BY position"
    assert ask(proposed, found) == [(ware, 1 + n % 2) for n, ware in enumerate(wares)]
    lines_of = "SELECT count(DISTINCT start), count(*) FROM cells WHERE attribute = 'what'"
    assert ask(proposed, f"{lines_of} AND document_id = 'e.txt'") == [(150, 150)]


def test_code_reads_a_pending_list_that_it_finds_and_the_model_the_rest(
    proposed: Path, tmp_path: Path, ask: Ask
) -> None:
    goods = ("Pen", "Ink", "Nib", "Cap", "Jar", "Lid")
    for number, good in enumerate(goods):
        rows = "".join(f"| {x} | {number + 2} |\n" for x in (good, goods[number - 1]))
        text = f"Shop{number} sold what follows.\n\n| What | Quantity |\n| --- | --- |\n{rows}"
        (proposed / f"t{number}.md").write_text(text)
    with serving(say_in_words) as server:
        settings = settings_for(server, tmp_path / "home")
        ingest(proposed, settings.model_copy(update={"lists": False}))
        n_asked = len(server.requests)
        ingest(proposed, settings)
        [asked] = [x for x in server.requests[n_asked:] if "You read documents" in json.dumps(x)]
        assert re.findall(r"path \"(\w+)", sent(asked)[1]) == ["a", "b", "c", "d"]
        engines = (
            "SELECT engine, count(*) FROM cells WHERE attribute = 'quantity' GROUP BY 1 ORDER BY 1"
        )
        assert ask(proposed, engines) == [("model", 3), ("offline", 12)]
        n_asked = len(server.requests)
        ingest(proposed, settings)
        assert len(server.requests) == n_asked


def test_a_column_of_a_list_that_a_model_read_is_renamed_without_reading_again(
    folder: Path, tmp_path: Path, server: OpenAIServer, ask: Ask
) -> None:
    settings: Settings = settings_for(server, tmp_path / "home")
    ingest(folder, settings)
    n_asked = count_readings(server)
    change = change_columns(folder, settings, "rename", ["bills_items.quantity", "pieces"])
    assert (change.n_kept, change.n_lost) == (3, 0)
    change_columns(folder, settings, "drop", ["bills_items.what"])
    rows = [("a.txt", 1, 2), ("a.txt", 2, 1), ("b.txt", 1, 3)]
    assert ask(folder, "FROM bills_items ORDER BY ALL") == rows
    ingest(folder, settings)
    assert ask(folder, "FROM bills_items ORDER BY ALL") == rows
    assert count_readings(server) == n_asked
    lists = "SELECT state, value FROM cells WHERE position = 0 ORDER BY document_id"
    assert ask(folder, lists)[1:3] == [("stated", "1"), ("stated_absent", "0")]


_SOLD = ("Mug", "Cap")


def test_whether_forms_in_a_list_are_one_was_not_asked_of_the_model_and_is_doubtful(
    server: OpenAIServer, folder: Path, tmp_path: Path
) -> None:
    (folder / "e.txt").write_text("Emil sold what follows.\n4 of Mugs\n")
    settings = settings_for(server, tmp_path)
    ingest(folder, settings)
    with QueryPool() as worker:
        corpus = Corpus(folder, worker, settings.home)
        asked = (f"What is the total quantity of the items with the what {x}?" for x in _SOLD)
        told = [ask(corpus, question).text for question in asked]
    assert "the same: Mug (2) and Mugs (1). If not: 5" in told[0]
    assert told[1].startswith("1: sum of quantity")


def test_members_that_could_not_be_read_are_named_in_the_report(
    folder: Path, tmp_path: Path
) -> None:
    def say_more(body: Body) -> Answer:
        return Answer(str(say(body).text).replace('["Cap", 1]', '["Cap", 77]'))

    with serving(say_more) as running:
        report = ingest(folder, settings_for(running, tmp_path / "home"))
    assert report.warnings == (
        "1 cell failed (bills_items.quantity 1); trace_value with the state failed says why",
    )


def test_columns_of_lists_are_standardised_and_united(
    folder: Path, tmp_path: Path, ask: Ask
) -> None:
    sold = ("Tulip", "Tulip", "Tulip", "Tulips", "Kettle", "Kettle", "Kettel")
    for shop, what in zip(("Fay", "Gus", "Hilde", "Ivo", "Jon", "Kim", "Paul"), sold, strict=True):
        # a name of a file may have a break
        (folder / f"{shop}\n.txt").write_text(f"{shop} sold what follows.\n1 of {what}\n")
    changed = {"Tulips": ("change", "Tulip"), "Kettel": ("keep", None)}

    def look_again(body: Body) -> Answer:
        _, content = sent(body)
        verdicts = [
            {"id": key, "verdict": changed[x][0], "value": changed[x][1], "rationale": "as sold"}
            for key, x in re.findall(r"^\[(c\d+), begin.*\nvalue: (\w+)", content, re.MULTILINE)
        ]
        if verdicts:
            return Answer(json.dumps({"verdicts": verdicts}))
        if "`bills_items.what`" in content:
            group = re.findall(r"^(g\d+)\na .*Kettle", content, re.MULTILINE)[0]
            return Answer(json.dumps({"groups": [{"id": group, "same": [["a", "b"]]}]}))
        return say(body)

    with serving(look_again) as running:
        settings = settings_for(running, tmp_path / "home")
        assert ingest(folder, settings).n_standardised == 1
        counts = "SELECT what, count(*) FROM bills_items WHERE what ~ '^[TK]' GROUP BY 1 ORDER BY 1"
        assert ask(folder, counts) == [("Kettle", 3), ("Tulip", 4)]
        n_asked = len(running.requests)
        ingest(folder, settings)
        assert len(running.requests) == n_asked, "nobody is asked twice"
    lists = "SELECT count(*) FROM cells WHERE position = 0 AND state = 'stated'"
    assert ask(folder, lists) == [(9,)]
