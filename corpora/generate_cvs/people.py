"""The gold records: who the invented people are, drawn at random before a word is written."""

import calendar
import datetime as dt
import unicodedata
from dataclasses import dataclass
from random import Random
from typing import TypedDict

from corpora.generate_cvs.pools import (
    COUNTRIES,
    EMPLOYERS,
    LANGUAGES,
    NATIVE_LANGUAGE,
    PROFESSIONS,
    Country,
    Profession,
)

SEED = 1
THIS_YEAR = 2026

# Layout and country, in the order in which people are drawn. The layout's first
# word is the format; countries fix conventions (dates, currency, what one leaves out).
SLOTS = (
    *(("md_sections", c) for c in ("United Kingdom", "Netherlands", "Spain", "United Kingdom")),
    *(("md_front_matter", c) for c in ("Germany", "United States", "Netherlands")),
    *(("md_prose", c) for c in ("France", "United Kingdom", "Italy")),
    *(("txt_tabular", c) for c in ("Germany", "Austria", "Switzerland")),
    *(("txt_one_pager", c) for c in ("United States",) * 3),
    *(("txt_form", c) for c in ("United Kingdom", "Spain")),
    *(("html_profile", c) for c in ("United States", "Germany", "Italy", "United Kingdom")),
    *(("html_table", c) for c in ("France", "Germany")),
    *(("html_definitions", c) for c in ("Netherlands", "Spain")),
    *(("docx_two_column", c) for c in ("Germany", "France", "Switzerland", "United Kingdom")),
    *(("docx_headings", c) for c in ("United Kingdom", "Italy", "Austria")),
    *(("pdf_one_pager", c) for c in ("United States", "United States", "United Kingdom")),
    *(("pdf_sidebar", c) for c in ("Spain", "France")),
    *(("pdf_tabular", c) for c in ("Germany", "Germany")),
)


@dataclass(frozen=True)
class Gold:
    """One gold row; the fields are the columns of gold.csv and None is an empty cell."""

    document: str
    name: str
    birth_date: dt.date | None
    nationality: str | None
    city: str
    email: str
    current_job_title: str | None
    current_employer: str | None
    years_of_experience: int | None
    highest_degree: str | None
    institution: str | None
    graduation_year: int | None
    speaks_german: bool
    speaks_french: bool
    driving_licence: bool | None
    first_aid_certificate: bool
    expected_salary: int | None
    salary_currency: str | None
    notice_period_months: int | None
    available_from: dt.date | None


@dataclass(frozen=True)
class Address:
    """Particulars that CVs show and the gold does not ask for."""

    street: str
    phone: str
    birthplace: str


@dataclass(frozen=True)
class Person:
    """A gold row and what else the layouts need to know about that person."""

    gold: Gold
    layout: str
    country: str
    profession: str
    languages: tuple[tuple[str, str], ...]
    address: Address
    since: int


class _Origin(TypedDict):
    birth_date: dt.date | None
    nationality: str | None


class _Position(TypedDict):
    current_job_title: str | None
    current_employer: str | None
    years_of_experience: int | None


class _Salary(TypedDict):
    expected_salary: int | None
    salary_currency: str | None


class _Availability(TypedDict):
    notice_period_months: int | None
    available_from: dt.date | None


@dataclass(frozen=True)
class _Career:
    birth_date: dt.date
    degree: str | None
    institution: str | None
    graduation_year: int
    years: int
    since: int


def draw_people() -> list[Person]:
    """Draw all people from the fixed seed, in the order of SLOTS."""
    random = Random(SEED)
    deck = [*PROFESSIONS * 2, *PROFESSIONS[: len(SLOTS) - 2 * len(PROFESSIONS)]]
    random.shuffle(deck)
    taken: set[str] = set()
    return [
        _draw_person(random, slot, profession, taken)
        for slot, profession in zip(SLOTS, deck, strict=True)
    ]


def _draw_person(
    random: Random, slot: tuple[str, str], profession: Profession, taken: set[str]
) -> Person:
    layout, country = slot
    home = COUNTRIES[country]
    name = _draw_name(random, home, taken)
    career = _draw_career(random, home, profession)
    languages = _draw_languages(random, country)
    city, birthplace = random.sample(home.cities, 2)
    position = _draw_position(random, profession, career)
    origin = _draw_origin(random, country, career.birth_date)
    gold = Gold(
        document=f"{_slug(' '.join(name), '_')}.{layout.split('_')[0]}",
        name=" ".join(name),
        **origin,
        city=city,
        email=_draw_email(random, *name),
        **position,
        highest_degree=career.degree,
        institution=career.institution,
        graduation_year=career.graduation_year if career.degree else None,
        speaks_german="German" in dict(languages),
        speaks_french="French" in dict(languages),
        driving_licence=random.choices((True, False, None), (55, 12, 33))[0],
        first_aid_certificate=random.random() < 0.35,
        **_draw_salary(random, home, profession, career),
        **_draw_availability(random, employed=position["current_employer"] is not None),
    )
    phone = home.phone.format(random.randrange(100, 999))
    address = Address(random.choice(home.streets), phone, birthplace)
    return Person(gold, layout, country, profession.title, languages, address, career.since)


