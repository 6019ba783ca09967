"""Passages: all of a text once, never across a heading or a page, tables whole."""

import io
from collections.abc import Callable, Sequence
from email.message import EmailMessage

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.documents.document import Document, Heading, Table
from srag_mcp.documents.passages import Passage, cover, cut_passages, divide
from srag_mcp.documents.reading import read_content, read_text
from srag_mcp.errors import DocumentError
from srag_mcp.model.language_model import count_tokens
from srag_mcp.text.spans import Span

ReadBytes = Callable[..., list[Document]]
MakePdf = Callable[[Sequence[Sequence[tuple[int, int, int, str]]]], bytes]

_SENTENCES = " ".join(f"Sentence {number} says what the ship did that day." for number in range(80))


def _texts(document: Document, passages: Sequence[Passage]) -> list[str]:
    return [passage.span.of(document.text) for passage in passages]


def test_a_passage_is_what_stands_under_a_heading() -> None:
    text = "# Ship\n\n## Voyages\n\nShe sailed to Kiel.\nThen home.\n\n## Crew\n\n- Ann\n- Bo\n"
    assert cut_passages(read_text(text, "a.md")) == (
        Passage(Span(0, 50), None, ("Ship", "Voyages"), "text"),
        Passage(Span(52, 71), None, ("Ship", "Crew"), "text"),
    )


def test_long_text_is_cut_where_sentences_end_into_parts_of_about_200_tokens() -> None:
    document = read_text(f"# Log\n\n{_SENTENCES}\n", "a.md")
    texts = _texts(document, cut_passages(document))
    assert "".join(texts).replace(" ", "") == document.text.replace(" ", "").rstrip("\n")
    assert all(text.endswith("day.") for text in texts)
    assert all(150 <= count_tokens(text) <= 250 for text in texts)
    assert {passage.path for passage in cut_passages(document)} == {("Log",)}


def test_a_cut_is_made_between_paragraphs_and_items_rather_than_between_sentences() -> None:
    items = [f"- Item {number} is kept. {'It has two sentences. ' * 4}" for number in range(30)]
    document = read_text("\n".join(items), "a.txt")
    texts = _texts(document, cut_passages(document))
    assert len(texts) > 3
    assert all(text.startswith("- Item") for text in texts)


def test_japanese_is_cut_where_sentences_end_by_its_own_count_of_tokens() -> None:
    text = "".join(f"{number}号室は海に面しています。" for number in range(100))
    document = read_text(text, "a.txt")
    texts = _texts(document, cut_passages(document))
    assert all(text.endswith("。") for text in texts)
    assert all(150 <= count_tokens(text) <= 300 for text in texts)


def test_a_table_is_one_passage_with_its_heading_and_the_lines_of_its_caption() -> None:
    rows = "\n".join(f"| Plant {number} | {number} | {number} |" for number in range(30))
    text = (
        "## Output\n\nTable 3: Output by plant\n\n| Plant | 2022 | 2023 |\n| --- | --- | --- |\n"
        f"{rows}\n\nThe plants are in Kiel.\n\nTable 4: Staff\n\n"
        "| Plant | Women | Men |\n| --- | --- | --- |\n| Plant 1 | 20 | 30 |\n"
    )
    document = read_text(text, "a.md")
    found = cut_passages(document)
    assert [(passage.path, passage.kind) for passage in found] == [
        (("Output",), "table"),
        (("Output",), "text"),
        (("Output",), "table"),
    ]
    output, between, staff = _texts(document, found)
    assert output.startswith("## Output\n\nTable 3") and output.endswith("| Plant 29 | 29 | 29 |")
    assert between == "The plants are in Kiel."
    assert staff.startswith("Table 4: Staff") and staff.endswith("| Plant 1 | 20 | 30 |")


