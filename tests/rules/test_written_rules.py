"""Rules as data: such as a model could have written, and such as old schema files of users have."""

import json
from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from srag_mcp.cells.cell import Mark
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.values.states import State
from tests.rules.folder import Table, fill, read, tabulate

SAID, ABSENT, SILENT, FAILED = (
    State.STATED,
    State.STATED_ABSENT,
    State.NOT_MENTIONED,
    State.FAILED,
)

LETTERS = (
    "An das Bauamt\n\nBetreff: Carport, Az. B-07/112\n\nWir beantragen einen Carport von 18,5 m²"
    " Fläche. Die Kosten betragen 4.200 €.\nEine Garage ist nicht vorhanden.\n\nUlm, 3. Mai 2021\n",
    "An das Bauamt\n\nBetreff: Zaun, Az. B-07/009\n\nWir beantragen einen Zaun. Er kostet 950 €,"
    " der alte kostete 700 €.\nEine Garage ist vorhanden.\n\nTrier, 12. Juni 2021\n",
    "An das Bauamt\n\nBetreff: Gaube, Az. C-11/340\n\nWir beantragen eine Gaube von ca. 6 m²"
    " Fläche.\n\nEmden, 1. Juli 2021\n",
)


def column(*rules: Mapping[str, object], kind: str = "string", **further: object) -> Attribute:
    given = {"name": "x", "type": kind, "extractors": [*rules], **further}
    return Attribute.model_validate(given)


def cells_of(attribute: Attribute, texts: Sequence[str] = LETTERS) -> Table:
    return fill(Schema(title="T", attributes=(attribute,)), read(texts))


def pattern(words: str, **further: object) -> dict[str, object]:
    return {"kind": "pattern", "pattern": words, **further}


@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        pytest.param(
            column(pattern(r"Az\. (?P<value>[A-Z]-\d{2}/\d{3})")),
            ["B-07/112", "B-07/009", "C-11/340"],
            id="code with zeros",
        ),
        pytest.param(
            column(pattern(r"(?P<value>[\d.,]+ m²) Fläche"), kind="number", unit="m²"),
            [18.5, None, 6.0],
            id="number with a unit",
        ),
        pytest.param(
            column(pattern(r"(?i)kost(?:en|et)\D{1,12}(?P<value>[\d.]+ €)"), kind="integer"),
            [4200, 950, None],
            id="number with a point for thousands",
        ),
        pytest.param(
            column(pattern(r"(?P<value>[\d.]+ €)", pick="max"), kind="integer"),
            [4200, 950, None],
            id="the largest",
        ),
        pytest.param(
            column(pattern(r"(?P<value>[\d.]+ €)", veto=["der alte kostete"]), kind="integer"),
            [4200, None, None],
            id="no line with other words",
        ),
        pytest.param(
            column(pattern(r"\d+\. \p{Lu}\p{L}+ \d{4}", scope="tail", characters=30), kind="date"),
            [date(2021, 5, 3), date(2021, 6, 12), date(2021, 7, 1)],
            id="day at the end",
        ),
        pytest.param(
            column(pattern(r"(?P<value>\p{Lu}\p{L}+), \d", pick="last")),
            ["Ulm", "Trier", "Emden"],
            id="letters of any script",
        ),
        pytest.param(
            column(pattern(r"(?P<value>\p{L}+),", scope="after", label="betreff")),
            ["Carport", "Zaun", "Gaube"],
            id="behind a label",
        ),
        pytest.param(
            column(
                pattern(
                    r"Garage ist (?P<value>(?:nicht )?vorhanden)",
                    map={"vorhanden": "yes", "nicht vorhanden": "no"},
                ),
                kind="boolean",
            ),
            [False, True, None],
            id="yes and no by a map",
        ),
        pytest.param(
            column(pattern(r"Carport|Zaun|Gaube", map={"gaube": "roof", "zaun": "fence"})),
            ["Carport", "fence", "roof"],
            id="values by a map",
        ),
    ],
)
def test_a_pattern_reads_letters_and_code_their_values(
    attribute: Attribute, values: list[object]
) -> None:
    table = cells_of(attribute)
    assert table.values("x") == values
    for document, cell in zip(table.documents, table.cells["x"], strict=True):
        assert (cell.state is SAID) == (cell.value is not None)
        assert cell.span is None or cell.span.of(document.text) == cell.as_stated


