from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.records.selection import LEFT_OUT, choose_passages
from srag_mcp.schema.attribute import Attribute

DEPOSIT = Attribute(
    name="deposit", type="number", unit="EUR", description="What the tenant leaves as security."
)
TERM = Attribute(name="notice_period", type="integer", unit="months", synonyms=("termination",))
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
    assert shown.count(LEFT_OUT) >= 2
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
    assert len(shown) <= max(4 * max_tokens, 0) or shown == text
    position = 0
    for part in shown.split(f"\n{LEFT_OUT}\n"):
        position = text.index(part, position) + len(part)
    assert shown == text or LEFT_OUT in shown


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
    assert more.shown.startswith(f"\n{LEFT_OUT}\n")
