"""Questions on small table files without a model: what a word of the question may not decide."""

from collections.abc import Callable, Iterator

import pytest

from srag_mcp.inference.ask import ask
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

Rows = list[tuple[object, ...]] | None


RowsOf = Callable[..., Rows]


@pytest.fixture(scope="module")
def rows_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RowsOf]:
    """Return what says what a question on a CSV file finds; None where it is refused."""
    opened: dict[tuple[str, str], Corpus] = {}
    with QueryPool() as worker:

        def find(table: str, question: str, name: str = "places") -> Rows:
            if (table, name) not in opened:
                folder = tmp_path_factory.mktemp("table") / name
                folder.mkdir()
                (folder / f"{name}.csv").write_text(table)
                ingest(folder, Settings(engine="offline", workers=1))
                opened[table, name] = Corpus(folder, worker)
            answer = ask(opened[table, name], question)
            return None if answer.refused else sorted(answer.rows)

        yield find


HUTS = """Hut,Stove,Heated
Olm,yes,true
Rann,no,false
Ulm,,true
Zell,no,
Gail,partly,false
Dorn,yes,
Lech,yes,true
Inn,,
Enns,no,true
"""


@pytest.mark.parametrize(
    ("question", "n"),
    [
        ("How many huts have no stove?", 3),
        ("How many huts have no stove value?", 2),
        ("How many huts have no value for stove?", 2),
        ("How many huts have no stove entry?", 2),
        ("How many huts have no entry for stove?", 2),
        ("How many huts have no heated value?", 3),
        ("How many huts are not heated?", 2),
    ],
)
def test_a_word_for_what_is_written_is_not_dropped_behind_no(
    rows_of: RowsOf, question: str, n: int
) -> None:
    assert rows_of(HUTS, question) == [(n,)]


TRAMS = """Tram,Mileage (km),Width (cm)
Elk,120000,230
Fox,340000,240
Hare,90000,250
Owl,210000,250
Mole,180000,230
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How long is tram Elk?", None),
        ("Which tram is the longest?", None),
        ("How many trams are longer than 30 m?", None),
        ("How many trams are longer than 235 cm?", None),
        ("How many trams have a width above 235 cm?", [(3,)]),
        ("Which tram has the highest mileage?", [("Fox",)]),
    ],
)
def test_a_unit_does_not_say_that_a_column_with_a_name_of_its_own_is_meant(
    rows_of: RowsOf, question: str, rows: Rows
) -> None:
    assert rows_of(TRAMS, question) == rows


def test_a_unit_says_it_of_a_column_that_is_called_after_the_record(rows_of: RowsOf) -> None:
    table = "Walk,Place,Km\nElk,Ulm,12\nFox,Olm,7\nOwl,Ulm,9\nMole,Rann,10\nHare,Olm,4\n"
    assert rows_of(table, "Which walk is the longest?") == [("Elk",)]


PAY = """Salary,Desk,Staff
1200,12,Ada
1500,15,Bea
1200,31,Cy
1500,40,Dan
1500,44,Eve
"""


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        (PAY, "What is the average salary?", [(1380.0,)]),
        (PAY, "How many salaries are there?", [(5,)]),
        (PAY.replace("Salary,Desk", "Pay,Hut"), "What is the average hut?", None),  # numbers them
        (PAY.replace("Salary", "Hut").replace("\n1200", "\n"), "What is the average hut?", None),
    ],
)
def test_a_number_that_is_called_as_its_rows_are_is_computed_with(
    rows_of: RowsOf, table: str, question: str, rows: Rows
) -> None:
    name = "salaries" if "Salary" in table else "huts"
    assert rows_of(table, question, name) == rows


QUOTES = "Quote number,Client,Crew\nQ-17,Ada,2\n,Bea,3\nQ-31,Cy,4\n,Dan,4\nQ-48,Eve,4\n"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many quotes are there?", None),  # numbers, or records of which some say none
        ("How many quotes have a crew of 4?", None),
        ("How many quote numbers are there?", [(3,)]),
    ],
)
def test_a_number_that_only_some_records_say_may_name_them_all(
    rows_of: RowsOf, question: str, rows: Rows
) -> None:
    assert rows_of(QUOTES, question) == rows


STALLS = """Stall,Keeper,Rank,Total,Planned cost,Actual cost,Discount (GBP),Opened
Elk,May,2,101,300,340,-10,2001
Fox,Will,1,205,200,190,-50,2004
Hare,April,4,150,200,210,-20,2001
Owl,May,5,300,100,90,-20,2010
Mole,Max,3,120,300,310,-10,2010
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which stall ranks first?", None),
        ("How many stalls rank above 2?", None),
        ("Which stall has rank 3?", [("Mole",)]),
        ("Which stall has the highest total?", [("Owl",)]),
        # the sign of a deduction is none of its size
        ("What is the largest discount?", None),
        ("Which stall has the lowest discount?", None),
        ("How many stalls have a discount above 15 GBP?", None),
        ("What is the average discount?", [(-22.0,)]),
        # when, and not who
        ("How many stalls are in May?", None),
        ("How many stalls have keeper May?", [(2,)]),
    ],
)
def test_ranks_minus_signs_and_months_are_not_taken_for_something_else(
    rows_of: RowsOf, question: str, rows: Rows
) -> None:
    assert rows_of(STALLS, question) == rows


