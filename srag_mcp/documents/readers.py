"""Which reader reads which format."""

from collections.abc import Callable, Mapping

from srag_mcp.documents.content import Content
from srag_mcp.documents.email_message import read_email
from srag_mcp.documents.formats import MEDIA_TYPES, media_type, readable_endings
from srag_mcp.documents.html import read_html
from srag_mcp.documents.json_text import read_json, read_json_lines, read_json_tables
from srag_mcp.documents.markdown import read_markdown
from srag_mcp.documents.pdf import read_pdf
from srag_mcp.documents.plain import read_plain
from srag_mcp.documents.spreadsheet import read_spreadsheet, read_spreadsheet_tables
from srag_mcp.documents.table_files import RecordTable
from srag_mcp.documents.tabular import read_tabular, read_tabular_tables
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


def read_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the tables of a table file; none where it is one thing, such as a JSON object.

    Raises:
        DocumentError: If it cannot be read, or its format has no rows.
    """
    reader = _TABLE_READERS.get(media_type(path) or "")
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
_TABLE_READERS: Mapping[str, Callable[[bytes, str], list[RecordTable]]] = {
    "text/csv": read_tabular_tables,
    "text/tab-separated-values": read_tabular_tables,
    "application/json": read_json_tables,
    "application/jsonl": read_json_tables,
    MEDIA_TYPES[".xlsx"]: read_spreadsheet_tables,
}
