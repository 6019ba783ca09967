"""A work database with hand-made documents and cells."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from srag_mcp.cells.cell import Cell, Record
from srag_mcp.documents.reading import read_text
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import FinishedDocument, FinishedFile, finish_document, open_work
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

Finish = Callable[..., FinishedDocument]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "ships"
    folder.mkdir()
    return CorpusFolder(folder, tmp_path / "home").writable()


@pytest.fixture(scope="session")
def ships() -> Schema:
    return Schema(
        title="Ship",
        entity="ships",
        attributes=(
            Attribute(name="name", type="string", description='It\'s the "name".'),
            Attribute(name="masts", type="integer", absent_means="zero"),
            Attribute(name="length", type="number", unit="m"),
            Attribute(name="has_engine", type="boolean", absent_means="false"),
            Attribute(name="launched", type="date"),
        ),
    )


@pytest.fixture(scope="session")
def finish() -> Finish:
    """Make a finished document of `attribute: words` lines; the words are the cells."""

    def make(
        document_id: str, lines: dict[str, str], *, replaces: bool = False
    ) -> FinishedDocument:
        text = "\n".join(f"{key}: {words}" for key, words in lines.items())
        document = read_text(text, document_id)
        cells = tuple(
            Cell(key, State.STATED, words, Span(text.index(words), text.index(words) + len(words)))
            for key, words in lines.items()
        )
        return finish_document(document, Record(document_id, cells), replaces=replaces)

    return make


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, ships: Schema, finish: Finish) -> Path:
    """A folder of three ships and a file that could not be read, not published; to be copied."""
    folder = tmp_path_factory.mktemp("prepared")
    documents = [
        finish(
            "albatross.txt",
            {"name": "Albatross", "masts": "3", "length": "61.5 m", "launched": "4 May 1899"},
        ),
        finish("bittern.txt", {"name": "Bittern", "has_engine": "yes", "length": "rather long"}),
        finish("curlew.txt", {"name": "Curlew", "masts": "2", "launched": "30 June 1931"}),
    ]
    files = [FinishedFile(item.path, 10, 1, rows=False) for item in documents]
    broken = FinishedFile("dodo.pdf", 10, 1, rows=False, error="it is encrypted")
    with open_work(CorpusFolder(folder, folder).writable()) as work:
        work.put_in_force(ships, "given")
        work.store(documents, [*files, broken])
    return folder


@pytest.fixture(scope="session")
def prepared_build(prepared: Path, tmp_path_factory: pytest.TempPathFactory, ships: Schema) -> Path:
    """The same folder, published; to be copied."""
    folder = shutil.copytree(prepared, tmp_path_factory.mktemp("build") / "ships")
    with open_work(CorpusFolder(folder, folder).writable()) as work:
        publish(work, ships)
    return folder


@pytest.fixture
def filled(state: Path, prepared: Path) -> Path:
    """The state folder with three ships and a file that could not be read, not published yet."""
    shutil.copytree(prepared, state.parent, dirs_exist_ok=True)
    return state


@pytest.fixture
def published(state: Path, prepared_build: Path) -> Path:
    """The same state folder, published."""
    shutil.copytree(prepared_build, state.parent, dirs_exist_ok=True)
    return state


@pytest.fixture
def worker() -> Iterator[QueryPool]:
    with QueryPool() as running:
        yield running
