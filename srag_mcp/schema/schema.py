"""A schema: the attributes of the entity that every document of a corpus describes."""

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field, model_validator

from srag_mcp.errors import SchemaError
from srag_mcp.schema.attribute import NAME_PATTERN, RESERVED_NAMES, Attribute, snake_case
from srag_mcp.schema.extractors import KeyRule
from srag_mcp.text.words import fold_words, stem

RESERVED_TABLES = frozenset({"documents", "cells"})


class ListName(BaseModel):
    """A list that the records of a table file hold, kept out of the columns.

    *holds* is what it is a list of, for people; *members* are the names in its objects.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    holds: str = "values"
    members: tuple[str, ...] = ()


class Schema(BaseModel):
    """What each document of a corpus describes.

    Attributes:
        title: What one record is, for people: "Hotel page".
        entity: The name of the record table, snake_case, neither `documents` nor `cells`.
        attributes: In the order of the columns.
        nouns: Words that people use for one record or many ("receipt", "receipts", "bill").
        version: Counts the changes of the schema, from 1.
        lists: What the records hold several of; no column, so that no question can be about it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    entity: str = Field(default="records", pattern=NAME_PATTERN)
    attributes: tuple[Attribute, ...] = ()
    nouns: tuple[str, ...] = ()
    version: int = Field(default=1, ge=1)
    lists: tuple[ListName, ...] = ()

    @model_validator(mode="after")
    def _names_are_usable(self) -> "Schema":
        names = [attribute.name for attribute in self.attributes]
        for name in names:
            if names.count(name) > 1:
                msg = f"attribute {name!r} is there twice"
                raise ValueError(msg)
            if name in RESERVED_NAMES:
                msg = f"attribute name {name!r} is reserved"
                raise ValueError(msg)
        if self.entity in RESERVED_TABLES:
            msg = f"entity {self.entity!r} is the name of another table"
            raise ValueError(msg)
        return self

    def list_asked_for(self, question: str) -> ListName | None:
        """Return the list that *question* is about; None where it names none, or a column.

        `How many items were sold?` is about the list `items`, `the average total items` is not
        where there is a column `total_items`.
        """
        asked = f" {' '.join(map(stem, fold_words(question).split()))} "
        columns = [(item.name, *item.synonyms) for item in self.attributes]
        phrases = {_phrase(name) for names in columns for name in names}
        for phrase in sorted(phrases, key=len, reverse=True):
            if phrase.count(" ") > 2:  # one word is not enough to tell a column from a list
                asked = asked.replace(phrase, " . ")
        names = ((item, _phrase(item.name.rpartition(".")[2])) for item in self.lists)
        return next((item for item, name in names if name in asked), None)

    def attribute(self, name: str) -> Attribute:
        """Return the attribute called *name*.

        Raises:
            SchemaError: If there is none; the text lists the names.
        """
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        names = ", ".join(item.name for item in self.attributes)
        msg = f"no attribute {name!r}; there are: {names}"
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
