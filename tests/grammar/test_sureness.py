"""What a reading assumes, and what is no reading: each of these was once sure and wrong."""

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.grammar.translate import describe_tables, translate
from srag_mcp.schema.attribute import Attribute, Extractor, KeyRule, SlotRule
from srag_mcp.schema.schema import Schema
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.store.values import ValueIndex
from tests.grammar.conftest import build_world
from tests.grammar.tables import boats
from tests.grammar.test_refusals import ask, boolean, date, number, refusal, text
from tests.grammar.test_refusals import count as integer

PART = "that a part of its name means a column"
WHICH = "which of the dates is meant"
UNSAID = "that texts without such a part, where others have one, are none of it"
BOATS = boats()
COMPANY = [
    text("sector"),
    number("export_revenue", "EUR"),
    number("non_current_assets", "EUR"),
    text("export_country"),
    text("home_town"),
    date("report_date"),
]


def ask_companies(question: str) -> Translation:
    stored = [("export_country", "Peru", 5), ("home_town", "Ulm", 4), ("sector", "mining", 9)]
    return ask(question, COMPANY, "company", stored)


@pytest.mark.parametrize(
    ("question", "assumed"),
    [
        ("What is the average export revenue?", ()),
        ("What is the average revenue?", (PART,)),
        ("What is the total revenue?", (PART,)),
        ("How many companies have a revenue above 500 euros?", (PART,)),
        ("What is the average of the non-current assets?", ()),
        ("What is the average of the non current assets?", ()),
        ("How many companies are there in Peru?", (PART,)),
        ("How many companies have the export country Peru?", ()),
        ("How many companies are there in Ulm?", ()),
        ("How many companies have a date in May 2024?", (WHICH,)),
    ],
)
def test_a_name_that_is_said_in_part_is_an_assumption(
    question: str, assumed: tuple[str, ...]
) -> None:
    assert ask_companies(question).assumed == assumed


@pytest.mark.parametrize(
    "question", ["How many plays were on a Monday?", "How many plays were not on a Monday?"]
)
@pytest.mark.parametrize(
    ("texts", "assumed"),
    [
        (("Monday, 3 May", "Monday, 9 May", "Sunday, 2 May", "4 May"), (UNSAID,)),
        (("Monday, 3 May", "Monday, 9 May", "Sunday, 2 May"), ()),
        (("Monday, Friday", "Sunday, Monday", "Sunday", "Friday"), ()),
    ],
)
def test_a_text_without_the_kind_of_part_that_is_asked_for_does_not_deny_it(
    question: str, texts: tuple[str, ...], assumed: tuple[str, ...]
) -> None:
    schema = Schema(title="P", entity="plays", nouns=("play", "plays"), attributes=(text("day"),))
    assert build_world(schema, [(one,) for one in texts]).ask(question).assumed == assumed


def test_a_word_that_says_which_is_no_less_unsaid_where_all_columns_have_it() -> None:
    games = [text("designer"), number("minimum_age", "year"), number("minimum_weight", "kg")]
    assert ask("How many games are older than 10 years?", games, "game").assumed == (PART,)
    assert ask("How many games have a minimum age above 10?", games, "game").assumed == ()


@pytest.mark.parametrize(
    ("question", "assumed"),
    [
        ("What is the average height?", ()),
        ("What is the average tower height?", ()),
        (
            "What is the average white tower height?",
            ("that a word beside a name tells no values apart",),
        ),
    ],
)
def test_what_only_some_documents_say_around_a_value_is_an_assumption(
    question: str, assumed: tuple[str, ...]
) -> None:
    weights = {"<tower": 2.0, "<white": 0.5}
    rule = SlotRule(value_type="number", weights=weights, threshold=1.0, told=("tower",))
    height = number("height", "m").model_copy(update={"extractors": (rule,)})
    assert ask(question, [text("keeper"), height], "light").assumed == assumed


