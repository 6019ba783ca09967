"""Markdown: marks are taken off, structure stays."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, Heading, KeyValue, ListItem, Prose, Table
from srag_mcp.documents.reading import read_markdown
from srag_mcp.text.spans import Span


def _read(text: str) -> Document:
    content = read_markdown(text.encode(), "a.md")
    title = content.title or ""
    return Document("a", "a", title, "text/markdown", "", content.text, content.blocks)


def test_front_matter_is_read_by_the_rules_of_its_format() -> None:
    document = _read(
        "---\nid: 7 # of May\nowner: ~\nclosed:\nkeeper: Null\ncode: '~'\nsign: \"a # b\"\n"
        "kinds:\n- a\n- b\n"
        "told: >-\n  Two\n  lines.\nat:\n  sea: null\n# no: member\n---\n"
    )
    assert document.text == (
        "id: 7\nowner: ~\nclosed: ~\nkeeper: ~\ncode: ~\nsign: a # b\nkinds: a, b\n"
        "told: Two lines.\nat.sea: ~"
    )
    assert _read("---\nTwo lines\n- of: text\n---\n").text == "---\nTwo lines\n- of: text\n---"


def test_front_matter_headings_items_and_paragraphs() -> None:
    document = _read(
        "---\ntitle: The Inn\ntags: [bar, pool]\nowner:\n  name: 'Ann'\n---\n"
        "# The *Old* Inn\n\nA [link](http://x.org) and\n`code`.\n\n"
        "- **Rooms:** 12\n- Tea\n  or not\n"
    )
    assert document.title == "The Inn"
    assert document.text == (
        "title: The Inn\ntags: bar, pool\nowner.name: Ann\n\n"
        "# The Old Inn\n\nA link and\ncode.\n\n- Rooms: 12\n- Tea\n  or not"
    )
    section = ("The Old Inn",)
    assert document.blocks == (
        KeyValue(Span(0, 14), "title", "The Inn", Span(7, 14)),
        KeyValue(Span(15, 30), "tags", "bar, pool", Span(21, 30)),
        KeyValue(Span(31, 46), "owner.name", "Ann", Span(43, 46)),
        Heading(Span(48, 61), "The Old Inn", 1),
        Prose(Span(63, 79), section),
        ListItem(Span(83, 92), "Rooms: 12", section),
        KeyValue(Span(83, 92), "Rooms", "12", Span(90, 92), section),
        ListItem(Span(95, 107), "Tea or not", section),
    )


def test_bold_keys_and_hard_breaks_are_pairs() -> None:
    blocks = _read("**Name:** Ann  \n**Born**: 3 May 1980\\\n**City:** Lyon\n").blocks
    assert [(b.key, b.value) for b in blocks if isinstance(b, KeyValue)] == [
        ("Name", "Ann"),
        ("Born", "3 May 1980"),
        ("City", "Lyon"),
    ]


def test_a_bold_line_is_a_heading() -> None:
    blocks = _read("**Skills**\n\n- Go\n").blocks
    assert [(type(b), getattr(b, "text", "")) for b in blocks] == [
        (Heading, "Skills"),
        (ListItem, "Go"),
    ]


def test_tables_of_pipes_keep_headers_and_escaped_pipes() -> None:
    document = _read("| Year | A\\|B | C |\n|---|:-:|--:|\n| 2019 | x | 1 |\n| 2020 |  | 2 |\n")
    (table,) = document.blocks
    assert isinstance(table, Table)
    assert table.headers == (("Year",), ("A|B",), ("C",))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["2019", "x", "1"],
        ["2020", "", "2"],
    ]


def test_code_and_comments_are_no_headings() -> None:
    blocks = _read("```\n# not a heading\n```\n<!-- # nor this -->\n\nText.\n").blocks
    assert [b.text for b in blocks if isinstance(b, Heading)] == []


_WORDS = st.sampled_from(
    ["# ", "**", "*", "_", "`", "[a](b)", "![i](j)", "| ", "|", "---", "\n", "\n\n", "- ", "1. ",
     "Key: ", "value", "> ", "<br>", "\\*", "  \n", "```\n", "a, b, c", "é"]
)  # fmt: skip


@given(st.lists(_WORDS, max_size=40).map("".join))
def test_every_block_is_where_it_says(check_places: Callable[[Document], None], text: str) -> None:
    check_places(_read(text))


def test_a_number_alone_below_a_heading_begins_a_list_of_one() -> None:
    document = _read("# Survey\n\n## Works\n\n1. Paint the hall\n\n## Costs\n\n1. None\n")
    assert [block.text for block in document.blocks if isinstance(block, Heading)] == [
        "Survey", "Works", "Costs",
    ]  # fmt: skip
    assert [block.text for block in document.blocks if isinstance(block, ListItem)] == [
        "Paint the hall", "None",
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["title: Foo: bar", "price: @12", "rev: *x", "a: 1\na: 2"])
def test_front_matter_that_is_no_yaml_is_read_by_its_lines(line: str) -> None:
    blocks = _read(f"---\n{line}\nowner:\n---\n\nText.\n").blocks
    pairs = [f"{block.key}: {block.value}" for block in blocks if isinstance(block, KeyValue)]
    assert pairs == [*line.split("\n"), "owner: ~"]
