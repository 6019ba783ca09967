"""Rows that a model lists: what it is asked, and where in the document each of them stands.

A value of a list stands at many places: the `2` of one row is not that of another. So rows are
placed whole, each around a value that few places have, and one that stands nowhere is none.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeAlias

from srag_mcp.cells.cell import Cell, ListedCells, Mark, PredictedCell, add_note, write_canonical
from srag_mcp.claims.quotes import find_places
from srag_mcp.claims.table_places import is_headed
from srag_mcp.records.judging import NOT_GROUNDED, CellReply, Judge, Judgement, read_cell
from srag_mcp.records.record_prompt import describe_attribute
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema, Table
from srag_mcp.settings import Settings
from srag_mcp.text.spans import Span
from srag_mcp.values.quantities import scan_figures
from srag_mcp.values.states import State
from srag_mcp.values.types import INTEGER

_MOST_PLACES = 10_000  # a value may come again in every row
Shows: TypeAlias = Callable[[Span], bool]


def find_lists(schema: Schema, settings: Settings) -> tuple[Table, ...]:
    """Return the lists that documents are asked for beside columns."""
    return (schema.with_pending() if settings.reads_lists else schema).children


def list_attribute(child: Table) -> Attribute:
    """Return a child table as a model is asked for it: how many rows there are, and of what."""
    members = "; ".join(map(describe_attribute, child.attributes))
    said = " ".join(filter(None, (child.description, f"Members: {members}")))
    return Attribute(name=child.entity, type=INTEGER, description=said, synonyms=(child.list_name,))


def describe_list(child: Table) -> str:
    """Write a list as one line of a prompt: `items (list): … Members: sku (string); …`."""
    return f"{child.list_name} (list): {list_attribute(child).description}"


@dataclass(frozen=True, slots=True)
class ListReading:
    """What a reply says of one list of one document: the cell of the list, and its rows."""

    judgement: Judgement
    rows: tuple[tuple[Judgement, ...], ...] = ()


def read_list(
    judge: Judge, child: Table, given: object, shows: Shows = lambda _: True
) -> ListReading:
    """Judge the cell of a list, `[number, [[value, …], …]]`; rows without a place are left out.

    *shows*: whether a place of the document was shown: of several, a row stands at such a one.
    """
    attribute, engine = list_attribute(child), judge.engine
    values = given[1] if isinstance(given, list | tuple) and len(given) > 1 else None
    if not isinstance(values, list | tuple):
        said = read_cell(given) or CellReply(child.entity)
        if said.value is not None:
            said = replace(said, misfit="it must be an array with an array for each item")
        return ListReading(judge.judge_cell(attribute, said))
    asked = [_read_row(child, row) for row in values]
    rows, spans = [], list[Span]()
    for said_row, places in zip(asked, _place_rows(judge, child, asked, shows), strict=True):
        if places is None:
            continue
        cells = tuple(
            _judge_member(judge, item, said, place)
            for item, said, place in zip(child.attributes, said_row, places, strict=True)
        )
        if any(item.taken.cell.state is State.STATED for item in cells):
            rows.append(cells)
            spans += [place for place in places if place is not None]
    if not rows:
        why = f"{NOT_GROUNDED}: none of the {len(asked)} items stands in the document"
        state, note = (State.FAILED, why) if asked else (State.NOT_MENTIONED, "")
        taken = PredictedCell(Cell(child.entity, state, engine=engine, note=note))
        return ListReading(Judgement(taken, CellReply(child.entity)))
    first = min(spans, key=lambda span: span.start)
    words = first.of(judge.document.text)
    cell = Cell(child.entity, State.STATED, words, first, engine=engine)
    if len(rows) < len(asked):
        n = len(asked) - len(rows)
        cell = add_note(cell, f"{n} of {len(asked)} items stand nowhere else", Mark.DOUBTED)
    return ListReading(
        Judgement(PredictedCell(cell, str(len(rows))), CellReply(child.entity)), tuple(rows)
    )


def _read_row(child: Table, row: object) -> list[CellReply]:
    """Read the members of an item in their order; what is missing at its end is not said."""
    given = list(row) if isinstance(row, list | tuple) else [row]
    if isinstance(row, Mapping):  # as other replies have objects
        given = [row.get(attribute.name) for attribute in child.attributes]
    found = []
    for place, attribute in enumerate(child.attributes):
        value = given[place] if place < len(given) else None
        parts = value if isinstance(value, list | tuple) else [value]
        found.append(read_cell([attribute.name, *parts]) or CellReply(attribute.name))
    return found


def _place_rows(
    judge: Judge, child: Table, rows: Sequence[Sequence[CellReply]], shows: Shows
) -> Iterator[list[Span | None] | None]:
    """Yield the places of the members of each row; None for a row that has no place of its own."""
    found = [
        [_find(judge, item, said, shows) for item, said in zip(child.attributes, row, strict=True)]
        for row in rows
    ]
    anchors: list[Span | None] = []
    cursor, used = 0, set[Span]()
    for places in found:
        anchor = _choose_anchor(judge.document.text, [x for x in places if x], (cursor, used))
        anchors.append(anchor)
        if anchor is not None:
            used.add(anchor)
            cursor = anchor.end
    taken = set(used)
    ordered = sorted((item for item in anchors if item), key=lambda span: span.start)
    for places, anchor in zip(found, anchors, strict=True):
        if anchor is None:
            yield None
            continue
        at = ordered.index(anchor)
        start = ordered[at - 1].end if at else 0
        end = ordered[at + 1].start if at + 1 < len(ordered) else len(judge.document.text)
        chosen: list[Span | None] = []
        for spans in places:
            own = [x for x in spans if start <= x.start and x.end <= end and x not in taken]
            near = anchor if anchor in spans else _nearest(judge.document.text, own, anchor)
            chosen.append(near)
            taken.update(() if near is None else (near,))
        yield chosen


def _find(judge: Judge, attribute: Attribute, said: CellReply, shows: Shows) -> list[Span]:
    """Return where the words for a member stand; of several places, those that are shown."""
    text = judge.document.text
    if said.quote.strip():
        found = find_places(said.quote.strip(), text, _MOST_PLACES)
    else:
        canonical = None if said.value is None else write_canonical(attribute, said.value)
        value = None if canonical is None else attribute.type.read(canonical)
        found = [] if value is None else find_places(value, text, _MOST_PLACES)
        if not found and isinstance(value, str):
            found = _find_headed(value, text)
    return [*filter(shows, found)] or found


def _find_headed(value: str, text: str) -> list[Span]:
    """Return where the number of *value* stands below the rest of it: `35 feet` below `Feet`."""
    figures = [figure.numeral for figure in scan_figures(value)]
    if len(figures) != 1:
        return []
    before, numeral, behind = value.partition(figures[0])
    places = find_places(numeral, text, _MOST_PLACES) if numeral else ()
    return [place for place in places if is_headed(text, place, f"{before} {behind}")]


def _choose_anchor(
    text: str, places: Sequence[Sequence[Span]], known: tuple[int, set[Span]]
) -> Span | None:
    """Choose the place of a row: that of its rarest value, behind the row before, near others."""
    (cursor, used), rarest = known, min(places, key=len, default=())

    def cost(anchor: Span) -> tuple[bool, int, int, int]:
        costs = [_apart(text, _nearest(text, spans, anchor) or anchor, anchor) for spans in places]
        n_beyond = sum(is_beyond for is_beyond, _ in costs)
        apart = sum(n for _, n in costs) if n_beyond else 0
        return anchor.start < cursor, n_beyond, apart, anchor.start

    return min((span for span in rarest if span not in used), key=cost, default=None)


def _nearest(text: str, spans: Sequence[Span], anchor: Span) -> Span | None:
    """Return the one of *spans*, which are in order, next to *anchor*, best on its line."""
    at = bisect_left(spans, anchor.start, key=attrgetter("start"))
    beside = spans[max(0, at - 1) : at + 1]
    return min(beside, key=lambda span: _apart(text, span, anchor), default=None)


def _apart(text: str, span: Span, anchor: Span) -> tuple[bool, int]:
    """Return whether two places are on different lines, and how far they are apart."""
    between = text[min(span.end, anchor.end) : max(span.start, anchor.start)]
    return "\n" in between, abs(span.start - anchor.start)


def _judge_member(
    judge: Judge, attribute: Attribute, said: CellReply, place: Span | None
) -> Judgement:
    """Judge one member of an item, which stands at *place*."""
    judgement = judge.judge_cell(attribute, said, place)
    is_told = said.misfit or said.value is None or said.quote or isinstance(said.value, bool)
    if place is not None or is_told or not judgement.is_usable:
        return judgement
    return _stands_nowhere(judge, attribute, said)


def _stands_nowhere(judge: Judge, attribute: Attribute, said: CellReply) -> Judgement:
    why = f"{NOT_GROUNDED}: it stands nowhere in the item"  # but elsewhere in the document
    cell = Cell(attribute.name, State.FAILED, engine=judge.engine, note=why)
    return Judgement(PredictedCell(cell), said, why, told_once=True)


def judge_again(
    judge: Judge, attribute: Attribute, said: CellReply, row: Span, others: Sequence[Span]
) -> Judgement:
    """Judge what is said of a member of an item, at *row*, that was asked for again.

    It stands between the *others*, the places of other items, or nowhere.
    """
    start = max((span.end for span in others if span.end <= row.start), default=0)
    ends = (span.start for span in others if span.start > row.start)
    end = min(ends, default=len(judge.document.text))
    found = _find(judge, attribute, said, lambda _: True)
    own = [place for place in found if start <= place.start and place.end <= end]
    place = _nearest(judge.document.text, own, row)
    if place is None and not said.misfit and (said.value is not None or said.quote.strip()):
        return _stands_nowhere(judge, attribute, said)
    return _judge_member(judge, attribute, said, place)


def place_of(row: Mapping[str, Judgement]) -> Span | None:
    """Return where a row begins that has a place."""
    spans = (item.taken.cell.span for item in row.values())
    return min(filter(None, spans), key=attrgetter("start"), default=None)


def join_rows(before: ListedCells, later: ListedCells) -> ListedCells:
    """Return the rows of two parts of a document in its order, those of one place once."""
    new = tuple(row for row in later.rows if not any(_is_same(row, x) for x in before.rows))
    return replace(before, rows=tuple(sorted((*before.rows, *new), key=_begin)))


def _is_same(one: Sequence[PredictedCell], other: Sequence[PredictedCell]) -> bool:
    """Whether two rows stand at one place; what all rows share, such as a currency, is none."""
    spans = [(x.cell.span, y.cell.span) for x, y in zip(one, other, strict=True)]
    both = [(x, y) for x, y in spans if x is not None and y is not None]
    return bool(both) and all(x == y for x, y in both)


def _begin(row: Sequence[PredictedCell]) -> int:
    return min((item.cell.span.start for item in row if item.cell.span), default=0)
