"""Of too many columns stay those that questions need, that tell records apart, that are stated."""

import pytest

from srag_mcp.engines.model import Said, choose_columns
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import Decision, PredictedSchema
from srag_mcp.schema.schema import Schema

NAME = Attribute(name="name", type="string")
FLAG = Attribute(name="flag", type="string")
LENGTH = Attribute(name="length", type="number")
YARD = Attribute(name="yard", type="string")
POOL = Attribute(name="has_pool", type="boolean", absent_means="false")
CRANE = Attribute(name="has_crane", type="boolean")
SOURCE = Attribute(name="source", type="string")
SAID: Said = {
    "name": ["Anna", "Berta", "Cilly", None],
    "flag": ["Malta", "Malta", "Panama", "Malta"],
    "length": ["12", "14", "12", None],
    "yard": [None, None, "Brun", None],
    "has_pool": ["true", None, None, None],
    "has_crane": ["true", None, "true", None],
    "source": ["register", "register", "register", "register"],
}
PROPOSED = (SOURCE, YARD, CRANE, POOL, LENGTH, FLAG, NAME)


def choose(
    n_columns: int, *needed: str, attributes: tuple[Attribute, ...] = PROPOSED, said: Said = SAID
) -> PredictedSchema:
    schema = Schema(title="Ship", entity="ships", attributes=attributes)
    return choose_columns(PredictedSchema(schema, (), {"Q?": needed}), said, n_columns, 3)


def names(predicted: PredictedSchema) -> list[str]:
    return [attribute.name for attribute in predicted.schema.attributes]


@pytest.mark.parametrize("need", ["pool", "cranes", "crane_count", "yards"])
def test_what_a_question_needs_stays_however_the_need_spells_it(need: str) -> None:
    meant = {
        "pool": "has_pool",
        "cranes": "has_crane",
        "crane_count": "has_crane",
        "yards": "yard",
    }[need]

    assert names(choose(1, need)) == [meant]


def test_all_columns_that_a_need_may_mean_stay() -> None:
    flags = [Attribute(name=f"flag_{word}", type="string") for word in ("now", "before")]

    assert names(choose(1, "flag", attributes=(LENGTH, *flags))) == ["flag_now", "flag_before"]


def test_what_tells_the_unit_of_a_number_stays_where_the_number_does() -> None:
    defined = {"description": "Its freight, in the currency of freight_currency."}
    freight = Attribute(name="freight", type="number").model_copy(update=defined)
    currency = Attribute(name="freight_currency", type="string")
    said = {**SAID, "freight": ["9", "8", "7", "6"], "freight_currency": [None, None, "EUR", None]}
    proposed = (*PROPOSED, currency, freight)

    assert names(choose(2, "freight", attributes=proposed, said=said)) == [
        "name", "freight_currency", "freight"
    ]  # fmt: skip
    assert names(choose(2, "name", attributes=proposed[:-1], said=said)) == ["flag", "name"]


def test_texts_that_are_never_the_same_come_last_but_for_two_names() -> None:
    phones = tuple(Attribute(name=f"phone_{n}", type="string") for n in range(4))
    said = {item.name: ["1", "2", "3", "4"] for item in phones} | {"flag": SAID["flag"]}
    assert names(choose(3, attributes=(*phones, FLAG), said=said)) == ["phone_0", "phone_1", "flag"]


@pytest.mark.parametrize(
    ("n_columns", "kept"),
    [
        (1, ["name"]),
        (2, ["flag", "name"]),
        (3, ["length", "flag", "name"]),
        (4, ["has_pool", "length", "flag", "name"]),
        (5, ["source", "has_pool", "length", "flag", "name"]),
        (6, ["source", "has_crane", "has_pool", "length", "flag", "name"]),
    ],
)
def test_what_names_then_what_differs_and_is_stated_stays_as_it_was_proposed(
    n_columns: int, kept: list[str]
) -> None:
    assert names(choose(n_columns)) == kept


def test_what_a_question_needs_stays_whatever_its_number() -> None:
    assert names(choose(2, "yard")) == ["yard", "name"]
    assert names(choose(1, "yard", "has_crane", "no_such")) == ["yard", "has_crane"]


def test_what_is_left_out_keeps_its_definition() -> None:
    chosen = choose(5)
    assert chosen.decisions == (
        Decision(
            3,
            "leave_out",
            "yard",
            "stated in 1 of 4 documents that were tried; SRAG_COLUMNS=5",
            YARD,
        ),
        Decision(
            3,
            "leave_out",
            "has_crane",
            "stated in 2 of 4 documents that were tried; SRAG_COLUMNS=5",
            CRANE,
        ),
    )


def test_nothing_is_left_out_of_few_columns() -> None:
    chosen = choose(7)
    assert (names(chosen), chosen.decisions) == ([item.name for item in PROPOSED], ())


def test_of_equal_columns_the_earlier_proposed_stay() -> None:
    attributes = tuple(Attribute(name=f"deck_{n}", type="integer") for n in range(4))
    said = {item.name: ["1", "2"] for item in attributes}
    assert names(choose(2, attributes=attributes, said=said)) == ["deck_0", "deck_1"]
    assert names(choose(2, attributes=attributes, said={})) == ["deck_0", "deck_1"]


def test_what_was_defined_after_the_trial_is_taken_for_one_like_most() -> None:
    new = Attribute(name="built", type="integer")
    kept = [names(choose(n, attributes=(*PROPOSED, new))) for n in (3, 5)]
    assert kept == [["length", "flag", "name"], ["has_pool", "length", "flag", "name", "built"]]
