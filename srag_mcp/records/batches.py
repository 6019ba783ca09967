"""Batches: small documents share a prompt, so that the instructions are sent less often."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from srag_mcp.cells.cell import DocumentText
from srag_mcp.model.tokens import count_tokens
from srag_mcp.records.passages import choose_more, choose_passages
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

MAX_DOCUMENTS = 8
MAX_CELLS = 240  # some 6,000 tokens of reply at most; a reply that is cut off halves the batch
BATCH_TOKENS = 6000
# A batch is full by what is in it, not by what comes next: when some batches are finished, the
# documents of the others still make the same batches, and the same prompts.
_FULL_TOKENS = 4000
_LARGE_TOKENS = BATCH_TOKENS - _FULL_TOKENS

_WIDE_GAP = re.compile(r"[ \t\u00a0]{3,}")
_FEWEST_BREAKS = 2
_EMPTY_LINES = re.compile(r"\n(?:[ \t\r]*\n){2,}")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A document, and what the model is shown of it.

    Attributes:
        document: The whole of it.
        shown: All of its text, or passages.
        unread: The stretches that neither this excerpt nor those before it show.
        n_characters: Of the text that passages are taken from.
        before: The excerpt that was shown before this one.
    """

    document: DocumentText
    shown: str
    unread: tuple[Span, ...] = ()
    n_characters: int = 0
    before: "Excerpt | None" = None

    @property
    def n_tokens(self) -> int:
        """Of what is shown."""
        return count_tokens(self.shown)

    @property
    def n_read(self) -> int:
        """Characters shown by now, of *n_characters*."""
        return self.n_characters - sum(span.end - span.start for span in self.unread)


def take_excerpt(
    document: DocumentText,
    attributes: Sequence[Attribute],
    max_tokens: int,
    before: Excerpt | None = None,
) -> Excerpt:
    """Choose what is shown of *document*: all of it, or the passages that matter.

    After an excerpt *before*, what that left out. Wide gaps between columns and many empty lines
    become small ones: they cost and say nothing.
    """
    tight = _tighten(document.text)
    if before is None:
        chosen = choose_passages(tight, attributes, max_tokens)
    else:
        chosen = choose_more(tight, attributes, max_tokens, before.unread)
    return Excerpt(document, chosen.shown, chosen.unread, len(tight), before)


def _tighten(text: str) -> str:
    """Make wide gaps and many empty lines small; most texts have none, which is seen faster."""
    if "  " in text or "\t" in text or "\u00a0" in text:
        text = _WIDE_GAP.sub("  ", text)
    return _EMPTY_LINES.sub("\n\n", text) if text.count("\n") > _FEWEST_BREAKS else text


def plan_batches(
    items: Iterable[Item], size: Callable[[Item], int], n_attributes: int
) -> Iterator[tuple[Item, ...]]:
    """Put documents together, in their order but for large ones, which stay alone.

    Lazy: one batch is held at a time. It has at most MAX_DOCUMENTS, MAX_CELLS and BATCH_TOKENS of
    text, by *size*, unless a single document has more.
    """
    most = min(MAX_DOCUMENTS, MAX_CELLS // max(1, n_attributes))
    gathering: list[Item] = []
    n_tokens = 0
    for item in items:
        if size(item) > _LARGE_TOKENS:
            yield (item,)
            continue
        gathering.append(item)
        n_tokens += size(item)
        if len(gathering) >= most or n_tokens > _FULL_TOKENS:
            yield tuple(gathering)
            gathering, n_tokens = [], 0
    if gathering:
        yield tuple(gathering)
