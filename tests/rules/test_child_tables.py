"""Child tables by rules: what is a list, what is not, and what documents say of its rows."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from srag_mcp.cells.cell import ListedRows, Mark
from srag_mcp.documents.document import Document
from srag_mcp.documents.html import read_html
from srag_mcp.rules.child_tables import build_pending
from srag_mcp.rules.extraction import match_whole
from srag_mcp.rules.induction import induce_schema
from srag_mcp.rules.row_sources import read_lists
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.schema import PendingList, Schema
from srag_mcp.text.spans import Span
from srag_mcp.text.words import plural, singular
from srag_mcp.values.states import State
from srag_mcp.values.types import DATE
from tests.rules.folder import read

Listed = list[list[tuple[str, ...]]]


def learn(documents: Sequence[Document]) -> Schema:
    return induce_schema(documents, title="Record", entity="record")


def rows_of(listed: ListedRows | None) -> list[tuple[str, ...]]:
    rows = () if listed is None else listed.rows
    return [tuple(cell.as_stated or "" for cell in row) for row in rows]


def lists_of(documents: Sequence[Document], schema: Schema) -> dict[str, list[ListedRows | None]]:
    read_all = [
        {one.table: one for one in read_lists(Sightings(item), schema)} for item in documents
    ]
    return {
        child.list_name: [found.get(child.entity) for found in read_all]
        for child in schema.children
    }


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


WITNESSES = ["Jo Ray, Al Kim", "none", "Al Kim and Jo Ray", "Jo Ray, Al Kim and Bo Tan", "Bo Tan",
             "unknown"]  # fmt: skip


def test_what_is_listed_beside_a_label_is_parted_and_none_is_told() -> None:
    texts = [f"Place: Yard {n}\nWitnesses: {w}\n\nNothing else." for n, w in enumerate(WITNESSES)]
    documents = read(texts)
    [found] = lists_of(documents, learn(documents)).values()
    assert [rows_of(one) for one in found] == [
        [("Jo Ray",), ("Al Kim",)],
        [],
        [("Al Kim",), ("Jo Ray",)],
        [("Jo Ray",), ("Al Kim",), ("Bo Tan",)],
        [("Bo Tan",)],
        [],
    ]
    [_, none, *_, unknown] = found
    assert none is not None
    assert unknown is None
    assert (none.listed.state, none.listed.as_stated) == (State.STATED_ABSENT, "none")


def _tasks(number: int, below: str) -> str:
    jobs = ("call the firm", "pay the bill", "book a hall", "paint a door", "mend the roof")
    rows = [(who, jobs[(number + n) % 5], f"2025-03-{3 * number + n + 1:02}")
            for n, who in enumerate(("Ann", "Bo", "Cy")[: 1 + number % 3])]  # fmt: skip
    shown = below or table(("Who", "What", "Until"), rows)
    return f"# Talk {number}\n\nPlace: Yard\n\n## Tasks\n\n{shown}"


@pytest.mark.parametrize(
    ("below", "stated"),
    [
        pytest.param("none", "none", id="below the heading"),
        pytest.param("None.\n\nNext talk: 3 May 2025", "None.", id="a label follows"),
        pytest.param("unknown", None, id="not known is not none"),
        pytest.param("none\n\n## Later\n\n### Tasks\n\n- Bo paints", None, id="told twice"),
        pytest.param("Bo calls Ann.", None, id="prose"),
    ],
)
def test_a_list_is_none_where_it_is_so_called_and_others_have_a_table(
    below: str, stated: str | None
) -> None:
    documents = read([_tasks(n, below if n == 3 else "") for n in range(9)], "md")
    [found] = lists_of(documents, learn(documents)).values()

    assert [len(rows_of(one)) for one in found] == [1, 2, 3, 0, 2, 3, 1, 2, 3]
    said = found[3] and (found[3].listed.state, found[3].listed.as_stated)
    assert said == (stated and (State.STATED_ABSENT, stated))


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (r"\2.\1.", '"01.03." or "05.03." or "08.03."; its year is that in which it is nearest to'
                    " the document's date."),
        (r"\2.\1.2025", '"01.03.2025" or "05.03.2025" or "08.03.2025".'),
    ],
)  # fmt: skip
def test_how_days_of_a_list_are_written_is_no_example_of_how_they_are_kept(
    day: str, said: str
) -> None:
    texts = [f"{_tasks(n, '')}\n\nHeld on 2 March 2025." for n in range(9)]
    [child] = learn(read([re.sub(r"2025-(\d+)-(\d+)", day, one) for one in texts], "md")).children

    until = child.attributes[2]
    assert (until.name, until.type, until.examples) == ("until", DATE, ())
    assert until.description == f"A date, in documents written as {said}"


def test_words_that_only_come_together_are_one_name() -> None:
    garages = ["Hale & Sons", "Norton Motors", "Hale and Sons", "Pike"] * 3
    texts = [f"Claim {n}\n\nGarage: {one}\nPaid: {30 + n} EUR" for n, one in enumerate(garages)]
    schema = learn(read(texts))
    assert schema.children == ()
    assert "garage" in [item.name for item in schema.attributes]


@pytest.mark.parametrize(
    "value",
    ["12 Main Street, Springfield, Ohio", "Berlin, Germany", "a shed, which is old, and a fence"],
)
def test_addresses_and_sentences_are_no_lists(value: str) -> None:
    texts = [f"Owner: P. Moss {n}\nPlace: {value.replace('1', str(n + 1))}" for n in range(6)]
    assert learn(read(texts)).children == ()


def test_a_form_in_a_table_is_no_list() -> None:
    cars = [("Volvo", "red", "2012"), ("Saab", "blue", "2004"), ("Skoda", "grey", "2019")]
    texts = [
        table(("Field", "Value"), [*zip(("Make", "Colour", "Year"), car, strict=True)])
        for car in cars
    ]
    assert learn(read(texts, "md")).children == ()


def test_labels_that_come_again_together_are_no_lists_of_their_own() -> None:
    signed = [("Ann Roe", "CEO", "Bo Lim", "CFO"), ("Cy Dan", "Chair", "Di Fox", "CEO")] * 3
    texts = [f"Name: {a}\nName: {c}\n\nTitle: {b}\nTitle: {d}" for a, b, c, d in signed]
    assert learn(read(texts)).children == ()


def test_columns_with_one_name_are_read_each_in_its_place() -> None:
    headers = ("Species", "Count", "Count")
    rows = [[("Tern", "4", "7"), ("Gull", "12", "9")], [("Gull", "3", "5"), ("Auk", "1", "0")]] * 2
    documents = read([f"Site {n}\n\n{table(headers, own)}" for n, own in enumerate(rows)], "md")
    [found] = lists_of(documents, learn(documents)).values()
    assert [rows_of(one) for one in found] == rows


def test_a_line_that_is_not_made_as_the_others_is_told() -> None:
    texts = [
        f"Log {n}\n\n"
        + "\n".join(f"Stop {place}: {n + k} min [{who}]" for k, (place, who) in enumerate(own))
        for n, own in enumerate([[("Oslo", "Jo"), ("Bergen", "Al")], [("Voss", "Al")]] * 4)
    ]
    parts = [table(("Place", "Minutes", "By"), [("Oslo", "4", "Jo"), ("Voss", "9", "Al")])] * 4
    documents = read([*texts, *parts], "md")
    schema = learn(documents)
    [other] = read(["Log 9\n\nStop Oslo: 4 min [Jo]\nStop Voss: unknown"], "md")
    for listed in read_lists(Sightings(other), schema):
        assert listed.listed.note == "not read as rows: 'Stop Voss: unknown'"


MATCHES = [
    {"FC Nord": [("Al Roe", "2"), ("Bo Lim", "1")], "SV Ost": [("Cy Dan", "0"), ("Di Fox", "1")]},
    {"SV Ost": [("Cy Dan", "1"), ("Ed Gul", "1")], "FC West": [("Fi Hay", "0"), ("Gu Ito", "3")]},
    {"FC West": [("Fi Hay", "2"), ("Hu Jax", "1")], "FC Nord": [("Al Roe", "0")]},
]


def test_headings_that_tell_like_tables_apart_are_a_column() -> None:
    texts = [
        "# Match report\n\n"
        + "\n\n".join(f"## {t}\n\n{table(('Player', 'Goals'), r)}" for t, r in teams.items())
        for teams in MATCHES
    ]
    documents = read(texts, "md")
    found = lists_of(documents, learn(documents))
    assert [rows_of(one) for one in found["players"]] == [
        [(team, *row) for team, rows in teams.items() for row in rows] for teams in MATCHES
    ]


@pytest.mark.parametrize(
    ("headings", "called", "other"),
    [
        (("Planned calls", "Actual calls"), "calls", "planned"),
        (("Tasks of May", "Tasks of June"), "tasks", "may"),
        (("This year", "Last year"), "ports", "year"),  # no year is listed
        (("Before", "After"), "ports", "before"),
        (("Calls", "Calls"), "calls", ""),  # it goes on below the same heading
        (("Calls",), "calls", ""),
    ],
)
def test_a_list_below_several_headings_is_called_by_what_they_share(
    headings: Sequence[str], called: str, other: str
) -> None:
    ports = ("Riga", "Oslo", "Turku", "Gent")
    texts = [
        f"# Voyage {n}\n\nShip: S{n}\n\n"
        + "\n\n".join(
            f"## {heading}\n\n"
            + table(
                ("Port", "Hours", "Tonnes"),
                [(ports[(n + m) % 4], f"{n + m + k}", f"{n}{k}{m}") for m in range(2 + n % 2)],
            )
            for k, heading in enumerate(headings)
        )
        for n in range(6)
    ]
    [child] = learn(read(texts, "md")).children
    assert child.list_name == called
    assert {plural(singular(called))} <= {*child.nouns}
    assert not other or other not in " ".join(child.nouns).split()


@pytest.mark.parametrize(
    ("said", "lists"),
    [
        (("no", "no, warned only", "yes", "no, moved, later", "no, warned only", "yes"), []),
        (("ja", "nein, nur kurz", "nein, nur heute", "ja", "nein, heute, nur kurz", "ja"), []),
        (("no", "nuts, milk", "milk, egg", "no", "egg, nuts", "nuts"), ["remarks"]),
        (("no, se", "dk, no", "se, dk", "se", "dk, se", "no, dk, se"), ["remarks"]),  # of Norway
    ],
)
def test_a_yes_or_no_with_what_is_said_of_it_is_no_list(
    said: Sequence[str], lists: Sequence[str]
) -> None:
    texts = [f"Place: Yard {n}\nRemarks: {words}\n\nSeen." for n, words in enumerate(said)]
    assert [child.list_name for child in learn(read(texts)).children] == lists


HEADERS = ("Pos  Bezeichnung        Menge   Einzelpreis   Gesamtpreis", "")
WARES = [("Brett", 12, "14,50", "174,00"), ("Lasur", 2, "49,95", "99,90"),
         ("Montage", 4, "65,00", "260,00"), ("Anfahrt", 1, "35,00", "35,00")]  # fmt: skip


def bill(number: int, wares: Sequence[tuple[str, int, str, str]], total: str = "") -> str:
    lines = [f"Rechnung {number}", "", HEADERS[0]]
    lines += [
        f"{n:<3}  {w:<16}   {q:<5}   {p:<11}   {a}" for n, (w, q, p, a) in enumerate(wares, 1)
    ]
    said = total or f"{sum(float(a.replace(',', '.')) for *_, a in wares):.2f}".replace(".", ",")
    return "\n".join([*lines, "", f"Zwischensumme: {said}", "", "Zahlbar sofort."])


GAUGES = [("Brake", 4, 3), ("Hook", 9, 7), ("Rope", 6, 5)]


@pytest.mark.parametrize(
    ("heading", "between", "name"),
    [
        ("Crane sheet - yearly survey", "Yard: Y{n}", "parts"),  # it is what the form is called
        ("Crane sheet - yearly survey", "", "parts"),
        ("Worn pieces", "", "worn pieces"),
        ("Survey\n\nYard: Y{n}\n\n## Gear", "", "gear"),
    ],
)
def test_a_list_is_not_called_as_the_form_that_it_stands_on(
    heading: str, between: str, name: str
) -> None:
    texts = [
        f"# Port Board\n\n## {heading}\n\n{between}\n\n".format(n=n)
        + table(
            ["Part", "Limit", "Reading"],
            [[p, f"{a}", f"{b + n}"] for p, a, b in GAUGES[: 2 + n % 2]],
        )
        + f"\n\nResult: {'good' if n % 2 else 'poor'}\nCrane: C{n}"
        for n in range(6)
    ]
    schema = learn(read(texts))
    [child] = schema.children
    assert (child.list_name, child.nouns[-1]) == (name, plural(singular(name)))


def test_rows_below_a_label_of_blocks_are_not_called_as_those_who_come_again() -> None:
    who = ("Ann Lee", "Bo Tan", "Cy Dee", "Di Fox")
    texts = [
        f"Talk of {n} May\nPlace: Yard\n\n{2 + n % 2} assignments\n"
        + "".join(
            f"\nAssignment {m + 1}\nOwner: {who[(n + m) % 4]}\nHours: {n + 2 * m + 1}\n"
            for m in range(2 + n % 2)
        )
        for n in range(1, 13)
    ]
    [child] = learn(read(texts, "txt")).children

    assert [item.name for item in child.attributes] == ["owner", "hours"]
    assert child.list_name == "items"


def test_a_text_that_is_merged_over_a_table_is_no_row_and_no_part_of_names() -> None:
    def menu(n: int) -> str:
        dishes = [(f"Dish {n}{m}", f"{m + 7}.50", str(300 + 11 * m + n)) for m in range(5)]
        rows = [f"<tr>{''.join(f'<td>{x}</td>' for x in dish)}</tr>" for dish in dishes]
        named = [f"<tr><th colspan=3>{x}</th></tr>" for x in ("Starters", "Mains")]
        body = "".join([named[0], *rows[:2], named[1], *rows[2 : 4 + n % 2]])
        heads = "<thead><tr><th>Dish</th><th>Price</th><th>kcal</th></tr></thead>"
        return f"<h1>Bar {n}</h1><table>{heads}<tbody>{body}</tbody></table>"

    documents = list[Document]()
    for n in range(8):
        content = read_html(menu(n).encode(), "bar.html")
        name, html = f"{n}.html", "text/html"
        documents.append(Document(name, name, "", html, "", content.text, content.blocks))
    schema = learn(documents)
    [child] = schema.children
    [found] = lists_of(documents, schema).values()

    assert [item.name for item in child.attributes] == ["dish", "price", "kcal"]
    assert [len(rows_of(one)) for one in found] == [4, 5] * 4
    assert not any(one.listed.marks for one in found if one)


def test_a_sum_that_the_document_states_otherwise_is_a_mark_on_its_column() -> None:
    texts = [bill(n, WARES[n % 3 :][: 2 + n % 2]) for n in range(12)] + [bill(13, WARES, "569,90")]
    documents = read(texts)
    found = lists_of(documents, learn(documents))["items"]
    notes = [
        {cell.attribute: cell.note for row in one.rows for cell in row if cell.marks}
        for one in found
        if one is not None
    ]
    assert notes == [{}] * 12 + [
        {"gesamtpreis": "the rows sum up to 568.9, the document says 'Zwischensumme: 569,90'"}
    ]


def test_a_table_goes_on_over_pages_and_sums_carried_over_are_no_items() -> None:
    texts = [bill(n, WARES[n % 3 :][: 2 + n % 2]) for n in range(4)]
    first = [
        *bill(5, WARES).split("\n")[:5],
        f"     Übertrag                                 {273.9}",
    ]
    first[-1] = "     Übertrag                                   273,90"
    page = bill(5, WARES).split("\n")
    long = "\n".join([*page[:5], first[-1], "", "Seite 2", "", page[2], first[-1], *page[5:]])
    documents = read([*texts, long])
    last = documents[-1]
    documents[-1] = replace(last, pages=(last.text.index("Seite 2"),))
    found = lists_of(documents, learn(documents))["items"]
    assert [row[0] for row in rows_of(found[-1])] == ["Brett", "Lasur", "Montage", "Anfahrt"]
    assert {
        mark for one in found if one for row in one.rows for c in row for mark in c.marks
    } == set()


def test_a_row_that_says_only_what_it_sums_up_is_no_item_wherever_its_amount_stands() -> None:
    def sheet(n: int) -> str:
        wares = [("Brake", 4 + n, 3), ("Hook", 9, 7 + n), ("Rope", 6, 5)][: 2 + n % 2]
        rows = [[f"{at}", w, f"{q}", f"{p} EUR"] for at, (w, q, p) in enumerate(wares, 1)]
        total = sum(q * p for _, q, p in wares)
        foot = ["", ("Sum", "Total:")[n % 2], f"{total}", ""]
        return f"# Order {n}\n\n" + table(["No", "Item", "Quantity", "Price"], [*rows, foot])

    documents = read([sheet(n) for n in range(8)])
    found = next(iter(lists_of(documents, learn(documents)).values()))
    names = {cell for one in found for row in rows_of(one) for cell in row if len(cell) > 2}
    assert names & {"Brake", "Hook", "Rope", "Sum", "Total:"} == {"Brake", "Hook", "Rope"}


def test_a_number_of_rows_that_the_document_states_otherwise_is_a_mark_on_the_list() -> None:
    # no two are called alike: what recurs is a column of its own
    tests = [["fence", "gate"], ["lamp"], ["fence", "lamp", "post"], ["gate", "post"], ["roof"]]
    texts = [
        f"Report {n}\n\nDamages\n\n"
        + "\n".join(f"- {chr(97 + n)}{'aeo'[at]}rk" for at, _ in enumerate(items))
        + f"\n\nWe saw {len(items) + (n == 3)} damages in all, and took pictures of them.\n"
        for n, items in enumerate(tests * 4)
    ]
    documents = read(texts)
    found = lists_of(documents, learn(documents))["damages"]
    said = [one.listed.note for one in found if one is not None]
    assert [note for note in said if note] == ["the document says '3 damages', 2 are listed"]
    assert [Mark.CONTRADICTED in one.listed.marks for one in found if one][3]


TASKS = [
    ("Eva Novak", "book a room", "03.02."),
    ("Ben Okafor", "call the firm", "07.02."),
    ("Eva Novak", "call the firm", "10.02."),
    ("Ida Holm", "book a room", "04.02."),
]


def test_lines_that_begin_alike_are_rows_of_the_table_that_others_have() -> None:
    texts = []
    for n in range(8):
        own = [TASKS[(n + k) % 4] for k in range(1 + n % 3)]
        if n % 2:
            rows = table(("Who", "What", "Until"), [(w, t, f"{d}2025") for w, t, d in own])
            texts.append(f"# Minutes\n\nDate: 31.01.2025\n\n## Action items\n\n{rows}\n")
        else:
            lines = "\n\n".join(f"TODO {w}: {t} (by {d})" for w, t, d in own)
            texts.append(f"# Minutes\n\nDate: 31.01.2025\n\n{lines}\n")
    documents = read(texts, "md")
    found = lists_of(documents, learn(documents))
    assert [rows_of(one) for one in found["action items"]] == [
        [(w, t, d if n % 2 == 0 else f"{d}2025") for w, t, d in
         (TASKS[(n + k) % 4] for k in range(1 + n % 3))]
        for n in range(8)
    ]  # fmt: skip


def test_a_line_that_a_pattern_tries_in_too_many_ways_is_no_row_and_holds_up_nothing() -> None:
    gaps = "".join(f"(?P<g{n}>.*?)," for n in range(12))
    assert match_whole(f"{gaps}(?P<last>.*?)x", "a," * 60 + "y") is None
    found = match_whole("(?P<who>.*?): (?P<what>.*)", "Eva: call")
    assert found == {"who": Span(0, 3), "what": Span(5, 9)}


GOODS = [("Plank", "2.5"), ("Tile", "4.0"), ("Bolt", "0.5"), ("Beam", "9.0")]


def _load(number: int) -> str:
    """Return a load of one to four goods, each in every second document or so."""
    goods = [good for at, good in enumerate(GOODS) if (number + at) % 3 or at == number % 4]
    lines = [(name, str(n), kg, f"{n * float(kg):.1f}") for n, (name, kg) in enumerate(goods, 2)]
    total = ("Gross weight", "", "", f"{sum(float(line[-1]) for line in lines):.1f}")
    body = table(("Article", "Pieces", "Unit kg", "Total kg"), [*lines, total])
    return f"Load: L{number:03}\nDriver: {'Ann' if number % 2 else 'Bo'}\n\n{body}\n"


def test_what_a_table_lists_gives_no_columns_as_well() -> None:
    schema = learn(read([_load(n) for n in range(12)]))
    assert [tuple(column.name for column in child.attributes) for child in schema.children] == [
        ("article", "pieces", "unit_kg", "total_kg")
    ]
    assert [column.name for column in schema.attributes] == ["load", "driver", "gross_weight"]


def test_the_sum_of_one_item_is_no_item() -> None:
    one = table(("Article", "Pieces", "Unit kg", "Total kg"), [
        ("Plank", "2", "2.5", "5.0"), ("Gross weight", "", "", "5.0"),
    ])  # fmt: skip
    documents = read([*(_load(n) for n in range(12)), f"Load: L099\nDriver: Bo\n\n{one}\n"])
    [found] = lists_of(documents, learn(documents)).values()
    assert rows_of(found[-1]) == [("Plank", "2", "2.5", "5.0")]


def test_a_list_that_was_proposed_is_read_by_code_where_it_has_all_fields() -> None:
    pages = [bill(n, [("Pen", 2, "1.50", "3.00"), ("Ink", n + 1, "2.00", "4.00")][: 1 + n % 2])
             for n in range(6)]  # fmt: skip
    headers = [column.name for column in learn(read(pages)).children[0].attributes]
    whole = PendingList(name="goods", description="What is sold.", fields=tuple(headers))
    more = PendingList(name="wares", fields=(*headers, "colour"))
    asked = Schema(title="Bill", entity="bills", pending_lists=(more, whole))
    found = build_pending(asked, read(pages))
    assert found.pending_lists == (more,), "code does not see colours"
    [child] = found.children
    assert (child.entity, child.list_name, child.description) == (
        "bills_goods", "goods", "What is sold."
    )  # fmt: skip
    assert child.sources


FAULTS = ["Cracked tile", "Wet sill", "Loose hinge", "Bent rail", "Dry joint"]
PLACES = ["Attic", "Kitchen", "Yard"]
Fault = tuple[str, str, str]


def _faults(number: int) -> list[Fault]:
    """Return no to four faults, each with what, how bad and where."""
    return [(FAULTS[(number + k) % 5], str(1 + (number * k) % 5), PLACES[(number + k) % 3])
            for k in range(number % 5)]  # fmt: skip


def _works(number: int) -> list[tuple[str, int]]:
    kinds = ("Plaster", "Paint", "Wiring", "Tiling", "Sealing")
    return [(kinds[(number + k) % 5], 80 + 700 * k + number) for k in range(1 + number % 3)]


def _survey(number: int, odd: str = "") -> str:
    own = [f"{what} (grade {grade}, {place})" for what, grade, place in _faults(number)]
    items = [f"- {line}" for line in (*own, *([odd] if odd else []))] or ["None."]
    works = _works(number)
    costs = [f"{n}. {what} – £{cost:,}" for n, (what, cost) in enumerate(works, 1)]
    if len(works) > 1:
        costs.append(f"{len(costs) + 1}. Total – £{sum(cost for _, cost in works):,}")
    return "\n\n".join((
        f"# Survey {number}", f"Owner: {'Ann' if number % 2 else 'Bo'}", "## Faults",
        "\n".join(items), "## Works", "\n".join(costs),
    ))  # fmt: skip


def test_items_with_parts_are_rows_and_no_columns_and_a_total_is_none() -> None:
    documents = read([_survey(n) for n in range(15)], "md")
    schema = learn(documents)
    found = lists_of(documents, schema)

    assert {child.list_name: [column.name for column in child.attributes]
            for child in schema.children} == {
        "faults": ["fault", "grade", "detail"], "works": ["work", "value"],
    }  # fmt: skip
    assert [rows_of(one) for one in found["faults"]] == [_faults(n) for n in range(15)]
    assert [rows_of(one) for one in found["works"]] == [
        [(what, f"£{cost:,}") for what, cost in _works(n)] for n in range(15)
    ]
    none = found["faults"][0]
    assert none is not None
    assert (none.listed.state, none.listed.as_stated) == (State.STATED_ABSENT, "None.")
    assert not {column.name for column in schema.attributes} - {"title", "owner"}


def test_an_item_that_is_not_made_as_nearly_all_are_leaves_its_list_in_doubt() -> None:
    documents = read([_survey(n, "see annex" if n == 4 else "") for n in range(15)], "md")
    found = lists_of(documents, learn(documents))["faults"][4]

    assert found is not None
    assert rows_of(found) == _faults(4)
    assert found.listed.note == "not read as rows: 'see annex'"
    assert Mark.DOUBTED in found.listed.marks


def test_labels_that_come_once_are_a_row_where_others_have_several() -> None:
    texts = [
        f"# Job {n}\n\nTown: Olm\n\n## Skills\n\n"
        + "\n\n".join(f"Skill: {skill}\nYears: {n + k}" for k, skill in enumerate(own))
        for n, own in enumerate([["Go", "SQL"], ["Welding"], ["SQL", "Go", "Rust"], ["Rust"]] * 2)
    ]
    documents = read(texts, "md")
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found] == [2, 1, 3, 1] * 2
    assert rows_of(found[1]) == [("Welding", "1")]


def test_a_bare_number_before_a_thing_may_say_how_many_there_are() -> None:
    birds = ["kite", "heron", "jay"]
    texts = [
        f"# Walk {n}\n\n## Birds\n\n"
        + "\n".join(f"- {n + k + 1} × {birds[(n + k) % 3]}" for k in range(1 + n % 3))
        for n in range(9)
    ]
    [child] = learn(read(texts, "md")).children
    assert [column.name for column in child.attributes] == ["quantity", "bird"]


def test_a_word_that_parts_items_is_a_whole_one_and_a_unit_has_the_number_before_it() -> None:
    hops = ["Fuggle", "Old Golding", "Saaz"]
    texts = [
        f"# Batch {n}\n\n## Hops\n\n"
        + "\n".join(
            f"- {hops[(n + k) % 3]} {10 * k + n} g at {15 * k} min" for k in range(1 + n % 3)
        )
        for n in range(9)
    ]
    documents = read(texts, "md")
    schema = learn(documents)
    [child] = schema.children
    [found] = lists_of(documents, schema).values()
    assert [column.name for column in child.attributes] == ["hop", "g", "min"]
    assert rows_of(found[2]) == [
        ("Saaz", "2", "0"),
        ("Fuggle", "12", "15"),
        ("Old Golding", "22", "30"),
    ]
    assert sum(len(rows_of(one)) for one in found) == 18


def test_a_sentence_that_counts_a_list_gives_no_column() -> None:
    texts = [
        f"{_survey(n)}\n\n" + (f"We noted {len(_faults(n))} faults in all." if n % 3 else "")
        for n in range(24)
    ]
    schema = learn(read(texts, "md"))
    assert "faults" not in {column.name for column in schema.attributes}


def test_items_made_alike_that_no_table_holds_leave_a_list_in_doubt() -> None:
    documents = read([_survey(n) for n in range(15)], "md")
    schema = learn(documents)
    more = "## Found later\n\n- Torn seal (grade 2, Yard)\n- Lost key (grade 1, Attic)"
    [other] = read([f"{_survey(4)}\n\n{more}"], "md")
    found = {listed.table: listed.listed for listed in read_lists(Sightings(other), schema)}

    assert found["record_faults"].note == "more may be listed in 'Torn seal (grade 2, Yard)'"
    assert Mark.DOUBTED in found["record_faults"].marks
    assert not found["record_works"].marks


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Correction: the pieces of tea are 9, not 109.", [True, False, False]),
        ("Correction: 9 pieces, not 109.", [True, False, True]),
        ("Correction: the pieces of rice are 9.", [False, True, False]),
        ("All is as it was ordered.", [False, False, False]),
    ],
)
def test_rows_that_the_document_takes_back_elsewhere_are_contradicted(
    said: str, told: list[bool]
) -> None:
    rows = [("tea", "109", "1"), ("rice", "5", "2"), ("correction fluid", "109", "3")]
    others = [[("salt", f"{n + 1}", f"{n}.50"), ("milk", f"{n + 3}", "2.50")] for n in range(4)]
    headers = ("Item", "Pieces", "Price")
    texts = [f"# Order {n}\n\n{table(headers, own)}\n" for n, own in enumerate((rows, *others))]
    documents = read([f"{texts[0]}\n{said}\n", *texts[1:]], "md")
    [[found, *rest]] = lists_of(documents, learn(documents)).values()
    assert found is not None
    assert [Mark.CONTRADICTED in row[1].marks for row in found.rows] == told
    assert not any(cell.marks for one in rest if one for row in one.rows for cell in row)


def test_a_table_that_names_its_rows_alone_is_labels_and_no_list() -> None:
    documents = list[Document]()
    for n, city in enumerate(("Ulm", "Pula", "Bonn", "Ulm", "Pula", "Bonn", "Ulm", "Graz")):
        said = {"City": city, "Area": f"{70 + 7 * n} m²", "Rent": f"{500 + 31 * n} EUR"}
        rows = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in said.items())
        content = read_html(f"<h1>Ad {n}</h1><table>{rows}</table>".encode(), "a.html")
        name, html = f"{n}.html", "text/html"
        documents.append(Document(name, name, "", html, "", content.text, content.blocks))
    schema = learn(documents)
    assert [item.name for item in schema.attributes] == ["title", "city", "area", "rent"]
    assert (schema.children, schema.pending_lists) == ((), ())


def test_rows_behind_a_cell_that_goes_on_in_the_next_line_are_read_and_the_cell_is_in_doubt() -> (
    None
):
    def order(n: int, *, wraps: bool) -> str:
        rows = [f"  {at}    Nut{'':11}{n + at:<6}{4 * at}.00" for at in range(1, 5)]
        rows[2:2] = ["       Bolt M8 zinc,", "  9    fifty pieces  7     2.50"] * wraps
        return "\n".join([f"Order {n}", "", "  Pos  Part          Qty   Amount", *rows])

    documents = read([order(n, wraps=n > 4) for n in range(8)], "txt")
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found] == [4] * 5 + [5] * 3
    lists = [one for one in found if one is not None]
    assert not any(one.listed.note for one in lists)
    marked = [[(c.as_stated, c.note) for r in one.rows for c in r if c.marks] for one in lists]
    note = "it may go on in a line of its own: 'Bolt M8 zinc,'"
    assert marked == [[]] * 5 + [[("Nut", note), ("fifty pieces", note)]] * 3


HOURS = [("1", "Site survey", 12, 80), ("2", "Drawings", 30, 75), ("3", "Soil report", 5, 60),
         ("4", "Permit", 7, 95)]  # fmt: skip


def _hours(n: int, below: Sequence[str], *, total: str = "") -> str:
    """Write an invoice whose second and later rows stand behind the lines *below*."""
    rows = [f"{at}    {what:<20}{h + n:>6}{rate:>9}.00{(h + n) * rate:>10}.00"
            for at, what, h, rate in HOURS[: 2 + n % 3]]  # fmt: skip
    head = "Pos  Description          Hours        Rate       Amount"
    lines = [f"Invoice {n}", "", f"Customer: C{n}", "", head, rows[0], *below, *rows[1:]]
    return "\n".join([*lines, "", f"Total hours: {total}" * bool(total), "", "Thank you."])


@pytest.mark.parametrize(
    ("below", "is_open", "is_cut"),
    [
        (["     two visits, incl. travel"], False, True),
        (["     two visits, incl. travel", "     and one call"], False, True),
        (["     - three visits at 40.00"], False, True),
        (["     Remark: two visits, as was agreed upon with the owner at length"], False, True),
        (["  two visits"], False, False),  # below the number of the row, which is no column
        (["", ""], False, False),
        (["", "Page 1 of 2", ""], False, False),
        (["     from stock   see list"], True, False),  # its parts may be cells
        (["Prices were agreed in March"], False, False),
        (["two visits   see the list"], False, False),
        (["Note: the rest came later"], False, False),
        (["Prices were agreed in March,", "those below in May"], False, False),
    ],
)
def test_rows_behind_lines_that_are_none_are_rows(
    below: Sequence[str], is_open: bool, is_cut: bool
) -> None:
    documents = read([_hours(n, below if n % 4 else []) for n in range(8)], "txt")
    [found] = lists_of(documents, learn(documents)).values()
    lists = [one for one in found if one is not None]
    hours = [[c.as_stated for r in one.rows for c in r if c.attribute == "hours"] for one in lists]
    assert hours == [[str(h + n) for _, _, h, _ in HOURS[: 2 + n % 3]] for n in range(8)]
    assert [bool(one.listed.marks) for one in lists] == [is_open and n % 4 > 0 for n in range(8)]
    marked = {c.attribute for one in lists for row in one.rows for c in row if c.marks}
    assert marked == ({"description"} if is_cut else set())


def test_rows_of_another_table_below_are_none_of_the_first() -> None:
    other = "Pos  Material             Boxes      Weight        Price"
    texts = [
        f"{_hours(n, [])}\n\n{other}\n1    Sand{n % 5 + 2:>22}{n + 3:>9}.00{9 * n:>10}.00\n"
        for n in range(8)
    ]
    documents = read(texts, "txt")
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found] == [2 + n % 3 for n in range(8)]


def test_a_total_of_a_column_that_most_documents_prove_tells_where_rows_are_missed() -> None:
    def sheet(n: int) -> str:
        total = sum(h + n for _, _, h, _ in HOURS[: 2 + n % 3])
        return _hours(n, [], total=f"{total + 9 * (n % 3 == 1)}")

    documents = read([sheet(n) for n in range(12)], "txt")
    [found] = lists_of(documents, learn(documents)).values()
    marked = [{c.attribute for r in one.rows for c in r if c.marks} for one in found if one]
    assert marked == [{"hours"} if n % 3 == 1 else set() for n in range(12)]


Foot = list[tuple[str, float]]


@pytest.mark.parametrize(
    "foot_of",
    [
        lambda s, _: [("Together", s)],
        lambda s, _: [("Goods", s), ("Levy", s / 5), ("Payable", 1.2 * s)],
        lambda s, _: [("Levy", s / 5), ("Payable", 1.2 * s)],
        lambda s, _: [("Rebate", -s / 10), ("Early bird", s / 20), ("Payable", 0.85 * s)],
        lambda s, _: [("Goods", s), ("Paid in May", 35), ("Open", s - 35)],
        lambda s, one: [("Together", s), ("of which by hand", one)],
        lambda s, one: [("of which by hand", one), ("the rest", s - one), ("Together", s)],
        lambda s, _: [("To be carried", s), ("From before", s), ("Together", s)],
    ],
)
@pytest.mark.parametrize("most", [2, 4])
def test_rows_that_make_up_or_split_the_sum_of_items_are_none_whatever_they_are_called(
    foot_of: Callable[[float, float], Foot], most: int
) -> None:
    def order(n: int) -> str:
        wares = [(what, n + at + 1, 20.0 * at + 10) for at, (_, what, *_) in enumerate(HOURS)]
        own = wares[: 1 + n % most]
        rows = [[what, f"{q}", f"{p:.2f}", f"{q * p:.2f}"] for what, q, p in own]
        foot = foot_of(sum(q * p for _, q, p in own), own[0][1] * own[0][2])
        rows += [[label, "", "", f"{amount:.2f}"] for label, amount in foot]
        return f"# Order {n}\n\n" + table(["Item", "Quantity", "Price", "Amount"], rows)

    documents = read([order(n) for n in range(12)])
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found] == [1 + n % most for n in range(12)]
    assert not any(c.marks for one in found if one for row in one.rows for c in row)
    assert not any(one.listed.marks for one in found if one)


@pytest.mark.parametrize(("n_lumps", "n_sums"), [(0, 1), (0, 2), (6, 4)])
def test_what_is_a_sum_by_numbers_alone_is_left_out_aloud_unless_its_label_is_proven(
    n_lumps: int, n_sums: int
) -> None:
    def order(n: int) -> str:
        wares = [[what, f"{h + n}", "10.00", f"{h + n}0.00"] for _, what, h, _ in HOURS]
        s = 10.0 * sum(h + n for _, _, h, _ in HOURS[:2])
        travel = [["Travel", "", "", f"{s + 7 * (n >= n_sums):.2f}"]] * (n < n_sums + n_lumps)
        return f"# Order {n}\n\n" + table(
            ["Item", "Quantity", "Price", "Amount"], [*wares[:2], *travel, *wares[2:]]
        )

    documents = read([order(n) for n in range(12)])
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found] == [
        4 + (n_sums <= n < n_sums + n_lumps) for n in range(12)
    ]
    s = [42 + 2 * n for n in range(n_sums)]
    assert [one.listed.note for one in found if one] == [
        *(f"not read as rows: 'Travel {x}0.00'" for x in s),
        *["1 of 5 rows may be no items"] * n_lumps,
        *[""] * (12 - n_sums - n_lumps),
    ]


def test_words_below_rows_add_nothing_to_a_sum() -> None:
    def note(n: int) -> str:
        head = "Item   Article         Code     Quantity\n"
        own = ((1, "Bracket", 18 + n), (2, "Bolt", 22), (3, "Bit", 40 + n))
        rows = [f"{at}      {what:<16}C-{200 + at + n}    {h:>8}\n" for at, what, h in own]
        return f"Note {n}\n\n{head}" + "       as of May\n".join(rows)

    documents = read([note(n) for n in range(8)], "txt")
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found] == [3] * 8


def test_a_lump_sum_among_items_and_what_nothing_adds_up_to_stay_and_are_in_doubt() -> None:
    def order(n: int, odd: Sequence[Sequence[str]]) -> str:
        wares = [[what, f"{h + n}", "10.00", f"{h + n}0.00"] for _, what, h, _ in HOURS]
        rows = [*wares[:2], *odd[:1], *wares[2:], *odd[1:]]
        return f"# Order {n}\n\n" + table(["Item", "Quantity", "Price", "Amount"], rows)

    odd = [["Travel", "", "", "33.50"], ["Gift wrap", "", "", "7.10"]]
    documents = read([order(n, odd * (n == 5)) for n in range(8)])
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found] == [4] * 5 + [6] + [4] * 2
    marked = [{row[0].as_stated for row in one.rows if row[0].marks} for one in found if one]
    assert marked == [set()] * 5 + [{"Travel", "Gift wrap"}] + [set()] * 2


EVENT = ["Category", "Price", "Available"]


def _events(foot: Callable[[int], list[list[str]]]) -> tuple[list[list[str]], list[ListedRows]]:
    """Return what eight events list, each with the total of its tickets and *foot* below."""

    def event(n: int) -> str:
        own = [["Standard", f"{20 + n}.00", f"{100 + n}"], ["Reduced", f"{10 + n}.00", "50"],
               ["Child", "5.00", "20"]][: 2 + n % 2]  # fmt: skip
        rows = [*own, ["Total", "", f"{sum(int(row[2]) for row in own)}"], *foot(n)]
        return f"# Event {n}\n\n" + table(EVENT, rows)

    documents = read([event(n) for n in range(8)])
    [found] = lists_of(documents, learn(documents)).values()
    listed = [one for one in found if one]
    return [[row[0] for row in rows_of(one)] for one in listed], listed


@pytest.mark.parametrize(
    "foot",
    [
        [["Booking fee", "1.50", ""]],
        [["Booking fee", "1.50", ""], ["Cloakroom", "2.00", ""]],
        [["Booking fee", "1.50", ""], ["Prices with tax", "", ""]],
    ],
)
def test_rows_behind_a_total_that_lack_what_all_items_have_are_none(foot: list[list[str]]) -> None:
    names, _ = _events(lambda _: foot)

    assert names == [["Standard", "Reduced", "Child"][: 2 + n % 2] for n in range(8)]


@pytest.mark.parametrize(
    "more",
    [
        [["Box", "90.00", "8"]],
        [["Rest", "1.00", ""], ["Box", "90.00", "8"]],
        [["In the circle", "", ""], ["Rest", "1.00", ""]],
    ],
)
def test_items_behind_a_subtotal_stay_where_they_are_full_or_have_a_heading(
    more: list[list[str]],
) -> None:
    names, _ = _events(lambda _: more)

    own = [row[0] for row in more if row[1]]
    assert names == [["Standard", "Reduced", "Child"][: 2 + n % 2] + own for n in range(8)]


def _actions(*odd: Sequence[str]) -> ListedRows | None:
    own = [["Paint fence", "Cy", "May"], ["Buy nails", "Bo", "June"]]
    texts = [f"# Meeting {n}\n\n## Actions\n\n" + table(["Action", "Owner", "Due"], own)
             for n in range(6)]  # fmt: skip
    texts.append("# Meeting 9\n\n## Actions\n\n" + table(["Action", "Owner", "Due"], odd))
    documents = read(texts)
    [found] = lists_of(documents, learn(documents)).values()
    assert [len(rows_of(one)) for one in found[:-1]] == [2] * 6
    return found[-1]


@pytest.mark.parametrize(
    "row", [("none", "-", "-"), ("None.", "", ""), ("No actions", "-", "-"), ("keine", "–", "–")]
)
def test_a_table_whose_only_row_says_none_states_that_there_are_none(row: Sequence[str]) -> None:
    found = _actions(row)

    assert found is not None
    assert (found.rows, found.listed.state) == ((), State.STATED_ABSENT)
    assert found.listed.as_stated == row[0]


def test_a_row_of_unknown_things_is_no_item_and_tells_not_that_there_are_none() -> None:
    assert _actions(("n/a", "n/a", "n/a")) is None
    beside = _actions(("Sweep", "Al", "-"), ("none", "-", "-"))
    assert rows_of(beside) == [("Sweep", "Al", "-")]


def test_rows_that_may_be_no_items_leave_their_list_in_doubt() -> None:
    foot = [["Travel", "", "", "33.50"], ["Gift wrap", "", "", "7.10"]]
    rows = [[what, f"{h}", "10.00", f"{h}0.00"] for _, what, h, _ in HOURS]
    texts = [f"# Order {n}\n\n" + table(["Item", "Quantity", "Price", "Amount"],
             [*rows, *foot[: 2 * (n == 5)]]) for n in range(8)]  # fmt: skip
    documents = read(texts)
    [found] = lists_of(documents, learn(documents)).values()
    assert [one.listed.note for one in found if one and one.listed.marks] == [
        "2 of 6 rows may be no items"
    ]
