"""A folder of documents, and the table that the rules make of it: columns, cells, values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from srag_mcp.cells.cell import Cell, Mark, add_surroundings, normalise_column, verify_cell
from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import find_documents
from srag_mcp.documents.reading import read_file
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import induce_schema, learn_extractors
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.values.states import State
from srag_mcp.values.types import Value


@dataclass(frozen=True)
class Table:
    """What a folder became: `cells` has a list a column, in the order of the documents."""

    schema: Schema
    documents: Sequence[Document]
    cells: Mapping[str, Sequence[Cell]]

    @property
    def columns(self) -> dict[str, str]:
        """The type of each column, with its unit: `{"weight": "number kg"}`."""
        shown = self.schema.attributes
        return {a.name: f"{a.type} {a.unit}" if a.unit else str(a.type) for a in shown}

    def values(self, name: str) -> list[Value | None]:
        """Return the values of a column; dates as they are written in ISO 8601."""
        return [cell.value for cell in self.cells[name]]

    def quotes(self, name: str) -> list[str | None]:
        """Return the words that a column rests on."""
        return [cell.as_stated for cell in self.cells[name]]

    def states(self, name: str) -> list[State]:
        """Return what each document says of a column."""
        return [cell.state for cell in self.cells[name]]

    def contradicted(self, name: str) -> list[int]:
        """Return the numbers of the documents that contradict themselves."""
        cells = self.cells[name]
        return [n for n, cell in enumerate(cells) if Mark.CONTRADICTED in cell.marks]


def read(texts: Sequence[str], ending: str = "txt") -> list[Document]:
    """Write *texts* to a folder, and read it as an ingestion does."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, text in enumerate(texts):
            (folder / f"{number:03}.{ending}").write_text(text, encoding="utf-8")
        found, _ = find_documents(folder, Settings.from_environ({}))
        return list(map(read_file, found))


def fill(schema: Schema, documents: Sequence[Document]) -> Table:
    """Read *documents* by the rules of *schema*, and the values of each column as a whole."""
    rows = [
        add_surroundings(
            [
                verify_cell(cell, document.text)
                for cell in extract_record(Sightings(document), schema).cells
            ],
            document.blocks,
        )
        for document in documents
    ]
    cells = {
        attribute.name: normalise_column(attribute, [row[place] for row in rows])
        for place, attribute in enumerate(schema.attributes)
    }
    return Table(schema, documents, cells)


def tabulate(
    texts: Sequence[str], *questions: str, ending: str = "txt", entity: str = "records"
) -> Table:
    """Return the table that the rules make of *texts* without any model."""
    documents = read(texts, ending)
    schema = induce_schema(documents, title="Record", entity=entity, questions=questions)
    return fill(schema, documents)


def fill_own(texts: Sequence[str], *attributes: Attribute, ending: str = "txt") -> Table:
    """Return the table of columns that a person wrote, read by rules learnt from *texts*."""
    documents = read(texts, ending)
    schema = Schema(title="Record", attributes=attributes)
    return fill(learn_extractors(schema, documents), documents)
