"""Extraction: the record of a document, by the rules that its schema carries."""

from srag_mcp.cells.cell import Cell, Mark, Record, add_note
from srag_mcp.documents.document import Document
from srag_mcp.errors import SchemaError
from srag_mcp.rules.candidates import amount_span, plain_value
from srag_mcp.rules.items import read_item
from srag_mcp.rules.labels import elect, keyed_numbers, read_field
from srag_mcp.rules.patterns import find_pattern
from srag_mcp.rules.places import find_place
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.slot_rules import best_slot, rival
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import (
    CellRule,
    Extractor,
    ItemRule,
    KeyRule,
    PatternRule,
    PlaceRule,
    SlotRule,
)
from srag_mcp.schema.schema import Schema
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

# So begins the note of a cell that another place of its document contradicts.
_ELSEWHERE = "told otherwise elsewhere"


def extract_record(document: Document, schema: Schema) -> Record:
    """Read one document: for each attribute the words that state it, and where they are.

    Values are left None: `normalise_column` reads them with the whole column in view.
    """
    sightings = Sightings(document)
    cells = tuple(extract_cell(sightings, attribute) for attribute in schema.attributes)
    return Record(document.id, cells)


def extract_cell(sightings: Sightings, attribute: Attribute) -> Cell:
    """Read one attribute: the first of its rules that finds something decides.

    What a later rule finds at another place is compared with it: a cell that it contradicts says so
    by a mark.
    """
    chosen: Cell | None = None
    for rule in attribute.extractors:
        cell = _apply(rule, sightings, attribute)
        if cell is None:
            continue
        if chosen is None:
            chosen = cell
        elif (other := _contradiction(chosen, cell, attribute)) and not chosen.marks:
            chosen = _contradicted(chosen, repr(other))
    return chosen or Cell(attribute.name, State.NOT_MENTIONED)


def _contradicted(cell: Cell, other: str) -> Cell:
    return add_note(cell, f"{_ELSEWHERE}: {other}", Mark.CONTRADICTED)


def _contradiction(chosen: Cell, other: Cell, attribute: Attribute) -> str:
    """Return what *other* says at another place, if it is something else."""
    one, two = chosen.span, other.span
    if attribute.type.is_boolean or one is None or two is None:
        return ""
    if one.start < two.end and two.start < one.end:
        return ""
    words = other.as_stated or ""
    same = plain_value(chosen.as_stated or "", attribute.type) == plain_value(words, attribute.type)
    return "" if same else words[:80]


def _apply(rule: Extractor, sightings: Sightings, attribute: Attribute) -> Cell | None:
    match rule:
        case KeyRule():
            return _by_key(rule, sightings, attribute)
        case ItemRule():
            return read_item(rule, sightings, attribute.name)
        case SlotRule():
            return _by_slot(rule, sightings, attribute)
        case PlaceRule():
            return _stated(attribute, sightings, find_place(rule, sightings))
        case CellRule():
            own = (c for c in sightings.cells if c.row == rule.row and c.column == rule.column)
            return _stated(attribute, sightings, next((cell.span for cell in own), None))
        case PatternRule():
            return _by_pattern(rule, sightings, attribute)
        case _:
            return None


def _stated(
    attribute: Attribute, sightings: Sightings, span: Span | None, context: str = ""
) -> Cell | None:
    if span is None:
        return None
    words = span.of(sightings.text)
    return Cell(attribute.name, State.STATED, words, span, context)


def _by_key(rule: KeyRule, sightings: Sightings, attribute: Attribute) -> Cell | None:
    if rule.word is not None:
        number, near = elect(rule, keyed_numbers(sightings))
        cell = _stated(attribute, sightings, number.span if number else None)
        return _contradicted(cell, "other labels give other numbers") if cell and near else cell
    fields, differ = read_field(rule, sightings)
    if not fields:
        return None
    field = fields[-1 if rule.occurrence == "last" else 0]
    span = field.figure if rule.reads == "label" else field.span
    if rule.reads == "amount" and (part := amount_span(field.value)) is not None:
        span = Span(field.span.start + part.start, field.span.start + part.end)
    others = [other.value for other in fields if other.value != field.value]
    context = field.label if rule.reads != "label" else ""
    cell = _stated(attribute, sightings, span, context)
    return _contradicted(cell, repr(others[0][:80])) if cell and differ and others else cell


def _by_pattern(rule: PatternRule, sightings: Sightings, attribute: Attribute) -> Cell | None:
    try:
        return _stated(attribute, sightings, find_pattern(rule, sightings.text))
    except SchemaError as error:
        return Cell(attribute.name, State.FAILED, note=str(error))


def _by_slot(rule: SlotRule, sightings: Sightings, attribute: Attribute) -> Cell | None:
    slots = sightings.named if rule.value_type == "name" else sightings.slots
    slot = best_slot(rule, slots)
    if slot is None:
        return None
    cell = _stated(attribute, sightings, slot.value.span)
    other = rival(rule, slot, slots, sightings.text)
    if cell is None or other is None:
        return cell
    words = other.value.span.of(sightings.text)
    return _contradicted(cell, repr(words[:80]))
