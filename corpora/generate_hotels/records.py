"""The gold: one record a hotel, drawn at random from a seed before any word was written."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

_T = TypeVar("_T")

SEED = "hotels 2"  # of the shipped pack

_PRICE_EUR = {2: 61, 3: 94, 4: 152, 5: 320}
_N_ROOMS = {"small": (9, 38), "medium": (32, 118), "large": (96, 340)}
_STARS = {
    "small": ((2, 3, 4), (30, 45, 25)),
    "medium": ((2, 3, 4, 5), (8, 40, 40, 12)),
    "large": ((3, 4, 5), (10, 50, 40)),
}
_OPENING_YEARS = ((1887, 1913), (1949, 1988), (1989, 2024), (1989, 2024))
_FACILITY_ODDS = {
    "pool": {2: 0.05, 3: 0.15, 4: 0.45, 5: 0.75},
    "free_wifi": {2: 0.85, 3: 0.88, 4: 0.92, 5: 0.92},
    "parking": {2: 0.25, 3: 0.40, 4: 0.60, 5: 0.75},
    "spa": {2: 0.0, 3: 0.12, 4: 0.40, 5: 0.80},
    "gym": {2: 0.05, 3: 0.20, 4: 0.55, 5: 0.85},
    "airport_shuttle": {2: 0.15, 3: 0.25, 4: 0.40, 5: 0.60},
}
FACILITIES = tuple(_FACILITY_ODDS)


@dataclass(frozen=True)
class Record:
    """What is true of one hotel; `None` where its page does not say."""

    seed: str
    document: str
    name: str
    city: str
    country: str
    address: str
    stars: int
    rating: float | None
    n_reviews: int
    price_per_night: float | None
    available: bool
    rooms_left: int | None
    breakfast_included: bool | None
    free_cancellation: bool | None
    pets_allowed: bool | None
    opening_date: date | None
    n_rooms: int | None
    n_floors: int | None
    distance_to_centre_km: float | None
    distance_to_airport_km: float | None
    facilities: frozenset[str]

    def start_random(self, use: str) -> random.Random:
        """Start the random numbers of one use, such as `page`; the same on every call."""
        return random.Random(f"{self.seed}/{self.document}/{use}")


def draw_record(identity: Mapping[str, str], seed: str = SEED) -> Record:
    """Draw everything that the name and the address leave open; the same record on every call."""
    rng = random.Random(f"{seed}/{identity['document']}")
    stars = rng.choices(*_STARS[identity["scale"]])[0]
    available = rng.random() < 0.87
    is_new = rng.random() < 0.04
    rating, n_reviews = (None, 0) if is_new else _draw_rating(rng, stars)
    n_rooms = rng.randint(*_N_ROOMS[identity["scale"]])
    return Record(
        seed=seed,
        document=f"{identity['document']}.html",
        name=identity["name"],
        city=identity["city"],
        country=identity["country"],
        address=identity["address"],
        stars=stars,
        rating=rating,
        n_reviews=n_reviews,
        price_per_night=_draw_price(rng, stars) if available else None,
        available=available,
        rooms_left=rng.randint(1, 7) if available and rng.random() < 0.45 else None,
        breakfast_included=rng.random() < 0.45 if available else None,
        free_cancellation=rng.random() < 0.6 if available else None,
        pets_allowed=_unless(rng, 0.07, value=rng.random() < 0.42),
        opening_date=_unless(rng, 0.15, value=_draw_opening_date(rng, is_new=is_new)),
        n_rooms=_unless(rng, 0.06, value=n_rooms),
        n_floors=_unless(rng, 0.2, value=_draw_floors(rng, n_rooms)),
        distance_to_centre_km=_unless(
            rng, 0.04, value=_draw_centre_km(rng, float(identity["about_km"]))
        ),
        distance_to_airport_km=_unless(
            rng, 0.12, value=_draw_airport_km(rng, float(identity["airport_km"]))
        ),
        facilities=frozenset(f for f in FACILITIES if rng.random() < _FACILITY_ODDS[f][stars]),
    )


def _unless(rng: random.Random, share: float, *, value: _T) -> _T | None:
    """Leave out the value in that share of the draws."""
    return None if rng.random() < share else value


def _draw_rating(rng: random.Random, stars: int) -> tuple[float, int]:
    rating = rng.gauss(8.25 + 0.3 * (stars - 3), 0.5)
    n_reviews = round(rng.lognormvariate(5.9, 1.0))
    return round(min(max(rating, 6.1), 9.74), 2), min(max(n_reviews, 27), 4800)


def _draw_price(rng: random.Random, stars: int) -> float:
    price = round(_PRICE_EUR[stars] * rng.lognormvariate(0.0, 0.3))
    return price + 0.5 if rng.random() < 0.15 else float(price)


def _draw_opening_date(rng: random.Random, *, is_new: bool) -> date:
    years = (2025, 2025) if is_new else rng.choice(_OPENING_YEARS)
    return date(rng.randint(*years), 1, 1) + timedelta(days=rng.randrange(365))


def _draw_floors(rng: random.Random, n_rooms: int) -> int:
    floors = round(math.sqrt(n_rooms) * rng.uniform(0.45, 0.75))
    return min(max(2, floors), 9)


def _draw_centre_km(rng: random.Random, about_km: float) -> float:
    kilometres = about_km * rng.uniform(0.8, 1.2)
    return round(kilometres * 20) / 20 if kilometres < 1 else round(kilometres, 1)


def _draw_airport_km(rng: random.Random, about_km: float) -> float:
    kilometres = about_km * rng.uniform(0.8, 1.25)
    return round(kilometres, 1) if rng.random() < 0.45 else float(round(kilometres))
