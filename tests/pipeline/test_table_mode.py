"""Table files become tables: what counts as a record, what is told, what is remembered."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.inference.ask import ask as ask_question
from srag_mcp.pipeline.column_run import change_columns
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.pipeline.report import Failure
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.work import OTHER_KIND
from srag_mcp.views.holdings import schema_page
from tests.conftest import Once

Ask = Callable[[Path, str], list[tuple[object, ...]]]

ONLY = "each row of all.csv is a document: it is the only file"
BESIDE = "tables of rows are left out beside documents: their rows are another kind"
FILES = "each table is one document: there are several files"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table of twenty towns."""
    folder = tmp_path / "towns"
    folder.mkdir()
    write_towns(folder / "all.csv", 20)
    return folder


@pytest.fixture
def ingested(folder: Path, settings: Settings, once: Once) -> Path:
    return once(folder, lambda: ingest(folder, settings))


def write_towns(path: Path, n_towns: int, header: str = "Town,Height,Note") -> None:
    rows = (f"Town {n},{n * 10},{'' if n % 2 else 'hilly'}" for n in range(1, n_towns + 1))
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def test_a_readme_beside_a_table_is_left_out_and_told(
    folder: Path, settings: Settings, ask: Ask
) -> None:
    (folder / "README.txt").write_text("Heights are in metres.\n", encoding="utf-8")

    report = ingest(folder, settings)

    assert (report.n_documents, report.rows) == (20, True)
    assert report.rows_reason == "each row of all.csv is a document: there are 20 of them"
    assert [(item.path, item.reason) for item in report.skipped] == [
        (
            "README.txt",
            "left out beside the rows of a table; --rows file makes each file a document",
        )
    ]
    assert ask(folder, "SELECT count(*), sum(height) FROM towns") == [(20, 2100)]


def test_a_table_stays_a_table_when_files_come_beside_it(
    ingested: Path, settings: Settings
) -> None:
    for number in range(9):
        (ingested / f"note-{number}.txt").write_text("Town: X\n", encoding="utf-8")

    report = ingest(ingested, settings)

    assert (report.n_documents, report.rows_reason) == (20, ONLY)
    assert len(report.skipped) == 9


def test_rows_beside_documents_are_none_of_these_where_a_person_wants_one_table(
    folder: Path, settings: Settings
) -> None:
    for number in range(9):
        (folder / f"note-{number}.txt").write_text(f"Town: X{number}\n", encoding="utf-8")
    place = Attribute(name="place", type="string", extractors=(KeyRule(keys=("town",)),))

    report = ingest(folder, settings, schema=Schema(title="Note", attributes=(place,)))

    assert (report.n_documents, report.rows, report.rows_reason) == (9, False, BESIDE)
    assert Failure("all.csv", OTHER_KIND) in report.skipped
    with QueryPool() as worker:
        told = Corpus(folder, worker, settings.home).info().other_kinds
    assert told.endswith(
        ": all.csv; the rows of a table file are counted in a folder of its own, or it as one"
        " document (--rows file)"
    )
    # as a folder of earlier versions, which knew no kinds of both
    notes, towns = ingest(folder, settings).kinds
    assert (notes.n_documents, notes.n_unchanged, notes.attributes) == (9, 9, ("place",))
    assert (towns.n_documents, towns.attributes) == (20, ("town", "height", "note"))
    assert ingest(folder, settings, rows="file").n_documents == 10
    assert ingest(folder, settings).n_documents == 10


@pytest.mark.parametrize(
    ("n_notes", "n_towns", "n_documents", "reason"),
    [
        (9, 4, 10, FILES),
        (3, 4, 4, FILES),
        (3, 20, 20, "each row of all.csv is a document: there are 20 of them"),
    ],
)
def test_a_few_rows_are_one_document_and_a_few_documents_beside_rows_are_left_out(
    tmp_path: Path, settings: Settings, n_notes: int, n_towns: int, n_documents: int, reason: str
) -> None:
    folder = tmp_path / "towns"
    folder.mkdir()
    write_towns(folder / "all.csv", n_towns)
    for number in range(n_notes):
        (folder / f"note-{number}.txt").write_text(f"Town: X{number}\n", encoding="utf-8")
    report = ingest(folder, settings)
    assert (report.kinds, report.n_documents, report.rows_reason) == ((), n_documents, reason)
    assert len(report.skipped) == n_notes + 1 - n_documents if reason == FILES else n_notes


