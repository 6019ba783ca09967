"""Corrections by the calling agent."""

import shutil
from pathlib import Path

import pytest
from mcp import Client

from srag_mcp.pipeline.correction_run import correct
from srag_mcp.server.app import build_server
from srag_mcp.settings import Settings

pytestmark = pytest.mark.anyio


async def call(client: Client, **arguments: str) -> str:
    result = await client.call_tool("correct_value", arguments)
    content = result.structured_content
    return str(content["said"]) if content else str(result.content)


async def test_an_agent_sets_what_a_person_did_not(fleet: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(fleet, tmp_path / "fleet")
    settings = Settings()
    async with Client(build_server([folder], settings)) as client:
        rows = await client.call_tool("run_sql", {"sql": "SELECT document_id, length FROM boats"})
        assert rows.structured_content is not None
        (document, _), (other, _) = rows.structured_content["rows"][:2]
        place = {"document_id": document, "column": "length"}
        said = await call(client, **place, value="77")
        assert "length of" in said
        assert "answers say that it is an agent's" in said
        found = await client.call_tool("run_sql", {"sql": "SELECT max(length) FROM boats"})
        assert found.structured_content is not None
        assert found.structured_content["rows"] == [[77.0]]
        assert any("1 by an agent" in note for note in found.structured_content["notes"])
        correct(folder, settings, (other, "length"), ("unknown", ""))
        refused = await call(client, document_id=other, column="length", value="3")
        assert "a person set length" in refused
        assert "taken back" in await call(client, **place, instead="undo")
        assert "pass value, or instead" in await call(client, **place)
        assert "did you mean length" in await call(
            client, **place | {"column": "lenght"}, value="3"
        )
