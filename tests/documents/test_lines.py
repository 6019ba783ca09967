"""Lines: what they begin with, list, and say as keys with values; which of them are headings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.documents.document import Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.lines import (
    find_pairs,
    is_data,
    is_key,
    is_year,
    match_marker,
    split_items,
    split_lines,
    split_segments,
)
from srag_mcp.documents.reading import read_content, read_text


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("- Pool", "bullet", "Pool"),
        ("  • Pool", "bullet", "Pool"),
        ("(a) the buyer", "number", "the buyer"),
        ("12. Term", "number", "Term"),
        ("iv. Term", "number", "Term"),
        ("🏊 Pool", "icon", "Pool"),
        ("✗ Pool", "bullet", "✗ Pool"),  # a cross says that the item is not there
    ],
)
def test_a_marker_is_no_part_of_its_item_but_for_a_cross(line: str, kind: str, text: str) -> None:
    found = match_marker(line)
    assert found is not None
    assert (found[0], line[found[1] :]) == (kind, text)


@pytest.mark.parametrize("line", ["Pool", "-5 °C", "1.5 m", "a.m. only", "3rd floor", ""])
def test_lines_without_a_marker(line: str) -> None:
    assert match_marker(line) is None


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Go, SQL, Rust.", ["Go", "SQL", "Rust"]),
        ("tea; cake, warm; juice", ["tea", "cake, warm", "juice"]),
        ("Bar | Pool | Spa", ["Bar", "Pool", "Spa"]),
        ("Bar, Pool", []),
        ("12 Main Street, Springfield, Ohio", []),
        ("We came, we saw the whole of the town, we left", []),
    ],
)
def test_short_parts_between_marks_are_items(text: str, items: list[str]) -> None:
    assert [place.of(text) for place in split_items(text)] == items


@given(st.text("ab \t:.-,12\n", max_size=80))
def test_lines_and_their_parts_are_where_they_say(text: str) -> None:
    for line in split_lines(text):
        assert text[line.start : line.end] == line.text
        assert line.span.of(text) == line.text.strip()
        for part in split_segments(line.text):
            assert line.text[part.start : part.end] == part.text


@given(st.text("Key Name:.=_…| ()12,€\t", max_size=60))
def test_keys_and_values_are_where_they_say(line: str) -> None:
    for pair in find_pairs(line):
        assert is_key(pair.key)
        assert line[pair.key_start :].startswith(pair.key)
        assert line[pair.value_start : pair.value_end] == pair.value


@pytest.mark.parametrize(
    "text", ["12.40", "€ 5", "-3 %", "10:30", "1.234,50 €", "3/5/2020", "2019"]
)
def test_figures_are_data(text: str) -> None:
    assert is_data(text)


@pytest.mark.parametrize("text", ["Pool", "Room 12", "North", "", "v2 of it"])
def test_words_are_no_data(text: str) -> None:
    assert not is_data(text)


def test_years_are_of_the_last_centuries() -> None:
    assert [text for text in ("1789", "1850", "2024", "2150", "20") if is_year(text)] == [
        "1850",
        "2024",
    ]


@pytest.mark.parametrize(
    ("text", "title", "level"),
    [
        ("# The Inn #\n\nText.", "The Inn", 1),
        ("The Inn\n=======\nText.", "The Inn", 1),
        ("The Inn\n-------\nText.", "The Inn", 2),
        ("Intro.\n\n2.1 Rooms\n\nText.", "Rooms", 3),
        ("ARTICLE IV\n\nThe parties agree.", "ARTICLE IV", 2),
        ("Our Rooms\n\nThere are twelve of them in all, each with a view.", "Our Rooms", 1),
    ],
)
def test_headings_are_known_by_marks_numbers_or_place(text: str, title: str, level: int) -> None:
    blocks = read_text(text, "a.txt").blocks
    assert [(b.text, b.level) for b in blocks if isinstance(b, Heading)] == [(title, level)]


@pytest.mark.parametrize("text", ["call us: a@b.org", "It rains.", "one two three four,"])
def test_a_line_that_is_no_title_is_no_heading(text: str) -> None:
    blocks = read_text(f"{text}\n\nAnother sentence.", "a.txt").blocks
    assert not any(isinstance(block, Heading) for block in blocks)


def test_a_field_left_empty_is_no_pair_and_the_next_one_is() -> None:
    blocks = read_text("FAX:\nPHONE: 12\nTOTAL:\n", "a.txt").blocks
    assert [(b.key, b.value) for b in blocks if isinstance(b, KeyValue)] == [("PHONE", "12")]


def test_a_label_above_a_list_is_a_heading_below_all_others() -> None:
    blocks = read_text("# Inn\nFacilities:\n- Pool\n- Bar: yes\n", "a.txt").blocks
    section = ("Inn", "Facilities")
    assert [(b.text, b.section) for b in blocks if isinstance(b, ListItem)] == [
        ("Pool", section),
        ("Bar: yes", section),
    ]
    assert [(b.key, b.value, b.section) for b in blocks if isinstance(b, KeyValue)] == [
        ("Bar", "yes", section)
    ]


def test_a_sentence_with_a_colon_far_from_its_end_is_prose() -> None:
    text = "He said the following: " + "many words that go on and on " * 20
    (block,) = read_text(text, "a.txt").blocks
    assert isinstance(block, Prose)


def test_a_table_of_one_row_is_pairs_of_its_names() -> None:
    document = read_content(b"| Name | City | Age |\n|---|---|---|\n| Ann | Bonn | 40 |\n", "a.md")
    table, *pairs = document.blocks
    assert isinstance(table, Table)
    assert [(b.key, b.value) for b in pairs if isinstance(b, KeyValue)] == [
        ("Name", "Ann"),
        ("City", "Bonn"),
        ("Age", "40"),
    ]


def test_notes_below_a_table_are_in_its_caption_and_no_row() -> None:
    rows = "| Item | A | B |\n|---|---|---|\n| Rent | 1 | 2 |\n| Heat | 3 | 4 |\n"
    content = read_content(f"{rows}| (unaudited) | | |\n".encode(), "a.md")
    [table] = [block for block in content.blocks if isinstance(block, Table)]
    assert (table.caption, len(table.rows)) == ("(unaudited)", 2)


def test_pipes_that_make_no_table_are_text() -> None:
    blocks = read_text("one | two\nthree\n", "a.txt").blocks
    assert not any(isinstance(block, Table) for block in blocks)
