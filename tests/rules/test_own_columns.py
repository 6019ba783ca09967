"""Columns that a person wrote, over documents that call things by names of their own."""

from datetime import date

import pytest

from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.states import State
from tests.rules.folder import Table, fill_own

OWNERS = ("Ilse Brandt", "Jonas Keil", "Mira Vogt", "Otto Lang", "Petra Sahm", "Ralf Thoma")
YARDS = ("Karg", "Hansa", "Norin")
SHORT = ("Ara", "Bor", "Cid", "Dot", "Eva", "Fox", "Gus", "Hal", "Ina", "Joe", "Kim", "Lou")


def boats() -> list[str]:
    return [
        f"# Boat {SHORT[n]}\n\nOwner: {OWNERS[n % 6]}\nBuilder: {YARDS[n % 3]}\n"
        f"Launched: {n + 1} May 19{60 + n}\nLength over all: {8 + n}.5 m\nBeam: {3 + n} m\n"
        f"Insured: {'yes' if n % 3 else 'no'}\n\n## Equipment\n\n"
        f"- {'Radar' if n % 2 else 'Compass'}\n- Anchor\n"
        for n in range(12)
    ]


def of_boats(*attributes: Attribute) -> Table:
    return fill_own(boats(), *attributes, ending="md")


def wanted(name: str, kind: str = "string", **further: object) -> Attribute:
    return Attribute.model_validate({"name": name, "type": kind, **further})


@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        pytest.param(
            wanted("proprietor", synonyms=["owner"]), ["Ilse Brandt", "Jonas Keil"], id="synonym"
        ),
        pytest.param(
            wanted("shipyard", examples=["Karg", "Hansa"]), ["Karg", "Hansa"], id="example"
        ),
        pytest.param(
            wanted("made_by", categories=["Karg", "Hansa", "Norin"]),
            ["Karg", "Hansa"],
            id="category",
        ),
        pytest.param(wanted("length", "number", unit="m"), [8.5, 9.5], id="word of its name"),
        pytest.param(wanted("length", "number", unit="cm"), [850, 950], id="another unit"),
        pytest.param(
            wanted("launch_date", "date"), [date(1960, 5, 1), date(1961, 5, 2)], id="form of a word"
        ),
        pytest.param(wanted("is_insured", "boolean"), [False, True], id="yes and no"),
        pytest.param(wanted("has_radar", "boolean"), [False, True], id="thing of a list"),
    ],
)
def test_a_column_is_found_by_what_is_said_of_it(
    attribute: Attribute, values: list[object]
) -> None:
    table = of_boats(attribute)
    assert table.values(attribute.name)[:2] == values
    assert table.contradicted(attribute.name) == []


@pytest.mark.parametrize(
    "attribute",
    [
        pytest.param(wanted("captain"), id="a word that nobody says"),
        pytest.param(wanted("width", "number", unit="m"), id="a unit that others have"),
        pytest.param(wanted("year_launched", "integer"), id="a number where a date stands"),
        pytest.param(wanted("owner", "number"), id="a number where a name stands"),
        pytest.param(wanted("launched", "number", unit="kg"), id="a weight where a date stands"),
        pytest.param(
            wanted("crew", "integer", description="How many sail the boat."), id="the boat"
        ),
    ],
)
def test_a_column_that_nothing_fits_stays_empty(attribute: Attribute) -> None:
    table = of_boats(attribute)
    assert table.schema.attributes == (attribute,)
    assert set(table.states(attribute.name)) == {State.NOT_MENTIONED}


def test_two_columns_never_read_the_same_label() -> None:
    table = of_boats(
        wanted("owner"),
        wanted("owner_of_boat"),
        wanted("beam", "number"),
        wanted("length", "number"),
    )
    assert table.values("owner")[:2] == ["Ilse Brandt", "Jonas Keil"]
    assert table.values("owner_of_boat") == [None] * 12
    assert table.values("beam")[:2] == [3.0, 4.0]
    assert table.values("length")[:2] == [8.5, 9.5]


