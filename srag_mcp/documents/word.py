"""Reads Word documents."""

import io
import re
from typing import TYPE_CHECKING, TypeAlias

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import ARCHIVE_ERRORS, check_archive
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
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


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
        writer = _Writer()
        writer.write_headers(word)
        writer.write(word)
        writer.flush()
    except (  # SyntaxError is what lxml raises for broken XML
        *ARCHIVE_ERRORS, PackageNotFoundError, SyntaxError, LookupError, AttributeError, TypeError,
    ) as error:  # fmt: skip
        reason = f"it is not a readable Word file ({type(error).__name__})"
        raise DocumentError(path, reason) from error
    title = writer.title or (word.core_properties.title or "").strip()
    return writer.page.content(title or None)


class _Writer:
    """Goes through a Word file and writes what it holds; plain paragraphs are kept together."""

    def __init__(self) -> None:
        self.page = Page()
        self.title: str | None = None
        self._has_title = False
        self._paragraphs: list[str] = []

    def write_headers(self, word: "WordFile") -> None:
        seen: set[str] = set()
        for section in word.sections:
            if section.header.is_linked_to_previous:
                continue
            text = "\n".join(paragraph.text for paragraph in section.header.paragraphs).strip()
            if text not in seen:
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
        boxes = [
            "".join(node.itertext())
            for node in paragraph._p.iter(f"{_WORD}txbxContent")
            if not any(True for _ in node.iterancestors(_FALLBACK))
        ]
        text = "\n".join([paragraph.text, *boxes])
        if not text.strip():
            self._paragraphs.append("")
            return
        styles = _style_names(paragraph)
        properties = paragraph._p.pPr
        is_listed = any(name.startswith("list") for name in styles)
        level = self._heading_level(paragraph, styles, text)
        if level is not None:
            self.flush()
            self.page.write_heading(text, level)
            if level == 1 and self.title is None:
                self.title = text
                self._has_title = not _TITLE_STYLES.isdisjoint(styles)
        elif (properties is not None and properties.numPr is not None) or (
            is_listed and not _NUMBERED.match(paragraph.text)
        ):
            self.flush()
            self.page.write_item(text)
        else:
            self._paragraphs.append(text)

    def _heading_level(self, paragraph: "Paragraph", styles: list[str], text: str) -> int | None:
        """Return 1 for the title, and for headings of the first level unless below a title."""
        if not _TITLE_STYLES.isdisjoint(styles):
            return 1
        level = next((match[1] for match in map(_HEADING_STYLE.match, styles) if match), None)
        if level is not None:
            return int(level) + self._has_title
        if len(text) > _MAX_TITLE_CHARACTERS or text.rstrip()[-1:] in ".,;" or "\t" in text:
            return None
        runs = [run for run in paragraph.runs if run.text.strip()]
        is_bold = bool(runs) and all(run.bold for run in runs)
        return _BOLD_LEVEL if is_bold and ":" not in text.rstrip()[:-1] else None

    def _table(self, table: "WordTable", nesting: int) -> None:
        rows = [list(row.cells) for row in table.rows]
        # each once: a merged cell is in every place that it covers
        cells = list({id(cell._tc): cell for row in rows for cell in row}.values())
        if nesting < _MAX_NESTING and _arranges(cells):
            for cell in cells:
                self.write(cell, nesting + 1)
                self.flush()
        else:
            self.page.write_table([[cell.text for cell in row] for row in rows])


def _style_names(paragraph: "Paragraph") -> list[str]:
    """Return the names of the style of a paragraph and of those it builds on, in small letters."""
    names: list[str] = []
    style = paragraph.style
    while style is not None and len(names) < _MAX_NESTING:
        names.append((style.name or "").lower())
        style = style.base_style
    return names


def _arranges(cells: "list[WordCell]") -> bool:
    """Whether a table arranges blocks of text: nested tables, or many paragraphs in its cells."""
    if any(cell.tables for cell in cells):
        return True
    n_long = sum(sum(bool(p.text.strip()) for p in cell.paragraphs) > 3 for cell in cells)
    return len(cells) == 1 or (n_long > 0 and 2 * n_long >= len(cells))
