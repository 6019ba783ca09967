"""Finding the cells of a column that do not fit it."""

from collections.abc import Sequence

from srag_mcp.records.standardise.dates import suspect_dates
from srag_mcp.records.standardise.numbers import suspect_numbers
from srag_mcp.records.standardise.spellings import suspect_spellings
from srag_mcp.records.standardise.suspicion import NO_TAGS, StatedValue, Suspicion, Tags
from srag_mcp.schema.attribute import Attribute


def find_suspicions(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags = NO_TAGS
) -> list[Suspicion]:
    """Return what does not fit, at most one suspicion a document, in the order of *values*.

    *tags* are the units that the text cells of the documents name (`read_tags`).
    `[12.5, 13.1, 11.9, 14.2, 12800.0]` in millions -> the last: about 1,000 times larger
    """
    if attribute.type.is_numeric:
        found = list(suspect_numbers(attribute, values, tags))
    elif attribute.type.is_date:
        found = list(suspect_dates(values))
    elif attribute.type.is_text:
        found = list(suspect_spellings(attribute, values))
    else:
        found = []
    first: dict[str, Suspicion] = {}
    for suspicion in found:
        first.setdefault(suspicion.document_id, suspicion)
    return [first[item.document_id] for item in values if item.document_id in first]
