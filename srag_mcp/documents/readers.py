"""Which reader reads which format."""

from collections.abc import Callable, Sequence

from srag_mcp.documents.content import Content
from srag_mcp.documents.formats import media_type, readable_endings
from srag_mcp.documents.html import read_html
from srag_mcp.documents.markdown import read_markdown
from srag_mcp.documents.plain import read_plain
from srag_mcp.errors import DocumentError

_READERS: dict[str, Callable[[bytes, str], Content]] = {
    "text/plain": read_plain,
    "text/markdown": read_markdown,
    "text/html": read_html,
}


def read_content(data: bytes, path: str) -> Content:
    """Read the bytes of a file called *path*.

    Raises:
        DocumentError: If they cannot be read.
    """
    reader = _READERS.get(media_type(path) or "")
    if reader is None:
        raise DocumentError(path, f"not a format that can be read ({readable_endings()})")
    return reader(data, path)


def read_row_contents(data: bytes, path: str, kind: str) -> Sequence[Content]:
    """Read a table file, one content a row.

    Raises:
        DocumentError: If it cannot be read.
    """
    raise DocumentError(path, f"rows of {kind} cannot be read")
