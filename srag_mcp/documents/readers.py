"""Which reader reads which format."""

from collections.abc import Sequence

from srag_mcp.documents.content import Content
from srag_mcp.documents.formats import media_type, readable_endings
from srag_mcp.documents.plain import read_plain
from srag_mcp.errors import DocumentError


def read_content(data: bytes, path: str) -> Content:
    """Read the bytes of a file called *path*.

    Raises:
        DocumentError: If they cannot be read.
    """
    kind = media_type(path)
    if kind == "text/plain":
        return read_plain(data, path)
    raise DocumentError(path, f"not a format that can be read ({readable_endings()})")


def read_row_contents(data: bytes, path: str, kind: str) -> Sequence[Content]:
    """Read a table file, one content a row.

    Raises:
        DocumentError: If it cannot be read.
    """
    raise DocumentError(path, f"rows of {kind} cannot be read")
