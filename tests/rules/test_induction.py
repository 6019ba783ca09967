"""Induction finds what the documents of a corpus have in common."""

from datetime import date, timedelta

from srag_mcp.cells.cell import Cell, Record
from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import read_text
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import induce_schema
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.values.states import State
from tests.rules.folder import tabulate

FIRST_DAY = date(2021, 3, 1)


def bulletins(n: int = 12) -> list[Document]:
    """Daily bulletins that word the same figures in two ways."""
    documents = []
    for number in range(n):
        day = FIRST_DAY + timedelta(days=number)
        visitors, boats = 15_204 + 731 * number, 41 + 3 * number
        if number % 2:
            body = (
                f"• The harbour counted {visitors:,} visitors yesterday, more than ever.\n"
                f"• In total {boats} fishing boats were moored at the northern pier."
            )
        else:
            body = (
                f"• With {visitors:,} visitors the harbour had a busy day.\n"
                f"• At the northern pier, {boats} fishing boats were moored."
            )
        text = f"Bulletin (as of {day:%d/%m/%Y})\n{body}\n• All 7 piers are open.\n"
        documents.append(read_text(text, f"{day}.txt"))
    return documents


def column(schema: Schema, documents: list[Document], words: set[str]) -> list[str | None]:
    """What the attribute with these words in its name states, by document."""
    found = [a.name for a in schema.attributes if words <= set(a.name.split("_"))]
    assert len(found) == 1, [a.name for a in schema.attributes]
    return [
        as_stated(extract_record(Sightings(document), schema), found[0]) for document in documents
    ]


def as_stated(record: Record, name: str) -> str | None:
    return next(cell.as_stated for cell in record.cells if cell.attribute == name)


def induce(documents: list[Document], *questions: str) -> Schema:
    return induce_schema(documents, title="Record", entity="records", questions=questions)


def test_a_number_in_differently_worded_sentences_is_one_attribute() -> None:
    documents = bulletins()
    schema = induce(documents)
    assert column(schema, documents, {"visitors"}) == [f"{15_204 + 731 * n:,}" for n in range(12)]
    assert column(schema, documents, {"boats"}) == [str(41 + 3 * n) for n in range(12)]


def test_a_number_that_never_changes_is_no_attribute() -> None:
    schema = induce(bulletins())
    assert not [a for a in schema.attributes if "piers" in a.name]


def test_the_date_of_a_document_is_an_attribute() -> None:
    documents = bulletins()
    schema = induce(documents)
    dates = [a for a in schema.attributes if a.type == "date"]
    assert len(dates) == 1
    stated = [
        as_stated(extract_record(Sightings(document), schema), dates[0].name)
        for document in documents
    ]
    assert stated[:2] == ["01/03/2021", "02/03/2021"]


def test_a_key_written_in_several_ways_is_one_attribute() -> None:
    keys = ("Invoice number", "Invoice Number", "INVOICE NUMBER", "Invoice numbers")
    documents = [
        read_text(f"{keys[n % 4]}: A-{n}7{n}\nColour: {'red' if n % 3 else 'blue'}\n", f"{n}.txt")
        for n in range(12)
    ]
    schema = induce(documents)
    assert column(schema, documents, {"invoice"}) == [f"A-{n}7{n}" for n in range(12)]
    assert column(schema, documents, {"colour"})[:3] == ["blue", "red", "red"]


def houses(*facilities: str) -> list[Document]:
    """Pages of houses, each with a list of facilities besides the garden that all have."""
    return [
        read_text(f"# House {n}\n\n## Equipment\n\n- Garden\n{facility}\n", f"{n}.md")
        for n, facility in enumerate(facilities)
    ]


def states(documents: list[Document], attribute: Attribute) -> list[State]:
    schema = Schema(title="t", attributes=(attribute,))
    return [extract_record(Sightings(document), schema).cells[0].state for document in documents]