def test_rows_are_read_when_they_are_asked_for_later_and_from_then_on(
    folder: Path, settings: Settings, ask: Ask
) -> None:
    assert ingest(folder, settings, rows="file").n_documents == 1

    report = ingest(folder, settings, rows="row")
    again = ingest(folder, settings)

    assert (report.n_documents, report.published) == (20, True)
    assert report.attributes == ("town", "height", "note")
    assert (again.n_documents, again.published) == (20, False)
    assert again.rows_reason == "each row of a table is a document, as asked"
    assert ask(folder, "SELECT sum(height) FROM towns") == [(2100,)]


def test_a_table_may_become_one_document_again(ingested: Path, settings: Settings) -> None:
    report = ingest(ingested, settings, rows="file")

    assert (report.n_documents, report.rows) == (1, False)
    assert not ingest(ingested, settings).rows
    assert ingest(ingested, settings, fresh=True).rows


def test_tables_of_one_kind_are_one_table(folder: Path, settings: Settings, ask: Ask) -> None:
    write_towns(folder / "more.csv", 5)

    report = ingest(folder, settings)

    assert (report.n_documents, report.n_unchanged) == (25, 0)
    assert report.rows_reason == "each row of 2 tables is a document: there are 25 of them"
    assert ask(folder, "SELECT count(*) FROM towns WHERE height <= 50") == [(10,)]


def test_a_small_table_of_another_kind_is_left_out_and_told(
    folder: Path, settings: Settings
) -> None:
    (folder / "codes.csv").write_text("Code,Meaning,Since\nx,checked,2020\n", encoding="utf-8")

    report = ingest(folder, settings)

    assert report.n_documents == 20
    assert report.told == (
        "codes.csv: its 1 rows have other columns, and are left out: Code, Meaning, Since",
    )


