"""A hotel page: the site's frame around the header, the offer, the facilities and the prose."""

from __future__ import annotations

import random
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from corpora.generate_hotels.facilities import Item, list_facilities
from corpora.generate_hotels.facts import Wording
from corpora.generate_hotels.offer import render_offer
from corpora.generate_hotels.records import Record

_FRAME = Path(__file__).with_name("page.html")


def render_page(record: Record, wording: Wording, neighbours: Sequence[Record]) -> str:
    """Render one document; *neighbours* are the hotels of its city."""
    rng = record.start_random("page")
    variant = rng.choice("abc")
    return Template(_FRAME.read_text(encoding="utf-8")).substitute(
        name=escape_text(record.name),
        city=escape_text(record.city),
        country=escape_text(record.country),
        city_path=slug_place(record.city),
        country_path=slug_place(record.country),
        stem=record.document.removesuffix(".html"),
        variant=variant,
        header=_render_header(rng, record),
        about=_render_paragraphs(wording.about),
        area=_render_paragraphs(wording.area) + _render_nearby(wording.nearby),
        offer=render_offer(rng, record, wording.breakfast),
        facilities=_render_facilities(variant, list_facilities(record, wording)),
        rules=_render_rules(rng, record),
        review=_render_review(wording.review),
        similar=render_similar(rng, "You might also like", record, neighbours),
    )


def escape_text(text: str) -> str:
    """Escape words for a page."""
    return escape(text, quote=False)


def slug_place(place: str) -> str:
    """Return the part of an address that stands for a city or a country."""
    return place.lower().replace(" ", "-")


def _render_header(rng: random.Random, record: Record) -> str:
    return (
        f'<div class="property-header">\n<h1>{escape_text(record.name)}</h1>\n'
        f'<div class="class">{_render_stars(rng, record.stars)}</div>\n{_render_rating(record)}\n'
        f"<address>{escape_text(record.address)}, {escape_text(record.country)} "
        '<a href="#map">Show on map</a></address>\n</div>'
    )


def _render_stars(rng: random.Random, stars: int) -> str:
    drawn = f'<span class="stars" aria-hidden="true">{"★" * stars}</span>'
    styles = (
        f"{drawn} <span>{stars}-star hotel</span>",
        f'{drawn}<span class="visually-hidden">{stars} out of 5 stars</span>',
        f'<span class="stars" title="{stars} stars">{"★" * stars}{"☆" * (5 - stars)}</span>',
    )
    return rng.choice(styles)


def _render_rating(record: Record) -> str:
    reviews = "review" if record.n_reviews == 1 else "reviews"
    if record.rating is None:
        return f'<div class="score">No rating yet (0 {reviews})</div>'
    grades = ((9, "Exceptional"), (8.5, "Fabulous"), (8, "Very good"), (7, "Good"), (0, "Pleasant"))
    grade = next(word for floor, word in grades if record.rating >= floor)
    return (
        f'<div class="score"><strong>{record.rating:.2f}/10</strong> '
        f'({record.n_reviews:,} {reviews}) <span class="grade">{grade}</span></div>'
    )


def _render_paragraphs(paragraphs: list[str]) -> str:
    return "\n".join(f"<p>{escape_text(paragraph)}</p>" for paragraph in paragraphs)


def _render_nearby(nearby: list[list[str]]) -> str:
    if not nearby:
        return ""
    rows = "".join(
        f"<li><span>{escape_text(place)}</span> <span>{how_far}</span></li>"
        for place, how_far in nearby
    )
    return f'\n<h3>What\'s nearby</h3>\n<ul class="nearby">{rows}</ul>'


def _render_facilities(variant: str, sections: dict[str, list[Item]]) -> str:
    parts = []
    for title, items in sections.items():
        lines = "\n".join(_render_item(variant, item) for item in items)
        tag = "div" if variant == "b" else "ul"
        parts.append(
            f'<h3>{escape_text(title)}</h3>\n<{tag} class="facility-list">\n{lines}\n</{tag}>'
        )
    return "\n".join(parts)


def _render_item(variant: str, item: Item) -> str:
    label = escape_text(item.label)
    if variant == "a":
        icon = f'<svg class="icon" aria-hidden="true"><use href="#i-{item.icon}"/></svg>'
        return f"<li>{icon} {label}</li>"
    if variant == "b":
        icon = f'<span aria-hidden="true">{item.emoji}</span>'
        return f'<div class="facility">{icon} <span>{label}</span></div>'
    icon = f'<i class="ico ico-{item.icon}"></i>'
    return f'<li>{icon}<span class="facility__name">{label}</span></li>'


def _render_rules(rng: random.Random, record: Record) -> str:
    rules = [
        ("Check-in", f"From {rng.choice(('14:00', '15:00', '15:00', '16:00'))}"),
        ("Check-out", f"Until {rng.choice(('10:00', '11:00', '11:00', '12:00'))}"),
        ("Children", "Children of all ages are welcome."),
    ]
    if record.pets_allowed is not None:
        allowed = (
            "Pets are allowed on request. Charges may apply.",
            "Pets are allowed. No extra charges.",
        )
        refused = ("Pets are not allowed.",)
        rules.append(("Pets", rng.choice(allowed if record.pets_allowed else refused)))
    rules.append(
        ("Cards accepted", rng.choice(("Visa, Mastercard", "Visa, Mastercard, American Express")))
    )
    if rng.random() < 0.5:
        body = "".join(f"<dt>{key}</dt><dd>{value}</dd>\n" for key, value in rules)
        return f'<section id="rules">\n<h2>House rules</h2>\n<dl>\n{body}</dl>\n</section>'
    body = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>\n" for key, value in rules)
    return f'<section id="rules">\n<h2>House rules</h2>\n<table>\n{body}</table>\n</section>'


def _render_review(review: list[str]) -> str:
    if not review:
        return ""
    quote, guest = review
    return (
        '<section id="reviews">\n<h2>What guests say</h2>\n'
        f"<blockquote><p>“{escape_text(quote)}”</p><footer>{escape_text(guest)}</footer></blockquote>\n</section>"
    )


def render_similar(
    rng: random.Random, title: str, record: Record, neighbours: Sequence[Record]
) -> str:
    """Render links to two hotels of *neighbours* beside the page's own."""
    others = [each for each in neighbours if each.document != record.document]
    links = "".join(
        f'<li><a href="/hotel/{other.document}">{escape_text(other.name)}</a></li>'
        for other in rng.sample(others, min(2, len(others)))
    )
    return f'<section class="similar">\n<h2>{title}</h2>\n<ul>{links}</ul>\n</section>'
