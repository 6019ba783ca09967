"""Names and addresses: those written for the shipped pack, and those drawn for any number."""

from __future__ import annotations

import csv
import random
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

_SOURCE = Path(__file__).parent
_HOTELS_PER_CITY = 4  # at least, as in the shipped pack
_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "æ": "ae", "ł": "l", "Ł": "L", "ß": "ss", "ı": "i"})


@dataclass(frozen=True)
class Place:
    """A real city, with what an invented hotel there is named after and near to."""

    name: str
    country: str
    address: str
    post: str
    streets: Sequence[str]
    houses: Sequence[str]
    families: Sequence[str]
    quarters: Sequence[str]
    sights: Sequence[str]
    centre: str
    airport: str
    airport_km: float


def read_identities() -> list[dict[str, str]]:
    """Read the invented names and addresses of the shipped pack, one row a hotel."""
    with (_SOURCE / "identities.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def read_places() -> list[Place]:
    """Read the cities that drawn hotels stand in."""
    countries = tomllib.loads((_SOURCE / "places.toml").read_text(encoding="utf-8"))["country"]
    shared = ("address", "streets", "houses", "families")
    return [
        Place(country=country["name"], **{key: country[key] for key in shared}, **city)
        for country in countries
        for city in country["cities"]
    ]


def draw_identities(
    n_hotels: int, seed: str, words: Mapping[str, Sequence[str]]
) -> list[dict[str, str]]:
    """Draw that many identities, in the order of their documents; no two share a name.

    *words* are the pieces of names. Size and distance are drawn together from the shipped ones.
    """
    rng = random.Random(f"{seed}/identities")
    places = read_places()
    places = rng.sample(places, min(len(places), n_hotels // _HOTELS_PER_CITY))
    shipped = read_identities()
    drawn: dict[str, dict[str, str]] = {}
    names: set[str] = set()
    while len(drawn) < n_hotels:
        place, like = rng.choice(places), rng.choice(shipped)
        street, quarter = rng.choice(place.streets), rng.choice(place.quarters)
        name = _draw_name(rng, place, quarter, words)
        document = _slug(f"{place.name} {name}")
        if name in names or document in drawn:
            continue
        names.add(name)
        drawn[document] = {
            "document": document,
            "name": name,
            "city": place.name,
            "country": place.country,
            "address": _draw_address(rng, place, street),
            "scale": like["scale"],
            "about_km": like["about_km"],
            "airport_km": str(place.airport_km),
            "street": street,
            "quarter": quarter,
        }
    return [drawn[document] for document in sorted(drawn)]


def _draw_name(
    rng: random.Random, place: Place, quarter: str, words: Mapping[str, Sequence[str]]
) -> str:
    thing, thing_2 = rng.sample(words["thing"], 2)
    return Template(rng.choice(words["patterns"])).substitute(
        quarter=quarter,
        house=rng.choice(place.houses),
        family=rng.choice(place.families),
        quality=rng.choice(words["quality"]),
        figure=rng.choice(words["figure"]),
        ending=rng.choice(words["ending"]),
        thing=thing,
        thing_2=thing_2,
        number=rng.randint(3, 99),
    )


def _draw_address(rng: random.Random, place: Place, street: str) -> str:
    post = re.sub("#", lambda _: str(rng.randint(1, 9)), place.post)
    return Template(place.address).substitute(
        street=street, number=rng.randint(1, 140), post=post, city=place.name
    )


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore")
    return re.sub(r"[^a-z0-9]+", "-", plain.decode().replace("'", "").lower()).strip("-")
