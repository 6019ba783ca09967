"""Forms: labels, definition lists and tables of properties, in several languages and formats."""

from collections.abc import Callable, Sequence
from datetime import date

import pytest

from srag_mcp.values.states import State
from tests.rules.folder import tabulate

PEOPLE = ("Ilse Brandt", "Jonas Keil", "Mira Vogt", "Otto Lang", "Petra Sahm", "Ralf Thoma")
SHORT = ("Ara", "Bor", "Cid", "Dot", "Eva", "Fox", "Gus", "Hal", "Ina", "Joe", "Kim", "Lou")


def cycle(values: Sequence[str], n: int = 12) -> list[str]:
    return [values[number % len(values)] for number in range(n)]


# --- Languages: the same kinds of facts, said as each country says them --------------------------


def test_a_german_form_has_german_numbers_dates_and_codes() -> None:
    table = tabulate(
        [
            f"Reparaturauftrag\n\nAuftragsnr.: {n:04}\nKunde: {PEOPLE[n % 6]}\n"
            f"Annahme: {n + 1:02}.03.2024\nRahmenhöhe: {48 + n} cm\n"
            f"Preis: 1.{200 + n},50 €\nProbefahrt: {'ja' if n % 3 else 'nein'}\n\n"
            "Bremsen geprüft.\n"
            for n in range(12)
        ]
    )
    assert table.columns == {
        "auftragsnr": "string",
        "kunde": "string",
        "annahme": "date",
        "rahmenhohe": "integer cm",
        "preis": "number EUR",
        "probefahrt": "boolean",
    }
    assert table.values("auftragsnr") == [f"{n:04}" for n in range(12)]
    assert table.values("kunde") == cycle(PEOPLE)
    assert table.values("annahme") == [date(2024, 3, n + 1) for n in range(12)]
    assert table.values("rahmenhohe") == [48 + n for n in range(12)]
    assert table.values("preis") == [1200.5 + n for n in range(12)]
    assert table.quotes("preis")[:2] == ["1.200,50 €", "1.201,50 €"]
    assert table.values("probefahrt") == [n % 3 > 0 for n in range(12)]


def test_two_layouts_say_their_units_in_brackets_of_their_labels() -> None:
    kilograms = [20 + 17 * n for n in range(12)]
    table = tabulate(
        [
            f"Freight {SHORT[n]}\n\nWeight (lb): {round(kg * 2.20462)}\nFrom: Ghent\n"
            if n % 2
            else f"Freight {SHORT[n]}\n\nWeight (kg): {kg}\nFrom: Nantes\n"
            for n, kg in enumerate(kilograms)
        ]
    )
    assert table.columns["weight"] == "number kg"
    assert table.values("weight") == pytest.approx(kilograms, abs=0.23)


def test_one_layout_says_its_unit_in_brackets_of_a_label() -> None:
    table = tabulate(
        [
            f"Service {SHORT[n]}\n\nEfficiency (%): {81 + n}.5\nLoad (kg): {30 + n}\n"
            for n in range(12)
        ]
    )
    assert (table.columns["efficiency"], table.columns["load"]) == ("number percent", "integer kg")
    assert table.values("efficiency") == [81.5 + n for n in range(12)]


def test_a_french_form_has_spaces_before_colons_and_months_in_french() -> None:
    months = ("janvier", "février", "mars", "août")
    table = tabulate(
        [
            f"CONTRAT DE LOCATION\n\nLocataire : {('Mme Roux', 'M. Petit', 'Mme Blanc')[n % 3]}\n"
            f"Loyer mensuel : {650 + 35 * n},00 €\nSurface : {28 + n * 3} m²\n"
            f"Date d'entrée : {n + 1} {months[n % 4]} 2023\nAnimaux : {'non' if n % 3 else 'oui'}\n"
            for n in range(12)
        ]
    )
    assert table.columns == {
        "locataire": "string",
        "loyer_mensuel": "number EUR",
        "surface": "integer m²",
        "date_d_entree": "date",
        "animaux": "boolean",
    }
    assert table.values("loyer_mensuel") == [650.0 + 35 * n for n in range(12)]
    number_of_month = (1, 2, 3, 8)
    assert table.values("date_d_entree") == [
        date(2023, number_of_month[n % 4], n + 1) for n in range(12)
    ]
    assert table.values("animaux") == [n % 3 == 0 for n in range(12)]