def test_a_value_that_does_not_fit_its_type_fails_and_keeps_its_words() -> None:
    table = cells_of(column(pattern(r"Betreff: (?P<value>\w+)"), kind="integer"))
    assert table.states("x") == [FAILED] * 3
    assert table.quotes("x") == ["Carport", "Zaun", "Gaube"]
    assert all(cell.note for cell in table.cells["x"])


def test_a_group_that_took_no_part_in_a_match_states_nothing() -> None:
    table = cells_of(column(pattern(r"Fläche|Zaun (?P<value>\d+)")))
    assert table.states("x") == [SILENT] * 3


def test_the_next_rule_reads_where_the_first_finds_nothing() -> None:
    table = cells_of(
        column(
            pattern(r"betragen (?P<value>[\d.]+ €)"),
            pattern(r"(?P<value>[\d.]+ €)"),
            {"kind": "key", "keys": ["betreff"]},
        )
    )
    assert table.quotes("x") == ["4.200 €", "950 €", "Gaube, Az. C-11/340"]


def test_rules_that_read_other_values_at_other_places_mark_the_cell() -> None:
    table = cells_of(
        column(
            pattern(r"(?P<value>[\d.]+ €)", pick="first"),
            pattern(r"(?P<value>[\d.]+ €)", pick="last"),
            kind="integer",
        )
    )
    assert table.values("x") == [4200, 950, None]
    assert table.contradicted("x") == [1]
    assert "700 €" in table.cells["x"][1].note


def test_rules_that_read_one_value_at_two_places_mark_nothing() -> None:
    texts = ["Fee: 40 EUR\n\nThe fee of 40.00 euros is due.\n"]
    attribute = column(
        {"kind": "key", "keys": ["fee"]}, pattern(r"fee of (?P<value>[\d.]+ \w+)"), kind="number"
    )
    (cell,) = cells_of(attribute, texts).cells["x"]
    assert (cell.value, cell.marks) == (40.0, frozenset())


# --- Rules of schema files, as people have them --------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "states"),
    [
        pytest.param({"kind": "item", "items": ["sauna"]}, [SAID, ABSENT, SILENT], id="one word"),
        pytest.param(
            {"kind": "item", "items": ["steam bath", "sauna"]},
            [SAID, ABSENT, SAID],
            id="two things",
        ),
        pytest.param(
            {"kind": "item", "items": ["sauna"], "section": "rooms"}, [SILENT] * 3, id="elsewhere"
        ),
        pytest.param(
            {"kind": "item", "items": ["sauna"], "sections": ["wellness"]},
            [SAID, ABSENT, ABSENT],
            id="not listed",
        ),
        pytest.param(
            {"kind": "item", "items": ["sauna"], "sections": ["wellness"], "signs": ["bath"]},
            [SAID, ABSENT, SILENT],
            id="not listed, but for a sign",
        ),
    ],
)
def test_a_rule_of_things_says_denies_or_leaves_open(
    rule: dict[str, object], states: list[State]
) -> None:
    texts = [
        f"Inn {n}\n\n## Wellness\n\n- {thing}\n\n## Rooms\n\n- Balcony\n"
        for n, thing in enumerate(("Finnish sauna", "No sauna", "Steam bath"))
    ]
    assert cells_of(column(rule, kind="boolean"), texts).states("x") == states


