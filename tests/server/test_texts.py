"""What every conversation pays for: the list of tools, and the instructions."""

import json

import pytest
from mcp import Client

from srag_mcp.model.language_model import count_tokens
from srag_mcp.server.tools import INSTRUCTIONS

pytestmark = pytest.mark.anyio

MAX_TOKENS = 1500


async def test_the_tools_cost_few_tokens(memory: Client) -> None:
    tools = (await memory.list_tools()).tools
    shown = [[tool.name, tool.description, tool.input_schema] for tool in tools]

    listed = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))

    assert count_tokens(listed) <= MAX_TOKENS


async def test_every_tool_says_what_it_does_and_when_to_use_it(memory: Client) -> None:
    for tool in (await memory.list_tools()).tools:
        what, _, when = (tool.description or "").partition("\n\n")
        assert what.endswith(".")
        assert when.endswith(".")


async def test_the_instructions_name_the_tools_in_the_order_of_their_use(memory: Client) -> None:
    names = {tool.name for tool in (await memory.list_tools()).tools}

    positions = {name: INSTRUCTIONS.find(name) for name in names}

    assert min(positions.values()) >= 0
    order = ["list_corpora", "ingest_corpus", "run_sql", "trace_value", "get_document"]
    assert sorted(order, key=positions.__getitem__) == order
