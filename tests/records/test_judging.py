import pytest

from srag_mcp.cells.cell import DocumentText, Mark
from srag_mcp.records.judging import CellReply, Judge, Judgement, read_cell
from srag_mcp.schema.attribute import Attribute, Scalar
from srag_mcp.values.states import State


def judge(text: str, attribute: Attribute, cell: CellReply) -> Judgement:
    document = DocumentText("visit_paris.txt", "A", "visit_paris.txt", text, "")
    return Judge(document, "model").judge_cell(attribute, cell)


def stated(value: Scalar | None, quote: str = "", remark: str = "") -> CellReply:
    return CellReply("1", value, quote, remark)


@pytest.mark.parametrize(
    ("text", "kind", "value", "quote", "words"),
    [
        ("Die Miete beträgt 1.250,50 € im Monat.", "number", 1250.5, "1.250,50 €", "1.250,50 €"),
        (
            "Gründung: 4. März 1899 in Köln",
            "date",
            "1899-03-04",
            "4. März 1899",
            "4. März 1899",
        ),
        ("Sitz der Gesell-\nschaft ist Köln", "string", "Köln", "Gesellschaft ist Köln", None),
        ("该公司成立于2015年3月4日,员工人数为1200人。", "date", "2015-03-04", "2015年3月4日", None),
        ("该公司成立于2015年3月4日,员工人数为1200人。", "integer", 1200, "员工人数为1200人", None),
        ("该公司成立于2015年3月4日。", "string", "该公司", "该公司", None),
        ("تأسست الشركة في عام 1998 ومقرها القاهرة.", "string", "القاهرة", "مقرها القاهرة", None),
        ("عدد الموظفين: 250 موظفًا", "integer", 250, "عدد الموظفين: 250", None),
        ("Café Zoë", "string", "Café Zoë", "Cafe\u0301 Zoë", "Café Zoë"),
    ],
)
def test_quotes_in_any_language_are_found(
    text: str, kind: str, value: Scalar | None, quote: str, words: str | None
) -> None:
    found = judge(text, Attribute(name="it", type=kind), stated(value, quote))

    cell = found.taken.cell
    assert (found.problem, cell.state) == ("", State.STATED)
    assert cell.span is not None
    assert cell.as_stated == cell.span.of(text)
    if words is not None:
        assert cell.as_stated == words


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Die Miete beträgt 1.250,50 € im Monat.", "Die Miete beträgt 1.520,50 € im Monat."),
        ("员工人数为1200人", "员工人数为2100人"),
        ("The Crown has 12 rooms.", "."),
        ("عدد الموظفين: 250 موظفًا", "عدد العملاء"),
    ],
)
def test_words_that_are_not_there_are_not_grounded(text: str, quote: str) -> None:
    found = judge(text, Attribute(name="it", type="string"), stated("x", quote))

    assert found.problem.startswith("the document does not have the quote")
    assert found.taken.cell.state is State.FAILED
    assert found.taken.cell.note.startswith("not grounded")
    assert found.told_once


@pytest.mark.parametrize(
    ("attribute", "cell"),
    [
        (Attribute(name="it", type="boolean", absent_means="false"), stated(False, "")),
        (Attribute(name="it", type="integer", absent_means="zero"), stated(0, "")),
        (Attribute(name="it", type="string"), stated(None, "")),
        (Attribute(name="it", type="string"), stated("N/A", "Name: n/a")),
        (Attribute(name="it", type="string"), stated(None, "Name: n/a")),
    ],
)
def test_a_cell_that_says_nothing_is_not_mentioned(attribute: Attribute, cell: CellReply) -> None:
    found = judge("Name: n/a", attribute, cell)

    assert (found.problem, found.taken.cell.state) == ("", State.NOT_MENTIONED)


def test_a_placeholder_may_be_a_category() -> None:
    attribute = Attribute(name="it", type="string", categories=("Known", "Unknown"))

    found = judge("Origin: unknown", attribute, stated("unknown", "unknown"))

    assert found.taken.value_text == "Unknown"


