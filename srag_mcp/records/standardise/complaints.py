"""Complaints about an attribute: what extracting it from a sample got wrong."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from srag_mcp.records.cell import State
from srag_mcp.records.predicted_record import PredictedCell
from srag_mcp.records.standardise.finding import find_suspicions
from srag_mcp.records.standardise.suspicion import read_stated
from srag_mcp.schema.attribute import Attribute

_MAX_EXAMPLES = 3


def find_complaints(attribute: Attribute, cells: Mapping[str, PredictedCell]) -> Iterator[str]:
    """Say what its description should settle: failed cells, mixed scales and units, spellings.

    *cells* are by document id.
    """
    failed = [item.cell.note for item in cells.values() if item.cell.state is State.FAILED]
    if failed:
        yield f"attribute {attribute.name}: {'; '.join(failed[:_MAX_EXAMPLES])}"
    values = read_stated(attribute, cells)
    said = {item.document_id: item.as_stated for item in values}
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for found in find_suspicions(attribute, values):
        reasons[found.reason].append(said[found.document_id])
    for reason, words in reasons.items():
        shown = ", ".join(f"“{word}”" for word in words[:_MAX_EXAMPLES])
        yield f"attribute {attribute.name}: {shown}: {reason}"
