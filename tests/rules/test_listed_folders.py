"""Folders of other subjects: which of the rows that their documents list are found.

`pytest tests/rules/test_listed_folders.py -s` shows the figures.
"""

from collections import Counter
from pathlib import Path

import pytest

from srag_mcp.cells.cell import Mark, normalise_column, verify_rows
from srag_mcp.documents.folder import find_documents
from srag_mcp.documents.reading import read_file
from srag_mcp.rules.induction import induce_schema
from srag_mcp.rules.row_sources import read_lists
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from tests.rules.listed_folders import LISTED_FOLDERS, WRONG_TOTAL, ListedFolder

Row = tuple[str, tuple[str, ...]]


def _read(folder: ListedFolder, path: Path) -> tuple[Schema, dict[str, list[Row]], set[str]]:
    """Return the schema, the rows by list with their document, and who is marked."""
    for name, data in folder.files.items():
        (path / name).write_bytes(data)
    documents = [*map(read_file, find_documents(path, Settings.from_environ({}))[0])]
    schema = induce_schema(documents, title="Record", entity="record")
    found: dict[str, list[Row]] = {}
    marked: set[str] = set()
    for child in schema.children:
        rows = []
        for document in documents:
            for listed in read_lists(Sightings(document), schema):
                if listed.table == child.entity:
                    assert verify_rows(listed, document.text) == listed
                    rows += [(document.id, row) for row in listed.rows]
                    marks = [cell.marks for row in listed.rows for cell in row]
                    is_marked = any(Mark.CONTRADICTED in m for m in (*marks, listed.listed.marks))
                    marked |= {document.id} if is_marked else set()
        columns = [
            normalise_column(attribute, [row[place] for _, row in rows])
            for place, attribute in enumerate(child.attributes)
        ]
        values = [tuple(_written(cell.value) for cell in row) for row in zip(*columns, strict=True)]
        found[child.list_name] = [(d, row) for (d, _), row in zip(rows, values, strict=True)]
    return schema, found, marked


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


@pytest.mark.parametrize("name", LISTED_FOLDERS)
def test_what_documents_list_is_found_row_by_row(name: str, tmp_path: Path) -> None:
    folder = LISTED_FOLDERS[name]
    _, found, marked = _read(folder, tmp_path)
    for table, truth in folder.truth.items():
        gold = [(d, tuple(_plain(v) for v in row)) for d, own in truth.items() for row in own]
        left = Counter((d, frozenset(row)) for d, row in found[table])
        n_right = 0
        for document, values in gold:
            pair = next((one for one in left if one[0] == document and {*values} <= one[1]), None)
            if pair is not None:
                n_right += 1
                left[pair] -= 1
                left += Counter()
        n_found = len(found[table])
        print(f"{name}, {table}: {n_right} of {len(gold)} rows, {n_found} found")
        assert (n_right, n_found) == (len(gold), len(gold))
    assert marked == ({WRONG_TOTAL} if name == "time_sheets" else set())


def _plain(text: str) -> str:
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def test_layouts_with_other_words_are_one_list_with_its_columns(tmp_path: Path) -> None:
    schema, *_ = _read(LISTED_FOLDERS["laboratory"], tmp_path)
    [child] = schema.children
    assert child.entity == "record_tests"
    assert [(item.name, str(item.type)) for item in child.attributes] == [
        ("test", "string"),
        ("result", "number"),
        ("unit", "string"),
        ("reference_range", "string"),
    ]
    assert child.attributes[1].synonyms == ("result", "value")
    assert [source.counts for source in child.sources] == [("number of tests",)] * 2
