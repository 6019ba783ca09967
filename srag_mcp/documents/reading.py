"""Reads files into documents: which reader reads what; Markdown, e-mails, Word, PDF, plain text."""

import hashlib
import io
import logging
import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from itertools import accumulate, islice, pairwise
from pathlib import PurePosixPath
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from srag_mcp.documents.document import Block, Content, Document, Heading, KeyValue
from srag_mcp.documents.folder import (
    ARCHIVE_ERRORS,
    MEDIA_TYPES,
    READABLE,
    SourceFile,
    check_archive,
    decode,
    media_type,
    normalise_lines,
    storable,
)
from srag_mcp.documents.html import read_html
from srag_mcp.documents.json_text import JsonValue, flatten, read_json, read_json_tables
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.page import Page
from srag_mcp.documents.table_files import (
    RecordTable,
    read_spreadsheet,
    read_spreadsheet_tables,
    row_content,
)
from srag_mcp.documents.text_blocks import Layout, find_blocks
from srag_mcp.errors import DocumentError

if TYPE_CHECKING:
    from docx.blkcntnr import BlockItemContainer
    from docx.document import Document as WordFile
    from docx.table import Table as WordTable
    from docx.table import _Cell as WordCell
    from docx.text.paragraph import Paragraph
    from pypdfium2 import PdfDocument
    from yaml import Node

    _Container: TypeAlias = BlockItemContainer | WordFile | WordCell

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
        text, blocks, lists = content.text, content.blocks, content.listings
        documents.append(Document(name, path, title, kind, sha256, text, blocks, (), lists))
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


def _document(path: str, content: Content, kind: str, sha256: str) -> Document:
    headings = [b for b in content.blocks[:50] if isinstance(b, Heading) and b.level < 4]
    first = min(headings, key=lambda heading: heading.level).text if headings else None
    title = _title(content.title or first or PurePosixPath(path).stem)
    parts = content.text, content.blocks, content.pages, content.listings
    return Document(path, path, title, kind, sha256, *parts)


def _title(text: str) -> str:
    return storable(" ".join(text.split())[:_MAX_TITLE_CHARACTERS])


_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_ATTACHMENT_LEVEL = 1
_MAX_PARTS = 200
_MAX_HEADER_CHARACTERS = 2000


def read_email(data: bytes, path: str) -> Content:
    """Read an e-mail: its headers as pairs, its body, then each attachment below its name.

    What it quotes of an earlier one, line by line, states the facts of that: it is text alone.

    Raises:
        DocumentError: If it is no e-mail.
    """
    message = BytesParser().parsebytes(data)
    headers = {name: _header(message, name) for name in _HEADERS}
    if sum(map(bool, headers.values())) < 2:
        raise DocumentError(path, "it is not an e-mail: it has no headers such as From and Date")
    page = Page()
    for name, value in headers.items():
        page.write_pair(name, value)
    parts = [part for part in islice(message.walk(), _MAX_PARTS) if not part.is_multipart()]
    named = [(_file_name(part), part) for part in parts]
    bodies = {part.get_content_type(): part for name, part in reversed(named) if not name}
    plain, web = bodies.get("text/plain"), bodies.get("text/html")
    if plain is not None and _payload(plain).strip():
        page.write_text(decode(_payload(plain), path, plain.get_content_charset()))
    elif web is not None and _payload(web).strip():
        page.write_content(read_html(_payload(web), path))
    for name, part in named:
        if media_type(name) in {None, "message/rfc822"}:
            continue
        try:
            content = read_content(_payload(part), name)
        except DocumentError as error:  # the e-mail itself can be read
            page.write_text(f"Attachment not read: {error}")
        else:
            page.write_heading(name, _ATTACHMENT_LEVEL)
            page.write_content(content)
    content, own = page.content(headers["Subject"] or None), list[Block]()
    for block in content.blocks:
        said = block.value_span if isinstance(block, KeyValue) else block.span
        # none on quoted lines, nor the label above them: `Ann Lee wrote:`
        if ">" not in {content.text[block.span.start], content.text[said.start : said.start + 1]}:
            own.append(block)
    return replace(content, blocks=tuple(own))


