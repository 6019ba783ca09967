"""Rules that find an attribute in a document without a model; data only, kept in the schema.

They are learnt by `srag_mcp.offline` at induction and applied by it at extraction. Each is a small
frozen model, so that a schema file carries them and a person can read and edit them.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class KeyRule(_Rule):
    """The value beside one of these keys, compared case-folded and without punctuation.

    *section* restricts the rule to keys below a heading of that (folded) name.
    """

    kind: Literal["key"] = "key"
    keys: tuple[str, ...] = Field(min_length=1)
    section: str | None = None
    occurrence: Literal["first", "last"] = "first"


class ItemRule(_Rule):
    """Whether one of these items is in a list (below a heading of the name *section*, if given)."""

    kind: Literal["item"] = "item"
    items: tuple[str, ...] = Field(min_length=1)
    section: str | None = None


class AnchorRule(_Rule):
    """A typed value with these words before and after it, in running text.

    *before* and *after* are folded words in order; numbers and other values among them are written
    as `<number>`, `<date>` …; *value_type* is what the slot holds.
    """

    kind: Literal["anchor"] = "anchor"
    value_type: Literal["number", "money", "percent", "date", "name", "text"]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    min_matched: int = Field(default=1, ge=1, description="Anchor words that must be found.")
    occurrence: Literal["first", "last"] = "first"


class PlaceRule(_Rule):
    """A value by its place: the title, the n-th heading or line, or the first match of a type."""

    kind: Literal["place"] = "place"
    place: Literal["title", "first_line", "first_heading", "first_date", "file_name"]


class CellRule(_Rule):
    """A cell of a table, by the words of its row header and its column header."""

    kind: Literal["cell"] = "cell"
    row: tuple[str, ...] = ()
    column: tuple[str, ...] = ()


Extractor = Annotated[
    KeyRule | ItemRule | AnchorRule | PlaceRule | CellRule, Field(discriminator="kind")
]
