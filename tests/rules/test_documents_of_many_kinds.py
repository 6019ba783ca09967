"""Folders of many kinds, as people have them: recipes, films, shops, teams, trips, forms."""

from datetime import date

import pytest

from srag_mcp.values.states import State
from tests.rules.folder import tabulate

PEOPLE = ("Ilse Brandt", "Jonas Keil", "Mira Vogt", "Otto Lang", "Petra Sahm", "Ralf Thoma")
SHORT = ("Ara", "Bor", "Cid", "Dot", "Eva", "Fox", "Gus", "Hal", "Ina", "Joe", "Kim", "Lou")


def test_recipes() -> None:
    dishes = ("Apple cake", "Bean soup", "Carrot pie", "Date bread", "Egg salad", "Fig jam")
    names = [f"{dishes[n % 6]} {'with' if n > 5 else 'without'} cream" for n in range(12)]
    table = tabulate(
        [
            f"# Recipe: {name}\n\nServes: {2 + n % 5}\nTime: {20 + 5 * n} min\n\n## Ingredients\n\n"
            f"- {100 + n * 10} g flour\n- {n % 3 + 1} eggs\n- salt\n"
            f"{'- cinnamon' if n % 2 else ''}\n"
            for n, name in enumerate(names)
        ],
        ending="md",
    )
    assert table.columns == {
        "title": "string",
        "serves": "integer",
        "time": "integer min",
        "flour": "integer g",
        "eggs": "integer",
        "cinnamon": "boolean",
    }
    assert table.values("title") == names
    assert table.values("flour") == [100 + n * 10 for n in range(12)]
    assert table.values("cinnamon") == [n % 2 > 0 for n in range(12)]
    assert table.schema.nouns[:2] == ("recipe", "recipes")


def test_pages_of_a_site_with_a_menu_and_a_footer() -> None:
    table = tabulate(
        [
            f"<html><head><title>{name} Mill | Mills of the North</title></head><body>"
            f"<nav>Home About</nav><h1>{name} Mill</h1><p>Wheels: {1 + n % 4}</p>"
            f"<p>Built: {1800 + n}</p><footer>Mills of the North 2024</footer></body></html>"
            for n, name in enumerate(SHORT)
        ],
        ending="html",
    )
    assert table.columns == {"title": "string", "wheels": "integer", "built": "integer"}
    assert table.values("title") == [f"{name} Mill" for name in SHORT]
    assert table.schema.nouns[:2] == ("mill", "mills")


def test_films_with_stars_and_budgets() -> None:
    table = tabulate(
        [
            f"Film {name}\n\nYear: {1990 + n}\nRuntime: {90 + n} min\n"
            f"Rating: {'★' * (1 + n % 5)}{'☆' * (4 - n % 5)}\nBudget: ${n + 1}.5M\n"
            for n, name in enumerate(SHORT)
        ]
    )
    assert table.columns == {
        "title": "string",
        "year": "integer",
        "runtime": "integer min",
        "rating": "integer",
        "budget": "integer USD",
    }
    assert table.values("rating") == [1 + n % 5 for n in range(12)]
    assert table.values("budget") == [n * 10**6 + 1_500_000 for n in range(12)]


def test_business_cards_have_addresses_mails_and_telephones_as_text() -> None:
    table = tabulate(
        [
            f"{name} Bakery\n{n + 3} Mill Lane, "
            f"{('1080 Vienna, Austria', '4020 Linz, Austria', '69001 Lyon, France')[n % 3]}\n\n"
            f"Owner: {PEOPLE[n % 6]}\nEmail: {name.lower()}@example.org\n"
            f"Phone: +43 341 {1000 + n}\n"
            for n, name in enumerate(SHORT)
        ]
    )
    assert table.columns == {
        "title": "string",
        "owner": "string",
        "email": "string",
        "phone": "string",
        "country": "string",
        "city": "string",
    }
    assert table.values("city")[:3] == ["Vienna", "Linz", "Lyon"]
    assert table.values("country")[:3] == ["Austria", "Austria", "France"]
    assert table.values("email")[0] == "ara@example.org"
    assert table.values("phone")[:2] == ["+43 341 1000", "+43 341 1001"]


def test_offers_are_made_by_companies_that_are_named_at_the_top() -> None:
    stems = ("Nordlicht", "Sturmhut", "Karg", "Elster", "Falk", "Gamma")
    names = [
        f"{stems[n % 6]} {'Bau' if n > 5 else 'Holz'} {('GmbH', 'Ltd')[n % 2]}" for n in range(12)
    ]
    table = tabulate(
        [
            f"{name}\n{10 + n} Main Road\n\nOffer for {5 + n} chairs.\nPrice: {100 + n} EUR\n"
            for n, name in enumerate(names)
        ]
    )
    assert table.columns == {"company": "string", "price": "integer EUR", "chairs": "integer"}
    assert table.values("company") == names


