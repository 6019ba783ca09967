"""What does not fit its column: the suspicions of it, and the complaints about its definition."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from srag_mcp.cells.cell import PredictedCell
from srag_mcp.claims.odd_dates import suspect_dates, suspect_years
from srag_mcp.claims.odd_numbers import suspect_numbers
from srag_mcp.claims.spellings import alike_categories, suspect_spellings
from srag_mcp.claims.stated_values import NO_TAGS, StatedValue, Suspicion, Tags, read_stated
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State

_MAX_EXAMPLES = 3


def find_suspicions(
    attribute: Attribute, values: Sequence[StatedValue], tags: Tags = NO_TAGS
) -> list[Suspicion]:
    """Return what does not fit, at most one suspicion a document, in the order of *values*.

    *tags* are the units that the text cells of the documents name (`read_tags`).
    `[12.5, 13.1, 11.9, 14.2, 12800.0]` in millions -> the last: about 1,000 times larger
    """
    if attribute.type.is_numeric:
        found = [*suspect_numbers(attribute, values, tags), *suspect_years(attribute, values)]
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


def find_complaints(
    attribute: Attribute, cells: Mapping[str, PredictedCell], tags: Tags = NO_TAGS
) -> Iterator[str]:
    """Say what its definition should settle: failed cells, silence, mixed scales, spellings.

    A category that is listed in two spellings is told, too. *cells* are by document id; *tags* are
    the units that the text cells of the documents name.
    """
    failed = [item.cell.note for item in cells.values() if item.cell.state is State.FAILED]
    if failed:
        yield f"attribute {attribute.name}: {'; '.join(failed[:_MAX_EXAMPLES])}"
    for one, other in alike_categories(attribute.categories or ()):
        yield (
            f"attribute {attribute.name}: its categories “{one}” and “{other}” may be one;"
            " list it once"
        )
    yield from _never_denied(attribute, cells)
    values = read_stated(attribute, cells)
    said = {item.document_id: item.as_stated for item in values}
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for found in find_suspicions(attribute, values, tags):
        reasons[found.reason].append(said[found.document_id])
    for reason, words in reasons.items():
        shown = ", ".join(f"“{word}”" for word in words[:_MAX_EXAMPLES])
        yield f"attribute {attribute.name}: {shown}: {reason}"


def _never_denied(attribute: Attribute, cells: Mapping[str, PredictedCell]) -> Iterator[str]:
    """Ask what silence means where documents say yes or nothing, and never no."""
    if not attribute.type.is_boolean or attribute.absent_means != "unknown":
        return
    said = [item.value_text for item in cells.values() if item.cell.state is State.STATED]
    n_silent = sum(item.cell.state is State.NOT_MENTIONED for item in cells.values())
    if said and n_silent and set(said) == {"true"}:
        yield (
            f"attribute {attribute.name}: {len(said)} documents say yes, {n_silent} nothing, none"
            ' no: if silence means no, its absent_means is "false"'
        )
