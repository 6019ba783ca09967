"""`ask` through a language model, by the settings of the server."""

import json
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, serving

SCHEMA = Schema(
    title="Hut",
    entity="huts",
    attributes=(Attribute(name="height", type="integer", unit="m", description="Its height."),),
)


def reply(sql: str | None, *missing: str) -> Answer:
    said: dict[str, object] = {"restated": "it", "columns": [], "missing": missing, "sql": sql}
    return Answer(json.dumps(said))


Ask = Callable[[Answer], tuple[str, dict[str, object]]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Return a function that asks one question of a model that gives one reply."""
    folder = tmp_path / "huts"
    folder.mkdir()
    for number in range(1, 5):
        (folder / f"{number}.txt").write_text(f"Height: {number}00 m\n")
    settings = Settings(workers=1, home=tmp_path / "home")
    ingest(folder, settings, schema=SCHEMA)

    async def call(base: str) -> tuple[str, dict[str, object]]:
        named = {"model": "openai/fake", "api_base": base, "api_key": "none"}
        server = build_server([folder], settings.model_copy(update=named))
        async with Client(server) as client:
            result = await client.call_tool("ask", {"question": "Pile the lot up, how far up?"})
            assert result.structured_content is not None
            return getattr(result.content[0], "text", ""), result.structured_content

    def asked(answer: Answer) -> tuple[str, dict[str, object]]:
        with serving(lambda body: answer) as server:
            return anyio.run(call, server.base)

    return asked


def test_a_question_that_the_grammar_cannot_read_goes_to_the_model(ask: Ask) -> None:
    text, content = ask(reply("SELECT sum(height) FROM huts"))
    assert content["rows"] == [[1000]]
    assert content["engine"] == "model: 1 call, 120 tokens, price not known"
    assert "engine: model: 1 call, 120 tokens" in text


def test_what_the_model_misses_is_told_as_the_attribute_to_add(ask: Ask) -> None:
    text, _ = ask(reply(None, "number of beds"))
    assert "and attribute='number of beds'" in text


def test_nothing_is_proposed_where_nothing_is_missing(ask: Ask) -> None:
    text, content = ask(reply("DROP TABLE huts"))
    assert "no query for this question could be run" in str(content["text"])
    assert "extend_schema" not in text