@pytest.mark.parametrize(
    ("label", "value", "attribute"),
    [
        pytest.param("Maximum heat", "20 °C", wanted("minimum_heat", "number"), id="minimum"),
        pytest.param("Net weight", "20 kg", wanted("gross_weight", "number"), id="gross"),
        pytest.param("Start date", "2024-05-10", wanted("end_date", "date"), id="end"),
        pytest.param(
            "Planned opening", "2024-05-10", wanted("actual_opening", "date"), id="actual"
        ),
        pytest.param("Buyer name", "Ada Quill", wanted("seller_name"), id="seller"),
    ],
)
def test_the_contrary_of_what_is_wanted_is_not_taken_for_it(
    label: str, value: str, attribute: Attribute
) -> None:
    texts = [
        f"Job {name}\n\n{label}: {value.replace('0', str(n))}\n" for n, name in enumerate(SHORT)
    ]
    table = fill_own(texts, attribute)
    assert table.schema.attributes == (attribute,)


def test_the_contrary_stands_beside_what_is_wanted() -> None:
    texts = [
        f"Oven {name}\n\nMaximum heat: {200 + n} °C\nMinimum heat: {30 + n} °C\n"
        for n, name in enumerate(SHORT)
    ]
    table = fill_own(texts, wanted("minimum_heat", "number"), wanted("maximum_heat", "number"))
    assert table.values("minimum_heat") == [30 + n for n in range(12)]
    assert table.values("maximum_heat") == [200 + n for n in range(12)]


def test_a_number_of_a_sentence_is_found_by_what_it_counts() -> None:
    texts = [
        f"The inn {name} has {10 + n} rooms and was built in {1900 + n}."
        f" A night costs {50 + n} EUR.\n"
        for n, name in enumerate(SHORT)
    ]
    table = fill_own(
        texts, wanted("number_of_rooms", "integer"), wanted("price_of_night", "number", unit="EUR")
    )
    assert table.values("number_of_rooms") == [10 + n for n in range(12)]
    assert table.values("price_of_night") == [50 + n for n in range(12)]
    assert table.contradicted("number_of_rooms") == []


def test_labels_of_another_language_are_found_by_synonyms() -> None:
    texts = [
        f"Boot {name}\n\nEigner: {OWNERS[n % 6]}\nBaujahr: {1960 + n}\nLänge: {8 + n},5 m\n"
        for n, name in enumerate(SHORT)
    ]
    table = fill_own(
        texts,
        wanted("owner", synonyms=["Eigner"]),
        wanted("built", "integer", synonyms=["Baujahr"]),
        wanted("length", "number", unit="m", synonyms=["Länge"]),
    )
    assert table.values("owner")[:2] == ["Ilse Brandt", "Jonas Keil"]
    assert table.values("built") == [1960 + n for n in range(12)]
    assert table.values("length") == [8.5 + n for n in range(12)]


def test_labels_of_several_layouts_serve_one_column_where_they_never_meet() -> None:
    labels = ("Owner", "Owner of the boat", "Boat owner")
    texts = [f"{labels[n % 3]}: {OWNERS[n % 6]}\nBerth: {n + 3}\n" for n in range(18)]
    table = fill_own(texts, wanted("owner"))
    assert table.values("owner") == [OWNERS[n % 6] for n in range(18)]
    assert table.contradicted("owner") == []


def test_a_value_outside_of_the_categories_is_kept_and_told() -> None:
    states = ("afloat", "sunk", "ashore")
    texts = [f"State: {states[n % 3] if n != 4 else 'on fire'}\nBerth: {n}\n" for n in range(12)]
    table = fill_own(texts, wanted("state", categories=list(states)))
    assert table.values("state")[:3] == list(states)
    odd = table.cells["state"][4]
    assert odd.as_stated == "on fire"
    assert odd.value in {None, "on fire"}
    assert odd.note


def test_a_boolean_that_is_false_where_nothing_is_said_stays_unknown_to_the_rules() -> None:
    table = of_boats(wanted("has_autopilot", "boolean", absent_means="false"))
    assert set(table.states("has_autopilot")) == {State.NOT_MENTIONED}
