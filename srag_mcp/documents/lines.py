"""Lines of a text: how they wrap, what they begin with and list, which of them are headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import Heading
from srag_mcp.text.spans import Span
from srag_mcp.values.dates import find_dates

_MIN_WRAP_WIDTH = 50
_WIDE_GAP = re.compile(r"\s*\t\s*|\s{2,}")
_BLANKS = re.compile(r"[^\S\n]{2,}")
_SENTENCE_END = re.compile(r"[.!?:;][\"')\]”’]*$")
_BULLETS = "•·‣◦▪▫●○■□◆◇►▶➤➢→»✓✔☑✅✗✘❌☒✖*+\\-–—\uf0b7\uf0a7"
_CROSSES = "✗✘❌☒✖☐"  # what is crossed out or not ticked
_EMOJI = "\U0001f300-\U0001faff☀-☄☇-➿⬀-⭏⭑-⯿"
_MARKER = re.compile(
    rf"\s*(?:(?P<bullet>[{_BULLETS}]️?)|(?P<number>\(?(?:\d{{1,3}}|[a-zA-Z]|[ivx]{{2,5}})\)|"
    rf"\d{{1,3}}\.|[a-z]\.|[ivx]{{2,5}}\.|[IVX]{{2,5}}\.)|"
    rf"(?P<icon>[{_EMOJI}][️‍{_EMOJI}]*))\s+(?=\S)"
)
_SEPARATORS = tuple(re.compile(rf"\s*{mark}\s*") for mark in (";", r"\|", "[•·]", r"\s/\s", ","))
_MAX_LIST_CHARACTERS = 1000
_MAX_PART_WORDS = 4
_MAX_PART_CHARACTERS = 40
_MIN_PARTS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its line end, or a part of one; *start* is its place in the text.

    The start of a part counts from the start of its line.
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space on it."""
        return not self.text or self.text.isspace()

    @property
    def indent(self) -> int:
        """How many characters of white space come first."""
        return len(self.text) - len(self.text.lstrip())

    @property
    def span(self) -> Span:
        """The line without white space around it."""
        start = self.start + self.indent
        return Span(start, max(start, self.start + len(self.text.rstrip())))


def split_lines(text: str, offset: int = 0) -> list[Line]:
    r"""Split *text* at `\n`; *offset* is where it begins in the document."""
    lines = []
    for part in text.split("\n"):
        lines.append(Line(offset, part))
        offset += len(part) + 1
    return lines


def split_segments(text: str) -> list[Line]:
    """Split a line at gaps of two spaces or more and at tabs.

    `"Cash   10.00"` -> `"Cash"`, `"10.00"`.
    """
    segments = []
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    for gap in _WIDE_GAP.finditer(text, start, end):
        segments.append(Line(start, text[start : gap.start()]))
        start = gap.end()
    if start < end:
        segments.append(Line(start, text[start:end]))
    return segments


def wrap_width(lines: Sequence[Line]) -> int:
    """Guess the width at which the text was wrapped: what one line in ten reaches."""
    lengths = sorted(len(line.text.rstrip()) for line in lines if not line.is_blank)
    return max(_MIN_WRAP_WIDTH, lengths[int(len(lengths) * 0.9)] if lengths else 0)


def is_wrapped(line: Line, after: Line, width: int) -> bool:
    """Whether the sentence of *line* goes on in the line *after* it.

    It does if it plainly has no end, or if the first word of the next line had no room on it.
    """
    text, rest = line.text.rstrip(), after.text.lstrip()
    if rest[:1].islower() or text.endswith((",", "-", "(", "&", "/")):
        return True
    needed = len(text) + 1 + len(rest[:width].partition(" ")[0])
    if len(text) < 0.5 * width or needed < 0.95 * width:
        return False
    return not (_SENTENCE_END.search(text) and len(text) < 0.85 * width)


def collapse(text: str) -> str:
    """Return *text* on one line, each run of white space as one space."""
    return " ".join(text.split())


def narrow_gaps(text: str) -> str:
    """Write runs of blanks within a line, which keep columns apart, as two of them."""
    return _BLANKS.sub("  ", text)


def match_marker(text: str) -> tuple[str, int] | None:
    """Return the kind of marker a line begins with, and where its text starts.

    The kind is bullet, number or icon. A cross stays part of the text: it says that the item is
    not there.
    """
    match = _MARKER.match(text)
    if match is None or match.lastgroup is None:
        return None
    is_cross = match[match.lastgroup][0] in _CROSSES
    return match.lastgroup, match.start(match.lastgroup) if is_cross else match.end()


def split_items(text: str) -> list[Span]:
    """Return where the items of *text* are, if it clearly is a list of short items, else none.

    `"Python, SQL, Go"` -> three places; `"12 Main Street, Springfield, Ohio"` -> none.
    """
    body = text.rstrip().rstrip(".")
    separator = next((mark for mark in _SEPARATORS if mark.search(body)), None)
    if separator is None or len(body) > _MAX_LIST_CHARACTERS:
        return []
    places, start = [], 0
    for gap in separator.finditer(body):
        places.append(Span(start, gap.start()))
        start = gap.end()
    places.append(Span(start, len(body)))
    parts = [place.of(body) for place in places]
    are_items = len(parts) >= _MIN_PARTS and all(
        part.strip()
        and len(part) <= _MAX_PART_CHARACTERS
        and len(part.split()) <= _MAX_PART_WORDS
        and not part[:1].isdigit()
        and any(map(str.isalpha, part))
        for part in parts
    )
    return places if are_items else []


# --- Which lines are headings, and which headings are above a place ------------------------------

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
    near = [next((x.text.strip() for x in part if not x.is_blank), "")
            for part in (lines[max(0, at - 3) : at][::-1], lines[at + 1 : at + 4])]  # fmt: skip
    if match["number"] and near[0][:1] == "#" and near[1][:1] in {"#", ""}:
        return None  # alone below a heading, it is what is listed there
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