def test_a_very_large_table_is_cut_between_rows() -> None:
    rows = [f"| Plant {number:04} | {number} | {number} |" for number in range(400)]
    text = "\n".join(["| Plant | 2022 | 2023 |", "| --- | --- | --- |", *rows])
    document = read_text(text, "a.md")
    found = cut_passages(document)
    assert {passage.kind for passage in found} == {"table"}
    assert [line for part in _texts(document, found) for line in part.split("\n")] == (
        text.split("\n")
    )
    assert 1 < len(found) < 8


def test_the_blanks_between_columns_make_no_table_larger() -> None:
    rows = [f"Plant {number:02}{' ' * 150}{number}{' ' * 99}{number}" for number in range(10, 50)]
    text = "\n".join([f"Plant   {' ' * 150}2022{' ' * 97}2023", *rows])
    document = read_text(text, "a.txt")
    assert count_tokens(text) > 2000
    assert [passage.kind for passage in cut_passages(document)] == ["table"]


def test_the_pages_of_a_pdf_file_part_its_passages(
    read_bytes: ReadBytes, make_pdf: MakePdf
) -> None:
    running = (50, 20, 10, "Inn report")
    pages = [
        [(50, 700, 10, f"{meal} is served daily."), running]
        for meal in ("Breakfast", "Lunch", "", "Tea", "Dinner")
    ]
    pages[2] = [running]  # a page that says nothing else
    [document] = read_bytes("a.pdf", make_pdf(pages))
    passages = cut_passages(document)
    pages_of = [passage.page for passage in passages]
    assert list(zip(pages_of, _texts(document, passages), strict=True)) == [
        (1, "Breakfast is served daily.\nInn report"),
        (2, "Lunch is served daily."),
        (4, "Tea is served daily."),
        (5, "Dinner is served daily."),
    ]


def test_blank_pages_before_the_first_text_are_counted(
    read_bytes: ReadBytes, make_pdf: MakePdf
) -> None:
    said = [(50, 700, 10, "Breakfast is served from seven.")]
    [document] = read_bytes("a.pdf", make_pdf([[], [], said, []]))
    assert document.text == "Breakfast is served from seven."
    assert [passage.page for passage in cut_passages(document)] == [3]


def test_a_word_file_has_headings_and_no_pages(read_bytes: ReadBytes) -> None:
    word, buffer = docx.Document(), io.BytesIO()
    word.add_heading("Minutes", 1)
    word.add_page_break()
    word.add_paragraph("The board met in Kiel.")
    word.save(buffer)
    [document] = read_bytes("a.docx", buffer.getvalue())
    [passage] = cut_passages(document)
    assert (document.pages, passage.page, passage.path) == ((), None, ("Minutes",))


def test_headings_of_an_attachment_lie_below_its_name(read_bytes: ReadBytes) -> None:
    mail = EmailMessage()
    mail["From"], mail["Date"], mail["Subject"] = "a@b.org", "1 May 2020", "Plan"
    mail.set_content("See below.")
    mail.add_attachment("# Plan\n\nWe meet in Bonn.\n", filename="plan.md", subtype="markdown")
    [document] = read_bytes("a.eml", mail.as_bytes())
    assert cut_passages(document)[-1].path == ("plan.md", "Plan")


def test_of_a_row_of_a_table_file_the_long_texts_are_passages(read_bytes: ReadBytes) -> None:
    rows = f"id,town,review\n7,Kiel,{_SENTENCES}\n8,Bonn,Clean and quiet.\n"
    kiel, bonn = read_bytes("a.csv", rows, rows=True)
    found = cut_passages(kiel)
    assert " ".join(_texts(kiel, found)) == _SENTENCES
    assert {(passage.path, passage.kind) for passage in found} == {(("review",), "text")}
    assert cut_passages(bonn) == ()


_LINES = st.sampled_from(
    ["Name: Ann Lee", "- Pool", "# Rooms", "## Prices", "", "", "a,b,c", "| x | y |", "| 1 | 2 |",
     "| --- | --- |", "RATES", "1. Term. It ends in May.", "Item    North    South",
     "Shoes    1    2", "Hats    3    4", "Table 1: Sales", "(in millions)", "Skills: Go, SQL",
     "<h2>Hi</h2>", "<table><tr><td>a<td>b<tr><td>1<td>2</table>", "word " * 300, "語" * 700,
     "x" * 2000]
)  # fmt: skip


