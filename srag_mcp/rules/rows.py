"""Rows of child tables: what one document lists, read by code."""

from collections.abc import Mapping

from srag_mcp.cells.cell import Cell, ListedRows
from srag_mcp.documents.document import Document, Listing, TableCell
from srag_mcp.documents.tables import column_key
from srag_mcp.rules.row_sources import cell_of_list, read_by_sources
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.values.states import State


def read_lists(document: Document, schema: Schema) -> tuple[ListedRows, ...]:
    """Read what a document lists of the child tables of *schema*; values are left None."""
    sightings = Sightings(document)
    found = (
        read_by_sources(sightings, child) if child.sources else read_rows(document, child)
        for child in schema.children
    )
    return tuple(item for item in found if item is not None)


def read_rows(document: Document, table: Table) -> ListedRows | None:
    """Read a list that the format of the document knows; None where it has none of that name."""
    wanted = column_key(table.list_name)
    for listing in document.listings:
        if column_key(listing.name) == wanted:
            return _read_listing(document, listing, table)
    return None


def _read_listing(document: Document, listing: Listing, table: Table) -> ListedRows:
    """Read the items of a list that the format of the document knows."""
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
            _read_cell(attribute, listing, row[place], keys[place]) for attribute, place in columns
        )
        for row in listing.rows
    )
    return ListedRows(table.entity, cell_of_list(listing.span, document.text), rows)


def _find_place(attribute: Attribute, places: Mapping[str, int]) -> int | None:
    """Return which column of a list an attribute is: by its key rule, its name or its synonyms."""
    rules = [rule for rule in attribute.extractors if isinstance(rule, KeyRule)]
    keys = [key for rule in rules for key in rule.keys]
    names = [*keys, *map(column_key, (attribute.name, *attribute.synonyms))]
    return next((places[name] for name in names if name in places), None)


def _read_cell(attribute: Attribute, listing: Listing, cell: TableCell | None, key: str) -> Cell:
    """Read a cell as one of a table file: an empty one states that there is no value."""
    is_silent = attribute.type.is_boolean and attribute.absent_means != "false"
    if cell is None or (not cell.text and is_silent):
        return Cell(attribute.name, State.NOT_MENTIONED)
    if not cell.text:
        return Cell(attribute.name, State.STATED_ABSENT, "", cell.span, key)
    context = "; ".join(filter(None, (key, listing.context)))
    return Cell(attribute.name, State.STATED, cell.text, cell.span, context)
