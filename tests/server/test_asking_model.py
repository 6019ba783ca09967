"""`ask` through a language model, by the settings of the server."""

import json
from pathlib import Path

import anyio
from mcp import Client

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.server.app import build_server
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, Body, serving

SCHEMA = Schema(
    title="Hut",
    entity="huts",
    attributes=(Attribute(name="height", type="integer", unit="m", description="Its height."),),
)


def translate(body: Body) -> Answer:
    sql = "SELECT sum(height) FROM huts"
    said = {"restated": "the sum of height", "columns": ["height"], "missing": [], "sql": sql}
    return Answer(json.dumps(said))


def test_a_question_that_the_grammar_cannot_read_goes_to_the_model(tmp_path: Path) -> None:
    folder = tmp_path / "huts"
    folder.mkdir()
    for number in range(1, 5):
        (folder / f"{number}.txt").write_text(f"Height: {number}00 m\n")
    settings = Settings(workers=1, home=tmp_path / "home")
    ingest(folder, settings, schema=SCHEMA)

    async def ask(base: str) -> tuple[str, dict[str, object]]:
        named = {"model": "openai/fake", "api_base": base, "api_key": "none"}
        server = build_server([folder], settings.model_copy(update=named))
        async with Client(server) as client:
            result = await client.call_tool("ask", {"question": "Pile the lot up, how far up?"})
            assert result.structured_content is not None
            return getattr(result.content[0], "text", ""), result.structured_content

    with serving(translate) as server:
        text, content = anyio.run(ask, server.base)
    assert content["rows"] == [[1000]]
    assert content["engine"] == "model: 1 calls, 120 tokens, price not known"
    assert "engine: model: 1 calls, 120 tokens" in text
