"""Quotes: which words of a passage are shown."""

from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.retrieval.snippets import MAX_QUOTE_CHARACTERS, find_quote
from srag_mcp.text.shown import one_line


@given(st.text(alphabet="ab .\n|。", max_size=900), st.sets(st.sampled_from(["a", "b", "ab"])))
def test_a_quote_is_a_stretch_of_its_text_without_blanks_around(
    text: str, sought: set[str]
) -> None:
    span = find_quote(text, sought)

    assert span.of(text) == span.of(text).strip()
    assert len(one_line(span.of(text))) <= MAX_QUOTE_CHARACTERS
    assert bool(span.of(text)) == bool(text.strip())


def test_blanks_of_a_layout_count_once() -> None:
    rows = [f"{name}{' ' * 120}7" for name in ("Costs", "Gains", "Rents")]
    text = "\n".join(["Item 8", *rows])
    assert one_line(find_quote(text, {"item"}).of(text)) == "Item 8 Costs 7 Gains 7 Rents 7"


def test_a_quote_begins_where_most_was_found() -> None:
    text = "TERM\nIt rains. " + "Nothing here. " * 30 + "Either party may terminate. It rains."

    assert find_quote(text, {"terminate", "parti", "termin"}).of(text).startswith("Either party")
    assert find_quote(text, {"snow"}).of(text).startswith("TERM")
