"""A page of a drawn hotel: one of several layouts, each with its sections, forms and titles."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import TypedDict

from corpora.generate_hotels.page import escape_text, render_similar, slug_place
from corpora.generate_hotels.records import Record
from corpora.generate_hotels.statements import Teller

_SOURCE = Path(__file__).parent
_FORM = {"prose": "prose", "table": "rows", "definitions": "rows", "list": "items"}
_SENTENCES_PER_PARAGRAPH = 4


class Section(TypedDict):
    """A part of a layout; `form` is one of prose, table, definitions, list."""

    titles: list[str]
    form: str
    parts: list[str]


class Layout(TypedDict):
    """The sections of a page in their order."""

    name: str
    similar: str
    section: list[Section]


def read_layouts() -> list[Layout]:
    """Read the layouts that drawn pages are made in."""
    layouts: list[Layout] = tomllib.loads((_SOURCE / "layouts.toml").read_text(encoding="utf-8"))[
        "layout"
    ]
    return layouts


def render_drawn_page(
    teller: Teller, layouts: Sequence[Layout], neighbours: Sequence[Record]
) -> str:
    """Render one document in a layout drawn for it; *neighbours* are the hotels of its city."""
    record, rng = teller.record, teller.record.start_random("page")
    layout = rng.choice(layouts)
    sections = [_render_section(teller, section) for section in layout["section"]]
    return Template((_SOURCE / "drawn.html").read_text(encoding="utf-8")).substitute(
        name=escape_text(record.name),
        city=escape_text(record.city),
        country=escape_text(record.country),
        city_path=slug_place(record.city),
        country_path=slug_place(record.country),
        stem=record.document.removesuffix(".html"),
        layout=layout["name"],
        sections="\n".join(section for section in sections if section),
        similar=render_similar(rng, layout["similar"], record, neighbours),
    )


def _render_section(teller: Teller, section: Section) -> str:
    parts = teller.rng.sample(section["parts"], len(section["parts"]))
    title = teller.rng.choice(section["titles"])
    told = [each for part in parts for each in teller.tell(part, _FORM[section["form"]])]
    if not told:
        return ""
    body = _render_body(section["form"], [escape_text(each) for each in told])
    return f"<section>\n<h2>{escape_text(title)}</h2>\n{body}\n</section>"


def _render_body(form: str, told: Sequence[str]) -> str:
    if form == "prose":
        step = _SENTENCES_PER_PARAGRAPH
        paragraphs = [told[start : start + step] for start in range(0, len(told), step)]
        return "\n".join(f"<p>{' '.join(each)}</p>" for each in paragraphs)
    if form == "list":
        return "<ul>\n" + "\n".join(f"<li>{each}</li>" for each in told) + "\n</ul>"
    rows = [each.split(" | ") for each in told]
    if form == "table":
        lines = [f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in rows]
        return "<table>\n" + "\n".join(lines) + "\n</table>"
    return "<dl>\n" + "\n".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in rows) + "\n</dl>"
