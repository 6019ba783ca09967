"""The questions of a drawn pack, with answers computed from its records in plain Python."""

from __future__ import annotations

import json
import random
import statistics
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TypeVar

from corpora.generate_hotels.answers import Value, to_json_value
from corpora.generate_hotels.facts import spell_number
from corpora.generate_hotels.records import FACILITIES, Record

_T = TypeVar("_T")
Records = Sequence[Record]

_SOURCE = Path(__file__).with_name("questions.toml")
_MAX_DRAWS = 2_000
_MAX_MEMBERS = 12  # a longer list is no question that someone asks
_ASKED = {
    "pool": "a swimming pool",
    "free_wifi": "free WiFi",
    "parking": "parking",
    "spa": "a spa",
    "gym": "a gym",
    "airport_shuttle": "an airport shuttle",
}
_WITH_ARTICLE = ("Netherlands", "United Kingdom")


@dataclass(frozen=True)
class _Parameters:
    """What one question asks about."""

    city: str
    city_2: str
    country: str
    stars: int
    facility: str
    facility_2: str
    low: int
    high: int
    year: int
    decade: int

    def fill_text(self, text: str) -> str:
        words = {"facility": _ASKED[self.facility], "facility_2": _ASKED[self.facility_2]}
        words["stars"] = spell_number(self.stars)
        if self.country in _WITH_ARTICLE:
            words["country"] = f"the {self.country}"
        return Template(text).substitute(vars(self) | words)

    def fill_sql(self, sql: str) -> str:
        return Template(sql).substitute(vars(self))


def write_drawn_questions(records: Records, seed: str, target: Path) -> None:
    """Write every question with its answer, one JSON object a line, as the shipped packs have it.

    What a question asks about is drawn until its answer is one: some record is counted, no two
    come first, no list is empty or longer than 12.

    Raises:
        ValueError: If nothing that a question can ask about has such an answer.
    """
    questions = tomllib.loads(_SOURCE.read_text(encoding="utf-8"))["question"]
    lines = []
    for number, question in enumerate(questions, 1):
        rng = random.Random(f"{seed}/questions/{number}")
        parameters, answer = _draw_answered(rng, records, question.get("name"))
        sql = question.get("sql")
        kind = question["kind"]
        is_answerable = kind != "unanswerable"
        entry = {
            "id": f"hotels-{number:03d}",
            "question": parameters.fill_text(question["text"]),
            "gold_sql": parameters.fill_sql(sql) if sql else None,
            "answer": answer,
            "answer_type": question.get("type", "number") if is_answerable else kind,
            "tolerance": question.get("tolerance", 0),
            "kind": kind,
        }
        entry |= {key: question[key] for key in ("ordered", "absent_terms") if key in question}
        lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    target.write_bytes("".join(lines).encode())


def _draw_answered(
    rng: random.Random, records: Records, name: str | None
) -> tuple[_Parameters, Value | list[Value]]:
    for _ in range(_MAX_DRAWS):
        parameters = _draw_parameters(rng, records)
        if name is None:
            return parameters, None
        found = _ANSWERS[name](records, parameters)
        if isinstance(found, _Members):
            if 0 < len(found.members) <= _MAX_MEMBERS:
                return parameters, list(found.members)
        elif isinstance(found, list):  # all that come first
            if len(found) == 1:
                return parameters, to_json_value(found[0])
        elif isinstance(found, bool) or found:
            return parameters, to_json_value(found)
    msg = f"no city, class or facility drawn {_MAX_DRAWS} times gives {name!r} one answer"
    raise ValueError(msg)


def _draw_parameters(rng: random.Random, records: Records) -> _Parameters:
    city, city_2 = rng.sample(sorted({record.city for record in records}), 2)
    facility, facility_2 = rng.sample(FACILITIES, 2)
    low = rng.randrange(50, 160, 10)
    return _Parameters(
        city=city,
        city_2=city_2,
        country=rng.choice(records).country,
        stars=rng.choice((2, 3, 4, 5)),
        facility=facility,
        facility_2=facility_2,
        low=low,
        high=low + rng.randrange(20, 110, 10),
        year=rng.randrange(1900, 2010, 10),
        decade=rng.randrange(1950, 2020, 10),
    )


