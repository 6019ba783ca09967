"""The list of tools, which every conversation pays for."""

from mcp.server import MCPServer
from mcp.types import Tool

from srag_mcp.server.corpora import Corpora


class ThriftyServer(MCPServer[Corpora]):
    """Lists its tools without the titles of arguments, which only repeat their names."""

    async def list_tools(self) -> list[Tool]:
        """List all tools, in the order in which they were added."""
        return [
            tool.model_copy(update={"input_schema": without_titles(tool.input_schema)})
            for tool in await super().list_tools()
        ]


def without_titles(schema: dict[str, object]) -> dict[str, object]:
    """Take the titles out of the schema of arguments: `{"title": "fArguments", …} -> {…}`."""
    kept = {key: value for key, value in schema.items() if key != "title"}
    properties = kept.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {
            name: {key: value for key, value in entry.items() if key != "title"}
            for name, entry in properties.items()
        }
    return kept
