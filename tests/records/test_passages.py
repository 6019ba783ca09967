from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.records.passages import LEFT_OUT, select_passages
from srag_mcp.schema.attribute import Attribute

DEPOSIT = Attribute(
    name="deposit", type="number", unit="EUR", description="What the tenant leaves as security."
)
TERM = Attribute(name="notice_period", type="integer", unit="months", synonyms=("termination",))
OPENED = Attribute(name="opened", type="date")
FILLER = "The weather of the coast is told here at some length, with all of its winds.\n"


def test_a_short_document_is_shown_whole() -> None:
    assert select_passages("Deposit: 900 EUR", [DEPOSIT], 1000) == "Deposit: 900 EUR"


def test_each_attribute_has_its_passage_wherever_it_is() -> None:
    text = (
        "Lease of a house.\n"
        + FILLER * 300
        + "On termination two months are to pass.\n"
        + FILLER * 300
        + "A deposit of 900 EUR is left with the landlord.\n"
        + FILLER * 300
    )

    shown = select_passages(text, [DEPOSIT, TERM], 1000)

    assert shown.startswith("Lease of a house.\n")
    assert shown.index("two months") < shown.index("900 EUR")
    assert shown.endswith(f"\n{LEFT_OUT}\n")
    assert len(shown) <= 4000


def test_values_are_found_by_their_look_where_no_word_fits() -> None:
    text = FILLER * 200 + "The doors were first open to guests on 4 May 1899.\n" + FILLER * 200

    assert "4 May 1899" in select_passages(text, [OPENED], 1000)


def test_words_without_spaces_are_found_too() -> None:
    filler = "这里介绍海岸的天气和各种各样的风。\n"
    founded = Attribute(name="founded", type="string", synonyms=("成立日期",))
    text = filler * 800 + "公司成立日期:二零一五年。\n" + filler * 800

    assert "公司成立日期" in select_passages(text, [founded], 1000)


def test_a_long_document_costs_no_more_than_a_short_one() -> None:
    lengths = {len(select_passages(FILLER * n, [DEPOSIT, TERM], 1000)) for n in (200, 2000, 20_000)}
    assert max(lengths) <= 4000


@given(
    text=st.text(alphabet=st.sampled_from("ab .\n12€成立\u0301\ud83d"), max_size=3000),
    max_tokens=st.integers(20, 400),
)
def test_passages_are_parts_of_the_text_in_order_within_the_budget(
    text: str, max_tokens: int
) -> None:
    shown = select_passages(text, [DEPOSIT, TERM, OPENED], max_tokens)

    assert shown == select_passages(text, [DEPOSIT, TERM, OPENED], max_tokens)
    assert len(shown) <= max(4 * max_tokens, 0) or shown == text
    position = 0
    for part in shown.split(f"\n{LEFT_OUT}\n"):
        position = text.index(part, position) + len(part)
    assert shown == text or LEFT_OUT in shown
