"""Whether a figure counts what a column counts: `25 rooms` of the number of rooms."""

import re

from srag_mcp.cells.normalised import COUNT_WORDS, is_count
from srag_mcp.claims.figures import column_unit
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, fold_word, singular, stem, stems, words

_BEFORE = re.compile(r"([^\W\d_]+)([^\w.!?;]*)$")
_AFTER = re.compile(r"[ \t\u00a0\u202f-]*([^\W\d_]+)")
_LETTERS = re.compile(r"[^\W\d_]+")


def is_bare_count(attribute: Attribute) -> bool:
    """Return whether *attribute* counts things, in no unit that a figure could be measured in."""
    return column_unit(attribute) is None and is_count(attribute)


def counts_its_things(attribute: Attribute, before: str, figure: str, after: str) -> bool:
    """Return whether *figure* counts the things of *attribute*, by the words right beside it.

    A word of the column stands there, or nothing at all. A single thing with a number behind it has
    it as a name: `Room 12`, but `Rooms 12`, `Room: 12`, `Room count 12`. On the line above stands a
    label that says that it counts; another one is the heading of a list: `Rooms`, `12 Blue Room`.
    """
    line = before.rpartition("\n")[2]
    is_below = not any(map(str.isalnum, line + after))
    if is_below:
        line = before.rstrip().rpartition("\n")[2]
    if is_below and not _LETTERS.search(line) and not _LETTERS.search(figure):
        return True
    things = _read_things(attribute)
    following = _AFTER.match(after)
    beside = f"{figure} {following[1] if following else ''}"
    if not things.isdisjoint(stems(beside)):
        return True
    label = COUNT_WORDS.sub(" ", line)
    leading = _BEFORE.search(label)
    if leading is None or things.isdisjoint(stems(leading[1])):
        return False
    if is_below or label != line:
        return label != line
    word = fold_word(leading[1])
    return bool(leading[2].strip()) or singular(word) != word


def find_sides(quote: str, place: Span, text: str, span: Span | None) -> tuple[str, str]:
    """Return what stands before *place* in *quote*, at *span* of *text*, and behind it on its line.

    It is what the quote has where its place is unknown.
    """
    before, after = quote[: place.start], quote[place.end :]
    if span is None:
        return before, after
    end = text.find("\n", span.end)
    return text[: span.start] + before, after + text[span.end : end if end >= 0 else len(text)]


def _read_things(attribute: Attribute) -> set[str]:
    """Return the stems of what a column counts: `line_item_count` -> `line`, `item`."""
    spelled = (attribute.name, attribute.unit or "", *attribute.synonyms)
    said = (COUNT_WORDS.sub(" ", name.replace("_", " ")) for name in spelled)
    return {stem(word) for name in said for word in words(name) if word not in STOP_WORDS}