def test_a_month_is_a_value_of_a_column_that_holds_months(rows_of: RowsOf) -> None:
    table = "Hut,Month\nOlm,May\nRann,April\nUlm,May\nZell,July\n"
    assert rows_of(table, "How many huts were in May?") == [(2,)]


GATES = """\
Gate,Airline,Passengers
1,LH,100
1,LH,120
2,BA,150
3,AF,10
"""


@pytest.mark.parametrize(
    "question",
    [
        "Which gate has the most passengers?",  # of rows 2, of sums 1
        "top 2 gates by number of passengers",
        "gate with the most passengers",
        "date with the most passengers",
    ],
)
def test_what_has_the_most_is_no_number_and_no_single_row(rows_of: RowsOf, question: str) -> None:
    """Where numbers name what rows are of, a row may not be all of it."""
    assert rows_of(GATES, question) is None


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which airline has the most passengers?", [("LH",)]),
        ("What is the highest number of passengers?", [(150,)]),
        ("the most passengers", [(150,)]),
    ],
)
def test_a_number_of_rows_has_an_end(rows_of: RowsOf, question: str, rows: Rows) -> None:
    assert rows_of(GATES, question) == rows


FLOORS = """Flat,Floor,Beds
A1,1,2
A2,1,3
B1,2,5
C1,3,1
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("top 1 flat by beds", [("B1",)]),
        ("top 2 flats by beds", [("A2",), ("B1",)]),
        ("top 1 floor by beds", None),
        ("top 1 floor by number of beds", None),
        ("highest number of beds on floor 1", [(3,)]),
    ],
)
def test_how_many_are_at_the_top_is_no_number_of_theirs(
    rows_of: RowsOf, question: str, rows: Rows
) -> None:
    assert rows_of(FLOORS, question, "flats") == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total passengers per gate", None),
        ("average passengers per gate", None),
        ("Total passengers for each gate", [(1, 220), (2, 150), (3, 10)]),
    ],
)
def test_a_sum_per_record_is_not_that_of_all(rows_of: RowsOf, question: str, rows: Rows) -> None:
    """Nor is an average of rows one of what the folder is called after, where that repeats."""
    assert rows_of(GATES, question, "gates") == rows


def test_an_average_per_record_is_that_of_all(rows_of: RowsOf) -> None:
    rows = rows_of(GATES.replace("1,LH,120", "4,LH,120"), "average passengers per gate", "gates")
    assert rows == [(95,)]


PEAKS = """\
Peak,Country,Climbers
Black Hill,UK,10
Black Hill,US,30
Red Top,US,35
Ben,UK,5
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which peak has the most climbers?", None),  # of both 40, of one 35
        ("top 2 peaks by number of climbers", None),
        ("average climbers per peak", None),
        ("Which peak has the fewest climbers?", [("Ben",)]),
        ("Which country has the most climbers?", [("US",)]),
        ("Total climbers for each country", [("UK", 15), ("US", 65)]),
    ],
)
def test_records_of_one_name_may_be_parts_of_one_or_two(
    rows_of: RowsOf, question: str, rows: Rows
) -> None:
    """Both readings have to have the same result, where nothing says which it is."""
    assert rows_of(PEAKS, question, "peaks") == rows


