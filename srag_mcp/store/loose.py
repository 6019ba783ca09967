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

if TYPE_CHECKING:
    from srag_mcp.schema.schema import Schema
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.work import WorkDatabase


WHERE = re.compile(r"^\s*where\b", re.IGNORECASE)  # agents pass the clause with its first word
_PAGE_ROWS = 1000


def narrow(corpus: Corpus, documents: str = "", where: str = "") -> str:
    """Write the SELECT of the documents that are chosen, empty for all.

    *documents* is a SELECT of ids, *where* SQL that holds for the record of a document. Each is
    checked as SQL from outside is, as a whole statement, and raises QueryError: what runs in a
    larger one is what was checked.
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


class _Kept(BaseModel):
    attribute: Attribute


_LIST = TypeAdapter(list[_Kept])


def wish_note(wish: str) -> str:
    """Return by which key the state keeps what became of a wish, whatever its case and blanks."""
    folded = " ".join(wish.split()).casefold().encode("utf-8", "replace")
    return f"extension:{hashlib.sha256(folded).hexdigest()[:16]}"


def loose_attributes(work: WorkDatabase, schema: Schema) -> tuple[Attribute, ...]:
    """Return the loose attributes, without those that *schema* has as columns by now."""
    names = {item.name for item in schema.attributes}
    found = _LIST.validate_json(work.note(_NOTE) or "[]")
    return tuple(item.attribute for item in found if item.attribute.name not in names)


def keep_loose(work: WorkDatabase, schema: Schema, attributes: Iterable[Attribute]) -> None:
    """Let *attributes* be the loose ones beside *schema* from now on."""
    kept = tuple(attributes)
    text = _LIST.dump_json([_Kept(attribute=item) for item in kept]).decode()
    if text != (work.note(_NOTE) or "[]"):
        work.keep_note(_NOTE, text, is_content=kept != loose_attributes(work, schema))


def with_loose(work: WorkDatabase, schema: Schema) -> Schema:
    """Return *schema* with the loose attributes behind its columns."""
    return schema.model_copy(
        update={"attributes": (*schema.attributes, *loose_attributes(work, schema))}
    )
