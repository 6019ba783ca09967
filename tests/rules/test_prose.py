"""Running text: letters, reports and agreements whose sentences repeat, and prose that has none."""

from datetime import date

import pytest

from srag_mcp.schema.attribute import SlotRule
from srag_mcp.values.states import State
from tests.rules.folder import tabulate

PEOPLE = ("Ilse Brandt", "Jonas Keil", "Mira Vogt", "Otto Lang", "Petra Sahm", "Ralf Thoma")
SHORT = ("Ara", "Bor", "Cid", "Dot", "Eva", "Fox", "Gus", "Hal", "Ina", "Joe", "Kim", "Lou")


def test_a_sentence_that_repeats_word_for_word_gives_its_number_a_name() -> None:
    table = tabulate(
        [
            f"Station report\n\nThe highest temperature of the day was {12 + n} °C, measured at the"
            f" mill.\nRain fell for {1 + n % 4} hours.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {
        "highest_temperature_of_day": "integer °C",
        "rain_fell": "integer h",
    }
    assert table.values("highest_temperature_of_day") == [12 + n for n in range(12)]
    assert table.values("rain_fell") == [1 + n % 4 for n in range(12)]


@pytest.mark.parametrize(
    ("sentence", "kind", "values"),
    [
        pytest.param(
            "Im Hafen lagen gestern {} Schiffe vor Anker.", "integer", [12, 19, 26], id="German"
        ),
        pytest.param(
            "Le musée a accueilli ce jour {} visiteurs.", "integer", [12, 19, 26], id="French"
        ),
        pytest.param(
            "The toll rose to € {}.50 a day.", "number EUR", [12.5, 19.5, 26.5], id="money"
        ),
        pytest.param(
            "About {} % of the vines were lost.", "integer percent", [12, 19, 26], id="share"
        ),
        pytest.param("The keel is {} m long, of oak.", "integer m", [12, 19, 26], id="length"),
    ],
)
def test_a_number_in_a_sentence_of_any_sort_has_its_type_and_unit(
    sentence: str, kind: str, values: list[float]
) -> None:
    table = tabulate([f"{sentence.format(12 + 7 * n)} All was quiet.\n" for n in range(12)])
    (name,) = table.columns
    assert table.columns[name] == kind
    assert table.values(name)[:3] == values
    assert None not in table.values(name)


def test_two_amounts_of_one_sentence_are_two_columns() -> None:
    table = tabulate(
        [
            f"Flat {SHORT[n]}\n\nThe rent is {700 + 10 * n} EUR a month and the deposit is"
            f" {2100 + 30 * n} EUR.\n"
            for n in range(12)
        ]
    )
    facts = {name: kind for name, kind in table.columns.items() if name != "title"}
    assert facts == {"rent": "integer EUR", "deposit": "integer EUR"}
    assert table.values("rent") == [700 + 10 * n for n in range(12)]
    assert table.values("deposit") == [2100 + 30 * n for n in range(12)]


def test_a_value_of_an_earlier_time_is_not_taken_for_that_of_today() -> None:
    table = tabulate(
        [
            f"Report {n + 1}\n\nAs of {n + 1} June 2023, {400 + 20 * n} houses were without power,"
            f" compared with {500 + 20 * n} on {n + 1} May 2023. Crews repaired {10 + n} poles.\n"
            for n in range(14)
        ]
    )
    assert table.values("houses") == [400 + 20 * n for n in range(14)]
    assert table.values("poles") == [10 + n for n in range(14)]
    assert table.values("date") == [date(2023, 6, n + 1) for n in range(14)]


def test_this_year_and_last_year_are_two_columns() -> None:
    table = tabulate(
        [
            f"Branch {SHORT[n]}\n\nVisitors rose to {300 + 11 * n} this year, up from {200 + 9 * n}"
            " last year.\n"
            for n in range(12)
        ]
    )
    assert table.values("visitors") == [300 + 11 * n for n in range(12)]
    assert table.values("last_year") == [200 + 9 * n for n in range(12)]


def test_the_dates_of_an_agreement_are_called_what_happens_on_them() -> None:
    table = tabulate(
        [
            f"This agreement is made on {n + 1} March 2022 between {PEOPLE[n % 6]} and"
            f" {PEOPLE[(n + 1) % 6]}.\n\nIt ends on {n + 1} March {2023 + n % 4}. The governing law"
            f" is that of {('Norway', 'Malta', 'Chile')[n % 3]}.\n\nSigned on {n + 3} March 2022.\n"
            for n in range(14)
        ]
    )
    assert table.columns == {
        "ends_date": "date",
        "signed_date": "date",
        "agreement_date": "date",
    }
    assert table.values("ends_date") == [date(2023 + n % 4, 3, n + 1) for n in range(14)]
    assert table.values("signed_date") == [date(2022, 3, n + 3) for n in range(14)]
    assert table.values("agreement_date") == [date(2022, 3, n + 1) for n in range(14)]


def test_a_day_is_not_the_date_of_a_document_because_it_comes_first() -> None:
    table = tabulate(
        [
            f"{PEOPLE[n % 6]} signed the contract on {n + 2} May {2011 + n % 4}. The vase was sold"
            f" on {n + 1} March {2022 + n % 3}.\n\nThe buyer is {PEOPLE[(n + 1) % 6]}.\n"
            for n in range(14)
        ]
    )
    dates = [item for item in table.schema.attributes if item.type == "date"]
    assert {item.name: item.synonyms for item in dates} == {
        "signed_contract_date": ("contract date",),
        "vase_sold_date": ("sold date",),
    }


def test_a_letter_has_the_day_it_was_written_and_what_it_orders() -> None:
    table = tabulate(
        [
            f"{('Bergen', 'Oslo', 'Molde')[n % 3]}, {n + 1} June 2021\n\nDear {PEOPLE[n % 6]},\n\n"
            f"thank you for your order of {n + 3} lamps. They will be sent on {n + 10} June 2021."
            "\n\n"
            f"Yours sincerely,\n{PEOPLE[(n + 2) % 6]}\n"
            for n in range(12)
        ]
    )
    assert table.values("lamps") == [n + 3 for n in range(12)]
    assert table.values("date") == [date(2021, 6, n + 1) for n in range(12)]
    assert "sent_date" not in table.columns  # what will be sent need not have been
    assert {"string", "integer", "date"} >= set(table.columns.values())


def test_what_is_counted_is_named_with_what_was_done_to_it() -> None:
    table = tabulate(
        [
            f"Day {n}\n\nLunch was served to {20 + 3 * n} people. {PEOPLE[n % 6]} filmed"
            f" {7 + 2 * n} scenes.\n\n{SHORT[n]} rained off.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {
        "title": "string",
        "served_to_people": "integer",
        "scenes": "integer",
    }
    assert table.values("served_to_people") == [20 + 3 * n for n in range(12)]


def test_ends_and_intentions_alone_make_no_column() -> None:
    table = tabulate(
        [
            f"Organ {SHORT[n]}\n\nThe bellows must be mended by {n + 1} June 2024. The case was"
            f" gilded {'before' if n == 3 else 'on'} {n + 2} July 1950. It has"
            f" {'up to ' if n == 5 else ''}{20 + n} stops.\n"
            for n in range(12)
        ]
    )
    gilded = [date(1950, 7, n + 2) if n != 3 else None for n in range(12)]
    assert table.columns == {"title": "string", "case_gilded_date": "date", "stops": "integer"}
    assert table.values("case_gilded_date") == gilded
    assert table.values("stops") == [20 + n if n != 5 else None for n in range(12)]


def test_what_a_letter_quotes_of_another_one_is_not_its_own() -> None:
    table = tabulate(
        [
            f"From: {PEOPLE[n % 6]}\n\nThe boiler in flat {n + 1} reads {60 + n} degrees.\n\n"
            f"On Monday you wrote:\n> The boiler in flat {n + 5} reads 45 degrees.\n"
            for n in range(12)
        ]
    )
    assert table.values("boiler_in_flat") == [n + 1 for n in range(12)]
    assert table.values("reads") == [60 + n for n in range(12)]


def test_a_distance_is_called_by_the_place_that_it_leads_to() -> None:
    table = tabulate(
        [
            f"House {SHORT[n]}\n\nIt lies {3 + n} km from the station, and the sea is {n + 20} km"
            " away.\n"
            for n in range(12)
        ]
    )
    assert table.values("distance_to_station") == [3 + n for n in range(12)]
    assert table.values("distance_to_sea") == [n + 20 for n in range(12)]


def test_a_unit_or_a_month_beside_a_name_is_not_what_the_name_is() -> None:
    towns = ("Ulm", "Trier", "Emden")
    table = tabulate(
        [f"She walked {3 + n} miles to {towns[n % 3]} and sang.\n" for n in range(12)]
        + [f"In March {2010 + n} Captain {PEOPLE[n % 6]} came home.\n" for n in range(12)]
    )
    assert not {"miles", "march"} & table.columns.keys()


def test_years_of_what_goes_on_are_no_numbers() -> None:
    table = tabulate(
        [
            f"# {PEOPLE[n % 6]}\n\nBorn: {n + 1} May {1970 + n}\n\n## Experience\n\n"
            f"- {2000 + n}–{2005 + n}: Baker\n- {2005 + n}–today: Miller\n"
            for n in range(14)
        ],
        ending="md",
    )
    assert table.columns == {"title": "string", "born": "date"}


def test_what_is_told_in_a_label_and_in_a_sentence_must_agree() -> None:
    table = tabulate(
        [
            f"Lot {SHORT[n]}\n\nWeight: {10 + n} kg\nColour: {('red', 'blue')[n % 2]}\n\n"
            f"Please note that its weight is {10 + n if n != 5 else 99} kg when dry.\n"
            for n in range(12)
        ]
    )
    assert table.columns["weight"] == "integer kg"
    assert [name for name, kind in table.columns.items() if kind == "integer kg"] == ["weight"]
    assert table.values("weight") == [10 + n for n in range(12)]
    assert table.contradicted("weight") == [5]
    assert "99 kg" in table.cells["weight"][5].note


def test_a_sentence_of_one_document_fills_the_gap_of_a_label() -> None:
    table = tabulate(
        [
            f"Lot {SHORT[n]}\n\n"
            + (f"Weight: {10 + n} kg\n" if n != 7 else "")
            + f"\nPlease note that its weight is {10 + n} kg when dry.\n"
            for n in range(12)
        ]
    )
    assert table.values("weight") == [10 + n for n in range(12)]
    assert table.contradicted("weight") == []


def test_two_labels_that_mostly_agree_are_one_column_with_a_mark_where_they_do_not() -> None:
    table = tabulate(
        [
            f"Lot {SHORT[n]}\n\nSeats: {10 + n}\nNumber of seats: {10 + n if n != 4 else 77}\n"
            for n in range(12)
        ]
    )
    assert [name for name in table.columns if "seats" in name] == ["seats"]
    assert table.contradicted("seats") == [4]


def test_two_labels_that_rarely_agree_are_two_columns_without_a_mark() -> None:
    table = tabulate(
        [f"Bus {SHORT[n]}\n\nSeats: {20 + n}\nStanding seats: {40 - n}\n" for n in range(12)]
    )
    assert table.values("seats") == [20 + n for n in range(12)]
    assert table.values("standing_seats") == [40 - n for n in range(12)]
    assert table.contradicted("seats") + table.contradicted("standing_seats") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Minimum temperature", "Maximum temperature", id="ends of a range"),
        pytest.param("Net", "Gross", id="with and without"),
        pytest.param("Issue date", "Due date", id="dates of a bill"),
        pytest.param("Planned start", "Actual start", id="plan and fact"),
    ],
)
def test_opposites_are_never_one_column(one: str, other: str) -> None:
    is_date = "date" in one or "start" in one
    table = tabulate(
        [
            f"Job {SHORT[n]}\n\n"
            f"{one if n % 2 else other}: {f'2024-05-{n + 10}' if is_date else 100 + n}\n"
            for n in range(12)
        ]
    )
    first, second = (label.lower().replace(" ", "_") for label in (one, other))
    assert {first, second} <= table.columns.keys()
    stated = [n for n, state in enumerate(table.states(first)) if state is State.STATED]
    assert stated == [1, 3, 5, 7, 9, 11]


