"""What `srag-mcp review` prints."""

import sys
from dataclasses import asdict

from srag_mcp.cli.tables import print_json, print_table
from srag_mcp.store.evidence import ReviewPage
from srag_mcp.text.shown import quoted


def print_reviews(found: ReviewPage, offset: int, *, as_json: bool) -> None:
    """Print the cells that two readers read differently; say on stderr which they are."""
    if as_json:
        print_json(asdict(found))
        return
    if not found.reviews:
        more = f" from --offset {offset} on; there are {found.total}" if found.total else ""
        print(f"nothing to review{more}", file=sys.stderr)
        return
    print_table(
        ("document", "column", "model", "says", "rule", "says"),
        [
            (
                item.document_id,
                item.column,
                item.value,
                quoted(item.as_stated),
                item.rule_value,
                quoted(item.rule_as_stated),
            )
            for item in found.reviews
        ],
    )
    end = offset + len(found.reviews)
    print(f"cells {offset + 1} to {end} of {found.total}", file=sys.stderr)
    if end < found.total:
        print(f"more follow: --offset {end}", file=sys.stderr)
