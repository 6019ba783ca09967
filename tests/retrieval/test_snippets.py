"""Quotes: which words of a passage are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.retrieval.segments import (
    MAX_QUOTE_CHARACTERS,
    find_quote,
    sought_terms,
    whole_statement,
)
from srag_mcp.text.shown import one_line
from srag_mcp.text.spans import Span


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


def test_a_quote_begins_where_a_word_stands_in_another_form() -> None:
    text = "Die Schule ist am Teich.\n\nDie Boote liegen an der Mole."
    assert find_quote(text, sought_terms("Wo liegt mein Boot?")).of(text).startswith("Die Boote")


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("206.2", "| Basic earnings | 206.2 | 132.6 |"),
        ("on 4 May 2021", "It bought Yardbird, a maker\nof chairs, on 4 May 2021."),
        ("maker\nof chairs", "It bought Yardbird, a maker\nof chairs, on 4 May 2021."),
        (
            "on 4 May 2021. The price",
            "It bought Yardbird, a maker\nof chairs, on 4 May 2021. The price was 85.",
        ),
        ("melted", "It melted."),
        ("off the coast", "It sold all shares of\nInsel Ltd., off the coast (“Insel”)."),
        ("wax", "wax"),  # of a sentence that is too long to be shown
    ],
)
def test_a_quote_is_shown_with_what_says_whose_it_is(quote: str, shown: str) -> None:
    text = (
        "# Report\n\nIt rained. It bought Yardbird, a maker\nof chairs, on 4 May 2021. The price"
        " was 85. More.\n\n| | 2021 | 2020 |\n| Basic earnings | 206.2 | 132.6 |\n\n"
        f"Then {'and then ' * 20} wax {'and then ' * 20}so. It melted. It sold all shares of\n"
        f"Insel Ltd., off the coast (“Insel”). It rained{' and rained' * 30}."
    )
    start = text.index(quote)
    assert whole_statement(text, Span(start, start + len(quote))).of(text) == shown