@dataclass(frozen=True)
class _Members:
    """An answer that is a list; empty where there is none, or no order among them."""

    members: Sequence[Value]


def _set(values: Iterable[str]) -> _Members:
    return _Members(sorted(set(values)))


def _rank(hotels: Iterable[Record], attribute: str, n_first: int | None = None) -> _Members:
    """Name the hotels with the most first; `None` for *n_first* names all; none where two tie."""
    every = list(hotels)
    known = [hotel for hotel in every if getattr(hotel, attribute) is not None]
    known.sort(key=lambda hotel: getattr(hotel, attribute), reverse=True)
    n_named = len(every) if n_first is None else n_first
    values = [getattr(hotel, attribute) for hotel in known[: n_named + 1]]
    is_ranked = len(set(values)) == len(values) and len(known) >= max(n_named, 2)
    return _Members([hotel.name for hotel in known[:n_named]] if is_ranked else [])


def _known(hotels: Iterable[Record], attribute: str) -> list[float]:
    values = (getattr(hotel, attribute) for hotel in hotels)
    return [value for value in values if value is not None]


def _mean(hotels: Iterable[Record], attribute: str) -> float | None:
    values = _known(hotels, attribute)
    return statistics.fmean(values) if values else None


def _median(hotels: Iterable[Record], attribute: str) -> float | None:
    values = _known(hotels, attribute)
    return statistics.median(values) if values else None


def _years(hotels: Iterable[Record]) -> list[int]:
    return [hotel.opening_date.year for hotel in hotels if hotel.opening_date]


def _day(hotel: Record) -> int | None:
    return hotel.opening_date.toordinal() if hotel.opening_date else None


def _first(counted: Iterable[_T], measure: Callable[[_T], float | None], sign: int = 1) -> list[_T]:
    """Return all that tie for the most, or with -1 for *sign* the least."""
    measured = [(sign * value, each) for each in counted if (value := measure(each)) is not None]
    best = max((value for value, _ in measured), default=None)
    return [each for value, each in measured if value == best]


def _commonest(values: Iterable[_T]) -> list[_T]:
    counts = Counter(values)
    return _first(counts, counts.__getitem__)


def _share(part: Iterable[object], whole: Sequence[object]) -> float | None:
    return 100 * len(list(part)) / len(whole) if whole else None


def _in(hotels: Records, city: str) -> list[Record]:
    return [hotel for hotel in hotels if hotel.city == city]


def _of(hotels: Records, *facilities: str, stars: int | None = None) -> list[Record]:
    return [h for h in hotels if stars in (None, h.stars) and h.facilities.issuperset(facilities)]


def _gap(ones: Iterable[Record], others: Iterable[Record], attribute: str) -> float | None:
    one, other = _mean(ones, attribute), _mean(others, attribute)
    return None if one is None or other is None else one - other


def _is_more(gap: float | None) -> bool | None:
    return None if gap is None else gap > 0


def _best_country(hotels: Records) -> list[str]:
    by_country: dict[str, list[Record]] = defaultdict(list)
    for hotel in hotels:
        by_country[hotel.country].append(hotel)
    return _first(by_country, lambda country: _mean(by_country[country], "rating"))


