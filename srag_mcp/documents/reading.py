"""Reads files into documents: which reader reads which format."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from srag_mcp.documents.document import Content, Document, Heading
from srag_mcp.documents.email_message import read_email
from srag_mcp.documents.encoding import decode, storable
from srag_mcp.documents.folder import MEDIA_TYPES, READABLE, SourceFile, media_type
from srag_mcp.documents.html import read_html
from srag_mcp.documents.json_text import read_json, read_json_tables
from srag_mcp.documents.markdown import read_markdown
from srag_mcp.documents.pdf import read_pdf
from srag_mcp.documents.spreadsheet import read_spreadsheet, read_spreadsheet_tables
from srag_mcp.documents.table_files import RecordTable, row_content
from srag_mcp.documents.text_blocks import find_blocks
from srag_mcp.documents.word import read_word
from srag_mcp.errors import DocumentError

_MAX_TITLE_CHARACTERS = 200


def read_file(source: SourceFile) -> Document:
    """Read a file as one document.

    Raises:
        DocumentError: If the file cannot be read, or has no text; the error names file and reason.
    """
    path, data = source.relative, source.read()
    content = read_content(data, path)
    if not content.text.strip():
        raise DocumentError(path, "there is no text in it")
    return _document(path, content, media_type(path) or "", hashlib.sha256(data).hexdigest())


def read_text(text: str, document_id: str, media_type: str = "text/plain") -> Document:
    """Return *text* as a document; its blocks are found as in a text file."""
    content = _plain(storable(text))
    sha256 = hashlib.sha256(content.text.encode()).hexdigest()
    return _document(document_id, content, media_type, sha256)


def _plain(text: str) -> Content:
    return Content(text, tuple(find_blocks(text)))


def row_documents(path: str, table: RecordTable) -> list[Document]:
    """Write each row of *table*, which is from the file *path*, as a document."""
    kind, width = media_type(path) or "", len(str(len(table.rows)))
    documents = []
    for number, row in enumerate(table.rows, start=1):
        content = row_content(table.columns, row)
        sha256 = hashlib.sha256(content.text.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{path}#{number:0{width}}"
        title = _title(content.title) if content.title else name
        read = Document(name, path, title, kind, sha256, content.text, content.blocks)
        documents.append(replace(read, listings=content.listings))
    return documents


def read_content(data: bytes, path: str) -> Content:
    """Read the bytes of a file called *path*.

    Raises:
        DocumentError: If they cannot be read.
    """
    reader = _READERS.get(media_type(path) or "")
    if reader is None:
        raise DocumentError(path, f"not a format that can be read ({READABLE})")
    return reader(data, path)


def read_tables(data: bytes, path: str) -> list[RecordTable]:
    """Read the tables of a table file; none where it is one thing, such as a JSON object.

    Raises:
        DocumentError: If it cannot be read, its format has no rows, or no table has a row.
    """
    reader = _TABLE_READERS.get(media_type(path) or "")
    if reader is None:
        raise DocumentError(path, "files of this format have no rows to read one by one")
    tables = reader(data, path)
    if tables and not any(table.rows for table in tables):
        raise DocumentError(path, "there is no row with values in it")
    return tables


_READERS: Mapping[str, Callable[[bytes, str], Content]] = {
    "text/plain": lambda data, path: _plain(decode(data, path)),
    "text/markdown": read_markdown,
    "text/html": read_html,
    "text/csv": read_spreadsheet,
    "text/tab-separated-values": read_spreadsheet,
    "application/json": read_json,
    "application/jsonl": read_json,
    MEDIA_TYPES[".xlsx"]: read_spreadsheet,
    MEDIA_TYPES[".docx"]: read_word,
    "application/pdf": read_pdf,
    "message/rfc822": lambda data, path: read_email(data, path, read_content),
}
_TABLE_READERS: Mapping[str, Callable[[bytes, str], list[RecordTable]]] = {
    "text/csv": read_spreadsheet_tables,
    "text/tab-separated-values": read_spreadsheet_tables,
    "application/json": read_json_tables,
    "application/jsonl": read_json_tables,
    MEDIA_TYPES[".xlsx"]: read_spreadsheet_tables,
}


def _document(path: str, content: Content, kind: str, sha256: str) -> Document:
    headings = [b for b in content.blocks[:50] if isinstance(b, Heading) and b.level < 4]
    first = min(headings, key=lambda heading: heading.level).text if headings else None
    title = _title(content.title or first or PurePosixPath(path).stem)
    read = Document(path, path, title, kind, sha256, content.text, content.blocks, content.pages)
    return replace(read, listings=content.listings)


def _title(text: str) -> str:
    return storable(" ".join(text.split())[:_MAX_TITLE_CHARACTERS])
