"""Every tool, over every way to reach the server."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

import anyio
import jsonschema  # type: ignore[import-untyped]  # it comes without types
import pytest
from mcp import Client
from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import BaseModel

from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings
from srag_mcp.views.results import (
    AnswerPage,
    CorpusList,
    DocumentPage,
    ResultTable,
    SchemaPage,
    SourceEntry,
    StatisticsPage,
    TracePage,
)
from tests.server.conftest import ENDLESS, Connect

pytestmark = pytest.mark.anyio

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
Page = TypeVar("Page", bound=BaseModel)

TOOLS = [
    "list_corpora",
    "ingest_corpus",
    "extend_schema",
    "ingest_status",
    "get_schema",
    "get_column_stats",
    "run_sql",
    "ask",
    "search_documents",
    "trace_value",
    "correct_value",
    "get_document",
    "next_prompts",
    "answer_prompts",
]
# Their names, bounds and the results that they page through say what they are; list_corpora says
# when corpus is needed.
SELF_SAID = {
    *(
        "column",
        "value",
        "instead",
        "corpus",
        "question",
        "query",
        "limit",
        "offset",
        "wait_seconds",
        "cancel",
        "max_characters",
    ),
}
CALLS: list[tuple[str, dict[str, Json]]] = [
    ("list_corpora", {}),
    ("get_schema", {"corpus": "fleet"}),
    ("get_column_stats", {"corpus": "fleet", "columns": ["length", "harbour"]}),
    ("run_sql", {"corpus": "fleet", "sql": "SELECT name, length, crew FROM boats ORDER BY 2"}),
    ("run_sql", {"corpus": "handed", "sql": "SELECT document_id FROM documents", "limit": 2}),
    ("ask", {"corpus": "fleet", "question": "What is the average length?"}),
    ("ask", {"corpus": "fleet", "question": "Which poet in Bergen liked zeppelins?"}),
    ("search_documents", {"corpus": "fleet", "query": "Kiel", "where": "crew > 1", "limit": 1}),
    ("search_documents", {"corpus": "fleet", "query": "zeppelins"}),
    ("trace_value", {"corpus": "fleet", "column": "length", "limit": 3}),
    ("trace_value", {"corpus": "fleet", "column": "harbour", "value": "Bergem"}),
    ("get_document", {"corpus": "fleet", "document_id": "documents/a b/ü.txt", "length": 30}),
    ("get_document", {"corpus": "fleet", "document_id": "documents/broken.pdf"}),
]


def structured(result: CallToolResult) -> dict[str, Json]:
    assert not result.is_error, result.content
    content: dict[str, Json] | None = result.structured_content
    assert content is not None
    return content


async def call(client: Client, page: type[Page], tool: str, **arguments: object) -> Page:
    return page.model_validate(structured(await client.call_tool(tool, arguments)))


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


def leaves(value: Json) -> Iterator[str | int | float]:
    """Return what a reader has to learn: texts and numbers; flags have words of their own."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield value


async def test_the_tools_are_listed_in_their_order(client: Client) -> None:
    tools = (await client.list_tools()).tools

    assert [tool.name for tool in tools] == TOOLS
    assert all(tool.description and tool.title and tool.output_schema for tool in tools)
    writing = [t.name for t in tools if t.annotations and not t.annotations.read_only_hint]
    assert writing == [
        "ingest_corpus",
        "extend_schema",
        "ingest_status",
        "correct_value",
        "next_prompts",
        "answer_prompts",
    ]


async def test_arguments_are_described_and_have_no_titles_that_repeat_their_names(
    client: Client,
) -> None:
    for tool in (await client.list_tools()).tools:
        properties: dict[str, dict[str, Json]] = tool.input_schema.get("properties", {})
        assert all("title" not in entry for entry in [tool.input_schema, *properties.values()])
        without = {name for name, entry in properties.items() if not entry.get("description")}
        assert without <= SELF_SAID


async def test_what_can_be_long_has_a_ceiling_that_need_not_be_listed() -> None:
    ceilings = {"string": "maxLength", "array": "maxItems"}
    for tool in await MCPServer.list_tools(build_server([], Settings())):
        properties: dict[str, dict[str, Json]] = tool.input_schema.get("properties", {})
        for name, entry in properties.items():
            wanted = ceilings.get(str(entry.get("type")), "type")
            assert wanted in entry or "enum" in entry, (tool.name, name)


async def test_hints_say_what_a_tool_can_do(memory: Client) -> None:
    tools = {tool.name: tool.annotations for tool in (await memory.list_tools()).tools}

    assert [name for name, hints in tools.items() if hints and hints.destructive_hint] == [
        "ingest_corpus"  # rebuild_schema drops columns
    ]
    assert [name for name, hints in tools.items() if hints and hints.open_world_hint] == [
        "ingest_corpus",
        "extend_schema",
        "ask",  # these three may ask a language model
    ]


async def test_no_tool_waits_longer_than_clients_do_unless_it_is_asked_to(memory: Client) -> None:
    waits = {
        tool.name: tool.input_schema["properties"]["wait_seconds"]["default"]
        for tool in (await memory.list_tools()).tools
        if "wait_seconds" in tool.input_schema["properties"]
    }

    assert waits == {"ingest_corpus": 3, "extend_schema": 3, "ingest_status": 3}


