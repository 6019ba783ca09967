"""The prompts of record prediction: what is shown of which documents, and what is asked of them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from srag_mcp.cells.cell import DocumentText
from srag_mcp.model.language_model import Prompt, count_tokens
from srag_mcp.prompting import fence, render_prompt
from srag_mcp.records.selection import choose_passages
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

MAX_DOCUMENTS = 16
MAX_PARTS = 48  # of documents in which few columns are sought
MAX_CELLS = 600  # some 7,000 tokens of reply at most; a reply that is cut off halves the batch
_SIZES = (8, 4, 2)  # parts of a prompt: documents of about one size fill it together
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
class Sought:
    """What is sought in one document.

    Attributes:
        names: Of the attributes.
        places: Only what stands around them is shown; where there are none, whole passages.
        n_tokens: Most that is shown; None for all that is ever shown of a document.
    """

    names: frozenset[str]
    places: tuple[Span, ...] = ()
    n_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A document, and what the model is shown of it.

    Attributes:
        document: The whole of it.
        shown: All of its text, or passages.
        unread: The stretches that neither this excerpt nor those before it show.
        before: The excerpt that was shown before this one.
        names: Of the attributes that are sought in it; None for all.
    """

    document: DocumentText
    shown: str
    unread: tuple[Span, ...] = ()
    before: "Excerpt | None" = None
    names: frozenset[str] | None = None

    @property
    def n_tokens(self) -> int:
        """Of what is shown."""
        return count_tokens(self.shown)

    @property
    def n_read(self) -> int:
        """How many characters of the document were shown by now."""
        return len(self.document.text) - sum(span.end - span.start for span in self.unread)


def take_excerpt(
    document: DocumentText,
    attributes: Sequence[Attribute],
    max_tokens: int,
    before: Excerpt | None = None,
) -> Excerpt:
    """Choose what is shown of *document*: all of it, or the passages that matter.

    After an excerpt *before*, what that left out.
    """
    text, unread = document.text, None if before is None else before.unread
    names = None if before is None else before.names
    chosen = choose_passages(text, attributes, max_tokens, unread, document.passages)
    return Excerpt(document, chosen.shown, chosen.unread, before, names)


def plan_batches(
    items: Iterable[Item],
    size: Callable[[Item], int],
    n_attributes: int,
    max_tokens: int,
    max_documents: int = MAX_DOCUMENTS,
) -> Iterator[tuple[Item, ...]]:
    """Put documents of about one size together, in their order; large ones stay alone.

    Lazy: a batch of each size is held at a time. It has at most *max_documents*, MAX_CELLS and
    *max_tokens* of text, by *size*, unless a single document has more.

    A batch is full by what is in it, not by what comes next: when some batches are finished, the
    documents of the others still make the same batches, and the same prompts.
    """
    most = min(max_documents, MAX_CELLS // max(1, n_attributes))
    gathering: dict[int, list[Item]] = {max_tokens // part: [] for part in _SIZES}
    for item in items:
        largest = next((room for room in gathering if size(item) <= room), None)
        if largest is None:
            yield (item,)
            continue
        batch = gathering[largest]
        batch.append(item)
        if len(batch) >= most or sum(map(size, batch)) > max_tokens - largest:
            yield tuple(batch)
            batch.clear()
    yield from (tuple(batch) for batch in gathering.values() if batch)


def render_records_prompt(
    attributes: Sequence[Attribute], excerpts: Mapping[str, Excerpt]
) -> Prompt:
    """Ask for the records of the documents of *excerpts*, by short id.

    The instructions depend on *attributes* only; their numbers are their places.
    """
    mark = fence("".join(excerpt.shown for excerpt in excerpts.values()))
    columns = (f"{n} {describe_attribute(item)}" for n, item in enumerate(attributes, start=1))
    return render_prompt(
        "predict_records",
        "records",
        subject=", ".join(excerpt.document.document_id for excerpt in excerpts.values()),
        attributes="\n".join(columns),
        documents="\n\n".join(show_document(key, item, mark) for key, item in excerpts.items()),
        request=_request(attributes, excerpts),
    )


def _request(attributes: Sequence[Attribute], excerpts: Mapping[str, Excerpt]) -> str:
    """Ask for whole records, or of each document for the columns that are sought in it."""
    if all(item.names is None or len(item.names) == len(attributes) for item in excerpts.values()):
        return f"Give the records of {', '.join(excerpts)}."
    asked = []
    for key, excerpt in excerpts.items():
        names = excerpt.names
        numbers = [str(n) for n, x in enumerate(attributes, 1) if names is None or x.name in names]
        asked.append(f"{key}: {', '.join(numbers)}")
    return f"Give only the cells of these columns: {'; '.join(asked)}."


def describe_attribute(attribute: Attribute) -> str:
    """Write an attribute as one line.

    `length (number, m): Of the hull. Examples: 61.5.`
    """
    kind = ", ".join(filter(None, (attribute.type, attribute.unit)))
    parts = [" ".join(attribute.description.split())]
    texts = [" ".join(str(example).split()) for example in attribute.examples]
    examples = [text for text in texts if 0 < len(text) <= _LONGEST_EXAMPLE][:_MAX_EXAMPLES]
    if attribute.categories:
        parts.append(f"One of: {' | '.join(attribute.categories)}.")
    elif examples and not attribute.type.is_boolean:
        parts.append(f"Examples: {'; '.join(examples)}.")
    parts.append(_ABSENT[attribute.absent_means])
    return f"{attribute.name} ({kind}): {' '.join(filter(None, parts))}".rstrip(" :")


def show_document(key: str, excerpt: Excerpt, mark: str) -> str:
    """Show a document; its path and title stand on one line, whatever is in them."""
    path, title = (
        json.dumps(name[:_LONGEST_NAME], ensure_ascii=False)
        for name in (excerpt.document.path, excerpt.document.title)
    )
    named = f"{key} (path {path})" if title == path else f"{key} (path {path}, title {title})"
    return f"{named}\n<<<{mark}\n{excerpt.shown}\n{mark}>>>"
