"""Which reader reads which format."""

from collections.abc import Callable, Mapping, Sequence

from srag_mcp.documents.content import Content
from srag_mcp.documents.email_message import read_email
from srag_mcp.documents.formats import MEDIA_TYPES, media_type, readable_endings
from srag_mcp.documents.html import read_html
from srag_mcp.documents.json_text import read_json, read_json_lines, read_json_rows
from srag_mcp.documents.markdown import read_markdown
from srag_mcp.documents.pdf import read_pdf
from srag_mcp.documents.plain import read_plain
from srag_mcp.documents.spreadsheet import read_spreadsheet, read_spreadsheet_rows
from srag_mcp.documents.tabular import read_tabular, read_tabular_rows
from srag_mcp.documents.word import read_word
from srag_mcp.errors import DocumentError


def read_content(data: bytes, path: str) -> Content:
    """Read the bytes of a file called *path*.

    Raises:
        DocumentError: If they cannot be read.
    """
    reader = _READERS.get(media_type(path) or "")
    if reader is None:
        raise DocumentError(path, f"not a format that can be read ({readable_endings()})")
    return reader(data, path)


def read_row_contents(data: bytes, path: str) -> Sequence[Content]:
    """Read a table file, one content a row.

    Raises:
        DocumentError: If it cannot be read, or its format has no rows.
    """
    reader = _ROW_READERS.get(media_type(path) or "")
    if reader is None:
        raise DocumentError(path, "files of this format have no rows to read one by one")
    return reader(data, path)


def _read_email(data: bytes, path: str) -> Content:
    return read_email(data, path, read_content)


_READERS: Mapping[str, Callable[[bytes, str], Content]] = {
    "text/plain": read_plain,
    "text/markdown": read_markdown,
    "text/html": read_html,
    "text/csv": read_tabular,
    "text/tab-separated-values": read_tabular,
    "application/json": read_json,
    "application/jsonl": read_json_lines,
    MEDIA_TYPES[".xlsx"]: read_spreadsheet,
    MEDIA_TYPES[".docx"]: read_word,
    "application/pdf": read_pdf,
    "message/rfc822": _read_email,
}
_ROW_READERS: Mapping[str, Callable[[bytes, str], Sequence[Content]]] = {
    "text/csv": read_tabular_rows,
    "text/tab-separated-values": read_tabular_rows,
    "application/jsonl": read_json_rows,
    MEDIA_TYPES[".xlsx"]: read_spreadsheet_rows,
}
