"""What the grammar must not answer: each of these once had a number that nobody asked for."""

from collections.abc import Sequence

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.translate import describe_tables, translate
from srag_mcp.schema.attribute import Attribute, SlotRule
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueIndex
from srag_mcp.values.types import ColumnType

Value = tuple[str, str, int]
FORM = "this form of question is not known"


def text(name: str, description: str = "") -> Attribute:
    return Attribute(name=name, type="string", description=description)


def number(name: str, unit: str | None = None, description: str = "") -> Attribute:
    return Attribute(name=name, type="number", unit=unit, description=description)


def count(name: str, description: str = "") -> Attribute:
    return Attribute(name=name, type="integer", description=description)


def date(name: str) -> Attribute:
    return Attribute(name=name, type="date")


def boolean(name: str) -> Attribute:
    return Attribute(name=name, type="boolean", absent_means="false")


def ask(
    question: str, columns: Sequence[Attribute], noun: str = "", values: Sequence[Value] = ()
) -> Translation:
    """Ask about forty records, of which each column has seven different values."""
    schema = Schema(
        title="C1", entity="c1", nouns=(noun,) if noun else (), attributes=tuple(columns)
    )
    statistics = {
        item.name: ColumnStatistics(item.name, item.type, 40, 40, 40, 40, 0, 0, 0, 7)
        for item in columns
    }
    return translate(question, schema, describe_tables(schema, statistics), ValueIndex(values))


def refusal(
    question: str, columns: Sequence[Attribute], noun: str = "", values: Sequence[Value] = ()
) -> QuestionError:
    with pytest.raises(QuestionError) as refused:
        ask(question, columns, noun, values)
    return refused.value


@pytest.mark.parametrize(
    "question",
    [
        "How many suppliers are there?",
        "Which region has the most suppliers?",
        "What percentage of suppliers is in Kent?",
    ],
)
def test_a_noun_that_nothing_attests_is_no_record(question: str) -> None:
    columns = [text("region"), number("amount", "EUR")]
    refusal(question, columns, "parcel", [("region", "Kent", 9)])


def test_the_noun_of_the_record_is_no_filter() -> None:
    columns = [boolean("parcel"), text("region"), number("weight", "kg")]
    assert ask("How many parcels are there?", columns, "parcel").sql == "SELECT COUNT(*) FROM c1"


@pytest.mark.parametrize("question", ["What is the average weight sold?", "How many were sold?"])
def test_what_a_folder_and_a_yes_no_column_are_called_is_refused(question: str) -> None:
    """Of a folder `sold` not all are, and nothing says which of them are asked for."""
    columns = [boolean("sold"), text("region"), number("weight", "kg")]
    refusal(question, columns, "sold")


def test_the_noun_of_the_record_may_stand_in_a_stored_value() -> None:
    values = [("service", "Parcel Express", 4), ("service", "Letter", 6)]
    found = ask("How many parcels are with Parcel Express?", [text("service")], "parcel", values)
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE service = 'Parcel Express'"


@pytest.mark.parametrize(
    "question",
    [
        "Which company has the largest net loss?",
        "What is the average net loss?",
        "What are the highest non-current assets?",
        "How many companies have no non-current assets?",
        "What is the lowest maximum pressure?",
    ],
)
def test_contrary_words_are_never_dropped(question: str) -> None:
    columns = [
        text("company_name"), number("net_income", "EUR"), number("current_assets", "EUR"),
        number("minimum_pressure", "bar"),
    ]  # fmt: skip
    refusal(question, columns, "company")


def test_a_word_for_an_end_before_another_is_no_column_of_that_name() -> None:
    columns = [text("paper"), count("maximum"), count("best")]
    for asked in ("maximum total", "maximum average", "best average", "maximum total per paper"):
        refusal(f"What is the {asked}?", columns)
    for asked, function in (("total", "SUM"), ("average", "AVG"), ("lowest", "MIN")):
        found = ask(f"What is the {asked} maximum?", columns)
        assert found.sql == f"SELECT {function}(maximum) FROM c1"
    assert ask("What is the average of the best?", columns).sql == "SELECT AVG(best) FROM c1"


def test_a_word_of_the_language_that_is_a_column_is_the_column() -> None:
    columns = [text("court"), count("cases"), count("daily_visits")]
    found = ask("How many cases are there in total?", columns)
    assert found.sql == "SELECT SUM(cases) FROM c1"
    most = ask("Which court has the most cases?", columns)
    assert "SUM(cases) DESC" in most.sql


@pytest.mark.parametrize(
    "question",
    [
        "How many hotels have a pool, and what do they cost on average?",
        "What is the average price and how many rooms are there?",
        "Which hotel is the dearest, and in which city does it lie?",
        "Which hotel has the lowest price and when was it built?",
    ],
)
def test_two_questions_in_one_are_refused(question: str) -> None:
    columns = [
        text("hotel_name"), text("city"), boolean("pool"), number("price", "EUR"), count("rooms"),
        date("built"),
    ]  # fmt: skip
    refusal(question, columns, "hotel")


@pytest.mark.parametrize(
    "question",
    [
        "How many stations are there?",
        "Which town has the most stations?",
    ],
)
def test_what_a_column_only_belongs_to_is_not_counted_by_it(question: str) -> None:
    refusal(question, [text("town"), count("station_height"), text("station_shop")])


@pytest.mark.parametrize(
    "question",
    ["How many parcels do we still have", "How many parcels are already here?",
     "How many parcels have we yet?", "How many parcels are not yet in?"],
)  # fmt: skip
def test_that_a_state_lasts_or_changed_is_asked_for(question: str) -> None:
    values = [("state", "lost", 3)]
    refusal(question, [text("state"), boolean("paid")], "parcel", values)
    found = ask("How many parcels are still lost?", [text("state")], "parcel", values)
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE state = 'lost'"
    assert ask("How many parcels are already paid?", [boolean("paid")], "parcel").sql.endswith(
        "WHERE paid"
    )


def test_what_a_column_of_numbers_is_called_is_no_light_verb() -> None:
    columns, values = (
        [text("town"), number("takings", "GBP")],
        [("town", "Kent", 3), ("town", "Ulm", 4)],
    )
    refusal("What is the difference in takings between Kent and Ulm?", columns, "shop", values)
    found = ask("What are the average takings in Kent?", columns, "shop", values)
    assert found.sql == "SELECT AVG(takings) FROM c1 WHERE town = 'Kent'"


def test_a_kind_that_other_kinds_end_with_is_ambiguous() -> None:
    for kind in ("Chemical tanker", "Chemical Tanker", "chemical tanker", "CHEMICAL TANKER"):
        values = [("type", kind.split()[1], 9), ("type", kind, 8)]
        refusal("How many ships are tankers?", [text("type")], "ship", values)
        found = ask("How many ships are chemical tankers?", [text("type")], "ship", values)
        assert found.sql == f"SELECT COUNT(*) FROM c1 WHERE type = '{kind}'"


