"""Edits of a schema, as a person makes them in its file, and the cells that they leave."""

import re
from collections.abc import Mapping, Sequence

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import NAME_PATTERN, RESERVED_NAMES, Attribute
from srag_mcp.schema.schema import POSITION, Schema, Table
from srag_mcp.values.types import COLUMN_TYPES, NUMBER

_READ_ANEW = "its rows are read anew for that, so change it in schema.json, and ingest"


def rename(schema: Schema, old: str, new: str) -> Schema:
    """Call the column *old* *new*; questions may say either."""
    table, [column] = find_columns(schema, old)
    reserved = {*RESERVED_NAMES, *([POSITION] if table.parent else ())}
    if not re.fullmatch(NAME_PATTERN, new) or new in reserved:
        msg = f"{new!r} is no name of a column: take small letters, digits and _"
        raise SchemaError(msg)
    if any(item.name == new for item in table.attributes):
        msg = f"there is a column {table.named(new)!r}: merge makes one of two"
        raise SchemaError(msg)
    names = {"name": new, "formerly": (*column.formerly, column.name)}
    new_one = _called(column, column.name).model_copy(update=names)
    return _replaced(schema, table, {column.name: new_one})


def drop(schema: Schema, name: str) -> Schema:
    """Leave a column out, or a list; it is not read any more."""
    table, columns = find_columns(schema, name, of_lists=True)
    return _replaced(schema, table, dict.fromkeys(item.name for item in columns))


def hide(schema: Schema, name: str, *, hidden: bool = True) -> Schema:
    """Show a column nowhere, or a list, or again."""
    table, columns = find_columns(schema, name, of_lists=True)
    new = {item.name: item.model_copy(update={"hidden": hidden}) for item in columns}
    return _replaced(schema, table, new)


def merge(schema: Schema, kept: str, other: str) -> Schema:
    """Make one column of two that say the same; where both do, *kept* wins.

    Raises:
        SchemaError: If they are of two types or units, silence means two things, or one is of a
            list.
    """
    (table, [first]), (of, [second]) = find_columns(schema, kept), find_columns(schema, other)
    kinds = [(str(x.type), x.unit or "no unit", x.absent_means) for x in (first, second)]
    problem = ""
    if first is second or kinds[0] != kinds[1]:
        said = " and ".join(", ".join(kind) for kind in kinds)
        problem = f"two columns of one type and unit are merged; these are {said}"
    elif table is not of:
        problem = f"{kept} and {other} are of two tables: which row of one is one of the other?"
    elif table.parent:
        problem = f"{kept} and {other} are of a list: {_READ_ANEW}"
    if problem:
        raise SchemaError(problem)
    rules = (*first.extractors, *second.extractors)
    taken = (*first.formerly, *second.formerly, second.name)
    words = {"extractors": rules, "formerly": taken, "audit": None}
    words["synonyms"] = tuple(dict.fromkeys((*first.synonyms, *second.synonyms)))
    merged = _called(first.model_copy(update=words), second.name)
    return _replaced(schema, table, {second.name: None, first.name: merged})


def retype(schema: Schema, name: str, kind: str, unit: str | None = None) -> Schema:
    """Let a column hold another type; of numbers, in *unit*.

    Raises:
        SchemaError: If there is no such type, it has that one, or is of a list.
    """
    table, [column] = find_columns(schema, name)
    if table.parent:
        msg = f"{name} is of a list: {_READ_ANEW}"
        raise SchemaError(msg)
    if kind not in COLUMN_TYPES or column.type == kind:
        is_one = f"is of type {column.type}" if column.type == kind else "has no such type"
        msg = f"{name} {is_one}: take another one of {', '.join(COLUMN_TYPES)}"
        raise SchemaError(msg)
    new = COLUMN_TYPES[kind]
    if new.is_numeric and column.type.is_numeric:
        unit = column.unit
    update: dict[str, object] = {"type": new, "unit": unit if new.is_numeric else None}
    update |= {"categories": None, "examples": ()}
    if not new.means(column.absent_means):
        update["absent_means"] = "unknown"
    return _replaced(schema, table, {column.name: column.model_copy(update=update)})


def split_unit(schema: Schema, name: str, unit: str) -> Schema:
    """Make numbers in one unit of texts such as `12 kg` and `450 g`."""
    _, [column] = find_columns(schema, name)
    if not column.type.is_text:
        msg = f"{name} is of type {column.type}, not of texts that have units"
        raise SchemaError(msg)
    return retype(schema, name, NUMBER, unit)


