"""Names in running text, with the words before them."""

import re
from collections.abc import Iterator, Sequence

from srag_mcp.documents.document import Document, ListItem, Prose
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words as fold

_WORD = r"[A-ZÀ-Þ][\w'’&-]*(?:\.\w+)*"
_NAME = rf"{_WORD}(?:\s+(?:(?:of|de|the|and|&|du|der|von)\s+)?{_WORD}){{0,4}}"
_ANCHORED = re.compile(rf"(?P<before>(?:\b[\w'’]+\s+){{2,5}})(?P<name>{_NAME})")
_KIND = re.compile(r"[A-ZÀ-Þ]\w+\s+(?:of|de|von)\s+(?=[A-ZÀ-Þ])")
_N_WORDS = (6, 5, 4, 3, 2)

Place = tuple[str, Span]


def find_named(document: Document) -> Iterator[Place]:
    """Yield each name of running text with the phrases of several lengths before it."""
    for block in document.blocks:
        if not isinstance(block, Prose | ListItem):
            continue
        for match in _ANCHORED.finditer(document.text, block.span.start, block.span.end):
            words = fold(match["before"]).split()
            yield from _phrases(words, Span(*match.span("name")))
            kind = _KIND.match(match["name"])
            if kind:  # "the laws of the State of Ohio": the name is Ohio
                inner = Span(match.start("name") + kind.end(), match.end("name"))
                yield from _phrases([*words, "*", "of"], inner)


def _phrases(words: Sequence[str], span: Span) -> Iterator[Place]:
    for n in _N_WORDS:
        if len(words) >= n:
            yield " ".join(words[-n:]), span
