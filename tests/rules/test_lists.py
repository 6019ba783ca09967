"""Lists of what a thing has: said, denied, ticked, left out, and lists that are none of these."""

from collections.abc import Callable

import pytest

from srag_mcp.values.states import State
from tests.rules.folder import Table, tabulate

SAID, ABSENT, SILENT = State.STATED, State.STATED_ABSENT, State.NOT_MENTIONED
SHORT = ("Ara", "Bor", "Cid", "Dot", "Eva", "Fox", "Gus", "Hal", "Ina", "Joe", "Kim", "Lou")


def booleans(table: Table) -> set[str]:
    return {name for name, kind in table.columns.items() if kind == "boolean"}


def pages(heading: str, *lines: Callable[[int], str], ending: str = "md", n: int = 12) -> Table:
    """Return the table of pages with a title and a list below *heading*."""
    return tabulate(
        [
            f"# Place {SHORT[number % 12]}{'x' * (number // 12)}\n\n## {heading}\n\n"
            + "".join(f"- {words}\n" for line in lines if (words := line(number)))
            for number in range(n)
        ],
        ending=ending,
    )


@pytest.mark.parametrize(
    ("heading", "thing", "denial", "name"),
    [
        pytest.param("On site", "Laundry", "No laundry", "laundry", id="English"),
        pytest.param("Ausstattung", "Trinkwasser", "Kein Trinkwasser", "trinkwasser", id="German"),
        pytest.param("Équipements", "Chauffage", "Pas de chauffage", "chauffage", id="French"),
        pytest.param("Équipements", "Piscine", "Sans piscine", "piscine", id="French, without"),
        pytest.param("On site", "Showers", "✗ Showers", "showers", id="crossed out"),
        pytest.param("On site", "✓ Showers", "✗ Showers", "showers", id="ticked or crossed out"),
        pytest.param("On site", "☑ Showers", "☐ Showers", "showers", id="boxes"),
        pytest.param("On site", "[x] Showers", "[ ] Showers", "showers", id="boxes of Markdown"),
        pytest.param("On site", "Showers", "Showers not available", "showers", id="not available"),
        pytest.param("On site", "Shop", "No shop available", "shop", id="none available"),
    ],
)
def test_a_thing_is_said_denied_or_missing_from_a_list(
    heading: str, thing: str, denial: str, name: str
) -> None:
    table = pages(
        heading, lambda n: (thing, denial, "")[n % 3], lambda n: "Bank" if n % 2 else "Post"
    )
    assert name in booleans(table)
    assert table.values(name) == [True, False, False] * 4
    assert table.states(name) == [SAID, ABSENT, ABSENT] * 4
    assert table.quotes(name)[:2] == [thing, denial]
    assert table.cells[name][2].note == f"not listed under '## {heading}'"


@pytest.mark.parametrize("ending", ["md", "txt"])
def test_boxes_in_plain_lines_say_what_is_ticked(ending: str) -> None:
    table = tabulate(
        [
            f"Van {SHORT[n]}\n\nChecks:\n"
            + ("" if n % 4 == 3 else f"{'☑' if n % 2 else '☐'} Brakes\n")
            + f"{'☑' if n % 3 else '☐'} Lights\n"
            for n in range(12)
        ],
        ending=ending,
    )
    assert booleans(table) <= {"brakes", "lights"}
    for name in booleans(table):  # none at all is no lie, a box that is not ticked is no yes
        ticked = [n % 2 > 0 and n % 4 != 3 if name == "brakes" else n % 3 > 0 for n in range(12)]
        assert table.values(name) == ticked


def test_a_remark_in_brackets_is_no_part_of_what_is_listed() -> None:
    table = pages(
        "On site",
        lambda n: ("Playground (ages 3 to 9)", "Playground (fenced)", "")[n % 3],
        lambda n: "Shop (closed on Mondays)" if n % 2 else "Bar",
    )
    assert {"playground", "shop"} <= booleans(table)
    assert table.values("playground") == [True, True, False] * 4


