"""Long documents: what was not read of them is not taken for a no."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from srag_mcp.inference.answer import Bounds
from srag_mcp.inference.grounds import Grounds, find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.server.corpora import Corpora
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.views.holdings import schema_page
from tests.model.openai_server import Answer, Body, content_of, serving
from tests.pipeline.test_model_crashes import settings_for

SCHEMA = Schema(
    title="Lease",
    entity="leases",
    attributes=(
        Attribute(name="pets_allowed", type="boolean", absent_means="false"),
        Attribute(name="rent", type="integer", unit="EUR"),
    ),
)
FILLER = "The parties keep the staircase clean and greet each other on every day of the year.\n"
DOGS = "Dogs may stay.\n"
LEASES = {
    "short_no.txt": "Rent: 500 EUR\n",
    "short_yes.txt": "Rent: 600 EUR\n" + DOGS,
    "long_no.txt": "Rent: 700 EUR\n" + FILLER * 100,
    "long_yes.txt": "Rent: 800 EUR\n" + FILLER * 90 + DOGS + FILLER * 10,
    "endless_yes.txt": "Rent: 900 EUR\n" + FILLER * 900 + DOGS + FILLER * 10,
}
_DOCUMENT = re.compile(r"^(d\d+) \(path.*?\n<<<(\w+)\n(.*?)\n\2>>>", re.MULTILINE | re.DOTALL)


def read_leases(body: Body) -> Answer:
    """Answer for each lease what it says where it is shown."""
    messages = body["messages"]
    assert isinstance(messages, list)
    names = [name for name in ("pets_allowed", "rent") if f" {name} (" in messages[0]["content"]]
    documents = []
    for key, _, text in _DOCUMENT.findall(content_of(body)):
        cells: list[list[object]] = []
        if "pets_allowed" in names and "Dogs may stay" in text:
            cells.append([names.index("pets_allowed") + 1, True, "Dogs may stay"])
        found = re.search(r"Rent: (\d+) EUR", text)
        if "rent" in names and found:
            cells.append([names.index("rent") + 1, int(found[1]), found[0]])
        documents.append({"id": key, "cells": cells})
    return Answer(json.dumps({"documents": documents}))


@pytest.fixture(scope="module")
def ingested(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[IngestReport, Corpus, Corpora]]:
    folder = tmp_path_factory.mktemp("long") / "leases"
    folder.mkdir()
    for name, text in LEASES.items():
        (folder / name).write_text(text)
    with serving(read_leases) as server:
        settings = settings_for(server.base, tmp_path_factory.mktemp("home"))
        settings = settings.model_copy(update={"prompt_tokens": 1000})
        report = ingest(folder, settings, schema=SCHEMA)
    corpora = Corpora([folder], settings)
    yield report, corpora.readable("leases"), corpora
    corpora.close()


def test_an_unread_rest_is_neither_yes_nor_no(
    ingested: tuple[IngestReport, Corpus, Corpora],
) -> None:
    corpus = ingested[1]

    rows = corpus.select("SELECT document_id, pets_allowed FROM leases ORDER BY 1").rows

    assert rows == (
        ("endless_yes.txt", None),
        ("long_no.txt", False),
        ("long_yes.txt", True),
        ("short_no.txt", False),
        ("short_yes.txt", True),
    )
    [(note,)] = corpus.select(
        "SELECT note FROM cells WHERE document_id = 'endless_yes.txt' AND value IS NULL"
    ).rows
    assert re.fullmatch(r"read in part: 1\d,\d{3} of 76,\d{3} characters", str(note))


def test_an_answer_counts_it_as_open_and_says_so(
    ingested: tuple[IngestReport, Corpus, Corpora],
) -> None:
    corpus = ingested[1]
    sql = "SELECT count(*) FROM leases WHERE NOT pets_allowed"

    found = grounds_of(corpus, sql)
    assert found.bounds == Bounds(2, 3)
    assert found.notes == (
        "pets_allowed: not mentioned counts as no (2 of all 5 documents)",
        "pets_allowed: 1 of 5 documents were read in part and may say it in the rest",
    )
    assert grounds_of(corpus, "SELECT avg(rent) FROM leases").notes == ()


def grounds_of(corpus: Corpus, sql: str) -> Grounds:
    return find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql))


def test_the_report_and_the_schema_count_the_documents(
    ingested: tuple[IngestReport, Corpus, Corpora],
) -> None:
    report, _, corpora = ingested

    assert report.warnings == (
        "1 of 5 documents are too long to be read whole: what they do not mention in the parts"
        " that were read stays unknown",
    )
    assert (
        "at least 1 long documents were read in part: what their cells do not mention is NULL,"
        " and may stand in the rest"
    ) in schema_page(corpora.readable("leases"), 20_000).notes


def test_a_column_that_long_documents_never_say_late_is_sought_late_in_a_few(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "leases"
    folder.mkdir()
    for n in range(9):
        (folder / f"{n}.txt").write_text(f"Rent: 70{n} EUR\n" + FILLER * 900)
    with serving(read_leases) as server:
        settings = settings_for(server.base, tmp_path / "home")
        ingest(folder, settings, schema=SCHEMA)
        shown = [content_of(body) for body in server.requests]
        (folder / "9.txt").write_text("Rent: 709 EUR\n" + FILLER * 900)
        again = ingest(folder, settings)
        n_new = len(server.requests) - len(shown)

    n_prompts = [sum(f"{n}.txt" in text for text in shown) for n in range(9)]
    assert n_prompts == [3] * 5 + [1] * 4
    assert (again.n_predicted, n_new) == (1, 1), "what the first told is kept"
    with closing(Corpora([folder], settings)) as corpora:
        said = corpora.readable("leases").select("SELECT pets_allowed FROM leases ORDER BY rent")
    assert said.rows == ((False,),) * 5 + ((None,),) * 5, "the first five were read to their ends"