@pytest.mark.parametrize(
    "question", ["Which play cost the most?", "Did any play cost more than 4000 EUR?"]
)
def test_what_a_record_costs_is_not_what_a_part_of_it_costs(question: str) -> None:
    costs = [number("ticket_cost", "EUR").model_copy(update={"synonyms": ("cost",)})]
    columns = [text("title"), *costs, number("budget", "EUR")]
    assert refusal(question, columns, "play").unplaced == ("cost",)


def test_what_is_told_for_each_day_measures_no_time() -> None:
    columns = [text("name"), integer("walks_a_day")]
    assert refusal("Which dog stayed the longest?", columns, "dog")
    assert ask("What are the average walks a day?", columns, "dog").sql == (
        "SELECT AVG(walks_a_day) FROM c1"
    )


def test_what_lies_between_two_dates_may_be_long_in_time() -> None:
    for way, n_dates, is_read in (("km", 2, False), ("km", 1, True), ("length", 2, True)):
        columns = [text("trip"), number(way, "km"), date("start"), date("end")]
        known = {x.name: ColumnStatistics(x.name, x.type, 9, 9, 9, 9, 0, 0, 0, 9) for x in columns}
        schema = Schema(title="Trips", entity="trips", attributes=tuple(columns[: 2 + n_dates]))
        tables = describe_tables(schema, known)
        try:
            found = translate("Which trip was the longest?", schema, tables, ValueIndex(())).assumed
        except QuestionError:
            found = None
        assert found == (() if is_read else None), way


def test_what_part_of_it_a_name_leaves_out_is_not_what_a_record_costs() -> None:
    ticket = number("ticket_cost", "GBP").model_copy(update={"synonyms": ("cost",)})
    columns = [text("venue"), ticket, number("budget", "GBP")]
    refusal("What did the plays cost on average?", columns, "play")
    assert ask("What is the average ticket cost of the plays?", columns, "play").sql
    assert ask("What did the plays cost on average?", columns[:2], "play").sql


@pytest.mark.parametrize(
    "question",
    [
        "What are the average current assets?",
        "What are the average assets?",
        "What is the average export?",
    ],
)
def test_what_a_name_denies_or_is_not_called_by_is_not_meant(question: str) -> None:
    refusal(question, COMPANY, "company")


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("How many boats were built by 1995?", "year_built <= 1995"),
        ("How many boats arrived by 1 June 2022?", "arrival_date <= DATE '2022-06-01'"),
        ("How many boats arrived by the end of 2021?", "arrival_date <= DATE '2021-12-31'"),
        (
            "How many boats have a mooring fee between 1 and 2 thousand euros?",
            "mooring_fee BETWEEN 1000 AND 2000",
        ),
        (
            "How many boats have a mooring fee between 500 and 1 thousand euros?",
            "mooring_fee BETWEEN 500 AND 1000",
        ),
        ("How many boats are in Norham or have heating?", "(harbour = 'Norham' OR heating)"),
    ],
)
def test_a_word_between_holds_for_both_sides(question: str, condition: str) -> None:
    assert BOATS.ask(question).sql == f"SELECT COUNT(*) FROM boats WHERE {condition}"


@pytest.mark.parametrize(
    "question",
    [
        "How many boats in Norham with heating or in Eastby are there?",
        "How many boats in Norham with 2 cabins or in Eastby are insured?",
        "How many boats are in Norham and have heating or are insured?",
        "How many boats with heating or insured are in Norham?",
        "Which boats in Norham are longer than 10 m or have heating?",
        "What is the average mooring fee of boats with a fee?",
    ],
)
def test_what_nobody_can_part_is_refused(question: str) -> None:
    with pytest.raises(QuestionError):
        BOATS.ask(question)


def test_a_number_of_a_unit_is_compared_in_the_unit_that_ends_a_name() -> None:
    power = Attribute(name="rated_power_kw", type="integer")
    depth = Attribute(name="depth", type="number", description="Depth of the shaft in m.")
    load = Attribute(name="load", type="number")
    columns = [power, depth, load]
    assert ask("What is the average rated power?", columns, "mill").assumed == ()
    found = ask("How many mills have a depth above 5 m?", columns, "mill")
    assert found.sql.endswith("WHERE depth > 5")
    refusal("How many mills have a load above 5 kg?", columns, "mill")


