"""The prompts of record prediction: what is shown of which documents, and what is asked of them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from srag_mcp.cells.cell import DocumentText
from srag_mcp.model.language_model import Correction, Prompt, count_tokens
from srag_mcp.prompting import fence, render_prompt
from srag_mcp.records.selection import choose_passages, tighten
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

MAX_DOCUMENTS = 8
MAX_CELLS = 240  # some 6,000 tokens of reply at most; a reply that is cut off halves the batch
BATCH_TOKENS = 6000
# A batch is full by what is in it, not by what comes next: when some batches are finished, the
# documents of the others still make the same batches, and the same prompts.
_FULL_TOKENS = 4000
_LARGE_TOKENS = BATCH_TOKENS - _FULL_TOKENS
Item = TypeVar("Item")
_MAX_EXAMPLES = 3
_LONGEST_EXAMPLE = 40
_LONGEST_NAME = 120
_ABSENT = {
    "false": "Not mentioned means false.",
    "zero": "Not mentioned means 0.",
    "unknown": "",
}


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

    After an excerpt *before*, what that left out.
    """
    tight, passages = tighten(document.text, document.passages)
    unread = None if before is None else before.unread
    chosen = choose_passages(tight, attributes, max_tokens, unread, passages)
    return Excerpt(document, chosen.shown, chosen.unread, len(tight), before)


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


def render_records_prompt(
    attributes: Sequence[Attribute],
    excerpts: Mapping[str, Excerpt],
    wanted: Mapping[str, Sequence[str]] | None = None,
    corrections: tuple[Correction, ...] = (),
) -> Prompt:
    """Ask for the records of the documents of *excerpts*, by short id.

    The instructions depend on *attributes* only. *wanted* (short id to names of attributes) asks
    for a part again, after *corrections*.
    """
    mark = fence("".join(excerpt.shown for excerpt in excerpts.values()))
    request = f"Give the records of {', '.join(excerpts)}: all attributes of each."
    if wanted is not None:
        named = "\n".join(f"- {key}: {', '.join(names)}" for key, names in wanted.items())
        request = f"Give only these attributes again, and leave out all others:\n{named}"
    prompt = render_prompt(
        "predict_records",
        "records",
        subject=", ".join(excerpt.document.document_id for excerpt in excerpts.values()),
        attributes="\n".join(map(describe_attribute, attributes)),
        documents="\n\n".join(show_document(key, item, mark) for key, item in excerpts.items()),
        request=request,
    )
    return replace(prompt, corrections=corrections)


def describe_attribute(attribute: Attribute) -> str:
    """Write an attribute as one line of the instructions.

    `- length (number, m): Of the hull. Examples: 61.5`
    """
    kind = ", ".join(filter(None, (attribute.type, attribute.unit)))
    parts = [" ".join(attribute.description.split())]
    texts = [" ".join(str(example).split()) for example in attribute.examples]
    examples = [text for text in texts if 0 < len(text) <= _LONGEST_EXAMPLE][:_MAX_EXAMPLES]
    if attribute.categories:
        parts.append(f"One of: {' | '.join(attribute.categories)}.")
    elif attribute.type.is_text and examples:
        parts.append(f"Examples: {'; '.join(examples)}.")
    parts.append(_ABSENT[attribute.absent_means])
    return f"- {attribute.name} ({kind}): {' '.join(filter(None, parts))}".rstrip(" :")


def show_document(key: str, excerpt: Excerpt, mark: str) -> str:
    """Show a document; its path and title stand on one line, whatever is in them."""
    path, title = (
        json.dumps(name[:_LONGEST_NAME], ensure_ascii=False)
        for name in (excerpt.document.path, excerpt.document.title)
    )
    named = f"{key} (path {path})" if title == path else f"{key} (path {path}, title {title})"
    return f"{named}\n<<<{mark}\n{excerpt.shown}\n{mark}>>>"