def test_a_value_outside_of_the_categories_is_told_and_kept() -> None:
    attribute = Attribute(name="it", type="string", categories=("red", "blue"))

    found = judge("Colour: mauve", attribute, stated("mauve", "mauve"))

    assert found.problem == ("'mauve' is none of the listed values; use one of them if one fits")
    assert found.taken.value_text == "mauve"


def test_of_equal_words_those_beside_the_name_of_the_attribute_are_meant() -> None:
    text = "Rooms: 12\nFloors 12a\nFloors: 12\nAdults: 2\nGuests: 2"
    attribute = Attribute(name="n_floors", type="integer")

    found = judge(text, attribute, stated(12, "12"))
    guests = judge(text, Attribute(name="guests", type="integer"), stated(2, "2"))
    dogs = judge(text, Attribute(name="dogs", type="integer"), stated(2, "2"))

    assert found.taken.cell.span is not None
    assert found.taken.cell.span.start == text.index("Floors: 12") + len("Floors: ")
    assert guests.taken.cell.span is not None
    assert guests.taken.cell.span.start == len(text) - 1
    assert dogs.problem == "it needs a quote: '2' stands nowhere, or at several places"


@pytest.mark.parametrize("value", ["Homburg", "Hamburg"])
def test_a_quote_that_is_not_in_the_document_is_told_once(value: str) -> None:
    text = "The vessel sailed from the port of Hamburg to the island."
    quote = "The vessel sailed from the port of Homburg to the island"

    found = judge(text, Attribute(name="town", type="string"), stated(value, quote))

    assert (found.taken.cell.state, found.told_once) == (State.FAILED, True)
    assert found.problem == f"the document does not have the quote {quote!r}"


def test_a_scale_is_doubted_unless_the_document_has_it() -> None:
    sales = Attribute(name="sales", type="number", unit="USD")

    bare = judge("Sales: 340", sales, stated(340_000, "340"))
    headed = judge("In thousands\n\nSales: 340", sales, stated(340_000, "340"))

    assert bare.problem == "the quote says 340, the value 340000.0"
    assert headed.problem == ""


def test_a_value_that_contradicts_its_quote_is_marked() -> None:
    attribute = Attribute(name="rooms", type="integer")

    found = judge("Rooms: 12", attribute, stated(21, "Rooms: 12"))
    right = judge("Rooms: 12", attribute, stated(12, "Rooms: 12"))

    assert found.problem == "the quote says 12, the value 21"
    assert found.taken.cell.note == "doubted: the quote says 12, the value 21"
    assert right.taken.cell.note == ""


@pytest.mark.parametrize(
    ("kind", "value", "quote", "note"),
    [
        ("string", "a big city", "In Lyon", "derived: the quote does not have it as it is"),
        ("integer", 2, "Anna and Bob", "derived: the quote does not have it as it is"),
        ("string", "Lyon", "In Lyon", ""),
        ("boolean", True, "In Lyon", ""),
    ],
)
def test_a_value_in_other_words_than_the_document_is_noted_and_not_asked_again(
    kind: str, value: Scalar | None, quote: str, note: str
) -> None:
    found = judge("In Lyon, Anna and Bob.", Attribute(name="it", type=kind), stated(value, quote))

    assert (found.problem, found.taken.cell.note) == ("", note)


