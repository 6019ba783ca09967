"""Which lines of a plain text are headings, and which headings are above a place."""

import re
from collections.abc import Sequence

from srag_mcp.documents.document import Heading
from srag_mcp.documents.lines import Line, collapse, match_marker, split_segments
from srag_mcp.text.spans import Span
from srag_mcp.values.dates import find_dates

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


class Outline:
    """Keeps the open headings while a document is read from top to bottom."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def section(self) -> tuple[str, ...]:
        """The open headings, outermost first."""
        return tuple(text for _, text in self._open)

    def enter(self, text: str, level: int) -> None:
        """Open the heading *text*, which closes those of the same or a deeper level."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text))


def find_heading(lines: Sequence[Line], at: int, *, guess: bool) -> tuple[Heading, int] | None:
    """Return the heading at line *at* and the line after it, None if there is none.

    *guess*: a line that nothing marks may be one too, by its capitals or its place.
    """
    text, span = lines[at].text, lines[at].span
    if len(text) > 300:
        return None
    hashes = _HASHES.match(text)
    if hashes:
        return Heading(span, collapse(hashes["title"]), len(hashes[1])), at + 1
    underline = _UNDERLINE.match(lines[at + 1].text) if at + 1 < len(lines) else None
    if underline and _could_be_title(text) and len(split_segments(text)) == 1:
        return Heading(span, collapse(text), 1 if underline[1] == "=" else 2), at + 2
    found = _find_numbered(lines, at) or (_guess(lines, at) if guess else None)
    return None if found is None else (found, at + 1)


def find_run_in_heading(line: Line) -> Heading | None:
    """Return the title at the start of a paragraph: `4. Term. This agreement …` -> Term."""
    match = _RUN_IN.match(line.text)
    if match is None or len(match["title"].split()) > 8:
        return None
    level = 2 + match["number"].count(".")
    start = line.start + match.start("number")
    return Heading(Span(start, line.start + match.end()), collapse(match["title"]), level)


def _find_numbered(lines: Sequence[Line], at: int) -> Heading | None:
    """Return the heading that stands below a gap after a number, or that names a part."""
    line = lines[at]
    match = _NUMBERED.match(line.text)
    if match is None or not _is_blank(lines, at - 1):
        return None
    if any(span.start == match.start("number") for span, _ in find_dates(line.text)):
        return None  # `23 April 2023` is no chapter 23
    title = match["title"] if match["number"] else line.text
    if match["number"] and not (title[:1].isupper() and _is_blank(lines, at + 1)):
        return None
    if not _could_be_title(title) or title.endswith((".", ":")):
        return None
    return Heading(line.span, collapse(title), 2 + (match["number"] or "").count("."))


def _guess(lines: Sequence[Line], at: int) -> Heading | None:
    """Return the heading that is written in capitals, or stands alone above a body."""
    text = lines[at].text.strip()
    is_below_gap, is_above_gap = _is_blank(lines, at - 1), _is_blank(lines, at + 1)
    letters = sum(map(str.isalpha, text))
    in_capitals = text.isupper() and letters >= max(4, 0.6 * len(text.replace(" ", "")))
    in_capitals = in_capitals and (is_below_gap or is_above_gap or len(text.split()) <= 4)
    if not in_capitals and not (is_below_gap and text[:1].isupper() and text[-1] != ":"):
        return None
    if not _could_be_title(text) or len(split_segments(text)) > 1 or match_marker(text):
        return None
    is_first = at < 10 and all(line.is_blank for line in lines[:at])
    if in_capitals:
        return Heading(lines[at].span, collapse(text.rstrip(":")), 1 if is_first else 2)
    if is_above_gap:
        has_body = any(not line.is_blank for line in lines[at + 1 : at + 4])
    else:
        after = lines[at + 1].text
        has_body = len(after.strip()) > 2 * len(text) and len(text) <= 40
        has_body = has_body or match_marker(after) is not None
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 3]
    n_capital = sum(word[0].isupper() for word in words)
    if not has_body or (len(words) > 3 and n_capital < 0.5 * len(words)):
        return None
    return Heading(lines[at].span, collapse(text), 1 if is_first else 3)


def _could_be_title(text: str) -> bool:
    text = text.strip()
    if not text or len(text) > _MAX_CHARACTERS or len(text.split()) > _MAX_WORDS:
        return False
    return text[-1] not in ".,;!?|" and any(map(str.isalpha, text)) and "@" not in text


def _is_blank(lines: Sequence[Line], at: int) -> bool:
    return not 0 <= at < len(lines) or lines[at].is_blank
