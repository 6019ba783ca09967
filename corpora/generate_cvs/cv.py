"""A CV: one person's gold record and wording, ready for a layout to arrange."""

import calendar
import datetime as dt
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from string import Template
from typing import TypedDict

from corpora.generate_cvs.people import Person

DATE_STYLES = {
    "md_sections": "{day} {month} {year}",
    "md_front_matter": "{year}-{m:02d}-{day:02d}",
    "md_prose": "{day} {month} {year}",
    "txt_tabular": "{day:02d}.{m:02d}.{year}",
    "txt_one_pager": "{month} {day}, {year}",
    "txt_form": "{day:02d}/{m:02d}/{year}",
    "html_profile": "{month} {day}, {year}",
    "html_table": "{day:02d}.{m:02d}.{year}",
    "html_definitions": "{day} {mon} {year}",
    "docx_two_column": "{day:02d}.{m:02d}.{year}",
    "docx_headings": "{day}{th} {month} {year}",
    "pdf_one_pager": "{month} {day}, {year}",
    "pdf_sidebar": "{day:02d}/{m:02d}/{year}",
    "pdf_tabular": "{day}.{m}.{year}",
}
MONTHS = tuple(calendar.month_name)[1:]
LEVELS = {"native": "native", "A2": "basic", "B1": "intermediate", "B2": "good", "C1": "fluent"}


class Wording(TypedDict, total=False):
    """What was written for one person; every string may hold $names of `Cv.values`.

    A job is [period, title, employer, points]; an education entry [year, what].
    """

    summary: str
    paragraphs: list[str]
    jobs: list[tuple[str, str, str, list[str]]]
    education: list[tuple[str, str]]
    skills: list[str]
    certificates: list[str]
    driving: str
    extras: list[tuple[str, str]]
    closing: list[str] | str
    interests: str


@dataclass(frozen=True)
class Job:
    """One post of a career, its strings filled in."""

    period: str
    title: str
    employer: str
    points: tuple[str, ...]


@dataclass(frozen=True)
class Cv:
    """A person and the wording of that person's CV."""

    person: Person
    wording: Wording

    @cached_property
    def values(self) -> dict[str, str]:
        """What a layout or a $name can show, as written on this CV; missing facts have no key."""
        gold, person = self.person.gold, self.person
        found = {
            "name": gold.name,
            "birth_date": self._date(gold.birth_date),
            "birthplace": person.address.birthplace,
            "nationality": gold.nationality,
            "city": gold.city,
            "street": person.address.street,
            "email": gold.email,
            "phone": person.address.phone,
            "title": gold.current_job_title,
            "employer": gold.current_employer,
            "since": str(person.since),
            "years": _text(gold.years_of_experience),
            "institution": gold.institution,
            "graduation_year": _text(gold.graduation_year),
            "languages": _enumerate([f"{name} ({level})" for name, level in person.languages]),
            "driving": self.wording.get("driving"),
            "salary": write_money(gold.expected_salary, person.country),
            "notice": write_notice(gold.notice_period_months),
            "available": self._date(gold.available_from),
        }
        return {key: value for key, value in found.items() if value is not None}

    def fill(self, text: str) -> str:
        """Put the values in the place of the $names.

        Raises:
            KeyError: If *text* asks for a fact that this person's gold record lacks.
        """
        return Template(text).substitute(self.values)

    def lines(self, *labels: tuple[str, str]) -> list[tuple[str, str]]:
        """Pair each label with its filled template, but for those with a missing fact."""
        pairs = []
        for label, template in labels:
            names = Template(template).get_identifiers()
            if all(name in self.values for name in names):
                pairs.append((label, self.fill(template)))
        return pairs

    @property
    def summary(self) -> str:
        """The opening paragraph."""
        return self.fill(self.wording["summary"])

    @property
    def jobs(self) -> list[Job]:
        """The career, latest post first."""
        return [
            Job(
                period=self.fill(period),
                title=self.fill(title),
                employer=self.fill(employer),
                points=tuple(map(self.fill, points)),
            )
            for period, title, employer, points in self.wording["jobs"]
        ]

    @property
    def education(self) -> list[tuple[str, str]]:
        """Year and qualification, highest first."""
        return [(self.fill(year), self.fill(what)) for year, what in self.wording["education"]]

    @property
    def skills(self) -> list[str]:
        """What the person is good at."""
        return self.wording.get("skills", [])

    @property
    def certificates(self) -> list[str]:
        """Licences and courses, often none."""
        return self.wording.get("certificates", [])

    @property
    def extras(self) -> list[tuple[str, str]]:
        """Further labelled facts that the gold record does not ask for."""
        return [(label, self.fill(value)) for label, value in self.wording.get("extras", [])]

    @property
    def closing(self) -> list[str]:
        """Last lines on pay and start, where the layout has no fields for them."""
        closing = self.wording.get("closing", [])
        return [self.fill(line) for line in ([closing] if isinstance(closing, str) else closing)]

    @property
    def interests(self) -> str | None:
        """Hobbies, if any are told."""
        return self.wording.get("interests")

    @property
    def languages(self) -> list[tuple[str, str]]:
        """Language and level in words, the native language first."""
        return [(name, LEVELS[level]) for name, level in self.person.languages]

    def _date(self, date: dt.date | None) -> str | None:
        return None if date is None else write_date(date, DATE_STYLES[self.person.layout])


def write_cvs(people: Sequence[Person]) -> list[Cv]:
    """Bring each person together with the wording written for that person."""
    wordings: dict[str, Wording] = {}
    folder = files("corpora.generate_cvs") / "wording"
    for name in ("md", "txt", "html", "docx", "pdf"):
        wordings |= tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    return [Cv(person, wordings[person.gold.document.split(".")[0]]) for person in people]


def write_date(date: dt.date, style: str) -> str:
    """Write a date, `1987-05-30` -> `30 May 1987`, in a style of DATE_STYLES."""
    month = MONTHS[date.month - 1]
    ordinal = {1: "st", 2: "nd", 3: "rd"}.get(0 if 10 < date.day < 14 else date.day % 10, "th")
    return style.format(
        day=date.day, m=date.month, month=month, mon=month[:3], year=date.year, th=ordinal
    )


def write_money(amount: int | None, country: str) -> str | None:
    """Write a yearly salary as is usual in that country, `62500` -> `CHF 62'500`."""
    if amount is None:
        return None
    style, separator = {
        "United States": ("${}", ","),
        "United Kingdom": ("£{}", ","),
        "Switzerland": ("CHF {}", "'"),
        "France": ("{} €", " "),
        "Netherlands": ("€ {}", "."),
        "Italy": ("EUR {}", "."),
    }.get(country, ("{} €", "."))
    return style.format(f"{amount:,}".replace(",", separator))


def write_notice(months: int | None) -> str | None:
    """Write a notice period, `0` -> `none, available immediately`."""
    if months is None:
        return None
    if months == 0:
        return "none, available immediately"
    return "1 month" if months == 1 else f"{months} months"


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


def _enumerate(items: Sequence[str]) -> str:
    return ", ".join(items[:-1]) + " and " + items[-1] if len(items) > 1 else items[0]