def test_years_are_before_and_by_one_without_being_called_years() -> None:
    opened = Attribute(name="opened", type="integer")
    refusal("How many mills opened by 1980?", [opened, number("load")], "mill")  # of no known size


def test_another_reading_within_reach_is_kept_beside_the_best() -> None:
    found = BOATS.ask("How many boats are longer than 10 m?")
    assert (found.assumed, found.rivals) == ((), ())


def test_what_is_counted_is_no_unit_that_a_name_may_lack() -> None:
    columns = [
        number("new_deaths", "deaths"),
        number("new_cases", "cases"),
        number("weight_kg", "kg"),
    ]
    assert ask("What is the average number of new deaths?", columns, "report").sql == (
        "SELECT AVG(new_deaths) FROM c1"
    )
    assert "AVG(weight_kg)" in ask("What is the average weight?", columns, "report").sql


@pytest.mark.parametrize(
    "question",
    [
        "How many clubs share the hall with Judo?",  # no percentage
        "How many clubs have no roller?",  # no stored `no` of another column
        "How many clubs are open at present?",  # and not those that are not
        "How many clubs have a fee above 1.000?",  # one, or a thousand
        "How many clubs have a fee above 1.300 EUR?",
        "How many clubs have a fee below €1.300?",
        "How many clubs are known to be poisonous?",  # and not of how many it is said
        "Which plot is the largest?",  # not the one of the highest number
        "What is the average fee per founding?",  # no column of founders
        "How many clubs pay more than 5 EUR?",  # and not only those that have paid
        "How many hall clubs are there?",  # no halls
        "How old is the oldest club?",  # no year
    ],
)
def test_what_only_looks_like_an_answer_is_refused(question: str) -> None:
    columns = [
        text("hall"), text("phone"), text("opening"), number("fee", "EUR"), text("poisonous"),
        integer("plot"), text("founder"), boolean("paid"), date("founded"),
    ]  # fmt: skip
    stored = [
        ("hall", "Judo", 3), ("phone", "no", 4), ("opening", "not at present", 5),
        ("poisonous", "leaves", 2),
    ]  # fmt: skip
    with pytest.raises(QuestionError):
        ask(question, columns, "club", stored)


def test_what_is_there_or_not_is_a_value_where_a_column_stores_it() -> None:
    columns = [text("attendance"), number("age", "year")]
    stored = [("attendance", "present", 6), ("attendance", "absent", 6)]
    for state in ("present", "absent"):
        found = ask(f"How many pupils were {state}?", columns, "pupil", stored)
        assert found.sql == f"SELECT COUNT(*) FROM c1 WHERE attendance = '{state}'"


PARCELS = [text("parcel_kind"), text("goods"), text("depot"), date("signed_on"), integer("stamps")]
KINDS = [("goods", "lamp", 5), ("goods", "kettle", 6), ("depot", "Ulm", 9)]


@pytest.mark.parametrize(
    ("question", "sql", "rivals"),
    [
        ("How many goods are there?", "COUNT(DISTINCT goods)", ("COUNT(*)",)),
        ("How many depots have we?", "COUNT(DISTINCT depot)", ("COUNT(*)",)),
        ("How many different goods are there?", "COUNT(DISTINCT goods)", ()),
        ("How many depots got a parcel?", "COUNT(DISTINCT depot)", ()),
    ],
)
def test_what_every_record_has_one_of_may_be_said_for_the_records(
    question: str, sql: str, rivals: tuple[str, ...]
) -> None:
    found = ask(question, PARCELS, "parcel", KINDS)
    sqls = [
        item.removeprefix("SELECT ").removesuffix(" FROM c1") for item in (found.sql, *found.rivals)
    ]
    assert sqls == [sql, *rivals]


