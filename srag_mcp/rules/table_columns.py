"""Table files: a column a header, typed by all of its values, and a row read by its headers.

Nothing is guessed from words: what a column is called and what it holds stands in the table.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from srag_mcp.cells.cell import Cell, Record
from srag_mcp.documents.document import Document, KeyValue, TableCell
from srag_mcp.documents.folder import TABLE_TYPES
from srag_mcp.documents.table_files import ColumnSample, ListedMembers
from srag_mcp.documents.tables import column_key
from srag_mcp.names.uniting import closed_set
from srag_mcp.rules.candidates import Candidate, Found
from srag_mcp.rules.extraction import extract_cell, take_back
from srag_mcp.rules.naming import IN_BRACKETS, examples_of, free_name, nouns_of_names
from srag_mcp.rules.row_sources import stated_cell
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import RESERVED_NAMES, Attribute, KeyRule, snake_case
from srag_mcp.schema.schema import POSITION, ListName, Schema, Table, child_name, value_column
from srag_mcp.values.columns import TypeGuess, classify_values
from srag_mcp.values.numbers import find_number
from srag_mcp.values.quantities import DECIMAL_COMMA, ambiguous_mark, proven_grouping
from srag_mcp.values.states import read_boolean, read_missing
from srag_mcp.values.types import TEXT
from srag_mcp.values.units import unit_of_name

_COPY = re.compile(r"\s*\(\d+\)$")
_NAME = "name"  # of a thing; it stands for the thing itself


def are_rows(documents: Sequence[Document]) -> bool:
    """Whether each document is a row of a table file."""
    return bool(documents) and all(
        "#" in document.id and document.media_type in TABLE_TYPES for document in documents
    )


def with_columns(schema: Schema, columns: Sequence[ColumnSample]) -> Schema:
    """Return *schema* with one more attribute for each column that any row fills."""
    new = _attributes(columns, {item.name for item in schema.attributes})
    return schema.model_copy(update={"attributes": (*schema.attributes, *new)})


def with_lists(schema: Schema, lists: Sequence[ListedMembers]) -> Schema:
    """Return *schema* with a child table for each list of table files whose items are alike.

    The others are named. A list that it has stays, and one that was pending is there now.
    """
    children, left = list(schema.children), list[ListName]()
    known = {child.list_name for child in children}
    for item in lists:
        is_plain = item.holds == "values"
        taken = {POSITION, *RESERVED_NAMES}
        columns = _attributes(item.columns, taken, value_column(item.name) if is_plain else "")
        if not columns:
            left.append(ListName(name=item.name, holds=item.holds, members=item.members))
        elif item.name not in known:
            last = item.name.rpartition(".")[2]
            children.append(
                Table(
                    title=last,
                    entity=child_name(
                        schema.entity, item.name, [child.entity for child in children]
                    ),
                    attributes=columns,
                    nouns=nouns_of_names(last),
                    parent=schema.entity,
                    list_name=item.name,
                    of_values=is_plain,
                )
            )
    built = {snake_case(child.list_name) for child in children}
    pending = tuple(x for x in schema.pending_lists if snake_case(x.name) not in built)
    changes = {"children": tuple(children), "lists": tuple(left), "pending_lists": pending}
    return schema.model_copy(update=changes)


def _attributes(
    columns: Sequence[ColumnSample], taken: Collection[str] = (), only: str = ""
) -> tuple[Attribute, ...]:
    """Describe the columns that any row fills; *only* names the one of a list of plain values."""
    filled = [column for column in columns if column.n_filled]
    synonyms = _synonyms([column.name for column in filled])
    attributes: list[Attribute] = []
    for column in filled:
        guess = _guess_type(column)
        unit, is_numeric = guess.unit, guess.type.is_numeric
        values = [value for value in column.values if read_missing(value, column.name) is None]
        is_ticks = guess.type.is_boolean and {read_boolean(value) for value in values} == {True}
        told = "An item of the list." if only else f'The column "{column.name}".'
        if is_numeric:
            unit = unit or unit_of_name(column.name)
        noted = is_numeric and column.caption
        said = f" A note above the table says: {column.caption}" if noted else ""
        attributes.append(
            Attribute(
                name=only or free_name(column.name, {*taken, *(item.name for item in attributes)}),
                type=guess.type,
                description=f"{told}{said}",
                unit=unit,
                examples=examples_of(values),
                categories=closed_set(guess.categories),
                # a column of ticks: where one is missing, the answer is no
                absent_means="false" if is_ticks else "unknown",
                synonyms=tuple(synonyms[column.name]),
                extractors=(KeyRule(keys=(column_key(column.name),), reads="column"),),
            )
        )
    return tuple(attributes)


def _guess_type(column: ColumnSample) -> TypeGuess:
    """Tell the type of a column by all of its values: nothing in it may speak against it."""
    values = column.values
    if column.context:  # a number that can be read in two ways: `1.234` is `1234` or `1.2340`
        numerals = [figure.numeral for value in values if (figure := find_number(value).figure)]
        decimal = "," if DECIMAL_COMMA in column.context else "."
        if proven_grouping(numerals) == decimal:
            decimal = ""
        values = tuple(_unambiguous(value, decimal) for value in values)
    guess = classify_values(values, column.name)
    kinds = column.kinds or frozenset()
    # a placeholder that code collected is none of a column's own words: only a person may say so
    kinds = frozenset(kind for kind in kinds if read_missing(kind, column.name) is None)
    if guess.type.is_boolean:
        is_other = any(read_boolean(kind) is None for kind in kinds)
    else:
        is_other = guess.type.is_numeric and column.has_codes
    if is_other:
        guess = replace(guess, type=TEXT, unit=None, categories=tuple(sorted(kinds)) or None)
    if guess.type.is_text and column.kinds is None:
        guess = replace(guess, categories=None)
    return guess


def _unambiguous(value: str, decimal: str) -> str:
    mark = ambiguous_mark(value)
    if mark is None:
        return value
    return f"{value}0" if mark == decimal else value.replace(mark, "")


def _synonyms(names: Sequence[str]) -> dict[str, list[str]]:
    """Return other words for members of nested objects, each where it means one column only."""
    words: dict[str, list[str]] = {}
    keys = frozenset(map(column_key, names))
    for name in names:
        *above, last = name.split(".")
        bare = IN_BRACKETS.sub(" ", name).strip()
        words[name] = [last.replace("_", " ")] if above and last and bare == name else []
        copied = _COPY.sub("", name)
        bare = copied if copied != name and column_key(copied) in keys else bare
        words[name] += [bare] if bare not in {"", name} else []
        if above and last.casefold() == _NAME:
            words[name].append(above[-1].replace("_", " "))
    used = Counter(column_key(word) for name in names for word in (*words[name], name))
    return {  # or only its number tells it from another one: `price (2)` beside `price`
        name: [
            w
            for w in own
            if used[key := column_key(w)] == 1 or (_COPY.fullmatch(name[len(w) :]) and key in keys)
        ]
        for name, own in words.items()
    }


def row_candidates(documents: Sequence[Document]) -> list[Candidate]:
    """Return the columns of a table as candidates for given attributes, in the table's order."""
    columns: dict[str, Candidate] = {}
    for number, document in enumerate(documents):
        for block in _cells_of(document):
            name = column_key(block.key)
            if name not in columns:
                columns[name] = Candidate("label", [block.key], [KeyRule(keys=(name,))], {})
            if block.value:
                columns[name].found[number] = Found(block.value, block.value_span)
    return list(columns.values())