def test_a_part_of_a_name_is_not_meant_where_a_total_has_it_too() -> None:
    columns = [count("claims_total"), count("claims_independent"), text("number")]
    for asked in ("average number of claims", "highest number of claims"):
        refusal(f"What is the {asked}?", columns, "patent")
    found = ask("What is the average number of independent claims?", columns, "patent")
    assert found.sql == "SELECT AVG(claims_independent) FROM c1"
    columns = [number("current_magnitude"), number("maximum_magnitude"), text("star")]
    assert "current" in ask("What is the average magnitude?", columns, "star").sql
    two = [number("adoption_fee", "EUR"), number("fee_paid", "EUR")]
    assert "fee_paid" in str(refusal("What is the lowest fee?", two, "animal"))


def test_the_noun_of_the_record_opens_the_whole_name_of_a_column_only() -> None:
    refusal("Which release fixed the most bugs?", [count("bugs_fixed"), text("product")], "release")
    refusal("How many different animals came in?", [text("came_in_as")], "animal")


def test_a_thing_is_not_as_old_as_the_record_about_it() -> None:
    columns = [text("vessel"), date("survey_opened")]
    for asked in ("oldest", "youngest", "newest", "latest", "earliest", "most recent"):
        refusal(f"Which vessel is the {asked}?", columns, "survey")
        refusal(f"What is the {asked} vessel?", columns, "survey")
    assert "MAX(survey_opened)" in ask("Which vessel came last?", columns, "survey").sql
    found = ask("Which vessel is the oldest?", [*columns, count("year_built")], "survey")
    assert "MIN(year_built)" in found.sql
    placed = ask("Who placed the oldest order?", [text("customer"), date("date")], "order")
    assert "MIN(date)" in placed.sql


def test_who_was_born_last_did_not_come_last() -> None:
    columns = [text("name"), date("date_of_birth"), text("finish_time")]
    for asked in ("Who was the last to finish?", "Who was the last runner?"):
        refusal(asked, columns, "runner")
    assert "MAX(date_of_birth)" in ask("Who is the youngest runner?", columns, "runner").sql


def test_who_opens_something_does_not_say_that_it_is_open() -> None:
    columns = [text("agent"), text("status"), boolean("inspected")]
    values = [("agent", "Eve", 9), ("status", "open", 20), ("status", "closed", 20)]
    for asked in ("How many tickets did Eve open?", "Did Eve open any ticket?"):
        refusal(asked, columns, "ticket", values)
    found = ask("How many tickets of Eve are open?", columns, "ticket", values)
    assert found.sql.endswith("WHERE agent = 'Eve' AND status = 'open'")
    found = ask("Which agents have uninspected tickets?", columns, "ticket", values)
    assert "NOT COALESCE(inspected, FALSE)" in found.sql


def test_no_year_is_the_most() -> None:
    columns = [text("manor"), count("sold"), count("visitors")]
    schema = Schema(title="C1", entity="c1", nouns=("manor",), attributes=tuple(columns))
    statistics = {
        item.name: ColumnStatistics(item.name, item.type, 40, 40, 40, 40, 0, 0, 0, 40, 1_900, 2_020)
        for item in columns
    }
    tables = describe_tables(schema, statistics)
    with pytest.raises(QuestionError):
        translate("Which manor was sold for the most?", schema, tables, ValueIndex(()))
    found = translate("Which manor has the most visitors?", schema, tables, ValueIndex(()))
    assert "MAX(visitors)" in found.sql


def test_a_number_that_a_hyphen_joins_to_a_word_is_no_limit() -> None:
    columns = [number("incidence"), count("cases"), date("date"), text("town")]
    refusal("What was the 7-day incidence on the day with the most cases?", columns, "report")


@pytest.mark.parametrize(
    "question",
    [
        "How many 4-season tents are there?",
        "How many four-season tents are there?",
        "How many four season tents are there?",
        "How many tents have 4 seasons?",
    ],
)
def test_a_word_behind_a_number_names_a_column_in_the_plural(question: str) -> None:
    found = ask(question, [count("seasons"), text("maker")], "tent")
    assert found.sql.endswith("WHERE seasons = 4")


def test_a_word_behind_a_number_may_be_stored_so_as_well() -> None:
    columns, values = [count("seasons"), text("kind")], [("kind", "4-season", 7)]
    refused = refusal("How many 4-season tents are there?", columns, "tent", values)
    assert "kind is '4-season'; or: number of records where seasons is 4" in str(refused)


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("How many flats have >2 bedrooms?", "bedrooms > 2"),
        ("How many flats have < 2 bedrooms?", "bedrooms < 2"),
        ("How many flats have >= 3 bedrooms?", "bedrooms >= 3"),
        ("How many flats have ≥3 bedrooms?", "bedrooms >= 3"),
        ("How many flats have ≤ 3 bedrooms?", "bedrooms <= 3"),
        ("How many flats have bedrooms = 3?", "bedrooms = 3"),
        ("How many 3+ bedroom flats are there?", "bedrooms >= 3"),
        ("How many flats have bedrooms 3+?", "bedrooms >= 3"),
        ("How many flats have 3 and over bedrooms?", "bedrooms >= 3"),
        ("How many flats have a rent > €1,500?", "rent > 1500"),
        ("How many flats have a rent of 1500+?", "rent >= 1500"),
    ],
)
def test_a_sign_beside_a_number_is_a_limit(question: str, condition: str) -> None:
    columns = [count("bedrooms"), number("rent", "EUR")]
    assert ask(question, columns, "flat").sql.endswith(f"WHERE {condition}")


@pytest.mark.parametrize(
    "question",
    [
        "How many flats have != 3 bedrooms?",
        "How many flats have ≠ 3 bedrooms?",
        "How many flats have ~3 bedrooms?",
        "How many flats have ±3 bedrooms?",
        "How many flats have ~€1,500 rent?",
        "How many 3-bedroom+ flats are there?",
        "How many flats have 3 bedrooms and up?",
        "How many flats have 3 bedrooms and over?",
        "How many flats have from 3 bedrooms?",
    ],
)
def test_no_sign_and_no_word_that_may_make_a_number_a_limit_is_dropped(question: str) -> None:
    refusal(question, [count("bedrooms"), number("rent", "EUR")], "flat")


def test_a_bare_number_is_not_compared_below_a_header_in_thousands() -> None:
    asked = number("asked", "EUR", 'The column "Asked (k€)", filled in 40 of 40 rows.')
    schema = Schema(title="C1", entity="c1", nouns=("grant",), attributes=(asked,))
    statistics = ColumnStatistics("asked", asked.type, 40, 40, 40, 40, 0, 0, 0, 7, 20_000, 900_000)

    def ask_above(amount: str) -> str:
        question = f"How many grants asked more than {amount}?"
        return translate(
            question, schema, describe_tables(schema, {"asked": statistics}), ValueIndex(())
        ).sql

    assert ask_above("500,000").endswith("asked > 500000")
    assert ask_above("500 EUR").endswith("asked > 500")
    for amount in ("500", "2,000", "1,000"):  # thousands, or less than any has
        with pytest.raises(QuestionError):
            ask_above(amount)


