"""A place stands in for a field only where it says the same sort of thing."""

from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import read_text
from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.extraction import extract_record
from srag_mcp.offline.fallbacks import may_stand_in
from srag_mcp.offline.induction import induce_schema


def _field(values: list[str]) -> Candidate:
    return Candidate("field", "Sent", [], dict(enumerate(values)))


def _place(values: dict[int, str]) -> Candidate:
    return Candidate("place", "date", [], values)


LETTERS = [f"{day} May 2024" for day in range(1, 9)]


def test_a_first_date_among_the_dates_of_the_field_stands_in() -> None:
    assert may_stand_in(_field(LETTERS), _place({20: "4 May 2024", 21: "10 May 2024"}), "date")


def test_a_first_date_far_from_those_of_the_field_is_another_fact() -> None:
    assert not may_stand_in(_field(LETTERS), _place({20: "4 May 1981", 21: "9 July 1990"}), "date")


def test_texts_and_few_values_give_no_reason_to_refuse() -> None:
    assert may_stand_in(_field(LETTERS[:3]), _place({20: "4 May 1981"}), "date")
    assert may_stand_in(_field(["Olm"] * 9), _place({20: "Rann"}), "string")


def test_the_first_date_of_a_form_without_the_field_is_not_taken_for_it() -> None:
    documents = [_form(n, keyed=n % 4 != 0) for n in range(24)]
    schema = induce_schema(documents, title="Passport", entity="passports")
    name = next(a.name for a in schema.attributes if "birth" in a.name)
    found = {
        document.id: next(
            cell.as_stated
            for cell in extract_record(document, schema).cells
            if cell.attribute == name
        )
        for document in documents
    }
    assert {n for n in range(24) if found[f"{n}.txt"] is None} == set(range(0, 24, 4))


def _form(number: int, *, keyed: bool) -> Document:
    born = f"Date of birth: {number % 27 + 1} June {1960 + number}\n" if keyed else ""
    text = f"Bearer {number}\n{born}Valid until: {number % 27 + 1} March {2030 + number % 5}\n"
    return read_text(text, f"{number}.txt")
