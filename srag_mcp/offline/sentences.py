"""Sentences: the running text of a document, cut where a slot's words end."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose
from srag_mcp.offline.words import stem
from srag_mcp.text.spans import Span
from srag_mcp.text.words import WORD, fold_word
from srag_mcp.text.words import fold_words as fold

# A full stop ends a sentence only before a capital, and not after an initial or a short
# abbreviation ("No. 5", "approx. 3", "J. Smith").
_END = re.compile(r"(?<=[a-z0-9)\]%”\"][.!?…])[)\]”\"]?\s+(?=[\"“(\[•]?[A-ZÀ-Þ0-9])|\n\s*\n|;\s+")
_ABBREVIATION = re.compile(
    r"\b(?:no|nr|st|mr|mrs|ms|dr|prof|approx|ca|vs|inc|ltd|co|corp)\.\s*$", re.I
)
_LINK = re.compile(r"(?:https?://|www\.)[^\s)>\]]+|\S+@\S+")
_LONGEST = 4_000
_MIN_SENTENCE = 60


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a sentence: its folded form, its stem, and where it is in the document."""

    word: str
    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of running text, its sentences, and the folded headings above it."""

    span: Span
    sentences: tuple[Span, ...]
    section: tuple[str, ...]


def split_paragraphs(document: Document) -> Iterator[Paragraph]:
    """Yield all running text, in order; tables and short fields have none."""
    for block in document.blocks:
        if isinstance(block, Prose | ListItem):
            section = tuple(fold(heading) for heading in block.section)
        elif isinstance(block, Heading):
            section = ()
        elif isinstance(block, KeyValue) and len(block.value) >= _MIN_SENTENCE:
            section = tuple(fold(heading) for heading in (*block.section, block.key))
        else:
            continue
        yield Paragraph(block.span, tuple(_cut(document.text, block.span)), section)


def _cut(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for match in _END.finditer(text, span.start, span.end):
        if _ABBREVIATION.search(text, max(start, match.start() - 8), match.start() + 1):
            continue
        yield Span(start, match.start())
        start = match.end()
    if start < span.end:
        yield Span(start, min(span.end, start + _LONGEST))


def tokens_of(text: str, span: Span) -> list[Token]:
    """Return the words of *text* within *span*, without those of web addresses."""
    links = [match.span() for match in _LINK.finditer(text, span.start, span.end)]
    found = []
    for match in WORD.finditer(text, span.start, span.end):
        if any(start <= match.start() < end for start, end in links):
            continue
        word = fold_word(match.group())
        found.append(Token(word, stem(word), match.start(), match.end()))
    return found
