"""Loose attributes: read from the documents that somebody chose, and no columns of the schema.

They are published beside the columns, so that they can be queried. A document that was not read for
one has no cell of it: what it says is not known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter

from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.predictions import Predictions

if TYPE_CHECKING:
    from srag_mcp.schema.schema import Schema
    from srag_mcp.store.work import WorkDatabase

_NOTE = "loose"


class LooseAttribute(BaseModel):
    """An attribute, and for how many documents it was read when it was last read."""

    model_config = ConfigDict(frozen=True)

    attribute: Attribute
    n_documents: int = 0


_LIST = TypeAdapter(tuple[LooseAttribute, ...])


def wish_note(wish: str) -> str:
    """Return by which key the state keeps what became of a wish, whatever its case and blanks."""
    folded = " ".join(wish.split()).casefold().encode("utf-8", "replace")
    return f"extension:{hashlib.sha256(folded).hexdigest()[:16]}"


def loose_attributes(work: WorkDatabase, schema: Schema) -> tuple[LooseAttribute, ...]:
    """Return the loose attributes, without those that *schema* has as columns by now."""
    names = {item.name for item in schema.attributes}
    found = _LIST.validate_json(work.note(_NOTE) or "[]")
    return tuple(item for item in found if item.attribute.name not in names)


def keep_loose(work: WorkDatabase, schema: Schema, items: Iterable[LooseAttribute]) -> None:
    """Let *items* be the loose attributes beside *schema* from now on."""
    kept = tuple(items)
    before, after = (
        [item.attribute for item in found] for found in (loose_attributes(work, schema), kept)
    )
    text = _LIST.dump_json(kept).decode()
    if text != (work.note(_NOTE) or "[]"):
        work.keep_note(_NOTE, text, is_content=before != after)


def with_loose(work: WorkDatabase, schema: Schema) -> Schema:
    """Return *schema* with the loose attributes behind its columns."""
    loose = tuple(item.attribute for item in loose_attributes(work, schema))
    return schema.model_copy(update={"attributes": (*schema.attributes, *loose)})


def describe_losses(work: WorkDatabase, schema: Schema) -> tuple[str, ...]:
    """Say which loose attributes have lost cells, as their documents have changed or are gone."""
    losses = []
    for item in loose_attributes(work, schema):
        name, n_read = item.attribute.name, len(Predictions(work).cells(item.attribute))
        if n_read < item.n_documents:
            losses.append(
                f"{item.n_documents - n_read} of the {item.n_documents} documents that {name} was"
                " read for have changed or are gone: what they say of it is unknown until it is"
                " read again"
            )
    return tuple(losses)
