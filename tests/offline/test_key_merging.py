"""Keys that never meet and say the same sort of thing become one attribute."""

from srag_mcp.documents.reading import read_text
from srag_mcp.offline.extraction import extract_record
from srag_mcp.offline.induction import induce_schema
from srag_mcp.offline.key_merging import lexical
from srag_mcp.offline.key_shapes import amount_span
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import KeyRule
from srag_mcp.schema.schema import Schema

_KEYS = (
    ("Boat no.", "Launch date", "Scrapped", "Crew"),
    ("Hull code", "Launched", "End of service", "Complement"),
    ("Vessel identifier", "Date of launch", "Withdrawn at the end", "Number of hands"),
)
_CREWS = ("{} sailors", "about {}", "{} (estimated)")


def _induce() -> Schema:
    documents = []
    for number in range(24):
        keys, crew = _KEYS[number % 3], _CREWS[number % 3].format(20 + number)
        values = (f"HX-{4000 + 37 * number}", f"{number + 1} May 1951", f"{number + 1} June 1987")
        lines = zip(keys, (*values, crew), strict=True)
        text = "\n".join(f"{key}: {value}" for key, value in lines)
        documents.append(read_text(text, f"boat_{number}.txt"))
    return induce_schema(documents, title="Boats", entity="boats")


def _attribute(schema: Schema, key: str) -> Attribute:
    return next(
        attribute
        for attribute in schema.attributes
        for rule in attribute.extractors
        if isinstance(rule, KeyRule) and key in rule.keys
    )


def test_keys_of_one_sort_of_code_are_one_attribute() -> None:
    rule = _attribute(_induce(), "boat no").extractors[0]
    assert isinstance(rule, KeyRule)
    assert set(rule.keys) == {"boat no", "hull code", "vessel identifier"}


def test_keys_that_meet_are_never_one_though_their_values_look_alike() -> None:
    schema = _induce()
    launch, end = _attribute(schema, "launched"), _attribute(schema, "scrapped")
    assert (launch.name, launch.type) != (end.name, end.type)
    assert _attribute(schema, "date of launch") == launch


def test_a_number_is_read_out_of_the_words_beside_a_key() -> None:
    crew = _attribute(_induce(), "crew")
    assert crew.type == "integer"
    record = extract_record(read_text("Crew: 1,204 (all told)", "new.txt"), _schema_of(crew))
    assert record.cells[0].as_stated == "1,204"


def _schema_of(attribute: Attribute) -> Schema:
    return Schema(title="Boats", entity="boats", attributes=(attribute,))


def test_opposite_words_exclude_each_other() -> None:
    assert lexical(["start date"], ["end date"]) < 0
    assert lexical(["date of birth"], ["dob"]) > 0
    assert lexical(["date of birth"], ["date of issue"]) == 0


def test_only_the_one_amount_of_a_short_value_is_its_amount() -> None:
    assert amount_span("5 to 9 mg") is None
    assert amount_span("type A-12") is None
    assert amount_span("3 of 5") is None
