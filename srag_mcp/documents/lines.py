"""Lines of a text, with their place in it: how they wrap, what they begin with, what they list."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.text.spans import Span

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
