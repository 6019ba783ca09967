"""Spans: stretches of a text."""

from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.text.spans import Span


@given(st.text(max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_a_span_covers_its_characters(text: str, start: int, length: int) -> None:
    assert Span(start, start + length).of(text) == text[start : start + length]