def test_what_came_of_a_record_does_not_vanish_as_its_noun() -> None:
    values = [("outcome", "repaired", 9), ("outcome", "not repaired", 4)]
    columns = [text("outcome"), text("item"), count("days_to_close"), count("repair_id")]
    refusal("How many items were repaired?", columns, "repair", values)
    refusal("How many items were repaired?", columns[:2], "repair", values[:1])
    refusal("How many repairs were closed within 10 days?", columns, "repair", values)
    refusal("What is the average repair ID?", columns, "repair", values)
    refusal(
        "What is the difference in offers between repaired and not repaired?",
        columns,
        "repair",
        values,
    )


@pytest.mark.parametrize("name", ["lift", "lift_no", "lift_name"])
def test_what_several_records_are_about_is_no_record(name: str) -> None:
    columns, values = [text(name), text("town"), number("load", "kg")], [("town", "Kent", 9)]
    for asked in ("How many lifts are there?", "How many lifts are in Kent?"):
        refused = refusal(asked, columns, "lift", values)
        assert "number of records" in str(refused)
        assert f"number of different {name}" in str(refused)
    found = ask("How many different lifts are in Kent?", columns, "lift", values)
    assert found.sql == f"SELECT COUNT(DISTINCT {name}) FROM c1 WHERE town = 'Kent'"
    for asked in ("What is the average load of the lifts?", "What share of lifts is in Kent?"):
        refusal(asked, columns, "lift", values)


def test_what_the_records_have_a_title_of_is_still_the_record() -> None:
    assert ask("How many jobs are there?", [text("job_title")], "job").sql == (
        "SELECT COUNT(*) FROM c1"
    )


@pytest.mark.parametrize("noun", ["type", "kind", "sort"])
def test_a_noun_of_order_groups_only_where_a_column_is_called_so(noun: str) -> None:
    columns = [text("plant_name"), number("capacity", "MW")]
    assert (
        "GROUP BY" in ask(f"What is the average capacity per {noun}?", [*columns, text(noun)]).sql
    )
    refusal(f"What is the average capacity per {noun}?", [*columns, text("fuel")], "plant")


@pytest.mark.parametrize(
    "question",
    [
        "How many orders were paid in March 2024?",
        "How many orders are from 2024?",
        "When was the first order?",
    ],
)
def test_the_date_of_another_event_is_not_that_of_the_record(question: str) -> None:
    refusal(question, [text("customer"), date("delivered_on"), date("due_on")], "order")


def test_a_filter_of_two_values_of_one_column_is_a_contradiction() -> None:
    values = [("state", "open", 3), ("state", "closed", 5)]
    refusal("How many open tickets are closed?", [text("state")], "ticket", values)


def test_a_part_of_a_longer_name_is_not_taken_for_two_values() -> None:
    values = [("person", "Ada Brook", 2), ("person", "Dev Abbott", 2), ("person", "Ines Abbott", 1)]
    refusal("How many claims did Ada Abbott file?", [text("person")], "claim", values)


def test_all_values_that_have_what_was_asked_as_a_part_are_taken() -> None:
    values = [("contract", "Full-time", 8), ("contract", "Full-time, permanent", 9)]
    values += [("contract", "Part-time", 3)]
    found = ask("How many adverts are full-time?", [text("contract")], "advert", values)
    assert "contract IN ('Full-time', 'Full-time, permanent')" in found.sql
    assert "Full-time, permanent" in found.restated


def test_a_value_that_other_values_begin_with_is_ambiguous() -> None:
    values = [("school", "Austin", 2), ("school", "Austin Community College", 5)]
    refusal("How many students are at Austin?", [text("school")], "student", values)
    values = [("city", "York", 2), ("city", "New York", 5)]
    found = ask("How many students are from York?", [text("city")], "student", values)
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE city = 'York'"
    refusal("How many students are from york?", [text("city")], "student", values)


@pytest.mark.parametrize("stored", ["1/2", "1-2"])
def test_a_value_that_is_said_letter_by_letter_is_taken_alone(stored: str) -> None:
    values = [("size", "1-2", 5), ("size", "1/2", 3), ("size", "1.2", 3)]
    found = ask(f"How many boxes have the size {stored}?", [text("size")], "box", values)
    assert found.sql == f"SELECT COUNT(*) FROM c1 WHERE size = '{stored}'"


COLUMNS = ("group", "language", "grade")
SIGNED = {
    "A+": "group = 'A+'",
    "A−": "group = 'A-'",
    "group AB-": "group = 'AB-'",
    "C": "language = 'C'",
    "C++": "language = 'C++'",
    "C# or Go": "language IN ('C#', 'Go')",
    "grade II": "grade = 'II'",
    "grade II*": "grade = 'II*'",
}


@pytest.mark.parametrize(("asked", "meant"), SIGNED.items())
def test_values_that_differ_in_signs_are_different_values(asked: str, meant: str) -> None:
    texts = ("A+", "A-", "AB-"), ("C", "C++", "C#", "Go"), ("I", "II", "II*")
    values = [(name, text, 3) for name, found in zip(COLUMNS, texts, strict=True) for text in found]
    found = ask(f"How many donors have {asked}?", [text(name) for name in COLUMNS], "donor", values)
    assert found.sql.replace('"', "") == f"SELECT COUNT(*) FROM c1 WHERE {meant}"


def test_a_value_of_other_signs_than_were_asked_is_none() -> None:
    values = [
        ("group", "A+", 3),
        ("group", "A-", 4),
        ("age", "> 5 years", 2),
        ("age", "< 5 years", 1),
    ]
    columns = [text("group"), text("age"), text("language")]
    for asked in ("group A", "A positive", "5 years", "C"):
        refusal(
            f"How many donors have {asked}?", columns, "donor", [*values, ("language", "C++", 2)]
        )


@pytest.mark.parametrize(
    "question",
    [
        "What is the total of all prices?",
        "What is the total rating of all films?",
        "What is the total price per city?",
    ],
)
def test_what_has_no_sum_is_not_summed(question: str) -> None:
    refusal(question, [number("price", "EUR"), number("rating"), text("city")], "film")


def test_what_was_done_in_a_month_is_not_dated_by_another_event() -> None:
    columns = [text("customer"), date("order_date"), date("delivered_on")]
    for done in (
        "did we get",
        "came in",
        "did we receive",
        "did we give out",
        "were sent",
        "did we issue",
    ):
        refusal(f"How many orders {done} in May 2024?", columns, "order")
    assert "order_date" in ask("How many orders are from May 2024?", columns, "order").sql
    assert "order_date" in ask("How many orders did we get in May 2024?", columns[:2], "order").sql


def test_two_columns_that_fit_equally_are_named_both() -> None:
    columns = [number("net_amount", "EUR"), number("gross_amount", "EUR")]
    refused = refusal("What is the average amount?", columns, "bill")
    assert "net_amount" in str(refused)
    assert "gross_amount" in str(refused)


@pytest.mark.parametrize(
    "question",
    ["Was it Ada or Bea?", "Which is dearer, Ada or Bea?", "Do all parcels weigh more than 5 kg?"],
)
def test_a_choice_and_a_word_for_all_are_no_question_whether_one_is(question: str) -> None:
    values = [("sender", "Ada", 3), ("sender", "Bea", 4)]
    refusal(question, [text("sender"), number("weight", "kg")], "parcel", values)


