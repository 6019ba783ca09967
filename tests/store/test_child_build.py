"""Child tables in the work database and in a build: rows, cells, statistics, values, evidence."""

from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.cells.cell import Cell, ListedRows, Mark, Record, add_note
from srag_mcp.documents.reading import read_text
from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.export import table_sql
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.work import FinishedDocument, FinishedFile, finish_document, open_work
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from srag_mcp.values.types import INTEGER, NUMBER, TEXT
from srag_mcp.views.findings import trace_page
from srag_mcp.views.holdings import count_rows, schema_page, statistics_page
from srag_mcp.views.results import json_size
from tests.conftest import Once

SAILS = Table(
    title="Sails",
    entity="ships_sails",
    attributes=(Attribute(name="name", type=TEXT), Attribute(name="area", type=NUMBER, unit="m2")),
    parent="ships",
    list_name="sails",
)
SHIPS = Schema(
    title="Ship",
    entity="ships",
    attributes=(Attribute(name="name", type=TEXT), Attribute(name="masts", type=INTEGER)),
    children=(SAILS,),
)
Texts = tuple[str | None, str | None]


def stated(name: str, words: str | None, text: str) -> Cell:
    if words is None:
        return Cell(name, State.NOT_MENTIONED)
    if not words:
        return Cell(name, State.STATED_ABSENT, "", Span(0, 0))
    return Cell(name, State.STATED, words, Span(text.index(words), text.index(words) + len(words)))


def ship(name: str, sails: list[Texts] | None, *marks: Mark) -> FinishedDocument:
    """Finish a ship whose document lists *sails*; None where it says nothing of them."""
    lines = [" ".join(filter(None, item)) for item in sails or ()]
    text = "\n".join((f"Name: {name}", "Sails", *lines))
    document = read_text(text, f"{name.lower()}.txt")
    rows = tuple(
        (stated("name", sail, text), stated("area", area, text)) for sail, area in sails or ()
    )
    listed = Cell(POSITION, State.STATED if rows else State.STATED_ABSENT, "", Span(0, 0))
    if marks:
        listed = add_note(listed, "says 5 sails", *marks)
    lists = () if sails is None else (ListedRows("ships_sails", listed, rows),)
    cells = (stated("name", name, text),)
    return finish_document(document, Record(document.id, cells, lists), replaces=False)


FLEET = [
    ship("Albatross", [("Jib", "12.5 m2"), ("Spanker", None), (None, None)], Mark.CONTRADICTED),
    ship("Bittern", [("Jib", "rather large")]),
    ship("Curlew", []),
    ship("Dunlin", None),
]


@pytest.fixture
def fleet(state: Path, worker: QueryPool, once: Once) -> Corpus:
    files = [FinishedFile(item.path, 10, 1, rows=False) for item in FLEET]
    broken = FinishedFile("egret.pdf", 10, 1, rows=False, error="it is encrypted")

    def make() -> None:
        with open_work(state) as work:
            work.put_in_force(SHIPS, "given")
            work.store(FLEET, [*files, broken])
            publish(work, SHIPS)

    return Corpus(once(state.parent, make), worker)


def rows(corpus: Corpus, sql: str) -> list[tuple[object, ...]]:
    return list(corpus.select(sql).rows)


def test_each_item_is_a_row_with_its_document_and_position(fleet: Corpus) -> None:
    assert rows(fleet, "FROM ships_sails ORDER BY ALL") == [
        ("albatross.txt", 1, "Jib", 12.5),
        ("albatross.txt", 2, "Spanker", None),
        ("albatross.txt", 3, None, None),
        ("bittern.txt", 1, "Jib", None),
    ]
    joined = "SELECT s.name, count(position) FROM ships s LEFT JOIN ships_sails USING (document_id)"
    assert rows(fleet, f"{joined} GROUP BY ALL ORDER BY ALL") == [
        ("Albatross", 3),
        ("Bittern", 1),
        ("Curlew", 0),
        ("Dunlin", 0),
    ]


def test_cells_of_items_have_states_and_quotes_and_those_of_records_no_position(
    fleet: Corpus,
) -> None:
    columns = "position, attribute, state, as_stated, value, unit"
    where = "WHERE table_name = 'ships_sails' AND document_id = 'albatross.txt'"
    assert rows(fleet, f"SELECT {columns} FROM cells {where} ORDER BY ALL") == [
        (0, "position", "stated", "", "3", None),
        (1, "area", "stated", "12.5 m2", "12.5", "m2"),
        (1, "name", "stated", "Jib", "Jib", None),
        (2, "area", "not_mentioned", None, None, None),
        (2, "name", "stated", "Spanker", "Spanker", None),
        (3, "area", "not_mentioned", None, None, None),
        (3, "name", "not_mentioned", None, None, None),
    ]
    of_records = "SELECT count(*), count(position) FROM cells WHERE table_name = 'ships'"
    assert rows(fleet, of_records) == [(10, 0)]


def test_the_list_of_each_document_has_a_state_of_its_own(fleet: Corpus) -> None:
    of_lists = "SELECT document_id, state, value, marks, note FROM cells WHERE position = 0"
    assert rows(fleet, f"{of_lists} ORDER BY ALL") == [
        ("albatross.txt", "stated", "3", "contradicted", "says 5 sails"),
        ("bittern.txt", "stated", "1", "", ""),
        ("curlew.txt", "stated_absent", "0", "", ""),
        ("dunlin.txt", "not_mentioned", None, "", ""),
        ("egret.pdf", "failed", None, "", "it is encrypted"),
    ]
    found = fleet.list_statistics("ships_sails")
    counts = (found.n_stated, found.n_stated_absent, found.n_not_mentioned, found.n_failed)
    assert (found.n_records, counts, found.n_contradicted) == (4, (2, 1, 1, 0), 1)
    said = "4 sails of 2 of 4 documents; 1 list none; 1 may list some, not understood"
    assert count_rows(fleet, SAILS) == said
    with pytest.raises(SchemaError, match="ships is no table of what documents list"):
        fleet.list_statistics("ships")


