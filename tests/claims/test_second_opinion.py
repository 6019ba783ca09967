from dataclasses import replace

import pytest

from srag_mcp.cells.cell import Cell, Mark
from srag_mcp.claims.figures import find_disputed, mark_disputed
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from srag_mcp.values.types import Value


def stated(value: Value) -> Cell:
    return Cell("height", State.STATED, f"{value} m", Span(0, 3), value=value)


def cells(*values: Value | None) -> dict[int, Cell]:
    absent = Cell("height", State.NOT_MENTIONED)
    return {n: absent if v is None else stated(v) for n, v in enumerate(values)}


def test_what_two_readers_state_differently_is_found() -> None:
    model = cells(10, 20, 30, 40, 50, None, 70)
    rule = cells(10, 20, 31, 40, 50, 60, None)
    assert find_disputed(model, rule) == [2]


def test_a_rule_that_mostly_reads_otherwise_has_no_say() -> None:
    assert find_disputed(cells(1, 2, 3, 4, 5), cells(1, 2, 9, 9, 9)) == []
    assert find_disputed(cells(1, 2, 3, 4), cells(1, 2, 3, 9)) == [], "too few"
    years = cells(*range(15))
    assert find_disputed(years, cells(*range(12), 0, 0, 0)) == [12, 13, 14]
    assert find_disputed(years, cells(*range(11), 0, 0, 0, 0)) == [], "two rights a wrong"


def test_what_no_model_was_asked_is_no_agreement_of_two() -> None:
    rule = cells(*range(20))
    own = {n: cell for n, cell in rule.items() if n > 3}  # a table's, that nobody else has read
    assert find_disputed(own | cells(0, 1, 2, 9), rule) == [], "too few"


def test_values_that_mean_the_same_agree() -> None:
    names = cells("Acme Ltd", "B", "C", "D", "E", "F")
    assert find_disputed(names, cells("ACME LTD.", "b", "C", "D", "E", "x")) == [5]
    assert find_disputed(cells(1, 2, 3, 4, 5.0), cells(1, 2, 3, 4, 5)) == []
    assert len(find_disputed(cells(*[True] * 6), cells(*[True] * 5, False))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme", "Acme Ltd"),
        ("Acme", "The ACME Co. Ltd."),
        ("Ada Byron", "Dr Ada Byron"),
    ],
)
def test_a_legal_form_and_a_title_add_nothing(one: str, other: str) -> None:
    assert differing(one, other) == differing(other, one) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("York", "New York"),
        ("Bern", "Bern (Switzerland)"),
        ("Guinea", "Equatorial Guinea"),
        ("tanker", "not a tanker"),
        ("tanker", "tanker (not)"),
        ("tanker", "kein: tanker"),
        ("100", "1 100"),
        ("Ltd", "Acme Ltd"),
        ("Acme", "Acme Ltd, 12"),
        ("Acme", "Acme Bakery"),
        ("", "Acme"),
    ],
)
def test_a_longer_name_a_denial_and_a_number_are_another_value(one: str, other: str) -> None:
    assert differing(one, other) == differing(other, one) == [0]


def differing(one: str, other: str) -> list[int]:
    """Where two readers differ who say *one* and *other* of the first document, then the same."""
    same = ["same"] * 9
    return find_disputed(cells(one, *same), cells(other, *same))


def test_a_part_of_a_word_is_another_word() -> None:
    sexes = cells("male", "female", "paid", "1 day", "x")
    rules = cells("Female", "female.", "unpaid", "12 days", "x")
    assert find_disputed(sexes, rules) == []
    many = {**sexes, **{n: stated("same") for n in range(10, 20)}}
    others = {**rules, **{n: stated("same") for n in range(10, 20)}}
    assert find_disputed(many, others) == [0, 2, 3]


def test_a_no_is_spoken_too() -> None:
    yes = cells(*[True] * 6)
    none = replace(yes[5], state=State.STATED_ABSENT, value=False)
    assert find_disputed(cells(*[True] * 5) | {5: none}, yes) == [5]


def test_the_cell_says_what_the_rule_reads() -> None:
    noted = mark_disputed(stated(30), stated(31))
    assert noted.note == "a learned rule reads otherwise: 31 (“31 m”)"
    assert mark_disputed(noted, stated(31)).note.startswith(f"{noted.note}; a ")


@pytest.mark.parametrize(
    ("value", "exact", "quote", "agree"),
    [
        (120.1, 120.0912, "394 ft", True),
        (120, 120.0912, "394 ft", True),
        (1190, 1188.72, "3,900 ft", True),
        (120.3, 120.0912, "394 ft", False),
        (121, 120.0912, "394 ft", False),
        (100, 120.0912, "394 ft", False),
        (120.1, 120.0912, "120.0912 m", False),
        (120, 120.4, "120.4", False),
    ],
)
def test_the_rounding_of_a_conversion_is_no_other_value(
    value: float, exact: float, quote: str, *, agree: bool
) -> None:
    rule = {**cells(exact, *range(9)), 0: replace(stated(exact), as_stated=quote)}
    assert find_disputed(cells(value, *range(9)), rule) == ([] if agree else [0])


@pytest.mark.parametrize(
    ("quote", "is_heard"),
    [("detection", False), ("Detection", False), ("ice detection: yes", True), ("yes", True)],
)
def test_a_word_of_the_name_of_the_column_is_no_yes(quote: str, *, is_heard: bool) -> None:
    def say(value: Value, words: str) -> Cell:
        return Cell("has_ice_detection", State.STATED, words, Span(0, 3), value=value)

    model = {number: say(number > 0, "none") for number in range(9)}
    rule = {number: say(True, "ice detection: yes") for number in range(9)} | {0: say(True, quote)}
    assert find_disputed(model, rule) == ([0] if is_heard else [])


@pytest.mark.parametrize(
    ("of_model", "of_rule", "place", "is_disputed"),
    [
        (frozenset({Mark.DERIVED}), frozenset[Mark](), Span(14, 17), False),
        (frozenset({Mark.DERIVED}), frozenset[Mark](), Span(40, 43), True),
        (frozenset[Mark](), frozenset[Mark](), Span(14, 17), True),
        (frozenset[Mark](), frozenset({Mark.DOUBTED}), Span(40, 43), False),
    ],
)
def test_a_part_of_what_is_computed_and_a_doubtful_reading_dispute_nothing(
    of_model: frozenset[Mark], of_rule: frozenset[Mark], place: Span, *, is_disputed: bool
) -> None:
    quote = Cell("height", State.STATED, "two hours and ten minutes", Span(0, 25), value=130)
    rule = replace(stated(10), span=place, marks=of_rule)
    model = {**cells(*range(9)), 9: replace(quote, marks=of_model)}
    found = find_disputed(model, {**cells(*range(9)), 9: rule})
    assert found == [9] * is_disputed
