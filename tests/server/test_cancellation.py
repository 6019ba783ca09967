"""A caller who gives up stops its query, and only its own."""

from pathlib import Path

import anyio
import pytest
from mcp import Client

from srag_mcp.server.tools import build_server
from srag_mcp.settings import Settings
from tests.server.conftest import ENDLESS

pytestmark = pytest.mark.anyio

COUNT = {"corpus": "fleet", "sql": "SELECT count(*) FROM boats"}


async def test_giving_up_does_not_stop_the_query_of_another(
    fleet: Path, settings: Settings
) -> None:
    slow = "SELECT count(*) FROM range(60000000) a(i) WHERE hash(i) % 3 = 1"
    rows: list[object] = []

    async def ask_slowly(client: Client) -> None:
        result = await client.call_tool("run_sql", {"corpus": "fleet", "sql": slow})
        assert result.structured_content is not None, result.content
        rows.append(result.structured_content["rows"])

    async with (
        Client(build_server([fleet], settings)) as client,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(ask_slowly, client)
        for _ in range(5):  # it gives up while it waits for its turn
            with anyio.move_on_after(0.05):
                await client.call_tool("run_sql", {"corpus": "fleet", "sql": ENDLESS})

    assert len(rows) == 1


async def test_what_needs_no_query_waits_for_none(fleet: Path, settings: Settings) -> None:
    n_threads = 40  # that all calls without queries share

    async with (
        Client(build_server([fleet], settings)) as client,
        anyio.create_task_group() as tasks,
    ):
        await client.call_tool("run_sql", COUNT)
        for _ in range(n_threads + 5):
            tasks.start_soon(client.call_tool, "run_sql", {"corpus": "fleet", "sql": ENDLESS})
        with anyio.fail_after(30):  # an endless query ends after two minutes
            listed = await client.call_tool("list_corpora", {})
            schema = await client.call_tool("get_schema", {})
        tasks.cancel_scope.cancel()

    assert not listed.is_error
    assert not schema.is_error


async def test_a_query_is_stopped_at_the_time_limit(fleet: Path, settings: Settings) -> None:
    short = settings.model_copy(update={"query_timeout_s": 1.0})

    async with Client(build_server([fleet], short)) as client:
        result = await client.call_tool("run_sql", {"corpus": "fleet", "sql": ENDLESS})

    assert result.is_error
    assert "The query was stopped after 1 s" in str(result.content)


async def test_a_server_can_be_used_again_after_it_was_closed(
    fleet: Path, settings: Settings
) -> None:
    server = build_server([fleet], settings)
    for _ in range(2):
        async with Client(server) as client:
            assert not (await client.call_tool("run_sql", COUNT)).is_error
