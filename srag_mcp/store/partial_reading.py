"""Partial reading: documents that a language model was shown in part, and may say more."""

from collections.abc import Sequence

from srag_mcp.cells.cell import READ_IN_PART
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.work import WorkDatabase
from srag_mcp.store.work_predictions import hash_attribute
from srag_mcp.values.states import State

_PUBLISHED = """
SELECT count(DISTINCT document_id) FROM cells WHERE state = $1 AND starts_with(note, $2)
"""
_PREDICTED = """
WITH asked AS (SELECT unnest($3) AS attribute, unnest($4) AS attribute_hash)
SELECT count(DISTINCT document_id) FROM predictions
SEMI JOIN asked USING (attribute, attribute_hash)
SEMI JOIN documents USING (document_id, sha256)
WHERE state = $1 AND starts_with(note, $2)
"""


def count_read_in_part(corpus: Corpus) -> int:
    """Count the documents that do not mention something in the part of them that was read."""
    if not any(item.n_read_in_part for item in corpus.statistics()):
        return 0
    [(n_documents,)] = corpus.read(_PUBLISHED, [State.NOT_MENTIONED.value, READ_IN_PART])
    return int(n_documents or 0)


def count_predicted_in_part(work: WorkDatabase, attributes: Sequence[Attribute]) -> int:
    """Count the same by the predictions of *attributes*, before they are published."""
    names = [item.name for item in attributes]
    hashes = [hash_attribute(item) for item in attributes]
    parameters = [State.NOT_MENTIONED.value, READ_IN_PART, names, hashes]
    [(n_documents,)] = work.connection.execute(_PREDICTED, parameters).fetchall()
    return int(n_documents)
