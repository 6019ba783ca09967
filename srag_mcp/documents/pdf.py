"""Reads PDF files: their text, and what places and sizes of it say about columns and headings."""

import io
import logging
import re
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from statistics import median
from typing import TYPE_CHECKING

from srag_mcp.documents.document import Content
from srag_mcp.documents.folder import normalise_lines
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.page import Page
from srag_mcp.documents.text_blocks import Layout
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_MAX_BOXES = 2000
_MIN_RUNNING_PAGES = 3
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\xad": "-",
                            "\u2028": "\n", "\xa0": " "})  # fmt: skip
_HYPHEN_AT_LINE_END = re.compile("[\x02\ufffe]\n?")  # what PDFium makes of a hyphen and line end
_WIDE_GAP = 1.5  # in heights of a line
_SAME_LINE = 0.5  # in heights of a line
_MIN_TABULAR_GAPS = 2
_MIN_TABULAR_SHARE = 0.6
_TITLE_HEIGHT = 1.3  # in heights of the usual line
_MAX_TITLE_LEVELS = 3
_MAX_TITLE_CHARACTERS = 100
_MAX_TITLE_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class _TextBox:
    """A stretch of text on a page, in points; boxes come in the order they were written."""

    left: float
    right: float
    bottom: float
    height: float
    text: str

    @property
    def middle(self) -> float:
        return self.bottom + self.height / 2


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
            pages, boxes = _read_pages(document, data)
            named = document.get_metadata_dict().get("Title", "").strip()
        finally:
            document.close()
    except PdfiumError as error:
        if "password" in str(error).lower():
            raise DocumentError(path, "it is encrypted with a password") from error
        raise DocumentError(path, "it is not a PDF file, or a damaged one") from error
    if not any(map(str.strip, pages)):
        raise DocumentError(path, "there is no text in it: it looks like a scan")
    titles = _find_titles(boxes)
    parts = [
        normalise_lines(f"{text}\n\n".translate(_LIGATURES))
        for text in _without_running_lines(pages)
    ]
    text = "".join(parts)
    n_blank = len(text) - len(text.lstrip("\n"))
    page = Page()
    page.write_text(text, Layout(titles=titles))
    # the title of the file's own data counts unless a program made it up
    made_up = named.lower().startswith(("microsoft word", "untitled", "document", "anonymous"))
    is_file_name = named.lower().endswith((".doc", ".docx", ".pdf", ".tex", ".indd"))
    own = named if len(named) > 3 and not made_up and not is_file_name else None
    content = page.content(next((title for title, level in titles.items() if level == 1), own))
    starts = (start - n_blank for start in accumulate(map(len, parts[:-1])))
    places = tuple(min(max(0, start), len(content.text)) for start in starts)
    return replace(content, pages=places)


def _read_pages(document: "PdfDocument", data: bytes) -> tuple[list[str], list[_TextBox]]:
    texts, boxes = [], []
    for number in range(len(document)):
        page = document[number]
        textpage = page.get_textpage()
        found = []
        for rectangle in range(min(textpage.count_rects(), _MAX_BOXES)):
            left, bottom, right, top = textpage.get_rect(rectangle)
            text = textpage.get_text_bounded(left, bottom, right, top)
            text = _HYPHEN_AT_LINE_END.sub("-", text)
            found.append(_TextBox(left, right, bottom, top - bottom, text))
        text = textpage.get_text_bounded().replace("\r\n", "\n")
        text = _HYPHEN_AT_LINE_END.sub("-\n", text)
        if text.strip() and _looks_tabular(found):
            text = _layout_text(data, number) or text
        texts.append(text.strip("\n"))
        boxes += found
        textpage.close()
        page.close()
    return texts, boxes


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
        PyPdfError, LookupError, ValueError, TypeError, AttributeError, AssertionError,
        ArithmeticError, RecursionError, NotImplementedError, OSError, zlib.error, struct.error,
    ):  # fmt: skip
        return None
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    n_gaps = sum(bool(above) and not line for above, line in pairwise(lines))
    if 2 * n_gaps > sum(map(bool, lines)):  # as in loose tables: one blank line is no gap
        lines = [line for above, line in pairwise(["", *lines]) if line or not above]
    return "\n".join(lines) if text.strip() else None


def _without_running_lines(pages: Sequence[str]) -> Sequence[str]:
    """Drop the first and last lines that most pages share, but on the first page."""
    if len(pages) < _MIN_RUNNING_PAGES:
        return pages
    counts: Counter[str] = Counter()
    for page in pages:
        lines = page.strip().split("\n")
        counts.update({_shape(lines[0]), _shape(lines[-1])})
    running = {shape for shape, n in counts.items() if shape and 2 * n > len(pages)}
    kept = [pages[0]]
    for page in pages[1:]:
        lines = page.strip("\n").split("\n")
        if _shape(lines[0]) in running:
            lines = lines[1:]
        if lines and _shape(lines[-1]) in running:
            lines = lines[:-1]
        kept.append("\n".join(lines))
    return kept


def _shape(line: str) -> str:
    return "".join("0" if char.isdigit() else char for char in line.strip())


def _looks_tabular(boxes: Sequence[_TextBox]) -> bool:
    """Whether lines of the page hold texts far apart that were written one after the other."""
    lines: list[list[tuple[int, _TextBox]]] = []  # boxes with their number
    for number, box in sorted(enumerate(boxes), key=lambda numbered: -numbered[1].middle):
        above = lines[-1][0][1] if lines else None
        if above and abs(above.middle - box.middle) < _SAME_LINE * max(above.height, box.height):
            lines[-1].append((number, box))
        else:
            lines.append([(number, box)])
    steps = [
        after[0] - before[0]
        for line in lines
        for before, after in pairwise(sorted(line, key=lambda numbered: numbered[1].left))
        if after[1].left - before[1].right > _WIDE_GAP * before[1].height
    ]
    n_rows = sum(step == 1 for step in steps)
    return n_rows >= _MIN_TABULAR_GAPS and n_rows > _MIN_TABULAR_SHARE * len(steps)


def _find_titles(boxes: Sequence[_TextBox]) -> dict[str, int]:
    """Return the texts set clearly larger than most, with their level by size: 1 is the largest."""
    sized = [box for box in boxes if len(box.text.strip()) > 1]
    if len(sized) < 3:
        return {}
    usual = median(box.height for box in sized for _ in range(1 + len(box.text) // 20))
    large = [
        (round(box.height / 2), collapse(box.text))
        for box in sized
        if box.height > _TITLE_HEIGHT * usual
        and len(box.text) <= _MAX_TITLE_CHARACTERS
        and any(map(str.isalpha, box.text))
    ]
    if len(large) > _MAX_TITLE_SHARE * len(sized) + 1:
        return {}
    sizes = sorted({size for size, _ in large}, reverse=True)[:_MAX_TITLE_LEVELS]
    return {text: sizes.index(size) + 1 for size, text in large if size in sizes}
