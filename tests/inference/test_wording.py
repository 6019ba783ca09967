import pytest

from srag_mcp.inference.answer import (
    ColumnCoverage,
    Denominator,
    render_denominator,
    render_text,
    render_value,
    result_key,
)
from srag_mcp.inference.ask import ask
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage, Value


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1254760, None, "1,254,760"),
        (139.642857, None, "139.643"),
        (0.000123456, None, "0.0001235"),
        (12.5, "percent", "12.5 %"),
        (84.0, "EUR", "84 EUR"),
        (True, None, "yes"),
        (None, "km", "unknown"),
        ("Berlin", None, "Berlin"),
    ],
)
def test_values_are_written_for_people(value: Value, unit: str | None, text: str) -> None:
    assert render_value(value, unit) == text


def page(*rows: tuple[Value, ...], columns: tuple[str, ...] = ("n",)) -> ResultPage:
    return ResultPage(columns, ("BIGINT",) * len(columns), rows, False, None, 0.0)


def test_an_answer_says_value_and_reading() -> None:
    assert render_text(page((14,)), "hotels with pool") == "14: hotels with pool."


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(True, None, "Yes"), ("iPhone", None, "iPhone"), ("", None, ""), (8, "km", "8 km")],
)
def test_a_stored_text_is_written_as_it_is(value: Value, unit: str | None, said: str) -> None:
    assert render_text(page((value,)), "the answer", unit) == f"{said}: the answer."


def test_no_row_is_said_to_be_no_answer() -> None:
    said = render_text(page(), "name with the highest price")
    assert said == "No document gives an answer: name with the highest price."


def test_a_denominator_names_the_silent_and_the_unreadable() -> None:
    columns = (ColumnCoverage("rating", n_used=337, n_unknown=9, n_failed=4),)
    said = "rating: 337 used, 9 do not say, 4 could not be read."
    assert (
        render_denominator(Denominator(350, columns=columns)) == f"Over all 350 documents; {said}"
    )


def test_a_denominator_names_no_row_of_forty_columns() -> None:
    columns = tuple(ColumnCoverage(f"c{n}", n, 350 - n, 0) for n in range(40))
    said = render_denominator(Denominator(350, columns=columns))
    assert said.endswith("c7: 7 used, 343 do not say; and 32 more columns with gaps.")


def test_a_denominator_says_how_many_meet_the_conditions() -> None:
    condition = "flag = 'Peru (old)'"
    assert render_denominator(Denominator(14, n_selected=3, conditions=condition)) == (
        "Over the 3 of 14 documents with flag = 'Peru (old)'; none is left out as unknown."
    )
    assert render_denominator(Denominator(14, n_selected=1, conditions="x" * 200)) == (
        "Over the 1 of 14 documents that meets the conditions; none is left out as unknown."
    )


def test_what_was_not_counted_is_said_not_to_be() -> None:
    said = render_denominator(Denominator(60, uncounted="it reads a sample"))
    assert said == "Over how many of 60 documents was not counted: it reads a sample."


@pytest.mark.parametrize(
    ("asked", "said", "is_tie"),
    [
        ("Which ship has the largest crew?", "A tie of 2: Berta, Clara: ", True),
        ("Which ship has the smallest crew?", "Frida: ", False),
    ],
)
def test_an_answer_says_that_several_come_first(
    ships: Corpus, asked: str, said: str, *, is_tie: bool
) -> None:
    answer = ask(ships, asked)

    assert answer.text.startswith(said)
    assert answer.is_tie is is_tie


def test_a_result_is_the_same_in_any_order_and_with_or_without_a_point() -> None:
    assert result_key([(40550000,)]) == result_key([(40550000.0,)])
    assert result_key([("Malta", 3), (None, 1)]) == result_key([(1, None), (3, "Malta")])
    assert result_key([("Malta", 3)]) != result_key([("Malta", 4)])
