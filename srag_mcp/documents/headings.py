"""Which lines of a plain text are headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.documents.lines import Line, collapse, split_segments
from srag_mcp.documents.list_items import match_marker
from srag_mcp.text.spans import Span

_HASHES = re.compile(r"\s{0,3}(#{1,6})\s+(?P<title>\S.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"\s*([=~_-])\1{2,}\s*$")
_NUMBERED = re.compile(
    r"\s*(?:(?P<word>article|section|chapter|part|exhibit|appendix|schedule|annex)\s+"
    r"(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])\b[.:]?|(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s)"
    r"\s*(?P<title>.*?)\s*$",
    re.IGNORECASE,
)
_RUN_IN = re.compile(
    r"\s*(?P<number>\d{1,2}(?:\.\d{1,2}){0,2})[.)]?\s+"
    r"(?P<title>[A-Z][^.:;!?\n]{1,60})[.:](?=\s+[A-Z(\"“])"
)
_MAX_CHARACTERS = 80
_MAX_WORDS = 10


@dataclass(frozen=True, slots=True)
class TitleLine:
    """A heading found in lines; *n_lines* with its underline, *end* where its own text ends."""

    title: str
    level: int
    n_lines: int
    span: Span


def find_heading(lines: Sequence[Line], at: int, *, guess: bool) -> TitleLine | None:
    """Return the heading at line *at*, None if there is none.

    *guess*: a line that nothing marks may be one too, by its capitals or its place.
    """
    line = lines[at]
    if len(line.text) > 300:
        return None
    marked = _hashes(line) or _underlined(lines, at) or _numbered(lines, at)
    if marked or not guess:
        return marked
    return _capitals(lines, at) or _standing_alone(lines, at)


def find_run_in_heading(line: Line) -> TitleLine | None:
    """Return the title at the start of a paragraph: `4. Term. This agreement …` -> Term."""
    match = _RUN_IN.match(line.text)
    if match is None or len(match["title"].split()) > 8:
        return None
    level = 2 + match["number"].count(".")
    start = line.start + match.start("number")
    return TitleLine(collapse(match["title"]), level, 1, Span(start, line.start + match.end()))


def is_shouting(lines: Sequence[Line]) -> bool:
    """Whether at least half of the lines with letters are written in capitals."""
    lettered = [line.text for line in lines if any(map(str.isalpha, line.text))]
    return sum(map(str.isupper, lettered)) >= 0.5 * len(lettered)


def _found(line: Line, title: str, level: int, n_lines: int = 1) -> TitleLine:
    return TitleLine(collapse(title), level, n_lines, line.span)


def _hashes(line: Line) -> TitleLine | None:
    match = _HASHES.match(line.text)
    return _found(line, match["title"], len(match[1])) if match else None


def _underlined(lines: Sequence[Line], at: int) -> TitleLine | None:
    if at + 1 >= len(lines) or not _could_be_title(lines[at].text):
        return None
    match = _UNDERLINE.match(lines[at + 1].text)
    if match is None or len(split_segments(lines[at].text)) > 1:
        return None
    return _found(lines[at], lines[at].text, 1 if match[1] == "=" else 2, n_lines=2)


def _numbered(lines: Sequence[Line], at: int) -> TitleLine | None:
    match = _NUMBERED.match(lines[at].text)
    if match is None or not _blank(lines, at - 1):
        return None
    title = match["title"] if match["number"] else lines[at].text
    if match["number"] and not (title[:1].isupper() and _blank(lines, at + 1)):
        return None
    if not _could_be_title(title) or title.endswith((".", ":")):
        return None
    return _found(lines[at], title, 2 + (match["number"] or "").count("."))


def _capitals(lines: Sequence[Line], at: int) -> TitleLine | None:
    text = lines[at].text.strip()
    letters = sum(map(str.isalpha, text))
    if not text.isupper() or letters < 4 or letters < 0.6 * len(text.replace(" ", "")):
        return None
    if not _could_be_title(text) or len(split_segments(text)) > 1 or match_marker(text):
        return None
    if not (_blank(lines, at - 1) or _blank(lines, at + 1) or len(text.split()) <= 4):
        return None
    return _found(lines[at], text.rstrip(":"), 1 if _is_first(lines, at) else 2)


def _standing_alone(lines: Sequence[Line], at: int) -> TitleLine | None:
    text = lines[at].text.strip()
    if not _blank(lines, at - 1) or not text[:1].isupper() or not _could_be_title(text):
        return None
    if text[-1] == ":" or len(split_segments(text)) > 1 or match_marker(text):
        return None
    if not _is_title_case(text) or not _introduces(lines, at):
        return None
    return _found(lines[at], text, 1 if _is_first(lines, at) else 3)


def _introduces(lines: Sequence[Line], at: int) -> bool:
    """Whether what follows line *at* reads as the body of a section."""
    if _blank(lines, at + 1):
        return any(not line.is_blank for line in lines[at + 1 : at + 4])
    after, text = lines[at + 1].text, lines[at].text.strip()
    longer = len(after.strip()) > 2 * len(text) and len(text) <= 40
    return longer or match_marker(after) is not None


def _could_be_title(text: str) -> bool:
    text = text.strip()
    if not text or len(text) > _MAX_CHARACTERS or len(text.split()) > _MAX_WORDS:
        return False
    return text[-1] not in ".,;!?|" and any(map(str.isalpha, text)) and "@" not in text


def _is_title_case(text: str) -> bool:
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 3]
    capital = sum(word[0].isupper() for word in words)
    return not words or capital >= 0.5 * len(words) or len(words) <= 3


def _blank(lines: Sequence[Line], at: int) -> bool:
    return not 0 <= at < len(lines) or lines[at].is_blank


def _is_first(lines: Sequence[Line], at: int) -> bool:
    return at < 10 and all(line.is_blank for line in lines[:at])
