"""The list of tools, which every conversation pays for, and the check of their arguments."""

from collections.abc import Hashable, Mapping

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.types import CallToolResult, InputRequiredResult, Tool
from starlette.requests import HTTPConnection

from srag_mcp.server.arguments import MAX_NAME, known_arguments, without_links
from srag_mcp.server.calls import CALLER
from srag_mcp.server.corpora import Corpora


class ThriftyServer(MCPServer[Corpora]):
    """Lists tools without the titles of arguments, and calls them with the arguments they have."""

    _schemas: Mapping[str, Mapping[str, object]] | None = None

    async def list_tools(self) -> list[Tool]:
        """List all tools, in the order in which they were added."""
        return [
            tool.model_copy(update={"input_schema": thrifty(tool.input_schema)})
            for tool in await super().list_tools()
        ]

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, object],
        context: Context[Corpora] | None = None,
    ) -> CallToolResult | InputRequiredResult:
        """Call the tool *name*; null arguments are as if they were not there.

        Raises:
            ToolError: If there is no such tool or argument, a value is of the wrong type, or the
                tool raises it.
        """
        if self._schemas is None:
            self._schemas = {tool.name: tool.input_schema for tool in await super().list_tools()}
        if name in self._schemas:
            arguments = known_arguments(name, self._schemas[name], arguments)
        else:
            msg = f"Unknown tool: {name[:MAX_NAME]!r}; the tools are {', '.join(self._schemas)}"
            raise ToolError(msg)
        CALLER.set(_caller(context))
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:  # a crash, which is logged
            raise
        except ToolError as error:
            raise without_links(error) from error.__cause__


def _caller(context: Context[Corpora] | None) -> Hashable:
    """Tell callers apart: by their session, else by their connection; there is one on stdio."""
    request = None if context is None else context.request_context.request
    if not isinstance(request, HTTPConnection):
        return ""
    return request.headers.get("mcp-session-id") or request.client


def thrifty(schema: dict[str, object]) -> dict[str, object]:
    """Take out of the schema of arguments what says nothing: titles, and defaults that are empty.

    `{"title": "fArguments", "properties": {"a": {"title": "A", "default": "", …}}} -> {…}`
    """
    kept = {key: value for key, value in schema.items() if key != "title"}
    properties = kept.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {
            name: {
                key: value
                for key, value in entry.items()
                if key != "title" and (key != "default" or value)
            }
            for name, entry in properties.items()
        }
    return kept
