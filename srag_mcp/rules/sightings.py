"""Sightings: what one document says outright, before anyone knows the columns."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from srag_mcp.documents.document import (
    Document,
    Heading,
    KeyValue,
    ListItem,
    Prose,
    Table,
)
from srag_mcp.documents.lines import item_pair
from srag_mcp.rules.enumerations import FINDERS, Enumeration
from srag_mcp.rules.kinship import telling_stems
from srag_mcp.rules.slots import Slot, find_slots
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, fold_words, stem, words
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import DENIALS, NOT_SO, State, read_boolean, read_missing

_NEGATION = re.compile(
    rf"[✗✘❌☒☐]|\[ ?\]|\bunavailable\b|\b(?:non|pas de|{NOT_SO})\b-?", re.IGNORECASE
)
_AVAILABLE = re.compile(r"\bavailable\b", re.IGNORECASE)  # "no lift available" denies a lift
_DENIAL = re.compile(DENIALS)
_ONE_OF = frozenset({"a", "an", "any"})
_MAX_ENDING = 3  # letters of an ending of verbs, "parking"; a longer one makes another word
_VARIABLE = re.compile(
    r"\b(?:until|up to|from|before|after|only)\b[^,;.]*\d[^,;.]*|[(\[][^()\[\]]*[)\]]", re.I
)
_FIGURE = re.compile(r":\s*[^\W\d_]{0,3}\s?\d")
_DIGIT = re.compile(r"\d")
# A full stop parts what ends with one, too: `Parking. Pool.`, and no `Mrs A. Fenton`.
_PART_END, _STOPS = re.compile(r"\s*[;\n]\s*"), re.compile(r"\s*(?:[;\n]|\.(?=\s|$))\s*")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NAME = re.compile(r"(?:[A-ZÀ-Þ][\w.'’-]*\s?){2,5}")
_SENTENCE = re.compile(r"\n|[.:!?]$")
_LINE = re.compile(
    r"^[ \t]*(?:[#>|*]+[ \t]+|\*\*)?(\S(?:[^\n]*?\S)?)(?:\*\*|[ \t]+\|)?[^\S\n]*$", re.M
)
# A label, a gap and an amount, in a line where a reader saw running text; gaps in the label are
# those of a row of several amounts, which its first words do not name.
_AMOUNT_LINE = re.compile(
    r"^[ \t(]*(?P<label>[^\W\d_](?:(?![ \t]{2}|\t)[^\n]){1,50}?)(?:[ \t]{2,}|\t|:[ \t]*)"
    r"(?P<value>(?:[^\W\d_]{1,3}[ \t]*|[$€£¥₹][ \t]*)?-?\d[\d.,]*"
    r"(?:[ \t]?(?:[^\W\d_]{1,3}|[$€£%]))?)"
    r"\)?[ \t]*$",
    re.M,
)
# The same with a code, a date or a name, behind a wide gap.
_GAP_LINE = re.compile(
    r"(?:^|[ \t]{2,})(?P<label>[^\W\d_](?:(?![ \t]{2}|\t)[^\n:]){1,40}?)[ \t]{2,}"
    r"(?P<value>\S(?:[^\n]{0,40}\S)?)[ \t]*$",
    re.M,
)
_SIGN = re.compile(
    r"(?:^|[ \t]{2,})(?P<label>[#№])[ \t]?(?P<value>[\w./-]*\d[\w./-]*)[ \t]*$", re.M
)
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*(?:[ \t]?%)?")
_NUMBERS = re.compile(r"\b\d+(?: \d+)*\b")
_MAX_LINE = 80
_MAX_ITEM = 100
_MAX_ITEM_WORDS = 7
_MAX_VALUE = 200
_MAX_KEY_WORDS = 7
_N_FIRST_LINES = 8


@dataclass(frozen=True, slots=True)
class Field:
    """A label with its value; *key* and *section* (the nearest heading) are folded.

    *figure* is where the label has a number of its own ("VAT 19 %"); *in_table* says that the label
    is the header of a table.
    """

    key: str
    label: str
    value: str
    span: Span
    section: str = ""
    figure: Span | None = None
    in_table: bool = False

    @property
    def shape(self) -> str:
        """The key with `#` for its numbers: `VAT 8.1 %` -> `vat #`."""
        return _NUMBERS.sub("#", fold_words(self.label))


@dataclass(frozen=True, slots=True)
class Item:
    """A list item or another short statement.

    *name* is folded, without its negation, its dates and its numbers; *stems* are those of its
    content words. *path* holds the folded headings, and the label, that it stands under. *labels*
    says that it is the label of a value beside it: `Weight: 80 kg`.
    """

    name: str
    stems: frozenset[str]
    text: str
    span: Span
    path: tuple[str, ...]
    negative: bool
    listed: bool
    labels: bool = False


class Sightings:
    """What one document says: fields, list items, slots, table cells, first lines."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self._listed: dict[str, list[Enumeration]] = {}

    @cached_property
    def _said(self) -> tuple[list[str], dict[str, set[str]]]:
        """All words that are not of a heading, which heads what may be missing; each stem's own."""
        blocks = self.document.blocks
        said = [block.span.of(self.text) for block in blocks if not isinstance(block, Heading)]
        found, forms = words(" ".join(said)), defaultdict[str, set[str]](set)
        for word in set(found):
            forms[stem(word)].add(word)
        return found, forms

    def speaks_of(self, name: str) -> bool:
        """Whether the text has the words of *name* in a row, in any of their forms, undenied.

        "Neither a lift nor a garage" speaks of no lift.
        """
        said, forms = self._said
        wanted = name.split()
        first = forms.get(stem(wanted[0]), ()) if wanted else ()
        places = (place for place, word in enumerate(said) if word in first) if first else ()
        return any(
            place + len(wanted) <= len(said)
            and all(map(_is_form, wanted, said[place : place + len(wanted)]))
            and not _is_denied(said, place, place + len(wanted))
            for place in places
        )

    @cached_property
    def fields(self) -> dict[str, list[Field]]:
        """Fields by folded key, each in the order of the text; one with a number by both forms."""
        found: dict[str, list[Field]] = {}
        fields: dict[int, Field] = {}  # one a place: what a reader saw, else what a line shows
        for field in self._all_fields():
            fields.setdefault(field.span.start, field)
        for field in sorted(fields.values(), key=lambda item: item.span.start):
            for key in dict.fromkeys((field.key, field.shape)):
                if field not in (known := found.setdefault(key, [])):
                    known.append(field)
        return found

    def _all_fields(self) -> Iterator[Field]:
        blocks, text = self.document.blocks, self.text
        tables = [block.span for block in blocks if isinstance(block, Table) and any(block.headers)]
        for above, below, after in zip(blocks, blocks[1:], [*blocks[2:], None], strict=False):
            if isinstance(above, Heading) and isinstance(below, Prose):
                # nothing but one short line below a heading is its value
                span = below.span.trimmed(text)
                line = span.of(text)
                is_value = 0 < len(line) <= _MAX_LINE and not _SENTENCE.search(line)
                if is_value and (after is None or isinstance(after, Heading)):
                    yield from _field(above.text, text, (above.span, span))
        for block in blocks:
            if isinstance(block, KeyValue) and not self._is_title(block):
                section = fold_words(block.section[-1]) if block.section else ""
                inside = any(t.start <= block.span.start < t.end for t in tables)
                spans = block.span, block.value_span
                yield from _field(block.key, text, spans, section, in_table=inside)
            elif isinstance(block, Prose):
                yield from self._lines(block.span)
        for match in _SIGN.finditer(text) if "#" in text or "№" in text else ():
            yield Field("number", "number", match["value"], Span(*match.span("value")))

    def _is_title(self, block: KeyValue) -> bool:
        """Whether a pair is how a page calls itself, which is a place and no label."""
        title = self.document.title
        return block.key.casefold() == "title" and (block.value in title or title in block.value)

    def _lines(self, span: Span) -> Iterator[Field]:
        """Yield lines of running text that are a label, a gap and a value."""
        lines = span.of(self.text)
        has_gaps = any(gap in lines for gap in ("  ", "\t", ":"))
        for pattern in (_AMOUNT_LINE, _GAP_LINE) if has_gaps else ():
            for match in pattern.finditer(lines):
                places = (Span(*match.span(name)) for name in ("label", "value"))
                label, value = (place.moved(span.start) for place in places)
                if pattern is _AMOUNT_LINE or is_plain_value(match["value"]):
                    yield from _field(match["label"], self.text, (label, value))

    @cached_property
    def items(self) -> list[Item]:
        """List items and other short statements below a heading, in the order of the text.

        Lines of running text are statements where all below their heading are short.
        """
        text, found = self.text, list[Item]()
        lines: dict[tuple[str, ...], int] = {}
        for block in self.document.blocks:
            if isinstance(block, Prose):
                length = block.span.end - block.span.start
                lines[block.section] = max(length, lines.get(block.section, 0))
        for block in self.document.blocks:
            if isinstance(block, ListItem):
                found.extend(_item(text, block.span, block.section, listed=True))
            elif isinstance(block, Prose) and lines[block.section] <= _MAX_LINE:
                found.extend(_item(text, block.span, block.section, listed=False))
            elif isinstance(block, KeyValue) and not self._is_title(block):
                start, end = block.value_span.start, block.value_span.end
                if end - start <= _MAX_VALUE:
                    ending = _STOPS if text[start:end].rstrip().endswith(".") else _PART_END
                    marks = [m.span() for m in ending.finditer(text, start, end)]
                    starts = [start, *(after for _, after in marks)]
                    ends = [*(before for before, _ in marks), end]
                    for part in map(Span, starts, ends):
                        found.extend(_item(text, part, (*block.section, block.key), listed=False))
        return found

    @cached_property
    def statements(self) -> list[Item]:
        """The items but for placeholders, which say nothing: `n/a`."""
        said = ((item, read_missing(item.text.strip(" ."))) for item in self.items)
        return [item for item, missing in said if missing is not State.NOT_MENTIONED]

    @cached_property
    def slots(self) -> list[Slot]:
        """Dates and numbers in running text, in the order of the text."""
        return find_slots(self.document)

    @cached_property
    def enumerations(self) -> list[Enumeration]:
        """All that may be a list, one row or more; the same words may be in several."""
        return [item for kind in FINDERS for item in self.listed(kind)]

    def listed(self, kind: str) -> list[Enumeration]:
        """Return what may be a list of a *kind*; most documents are asked for few kinds."""
        if kind not in self._listed:
            self._listed[kind] = [*FINDERS[kind](self.document)]
        return self._listed[kind]

    @cached_property
    def headings(self) -> dict[str, Span]:
        """Where the headings are, and the labels of fields, which head what their value lists."""
        found: dict[str, Span] = {}
        for block in self.document.blocks:
            if isinstance(block, Heading):
                found.setdefault(fold_words(block.text), block.span.trimmed(self.text))
            elif isinstance(block, KeyValue):
                start = self.text.find(block.key, block.span.start, block.span.end)
                if start >= 0:
                    place = Span(start, start + len(block.key))
                    found.setdefault(fold_words(block.key), place)
        return found

    @cached_property
    def first_lines(self) -> list[Span]:
        """The first non-empty lines, without space and marks of markup at their ends."""
        matches = islice(_LINE.finditer(self.text), _N_FIRST_LINES)
        return [Span(*match.span(1)) for match in matches]


