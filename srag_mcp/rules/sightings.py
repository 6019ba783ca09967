"""Sightings: what one document says outright, before anyone knows the columns."""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby, islice

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.lines import is_data, item_pair, match_marker, split_lines
from srag_mcp.documents.tables import unique_names
from srag_mcp.rules.candidates import Found
from srag_mcp.rules.kinship import telling_stems
from srag_mcp.rules.slots import Slot, find_slots
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, WORD, fold_words, singular, stem, words
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import DENIALS, NOT_SO, State, read_boolean, read_missing

_ASIDE = re.compile(r"\s*\((?P<key>[^\W\d_][^():]{1,40}):\s*(?P<value>[^()]+)\)\s*\.?\s*$")
_JOINS = re.compile(r"(?:^|\s)(?:and|und|et|og|och|en|y|e|&)\s")

MAX_LINE = 300  # characters of a line or an item that has parts
HEADING = "heading"
"""The column of headings that tell the things of a list apart."""

Row = tuple[Found, ...]
_Pair = tuple[str, str, Found, tuple[str, ...]]  # folded key, key, value, headings


@dataclass(frozen=True, slots=True)
class Enumeration:
    """What stands in one place of a document, a row a thing.

    *kind* is `table`, `items` (below a heading), `label` (beside one or several like it), `blocks`
    (of labels that come again and again) or `lines` (that begin with one word). *name* is the
    folded heading, label or word; *headers* are the names of the columns as they are written, empty
    where nothing names them; *place* is where it is announced or begins, *heading* what stands
    above a table.
    """

    kind: str
    name: str
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    place: Span
    caption: str = ""
    heading: Found | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The headers, folded."""
        return tuple(map(fold_words, self.headers))


def _tables(document: Document) -> Iterator[Enumeration]:
    """Yield the tables; what goes on below another one, without headers, belongs to it."""
    last: Enumeration | None = None
    heading: Found | None = None
    for table in document.blocks:
        if isinstance(table, Heading):
            heading = _heading(table, document.text)
        if not isinstance(table, Table) or (table.names_rows and len(table.headers) == 2):
            continue  # labels with their values
        headers = tuple(" ".join(path) for path in table.headers)
        rows: Sequence[Row] = table.rows
        if not any(headers) and last and len(last.headers) == len(headers):
            if _is_like(rows, last.rows):
                yield replace(last, rows=tuple(rows), place=table.span)
            continue
        if not any(headers) and len(rows) > 1:  # the first row may name them: others will show it
            headers, rows = tuple(found.text for found in rows[0]), rows[1:]
        if rows and all(headers) and not any(map(is_data, headers)):
            headers = unique_names(headers)
            name = fold_words(table.section[-1]) if table.section else ""
            page = bisect(document.pages, table.span.start)
            if last and last.headers == headers and page > bisect(document.pages, last.place.start):
                name, heading = last.name, last.heading  # the headings of its page are no heading
            last = Enumeration(
                "table", name, headers, tuple(rows), table.span, table.caption, heading
            )
            yield last


def _heading(block: Heading, text: str) -> Found:
    """Return the words of a heading, without marks before them."""
    start = text.find(block.text, block.span.start, block.span.end)
    if start < 0:
        return Found(block.span.of(text), block.span)
    return Found(block.text, Span(start, start + len(block.text)))


def _is_like(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Whether the columns of *rows* have digits where those of *others* do, and some have."""

    def digits(table: Sequence[Row]) -> list[bool]:
        columns = zip(*table, strict=True)
        return [2 * sum(any(map(str.isdigit, c.text)) for c in col) > len(col) for col in columns]

    return bool(rows) and digits(rows) == digits(others) and any(digits(rows))


def _items(document: Document) -> Iterator[Enumeration]:
    """Yield what is listed below a heading; a paragraph alone there may say that there is none."""
    text, places = document.text, dict[str, Span]()
    under: dict[tuple[str, ...], list[Found]] = defaultdict(list)
    alone: dict[tuple[str, ...], list[Found]] = {}
    for block in document.blocks:
        if isinstance(block, Heading):
            places[block.text] = block.span
        elif isinstance(block, ListItem):
            under[block.section].append(Found(block.span.of(text), block.span))
        elif isinstance(block, Prose):
            alone.setdefault(block.section, [Found(block.span.of(text), block.span)])
    for section, founds in (alone | under).items():
        if section and section[-1] in places:
            rows = tuple((found,) for found in founds)
            yield Enumeration("items", fold_words(section[-1]), ("",), rows, places[section[-1]])


def _pairs(document: Document) -> Iterator[_Pair]:
    """Yield keys, folded and as written, with values; one in brackets behind a value is its own."""
    tables = [b.span for b in document.blocks if isinstance(b, Table) and any(b.headers)]
    for block in document.blocks:
        if not isinstance(block, KeyValue) or any(t.overlaps(block.span) for t in tables):
            continue
        whole = Found(block.value_span.of(document.text), block.value_span)
        if aside := _ASIDE.search(whole.text):
            found = part_of(whole, *aside.span("value"))
            yield fold_words(aside["key"]), aside["key"], found, block.section
            whole = part_of(whole, 0, aside.start())
        if whole.text:
            yield fold_words(block.key), block.key, whole, block.section