def test_statistics_and_values_are_named_by_table_and_column(fleet: Corpus) -> None:
    name, area = fleet.statistics(table="ships_sails")
    assert (name.n_records, name.n_stated, name.n_not_mentioned) == (4, 3, 1)
    assert (area.column, area.n_non_null, area.n_failed, area.mean) == ("area", 1, 1, 12.5)
    assert [item.column for item in fleet.statistics()] == ["name", "masts"]
    index = fleet.values()
    assert index.search("jib") == []
    [jib] = index.about("ships_sails").search("jib")
    assert (jib.table, jib.column, jib.n_records) == ("ships_sails", "name", 2)
    assert [item.value for item in index.about("ships_sails").search("jib")] == ["Jib"]


def test_a_cell_of_an_item_is_traced_by_table_and_column(fleet: Corpus) -> None:
    page = trace_page(fleet, "ships_sails.name", where="area > 10")
    [source] = page.sources
    assert (source.document_id, source.position, source.column) == (
        "albatross.txt",
        1,
        "ships_sails.name",
    )
    assert source.quote == "Jib"
    assert [item.quote for item in trace_page(fleet, "area", state="stated").sources] == ["12.5 m2"]
    assert [item.quote for item in trace_page(fleet, "name", value="Curlew").sources] == ["Curlew"]
    of_list = trace_page(fleet, "ships_sails.position", document_id="albatross.txt").sources
    assert [(item.value, item.note) for item in of_list] == [("3", "says 5 sails")]


def test_the_schema_page_has_a_line_for_each_table_of_lists(fleet: Corpus) -> None:
    page = schema_page(fleet, 20_000)
    shown = [line for line in page.columns if "sails" in line]
    assert shown == [
        "table ships_sails (document_id, position from 1):"
        " 4 sails of 2 of 4 documents; 1 list none; 1 may list some, not understood",
        "ships_sails.name string: known in 3 of 4: 'Jib' (2), 'Spanker' (1)",
        "ships_sails.area number m2: 12.5 to 12.5, median 12.5; known in 1 of 4",
    ]
    assert not any(line.startswith("ships_sails") for line in page.other_tables)
    entries = statistics_page(fleet, 20_000, ()).columns
    assert [entry.column for entry in entries] == [
        *("name", "masts"),
        *("ships_sails.name", "ships_sails.area"),
    ]


def test_a_table_of_lists_is_exported_with_quotes(fleet: Corpus) -> None:
    sql = table_sql(fleet, "ships_sails", quotes=True, states=False)
    assert rows(fleet, sql)[:2] == [
        ("albatross.txt", 1, "Jib", "Jib", 12.5, "12.5 m2"),
        ("albatross.txt", 2, "Spanker", "Spanker", None, None),
    ]


def test_rows_of_a_changed_or_removed_document_leave_the_next_build(
    fleet: Corpus, state: Path
) -> None:
    shorter = ship("Albatross", [("Topsail", None)])
    with open_work(state) as work:
        work.store([replace(shorter, replaces=True)], [])
        work.remove_files(["bittern.txt"])
        publish(work, SHIPS)
    assert rows(fleet, "SELECT document_id, position, name FROM ships_sails") == [
        ("albatross.txt", 1, "Topsail")
    ]


def test_a_work_file_of_an_earlier_version_gets_room_for_lists(
    filled: Path, ships: Schema, worker: QueryPool
) -> None:
    with open_work(filled) as work:
        work.connection.execute("DROP TABLE child_cells")
    with open_work(filled) as work:
        assert work.n_documents() == 3
        publish(work, ships)
    assert len(rows(Corpus(filled.parent, worker), "FROM ships")) == 3


def test_forty_columns_of_three_tables_take_two_thousand_tokens(
    state: Path, worker: QueryPool
) -> None:
    said = "What the crew wrote down of it in the evening, in the words of the officer on watch"
    columns = tuple(
        Attribute(name=f"noted_at_watch_{n}", type=TEXT, description=said) for n in range(14)
    )
    lists = ("sails of the ship", "members of the crew")
    schema = Schema(
        title="Ship",
        entity="ships",
        attributes=columns[:12],
        children=tuple(
            Table(
                title=name,
                entity=f"ships_{name.split()[0]}",
                attributes=columns,
                parent="ships",
                list_name=name,
            )
            for name in lists
        ),
    )
    text = "\n".join(f"a rather long note number {n} of this watch" for n in range(14))
    row = tuple(
        stated(item.name, line, text) for item, line in zip(columns, text.split("\n"), strict=True)
    )
    document = read_text(text, "a.txt")
    listed = Cell(POSITION, State.STATED, "", Span(0, 0))
    found = tuple(ListedRows(child.entity, listed, (row,)) for child in schema.children)
    finished = finish_document(document, Record("a.txt", row[:12], found), replaces=False)
    with open_work(state) as work:
        work.put_in_force(schema, "given")
        work.store([finished], [FinishedFile("a.txt", 1, 1, rows=False)])
        publish(work, schema)
    page = schema_page(Corpus(state.parent, worker), 40_000)
    assert len(page.columns) == 1 + 40 + 2
    assert json_size(page.model_dump()) / 4 <= 2000