def test_a_group_without_a_record_is_not_a_group_of_other_records() -> None:
    refusal("Which owner has no mill with a weir?", [text("owner"), boolean("weir")], "mill")


@pytest.mark.parametrize(
    "question",
    [
        "How many Ada Brook parcels are there?",
        "How many parcels has Ada Brook with a weight of 3 kg?",
    ],
)
def test_the_one_record_of_a_name_is_not_counted(question: str) -> None:
    columns = [text("sender"), number("weight", "kg")]
    own = [
        ("sender", f"{first} {last}", 1) for first in ("Ada", "Ben") for last in ("Brook", "Fox")
    ]
    statistics = {
        "sender": ColumnStatistics("sender", columns[0].type, 4, 4, 4, 4, 0, 0, 0, 4),
        "weight": ColumnStatistics("weight", columns[1].type, 4, 4, 4, 4, 0, 0, 0, 3),
    }
    schema = Schema(title="C1", entity="c1", nouns=("parcel",), attributes=tuple(columns))
    with pytest.raises(QuestionError):
        translate(question, schema, describe_tables(schema, statistics), ValueIndex(own))


@pytest.mark.parametrize(
    "question",
    [
        "What is the last place listed?",
        "Who is first on this list?",
        "Which is the first in the table?",
    ],
)
def test_the_order_of_rows_is_no_order_of_dates(question: str) -> None:
    columns = [text("town"), text("person_name"), date("founded")]
    refusal(question, columns, "place")
    assert "founded" not in ask("What is the last town listed?", columns, "town").sql


def test_a_text_that_is_called_a_count_is_not_counted() -> None:
    refusal("Number of throws tried", [text("n_throws_made_tried"), text("player")])


def test_how_much_more_is_no_count() -> None:
    values = [("kind", "home", 5), ("kind", "travel", 6)]
    refusal("How much more is there for home than for travel?", [text("kind")], "claim", values)


def test_what_ranks_the_other_way_than_it_is_sorted_is_refused() -> None:
    columns = [text("film"), number("price", "EUR")]
    found = ask("What are the three lowest prices, lowest first?", columns)
    assert found.sql.endswith("ORDER BY price ASC, document_id LIMIT 3")
    refusal("What are the three lowest prices, highest first?", columns)


def test_the_noun_of_the_records_is_not_dropped_for_a_verb() -> None:
    columns = [date("date"), count("deaths")]
    refusal("Which report announced the fewest deaths?", columns, "report")
    found = ask("Which report date has the fewest deaths?", columns, "report")
    assert found.sql.startswith("SELECT date FROM c1 ")


def test_an_amount_that_is_not_named_is_that_of_the_whole_record() -> None:
    columns = [text("company"), number("total", "EUR"), number("change", "EUR")]
    found = ask("Which company has the largest receipt?", columns, "receipt")
    assert "MAX(total)" in found.sql
    assert ask("How many receipts are above 20 euros?", columns, "receipt").sql.endswith(
        "total > 20"
    )


def test_an_amount_that_is_not_named_and_not_always_known_counts_nothing() -> None:
    columns = [number("total", "EUR"), number("change", "EUR")]
    statistics = {
        item.name: ColumnStatistics(item.name, item.type, 40, 38, 38, 38, 0, 2, 0, 7)
        for item in columns
    }
    schema = Schema(title="C1", entity="c1", nouns=("receipt",), attributes=tuple(columns))
    with pytest.raises(QuestionError, match="not known in all records"):
        translate(
            "How many receipts are above 20 euros?",
            schema,
            describe_tables(schema, statistics),
            ValueIndex([]),
        )


def test_an_amount_in_another_currency_is_not_compared() -> None:
    refusal("How many bills are over 100 dollars?", [number("total", "EUR")], "bill")
    found = ask("How many bills are over 100 euros?", [number("total", "EUR")], "bill")
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE total > 100"


def test_a_length_in_another_unit_is_converted() -> None:
    found = ask("How many paths are longer than 2 km?", [number("length", "m")], "path")
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE length > 2000"


def test_a_refusal_names_the_words_without_a_place() -> None:
    refused = refusal("How many parcels were disputed by neighbours?", [text("city")], "parcel")
    assert refused.unplaced == ("disputed", "neighbours")
    assert "“disputed”" in str(refused)


def test_a_name_is_no_auxiliary_verb() -> None:
    columns = [text("month"), number("toll", "EUR")]
    asked = ask("How many trips are from May?", columns, "trip", [("month", "May", 9)])

    assert asked.sql == "SELECT COUNT(*) FROM c1 WHERE month = 'May'"
    refusal("How many trips are from Will?", columns, "trip", [("month", "May", 9)])
    refusal("how many trips are from may?", columns, "trip")


def test_a_stored_value_is_no_word_of_a_description() -> None:
    columns = [text("pilot", "Whether a pilot was required.")]
    refusal("How many pilots were required?", columns, "call", [("pilot", "required", 9)])


def test_a_description_does_not_go_on_behind_a_verb() -> None:
    columns = [text("visit", "Which school was visited.")]
    refusal("How many schools were visited?", columns, "letter", [("visit", "Elm School", 9)])


def test_a_noun_that_several_columns_share_is_not_only_the_one_that_fits() -> None:
    columns = [number("drying_time", "min"), text("firing_time")]
    refusal("What is the total time of the pots?", columns, "pot")
    assert ask("What is the total drying time of the pots?", columns, "pot").sql


def test_what_rules_wrote_of_a_column_does_not_name_it() -> None:
    rule = SlotRule(value_type="number", threshold=1.0, weights={"<rent": 1.0, "<raised": 1.0})
    raised = number("raised", "percent", 'Stated as in "The rent may be raised by 5 % a year."')
    raised = raised.model_copy(update={"extractors": (rule,)})
    refusal("What is the average yearly rent?", [raised, number("area", "m²")], "lease")


def test_empty_seats_are_no_records_that_say_nothing_of_seats() -> None:
    refusal("How many empty seats were there?", [count("seats")], "flight")
    asked = ask("How many flights have missing seats?", [count("seats")], "flight")
    assert asked.sql == "SELECT COUNT(*) FROM c1 WHERE seats IS NULL"


def test_the_numbers_of_something_are_not_added_up() -> None:
    columns = [count("round"), count("goals"), text("team")]
    refusal("What is the total number of rounds?", columns)
    found = ask("What is the total number of goals?", columns)
    assert found.sql == "SELECT SUM(goals) FROM c1"


@pytest.mark.parametrize("noun", ["m", "km", "ft"])
def test_a_unit_that_ends_a_name_need_not_be_said(noun: str) -> None:
    found = ask("What is the greatest height?", [number(f"height_{noun}"), text("town")])
    assert found.sql == f"SELECT MAX(height_{noun}) FROM c1"


