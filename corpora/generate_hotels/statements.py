"""The sentences, rows and items that a drawn page tells its facts in."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from string import Template

from corpora.generate_hotels.facts import format_facts, spell_number
from corpora.generate_hotels.identities import Place
from corpora.generate_hotels.offer import draw_breakfast_price, format_euros
from corpora.generate_hotels.records import FACILITIES, Record

_SOURCE = Path(__file__).with_name("phrases.toml")
_LACK_ODDS = 0.15  # a page now and then says what the hotel has not, as the shipped ones do
_JOINED_ODDS = 0.4  # rooms and floors in one sentence
_FIRST_ARRIVAL = date(2026, 1, 2)
_YES_OR_NO = {True: "true", False: "false"}


@dataclass(frozen=True)
class Phrases:
    """What `phrases.toml` holds.

    Attributes:
        statements: By key (`n_rooms`, `pets_allowed.true`, `lacks.pool`, `aside.house`), then by
            form (`prose`, `rows` as `key | value`, `items`): templates of one sentence each.
        words: Lists that a `$placeholder` of that name is drawn from.
        names: The pieces of the names of hotels.
        descriptions: Of attributes, where the shipped schema speaks of the shipped pages.
    """

    statements: Mapping[str, Mapping[str, Sequence[str]]]
    words: Mapping[str, Sequence[str]]
    names: Mapping[str, Sequence[str]]
    descriptions: Mapping[str, str]


def read_phrases() -> Phrases:
    """Read the phrases of drawn pages."""
    read = tomllib.loads(_SOURCE.read_text(encoding="utf-8"))
    statements = dict(read["fact"])
    for kind in ("lacks", "aside"):
        statements |= {f"{kind}.{name}": forms for name, forms in read[kind].items()}
    return Phrases(statements, read["words"], read["names"], read["descriptions"])


@dataclass
class Teller:
    """Tells the facts of one hotel; a page never gets the same template or sight twice."""

    phrases: Phrases
    record: Record
    values: Mapping[str, str]
    sights: list[str]
    rng: random.Random
    told: set[str] = field(default_factory=set)

    def tell(self, part: str, form: str) -> list[str]:
        """State a part of a layout in a form of `Phrases`; nothing where the record has nothing."""
        return [self._state(key, form) for key in self._find_keys(part, form)]

    def _find_keys(self, part: str, form: str) -> list[str]:
        if part == "facilities":
            return [key for name in FACILITIES for key in self._find_facility_key(name)]
        if part.startswith("aside."):
            is_told = part != "aside.total" or self.record.price_per_night is not None
            return [part] if is_told else []
        values = {name: getattr(self.record, name) for name in part.split()}
        can_join = len(values) > 1 and form == "prose" and None not in values.values()
        if can_join and self.rng.random() < _JOINED_ODDS:
            return [part]
        return [
            f"{name}.{_YES_OR_NO[value]}" if isinstance(value, bool) else name
            for name, value in values.items()
            if value is not None
        ]

    def _find_facility_key(self, name: str) -> list[str]:
        if name in self.record.facilities:
            return [f"{name}.true"]
        return [f"lacks.{name}"] if self.rng.random() < _LACK_ODDS else []

    def _state(self, key: str, form: str) -> str:
        templates = self.phrases.statements[key][form]
        fresh = [each for each in templates if each not in self.told] or templates
        template = self.rng.choice(fresh)
        self.told.add(template)
        words = {}
        names = Template(template).get_identifiers()
        for name in dict.fromkeys(each.removesuffix("_2") for each in names):
            if name in self.phrases.words:
                words[name], words[f"{name}_2"] = self.rng.sample(self.phrases.words[name], 2)
            elif name == "sight":
                words[name] = self.sights.pop()
                metres = 50 * self.rng.randint(2, 60)
                words["sight_distance"] = (
                    f"{metres} metres" if metres < 1000 else f"{metres / 1000:g} km"
                )
        return Template(template).substitute(self.values, **words)


def start_teller(
    phrases: Phrases, record: Record, identity: Mapping[str, str], place: Place
) -> Teller:
    """Start telling the facts of one hotel; the same statements on every run."""
    rng = record.start_random("statements")
    values = {
        **{key: identity[key] for key in ("name", "city", "country", "address", "street")},
        "quarter": identity["quarter"],
        "centre": place.centre,
        "airport": place.airport,
        **format_facts(record),
        **_format_offer(rng, record),
        **_draw_stay(rng),
        "stars": str(record.stars),
        "stars_word": spell_number(record.stars),
        "star_marks": "★" * record.stars,
        "n_reviews": f"{record.n_reviews:,}",
        "built": str(rng.randint(1590, 1885)),
        "renewed": str(rng.randint(2001, 2025)),
    }
    if record.rating is not None:
        values["rating"] = f"{record.rating:.2f}"
    return Teller(phrases, record, values, rng.sample(place.sights, len(place.sights)), rng)


def _format_offer(rng: random.Random, record: Record) -> dict[str, str]:
    offer = {"breakfast_price": f"€ {draw_breakfast_price(rng, record)}"}
    if record.price_per_night is not None:
        offer["price"] = format_euros(record.price_per_night)
        offer["price_number"] = offer["price"].removeprefix("€ ")
        offer["total"] = format_euros(2 * record.price_per_night)
    if record.rooms_left is not None:
        offer["n_rooms_left"] = str(record.rooms_left)
        offer["rooms_left"] = f"{record.rooms_left} {'room' if record.rooms_left == 1 else 'rooms'}"
    return offer


def _draw_stay(rng: random.Random) -> dict[str, str]:
    arrival = _FIRST_ARRIVAL + timedelta(days=rng.randrange(360))
    days = {
        "arrival": arrival,
        "departure": arrival + timedelta(days=2),
        "deadline": arrival - timedelta(days=rng.randint(1, 9)),
    }
    return {name: f"{day:%a} {day.day} {day:%B} {day.year}" for name, day in days.items()}
