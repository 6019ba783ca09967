"""What was read for some documents only is published with the rest of them unknown."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.cells.cell import Cell, PredictedCell, PredictedRecord
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.predictions import Predictions, keep_loose, loose_attributes
from srag_mcp.store.work import open_work
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from tests.conftest import Once

LEAKS = Attribute(name="leaks", type="boolean", description="It leaks.", absent_means="false")


def read(document_id: str, sha256: str, state: State = State.STATED) -> PredictedRecord:
    quote = "name" if state is State.STATED else None
    cell = Cell("leaks", state, quote, Span(0, 4) if quote else None, engine="model")
    value = "true" if state is State.STATED else None
    return PredictedRecord(document_id, sha256, (PredictedCell(cell, value),))


@pytest.fixture
def corpus(filled: Path, ships: Schema, tmp_path: Path, once: Once) -> Iterator[Corpus]:
    """Three ships, two of which were read for leaks."""

    def make() -> None:
        with open_work(filled) as work:
            known = work.known_documents(work.paths_of_documents()).values()
            hashes = {key: sha for found in known for key, sha in found.items()}
            records = [read("albatross.txt", hashes["albatross.txt"]),
                       read("bittern.txt", hashes["bittern.txt"], State.NOT_MENTIONED)]  # fmt: skip
            Predictions(work).store([LEAKS], records)
            keep_loose(work, ships, [LEAKS])
            publish(work, ships)

    once(filled.parent, make)
    with QueryPool() as pool:
        yield Corpus(filled.parent, pool, tmp_path / "home")


def test_silence_counts_only_where_a_document_was_read(corpus: Corpus) -> None:
    rows = corpus.select("SELECT document_id, leaks FROM ships ORDER BY 1").rows
    assert rows == (("albatross.txt", True), ("bittern.txt", False), ("curlew.txt", None))
    cells = corpus.select("SELECT document_id, state FROM cells WHERE attribute = 'leaks'").rows
    assert set(cells) == {
        ("albatross.txt", "stated"),
        ("bittern.txt", "not_mentioned"),
        ("dodo.pdf", "failed"),
    }


def test_the_statistics_tell_the_unread_from_the_silent(corpus: Corpus) -> None:
    [found] = corpus.statistics(["leaks"])
    assert (found.n_records, found.n_read, found.n_unread) == (3, 2, 1)
    assert (found.n_non_null, found.n_none, found.n_unknown) == (2, 0, 1)
    [masts] = corpus.statistics(["masts"])
    assert (masts.n_records, masts.n_unread) == (3, 0)


def test_the_build_says_which_columns_are_none_of_the_schema(corpus: Corpus) -> None:
    info = corpus.info()
    assert (info.loose, info.n_attributes) == (("leaks",), 5)
    assert [item.name for item in corpus.schema().attributes][-1] == "leaks"
    assert corpus.trace("leaks", document_id="albatross.txt").evidence[0].as_stated == "name"


def test_a_column_of_the_schema_takes_the_place_of_a_loose_one(filled: Path, ships: Schema) -> None:
    with open_work(filled) as work:
        keep_loose(work, ships, [LEAKS])
        kept = ships.model_copy(update={"attributes": (*ships.attributes, LEAKS)})
        assert loose_attributes(work, kept) == ()
        assert publish(work, kept).loose == ()


def test_only_changes_make_a_new_revision(filled: Path, ships: Schema) -> None:
    with open_work(filled) as work:
        before = work.revision
        keep_loose(work, ships, [LEAKS])
        assert work.revision != before
        after = work.revision
        keep_loose(work, ships, [LEAKS])
        assert work.revision == after


def test_what_an_earlier_version_counted_of_it_is_read(filled: Path, ships: Schema) -> None:
    with open_work(filled) as work:
        kept = {"attribute": LEAKS.model_dump(mode="json"), "n_documents": 2}
        work.keep_note("loose", json.dumps([kept]))
        assert loose_attributes(work, ships) == (LEAKS,)
