from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from srag_mcp.cells.cell import Cell, Record
from srag_mcp.documents.document import Document
from srag_mcp.documents.folder import storable
from srag_mcp.errors import StoreError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import check_value
from srag_mcp.store.work import (
    FinishedDocument,
    FinishedFile,
    WorkDatabase,
    finish_document,
    open_work,
    read_cell,
)
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

Finish = Callable[..., FinishedDocument]


def test_what_is_stored_is_there_when_it_is_opened_again(filled: Path, ships: Schema) -> None:
    with open_work(filled) as work:
        assert work.n_documents() == 3
        failed = {path: x.error for path, x in work.files().items() if x.error is not None}
        assert failed == {"dodo.pdf": "it is encrypted"}
        present = work.schema_in_force()
        assert present is not None
        assert (present.schema, present.origin) == (ships, "given")
        assert work.known_documents(["curlew.txt", "other.txt"]).keys() == {"curlew.txt"}
        assert work.files()["curlew.txt"] == FinishedFile("curlew.txt", 10, 1, rows=False)


def test_the_revision_changes_with_the_content_only(
    filled: Path, ships: Schema, finish: Finish
) -> None:
    with open_work(filled) as work:
        before = work.revision
        work.put_in_force(ships, "another origin")
        work.store([], [FinishedFile("curlew.txt", 10, 2, rows=False)])
        assert work.revision == before
        work.store([finish("new.txt", {"name": "New"})], [])
        assert work.revision != before


def test_a_new_version_of_a_document_replaces_the_old_one(filled: Path, finish: Finish) -> None:
    with open_work(filled) as work:
        work.store([finish("curlew.txt", {"name": "Curlew II"}, replaces=True)], [])
        cells = work.connection.execute(
            "SELECT attribute, as_stated FROM cells WHERE document_id = 'curlew.txt'"
        ).fetchall()
        assert cells == [("name", "Curlew II")]
        assert work.n_documents() == 3


def test_stale_documents_and_removed_files_are_dropped(filled: Path) -> None:
    with open_work(filled) as work:
        work.store([], [FinishedFile("x.txt", 1, 1, rows=False, stale=("bittern.txt",))])
        assert work.remove_files(["albatross.txt", "never-there.txt"]) == 1
        assert work.paths_of_documents() == {"curlew.txt"}
        assert "albatross.txt" not in work.files()


def passages(work: WorkDatabase) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = work.connection.execute(
        "SELECT document_id, number, kind FROM passages ORDER BY ALL"
    ).fetchall()
    return rows


def test_passages_come_and_go_with_their_documents(filled: Path, finish: Finish) -> None:
    long = {f"line_{number}": "words " * 50 for number in range(5)}
    with open_work(filled) as work:
        work.store([finish("curlew.txt", long, replaces=True)], [])
        work.remove_files(["albatross.txt"])
        assert passages(work) == [
            ("bittern.txt", 1, "text"),
            ("curlew.txt", 1, "text"),
            ("curlew.txt", 2, "text"),
        ]


def test_what_an_earlier_version_read_is_read_again(filled: Path, finish: Finish) -> None:
    with open_work(filled) as work:
        hashes = work.known_documents(["curlew.txt"])
        work.connection.execute("ALTER TABLE documents DROP COLUMN n_passages; DROP TABLE passages")
        work.connection.execute("DELETE FROM meta WHERE key = 'tables'")
    with open_work(filled) as work:
        assert work.known_documents(["curlew.txt"]) == hashes
        assert work.known_documents(["curlew.txt"], cut=True) == {"curlew.txt": {"curlew.txt": ""}}
        assert [item.passing for item in work.files().values()] == [True, True, True, False]
        again = finish("curlew.txt", {"name": "Curlew"}, replaces=True)
        work.store([again], [FinishedFile("curlew.txt", 10, 1, rows=False)])
    with open_work(filled) as work:
        assert work.known_documents(["curlew.txt"], cut=True)["curlew.txt"]["curlew.txt"]
        assert not work.files()["curlew.txt"].passing
        assert passages(work) == [("curlew.txt", 1, "text")]


def test_another_schema_drops_what_was_extracted_after_the_old_one(
    filled: Path, ships: Schema
) -> None:
    with open_work(filled) as work:
        work.put_in_force(ships.model_copy(update={"version": 7}), "given")
        assert work.n_documents() == 3
        work.put_in_force(ships.model_copy(update={"attributes": ships.attributes[:2]}), "given")
        assert (work.n_documents(), work.files()) == (0, {})


def test_a_transaction_that_fails_leaves_nothing(filled: Path, finish: Finish) -> None:
    bad = finish("new.txt", {"name": "New"})
    broken = FinishedFile("new.txt", 2**70, 1, rows=False)  # no BIGINT

    with pytest.raises(StoreError, match="writing"), open_work(filled) as work:
        work.store([bad], [broken])

    with open_work(filled) as work:
        assert work.n_documents() == 3


def test_a_work_database_of_another_format_is_moved_aside(filled: Path) -> None:
    with duckdb.connect(str(filled / "work.duckdb")) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'format'")

    with open_work(filled) as work:
        assert "its format is '99'" in work.warning
        assert work.n_documents() == 0
    assert len(list(filled.glob("work.damaged-*.duckdb"))) == 1


def test_a_cell_survives_its_row_but_for_what_utf8_cannot_hold() -> None:
    document = Document("a.txt", "a.txt", "A", "text/plain", "", "name: Alba\ud800tross")
    cell = Cell("name", State.STATED, "Alba\ud800tross", Span(6, 16), context="(in m)", unit="m")

    finished = finish_document(document, Record("a.txt", (cell,)), replaces=False)

    assert finished.text == "name: Alba?tross"
    assert read_cell(finished.cells[0]) == replace(cell, as_stated="Alba?tross")
    assert storable("ä\udfff") == "ä?"


@pytest.mark.parametrize(
    ("type_", "value", "kept"),
    [
        ("integer", 3, 3),
        ("integer", 3.0, 3),
        ("integer", 3.5, None),
        ("integer", 2**63, None),
        ("integer", True, None),
        ("number", 3, 3.0),
        ("number", float("inf"), None),
        ("number", "3", None),
        ("boolean", 1, None),
        ("boolean", False, False),
        ("date", "2020-01-01", None),
        ("string", 3, "3"),
    ],
)
def test_values_that_do_not_fit_their_column_fail(type_: str, value: object, kept: object) -> None:
    attribute = Attribute.model_validate({"name": "a", "type": type_})
    cell = Cell("a", State.STATED, "x", value=value)  # type: ignore[arg-type]  # wrong on purpose

    checked = check_value(attribute, cell)

    assert (checked.value, checked.state) == (
        kept,
        State.FAILED if kept is None else State.STATED,
    )