def _draw_name(random: Random, home: Country, taken: set[str]) -> tuple[str, str]:
    first_name = random.choice([name for name in home.first_names if name not in taken])
    last_name = random.choice([name for name in home.last_names if name not in taken])
    taken.update((first_name, last_name))
    return first_name, last_name


def _draw_career(random: Random, home: Country, profession: Profession) -> _Career:
    degree = random.choice(profession.degrees)
    earliest, latest = {
        "Vocational": (19, 22),
        "Bachelor": (21, 24),
        "Master": (23, 27),
        "Doctorate": (27, 32),
    }[degree]
    age = random.randint(earliest + 2, 62)
    graduation_year = THIS_YEAR - age + random.randint(earliest, min(latest, age - 2))
    years = max(1, THIS_YEAR - graduation_year - random.randint(0, 3))
    birth_year = THIS_YEAR - age
    month = random.randint(1, 12)
    day = random.randint(1, calendar.monthrange(birth_year, month)[1])
    places = home.schools if degree == "Vocational" else home.institutions
    known = random.random() < 0.94
    return _Career(
        birth_date=dt.date(birth_year, month, day),
        degree=degree if known else None,
        institution=random.choice(places) if known else None,
        graduation_year=graduation_year,
        years=years,
        since=THIS_YEAR - random.randint(0, min(years, 12)),
    )


def _draw_languages(random: Random, country: str) -> tuple[tuple[str, str], ...]:
    native = NATIVE_LANGUAGE[country]
    others = [language for language in LANGUAGES if language != native]
    weights = [4, 4, 6 if country != "United States" else 3, 2, 1, 1, 1, 1][: len(others)]
    chosen: dict[str, str] = {native: "native"}
    for language in random.choices(others, weights, k=random.randint(0, 3)):
        chosen.setdefault(language, random.choice(("A2", "B1", "B2", "C1")))
    if native != "English":
        chosen.setdefault("English", random.choice(("B2", "C1")))
    return tuple(chosen.items())


def _draw_origin(random: Random, country: str, birth_date: dt.date) -> _Origin:
    if country == "United States":  # where a CV gives neither age nor origin
        return {"birth_date": None, "nationality": None}
    other = random.choice(("Irish", "Italian", "Austrian", "Spanish"))
    nationality = random.choices((COUNTRIES[country].nationality, other, None), (76, 12, 12))[0]
    return {
        "birth_date": birth_date if random.random() < 0.8 else None,
        "nationality": nationality,
    }


def _draw_email(random: Random, first_name: str, last_name: str) -> str:
    first, last = _slug(first_name, ""), _slug(last_name, "")
    user = random.choice(
        (f"{first}.{last}", f"{first[0]}.{last}", f"{last}{random.randint(2, 99)}")
    )
    return f"{user}@{random.choice(('example.com', 'example.org', 'mail.example.com'))}"


def _draw_position(random: Random, profession: Profession, career: _Career) -> _Position:
    employed = random.random() < 0.87
    ranked = career.years > 8 and profession.sector not in {"hospitality", "education"}
    rank = random.choice(("", "Senior ")) if ranked else ""
    employer = random.choice(EMPLOYERS[profession.sector])
    return {
        "current_job_title": f"{rank}{profession.title}" if employed else None,
        "current_employer": employer if employed else None,
        "years_of_experience": career.years if random.random() < 0.87 else None,
    }


def _draw_salary(random: Random, home: Country, profession: Profession, career: _Career) -> _Salary:
    factor = {"EUR": 1.0, "GBP": 0.9, "USD": 1.35, "CHF": 1.6}[home.currency]
    pay = profession.pay * factor * (0.85 + 0.015 * career.years) * random.uniform(0.92, 1.1)
    salary = round(pay * 2) * 500
    if random.random() < 0.22:
        return {"expected_salary": None, "salary_currency": None}
    return {"expected_salary": salary, "salary_currency": home.currency}


def _draw_availability(random: Random, *, employed: bool) -> _Availability:
    start = dt.date(THIS_YEAR, 9, 1) + dt.timedelta(days=random.randrange(210))
    start = start.replace(day=random.choice((1, 1, 15)))
    months = random.choice((0, 1, 1, 2, 3, 3, 6)) if employed else 0
    kind = random.choices(("notice", "date", "neither"), (50, 35, 15))[0]
    return {
        "notice_period_months": months if kind == "notice" else None,
        "available_from": start if kind == "date" else None,
    }


def _slug(text: str, separator: str) -> str:
    spelled = text.lower().replace("ü", "ue").replace("ö", "oe").replace("ä", "ae")
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return separator.join(plain.split())
