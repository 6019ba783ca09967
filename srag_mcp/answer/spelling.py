"""Texts of a query that no record has, and the stored ones that look alike."""

from srag_mcp.store.corpus import Corpus
from srag_mcp.store.engine import quote_name, quote_text
from srag_mcp.store.selection import compared_texts

MAX_NEAR = 3
MAX_SHOWN_CHARACTERS = 60


def find_unstored(corpus: Corpus, sql: str) -> list[str]:
    """Say which texts *sql* compares a column with that no record has in it.

    `SELECT count(*) FROM hotel WHERE city = 'lisbon'` ->
    `["no record has city = 'lisbon'; stored: 'Lisbon'"]`

    A query over such a text gives nothing, or zero, and does not say why.

    Raises:
        QueryError: If looking took too long.
    """
    texts = [item.name for item in corpus.schema().attributes if item.type == "string"]
    said = []
    for column, text in compared_texts(sql, texts):
        if _is_stored(corpus, column, text):
            continue
        near = [match.value for match in corpus.values().search(text, [column], MAX_NEAR)]
        stored = f"stored: {', '.join(map(_quoted, near))}" if near else "see get_column_stats"
        said.append(f"no record has {column} = {_quoted(text)}; {stored}")
    return said


def _is_stored(corpus: Corpus, column: str, text: str) -> bool:
    """Look into the records: the value index leaves long and rare texts out."""
    entity = quote_name(corpus.schema().entity)
    condition = f"{quote_name(column)} = {quote_text(text)}"
    sql = f"SELECT count(*) FROM {entity} WHERE {condition}"  # noqa: S608 - it runs through the guard
    return corpus.count(sql) != (0,)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}…")