def test_a_list_without_a_thing_denies_it_where_the_text_speaks_of_it_nowhere() -> None:
    documents = houses(*(["- Sauna", "- No sauna", "- Piano", "- Grand piano", "- Attic"] * 3))
    schema = induce(documents)
    sauna, piano = schema.attribute("sauna"), schema.attribute("piano")
    assert (sauna.type, sauna.absent_means) == ("boolean", "unknown")
    absent = State.STATED_ABSENT
    assert states(documents, sauna) == [State.STATED, *[absent] * 4] * 3
    assert states(documents, piano) == [absent, absent, State.STATED, State.STATED, absent] * 3


def test_what_most_documents_say_or_deny_is_unknown_where_absent() -> None:
    schema = induce(houses(*(["- Sauna", "- No sauna"] * 6)))
    assert schema.attribute("sauna").absent_means == "unknown"


def test_every_stated_cell_lies_where_its_words_are() -> None:
    documents = bulletins()
    schema = induce(documents)
    for document in documents:
        for cell in extract_record(Sightings(document), schema).cells:
            assert cell.span is None or cell.span.of(document.text) == cell.as_stated


def test_an_attribute_has_a_description_with_an_example() -> None:
    schema = induce(bulletins(), "How many visitors came on an average day?")
    attribute = next(a for a in schema.attributes if "visitors" in a.name)
    assert attribute.type == "integer"
    assert "15,204" in attribute.description
    assert attribute.description.count(". ") >= 1


def test_an_attribute_without_extractors_is_not_mentioned() -> None:
    schema = Schema(title="t", attributes=(Attribute(name="size", type="number"),))
    record = extract_record(Sightings(bulletins(1)[0]), schema)
    assert record.cells == (Cell("size", State.NOT_MENTIONED),)


def test_no_documents_give_a_schema_without_attributes() -> None:
    assert induce([]).attributes == ()


def test_the_town_and_country_of_an_address_are_attributes() -> None:
    towns = [("Linz", "Austria"), ("Graz", "Austria"), ("Como", "Italy"), ("Lyon", "France")]
    documents = [
        read_text(
            f"# Barn {chr(65 + n)}\n\nMill Lane {n}, {4000 + n} {town}, {country} - show map\n\n"
            f"A barn with {n + 20} cows.\n",
            f"{n}.md",
        )
        for n, (town, country) in enumerate(towns * 3)
    ]
    schema = induce(documents)
    assert column(schema, documents, {"country"}) == [country for _, country in towns] * 3
    assert column(schema, documents, {"city"}) == [town for town, _ in towns] * 3


def test_numbers_are_told_by_what_they_count_where_no_sentence_is_like_another() -> None:
    sentences = [
        "You sleep in one of {} rooms, and the cat sleeps in all of them.",
        "The {} rooms were painted by sailors.",
        "A former mill, it has {} rooms and no lift whatsoever.",
        "Count {} rooms, a bar and a ghost.",
        "All {} rooms look south.",
        "Behind the gate wait {} rooms with creaking floors.",
        "There are {} rooms here, reached by a ladder.",
        "With {} rooms it is the biggest house of the valley.",
    ]
    documents = [
        read_text(f"# House\n\n{sentence.format(12 + 7 * n)}\n", f"{n}.md")
        for n, sentence in enumerate(sentences)
    ]
    schema = induce(documents)
    assert column(schema, documents, {"rooms"}) == [str(12 + 7 * n) for n in range(8)]


def test_a_name_after_the_same_words_is_no_attribute() -> None:
    lands = ["Ohio", "Maine", "Texas", "Utah"]
    documents = [
        read_text(
            f"{'This paper' if n % 2 else 'The lease'} is governed by the laws of the State of "
            f"{lands[n % 4]} and signed by both sides.\n",
            f"{n}.txt",
        )
        for n in range(12)
    ]
    assert induce(documents).attributes == ()