def _towers(question: str) -> Translation:
    """Ask about four towers, each with a name of its own."""
    columns = (text("tower_name"), number("height", "m"), count("visitors"), boolean("lift"))
    statistics = {
        item.name: ColumnStatistics(item.name, item.type, 4, 4, 4, 4, 0, 0, 0, 4)
        for item in columns
    }
    values = [("tower_name", name, 1) for name in ("Aldgate", "Brock", "Carn", "Dunmore")]
    schema = Schema(title="Towers", entity="towers", nouns=("tower",), attributes=columns)
    return translate(question, schema, describe_tables(schema, statistics), ValueIndex(values))


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("Which is taller, Aldgate or Brock?", "MAX(height)"),
        ("Which has the most visitors, Aldgate or Brock?", "MAX(visitors)"),
        ("Who had more visitors, Aldgate or Brock?", "MAX(visitors)"),
        ("Does Aldgate or Brock have the fewest visitors?", "MIN(visitors)"),
        ("Which is shorter, Aldgate or Brock?", "MIN("),
    ],
)
def test_a_choice_of_two_names_is_one_of_them_or_refused(question: str, end: str) -> None:
    try:
        found = _towers(question)
    except QuestionError:
        return
    assert found.sql.startswith("SELECT tower_name FROM towers WHERE tower_name IN (")
    assert end in found.sql


def test_a_choice_of_two_names_is_answered_by_a_name() -> None:
    found = _towers("Which has the most visitors, Aldgate or Brock?")
    assert found.restated.startswith("tower_name where tower_name is")
    many = _towers("What is the highest number of visitors of towers with a lift?")
    assert many.sql == "SELECT MAX(visitors) FROM towers WHERE lift"


def test_groups_with_and_without_something_are_compared() -> None:
    found = _towers(
        "How many more visitors are there on average in a tower with a lift than in one without?"
    )
    assert found.sql == (
        "SELECT (SELECT AVG(visitors) FROM towers WHERE lift)"
        " - (SELECT AVG(visitors) FROM towers WHERE NOT COALESCE(lift, FALSE)) AS difference"
    )


@pytest.mark.parametrize("question", ["Does {} have a licence?", "Is {} in Olm?"])
def test_everyone_is_not_anyone(question: str) -> None:
    columns, values = [boolean("licence"), text("town")], [("town", "Olm", 3)]
    for one in ("everyone", "everybody", "every person"):
        refusal(question.format(one), columns, "person", values)
    found = ask(question.format("anyone"), columns, "person", values)
    assert found.restated.startswith("whether there is a record")


def test_the_ends_of_a_column_are_compared_over_all_records_only() -> None:
    range_of = "SELECT (SELECT MAX(visitors) FROM towers) - (SELECT MIN(visitors) FROM towers)"
    asked = "By how many visitors is the {} tower {} than the {}{}?"
    found = _towers(asked.format("biggest", "larger", "smallest", ""))
    assert found.sql == f"{range_of} AS difference"
    for words in (
        ("biggest", "larger", "smallest", " with a lift"),
        ("biggest", "smaller", "smallest", ""),
        ("biggest", "dearer", "smallest", ""),
        ("biggest", "larger", "biggest", ""),
        ("biggest", "larger", "second smallest", ""),
    ):
        with pytest.raises(QuestionError):
            _towers(asked.format(*words))
    with pytest.raises(QuestionError):
        _towers("How many more visitors does the biggest tower have than the smallest?")


def test_the_first_report_is_not_the_one_with_the_lowest_number() -> None:
    columns = [date("signed_on"), count("lab_report")]
    refusal("What was the date of the first report?", columns, "lab")


def test_the_amount_of_a_thing_is_not_its_number() -> None:
    refusal("What is the average amount of an invoice?", [count("invoice")], "mail")


def test_a_column_that_says_yes_or_no_names_no_things() -> None:
    columns = [text("smoker"), text("clinic")]
    schema = Schema(title="C1", entity="c1", nouns=("visit",), attributes=tuple(columns))
    held = {"smoker": ("yes", "no", "former"), "clinic": ("North", "South")}
    statistics = {
        name: ColumnStatistics(
            name, columns[0].type, 40, 40, 40, 40, 0, 0, 0, len(values),
            values=tuple(ValueCount(value, 9) for value in values),
        )
        for name, values in held.items()
    }  # fmt: skip
    with pytest.raises(QuestionError):
        translate(
            "How many smokers are there?",
            schema,
            describe_tables(schema, statistics),
            ValueIndex(()),
        )
    found = translate(
        "How many clinics are there?", schema, describe_tables(schema, statistics), ValueIndex(())
    )
    assert found.sql == "SELECT COUNT(DISTINCT clinic) FROM c1"


def test_the_verb_of_a_record_is_no_part_of_a_name_that_others_could_have() -> None:
    columns = [number("cold_rent", "EUR"), number("additional_costs", "EUR"), number("area", "m2")]
    refusal("How many flats cost less than 900 EUR?", columns, "flat")
    found = ask("How many flats have additional costs under 90 EUR?", columns, "flat")
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE additional_costs < 90"


def test_a_mean_is_said_where_only_means_are_told() -> None:
    mean = Attribute(name="mean_temperature", type="number", unit="°C", synonyms=("temperature",))
    refusal("What was the highest temperature?", [mean], "report")
    found = ask("What was the highest mean temperature?", [mean], "report")
    assert found.sql == "SELECT MAX(mean_temperature) FROM c1"


def test_what_several_records_are_about_is_not_counted_by_them() -> None:
    columns = [text("animal_name"), text("animal_kind"), text("town"), number("fee", "EUR")]
    values = [("animal_kind", "cat", 9), ("town", "Bern", 4)]
    refusal("How many cats are there?", columns, "visit", values)
    found = ask("How many visits were by cats?", columns, "visit", values)
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE animal_kind = 'cat'"


HOUSES = [text("name"), text("kind"), text("town"), number("price", "EUR"), boolean("lift")]
PLACES = [("name", "Elm", 1), ("name", "Oak", 1), ("kind", "tower", 2), ("town", "Kent", 4),
          ("town", "Ulm", 3)]  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "Do Elm and Oak have a lift?",  # one of them is not both
        "Which towns have no towers?",  # those that have a house of another kind may have towers
        "How many towns have no tower?",
        "Which kinds are there both in Kent and in Ulm?",
        "How many kinds are there in Kent and Ulm?",
        "Is Elm higher than Oak?",  # there is one of each
    ],
)
def test_what_is_asked_of_several_is_not_answered_by_one(question: str) -> None:
    refusal(question, HOUSES, "house", PLACES)


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("How many houses are not towers?", "kind <> 'tower'"),
        ("How many houses have no lift?", "NOT COALESCE(lift, FALSE)"),
        ("How many houses are in Kent and Ulm?", "town IN ('Kent', 'Ulm')"),
    ],
)
def test_what_is_asked_of_each_house_is_answered(question: str, condition: str) -> None:
    found = ask(question, HOUSES, "house", PLACES)
    assert found.sql == f"SELECT COUNT(*) FROM c1 WHERE {condition}"


