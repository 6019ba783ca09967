"""A server starts with what it needs to list its tools, and nothing else."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from srag_mcp.server.corpora import Corpora
from srag_mcp.settings import Settings
from srag_mcp.views.results import CorpusList

HEAVY = [
    "litellm",
    "duckdb",
    "sqlglot",
    "pypdf",
    "pypdfium2",
    "docx",
    "python_calamine",
    "selectolax",
    "rapidfuzz",
    "rich",
]
LIST_TOOLS = """
import json, sys, anyio
from pathlib import Path
from mcp import Client
from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings

async def main():
    async with Client(build_server([Path(sys.argv[1])], Settings())) as client:
        return [tool.name for tool in (await client.list_tools()).tools]

names = anyio.run(main)
print(json.dumps({"n_tools": len(names), "loaded": sorted(sys.modules)}))
"""


@pytest.mark.usefixtures("cold_starts")
def test_listing_the_tools_loads_no_database_no_parser_and_nothing_that_answers_calls(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", LIST_TOOLS, str(tmp_path)]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    assert said["n_tools"] == 14
    assert [name for name in HEAVY if name in said["loaded"]] == []
    layers = {name.split(".")[1] for name in said["loaded"] if name.startswith("srag_mcp.")}
    assert layers == {"errors", "server", "settings", "text", "views"}
    shown = [name for name in said["loaded"] if name.startswith("srag_mcp.views.")]
    assert shown == ["srag_mcp.views.results"]


@pytest.mark.anyio
async def test_serving_a_folder_that_was_never_ingested_touches_nothing(
    tmp_path: Path, connect_stdio: Callable[..., StdioServerParameters]
) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "a.txt").write_text("Town: Bergen\n", encoding="utf-8")

    async with Client(connect_stdio(folder)) as client:
        listed = await client.call_tool("list_corpora", {})

    page = CorpusList.model_validate(listed.structured_content)
    assert [entry.state for entry in page.corpora] == ["not ingested"]
    assert page.next == "call ingest_corpus with corpus='letters'"
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


@pytest.mark.anyio
async def test_a_server_without_a_corpus_says_how_to_get_one(
    connect: Callable[..., Client],
) -> None:
    async with connect() as client:
        listed = await client.call_tool("list_corpora", {})

    assert listed.structured_content == {
        "corpora": [],
        "next": "no corpus is served: start the server with --corpus DIR",
    }


@pytest.mark.anyio
async def test_a_build_is_served_alone_wherever_it_lies(
    tmp_path: Path, fleet: Path, connect: Callable[..., Client]
) -> None:
    (build,) = (fleet / ".srag" / "builds").glob("*.duckdb")
    alone = tmp_path / "shared" / "boats of 2024.duckdb"
    alone.parent.mkdir()
    alone.write_bytes(build.read_bytes())
    alone.chmod(0o444)

    async with connect(alone) as client:
        answer = await client.call_tool("ask", {"question": "How many boats are in Bergen?"})
        text = await client.call_tool("get_document", {"document_id": "documents/tern.txt"})

    assert answer.structured_content is not None
    assert answer.structured_content["rows"] == [[3]]
    assert text.structured_content is not None
    assert text.structured_content["text"].startswith("Report on Tern")
    assert [path.name for path in alone.parent.iterdir()] == ["boats of 2024.duckdb"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["x/cvs", "y/hotels"], ["cvs", "hotels"]),
        (["x/cvs", "y/cvs"], ["x-cvs", "y-cvs"]),
        (["x/cvs", "y/cvs.duckdb", "boats"], ["x-cvs", "y-cvs", "boats"]),
        (["x/cvs", "x/../x/cvs"], ["cvs"]),
        (["a/x/cvs", "b/x/cvs", "x-cvs"], ["x-cvs", "x-cvs-2", "x-cvs-3"]),
    ],
)
def test_every_corpus_has_a_name_of_its_own(
    tmp_path: Path, settings: Settings, paths: list[str], names: list[str]
) -> None:
    corpora = Corpora([tmp_path / path for path in paths], settings)

    assert list(corpora) == names
    served = [corpora.get(name).location for name in names]
    assert served == list(dict.fromkeys((tmp_path / path).resolve() for path in paths))


@pytest.mark.anyio
async def test_two_folders_of_the_same_name_are_two_corpora(
    tmp_path: Path, fleet: Path, connect: Callable[..., Client]
) -> None:
    other = tmp_path / "fleet"
    other.mkdir()

    async with connect(fleet, other) as client:
        listed = await client.call_tool("list_corpora", {})

    entries = CorpusList.model_validate(listed.structured_content).corpora
    assert [(entry.name.endswith("-fleet"), entry.state) for entry in entries] == [
        (True, "ready"),
        (True, "not ingested"),
    ]