def test_forms_of_one_layout_stay_documents(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "forms"
    folder.mkdir()
    for number in range(4):
        table = "".join(f"Item {n},{n},{n * number}\n" for n in range(1, 9))
        text = f"Expenses of employee {number}\n\nItem,Count,Amount\n{table}"
        (folder / f"form-{number}.csv").write_text(text, encoding="utf-8")

    report = ingest(folder, settings)

    assert (report.n_documents, report.rows_reason) == (4, FILES)


def test_another_table_in_the_place_of_the_old_one_has_its_own_columns(
    ingested: Path, settings: Settings
) -> None:
    (ingested / "all.csv").write_text("Ship,Length,Flag\nA,1,x\nB,2,y\n", encoding="utf-8")

    report = ingest(ingested, settings)

    assert (report.n_documents, report.attributes) == (2, ("ship", "length", "flag"))


def test_a_changed_row_leaves_the_columns_as_they_are(
    ingested: Path, settings: Settings, ask: Ask
) -> None:
    text = (ingested / "all.csv").read_text(encoding="utf-8")
    (ingested / "all.csv").write_text(text.replace("Town 7,70", "Town 7,77"), encoding="utf-8")

    report = ingest(ingested, settings)

    assert (report.n_extracted, report.n_unchanged) == (1, 19)
    assert ask(ingested, "SELECT height FROM towns WHERE town = 'Town 7'") == [(77,)]


def test_a_column_that_a_table_has_now_is_added_and_one_that_was_dropped_is_not(
    ingested: Path, settings: Settings, ask: Ask
) -> None:
    change_columns(ingested, settings, "drop", ["note"])
    write_towns(ingested / "more.csv", 2, "Town,Height,Note,County")
    more = (ingested / "more.csv").read_text(encoding="utf-8").replace("Town ", "New ")
    lines = [f"{line},Kent" if "New" in line else line for line in more.splitlines()]
    (ingested / "more.csv").write_text("\n".join(lines), encoding="utf-8")

    report = ingest(ingested, settings)

    assert (report.attributes, report.n_documents) == (("town", "height", "county"), 22)
    counted = "SELECT county, count(*) FROM towns GROUP BY county ORDER BY county"
    assert ask(ingested, counted) == [("Kent", 2), (None, 20)]
    (ingested / "more.csv").touch()
    assert ingest(ingested, settings).attributes == ("town", "height", "county")


def test_an_empty_cell_states_that_there_is_no_value(
    ingested: Path, settings: Settings, ask: Ask
) -> None:
    states = "SELECT state, count(*) FROM cells WHERE attribute = 'note' GROUP BY ALL ORDER BY 1"
    assert ask(ingested, states) == [("stated", 10), ("stated_absent", 10)]
    empty = 'SELECT as_stated, "start", "end", value FROM cells WHERE document_id = \'all.csv#01\''
    assert ask(ingested, f"{empty} AND attribute = 'note'") == [("", 23, 23, None)]


def test_an_empty_cell_among_yes_and_no_is_neither(
    tmp_path: Path, settings: Settings, ask: Ask
) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    rows = "".join(f"SO-{n},{('yes', 'no', '')[n % 3]},{'x' if n % 2 else ''}\n" for n in range(12))
    (folder / "orders.csv").write_text(f"Order,Paid,Gift\n{rows}", encoding="utf-8")

    ingest(folder, settings)

    counts = "SELECT paid, count(*) FROM orders GROUP BY ALL ORDER BY 1"
    assert ask(folder, counts) == [(False, 4), (True, 4), (None, 4)]
    gifts = "SELECT gift, count(*) FROM orders GROUP BY ALL ORDER BY 1"
    assert ask(folder, gifts) == [(False, 6), (True, 6)]


def test_types_are_those_of_the_whole_column(tmp_path: Path, settings: Settings, ask: Ask) -> None:
    folder = tmp_path / "customers"
    folder.mkdir()
    plain = "".join(f"{10_000 + n};{n};{n}.000.000;{n},5;yes\n" for n in range(400))
    odd = "05023;7,5;2.000;1,25;partly\n"
    (folder / "all.csv").write_bytes(
        f"PLZ;Größe;Umsatz;Preis;Bezahlt\n{plain}{odd}".encode("latin-1")
    )

    ingest(folder, settings)

    last = "SELECT plz, grosse, umsatz, preis, bezahlt FROM customers ORDER BY document_id DESC"
    assert ask(folder, f"{last} LIMIT 1") == [("05023", 7.5, 2000, 1.25, "partly")]


@pytest.mark.parametrize(
    ("price", "people"), [("12,50", ("1.234", "56.789")), ("12.50", ("1,234", "56,789"))]
)
def test_one_column_says_how_the_others_of_its_table_write_numbers(
    tmp_path: Path, settings: Settings, ask: Ask, price: str, people: tuple[str, str]
) -> None:
    folder = tmp_path / "towns"
    folder.mkdir()
    rows = f"A;{people[0]};{price}\nB;{people[1]};{price}\n"
    (folder / "all.csv").write_text(f"Town;People;Price\n{rows}", encoding="utf-8")

    ingest(folder, settings)

    assert ask(folder, "SELECT people, price FROM towns ORDER BY 1") == [
        (1234, 12.5),
        (56789, 12.5),
    ]


def test_numbers_of_json_have_a_decimal_point(tmp_path: Path, settings: Settings, ask: Ask) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    parts = [{"part": "A", "weight": 1.234}, {"part": "B", "weight": 950}, {"weight": 1200}]
    (folder / "all.json").write_text(json.dumps(parts), encoding="utf-8")

    ingest(folder, settings)

    assert ask(folder, "SELECT weight FROM parts ORDER BY 1") == [(1.234,), (950,), (1200,)]


def test_objects_of_a_json_array_are_records_and_their_lists_tables(
    tmp_path: Path, settings: Settings, ask: Ask, worker: QueryPool
) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    orders = [
        {
            "id": n,
            "customer": {"name": f"C{n}", "address": {"country": "DE" if n % 2 else "FR"}},
            "items": [{"sku": "A", "quantity": n}],
            "coupon": None if n % 3 else "W10",
        }
        for n in range(1, 10)
    ]
    (folder / "orders.json").write_text(json.dumps(orders), encoding="utf-8")

    report = ingest(folder, settings)

    assert report.attributes == ("id", "customer_name", "customer_address_country", "coupon")
    assert (report.told, report.lists) == ((), ("orders_items(sku, quantity)",))
    corpus = Corpus(folder, worker, settings.home)
    schema = corpus.schema()
    assert (schema.lists, [item.entity for item in schema.children]) == ((), ["orders_items"])
    [found] = corpus.trace("quantity", "orders_items", where="position = 1", value="7").evidence
    assert (found.document_id, found.column, found.as_stated, found.position) == (
        "orders.json#7",
        "orders_items.quantity",
        "7",
        1,
    )
    assert corpus.document_text(found.document_id, found.start or 0, found.end) == "7"
    assert schema.attribute("customer_address_country").synonyms == ("country",)
    assert schema.attribute("customer_name").synonyms == ("name", "customer")
    assert ask(folder, "SELECT count(*) FROM orders WHERE coupon IS NULL") == [(6,)]


def test_a_list_without_a_table_is_told(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    items = [{"sku": "A", "quantity": 1, "sizes": [{"cm": 3}]}, {"sku": "B", "quantity": 2}]
    orders = [{"id": n, "to": {"names": ["a", "b"]}, "items": items} for n in range(5)]
    (folder / "orders.json").write_text(json.dumps(orders), encoding="utf-8")
    inside = "items.sizes: a list of lists or objects inside of another list in 5 records"

    report = ingest(folder, settings)
    assert report.lists == ("orders_to_names(name)", "orders_items(sku, quantity)")
    assert report.told == (f"orders.json: {inside}, not a column",)

    alone = schema_from_json({"properties": {"id": {"type": "integer"}}})
    assert ingest(folder, settings, schema=alone, fresh=True).told == (
        "orders.json: to.names: a list of values in 5 records, not a column",
        "orders.json: items: a list of objects in 5 records, not a column",
        f"orders.json: {inside}, not a column",
    )


@pytest.mark.parametrize("each_is_a_file", [False, True])
def test_a_list_inside_of_a_list_is_named_and_counted_by_nobody(
    tmp_path: Path, settings: Settings, worker: QueryPool, *, each_is_a_file: bool
) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    orders = []
    for n in range(1, 8):
        items = [
            {
                "name": name,
                "quantity": n + place,
                "serials": [f"S{n}{place}{x}" for x in range(2 + n % 2)],
                "parts": [{"bolt": x, "weight": 2 * x} for x in range(1, 2 + place)],
            }
            for place, name in enumerate(("tea", "rice", "salt")[: 2 + n % 2])
        ]
        orders.append({"number": 100 + n, "customer": f"Ada {n}", "items": items})
    for n, order in enumerate(orders if each_is_a_file else [orders]):
        (folder / f"{n}.json").write_text(json.dumps(order), encoding="utf-8")

    told = "\n".join(ingest(folder, settings).lines())
    corpus = Corpus(folder, worker, settings.home)
    lines = "\n".join(schema_page(corpus, 20_000).columns)
    assert "lists in the items, without a table: parts, serials" in lines
    for name in ("parts", "serials"):
        assert f"items.{name}: a list of " in told
        refused = ask_question(corpus, f"How many {name} are there?")
        assert f"“items.{name}” is a list of" in refused.text
    columns = {item.name for item in corpus.schema().children[0].attributes}
    assert columns == {"name", "quantity", "serials", *(["parts"] if each_is_a_file else [])}


def test_a_quote_counts_the_rows_of_a_table(folder: Path, settings: Settings) -> None:
    (folder / "README.txt").write_text("Heights are in metres.\n", encoding="utf-8")
    model = settings.model_copy(update={"engine": "agent"})

    assert quote_ingestion(folder, model).n_documents == 20


@pytest.mark.parametrize("n_files", [1, 3])
def test_objects_with_a_list_are_documents_but_for_a_single_one(
    n_files: int, tmp_path: Path, settings: Settings, ask: Ask
) -> None:
    folder = tmp_path / "walks"
    folder.mkdir()
    for year in range(n_files):
        walks = [{"walk": f"W{n}", "km": n, "guide": "Bo"} for n in range(1, 9)]
        data = {"club": "Ridge", "year": 2020 + year, "walks": walks}
        (folder / f"{year}.json").write_text(json.dumps(data), encoding="utf-8")

    report = ingest(folder, settings)

    if n_files > 1:
        assert (report.n_documents, report.rows_reason) == (n_files, FILES)
        return
    assert (report.n_documents, report.attributes) == (8, ("walk", "km", "guide"))
    assert report.told == ("0.json: beside the table: club: Ridge; year: 2020",)
    assert ask(folder, "SELECT sum(km) FROM walks") == [(36,)]


def test_a_column_of_a_list_is_not_meant_where_the_records_have_one_of_its_name(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    games = [
        {"game": f"G{n}", "players": "2-4", "plays": [{"host": "Bo", "players": 2 + n % 3}] * 2}
        for n in range(8)
    ]
    (folder / "games.json").write_text(json.dumps(games), encoding="utf-8")
    ingest(folder, settings)
    corpus = Corpus(folder, worker, settings.home)
    refused = ask_question(corpus, "What is the highest number of players?")
    assert refused.text.startswith("Not answered: there is players of games and of games_plays")
    assert ask_question(corpus, "What is the highest number of players of the plays?").rows == (
        (4,),
    )


SALES = "North | Oslo | 10\n | Bergen | 20\nSouth | Faro | 30\n | Cadiz | 40\n | Malaga | 50\n"


def test_a_label_in_the_first_row_of_its_group_only_is_absent_nowhere(
    tmp_path: Path, settings: Settings, ask: Ask
) -> None:
    for number, (header, lead) in enumerate([("", ""), ("No | ", "{} | ")]):
        folder = tmp_path / f"sales{number}"
        folder.mkdir()
        rows = [lead.format(n) + row for n, row in enumerate(SALES.splitlines(), start=1)]
        lines = [f"{header}Region | City | Sales", *rows]
        (folder / "all.csv").write_text("\n".join(lines).replace(" | ", ","), encoding="utf-8")
        told = ingest(folder, settings).told
        states = (
            "SELECT state, count(*) FROM cells WHERE attribute = 'region' GROUP BY 1 ORDER BY 1"
        )
        assert ask(folder, states) == [("not_mentioned", 3), ("stated", 2)]
        assert told == (
            "all.csv: the column 'Region' may stand in the first row of each group only: where it"
            " is empty, nobody knows it",
        )
    folder = tmp_path / "reports"
    folder.mkdir()
    table = "\n".join(
        f"| {row} |" for row in ["Region | City | Sales", "--|--|--", *SALES.splitlines()]
    )
    for number in range(4):
        text = f"# Report {number}\n\nDate: 2024-0{number + 1}-01\n\n## Sales by city\n\n{table}\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    ingest(folder, settings)
    listed = "SELECT state, count(*) FROM cells WHERE attribute = 'region' GROUP BY 1 ORDER BY 1"
    assert ask(folder, listed) == [("not_mentioned", 12), ("stated", 8)]


def test_rows_that_two_files_have_alike_are_told_where_rows_have_a_key(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    def told(name: str, *files: str) -> list[str]:
        folder = tmp_path / name
        folder.mkdir()
        for number, rows in enumerate(files):
            path = folder / f"{number}.csv"
            path.write_text(f"No,Item,Amount\n{rows}", encoding="utf-8")
        report = ingest(folder, settings)
        assert report.n_documents == sum(rows.count("\n") for rows in files)
        answer = ask_question(Corpus(folder, worker, settings.home), "What is the total amount?")
        assert [x for x in answer.assumptions if "another file" in x] == [*report.warnings]
        return [*report.warnings]

    first = "1,Pen,20\n2,Ink,40\n4,Pad,20\n"
    alike = "in every cell, or in two that name it, what a row of another file says, and"
    twice, once = f"2 rows say {alike} are counted again", f"1 row says {alike} is counted again"
    assert told("overlap", first, "2,Ink,40\n3,Cup,40\n1,Pen,20\n") == [f"{twice}: of 0.csv, 1.csv"]
    assert told("apart", first, "3,Ink,40\n5,Cup,40\n6,Pen,20\n") == []
    again = "1,Pen,20\n1,Ink,20\n2,Ink,20\n"
    assert told("keyless", again, f"{again}2,Pen,20\n") == []
    assert told("renewed", first, "4,Pad,25\n5,Cup,25\n") == [f"{once}: of 0.csv, 1.csv"]
    assert told("numbered anew", first, "1,Cup,20\n2,Mat,25\n") == []


@pytest.mark.parametrize(
    ("title", "numbers", "told"),
    [
        ("INVOICE INV-{}", (1, 2, 3, 4, 5, 6, 3), ["INV-3"]),
        ("Invoice {} (copy)", (101, 102, 103, 104, 105, 106, 103), ["103"]),
        ("INVOICE INV-{}", (1, 2, 3, 4, 5, 6, 7), []),
        ("Visit of {} May 2024", (1, 2, 3, 4, 5, 6, 3), []),
        ("Room {}", (1, 2, 3, 1, 2, 3, 1), []),
    ],
)
def test_a_number_in_the_titles_of_two_documents_is_told(
    tmp_path: Path, settings: Settings, title: str, numbers: tuple[int, ...], told: list[str]
) -> None:
    for at, number in enumerate(numbers):
        text = f"{title.format(number)}\n\nBuyer: {'ABCDEFG'[at]} Ltd\nTotal: £{at}0.50\n"
        (tmp_path / f"{at}.txt").write_text(text, encoding="utf-8")
    said = "is that of several records, each of which is counted, though others have their own"
    lines = [f"the number in the title {said}: {text}" for text in told]
    assert [*ingest(tmp_path, settings).warnings] == lines


@pytest.mark.parametrize(
    ("header", "rows", "told"),
    [
        ("Entry,Club", "E1,Ulm;E2,Bonn;E3,Ulm;E4,Bonn;E5,Ulm;E2,Kiel", "E2"),
        ("Day,Entry", "1 May 2021,7;2 May 2021,8;3 May 2021,9;4 May 2021,10;5 May 2021,8", "8"),
        ("Entry,Club", "E1,Ulm;E2,Bonn;E3,Ulm;E4,Bonn;E5,Ulm;E6,Kiel", ""),
        ("Entry,Club", "E1,Ulm;E1,Bonn;E2,Ulm;E2,Bonn;E3,Ulm;E3,Kiel", ""),
        ("Skipper,Club", "Ada,Ulm;Bob,Bonn;Cid,Ulm;Dot,Bonn;Eva,Ulm;Bob,Kiel", ""),
        ("Price,Club", "1.5,Ulm;2.5,Bonn;3.5,Ulm;4.5,Bonn;5.5,Ulm;2.5,Kiel", ""),
    ],
)
def test_a_key_of_one_row_that_another_one_has_again_is_told(
    tmp_path: Path, settings: Settings, worker: QueryPool, header: str, rows: str, told: str
) -> None:
    lines = [f"{row},{10 + at * at}" for at, row in enumerate(rows.split(";"))]
    (tmp_path / "book.csv").write_text("\n".join([f"{header},Amount", *lines]), encoding="utf-8")
    said = (
        "entry is that of several records, each of which is counted, though others have their own"
    )
    expected = [f"{said}: {told}"] if told else []
    assert [*ingest(tmp_path, settings).warnings] == expected
    corpus = Corpus(tmp_path, worker, settings.home)
    answer = ask_question(corpus, "What is the total amount?")
    assert [text for text in answer.assumptions if "entry" in text] == expected
    assert str(sum(10 + at * at for at in range(len(lines)))) in answer.text


def test_who_asks_for_unknown_ones_gets_none_that_say_there_is_none(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    for name, said in (("plain", "n/a,Unknown.,Unknown"), ("mixed", "n/a,none,Unknown")):
        folder = tmp_path / name
        folder.mkdir()
        rows = [
            f"T{n},{text}" for n, text in enumerate((*said.split(","), "heavy", "light", "heavy"))
        ]
        (folder / "towers.csv").write_text("\n".join(["Tower,Rust", *rows]), encoding="utf-8")
        ingest(folder, settings)
    asked = "How many records have an unknown rust?"
    plain, mixed = (
        ask_question(Corpus(tmp_path / name, worker, settings.home), asked)
        for name in ("plain", "mixed")
    )
    assert plain.rows == ((3,),)
    assert mixed.refused
