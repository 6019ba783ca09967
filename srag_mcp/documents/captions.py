"""Captions: short lines above a table that say what all of its numbers are."""

import re
from collections.abc import Callable, Sequence

from srag_mcp.documents.document import Block, Heading, KeyValue, Prose
from srag_mcp.text.spans import Span

MAX_CAPTION_CHARACTERS = 200
_MAX_LINES = 3
_CAPTION = re.compile(
    r"^(?:table|tabelle|tableau|tabla|tabella|exhibit|schedule)(?:\s*\d|\s+(?:[ivx]+|[a-z])\b)"
    r"|^\([^()]+\)$|\([^()]*(?:[$€£¥₹%]|\bin\b)[^()]*\)$"
    r"|\b(?:in|en)\s(?:\S{1,5}\s)?(?:thousand|million|billion|lakh|crore|tausend|mio|mrd)"
    r"|^(?:thousand|million|billion)s?\sof\s",
    re.IGNORECASE,
)


def is_caption(text: str) -> bool:
    """Whether a line reads as a title or note of the table below it.

    `Table 3: Sales`, `(in millions)`, `Costs ($)` -> True
    """
    return len(text) <= MAX_CAPTION_CHARACTERS and _CAPTION.search(text) is not None


def captions_at_end(blocks: Sequence[Block], text_of: Callable[[Span], str]) -> list[str]:
    """Return the captions that *blocks* end with, from top to bottom; *text_of* reads a span."""
    found: list[str] = []
    for block in reversed(blocks[-_MAX_LINES:]):
        is_short = block.span.end - block.span.start <= MAX_CAPTION_CHARACTERS
        if not isinstance(block, Heading | Prose | KeyValue) or not is_short:
            break
        text = text_of(block.span)
        if not is_caption(text):
            break
        found.append(text)
    return found[::-1]
