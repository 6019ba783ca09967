"""A narrowing query: which documents something is about, chosen by SQL from outside."""

import re

from srag_mcp.errors import QueryError
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name

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