def test_names_in_a_list_are_no_columns_and_things_beside_them_are() -> None:
    people = ("Ilse Brandt", "Jonas Keil", "Mira Vogt")
    table = tabulate(
        [
            f"# Paper {SHORT[n]}\n\n## Authors\n\n"
            + "".join(f"- {name}\n" for k, name in enumerate(people) if (n + 1) >> k & 1)
            + "\n## Topics\n\n- maps\n"
            + "".join(f"- {topic}\n" for k, topic in enumerate(("birds", "dams")) if n >> k & 1)
            for n in range(12)
        ],
        ending="md",
    )
    assert booleans(table) == {"birds", "dams"}
    assert table.values("birds") == [n % 2 > 0 for n in range(12)]


def test_a_value_of_a_label_is_no_thing_of_a_list_however_short() -> None:
    towns = ("Ulm", "Trier", "Emden")
    table = tabulate(
        [
            f"# Deed {SHORT[n]}\n\n## Buyer\n\nTown: {towns[n % 3]}\n\n"
            f"## Seller\n\nTown: {towns[(n + 1) % 3]}\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert booleans(table) == set()
    assert table.values("buyer_town") == [towns[n % 3] for n in range(12)]
    assert table.values("seller_town") == [towns[(n + 1) % 3] for n in range(12)]


@pytest.mark.parametrize("name", ["Mrs A. {}", "Dr. {}", "St. {}'s"])
def test_a_full_stop_within_a_name_parts_nothing(name: str) -> None:
    said = [name.format(SHORT[n % 5]) for n in range(15)]
    table = tabulate([f"No: {n}\nCustomer: {one}\n\nSeen." for n, one in enumerate(said)])
    assert booleans(table) == set()
    assert table.values("customer") == said


def test_full_stops_part_what_ends_with_one() -> None:
    texts = [f"No: {n}\nOn site: {('Lift. Bank.', 'Bank. Pool.')[n % 2]}\n" for n in range(12)]
    assert booleans(tabulate(texts)) == {"lift", "pool"}


def test_a_letter_at_the_end_tells_things_of_a_list_apart() -> None:
    table = pages(
        "Checked",
        lambda n: "Pump A" if n % 2 else "",
        lambda n: "Pump Y" if n % 3 else "",
        lambda n: "Fan" if n % 4 else "",
        lambda n: "Gate",
    )
    assert table.values("pump_a") == [n % 2 == 1 for n in range(12)]
    assert table.values("pump_y") == [n % 3 > 0 for n in range(12)]


def test_a_label_with_a_value_beside_it_is_no_thing_of_a_list() -> None:
    table = pages(
        "Check",
        lambda n: f"Visits paid: {n}" if n % 3 else f"Visits: {n} of 20 paid",
        lambda n: ("Vaccinated: yes", "Vaccinated: no", "")[n % 3],
        lambda n: f"Coat: {('long', 'short')[n % 2]}",
        lambda n: "Garden" if n % 2 else "Pond",
    )
    assert booleans(table) == {"vaccinated", "garden", "pond"}
    assert table.values("vaccinated") == [True, False, None] * 4
    assert table.states("vaccinated") == [SAID, SAID, SILENT] * 4
    assert table.values("visits_paid") == [n if n % 3 else None for n in range(12)]


def test_what_most_lists_name_alone_is_there_whatever_stands_beside_it() -> None:
    table = pages(
        "On site", lambda n: ("Parking", "Parking: 12 a day", "")[n % 4 % 3], lambda n: "Bank"
    )
    assert table.values("parking") == [True, True, False, True] * 3


def test_what_all_have_and_what_one_has_are_no_columns() -> None:
    table = pages(
        "On site",
        lambda n: "Drinking water",
        lambda n: "Zip line" if n == 5 else "",
        lambda n: "Sauna" if n % 3 == 0 else "",
    )
    assert booleans(table) == {"sauna"}


def test_sentences_and_figures_in_a_list_are_no_things() -> None:
    table = pages(
        "Remarks",
        lambda n: "The gate is locked at night." if n % 2 else "The road was flooded in spring.",
        lambda n: f"Rebuilt in {1950 + n}",
        lambda n: "Sauna" if n % 3 == 0 else "Kiosk",
    )
    assert booleans(table) == {"sauna", "kiosk"}


def test_a_document_that_lists_nothing_says_nothing() -> None:
    table = tabulate(
        [
            f"# Camp {SHORT[n]}\n\n"
            + (
                f"## On site\n\n- Shop\n{'- Sauna' if n % 2 else '- Bar'}\n"
                if n < 9
                else "Quiet.\n"
            )
            for n in range(12)
        ],
        ending="md",
    )
    assert table.states("sauna")[9:] == [SILENT] * 3
    assert table.values("sauna") == [bool(n % 2) for n in range(9)] + [None] * 3


def test_a_list_that_speaks_of_a_thing_in_other_words_leaves_it_open() -> None:
    table = pages(
        "On site",
        lambda n: ("Sauna", "Kiosk", "Key of the sauna hut at the desk")[n % 3],
        lambda n: "Boats" if n % 2 else "Bicycles",
    )
    assert table.states("sauna") == [SAID, ABSENT, SILENT] * 4


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("We have neither a hammock nor a sauna.", ABSENT),
        ("It is a camp without any sauna.", ABSENT),
        ("There is no sauna in the camp.", ABSENT),
        ("There is no sauna fee.", SILENT),
        ("Nothing but the sauna is new.", SILENT),
        ("The saunas by the lake are old.", SILENT),
    ],
)
def test_what_is_not_listed_is_absent_where_the_text_does_not_speak_of_it(
    words: str, state: State
) -> None:
    table = tabulate(
        [
            f"# Camp {SHORT[n]}\n\n{'Quiet.' if n else words}\n\n## On site\n\n- Shop\n"
            + ("- Sauna\n" if n % 2 else "- Bar\n")
            for n in range(12)
        ],
        ending="md",
    )
    assert table.states("sauna") == [state, *[SAID, ABSENT] * 5, SAID]


