"""What fits into one result: whole entries, beginnings of texts, and the ends of messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.text.shown import shorten
from srag_mcp.views.results import cut_middle, cut_text, fit_lines, json_size, take_whole


@given(st.lists(st.text(), max_size=20), st.integers(min_value=0, max_value=200))
def test_what_is_taken_fits_and_is_a_beginning(entries: list[str], room: int) -> None:
    taken = take_whole(entries, room)

    assert taken == entries[: len(taken)]
    assert len(taken) >= min(1, len(entries))
    assert len(taken) <= 1 or sum(json_size(entry) + 1 for entry in taken) <= room


@given(st.text(), st.integers(min_value=2, max_value=50))
def test_cut_text_is_a_beginning_whose_json_fits(text: str, room: int) -> None:
    cut = cut_text(text, room)

    assert text.startswith(cut)
    assert json_size(cut) <= room
    assert len(shorten(text, room)) <= room


@given(st.text(), st.integers(min_value=2, max_value=50))
def test_a_message_is_cut_in_its_middle_and_keeps_its_end(text: str, room: int) -> None:
    cut = cut_middle(text, room)

    if len(text) <= room:
        assert cut == text
    else:
        head, tail = cut[: len(cut) - room * 2 // 3 - 1], cut[-(room * 2 // 3) :]
        assert len(cut) == room
        assert text.startswith(head)
        assert text.endswith(tail)


@pytest.mark.parametrize(
    ("lines", "room", "kept"),
    [
        (["one", "two"], 6, ["one", "two"]),
        (["one"] * 10, 20, ["one", "one", "one", "and 7 more"]),
        (["x" * 40, "two"], 30, ["xxx…xxxxxx", "two"]),
        ([], 0, []),
    ],
)
def test_lines_that_do_not_fit_are_cut_or_counted(
    lines: list[str], room: int, kept: list[str]
) -> None:
    assert fit_lines(lines, room) == kept
