"""How dates are said: before and by one, planned for one, or about one; and what a label says."""

from datetime import date

import pytest

from srag_mcp.values.columns import classify_values, read_column
from srag_mcp.values.numbers import Hedge
from srag_mcp.values.states import Column, Reading, State, Words
from srag_mcp.values.types import DATE, INTEGER

DAY = date(2021, 5, 3)
BOUNDS = [
    "before 3 May 2021", "until 3 May 2021", "by 3 May 2021", "by Monday, 3 May 2021",
    "by the end of 3 May 2021", "no later than 2021-05-03", "3 May 2021 at the latest",
    "3 May 2021 or earlier", "after 3 May 2021", "not before 3 May 2021", "< 2021-05-03",
    "vor dem 3. Mai 2021", "bis 3.5.2021", "bis zum 3. Mai 2021",
    "spätestens am 3. Mai 2021", "frühestens 3. Mai 2021", "avant le 3 mai 2021",
    "au plus tard le 3 mai 2021", "jusqu'au 3 mai 2021", "antes del 3 de mayo de 2021",
    "hasta el 3 de mayo de 2021", "entro il 3 maggio 2021", "prima del 3 maggio 2021",
    "vóór 3 mei 2021", "tot en met 3 mei 2021", "uiterlijk 3 mei 2021",
]  # fmt: skip
INTENTS = [
    "planned for 3 May 2021", "3 May 2021 (planned)", "to be opened on 3 May 2021",
    "geplant 3. Mai 2021", "3.5.2021 (voraussichtlich)", "prévu le 3 mai 2021",
    "previsto 3 maggio 2021", "gepland: 3 mei 2021",
]  # fmt: skip
ROUGH = ["about 3 May 2021", "ca. 3. Mai 2021", "3 May 2021 (approx.)", "ongeveer 3 mei 2021"]
PLAIN = [
    "3 May 2021", "Monday, 3 May 2021", "on 3 May 2021", "since 3 May 2021", "from 3 May 2021",
    "ends on 3 May 2021", "due 3 May 2021", "by Ann Lee, 3 May 2021", "3 May 2021, after rain",
    "seit 3. Mai 2021",
]  # fmt: skip


def _read(name: str, *texts: str, context: str = "") -> list[Reading]:
    return read_column(Column(DATE, name), [Words(text, context) for text in texts])


@pytest.mark.parametrize("text", BOUNDS)
def test_a_day_before_or_after_which_something_lies_is_not_its_date(text: str) -> None:
    assert _read("opened", text) == [Reading(State.FAILED, note=Hedge.BOUND)]


@pytest.mark.parametrize("text", INTENTS)
def test_a_day_for_which_something_is_intended_is_not_its_date(text: str) -> None:
    assert _read("opened", text) == [Reading(State.FAILED, note=Hedge.INTENT)]


@pytest.mark.parametrize("text", ROUGH)
def test_a_rough_day_is_one_that_may_be_another(text: str) -> None:
    assert _read("opened", text) == [
        Reading(State.STATED, DAY, note="a rough value is stated", is_guess=True)
    ]


@pytest.mark.parametrize("text", PLAIN)
def test_a_day_is_plain_where_nothing_is_said_of_it(text: str) -> None:
    assert _read("opened", text) == [Reading(State.STATED, DAY)]


@pytest.mark.parametrize(
    ("name", "header", "text"),
    [("deadline", "", "by 3 May 2021"), ("due", "", "no later than 3 May 2021"),
     ("valid_until", "", "until 3 May 2021"), ("frist", "", "bis 3. Mai 2021"),
     ("opening", "Planned for", "planned for 3 May 2021"), ("expiry", "Gültig", "bis 3. Mai 2021"),
     ("expected_delivery", "", "expected 3 May 2021"), ("entro_il", "", "entro il 3 maggio 2021")],
)  # fmt: skip
def test_below_a_label_that_speaks_of_an_end_that_end_is_the_value(
    name: str, header: str, text: str
) -> None:
    assert _read(name, text, context=header) == [Reading(State.STATED, DAY)]


def test_a_column_of_days_that_are_but_ends_is_one_of_texts() -> None:
    ends = ["by 3 May 2021", "by 4 May 2021", "5 May 2021"]
    assert classify_values(ends, "opened").type == "string"
    assert classify_values(ends, "deadline").type == "date"
    assert classify_values([*ends, "6 May 2021", "7 May 2021"], "opened").type == "date"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("before 1950", Reading(State.FAILED, note=Hedge.BOUND)),
     ("until 2021", Reading(State.FAILED, note=Hedge.BOUND)),
     ("bis 1950", Reading(State.FAILED, note=Hedge.BOUND)),
     ("planned 2030", Reading(State.FAILED, note=Hedge.INTENT)),
     ("c. 1950", Reading(State.STATED, 1950, note=Hedge.ROUGH, is_guess=True)),
     ("1950", Reading(State.STATED, 1950)),
     ("by 1950 guests", Reading(State.STATED, 1950)),
     ("after 5 shows", Reading(State.STATED, 5)),
     ("after 5 pm", Reading(State.FAILED, note="not a number"))],
)  # fmt: skip
def test_a_year_before_which_something_lies_is_not_its_year(text: str, expected: Reading) -> None:
    assert read_column(Column(INTEGER, "built"), [Words(text)]) == [expected]
    assert read_column(Column(INTEGER, "lasts_until"), [Words("until 2021")]) == [
        Reading(State.STATED, 2021)
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [("minimum_stay", "min. 3 nights"), ("max_load", "up to 3 kg"), ("mindestalter", "ab 3"),
     ("Höchstgewicht", "höchstens 3 kg"), ("capacity (max.)", "3 max.")],
)  # fmt: skip
def test_below_a_label_of_a_limit_the_limit_is_the_value(name: str, text: str) -> None:
    [named] = read_column(Column(INTEGER, name), [Words(text)])
    [other] = read_column(Column(INTEGER, "stay"), [Words(text)])
    assert (named.value, other.note) == (3, Hedge.BOUND)
    assert (
        classify_values([text, text.replace("3", "4"), text.replace("3", "7")], name).type
        == "integer"
    )


@pytest.mark.parametrize(
    "text", ["12 (planned)", "target 12", "geplant: 12", "expected: 12 people"]
)
def test_a_number_that_is_but_intended_is_none_but_where_its_label_says_so(text: str) -> None:
    read = {name: read_column(Column(INTEGER, name), [Words(text)]) for name in ("staff", "target")}
    assert read == {
        "staff": [Reading(State.FAILED, note=Hedge.INTENT)],
        "target": [Reading(State.STATED, 12)],
    }


def test_minutes_in_a_label_are_no_limit() -> None:
    [read] = read_column(Column(INTEGER, "walk_min"), [Words("> 30", "Walk (min)")])
    assert read == Reading(State.FAILED, note=Hedge.BOUND)