def test_words_of_one_stem_may_be_two_words() -> None:
    table = tabulate(
        [
            f"# Camp {SHORT[n]}\n\nThe huts were fitted with stoves.\n\n## On site\n\n- Shop\n"
            + ("- Fitness\n" if n % 2 else "- Bar\n")
            for n in range(12)
        ],
        ending="md",
    )
    assert table.states("fitness") == [ABSENT, SAID] * 6


def test_things_after_semicolons_beside_a_label_are_said_and_the_others_not() -> None:
    extras = ("Garage", "Balcony", "Sauna")
    table = tabulate(
        [
            f"House {SHORT[n]}\n\nAmenities: "
            + "; ".join(["Wifi", *(thing for k, thing in enumerate(extras) if n >> k & 1)])
            + f"\nRooms: {2 + n % 5}\n"
            for n in range(12)
        ]
    )
    assert booleans(table) == {"garage", "balcony", "sauna"}
    for place, name in enumerate(("garage", "balcony", "sauna")):
        assert table.values(name) == [bool(n >> place & 1) for n in range(12)]


def test_lists_below_two_headings_are_kept_apart() -> None:
    table = tabulate(
        [
            f"# Boat {SHORT[n]}\n\n## On board\n\n- {('Radio', 'Raft', 'Stove')[n % 3]}\n- Anchor\n"
            f"\n## Sold separately\n\n- {('Trailer', 'Cover')[n % 2]}\n- Manual\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert booleans(table) == {"radio", "raft", "stove", "trailer", "cover"}
    assert {cell.note for cell in table.cells["trailer"]} == {
        "",
        "not listed under '## Sold separately'",
    }


@pytest.mark.parametrize("heading", ["Not included", "Nicht enthalten"])
def test_what_stands_below_a_heading_that_denies_is_denied(heading: str) -> None:
    things = ("Lights", "Carrier rack")
    table = tabulate(
        [
            f"# Bike {SHORT[n]}\n\n## Equipment\n\n- Bell\n{f'- {things[n % 2]}'}\n\n"
            f"## {heading}\n\n- {things[1 - n % 2]}\n"
            for n in range(12)
        ]
    )
    assert table.values("lights") == [True, False] * 6
    assert table.states("lights") == [SAID, ABSENT] * 6


def test_a_label_that_means_another_thing_below_another_heading_is_two_columns() -> None:
    names = ("Ilse Brandt", "Jonas Keil", "Mira Vogt", "Otto Lang", "Petra Sahm")
    table = tabulate(
        [
            f"# Deed {SHORT[n]}\n\nPlot: {100 + 7 * n} m²\n\n## Buyer\n\nName: {names[n % 5]}\n\n"
            f"## Seller\n\nName: {names[(n + 2) % 5]}\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert table.columns == {
        "title": "string",
        "plot": "integer m²",
        "buyer_name": "string",
        "seller_name": "string",
    }
    assert table.values("buyer_name") == [names[n % 5] for n in range(12)]
    assert table.values("seller_name") == [names[(n + 2) % 5] for n in range(12)]


def test_a_sentence_below_a_list_tells_more_than_that_there_is_a_thing() -> None:
    def page(n: int) -> str:
        things = (("Sauna", 2), ("Kiosk", 3), ("Bank", 1))
        listed = "".join(f"- {thing}\n" for thing, every in things if n % every == 0)
        said = "\nA sauna is planned.\n" if n % 4 == 1 else ""
        return f"# Place {SHORT[n]}\n\n## On site\n\n{listed}{said}"

    table = tabulate([page(n) for n in range(12)], ending="md")
    sauna = [True if n % 2 == 0 else None if n % 4 == 1 else False for n in range(12)]
    assert table.values("sauna") == sauna


@pytest.mark.parametrize(
    ("said", "value"),
    [("None observed.", False), ("No parts were replaced.", False), ("Keine Angaben.", None),
     ("We are still getting to know this place.", None)],
)  # fmt: skip
def test_a_sentence_in_the_place_of_a_list_denies_or_tells_nothing(
    said: str, *, value: bool | None
) -> None:
    table = tabulate(
        [
            f"# Place {SHORT[n]}\n\n## On site\n\n"
            + (f"- Bank\n{'- Sauna' if n % 2 else '- Kiosk'}\n" if n % 4 else f"{said}\n")
            for n in range(12)
        ],
        ending="md",
    )
    assert table.values("sauna") == [n % 2 == 1 if n % 4 else value for n in range(12)]


def test_a_thing_whose_name_ends_with_that_of_another_leaves_it_open() -> None:
    table = pages(
        "Crops",
        lambda n: "" if n % 3 == 2 else "Potatoes",
        lambda n: "Sweet potatoes" if n % 3 else "",
        lambda n: "Leeks" if n % 2 else "Beans",
    )
    assert table.values("sweet_potatoes") == [False, True, True] * 4
    assert table.values("potatoes") == [True, True, None] * 4
    assert table.states("potatoes") == [SAID, SAID, SILENT] * 4


def test_what_is_listed_among_the_titles_of_other_documents_is_not_of_the_record() -> None:
    goods = [f"{colour} {thing}" for colour in ("red", "blue", "tan") for thing in
             ("mug", "vase", "bowl", "plate")]  # fmt: skip

    def page(n: int) -> str:
        safe = "Oven proof" if n % 2 else "Hand made"
        others = [goods[(n + step) % 12].capitalize() for step in (1, 2, 4)]
        others += ["Gift box"] if n % 3 else ["Gift card"]
        listed = "\n".join(f"- {other}" for other in others)
        return f"# {goods[n].capitalize()}\n\n## Made\n\n- {safe}\n\n## See too\n\n{listed}\n"

    table = tabulate(list(map(page, range(12))), ending="md")
    assert {"oven_proof", "hand_made"} & table.columns.keys()
    assert not {"gift_box", "gift_card", "mug", "vase", "bowl", "plate"} & table.columns.keys()


def test_a_list_that_names_nothing_known_denies_nothing() -> None:
    table = tabulate(
        [
            f"# Dish {SHORT[n]}\n\n## Ingredients\n\n- flour\n- {('eggs', 'rice')[n % 2]}\n"
            f"- {('milk', 'salt', 'oil')[n % 3]}\n"
            for n in range(10)
        ]
        + [f"# Plat {name}\n\n## Ingrédients\n\n- farine\n- œufs\n" for name in ("un", "deux")],
        ending="md",
    )
    assert table.values("eggs") == [n % 2 == 0 for n in range(10)] + [None, None]