def _kilns(question: str, *columns: Attribute, blanks: int = 0, zeros: int = 0) -> Translation:
    """Ask about forty kilns, of which some have empty cells and some say 0."""
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 40, 40 - blanks, 40 - blanks - zeros, 40 - blanks, blanks, 0, 0,
            40 if item.name.split("_")[0] == "kiln" else 7,
        )
        for item in columns
    }  # fmt: skip
    values = [("kiln", "Ash", 1), ("kiln_code", "0113", 1), ("ward_no", "0007", 4)]
    values += [("glaze", "Tin", 5), ("glaze", "Children's", 4), ("line", "KITE-A", 6)]
    values += [("line", "KITE-B", 5)]
    schema = Schema(title="Kilns", entity="kilns", nouns=("kiln",), attributes=columns)
    return translate(question, schema, describe_tables(schema, statistics), ValueIndex(values))


def test_no_amount_is_ambiguous_where_some_records_say_0_and_others_leave_it_empty() -> None:
    asked = "How many kilns have no firing temperature?"
    column = number("firing_temperature", "°C")
    with pytest.raises(QuestionError, match=r"is 0 °C; or: .* is not stated"):
        _kilns(asked, column, blanks=3, zeros=1)
    assert _kilns(asked, column, blanks=3).sql.endswith("WHERE firing_temperature IS NULL")
    assert _kilns(asked, column, zeros=1).sql.endswith("WHERE firing_temperature = 0")


def test_a_record_is_named_by_the_column_that_is_called_as_it_is() -> None:
    heat = number("peak_heat_c", "°C")
    asked = "Which kiln has the highest peak heat?"
    assert _kilns(asked, text("kiln_code"), text("kiln"), heat).sql.startswith("SELECT kiln FROM")
    assert _kilns(asked, count("kiln_no"), heat).sql.startswith("SELECT kiln_no FROM")


def test_a_value_that_ends_as_a_genitive_is_not_whom_it_belongs_to() -> None:
    with pytest.raises(QuestionError):
        _kilns("How many kilns for children are there?", text("glaze"))
    found = _kilns("How many kilns have a Children's glaze?", text("glaze"))
    assert found.sql == "SELECT COUNT(*) FROM kilns WHERE glaze = 'Children''s'"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What is the kiln code of Ash?", "SELECT DISTINCT kiln_code FROM kilns WHERE kiln = 'Ash' "
         "AND NOT kiln_code IS NULL"),
        ("How many kilns are in ward 0007?", "SELECT COUNT(*) FROM kilns WHERE ward_no = '0007'"),
        ("How many wards are there?", "SELECT COUNT(DISTINCT ward_no) FROM kilns"),
        ("How many kilns of KITE-A are there?", "SELECT COUNT(*) FROM kilns WHERE line = 'KITE-A'"),
        ("How many unlit kilns are there?",
         "SELECT COUNT(*) FROM kilns WHERE NOT COALESCE(lit, FALSE)"),
        ("How many kilns were delivered in 2021?", "SELECT COUNT(*) FROM kilns WHERE delivery_date "
         "BETWEEN DATE '2021-01-01' AND DATE '2021-12-31'"),
        ("What is the average volume?", "SELECT AVG(volume_ml) FROM kilns"),
        ("What is the highest number of firings?", "SELECT MAX(firings_per_day) FROM kilns"),
        ("What is the mean of the firings per day?", "SELECT AVG(firings_per_day) FROM kilns"),
        ("What is the serial number of the kilns with a Tin glaze?",
         "SELECT DISTINCT serial_no FROM kilns WHERE glaze = 'Tin' AND NOT serial_no IS NULL"),
    ],
)  # fmt: skip
def test_names_as_tables_write_them_are_said_as_people_say_them(question: str, sql: str) -> None:
    columns = [
        text("kiln"), text("kiln_code"), text("ward_no"), text("glaze"), text("line"),
        boolean("lit"), date("delivery_date"), number("volume_ml", "ml"),
        count("firings_per_day"), count("serial_no"),
    ]  # fmt: skip
    assert _kilns(question, *columns).sql == sql


def test_a_name_that_is_said_twice_is_not_one_name() -> None:
    columns = [text("zone"), number("height", "m")]
    values = [("zone", "A", 3), ("zone", "B", 4)]
    asked = "What is the difference in average height between zone A and zone B?"
    found = ask(asked, columns, "mast", values)
    assert "zone = 'A'" in found.sql
    assert "zone = 'B'" in found.sql


def test_a_year_in_the_unit_of_a_column_makes_it_one_of_years() -> None:
    column = Attribute(name="opened_year", type="integer", unit="year")
    statistics = {
        "opened_year": ColumnStatistics(
            "opened_year", column.type, 40, 40, 40, 40, 0, 0, 0, 30, minimum=1921, maximum=2021
        )
    }
    schema = Schema(title="Masts", entity="masts", nouns=("mast",), attributes=(column,))
    found = translate(
        "How many masts were opened after 1990?",
        schema,
        describe_tables(schema, statistics),
        ValueIndex([]),
    )
    assert found.sql == "SELECT COUNT(*) FROM masts WHERE opened_year > 1990"


def _dams(question: str) -> Translation:
    """Ask about forty dams, each of a river; `boat_dams` is the name of their folder."""
    columns = (
        text("dam"), text("river"), count("gate"), number("rain", "mm"), number("crest", "m"),
        number("toll", "EUR"), count("incidents"), count("visits_per_day"),
        Attribute(name="closed_year", type="integer", unit="year"),
    )  # fmt: skip
    low = {"closed_year": 1920, "rain": 400.0, "crest": 2.0}
    high = {"closed_year": 2020, "rain": 2900.0, "crest": 90.0}
    statistics = {
        item.name: ColumnStatistics(
            item.name, item.type, 40, 40, 38, 40, 0, 0, 0, 40 if item.name == "dam" else 9,
            minimum=low.get(item.name), maximum=high.get(item.name),
        )
        for item in columns
    }  # fmt: skip
    schema = Schema(title="Boat dams", entity="boat_dams", nouns=("dam",), attributes=columns)
    values = [("dam", "Ash", 1), ("river", "Ure", 4)]
    return translate(question, schema, describe_tables(schema, statistics), ValueIndex(values))


@pytest.mark.parametrize(
    "question",
    [
        "How many boats are there?",  # boat dams are no boats
        "How many dams have more than 4 gates?",  # `gate` says which, and not how many
        "How many dams are more than 50 years old?",
        "How many dams were closed more than 50 years ago?",
        "How many dams lie above 5 km?",  # no rain falls in kilometres
        "What is the average toll of dams with a toll?",
    ],
)
def test_a_number_is_of_nothing_that_is_only_called_alike(question: str) -> None:
    with pytest.raises(QuestionError):
        _dams(question)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many boat dams are there?", "SELECT COUNT(*) FROM boat_dams"),
        ("How many dams have gate 4?", "SELECT COUNT(*) FROM boat_dams WHERE gate = 4"),
        ("How many incidents were there in total?", "SELECT SUM(incidents) FROM boat_dams"),
        ("Which is the newest dam?", "SELECT dam FROM boat_dams WHERE closed_year = (SELECT "
         "MAX(closed_year) FROM boat_dams) AND NOT dam IS NULL ORDER BY document_id"),
        ("How many dams have a rain over 1 m?", "SELECT COUNT(*) FROM boat_dams WHERE rain > 1000"),
        ("How many dams are above 1 m?", "SELECT COUNT(*) FROM boat_dams WHERE crest > 1"),
    ],
)  # fmt: skip
def test_what_is_called_so_is_counted(question: str, sql: str) -> None:
    assert _dams(question).sql == sql


