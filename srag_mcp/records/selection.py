"""What is read of a long document: passages chosen by code for the attributes sought in it.

Before there are attributes, `documents.excerpt` shows a document evenly.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from srag_mcp.model.language_model import most_characters
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, stem, words
from srag_mcp.values.units import is_currency

LEFT_OUT = "[…]"
_JOIN = f"\n{LEFT_OUT}\n"
_LONGEST, _SHORT, _SHORTEST = 600, 400, 40
_PASSAGES_AN_ATTRIBUTE = 2
_BEGINNING = 0.25
_NAME, _SYNONYM, _EXAMPLE, _DESCRIPTION, _SHAPE = 3.0, 3.0, 1.0, 0.5, 0.5
_MAX_DESCRIPTION_WORDS = 20
_MAX_EXAMPLES = 12
_FIRST_CJK = "\u2e80"  # scripts without spaces between words: pairs of letters stand for words
_NOTHING = re.compile(r"(?!)")
_NUMBER = re.compile(r"\d")
_MONEY = re.compile(r"[$€£¥₹]|\b[A-Z]{3}\s?\d|\d\s?[A-Z]{3}\b")
_PERCENT = re.compile(r"\d\s?(?:%|per\s?cent|percent)")
_DATE = re.compile(
    r"\b(?:19|20)\d{2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|[12]\d{3}年|\d{1,2}\.?\s[^\W\d_]{3,9}\.?\s\d{4}"
)
# What definitions say of how a value is written, and not what it is.
_DEFINING = frozenset(
    ("written", "stated", "document", "documents", "value", "spelled", "example", "format")
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown of a text, and the stretches of it that are not, in their order."""

    shown: str
    unread: tuple[Span, ...] = ()


