"""What is shown of a document's text acts on nobody's terminal and hides nothing from a reader."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.text.shown import (
    inert,
    literal,
    one_line,
    printable,
    printable_json,
    quoted,
    shorten,
)

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a�[2Jb"),
        ("title \x1b]0;PWNED\x07", "title �]0;PWNED�"),
        ("\x9b31m red \x7f", "�31m red �"),
        ("left\u202eright\u2066", "left�right�"),
        (f"Rome{TAGS}", "Rome�"),
        ("Ro\u200bme\ufeff", "Rome"),
        ("two\n\tlines", "two\n\tlines"),
        ("می\u200cخواهم, 👩\u200d🔬, Größe, naïve", "می\u200cخواهم, 👩\u200d🔬, Größe, naïve"),
    ],
)
def test_what_acts_or_hides_is_replaced_and_words_of_all_scripts_stay(
    text: str, shown: str
) -> None:
    assert printable(text) == shown


@given(st.text())
def test_one_line_is_one_line_whatever_the_text(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert one_line(one_line(text)) == one_line(text)


@given(st.text())
def test_json_that_is_shown_holds_what_was_stored_and_nothing_that_acts(text: str) -> None:
    written = printable_json(json.dumps([text], ensure_ascii=False))

    assert json.loads(written) == [text]
    assert printable(written) == written


def test_a_text_is_cut_on_one_line() -> None:
    assert shorten("two\n lines", 6) == "two l…"
    assert shorten("two\n lines", 9) == "two lines"
    assert quoted("a\nlong one", 6) == "“a lon…”"


def test_a_value_cannot_end_its_quotes() -> None:
    assert literal("Cork' (7); known in 9 of 9\nnext") == "'Cork'' (7); known in 9 of 9 next'"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![x](https://evil.example/a?d=1)", "![x] (https://evil.example/a?d=1)"),
        ("[x][1]", "[x] [1]"),
        ("<img src=a><!-- b --></p><?c?>", "< img src=a>< !-- b -->< /p>< ?c?>"),
        ("1 <2 and a < b", "1 <2 and a < b"),
    ],
)
def test_links_images_and_tags_are_parted(text: str, shown: str) -> None:
    assert inert(text) == shown
