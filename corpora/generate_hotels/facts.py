"""The values of a record as a page prints them, and their place in the hand-written wording."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from string import Template

from corpora.generate_hotels.records import Record

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
)
_PLACEHOLDERS = {
    "opening_date": ("opening_date", "opening_month_year"),
    "n_rooms": ("n_rooms", "n_rooms_words"),
    "n_floors": ("n_floors", "floors_word", "Floors_word"),
    "distance_to_centre_km": ("distance_to_centre",),
    "distance_to_airport_km": ("distance_to_airport",),
}


@dataclass(frozen=True)
class Wording:
    """What was written for one hotel, with `$placeholders` where the record's values go."""

    document: str
    about: list[str]
    area: list[str]
    nearby: list[list[str]] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    breakfast: str | None = None
    review: list[str] = field(default_factory=list)


def read_wording(path: Path) -> dict[str, Wording]:
    """Read the wording, one JSON object a line, by document."""
    lines = path.read_text(encoding="utf-8").splitlines()
    wordings = [Wording(**json.loads(line)) for line in lines]
    return {f"{wording.document}.html": wording for wording in wordings}


def fill_wording(wording: Wording, record: Record) -> Wording:
    """Put the record's values into the text.

    Raises:
        KeyError: If the text tells a fact that the record leaves out.
        ValueError: If the record holds a fact that the text does not tell.
    """
    facts = format_facts(record)
    text = " ".join(
        [*wording.about, *wording.area, *(part for row in wording.nearby for part in row)]
    )
    told = set(Template(text).get_identifiers())
    for attribute, names in _PLACEHOLDERS.items():
        if getattr(record, attribute) is not None and told.isdisjoint(names):
            msg = f"{record.document}: nothing in the wording tells {attribute}; use one of {names}"
            raise ValueError(msg)
    return Wording(
        document=record.document,
        about=[Template(part).substitute(facts) for part in wording.about],
        area=[Template(part).substitute(facts) for part in wording.area],
        nearby=[[Template(part).substitute(facts) for part in row] for row in wording.nearby],
        extras=wording.extras,
        labels=wording.labels,
        breakfast=wording.breakfast,
        review=wording.review,
    )


def format_facts(record: Record) -> dict[str, str]:
    """Print the facts that prose tells, in a style drawn for the page."""
    rng = record.start_random("facts")
    facts: dict[str, str] = {}
    if record.opening_date is not None:
        facts["opening_date"] = _format_date(rng, record.opening_date)
        facts["opening_month_year"] = f"{record.opening_date:%B %Y}"
    if record.n_rooms is not None:
        facts["n_rooms"] = str(record.n_rooms)
        facts["n_rooms_words"] = spell_number(record.n_rooms)
    if record.n_floors is not None:
        facts["n_floors"] = str(record.n_floors)
        facts["floors_word"] = spell_number(record.n_floors)
        facts["Floors_word"] = spell_number(record.n_floors).capitalize()
    if record.distance_to_centre_km is not None:
        facts["distance_to_centre"] = _format_distance(rng, record.distance_to_centre_km)
    if record.distance_to_airport_km is not None:
        facts["distance_to_airport"] = _format_distance(rng, record.distance_to_airport_km)
    return facts


def spell_number(number: int) -> str:
    """Return a small number in words, a larger one in figures: `3 -> "three"`, `14 -> "14"`."""
    return _WORDS[number] if number < len(_WORDS) else str(number)


def _format_date(rng: random.Random, day: date) -> str:
    ordinal = f"{day.day}{_ordinal_suffix(day.day)}"
    styles = (
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"the {ordinal} of {day:%B} {day.year}",
    )
    return rng.choices(styles, weights=(6, 3, 1))[0]


def _ordinal_suffix(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _format_distance(rng: random.Random, kilometres: float) -> str:
    if kilometres < 1:
        metres = round(kilometres * 1000)
        return rng.choice(
            (f"{metres} metres", f"{metres} metres", f"{metres} m", f"{kilometres:g} km")
        )
    unit = "kilometre" if kilometres == 1 else "kilometres"
    return rng.choice((f"{kilometres:g} km", f"{kilometres:g} {unit}"))