def _labels(document: Document) -> Iterator[Enumeration]:
    """Yield what stands beside labels; those that come again behind others are of blocks."""
    pairs = [*_pairs(document)]
    under: dict[str, list[Found]] = defaultdict(list)
    for key, _, found, _ in pairs:
        under[key].append(found)
    runs = Counter(key for key, _ in groupby(key for key, *_ in pairs))
    for key, founds in under.items():
        if key and not 2 * runs[key] > len(founds) > 1:
            yield Enumeration("label", key, ("",), tuple((f,) for f in founds), founds[0].span)


def _blocks(document: Document) -> Iterator[Enumeration]:
    """Yield labels that come again and again as rows; a heading above each names its row."""
    pairs = [*_pairs(document)]
    counts = Counter(key for key, *_ in pairs)
    for section, group in groupby(pairs, key=lambda pair: pair[3]):
        once = {key: (written, found) for key, written, found, _ in group if counts[key] == 1}
        if section and len(once) > 1:
            headers, row = zip(*once.values(), strict=True)
            yield Enumeration("blocks", fold_words(section[-1]), headers, (row,), row[0].span)
    repeated = {key: written for key, written, *_ in pairs if counts[key] > 1}
    if len(repeated) < 2:
        return
    headings = [b for b in document.blocks if isinstance(b, Heading)]
    places = {b.text: _heading(b, document.text) for b in headings}
    blocks: list[dict[str, Found]] = []
    sections: list[tuple[str, ...]] = []
    for key, _, found, section in pairs:
        if key not in repeated:
            continue
        if not blocks or key in blocks[-1] or section != sections[-1]:
            blocks.append({})
            sections.append(section)
        blocks[-1][key] = found
    headed = {s[-1] for s in sections if s} & places.keys()
    is_headed = len(headed) == len(blocks)  # each below a heading of its own
    outer = {s[:-1] if is_headed else s for s in sections}
    name = next(iter(outer))[-1:] if len(outer) == 1 else ()
    rows = []
    for block, section in zip(blocks, sections, strict=True):
        start = min(found.span.start for found in block.values())
        cells = [block.get(key, Found("", Span(start, start))) for key in repeated]
        named = [places[section[-1]]] if is_headed else []
        rows.append((*named, *cells))
    above = fold_words(" ".join(name))
    # `Kitchen` and `Bath` below `Rooms` are a room each
    head = [singular(above) if singular(above) != above else HEADING] if is_headed else []
    headers = (*head, *repeated.values())
    # names one below the other, then their titles, say not whose title is whose
    are_alike = len({next(iter(block)) for block in blocks}) == 1 < min(map(len, blocks))
    if len(blocks) > 1 and are_alike:
        yield Enumeration("blocks", above, headers, tuple(rows), rows[0][0].span)


def _lines(document: Document) -> Iterator[Enumeration]:
    """Yield lines that stand together and begin with one word that tells something."""
    tables = [block.span for block in document.blocks if isinstance(block, Table)]
    lines = []
    for line in split_lines(document.text):
        marker = match_marker(line.text)
        start = line.span.start if marker is None else line.start + marker[1]
        place = Span(start, line.span.end)
        is_short = 0 < place.end - place.start <= MAX_LINE
        if is_short and not any(t.overlaps(place) for t in tables):
            first = WORD.match(document.text, place.start, place.end)
            word = fold_words(first.group()) if first else ""
            lines.append((word, Found(place.of(document.text), place)))
    for word, group in groupby(lines, key=lambda item: item[0]):
        if len(word) > 1 and not word.isdigit() and word not in STOP_WORDS:
            rows = tuple((found,) for _, found in group)
            yield Enumeration("lines", word, ("",), rows, rows[0][0].span)


FINDERS: Mapping[str, Callable[[Document], Iterator[Enumeration]]] = {
    "table": _tables, "items": _items, "blocks": _blocks, "label": _labels, "lines": _lines
}  # fmt: skip
"""What finds the lists of a kind in a document."""


def part_of(found: Found, start: int, end: int) -> Found:
    """Return the words from *start* to *end* of what is found, without white space around them."""
    place = Span(start, end).trimmed(found.text)
    return Found(place.of(found.text), place.moved(found.span.start))


def part_at(found: Found, separator: str) -> list[Found]:
    """Part words at a mark that white space follows: `Anna, Ben` -> `Anna`, `Ben`.

    With `&` behind it, the last part also at a word that joins: `Anna, Ben and Eva`.
    """
    mark = separator.rstrip("&")
    ends = [match.span() for match in re.finditer(rf"{re.escape(mark)}(?:\s|$)", found.text)]
    if mark != separator:
        last = ends[-1][1] if ends else 0
        ends += [match.span() for match in _JOINS.finditer(found.text, last)][:1]
    starts = [0, *(after for _, after in ends)]
    stops = [*(before for before, _ in ends), len(found.text.rstrip().rstrip("."))]
    parts = (part_of(found, *place) for place in zip(starts, stops, strict=True))
    return [part for part in parts if part.text]


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