_ANSWERS: dict[str, Callable[[Records, _Parameters], object]] = {
    "in_city": lambda hotels, p: len(_in(hotels, p.city)),
    "with_facility": lambda hotels, p: len(_of(hotels, p.facility)),
    "stars_and_both": lambda hotels, p: len(_of(hotels, p.facility, p.facility_2, stars=p.stars)),
    "breakfast_in_two": lambda hotels, p: sum(
        h.breakfast_included is True for h in hotels if h.city in (p.city, p.city_2)
    ),
    "without_facility": lambda hotels, p: len(hotels) - len(_of(hotels, p.facility)),
    "price_between": lambda hotels, p: sum(
        p.low <= price <= p.high for price in _known(hotels, "price_per_night")
    ),
    "opened_before": lambda hotels, p: sum(year < p.year for year in _years(hotels)),
    "rated_elsewhere": lambda hotels, p: sum(
        rating >= 9 for rating in _known((h for h in hotels if h.country != p.country), "rating")
    ),
    "one_not_other": lambda hotels, p: sum(
        p.facility not in h.facilities for h in _of(hotels, p.facility_2)
    ),
    "countries": lambda hotels, _: len({h.country for h in hotels}),
    "share_of_facility": lambda hotels, p: _share(
        _of(hotels, p.facility, p.facility_2), _of(hotels, p.facility)
    ),
    "share_of_all": lambda hotels, p: _share(_of(hotels, p.facility), hotels),
    "room_range": lambda hotels, _: max(_known(hotels, "n_rooms")) - min(_known(hotels, "n_rooms")),
    "price_gap": lambda hotels, p: _gap(
        _of(hotels, p.facility),
        (h for h in hotels if p.facility not in h.facilities),
        "price_per_night",
    ),
    "mean_price": lambda hotels, p: _mean(_of(hotels, stars=p.stars), "price_per_night"),
    "mean_airport": lambda hotels, p: _mean(_in(hotels, p.city), "distance_to_airport_km"),
    "reviews_in_city": lambda hotels, p: sum(h.n_reviews for h in _in(hotels, p.city)),
    "cheapest_with": lambda hotels, p: min(
        _known(_of(hotels, p.facility), "price_per_night"), default=None
    ),
    "median_price": lambda hotels, p: _median(_of(hotels, stars=p.stars), "price_per_night"),
    "dearer_city": lambda hotels, p: _is_more(
        _gap(_in(hotels, p.city), _in(hotels, p.city_2), "price_per_night")
    ),
    "any_in_city": lambda hotels, p: bool(_of(_in(hotels, p.city), p.facility, stars=p.stars)),
    "best_rated": lambda hotels, p: [
        h.name for h in _first(_in(hotels, p.city), lambda h: h.rating)
    ],
    "city_of_dearest": lambda hotels, p: [
        h.city for h in _first(_of(hotels, stars=p.stars), lambda h: h.price_per_night)
    ],
    "reviews_of_cheapest": lambda hotels, p: [
        h.n_reviews for h in _first(_in(hotels, p.city), lambda h: h.price_per_night, -1)
    ],
    "closest": lambda hotels, p: [
        h.name for h in _first(_in(hotels, p.city), lambda h: h.distance_to_centre_km, -1)
    ],
    "first_opening": lambda hotels, _: min(h.opening_date for h in hotels if h.opening_date),
    "newest": lambda hotels, p: [h.name for h in _first(_in(hotels, p.city), _day)],
    "opened_in_decade": lambda hotels, p: sum(
        year // 10 * 10 == p.decade for year in _years(hotels)
    ),
    "busiest_month": lambda hotels, p: _commonest(
        f"{h.opening_date:%B}" for h in _of(hotels, p.facility) if h.opening_date
    ),
    "commonest_class": lambda hotels, p: _commonest(h.stars for h in _of(hotels, p.facility)),
    "best_country": lambda hotels, _: _best_country(hotels),
    "city_with_most": lambda hotels, p: _commonest(h.city for h in _of(hotels, p.facility)),
    "sold_out_with_both": lambda hotels, p: _set(
        h.city for h in _of(hotels, p.facility, p.facility_2, stars=p.stars) if not h.available
    ),
    "three_dearest": lambda hotels, p: _rank(_in(hotels, p.city), "price_per_night", 3),
    "by_rating": lambda hotels, p: _rank(
        _of(_in(hotels, p.city), p.facility, p.facility_2, stars=p.stars), "rating"
    ),
    "cities_in_country": lambda hotels, p: _set(
        h.city for h in _of(hotels, p.facility, stars=p.stars) if h.country == p.country
    ),
}