@pytest.mark.parametrize(
    ("value", "remark", "problem"),
    [
        ("2026-06-17", "derived: 15 June + 2 nights", ""),
        ("2026-06-29", "derived: two weeks after 15 June", ""),
        (
            "2026-06-18",
            "derived: 15 June + 2 nights",
            "the quote gives another date than 2026-06-18",
        ),
        (
            "2026-06-30",
            "derived: 15 June + 2 nights",
            "the quote gives another date than 2026-06-30",
        ),
        (
            "2026-06-20",
            "derived: 15 June + 5 nights",
            "the quote gives another date than 2026-06-20",
        ),
        ("2026-06-17", "", "the quote gives another date than 2026-06-17"),
        (
            "2026-06-13",
            "derived: 15 June + 2 nights",
            "the quote gives another date than 2026-06-13",
        ),
        ("2026-06-13", "derived: 15 June - 2 nights", ""),
        (
            "2026-06-17",
            "derived: 15 June − 2 nights",
            "the quote gives another date than 2026-06-17",
        ),
    ],
)
def test_a_day_may_follow_by_days_and_weeks_that_the_document_has(
    value: str, remark: str, problem: str
) -> None:
    text = "Stay of 2 nights from Mon 15 June 2026; two weeks before it costs nothing to cancel."
    attribute = Attribute(name="left_on", type="date")

    found = judge(text, attribute, stated(value, "from Mon 15 June 2026", remark))

    assert found.problem == problem


@pytest.mark.parametrize(
    ("value", "remark", "is_explained"),
    [
        ("2023-06-09", "derived: 31 March 2023 + 70 days", True),
        ("2023-06-09", "derived: 31 March 2023 + ten weeks", True),
        ("2023-06-10", "derived: 31 March 2023 + 71 days", False),
        ("2023-01-20", "derived: 31 March 2023 + 70 days", False),
    ],
)
def test_days_are_those_of_weeks_that_the_document_has(
    value: str, remark: str, is_explained: bool
) -> None:
    text = "Planned for 31 March 2023, and reached ten weeks later."
    found = judge(text, Attribute(name="day", type="date"), stated(value, text.rstrip("."), remark))
    assert (not found.problem, Mark.DOUBTED not in found.taken.cell.marks) == (is_explained,) * 2


@pytest.mark.parametrize(("value", "is_explained"), [("2023-04-13", True), ("2023-03-18", False)])
def test_days_are_taken_away_only_by_a_sign(value: str, is_explained: bool) -> None:
    text = "Planned for 31 March 2023, and reached plus 13 days."
    said = stated(value, text.rstrip("."), "derived: 31 March 2023 and 13 days")
    found = judge(text, Attribute(name="day", type="date"), said)
    assert (not found.problem) is is_explained


@pytest.mark.parametrize(("days", "is_explained"), [("20", True), ("21", False)])
def test_a_day_may_follow_from_one_whose_year_stands_elsewhere(
    days: str, is_explained: bool
) -> None:
    text = "In 2023 it was open on 2 November, thirteen days after the scaffolding went."
    said = stated(
        f"2023-10-{days}", "on 2 November, thirteen days", "derived: 2 November 2023 less 13 days"
    )
    assert (not judge(text, Attribute(name="day", type="date"), said).problem) is is_explained


@pytest.mark.parametrize(
    ("value", "remark", "is_explained"),
    [(1817, "derived: 2017-200", True), (1807, "derived: 2017-210", False)],
)
def test_a_number_may_be_made_of_an_ordinal(value: int, remark: str, is_explained: bool) -> None:
    quote = "in 2017 it had its two hundredth birthday"
    year = Attribute(name="year_built", type="integer", description="Year it was built.")
    assert (not judge(quote, year, stated(value, quote, remark)).problem) is is_explained


@pytest.mark.parametrize(
    ("quote", "mark"),
    [
        ("It was dry", Mark.UNSHOWN),
        ("Two riggers broke their legs", Mark.UNSHOWN),
        ("no rain, it rained nowhere", None),
        ("Rained", Mark.UNSHOWN),
    ],
)
def test_a_no_that_no_word_of_the_quote_says_is_unshown(quote: str, mark: Mark | None) -> None:
    found = judge(f"{quote}.", Attribute(name="rained", type="boolean"), stated(False, quote))
    assert found.taken.cell.marks == ({mark} if mark else set())


def test_a_name_that_is_not_in_the_document_is_doubted_once() -> None:
    attribute = Attribute(name="it", type="string")

    found = judge("In Lyon, Anna and Bob.", attribute, stated("Paris", "In Lyon"))

    assert (found.problem, found.told_once) == (
        "the document has no word of 'Paris'",
        True,
    )
    assert found.taken.value_text == "Paris"
    assert found.taken.cell.note == "doubted: the document has no word of 'Paris'"


