"""What one document says outright: fields, statements of lists, cells, lines, values, names."""

import pytest

from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import read_text
from srag_mcp.rules.labels import keyed_numbers
from srag_mcp.rules.sightings import Sightings, is_plain_value
from srag_mcp.rules.slots import best_slot, find_slots, find_values, learn_slot_rule
from srag_mcp.schema.attribute import SlotRule

NOTE = """# Lab note 17

Sample: Pond water
Acidity: 6.8 pH
Tax (19 %): 4.20
Total pieces      12

## Seen

- Algae
- No fish
- Snails: 14 of them
- Larvae since 2019

## Weather

Rain of 7 mm

## Method

We left the sample in the dark for 36 hours, and took 4 mL of it at 20 °C.
"""


def document(text: str = NOTE) -> Document:
    return read_text(text, "note.md")


def sighted(text: str = NOTE) -> Sightings:
    return Sightings(document(text))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sample", "Pond water"),
        ("acidity", "6.8 pH"),
        ("tax 19", "4.20"),
        ("tax #", "4.20"),
        ("total pieces", "12"),
    ],
)
def test_a_label_has_its_value_where_it_stands(key: str, value: str) -> None:
    (field,) = sighted().fields[key]
    assert (field.value, field.span.of(NOTE)) == (value, value)


def test_a_number_in_a_label_is_its_figure() -> None:
    (field,) = sighted().fields["tax #"]
    assert field.figure is not None
    assert field.figure.of(NOTE) == "19 %"


def test_statements_of_a_list_are_said_or_denied_without_their_figures() -> None:
    found = [(item.name, item.negative) for item in sighted().items if item.listed]
    assert found == [("algae", False), ("fish", True), ("snails", False)]


def test_a_document_speaks_of_a_thing_in_any_form_and_not_by_a_heading() -> None:
    said = sighted()
    assert said.speaks_of("snail")
    assert said.speaks_of("hour")
    assert not said.speaks_of("method")
    assert not said.speaks_of("dark water")


def test_headings_and_labels_head_what_stands_below_and_beside_them() -> None:
    headings = sighted().headings
    assert {"lab note 17", "seen", "weather", "method", "sample", "acidity"} <= headings.keys()
    assert headings["sample"].of(NOTE) == "Sample"


def test_the_first_lines_have_no_marks_of_markup() -> None:
    lines = [span.of(NOTE) for span in sighted().first_lines]
    assert lines[:2] == ["Lab note 17", "Sample: Pond water"]
    assert len(lines) == 8


def test_numbers_beside_labels_are_counted_in_cents() -> None:
    numbers = {number.key: number.cents for number in keyed_numbers(sighted())}
    assert numbers["total pieces"] == 1200
    assert numbers["tax 19"] == 420


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("12", True),
        ("A-17/b", True),
        ("4 May 2021", True),
        ("12 kg", True),
        ("Ada Quill", True),
        ("pond water", False),
        ("SEE BELOW", False),
        ("12 jars of pond water", False),
        ("(12)", False),
    ],
)
def test_a_plain_value_is_a_number_a_date_a_code_or_a_name(text: str, *, is_plain: bool) -> None:
    assert is_plain_value(text) is is_plain


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("We took 4 kg on 3 May 2021.", [("number", "4 kg"), ("date", "3 May 2021")]),
        ("It cost € 12.50, or 8 % more.", [("money", "€ 12.50"), ("percent", "8 %")]),
        ("A B-52 over room A4 and § 12.", []),
        ("It has ★★★☆☆ of the guild.", [("number", "★★★☆☆")]),
        ("In May 2021 it froze.", []),
    ],
)
def test_values_are_dates_and_amounts_and_no_part_of_a_name(
    text: str, values: list[tuple[str, str]]
) -> None:
    assert [(value.type, value.span.of(text)) for value in find_values(text)] == values


def test_an_amount_that_can_be_read_in_two_ways_has_both() -> None:
    (value,) = find_values("It weighed 1.019 somethings.")
    assert value.amount == 1.019
    assert value.other == pytest.approx(1019.0)


def test_of_dated_values_the_latest_holds() -> None:
    text = "Ducks rose from 41 on 1 May 2021, and then to 58 on 1 June 2021.\n"
    rule = SlotRule(value_type="number", weights={"~duck": 1.0}, threshold=0.5)
    slot = best_slot(rule, find_slots(document(text)))
    assert slot is not None
    assert slot.value.amount == 58.0
    earlier = rule.model_copy(update={"weights": {"~duck": 1.0, "@earlier": 1.0}})
    slot = best_slot(earlier, find_slots(document(text)))
    assert slot is not None
    assert slot.value.amount == 41.0


def test_a_rule_that_is_learnt_from_some_documents_reads_the_others() -> None:
    texts = [
        f"On day {n + 1} he fed {30 + n} ducks near the weir, and mended {n % 3 + 2} nets.\n"
        for n in range(12)
    ]
    slots = [find_slots(document(text)) for text in texts]
    members = {
        number: next(slot for slot in own if slot.value.amount == 30 + number)
        for number, own in enumerate(slots[:8])
    }
    rule = learn_slot_rule(members, slots[:8])
    read = [best_slot(rule, own) for own in slots]
    assert [slot and slot.value.amount for slot in read] == [30 + n for n in range(12)]
