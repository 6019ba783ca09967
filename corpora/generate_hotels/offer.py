"""The price block of a page: price, availability, breakfast and cancellation."""

from __future__ import annotations

import random

from corpora.generate_hotels.records import Record

_STAY = "Fri 12 June – Sun 14 June 2026 · 2 adults · 1 room"
_ROOMS = ("Double Room", "Double or Twin Room", "Standard Double Room", "Superior Double Room")


def render_offer(rng: random.Random, record: Record, breakfast: str | None) -> str:
    """Render the block; *breakfast* replaces the drawn line of an offer without breakfast."""
    if not record.available or record.price_per_night is None:
        body = (
            '<div class="sold-out"><strong>Sold out</strong> '
            "<span>There are no rooms left here for your dates. Try another weekend.</span></div>"
        )
    else:
        body = _render_rate(rng, record, record.price_per_night, breakfast)
    return (
        f'<section id="availability">\n<h2>Prices &amp; availability</h2>\n'
        f'<p class="dates">{_STAY}</p>\n{body}\n</section>'
    )


def _render_rate(rng: random.Random, record: Record, price: float, breakfast: str | None) -> str:
    room = rng.choice(_ROOMS)
    price_text, total_text = format_euros(price), format_euros(2 * price)
    terms = [
        _word_availability(rng, record),
        _word_breakfast(rng, record, breakfast),
        _word_cancellation(rng, record),
    ]
    if rng.random() < 0.5:
        lines = "".join(f"<li>{term}</li>" for term in terms)
        return (
            f'<div class="offer"><h3>{room}</h3>\n'
            f'<p class="price"><strong>{price_text}</strong> per night</p>\n'
            f'<p class="total">{total_text} for 2 nights, taxes included</p>\n'
            f'<ul class="terms">{lines}</ul>\n'
            '<a class="button" href="#book">Reserve</a></div>'
        )
    lines = "<br>\n".join(terms[1:])
    return (
        '<table class="offers"><thead><tr><th>Room type</th><th>Price per night</th>'
        "<th>Your choices</th></tr></thead>\n"
        f"<tbody><tr><td>{room}</td><td>{price_text}</td><td>{lines}</td></tr></tbody></table>\n"
        f'<p class="urgency">{terms[0]}</p>\n<a class="button" href="#book">Reserve</a>'
    )


def format_euros(amount: float) -> str:
    """Print an amount: `€ 1,120` or `€ 67.50`."""
    return f"€ {amount:,.0f}" if amount == int(amount) else f"€ {amount:,.2f}"


def _word_availability(rng: random.Random, record: Record) -> str:
    if record.rooms_left is None:
        return rng.choice(("Available", "Available on your dates"))
    rooms = "room" if record.rooms_left == 1 else "rooms"
    styles = (
        f"Only {record.rooms_left} {rooms} left",
        f"Only {record.rooms_left} {rooms} left at this price",
    )
    return rng.choice(styles)


def _word_breakfast(rng: random.Random, record: Record, breakfast: str | None) -> str:
    if record.breakfast_included:
        return rng.choice(("Breakfast included", "Breakfast included in the price"))
    price = draw_breakfast_price(rng, record)
    return breakfast or rng.choice(
        ("Breakfast not included", f"Breakfast available for € {price} per person")
    )


def draw_breakfast_price(rng: random.Random, record: Record) -> int:
    """Draw what breakfast costs a person in a hotel of this class, in EUR."""
    return rng.randint(7, 12) + 4 * (record.stars - 2)


def _word_cancellation(rng: random.Random, record: Record) -> str:
    if record.free_cancellation:
        deadlines = ("", " until 9 June 2026", " up to 3 days before arrival")
        return f"Free cancellation{rng.choice(deadlines)}"
    return rng.choice(("Non-refundable", "No free cancellation"))
