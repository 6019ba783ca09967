"""Extraction applies each kind of rule, and lies nowhere."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srag_mcp.cells.cell import Cell, Mark, normalise_column
from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import read_text
from srag_mcp.errors import SchemaError
from srag_mcp.rules.extraction import extract_record, find_matches
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import (
    Attribute,
    Extractor,
    ItemRule,
    KeyRule,
    PatternRule,
    PlaceRule,
    SlotRule,
)
from srag_mcp.schema.schema import Schema
from srag_mcp.values.numbers import Hedge, hedge_in_text, hedge_of
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import State

TEXT = """# The Long Barn

12 Mill Lane, 4021 Linz, Austria - show map

Built: 1871
Contact: Anna Berg, anna@example.org

The barn was sold on 3 May 1998. From the road it is 600 metres to the barn, and 2.4 km to the lake.
It stands under the protection of the Land of Upper Austria and is insured.

## Equipment

- Covered terrace
- No parking
- Sauna (additional charge)
"""


def document(text: str = TEXT) -> Document:
    return read_text(text, "barn.md")


def cell(*rules: Extractor, text: str = TEXT) -> Cell:
    schema = Schema(
        title="Barn", attributes=(Attribute(name="x", type="string", extractors=rules),)
    )
    return extract_record(Sightings(document(text)), schema).cells[0]


@pytest.mark.parametrize(
    ("rule", "stated"),
    [
        (KeyRule(keys=("built",)), "1871"),
        (KeyRule(keys=("erected", "built")), "1871"),
        (PlaceRule(place="first_heading"), "The Long Barn"),
        (PlaceRule(place="first_date"), "3 May 1998"),
        (PlaceRule(place="first_email"), "anna@example.org"),
        (PlaceRule(place="part", tail=("show", "map"), index=-1), "Austria"),
        (PlaceRule(place="part", tail=("show", "map"), index=-2), "Linz"),
        (SlotRule(value_type="number", weights={"~road": 1, "<!is": 2}, threshold=1), "600 metres"),
        (SlotRule(value_type="number", weights={">lake": 1}, threshold=1), "2.4 km"),
        (SlotRule(value_type="date", weights={"<sold": 1}, threshold=1), "3 May 1998"),
    ],
)
def test_a_rule_finds_the_words_that_state_it(rule: Extractor, stated: str) -> None:
    found = cell(rule)
    assert (found.state, found.as_stated) == (State.STATED, stated)
    assert found.span is not None
    assert found.span.of(document().text) == stated


@pytest.mark.parametrize(
    ("earlier", "stated"),
    [
        ({"kind": "part", "tail": ["show", "map"], "index": -1}, "Austria"),
        ({"kind": "part", "tail": ["show", "map"], "index": -2}, "Linz"),
        ({"kind": "anchor", "before": ["the protection of the"]}, "Land of Upper Austria"),
        ({"kind": "anchor", "before": ["protection of the * of"]}, "Upper Austria"),
        ({"kind": "mention", "stems": ["insur"]}, "insured"),
        ({"kind": "value", "values": ["Mill Lane", "Long Barn"]}, "Long Barn"),
        ({"kind": "vote", "keys": {"built": 0.9}, "word": "built"}, "1871"),
    ],
)
def test_rules_of_earlier_schema_files_are_read(earlier: dict[str, object], stated: str) -> None:
    given = {"name": "x", "type": "string", "extractors": [earlier]}
    assert cell(*Attribute.model_validate(given).extractors).as_stated == stated


@pytest.mark.parametrize(
    ("item", "state"),
    [
        ("terrace", State.STATED),
        ("sauna", State.STATED),
        ("parking", State.STATED_ABSENT),
        ("pool", State.NOT_MENTIONED),
    ],
)
def test_a_list_says_denies_or_leaves_open(item: str, state: State) -> None:
    assert cell(ItemRule(items=(item,))).state is state


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        ("Sold on: 4 May 1998", "4 May 1998"),
        ("Sold: 5 May 1998\nSold on: 4 May 1998", "5 May 1998"),
        ("Sold to: Anna Berg", None),
    ],
)
def test_a_label_may_end_in_on_before_a_date(line: str, stated: str | None) -> None:
    text = f"# Barn\n\nBuilt: 1871\n{line}\n"
    assert cell(KeyRule(keys=("sold",)), text=text).as_stated == stated


def test_the_first_rule_that_finds_something_decides() -> None:
    rules = (KeyRule(keys=("owner",)), KeyRule(keys=("built",)), PlaceRule(place="first_date"))
    assert cell(*rules).as_stated == "1871"


def test_a_slot_below_the_threshold_or_out_of_range_is_not_taken() -> None:
    weights = {"~road": 1.0}
    assert cell(SlotRule(value_type="number", weights=weights, threshold=5)).as_stated is None
    far = SlotRule(value_type="number", weights=weights, threshold=1, minimum=1e6)
    assert cell(far).state is State.NOT_MENTIONED


RECEIPT = """Subtotal:  18.00
Tax:  1.08
Total:  19.08
Amount total:  19.08
Cash:  20.00
Change:  0.92
Total pieces:  4
"""


def _vote(weights: dict[str, float]) -> KeyRule:
    return KeyRule(keys=tuple(weights), weights=weights, word="total")


def test_keys_vote_for_the_number_that_they_and_the_payment_agree_on() -> None:
    rule = _vote({"total": 0.7, "amount total": 0.5, "subtotal": 0.5})
    assert cell(rule, text=RECEIPT).as_stated == "19.08"


def test_a_number_that_is_paid_minus_returned_wins_over_a_more_reliable_key() -> None:
    text = "Total:  18.00\nRounded total:  18.05\nCash:  20.00\nChange:  1.95\n"
    rule = _vote({"total": 0.9, "rounded total": 0.4})
    assert cell(rule, text=text).as_stated == "18.05"


def test_an_amount_that_was_handed_over_may_be_written_as_a_debit() -> None:
    text = "Total due:  17.20\nTotal:  18.05\nCash:  -20.00\nChange:  1.95\n"
    rule = _vote({"total due": 0.9, "total": 0.4})
    assert cell(rule, text=text).as_stated == "18.05"


@pytest.mark.parametrize("step", ["0.03", "-0.03"])
def test_a_total_that_is_adjusted_by_what_is_told_is_the_adjusted_one(step: str) -> None:
    text = f"Total before:  19.02\nRounding:  {step}\nTotal:  {19.02 + float(step):.2f}\nTip:  3.00"
    found = cell(_vote({"total before": 0.9, "total": 0.8}), text=text)
    assert found.as_stated == f"{19.02 + float(step):.2f}"
    assert not found.marks


def test_a_key_that_is_mostly_wrong_elects_nothing() -> None:
    rule = _vote({"total with tax": 0.4, "total": 0.9})
    assert cell(rule, text="Due:  25.15\nTotal with tax:  1.42\n").state is State.NOT_MENTIONED


def test_totals_that_no_step_joins_contradict_each_other() -> None:
    text = "Total before:  19.02\nTotal:  19.05\nTip:  3.00\n"
    assert cell(_vote({"total before": 0.9, "total": 0.8}), text=text).marks


RULES: tuple[Extractor, ...] = (
    KeyRule(keys=("a",)),
    _vote({"total": 1.0}),
    ItemRule(items=("pool",)),
    SlotRule(value_type="number", weights={"~a": 1.0}, threshold=0.5),
    PatternRule(pattern=r"(?i)total\W+(?P<value>\w+)"),
    PlaceRule(place="title"),
    PlaceRule(place="name_line"),
    PlaceRule(place="first_date"),
    PlaceRule(place="part", index=-1),
)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("aA1 2.,:;-\n\t•★%€/|#*()éß中Total Pool"), max_size=300))
def test_any_text_gives_cells_whose_words_are_in_it(text: str) -> None:
    attributes = tuple(
        Attribute(name=f"x{n}", type="string", extractors=(rule,)) for n, rule in enumerate(RULES)
    )
    read = document(text)
    for found in extract_record(Sightings(read), Schema(title="t", attributes=attributes)).cells:
        assert (found.span is None) == (found.as_stated is None)
        assert found.span is None or found.span.of(read.text) == found.as_stated


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("Iron: < 5 mg", State.FAILED),
        ("Iron: >200 mg", State.FAILED),
        ("Iron: ≤ 7", State.FAILED),
        ("> Iron: 5 mg", State.STATED),
        ("Iron: 5 mg (< 9)", State.STATED),
    ],
)
def test_a_bound_is_no_value(line: str, state: State) -> None:
    iron = Attribute(name="iron", type="number", extractors=(KeyRule(keys=("iron",)),))
    schema = Schema(title="T", attributes=(iron,))
    record = extract_record(Sightings(read_text(f"Sample\n\n{line}\nSite: Olm\n", "t.md")), schema)
    assert normalise_column(iron, record.cells)[0].state is state


@pytest.mark.parametrize(
    ("sentence", "is_bound"),
    [("The hall seats more than 300 people.", True), ("The hall seats 300+ people.", True),
     ("The hall seats up to 300 people.", True), ("The hall seats 300 people.", False),
     ("The hall is over there and seats 300 people.", False),
     ("The seats are up from 300 in May.", False), ("Der Saal hat höchstens 300 Plätze.", True),
     ("La salle a au moins 300 places.", True), ("La sala tiene hasta 300 plazas.", True),
     ("De zaal heeft minstens 300 plaatsen.", True), ("The hall seats max. 300 people.", True),
     ("The hall seats 300 people by day.", False)],
)  # fmt: skip
def test_a_bound_in_running_text_is_no_value(sentence: str, *, is_bound: bool) -> None:
    rule = SlotRule(value_type="number", weights={"^seat": 1, "^saal": 1, "^sall": 1, "^sala": 1,
                                                  "^zaal": 1}, threshold=1)  # fmt: skip
    attribute = Attribute(name="seats", type="integer", extractors=(rule,))
    schema = Schema(title="Hall", attributes=(attribute,))
    found = extract_record(Sightings(document(f"# Hall\n\n{sentence}\n")), schema).cells[0]
    note = "a bound is stated, and no value" if is_bound else ""
    state = State.FAILED if is_bound else State.STATED
    assert (found.state, found.note) == (state, note)


@pytest.mark.parametrize(
    ("sentence", "are_ends"),
    [("It will cost between £770 and £1,050.", True), ("Fish between 7 and 10 kg.", True),
     ("Zwischen 770 € und 1050 € im Jahr.", True), ("Le prix est entre 5 et 7 €.", True),
     ("It lies between 2 rivers and 3 hills.", False), ("It has 5 doors and 7 windows.", False),
     ("The walk between Arkle and 3 farms is 5 km.", False)],
)  # fmt: skip
def test_two_ends_between_which_a_number_lies_are_bounds(sentence: str, *, are_ends: bool) -> None:
    spans = [span for span, _ in find_quantities(sentence)]
    hedge = Hedge.BOUND if are_ends else None
    assert [read(sentence, x) for read in (hedge_in_text, hedge_of) for x in spans] == [hedge] * 4


@pytest.mark.parametrize(
    ("sentence", "is_intended"),
    [("The hall is to be widened to 300 seats.", True), ("It has 300 seats (planned).", True),
     ("The expected 300 seats cost much.", True), ("Geplant sind 300 Plätze.", True),
     ("It has 300 seats. They will be sold.", False),
     ("The hall was planned last year and has 300 seats.", False)],
)  # fmt: skip
def test_an_intended_number_in_running_text_is_no_value(
    sentence: str, *, is_intended: bool
) -> None:
    rule = SlotRule(value_type="number", weights={"^hall": 1, "#hall": 1}, threshold=1)
    named = ("seats", "expected_seats")
    attributes = tuple(Attribute(name=x, type="integer", extractors=(rule,)) for x in named)
    schema = Schema(title="Hall", attributes=attributes)
    found = extract_record(Sightings(document(f"# Hall\n\n{sentence}\n")), schema).cells
    note = "what is intended is stated, and no value" if is_intended else ""
    state = State.FAILED if is_intended else State.STATED
    assert [(x.state, x.note) for x in found] == [(state, note), (State.STATED, "")]


@pytest.mark.parametrize(
    ("sentence", "note"),
    [("The roof was mended on 3 May 2021.", ""),
     ("The roof must be mended by 3 May 2021.", "a bound is stated, and no value"),
     ("The roof was not mended before Monday, 3 May 2021.", "a bound is stated, and no value"),
     ("The roof is planned for 3 May 2021.", "what is intended is stated, and no value"),
     ("The roof was planned in May and mended on 3 May 2021.", ""),
     ("The roof was mended about 3 May 2021.", "a rough value is stated")],
)  # fmt: skip
def test_a_day_that_is_an_end_or_an_intention_in_running_text_is_no_value(
    sentence: str, note: str
) -> None:
    rule = SlotRule(value_type="date", weights={"~roof": 1}, threshold=1)
    attribute = Attribute(name="mended", type="date", extractors=(rule,))
    deadline = Attribute(name="mending_deadline", type="date", extractors=(rule,))
    schema = Schema(title="Hall", attributes=(attribute, deadline))
    found = extract_record(Sightings(document(f"# Hall\n\n{sentence}\n")), schema).cells
    is_end = note.endswith("no value")
    state, noted = (State.FAILED, "") if is_end else (State.STATED, note)
    assert [(cell.state, cell.note) for cell in found] == [(state, note), (State.STATED, noted)]


@pytest.mark.parametrize(
    ("pattern", "is_read"),
    [
        (r"(?P<value>\d{1,2} [A-Z][a-z]{2,8} \d{4}|(?:\d{1,2}[.]){2}\d{4}|\d{4}-\d\d)", True),
        (r"\d{9}|\d{9}|\d{9}|\d{9}|\d{9}|\d{9} on (?P<value>\d)", True),
        (r"[{(]{3}\({40}on (?P<value>\d{4})", True),
        (r"on (?P<value>((\d{50}){50}){50})", False),
        (r"on (?P<value>\d{30000})", False),
    ],
)  # fmt: skip
def test_counted_repetitions_multiply_within_one_another_and_add_up_beside(
    pattern: str, is_read: bool
) -> None:
    rule = PatternRule(pattern=pattern)
    if is_read:
        assert find_matches(rule, "It began on 4 May 2021.") is not None
    else:
        with pytest.raises(SchemaError, match="pieces"):
            find_matches(rule, "It began on 4 May 2021.")


@pytest.mark.parametrize(
    ("said", "is_taken_back"),
    [
        ("Correction: the apiary holds 9 hives, not 109.", True),
        ("It holds 9 of them instead of 109.", True),
        ("Correction: the correct number of hives is 9.", True),
        ("Correction of 3 May: hives: 9", True),
        ("Hives (corrected): 9", True),
        ("Hives (recount): 9", True),
        ("Hives should read 9", True),
        ("The number of hives is wrong. It should read 9.", True),
        ("# Errata\n\nThe apiary has 9 hives.", True),
        ("Berichtigung: 9 statt 109.", True),
        ("Rectification : 9 ruches au lieu de 109.", True),
        ("Corrección: 9 colmenas, no 109.", True),
        ("Correction: the hives are 109 (earlier 9).", False),
        ("Hives (Langstroth): 109", False),
        ("Correction: the keeper has 9 dogs.", False),
        ("The village is not 109 km away, as some say.", False),
        ("Something went wrong with the hives.", False),
        ("This Is Not The Final Report of all who came, which were 109.", False),
        ("Entry No 109 of the revised list.", False),
    ],
)
def test_what_the_document_takes_back_elsewhere_is_contradicted(
    said: str, *, is_taken_back: bool
) -> None:
    hives = Attribute(name="hives", type="integer", extractors=(KeyRule(keys=("hives",)),))
    for ending in ("txt", "md"):
        read = read_text(f"Apiary: Cairn\nHives: 109\nKeeper: Poole\n\n{said}\n", f"a.{ending}")
        found = extract_record(Sightings(read), Schema(title="Apiary", attributes=(hives,)))
        assert (Mark.CONTRADICTED in found.cells[0].marks) is is_taken_back


def test_a_label_with_an_aside_that_is_a_column_of_its_own_takes_nothing_back() -> None:
    names = {"hives": "hives", "recounted": "hives recounted", "keeper": "keeper"}
    schema = Schema(
        title="Apiary",
        attributes=tuple(
            Attribute(name=name, type="string", extractors=(KeyRule(keys=(key,)),))
            for name, key in names.items()
        ),
    )
    text = "Hives: 109\nHives (recounted): 9\nKeeper: Poole\n\nThe keeper is Hale, not Poole.\n"
    found = extract_record(Sightings(read_text(text, "a.txt")), schema)
    marked = [cell.attribute for cell in found.cells if cell.marks]
    assert marked == ["keeper"]