def _is_form(word: str, other: str) -> bool:
    """Whether two words are forms of one: `parked` and `parking`, not `fitted` and `fitness`."""
    base = stem(word)
    if base != stem(other):
        return False
    is_inflected = max(len(word), len(other)) - len(base) <= _MAX_ENDING
    return is_inflected or max(word, other).removeprefix(min(word, other)) in {"", "s", "es"}


def _is_denied(words: Sequence[str], start: int, end: int) -> bool:
    """Whether a word of denial is right before a thing, or before its article."""
    has_article = start > 0 and words[start - 1] in _ONE_OF
    before = start - 1 - has_article
    is_all = has_article or end == len(words) or words[end] in STOP_WORDS
    return is_all and before >= 0 and _DENIAL.fullmatch(words[before]) is not None


def is_plain_value(text: str) -> bool:
    """Whether a text is a number, a date, a code or a name, with nothing but a unit beside it."""
    if text.startswith("("):
        return False
    if not _DIGIT.search(text):
        return not text.isupper() and _NAME.fullmatch(text) is not None
    if " " not in text:
        return True
    spans = [span for span, _ in (*find_dates(text), *find_quantities(text)[:1])]
    return any(span.start == 0 and len(text) - span.end <= 2 for span in spans)


def _field(
    label: str, text: str, spans: tuple[Span, Span], section: str = "", *, in_table: bool = False
) -> Iterator[Field]:
    """Yield a field whose label and value stand at *spans*, if its label can be one."""
    place, value = spans
    key = fold_words(label)
    if 0 < len(key.split()) <= _MAX_KEY_WORDS and not key.replace(" ", "").isdigit():
        found = _FIGURES.search(text, place.start, value.start) if _DIGIT.search(label) else None
        figure = Span(*found.span()) if found else None
        yield Field(key, label.strip(), value.of(text), value, section, figure, in_table)


