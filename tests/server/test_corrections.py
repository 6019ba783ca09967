"""Corrections by the calling agent."""

import shutil
from pathlib import Path

import pytest
from mcp import Client

from srag_mcp.pipeline.correction_run import correct
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings
from tests.shop import write_listed

pytestmark = pytest.mark.anyio


async def call(client: Client, **arguments: object) -> str:
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


async def test_an_agent_adds_a_row_to_a_list_and_takes_it_back(tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "orders")
    ingest(folder, Settings())
    async with Client(build_server([folder], Settings())) as client:
        place = {"document_id": "2.md", "column": "orders_items"}
        said = await call(client, **place, value={"item": "oil", "pieces": 7}, instead="add")
        assert said.startswith("orders_items of 2.md, row 4: added to 3 rows; published")
        assert "answers say that it is an agent's" in said
        counted = {"sql": "SELECT count(*), sum(pieces) FROM orders_items"}
        found = await client.call_tool("run_sql", counted)
        assert found.structured_content is not None
        assert found.structured_content["rows"] == [[13, 57]]
        assert any("1 of 4 lists were corrected" in x for x in found.structured_content["notes"])
        assert "taken back" in await call(client, **place, position=4, instead="undo")
        assert "rows are those of a list" in await call(
            client, document_id="2.md", column="town", value={"town": "Ulm"}, instead="add"
        )