def read_row(sightings: Sightings, schema: Schema) -> Record:
    """Read a row of a table file: a cell a column, see `stated_cell`; other rules read its text."""
    document = sightings.document
    found = {_key(block.key): block for block in reversed(_cells_of(document))}
    cells = [_read_cell(attribute, found, sightings) for attribute in schema.attributes]
    [told] = take_back(sightings, schema.attributes, [cells])
    return Record(document.id, told)


def _read_cell(attribute: Attribute, found: Mapping[str, KeyValue], sightings: Sightings) -> Cell:
    rule = attribute.extractors[0] if attribute.extractors else None
    if not isinstance(rule, KeyRule) or rule.reads == "label" or rule.section:
        return extract_cell(sightings, attribute)
    block = next((found[key] for key in rule.keys if key in found), None)
    if block is None:
        others = attribute.model_copy(update={"extractors": attribute.extractors[1:]})
        return extract_cell(sightings, others)
    cell = TableCell(block.value, block.value_span)
    return stated_cell(attribute, cell, block.key, "; ".join(block.section))


def _cells_of(document: Document) -> list[KeyValue]:
    """Return the cells of a row: its first blocks; what is in no column follows a heading."""
    cells = []
    for block in document.blocks:
        if not isinstance(block, KeyValue):
            break
        cells.append(block)
    return cells


_key = lru_cache(maxsize=4096)(column_key)