def test_how_long_something_may_be_is_no_other_length() -> None:
    columns = [number("length", "m"), number("depth", "m"), number("pump_time", "min")]
    found = ask("How many locks are longer than 20 m?", columns, "lock")
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE length > 20"
    refusal("How many locks are over 20 m?", columns, "lock")


def test_an_abbreviated_maximum_is_said_in_full() -> None:
    columns = [number("min_pressure", "bar"), number("max_pressure", "bar")]
    found = ask("What is the lowest maximum pressure?", columns, "valve")
    assert found.sql == "SELECT MIN(max_pressure) FROM c1"
    refusal("What is the lowest maximum pressure?", columns[:1], "valve")


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "Which town has the single most expensive kiln?",
            "price = (SELECT MAX(price) FROM c1)",
        ),
        ("How many kilns have a price that topped 380?", "price > 380"),
    ],
)
def test_words_that_only_stress_a_superlative_restrict_nothing(question: str, sql: str) -> None:
    assert sql in ask(question, [text("town"), number("price", "EUR")], "kiln").sql


def test_a_day_is_not_cold_by_its_number() -> None:
    columns = [count("day"), number("dawn_temperature", "°C"), number("load", "kg")]
    refusal("Which were the three coldest days?", columns, "walk")
    found = ask("What was the largest load?", columns, "walk")
    assert found.sql == "SELECT MAX(load) FROM c1"


def test_what_is_measured_in_metres_is_not_how_many_there_are() -> None:
    tents = Attribute(name="pitched_tents", type="integer", unit="m")
    hours = Attribute(name="hours", type="integer", unit="h")
    columns = [tents, hours, count("porters")]
    refusal("What is the average number of tents?", columns, "walk")
    refusal("How many pitched tents were there in total?", columns, "walk")
    found = ask("What is the average number of hours?", columns, "walk")
    assert found.sql == "SELECT AVG(hours) FROM c1"


def test_examples_and_sentences_of_a_description_take_no_word_of_a_question() -> None:
    cost = number(
        "cost",
        "EUR",
        'The number that stands beside the words "cost"; stated in 27 of 34 samples. Stated as in'
        ' "Building it cost 26,000 EUR, less than the 6,000 EUR planned."',
    )
    meal = text("meal", 'The text beside "Meal", written as "packed meal" or "hot meal".')
    pool = boolean("pool").model_copy(
        update={"description": 'Whether there is a swimming pool, such as "Rooftop pool".'}
    )
    values = [("meal", "packed meal", 9), ("meal", "hot meal", 4)]
    refusal("What is the average planned cost?", [cost, meal, pool], "trip", values)
    refusal("How many trips have no packed meal?", [cost, meal, pool], "trip", values)
    refusal("How many trips have a rooftop pool?", [cost, meal, pool], "trip", values)
    assert ask("What is the average cost?", [cost, meal, pool], "trip", values).sql == (
        "SELECT AVG(cost) FROM c1"
    )
    swimming = "How many trips have a swimming pool?"
    assert ask(swimming, [cost, meal, pool], "trip", values).sql == (
        "SELECT COUNT(*) FROM c1 WHERE pool"
    )


def test_a_part_of_a_range_is_no_value() -> None:
    columns = [text("duration"), text("open")]
    values = [
        *[("duration", one, 3) for one in ("1–3 h", "3–5 h", "6 h", "all day")],
        *[("open", one, 5) for one in ("May to October", "all year")],
    ]
    refusal("How many walks have a duration of 3 h?", columns, "walk", values)
    refusal("How many walks are open in May?", columns, "walk", values)
    refusal("How many walks are open in October?", columns, "walk", values)
    for asked, condition in (
        ("have a duration of 6 h", "duration = '6 h'"),
        ("have a duration of 1–3 h", "duration = '1–3 h'"),
        ("are open from May to October", "open = 'May to October'"),
    ):
        found = ask(f"How many walks {asked}?", columns, "walk", values).sql
        assert found == f"SELECT COUNT(*) FROM c1 WHERE {condition}"


def test_a_period_that_belongs_to_an_amount_makes_no_groups() -> None:
    hours = number("hours", description='The number beside "Hours", written as "35 per week".')
    columns = [hours, number("fee", "EUR"), date("date")]
    refusal("What is the average number of hours per week?", columns, "job")
    assert "GROUP BY" in ask("What is the average fee per week?", columns, "job").sql


def test_a_date_that_most_records_lack_does_not_date_them() -> None:
    town, day = text("town"), date("date")
    schema = Schema(title="C1", entity="c1", nouns=("job",), attributes=(town, day))

    def ask_where(n_dated: int) -> str:
        statistics = {
            "town": ColumnStatistics("town", town.type, 40, 40, 40, 40, 0, 0, 0, 7),
            "date": ColumnStatistics("date", day.type, 40, n_dated, 40, 40, 0, 0, 0, 7),
        }
        question = "How many jobs were there in May 2024?"
        return translate(question, schema, describe_tables(schema, statistics), ValueIndex(())).sql

    assert "WHERE date BETWEEN DATE '2024-05-01'" in ask_where(38)
    with pytest.raises(QuestionError):
        ask_where(13)


# --- Who does what ------------------------------------------------------------------------------

BUGS = [text("title"), text("reporter"), text("assignee"), date("opened")]
PEOPLE = [
    ("reporter", "anna", 8), ("assignee", "anna", 2), ("assignee", "grace", 9),
    ("assignee", "eve", 4),
]  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "How many bugs did grace report?",
        "How many bugs were reported by grace?",
        "How many bugs has grace reported?",
        "How many bugs did eve open?",
    ],
)
def test_a_name_beside_a_verb_is_in_the_column_of_that_verb_or_in_none(question: str) -> None:
    assert refusal(question, BUGS, "bug", PEOPLE).unplaced[0] in {"grace", "eve"}


def test_a_name_beside_a_verb_is_in_the_column_of_that_verb() -> None:
    found = ask("How many bugs did anna report?", BUGS, "bug", PEOPLE)
    assert found.sql == "SELECT COUNT(*) FROM c1 WHERE reporter = 'anna'"


@pytest.mark.parametrize(
    "question", ["How many reports are there?", "Which reports were opened in May 2024?"]
)
def test_what_the_name_of_a_column_only_comes_from_may_be_the_record(question: str) -> None:
    columns = [Attribute(name="title", type="string"), *BUGS[1:]]
    assert "two ways" in str(refusal(question, columns, "bug", PEOPLE))


def test_a_form_of_the_name_of_a_column_means_it() -> None:
    found = ask("How many different reporters are there?", BUGS, "bug", PEOPLE)
    assert found.sql == "SELECT COUNT(DISTINCT reporter) FROM c1"


