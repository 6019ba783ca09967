"""`ask` over MCP, as a turn of a conversation."""

import json
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest
from mcp import Client

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings
from tests.conftest import Once
from tests.model.openai_server import Answer, Body, serving

ALL = "How many huts are there?"
HIGH = "How many huts have a height above 200 m?"
LEANING = "And above 200 m?"
SCHEMA = Schema(
    title="Hut",
    entity="huts",
    nouns=("hut",),
    attributes=(Attribute(name="height", type="integer", unit="m", description="Its height."),),
)

Said = tuple[str, dict[str, object]]


@pytest.fixture
def huts(tmp_path: Path, once: Once) -> tuple[Path, Settings]:
    folder = tmp_path / "huts"
    folder.mkdir()
    for number in range(1, 5):
        (folder / f"{number}.txt").write_text(f"Height: {number}00 m\n")
    settings = Settings(workers=1, home=tmp_path / "home")
    once(folder, lambda: ingest(folder, settings, schema=SCHEMA))
    return folder, settings


def call(place: tuple[Path, Settings], *calls: Mapping[str, str], api_base: str = "") -> list[Said]:
    """Call `ask` with each of *calls*; return what each says, as text and as data."""
    folder, settings = place
    if api_base:
        named = {"model": "openai/fake", "api_base": api_base, "api_key": "none"}
        settings = settings.model_copy(update=named)

    async def run() -> list[Said]:
        said: list[Said] = []
        async with Client(build_server([folder], settings)) as client:
            for arguments in calls:
                result = await client.call_tool("ask", dict(arguments))
                text = getattr(result.content[0], "text", "")
                said.append((text, result.structured_content or {}))
        return said

    return anyio.run(run)


def say(body: Body) -> Answer:
    """Play a model: it rewrites, translates, and reads again what was called wrong."""
    messages = str(body["messages"])
    if "New question:" in messages:
        return Answer(json.dumps({"question": HIGH}))
    wrong = "is not what the question asks for" in messages
    sql = f"SELECT count(*) FROM huts WHERE height >{'=' * wrong} 200"
    return Answer(json.dumps({"restated": "it", "columns": [], "missing": [], "sql": sql}))


def test_an_answer_says_what_was_asked_in_the_end(
    huts: tuple[Path, Settings],
) -> None:
    with serving(say) as server:
        [_, (text, data)] = call(
            huts,
            {"question": ALL},
            {"question": LEANING, "previous": ALL},
            api_base=server.base,
        )
    assert (data["asked"], data["rows"]) == (HIGH, [[2]])
    assert f"asked instead: {HIGH}\n" in text


def test_both_readings_are_shown_where_the_first_is_called_wrong(
    huts: tuple[Path, Settings],
) -> None:
    question = {"question": "Reckon up the huts at 200 m and up"}
    with serving(say) as server:
        [_, (text, data)] = call(
            huts, question, {**question, "verdict": "wrong"}, api_base=server.base
        )
    sql = "SELECT count(*) FROM huts WHERE height > 200"
    first = "2: number of records where height is above 200 m."
    assert data["rejected"] == {"text": first, "sql": sql}
    assert (data["sql"], data["rows"]) == (sql.replace(">", ">="), [[3]])
    assert f"called wrong: {first} sql: {sql}\n" in text


def test_without_a_model_the_agent_gets_the_query_before(huts: tuple[Path, Settings]) -> None:
    [_, (text, data)] = call(
        huts, {"question": HIGH}, {"question": "Which of those is the lowest?", "previous": HIGH}
    )
    said = (
        f"“{HIGH}” was asked before, and its query was SELECT COUNT(*) FROM huts WHERE height > 200"
    )
    brief = data["brief"]
    assert isinstance(brief, dict)
    assert brief["previous"] == said
    assert f"before: {said}\n" in text


def test_the_verdict_of_an_agent_is_one_word(huts: tuple[Path, Settings]) -> None:
    [(text, data)] = call(huts, {"question": HIGH, "verdict": "right"})
    assert data == {}
    assert "Input should be '' or 'wrong'" in text