@pytest.mark.parametrize(
    "question", ["How many goods are in Ulm?", "How many goods have been in Ulm?"]
)
def test_things_that_are_said_to_be_so_are_kinds_or_records(question: str) -> None:
    with pytest.raises(QuestionError, match="different goods where depot is 'Ulm'; or: number of"):
        ask(question, PARCELS, "parcel", KINDS)


@pytest.mark.parametrize(
    "question",
    [
        "How many parcels were posted?",
        "How many parcels have been called in yet?",
        "How many parcels from Ulm were chosen?",
        "How many lamps were issued in total?",
        "How many parcels stayed, and how many stamps had they?",
        "How many parcels did we send and sign?",
        "How many parcels were signed per depot?",
        "Which parcels were issued?",
        "What is the average number of stamps of the parcels that were published?",
        "How many parcels were taken with more than 2 stamps?",
        "What is the average number of stamps of the chosen parcels?",
        "What is the average number of stamps of the parcels who stayed?",
    ],
)
def test_a_verb_that_leads_to_nothing_is_a_condition_of_its_own(question: str) -> None:
    assert refusal(question, PARCELS, "parcel", KINDS).unplaced


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many parcels were signed in 2021?", "SELECT COUNT(*) FROM c1 WHERE signed_on"),
        ("How many parcels were taken to Ulm?", "SELECT COUNT(*) FROM c1 WHERE depot = 'Ulm'"),
        ("What is the total number of stamps used?", "SELECT SUM(stamps) FROM c1"),
        ("How many parcels were recorded?", "SELECT COUNT(*) FROM c1"),
        ("How many parcels were signed per year?", "SELECT YEAR(signed_on)"),
        ("In which year were the most parcels signed?", "SELECT YEAR(signed_on)"),
    ],
)
def test_a_verb_that_leads_to_more_asks_for_nothing_by_itself(question: str, sql: str) -> None:
    assert ask(question, PARCELS, "parcel", KINDS).sql.startswith(sql)


CUPS = [text("outcome"), number("repair_fee", "EUR"), number("weight", "g")]


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What is the average fee of the repaired cups?", "AVG(repair_fee)"),
        ("What is the total of the repair fees of repaired cups?", "SUM(repair_fee)"),
        ("What is the average weight of the repaired cups?", "AVG(weight)"),
    ],
)
def test_a_stored_value_is_no_word_of_a_name_that_has_another_form_of_it(
    question: str, sql: str
) -> None:
    found = ask(question, CUPS, "cup", [("outcome", "repaired", 6), ("outcome", "scrapped", 3)])
    assert found.sql == f"SELECT {sql} FROM c1 WHERE outcome = 'repaired'"


def test_what_has_a_date_was_done_also_where_its_amount_is_empty() -> None:
    let, none = number("let_for", "EUR"), "How many flats are not let?"
    assert ask(none, [let], "flat").sql == "SELECT COUNT(*) FROM c1 WHERE let_for IS NULL"
    assert refusal(none, [let, date("let_on")], "flat").unplaced == ("not", "let")


EVENT = "that what was done has the date of the record"
WHICH = "which of the dates is meant"
HIVES = [
    text("keeper"),
    date("date"),
    boolean("swarmed"),
    text("state"),
    number("honey_taken", "kg"),
]
STATES = [("state", "requeened", 5), ("state", "weak", 7), ("keeper", "Ada Brook", 4)]


@pytest.mark.parametrize(
    ("question", "assumed"),
    [
        ("How many hives swarmed in 2021?", (EVENT,)),
        ("How many hives of Ada Brook swarmed in May 2021?", (EVENT,)),
        ("How many hives were requeened in 2021?", (EVENT,)),
        ("How many hives were requeened before 2021?", (EVENT,)),
        ("How many requeened hives were there in 2021?", (EVENT,)),
        ("How many hives were requeened per year?", (EVENT,)),
        ("When was the last hive requeened?", (EVENT,)),
        ("How many hives were weak in 2021?", (EVENT,)),
        ("How many hives came in 2021?", ()),
        ("What is the total honey taken in 2021?", (EVENT,)),
        ("How many weak hives were there in 2021?", ()),
        ("How many hives are there in 2021?", ()),
        ("How many hives of Ada Brook were there in 2021?", ()),
        ("What is the total honey taken?", ()),
        ("How many hives with a date in 2021 were requeened?", ()),
    ],
)
def test_a_date_that_nothing_ties_to_what_was_done_is_an_assumption(
    question: str, assumed: tuple[str, ...]
) -> None:
    found = ask(question, HIVES, "hive", STATES)
    assert (found.assumed, "date" in found.sql) == (assumed, "total honey taken?" not in question)


