"""Documents that SQL from outside chooses, and loose attributes, read from such documents.

A loose attribute is no column of the schema. It is published beside the columns, so that it can be
queried. A document that was not read for one has no cell of it: what it says is not known.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import BaseModel, TypeAdapter

from srag_mcp.errors import QueryError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.database import quote_name
from srag_mcp.store.predictions import Predictions

if TYPE_CHECKING:
    from srag_mcp.schema.schema import Schema
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.work import WorkDatabase


WHERE = re.compile(r"^\s*where\b", re.IGNORECASE)  # agents pass the clause with its first word
_PAGE_ROWS = 1000


def narrow(corpus: Corpus, documents: str = "", where: str = "") -> str:
    """Write the SELECT of the documents that are chosen, empty for all.

    *documents* is a SELECT of ids, *where* SQL that holds for the record of a document. Each is
    checked as SQL from outside is, as a whole statement, so that what runs in a larger one is what
    was checked.

    Raises:
        QueryError: If one of them is refused or wrong; the text says which.
    """
    records, parts = quote_name(corpus.schema().entity), []
    for name, text, sql in (
        ("documents", documents.rstrip(" ;\n"), "SELECT document_id FROM ({}\n)"),
        ("where", WHERE.sub("", where), f"SELECT document_id FROM {records} WHERE ({{}}\n)"),  # noqa: S608 - guarded
    ):
        if text.strip():
            parts.append(sql.format(text))
            try:
                corpus.select(parts[-1], limit=1)
            except QueryError as error:
                msg = f"the SQL in {name} cannot be used: {error}"
                raise QueryError(msg, text) from error
    return "\nINTERSECT ".join(parts)


def read_chosen(corpus: Corpus, narrowed: str) -> list[str]:
    """Return the ids of the documents with a text that *narrowed*, made by `narrow`, chooses.

    Raises:
        QueryError: If it takes too long.
    """
    among = f" AND document_id IN ({narrowed}\n)" if narrowed else ""
    sql = f"SELECT document_id FROM documents WHERE characters > 0{among} ORDER BY document_id"  # noqa: S608 - guarded
    ids: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = corpus.select(sql, _PAGE_ROWS, offset)
        ids += [str(document_id) for (document_id,) in page.rows]
        offset = page.next_offset
    return ids


_NOTE = "loose"


class LooseAttribute(BaseModel, frozen=True):
    """An attribute, and for how many documents it was read when it was last read."""

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
