"""Row sources: the rows that one document lists, as the sources of a child table say where.

Rows that sum others up are no items; what they say, and what the document says of a sum or of how
many there are, is compared with the rows, and a difference is a mark.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from itertools import groupby
from math import isclose

from srag_mcp.cells.cell import IS_RELATIVE, Cell, ListedRows, Mark, add_note
from srag_mcp.documents.document import Document, TableCell
from srag_mcp.documents.lines import is_data
from srag_mcp.documents.tables import SheetRow, column_key, count_filled, find_grouping
from srag_mcp.documents.totals import TableBody, is_total, names_total
from srag_mcp.rules.candidates import Found, amount_of
from srag_mcp.rules.extraction import match_whole, take_back
from srag_mcp.rules.sightings import MAX_LINE, Enumeration, Row, Sightings, part_at, part_of
from srag_mcp.schema.attribute import Attribute, keys_of
from srag_mcp.schema.schema import POSITION, RowSource, Schema, Table
from srag_mcp.text.spans import Span, Spans
from srag_mcp.text.words import fold_words
from srag_mcp.values.columns import DATED
from srag_mcp.values.dates import find_dates, is_bare_day, read_date
from srag_mcp.values.quantities import read_number_words
from srag_mcp.values.states import State, read_missing
from srag_mcp.values.units import UNIT_OF_ROW, holds_units

Cells = Mapping[str, Found]
"""What a row says, by column."""

_LONGEST_QUOTE = 300  # of a list as a whole; its items have quotes of their own
_FEW = 2
_COUNT = r"\b(\d{{1,4}}|[^\W\d_]{{3,12}})[^\S\n]+(?:[^\W\d_]+[^\S\n]+)?{}\b"


@dataclass(slots=True)
class Listed:
    """The rows that a source reads in a document.

    *contexts* say how numbers of a column are to be read, *units* in which column their units are;
    *sums* are what rows of the list state as the sum of a column, *besides* what is in such a sum
    and no item, as a tax is; *doubted* are rows that may be no items, and *more* what stands below
    a cell, by row and column; *other* is what stands among rows and is none; *summed* are the
    folded labels of rows that are sums of others; *told_none* is where the document says that there
    is nothing.
    """

    rows: list[Cells] = field(default_factory=list)
    place: Span = field(default_factory=lambda: Span(0, 0))
    contexts: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    sums: dict[str, list[Found]] = field(default_factory=dict)
    besides: dict[str, float] = field(default_factory=dict)
    doubted: dict[int, str] = field(default_factory=dict)
    more: dict[tuple[int, str], str] = field(default_factory=dict)
    other: list[str] = field(default_factory=list)
    summed: set[str] = field(default_factory=set)
    told_none: Found | None = None


def read_by_sources(sightings: Sightings, table: Table) -> ListedRows | None:
    """Read the rows of *table*; None where the document lists nothing of the kind.

    The first source that finds rows counts; where another one finds others, the list says so.
    """
    read = [read_source(source, table, sightings) for source in table.sources]
    listed = [item for item in read if item.rows]
    if not listed:
        told_none = next((item.told_none for item in read if item.told_none), None)
        if (none := told_none or _find_none(sightings, table)) is None:
            return None
        return ListedRows(table.entity, Cell(POSITION, State.STATED_ABSENT, none.text, none.span))
    first, *others = listed
    source = table.sources[read.index(first)]
    text, spans = sightings.text, [f.span for row in first.rows for f in row.values()]
    whole = cell_of_list(first.place, text)
    rest = [f.span for other in others for row in other.rows for f in row.values()]
    if not any(one.overlaps(span) for one in rest for span in spans) and rest:
        whole = add_note(whole, "more is listed elsewhere", Mark.CONTRADICTED)
    if first.other:  # a heading among the rows, a longer text, a line that is not made alike
        shown = "; ".join(first.other)[:_LONGEST_QUOTE]
        whole = add_note(whole, f"not read as rows: {shown!r}", Mark.DOUBTED)
    if first.doubted:
        said = f"{len(first.doubted)} of {len(first.rows)} rows may be no items"
        whole = add_note(whole, said, Mark.DOUBTED)
    told = [x for key in source.counts for x in stated_counts(sightings, key, table.nouns, spans)]
    if told and len(first.rows) not in dict(told):
        said = f"the document says {told[0][1]!r}, {len(first.rows)} are listed"
        whole = add_note(whole, said, Mark.CONTRADICTED)
    wrong = dict(_other_sums(source, sightings, first, spans))

    @cache  # few lists have days, and to look for one in all of the text is dear
    def first_day() -> date | None:
        days = (day for place, day in find_dates(text) if not any(map(place.overlaps, spans)))
        return next((day.on() for day in days), None)

    rows = []
    for number, row in enumerate(first.rows):
        cells = [_cell(attribute, row, first, number, wrong) for attribute in table.attributes]
        rows.append(tuple(_dated(cell, first_day) for cell in cells))
    return ListedRows(table.entity, whole, tuple(rows))


def _find_none(sightings: Sightings, table: Table) -> Found | None:
    """Return where a document says by the name of a list, and nothing else, that it has none."""
    names = {*table.nouns, *(source.section for source in table.sources)}
    kinds = ("items", "label", "table")
    named = (x for kind in kinds for x in sightings.listed(kind) if x.name in names)
    said = [row[0] for item in named for row in item.rows]
    missing = {read_missing(found.text.strip(" .")) for found in said}
    return said[0] if missing == {State.STATED_ABSENT} else None


def cell_of_list(span: Span, text: str) -> Cell:
    """Return the cell of a list that stands at *span*, which quotes its beginning."""
    shown = Span(span.start, min(span.end, span.start + _LONGEST_QUOTE))
    return Cell(POSITION, State.STATED, shown.of(text), shown)


def _cell(
    attribute: Attribute, row: Cells, listed: Listed, number: int, wrong: Mapping[str, str]
) -> Cell:
    name, unit = attribute.name, row.get(listed.units.get(attribute.name, ""))
    said = f"{UNIT_OF_ROW}{unit.text}" if unit and unit.text else ""
    cell = stated_cell(attribute, row.get(name), listed.contexts.get(name, ""), said)
    if cell.state is not State.STATED:
        return cell
    if name in wrong:
        cell = add_note(cell, wrong[name], Mark.CONTRADICTED)
    if number in listed.doubted:
        cell = add_note(cell, f"the row may be no item: {listed.doubted[number]}", Mark.DOUBTED)
    if more := listed.more.get((number, name)):
        cell = add_note(cell, f"it may go on in a line of its own: {more!r}", Mark.DOUBTED)
    return cell


def _dated(cell: Cell, first_day: Callable[[], date | None]) -> Cell:
    """Return a cell that is a day with the first date of its document, for its year."""
    words = cell.as_stated or "" if cell.state is State.STATED else ""
    is_bare = is_bare_day(words)
    if (not is_bare and read_date(words) is None) or (day := first_day()) is None:
        return cell
    context = "; ".join(filter(None, (cell.context, f"{DATED}{day}")))
    marks = cell.marks | {Mark.DERIVED} if is_bare else cell.marks
    return replace(cell, context=context, marks=marks)


def read_source(source: RowSource, table: Table, sightings: Sightings) -> Listed:
    """Read what is listed where *source* says; nothing where there is no such place."""
    listed = Listed()
    is_table = source.kind in {"table", "blocks"}
    here = [item for item in sightings.listed(source.kind) if _fits(source, item)]
    if here:
        listed.place = here[0].place
    if is_table:
        _read_tables(here, source, table, listed, sightings.text)
        return listed
    rows: list[Cells] = []
    for cell in (row[0] for item in here for row in item.rows):
        for part in part_at(cell, source.separator) if source.separator else [cell]:
            said = read_missing(part.text.strip(" ."), source.section or "")
            if said is not None:  # what is not known is not told to be none
                told = part if said is State.STATED_ABSENT else None
                listed.told_none = listed.told_none or told
            elif row := _parted(part, source.pattern, table):
                rows.append(row)
            else:
                listed.other.append(part.text)
    if rows and source.pattern:  # parts are cells, and a total is no item here, either
        names = [attribute.name for attribute in table.attributes]
        nothing = Found("", listed.place)
        cells = tuple(tuple(row.get(name, nothing) for name in names) for row in rows)
        _add_rows(
            replace(here[0], kind="table", headers=tuple(names), rows=cells),
            rows,
            source,
            listed,
            sightings.text,
        )
    else:
        listed.rows = rows
    return listed


def _fits(source: RowSource, item: Enumeration) -> bool:
    if source.kind in {"table", "blocks"}:
        return {*source.headers} <= {*item.keys} and source.section in {None, item.name}
    return item.name == source.section


def _parted(found: Found, pattern: str, table: Table) -> Cells:
    """Return the columns of an item; nothing where it is not made as the pattern says."""
    if not pattern:
        return {table.attributes[0].name: found}
    groups = match_whole(pattern, found.text) if len(found.text) <= MAX_LINE else None
    parts = {name: part_of(found, at.start, at.end) for name, at in (groups or {}).items()}
    return {name: part for name, part in parts.items() if part.text}


def _read_tables(
    here: Sequence[Enumeration], source: RowSource, table: Table, listed: Listed, text: str
) -> None:
    """Add the rows of tables, but for headers, totals and notes."""
    for item in whole_tables(here, are_headed=bool(source.heading)):
        places = {key: place for place, key in reversed([*enumerate(item.keys)])}
        found = ((x.name, _find_place(x, places)) for x in table.attributes)
        columns = {name: place for name, place in found if place is not None}
        for name, place in columns.items():
            if item.kind == "table" and holds_units(row[place].text for row in item.rows):
                # `takings_currency` is of `takings_amount`, and not of `tickets`
                others, of = columns.keys() - {name}, f"{name.rpartition('_')[0]}_"
                own = {other for other in others if f"{other}_".startswith(of)}
                listed.units = dict.fromkeys(own or others, name)
            header = item.headers[place]
            caption = "" if IS_RELATIVE.search(header) else item.caption
            listed.contexts.setdefault(name, "; ".join(filter(None, (header, caption))))
        rows = [{name: row[place] for name, place in columns.items()} for row in item.rows]
        if source.heading and item.heading:
            rows = [{**row, source.heading: item.heading} for row in rows]
        _add_rows(item, rows, source, listed, text)


def _add_rows(
    item: Enumeration, rows: Sequence[Cells], source: RowSource, listed: Listed, text: str
) -> None:
    """Add rows with their cells, but for those that are no items; what these say is kept."""
    left_out, doubted, sums = find_no_items(item)
    listed.summed |= {_label(item.rows[n]) for n in sums}
    runs = groupby(enumerate(sorted(left_out)), key=lambda found: found[1] - found[0])
    for run in ([n for _, n in group] for _, group in runs):  # of rows next to each other
        is_proven = any(_label(item.rows[n]) in source.sums for n in run)
        if not is_proven and not any(names_total(f.text) for n in run for f in item.rows[n]):
            unproven = (item.rows[n] for n in run if n in sums)
            listed.other += [" ".join(f.text for f in row if f.text) for row in unproven]
    deepest = max(
        (_indent(row, text) for n, row in enumerate(item.rows) if n not in left_out), default=0
    )
    kept = [row for number, row in enumerate(item.rows) if number not in left_out]
    grouping = find_grouping([[found.text for found in row] for row in kept])
    for number, (row, cells) in enumerate(zip(item.rows, rows, strict=True)):
        if number not in left_out:
            if number in doubted:
                listed.doubted[len(listed.rows)] = doubted[number]
            unsaid = [row[at] for at in grouping if not row[at].text]
            listed.rows.append(
                {name: f for name, f in cells.items() if not any(f is x for x in unsaid)}
            )
            continue
        if nothing := _says_nothing(row, item.name):
            first = next(found for found in row if found.text)
            if nothing is State.STATED_ABSENT:
                listed.told_none = listed.told_none or first
            else:
                listed.other.append(first.text)
            continue
        if sum(bool(found.text) for found in row) == 1:
            [said] = [found.text for found in row if found.text]
            is_more = not is_data(said) and "  " not in said and _indent(row, text) > deepest
            listed.other += [] if is_more else [said]
            own = [name for name, found in cells.items() if found.text and is_more]
            beside = (len(listed.rows) - 1, len(listed.rows))  # it may be of either
            listed.more |= {(place, name): said for place in beside for name in own}
        amounts = {n: a for n, f in cells.items() if (a := amount_of(f.text)) is not None}
        for name, amount in amounts.items():
            if left_out[number]:
                listed.sums.setdefault(name, []).append(cells[name])
            else:
                listed.besides[name] = listed.besides.get(name, 0.0) + amount


def _label(row: Row) -> str:
    return next((fold_words(found.text) for found in row if found.text), "")


def _indent(row: Row, text: str) -> int:
    """Return how far from the beginning of its line a row begins."""
    start = min(found.span.start for found in row if found.text)
    return start - text.rfind("\n", 0, start)


def whole_tables(
    items: Sequence[Enumeration], *, are_headed: bool = False
) -> Iterator[Enumeration]:
    """Yield tables; those with the same headers are one, which goes on over pages or weeks.

    Unless *are_headed*: then each is another one, which its heading tells apart.
    """
    for _, group in groupby(items, key=lambda item: (item.headers, are_headed and item.name)):
        parts = list(group)
        yield replace(parts[0], rows=tuple(row for part in parts for row in part.rows))


def find_no_items(item: Enumeration) -> tuple[dict[int, bool], dict[int, str], set[int]]:
    """Return the rows that are no items, with whether they are called a total and are no sum.

    And those that may be none, with the reason; and of those that are none, which are sums.

    A row that has a label and an amount, and nothing between them where others have, is no item
    where it is the sum of those above, as it is carried over to the next page, where it is called a
    total, and where a total stands below it that it is a part of, as a tax is. Nor are rows behind
    a total that lack what items have, and rows that say that there is nothing.
    """
    if item.kind != "table":
        return {}, {}, set()
    lines = [
        SheetRow(n, texts, count_filled(texts))
        for n, texts in enumerate(tuple(f.text for f in row) for row in item.rows)
    ]
    thin = _thin_amounts(lines)
    found = dict(_find_sums(lines, thin))
    left_out = dict.fromkeys(found, False)
    rest = [line for line in lines if line.number not in left_out]
    body = TableBody(rest, [item.headers], are_named=False)
    above = {n for n, why in body.left_out.items() if "above" in why or "total" in why}
    behind = [*_find_behind(lines, above | left_out.keys(), thin)]
    left_out |= {n: "total" in why for n, why in body.left_out.items()}
    left_out |= dict.fromkeys(behind, False)
    sums = {n for n, why in body.left_out.items() if "sum" in why}
    has_total = bool(sums)
    for line in reversed(lines):
        is_named = is_total(next(filter(None, line.cells), ""))
        if not is_named and line.number not in thin and line.number not in left_out:
            break
        has_total = has_total or left_out.get(line.number, False)
        if line.number in left_out:
            continue
        if any(map(names_total, line.cells)):
            left_out[line.number] = has_total = True
        elif has_total:
            left_out[line.number] = False
    for line in lines:  # a heading among the rows, or what goes on from the row above
        if line.n_filled == 1 and len(line.cells) > _FEW:
            left_out.setdefault(line.number, False)
    left_out |= {n: False for n, row in enumerate(item.rows) if _says_nothing(row, item.name)}
    doubted = (n for n in thin if n not in left_out)
    sums |= {n for n, is_sum in found.items() if is_sum}
    return left_out, dict.fromkeys(doubted, "it has a label and an amount alone"), sums


def _thin_amounts(lines: Sequence[SheetRow]) -> dict[int, tuple[int, float]]:
    """Return the place and the amount of rows that have little else."""
    usual = sorted(line.n_filled for line in lines)[len(lines) // 2]
    most = max(line.n_filled for line in lines)
    fullest = zip(*(line.cells for line in lines if line.n_filled == most), strict=True)
    numbers = [n for n, cells in enumerate(fullest) if None not in map(amount_of, cells)]
    thin: dict[int, tuple[int, float]] = {}
    for line in lines:
        filled = [place for place, text in enumerate(line.cells) if text]
        amount = amount_of(line.cells[filled[-1]])
        is_few = len(filled) == _FEW < usual
        is_apart = len(filled) > 1 and filled[1] - filled[0] > 1
        is_less = any(not line.cells[n] for n in numbers) and filled[-1] in numbers[1:]
        is_labelled = is_few and (is_apart or is_total(line.cells[filled[0]]))
        if amount is not None and (is_labelled or (is_less and len(filled) > 1)):
            thin[line.number] = (filled[-1], amount)
    return thin


def _find_sums(
    lines: Sequence[SheetRow], thin: Mapping[int, tuple[int, float]]
) -> Iterator[tuple[int, bool]]:
    """Yield the rows among the *thin* ones that are sums of others (True) or are added to one."""
    items: list[SheetRow] = []
    n_summed, added, reached = 0, list[tuple[int, float]](), None  # since the last sum; that sum
    last = max((line.number for line in lines if line.number not in thin), default=-1)
    for line in lines:
        if line.number not in thin:
            items.append(line)
            added, reached = [], None
            continue
        place, stated = thin[line.number]
        amounts = [amount_of(one.cells[place]) or 0.0 for one in items]
        ends, is_again = line.number > last, thin.get(line.number + 1, (0, None))[1] == stated
        # one item and its sum are alike, too; two items that cost the same go on below
        sums = [sum(part) for part in (amounts, amounts[n_summed:])
                if len(part) > 1 or (part and (ends or is_again))]  # fmt: skip
        is_sum = any(is_near(one, stated) for one in (*sums, *filter(None, [reached])))
        so_far = sum(amounts) if reached is None else reached
        parts = [x for _, x in added]
        changes = (sum(parts), -sum(map(abs, parts)))  # all are added, or all taken off
        is_reached = bool(parts) and any(is_near(so_far + x, stated) for x in changes)
        if is_sum or (ends and items and is_reached):
            yield from (*((number, False) for number, _ in added), (line.number, True))
            n_summed, added, reached = len(items), [], stated
        else:
            added.append((line.number, stated))
    if reached is not None:
        yield from ((number, False) for number, _ in added)


def _find_behind(
    lines: Sequence[SheetRow], sums: Collection[int], thin: Collection[int]
) -> Iterator[int]:
    """Yield the rows behind one that sums up the items, where they lack what all of these have."""
    steady: set[int] | None = None  # the columns that all items fill
    behind, is_behind = list[int](), False
    for line in lines:
        filled = {place for place, text in enumerate(line.cells) if text}
        lacks = steady is not None and not steady <= filled
        is_few = line.number in thin or (lacks and is_total(line.cells[min(filled)]))
        if line.number in sums or (is_few and any(map(names_total, line.cells))):
            is_behind = steady is not None
        elif line.n_filled == 1 and len(line.cells) > _FEW:
            yield from behind
            behind, is_behind = [], False
        elif is_behind and lacks:
            behind.append(line.number)
        else:
            behind, is_behind = [], False
            if line.number not in thin:
                steady = filled if steady is None else steady & filled
    yield from behind


def _says_nothing(row: Row, name: str) -> State | None:
    """Return what a row of nothing but placeholders says by the first of them: `none`, `-`, `-`."""
    said = [read_missing(found.text.strip(" ."), name) for found in row if found.text]
    return said[0] if said and None not in said else None


def sum_of(rows: Sequence[Cells], name: str) -> float | None:
    """Return the sum of a column; None where a row has no number there."""
    amounts = [amount_of(row[name].text) if name in row else None for row in rows]
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known and len(known) == len(amounts) else None


def is_near(one: float, other: float) -> bool:
    """Whether two sums are equal but for rounding to cents."""
    return isclose(one, other, rel_tol=1e-9, abs_tol=0.006)


def stated_sums(
    sightings: Sightings, key: str, spans: Sequence[Span]
) -> Iterator[tuple[float, str]]:
    """Yield the numbers beside a folded label outside of *spans*, with the words."""
    for label in sightings.fields.get(key, ()):
        amount = amount_of(label.value)
        if amount is not None and not any(map(label.span.overlaps, spans)):
            yield amount, f"{label.label}: {label.value}"


def _other_sums(
    source: RowSource, sightings: Sightings, listed: Listed, spans: Sequence[Span]
) -> Iterator[tuple[str, str]]:
    """Yield the columns whose sum the document states otherwise, with what is to be noted."""
    for name in {*listed.sums, *source.totals}:
        total = sum_of(listed.rows, name)
        said = [(amount_of(f.text), f.text) for f in listed.sums.get(name, ())]
        keys = source.totals.get(name, ())
        said += [item for key in keys for item in stated_sums(sightings, key, spans)]
        amounts = [amount for amount, _ in said if amount is not None]
        known = {total, (total or 0.0) + listed.besides.get(name, 0.0)}
        is_right = any(is_near(one or 0.0, amount) for one in known for amount in amounts)
        if total is not None and amounts and not is_right:
            yield name, f"the rows sum up to {total:,.10g}, the document says {said[0][1]!r}"


def stated_counts(
    sightings: Sightings, phrase: str, nouns: Sequence[str], spans: Sequence[Span]
) -> list[tuple[int, str]]:
    """Return how many of *phrase* there are, as the document says outside of *spans*.

    Beside the label *phrase*, or before one of the *nouns*: `Items: 3`, `3 items`, `three items`.
    """
    beside = stated_sums(sightings, phrase, spans)
    said = [(int(amount), words) for amount, words in beside if amount % 1 == 0]
    pattern = _COUNT.format(re.escape(phrase))
    for match in re.finditer(pattern, sightings.text, re.I) if phrase in nouns else ():
        place = Span(*match.span())
        number = int(match[1]) if match[1].isdigit() else read_number_words(match[1])
        if number is not None and not any(span.overlaps(place) for span in spans):
            said.append((int(number), " ".join(match[0].split())))
    return said


def read_lists(sightings: Sightings, schema: Schema) -> tuple[ListedRows, ...]:
    """Read what a document lists of the child tables of *schema*; values are left None.

    Where items that no table holds are made as those of a list, it may go on there, and says so.
    """
    found = {
        child.entity: (child.sources and read_by_sources(sightings, child))
        or read_rows(sightings.document, child)
        for child in schema.children
    }  # fmt: skip
    spans = (c.span for item in found.values() if item for row in item.rows for c in row)
    read = Spans(span for span in spans if span is not None)
    for child in schema.children:
        patterns = [x.pattern for x in child.sources if x.kind == "items" and x.pattern]
        items = (item.rows for item in (sightings.listed("items") if patterns else ()))
        rest = (rows for rows in items if not any(read.overlap(row[0].span) for row in rows))
        others = (rows for rows in rest for pattern in patterns
                  if all(_parted(row[0], pattern, child) for row in rows))  # fmt: skip
        listed = found[child.entity]
        if listed is not None and (other := next(others, None)):
            said = f"more may be listed in {other[0][0].text[:_LONGEST_QUOTE]!r}"
            whole = add_note(listed.listed, said, Mark.DOUBTED)
            found[child.entity] = replace(listed, listed=whole)
    return tuple(
        replace(listed, rows=take_back(sightings, child.attributes, listed.rows))
        for child in schema.children
        if (listed := found[child.entity]) is not None
    )


def read_rows(document: Document, table: Table) -> ListedRows | None:
    """Read a list that the format of the document knows; None where it has none of that name."""
    wanted = column_key(table.list_name)
    listing = next((x for x in document.listings if column_key(x.name) == wanted), None)
    if listing is None:
        return None
    if not listing.rows:
        none = Cell(POSITION, State.STATED_ABSENT, "", listing.span, listing.name)
        return ListedRows(table.entity, none)
    places = {column_key(key): place for place, key in enumerate(listing.keys)}
    columns = [
        (attribute, place)
        for attribute in table.attributes
        if (place := 0 if table.of_values else _find_place(attribute, places)) is not None
    ]
    keys = ("",) if table.of_values else listing.keys
    rows = tuple(
        tuple(
            stated_cell(attribute, row[place], keys[place], listing.context)
            for attribute, place in columns
        )
        for row in listing.rows
    )
    return ListedRows(table.entity, cell_of_list(listing.span, document.text), rows)


def _find_place(attribute: Attribute, places: Mapping[str, int]) -> int | None:
    """Return which column of a list an attribute is: by its key rule, its name or its synonyms."""
    called = map(column_key, (attribute.name, *attribute.synonyms))
    names = [*keys_of(attribute.extractors), *called]
    return next((places[name] for name in names if name in places), None)


def stated_cell(attribute: Attribute, found: TableCell | None, key: str, context: str = "") -> Cell:
    """Return the cell of a format that knows cells: an empty one states that there is no value.

    Of yes and no it is neither, and says nothing.
    """
    is_silent = attribute.type.is_boolean and attribute.absent_means != "false"
    if found is None or (not found.text and is_silent):
        return Cell(attribute.name, State.NOT_MENTIONED)
    if not found.text:
        return Cell(attribute.name, State.STATED_ABSENT, "", found.span, key)
    said = "; ".join(filter(None, (key, context)))
    return Cell(attribute.name, State.STATED, found.text, found.span, said)
