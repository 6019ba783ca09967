import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.documents.document import Document
from srag_mcp.documents.passages import Passage, cut_passages
from srag_mcp.documents.reading import read_text
from srag_mcp.records.record_prompt import Selection, choose_around, choose_passages, tighten
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.spans import Span

DEPOSIT = Attribute(
    name="deposit", type="number", unit="EUR", description="What the tenant leaves as security."
)
TERM = Attribute(name="notice_period", type="integer", unit="months", synonyms=("termination",))
RENT = Attribute(name="rent", type="number", unit="EUR")
OPENED = Attribute(name="opened", type="date")
FILLER = "The weather of the coast is told here at some length, with all of its winds.\n"


def test_a_short_document_is_shown_whole() -> None:
    assert choose_passages("Deposit: 900 EUR", [DEPOSIT], 1000).shown == "Deposit: 900 EUR"


def test_each_attribute_has_its_passage_wherever_it_is() -> None:
    text = (
        "Lease of a house.\n"
        + FILLER * 300
        + "On termination two months are to pass.\n"
        + FILLER * 300
        + "A deposit of 900 EUR is left with the landlord.\n"
        + FILLER * 300
    )

    shown = choose_passages(text, [DEPOSIT, TERM], 1000).shown

    assert shown.startswith("Lease of a house.\n")
    assert shown.index("two months") < shown.index("900 EUR")
    assert shown.count("[…]") >= 2
    assert len(shown) <= 4000


def test_values_are_found_by_their_look_where_no_word_fits() -> None:
    text = FILLER * 200 + "The doors were first open to guests on 4 May 1899.\n" + FILLER * 200

    assert "4 May 1899" in choose_passages(text, [OPENED], 1000).shown


def test_words_without_spaces_are_found_too() -> None:
    filler = "这里介绍海岸的天气和各种各样的风。\n"
    founded = Attribute(name="founded", type="string", synonyms=("成立日期",))
    text = filler * 800 + "公司成立日期:二零一五年。\n" + filler * 800

    assert "公司成立日期" in choose_passages(text, [founded], 1000).shown


def test_a_long_document_costs_no_more_than_a_short_one() -> None:
    lengths = {
        len(choose_passages(FILLER * n, [DEPOSIT, TERM], 1000).shown) for n in (200, 2000, 20_000)
    }
    assert max(lengths) <= 4000


@given(
    text=st.text(alphabet=st.sampled_from("ab .\n12€成立\u0301\ud83d"), max_size=3000),
    max_tokens=st.integers(20, 400),
)
def test_passages_are_parts_of_the_text_in_order_within_the_budget(
    text: str, max_tokens: int
) -> None:
    shown = choose_passages(text, [DEPOSIT, TERM, OPENED], max_tokens).shown

    assert shown == choose_passages(text, [DEPOSIT, TERM, OPENED], max_tokens).shown
    assert len(shown) <= 4 * max_tokens
    words, position = "".join(text.split()), 0  # gaps are shown smaller
    for part in map("".join, map(str.split, shown.split("[…]"))):
        position = words.index(part, position) + len(part)
    assert position == len(words) or "[…]" in shown


def test_what_is_left_out_can_be_shown_next_until_all_of_it_was() -> None:
    lines = [f"Line {number} tells of the {number}th mile of the coast.\n" for number in range(900)]
    text = "".join(lines)
    chosen = choose_passages(text, [DEPOSIT, TERM], 4000)
    shown = [chosen.shown]

    while chosen.unread:
        chosen = choose_passages(text, [DEPOSIT], 4000, chosen.unread)
        shown.append(chosen.shown)

    assert all(len(part) <= 16_000 for part in shown)
    assert len(shown) == 3
    assert all(any(line.strip() in part for part in shown) for line in lines)


def test_the_passages_likely_to_hold_an_attribute_are_shown_first_of_what_is_left() -> None:
    text = FILLER * 400 + "Term: as agreed.\n" + "A deposit of 900 EUR is left.\n" + FILLER * 400
    first = choose_passages(text, [OPENED], 500)
    more = choose_passages(text, [DEPOSIT], 500, first.unread)

    assert "900 EUR" not in first.shown
    assert "900 EUR" in more.shown
    assert more.shown.startswith("\n[…]\n")


ROWS = [f"| Item {number} | {number + 100} | {number + 200} |\n" for number in range(40)]
HEADS = "Table 2: Cash (in millions)\n\n| Item | 2022 | 2023 |\n| --- | --- | --- |\n"
REPORT = read_text(
    "# Report\n\n"
    + FILLER * 160
    + f"\n## Statements\n\n### Cash flow\n\n{HEADS}{''.join(ROWS)}\n## Notes\n\n"
    + FILLER * 160,
    "a.md",
)
CASH = Attribute(name="cash", type="number", synonyms=("item 7",))


def choose(document: Document, max_tokens: int, unread: Sequence[Span] | None = None) -> Selection:
    return choose_passages(document.text, [CASH], max_tokens, unread, cut_passages(document))


def test_a_table_is_shown_whole_below_its_headings_and_heads() -> None:
    shown = choose(REPORT, 2000).shown

    assert f"\n## Statements\n\n### Cash flow\n\n{HEADS}{''.join(ROWS)}" in shown
    assert "\n[… Report]\n## Statements" in shown