FIRST_ROWS = """\
Region,Guide,Guests
North,Al,10
South,Bo,50
West,Di,80
,Di,8
,Ed,30
East,Fi,90
Mid,Gi,33
"""


def test_what_rows_without_it_may_have_too_is_no_name_of_one(rows_of: RowsOf) -> None:
    """Where it stands in the first row of each group, West has 118."""
    assert rows_of(FIRST_ROWS, "Which region has the most guests?") is None


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("name with the most visitors", None),  # and not how many these are
        ("What is the name with the most visitors?", [("Gamma",)]),
        ("What is the name of the place with the most visitors?", [("Gamma",)]),
    ],
)
def test_a_name_with_the_most_is_asked_for(rows_of: RowsOf, question: str, rows: Rows) -> None:
    table = "place,name,visitors\nUlm,Alpha,10\nUlm,Beta,20\nBonn,Gamma,25\nBonn,Delta,1\n"
    found = rows_of(table, question)
    assert found in (rows, None)
    assert found != [(25,)]


@pytest.mark.parametrize(
    ("n_of_one_kind", "rows"),
    [(4, None), (2, [("B",)])],  # of three kinds, or more of one
)
def test_what_happens_again_is_counted_each_time_or_by_kind(
    rows_of: RowsOf, n_of_one_kind: int, rows: Rows
) -> None:
    kinds = [("A", "lens")] * n_of_one_kind + [("B", x) for x in ("lens", "horn", "rope")]
    lines = [*kinds, ("A", "none"), ("C", "horn"), ("C", "none")]
    table = "".join(f"2024-01-{day:02},{line},{x}\n" for day, (line, x) in enumerate(lines, 2))
    assert rows_of(f"Date,Line,Fault\n{table}", "Which line had the most faults?") == rows


SALES = """customer,product,quantity,date
Tom,Soap,4,2024-01-03
Ann,Candle,2,2024-01-04
Tom,Soap,3,2024-02-05
Bea,Soap,1,2024-02-09
Ann,Soap,2,2024-03-01
Tom,Candle,6,2024-03-02
Bea,Brush,1,2024-03-09
Ann,Brush,5,2024-04-01
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many soaps did Tom buy?", [(7,)]),
        ("How many soaps did each customer buy?", [("Ann", 2), ("Bea", 1), ("Tom", 7)]),
        ("How many more soaps than candles were sold?", [(2,)]),
        ("How many sold soaps are there?", [(10,)]),
        ("Which customer bought the most soaps?", [("Tom",)]),
        # a row is a sale, however many pieces are sold by it
        ("How many sales are there?", [(8,)]),
        ("How many sales did Tom have?", [(3,)]),
        # rows, or pieces
        ("How many candles are there?", None),
        ("How many soaps per customer?", None),
        ("How many products did Tom buy?", None),
        ("How many brushes were there in March 2024?", [(1,)]),  # of one row with one piece
    ],
)
@pytest.mark.parametrize("column", ["quantity", "qty", "units_sold", "ordered"])
def test_a_row_may_stand_for_several_pieces(
    rows_of: RowsOf, question: str, rows: Rows, column: str
) -> None:
    assert rows_of(SALES.replace("quantity", column), question, "sales") == rows


def test_most_of_what_rows_may_stand_for_has_two_readings(rows_of: RowsOf) -> None:
    table = "observer,species,count\nAda,Fox,1\nAda,Fox,1\nBo,Fox,5\nBo,Owl,2\n"
    assert rows_of(table, "Which observer saw the most foxes?", "sightings") is None
    assert rows_of(table, "Which observer saw the most owls?", "sightings") == [("Bo",)]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which test costs the most?", None),  # in all, or by itself
        ("Which test cost the least?", [("ECG",)]),
        ("Which test has the most cost?", [("Blood",)]),
        ("Which clinic costs the most?", [("Kent",)]),
    ],
)
def test_what_a_verb_measures_is_that_of_one_or_of_all(
    rows_of: RowsOf, question: str, rows: Rows
) -> None:
    table = "test,clinic,cost\nBlood,Kent,20\nBlood,Kent,20\nBlood,Ulm,20\nMRI,Kent,50\nECG,Ulm,5\n"
    assert rows_of(table, question, "bills") == rows