def test_a_date_is_tied_to_what_was_done_by_its_name_or_its_description() -> None:
    asked = "How many hives swarmed in 2021?"
    told = Attribute(name="date", type="date", description="Day on which it swarmed.")
    assert ask(asked, [told, boolean("swarmed")], "hive").assumed == ()
    named = ask(asked, [date("date"), date("swarming_date"), boolean("weak")], "hive")
    assert (named.assumed, "swarming_date BETWEEN" in named.sql) == ((), True)
    refusal(asked, [date("date"), date("swarming_date"), boolean("swarmed")], "hive")
    several = ask(asked, [date("hive_date"), date("visit"), boolean("swarmed")], "hive")
    assert several.assumed == (WHICH, EVENT)
    refusal("How many hives came in 2021?", [date("hive_date"), date("visit")], "hive")


def test_a_year_is_no_number_of_what_is_no_year() -> None:
    refusal("How many hives have frames in 2021?", [date("date"), integer("frames")], "hive")
    refusal("How many hives with frames in 2021 are there?", [integer("frames")], "hive")


def test_a_year_behind_the_unit_of_a_name_tells_its_columns_apart() -> None:
    columns = [number("catch_t_2022", "t"), number("catch_t_2023", "t")]
    assert "SUM(catch_t_2023)" in ask("What is the total catch in 2023?", columns, "boat").sql
    refusal("What is the total catch?", columns, "boat")


@pytest.mark.parametrize("had", ["notes", "names", "dates", "reports", "records", "documents"])
def test_what_records_have_is_a_thing_and_no_verb(had: str) -> None:
    for columns in ([text("breed")], [text("breed"), text(had)]):
        assert had in refusal(f"How many ponies have {had}?", columns, "pony").unplaced
        assert had in refusal(f"How many ponies with {had} are there?", columns, "pony").unplaced
    found = [ask(f"How many ponies {said}?", [text("breed")], "pony") for said in (
        "have been recorded", "have come", "are reported",
    )]  # fmt: skip
    assert {x.sql for x in found} == {"SELECT COUNT(*) FROM c1"}


NUMBERED = {"room": (101, 203), "born": (1998, 2020), "pages": (110, 480), "weight": (120, 800)}


def _ask_numbered(question: str) -> Translation:
    """Ask about books whose columns hold whole numbers in no unit."""
    columns = [integer(name) for name in NUMBERED]
    statistics = {
        x.name: ColumnStatistics(x.name, x.type, 40, 40, 40, 40, 0, 0, 0, 7, *NUMBERED[x.name])
        for x in columns
    }
    schema = Schema(title="C1", entity="c1", nouns=("book",), attributes=tuple(columns))
    return translate(question, schema, describe_tables(schema, statistics), ValueIndex([]))


@pytest.mark.parametrize(
    ("asked", "sql"),
    [
        ("the highest room", "MAX(room)"),
        ("the average born", "AVG(born)"),
        ("the total pages", "SUM(pages)"),
        ("the total weight", "SUM(weight)"),
    ],
)
def test_numbers_that_say_how_much_and_years_are_computed_with(asked: str, sql: str) -> None:
    found = _ask_numbered(f"What is {asked}?")
    assert (found.sql, found.assumed) == (f"SELECT {sql} FROM c1", ())


@pytest.mark.parametrize(
    "asked",
    ["sum of room", "average room", "total of born", "average room number", "sum of room number"],
)
def test_numbers_that_may_name_things_and_years_are_not_added_up(asked: str) -> None:
    with pytest.raises(QuestionError):
        _ask_numbered(f"What is the {asked}?")


