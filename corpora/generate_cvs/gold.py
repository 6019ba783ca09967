"""Writes the gold table, one row a CV."""

import csv
import datetime as dt
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path

from corpora.generate_cvs.people import Gold


def write_gold(path: Path, rows: Iterable[Gold]) -> None:
    """Write gold.csv in the order of file names; a missing fact is an empty cell."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Gold))
        for row in sorted(rows, key=lambda gold: gold.document):
            writer.writerow(_cell(value) for value in astuple(row))


def _cell(value: str | int | dt.date | None) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