def test_a_spanish_form_has_decimal_commas_and_accents() -> None:
    table = tabulate(
        [
            f"Ficha\n\nUva: {('Tempranillo', 'Garnacha', 'Viura')[n % 3]}\n"
            f"Grado alcohólico: {11 + n % 4},5 %\nPrecio: {9 + n},90 €\n"
            f"Ecológico: {'sí' if n % 2 else 'no'}\n"
            for n in range(12)
        ]
    )
    assert table.columns == {
        "uva": "string",
        "grado_alcoholico": "number percent",
        "precio": "number EUR",
        "ecologico": "boolean",
    }
    assert table.values("grado_alcoholico")[:4] == [11.5, 12.5, 13.5, 14.5]
    assert table.values("ecologico")[:2] == [False, True]


@pytest.mark.parametrize(
    ("line", "kinds", "labels"),
    [
        pytest.param(
            lambda n: (
                f"Имя: {('Иван', 'Ольга', 'Пётр')[n % 3]}\nВозраст: {20 + n}\n"
                f"Дата: {n + 1}.05.2024\n"
            ),
            ["string", "integer", "date"],
            ["имя", "возраст", "дата"],
            id="Russian",
        ),
        pytest.param(
            lambda n: (
                f"氏名: {('山田', '佐藤', '鈴木')[n % 3]}\n価格: {1000 + n}円\n"
                f"日付: 2024年5月{n + 1}日\n"
            ),
            ["string", "integer JPY", "date"],
            ["氏名", "価格", "日付"],
            id="Japanese",
        ),
    ],
)
def test_a_label_without_latin_letters_is_told_in_the_description(
    line: Callable[[int], str], kinds: list[str], labels: list[str]
) -> None:
    table = tabulate([line(n) for n in range(12)])
    assert list(table.columns.values()) == kinds
    told = [attribute.description.casefold() for attribute in table.schema.attributes]
    assert [label in words for label, words in zip(labels, told, strict=True)] == [True] * 3
    assert all(set(table.states(name)) == {State.STATED} for name in table.columns)


# --- Formats: one form, written in five ways ------------------------------------------------------

VARNISH = ("red-brown", "golden", "amber")


def as_lines(n: int) -> str:
    return (
        f"Violin by {SHORT[n]}\n\nYear: {1790 + 13 * n}\nBack length: {350 + n} mm\n"
        f"Varnish: {VARNISH[n % 3]}\n"
    )


def as_bullets(n: int) -> str:
    return (
        f"# Violin by {SHORT[n]}\n\n- **Year:** {1790 + 13 * n}\n"
        f"- **Back length:** {350 + n} mm\n- **Varnish:** {VARNISH[n % 3]}\n"
    )


def as_markdown_table(n: int) -> str:
    return (
        f"# Violin by {SHORT[n]}\n\n| Property | Value |\n|---|---|\n| Year | {1790 + 13 * n} |\n"
        f"| Back length | {350 + n} mm |\n| Varnish | {VARNISH[n % 3]} |\n"
    )


def as_definitions(n: int) -> str:
    return (
        f"<html><body><h1>Violin by {SHORT[n]}</h1><dl><dt>Year</dt><dd>{1790 + 13 * n}</dd>"
        f"<dt>Back length</dt><dd>{350 + n} mm</dd><dt>Varnish</dt><dd>{VARNISH[n % 3]}</dd></dl>"
        "</body></html>"
    )


def as_html_table(n: int) -> str:
    return (
        f"<html><body><h1>Violin by {SHORT[n]}</h1><table><tr><th>Year</th><td>{1790 + 13 * n}</td>"
        f"</tr><tr><th>Back length</th><td>{350 + n} mm</td></tr>"
        f"<tr><th>Varnish</th><td>{VARNISH[n % 3]}</td></tr></table></body></html>"
    )