def test_a_name_may_follow_as_its_column_says() -> None:
    attribute = Attribute(name="country", type="string", description="Concluded from the town.")

    found = judge("In Lyon.", attribute, stated("France", "In Lyon", "derived: from the town"))

    assert (found.problem, found.taken.cell.marks) == ("", frozenset({Mark.DERIVED}))


@pytest.mark.parametrize(
    ("value", "remark", "problem"),
    [
        (3_360_000, "derived: 2800000 x 1.2", ""),
        (3_640_000, "derived: 2800000 x 1.3", "the quote says 2800000, the value 3640000.0"),
    ],
)
def test_a_number_may_be_another_one_raised_by_a_share_that_is_quoted(
    value: float, remark: str, problem: str
) -> None:
    attribute = Attribute(name="revenue", type="number")
    quote = "Revenue was up by a fifth, from £2.8m"

    assert judge(f"{quote}.", attribute, stated(value, quote, remark)).problem == problem


UNSAID = "nothing beside the number says that it is of this column: quote words that do"


@pytest.mark.parametrize(
    ("text", "value", "quote", "problem"),
    [
        ("Sales were up 6% at £872 (£821 before).", 872, "£872", ""),
        ("Sales were up 6 pence at £872 (£821 before).", 872, "£872", UNSAID),
        ("sold     31    40\nsales    62    56\n", 56, "56", ""),
        ("Sales: none. We took CHF 2.98 million.", 2_980_000, "CHF 2.98 million", UNSAID),
        ("Sales: none. We took CHF 298.", 298, "CHF 298", UNSAID),
    ],
)
def test_a_number_is_of_its_column_by_what_stands_beside_it(
    text: str, value: float, quote: str, problem: str
) -> None:
    attribute = Attribute(name="sales", type="number")

    assert judge(text, attribute, stated(value, quote)).problem == problem


@pytest.mark.parametrize(
    ("remark", "problem"),
    [
        ("derived: Lyon is in France", ""),
        ("derived: France, by the path, visit_paris", ""),
        ("derived: by the visit, as the column asks", "the document has no word of 'France'"),
        ("derived: it is said to be in France", "the document has no word of 'France'"),
        ("derived", "the document has no word of 'France'"),
    ],
)
def test_a_name_may_follow_from_a_word_that_is_quoted_if_the_remark_says_of_which(
    remark: str, problem: str
) -> None:
    attribute = Attribute(name="it", type="string")

    found = judge("In Lyon, Anna and Bob.", attribute, stated("France", "In Lyon", remark))

    assert found.problem == problem
    assert Mark.DERIVED in found.taken.cell.marks
    assert (Mark.DOUBTED in found.taken.cell.marks) is bool(problem)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("1.200", "'1.200' is one thousand times more or less in another country"),
        ("1,200", "'1,200' is one thousand times more or less in another country"),
        (1.2, ""),
        ("1,200.50", ""),
        ("1200", ""),
    ],
)
def test_a_number_written_as_a_text_that_can_be_two_numbers_is_doubted(
    value: Scalar | None, problem: str
) -> None:
    attribute = Attribute(name="it", type="number")

    found = judge("Miete: 1.200 €, 1200, 1,200.50", attribute, stated(value, "1.200 €, 1200"))

    assert found.problem.removesuffix("") == problem


@pytest.mark.parametrize("value", [None, "none", "Nil"])
def test_that_there_is_none_is_null_with_a_quote_or_a_word_for_it(value: Scalar | None) -> None:
    attribute = Attribute(name="it", type="integer")

    found = judge("There is no pool.", attribute, stated(value, "no pool"))

    assert (found.problem, found.taken.cell.state) == ("", State.STATED_ABSENT)


