"""Reads files into documents: which reader reads what; Markdown, e-mails, Word, plain text."""

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from itertools import islice
from pathlib import PurePosixPath
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
    storable,
)
from srag_mcp.documents.html import read_html
from srag_mcp.documents.json_text import JsonValue, flatten, read_json, read_json_tables
from srag_mcp.documents.page import Page
from srag_mcp.documents.pdf import read_pdf
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


# --- E-mails, with the attachments that can be read ----------------------------------------------

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
    content = page.content(headers["Subject"] or None)
    own = (block for block in content.blocks if not _is_quoted(block, content.text))
    return replace(content, blocks=tuple(own))


def _is_quoted(block: Block, text: str) -> bool:
    """Whether a block stands on quoted lines, or is the label above them: `Ann Lee wrote:`."""
    value = block.value_span if isinstance(block, KeyValue) else block.span
    return ">" in {text[block.span.start], text[value.start : value.start + 1]}


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


# --- Markdown: its marks are taken off, then it is read as lines of text -------------------------

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


# --- Word documents -----------------------------------------------------------------------------

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
