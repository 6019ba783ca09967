"""Reads Markdown: its marks are taken off, then it is read as lines of text."""

import re
from collections.abc import Iterator

from srag_mcp.documents.document import Content
from srag_mcp.documents.encoding import decode
from srag_mcp.documents.page import Page
from srag_mcp.documents.text_blocks import Layout

_LAYOUT = Layout(wrapping="blank_line", has_bare_titles=False)
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(?P<body>.*?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_PAIR = re.compile(r"^(?P<indent>\s*)(?P<key>[\w .-]{1,60}?)\s*[:=](?P<value>.*)$")
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?")
_QUOTED = re.compile(r"""(?P<mark>["'])(?P<words>.*?)(?P=mark)(?:\s+#.*)?""")
_REMARK = re.compile(r"(?:^|\s+)#\s.*")
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
    is_yaml = match is not None and match[1] == "---"
    pairs = _front_pairs(match["body"].split("\n"), is_yaml=is_yaml) if match else []
    for key, value in pairs:
        page.write_pair(key, value)
    title = next((value for key, value in pairs if key.lower() in {"title", "name"}), None)
    text = text[match.end() :] if match else text
    end = text.rfind("-->") + 3  # below it, each opening would be searched for its end in vain
    text = _COMMENT.sub("", text[:end]) + text[end:]
    page.write_text("\n".join(_clean(text.split("\n"))), _LAYOUT)
    return page.content(title)


def _front_pairs(lines: list[str], *, is_yaml: bool) -> list[tuple[str, str]]:
    """Return the members of the front matter with dotted keys; a list is joined by commas.

    A member without a value is `~`, as YAML says that there is none.
    """
    pairs: list[tuple[str, str]] = []
    parents: list[tuple[int, str]] = []
    folded: int | None = None  # the indent of a key whose text stands on the lines below it
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        indent, words = len(line) - len(line.lstrip()), line.strip()
        if folded is not None and (indent > folded or not words):
            key, value = pairs.pop()
            pairs.append((key, f"{value} {words}".strip()))
            continue
        folded = None
        match = _FRONT_PAIR.match(line)
        if words.startswith("- ") and parents:
            key, value = ".".join(name for _, name in parents), _scalar(words[2:], is_yaml=is_yaml)
            if pairs and pairs[-1][0] == key:
                value = f"{pairs.pop()[1]}, {value}"
            pairs.append((key, value))
        elif match is not None and not words.startswith("#"):
            while parents and parents[-1][0] >= indent:
                parents.pop()
            parents.append((indent, match["key"].strip()))
            key, value = ".".join(name for _, name in parents), match["value"].strip()
            is_above = len(after) - len(after.lstrip()) > indent or after.lstrip().startswith("- ")
            if is_yaml and _BLOCK.fullmatch(value):
                folded, value = indent, ""
            elif value or (is_yaml and not is_above):
                value = _scalar(value, is_yaml=is_yaml)
            else:
                continue
            pairs.append((key, value))
    return pairs


def _scalar(text: str, *, is_yaml: bool) -> str:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return ", ".join(_scalar(part, is_yaml=is_yaml) for part in text[1:-1].split(",") if part)
    if match := _QUOTED.fullmatch(text):
        return match["words"]
    plain = _REMARK.split(text, maxsplit=1)[0]
    return _NULL if is_yaml and plain in _NULLS else plain


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