def test_notes_of_a_choir_whose_titles_are_all_the_same_but_for_the_day() -> None:
    table = tabulate(
        [
            f"# Choir practice – {n + 1} May 2024\n\nAttended: {20 + n}\nSongs: {3 + n % 4}\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert table.columns == {"attended": "integer", "songs": "integer", "date": "date"}
    assert table.values("date") == [date(2024, 5, n + 1) for n in range(12)]
    assert table.schema.nouns[:2] == ("practice", "practices")


def test_minutes_with_a_list_of_those_present_and_numbered_decisions() -> None:
    table = tabulate(
        [
            f"# Minutes of {('the board', 'the garden club', 'the choir')[n % 3]}\n\n"
            f"Date: {n + 1} March 2024\nPresent: {', '.join(PEOPLE[n % 4 : n % 4 + 3])}\n"
            f"Chair: {PEOPLE[n % 6]}\n\n## Decisions\n\n"
            f"1. The hall is let for {200 + 10 * n} EUR.\n2. Next meeting on {n + 1} April 2024.\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert table.columns["date"] == table.columns["next_meeting_date"] == "date"
    assert table.values("date") == [date(2024, 3, n + 1) for n in range(12)]
    assert table.values("next_meeting_date") == [date(2024, 4, n + 1) for n in range(12)]
    assert table.values("chair") == [PEOPLE[n % 6] for n in range(12)]
    assert table.values("present")[0] == "Ilse Brandt, Jonas Keil, Mira Vogt"
    assert "boolean" not in table.columns.values()


def test_teams_with_a_table_of_seasons_give_a_title_and_no_mixed_columns() -> None:
    table = tabulate(
        [
            f"<html><body><h1>Team {name}</h1><table><tr><th>Season</th><th>Won</th></tr>"
            f"<tr><td>2021</td><td>{5 + n}</td></tr><tr><td>2022</td><td>{6 + n}</td></tr></table>"
            "</body></html>"
            for n, name in enumerate(SHORT)
        ],
        ending="html",
    )
    assert table.columns == {"title": "string"}


def test_the_total_of_a_table_is_a_fact_and_its_rows_are_none() -> None:
    table = tabulate(
        [
            f"# Trip to {name}\n\n| Day | km |\n|---|---|\n| 1 | {20 + n} |\n| 2 | {30 + n} |\n"
            f"| Total | {50 + 2 * n} |\n"
            for n, name in enumerate(SHORT)
        ],
        ending="md",
    )
    assert table.columns == {"title": "string", "total": "integer"}
    assert table.values("total") == [50 + 2 * n for n in range(12)]


def test_short_answers_below_headings_are_values() -> None:
    table = tabulate(
        [
            f"# Trial {n + 1}\n\n## Result\n\n{('Passed', 'Failed')[n % 2]}\n\n## Inspector\n\n"
            f"{PEOPLE[n % 6]}\n\n## Speed\n\n{40 + n} km/h\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert set(table.columns) == {"inspector", "speed", "title", "result"}
    assert table.quotes("result") == ["Passed", "Failed"] * 6
    assert table.values("speed") == [40 + n for n in range(12)]


def test_songs_with_tags_after_a_label() -> None:
    tags = ("slow", "loud", "old", "new")
    table = tabulate(
        [
            f"Song {name}\n\nKey: {'CDEFG'[n % 5]}\nTempo: {60 + 5 * n} bpm\n"
            f"Tags: {', '.join(tags[: 1 + n % 4])}\n"
            for n, name in enumerate(SHORT)
        ]
    )
    facts = {name: kind for name, kind in table.columns.items() if kind != "boolean"}
    assert facts == {"title": "string", "key": "string", "tempo": "integer", "tags": "string"}
    for place, tag in enumerate(tags):  # where a tag is a column, it says who has it
        if tag in table.columns:
            assert table.values(tag) == [n % 4 >= place for n in range(12)]


def test_two_facts_on_one_line_are_two_columns() -> None:
    table = tabulate(
        [
            f"Ticket\n\nPassenger:   {PEOPLE[n % 6]}          Day:   2024-03-{n + 1:02}\n"
            f"Fare        {200 + 3 * n}.50 EUR\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"passenger": "string", "day": "date", "fare": "number EUR"}
    assert table.values("passenger") == [PEOPLE[n % 6] for n in range(12)]
    assert table.values("day") == [date(2024, 3, n + 1) for n in range(12)]
    assert table.values("fare") == [200.5 + 3 * n for n in range(12)]


def test_a_unit_in_the_label_is_that_of_the_values() -> None:
    table = tabulate(
        [
            f"Well {name}\n\nDepth (m): {30 + n}\nCost (EUR): {1000 + n}\n"
            for n, name in enumerate(SHORT)
        ]
    )
    assert {"title", "depth", "cost"} == set(table.columns)
    assert {cell.unit for cell in table.cells["depth"]} == {"m"}
    assert {cell.unit for cell in table.cells["cost"]} == {"EUR"}


def test_ticks_beside_a_label_are_yes_and_no() -> None:
    table = tabulate(
        [f"Boat {name}\n\nMoored: {'✓' if n % 2 else '✗'}\n" for n, name in enumerate(SHORT)]
    )
    assert table.columns == {"title": "string", "moored": "boolean"}
    assert table.values("moored") == [n % 2 > 0 for n in range(12)]


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        pytest.param(["***\n---\n===\n"] * 6, "marks only", id="marks"),
        pytest.param(["1 2 3 4 5 6 7\n8 9 10 11\n"] * 6, "numbers only", id="numbers"),
        pytest.param(["Hull: H1\nBeam: 3 m\n"] * 6, "all are the same", id="copies"),
        pytest.param([":\n: :\n::::\n"] * 6, "labels without words", id="colons"),
        pytest.param(["a" * 5000] * 4, "one long word", id="long"),
    ],
)
def test_documents_that_say_nothing_give_no_column(texts: list[str], reason: str) -> None:
    assert tabulate(texts).columns == {}, reason


def test_one_document_alone_gives_what_its_labels_say() -> None:
    table = tabulate(["Hull: H1\nBeam: 3 m\nBuilt: 4 May 1990\n"])
    assert {"beam": "integer m", "built": "date"}.items() <= table.columns.items()
    assert table.states("beam") == [State.STATED]
