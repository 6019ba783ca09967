"""Lines of a text, with their place in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.text.spans import Span

MIN_WRAP_WIDTH = 50
_WIDE_GAP = re.compile(r"\s*\t\s*|\s{2,}")
_SENTENCE_END = re.compile(r"[.!?:;][\"')\]”’]*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its line end; *start* is its place in the text of the document."""

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
        return trimmed_span(self.text, self.start)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a line between wide gaps; *start* counts from the start of the line."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The place after its last character, in the line."""
        return self.start + len(self.text)


def trimmed_span(text: str, offset: int) -> Span:
    """Return where *text*, which begins at *offset*, is without white space around it."""
    start = offset + len(text) - len(text.lstrip())
    return Span(start, max(start, offset + len(text.rstrip())))


def split_lines(text: str, offset: int = 0) -> list[Line]:
    r"""Split *text* at `\n`; *offset* is where it begins in the document."""
    lines = []
    for part in text.split("\n"):
        lines.append(Line(offset, part))
        offset += len(part) + 1
    return lines


def split_segments(text: str) -> list[Segment]:
    """Split a line at gaps of two spaces or more and at tabs.

    `"Cash   10.00"` -> `"Cash"`, `"10.00"`.
    """
    segments = []
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    for gap in _WIDE_GAP.finditer(text, start, end):
        segments.append(Segment(start, text[start : gap.start()]))
        start = gap.end()
    if start < end:
        segments.append(Segment(start, text[start:end]))
    return segments


def wrap_width(lines: Sequence[Line]) -> int:
    """Guess the width at which the text was wrapped: what one line in ten reaches."""
    lengths = sorted(len(line.text.rstrip()) for line in lines if not line.is_blank)
    if not lengths:
        return MIN_WRAP_WIDTH
    return max(MIN_WRAP_WIDTH, lengths[int(len(lengths) * 0.9)])


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
