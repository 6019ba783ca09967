"""Cells and records: what one document says of each attribute, and where it says so."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from srag_mcp.documents.document import Block, KeyValue, Table, TableCell
from srag_mcp.documents.kinds import MIN_DOCUMENTS
from srag_mcp.documents.passages import Passage
from srag_mcp.documents.tables import is_caption
from srag_mcp.schema.attribute import Attribute, PatternRule
from srag_mcp.schema.schema import Schema
from srag_mcp.text.spans import Span, locate
from srag_mcp.text.words import content_words, fold, singular, tidy
from srag_mcp.values.columns import choose_spellings
from srag_mcp.values.columns import read_column as read_words
from srag_mcp.values.quantities import ELSEWHERE, find_style, scan_figures
from srag_mcp.values.states import Column, State, Words, denies_only
from srag_mcp.values.types import Value, is_partial_date
from srag_mcp.values.units import UNIT_OF_ROW, holds_units


class Mark(StrEnum):
    """What is to be known of a cell beside its state; `Cell.note` says it to people.

    `READ_IN_PART`: it is not mentioned in the part of the document that was read.
    `DOUBTED`: the value contradicts its words, and the model did not put it right; or the words may
    as well mean another one, and only the size of the others speaks against it.
    `DERIVED`: the words do not have the value as it is: it is counted, summed or put otherwise.
    `UNSHOWN`: nothing in the words shows how the value follows.
    `DISPUTED`: a learned rule reads another value.
    `CONTRADICTED`: another place of the document says something else, or what rules read does not
    fit the rest of its column.
    `UNSETTLED`: it does not fit its column, and there is no verdict of use on it.
    `RULED`: a rule that a model wrote decides it, as far as the audit of its column goes.
    `SAID_NONE`: it was corrected, and there is none.
    `KEPT`, `STANDARDISED`: it did not, and a second look kept or changed it.
    """

    READ_IN_PART = "read_in_part"
    DOUBTED = "doubted"
    DERIVED = "derived"
    UNSHOWN = "unshown"
    DISPUTED = "disputed"
    CONTRADICTED = "contradicted"
    UNSETTLED = "unsettled"
    RULED = "ruled"
    SAID_NONE = "said_none"
    KEPT = "kept"
    STANDARDISED = "standardised"


IN_DOUBT = frozenset({Mark.DOUBTED, Mark.UNSHOWN, Mark.CONTRADICTED})
"""Of a value that its words contradict, do not show, or may mean otherwise."""
NOT_SHOWN = "nothing in the quote shows how it follows"
UNQUOTED = frozenset({Mark.DERIVED, Mark.DOUBTED, Mark.UNSHOWN})
"""Of a value that does not stand in its words as it is."""

# a dictionary: calling an enumeration takes six times as long, and there is a call for each cell
_MARKS = {mark.value: mark for mark in Mark}


def write_marks(marks: Iterable[Mark]) -> str:
    """Write marks as one text, as tables hold them: `derived kept`."""
    return " ".join(sorted(marks)) if marks else ""


def read_marks(text: str) -> frozenset[Mark]:
    """Read what `write_marks` wrote."""
    return frozenset(_MARKS[word] for word in text.split()) if text else frozenset()


BY_RULES: Final = "offline"  # how code signs the cells that it reads; all others are predicted
BY_MODEL: Final = "model"  # how a language model does that the settings name


@dataclass(frozen=True, slots=True)
class Cell:
    """One attribute of one record.

    Attributes:
        attribute: Its name.
        state: See `State`.
        as_stated: The words of the document, or None when it says nothing.
        span: Where they are in `Document.text`; None when it says nothing.
        context: Words around the value that change its reading, such as a caption "(in millions)",
            a column header or a key with a unit ("Price (USD)"); empty when there are none.
        value: Normalised; None before normalisation, and when nothing is known.
        unit: Of the value, such as `USD`; None when it has none.
        engine: Who found it: `offline`, `model`, `agent`.
        note: Why it failed, why it is doubted, or what was changed at standardisation, newest
            first; empty otherwise.
        marks: What code is to know of it, see `Mark`.
    """

    attribute: str
    state: State
    as_stated: str | None = None
    span: Span | None = None
    context: str = ""
    value: Value | None = None
    unit: str | None = None
    engine: str = BY_RULES
    note: str = ""
    marks: frozenset[Mark] = frozenset()


def add_note(cell: Cell, note: str, *marks: Mark) -> Cell:
    """Return *cell* with *note* before what was noted earlier, and with *marks*.

    `"odd"`, `"doubted"` -> `"doubted; odd"`
    """
    noted = f"{note}; {cell.note}" if cell.note else note
    return replace(cell, note=noted, marks=cell.marks.union(marks))


@dataclass(frozen=True, slots=True)
class ListedRows:
    """What one document lists: its rows of a child table.

    Attributes:
        table: The name of the child table.
        listed: Of the list as a whole, a cell of the column `position`: STATED where there are
            rows, STATED_ABSENT where the document says that there are none, NOT_MENTIONED where it
            says nothing, FAILED where it could not be read. Where it stands, notes and marks on the
            rows together (how many there are, what they sum to) are here.
        rows: By position, which counts from 1: the cells of a row. What is not mentioned may be
            left out.
    """

    table: str
    listed: Cell
    rows: tuple[tuple[Cell, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one document, in the order of the schema's attributes, and what it lists.

    *lists* has one entry a child table at most; where it has none, the document lists nothing.
    """

    document_id: str
    cells: tuple[Cell, ...]
    lists: tuple[ListedRows, ...] = ()


