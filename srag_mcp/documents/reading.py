"""Reads files into documents."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath

from srag_mcp.documents.content import Content
from srag_mcp.documents.document import Block, Document, Heading
from srag_mcp.documents.encoding import without_surrogates
from srag_mcp.documents.folder import SourceFile
from srag_mcp.documents.formats import TABLE_TYPES, media_type, readable_endings
from srag_mcp.documents.readers import read_content, read_tables
from srag_mcp.documents.table_files import RecordTable, row_content, take_kind
from srag_mcp.documents.text_blocks import find_blocks
from srag_mcp.errors import DocumentError

_MAX_TITLE_CHARACTERS = 200


def read_file(source: SourceFile, *, rows: bool = False) -> list[Document]:
    """Read a file: one document, or with *rows* one a row of a table file.

    Raises:
        DocumentError: If the file cannot be read, or has no text; the error names file and reason.
    """
    kind = media_type(source.relative)
    if kind is None:
        raise DocumentError(
            source.relative, f"not a format that can be read ({readable_endings()})"
        )
    if rows and kind in TABLE_TYPES:
        return row_documents(source, take_kind(read_table_file(source)))
    data = _read_bytes(source)
    content = read_content(data, source.relative)
    if not content.text.strip():
        raise DocumentError(source.relative, "there is no text in it")
    sha256 = hashlib.sha256(data).hexdigest()
    return [_document(source.relative, content, kind, sha256)]


def read_text(text: str, document_id: str, media_type: str = "text/plain") -> Document:
    """Return *text* as a document; its blocks are found as in a text file."""
    text = without_surrogates(text)
    content = Content(text, tuple(find_blocks(text)))
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return _document(document_id, content, media_type, sha256)


def read_table_file(source: SourceFile) -> list[RecordTable]:
    """Read the tables of a table file; none where it is one thing, such as a JSON object.

    Raises:
        DocumentError: If the file cannot be read, or has tables without a row.
    """
    tables = read_tables(_read_bytes(source), source.relative)
    if tables and not any(table.rows for table in tables):
        raise DocumentError(source.relative, "there is no row with values in it")
    return tables


def row_documents(source: SourceFile, table: RecordTable) -> list[Document]:
    """Write each row of *table*, which is from *source*, as a document."""
    kind = media_type(source.relative) or ""
    width = len(str(len(table.rows)))
    documents = []
    for number, row in enumerate(table.rows, start=1):
        content = row_content(table.columns, row)
        sha256 = hashlib.sha256(content.text.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{source.relative}#{number:0{width}}"
        title = _title(content.title) if content.title else name
        blocks = content.blocks
        documents.append(Document(name, source.relative, title, kind, sha256, content.text, blocks))
    return documents


def _read_bytes(source: SourceFile) -> bytes:
    try:
        data = source.path.read_bytes()
    except OSError as error:
        raise DocumentError(source.relative, f"cannot be opened: {error.strerror}") from error
    if not data:
        raise DocumentError(source.relative, "the file is empty")
    return data


def _document(path: str, content: Content, kind: str, sha256: str) -> Document:
    title = content.title or _first_heading(content.blocks) or PurePosixPath(path).stem
    return Document(path, path, _title(title), kind, sha256, content.text, content.blocks)


def _title(text: str) -> str:
    return without_surrogates(" ".join(text.split())[:_MAX_TITLE_CHARACTERS])


def _first_heading(blocks: Sequence[Block]) -> str | None:
    headings = [block for block in blocks[:50] if isinstance(block, Heading) and block.level < 4]
    return min(headings, key=lambda heading: heading.level).text if headings else None
