"""Errors reach the model as text that says what to do next."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp import Client
from mcp.server import MCPServer
from mcp.types import CallToolResult

from srag_mcp import errors
from srag_mcp.errors import SragError
from srag_mcp.grammar.translate import TwoReadingsError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.tools import ThriftyServer, as_result, run_blocking
from srag_mcp.settings import Settings
from srag_mcp.store.layout import ingestion_lock
from srag_mcp.views.results import CorpusList

pytestmark = pytest.mark.anyio

FLEET: dict[str, object] = {"corpus": "fleet"}
REFUSALS: list[tuple[str, dict[str, object], str]] = [
    ("get_schema", {}, "there are several corpora; pass one of these as corpus: 'fleet', 'handed'"),
    ("ask", {"question": "How many?", "corpus": "flet"}, "no corpus 'flet'"),
    ("get_schema", {"corpus": "fresh"}, "call ingest_corpus with corpus='fresh'"),
    ("run_sql", {"corpus": "fresh", "sql": "SELECT 1"}, "call ingest_corpus with corpus='fresh'"),
    ("ask", {"corpus": "fresh", "question": "How many?"}, "call ingest_corpus"),
    ("ingest_status", {"corpus": "fresh"}, "yet: call ingest_corpus"),
    ("ingest_status", {**FLEET, "job_id": "../../x"}, "no ingestion job '../../x'"),
    ("ask", {**FLEET, "question": "How many? " * 999}, "at most 2000 characters"),
    ("run_sql", {**FLEET, "sql": "SELECT 1" + " " * 20_000}, "at most 20000 characters"),
    ("get_column_stats", {**FLEET, "columns": ["crew"] * 101}, "at most 100 items"),
    ("answer_prompts", {**FLEET, "answers": [{}] * 201}, "at most 200 items"),
    ("ingest_corpus", {"corpus": "handed"}, "'handed' is a published build without documents"),
    ("run_sql", {**FLEET, "sql": "SELECT lenght FROM boats"}, "Did you mean length?"),
    ("run_sql", {**FLEET, "sql": "SELECT * FROM boat"}, "Did you mean boats?"),
    ("run_sql", {**FLEET, "sql": "DROP TABLE boats"}, "DROP is not allowed: only one SELECT"),
    ("run_sql", {**FLEET, "sql": "SELECT 1; SELECT 2"}, "one"),
    ("run_sql", {**FLEET, "sql": "FROM read_text('/etc/passwd')"}, "not allowed"),
    ("run_sql", {**FLEET, "sql": "SELECT 1", "limit": 1001}, "less than or equal to 1000"),
    ("run_sql", {**FLEET, "sql": "SELECT sum(name) FROM boats"}, "get_schema shows"),
    ("run_sql", {**FLEET, "sql": "SELEC name FROM boats"}, "get_schema shows"),
    ("run_sql", FLEET, "Field required"),
    ("run_sql", {**FLEET, "query": "SELECT 1"}, "no argument 'query'; its arguments are sql, "),
    ("trace_value", {**FLEET, "colum": "crew"}, "no argument 'colum'; did you mean column?"),
    ("list_corpora", {"name": "fleet"}, "no argument 'name'; it has none"),
    ("run_sql", {**FLEET, "sql": None}, "valid string"),
    ("get_column_stats", {**FLEET, "columns": ["lenght"]}, "did you mean length?"),
    ("get_column_stats", {**FLEET, "columns": ["zzz"]}, "columns: name, harbour, length"),
    ("get_column_stats", {**FLEET, "columns": ["zzz"]}, "if no column holds it, extend_schema"),
    ("run_sql", {**FLEET, "sql": "SELECT lanes FROM boats"}, "if no column holds it, extend_sch"),
    (
        "search_documents",
        {**FLEET, "query": "sea", "where": "harbor = 'Kiel'"},
        "Did you mean harb",
    ),
    ("search_documents", {**FLEET, "query": "?"}, "pass what the passages should be about"),
    (
        "search_documents",
        {"corpus": "fresh", "query": "sea"},
        "call ingest_corpus with corpus='fre",
    ),
    ("trace_value", {**FLEET, "column": "harbor"}, "did you mean harbour?"),
    ("trace_value", FLEET, "pass column"),
    ("trace_value", {**FLEET, "column": "crew", "where": "harbor = 'Kiel'"}, "condition in where"),
    ("trace_value", {**FLEET, "column": "crew", "where": "1=1); DROP TABLE x; --"}, ""),
    ("trace_value", {**FLEET, "column": "crew", "state": "known"}, "'stated_absent'"),
    ("trace_value", {**FLEET, "document_id": "documents/x/juno.md"}, "try: documents/a b/juno.md"),
    ("get_document", {**FLEET, "document_id": "tern"}, "try: documents/tern.txt"),
    ("get_document", {**FLEET, "document_id": "../schema.json"}, "no document '../schema.json'"),
]
CALLS: dict[str, dict[str, object]] = {
    "get_schema": {},
    "ask": {"question": "How many?"},
    "run_sql": {"sql": "SELECT 1"},
    "trace_value": {"column": "crew"},
    "ingest_corpus": {},
    "extend_schema": {"attribute": "crew"},
    "ingest_status": {},
    "next_prompts": {},
}


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


@pytest.mark.parametrize(("tool", "arguments", "said"), REFUSALS, ids=lambda item: str(item)[:40])
async def test_a_wrong_call_is_told_what_to_do(
    memory: Client, tool: str, arguments: dict[str, object], said: str
) -> None:
    result = await memory.call_tool(tool, arguments)

    assert result.is_error
    assert text_of(result).startswith(f"Error executing tool {tool}: ")
    assert said in text_of(result)
    assert "https://" not in text_of(result)


async def test_a_crash_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    server = ThriftyServer("test", log_level="ERROR")

    @server.tool()
    async def fail() -> CallToolResult:
        raise ZeroDivisionError

    async with Client(server) as client:
        result = await client.call_tool("fail", {})

    assert text_of(result) == "Error executing tool fail"
    assert "ZeroDivisionError" in caplog.text


async def test_null_is_as_if_the_argument_was_not_there(memory: Client) -> None:
    plain = {**FLEET, "column": "crew"}
    filled = plain | dict.fromkeys(("document_id", "where", "value", "state", "limit", "offset"))

    expected = await memory.call_tool("trace_value", plain)
    result = await memory.call_tool("trace_value", filled)

    assert not result.is_error
    assert result.structured_content == expected.structured_content


async def test_a_value_can_be_traced_as_the_number_that_it_is(memory: Client) -> None:
    call = {**FLEET, "column": "length"}

    expected = await memory.call_tool("trace_value", call | {"value": "31.5"})
    result = await memory.call_tool("trace_value", call | {"value": 31.5})

    assert not result.is_error
    assert "gale.txt" in text_of(expected)
    assert result.structured_content == expected.structured_content


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("get_schema", {"corpus": "x" * 100_000}),
        ("get_document", {**FLEET, "document_id": "x" * 100_000}),
        ("get_column_stats", {**FLEET, "columns": ["x" * 100_000]}),
        ("ingest_status", {**FLEET, "job_id": "x" * 100_000}),
        ("ask", {**FLEET, "question": "x" * 100_000}),
        ("ask", {**FLEET, "x" * 100_000: 1}),
        ("x" * 100_000, {}),
    ],
    ids=lambda item: str(item)[:20],
)
async def test_a_long_argument_does_not_come_back_whole(
    memory: Client, tool: str, argument: dict[str, object]
) -> None:
    result = await memory.call_tool(tool, argument)

    assert result.is_error
    assert len(text_of(result)) < 4000
    assert not text_of(result).endswith("x")  # what to do stands at the end


def error_kinds(kind: type[SragError] = SragError) -> Iterator[type[SragError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from error_kinds(below)


def make(kind: type[SragError]) -> SragError:
    said = f"what {kind.__name__} says"
    if issubclass(kind, errors.DocumentError):
        return kind("a.pdf", said)
    if issubclass(kind, (errors.QueryError, errors.LockedError)):
        return kind(said, "SELECT 1")
    if issubclass(kind, (TwoReadingsError, errors.SeveralKindsError)):
        return kind(said, ())
    return kind(said)


@pytest.mark.parametrize("kind", list(error_kinds()), ids=lambda kind: kind.__name__)
async def test_the_text_of_every_error_of_the_tree_arrives(
    kind: type[SragError], settings: Settings
) -> None:
    corpora = Corpora([], settings)
    server = MCPServer("test", log_level="ERROR")

    def work() -> CorpusList:
        raise make(kind)

    @server.tool()
    async def fail() -> CallToolResult:
        return as_result(await run_blocking(corpora, work))

    async with Client(server) as client:
        result = await client.call_tool("fail", {})

    assert result.is_error
    assert f"what {kind.__name__} says" in text_of(result)


async def test_a_folder_that_is_not_there_is_named_and_not_made(
    connect: Callable[..., Client], fleet: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"

    async with connect(fleet, gone) as client:
        listed = await client.call_tool("list_corpora", {})
        refused = [
            await client.call_tool(tool, {"corpus": "gone", **arguments})
            for tool, arguments in CALLS.items()
        ]

    page = CorpusList.model_validate(listed.structured_content)
    assert [entry.state for entry in page.corpora] == ["ready", "unreadable"]
    said = f"the folder of corpus 'gone' is not there: {gone}; tell the user"
    assert page.corpora[1].problem == said
    assert page.next == "call ask with a question, or get_schema and then run_sql"
    assert [(result.is_error, said in text_of(result)) for result in refused] == [
        (True, True)
    ] * len(CALLS)
    assert not gone.exists()


async def test_an_ingestion_that_is_no_job_is_seen(
    connect: Callable[..., Client], fleet: Path, tmp_path: Path
) -> None:
    fresh = tmp_path / "fresh"
    state = fresh / ".srag"
    state.mkdir(parents=True)

    async with connect(fleet, fresh) as client:
        with ingestion_lock(state):
            listed = await client.call_tool("list_corpora", {})
            asked = await client.call_tool("ask", {"corpus": "fresh", "question": "How many?"})
        later = await client.call_tool("list_corpora", {})

    page = CorpusList.model_validate(listed.structured_content)
    assert [entry.state for entry in page.corpora] == ["ready", "ingesting"]
    assert page.next.endswith(
        "; for another corpus call ingest_status with corpus='fresh' while it is running"
    )
    assert "is being ingested for the first time: call ingest_status" in text_of(asked)
    after = CorpusList.model_validate(later.structured_content)
    assert [entry.state for entry in after.corpora] == ["ready", "not ingested"]


async def test_one_damaged_corpus_does_not_hide_the_others(
    connect: Callable[..., Client], fleet: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.duckdb"
    damaged.write_bytes(b"this is no database")

    async with connect(fleet, damaged, tmp_path / "gone.duckdb") as client:
        listed = await client.call_tool("list_corpora", {})

    entries = CorpusList.model_validate(listed.structured_content).corpora
    assert [entry.state for entry in entries] == ["ready", "unreadable", "unreadable"]
    assert "damaged.duckdb cannot be read; it is damaged, or no build" in entries[1].problem
    assert "gone.duckdb" in entries[2].problem
