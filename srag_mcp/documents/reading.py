"""Reads files into documents."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath

from srag_mcp.documents.content import Content
from srag_mcp.documents.document import Block, Document, Heading
from srag_mcp.documents.encoding import without_surrogates
from srag_mcp.documents.folder import SourceFile
from srag_mcp.documents.formats import TABLE_TYPES, media_type, readable_endings
from srag_mcp.documents.readers import read_content, read_row_contents
from srag_mcp.documents.text_blocks import find_blocks
from srag_mcp.errors import DocumentError

_MAX_TITLE_CHARACTERS = 200


def read_file(source: SourceFile, *, rows: bool = False) -> list[Document]:
    """Read a file: one document, or with *rows* one a row of a table file.

    Raises:
        DocumentError: If the file cannot be read, or has no text; the error names file and reason.
    """
    data = _read_bytes(source)
    kind = media_type(source.relative)
    if kind is None:
        raise DocumentError(
            source.relative, f"not a format that can be read ({readable_endings()})"
        )
    if rows and kind in TABLE_TYPES:
        contents = read_row_contents(data, source.relative)
        return _row_documents(contents, source.relative, kind)
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


def rows_are_documents(sources: Sequence[SourceFile]) -> bool:
    """Whether the only file is a table, so that each of its rows is meant to be a document."""
    return len(sources) == 1 and media_type(sources[0].relative) in TABLE_TYPES


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


def _row_documents(contents: Sequence[Content], path: str, kind: str) -> list[Document]:
    if not contents:
        raise DocumentError(path, "there is no row with values in it")
    width = len(str(len(contents)))
    documents = []
    for number, content in enumerate(contents, start=1):
        sha256 = hashlib.sha256(content.text.encode()).hexdigest()
        row = f"{path}#{number:0{width}}"
        title = _title(content.title) if content.title else row
        documents.append(Document(row, path, title, kind, sha256, content.text, content.blocks))
    return documents