def test_a_noun_that_ends_as_a_verb_is_the_record() -> None:
    columns = [text("title"), date("listed"), number("floor_area", "m²")]
    assert "listed" not in str(
        refusal("Which listing has the largest garden?", columns, "listings")
    )


def test_an_average_of_texts_says_that_they_are_texts() -> None:
    said = str(refusal("What is the average service charge?", [text("service_charge")], "flat"))
    assert "service_charge is text" in said


def test_words_that_only_ask_are_not_said_to_have_no_place() -> None:
    refused = refusal("How many proposals are there?", [text("title")], "grant")
    assert str(refused).startswith("“proposals” has no place")


def test_a_question_that_only_asks_blames_no_word() -> None:
    assert str(refusal("How many?", [text("title")], "grant")) == FORM


def test_a_word_that_names_a_column_is_said_to_be_it() -> None:
    rule = SlotRule(value_type="number", weights={">grant": 1.0}, threshold=1.0)
    budget = number("budget_gbp", "GBP").model_copy(update={"extractors": (rule,)})
    refused = refusal("How many grants have no budget?", [budget], "grant")
    assert str(refused) == f"{FORM}, though “budget” may be budget_gbp"
    assert refused.unplaced == ("no", "budget")


def test_the_silence_of_running_text_is_no_absence() -> None:
    rule = SlotRule(value_type="number", weights={">egg": 1.0}, threshold=1.0)
    eggs = count("eggs").model_copy(update={"extractors": (rule,)})
    assert refusal("How many recipes have no eggs?", [text("title"), eggs], "recipe")


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("What is the fastest chip time?", "MIN(chip_time)"),
        ("What is the slowest chip time?", "MAX(chip_time)"),
        ("How many runs have a chip time faster than 60 s?", "chip_time < 60"),
        ("Is the average chip time slower than 60 s?", "> 60"),
        ("List the names by chip time, fastest first.", "ORDER BY chip_time ASC"),
        ("What is the best score?", "MAX(score)"),
        ("How many runs have a score better than 5?", "score > 5"),
    ],
)
def test_what_is_fast_takes_little_time(asked: str, part: str) -> None:
    columns = [text("name"), number("chip_time", "s"), number("score")]
    assert part in ask(asked, columns, "run").sql


def test_a_pace_is_fast_where_it_is_low_and_a_speed_where_it_is_high() -> None:
    for name, unit, end in (("pace", "min/km", "MIN"), ("top_speed", "km/h", "MAX")):
        asked = f"What is the fastest {name.replace('_', ' ')}?"
        assert f"{end}({name})" in ask(asked, [text("name"), number(name, unit)], "run").sql


def test_older_than_a_year_is_before_it() -> None:
    schema = Schema(title="C1", entity="c1", nouns=("mill",), attributes=(count("built"),))
    found = ColumnStatistics("built", ColumnType("integer"), 40, 40, 40, 40, 0, 0, 0, 7, 1700, 1990)
    for asked, part in (("older", "built < 1800"), ("younger", "built > 1800")):
        question = f"How many mills are {asked} than 1800?"
        assert (
            part
            in translate(
                question, schema, describe_tables(schema, {"built": found}), ValueIndex([])
            ).sql
        )


@pytest.mark.parametrize(
    "asked",
    [
        "What is the best price?",
        "What is the worst price?",
        "List the names by price, best first.",
        "How many runs have a price better than 5?",
        "What is the highest rank?",
        "Who had the lowest rank?",
        "How many runs have a rank higher than 5?",
        "What are the top 3 names by chip time?",
        "What is the fastest price?",
    ],
)
def test_which_end_is_the_best_is_not_guessed(asked: str) -> None:
    columns = [text("name"), number("price", "EUR"), count("rank"), number("chip_time", "s")]
    refusal(asked, columns, "run")


def test_what_a_sentence_behind_the_question_asks_is_put_out() -> None:
    columns = [text("name"), text("town"), number("price", "EUR"), date("opened")]
    for told in ("Give its town.", "Name the town."):
        assert ask(f"Which shop has the lowest price? {told}", columns, "shop").sql.startswith(
            "SELECT town FROM c1 WHERE price = "
        )
    found = ask("Which shop has the lowest price? Give its opened date.", columns[2:], "shop")
    assert found.sql.startswith("SELECT opened FROM")
    refusal("How many shops have a price above 5? Give the town.", columns, "shop")


def test_a_period_may_stand_before_the_dates_that_are_asked_for() -> None:
    columns = [date("date"), number("price", "EUR")]
    found = ask("Name the May 2020 report dates on which the price was above 5.", columns, "report")
    assert found.sql.startswith("SELECT date FROM c1 WHERE date BETWEEN DATE '2020-05-01'")


def test_a_described_word_stands_before_a_name_that_a_verb_parts() -> None:
    beds = count("patients_in_ward", "Of the general clinic.")
    columns = [date("date"), beds]
    asked = "How many {} were in the ward on average?"
    assert "AVG(patients_in_ward)" in ask(asked.format("clinic patients"), columns, "report").sql


def test_what_denies_a_column_of_yes_and_no_is_known_by_its_prefix() -> None:
    for name, denied in (
        ("active", "inactive"),
        ("treated", "untreated"),
        ("urgent", "non-urgent"),
    ):
        found = ask(f"How many claims are {denied}?", [boolean(name)], "claim")
        assert f"WHERE NOT COALESCE({name}, FALSE)" in found.sql


@pytest.mark.parametrize(
    "asked",
    [
        "Which rangers never saw a badger?",
        "Which rangers have no badger in their reports?",
        "How many rangers never saw a badger?",
        "Which rangers are not in Kent?",
    ],
)
def test_one_record_does_not_tell_that_somebody_never_did(asked: str) -> None:
    columns = [text("ranger"), text("town"), boolean("badger")]
    refusal(asked, columns, "report", [("town", "Kent", 9)])


def test_a_record_may_be_so_itself() -> None:
    columns = [text("ranger"), boolean("badger")]
    found = ask("Which rangers have reports without a badger?", columns, "report")
    assert found.sql.startswith("SELECT DISTINCT ranger FROM c1 WHERE NOT COALESCE(badger")


def test_what_compares_with_a_number_ranks_nothing() -> None:
    columns = [text("name"), number("total", "EUR"), count("n_items")]
    for asked in ("What is the total of orders with at least two items?", "at most 2 items"):
        try:
            found = ask(asked, columns, "order").sql
        except QuestionError:
            continue
        assert "MIN(" not in found
        assert "MAX(" not in found


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (
            "Wie viele Boote gibt es?",
            "without a language model, questions are read in English only",
        ),
        (
            "Quel est le prix moyen ?",
            "without a language model, questions are read in English only",
        ),
        ("How many boats sank in der Ostsee?", "“boats”, “sank”, “der”, “Ostsee” have no place"),
        ("Boats?", "“Boats” has no place"),
    ],
)
def test_a_question_in_another_language_is_refused_for_that(question: str, reason: str) -> None:
    assert str(refusal(question, [text("owner"), number("price", "EUR")])).startswith(reason)