def _header(message: Message, name: str) -> str:
    """Return a header as it reads; it is decoded here because the newer policy is quadratic."""
    raw = str(message.get(name, ""))[:_MAX_HEADER_CHARACTERS]
    try:
        return str(make_header(decode_header(raw))).strip()
    except (HeaderParseError, LookupError, ValueError):
        return raw.strip()


def _file_name(part: Message) -> str:
    try:
        return (part.get_filename() or "").strip()
    except (ValueError, LookupError, AttributeError, TypeError):
        return ""


def _payload(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError):
        return b""
    return payload if isinstance(payload, bytes) else b""


_LAYOUT = Layout(wrapping="blank_line", has_bare_titles=False)
# No longer one is parsed: somebody else wrote it, and the parser is slow.
_FRONT_LINE = re.compile(r"(?P<key>[^\W\d][\w -]*):(?:[ \t]+(?P<value>.*?))?[ \t]*")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<body>.{1,20000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_NULL, _NULLS = "~", frozenset({"", "~", "null", "Null", "NULL"})
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")
_RULE = re.compile(r"^\s{0,3}(?:\*\s*){3,}$|^\s{0,3}(?:_\s*){3,}$")
_QUOTE = re.compile(r"^\s{0,3}(?:>\s?)+")
_BOLD_LINE = re.compile(r"^\s{0,3}(\*\*|__)(?P<title>[^*_:|]{2,60})\1\s*$")
_REPLACED = (
    (re.compile(r"!\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)"), r"\1"),
    (re.compile(r"\[([^\]\n]{1,300})\]\([^)\n]{0,500}\)"), r"\1"),
    (re.compile(r"\[([^\]\n]{1,300})\]\[[^\]\n]{0,100}\]"), r"\1"),
    (re.compile(r"<((?:https?://|mailto:)[^>\s]{1,500})>"), r"\1"),
    (re.compile(r"<br\s*/?>", re.IGNORECASE), " "),
    (re.compile(r"</?[a-zA-Z][^<>\n]{0,300}>"), ""),
    (re.compile(r"(?<![\\\w])(\*\*\*|___)(?=\S)([^\n]{1,500}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(?<!\\)(\*\*)(?=\S)([^\n]{1,500}?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\\\w])(__)(?=\S)([^\n]{1,500}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(?<![\\*])\*(?![\s*])([^*\n]{1,500}?)(?<=\S)\*(?!\*)"), r"\1"),
    (re.compile(r"(?<![\\\w])_(?![\s_])([^_\n]{1,500}?)(?<=\S)_(?!\w)"), r"\1"),
    (re.compile(r"~~(?=\S)([^~\n]{1,500}?)(?<=\S)~~"), r"\1"),
    (re.compile(r"(`{1,2})(?=\S)([^`\n]{1,500}?)\1"), r"\2"),
    (re.compile(r"\\([*_`#\[\]()~>+.!{}$&-])"), r"\1"),
)


def read_markdown(data: bytes, path: str) -> Content:
    """Read a Markdown file; the text of the document is without emphasis, links and comments.

    Raises:
        DocumentError: If it is not text.
    """
    text = decode(data, path)
    page = Page()
    match = _FRONT_MATTER.match(text)
    pairs = _front_pairs(match["body"]) if match else []
    for key, value in pairs:
        page.write_pair(key, value)
    title = next((value for key, value in pairs if key.lower() in {"title", "name"}), None)
    text = text[match.end() :] if match and pairs else text
    end = text.rfind("-->") + 3  # below it, each opening would be searched for its end in vain
    text = _COMMENT.sub("", text[:end]) + text[end:]
    page.write_text("\n".join(_clean(text.split("\n"))), _LAYOUT)
    return page.content(title)


def _front_pairs(text: str) -> list[tuple[str, str]]:
    """Return the members of front matter with dotted keys; by its lines where it is no YAML."""
    import yaml  # outside library; few files have front matter

    try:
        # a few aliases can stand for more than a memory holds
        has_alias = any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text))
        root = None if has_alias else yaml.compose(text)
        keys = [key.value for key, _ in root.value] if isinstance(root, yaml.MappingNode) else []
        if keys and len({*map(str, keys)}) == len(keys):
            return flatten(_as_written(root))
    except (yaml.YAMLError, RecursionError):
        pass
    lines = [line for line in text.splitlines() if line.strip() and line[0] not in " \t-#"]
    found = list(map(_FRONT_LINE.fullmatch, lines))
    return [(m["key"], m["value"] or _NULL) for m in found if m] if all(found) else []