@pytest.mark.parametrize("max_tokens", [200, 300])
def test_a_table_that_is_larger_than_the_room_is_shown_in_rows_below_its_heads(
    max_tokens: int,
) -> None:
    chosen, shown = choose(REPORT, max_tokens), list[str]()
    while chosen.unread:
        shown.append(chosen.shown)
        chosen = choose(REPORT, max_tokens, chosen.unread)
    shown.append(chosen.shown)

    text = "\n".join(shown)
    assert all(text.count(row) == 1 for row in ROWS)
    for stretch in re.split(r"\[….*\]\n", text):
        assert "| Item 7" not in stretch or HEADS in stretch
    above = "\n[… Report]\n## Statements\n\n### Cash flow\n\n"
    assert re.search(rf"{re.escape(above + HEADS)}\| Item [1-9]", text)
    assert all(len(part) <= 4 * max_tokens for part in shown)


def test_a_table_whose_heads_have_no_room_is_not_shown() -> None:
    heads = (
        f"| Item | {'in thousands of euros, not audited, ' * 20} | 2023 |\n| --- | --- | --- |\n"
    )
    document = read_text(f"{FILLER * 40}\n{heads}{''.join(ROWS)}\n{FILLER * 40}", "a.md")

    assert "| Item 7" not in choose(document, 250).shown
    assert heads in choose(document, 1000).shown


def test_a_text_below_headings_is_shown_with_those_that_it_does_not_begin_with() -> None:
    text = f"# Lease\n\n{FILLER * 40}\n## Deposit\n\n{FILLER * 60}It is 900 EUR.\n\n## Pets\n"
    document = read_text(text + FILLER * 60, "a.md")
    passages = cut_passages(document)

    shown = choose_passages(document.text, [DEPOSIT], 500, None, passages).shown

    assert "\n[… Lease]\n## Deposit\n\nThe weather" in shown
    shown = choose_passages(document.text, [OPENED, RENT], 500, None, passages).shown
    assert f"\n[… Lease › Deposit]\n{FILLER}" in shown
    assert shown.endswith("It is 900 EUR.\n\n\n[…]\n")


def test_what_lies_in_no_passage_is_read_too() -> None:
    text = f"id: 7\n{FILLER * 90}town: Kiel\n"
    passages = [Passage(Span(6, 6 + len(FILLER) * 40), None, ("review",), "text")]
    chosen = choose_passages(text, [DEPOSIT], 400, None, passages)
    shown = [chosen.shown]
    while chosen.unread:
        chosen = choose_passages(text, [DEPOSIT], 400, chosen.unread, passages)
        shown.append(chosen.shown)

    assert sum(part.count(FILLER.strip()) for part in shown) == 90
    assert shown[0].startswith("id: 7\n")
    assert any("town: Kiel" in part for part in shown)


def test_wide_gaps_become_small() -> None:
    text = "Sales      2023\n\n   \n\nShoes\t \u00a0 7 EUR\n\n\n\nEnd"
    assert tighten(text) == "Sales  2023\n\nShoes  7 EUR\n\nEnd"


def test_rows_of_no_known_table_are_shown_below_the_lines_with_their_scale_and_years() -> None:
    rows = [f"Item {number}    {number + 100}    {number + 200}\n" for number in range(90)]
    rows[50] = "Profit    150    250\n"
    heads = "Cash flow (in millions)\nItem     2022     2023\n"
    text = f"{FILLER * 90}{heads}{''.join(rows)}{FILLER * 90}"
    n = len(FILLER * 90)
    spans = [Span(start, min(start + 770, n)) for start in range(0, n, 770)]
    spans += [Span(n, n + 700), Span(n + 700, n + 1400), Span(n + 1400, len(text))]
    pages = [1 if span.end <= n else 2 for span in spans]
    passages = [Passage(span, page, (), "text") for span, page in zip(spans, pages, strict=True)]
    profit = Attribute(name="profit", type="string")

    shown = choose_passages(text, [profit], 300, None, passages).shown

    assert "[…]\nCash flow (in millions)\nItem 2022 2023\n" in shown
    assert "\nProfit  150  250\n" in shown and "\nItem 0 " not in shown


NOTED = f"""# Report

{FILLER * 60}
## Statements

All amounts in thousands of euros.

{FILLER * 60}
### Income

{FILLER * 10}

| Item | 2023 | 2022 |
| --- | --- | --- |
| Cash | 1,200 | 1,100 |

## Staff

{FILLER * 60}
| Item | 2023 | 2022 |
| --- | --- | --- |
| Cash desks | 12 | 11 |
"""
NOTE = "All amounts in thousands of euros.\n| Item | 2023 | 2022 |\n| --- | --- | --- |\n"


def test_a_table_stands_below_the_note_that_holds_to_the_end_of_its_section() -> None:
    document = read_text(NOTED, "a.md")

    shown = choose(document, 600).shown

    income, staff = shown.partition("Staff]")[::2]
    assert f"[… Report › Statements › Income]\n{NOTE}" in shown
    assert "| Cash | 1,200 | 1,100 |" in income
    assert "| Cash desks | 12 | 11 |" in staff
    assert "thousands" not in staff


def test_what_stands_around_a_cell_stands_below_note_and_heads() -> None:
    document = read_text(NOTED, "a.md")
    places = [Span(start, start + 3) for start in (NOTED.index("1,100"), NOTED.index("11 |"))]

    shown = choose_around(document.text, places, 5, cut_passages(document))

    assert shown.startswith(f"{NOTE}[…]\n")
    assert shown.count("thousands") == 1
    assert shown.count("| Item | 2023 | 2022 |") == 2


def test_where_nothing_is_sought_the_beginning_and_parts_of_all_the_rest_are_shown() -> None:
    lines = [f"Line {number:05d} of the contract says something." for number in range(5000)]
    shown = choose_passages("\n".join(lines), [], 2000).shown
    numbers = [int(found) for found in re.findall(r"Line (\d{5}) of", shown)]
    assert numbers[0] == 0
    assert numbers == sorted(set(numbers))
    assert all(
        any(low <= number < low + 1000 for number in numbers) for low in range(0, 5000, 1000)
    )
