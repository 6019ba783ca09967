"""Reads Word documents."""

import io
import re
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias
from zipfile import BadZipFile

from srag_mcp.documents.archive import check_archive
from srag_mcp.documents.document import Content
from srag_mcp.documents.page import Page
from srag_mcp.documents.text_blocks import Layout
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from docx.blkcntnr import BlockItemContainer
    from docx.document import Document as WordFile
    from docx.table import Table as WordTable
    from docx.table import _Cell as WordCell
    from docx.text.paragraph import Paragraph

    _Container: TypeAlias = BlockItemContainer | WordFile | WordCell

_LAYOUT = Layout(wrapping="never")
_HEADING_STYLE = re.compile(r"^(?:heading|überschrift|titre|título|titolo|kop)\s*(\d)$", re.I)
_TITLE_STYLES = frozenset({"title", "titel", "titre", "título"})
_BOLD_LEVEL = 6
_NUMBERED = re.compile(r"^\d+\.\s")
_MAX_NESTING = 20
_MAX_TITLE_CHARACTERS = 80


def read_word(data: bytes, path: str) -> Content:
    """Read a docx file: page headers, then paragraphs, lists and tables in their order.

    Raises:
        DocumentError: If it is no docx file, is damaged or encrypted.
    """
    # a reader of one format is loaded when a file of it comes
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    check_archive(data, path)
    try:
        word = docx.Document(io.BytesIO(data))
        writer = _Writer(Page())
        writer.write_headers(word)
        writer.write(word)
        writer.flush()
    except (  # SyntaxError is what lxml raises for broken XML
        PackageNotFoundError, SyntaxError, BadZipFile, KeyError, ValueError, AttributeError,
        IndexError, TypeError, OSError, EOFError, RuntimeError, zlib.error, struct.error,
    ) as error:  # fmt: skip
        reason = f"it is not a readable Word file ({type(error).__name__})"
        raise DocumentError(path, reason) from error
    title = writer.title or (word.core_properties.title or "").strip()
    return writer.page.content(title or None)


class _Writer:
    """Goes through a Word file and writes what it holds; plain paragraphs are kept together."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.title: str | None = None
        self._has_title = False
        self._paragraphs: list[str] = []

    def write_headers(self, word: "WordFile") -> None:
        seen: set[str] = set()
        for section in word.sections:
            if section.header.is_linked_to_previous:
                continue
            text = "\n".join(paragraph.text for paragraph in section.header.paragraphs).strip()
            if text and text not in seen:
                seen.add(text)
                self.page.write_text(text, _LAYOUT)
            for table in section.header.tables:
                self._table(table, 0)

    def write(self, container: "_Container", nesting: int = 0) -> None:
        from docx.table import Table as WordTable

        for part in container.iter_inner_content():
            if isinstance(part, WordTable):
                self.flush()
                self._table(part, nesting)
            else:
                self._paragraph(part)

    def flush(self) -> None:
        self.page.write_text("\n".join(self._paragraphs), _LAYOUT)
        self._paragraphs.clear()

    def _paragraph(self, paragraph: "Paragraph") -> None:
        text = _paragraph_text(paragraph)
        if not text.strip():
            self._paragraphs.append("")
            return
        level = _heading_level(paragraph, text, is_below_title=self._has_title)
        if level is not None:
            self.flush()
            self.page.write_heading(text, level)
            if level == 1 and self.title is None:
                self.title = text
                self._has_title = _is_title(paragraph)
        elif _is_item(paragraph):
            self.flush()
            self.page.write_item(text)
        else:
            self._paragraphs.append(text)

    def _table(self, table: "WordTable", nesting: int) -> None:
        rows = [list(row.cells) for row in table.rows]
        if nesting < _MAX_NESTING and _arranges(rows):
            for cell in _distinct(rows):
                self.write(cell, nesting + 1)
                self.flush()
            return
        self.page.write_table([[cell.text for cell in row] for row in rows])


def _paragraph_text(paragraph: "Paragraph") -> str:
    boxes = [
        "".join(node.itertext())
        for node in paragraph._p.iter(f"{_WORD}txbxContent")
        if not any(True for _ in node.iterancestors(_FALLBACK))
    ]
    return "\n".join([paragraph.text, *boxes]) if boxes else paragraph.text


_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def _style_names(paragraph: "Paragraph") -> Iterator[str]:
    style, n = paragraph.style, 0
    while style is not None and n < _MAX_NESTING:
        yield style.name or ""
        style, n = style.base_style, n + 1


def _is_title(paragraph: "Paragraph") -> bool:
    return any(name.lower() in _TITLE_STYLES for name in _style_names(paragraph))


def _heading_level(paragraph: "Paragraph", text: str, *, is_below_title: bool) -> int | None:
    """Return 1 for the title and for headings of the first level, unless a title is above them."""
    if _is_title(paragraph):
        return 1
    for name in _style_names(paragraph):
        match = _HEADING_STYLE.match(name)
        if match:
            return int(match[1]) + is_below_title
    return _BOLD_LEVEL if _is_bold_title(paragraph, text) else None


def _is_bold_title(paragraph: "Paragraph", text: str) -> bool:
    """Whether a short paragraph is bold as a whole, as a heading without a style is."""
    if len(text) > _MAX_TITLE_CHARACTERS or text.rstrip()[-1:] in ".,;" or "\t" in text:
        return False
    runs = [run for run in paragraph.runs if run.text.strip()]
    has_value = ":" in text.rstrip()[:-1]
    return bool(runs) and all(run.bold for run in runs) and not has_value


def _is_item(paragraph: "Paragraph") -> bool:
    properties = paragraph._p.pPr
    if properties is not None and properties.numPr is not None:
        return True
    return any(name.lower().startswith("list") for name in _style_names(paragraph)) and not (
        _NUMBERED.match(paragraph.text)
    )


def _arranges(rows: "list[list[WordCell]]") -> bool:
    """Whether a table arranges blocks of text: nested tables, or many paragraphs in its cells."""
    cells = _distinct(rows)
    if any(cell.tables for cell in cells):
        return True
    long = [cell for cell in cells if sum(bool(p.text.strip()) for p in cell.paragraphs) > 3]
    return len(cells) == 1 or (bool(long) and 2 * len(long) >= len(cells))


def _distinct(rows: "list[list[WordCell]]") -> "list[WordCell]":
    """Return each cell once; a merged cell is in every place that it covers."""
    return list({id(cell._tc): cell for row in rows for cell in row}.values())