def test_a_name_behind_a_phrase_is_no_column_and_shares_of_a_sentence_are() -> None:
    table = tabulate(
        [
            f"In the ward of {SHORT[n]}, turnout was {50 + n} % and {30 + n} % voted by post.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {
        "turnout": "integer percent",
        "voted_by_post": "integer percent",
    }


def test_page_numbers_telephone_numbers_and_notices_are_no_columns() -> None:
    table = tabulate(
        [
            f"Log of {SHORT[n]}\n\nDepth: {30 + n} m\n\nPage 1 of {2 + n % 3}\n"
            f"© 2023 Harbour Board, tel. 555 0{100 + n}\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"title": "string", "depth": "integer m"}


def test_what_a_cabin_has_not_is_no_boolean_of_a_word_in_a_sentence() -> None:
    table = tabulate(
        [
            f"Cabin {SHORT[n]}\n\nThe cabin has {'a' if n % 2 else 'no'} stove and sleeps {2 + n}"
            " people.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"title": "string", "people": "integer"}


def test_a_long_text_beside_a_label_is_left_out_and_its_neighbours_are_not() -> None:
    table = tabulate(
        [
            f"Case {SHORT[n]}\n\nJudge: {PEOPLE[n % 6]}\nSummary: The claimant says that the fence"
            f" of her garden fell in the storm of May, which he {('denies', 'admits')[n % 2]}"
            f" at length in his letter.\nCosts: {500 + n} EUR\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"title": "string", "judge": "string", "costs": "integer EUR"}


def test_what_is_counted_under_a_threshold_is_called_by_it_and_mixed_with_no_other() -> None:
    table = tabulate(
        [
            f"Water report\n\n{40 + n} wells have a level of >50 mg per litre and of these,"
            f" {9 + n % 5} wells have a level of >90-120 mg per litre.\n"
            for n in range(14)
        ]
    )
    assert table.columns == {"wells_over_50": "integer", "wells_over_90_120": "integer"}
    assert table.values("wells_over_50") == [40 + n for n in range(14)]
    assert table.values("wells_over_90_120") == [9 + n % 5 for n in range(14)]


def test_thresholds_of_earlier_and_later_documents_are_two_columns() -> None:
    table = tabulate(
        [
            f"Survey\n\nThe share of hives that are ≥{3 if n < 9 else 7} years old is small. The"
            f" yield of hives ≥{3 if n < 9 else 7} years is now {60 + 2 * n} jars.\n"
            for n in range(18)
        ]
    )
    assert table.columns == {"jars_from_3": "integer", "jars_from_7": "integer"}
    assert table.values("jars_from_3") == [60 + 2 * n if n < 9 else None for n in range(18)]


@pytest.mark.parametrize("said", ["has more than {} sacks", "will be given {} sacks"])
def test_a_bound_or_an_intention_among_plain_numbers_is_no_value(said: str) -> None:
    others = range(2, 12, 4)
    texts = [
        f"Mill {SHORT[n]}\n\nThe mill "
        + (said if n in others else "has {} sacks").format(300 + 7 * n)
        + f" in store, and {2 + n % 3} carts.\n"
        for n in range(12)
    ]
    table = tabulate(texts)
    (name,) = (name for name in table.columns if "sacks" in name)
    assert table.values(name) == [None if n in others else 300 + 7 * n for n in range(12)]
    assert {table.states(name)[n] for n in others} == {State.FAILED}


def test_a_difference_is_no_value_of_what_it_compares() -> None:
    table = tabulate(
        [
            f"Mill {SHORT[n]}\n\nThe mill ground {300 + 7 * n} sacks. The number of sacks in store"
            f" was {12 + n} {('more', 'fewer')[n % 2]} than the day before.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"title": "string", "mill_ground": "integer"}
    assert table.values("mill_ground") == [300 + 7 * n for n in range(12)]


def test_a_share_in_percent_and_one_per_thousand_are_not_one_column() -> None:
    table = tabulate(
        [
            f"Orchard\n\nOf the trees, {500 + 9 * n} were grafted (grafting rate {n + 2},4"
            f"{' %' if n < 10 else ' per 1,000 trees'}).\n"
            for n in range(20)
        ]
    )
    rates = {kind: name for name, kind in table.columns.items() if "rate" in name}
    assert table.values(rates["number percent"]) == [n + 2.4 for n in range(10)] + [None] * 10
    assert table.values(rates["number"]) == [None] * 10 + [n + 2.4 for n in range(10, 20)]


def test_a_share_of_those_before_a_bracket_is_not_called_by_them() -> None:
    table = tabulate(
        [
            f"Kennel\n\n{30 + 3 * n} dogs were boarded ({20 + n} % of which had barked).\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"dogs": "integer"}


def test_a_distance_to_nothing_is_no_column() -> None:
    table = tabulate(
        [
            f"Hut {SHORT[n]}\n\nThe {('well', 'chapel', 'cave')[n % 3]} of old"
            f" {PEOPLE[n % 6].split()[1]} is {200 + 50 * n} metres away.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"title": "string"}


def test_a_date_in_a_line_of_its_own_dates_a_diary_that_speaks_of_other_days() -> None:
    table = tabulate(
        [
            f"Day {n + 1}\n{n + 1} {'May' if n < 8 else 'June'} 1987\n\nThe mail of {n + 2} April"
            f" 1987 came. We slept at the {SHORT[n]} rock.\n"
            for n in range(12)
        ]
    )
    assert table.values("date") == [date(1987, 5 if n < 8 else 6, n + 1) for n in range(12)]


def test_a_date_in_the_next_sentence_does_not_make_two_amounts_one() -> None:
    fees = [5 + n % 4 for n in range(16)]
    table = tabulate(
        [
            f"Your {('hat', 'bag')[n % 2]} is kept here.\n\nThe fee is {fees[n]} euros."
            + (f" We estimate the value at {20 * n + 30} euros." if n % 6 else "")
            + f" Collect it until {n + 1} June 2023.\n"
            for n in range(16)
        ]
    )
    values = [20 * n + 30 if n % 6 else None for n in range(16)]
    assert table.values("estimate_value") == values
    assert table.values("fee") == fees


def test_a_number_with_a_unit_is_not_called_by_what_another_number_counts() -> None:
    told = ("No sailor was hurt.", "One sailor was hurt and was off duty for {} days.")
    table = tabulate([f"{told[n % 2].format(4 + n)} All was quiet.\n" for n in range(24)])
    assert not any("sailor" in name for name in table.columns)


def test_the_word_before_a_name_is_no_column() -> None:
    table = tabulate(
        [
            f"On the scales {SHORT[n]} was {10 + n}.5 kg, a neutered {SHORT[(5 * n) % 12]} hound"
            f" belonging to Mr {SHORT[(7 * n) % 12]}.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"scales": "number kg"}


def test_a_rule_takes_no_amount_of_something_else() -> None:
    goods = ["flour"] * 9 + ["rice"] * 3
    table = tabulate(
        [
            f"# Dish {SHORT[n]}\n\nIt has {100 + 7 * n} g of {good} in it.\n"
            for n, good in enumerate(goods)
        ],
        ending="md",
    )
    assert table.values("flour") == [100 + 7 * n for n in range(9)] + [None] * 3


def test_a_number_behind_a_sign_is_no_value_and_no_other_number_is_taken_for_it() -> None:
    signed = {3: "> 50", 4: "≥ 30", 5: "< 60", 6: ">= 44", 7: "\n> 70", 8: "\n>= 80", 9: "~ 40"}
    table = tabulate(
        [
            f"In the morning the wardens counted {signed.get(n, 20 + 3 * n)}\nducks on the pond,"
            f" beside {5 + n * 7 % 11} geese.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"ducks_on_pond": "integer", "geese": "integer"}
    assert table.values("ducks_on_pond") == [20, 23, 26, *[None] * 6, 40, 50, 53]
    bound, rough = "a bound is stated, and no value", "a rough value is stated"
    notes = [cell.note for cell in table.cells["ducks_on_pond"]]
    assert notes == ["", "", "", *[bound] * 6, rough, "", ""]


def test_a_quoted_line_that_begins_with_a_number_is_no_bound() -> None:
    table = tabulate(
        [f"> {20 + 3 * n} ducks were counted on the pond.\n\nAll was well.\n" for n in range(12)]
    )
    assert table.columns == {"ducks_counted_on_pond": "integer"}
    assert table.values("ducks_counted_on_pond") == [20 + 3 * n for n in range(12)]


LEVELS = (4, 7, 9, 12, 5, 8, 15, 6, 11, 10, 3, 14)


def test_equal_values_alone_make_no_column_of_two_facts() -> None:
    table = tabulate(
        [
            f"Visit to {SHORT[n]}\n\nThe tunnel is {level * 100} m long."
            f" The repair will cost £{level * 100}.\n"
            for n, level in enumerate(LEVELS)
        ]
    )
    assert table.columns == {
        "title": "string",
        "tunnel_long": "integer m",
        "cost": "integer GBP",
    }


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("{} Pell was born in York in {} and died in {} at the age of {}.", "age"),
        ("{} Pell wed in Ulm in {} and left in {} with a crew of {}.", "crew"),
    ],
)
def test_a_number_is_called_by_the_name_right_beside_it(sentence: str, name: str) -> None:
    table = tabulate(
        [
            f"{sentence.format(SHORT[n], 1700 + 3 * n, 1750 + 3 * n + own, 50 + own)}"
            f" There {SHORT[n]} cast {own * 11} bells.\n"
            for n, own in enumerate(LEVELS)
        ]
    )
    assert table.values(name) == [50 + own for own in LEVELS]
    assert table.values("bells") == [11 * own for own in LEVELS]


def test_a_year_is_not_called_by_the_name_of_a_number_that_is_always_the_same() -> None:
    table = tabulate(
        [
            f"{SHORT[n]} Pell retired in {1760 + 3 * n} at the age of 60. He had {own} looms.\n"
            for n, own in enumerate(LEVELS)
        ]
    )
    assert "age" not in table.columns
    assert table.values("looms") == [*LEVELS]


def test_a_number_is_called_by_what_it_counts_and_a_share_by_what_it_is_of() -> None:
    table = tabulate(
        [
            f"{SHORT[n]} School has {own * 20} pupils, {own * 3} % of whom are girls, and"
            f" {LEVELS[n - 3]} teachers. {LEVELS[n - 5]} pupils failed the exam.\n"
            for n, own in enumerate(LEVELS)
        ]
    )
    facts = {name: kind for name, kind in table.columns.items() if name != "title"}
    assert facts == {
        "pupils": "integer",
        "teachers": "integer",
        "pupils_failed_exam": "integer",
        "girls": "integer percent",
    }
    assert table.values("pupils") == [20 * own for own in LEVELS]


@pytest.mark.parametrize(
    ("sentence", "column", "told"),
    [
        ("Ara had {} % possession and {} shots, {} of them on target.", "shots", False),
        ("All {} men and {} boys and {} girls kept on target.", "men", True),
    ],
)
def test_what_is_said_of_another_number_is_not_told_of_a_column(
    sentence: str, column: str, *, told: bool
) -> None:
    texts = [
        f"Match {n + 1}\n\n{sentence.format(40 + own, LEVELS[n - 2] + 14, LEVELS[n - 5])}\n"
        for n, own in enumerate(LEVELS)
    ]
    [rule] = tabulate(texts).schema.attribute(column).extractors
    assert isinstance(rule, SlotRule)
    assert ("target" in rule.told) is told


@pytest.mark.parametrize("one", ["one child", "1 child"])
def test_one_thing_is_counted_as_several_are(one: str) -> None:
    table = tabulate(
        [
            f"{SHORT[n]} Pell had {one if n in (2, 7) else f'{2 + n % 5} children'}."
            f" One day {SHORT[n]} left, with {n + 2} dogs.\n"
            for n in range(12)
        ]
    )
    assert table.values("children") == [1 if n in (2, 7) else 2 + n % 5 for n in range(12)]
    assert table.values("dogs") == [n + 2 for n in range(12)]


def test_one_thing_parts_those_that_say_none_of_several_as_little_as_they_do() -> None:
    """Also where it is told by what stands around it alone, in words for most numbers."""
    counts = [2, 4, 6, 1, 3, 5, 2, 4, 1, 7, 2, 4, 6, 3, 0, 2, 5, 1, 3, 2]
    words = "no one two three four five six seven".split()  # noqa: SIM905
    texts = [
        f"Person {at} was born in {1600 + 7 * at} and died at the age of {40 + at}."
        + (f" He had {words[n]} child{'' if n == 1 else 'ren'}.\n" if n else "\n")
        for at, n in enumerate(counts)
    ]
    assert tabulate(texts).values("children") == [n or None for n in counts]


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("The mill at {0} was built in {1} and is {2} m wide.", {"built"}),
        ("The mill at {0} opened in {1}. The mill is {2} metres tall.", {"opened", "mill_tall"}),
        ("The fee at {0} was {2} euros in {1}.", {"fee"}),
        ("{0} Pell was born in {0} in {1} and owned {2} mills.", {"born", "mills"}),
    ],
)
def test_a_year_or_a_measure_of_a_thing_is_not_called_by_its_noun(
    sentence: str, names: set[str]
) -> None:
    texts = [f"{sentence.format(SHORT[n], 1700 + 7 * n, own)}\n" for n, own in enumerate(LEVELS)]
    found = {*tabulate(texts).columns} - {"title"}
    assert names <= found
    assert found.isdisjoint({"mill", "mill_at"})


SOME = (4, 7, 9, 12, 5, 8, 15, 6, 11, 10, 3, 14)


def test_what_stands_before_several_amounts_names_none_of_them() -> None:
    table = tabulate(
        [
            f"The guide of {SHORT[n]} says: admission is £{SOME[n]} for adults and"
            f" £{SOME[n - 5]}.50 for children. It received a grant of ${SOME[n]},0{n:02} and"
            f" €{SOME[n - 3]}000.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"adults": "integer GBP", "children": "number GBP"}


@pytest.mark.parametrize(
    ("more", "state"),
    [
        (" and £2 for children", State.FAILED),
        (", £2 for children and £1 for dogs", State.FAILED),
        (", £1 of which goes to the church", State.STATED),
        (" and 2 doors", State.STATED),
        (" and £2 went to the church", State.STATED),
    ],
)
def test_one_of_several_amounts_is_no_value_of_what_all_of_them_are(
    more: str, state: State
) -> None:
    table = tabulate(
        [
            f"The admission to the castle of {SHORT[n]} is £{SOME[n]}{'' if n % 4 else more}.\n"
            for n in range(12)
        ]
    )
    assert table.states("admission_to_castle")[::4] == [state] * 3
    assert set(table.states("admission_to_castle")[1::4]) == {State.STATED}


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("We were a group of {} and had booked weeks ahead.", {"group"}),
        ("Our guide was Ida Pugh and we were {} in all.", set()),
        ("Ida Pugh became keeper of the Muckle light in {year} and served there.", set()),
        ("The lorry had overstayed by {} minutes.", set()),
        ("Pell sent us {word}.", {"photographs"}),
        ("The tower opened in {year} and has many rooms.", {"opened"}),
    ],
)
def test_words_of_another_clause_or_of_a_thing_name_no_number(
    sentence: str, names: set[str]
) -> None:
    words = "one two three four five six seven".split()  # noqa: SIM905
    texts = [
        sentence.format(
            own + 1,
            year=1850 + own,
            word=f"{words[own % 7]} photograph{'s' if own % 7 else ''}",
        )
        + "\n"
        for own in LEVELS
    ]
    assert {*tabulate(texts).columns} == names


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("It has {} seats inside and {} outside.", {"inside", "outside"}),
        ("{} men were hired in Ulm and {} in Bonn.", {"hired_in_ulm", "bonn"}),
        ("It has {} rooms with a bath and {} without.", {"bath"}),
        ("It has {} seats inside and {} beds upstairs.", {"seats", "beds"}),
        ("It has {} seats and {} sheep.", {"seats", "sheep"}),
    ],
)
def test_what_two_numbers_count_names_neither(sentence: str, names: set[str]) -> None:
    texts = [f"{sentence.format(SOME[n] * 3, SOME[n - 5] * 2)}\n" for n in range(12)]
    assert {*tabulate(texts).columns} == names


def test_a_number_that_shares_its_noun_with_another_is_no_value_of_it() -> None:
    more = " inside and 5 outside"
    texts = [f"The inn has {SOME[n]} seats{'' if n % 4 else more}.\n" for n in range(12)]
    states = tabulate(texts).states("seats")
    assert states == [State.STATED if n % 4 else State.FAILED for n in range(12)]
