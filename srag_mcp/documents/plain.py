"""Reads plain text."""

from srag_mcp.documents.content import Content
from srag_mcp.documents.encoding import decode
from srag_mcp.documents.text_blocks import find_blocks


def read_plain(data: bytes, path: str) -> Content:
    """Read a text file; its text is kept as it is, but for line ends and tabs in its margin.

    Raises:
        DocumentError: If it is not text.
    """
    text = decode(data, path)
    return Content(text, tuple(find_blocks(text)))
