"""Write a pack: `python -m corpora.generate_hotels [--n 500] [--seed 7] [folder]`.

Without options it is the shipped one, `corpora/hotels`.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from corpora.generate_hotels.answers import to_json_value, write_questions
from corpora.generate_hotels.drawn_page import read_layouts, render_drawn_page
from corpora.generate_hotels.facts import fill_wording, read_wording
from corpora.generate_hotels.identities import draw_identities, read_identities, read_places
from corpora.generate_hotels.page import render_page
from corpora.generate_hotels.questions import write_drawn_questions
from corpora.generate_hotels.records import FACILITIES, SEED, Record, draw_record
from corpora.generate_hotels.statements import read_phrases, start_teller

_SOURCE = Path(__file__).parent
_SHIPPED = _SOURCE.parent / "hotels"
_N_SHIPPED = 60
_MAX_HOTELS = 10_000
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


def main(folder: Path, n_hotels: int, seed: str) -> None:
    """Write a pack into the folder; byte-identical on every run.

    The shipped number and seed give the hand-written hotels: documents, gold and answered
    questions. Any other hotels are drawn, and have a schema and sample questions of their own.
    """
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    if (n_hotels, seed) == (_N_SHIPPED, SEED):
        _write_shipped(folder)
    else:
        _write_drawn(folder, n_hotels, seed)


def _write_shipped(folder: Path) -> None:
    records = [draw_record(identity) for identity in read_identities()]
    wordings = read_wording(_SOURCE / "wording.jsonl")
    by_city = _group_by_city(records)
    for record in records:
        wording = fill_wording(wordings[record.document], record)
        _write_page(folder, record, render_page(record, wording, by_city[record.city]))
    _write_gold(records, folder / "gold.csv")
    write_questions(_SOURCE / "questions.jsonl", folder / "gold.csv", folder / "questions.jsonl")


def _write_drawn(folder: Path, n_hotels: int, seed: str) -> None:
    phrases, layouts = read_phrases(), read_layouts()
    places = {place.name: place for place in read_places()}
    identities = draw_identities(n_hotels, seed, phrases.names)
    records = [draw_record(identity, seed) for identity in identities]
    _refuse_strays(folder / "documents", records)
    by_city = _group_by_city(records)
    for record, identity in zip(records, identities, strict=True):
        teller = start_teller(phrases, record, identity, places[record.city])
        _write_page(folder, record, render_drawn_page(teller, layouts, by_city[record.city]))
    _write_gold(records, folder / "gold.csv")
    write_drawn_questions(records, seed, folder / "questions.jsonl")
    _write_schema(records, phrases.descriptions, folder / "schema.json")
    _write_sample_questions(records, folder / "sample_questions.txt")


def _refuse_strays(documents: Path, records: Iterable[Record]) -> None:
    own = {record.document for record in records}
    strays = sorted(path.name for path in documents.iterdir() if path.name not in own)
    if strays:
        msg = f"{documents} has documents of another pack, such as {strays[0]}; take a new folder"
        raise FileExistsError(msg)


def _group_by_city(records: Iterable[Record]) -> dict[str, list[Record]]:
    by_city: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_city[record.city].append(record)
    return by_city


def _write_page(folder: Path, record: Record, page: str) -> None:
    (folder / "documents" / record.document).write_bytes(page.encode())


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


def _write_schema(records: Sequence[Record], descriptions: Mapping[str, str], path: Path) -> None:
    """Write the shipped schema, with the descriptions and examples of the drawn pages."""
    schema = json.loads((_SHIPPED / "schema.json").read_text(encoding="utf-8"))
    for name, attribute in schema["properties"].items():
        attribute["description"] = descriptions.get(name, attribute["description"])
        if "examples" in attribute:
            values = [getattr(record, name) for record in records]
            first = list(dict.fromkeys(value for value in values if value is not None))[:3]
            attribute["examples"] = [to_json_value(value) for value in first]
    path.write_bytes((json.dumps(schema, ensure_ascii=False, indent=2) + "\n").encode())


def _write_sample_questions(records: Sequence[Record], path: Path) -> None:
    questions = (_SHIPPED / "sample_questions.txt").read_text(encoding="utf-8")
    path.write_bytes(questions.replace("Barcelona", records[0].city).encode())


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m corpora.generate_hotels")
    parser.add_argument("folder", nargs="?", type=Path, help="default: that of the shipped pack")
    parser.add_argument("--n", type=int, default=_N_SHIPPED, help="hotels, from 60 to 10000")
    parser.add_argument("--seed", default=SEED, help="any text; another one gives other hotels")
    parsed = parser.parse_args()
    if not _N_SHIPPED <= parsed.n <= _MAX_HOTELS:
        parser.error(f"--n {parsed.n} is not from {_N_SHIPPED} to {_MAX_HOTELS}")
    if parsed.folder is None and (parsed.n, parsed.seed) != (_N_SHIPPED, SEED):
        parser.error("drawn hotels need a folder; without one, the shipped pack is written")
    return parsed


if __name__ == "__main__":
    arguments = _parse_arguments()
    main(arguments.folder or _SHIPPED, arguments.n, arguments.seed)
