"""The prompts of record prediction: what is shown of which documents, and what is asked of them."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, TypeVar

from srag_mcp.cells.cell import DocumentText
from srag_mcp.model.language_model import Prompt, count_tokens
from srag_mcp.prompting import fence, render_prompt
from srag_mcp.records.selection import choose_passages
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

MAX_DOCUMENTS = 16
MAX_PARTS = 48  # of documents of which each lacks something else
MAX_STRETCHES = 96  # of documents of which mostly stretches are shown
MAX_CELLS = 600  # some 7,000 tokens of reply at most; a reply that is cut off halves the batch
Item = TypeVar("Item")
_SUMMARISED = (
    ' Give each a "summary", too, in {"id":"d1","cells":[],"summary":"…"}: one sentence of at most'
    " 25 words that tells what it is about and names who and what, as one would search for it."
)
ROWS_ASKED = (
    "\nA column that is a list has one entry an item, in the order of the document, each an array"
    " with a value for every member in their order: null where the document does not say it,"
    " [value, quote, remark] where the value alone would not do:"
    ' [12,[["Mug",2,9.95],["Cap",[1,"one cap"],null]]]. Give all items, none twice, no totals.'
    ' [12,null,"no items"] where the document says that there are none; no cell where it says'
    " nothing."
)
_MAX_EXAMPLES = 3
_LONGEST_EXAMPLE = 40
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Sought:
    """What is sought in one document: the attributes of *names*.

    *places*: only these stretches are shown; where there are none, all that is ever shown of it.
    *stated*: the share of them that such documents are known to state: silence takes no reply.
    """

    names: frozenset[str]
    places: tuple[Span, ...] = ()
    stated: float = 1.0

    @property
    def n_expected(self) -> float:
        """How many cells a reply is expected to have of it."""
        return self.stated * len(self.names)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A document, and what is *shown* of it: all of its text, or passages.

    *unread*: the stretches that neither it nor those *before* it show. *names*: of the attributes
    that are sought in it; None for all.
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

    def shows(self, place: Span) -> bool:
        """Whether *place* is shown by it, and by none before it."""
        is_new = self.before is None or any(map(place.overlaps, self.before.unread))
        return is_new and not any(map(place.overlaps, self.unread))

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
    """Choose what is shown of *document*, or of what the excerpt *before* left out."""
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
    """Put documents together that fill a prompt: each goes into the first batch with room for it.

    Lazy: a batch is yielded as soon as a second document like its smallest would find no room. It
    has at most *max_documents*, MAX_CELLS and *max_tokens* of text, by *size*, unless a single
    document has more. What is in it makes it full, not what comes next: those of a later run are
    the same, whichever are finished.
    """
    most = min(max_documents, MAX_CELLS // max(1, n_attributes))
    filling: list[_Filling[Item]] = []
    for item in items:
        length = size(item)
        batch = next((batch for batch in filling if length <= batch.room), None)
        if batch is None:
            batch = _Filling(max_tokens)
            filling.append(batch)
        batch.items.append(item)
        batch.room -= length
        batch.smallest = min(batch.smallest, length)
        if len(batch.items) >= most or batch.room < batch.smallest:
            filling.remove(batch)
            yield tuple(batch.items)
    yield from (tuple(batch.items) for batch in filling)


@dataclass(eq=False)
class _Filling(Generic[Item]):
    """A batch that has room left, in tokens, and the tokens of its smallest document."""

    room: int
    items: list[Item] = field(default_factory=list)
    smallest: float = math.inf


def render_records_prompt(
    attributes: Mapping[int, Attribute],
    excerpts: Mapping[str, Excerpt],
    *,
    summarised: bool = False,
    lists: Mapping[str, str] = MappingProxyType({}),
) -> Prompt:
    """Ask for the records of the documents of *excerpts*, by short id.

    The instructions depend on *attributes*, by their numbers, only; *lists* has the lines of those
    that are lists, by their names, and behind them how these are written.
    """
    mark = fence("".join(excerpt.shown for excerpt in excerpts.values()))
    columns = [
        f"{number} {lists.get(item.name) or describe_attribute(item)}"
        for number, item in attributes.items()
    ]
    columns += [ROWS_ASKED] if any(item.name in lists for item in attributes.values()) else []
    return render_prompt(
        "predict_records",
        "records",
        subject=", ".join(excerpt.document.document_id for excerpt in excerpts.values()),
        attributes="\n".join(columns),
        documents="\n\n".join(show_document(key, item, mark) for key, item in excerpts.items()),
        request=f"{_request(attributes, excerpts)}{_SUMMARISED * summarised}",
    )


def _request(attributes: Mapping[int, Attribute], excerpts: Mapping[str, Excerpt]) -> str:
    """Ask for whole records, or of each document for the columns that are sought in it."""
    asked = {
        key: [n for n, x in attributes.items() if item.names is None or x.name in item.names]
        for key, item in excerpts.items()
    }
    if all(len(numbers) == len(attributes) for numbers in asked.values()):
        return f"Give the records of {', '.join(excerpts)}."
    said = (f"{key}: {', '.join(map(str, numbers))}" for key, numbers in asked.items())
    return f"Give only the cells of these columns: {'; '.join(said)}."


def describe_attribute(attribute: Attribute) -> str:
    """Write an attribute as one line.

    What silence means is no matter of who reads: it is put in later.

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
    return f"{attribute.name} ({kind}): {' '.join(filter(None, parts))}".rstrip(" :")


def show_document(key: str, excerpt: Excerpt, mark: str) -> str:
    """Show a document; its path and title stand on one line, whatever is in them."""
    path, title = (
        json.dumps(name[:_LONGEST_NAME], ensure_ascii=False)
        for name in (excerpt.document.path, excerpt.document.title)
    )
    named = f"{key} (path {path})" if title == path else f"{key} (path {path}, title {title})"
    return f"{named}\n<<<{mark}\n{excerpt.shown}\n{mark}>>>"
