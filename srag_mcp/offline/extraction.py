"""Extraction: the record of a document, by the rules that its schema carries."""

from srag_mcp.cells.cell import Cell, Record
from srag_mcp.documents.document import Document
from srag_mcp.offline.anchors import find_anchored
from srag_mcp.offline.key_shapes import amount_span
from srag_mcp.offline.known_values import find_known
from srag_mcp.offline.mentions import find_mention
from srag_mcp.offline.parts import find_part
from srag_mcp.offline.places import find_place
from srag_mcp.offline.row_cells import find_cell
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.slot_rules import best_slot
from srag_mcp.offline.votes import elect, keyed_numbers
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import (
    AnchorRule,
    CellRule,
    Extractor,
    ItemRule,
    KeyRule,
    MentionRule,
    PartRule,
    PlaceRule,
    SlotRule,
    ValueRule,
    VoteRule,
)
from srag_mcp.schema.schema import Schema
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State


def extract_record(document: Document, schema: Schema) -> Record:
    """Read one document: for each attribute the words that state it, and where they are.

    Values are left None: `normalise_column` reads them with the whole column in view.
    """
    sightings = Sightings(document)
    cells = tuple(extract_cell(sightings, attribute) for attribute in schema.attributes)
    return Record(document.id, cells)


def extract_cell(sightings: Sightings, attribute: Attribute) -> Cell:
    """Read one attribute: the first of its extractors that finds something decides."""
    for rule in attribute.extractors:
        cell = _apply(rule, sightings, attribute)
        if cell is not None:
            return cell
    return Cell(attribute.name, State.NOT_MENTIONED)


def _apply(rule: Extractor, sightings: Sightings, attribute: Attribute) -> Cell | None:
    if isinstance(rule, KeyRule):
        return _by_key(rule, sightings, attribute)
    if isinstance(rule, ItemRule):
        return _by_item(rule, sightings, attribute)
    span = _find_span(rule, sightings)
    return None if span is None else _stated(attribute, sightings, span)


def _find_span(rule: Extractor, sightings: Sightings) -> Span | None:
    match rule:
        case SlotRule():
            slot = best_slot(rule, sightings.slots)
            return slot.value.span if slot else None
        case VoteRule():
            number = elect(rule, keyed_numbers(sightings))
            return number.span if number else None
        case PlaceRule():
            return find_place(rule, sightings)
        case ValueRule():
            return find_known(rule, sightings.text)
        case _:
            return _find_words(rule, sightings)


def _find_words(rule: Extractor, sightings: Sightings) -> Span | None:
    match rule:
        case PartRule():
            return find_part(rule, sightings)
        case AnchorRule():
            return find_anchored(rule, sightings)
        case MentionRule():
            return find_mention(rule, sightings)
        case CellRule():
            return find_cell(rule, sightings)
        case _:
            return None


def _stated(attribute: Attribute, sightings: Sightings, span: Span, context: str = "") -> Cell:
    words = span.of(sightings.document.text)
    return Cell(attribute.name, State.STATED, words, span, context)


def _by_key(rule: KeyRule, sightings: Sightings, attribute: Attribute) -> Cell | None:
    for key in rule.keys:
        fields = [
            found
            for found in sightings.fields.get(key, ())
            if found.value and rule.section in {None, found.section}
        ]
        if fields:
            chosen = fields[-1 if rule.occurrence == "last" else 0]
            span = chosen.span
            if rule.reads == "amount" and (part := amount_span(chosen.value)) is not None:
                span = Span(span.start + part.start, span.start + part.end)
            return _stated(attribute, sightings, span, chosen.label)
    return None


def _by_item(rule: ItemRule, sightings: Sightings, attribute: Attribute) -> Cell | None:
    """Find a statement of the rule; one that says so wins over one that denies it."""
    wanted = [frozenset(content_stems(item)) for item in rule.items]
    denied: Cell | None = None
    for item in sightings.items:
        if rule.section not in {None, item.section} or not any(w <= item.stems for w in wanted):
            continue
        words = item.span.of(sightings.text)
        if not item.negative:
            return Cell(attribute.name, State.STATED, words, item.span)
        denied = denied or Cell(attribute.name, State.STATED_ABSENT, words, item.span)
    return denied
