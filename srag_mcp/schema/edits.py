"""Edits of a schema, as a person makes them in its file, and the cells that they leave."""

import re
from collections.abc import Sequence

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import NAME_PATTERN, RESERVED_NAMES, Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.values.types import COLUMN_TYPES, NUMBER


def rename(schema: Schema, old: str, new: str) -> Schema:
    """Call the column *old* *new*; questions may say either."""
    column = schema.attribute(old)
    if not re.fullmatch(NAME_PATTERN, new) or new in RESERVED_NAMES:
        msg = f"{new!r} is no name of a column: take small letters, digits and _"
        raise SchemaError(msg)
    if any(item.name == new for item in schema.attributes):
        msg = f"there is a column {new!r}: merge makes one of two"
        raise SchemaError(msg)
    names = {"name": new, "formerly": (*column.formerly, old)}
    return _replaced(schema, old, _called(column, old).model_copy(update=names))


def drop(schema: Schema, name: str) -> Schema:
    """Leave a column out; it is not read any more."""
    return _replaced(schema, schema.attribute(name).name, None)


def hide(schema: Schema, name: str, *, hidden: bool = True) -> Schema:
    """Show a column nowhere, or again."""
    column = schema.attribute(name).model_copy(update={"hidden": hidden})
    return _replaced(schema, name, column)


def merge(schema: Schema, kept: str, other: str) -> Schema:
    """Make one column of two that say the same; where both do, *kept* wins.

    Raises:
        SchemaError: If they are of two types or units, or silence means two things.
    """
    first, second = schema.attribute(kept), schema.attribute(other)
    kinds = [(str(x.type), x.unit or "no unit", x.absent_means) for x in (first, second)]
    if kept == other or kinds[0] != kinds[1]:
        said = " and ".join(", ".join(kind) for kind in kinds)
        msg = f"two columns of one type and unit are merged; these are {said}"
        raise SchemaError(msg)
    rules = (*first.extractors, *second.extractors)
    taken = (*first.formerly, *second.formerly, other)
    words = {"extractors": rules, "formerly": taken, "audit": None}
    words["synonyms"] = tuple(dict.fromkeys((*first.synonyms, *second.synonyms)))
    merged = _called(first.model_copy(update=words), other)
    return _replaced(_replaced(schema, other, None), kept, merged)


def retype(schema: Schema, name: str, kind: str, unit: str | None = None) -> Schema:
    """Let a column hold another type; of numbers, in *unit*.

    Raises:
        SchemaError: If there is no such type, or it holds it already.
    """
    column = schema.attribute(name)
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
    return _replaced(schema, name, column.model_copy(update=update))


def split_unit(schema: Schema, name: str, unit: str) -> Schema:
    """Make numbers in one unit of texts such as `12 kg` and `450 g`."""
    column = schema.attribute(name)
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


def _replaced(schema: Schema, name: str, column: Attribute | None) -> Schema:
    items = (column if item.name == name else item for item in schema.attributes)
    left = tuple(item for item in items if item is not None)
    if not any(not item.hidden for item in left):
        msg = f"{name} is the last column: a table has one at least"
        raise SchemaError(msg)
    return without_stale(schema.model_copy(update={"attributes": left}))


# --- What an edit leaves as it is ---------------------------------------------------------------


def without_stale(schema: Schema) -> Schema:
    """Return *schema* without former names that are names of columns: they are others by now."""
    names = {item.name for item in schema.attributes}
    columns = tuple(
        item.model_copy(update={"formerly": tuple(x for x in item.formerly if x not in names)})
        if names.intersection(item.formerly)
        else item
        for item in schema.attributes
    )
    return schema.model_copy(update={"attributes": columns})


def find_sources(before: Schema, attribute: Attribute) -> tuple[Attribute, ...]:
    """Return the columns of *before* whose cells those of *attribute* are, the first winning.

    Those of a column whose definition is another one have to be read.
    """
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


def former_names(schema: Schema) -> dict[str, str]:
    """Return the names of columns that have another name by now, with that one."""
    return {was: item.name for item in schema.attributes for was in item.formerly}
