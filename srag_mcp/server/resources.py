"""Resources: the same facts as the tools, for hosts that let people attach them.

Imports of the pages stand in the functions: listing the tools does not need them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from pydantic import BaseModel

from srag_mcp.errors import SragError
from srag_mcp.server.corpora import Corpora
from srag_mcp.text.shown import printable


def add_resources(server: MCPServer[Corpora], corpora: Corpora) -> None:
    """Add the list of corpora, their schemas, columns and documents."""

    @server.resource("srag://corpora", name="corpora", mime_type="application/json")
    def corpora_resource() -> str:
        """The corpora of this server; the same as list_corpora."""
        from srag_mcp.server.schema_pages import list_corpora_page

        return _json(lambda: list_corpora_page(corpora))

    @server.resource("srag://{corpus}/schema", name="schema", mime_type="application/json")
    def schema_resource(corpus: str) -> str:
        """The columns of a corpus; the same as get_schema."""
        from srag_mcp.server.schema_pages import schema_page

        return _json(lambda: schema_page(corpora, corpus))

    @server.resource(
        "srag://{corpus}/columns/{column}", name="column", mime_type="application/json"
    )
    def column_resource(corpus: str, column: str) -> str:
        """What a column holds; the same as get_column_stats."""
        from srag_mcp.server.schema_pages import statistics_page

        return _json(lambda: statistics_page(corpora, corpus, [column]))

    # "+": ids are paths below the corpus folder, with slashes.
    @server.resource("srag://{corpus}/documents/{+id}", name="document", mime_type="text/plain")
    def document_resource(corpus: str, id: str) -> str:  # noqa: A002 - the name in the URI
        """The text of a document, from its beginning; get_document reads on."""
        from srag_mcp.server.evidence_pages import document_page

        length = corpora.settings.max_result_characters
        with _not_found():
            return printable(document_page(corpora, corpus, id, 0, length).text)


def _json(page: Callable[[], BaseModel]) -> str:
    from srag_mcp.server.rendering import render_json, structured

    with _not_found():
        return render_json(structured(page()))


@contextmanager
def _not_found() -> Iterator[None]:
    """Turn errors of this package into the protocol's "not found", which keeps their text."""
    try:
        yield
    except SragError as error:
        raise ResourceNotFoundError(str(error)) from error