@pytest.mark.parametrize(
    ("rule", "quotes"),
    [
        pytest.param({"kind": "key", "keys": ["fee"]}, ["40 EUR", "70 EUR"], id="first"),
        pytest.param(
            {"kind": "key", "keys": ["fee"], "occurrence": "last"}, ["60 EUR", "90 EUR"], id="last"
        ),
        pytest.param(
            {"kind": "key", "keys": ["fee"], "section": "adults"}, ["60 EUR", "90 EUR"], id="below"
        ),
        pytest.param(
            {"kind": "key", "keys": ["charge", "fee"], "section": "children"},
            ["40 EUR", "70 EUR"],
            id="another key first",
        ),
        pytest.param(
            {"kind": "key", "keys": ["vat #"], "reads": "label"}, ["19 %", "7 %"], id="in the label"
        ),
        pytest.param({"kind": "key", "keys": ["fees"]}, [None, None], id="not another key"),
    ],
)
def test_a_rule_of_keys_reads_what_stands_beside_them(
    rule: dict[str, object], quotes: list[str | None]
) -> None:
    texts = [
        f"Form {17 + n}/a\n\n## Children\n\nFee: {40 + 30 * n} EUR\n\n## Adults\n\n"
        f"Fee: {60 + 30 * n} EUR\n\n## Sums\n\nVAT {(19, 7)[n]} %: {7 + n} EUR\n"
        f"Hours: daily {6 + 2 * n} h (guided)\n"
        for n in range(2)
    ]
    assert cells_of(column(rule), texts).quotes("x") == quotes


@pytest.mark.parametrize(
    "gone",
    [
        {"kind": "key", "leads": ["form"]},
        {"kind": "place", "place": "line"},
        {"kind": "cell", "row": "hay", "column": "tons"},
        {"kind": "slot", "value_type": "name", "weights": {"<=of the": 1}, "threshold": 1},
    ],
)
def test_a_rule_of_an_earlier_version_fails_aloud_where_no_other_one_finds_a_value(
    gone: dict[str, object],
) -> None:
    attribute = column(gone, {"kind": "key", "keys": ["fee"]})
    cells = cells_of(attribute, ["Form 17/a\n\nFee: 40 EUR\n", "Form 18/a\n"]).cells["x"]
    assert [cell.state for cell in cells] == [SAID, FAILED]
    assert "earlier version" in cells[1].note


def test_two_values_beside_one_key_are_marked_and_one_said_twice_is_not() -> None:
    texts = ["Fee: 40 EUR\n\nPaid\n\nFee: 60 EUR\n", "Fee: 40 EUR\n\nPaid\n\nFee: 40 EUR\n"]
    cells = cells_of(column({"kind": "key", "keys": ["fee"]}), texts).cells["x"]
    assert [cell.marks for cell in cells] == [frozenset({Mark.CONTRADICTED}), frozenset()]


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param({"kind": "pattern", "pattern": ""}, id="no pattern"),
        pytest.param({"kind": "pattern", "pattern": "a", "scope": "line"}, id="unknown scope"),
        pytest.param({"kind": "pattern", "pattern": "a", "characters": 0}, id="nothing to look at"),
        pytest.param({"kind": "item", "items": []}, id="no items"),
        pytest.param(
            {"kind": "slot", "value_type": "number", "weights": {}, "threshold": 1}, id="0"
        ),
        pytest.param({"kind": "guess", "keys": ["a"]}, id="unknown kind"),
        pytest.param({"kind": "key", "keys": ["a"], "veto": ["b"]}, id="a field of another kind"),
    ],
)
def test_a_rule_that_means_nothing_is_refused_when_the_schema_is_read(
    rule: dict[str, object],
) -> None:
    with pytest.raises(ValueError, match="extractors"):
        column(rule)


def test_induced_rules_read_the_same_after_they_went_through_a_schema_file() -> None:
    table = tabulate(
        [
            f"# Survey of {name}\n\nSkipper: {('Ada Quill', 'Bo Tarn')[n % 2]}\n\n12 Mill Lane,"
            f" {4000 + n} {('Linz', 'Graz', 'Wels')[n % 3]}, Austria\n\nOn the slip we counted"
            f" {20 + 3 * n} loose rivets.\n\n| Part | Worn |\n|---|---|\n| Keel | {n} mm |\n\n"
            f"## Aboard\n\n- {('Raft', 'Radio')[n % 2]}\n"
            for n, name in enumerate(
                ("Ara", "Bor", "Cid", "Dot", "Eva", "Fox", "Gus", "Hal", "Ina")
            )
        ],
        ending="md",
    )
    written = json.dumps(table.schema.model_dump(mode="json"))
    again = fill(Schema.model_validate_json(written), table.documents)
    assert again.cells == table.cells
    kinds = {rule.kind for a in table.schema.attributes for rule in a.extractors}
    assert {"key", "item", "slot", "place"} <= kinds
