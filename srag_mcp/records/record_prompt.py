"""The prompts of record prediction: what is shown of which documents, and what is asked of them."""

import json
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise, zip_longest
from types import MappingProxyType
from typing import Generic, TypeVar

from srag_mcp.cells.cell import DocumentText
from srag_mcp.claims.captions import find_scale_note, head_lines, is_tabular
from srag_mcp.documents.document import spread_evenly
from srag_mcp.documents.lines import collapse
from srag_mcp.documents.passages import PAGE_CHARACTERS, Passage, cover, divide, passage_at
from srag_mcp.model.language_model import (
    Prompt,
    count_tokens,
    fence,
    most_characters,
    render_prompt,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, stem, words
from srag_mcp.values.units import is_currency

_GAP = "\n[…]\n"
_LONGEST_PATH = 120
# Characters of a part: of 130 pages it takes a third to two thirds of the words of whole passages
# to hold what a column states; of 120 characters, one statement in ten lies across two parts.
_PART = 250
_BEGINNING = 0.25
_NAME, _SYNONYM, _EXAMPLE, _DESCRIPTION, _SHAPE = 3.0, 3.0, 1.0, 0.5, 0.5
_MAX_DESCRIPTION_WORDS = 20
_MOST_SAID = 12
_FIRST_CJK = "\u2e80"  # scripts without spaces between words: pairs of letters stand for words
_WIDE_GAP = re.compile(r"\n(?:[ \t\r\u00a0]*\n){2,}|[ \t\u00a0]{3,}")
_MONEY = re.compile(r"[$€£¥₹]|\b[A-Z]{3}\s?\d|\d\s?[A-Z]{3}\b")
_PERCENT = re.compile(r"\d\s?(?:%|per\s?cent|percent)")
# What definitions say of how a value is written, and not what it is.
_DEFINING = frozenset(
    ("written", "stated", "document", "documents", "value", "spelled", "example", "format")
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown of a text, and the stretches of it that are not, in their order."""

    shown: str
    unread: tuple[Span, ...] = ()


@dataclass(frozen=True)
class _Piece:
    """A part of *text*; *floor*: where its page begins or what its headings head does."""

    text: str
    passage: Passage
    floor: int
    passages: Sequence[Passage] = ()

    @property
    def span(self) -> Span:
        return self.passage.span

    @cached_property
    def shown(self) -> str:
        """Its text, without wide gaps."""
        return tighten(self.span.of(self.text))

    @cached_property
    def named(self) -> str:
        """The headings above it that it does not begin with."""
        said = f"{self._heads()}{self.shown}"
        path = [heading for heading in self.passage.path if heading not in said]
        return shorten(" › ".join(path), _LONGEST_PATH)

    @cached_property
    def opening(self) -> str:
        """What stands before it where what is before it is not shown: the gap, headings, heads."""
        mark = f"\n[… {self.named}]\n" if self.named else _GAP
        return f"{mark}{self.above}"

    @cached_property
    def above(self) -> str:
        """What says how to read its rows, each on a line."""
        heads, end = self._heads(), self._first_row
        if end is None:
            return tighten(heads)
        own = collapse(f"{heads}\n{self.span.of(self.text)}")
        floor = self.floor
        if self.passage.heads is not None:  # they have the years
            floor = self.passage.heads.start
        elif self.passage.page is None:
            floor = max(floor, self.span.start - PAGE_CHARACTERS)
        found = head_lines(self.text, floor, end, self.passages)
        return "".join(f"{line}\n" for line in found if line not in own) + tighten(heads)

    def _heads(self) -> str:
        heads, start = self.passage.heads, self.span.start
        return "" if heads is None else self.text[heads.start : min(heads.end, start)]

    @cached_property
    def _first_row(self) -> int | None:
        """Where the first row of a table ends in it; None where there is none."""
        lines = self.span.of(self.text).splitlines(keepends=True)
        place = next((n for n, line in enumerate(lines) if is_tabular(line)), None)
        if place is None and self.passage.heads is None:
            return None
        return self.span.start + sum(map(len, lines[: (place or 0) + 1]))

    @cached_property
    def note(self) -> Span | None:
        """The line above it that says the scale of its rows; None where it has one itself."""
        end, heads = self._first_row, self.passage.heads
        found = None if end is None else find_scale_note(self.text, self.passages, end)
        start = self.span.start if heads is None else min(heads.start, self.span.start)
        return None if found is None or found.start >= start else found


def choose_passages(
    text: str,
    attributes: Sequence[Attribute],
    max_tokens: int,
    unread: Sequence[Span] | None = None,
    passages: Sequence[Passage] = (),
) -> Selection:
    """Choose *text*, or of a longer one its beginning and the passages likely to hold *attributes*.

    Each attribute in turn gets its best passage, then each its second best, and what is left of
    *max_tokens* goes to the first of the others. They are whole, unless they take too much of the
    room, and in the order of the document. Where something is left out stands `[…]`, with the
    headings of what follows, and the heads of its table if it begins below them.

    With *unread*, what was left out before, of these stretches alone, to read on where something is
    missing; the beginning was shown. What lies in none of *passages* is cut between paragraphs.
    """
    budget = most_characters(text, max_tokens)
    if unread is None and len(tight := tighten(text)) <= budget:
        return Selection(tight)
    # of what the beginning leaves, two find room at least
    most = int(budget * (1 - _BEGINNING)) // 2
    stretches = [Span(0, len(text))] if unread is None else unread
    pieces = list(_lay_out(text, passages, stretches, most))
    taken, room = set[int](), budget - len(_GAP)
    if unread is None:
        used = 0
        for place, piece in enumerate(pieces):
            if used + len(piece.shown) > (budget * _BEGINNING if taken else room):
                break
            taken.add(place)
            used += len(piece.shown)
        room -= used
    _fill(pieces, attributes, taken, room)
    if not taken and unread is None:  # nothing is as small as the room
        halves = Span(0, room), Span(room, len(text))
        pieces = [_Piece(text, Passage(half, None, (), "text"), 0) for half in halves]
        taken.add(0)
    left: list[Span] = []
    for place, piece in enumerate(pieces):
        if place not in taken and left and left[-1].end == piece.span.start:
            left[-1] = Span(left[-1].start, piece.span.end)
        elif place not in taken:
            left.append(piece.span)
    parts: list[str] = []
    end = 0
    room = budget - len(_GAP) - sum(len(pieces[place].shown) for place in taken)
    for piece in (pieces[place] for place in sorted(taken)):
        is_cut_off = piece.note is not None and not any(
            pieces[place].span.overlaps(piece.note) for place in taken
        )
        if piece.span.start > end or (is_cut_off and len(piece.opening) <= room):
            parts.append(piece.opening)
            room -= len(piece.opening)
        parts.append(piece.shown)
        end = piece.span.end
    shown = "".join(parts) + _GAP * (0 < end < len(text))
    return Selection(shown, tuple(span for span in left if span.of(text).strip()))


def cut_parts(text: str, passages: Sequence[Passage]) -> Iterator[tuple[Span, str, list[str]]]:
    """Yield parts of passages, with what each says below its headings, and the stems of that."""
    for piece in _lay_out(text, passages, [Span(0, len(text))], _PART):
        said = f"{piece.named}\n{piece.shown}"
        yield piece.span, said, stem_words(said)


def _lay_out(
    text: str, passages: Sequence[Passage], stretches: Sequence[Span], most: int
) -> Iterator[_Piece]:
    """Yield what lies in *stretches*, each piece of at most about *most* characters as shown."""
    whole = list(cover(text, passages))
    borders = [0, *(passage.span.start for passage in whole[1:]), len(text)]
    ends = [stretch.end for stretch in stretches]
    floor, above = 0, None
    for passage, (start, end) in zip(whole, pairwise(borders), strict=False):
        place = passage.path if passage.page is None else passage.page
        floor, above = (floor if place == above else start), place
        blanks = max(1, end - start) / max(1, len(tighten(text[start:end])))
        for stretch in stretches[bisect_right(ends, start) :]:
            if stretch.start >= end:
                break
            span = Span(max(start, stretch.start), min(end, stretch.end))
            for part in divide(text, replace(passage, span=span), int(most * blanks)):
                yield _Piece(text, part, floor, whole)


def tighten(text: str) -> str:
    """Make wide gaps between columns and many empty lines small: they cost and say nothing."""
    return _WIDE_GAP.sub(lambda gap: "\n\n" if "\n" in gap[0] else "  ", text)


def choose_around(
    text: str, places: Sequence[Span], reach: int, passages: Sequence[Passage] = ()
) -> str:
    """Show what stands around *places*: *reach* characters on both sides, and whole words.

    Rows of a table stand below its heads and the line with their scale.
    """
    near: list[Span] = []
    for place in sorted(places, key=lambda place: place.start):
        start = max(0, place.start - reach)
        start = max(0, text.rfind(" ", 0, start), text.rfind("\n", 0, start)) if start else 0
        after = place.end + reach - (not reach)  # what ends where a word does is whole
        ends = (text.find(mark, after) for mark in (" ", "\n"))
        end = min((end for end in ends if end >= 0), default=len(text))
        if near and start <= near[-1].end + len(_GAP):
            near[-1] = Span(near[-1].start, max(near[-1].end, end))
        else:
            near.append(Span(start, end))
    parts, shown_above = list[str](), ""
    for span in near:
        within = passage_at(passages, span.start) or Passage(span, None, (), "text")
        on_page = (x.span.start for x in passages if within.page and x.page == within.page)
        piece = _Piece(text, replace(within, span=span), next(on_page, 0), passages)
        heads = f"{piece.above}[…]\n" if piece.above not in {"", shown_above} else ""
        parts.append(f"{heads}{span.of(text).strip()}")
        shown_above = piece.above
    shown = _GAP.join(parts)
    return f"{shown}{_GAP}" if near and near[-1].end < len(text) else shown


def _fill(
    pieces: Sequence[_Piece], attributes: Sequence[Attribute], taken: set[int], room: int
) -> None:
    """Add to *taken* the pieces likely to hold *attributes*, then others, while there is room."""
    # The best of each attribute, then the second best of each, and so on.
    turns = [*chain.from_iterable(zip_longest(*_rank(pieces, attributes)))]
    if not attributes:  # nothing is sought: parts of all of it
        n = len(pieces) * room // max(1, sum(len(piece.shown) for piece in pieces))
        turns = spread_evenly(range(len(pieces)), max(1, n))
    for place in chain((place for place in turns if place is not None), range(len(pieces))):
        piece, length = pieces[place], len(pieces[place].shown)
        # Between pieces that follow on one another stands nothing.
        if place + 1 in taken and pieces[place + 1].span.start == piece.span.end:
            length -= len(pieces[place + 1].opening)
        if place in taken or length > room:
            continue
        if place - 1 not in taken or pieces[place - 1].span.end < piece.span.start:
            length += len(piece.opening)
        if length <= room:
            taken.add(place)
            room -= length


def _rank(pieces: Sequence[_Piece], attributes: Sequence[Attribute]) -> list[list[int]]:
    """Return for each attribute the places of the pieces that may hold it, best first."""
    texts = [f"{piece.named}\n{piece.shown}" for piece in pieces]
    holding: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for place, said in enumerate(texts):
        for word, count in Counter(stem_words(said)).items():
            holding[word][place] = count
    shapes = {
        shape: [at for at, piece in enumerate(pieces) if shape.search(piece.shown)]
        for shape in {_shape(attribute) for attribute in attributes}
    }
    ranked: list[list[int]] = []
    for attribute in attributes:
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in find_terms(attribute).items():
            places = holding.get(term, {})
            rarity = math.log(1 + len(pieces) / (1 + len(places)))
            for place, count in places.items():
                scores[place] += weight * rarity * 2 * count / (count + 1)
        for place in shapes[_shape(attribute)]:
            scores[place] += _SHAPE
        ranked.append(sorted(scores, key=lambda place: (-scores[place], place)))
    return ranked


def find_terms(attribute: Attribute) -> dict[str, float]:
    """Return the words to look for, with their weights."""
    examples = [str(item) for item in (*attribute.examples, *(attribute.categories or ()))]
    telling = (w for w in words(attribute.description) if w not in STOP_WORDS | _DEFINING)
    description = stem_words(" ".join(telling))
    weighted = [
        (_DESCRIPTION, description[:_MAX_DESCRIPTION_WORDS]),
        (_EXAMPLE, stem_words(" ".join(examples[:_MOST_SAID]))),
        (_SYNONYM, stem_words(" ".join(attribute.synonyms))),
        (_NAME, stem_words(attribute.name.replace("_", " "))),
    ]
    return {word: weight for weight, found in weighted for word in found}


def stem_words(text: str) -> list[str]:
    """Return the stems of the words of *text*; pairs of letters where no space parts words."""
    found: list[str] = []
    for word in words(text):
        if word[0] >= _FIRST_CJK:
            found.extend(word[start : start + 2] for start in range(max(1, len(word) - 1)))
        else:
            found.append(stem(word))
    return found


def _shape(attribute: Attribute) -> re.Pattern[str]:
    """Return how values of the attribute look, where that tells anything."""
    if is_currency(attribute.unit):
        return _MONEY
    return _PERCENT if attribute.unit in {"percent", "%"} else attribute.type.looks


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
    asked = {
        key: [n for n, x in attributes.items() if item.names is None or x.name in item.names]
        for key, item in excerpts.items()
    }
    request = f"Give the records of {', '.join(excerpts)}."
    if any(len(numbers) < len(attributes) for numbers in asked.values()):
        said = (f"{key}: {', '.join(map(str, numbers))}" for key, numbers in asked.items())
        request = f"Give only the cells of these columns: {'; '.join(said)}."
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
        request=f"{request}{_SUMMARISED * summarised}",
    )


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
