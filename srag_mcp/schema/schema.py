"""A schema: the tables that hold what every document of a corpus describes."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import (
    NAME_PATTERN,
    RESERVED_NAMES,
    Attribute,
    keys_of,
    snake_case,
    unique_name,
)
from srag_mcp.text.words import fold_words, singular, stem
from srag_mcp.values.types import INTEGER, TEXT

RESERVED_TABLES = frozenset({"documents", "cells", "passages"})
_FREE_BEFORE = "passages"  # schemas of earlier versions may call their records so
_PREFIX, _LONGEST_NAME = "corpus_", 63
_OWN_PREFIX = "srag_"
POSITION = "position"
"""The column of a child table that counts the rows of a document, from 1."""


def table_name(text: str, taken: Collection[str] = ()) -> str:
    """Return *text* as the name of a table, `cells` -> `corpus_cells` where that is not free."""
    name = text
    while name in RESERVED_TABLES or name in taken or name.startswith(_OWN_PREFIX):
        name = f"{_PREFIX}{name}"
    return name[:_LONGEST_NAME]


def child_name(entity: str, list_name: str, taken: Collection[str] = ()) -> str:
    """Name the child table of *entity* for a list: `order`, `line items` -> `order_line_items`."""
    return table_name(f"{entity}_{snake_case(list_name) or 'list'}", {entity, *taken})


def value_column(list_name: str) -> str:
    """Name the column of a list of plain values: `shipping.tags` -> `tag`."""
    last = snake_case(list_name.rpartition(".")[2])
    head, _, word = last.rpartition("_")
    name = "_".join(filter(None, (head, singular(word))))
    return "value" if name in {"", POSITION, *RESERVED_NAMES} else name


class ListName(BaseModel):
    """A list that the records of a table file hold, kept out of the columns.

    *holds* is what it is a list of, for people; *members* are the names in its objects.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    holds: str = "values"
    members: tuple[str, ...] = ()


AS_WRITTEN = (
    "Each member is a string, as the document writes it: a number with its unit and the scale of"
    ' its heading ("1,200 thousand EUR"), a date as YYYY-MM-DD.'
)


class PendingList(BaseModel):
    """What each document lists, as a language model saw it; no row of it is read yet.

    *fields* are what each entry has; none where the entries are plain values.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str = ""
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.fields)})" if self.fields else self.name

    def as_table(self, parent: str, taken: Collection[str]) -> "Table":
        """Return it as a child table of *parent* whose columns are the words of documents."""
        columns: list[Attribute] = []
        for field in self.fields or (value_column(self.name),):
            own = f"{value_column(self.name)} {field}" if snake_case(field) == POSITION else field
            known = {item.name for item in columns}
            name = unique_name(own, known, f"field_{len(columns) + 1}")
            words = (field,) if field.replace("_", " ") != name.replace("_", " ") else ()
            columns.append(Attribute(name=name, type=TEXT, synonyms=words))
        return Table(
            title=self.name,
            entity=child_name(parent, self.name, taken),
            attributes=tuple(columns),
            parent=parent,
            list_name=self.name,
            of_values=not self.fields,
            description=" ".join(filter(None, (self.description, AS_WRITTEN))),
        )


class RowSource(BaseModel):
    """Where documents list the rows of a child table, as data: code reads them by it.

    Attributes:
        kind: `table`: each row of a table is one; `items`: each item of a list; `label`: each value
            beside a label; `blocks`: labels that come again and again; `lines` that begin alike.
        section: The folded heading right above, label or first word; None for any.
        headers: Folded headers of the columns of such a table: one that has all of them counts.
        context: What changes the reading of its numbers, see `Cell.context`.
        separator: The mark between values beside one label; with `&`, a word joins the last.
        pattern: Parts each item or line; its groups are columns. Empty where it is one value.
        totals: Folded labels outside of the list that state the sum of a column, by its name.
        counts: Folded labels and nouns by which documents state how many rows there are.
        sums: Folded labels of rows that are proven to be sums of others, and none of the list.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["table", "items", "label", "blocks", "lines"]
    section: str | None = None
    headers: tuple[str, ...] = ()
    context: str = ""
    heading: str = ""
    separator: str = ""
    pattern: str = ""
    totals: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    counts: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()

    def renamed(self, names: Mapping[str, str]) -> "RowSource":
        """Return it with the *names* of columns by now, by those of then; none for no column."""
        update: dict[str, object] = {
            # tables that their headings tell apart stay apart
            "heading": self.heading and names.get(self.heading, POSITION),
            "pattern": re.sub(
                r"\(\?P<(\w+)>",
                lambda said: f"(?P<{names[said[1]]}>" if said[1] in names else "(?:",
                self.pattern,
            ),
            "totals": {names[x]: labels for x, labels in self.totals.items() if x in names},
        }
        return self.model_copy(update=update)


