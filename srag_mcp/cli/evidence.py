"""What `srag-mcp trace` prints."""

import sys
from dataclasses import asdict

from srag_mcp.cli.tables import print_json, print_table
from srag_mcp.store.evidence import Evidence, EvidencePage
from srag_mcp.text.shown import quoted


def print_evidence(found: EvidencePage, offset: int, *, as_json: bool) -> None:
    """Print documents and quotes; say on stderr which of the cells they are."""
    if as_json:
        print_json(asdict(found))
        return
    if not found.evidence:
        print(f"no cell from --offset {offset} on; there are {found.total}", file=sys.stderr)
        return
    print_table(
        ("document", "value", "state", "says"),
        [(item.document_id, item.value, item.state, _says(item)) for item in found.evidence],
    )
    end = offset + len(found.evidence)
    print(f"cells {offset + 1} to {end} of {found.total}", file=sys.stderr)
    if end < found.total:
        print(f"more follow: --offset {end}", file=sys.stderr)


def _says(evidence: Evidence) -> str:
    said = "" if evidence.as_stated is None else quoted(evidence.as_stated)
    return " ".join(part for part in (said, f"({evidence.note})" if evidence.note else "") if part)
