"""Write the pack: `python -m corpora.generate_hotels [folder]` (default `corpora/hotels`)."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

from corpora.generate_hotels.answers import write_questions
from corpora.generate_hotels.facts import fill_wording, read_wording
from corpora.generate_hotels.page import render_page
from corpora.generate_hotels.records import FACILITIES, Record, draw_record, read_identities

_SOURCE = Path(__file__).parent
_COLUMNS = (
    "document",
    "name",
    "city",
    "country",
    "stars",
    "rating",
    "n_reviews",
    "price_per_night",
    "available",
    "rooms_left",
    "breakfast_included",
    "free_cancellation",
    "pets_allowed",
    "opening_date",
    "n_rooms",
    "n_floors",
    "distance_to_centre_km",
    "distance_to_airport_km",
)


def main(folder: Path) -> None:
    """Write documents, gold and answered questions into the folder; byte-identical on every run."""
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    records = [draw_record(identity) for identity in read_identities(_SOURCE / "identities.csv")]
    _write_documents(records, folder / "documents")
    _write_gold(records, folder / "gold.csv")
    write_questions(_SOURCE / "questions.jsonl", folder / "gold.csv", folder / "questions.jsonl")


def _write_documents(records: Sequence[Record], folder: Path) -> None:
    wordings = read_wording(_SOURCE / "wording.jsonl")
    for record in records:
        neighbours = [other for other in records if other.city == record.city and other != record]
        page = render_page(record, fill_wording(wordings[record.document], record), neighbours)
        (folder / record.document).write_bytes(page.encode())


def _write_gold(records: Sequence[Record], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow((*_COLUMNS, *FACILITIES))
        for record in records:
            cells = [_format_cell(getattr(record, column)) for column in _COLUMNS]
            writer.writerow(
                cells + [_format_cell(name in record.facilities) for name in FACILITIES]
            )


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _SOURCE.parent / "hotels")