async def test_nothing_is_announced_that_is_not_done(client: Client) -> None:
    announced = client.server_capabilities

    assert announced.tools is not None
    assert announced.resources is not None
    assert announced.prompts is not None
    assert not announced.tools.list_changed
    assert not announced.prompts.list_changed
    assert not announced.resources.list_changed
    assert not announced.resources.subscribe


async def test_the_instructions_reach_the_client(client: Client) -> None:
    assert client.instructions is not None
    assert "list_corpora" in client.instructions
    assert len(client.instructions) <= 1500


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=lambda item: str(item)[:30])
async def test_text_and_structured_content_say_the_same(
    client: Client, tool: str, arguments: dict[str, Json]
) -> None:
    (listed,) = [item for item in (await client.list_tools()).tools if item.name == tool]

    result = await client.call_tool(tool, arguments)

    content, text = structured(result), text_of(result)
    jsonschema.validate(content, listed.output_schema)
    missing = [leaf for leaf in leaves(content) if not said(leaf, text)]
    assert missing == []
    if content.get("truncated"):
        assert "truncated" in text


def said(leaf: str | float, text: str) -> bool:
    """Whether *text* holds *leaf*, plain or as JSON writes it."""
    return str(leaf) in text or json.dumps(leaf, ensure_ascii=False).strip('"') in text


async def test_corpora_are_listed_with_their_state(client: Client) -> None:
    listed = await call(client, CorpusList, "list_corpora")

    states = {entry.name: entry.state for entry in listed.corpora}
    assert states == {"fleet": "ready", "handed": "ready", "fresh": "not ingested"}
    assert listed.next == (
        "call ask with a question, or get_schema and then run_sql;"
        " for another corpus call ingest_corpus with corpus='fresh'"
    )


async def test_the_schema_says_what_columns_hold(client: Client) -> None:
    page = await call(client, SchemaPage, "get_schema", corpus="fleet")

    assert (page.table, page.documents) == ("boats", 7)
    assert page.columns == [
        "document_id string: key of the record; the same in all tables",
        "name string: known in 7 of 7: 'Gale', 'Juno', 'Moth', … 7 distinct — The name of the boat",
        "harbour string: known in 7 of 7: 'Bergen' (3), 'Brest' (2), 'Kiel' (2)"
        " — The harbour of the boat",
        "length number m: 6.5 to 31.5, median 12.5; known in 7 of 7 — The length of the boat",
        "built integer: 1975 to 2019, median 2001.5; known in 6 of 7 — The built of the boat",
        "crew integer: 1 to 12, median 5.0; known in 6 of 7 — The crew of the boat",
    ]


async def test_statistics_count_the_states(client: Client) -> None:
    page = await call(client, StatisticsPage, "get_column_stats", corpus="fleet", columns=["crew"])

    (crew,) = page.columns
    assert (crew.records, crew.non_null, crew.minimum, crew.maximum) == (7, 6, 1, 12)
    assert (crew.stated, crew.stated_absent, crew.not_mentioned, crew.failed) == (6, 0, 1, 0)


async def test_rows_come_with_their_denominator(client: Client) -> None:
    sql = "SELECT harbour, count(*) AS n FROM boats WHERE crew > 1 GROUP BY ALL ORDER BY ALL"

    table = await call(client, ResultTable, "run_sql", corpus="fleet", sql=sql)

    assert table.rows == [["Bergen", 2], ["Brest", 1], ["Kiel", 2]]
    (coverage,) = table.coverage
    assert coverage.startswith("Over the 5 of 7 documents with crew > 1; ")
    assert "crew: 6 used, 1 without a value that rules read" in coverage
    assert table.notes[-1] == "1 file could not be read, and no record is of it"


@pytest.mark.parametrize("shown", ["count(*)", "avg(length)", "name"])
async def test_a_text_that_no_record_has_is_named_when_nothing_is_found(
    memory: Client, shown: str
) -> None:
    sql = f"SELECT {shown} FROM boats WHERE harbour IN ('bergen', 'Bergn')"
    rest = f"SELECT {shown} FROM boats WHERE harbour = 'Bergen' AND crew > 99"

    page = await call(memory, ResultTable, "run_sql", corpus="fleet", sql=sql)
    other = await call(memory, ResultTable, "run_sql", corpus="fleet", sql=rest)

    assert page.notes[:2] == [
        "no record meets harbour = 'bergen'; nearest stored: harbour = 'Bergen'",
        "no record meets harbour = 'Bergn'; nearest stored: harbour = 'Bergen'",
    ]
    assert "no record meets" not in " ".join(other.notes)


