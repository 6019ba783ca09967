"""The second opinion of learned rules on what a language model reads."""

import json
import re
from pathlib import Path

from srag_mcp.inference.grounds import find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.server.corpora import Corpora
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import Review, count_reviews, read_reviews
from srag_mcp.store.guard import QueryPool
from srag_mcp.views.holdings import schema_page
from tests.model.openai_server import Answer, Body, serving

SCHEMA = Schema(
    title="Hut",
    entity="huts",
    attributes=(
        Attribute(name="height", type="integer", description="Height of the hut."),
        Attribute(name="name", type="string", description="Name of the hut."),
    ),
)
_TEXT = re.compile(r"^(d\d+) \(path.*?\nName: (\w+)\nHeight: (\d+)", re.MULTILINE | re.DOTALL)


def misread_one(body: Body) -> Answer:
    """Read every hut, and take 300 for 999."""
    messages = body["messages"]
    assert isinstance(messages, list)
    documents = []
    for key, name, height in _TEXT.findall(str(messages[1]["content"])):
        value = 999 if height == "300" else int(height)
        cells = [[1, value, f"Height: {height}"], [2, name]]
        documents.append({"id": key, "cells": cells})
    return Answer(json.dumps({"documents": documents}))


def notes_of(corpus: Corpus, sql: str) -> tuple[str, ...]:
    return find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql)).notes


def test_where_model_and_rule_disagree_the_cell_is_marked_and_listed(tmp_path: Path) -> None:
    folder = tmp_path / "huts"
    folder.mkdir()
    for number in range(1, 9):
        text = f"Name: Hut{number}\nHeight: {100 * number}\n"
        (folder / f"{number}.txt").write_text(text)
    with serving(misread_one) as server, QueryPool() as worker:
        settings = Settings(
            workers=1, model="openai/fake", api_base=server.base, api_key="none", home=tmp_path
        )
        ingest(folder, settings, schema=SCHEMA)
        corpus = Corpus(folder, worker, settings.home)
        disputed = Review("3.txt", "height", "999", "Height: 300", "300", "300")
        assert read_reviews(corpus.read) == [disputed]
        assert count_reviews(corpus.read) == {"height": 1}
        assert read_reviews(corpus.read, "name") == []
        [cell] = corpus.trace("height", document_id="3.txt").evidence
        assert cell.value == "999"
        assert "a learned rule reads otherwise: 300 (“300”)" in cell.note
        noted = "height: 1 of 8 values are read otherwise by a learned rule (trace_value)"
        doubted = "height: 1 of 8 values (cells.marks) are in doubt, as “Height: 300”: doubted: "
        notes = notes_of(corpus, "SELECT avg(height) FROM huts")
        assert (noted in notes, any(x.startswith(doubted) for x in notes)) == (True, True)
        assert notes_of(corpus, "SELECT count(DISTINCT name) FROM huts") == ()
        corpora = Corpora([folder], settings)
        assert schema_page(corpora.readable("huts"), 20_000).notes[-1] == (
            "1 cells to review, which a learned rule reads otherwise: height (1); trace_value of"
            " the column and document shows both"
        )
        corpora.close()
