"""The closed world: where a document that does not mention something thereby says no."""

from srag_mcp.store.corpus import Corpus
from srag_mcp.store.selection import columns_in

_MEANS = {"false": "no", "zero": "0"}


def state_closed_world(corpus: Corpus, sql: str) -> tuple[str, ...]:
    """Say of the columns that *sql* uses what not mentioning them counts as, and how often it does.

    `"has_pool: not mentioned counts as no (34 of all 60 documents)"`; nothing of columns that every
    document speaks of. Documents that were read in part may say it: theirs are unknown.
    """
    schema = corpus.schema()
    used = columns_in(sql, [item.name for item in schema.attributes])
    found = {item.column: item for item in corpus.statistics(used)}
    return tuple(
        f"{name}: not mentioned counts as {_MEANS[attribute.absent_means]}"
        f" ({n_implied:,} of all {found[name].n_records:,} documents)"
        for name in used
        if (attribute := schema.attribute(name)).absent_means in _MEANS
        if name in found
        if (n_implied := found[name].n_not_mentioned - found[name].n_read_in_part)
    )
