"""Results are cut at whole entries, say so, and go on where they stopped."""

import csv
from collections.abc import AsyncIterator
from typing import TypeVar

import pytest
from mcp import Client
from mcp.types import CallToolResult
from pydantic import BaseModel

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings
from srag_mcp.views.results import (
    AnswerPage,
    DocumentPage,
    ResultTable,
    SchemaPage,
    StatisticsPage,
    TracePage,
    json_size,
)

pytestmark = pytest.mark.anyio

Page = TypeVar("Page", bound=BaseModel)
MAX_CHARACTERS = 20_000
N_ROWS = 160
N_COLUMNS = 40
NOISE = 'He said "no",\n\tthen left. '


@pytest.fixture(scope="module")
async def wide(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings
) -> AsyncIterator[Client]:
    """Serve 160 records of 40 columns, whose texts are long and full of quotes."""
    folder = tmp_path_factory.mktemp("wide") / "wide"
    folder.mkdir()
    names = [f"measurement number {number}" for number in range(N_COLUMNS - 1)]
    with (folder / "all.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["remark", *names])
        for row in range(N_ROWS):
            writer.writerow([NOISE * 12 + str(row), *(row * 1000.5 + i for i in range(len(names)))])
    ingest(folder, settings, schema=wide_schema(names))
    long = folder.parent / "long"
    long.mkdir()
    (long / "long.txt").write_text(NOISE * 2000, encoding="utf-8")
    ingest(long, settings, schema=Schema(title="Letter", entity="letters"))
    async with Client(build_server([folder, long], settings)) as client:
        yield client


def wide_schema(names: list[str]) -> Schema:
    said = "What an instrument showed when the keeper read it in the morning, in its own unit. " * 2
    measured = [
        Attribute(
            name=name.replace(" ", "_"),
            type="number",
            description=said,
            unit="hectopascal",
            extractors=(KeyRule(keys=(name,)),),
        )
        for name in names
    ]
    remark = Attribute(name="remark", type="string", extractors=(KeyRule(keys=("remark",)),))
    return Schema(title="Reading", entity="readings", attributes=(remark, *measured))


async def call(client: Client, page: type[Page], tool: str, **arguments: object) -> Page:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert max(sizes(result)) <= MAX_CHARACTERS
    return page.model_validate(result.structured_content)


def sizes(result: CallToolResult) -> tuple[int, int]:
    (content,) = result.content
    assert content.type == "text"
    return len(content.text), json_size(result.structured_content)


async def test_a_schema_of_forty_columns_costs_two_thousand_tokens(wide: Client) -> None:
    result = await wide.call_tool("get_schema", {"corpus": "wide"})

    page = SchemaPage.model_validate(result.structured_content)
    assert len(page.columns) == N_COLUMNS + 1
    assert page.columns[2].startswith("measurement_number_0 number hectopascal: 0.0 to 159079.5")
    assert max(sizes(result)) / 4 <= 2000


async def test_the_brief_of_a_question_costs_three_thousand_tokens(wide: Client) -> None:
    result = await wide.call_tool(
        "ask", {"corpus": "wide", "question": "Why does the keeper sing to the seals?"}
    )

    assert result.structured_content is not None
    assert result.structured_content["answered"] is False
    assert max(sizes(result)) / 4 <= 3000


async def test_a_brief_names_every_column_and_shows_what_the_question_speaks_of(
    wide: Client,
) -> None:
    asked = await wide.call_tool(
        "ask", {"corpus": "wide", "question": "Why does measurement number 7 sing to the seals?"}
    )

    assert asked.structured_content is not None
    columns = asked.structured_content["brief"]["columns"]
    assert columns[0] == "document_id string: key of the record; the same in all tables"
    assert any(
        line.startswith("- measurement_number_7 (number, hectopascal): ") for line in columns
    )
    named = " ".join(columns)
    assert all(f"measurement_number_{number} " in named for number in range(N_COLUMNS - 1))


async def test_a_schema_is_read_on_from_an_offset(wide: Client) -> None:
    page = await call(wide, SchemaPage, "get_schema", corpus="wide", offset=N_COLUMNS)

    assert [line.partition(" ")[0] for line in page.columns] == [
        f"measurement_number_{N_COLUMNS - 2}"
    ]
    assert (page.truncated, page.next_offset) == (False, None)


async def test_rows_are_paged_by_their_limit(memory: Client) -> None:
    sql = "SELECT name FROM boats ORDER BY name NULLS LAST"
    names: list[object] = []
    offset: int | None = 0
    n_pages = 0
    while offset is not None:
        page = await call(
            memory, ResultTable, "run_sql", corpus="fleet", sql=sql, limit=3, offset=offset
        )
        names += [row[0] for row in page.rows]
        offset = page.next_offset
        n_pages += 1
        assert page.truncated is (offset is not None)

    assert n_pages == 3
    assert names == ["Gale", "Juno", "Moth", "Petrel", "Sea Wolf", "Tern", "Übermut"]


async def test_a_page_of_long_rows_is_cut_at_a_whole_row(wide: Client) -> None:
    sql = "SELECT document_id, remark FROM readings WHERE remark IS NOT NULL ORDER BY 1"

    first = await call(wide, ResultTable, "run_sql", corpus="wide", sql=sql, limit=1000)
    assert first.next_offset == len(first.rows)
    second = await call(
        wide, ResultTable, "run_sql", corpus="wide", sql=sql, limit=1000, offset=first.next_offset
    )

    assert 10 < len(first.rows) < N_ROWS
    assert first.truncated
    assert [str(row[0]) for row in first.rows + second.rows] == [
        f"all.csv#{number:03d}" for number in range(1, len(first.rows) + len(second.rows) + 1)
    ]


async def test_a_long_list_of_an_answer_is_cut_and_says_so(wide: Client) -> None:
    question = "List all remarks of readings with a measurement number 1 above 0."

    answer = await call(wide, AnswerPage, "ask", corpus="wide", question=question)

    assert answer.answered
    assert answer.truncated
    assert 5 < len(answer.rows) < N_ROWS


async def test_statistics_name_the_columns_that_had_no_room(wide: Client) -> None:
    first = await call(wide, StatisticsPage, "get_column_stats", corpus="wide")
    n_left = N_COLUMNS - len(first.columns)
    left = [f"measurement_number_{number}" for number in range(N_COLUMNS - 1)][-n_left:]

    assert first.truncated
    assert n_left > 0
    assert first.next == f"{n_left} more: call get_column_stats with columns={left[:20]}"
    rest = await call(wide, StatisticsPage, "get_column_stats", corpus="wide", columns=left)
    assert [entry.column for entry in rest.columns] == left


async def test_quotes_are_paged(wide: Client) -> None:
    arguments: dict[str, object] = {"corpus": "wide", "column": "remark", "limit": 1000}

    first = await call(wide, TracePage, "trace_value", **arguments)
    second = await call(wide, TracePage, "trace_value", **arguments, offset=first.next_offset)

    assert first.total == second.total == N_ROWS
    assert first.truncated
    ids = [source.document_id for source in first.sources + second.sources]
    assert ids == sorted(set(ids))


async def test_a_document_is_read_to_its_end_in_pieces(wide: Client) -> None:
    text, start, n_pages = "", 0, 0
    while True:
        page = await call(
            wide,
            DocumentPage,
            "get_document",
            corpus="long",
            document_id="long.txt",
            start=start,
            length=20_000,
        )
        text += page.text
        n_pages += 1
        if page.next_start is None:
            break
        start = page.next_start

    assert n_pages >= 3
    assert len(text) == page.characters
    assert text == NOISE.strip() + text[len(NOISE.strip()) :]
    assert text.count("He said") == 2000


async def test_all_documents_come_in_a_row_whole_where_they_fit(memory: Client) -> None:
    names = await call(
        memory, ResultTable, "run_sql", corpus="fleet", sql="SELECT document_id FROM documents"
    )
    page = await call(memory, DocumentPage, "get_document", corpus="fleet")

    told = [f"{name} (" for [name] in names.rows if f"{name} (" in page.text]
    assert page.title == f"{len(told)} of {len(names.rows)} documents"
    assert len(told) == len(names.rows) - 1, "but the one that could not be read"
    assert (page.start, page.end, page.next_start) == (0, page.characters, None)


async def test_reading_on_shows_each_character_of_all_documents_once(wide: Client) -> None:
    start, n_shown, n_pages = 0, 0, 0
    while True:
        page = await call(wide, DocumentPage, "get_document", corpus="long", start=start)
        assert page.start == start
        assert len(page.model_dump_json()) <= 20_000
        n_shown += page.end - page.start
        n_pages += 1
        if page.next_start is None:
            break
        start = page.next_start

    assert n_pages >= 3
    assert n_shown == page.characters


async def test_reading_behind_the_end_of_a_document_is_empty(wide: Client) -> None:
    page = await call(
        wide, DocumentPage, "get_document", corpus="long", document_id="long.txt", start=10**9
    )

    assert (page.text, page.truncated, page.next_start) == ("", False, None)
    assert (page.start, page.note) == (page.characters, "the text ends before this start")


async def test_a_page_behind_the_last_says_so(memory: Client) -> None:
    schema = await call(memory, SchemaPage, "get_schema", corpus="fleet", offset=10**20)
    trace = await call(memory, TracePage, "trace_value", corpus="fleet", column="crew", offset=99)
    rows = await call(
        memory, ResultTable, "run_sql", corpus="fleet", sql="SELECT name FROM boats", offset=99
    )

    assert schema.notes[-1] == f"offset {10**20} is behind the last of 6 columns"
    assert trace.next == "offset 99 is behind the last of 8 cells"
    assert rows.notes == [
        "no rows from offset 99 on",
        "1 file could not be read, and no record is of it",
    ]


async def test_quotes_come_before_cells_without_one(memory: Client) -> None:
    page = await call(memory, TracePage, "trace_value", corpus="fleet", column="crew", limit=100)

    quoted = [item.quote is not None for item in page.sources]
    assert (len(quoted), sum(quoted)) == (8, 6)
    assert quoted == sorted(quoted, reverse=True)


async def test_a_condition_may_begin_with_where(memory: Client) -> None:
    page = await call(
        memory,
        TracePage,
        "trace_value",
        corpus="fleet",
        column="crew",
        where=" WHERE harbour = 'Kiel'",
    )

    assert page.total == 2
