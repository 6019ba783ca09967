"""Reads Markdown: its marks are taken off, then it is read as lines of text."""

import re

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import decode
from srag_mcp.documents.page import Page
from srag_mcp.documents.text_blocks import Layout

_LAYOUT = Layout(wrapping="blank_line", has_bare_titles=False)
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(?P<body>.*?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_PAIR = re.compile(r"^(?P<indent>\s*)(?P<key>[\w .-]{1,60}?)\s*[:=](?P<value>.*)$")
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
    title = None
    if match is not None:
        title = _write_front_matter(match["body"], page)
        text = text[match.end() :]
    page.write_text("\n".join(_clean(_without_comments(text).split("\n"))), _LAYOUT)
    return page.content(title)


def _write_front_matter(body: str, page: Page) -> str | None:
    """Write the members of the front matter as pairs; return the title among them."""
    title: str | None = None
    parents: list[tuple[int, str]] = []
    for key, value in _front_pairs(body.split("\n"), parents):
        page.write_pair(key, value)
        if key.lower() in {"title", "name"} and title is None:
            title = value
    return title


def _front_pairs(lines: list[str], parents: list[tuple[int, str]]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for line in lines:
        if line.lstrip().startswith("- ") and parents:
            key, value = ".".join(name for _, name in parents), _unquoted(line.lstrip()[2:])
            if pairs and pairs[-1][0] == key:
                value = f"{pairs.pop()[1]}, {value}"
            pairs.append((key, value))
            continue
        match = _FRONT_PAIR.match(line)
        if match is None:
            continue
        indent = len(match["indent"])
        while parents and parents[-1][0] >= indent:
            parents.pop()
        parents.append((indent, match["key"].strip()))
        if match["value"].strip():
            pairs.append((".".join(name for _, name in parents), _unquoted(match["value"])))
    return pairs


def _without_comments(text: str) -> str:
    parts = []
    start = 0
    while (opening := text.find("<!--", start)) >= 0:
        closing = text.find("-->", opening + 4)
        if closing < 0:
            break
        parts.append(text[start:opening])
        start = closing + 3
    return "".join([*parts, text[start:]])


def _unquoted(text: str) -> str:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return ", ".join(_unquoted(part) for part in text[1:-1].split(","))
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def _clean(lines: list[str]) -> list[str]:
    cleaned: list[str] = []
    in_code = False
    for line in lines:
        if _FENCE.match(line):
            in_code = not in_code
            cleaned.append("")
        elif in_code:
            cleaned.append(f"    {line}" if line.startswith("#") else line)
        elif _RULE.match(line):
            cleaned.append("")
        else:
            cleaned += _clean_line(line)
    return cleaned


def _clean_line(line: str) -> list[str]:
    """Take the marks off one line; a bold line is a heading, a hard break ends a paragraph."""
    line = _QUOTE.sub("", line)
    bold = _BOLD_LINE.match(line)
    if bold is not None:
        return ["", f"###### {bold['title'].strip()}", ""]
    has_break = line.endswith(("  ", "\\")) and bool(line.strip())
    line = line.rstrip(" ").removesuffix("\\")
    for pattern, replacement in _REPLACED:
        line = pattern.sub(replacement, line)
    return [line, ""] if has_break else [line]