def test_a_quote_of_a_whole_document_is_none() -> None:
    text = "In Lyon. " * 1000

    found = judge(text, Attribute(name="it", type="string"), stated("Lyon", text))

    assert found.problem == "the quote has 9,000 characters; give the shortest one"
    assert found.taken.cell.note == f"not grounded: {found.problem}"
    assert found.told_once


@pytest.mark.parametrize(
    ("quote", "is_shown"),
    [("no pool", True), ("Pool: -", True), ("Pool: no", True), ("A pool and a bar", False)],
)
def test_that_there_is_none_is_marked_where_no_word_says_so(quote: str, *, is_shown: bool) -> None:
    attribute = Attribute(name="it", type="boolean")

    found = judge(f"Inn. {quote}", attribute, stated(None, quote))

    problem = "" if is_shown else "the quote does not say that there is none"
    assert (found.problem, found.taken.cell.state) == (problem, State.STATED_ABSENT)
    assert found.taken.cell.marks == (set() if is_shown else {Mark.UNSHOWN})


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([4, 61.5], CellReply("4", 61.5)),
        ([4, 61.5, "about 61.5 m"], CellReply("4", 61.5, "about 61.5 m")),
        ([4, 5, None, "derived: 2+3"], CellReply("4", 5, "", "derived: 2+3")),
        ([4, 5, "Derived: 2 +\n3"], CellReply("4", 5, "", "Derived: 2 + 3")),
        ([4, 12, 12], CellReply("4", 12, "12")),
        (["c1", None], CellReply("c1")),
        ([4, 5, "x", "y"], CellReply("4", 5, "x")),
        ([4, 5, "derived: 2+3", "derived"], CellReply("4", 5, "derived: 2+3", "derived")),
        ([], None),
        ([None, 5], None),
        ([True, 5], None),
        ({"4": 5}, None),
        ("4", None),
    ],
)
def test_a_cell_is_a_list(given: object, read: CellReply | None) -> None:
    assert read_cell(given) == read


def test_a_value_without_a_quote_has_the_words_where_it_stands() -> None:
    text = "Guests: 3\nSales: $1.2 billion in 2020"
    sales = Attribute(name="sales", type="number", unit="USD")

    found = judge(text, sales, stated(1_200_000_000))
    bare = judge(text, sales, stated(1.2))

    assert (found.problem, found.taken.cell.as_stated) == ("", "$1.2 billion")
    assert bare.problem == "it needs a quote: '1.2' stands nowhere, or at several places"


@pytest.mark.parametrize(
    ("value", "quote", "is_of_path"),
    [
        ("Paris", "", True),
        ("Paris", "visit_paris", True),
        ("Rome", "visit_rome", False),
        ("Oslo", "", False),
    ],
)
def test_what_only_the_path_says_is_told_to_be_none_of_the_text(
    value: str, quote: str, *, is_of_path: bool
) -> None:
    attribute = Attribute(name="town", type="string", description="The town.")
    found = judge("Rome or Roma: Rome it was.", attribute, stated(value, quote))
    assert found.taken.cell.state is State.FAILED
    assert found.problem.startswith("only its path has that") is is_of_path


def test_a_factor_of_the_definition_explains_a_value() -> None:
    said = "What it weighs, in kg: an English pound (lb) 0.4536 kg."
    weight = Attribute(name="weight", type="number", unit="kg", description=said)
    explained = stated(74.844, "165 lb", "derived: 165 x 0.4536")
    assert not judge("It has 165 lb.", weight, explained).problem
    assert judge("It has 165 lb.", weight, stated(74.9, "165 lb", "derived: 165 x 0.454")).problem


def test_a_number_that_stands_once_is_not_said_to_stand_nowhere() -> None:
    listeners = Attribute(name="listeners", type="integer")
    found = judge("She played to the 64 guests.", listeners, stated(64))
    why = "nothing beside the number says that it is of this column"
    assert found.problem == f"it needs a quote: {why}"
    cost = Attribute(name="cost", type="number", description="In the currency of the bill.")
    assert not judge("One hinge: 96 euros.", cost, stated(96)).problem
