"""The gold records of a pack as a table of their own."""

import csv
from pathlib import Path

from srag_mcp.evaluation.pack import Pack


def write_gold_records(pack: Pack, path: Path) -> None:
    """Write the gold fields of each document as a row of the CSV file *path*."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, pack.fields)
        writer.writeheader()
        writer.writerows(pack.gold.values())