def test_a_number_that_names_things_chooses_them() -> None:
    in_room = _ask_numbered("How many books are in room number 203?")
    assert in_room.sql == "SELECT COUNT(*) FROM c1 WHERE room = 203"


def test_a_number_of_a_thing_is_no_amount_that_is_called_alike() -> None:
    columns = [text("roast_no"), number("roasted_kg", "kg")]
    refusal("What is the average roast number?", columns, "batch")
    assert ask("What is the average roasted?", columns).sql == "SELECT AVG(roasted_kg) FROM c1"


def test_a_rate_is_not_added_up() -> None:
    for rate in (number("cost_per_pupil", "GBP"), number("fee", "GBP/pupil")):
        said = " ".join(rate.name.split("_"))
        refusal(f"What is the total {said} of all trips?", [rate], "trip")
        refusal("What is the total cost of all trips?", [rate], "trip")
        assert ask(f"What is the average {said}?", [rate], "trip").sql.startswith("SELECT AVG")


HELD = "that all took place, though a column says what was done with some"


@pytest.mark.parametrize(
    ("asked", "assumed"),
    [
        ("took place", (HELD,)),
        ("were held in May 2024", (HELD,)),
        ("happened in May 2024", (HELD,)),
        ("that took place were not cancelled", ()),
        ("are there", ()),
    ],
)
def test_that_all_took_place_is_assumed_where_a_column_says_what_was_done_with_some(
    asked: str, assumed: tuple[str, ...]
) -> None:
    stored = [("state", "called off", 5)]
    for column in (boolean("cancelled"), text("state")):
        if column.name != "state" or "not" not in asked:
            found = _ask_texts(f"How many lessons {asked}?", [column, date("day")], stored)
            assert found.assumed == assumed
    calm = _ask_texts(f"How many lessons {asked.split(' were not')[0]}?", [date("day")], [])
    assert calm.assumed == ()


def _ask_texts(
    question: str, columns: list[Attribute], stored: list[tuple[str, str, int]]
) -> Translation:
    """Ask about lessons, whose columns hold the stored texts and no others."""
    statistics = {
        x.name: ColumnStatistics(
            x.name, x.type, 40, 40, 40, 40, 0, 0, 0, 7,
            values=tuple(ValueCount(text, n) for column, text, n in stored if column == x.name),
        )
        for x in columns
    }  # fmt: skip
    schema = Schema(title="C1", entity="c1", nouns=("lesson",), attributes=tuple(columns))
    return translate(question, schema, describe_tables(schema, statistics), ValueIndex(stored))


def test_who_states_that_there_is_none_states_it() -> None:
    def ask_gap(question: str, n_absent: int, n_silent: int, rules: tuple[Extractor, ...]) -> str:
        allergy = Attribute(name="allergy", type="string", extractors=rules)
        n = 40 - n_absent - n_silent
        counts = (40, n, n, n, n_absent, n_silent, 0, 7)
        schema = Schema(title="C1", entity="c1", nouns=("card",), attributes=(allergy,))
        statistics = {"allergy": ColumnStatistics("allergy", allergy.type, *counts)}
        try:
            return translate(
                question, schema, describe_tables(schema, statistics), ValueIndex([])
            ).sql
        except QuestionError:
            return "refused"

    asked = ("How many cards do not state the allergy?", "How many cards state the allergy?")
    sqls = tuple(f"SELECT COUNT(*) FROM c1 WHERE {no}allergy IS NULL" for no in ("", "NOT "))
    label = (KeyRule(keys=("allergy",)),)
    for counts, rules, expected in [
        ((8, 13), label, ("refused", "refused")),
        ((21, 0), label, ("refused", "refused")),
        ((8, 13), (), ("refused", "refused")),
        ((0, 21), label, sqls),
        ((21, 0), (KeyRule(keys=("allergy",), reads="column"),), sqls),
    ]:
        assert tuple(ask_gap(question, *counts, rules) for question in asked) == expected