@lru_cache(maxsize=1_000)
def _path_of(section: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Return the folded headings of what stands below them, and whether the last one denies it."""
    return tuple(dict.fromkeys(map(fold_words, section))), read_boolean(section[-1]) is False


def _item(text: str, span: Span, section: tuple[str, ...], *, listed: bool) -> Iterator[Item]:
    words = span.of(text)
    if len(words) > _MAX_ITEM or not section:
        return
    path, is_denying = _path_of(section)
    name, stems, negative = _read_statement(words, is_denying=is_denying, listed=listed)
    if stems and len(stems) <= _MAX_ITEM_WORDS:
        labels = listed and item_pair(words) is not None
        yield Item(name, stems, words, span, path, negative, listed, labels)


@lru_cache(maxsize=4_096)  # what is of interest recurs in many documents
def _read_statement(
    words: str, *, is_denying: bool, listed: bool
) -> tuple[str, frozenset[str], bool]:
    """Return what a statement is about, its stems and whether it denies it; no stems for none."""
    # `No pool` says the contrary of `pool`, as `pool` below "Not included"; "none" denies nothing
    bare, count = _NEGATION.subn(" ", words)
    denied = count > 0 or is_denying
    negative = denied and bool(bare.strip(" -:–—✗✘❌."))
    plain = _VARIABLE.sub(" ", _AVAILABLE.sub(" ", bare) if negative else words)
    figure = _FIGURE.search(plain)
    if _YEAR.search(plain):
        return "", frozenset(), negative  # it tells of what was, and not of what there is
    if figure and listed:
        plain = plain[: figure.start()]  # "Parking: 12 a day" says that there is parking
    elif _DIGIT.search(plain) and not listed:
        return "", frozenset(), negative  # a line with a figure states the figure
    name = " ".join(word for word in fold_words(plain).split() if not _DIGIT.search(word))
    return name, telling_stems(name), negative