def set_noun(schema: Schema, nouns: Sequence[str]) -> Schema:
    """Let people call a record by *nouns*, the first of which is its title."""
    if not all(any(map(str.isalpha, noun)) for noun in nouns):
        msg = "a noun has letters"
        raise SchemaError(msg)
    title = nouns[0][:1].upper() + nouns[0][1:]
    return schema.model_copy(update={"title": title, "nouns": tuple(dict.fromkeys(nouns))})


def _called(column: Attribute, name: str) -> Attribute:
    words = dict.fromkeys((*column.synonyms, name.replace("_", " ")))
    return column.model_copy(update={"synonyms": tuple(words)})


def find_columns(
    schema: Schema, name: str, *, of_lists: bool = False
) -> tuple[Table, tuple[Attribute, ...]]:
    """Return the table of a column, and that column; *of_lists*: all, where *name* is a list.

    Raises:
        SchemaError: If there is none, or it is a list, and one column is meant.
    """
    whole = next((x for x in schema.children if of_lists and x.entity == name), None)
    if whole is not None:
        return whole, whole.attributes
    entity, column = schema.find_column(name)
    table = schema.find_table(entity)
    if column not in {item.name for item in table.attributes}:
        columns = ", ".join(table.named(item.name) for item in table.attributes)
        msg = f"{name} is a list as a whole, and none of its columns: {columns}"
        raise SchemaError(msg)
    return table, (schema.attribute(column, entity),)


def _replaced(schema: Schema, table: Table, new: Mapping[str, Attribute | None]) -> Schema:
    """Return *schema* with *new* columns of a table by the names of those before, None for none."""
    items = (new.get(item.name, item) for item in table.attributes)
    left = tuple(item for item in items if item is not None)
    if not table.parent and not any(not item.hidden for item in left):
        msg = f"{', '.join(new)} is the last column: a table has one at least"
        raise SchemaError(msg)
    changed = table.model_copy(update={"attributes": left})
    tables = (changed if item is table else item for item in schema.tables)
    tables = (item for item in tables if item.attributes or not item.parent)
    return without_stale(schema.model_copy(update={"tables": tuple(tables)}))


def without_stale(schema: Schema) -> Schema:
    """Return *schema* without former names that are names of columns: they are others by now.

    Where documents list the rows of a child table is said by the names of today.
    """
    return schema.model_copy(update={"tables": tuple(map(_without_stale, schema.tables))})


def _without_stale(table: Table) -> Table:
    names = {item.name for item in table.attributes}
    columns = tuple(
        item.model_copy(update={"formerly": tuple(x for x in item.formerly if x not in names)})
        if names.intersection(item.formerly)
        else item
        for item in table.attributes
    )
    table = table.model_copy(update={"attributes": columns})
    known = former_names(table) | {name: name for name in names}
    sources = (item.renamed(known) for item in table.sources)
    return table.model_copy(update={"sources": tuple(sources)})


def find_moved(before: Table, now: Table) -> dict[str, str] | None:
    """Return the columns of a child table of then that are there, by other names maybe.

    None where its rows have to be read: it is listed elsewhere, or a column is another one.
    """
    names: dict[str, str] = {}
    for item in now.attributes:
        own = find_sources(before, item)
        if len(own) != 1 or (own[0].type, own[0].extractors) != (item.type, item.extractors):
            return None
        names[own[0].name] = item.name
    sources_then = tuple(item.renamed(names) for item in before.sources)
    is_same = (before.entity, before.of_values) == (now.entity, now.of_values)
    return names if is_same and sources_then == now.sources else None


def find_sources(before: Schema | Table, attribute: Attribute) -> tuple[Attribute, ...]:
    """Return the columns of *before* whose cells *attribute* has, the first winning."""
    known = {item.name: item for item in before.attributes}
    names = (attribute.name, *reversed(attribute.formerly))
    sources = [known[name] for name in dict.fromkeys(names) if name in known]
    if not sources or not _is_same(sources[0], attribute):
        return ()
    kind = sources[0].type, sources[0].unit
    return tuple(item for item in sources if (item.type, item.unit) == kind)


def _is_same(before: Attribute, now: Attribute) -> bool:
    """Whether cells hold for *now*: as they are, or where its type alone is another one."""
    names = {"description", "absent_means", "unit", "categories", "examples"}
    if before.type != now.type:
        are_numbers = before.type.is_numeric and now.type.is_numeric
        names = {"description", "unit"} if are_numbers else {"description"}
    return before.model_dump(include=names) == now.model_dump(include=names)


def former_names(table: Table) -> dict[str, str]:
    """Return the names of columns that have another name by now, with that one."""
    return {was: item.name for item in table.attributes for was in item.formerly}
