"""Enumerations: what one document lists, in tables, below headings, beside labels, by lines."""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.lines import is_data, match_marker, split_lines
from srag_mcp.documents.tables import unique_names
from srag_mcp.rules.candidates import Found
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, WORD, fold_words, singular

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