@dataclass(frozen=True, slots=True)
class PredictedCell:
    """A cell without its value, and the value as canonical text.

    Attributes:
        cell: `as_stated` and `span` are the words of the document that show it.
        value_text: `12.5`, `2021-03-04`, `true` or the text to store; None where nothing is stated.
    """

    cell: Cell
    value_text: str | None = None


@dataclass(frozen=True, slots=True)
class ListedCells:
    """The rows that a language model lists for the child *table*, in the order of its columns."""

    table: str
    rows: tuple[tuple[PredictedCell, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class PredictedRecord:
    """The cells of one document, in the order of the attributes that were asked for.

    Attributes:
        document_id: Of the document.
        sha256: Of the bytes that were read.
        cells: One an attribute.
        error: Why no reply could be had; empty where there was one. Such a record is asked again
            at the next ingestion.
        summary: A sentence on the document; empty where none was asked for.
        lists: What it lists; the cell of each list as a whole is among the cells.
    """

    document_id: str
    sha256: str
    cells: tuple[PredictedCell, ...]
    error: str = ""
    summary: str = ""
    lists: tuple[ListedCells, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What record prediction needs of a document.

    *text* is the one that spans of cells point into; *sha256* names the bytes it was read from.
    *passages* as they were cut; empty where nobody knows them.
    """

    document_id: str
    title: str
    path: str
    text: str
    sha256: str
    passages: tuple[Passage, ...] = ()


def is_predicted(engine: str) -> bool:
    """Whether a language model found the cells that *engine* signs."""
    return engine != BY_RULES


COUNT_WORDS = re.compile(
    r"^n\b|^num\b|\bnumber of (?!the\b|this\b|an?\b)|\bcount\b|\bhow many\b"
    r"|\b(?:0|zero) (?:if|when|where) ",
    re.IGNORECASE,
)


def is_count(attribute: Attribute) -> bool:
    """Return whether name or description of a column of whole numbers say that it counts."""
    words = f"{attribute.name.replace('_', ' ')}. {attribute.description}"
    return attribute.type.is_whole and COUNT_WORDS.search(words) is not None


def counts_things(attribute: Attribute) -> bool:
    """Return whether a column counts things, as its definition or a plural name says."""
    is_number = attribute.type.is_whole and attribute.unit is None
    names = content_words(attribute.name.replace("_", " ")) if is_number else []
    return is_count(attribute) or any(singular(word) != word for word in names)


def said_of(attribute: Attribute) -> str:
    """Return the words that say what a column holds: its name, unit and synonyms."""
    return " ".join((attribute.name.replace("_", " "), attribute.unit or "", *attribute.synonyms))


def none_counts_as_zero(attribute: Attribute, words: str | None) -> bool:
    """Return whether "none", in *words*, is 0: there are none of what the column counts.

    `none`, `no visitors in May` -> True for `visitors`; `no figure`, `not counted` -> False
    """
    if attribute.absent_means == "zero" or not any(map(str.isalpha, words or "")):
        return attribute.absent_means == "zero"
    called = COUNT_WORDS.sub(" ", said_of(attribute))
    return counts_things(attribute) and denies_only(words or "", called)


def write_canonical(attribute: Attribute, value: Value | None) -> str | None:
    """Write *value* as canonical text; None where it does not fit the attribute's type.

    A date that is known to the month or year only stays so: `2021-03`.
    """
    text = attribute.type.write(value)
    known = attribute.categories or () if attribute.type.is_text else ()
    if not text or text in known:
        return text
    alike = [category for category in known if fold(category) == fold(text)]
    return alike[0] if len(alike) == 1 else text


def read_column(attribute: Attribute, predicted: Sequence[PredictedCell]) -> list[Cell]:
    """Return the cells of one attribute over all documents, in the same order, with values.

    Spellings of a text that differ only in case or white space become the most frequent one, as
    they do for cells that code extracted. One that is none of the categories stays as it is: the
    model was asked twice whether it is one of them.
    """
    cells = [_with_value(attribute, item) for item in predicted]
    if attribute.type.is_boolean:
        return _without_usual_doubt(cells)
    if not attribute.type.is_text:
        return cells
    texts = [cell.value for cell in cells if isinstance(cell.value, str)]
    tidied = {text: tidy(text) for text in texts}
    spellings = choose_spellings([tidied[text] for text in texts])
    known = set(attribute.categories or ())
    for place, cell in enumerate(cells):
        if isinstance(cell.value, str):
            found = replace(cell, value=spellings[tidied[cell.value]])
            is_other = known and found.value not in known
            cells[place] = add_note(found, "not one of the categories") if is_other else found
    return cells


def _without_usual_doubt(cells: list[Cell]) -> list[Cell]:
    """Return the answers of a column, unmarked where most with one value are not shown.

    The documents say it so, as `An adult pays £6` does that entry is not free: none of them is odd,
    where there are as many as make a kind. What is marked for something else stays marked.
    """
    notes = [cell.note.split("; ") for cell in cells]
    counts = Counter((x.value, NOT_SHOWN in note) for x, note in zip(cells, notes, strict=True))
    usual = [x for x in (True, False) if counts[x, True] >= max(MIN_DOCUMENTS, counts[x, False])]
    for place, (cell, note) in enumerate(zip(cells, notes, strict=True)):
        if cell.value in usual and NOT_SHOWN in note:
            rest = "; ".join(part for part in note if part != NOT_SHOWN)
            cells[place] = replace(cell, note=rest, marks=cell.marks - {Mark.UNSHOWN})
    return cells


def _with_value(attribute: Attribute, predicted: PredictedCell) -> Cell:
    cell, text = predicted.cell, predicted.value_text
    if cell.state is State.STATED_ABSENT:
        return replace(cell, value=_absence(attribute, cell.as_stated), unit=None)
    if cell.state is not State.STATED or text is None:
        return cell
    value = attribute.type.read(text)
    if value is None:
        reason = "a partial date" if is_partial_date(text) else f"{text!r} does not fit its type"
        return add_note(replace(cell, state=State.FAILED, unit=None), reason)
    return replace(cell, value=value)


def _absence(attribute: Attribute, words: str | None) -> bool | int | None:
    """Return the value of a cell whose *words* say that there is none: `no pool` -> False."""
    if attribute.type.denied is not None:
        return attribute.type.denied
    is_zero = attribute.type.is_numeric and none_counts_as_zero(attribute, words)
    return 0 if is_zero else None


def normalise_column(attribute: Attribute, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of one attribute over all documents, in the same order, with values.

    What one cell leaves open (`1.234`, `3/4/2020`, "(in millions)", two spellings of a name) is
    decided on the whole column. A stated cell that cannot be read becomes FAILED and keeps its
    words; a placeholder ("n/a", "none") becomes NOT_MENTIONED or STATED_ABSENT. Beside cells whose
    words say that there is none, an empty one says nothing.
    """
    column = Column(attribute.type, attribute.name, attribute.unit, attribute.categories)
    done = list(cells)
    places = [place for place, cell in enumerate(cells) if cell.state is State.STATED]
    maps = [rule.map for rule in attribute.extractors if isinstance(rule, PatternRule)]
    # of words that are symbols alone ("★★★") folding leaves nothing
    mapped = {fold(words) or words: value for known in maps for words, value in known.items()}
    texts = [cells[place].as_stated or "" for place in places]
    if mapped:
        texts = [mapped.get(fold(text) or text, text) for text in texts]
    said = [Words(text, cells[place].context) for text, place in zip(texts, places, strict=True)]
    for place, reading in zip(places, read_words(column, said), strict=True):
        cell = cells[place]
        if reading.state is State.NOT_MENTIONED:  # `n/a` says nothing that could be quoted
            done[place] = Cell(cell.attribute, reading.state, engine=cell.engine, marks=cell.marks)
            continue
        # not `dataclasses.replace`, which takes three times as long
        done[place] = Cell(
            cell.attribute, reading.state, cell.as_stated, cell.span, cell.context, reading.value,
            reading.unit, cell.engine, reading.note or cell.note,
            cell.marks | {Mark.DOUBTED} if reading.is_guess else cell.marks,
        )  # fmt: skip
    none = [done[place] for place in places if done[place].state is State.STATED_ABSENT]
    is_worded = any(char.isalpha() for cell in none for char in cell.as_stated or "")
    for place, cell in enumerate(done):
        if is_worded and cell.state is State.STATED_ABSENT and cell.as_stated == "":
            done[place] = Cell(cell.attribute, State.NOT_MENTIONED, engine=cell.engine)
        elif cell.state is State.STATED_ABSENT:
            done[place] = replace(cell, value=_absence(attribute, cell.as_stated))
    return done


# "In millions, except per share": what is measured against something else is not in the scale.
IS_RELATIVE = re.compile(r"\bper\b|%|\bpercent|\bratio\b|\bmargin\b|\brate\b", re.IGNORECASE)


def add_surroundings(cells: Sequence[Cell], blocks: Sequence[Block]) -> list[Cell]:
    """Return *cells* with the words around each stated value added to its `context`.

    Of a value in a table: the headers of its column and row, then the caption; of one below a
    heading that says how numbers are written: the heading. The nearest words come first.
    `1,200` below "Costs" in a table "(in thousands)" -> context `Costs; (in thousands)`
    """
    tables = [block for block in blocks if isinstance(block, Table)]
    pairs = [block for block in blocks if isinstance(block, KeyValue) and _note(block.section)]
    if not tables and not pairs:
        return list(cells)
    done = list(cells)
    for place, cell in enumerate(cells):
        if cell.state is State.STATED and cell.span is not None:
            words = (cell.context, *_words_around(cell.span, tables, pairs))
            done[place] = replace(cell, context="; ".join(dict.fromkeys(filter(None, words))))
    return done


def add_style(record: Record, schema: Schema) -> Record:
    """Return *record* with how its document writes decimals, if it shows it, beside its numbers.

    `1.065` in a document with `12,50` -> context `elsewhere decimal comma`
    """
    numeric = {x.name for table in schema.tables for x in table.attributes if x.type.is_numeric}
    rows = (record.cells, *(row for listed in record.lists for row in listed.rows))
    said = [x.as_stated or "" for row in rows for x in row if x.attribute in numeric]
    style = find_style(figure.numeral for words in said for figure in scan_figures(words))
    told = f"{ELSEWHERE}{style}"
    pairs = ((cell, "; ".join(filter(None, (cell.context, told)))) for cell in record.cells)
    cells = (replace(x, context=more) if x.attribute in numeric else x for x, more in pairs)
    return replace(record, cells=tuple(cells)) if style else record


def _words_around(span: Span, tables: Sequence[Table], pairs: Sequence[KeyValue]) -> Iterator[str]:
    for table in tables:
        if _holds(table.span, span):
            row, column = _cell_of(table, span)
            names = [" ".join(table.headers[column]), row[0].text if column else ""] if row else []
            yield from (*names, _row_unit(table, row, column))
            if not any(map(IS_RELATIVE.search, names)):
                yield from (table.caption, _note(table.section))
            return
    for pair in pairs:
        if _holds(pair.value_span, span):
            yield "" if IS_RELATIVE.search(pair.key) else _note(pair.section)
            return


def _cell_of(table: Table, span: Span) -> tuple[Sequence[TableCell], int]:
    """Return the row of *table* that *span* is in, and which cell of it; no row where in none."""
    for row in table.rows:
        for column, cell in enumerate(row):
            if _holds(cell.span, span):
                return row, column
    return (), 0


def _row_unit(table: Table, row: Sequence[TableCell], column: int) -> str:
    """Return what a column of units says of a cell of *row*: `unit: mg/L`; else empty."""
    places = [
        place
        for place, cell in enumerate(row)
        if cell.text and place != column
        if holds_units(other[place].text for other in table.rows)
    ]
    return f"{UNIT_OF_ROW}{row[places[0]].text}" if len(places) == 1 else ""


def _note(section: Sequence[str]) -> str:
    """Return the nearest heading if it says how numbers are written."""
    return section[-1] if section and is_caption(section[-1]) else ""


def _holds(outer: Span, inner: Span) -> bool:
    return outer.holds(inner) and inner.start < outer.end


def verify_cell(cell: Cell, text: str) -> Cell:
    """Return *cell* with its place checked against *text*.

    A stated cell whose words are elsewhere gets the right place; one whose words the document does
    not have becomes FAILED, without a value.
    """
    words, span = cell.as_stated or "", cell.span
    if cell.state not in (State.STATED, State.STATED_ABSENT):
        return cell
    if span is not None and words and span.of(text) == words:
        return cell
    if span is not None and cell.as_stated == "" and cell.state is State.STATED_ABSENT:
        return cell  # an empty cell of a table file has a place, and no words
    place = locate(words, text, span.start if span else 0)
    if place is not None:
        return replace(cell, span=place)
    reason = "the document does not have these words" if words else "there is no quote for it"
    return replace(cell, state=State.FAILED, value=None, unit=None, note=reason)


def verify_rows(listed: ListedRows, text: str) -> ListedRows:
    """Return the rows of a document with the places of their cells checked, as `verify_cell`."""
    rows = tuple(tuple(verify_cell(cell, text) for cell in row) for row in listed.rows)
    return replace(listed, listed=verify_cell(listed.listed, text), rows=rows)