def as_columns_of_text(n: int) -> str:
    return (
        f"Violin by {SHORT[n]}\n\nYear           {1790 + 13 * n}\nBack length    {350 + n} mm\n"
        f"Varnish:       {VARNISH[n % 3]}\n"
    )


@pytest.mark.parametrize(
    ("write", "ending"),
    [
        pytest.param(as_lines, "txt", id="lines"),
        pytest.param(as_bullets, "md", id="bullets in bold"),
        pytest.param(as_markdown_table, "md", id="table of markdown"),
        pytest.param(as_definitions, "html", id="definition list"),
        pytest.param(as_html_table, "html", id="table of HTML"),
        pytest.param(as_columns_of_text, "txt", id="columns of text"),
    ],
)
def test_a_form_is_the_same_table_in_whatever_format(
    write: Callable[[int], str], ending: str
) -> None:
    table = tabulate([write(n) for n in range(12)], ending=ending)
    facts = {name: kind for name, kind in table.columns.items() if name != "title"}
    assert facts == {"year": "integer", "back_length": "integer mm", "varnish": "string"}
    assert table.values("year") == [1790 + 13 * n for n in range(12)]
    assert table.values("back_length") == [350 + n for n in range(12)]
    assert table.values("varnish") == cycle(VARNISH)
    if "title" in table.columns:
        assert table.values("title") == [f"Violin by {SHORT[n]}" for n in range(12)]


# --- Values that are hard to read -----------------------------------------------------------------