def test_words_that_merely_occur_are_no_columns() -> None:
    documents = [
        read_text(
            f"Hi there,\n\nlot {n} has {n + 3} acres of pasture{', insured' if n % 3 else ''}.\n\n"
            f"Kind regards, {'Ada' if n % 2 else 'Bo'}\n",
            f"{n}.txt",
        )
        if n % 4
        else read_text(f"Lot {n}: {n + 3} acres of pasture.\n", f"{n}.txt")
        for n in range(24)
    ]
    schema = induce(documents, "How many lots are insured?")
    assert [a.name for a in schema.attributes if a.type == "boolean"] == []


def test_the_mark_of_a_heading_is_no_part_of_a_name() -> None:
    texts = [f"# Captain {name}\n\nSailed on." for name in ("Anders", "Brook", "Castell")]
    lines = [Sightings(read_text(text, "a.txt")).first_lines[0].of(text) for text in texts]
    assert lines == ["Captain Anders", "Captain Brook", "Captain Castell"]


def test_what_few_documents_say_and_nobody_asks_for_is_no_attribute() -> None:
    texts = [
        f"Port: Harbour {n}\n" + (f"Berth: Quay {n}" if n < 2 else "Crane: no") for n in range(30)
    ]
    documents = [read_text(text, f"{n}.txt") for n, text in enumerate(texts)]
    names = {attribute.name for attribute in induce(documents).attributes}
    assert "port" in names
    assert "berth" not in names


def test_the_number_of_a_name_in_a_title_is_no_column() -> None:
    names = ["Ada", "Bor", "Cleo"]
    documents = [
        read_text(f"# {names[n % 3]} {n + 40}\n\nWeight: {n + 3} kg\n", f"{n}.md")
        for n in range(18)
    ]
    numbers = [a.name for a in induce(documents).attributes if a.type in {"integer", "number"}]
    assert numbers == ["weight"]


def flats() -> list[Document]:
    """Pages whose title repeats what a label says, and that name another page's flat."""
    districts = ("Altona", "Wandsbek", "Harburg")
    return [
        read_text(
            f"# Flat {n} in {districts[n % 3]}\n\nDistrict: {districts[n % 3]}\n"
            f"See also: Flat {n // 2} in {districts[n // 2 % 3]}\nRent: {400 + 37 * n} EUR\n",
            f"{n}.md",
            "text/markdown",
        )
        for n in range(12)
    ]


def test_a_label_says_more_than_the_title_that_its_values_stand_in() -> None:
    names = [attribute.name for attribute in induce(flats()).attributes]
    assert names == ["title", "district", "rent"]


def test_what_stands_behind_a_preposition_is_not_what_a_number_is_of() -> None:
    documents = [
        read_text(
            f"Report of the day\n\nThe gusts reached {20 + 7 * n} km/h in the afternoon.\n",
            f"{n}.txt",
        )
        for n in range(12)
    ]
    assert [a.name for a in induce(documents).attributes if a.type == "integer"] == ["gusts"]


def test_a_word_beside_the_values_of_two_columns_names_neither() -> None:
    documents = [
        read_text(
            f"Bulletin\n\nYesterday {310 + 17 * n} guests were in mountain huts, and there were"
            f" {20 + 3 * (n * 7 % 12)} guests in the valley inns.\n",
            f"{n}.txt",
        )
        for n in range(12)
    ]
    names = {a.name for a in induce(documents).attributes if a.type == "integer"}
    assert names == {"guests_in_mountain_huts", "guests_in_valley_inns"}


def test_labels_that_meet_once_are_two_where_values_are_often_equal_by_chance() -> None:
    people = ["Ana", "Ben", "Cy", "Dee"]
    texts = []
    for number in range(12):
        done = ["Oil change"] * (number % 2 == 0) + ["Clutch repair"] * (number % 2 or number == 4)
        rows = "\n".join(f"| {task} | {people[number // 2 % 4]} |" for task in done)
        texts.append(f"# Job {number}\n\n| Task | Mechanic |\n| --- | --- |\n{rows}\n")
    found = tabulate(texts, ending="md").columns
    assert {"oil_change", "clutch_repair"} <= found.keys()
