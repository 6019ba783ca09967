"""Questions on what records list: over which rows, joins that repeat, with a model and without."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import anyio
import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.inference.answer import render_denominator
from srag_mcp.inference.ask import Asking, ask
from srag_mcp.inference.by_model import translate_question
from srag_mcp.inference.grounds import find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.joins import key_tables
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.scripted import replying

MEALS = [
    {"host": "Ada", "place": "Olm", "bill": 100.0, "themes": ["spring", "fish"], "courses": [
        {"dish": "Soup", "quantity": 4, "price": 5.0},
        {"dish": "Perch", "quantity": 4, "price": 15.0},
    ]},
    {"host": "Bea", "place": "Olm", "bill": 30.0, "themes": ["fish"], "courses": [
        {"dish": "Soup", "quantity": 2, "price": 5.0},
        {"dish": "Perch", "quantity": 1, "price": 15},
        {"dish": "Tart", "price": 6.0},
    ]},
    {"host": "Cleo", "place": "Rann", "bill": 12.0, "themes": [], "courses": [
        {"dish": "Tart", "quantity": 2, "price": 6.0},
    ]},
    {"host": "Dan", "place": "Rann", "bill": 8.0, "themes": [], "courses": []},
]  # fmt: skip
OPEN = {"host": "Eve", "place": "Ulm", "bill": 50.0, "themes": ["spring"]}


@pytest.fixture(scope="module")
def meals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    yield from _open(tmp_path_factory, MEALS)


@pytest.fixture(scope="module")
def partly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    yield from _open(tmp_path_factory, [*MEALS, OPEN])


@pytest.fixture(params=["meals", "partly"], ids=["all known", "a list unknown"])
def both(request: pytest.FixtureRequest) -> Corpus:
    corpus: Corpus = request.getfixturevalue(request.param)
    return corpus


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    yield from _open(tmp_path_factory, [*MEALS, OPEN, OPEN | {"host": "Finn"}])


@pytest.fixture(scope="module")
def silent_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    first = {name: value for name, value in MEALS[0].items() if name != "place"}
    yield from _open(tmp_path_factory, [first, *MEALS[1:]])


@pytest.fixture(scope="module")
def huts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    fees = ([("adult", 5, 2024), ("dog", 15, 2023)], [("adult", 5, 2024), ("dog", 5, 2024)])
    repairs: list[dict[str, object]] = [{"kind": "roof", "cost": 700}, {"kind": "door", "cost": 90}]
    huts: list[dict[str, object]] = [
        {"hut": name, "warden": warden, "fees": [
            {"who": who, "fee": fee, "year": year} for who, fee, year in own
        ], "repairs": done}
        for name, warden, own, done in (
            ("Olm", "Ada", fees[0], repairs), ("Rann", "Bea", fees[1], repairs[:1]),
            ("Ulm", "Ada", [("dog", 10, 2024)], []), ("Zell", "Cy", [], []),
        )
    ]  # fmt: skip
    yield from _open(tmp_path_factory, huts, "huts")


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    tours = [
        ("Ada", "Ulm", "failed", [("Skye", "cancelled"), ("Mull", "passed")]),
        ("Bea", "Ulm", "closed", [("Oban", "passed"), ("Mull", "failed")]),
        ("Cy", "Rann", "closed", [("Skye", "failed"), ("Mull", "passed"), ("Iona", "cancelled")]),
    ]
    keys = ("guide", "place", "state", "stops")
    records: list[dict[str, object]] = [
        dict(zip(keys, (*of, [{"stop": x, "outcome": y} for x, y in stops]), strict=True))
        for *of, stops in tours
    ]
    yield from _open(tmp_path_factory, records, "tours")


def _open(
    factory: pytest.TempPathFactory, records: Sequence[Mapping[str, object]], name: str = "meals"
) -> Iterator[Corpus]:
    folder = Path(factory.mktemp("kitchen")) / name
    folder.mkdir()
    (folder / f"{name}.json").write_text(json.dumps(records))
    settings = Settings(workers=1, home=factory.mktemp("home"))
    ingest(folder, settings)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def said(corpus: Corpus, sql: str) -> tuple[str, list[str]]:
    page = corpus.select(sql)
    found = find_grounds(corpus, read_query(sql, corpus.schema()), page)
    assert found.denominator is not None
    return render_denominator(found.denominator), list(found.notes)


# -- denominators ---------------------------------------------------------------------------------


def test_a_query_of_a_list_says_over_how_many_rows_of_how_many_documents(meals: Corpus) -> None:
    assert said(meals, "SELECT count(*) FROM meals_courses") == (
        "Over all 6 courses of 3 of 4 documents (1 list none); none is left out as unknown.", [],
    )  # fmt: skip
    assert said(meals, "SELECT avg(price) FROM meals_courses WHERE dish = 'Soup'")[0] == (
        "Over the 2 of 6 courses of 3 of 4 documents (1 list none) with dish = 'Soup';"
        " none is left out as unknown."
    )


def test_the_gaps_of_a_column_of_a_list_are_counted_by_rows(meals: Corpus) -> None:
    coverage, _ = said(meals, "SELECT sum(quantity) FROM meals_courses WHERE price > 5")

    assert coverage == (
        "Over the 4 of 6 courses of 3 of 4 documents (1 list none) with price > 5;"
        " quantity: 3 used, 1 without a value that rules read."
    )


def test_what_a_list_that_is_not_known_could_change_is_said(partly: Corpus) -> None:
    unknown = "meals_courses: of 1 of 5 documents it is not known what they list"

    assert unknown in said(partly, "SELECT count(*) FROM meals_courses")[1]
    in_list = "document_id IN (SELECT document_id FROM meals_courses WHERE dish = 'Soup')"
    assert unknown in said(partly, f"SELECT count(*) FROM meals WHERE {in_list}")[1]
    assert unknown not in said(partly, "SELECT count(*) FROM meals_themes")[1]


@pytest.mark.parametrize(
    ("sql", "over"),
    [
        ("SELECT count(*) FROM meals_courses", "6 courses of 3 of 5 documents (1 list none)"),
        ("SELECT avg(price) FROM meals_courses", "6 courses of 3 of 5 documents (1 list none)"),
        (
            "SELECT count(*) FROM meals WHERE (SELECT value::BIGINT FROM cells WHERE"
            " cells.document_id = meals.document_id AND table_name = 'meals_courses'"
            " AND position = 0) = 0",
            None,
        ),
    ],
)
def test_where_a_list_is_not_known_the_denominator_leaves_it_open(
    partly: Corpus, sql: str, over: str | None
) -> None:
    coverage, _ = said(partly, sql)

    assert coverage.endswith("; meals_courses: 1 of 5 documents may list more.")
    assert over is None or coverage.startswith(f"Over all {over};")


def test_a_condition_on_a_list_says_which_of_its_rows_are_silent(meals: Corpus) -> None:
    in_list = "document_id IN (SELECT document_id FROM meals_courses WHERE quantity > 3)"
    _, notes = said(meals, f"SELECT count(*) FROM meals WHERE {in_list}")

    assert notes == ["meals_courses.quantity: 1 of 6 rows do not say it"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT place, count(*) FROM meals_courses JOIN meals USING (document_id) GROUP BY 1",
        "SELECT count(*) FROM meals_courses JOIN meals USING (document_id) WHERE place = 'Olm'",
        "SELECT count(*) FROM meals_courses WHERE document_id IN"
        " (SELECT document_id FROM meals WHERE place = 'Olm')",
    ],
)
def test_that_none_is_left_out_is_not_said_where_a_joined_table_has_gaps(
    silent_place: Corpus, sql: str
) -> None:
    coverage, notes = said(silent_place, sql)

    assert "none is left out" not in coverage
    assert notes[0] == "meals.place: 1 of 4 rows do not say it"
    host = sql.replace("place", "host")
    assert "none is left out" in said(silent_place, host)[0]


ROWS = "meals_courses c JOIN meals m ON m.document_id = c.document_id"


@pytest.mark.parametrize(
    ("sql", "n"),
    [
        (f"SELECT sum(c.price) FROM {ROWS}", None),
        (f"SELECT sum(c.price) FROM {ROWS} WHERE m.place = 'Olm'", 5),
        ("SELECT sum(price) FROM meals JOIN meals_courses USING (document_id)"
         " WHERE place = 'Olm' AND dish = 'Soup'", 2),
        (f"SELECT sum(price) FROM (SELECT c.*, m.bill FROM {ROWS}) WHERE bill < 50", 4),
        ("SELECT sum(price) FROM meals_courses LEFT JOIN meals USING (document_id)", None),
    ],
)  # fmt: skip
def test_rows_joined_with_their_records_are_counted(meals: Corpus, sql: str, n: int | None) -> None:
    coverage, _ = said(meals, sql)
    over = "Over all 6 courses" if n is None else f"Over the {n} of 6 courses"
    assert coverage.startswith(f"{over} of 3 of 4 documents (1 list none)")


@pytest.mark.parametrize(
    "joined",
    [
        "meals LEFT JOIN meals_courses c USING (document_id)",  # Dan has none, and a row
        "meals JOIN meals_courses c ON meals.bill > c.price",
        "meals JOIN meals_courses c ON c.document_id = 'a'",
        "meals_courses c JOIN meals_themes t USING (document_id)",
        "meals m JOIN meals_courses c USING (document_id) JOIN meals_themes t USING (document_id)",
        f"{ROWS} AND m.bill > c.price",
    ],
)
def test_rows_that_a_join_makes_otherwise_are_not_counted(meals: Corpus, joined: str) -> None:
    coverage, _ = said(meals, f"SELECT sum(c.price) FROM {joined}")
    assert coverage.endswith("was not counted: it joins tables.")


# -- joins ----------------------------------------------------------------------------------------


def test_a_sum_over_a_join_is_noted_with_each_row_once(meals: Corpus) -> None:
    _, notes = said(meals, "SELECT sum(bill) FROM meals JOIN meals_courses USING (document_id)")

    assert notes == [
        "SUM(bill) takes a row of meals several times, as joins repeat it; with each once: 142"
    ]


def test_groups_are_told_that_are_otherwise_with_each_row_once(meals: Corpus) -> None:
    joined = "meals JOIN meals_courses USING (document_id)"
    _, notes = said(meals, f"SELECT place, sum(bill) FROM {joined} GROUP BY 1")

    [note] = notes
    assert note.endswith("as joins repeat it; with each once: Olm — 130")


def test_a_join_that_repeats_nothing_is_not_noted(meals: Corpus) -> None:
    joined = "meals JOIN meals_courses c USING (document_id)"

    assert said(meals, f"SELECT sum(bill) FROM {joined} WHERE c.dish = 'Tart'")[1] == []
    assert said(meals, f"SELECT sum(price) FROM {joined}")[1] == []


def test_a_count_over_a_join_says_what_it_counts_and_how_many_records_these_are(
    meals: Corpus,
) -> None:
    joined = "meals m JOIN meals_courses c USING (document_id)"
    counts = "COUNT(*) counts rows of meals_courses, not of meals; with each of these once: "

    assert said(meals, f"SELECT count(*) FROM {joined}")[1] == [f"{counts}3"]
    assert said(meals, f"SELECT place, count(*) FROM {joined} GROUP BY 1")[1] == [
        f"{counts}Olm — 2"
    ]
    windowed = f"SELECT place, count(*) OVER (PARTITION BY place) FROM {joined}"
    assert said(meals, windowed)[1] == [f"{counts}Olm — 2"]
    assert said(meals, f"SELECT host, count(*) FROM {joined} GROUP BY 1")[1] == []
    assert said(meals, f"SELECT dish, count(*) FROM {joined} GROUP BY 1")[1] == []
    assert said(meals, f"SELECT count(*) FROM {joined} WHERE c.dish = 'Tart'")[1] == []


def test_a_count_over_a_join_is_answered_with_what_it_counts(meals: Corpus) -> None:
    model = replying([reply("SELECT count(*) FROM meals JOIN meals_courses USING (document_id)")])
    answer = ask(meals, "How many meals have courses?", Asking(model))

    assert answer.rows == ((6,),)
    assert answer.assumptions == (
        "COUNT(*) counts rows of meals_courses, not of meals; with each of these once: 3",
    )


def test_that_a_join_is_not_understood_is_said(meals: Corpus) -> None:
    _, notes = said(meals, "SELECT sum(bill) FROM (meals JOIN meals_courses USING (document_id))")

    assert notes == [
        "SUM(bill) may take a row several times, as joins repeat it; what it is with each once was"
        " not worked out"
    ]


def test_the_tables_that_joins_know_are_those_of_a_build(meals: Corpus) -> None:
    known = key_tables(meals.schema())

    assert {name: set(table.columns) for name, table in known.items()} == {
        name: set(columns) for name, columns in meals.tables().items()
    }


def test_a_union_in_a_subquery_is_noted_and_no_reason_to_refuse(meals: Corpus) -> None:
    parts = "SELECT bill AS n FROM meals UNION ALL SELECT 2 * bill FROM meals"
    sql = f"SELECT sum(n) FROM ({parts})"
    model = replying([reply(sql)])
    found = anyio.run(translate_question, model, meals, "What are all bills and their doubles?")

    assert found.page.rows == meals.select(sql).rows
    assert said(meals, sql)[1] == [
        "SUM(n) may take a row several times, as a union may repeat it; what it is with each once"
        " was not worked out"
    ]


# -- with a model ---------------------------------------------------------------------------------


def reply(sql: str | None, *missing: str) -> str:
    return json.dumps({"missing": missing, "sql": sql})


REPEATING = "SELECT avg(bill) FROM meals JOIN meals_courses USING (document_id)"
ONCE = "SELECT avg(bill) FROM meals WHERE document_id IN (SELECT document_id FROM meals_courses)"


def test_a_translation_that_repeats_rows_is_put_right_by_the_model(meals: Corpus) -> None:
    model = replying([reply(REPEATING), reply(ONCE)])
    found = anyio.run(translate_question, model, meals, "What is the average bill?")

    assert found.page.rows == ((47.333333333333336,),)
    [correction] = model.prompts[-1].corrections
    assert "AVG(bill) takes a row of meals several times" in correction.message


def test_a_translation_that_goes_on_repeating_rows_is_refused(meals: Corpus) -> None:
    model = replying([reply(REPEATING)] * 3)

    with pytest.raises(QuestionError, match="takes a row of meals several times"):
        anyio.run(translate_question, model, meals, "What is the average bill?")


def test_a_translation_whose_join_is_not_understood_is_refused(meals: Corpus) -> None:
    unclear = "SELECT avg(bill) FROM (meals JOIN meals_courses USING (document_id))"
    model = replying([reply(unclear)] * 3)

    with pytest.raises(QuestionError, match="may take a row several times"):
        anyio.run(translate_question, model, meals, "What is the average bill?")


def test_a_prompt_holds_both_tables_and_their_key(meals: Corpus) -> None:
    model = replying([reply(ONCE)])
    anyio.run(translate_question, model, meals, "What is the average bill with a Soup?")
    prompt = model.prompts[0].content

    assert "Tables with several rows of a record (document_id, position)." in prompt
    assert "Table `meals_courses`: courses:\n- " in prompt
    assert "- quantity (integer)" in prompt
    assert "meals_courses.dish: 'Soup' (2)" in prompt


def test_a_list_of_which_a_question_has_no_word_is_shown_by_its_names(meals: Corpus) -> None:
    model = replying([reply(ONCE)])
    anyio.run(translate_question, model, meals, "What is the average bill?")
    prompt = model.prompts[0].content

    assert "Table `meals_courses`: courses:\nOther columns: " in prompt
    assert "quantity (integer)" in prompt


# -- without a model ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many meals contain a Soup?", [(2,)]),
        ("How many meals have no courses?", [(1,)]),
        ("Which hosts had the Perch?", [("Ada",), ("Bea",)]),
        ("What is the average bill of the meals with a Tart?", [(21.0,)]),
        ("What is the average price of the courses?", [(8.666666666666666,)]),
        ("What is the highest price of a course?", [(15.0,)]),
        ("Which theme is the most common?", [("fish",)]),
        ("How many Perch were sold?", [(5,)]),
        ("How many Perch did Bea order?", [(1,)]),
        ("Which course sold most?", [("Soup",)]),
        ("How many meals are there?", [(4,)]),
        ("What is the total bill?", [(150.0,)]),
    ],
)
def test_a_simple_question_is_answered(meals: Corpus, question: str, rows: list[object]) -> None:
    answer = ask(meals, question)

    assert (sorted(answer.rows), answer.warnings) == (rows, ())


@pytest.mark.parametrize(
    "question",
    [
        "How many themes are there?",  # rows, or different ones
        "How many courses were sold?",  # rows, or plates
        "What is the total price of all meals?",  # that of the courses, perhaps
        "What is the highest price?",
        "How many Perch are there in the meals?",
        "How many meals contain a Soup and a Tart?",  # in one course?
        "How many meals contain more than 3 Soup?",
        "What is the total bill of the courses?",
        "How many guests had the Soup?",
        "How many puddings were sold?",
        "What is the price of the meals?",
        # several rows of one record, each of which may be so
        "How many meals had soup and perch?",
        "Which meals had both soup and tart?",
        "How many meals do not have soup and perch?",
        "How many meals have more than 3 quantity?",
        # a denial of one row, where another may be so
        "Which dishes were not served in Olm?",
        "How many meals have no tart?",
        # different things, not different numbers of them
        "How many different courses did Ada have?",
        # a value of one list, pieces of another
        "How many fish were there?",
        # rows of which each may stand for several
        "How many soups per place?",
        "How many courses per place?",
        "Were there more soups than tarts?",
    ],
)
def test_what_is_not_sure_is_refused(meals: Corpus, question: str) -> None:
    assert ask(meals, question).refused


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        pytest.param("How many tours were cancelled?", [], id="of rows, said of records"),
        pytest.param("How many tours with Skye failed?", [], id="of records and of rows"),
        pytest.param("How many stops in Ulm are closed?", [], id="of records, of rows"),
        pytest.param("How many stops were cancelled?", [(2,)], id="of rows"),
        pytest.param("How many stops are in Ulm?", [(4,)], id="of records, as all of them"),
        pytest.param("How many tours with Skye are there?", [(2,)], id="what is listed"),
    ],
)
def test_what_is_done_with_a_row_is_not_said_of_its_record(
    tours: Corpus, question: str, rows: list[object]
) -> None:
    answer = ask(tours, question)
    assert ([*answer.rows], answer.refused) == (rows, not rows), answer.text


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many repairs per warden?", [("Ada", 2), ("Bea", 1), ("Cy", 0)]),
        ("What is the average fee?", [(8.0,)]),
        ("What is the total fee?", [(40.0,)]),
        ("What is the highest fee?", [(15.0,)]),
        ("What is the average fee for a dog?", [(10.0,)]),
        ("What percentage of the fees is above 5?", [(40.0,)]),
        ("How many fees are there?", [(5,)]),
        ("What is the average number of fees?", [(1.25,)]),
        ("How many huts have exactly one fee?", [(1,)]),
        ("How many huts have more than one fee?", [(2,)]),
        ("How many huts have no repairs?", [(2,)]),
        # of one row, which the count of them does not say
        ("How many huts have a fee above 5?", None),
        ("How many huts have a fee of 15?", None),
        ("How many huts have fees from 2024?", None),
        ("Which hut has the highest fee?", None),
        ("How many huts have a repair above 500?", None),
        ("How many huts have repairs from 2024?", None),
        ("What is the average repair?", None),
    ],
)
def test_a_word_for_rows_and_a_number_in_them_is_the_number_where_nothing_counts(
    huts: Corpus, question: str, rows: list[object] | None
) -> None:
    answer = ask(huts, question)
    assert ([*answer.rows] if not answer.refused else None) == rows, answer.text


def test_an_answer_says_of_how_many_documents_a_list_is_not_known(partly: Corpus) -> None:
    unknown = "meals_courses: of 1 of 5 documents it is not known what they list"

    assert unknown in ask(partly, "How many meals contain a Soup?").assumptions
    assert unknown in ask(partly, "What is the average number of courses?").assumptions


def test_a_list_that_is_not_known_of_many_documents_answers_nothing(silent: Corpus) -> None:
    answer = ask(silent, "How many meals contain a Soup?")

    assert "of 2 of 6 documents it is not known what meals_courses they have" in answer.text


def test_a_list_of_which_an_item_is_not_read_may_list_more(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = Path(tmp_path_factory.mktemp("homes")) / "surveys"
    folder.mkdir()
    faults = ["wet sill", "bent rail", "dry joint"]
    for n in range(12):
        own = [f"- {faults[(n + k) % 3]} (grade {1 + k})" for k in range(1 + n % 3)]
        odd = ["- see annex"] if n == 5 else []
        text = "\n".join([f"# Survey {n}", "", "## Faults", "", *own, *odd])
        (folder / f"s{n}.md").write_text(text)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings)
    with QueryPool() as worker:
        answer = ask(Corpus(folder, worker, settings.home), "How many faults are there?")

    assert answer.rows == ((24,),)
    assert "surveys_faults: 1 of 12 documents may list more" in answer.warnings


def test_an_empty_list_of_json_states_that_there_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "episodes"
    folder.mkdir()
    people = [{"name": "Sara", "country": "Peru"}, {"name": "Kofi", "country": "Ghana"}]
    people += [{"name": "Rita", "country": "Spain"}]
    sponsors = ["Bloomly", "Kaffa", "NordCloud"]
    for n in range(24):
        content = {
            "title": f"Talk {n}",
            "downloads": 100 + 7 * n,
            "guests": people[n % 3 :][: n % 4],
            "sponsors": sponsors[n % 3 :][: n % 3],
        }
        (folder / f"{n:02}.json").write_text(json.dumps(content))
    settings = Settings(workers=1, home=tmp_path / "home")
    ingest(folder, settings)
    with QueryPool() as worker:
        corpus = Corpus(folder, worker, settings.home)
        [guests] = corpus.schema().children
        listed = corpus.list_statistics(guests.entity)
        [kaffa] = corpus.statistics(["kaffa"])
        answer = ask(corpus, "How many episodes have no guests?")
    assert (listed.n_stated, listed.n_stated_absent, listed.n_not_mentioned) == (18, 6, 0)
    assert (kaffa.n_records, kaffa.n_not_mentioned) == (24, 0)
    assert (answer.rows, answer.warnings) == (((6,),), ())


BATCHES = [
    {"label": label, "brewed": f"{year}-05-01", "style": style, "brewers": brewers,
     "orders": [{"shop": shop, "crates": crates} for shop, crates in orders]}
    for label, year, style, brewers, orders in (
        ("Old Cat", 2023, "stout", ["Ada", "Bea"], [("Olm", 3), ("Rann", 2)]),
        ("Old Cat", 2023, "stout", ["Ada"], [("Olm", 1)]),
        ("Foggy", 2024, "ale", ["Bea", "Cy"], [("Rann", 4), ("Ulm", 4), ("Olm", 9)]),
        ("Attic", 2024, "ale", ["Cy"], []),
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """Batches, in a folder that is called after what they list."""
    yield from _open(tmp_path_factory, BATCHES, "orders")


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many orders are there?", [(6,)]),
        ("How many orders are there per style?", [("ale", 3), ("stout", 3)]),
        ("How many orders does each style have?", [("ale", 3), ("stout", 3)]),
        ("List the number of orders for each style", [("ale", 3), ("stout", 3)]),
        ("How many documents are there per style?", [("ale", 2), ("stout", 2)]),
        # rows, or the different ones: of four batches there are three brewers
        ("How many brewers are there?", None),
        ("How many brewers are there per style?", None),
        ("Number of brewers per style", None),
        ("Which style has the most brewers?", None),
        ("What is the average number of brewers?", [(1.5,)]),
        # of what is brewed no label says who did
        ("Who brewed in 2023?", None),
        ("Who brewed the most?", None),
    ],
)
def test_what_documents_list_is_no_record_that_the_folder_is_called_after(
    orders: Corpus, question: str, rows: list[object] | None
) -> None:
    answer = ask(orders, question)
    assert (sorted(answer.rows) if not answer.refused else None) == rows, answer.text


def test_what_is_listed_below_a_heading_and_not_read_is_no_record(tmp_path: Path) -> None:
    folder = tmp_path / "hops"
    folder.mkdir()
    rest = ["early, a good handful", "late; what was left of last year", "dry"]
    for n in range(12):
        own = "".join(f"- Sort {n}{k}: {rest[(n + k) % 3]}\n" for k in range(1 + n % 3))
        (folder / f"{n:02}.md").write_text(
            f"# Batch {n}\n\n- Volume: {12 + n} l\n\n## Hops\n\n{own}"
        )
    ingest(folder, Settings(workers=1))
    with QueryPool() as worker:
        hops, batches = (
            ask(Corpus(folder, worker), f"How many {noun} are there?")
            for noun in ("hops", "batches")
        )
    assert hops.refused or hops.rows == ((24,),), hops.text
    assert batches.rows == ((12,),)
