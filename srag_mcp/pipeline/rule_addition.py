"""The addition of a column by rules to a corpus that a language model read."""

from srag_mcp.schema.extension import Extension
from srag_mcp.schema.schema import Schema
from srag_mcp.store.predictions import Predictions, keep_rule_cells
from srag_mcp.store.work import WorkDatabase


def add_by_rules(work: WorkDatabase, schema: Schema, extension: Extension) -> tuple[str, ...]:
    """Keep what the rules of the added attribute read; all else stays as the model read it.

    Returns:
        What a person should know: documents that the model has not read since they came.
    """
    if extension.added:
        keep_rule_cells(work, schema.attribute(extension.attribute.name))
    groups = Predictions(work).pending(schema.attributes)
    n_unread = sum(len(group.document_ids) for group in groups)
    if not n_unread:
        return ()
    return (
        f"the language model has not read {n_unread} of {work.n_documents()} documents: their other"
        " cells are failed until the next ingestion with it",
    )