def _as_written(node: "Node") -> JsonValue:
    """Return texts as they are written, whatever type YAML takes them for: `1.50`, `no`."""
    if isinstance(node.value, str):
        return _NULL if node.style is None and node.value in _NULLS else node.value
    if node.id == "sequence":
        return list(map(_as_written, node.value))
    return {str(key.value): _as_written(value) for key, value in node.value}


def _clean(lines: list[str]) -> Iterator[str]:
    """Take the marks off lines; a bold line is a heading, a hard break ends a paragraph."""
    in_code = False
    for line in lines:
        is_fence = _FENCE.match(line) is not None
        if is_fence:
            in_code = not in_code
        if is_fence or (not in_code and _RULE.match(line)):
            yield ""
            continue
        if in_code:
            yield f"    {line}" if line.startswith("#") else line
            continue
        words = _QUOTE.sub("", line)
        bold = _BOLD_LINE.match(words)
        if bold is not None:
            yield from ("", f"###### {bold['title'].strip()}", "")
            continue
        has_break = words.endswith(("  ", "\\")) and bool(words.strip())
        words = words.rstrip(" ").removesuffix("\\")
        for pattern, replacement in _REPLACED:
            words = pattern.sub(replacement, words)
        yield words
        if has_break:
            yield ""


_WORD_LAYOUT = Layout(wrapping="never")
_HEADING_STYLE = re.compile(r"^(?:heading|überschrift|titre|título|titolo|kop)\s*(\d)$", re.I)
_TITLE_STYLES = frozenset({"title", "titel", "titre", "título"})
_BOLD_LEVEL = 6
_NUMBERED_LINE = re.compile(r"^\d+\.\s")
_MAX_NESTING = 20
_MAX_BOLD_CHARACTERS = 80
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WORD_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


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
                self.page.write_text(text, _WORD_LAYOUT)
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
        self.page.write_text("\n".join(self._paragraphs), _WORD_LAYOUT)
        self._paragraphs.clear()

    def _paragraph(self, paragraph: "Paragraph") -> None:
        boxes = [
            "".join(node.itertext())
            for node in paragraph._p.iter(f"{_WORD}txbxContent")
            if not any(True for _ in node.iterancestors(_WORD_FALLBACK))
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
            is_listed and not _NUMBERED_LINE.match(paragraph.text)
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
        if len(text) > _MAX_BOLD_CHARACTERS or text.rstrip()[-1:] in ".,;" or "\t" in text:
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
_MAX_LARGE_CHARACTERS = 100
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
        and len(box.text) <= _MAX_LARGE_CHARACTERS
        and any(map(str.isalpha, box.text))
    ]
    if len(large) > _MAX_TITLE_SHARE * len(sized) + 1:
        return {}
    sizes = sorted({size for size, _ in large}, reverse=True)[:_MAX_TITLE_LEVELS]
    return {text: sizes.index(size) + 1 for size, text in large if size in sizes}


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
    "message/rfc822": read_email,
}
_TABLE_READERS: Mapping[str, Callable[[bytes, str], list[RecordTable]]] = {
    "text/csv": read_spreadsheet_tables,
    "text/tab-separated-values": read_spreadsheet_tables,
    "application/json": read_json_tables,
    "application/jsonl": read_json_tables,
    MEDIA_TYPES[".xlsx"]: read_spreadsheet_tables,
}
