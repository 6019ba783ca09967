"""Spans: stretches of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.text.spans import Span, Spans, locate


@given(st.text(max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_a_span_covers_its_characters(text: str, start: int, length: int) -> None:
    assert Span(start, start + length).of(text) == text[start : start + length]


TEXT = (
    "The pool opened on 3 May 2019.\n"
    "It has “heated”  water and a wonder-\nful view of the Straße — open daily.\n"
    "料金は１２００円です。 The pool is 25 m long."
)


def test_an_exact_quote_has_its_place() -> None:
    assert locate("3 May 2019", TEXT) == Span(19, 29)


def test_the_place_nearest_to_the_hint_wins() -> None:
    assert locate("pool", TEXT) == Span(4, 8)
    last = TEXT.rindex("pool")
    assert locate("pool", TEXT, near=last - 3) == Span(last, last + 4)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ('"heated" water', "“heated”  water"),
        ("THE POOL OPENED", "The pool opened"),
        ("a wonderful view", "a wonder-\nful view"),
        ("Straße - open", "Straße — open"),
        ("料金は1200円", "料金は１２００円"),
        ("  water and a ", "water and a"),
    ],
)
def test_typography_does_not_hide_a_quote(quote: str, found: str) -> None:
    place = locate(quote, TEXT)
    assert place is not None
    assert place.of(TEXT) == found


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("Profit before tax", "The Proﬁt  before tax", "Proﬁt  before tax"),
        ("efficient", "an eﬃcient oﬃce", "eﬃcient"),
        ("120 m2", "Area: 120 m² net", "120 m²"),
        ("H2O", "of H₂O only", "H₂O"),
        ("1/2 cup", "Add ½ cup", "½ cup"),
        ("12345", "No. 12\u200b345", "12\u200b345"),
        ("No. 12\u200b345", "No. 12345 of", "No. 12345"),
        ("Hauptstraße 5", "HAUPTSTRASSE 5, BONN", "HAUPTSTRASSE 5"),
        ("AB-1234", "No. AB-\n1234 of", "AB-\n1234"),
        ("日和重工株式会社", "発注者 日和重\n工株式会社 様", "日和重\n工株式会社"),
        ("กรุงเทพมหานคร", "ที่ กรุงเทพ\nมหานคร", "กรุงเทพ\nมหานคร"),
        ("서울특별시", "주소 서울특\n  별시", "서울특\n  별시"),
        ("5–10 km", "from 5-\n  10 km", "5-\n  10 km"),
        ("the Mac-Donald", "by the Mac-\nDonald clan", "the Mac-\nDonald"),
    ],
)
def test_letters_that_are_typed_otherwise_are_the_same(quote: str, text: str, found: str) -> None:
    place = locate(quote, text)
    assert place is not None
    assert place.of(text) == found


@pytest.mark.parametrize("quote", ["\u200b", "x\u200b²"])
def test_marks_without_width_are_no_quote(quote: str) -> None:
    assert locate(quote, "A lake.") is None


@pytest.mark.parametrize(
    "quote", ["", "   ", "sauna", "The pool openned on 3 May 2019", "x" * 3000]
)
def test_what_the_document_does_not_say_has_no_place(quote: str) -> None:
    assert locate(quote, TEXT) is None


@pytest.mark.parametrize("quote", ["fi", "1", "f", "s"])
def test_a_part_of_one_letter_has_no_place(quote: str) -> None:
    assert locate(quote, "ﬃ ½ ß") is None


@given(st.text(min_size=1, max_size=80), st.integers(0, 80), st.integers(1, 40))
def test_every_part_of_any_text_is_found_in_it(text: str, start: int, length: int) -> None:
    quote = text[start : start + length]
    place = locate(quote, text, near=start)
    if quote.strip():
        assert place is not None
        assert place.of(text) == quote.strip()
    else:
        assert place is None


@given(st.text(max_size=30), st.text(max_size=80))
def test_any_quote_in_any_text_is_looked_up_without_an_error(quote: str, text: str) -> None:
    place = locate(quote, text)
    assert place is None or 0 <= place.start <= place.end <= len(text)


@given(st.text(max_size=60), st.integers(0, 60), st.integers(1, 20))
def test_typography_alone_never_moves_a_quote(text: str, start: int, length: int) -> None:
    quote = text[start : start + length].strip()
    if not quote or not quote.isprintable():
        return
    found = locate(quote.replace("'", "’").replace("-", "–"), text)
    assert found is not None
    assert found.end - found.start >= len(quote)


_SPANS = st.builds(lambda start, n: Span(start, start + n), st.integers(0, 20), st.integers(0, 6))


@given(st.lists(_SPANS), _SPANS)
def test_spans_in_order_overlap_what_any_of_them_does(spans: list[Span], other: Span) -> None:
    assert Spans(spans).overlap(other) == any(map(other.overlaps, spans))
