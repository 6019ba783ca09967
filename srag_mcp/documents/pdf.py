"""Reads PDF files."""

import io
import logging
import re
import struct
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.documents.document import Content
from srag_mcp.documents.page import Page
from srag_mcp.documents.pdf_boxes import TextBox, find_titles, looks_tabular
from srag_mcp.documents.text_blocks import Layout
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

_MAX_BOXES = 2000
_MIN_RUNNING_PAGES = 3
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\xad": "-",
                            "\u2028": "\n", "\xa0": " "})  # fmt: skip
_HYPHEN_AT_LINE_END = re.compile("[\x02\ufffe]\n?")  # what PDFium makes of a hyphen and line end


def read_pdf(data: bytes, path: str) -> Content:
    """Read the text of a PDF file; pages that look tabular keep their columns apart by spaces.

    Raises:
        DocumentError: If it is no PDF file, is damaged or encrypted, or is a scan without text.
    """
    # a reader of one format is loaded when a file of it comes
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(data)
        try:
            pages = _read_pages(document, data)
            title = document.get_metadata_dict().get("Title", "")
        finally:
            document.close()
    except PdfiumError as error:
        if "password" in str(error).lower():
            raise DocumentError(path, "it is encrypted with a password") from error
        raise DocumentError(path, "it is not a PDF file, or a damaged one") from error
    if not any(page.text.strip() for page in pages):
        raise DocumentError(path, "there is no text in it: it looks like a scan")
    text = "\n\n".join(_without_running_lines([page.text for page in pages]))
    titles = find_titles([box for page in pages for box in page.boxes])
    page = Page()
    page.write_text(text.translate(_LIGATURES), Layout(titles=titles))
    first = next((title for title, level in titles.items() if level == 1), None)
    return page.content(first or _usable_title(title))


@dataclass(frozen=True, slots=True)
class _PageText:
    text: str
    boxes: list[TextBox]


def _read_pages(document: "PdfDocument", data: bytes) -> list[_PageText]:
    texts = []
    for number in range(len(document)):
        page = document[number]
        textpage = page.get_textpage()
        boxes = _boxes(textpage)
        text = textpage.get_text_bounded().replace("\r\n", "\n")
        text = _HYPHEN_AT_LINE_END.sub("-\n", text)
        if text.strip() and looks_tabular(boxes):
            text = _layout_text(data, number) or text
        texts.append(_PageText(text.strip("\n"), boxes))
        textpage.close()
        page.close()
    return texts


def _boxes(textpage: "PdfTextPage") -> list[TextBox]:
    boxes = []
    for number in range(min(textpage.count_rects(), _MAX_BOXES)):
        left, bottom, right, top = textpage.get_rect(number)
        text = textpage.get_text_bounded(left, bottom, right, top)
        text = _HYPHEN_AT_LINE_END.sub("-", text)
        boxes.append(TextBox(left, right, bottom, top - bottom, text))
    return boxes


def _layout_text(data: bytes, number: int) -> str | None:
    """Return a page with its columns kept apart by spaces, None if that cannot be had."""
    # only for pages that look tabular: it takes four times as long as the text alone
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of every damaged object
    try:
        page = PdfReader(io.BytesIO(data)).pages[number]
        text: str = page.extract_text(extraction_mode="layout")
    except (
        PyPdfError, KeyError, ValueError, TypeError, AttributeError, IndexError, AssertionError,
        ArithmeticError, RecursionError, NotImplementedError, OSError, zlib.error, struct.error,
    ):  # fmt: skip
        return None
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    return "\n".join(_closed_up(lines)) if text.strip() else None


def _closed_up(lines: list[str]) -> list[str]:
    """Take out one blank line between lines if most have one between them, as in loose tables."""
    gaps = sum(not line for line, before in zip(lines[1:], lines, strict=False) if before)
    if 2 * gaps <= sum(map(bool, lines)):
        return lines
    return [line for line, before in zip(lines, ["", *lines], strict=False) if line or not before]


def _without_running_lines(pages: list[str]) -> list[str]:
    """Drop the first and last lines that most pages share, but on the first page."""
    if len(pages) < _MIN_RUNNING_PAGES:
        return pages
    ends = [{line for line in (_first(page), _last(page)) if line} for page in pages]
    counts = Counter(line for lines in ends for line in lines)
    running = {line for line, n in counts.items() if 2 * n > len(pages)}
    return [pages[0], *(_trim(page, running) for page in pages[1:])]


def _first(text: str) -> str:
    return _shape(text.strip().split("\n")[0])


def _last(text: str) -> str:
    return _shape(text.strip().split("\n")[-1])


def _shape(line: str) -> str:
    return "".join("0" if char.isdigit() else char for char in line.strip())


def _trim(text: str, running: set[str]) -> str:
    lines = text.strip("\n").split("\n")
    if lines and _shape(lines[0]) in running:
        lines = lines[1:]
    if lines and _shape(lines[-1]) in running:
        lines = lines[:-1]
    return "\n".join(lines)


def _usable_title(title: str) -> str | None:
    """Return the title of the file's own data, unless a program made it up."""
    title = title.strip()
    made_up = title.lower().startswith(("microsoft word", "untitled", "document", "anonymous"))
    is_file_name = title.lower().endswith((".doc", ".docx", ".pdf", ".tex", ".indd"))
    return title if len(title) > 3 and not made_up and not is_file_name else None
