"""The facilities of a page: those that the gold records, the hotel's extras, and plain fillers."""

from __future__ import annotations

import random
from dataclasses import dataclass

from corpora.generate_hotels.facts import Wording
from corpora.generate_hotels.records import FACILITIES, Record

_SECTION = {
    "pool": "Wellness",
    "spa": "Wellness",
    "gym": "Wellness",
    "free_wifi": "Internet",
    "parking": "Parking & transport",
    "airport_shuttle": "Parking & transport",
}
_LABELS = {
    "pool": ("Swimming pool",),
    "spa": ("Spa", "Spa and wellness centre"),
    "gym": ("Fitness centre", "Gym"),
    "free_wifi": ("Free WiFi", "Free WiFi", "Free WiFi in all areas"),
    "parking": ("Private parking", "On-site parking"),
    "airport_shuttle": ("Airport shuttle", "Airport shuttle (additional charge)"),
}
_ICON = {
    "pool": ("pool", "🏊"),
    "spa": ("spa", "💆"),
    "gym": ("gym", "🏋️"),
    "free_wifi": ("wifi", "📶"),
    "parking": ("parking", "🅿️"),
    "airport_shuttle": ("shuttle", "🚐"),
}
_PLAIN_ICON = ("check", "✓")
_EXTRA_SECTION = {
    "Restaurant": "Food & drink",
    "Bar": "Food & drink",
    "Room service": "Food & drink",
    "Shared kitchen": "Food & drink",
    "Tea and coffee in reception": "Food & drink",
    "Sauna": "Wellness",
    "Bicycle hire": "Parking & transport",
}
_SERVICES = (
    "Luggage storage",
    "Laundry service",
    "Daily housekeeping",
    "24-hour front desk",
    "Tour desk",
    "Wake-up service",
    "Express check-out",
    "Dry cleaning",
)
_IN_ROOM = (
    "Air conditioning",
    "Hairdryer",
    "Desk",
    "Safe",
    "Electric kettle",
    "Free toiletries",
    "Ironing facilities",
    "Blackout curtains",
    "Wardrobe",
    "Heating",
)


@dataclass(frozen=True)
class Item:
    """One line of a facilities list: an icon name, its emoji, and the words beside it."""

    icon: str
    emoji: str
    label: str


def list_facilities(record: Record, wording: Wording) -> dict[str, list[Item]]:
    """List the items of every section in page order; a section without items is left out."""
    rng = record.start_random("facilities")
    recorded = {name: _item(rng, name, wording) for name in FACILITIES if name in record.facilities}
    sections: dict[str, list[Item]] = {
        "Popular facilities": [item for item in recorded.values() if rng.random() < 0.6],
        "Services": [],
        "Wellness": [],
        "Food & drink": [],
        "Internet": [],
        "Parking & transport": [],
        "In the room": [],
    }
    for name, item in recorded.items():
        sections[_SECTION[name]].append(item)
    for label in wording.extras:
        sections[_EXTRA_SECTION.get(label, "Services")].append(Item(*_PLAIN_ICON, label))
    if "parking" not in record.facilities and rng.random() < 0.5:
        sections["Parking & transport"].append(Item(*_PLAIN_ICON, "No parking available"))
    sections["Services"] += _plain(rng, _SERVICES, 3)
    sections["In the room"] += _plain(rng, _IN_ROOM, 5)
    return {title: items for title, items in sections.items() if items}


def _item(rng: random.Random, name: str, wording: Wording) -> Item:
    drawn = rng.choice(_LABELS[name])
    return Item(*_ICON[name], wording.labels.get(name, drawn))


def _plain(rng: random.Random, labels: tuple[str, ...], n_labels: int) -> list[Item]:
    return [Item(*_PLAIN_ICON, label) for label in rng.sample(labels, n_labels)]