def choose_passages(
    text: str,
    attributes: Sequence[Attribute],
    max_tokens: int,
    unread: Sequence[Span] | None = None,
) -> Selection:
    """Choose *text*, or of a longer one its beginning and the passages likely to hold *attributes*.

    Each attribute in turn gets its best passage, then each its second best, and what is left of
    *max_tokens* goes to the first of the others. The passages are in the order of the document,
    with `[…]` where something is left out.

    With *unread*, what was left out before, of these stretches alone, to read on where something is
    missing; the beginning was shown.
    """
    budget = most_characters(text, max_tokens)
    if unread is None and len(text) <= budget:
        return Selection(text)
    # A length at which each attribute has its passages, unless that is too short.
    share = int(budget * (1 - _BEGINNING)) // (_PASSAGES_AN_ATTRIBUTE * max(1, len(attributes)))
    length = min(max(_SHORT, min(_LONGEST, share)), max(_SHORTEST, budget // 8))
    stretches = [Span(0, len(text))] if unread is None else unread
    passages = [passage for stretch in stretches for passage in _split(text, stretch, length)]
    taken, used = set[int](), len(_JOIN)
    if unread is None:
        for place, passage in enumerate(passages):
            if taken and passage.end > int(budget * _BEGINNING):
                break
            taken.add(place)
        used = passages[max(taken)].end + 2 * len(_JOIN)
    _fill(text, passages, attributes, taken, budget - used)
    left: list[Span] = []
    for place, passage in enumerate(passages):
        if place not in taken and left and left[-1].end == passage.start:
            left[-1] = Span(left[-1].start, passage.end)
        elif place not in taken:
            left.append(passage)
    parts: list[str] = []
    end = 0
    for passage in (passages[place] for place in sorted(taken)):
        # Those that follow on one another have no mark between them.
        parts += [passage.of(text)] if passage.start == end else [_JOIN, passage.of(text)]
        end = passage.end
    shown = "".join(parts) + _JOIN * (end < len(text))
    return Selection(shown, tuple(span for span in left if not span.of(text).isspace()))


def choose_around(text: str, places: Sequence[Span], reach: int) -> Selection:
    """Choose what stands around *places*: *reach* characters on both sides, and whole words."""
    near: list[Span] = []
    for place in sorted(places, key=lambda place: place.start):
        start = max(0, place.start - reach)
        start = max(0, text.rfind(" ", 0, start), text.rfind("\n", 0, start)) if start else 0
        ends = (text.find(mark, place.end + reach) for mark in (" ", "\n"))
        end = min((end for end in ends if end >= 0), default=len(text))
        if near and start <= near[-1].end + len(_JOIN):
            near[-1] = Span(near[-1].start, max(near[-1].end, end))
        else:
            near.append(Span(start, end))
    shown = _JOIN.join(span.of(text).strip() for span in near)
    is_cut = bool(near) and near[-1].end < len(text)
    return Selection(f"{shown}{_JOIN}" if is_cut else shown)


def _fill(
    text: str,
    passages: Sequence[Span],
    attributes: Sequence[Attribute],
    taken: set[int],
    room: int,
) -> None:
    """Add to *taken* the passages likely to hold *attributes*, then others, while there is room."""
    # The best of each attribute, then the second best of each, and so on.
    turns = chain.from_iterable(zip_longest(*_rank(text, passages, attributes)))
    for place in chain((place for place in turns if place is not None), range(len(passages))):
        passage = passages[place]
        follows = place - 1 in taken and passages[place - 1].end == passage.start
        precedes = place + 1 in taken and passages[place + 1].start == passage.end
        # Between passages that follow on one another there is no mark.
        length = passage.end - passage.start + len(_JOIN) * (1 - follows - precedes)
        if place not in taken and length <= room:
            taken.add(place)
            room -= length


def _split(text: str, stretch: Span, length: int) -> Iterator[Span]:
    """Yield parts of *stretch* of at most *length*, ending at an empty line, a line or a space."""
    start = stretch.start
    while start < stretch.end:
        end = min(start + length, stretch.end)
        if end < stretch.end:
            half = start + length // 2
            cuts = (text.rfind(mark, half, end) + len(mark) for mark in ("\n\n", "\n", ". ", " "))
            end = next((cut for cut in cuts if cut > half), end)
        yield Span(start, end)
        start = end


def _rank(text: str, passages: Sequence[Span], attributes: Sequence[Attribute]) -> list[list[int]]:
    """Return for each attribute the places of the passages that may hold it, best first."""
    texts = [passage.of(text) for passage in passages]
    holding: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for place, passage in enumerate(texts):
        for word, count in Counter(_words(passage)).items():
            holding[word][place] = count
    shapes = {
        shape: [place for place, passage in enumerate(texts) if shape.search(passage)]
        for shape in {_shape(attribute) for attribute in attributes}
    }
    ranked: list[list[int]] = []
    for attribute in attributes:
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in _terms(attribute).items():
            places = holding.get(term, {})
            rarity = math.log(1 + len(passages) / (1 + len(places)))
            for place, count in places.items():
                scores[place] += weight * rarity * 2 * count / (count + 1)
        for place in shapes[_shape(attribute)]:
            scores[place] += _SHAPE
        ranked.append(sorted(scores, key=lambda place: (-scores[place], place)))
    return ranked


def _terms(attribute: Attribute) -> dict[str, float]:
    """Return the words to look for, with their weights."""
    examples = [str(item) for item in (*attribute.examples, *(attribute.categories or ()))]
    telling = (w for w in words(attribute.description) if w not in STOP_WORDS | _DEFINING)
    description = _words(" ".join(telling))
    weighted = [
        (_DESCRIPTION, description[:_MAX_DESCRIPTION_WORDS]),
        (_EXAMPLE, _words(" ".join(examples[:_MAX_EXAMPLES]))),
        (_SYNONYM, _words(" ".join(attribute.synonyms))),
        (_NAME, _words(attribute.name.replace("_", " "))),
    ]
    return {word: weight for weight, found in weighted for word in found}


def _words(text: str) -> list[str]:
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
    if attribute.type.is_date:
        return _DATE
    if not attribute.type.is_numeric:
        return _NOTHING
    if is_currency(attribute.unit):
        return _MONEY
    return _PERCENT if attribute.unit in {"percent", "%"} else _NUMBER