def test_what_stands_for_a_missing_value_is_no_value() -> None:
    missing = ("n/a", "-", "k.A.", "unknown", "", "TBD", "?")
    heights = [missing[n // 2] if n % 2 and n < 14 else f"{8 + n} m" for n in range(20)]
    table = tabulate([f"Tree: T-{n:03}\nHeight: {heights[n]}\n" for n in range(20)])
    assert table.columns == {"tree": "string", "height": "integer m"}
    told = [None if n % 2 and n < 14 else 8 + n for n in range(20)]
    assert table.values("height") == told
    assert State.FAILED not in table.states("height")
    assert table.states("height")[3] is State.STATED_ABSENT  # a dash says that there is none


def test_numbers_with_leading_zeros_stay_text_wherever_one_has_them() -> None:
    towns = ("01067", "04109", "99084", "07743")
    table = tabulate(
        [
            f"Member no.: {n * 37:05}\nPostcode: {towns[n % 4]}\nPhone: 0341 {55500 + n}\n"
            f"Fee: {10 + n} EUR\n"
            for n in range(12)
        ]
    )
    assert table.columns == {
        "member_no": "string",
        "postcode": "string",
        "phone": "string",
        "fee": "integer EUR",
    }
    assert table.values("member_no")[:2] == ["00000", "00037"]
    assert table.values("postcode") == cycle(towns)


def test_dates_of_several_styles_are_one_column_of_days() -> None:
    def day(n: int, month: int) -> str:
        name = {5: "May", 6: "June"}[month]
        return (f"{n} {name} 2023", f"2023-{month:02}-{n:02}", f"{name} {n}, 2023")[n % 3]

    table = tabulate(
        [
            f"Loan of {SHORT[n]}\n\nBorrowed: {day(n + 1, 5)}\nReturned: {day(n + 4, 6)}\n"
            for n in range(12)
        ]
    )
    assert {"borrowed": "date", "returned": "date"}.items() <= table.columns.items()
    assert table.values("borrowed") == [date(2023, 5, n + 1) for n in range(12)]
    assert table.values("returned") == [date(2023, 6, n + 4) for n in range(12)]


def test_one_unit_holds_for_a_column_whatever_each_document_writes() -> None:
    weights = [f"{200 + 100 * n} g" if n % 2 else f"{(200 + 100 * n) / 1000} kg" for n in range(12)]
    table = tabulate([f"Parcel {SHORT[n]}\n\nWeight: {weights[n]}\n" for n in range(12)])
    assert table.columns["weight"] == "number kg"
    assert table.values("weight") == pytest.approx([0.2 + 0.1 * n for n in range(12)])
    assert {cell.unit for cell in table.cells["weight"]} == {"kg"}


def test_scales_in_words_and_in_figures_are_one_size() -> None:
    volumes = [f"{n + 1}.2 million m³" if n % 2 else f"{n + 1},200,000 m³" for n in range(12)]
    table = tabulate([f"Dam {SHORT[n]}\n\nVolume: {volumes[n]}\n" for n in range(12)])
    assert table.columns["volume"] == "integer m³"
    assert table.values("volume") == [(n + 1) * 1_000_000 + 200_000 for n in range(12)]


def test_numbers_below_zero_are_so_with_any_minus() -> None:
    signs = ("-", "−", "")
    table = tabulate(
        [f"Glacier: {SHORT[n]}\nBalance: {signs[n % 3]}{100 + 20 * n} mm\n" for n in range(12)]
    )
    assert table.columns == {"glacier": "string", "balance": "integer mm"}
    assert table.values("balance") == [
        (100 + 20 * n) * (1 if n % 3 == 2 else -1) for n in range(12)
    ]


def test_a_bound_fails_its_cell_and_leaves_the_others() -> None:
    table = tabulate(
        [
            f"Sample\n\nSite: {SHORT[n % 4]}\nLead: {'< 5' if n % 3 == 0 else n + 5} mg\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"site": "string", "lead": "integer mg"}
    assert table.values("lead") == [None if n % 3 == 0 else n + 5 for n in range(12)]
    failed = table.cells["lead"][0]
    assert (failed.state, failed.as_stated) == (State.FAILED, "< 5 mg")
    assert "bound" in failed.note


def test_ranges_shares_and_times_are_texts_and_no_numbers() -> None:
    table = tabulate(
        [
            f"Trail {SHORT[n]}\n\nDuration: {2 + n % 3}-{4 + n % 3} hours\n"
            f"Huts: {n % 5} of {10 + n}\nStart: {6 + n:02}:{10 + n}\n"
            for n in range(12)
        ]
    )
    kinds = {name: kind for name, kind in table.columns.items() if name != "title"}
    assert kinds == {"duration": "string", "huts": "string", "start": "string"}
    assert table.values("huts")[:2] == ["0 of 10", "1 of 11"]


def test_a_score_and_a_rough_number_are_numbers() -> None:
    table = tabulate(
        [
            f"Ferry {SHORT[n]}\n\nScore: {6 + n % 4}.{n % 10}/10\n"
            f"Length: {'approx. ' if n % 4 == 0 else ''}{50 + n} m\n"
            for n in range(12)
        ]
    )
    assert {"score": "number", "length": "integer m"}.items() <= table.columns.items()
    assert table.values("score")[:3] == [6.0, 7.1, 8.2]
    assert table.values("length") == [50 + n for n in range(12)]


def test_a_word_with_a_number_is_the_name_of_a_place() -> None:
    places = [f"{('Shelf', 'Rack', 'Drawer')[n % 3]} {n + 3}" for n in range(12)]
    table = tabulate([f"Box {SHORT[n]}\n\nLocation: {places[n]}\n" for n in range(12)])
    assert table.columns["location"] == "string"
    assert table.values("location") == places


def test_yes_and_no_may_be_said_in_other_words() -> None:
    said = ("yes", "no", "not available")
    table = tabulate(
        [f"Shop {SHORT[n]}\n\nParking: {said[n % 3]}\nArea: {60 + n} sq m\n" for n in range(12)]
    )
    assert {"parking": "boolean", "area": "integer m²"}.items() <= table.columns.items()
    assert table.values("parking") == [n % 3 == 0 for n in range(12)]
    assert table.quotes("parking")[2] == "not available"


# --- Documents that are not like the others -------------------------------------------------------


def permits() -> list[str]:
    return [
        f"Permit\n\nHolder: {PEOPLE[n % 6]}\nZone: {'ABC'[n % 3]}\nFee: {20 + n} EUR\n"
        for n in range(10)
    ]


PERMIT = {"holder": "string", "zone": "string", "fee": "integer EUR"}


def test_a_document_of_another_kind_has_no_values() -> None:
    table = tabulate([*permits(), "A poem about rain.\n\nIt fell, and the roof sang 7 songs.\n"])
    assert table.columns == PERMIT
    assert [table.states(name)[-1] for name in PERMIT] == [State.NOT_MENTIONED] * 3


def test_a_copy_with_one_word_changed_is_a_record_like_any_other() -> None:
    table = tabulate([*permits(), permits()[0].replace("20 EUR", "90 EUR")])
    assert table.columns == PERMIT
    assert (table.values("fee")[0], table.values("fee")[-1]) == (20, 90)


def test_a_section_that_few_documents_have_gives_a_column_with_gaps() -> None:
    table = tabulate(
        [
            f"# Ship {SHORT[n]}\n\nTonnage: {1000 + 50 * n} t\n"
            + (f"\n## Refit\n\nCost: {5 + n} million EUR\n" if n % 3 == 0 else "")
            for n in range(12)
        ],
        ending="md",
    )
    assert table.columns == {"title": "string", "tonnage": "integer t", "cost": "integer EUR"}
    assert table.values("cost") == [(5 + n) * 10**6 if n % 3 == 0 else None for n in range(12)]
    assert set(table.states("cost")) == {State.STATED, State.NOT_MENTIONED}


def test_cells_of_a_table_with_the_same_lines_everywhere_are_no_columns() -> None:
    table = tabulate(
        [
            f"# Clinic {SHORT[n]}\n\n| Ward | Beds | Nurses |\n|---|---|---|\n"
            f"| Surgery | {20 + n} | {8 + n} |\n| Maternity | {10 + 2 * n} | {5 + n} |\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert table.columns == {"title": "string"}


def test_what_one_document_lists_in_rows_is_not_mixed_with_its_own_facts() -> None:
    items = ("Bolt", "Nut", "Washer")
    table = tabulate(
        [
            f"Note {n + 300}\n\nCarrier: {('Blitz', 'Postal', 'Nordex')[n % 3]}\n\n"
            "| Item | Qty | Price |\n|---|---|---|\n"
            + "".join(f"| {item} | {n + k} | 0.{k + 1}0 |\n" for k, item in enumerate(items))
            + f"\nTotal weight: {4 + n}.5 kg\n"
            for n in range(12)
        ],
        ending="md",
    )
    assert table.values("total_weight") == [4.5 + n for n in range(12)]
    assert table.columns["carrier"] == "string"
    # the price of a thing never changes, and what all lines say together is no column
    assert not {"item", "qty", "price", "bolt_price"} & table.columns.keys()


def test_a_number_somewhere_in_a_sentence_beside_a_label_is_not_its_value() -> None:
    odd = (
        "# Schedule\n\nFee: see the list of the town, which is 40 pages long\n"
        "Ends: when the town says so, as it did on 3 May 2020\n"
    )
    texts = [f"# Permit\n\nFee: {20 + n} EUR\nEnds: {n + 1} May 2024\n" for n in range(20)]
    long = "# Permit\n\nFee: 90 EUR, to be paid to the town office\nEnds: Monday, 5 May 2025\n"
    table = tabulate([*texts, long, odd], ending="md")
    assert table.columns == {"fee": "integer EUR", "ends": "date"}
    assert table.values("fee") == [*range(20, 40), 90, None]
    assert table.values("ends")[-2:] == [date(2025, 5, 5), None]
    assert [table.states(name)[-1] for name in table.columns] == [State.FAILED] * 2
    assert table.cells["fee"][-1].note == "a sentence is stated, and no value"


def test_the_first_date_of_a_mail_is_not_the_date_of_a_form_that_has_another_one() -> None:
    texts = []
    for n in range(12):
        head = f"Date: {n + 1} May 2024\nSubject: {SHORT[n]} wanted\n\n" if n % 3 == 0 else ""
        texts.append(
            f"{head}Reference: K{40 + n}\nClosing date: {n + 1} June 2024\n"
            f"Start date: {n + 1} July 2024\n"
        )
    table = tabulate(texts)
    assert table.values("closing_date") == [date(2024, 6, n + 1) for n in range(12)]
    assert table.values("start_date") == [date(2024, 7, n + 1) for n in range(12)]
    dated = [date(2024, 5, n + 1) if n % 3 == 0 else None for n in range(12)]
    assert table.values("date") == dated


def test_numbers_with_an_abbreviated_unit_are_no_sentences() -> None:
    lengths = ["54 Min.", "1 Std. 4 Min.", "48 Min.", "1 Std. 12 Min."]
    table = tabulate(
        [f"Titel: {SHORT[n]}\nLänge: {lengths[n % 4]}\nBand: {n + 3}\n" for n in range(12)]
    )
    assert table.columns["lange"] == "integer min"
    assert table.values("lange") == [54, 64, 48, 72] * 3


def test_a_number_behind_a_word_is_part_of_a_name() -> None:
    table = tabulate(
        [
            f"Allotment\n\nKeeper: Person {n}\nRent: EUR {40 + n}\nWalk: about {n + 3} minutes\n"
            for n in range(12)
        ]
    )
    assert table.columns == {"keeper": "string", "rent": "integer EUR", "walk": "integer min"}
    assert table.values("keeper") == [f"Person {n}" for n in range(12)]


def test_times_side_by_side_are_several_facts_and_are_read_whole() -> None:
    texts = [
        f"Soup {'abcdefghij'[n]}\nPreparation time: {10 + n % 3} min\n"
        f"Cooking time: {5 * (n % 2)} min\n"
        f"Total time: {'1 h ' * (n % 4 // 3)}{10 + n % 3 + 5 * (n % 2)} min\n"
        for n in range(10)
    ]
    table = tabulate(texts)
    assert "time" not in table.columns
    assert [table.values("total_time")[n] for n in (0, 3, 7)] == [10, 75, 76]


def test_a_label_below_two_headings_is_a_fact_of_each() -> None:
    towns = ("Ulm", "Kent", "Hull", "York", "Olm", "Bonn")
    table = tabulate(
        [
            f"# Lease {n + 100}\n\nRent: {500 + n * 13} EUR\n\n"
            f"## Tenant\n\nName: {PEOPLE[n % 6]}\n\nTown: {towns[n % 6]}\n\n"
            f"## Landlord\n\nName: {PEOPLE[(n * 5 + 3) % 6]}\n\nTown: {towns[(n + 2) % 6]}\n"
            for n in range(12)
        ]
    )
    assert {"tenant_name", "tenant_town", "landlord_name", "landlord_town"} <= {*table.columns}
    assert table.values("tenant_town") == cycle(towns)
    assert table.values("landlord_town") == cycle((*towns[2:], *towns[:2]))


def test_the_first_date_of_a_form_is_not_that_of_a_label_in_other_words() -> None:
    """One day has two labels, and another date stands above them in some forms."""
    seen = [date(2026, 3, 1 + 2 * n) for n in range(12)]
    lines = [
        (
            f"{('Visit date', 'Date of visit')[n % 2]}: {seen[n].isoformat()}",
            f"Next visit due: {1 + n} July 2027",
            f"Weight: {4 + n} kg",
        )
        for n in range(12)
    ]
    table = tabulate(
        [
            f"Pet {SHORT[n]}\n\n" + "\n".join(own[::-1] if n % 6 == 0 else own) + "\n"
            for n, own in enumerate(lines)
        ]
    )
    assert table.columns == {
        "title": "string", "visit_date": "date", "next_visit_due": "date", "weight": "integer kg"
    }  # fmt: skip
    assert table.values("visit_date") == seen
    assert table.contradicted("visit_date") == []


def test_the_first_date_of_a_letter_is_not_that_of_the_label_of_another_column() -> None:
    own = [date(2026, 5, 1 + n) for n in range(12)]
    table = tabulate(
        [
            f"Letter {SHORT[n]}\n\n"
            + (f"Date: {day}\n", f"Date: {day}\n", f"{day}\n", "")[n % 4]
            + f"\nDue on: {3 + n} May 2026\nFee: {9 + n} EUR\n"
            for n, day in enumerate(map(date.isoformat, own))
        ]
    )
    assert table.values("date") == [None if n % 4 == 3 else own[n] for n in range(12)]
    assert table.values("due_on") == [date(2026, 5, 3 + n) for n in range(12)]