@settings(deadline=None)
@given(
    st.lists(_LINES, max_size=25).map("\n".join),
    st.sampled_from((".txt", ".md", ".html", ".csv", ".json")),
    st.lists(st.integers(0, 3000), max_size=4).map(sorted),
)
def test_each_character_lies_in_one_passage_and_none_crosses_a_heading_or_a_page(
    text: str, ending: str, pages: list[int]
) -> None:
    try:
        content = read_content(text.encode(), f"a{ending}")
    except DocumentError:
        return
    places = tuple(page for page in pages if page <= len(content.text))
    document = Document("a", "a", "", "", "", content.text, content.blocks, places)
    passages = cut_passages(document)
    end, between = 0, []
    for passage in passages:
        between.append(document.text[end : passage.span.start])
        assert end <= passage.span.start < passage.span.end
        assert passage.page == (
            1 + sum(page <= passage.span.start for page in places) if places else None
        )
        assert not any(passage.span.start < page < passage.span.end for page in places)
        end = passage.span.end
    assert not "".join([*between, document.text[end:]]).strip()
    _check_parts(document, passages)


def _check_parts(document: Document, passages: Sequence[Passage]) -> None:
    for passage in passages:
        own = [block for block in document.blocks if block.span.overlaps(passage.span)]
        body = next((n for n, block in enumerate(own) if not isinstance(block, Heading)), len(own))
        assert not any(isinstance(block, Heading) for block in own[body:])
        levels = [block.level for block in own[:body] if isinstance(block, Heading)]
        assert levels == sorted(set(levels))
        # a page may part a caption from its table
        assert passage.kind == "table" or not any(isinstance(block, Table) for block in own)


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_a_text_of_blanks_has_no_passage(text: str) -> None:
    assert cut_passages(read_text(text, "a.txt")) == ()


def test_each_part_of_a_table_knows_where_its_caption_and_column_heads_are() -> None:
    rows = [f"| Plant {number:04} | {number} | {number} |" for number in range(400)]
    heads = "## Output\n\nTable 3 (in tons)\n\n| Plant | 2022 | 2023 |\n| --- | --- | --- |\n"
    document = read_text("\n".join(["It grew.\n\n" + heads + rows[0], *rows[1:]]), "a.md")
    text, *parts = cut_passages(document)
    assert text.heads is None
    assert len(parts) > 1
    assert {part.heads and part.heads.of(document.text) for part in parts} == {heads}


@given(st.lists(_LINES, max_size=25).map("\n".join), st.integers(1, 900), st.booleans())
def test_parts_of_a_passage_are_all_of_it_and_no_longer_than_allowed(
    text: str, most: int, has_heads: bool
) -> None:
    heads = Span(0, min(len(text), 20)) if has_heads else None
    passage = Passage(Span(0, len(text)), None, (), "table", heads)
    parts = list(divide(text, passage, most))
    assert "".join(part.span.of(text) for part in parts) == text
    longest = max(part.span.end - part.span.start for part in parts)
    assert longest <= most or (heads is not None and 2 * (heads.end - heads.start) > most)


def test_what_lies_in_no_passage_is_cut_between_paragraphs() -> None:
    paragraphs = [f"{number}. {'It has a sentence. ' * 10}\n\n" for number in range(20)]
    text = "".join(paragraphs)
    known = Passage(Span(len(paragraphs[0]), 2 * len(paragraphs[0])), 7, ("review",), "text")
    first, second, *others = cover(text, [known])
    assert first.span.of(text) == paragraphs[0]
    assert second == known
    assert all(part.span.of(text)[0].isdigit() for part in others)
    assert "".join(part.span.of(text) for part in others) == "".join(paragraphs[2:])
