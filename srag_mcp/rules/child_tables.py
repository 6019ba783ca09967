"""Child tables: which listings recur over documents, which of them are one list, what it is called.

A list that shows in several layouts is one where its columns are proven to be the same: by what
they are called, or by their values.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

from srag_mcp.documents.document import Document, Heading, ListItem
from srag_mcp.documents.document import Table as TableBlock
from srag_mcp.names.uniting import closed_set
from srag_mcp.rules.candidates import (
    LONG_VALUE,
    MAX_MEETINGS,
    NEARLY_ALL,
    SAME_VALUES,
    SHOWN,
    SPELLING,
    Candidate,
    Found,
    join_surest,
    overlap,
)
from srag_mcp.rules.extraction import match_whole
from srag_mcp.rules.items import is_sentence
from srag_mcp.rules.kinship import content_stems, is_same_name, kinship, wordy_stems
from srag_mcp.rules.naming import describe_values, examples_of, free_name
from srag_mcp.rules.row_sources import (
    Listed,
    find_no_items,
    is_near,
    read_by_sources,
    read_source,
    stated_counts,
    stated_sums,
    sum_of,
    whole_tables,
)
from srag_mcp.rules.sightings import (
    HEADING,
    MAX_LINE,
    Enumeration,
    Row,
    Sightings,
    part_at,
    part_of,
)
from srag_mcp.rules.voting import FEWEST_RIGHT, RISK
from srag_mcp.schema.attribute import Attribute, KeyRule, keys_of
from srag_mcp.schema.schema import (
    POSITION,
    PendingList,
    RowSource,
    Schema,
    Table,
    child_name,
    value_column,
)
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, fold_words, plural, singular
from srag_mcp.values.dates import is_bare_day, read_date
from srag_mcp.values.states import read_boolean, read_missing
from srag_mcp.values.types import DATE
from srag_mcp.values.units import is_currency, unit_of

_TABLES = frozenset({"table", "blocks"})
_FORM = (
    0.8  # of documents have a row of a form; one that a fifth leaves out is a fact of the others
)
_EXPECTED = -log(RISK)  # two lists that should meet in so many documents never do at most so often
_FEW = 5  # of two lengths that are as likely, fewer documents may well have one by chance
_SEPARATORS = (";", "|", "•", ",")
_AND = "&"
# A word, or a mark that is neither within a number nor the sign of a unit.
_PART = re.compile(r"""[^\W\d_]+|(?:(?<!\d)|(?!.\d))[^\w\s.'"’%°$€£¥₹#&+-]|-(?=\s)""")
_WITH_AMOUNT = re.compile(r"[^\W\d_].*\s\d[\d.,]*\s*$")  # `Fuggle 50`, before its unit
_TEXTS = frozenset({"text", "code"})
_KINDS = ("table", "blocks", "items", "label", "lines")  # the first that has the same words


@dataclass(eq=False)
class _Column:
    """A column of a list: what is known of it, and its groups in the patterns of sources."""

    candidate: Candidate
    groups: set[str] = field(default_factory=set)

    @property
    def kind(self) -> str:
        """The sort of its values; days without a year are dates, too."""
        texts = self.candidate.texts
        days = sum(is_bare_day(text) or read_date(text) is not None for text in texts)
        return "date" if days >= NEARLY_ALL * len(texts) else self.candidate.shape.kind

    @property
    def recurs(self) -> bool:
        """Whether most of its values come again, in other rows."""
        values = self.candidate.shape.values
        return 2 * len(values) <= values.total()


@dataclass(eq=False)
class _List:
    """What several documents list: its rows by document; rows are numbered over all lists."""

    kind: str
    names: Counter[str]
    columns: list[_Column]
    sources: list[RowSource]
    rows: dict[int, list[int]]

    @property
    def is_named(self) -> bool:
        """Whether its columns have names or are known by their values; one alone has its list's."""
        unnamed = [column for column in self.columns if not column.candidate.labels]
        if self.kind != "items" or not self.names:
            return len(self.columns) == 1 or not unnamed
        return all(column.kind not in _TEXTS or column.recurs for column in unnamed
                   if column is not self.named_by_list)  # fmt: skip

    @property
    def named_by_list(self) -> _Column | None:
        """The column that says what is listed: the first text without a name of its own."""
        unnamed = [column for column in self.columns if not column.candidate.labels]
        texts = [column for column in unnamed if column.kind in _TEXTS]
        return next(iter((*texts, *unnamed)), None)


def induce_children(schema: Schema, sightings: Sequence[Sightings]) -> Schema:
    """Return *schema* with a child table for each thing that its documents list several of."""
    listed = [sighting.enumerations for sighting in sightings]
    found = _without_twins(list(_harvest(listed)))
    found.sort(key=lambda item: -len(item.rows))  # the layout of most names what others call so
    joined = join_surest(found, _sureness, _join, 1.0)
    least = max(2, SHOWN * len(sightings))
    # what a template parts without any names is not sure enough
    usual = [item for item in joined if item.is_named and len(item.rows) >= least]
    children: list[Table] = []
    for item in sorted(usual, key=lambda one: -len(one.rows)):
        children.append(_child(item, schema, children, sightings))
    return schema.model_copy(update={"children": tuple(children)})


def find_listed_cells(schema: Schema, sightings: Sequence[Sightings]) -> list[list[Span]]:
    """Return where the cells of items stand in each document: what lists have, row by row.

    Not those of a list that has the same rows in nearly all documents: these are facts of each.
    """
    cells: list[list[Span]] = [[] for _ in sightings]
    for child in schema.children:
        read = [
            [row for source in child.sources
             if source.kind in _TABLES or source.pattern or source.separator
             for row in read_source(source, child, sighting).rows]
            for sighting in sightings
        ]  # fmt: skip
        first = child.attributes[0].name
        rows = {n: [(row[first],) for row in own if first in row] for n, own in enumerate(read)}
        if _recur({n: own for n, own in rows.items() if own}):
            continue
        places = {(source.kind, source.section) for source in child.sources
                  if source.pattern or source.separator}  # fmt: skip
        for own, listed, sighting in zip(cells, read, sightings, strict=True):
            own.extend(found.span for row in listed for found in row.values() if found.text)
            for item in sighting.enumerations:  # a total among them, too
                own += [row[0].span for row in item.rows if (item.kind, item.name) in places]
    return cells


def count_listed(schema: Schema, sightings: Sequence[Sightings]) -> list[dict[int, int]]:
    """Return of each list that says how many rows it has how many these are, by document."""
    return [
        {n: len(found.rows) for n, sighting in enumerate(sightings)
         if (found := read_by_sources(sighting, child))}
        for child in schema.children if any(source.counts for source in child.sources)
    ]  # fmt: skip


def build_pending(schema: Schema, documents: Sequence[Document]) -> Schema:
    """Return *schema* with child tables of those of its pending lists that code reads.

    They are called as they were proposed; a list of which code misses a field is left to a model.
    """
    sightings = [Sightings(document) for document in documents] if schema.pending_lists else []
    found = [*induce_children(schema, sightings).children] if sightings else []
    children, left = list(schema.children), list[PendingList]()
    for item in schema.pending_lists:
        read = next((child for child in found if _holds_fields(child, item)), None)
        if read is None:
            left.append(item)
            continue
        found.remove(read)
        names = {"list_name": item.name, "title": item.name, "description": item.description}
        names["entity"] = child_name(schema.entity, item.name, [x.entity for x in children])
        children.append(read.model_copy(update=names))
    return schema.model_copy(update={"children": tuple(children), "pending_lists": tuple(left)})


def _holds_fields(child: Table, item: PendingList) -> bool:
    """Whether *child* is the list that was proposed: it has its fields, one alone by its name."""
    if len(item.fields) < 2:
        return len(child.attributes) == 1 and _is_called(item.name, (child.list_name, *child.nouns))
    called = [(column.name, *column.synonyms) for column in child.attributes]
    for member in item.fields:
        own = [names for names in called if _is_called(member, names)]
        if len(own) != 1:
            return False
        called.remove(own[0])
    return True


def _is_called(text: str, names: Sequence[str]) -> bool:
    said, *others = map(fold_words, (text, *names))
    return any(said == name or is_same_name(said, name) for name in others)


def _harvest(listed: Sequence[Sequence[Enumeration]]) -> Iterator[_List]:
    """Yield the lists that recur, each in one layout."""
    groups: dict[tuple[object, ...], dict[int, list[Enumeration]]] = defaultdict(dict)
    for number, listings in enumerate(listed):
        for item in listings:
            key = (item.kind, item.keys if item.kind in _TABLES else item.name)
            groups[key].setdefault(number, []).append(item)
    least = max(2, SPELLING * len(listed))
    start = 0
    for own in groups.values():
        if len(own) >= least and (built := _build(own, start)) is not None:
            start += sum(map(len, built.rows.values()))
            yield built


def _build(own: Mapping[int, Sequence[Enumeration]], start: int) -> _List | None:
    """Return the listings of one layout as a list; None where they are none for sure."""
    [first, *_] = [item for items in own.values() for item in items]
    kind, is_table, headers = first.kind, first.kind in _TABLES, first.headers
    rows = {n: [*_item_rows(items)] for n, items in own.items()}
    source = RowSource(kind=kind, section=None if is_table else first.name)
    if is_table:
        source = source.model_copy(update={"headers": tuple(filter(None, first.keys))})
        if kind == "table" and len(first.headers) == 2 and _is_form(rows):
            return None
        if _are_headed(own):
            headers = (HEADING, *first.headers)
            source = source.model_copy(update={"heading": f"h{start}"})
            rows = {n: [*_item_rows(items, are_headed=True)] for n, items in own.items()}
    else:
        texts = {n: [row[0] for row in items] for n, items in rows.items()}
        if kind == "label" and not _several(kind, texts):
            separator = _separator(texts)
            source = source.model_copy(update={"separator": separator})
            texts = _parted(texts, separator) if separator else {}
        texts = {n: [f for f in own if read_missing(f.text.strip(" .")) is None]
                 for n, own in texts.items()}  # fmt: skip
        rows = {n: [(found,) for found in founds] for n, founds in texts.items()}
    if not (_several(kind, rows) or source.separator) or (kind == "items" and _is_form(rows)):
        return None
    names = Counter(_shared_name(items) for items in own.values())
    names = Counter({name: n for name, n in names.items() if name and 2 * n >= len(own)})
    if not is_table and not content_stems(first.name):
        return None
    return _columned(_List(kind, names, [], [source], {}), rows, headers, start)


def _item_rows(items: Sequence[Enumeration], *, are_headed: bool = False) -> Iterator[Row]:
    for item in whole_tables(items, are_headed=are_headed):
        left_out = find_no_items(item)[0]
        head = (item.heading or Found("", Span(0, 0)),) if are_headed else ()
        for number, row in enumerate(item.rows):
            if number not in left_out:
                yield (*head, *row)


def _are_headed(own: Mapping[int, Sequence[Enumeration]]) -> bool:
    """Whether documents have several such tables below headings that come again in others."""
    several = [{item.name for item in items} for items in own.values() if len(items) > 1]
    counts = Counter(name for items in own.values() for name in {item.name for item in items})
    headed = [names for names in several if len(names) > 1]
    said = [name for names in headed for name in names]
    is_usual = len(headed) > 1 and 3 * len(headed) >= len(own)
    return is_usual and 2 * sum(counts[name] > 1 for name in said) >= len(said)


def _shared_name(items: Sequence[Enumeration]) -> str:
    """Return what the headings above a list in one document share: one of several names a part.

    `planned calls`, `actual calls` -> `calls`
    """
    first, *others = dict.fromkeys(item.name for item in items if item.name) or [""]
    if not others:
        return first
    shared = [word for word in first.split() if all(word in other.split() for other in others)]
    name = " ".join(word for word in shared if word not in STOP_WORDS)
    return name if _is_plural(name) else ""


def _several(kind: str, rows: Mapping[int, Sequence[object]]) -> bool:
    """Whether most documents list more than one thing, or of a table as many as have to show it."""
    counts = Counter(len(own) for own in rows.values() if own)
    several = sum(n for size, n in counts.items() if size > 1)
    if kind in _TABLES:
        return several >= max(2, SHOWN * counts.total())
    is_free = len(counts) > 1 or counts.total() < _FEW
    return is_free and several >= max(2, counts.total() / 2)


def _is_form(rows: Mapping[int, Sequence[Row]]) -> bool:
    """Whether rows begin with labels that recur in nearly all: they are facts, and no list."""
    has_labels = all(len(row) > 1 or ":" in row[0].text for own in rows.values() for row in own)
    return has_labels and _recur(rows)


def _recur(rows: Mapping[int, Sequence[Row]]) -> bool:
    """Whether most documents begin most of their rows with the same."""
    said = Counter(
        key for own in rows.values() for key in {fold_words(r[0].text.split(":")[0]) for r in own}
    )
    usual = sum(n for n in said.values() if n >= _FORM * len(rows))
    return 2 * usual >= said.total()


def _separator(texts: Mapping[int, Sequence[Found]]) -> str:
    """Return the mark between what is listed beside a label; empty where no list is proven."""
    for mark in _SEPARATORS:
        parts, further = (
            {n: [part.text for part in own] for n, own in _parted(texts, one).items()}
            for one in (mark, f"{mark}{_AND}")
        )
        split = [p for n, own in further.items() for p in own if p not in parts[n]]
        free = _in_other_company(_parted(texts, mark), f"{mark}{_AND}")
        if split and free.issuperset(map(fold_words, split)):
            mark, parts = f"{mark}{_AND}", further
        sizes = Counter(map(len, parts.values()))
        several = [part for own in parts.values() if len(own) > 1 for part in own]
        n_several = sizes.total() - sizes[1] - sizes[0]
        if n_several < 2 or len(sizes) < 2:
            continue
        answers = sum(len(x) > 1 and read_boolean(x[0]) is not None for x in parts.values())
        if 2 * answers > n_several:
            continue  # `no, warned only`: a yes or no with what is said of it
        free = _in_other_company(texts, mark)
        are_words = all(part[:1].isalpha() and len(part) <= LONG_VALUE // 2 for part in several)
        n_again = sum(fold_words(part) in free for part in several)
        is_usual = 3 * n_several >= sizes.total() and 2 * n_again >= len(several)
        if are_words and is_usual:
            return mark
    return ""


def _in_other_company(texts: Mapping[int, Sequence[Found]], mark: str) -> set[str]:
    """Return the parts of texts that come again with others beside them, or in another order."""
    company: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for found in (found for own in texts.values() for found in own):
        said = tuple(fold_words(part.text) for part in part_at(found, mark))
        for part in said:
            company[part].add(said)
    return {part for part, others in company.items() if len(others) > 1}


def _parted(texts: Mapping[int, Sequence[Found]], mark: str) -> dict[int, list[Found]]:
    return {n: [part for f in own for part in part_at(f, mark)] for n, own in texts.items()}


def _columned(
    found: _List, rows: Mapping[int, Sequence[Row]], headers: Sequence[str], start: int
) -> _List | None:
    """Return *found* with its columns: those that have headers, or those of a template."""
    numbered = dict[int, Row]()
    for n, own in rows.items():
        found.rows[n] = list(range(start, start + len(own)))
        numbered |= dict(zip(found.rows[n], own, strict=True))
        start += len(own)
    if len(headers) > 1:
        for place, header in enumerate(headers):
            cells = {n: row[place] for n, row in numbered.items() if row[place].text}
            if cells:
                rule = [KeyRule(keys=(fold_words(header),))] if header else []
                labels = [header] if header else []
                groups = {found.sources[0].heading} - {""} if not place else set[str]()
                found.columns.append(_Column(Candidate("label", labels, [*rule], cells), groups))
    else:
        whole = {n: row[0] for n, row in numbered.items()}
        sizes = sorted(len(cell.text) for cell in whole.values())
        if not sizes or sizes[len(sizes) // 2] > LONG_VALUE:
            return None
        pattern, columns = _template(whole, start)
        if not pattern and found.kind == "items":  # but for sentences among them
            items = {n: cell for n, cell in whole.items() if not is_sentence(cell.text)}
            pattern, columns = _template(items, start, NEARLY_ALL)
        if pattern:
            found.columns = columns
            source = found.sources[0].model_copy(update={"pattern": pattern})
            found.sources = [source]
        elif found.kind != "lines":
            found.columns = [_Column(Candidate("label", [], [], whole))]
    found.columns = [c for c in found.columns if not _counts_rows(c, found.rows)]
    return found if found.columns else None


def _counts_rows(column: _Column, rows: Mapping[int, Sequence[int]]) -> bool:
    """Whether a column only numbers the rows of each document from 1."""
    cells = column.candidate.found
    said = [
        [cells[r].text.strip(" .)#") if r in cells else "" for r in own] for own in rows.values()
    ]
    return all(own == [str(n) for n in range(1, len(own) + 1)] for own in said)


def _template(
    whole: Mapping[int, Found], start: int, least: float = 1.0
) -> tuple[str, list[_Column]]:
    """Return what texts have in common as a pattern, and what differs as columns."""
    texts = [found.text for found in whole.values() if len(found.text) <= MAX_LINE]
    n_least = least * len(whole)
    if len({*texts}) < FEWEST_RIGHT or len(texts) < n_least:
        return "", []
    parts = {
        text: [p for p in _PART.findall(text) if not is_currency(unit_of(p))] for text in texts
    }
    said = Counter(part for text in texts for part in {*parts[text]} - STOP_WORDS)
    usual = {part for part, n in said.items() if n >= n_least}
    alike = [own for own in parts.values() if usual <= {*own}]
    common = alike[0] if alike else []
    for own in alike:
        common = _common(common, own) if common else common
    if not common:
        return "", []
    pattern, matches = _match(common, whole, start)
    for n in reversed([n for n, part in enumerate(common) if unit_of(part)]):
        places = ((row, groups[f"g{start}_{n}"]) for row, groups in matches.items())
        if all(_WITH_AMOUNT.search(place.of(whole[row].text)) for row, place in places):
            common.insert(n, "")
            pattern, matches = _match(common, whole, start)
    if len(matches) < n_least:
        return "", []
    columns = []
    for n in range(len(common) + 1):
        name = f"g{start}_{n}"
        cells = {
            row: part_of(whole[row], groups[name].start, groups[name].end)
            for row, groups in matches.items()
            if groups[name].of(whole[row].text).strip(" .")
        }
        if cells:
            before, after = common[n - 1] if n > 1 else "", (*common, "")[n]
            candidate = Candidate("label", [], [], cells)
            words = [before, after] if candidate.is_number else [before]  # `severity 3`, `3 days`
            words = [word for word in words if word.isalpha() and word not in STOP_WORDS]
            columns.append(_Column(Candidate("label", words[:1], [], cells), {name}))
        else:
            pattern = pattern.replace(f"(?P<{name}>.*?)", r"[\s.]*")
    return (pattern, columns) if len(columns) > 1 else ("", [])


def _match(
    common: Sequence[str], whole: Mapping[int, Found], start: int
) -> tuple[str, dict[int, dict[str, Span]]]:
    """Return the pattern of whole words, an empty one before a number, and its groups in texts."""
    marks = [rf"(?<![^\W\d_]){part}(?![^\W\d_])" if part.isalpha() else re.escape(part)
             for part in common]  # fmt: skip
    marks = [mark or rf"\s(?=\d[\d.,]*\s*{after})" for mark, after in pairwise([*marks, ""])]
    gaps = [f"(?P<g{start}_{n}>.*?)" for n in range(len(common) + 1)]
    pattern = gaps[0] + "".join(map("".join, zip(marks, gaps[1:], strict=True)))
    matches = {n: match_whole(pattern, found.text) for n, found in whole.items()}
    return pattern, {n: groups for n, groups in matches.items() if groups is not None}


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the longest common subsequence."""
    best: list[list[str]] = [[] for _ in range(len(other) + 1)]
    for word in one:
        row: list[list[str]] = [[]]
        for place, further in enumerate(other):
            same = [*best[place], word] if word == further else []
            row.append(max(same, best[place + 1], row[place], key=len))
        best = row
    return best[-1]


def _without_twins(found: Sequence[_List]) -> list[_List]:
    """Leave out lists whose words mostly stand in another one, that more documents have."""
    spans = {id(item): set(_row_spans(item)) for item in found}

    def is_part(item: _List, other: _List) -> bool:
        if item is other or len(item.rows) >= 2 * len(other.rows):
            return False
        is_less = _KINDS.index(item.kind) > _KINDS.index(other.kind)
        if not is_less and 2 * len(item.rows) > len(other.rows):
            return False
        own = spans[id(item)]
        inside = sum(any(n == m and s.overlaps(o) for m, o in spans[id(other)]) for n, s in own)
        return 2 * inside > len(own)

    return [item for item in found if not any(is_part(item, other) for other in found)]


def _row_spans(item: _List) -> Iterator[tuple[int, Span]]:
    for n, own in item.rows.items():
        for row in own:
            cells = [c.candidate.found[row].span for c in item.columns if row in c.candidate.found]
            if cells:
                yield n, Span(min(s.start for s in cells), max(s.end for s in cells))


def _sureness(one: _List, other: _List) -> float:
    """Return how sure it is that both are one list; 0.0 where nothing proves it."""
    both = one.rows.keys() & other.rows.keys()
    least = min(len(one.rows), len(other.rows))
    are_contrary = any(kinship(a, b) < 0 for a in one.names for b in other.names)
    if len(both) > MAX_MEETINGS * least or are_contrary:
        return 0.0
    pairs, n_proven = _pairs(one, other)
    unnamed = [c for item in (one, other) for c in item.columns if not c.candidate.labels]
    mapped = {c for pair in pairs for c in pair}
    fewest, most = sorted((len(one.columns), len(other.columns)))
    if 2 * n_proven < fewest or not {*unnamed} <= mapped or not pairs or fewest == 1 < most:
        return 0.0
    if fewest == 1:  # their values are alike: that they never meet by chance says that they are one
        n_documents = len(one.rows) + len(other.rows)
        is_called = any(is_same_name(a, b) for a in one.names for b in other.names)
        if not is_called and len(one.rows) * len(other.rows) / n_documents < _EXPECTED:
            return 0.0
        return n_proven + is_called
    return n_proven + len(pairs) / 10


def _pairs(one: _List, other: _List) -> tuple[list[tuple[_Column, _Column]], int]:
    """Return the columns that are the same, and how many of them are proven to be."""
    left, right = list(one.columns), list(other.columns)
    pairs: list[tuple[_Column, _Column]] = []

    def take(a: _Column, b: _Column) -> None:
        pairs.append((a, b))
        left.remove(a)
        right.remove(b)

    for test in (_are_called_the_same, _hold_the_same):
        for a in list(left):
            if same := [b for b in right if a.kind == b.kind and test(a, b)]:
                take(a, same[0])
    is_alone = len(one.columns) == 1 == len(other.columns) and not pairs
    if is_alone and any(is_same_name(a, b) for a in one.names for b in other.names):
        take(left[0], right[0])
    n_proven = len(pairs)
    for a in list(left):
        alone = [x for x in left if x.kind == a.kind]
        same = [b for b in right if b.kind == a.kind]
        if len(alone) == 1 == len(same):
            take(a, same[0])
    return pairs, n_proven


def _are_called_the_same(one: _Column, other: _Column) -> bool:
    return any(_is_called(label, other.candidate.labels) for label in one.candidate.labels)


def _hold_the_same(one: _Column, other: _Column) -> bool:
    values = [c.candidate.shape.values for c in (one, other)]
    return one.kind in _TEXTS and overlap(*values) >= SAME_VALUES


def _join(kept: _List, lost: _List) -> None:
    pairs = {id(b): a for a, b in _pairs(kept, lost)[0]}
    for column in lost.columns:
        if (twin := pairs.get(id(column))) is not None:
            twin.candidate.absorb(column.candidate)
            twin.groups |= column.groups
        else:
            kept.columns.append(column)
    kept.names += lost.names
    kept.sources += lost.sources
    kept.rows |= {n: own for n, own in lost.rows.items() if n not in kept.rows}


_OF_IT = re.compile(r"(?<=\w) s\b")  # of a folded `what's nearby`


def _list_name(item: _List, schema: Schema, titles: Collection[str]) -> str:
    """Return what documents call a list: its heading, or what the column that names things says.

    A table begins with what names its rows. A label of blocks whose values come again names none:
    35 actions of 7 owners are not 35 owners.
    """
    n_documents = len(item.rows)
    names = [
        (n + n_documents * _is_plural(name), name)
        for name, n in item.names.items()
        if not _is_record(name, schema) and name not in titles
    ]
    if names:
        return _OF_IT.sub("s", max(names)[1])
    things = [
        word
        for column in item.columns
        if column.kind == "text" and not (item.kind == "blocks" and column.recurs)
        for word in map(fold_words, column.candidate.labels)
        if {*content_stems(word)} - wordy_stems() and " " not in word and word != HEADING
    ]
    return plural(singular(things[0])) if things else "items"


def _is_record(name: str, schema: Schema) -> bool:
    """Whether a record is called *name*: that a folder is called `hops`, too, is no proof of it."""
    nouns = schema.nouns if _is_plural(name) else (*schema.nouns, schema.entity)
    return {*content_stems(name)} <= {stem for noun in nouns for stem in content_stems(noun)}


def _titles(sightings: Sequence[Sightings]) -> set[str]:
    """Return the titles of documents, and the headings that are titles in most that have them."""
    titles = {fold_words(sighting.document.title) for sighting in sightings}
    said, above = Counter[str](), Counter[str]()
    for blocks in (sighting.document.blocks for sighting in sightings):
        headings = [block for block in blocks if isinstance(block, Heading)]
        said.update({fold_words(heading.text) for heading in headings})
        n = next((n for n, block in enumerate(blocks) if not isinstance(block, Heading)), 0)
        highest = min((heading.level for heading in headings[n:]), default=None)
        is_many = n > 0 and _is_plural(fold_words(headings[n - 1].text))
        is_list = n > 0 and isinstance(blocks[n], (ListItem, TableBlock) if is_many else ListItem)
        above.update({fold_words(heading.text) for heading in headings[: n - is_list]
                      if highest is None or heading.level < highest})  # fmt: skip
    return titles | {name for name, n in above.items() if 2 * n > said[name]}


def _is_plural(name: str) -> bool:
    last = name.split()[-1] if name else ""
    return singular(last) != last


def _child(
    item: _List, schema: Schema, others: Sequence[Table], sightings: Sequence[Sightings]
) -> Table:
    titles = _titles(sightings)
    name = _list_name(item, schema, titles)
    taken = {child.list_name for child in others}
    while name in taken:
        name = f"{name} 2"
    attributes: list[Attribute] = []
    groups: dict[str, str] = {}
    is_alone = len(item.columns) == 1
    for column in item.columns:
        candidate, guess = column.candidate, column.candidate.guess
        is_thing = column is item.named_by_list
        labels = [x for x in candidate.labels if len(x) > 1 or unit_of(x)]  # no `x` of `2 x hinge`
        labels = labels or [value_column(name) if is_thing else _call_unnamed(column)]
        names = {attribute.name for attribute in attributes} | {POSITION}
        kind = DATE if column.kind == "date" else guess.type
        unit = guess.unit if kind is guess.type else None
        keys = tuple(dict.fromkeys(keys_of(candidate.rules)))
        attribute = Attribute(
            name=value_column(name) if is_alone else free_name(labels[0], names),
            type=kind,
            description=describe_values(candidate.texts, kind, unit),
            unit=unit,
            examples=examples_of(() if kind.is_date else candidate.texts),  # a day is kept as ISO
            categories=closed_set(guess.categories) if kind is guess.type else None,
            synonyms=tuple(dict.fromkeys(map(fold_words, labels)))[:10],
            extractors=(KeyRule(keys=keys),) if keys else (),
        )
        attributes.append(attribute)
        groups |= dict.fromkeys(column.groups, attribute.name)
    called = [n for n in item.names if not _is_record(n, schema) and n not in titles]
    spoken = dict.fromkeys(map(fold_words, (name, *called)))
    nouns = [" ".join((*n.split()[:-1], form)) for n in spoken
             for last in [singular(n.split()[-1])] for form in (last, plural(last))]  # fmt: skip
    n_rows = sum(map(len, item.rows.values()))
    child = Table(
        title=name,
        entity=child_name(schema.entity, name, [child.entity for child in others]),
        attributes=tuple(attributes),
        nouns=tuple(dict.fromkeys(nouns)),
        parent=schema.entity,
        list_name=name,
        of_values=is_alone,
        description=f"What {len(item.rows)} of {len(sightings)} samples list: {n_rows} rows.",
        sources=tuple(source.renamed(groups) for source in item.sources),
    )
    return child.model_copy(update={"sources": _with_checks(child, item, sightings)})


def _call_unnamed(column: _Column) -> str:
    """Call a column by the kind of its values: a bare whole number may say how many there are."""
    if column.kind in {*_TEXTS, DATE}:
        return "date" if column.kind == DATE else "detail"
    is_bare = column.candidate.guess.type.is_whole and column.candidate.guess.unit is None
    return "quantity" if is_bare else "value"


def _with_checks(
    child: Table, item: _List, sightings: Sequence[Sightings]
) -> tuple[RowSource, ...]:
    """Return the sources of *child* with what documents say of its rows together."""
    said: dict[str, Counter[str]] = defaultdict(Counter)  # by column; empty for how many there are
    agreed: dict[str, Counter[str]] = defaultdict(Counter)
    summed, beside = Counter[str](), Counter[str]()
    numbers = [item.name for item in child.attributes if item.type.is_numeric]
    for n in item.rows:
        sighting = sightings[n]
        read = (read_source(source, child, sighting) for source in child.sources)
        listed = next((one for one in read if one.rows), Listed())
        rows, own = listed.rows, listed.summed
        summed.update(own)
        beside.update(own | {fold_words(found.text) for row in rows for found in row.values()})
        spans = [found.span for row in rows for found in row.values()]
        sums = {name: total for name in numbers if (total := sum_of(rows, name))}
        for key in {*sighting.fields, *child.nouns} if len(rows) > 1 else ():
            amounts = [amount for amount, _ in stated_sums(sighting, key, spans)]
            for name, total in sums.items():
                said[name][key] += bool(amounts)
                agreed[name][key] += any(is_near(total, amount) for amount in amounts)
            counts = [count for count, _ in stated_counts(sighting, key, child.nouns, spans)]
            said[""][key] += bool(counts)
            agreed[""][key] += len(rows) in counts
    called = {item.name: (item.name, *item.synonyms) for item in child.attributes}
    usual = {n: _usual(agreed[n], said[n], called.get(n, child.nouns)) for n in said}
    totals = {name: keys for name, keys in usual.items() if name and keys}
    checks = {"totals": totals, "counts": usual.get("", ()), "sums": _usual(summed, beside, ())}
    return tuple(source.model_copy(update=checks) for source in child.sources)


def _usual(agreed: Counter[str], said: Counter[str], called: Sequence[str]) -> tuple[str, ...]:
    """Return what is right in nearly all documents that say it, and in enough to be no chance."""
    stems = [{*content_stems(name)} for name in called]
    return tuple(
        key
        for key, n in agreed.items()
        if n >= FEWEST_RIGHT
        and (
            n >= NEARLY_ALL * said[key]
            or (2 * n > said[key] and any(own and own <= {*content_stems(key)} for own in stems))
        )
    )
