"""Notes on the cells behind an answer: those not read to the end, and those under review."""

from collections.abc import Iterator

from srag_mcp.store.corpus import Corpus
from srag_mcp.store.reviews import count_reviews
from srag_mcp.store.selection import columns_in


def note_cells(corpus: Corpus, sql: str) -> tuple[str, ...]:
    """Say which columns of *sql* have cells to be careful with, and how many of all records.

    `"depth_m: 2 of 12 values are read otherwise by a learned rule (srag-mcp review)"`, `"pets: 3 of
    8 documents were read in part and may say it in the rest"`.
    """
    schema = corpus.schema()
    used = columns_in(sql, [item.name for item in schema.attributes])
    return tuple(_notes(corpus, used)) if used else ()


def _notes(corpus: Corpus, columns: list[str]) -> Iterator[str]:
    reviews = count_reviews(corpus.read)
    for item in corpus.statistics(columns):
        if item.n_read_in_part:
            yield (
                f"{item.column}: {item.n_read_in_part:,} of {item.n_records:,} documents were read"
                " in part and may say it in the rest"
            )
        if n_reviews := reviews.get(item.column, 0):
            yield (
                f"{item.column}: {n_reviews:,} of {item.n_non_null:,} values are read otherwise by"
                " a learned rule (srag-mcp review)"
            )
