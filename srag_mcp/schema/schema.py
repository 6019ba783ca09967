"""A schema: the tables that hold what every document of a corpus describes."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, model_validator

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import NAME_PATTERN, RESERVED_NAMES, Attribute, KeyRule, snake_case
from srag_mcp.text.words import fold_words, stem

RESERVED_TABLES = frozenset({"documents", "cells", "passages"})
_FREE_BEFORE = "passages"  # schemas of earlier versions may call their records so


class ListName(BaseModel):
    """A list that the records of a table file hold, kept out of the columns.

    *holds* is what it is a list of, for people; *members* are the names in its objects.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    holds: str = "values"
    members: tuple[str, ...] = ()


class PendingList(BaseModel):
    """What each document lists, as a language model saw it: nothing asks for it yet.

    *fields* are what each entry has; none where the entries are plain values.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str = ""
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.fields)})" if self.fields else self.name


class Table(BaseModel):
    """A table of records, one row a document.

    Attributes:
        title: What one record is, for people: "Hotel page".
        entity: The name of the table, snake_case, none of `RESERVED_TABLES`.
        attributes: In the order of the columns.
        nouns: Words that people use for one record or many ("receipt", "receipts", "bill").
        lists: What the records hold several of; no column, so that no question can be about it.
        pending_lists: What the documents list, as it was proposed with the columns.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    entity: str = Field(default="records", pattern=NAME_PATTERN)
    attributes: tuple[Attribute, ...] = ()
    nouns: tuple[str, ...] = ()
    lists: tuple[ListName, ...] = ()
    pending_lists: tuple[PendingList, ...] = ()

    @model_validator(mode="after")
    def _names_are_usable(self) -> "Table":
        names = [attribute.name for attribute in self.attributes]
        for name in names:
            if names.count(name) > 1:
                msg = f"attribute {name!r} is there twice"
                raise ValueError(msg)
            if name in RESERVED_NAMES:
                msg = f"attribute name {name!r} is reserved"
                raise ValueError(msg)
        if self.entity in RESERVED_TABLES - {_FREE_BEFORE}:
            msg = f"entity {self.entity!r} is the name of another table"
            raise ValueError(msg)
        return self


class Schema(BaseModel):
    """What each document of a corpus describes: its tables, of which there is one so far.

    Until there are more, a schema is made, copied and read as if it were its one table, and one
    that an earlier version wrote as a table is read.

    Attributes:
        tables: The record table first.
        version: Counts the changes of the schema, from 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: tuple[Table, ...] = Field(min_length=1, max_length=1)
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
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _written_as_a_table(cls, data: object) -> object:
        if not isinstance(data, Mapping) or "tables" in data:
            return data
        table = {key: value for key, value in data.items() if key != "version"}
        return {"tables": (table,), **{key: data[key] for key in data if key == "version"}}

    def model_copy(
        self, *, update: Mapping[str, object] | None = None, deep: bool = False
    ) -> "Schema":
        """Return a copy in which fields of the record table or of the schema have other values."""
        changes = dict(update or {})
        own = {key: changes.pop(key) for key in type(self).model_fields if key in changes}
        if changes:
            own["tables"] = (self.table.model_copy(update=changes), *self.tables[1:])
        return super().model_copy(update=own, deep=deep)

    @property
    def table(self) -> Table:
        """The record table."""
        return self.tables[0]

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

    def shown(self) -> "Schema":
        """Return it without the columns that are hidden."""
        shown = tuple(item for item in self.attributes if not item.hidden)
        return self.model_copy(update={"attributes": shown}) if shown != self.attributes else self

    def list_asked_for(self, question: str) -> ListName | None:
        """Return the list that *question* is about; None where it names none, or a column.

        `How many items were sold?` is about the list `items`, `the average total items` is not
        where there is a column `total_items`.
        """
        words = _phrase(question)
        for table in self.tables:
            asked = words
            columns = [(item.name, *item.synonyms) for item in table.attributes]
            phrases = {_phrase(name) for names in columns for name in names}
            for phrase in sorted(phrases, key=len, reverse=True):
                if phrase.count(" ") > 2:  # one word is not enough to tell a column from a list
                    asked = asked.replace(phrase, " . ")
            for item in table.lists:
                if _phrase(item.name.rpartition(".")[2]) in asked:
                    return item
        return None

    def attribute(self, name: str, table: str | None = None) -> Attribute:
        """Return the attribute called *name* of *table*, of the record table when None.

        Raises:
            SchemaError: If there is none; the text lists the names.
        """
        columns = [
            attribute
            for item in self.tables
            if item.entity == (table or self.entity)
            for attribute in item.attributes
        ]
        for attribute in columns:
            if attribute.name == name:
                return attribute
        names = ", ".join(item.name for item in columns)
        place = f" of {table}" if table else ""
        msg = f"no attribute {name!r}{place}; there are: {names}"
        raise SchemaError(msg)


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
    rules = [rule for rule in attribute.extractors if isinstance(rule, KeyRule)]
    keys = [key for rule in rules for key in rule.keys]
    for word in (*attribute.synonyms, *keys):
        if any(map(str.isalpha, word)) and not snake_case(word):
            yield word