async def test_rows_come_with_their_bounds_and_what_unknown_cells_could_change(
    memory: Client,
) -> None:
    count = "SELECT count(*) FROM boats WHERE crew > 99"
    page = await call(memory, ResultTable, "run_sql", corpus="fleet", sql=count)
    listed = await call(
        memory,
        ResultTable,
        "run_sql",
        corpus="fleet",
        sql="SELECT harbour FROM boats WHERE crew > 3",
    )

    assert page.coverage == [
        "Over all 7 documents; crew: 6 used, 1 without a value that rules read.",
        "Whatever they would say: 0 to 2.",
    ]
    assert page.notes == [
        "none meets crew > 99 (crew is 1 to 12, median 5.0; known in 6 of 7)",
        "1 file could not be read, and no record is of it",
    ]
    assert listed.notes[0] == "up to 2 more may belong to the list: that is not known of them"


async def test_rows_that_use_no_column_of_the_records_have_no_denominator(client: Client) -> None:
    sql = "SELECT count(*) FROM documents WHERE characters = 0"

    table = await call(client, ResultTable, "run_sql", corpus="fleet", sql=sql)

    assert (table.rows, table.coverage, table.notes) == (
        [[1]],
        [],
        ["1 file could not be read, and no record is of it"],
    )


async def test_an_answer_has_its_query_its_denominator_and_quotes(client: Client) -> None:
    answer = await call(
        client, AnswerPage, "ask", corpus="fleet", question="What is the average length?"
    )

    assert answer.answered
    assert answer.rows == [[pytest.approx(105.5 / 7)]]
    assert answer.denominator == (
        "Over all 7 documents; none is left out as unknown. If those without a value lie between"
        " 6.5 and 31.5, as the others do: 14 to 17.125."
    )
    assert [source.quote for source in answer.sources] == ["22.75 m", "15 m", "31.5 m"]


async def test_a_question_that_is_not_understood_gets_a_brief(client: Client) -> None:
    answer = await call(
        client, AnswerPage, "ask", corpus="fleet", question="Which poet in Bergen liked zeppelins?"
    )

    assert not answer.answered
    assert answer.brief is not None
    assert answer.brief.table == "boats"
    assert len(answer.brief.columns) == 6
    linked = [(value.column, value.value, value.records) for value in answer.brief.linked_values]
    assert linked == [("harbour", "Bergen", 3)]
    assert answer.brief.next.endswith(
        "extend_schema with corpus='fleet' and what it should hold in words"
    )


@pytest.mark.parametrize("engine", ["auto", "agent"])
async def test_a_question_that_the_grammar_is_not_sure_of_gets_its_reading_in_a_brief(
    fleet: Path, connect: Connect, engine: str
) -> None:
    question = "How many boats are above 10 m?"

    async with connect(fleet, engine=engine) as client:
        answer = await call(client, AnswerPage, "ask", question=question)
    async with connect(fleet, engine="offline") as client:
        forced = await call(client, AnswerPage, "ask", question=question)

    assert (answer.answered, forced.answered) == (False, True)
    reading = f"the grammar is not sure of its reading, {forced.reading}: "
    assert answer.text.startswith(f"Not answered: {reading}")
    assert answer.brief is not None


async def test_the_quotes_behind_an_aggregate_can_be_traced(client: Client) -> None:
    where = "harbour = 'Kiel' -- both"

    page = await call(
        client, TracePage, "trace_value", corpus="fleet", column="length", where=where
    )

    assert page.total == 2
    assert page.sources[1] == SourceEntry(
        document_id="documents/a b/ü.txt",
        title="Report on Übermut",
        column="length",
        state="stated",
        value="15.0",
        unit="m",
        quote="15 m",
        start=55,
        end=59,
    )


async def test_what_could_not_be_read_can_be_traced(client: Client) -> None:
    arguments = {"corpus": "fleet", "document_id": "documents/broken.pdf", "state": "failed"}

    page = await call(client, TracePage, "trace_value", **arguments)

    assert [source.column for source in page.sources] == sorted(
        ["name", "harbour", "length", "built", "crew"]
    )
    assert all(source.note for source in page.sources)


async def test_a_document_is_read_by_range(client: Client) -> None:
    arguments = {"document_id": "documents/a b/ü.txt", "start": 55, "length": 4}

    page = await call(client, DocumentPage, "get_document", corpus="handed", **arguments)

    assert (page.text, page.truncated, page.next_start) == ("15 m", True, 59)


async def test_errors_arrive_over_every_way(client: Client) -> None:
    misspelt = {"corpus": "fleet", "sql": "SELECT lenght FROM boats"}
    result = await client.call_tool("run_sql", misspelt)

    assert result.is_error
    assert "Did you mean length?" in str(result.content)


async def test_giving_up_stops_the_query_and_the_next_one_runs(client: Client, way: str) -> None:
    if way == "http-legacy":
        pytest.skip("without a session, an older client has no way to cancel over HTTP")
    count = {"corpus": "fleet", "sql": "SELECT count(*) FROM boats"}
    await client.call_tool("run_sql", count)

    with anyio.move_on_after(0.5) as scope:
        await client.call_tool("run_sql", {"corpus": "fleet", "sql": ENDLESS})

    assert scope.cancelled_caught
    with anyio.fail_after(60):  # a query of two minutes would be in the way
        result = await client.call_tool("run_sql", count)
    assert result.structured_content is not None
    assert result.structured_content["rows"] == [[7]]
