"""What becomes a column of documents, and what must not: on sets that nobody else tells of."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from srag_mcp.cells.cell import Mark
from srag_mcp.documents.document import Document
from srag_mcp.documents.reading import read_text
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import induce_columns, induce_schema
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.values.states import State

SKIPPERS = ("Ada Quill", "Bo Tarn", "Cleo Marsh", "Dov Lund", "Eli Crane", "Fay Reed")
HARBOURS = ("Port Elin", "Saltmouth", "Greywater", "Port Elin")


def documents(texts: Sequence[str], ending: str = "md") -> list[Document]:
    return [read_text(text, f"{number:02d}.{ending}") for number, text in enumerate(texts)]


def induce(read: Sequence[Document], *questions: str, entity: str = "records") -> Schema:
    return induce_schema(read, title="Record", entity=entity, questions=questions)


def names(schema: Schema) -> set[str]:
    return {attribute.name for attribute in schema.attributes}


def stated(schema: Schema, read: Sequence[Document], name: str) -> list[str | None]:
    only = schema.model_copy(update={"attributes": (schema.attribute(name),)})
    return [extract_record(Sightings(document), only).cells[0].as_stated for document in read]


def surveys(n: int = 12) -> list[Document]:
    """Surveys of boats: a title of their own, labels, a list, a sentence."""
    return documents(
        [
            f"# Survey of the {chr(65 + number)}lbatross\n\n"
            f"Skipper: {SKIPPERS[number % 6]}\nBerth: {HARBOURS[number % 4]}\n"
            f"Surveyed: {number + 1} June 2023\nDisplacement: {4 + number}.5 t\n\n"
            f"On the slip we counted {20 + 3 * number} loose rivets along the keel.\n\n"
            f"## Aboard\n\n- Anchor\n{'- Life raft' if number % 3 else '- No life raft'}\n"
            for number in range(n)
        ]
    )


def test_labels_are_columns_with_the_type_and_the_unit_of_their_values() -> None:
    schema = induce(surveys())
    found = {
        attribute.name: (str(attribute.type), attribute.unit)
        for attribute in schema.attributes
        if attribute.name in {"skipper", "berth", "surveyed", "displacement"}
    }
    assert found == {
        "skipper": ("string", None),
        "berth": ("string", None),
        "surveyed": ("date", None),
        "displacement": ("number", "t"),
    }


def test_a_column_reads_the_words_of_each_document() -> None:
    read = surveys()
    schema = induce(read)
    assert stated(schema, read, "skipper") == [SKIPPERS[number % 6] for number in range(12)]
    assert stated(schema, read, "displacement") == [f"{4 + number}.5 t" for number in range(12)]


def test_a_number_in_a_sentence_is_called_what_it_counts() -> None:
    read = surveys()
    (rivets,) = [name for name in names(induce(read)) if "rivets" in name]
    assert stated(induce(read), read, rivets) == [str(20 + 3 * number) for number in range(12)]


def test_a_thing_of_a_list_is_a_boolean_and_what_all_have_is_none() -> None:
    schema = induce(surveys())
    assert schema.attribute("life_raft").type == "boolean"
    assert "anchor" not in names(schema)


def test_a_denied_thing_is_stated_absent() -> None:
    read = surveys()
    schema = induce(read)
    only = schema.model_copy(update={"attributes": (schema.attribute("life_raft"),)})
    states = [extract_record(Sightings(document), only).cells[0].state for document in read[:3]]
    assert states == [State.STATED_ABSENT, State.STATED, State.STATED]


def test_a_label_with_the_same_value_in_all_documents_is_no_column() -> None:
    texts = [f"Yard: North Yard\nHull: H-{number}4{number}\n" for number in range(12)]
    assert names(induce(documents(texts, "txt"))) & {"yard", "hull"} == {"hull"}


def test_a_label_with_sentences_beside_it_is_no_column() -> None:
    texts = [
        f"Lot: L{number}0\nRemark: The hull was wet when we came number {number} and dried later.\n"
        for number in range(12)
    ]
    assert "remark" not in names(induce(documents(texts, "txt")))


def test_what_stands_beside_a_name_that_is_a_value_is_no_column() -> None:
    texts = [
        f"Winner: {SKIPPERS[int(number % 4 == 0)]}\nClass: {'AB'[number % 2]}{number}\n"
        + (f"{SKIPPERS[0]}: {number + 3}\n" if number % 3 == 0 else "")
        for number in range(18)
    ]
    assert not [name for name in names(induce(documents(texts, "txt"))) if "ada" in name]


# --- Titles --------------------------------------------------------------------------------------


def test_a_title_of_its_own_names_a_record() -> None:
    read = documents([f"# {name} tender\n\nOpen since long.\n" for name in SKIPPERS])
    assert "title" not in names(induce(documents(["# Tender\n\nOpen since long.\n"] * 8)))
    assert stated(induce(read), read, "title")[:1] == ["Ada Quill tender"]


def test_a_title_that_several_documents_share_names_no_record() -> None:
    titles = [f"Lab {name}" for name in ("Ash", "Beech", "Cedar", "Dogwood", "Elm", "Fir", "Gum")]
    read = documents([f"# {title}\n\nWe weighed it.\n" for title in [*titles, *["LAB NOTE"] * 3]])
    assert stated(induce(read), read, "title") == [*titles, None, None, None]


def test_kinds_of_documents_are_titles_where_all_are_shared() -> None:
    kinds = ("Harbour round", "Dry dock", "Sea trial")
    read = documents([f"# {kinds[number % 3]}\n\nDone at noon.\n" for number in range(12)])
    assert stated(induce(read), read, "title") == [kinds[number % 3] for number in range(12)]


def test_a_title_keeps_the_number_of_a_house_and_loses_a_code_that_a_label_gives() -> None:
    read = documents([f"# {20 + n} Mill {name}\n\nOld.\n" for n, name in enumerate(SKIPPERS)])
    assert stated(induce(read), read, "title")[0] == f"20 Mill {SKIPPERS[0]}"
    texts = [f"# {20 + n} {name}\n\nNo.: {20 + n}\n" for n, name in enumerate(SKIPPERS)]
    assert stated(induce(documents(texts)), documents(texts), "title")[0] == SKIPPERS[0]


def test_who_is_named_in_other_documents_is_no_title() -> None:
    heads = ("Dr Okafor", "Dr Brandt", "Dr Silva", "Mill Clinic")
    texts = [f"# {heads[n % 4]}\n\nSeen after {heads[(n + 1) % 4]}.\n" for n in range(12)]
    assert "title" not in names(induce(documents(texts)))


def test_a_heading_far_below_is_no_title() -> None:
    lead = "We sowed it and it came up and we were glad of it all the same. " * 12
    texts = [f"{lead}\n\n# Notes of {name}\n\nDry.\n" for name in SKIPPERS * 2]
    assert "title" not in names(induce(documents(texts)))


def test_a_name_in_the_text_that_is_part_of_a_title_is_no_column() -> None:
    boats = ("Marigold", "Petrel", "Dunlin", "Avocet", "Heron", "Osprey", "Sanderling", "Curlew")
    read = documents(
        [
            f"# Yacht {boat}\n\nBuilt well.\n\nYacht {boats[n - 1]} lies beside her.\n"
            for n, boat in enumerate(boats)
        ]
    )
    assert not [name for name in names(induce(read)) if "yacht" in name]


# --- One fact in several words, and several facts in like words -----------------------------------


def test_two_labels_that_share_a_word_and_never_meet_are_one_column() -> None:
    texts = [
        f"{'Sowing date' if number % 2 else 'Date of sowing'}: {number + 1} May 2022\n"
        f"Bed: {'ABC'[number % 3]}{number}\n"
        for number in range(12)
    ]
    read = documents(texts, "txt")
    schema = induce(read)
    (name,) = [name for name in names(schema) if "sowing" in name]
    assert stated(schema, read, name) == [f"{number + 1} May 2022" for number in range(12)]


def test_a_label_that_is_akin_to_one_of_several_names_is_not_what_they_name() -> None:
    """`Total bulbs` is said for `Bulbs`, and `Total` for neither."""
    named = ("Bulbs", "Bulb count", "Total bulbs", "No. of bulbs", "Total")
    texts = [f"{named[n % 5]}: {n + 3}\nBed: B{n}\n" for n in range(30)]
    read = documents(texts, "txt")
    schema = induce(read)
    assert stated(schema, read, "bulbs").count(None) == 6


def test_a_percentage_within_a_label_and_an_amount_beside_one_are_two_columns() -> None:
    texts = [
        f"{f'Levy {5 + n % 3} %: {n + 40}.10' if n % 2 else f'Levy: {6 + n}.30'}\nBed: B{n}\n"
        for n in range(20)
    ]
    read = documents(texts, "txt")
    schema = induce(read)
    assert stated(schema, read, "levy_percent").count(None) == 10


def test_a_row_of_several_amounts_is_not_named_by_its_first_word() -> None:
    texts = [f"Seed list\n\nWhite  {n}.10  2  {2 * n}.20\nBed: B{n}\n" for n in range(12)]
    assert names(induce(documents(texts, "txt"))) == {"bed"}


def test_what_a_bracket_excludes_is_part_of_a_label() -> None:
    texts = [
        f"Total (incl. sacks): {n + 40}.10 kg\nTotal (excl. sacks): {n + 30}.70 kg\n"
        for n in range(12)
    ]
    read = documents(texts, "txt")
    assert {"total_incl_sacks", "total_excl_sacks"} <= names(induce(read))


def test_opposites_are_two_columns() -> None:
    texts = [
        f"{'Start date' if number % 2 else 'End date'}: {number + 1} May 2022\nBed: B{number}\n"
        for number in range(12)
    ]
    found = names(induce(documents(texts, "txt")))
    assert {"start_date", "end_date"} <= found


def test_labels_that_meet_in_a_document_are_two_columns() -> None:
    texts = [
        f"Seed weight: {number + 3} g\nPod weight: {2 * number + 5} g\n" for number in range(12)
    ]
    assert {"seed_weight", "pod_weight"} <= names(induce(documents(texts, "txt")))


def test_a_fact_that_is_told_twice_is_one_column_and_a_contradiction_is_marked() -> None:
    def packet(number: int) -> str:
        again = 99 if number == 4 else 10 + number
        body = f"Each packet holds exactly {again} seeds of the last harvest, picked by hand."
        return f"# Packet {number}\n\nSeeds: {10 + number}\n\n{body}\n"

    read = documents([packet(number) for number in range(16)])
    schema = induce(read)
    (name,) = [name for name in names(schema) if "seeds" in name]
    only = schema.model_copy(update={"attributes": (schema.attribute(name),)})
    cells = [extract_record(Sightings(document), only).cells[0] for document in read]
    assert [cell.as_stated for cell in cells] == [str(10 + number) for number in range(16)]
    assert [n for n, cell in enumerate(cells) if Mark.CONTRADICTED in cell.marks] == [4]
    assert "99" in cells[4].note


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("Berth: {n}", "Length: {n} m", id="other words"),
        pytest.param("Berth: {n}", "Crew: {n}", id="no unit"),
        pytest.param("Cabins: {n}", "Cabin width: {n} m", id="a word in common, another unit"),
    ],
)
def test_equal_numbers_below_labels_that_say_other_things_are_two_facts(
    first: str, second: str
) -> None:
    texts = [f"Yard: Y{n}\n{first.format(n=n)}\n{second.format(n=n)}\n" for n in (3, 7, 5, 9, 4, 8)]
    found = [text.partition(":")[0].lower().replace(" ", "_") for text in (first, second)]
    assert names(induce(documents(texts, "txt"))) == {"yard", *found}


def test_two_values_beside_one_label_are_marked() -> None:
    texts = [f"Depth: {number + 2} m\nBuoy: B{number}{number}\n" for number in range(11)]
    read = documents([*texts, "Depth: 5 m\nBuoy: B77\nDepth: 6 m\n"], "txt")
    schema = induce(read)
    only = schema.model_copy(update={"attributes": (schema.attribute("depth"),)})
    cell = extract_record(Sightings(read[-1]), only).cells[0]
    assert (cell.as_stated, cell.marks) == ("5 m", frozenset({Mark.CONTRADICTED}))


# --- What no document set has ---------------------------------------------------------------------

WORDS = (
    "the river ran past old mills and nobody remembered why the wheel had stopped that winter",
    "she kept a drawer of letters which she would read aloud to whoever came for tea",
    "mountains were blue in the mornings and brown at night when dust came up from the road",
    "a dog barked twice and then the whole street lay silent under its wet roofs",
    "he whistled tunes from an opera that no theatre in town had ever staged",
    "bread was baked on fridays and eaten by sundays and mourned until the next friday",
    "under the bridge children traded marbles for secrets and secrets for nothing",
    "clouds gathered over the fields like an audience that had been promised thunder",
)


@pytest.mark.parametrize("repeats", [1, 3])
def test_prose_without_anything_in_common_gives_no_column(repeats: int) -> None:
    texts = [" ".join([WORDS[n], WORDS[(n * 3 + 1) % 8]] * repeats) + "." for n in range(8)]
    assert induce(documents(texts, "txt")).attributes == ()


def test_numbers_of_prose_that_mean_different_things_give_no_column() -> None:
    texts = [
        "A crow flew over 14 chimneys before noon.",
        "Mother owned 3 umbrellas, all of them green.",
        "He was 41 when the letter came.",
        "There were 250 steps to the lighthouse.",
        "Of 9 brothers, Karl was the tallest.",
        "She waited 5 hours and went home.",
        "The fine was 80 crowns, which nobody had.",
        "Page 12 was missing from every copy.",
    ]
    assert induce(documents(texts, "txt")).attributes == ()


def test_what_a_question_asks_for_does_not_make_a_column_of_what_nobody_states() -> None:
    schema = induce(surveys(), "How many masts does each boat have?", "Which boats leak?")
    assert not [name for name in names(schema) if "mast" in name or "leak" in name]


def test_a_question_shows_what_few_documents_state() -> None:
    texts = [
        f"Bid: B{number}{number}\n" + (f"Penalty: {number + 2} %" if number % 7 == 0 else "None")
        for number in range(28)
    ]
    read = documents(texts, "txt")
    assert "penalty" not in names(induce(read))
    assert "penalty" in names(induce(read, "What is the average penalty?"))


def test_no_more_columns_are_shown_than_a_person_looks_through() -> None:
    labels = [
        f"{first}{second}ium" for first in "KLMNPRT" for second in ("al", "er", "is", "on", "u")
    ]
    texts = [
        "".join(f"{label}: {n * 3 + place}.{n} mg\n" for place, label in enumerate(labels))
        for n in range(8)
    ]
    assert len(induce(documents(texts, "txt")).attributes) == 28


# --- What a record is called ---------------------------------------------------------------------


def test_a_record_is_called_what_titles_and_questions_call_it() -> None:
    read = documents([f"# Survey {n}b of a boat\n\nHull: H{n}\n" for n in range(8)])
    schema = induce(read, "How many surveys are there?", "Which survey was the last?")
    assert schema.nouns[:2] == ("survey", "surveys")


def test_a_record_is_called_by_the_whole_word_and_not_by_its_code() -> None:
    invoices = [
        replace(item, path=f"inv{n:02}.txt")
        for n, item in enumerate(
            documents([f"Invoice INV-{n}\n\nAmount: {7 * n} EUR\n" for n in range(101, 109)], "txt")
        )
    ]
    assert induce(invoices).nouns[:2] == ("invoice", "invoices")


def test_a_record_is_called_what_documents_call_themselves_unless_they_differ() -> None:
    def nouns(*said: str) -> tuple[str, ...]:
        pages = [
            f"# Report {n}\n\nHull: H{n}1\n\nThis {said[n % len(said)]} is short.\n"
            for n in range(8)
        ]
        return induce(documents(pages), "How many reports are there?").nouns

    assert nouns("audit report") == ("report", "reports", "audit report", "audit reports")
    assert nouns("audit report", "yearly report") == nouns("report") == ("report", "reports")
    assert nouns("audit report", "report") == ("report", "reports")


def test_a_record_is_not_called_what_stands_before_its_code_or_has_others() -> None:
    pages = [f"Hull: H{n}1\nBuilt: {1990 + n}\n\nThe proposal {n:02d} is late.\n" for n in range(8)]
    assert "proposal" not in induce(documents(pages, "txt"), entity="calls").nouns
    homes = [f"# {n} Mill Row\n\nProperty type: {'flat' if n % 2 else 'house'}\n\n"
             "## Similar properties\n\nNone.\n" for n in range(8)]  # fmt: skip
    assert "property" not in induce(documents(homes), entity="listings").nouns


def test_a_record_is_called_as_its_folder_where_nothing_else_tells() -> None:
    texts = [f"Hull: H{n}1\nBeam: {n + 3} m\n" for n in range(8)]
    said = [f"{text}\nThis harbour is small.\n" for text in texts]
    read = documents(said, "txt")
    assert induce(read, entity="old_harbours").nouns == ("harbour", "harbours")
    assert induce(read, entity="harbour_parties").nouns == ()
    rides = documents([f"{text}\nAn e-bike of its time.\n" for text in texts], "txt")
    assert induce(rides, entity="ebikes").nouns == ("ebike", "ebikes")
    assert induce(documents(texts, "txt"), entity="old_harbours").nouns == ()
    assert induce_columns((), (), title="T", entity="harbour_parties").nouns == (
        "party",
        "parties",
    )
    named = induce_columns((), (), title="T", entity="pack", file="all_boats_2024")
    assert named.nouns == ("pack", "packs", "boat", "boats")


def test_letterheads_are_no_titles_though_some_documents_have_a_heading_further_down() -> None:
    heads = ("BOROUGH OF OLM", "OLM TOWN HALL") * 2 + ("Council of Olm",)
    texts = [
        f"{heads[n % 5]}\nPenalty notice\n\nNotice No: P{n}7\nLane: {'AB'[n % 2]}{n}\n"
        f"Officer {n:02d}\n------------------\nFee: {30 + n} EUR\n"
        for n in range(30)
    ]
    read = documents(texts, "txt")
    assert sum(document.title.startswith("Officer") for document in read) == 6
    assert names(induce(read)) == {"notice_no", "lane", "fee"}


def test_amounts_are_no_layouts_of_one_fact_by_a_word_that_is_only_akin() -> None:
    pages = [
        f"# Claim {n}\n\nHolder: {'AB'[n % 2]}{n}\n"
        f"{'Unit price' if n % 6 == 0 else 'Estimated repair cost'}: {400 + 13 * n} EUR\n"
        for n in range(24)
    ]
    read = documents(pages)
    [cost] = [a for a in induce(read).attributes if a.name == "estimated_repair_cost"]
    assert cost.synonyms == ()
    assert sum(one is not None for one in stated(induce(read), read, cost.name)) == 20


def test_one_label_does_not_take_what_titles_and_the_folder_call_a_record() -> None:
    pages = [
        f"# {f'Motor claim {n} settled' if n % 2 else f'KC-{n}'}\n\nHolder: {'AB'[n % 2]}{n}\n"
        f"Previously paid claims: {120 + n} EUR\n"
        for n in range(8)
    ]
    assert induce(documents(pages), entity="claims").nouns == ("claim", "claims")
    assert "claim" not in induce(documents(pages), entity="letters").nouns


def test_descriptions_say_where_a_value_stands_and_how_it_is_written() -> None:
    (skipper,) = [a for a in induce(surveys()).attributes if a.name == "skipper"]
    assert skipper.description == (
        'The text beside "Skipper"; stated in 12 of 12 samples. Text as the document has it,'
        ' written as "Ada Quill" or "Bo Tarn" or "Cleo Marsh".'
    )
    assert skipper.examples == ("Ada Quill", "Bo Tarn", "Cleo Marsh")


def test_each_column_has_a_name_of_its_own() -> None:
    schema = induce(surveys())
    assert len(names(schema)) == len(schema.attributes)
    assert all(
        isinstance(attribute, Attribute) and attribute.extractors for attribute in schema.attributes
    )


def test_labelled_numbers_are_a_column_though_some_are_not_known_or_but_bounded() -> None:
    widths = ["8.2 m", "7 m", "not measured", "5.5 m", "not measured", "6 m", "9 m", "4.1 m"]
    guests = ["1,203", "more than 900", "812", "not counted", "400 – 500", "77", "650", "90"]
    hours = ["9 – 17", "8 – 12", "closed", "10 – 18", "9 – 17", "8", "closed", "8 – 12"]
    codes = ["A 1", "12", "B 7", "not given", "13 C", "9", "4 – 5", "D 2"]
    forms = [
        f"Width: {width}\nGuests: {n}\nHours: {time}\nCode: {code}\n"
        for width, n, time, code in zip(widths * 2, guests * 2, hours * 2, codes * 2, strict=True)
    ]
    found = induce(documents(forms), entity="halls").attributes
    numbers = {item.name: (item.type, item.unit) for item in found if item.type.is_numeric}
    assert numbers == {"width": ("number", "m"), "guests": ("integer", None)}