ROWS = Attribute(
    name=POSITION, type=INTEGER, description="How many rows are listed.", absent_means="zero"
)
"""A list as a whole: the column of a child table whose cell, at position 0, counts its rows."""


class Table(BaseModel):
    """A table of records, one row a document; or a child table, one row an item of its lists.

    Attributes:
        title: What one record is, for people: "Hotel page".
        entity: The name of the table, snake_case, none of `RESERVED_TABLES`.
        attributes: In the order of the columns.
        nouns: Words that people use for one record or many ("receipt", "receipts", "bill").
        lists: What the records hold several of; no column, so that no question can be about it.
        pending_lists: What the documents list, as it was proposed with the columns.
        parent: The record table whose documents list the rows; empty for a record table.
        list_name: What the documents call the list; empty for a record table.
        of_values: Whether each item is one plain value, which the only column holds.
        description: What it lists.
        sources: Where documents list the rows, tried in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    entity: str = Field(default="records", pattern=NAME_PATTERN)
    attributes: tuple[Attribute, ...] = ()
    nouns: tuple[str, ...] = ()
    lists: tuple[ListName, ...] = ()
    pending_lists: tuple[PendingList, ...] = ()
    parent: str = ""
    list_name: str = ""
    of_values: bool = False
    description: str = ""
    sources: tuple[RowSource, ...] = ()

    @property
    def columns(self) -> tuple[Attribute, ...]:
        """Its attributes, and of a child table the count of its rows."""
        return (*self.attributes, ROWS) if self.parent else self.attributes

    def named(self, column: str) -> str:
        """Name a column as people do: `total`, and `order_items.sku` of a child table."""
        return f"{self.entity}.{column}" if self.parent else column

    @property
    def rows(self) -> str:
        """What its rows are called where they are counted: `items`; those of records, documents."""
        return self.list_name.rpartition(".")[2].replace("_", " ") or "documents"

    @model_validator(mode="after")
    def _is_usable(self) -> "Table":
        names, problem = [attribute.name for attribute in self.attributes], ""
        reserved = {*RESERVED_NAMES, POSITION} if self.parent else RESERVED_NAMES
        if bool(self.parent) != bool(self.list_name):
            problem = "a child table has a parent and the name of a list"
        elif self.parent and not names:
            problem = f"the list {self.list_name!r} has no columns"
        elif self.of_values and (not self.parent or len(names) != 1):
            problem = f"the list {self.list_name!r} of plain values has one column"
        elif twice := [name for name in names if names.count(name) > 1]:
            problem = f"attribute {twice[0]!r} is there twice"
        elif taken := [name for name in names if name in reserved]:
            problem = f"attribute name {taken[0]!r} is reserved"
        elif self.entity in RESERVED_TABLES - {_FREE_BEFORE}:
            problem = f"entity {self.entity!r} is the name of another table"
        if problem:
            raise ValueError(problem)
        return self


class Schema(BaseModel):
    """What each document of a corpus describes: a record table, and what the documents list.

    A schema is made, copied and read as if it were its record table with *children*, and one that
    an earlier version wrote as a table is read. *tables* has the record table first; *version*
    counts the changes, from 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: tuple[Table, ...] = Field(min_length=1)
    version: int = Field(default=1, ge=1)

    if TYPE_CHECKING:  # pydantic writes another: of what `_written_as_a_table` makes of these

        def __init__(  # noqa: PLR0913 - the fields of a table
            self,
            *,
            title: str,
            entity: str = "records",
            attributes: tuple[Attribute, ...] = (),
            nouns: tuple[str, ...] = (),
            version: int = 1,
            lists: tuple[ListName, ...] = (),
            pending_lists: tuple[PendingList, ...] = (),
            children: tuple[Table, ...] = (),
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _written_as_a_table(cls, data: object) -> object:
        if not isinstance(data, Mapping) or "tables" in data:
            return data
        table = {key: data[key] for key in data if key not in {"version", "children"}}
        own = {key: data[key] for key in data if key == "version"}
        return {"tables": (table, *data.get("children", ())), **own}

    @model_validator(mode="after")
    def _tables_belong_together(self) -> "Schema":
        names = [table.entity for table in self.tables]
        lists = [table.list_name for table in self.children]
        twice = next((x for x in (names, lists) if len({*x}) < len(x)), None)
        if twice is not None:
            msg = f"two tables are called {max(twice, key=twice.count)!r}"
            raise ValueError(msg)
        stray = [item.entity for item in self.children if item.parent != self.entity]
        if self.table.parent or stray:
            msg = f"{', '.join(stray) or self.entity}: the parent of a child table is the first"
            raise ValueError(msg)
        return self

    def model_copy(
        self, *, update: Mapping[str, object] | None = None, deep: bool = False
    ) -> "Schema":
        """Return a copy in which fields of the record table or of the schema have other values.

        Child tables follow another name of the record table; *children* are others.
        """
        changes = dict(update or {})
        own = {key: changes.pop(key) for key in type(self).model_fields if key in changes}
        if changes:
            children = changes.pop("children", self.children)
            table = self.table.model_copy(update=changes)
            assert isinstance(children, tuple)
            own["tables"] = (table, *(_moved(item, table.entity) for item in children))
        return super().model_copy(update=own, deep=deep)

    @property
    def children(self) -> tuple[Table, ...]:
        """The child tables: what the documents list."""
        return self.tables[1:]

    def find_table(self, name: str) -> Table:
        """Return the table called *name*; SchemaError, with the names, where there is none."""
        for table in self.tables:
            if table.entity == name:
                return table
        msg = f"no table {name!r}; there are: {', '.join(item.entity for item in self.tables)}"
        raise SchemaError(msg)

    @property
    def table(self) -> Table:
        """The record table."""
        return self.tables[0]

    def about(self, name: str) -> "Schema":
        """Return the schema as one whose rows are those of the table *name*.

        What asks for its records is told of what they list.
        """
        is_own = name == self.entity
        return self if is_own else super().model_copy(update={"tables": (self.find_table(name),)})

    @property
    def title(self) -> str:
        """What one record is, for people."""
        return self.table.title

    @property
    def entity(self) -> str:
        """The name of the record table."""
        return self.table.entity

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The columns of the record table."""
        return self.table.attributes

    @property
    def nouns(self) -> tuple[str, ...]:
        """Words that people use for one record or many."""
        return self.table.nouns

    @property
    def lists(self) -> tuple[ListName, ...]:
        """What the records hold several of."""
        return self.table.lists

    @property
    def pending_lists(self) -> tuple[PendingList, ...]:
        """What the documents list, and no table holds yet."""
        return self.table.pending_lists

    def with_pending(self) -> "Schema":
        """Return it with its pending lists as child tables, but for those a person described."""
        children = list(self.children)
        for item in self.pending_lists:
            if all(snake_case(item.name) != snake_case(child.list_name) for child in children):
                children.append(item.as_table(self.entity, [child.entity for child in children]))
        return self.model_copy(update={"children": tuple(children)})

    def shown(self) -> "Schema":
        """Return it without the columns that are hidden, and the lists of which all are."""
        tables = []
        for table in self.tables:
            shown = tuple(item for item in table.attributes if not item.hidden)
            if shown or not table.parent:
                tables.append(table.model_copy(update={"attributes": shown}))
        return self.model_copy(update={"tables": tuple(tables)})

    def list_asked_for(self, question: str) -> ListName | None:
        """Return the list that *question* is about; None where it names none, or a column.

        `the average total items` is about none where there is a column `total_items`.
        """
        asked = _phrase(question)
        columns = [(item.name, *item.synonyms) for item in self.attributes]
        phrases = {_phrase(name) for names in columns for name in names}
        for phrase in sorted(phrases, key=len, reverse=True):
            if phrase.count(" ") > 2:  # one word is not enough to tell a column from a list
                asked = asked.replace(phrase, " . ")
        for item in self.lists:
            if _phrase(item.name.rpartition(".")[2]) in asked:
                return item
        return None

    def find_column(self, name: str) -> tuple[str, str]:
        """Return the table and the column that *name* means; a list alone means its `position`.

        `order_items.sku`; alone, a column of the records, or of the only table that has it.

        Raises:
            SchemaError: If there is none, or there are several; the text lists the names.
        """
        table, _, column = name.rpartition(".")
        tables = [item for item in self.tables if not table or item.entity == table]
        found = [
            item.entity
            for item in tables
            if any(attribute.name == column for attribute in item.attributes)
            or (table and any(attribute.name == column for attribute in item.columns))
        ]
        if len(found) == 1 or self.entity in found:
            return found[0], column
        if any(child.entity == name for child in self.children):
            return name, POSITION
        msg = f"no attribute {name!r}; there are: {', '.join(self.column_names())}"
        raise SchemaError(msg)

    def column_names(self) -> list[str]:
        """Return the names of all columns, see `Table.named`."""
        return [table.named(item.name) for table in self.tables for item in table.attributes]

    def attribute(self, name: str, table: str | None = None) -> Attribute:
        """Return the attribute *name* of *table* (None: the records), or raise SchemaError."""
        columns = [
            attribute
            for item in self.tables
            if item.entity == (table or self.entity)
            for attribute in item.columns
        ]
        for attribute in columns:
            if attribute.name == name:
                return attribute
        names = ", ".join(item.name for item in columns)
        place = f" of {table}" if table else ""
        msg = f"no attribute {name!r}{place}; there are: {names}"
        raise SchemaError(msg)


def _moved(child: Table, parent: str) -> Table:
    """Return a child table of a record table that has the name *parent* by now."""
    if child.parent == parent:
        return child
    is_derived = child.entity == child_name(child.parent, child.list_name)
    name = child_name(parent, child.list_name) if is_derived else child.entity
    return child.model_copy(update={"parent": parent, "entity": name})


def _phrase(name: str) -> str:
    return f" {' '.join(map(stem, fold_words(name).split()))} "


_SAYS_NOTHING = re.compile(r"(?:attribute|value)(?:_\d+)*")


def find_meant(schema: Schema) -> dict[str, str]:
    """Return the words that are meant by names of columns which do not say it.

    `--schema` with a property `高さ` -> `{"attribute_1": "高さ"}`
    """
    found = {
        attribute.name: next(_words(attribute), "")
        for attribute in schema.attributes
        if _SAYS_NOTHING.fullmatch(attribute.name)
    }
    return {name: word for name, word in found.items() if word}


def _words(attribute: Attribute) -> Iterator[str]:
    """Yield what people and documents call the attribute, where it cannot be a name."""
    for word in (*attribute.synonyms, *keys_of(attribute.extractors)):
        if any(map(str.isalpha, word)) and not snake_case(word):
            yield word
