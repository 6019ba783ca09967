import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.inference.answer import Bounds, ColumnCoverage, Denominator
from srag_mcp.inference.grounds import count_denominator, find_grounds
from srag_mcp.inference.unknowns import NO_BOUNDS
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.inference.conftest import SCHEMA, TOWERS

SHEETS = {
    "a.txt": "Town: Olm\nHeight: 10 m\nBuilt: 1901",
    "b.txt": "Town: Olm\nHeight: 30 m\nBuilt: 1950",
    "c.txt": "Town: Rann\nBuilt: 1980",
    "d.txt": "Town: Rann\nHeight: 50 m\nBuilt: 1990",
    "e.txt": "Town: Rann\nHeight: unmeasurable\nBuilt: 1999",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("state") / "towers"
    folder.mkdir()
    for name, text in SHEETS.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
    ingest(folder, Settings(workers=1))
    with QueryPool() as worker:
        yield Corpus(folder, worker)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """A table of 70 columns, of which each has a gap."""
    folder = tmp_path_factory.mktemp("state") / "wide"
    folder.mkdir()
    rows = (",".join((f"R{row}", *(f"{row + at}" if (row + at) % 5 else "NaN" for at in range(70))))
            for row in range(9))  # fmt: skip
    names = ",".join(("id", *(f"size_{at}" for at in range(70))))
    (folder / "wide.csv").write_text("\n".join((names, *rows)), encoding="utf-8")
    ingest(folder, Settings(workers=1))
    with QueryPool() as worker:
        yield Corpus(folder, worker)


def test_a_star_of_many_columns_is_counted_whatever_it_is_restricted_by(wide: Corpus) -> None:
    found = denominator_of(wide, "SELECT * FROM wide WHERE size_3 > 5 AND size_4 < 1000")
    assert found is not None
    assert (found.n_selected, len(found.columns)) == (4, 70)


@pytest.mark.parametrize("outputs", ["sum(COLUMNS('size_.*'))", "* RENAME (id AS name)"])
def test_gaps_of_columns_without_a_name_are_not_denied(wide: Corpus, outputs: str) -> None:
    facts = read_query(f"SELECT {outputs} FROM wide", wide.schema())
    said = " ".join(find_grounds(wide, facts, wide.select(facts.sql)).coverage)
    assert "Over all 9 documents." in said
    assert "none is left out" not in said


def denominator_of(corpus: Corpus, sql: str, query_s: float | None = None) -> Denominator | None:
    return count_denominator(corpus, read_query(sql, corpus.schema()), query_s)


def columns_of(corpus: Corpus, sql: str) -> tuple[ColumnCoverage, ...]:
    found = denominator_of(corpus, sql)
    assert found is not None
    return found.columns


def test_the_silent_and_the_unreadable_are_counted_apart(corpus: Corpus) -> None:
    found = columns_of(corpus, "SELECT avg(height) FROM towers")
    assert found == (ColumnCoverage("height", n_used=3, n_unknown=1, n_failed=1),)


@pytest.mark.parametrize(
    ("condition", "n", "bounds"),
    [("height IS NULL", 2, Bounds(0, 2)), ("height IS NOT NULL", 3, Bounds(3, 5)),
     ("height IS NULL AND town = 'Rann'", 2, Bounds(0, 2)), ("town IS NULL", 0, None)],
)  # fmt: skip
def test_what_was_not_found_or_not_read_is_not_known_to_be_absent(
    corpus: Corpus, condition: str, n: int, bounds: Bounds | None
) -> None:
    facts = read_query(f"SELECT count(*) FROM towers WHERE {condition}", corpus.schema())
    page = corpus.select(facts.sql)
    assert (page.rows, find_grounds(corpus, facts, page).bounds) == (((n,),), bounds)


def test_a_condition_on_another_column_restricts_the_count(corpus: Corpus) -> None:
    found = denominator_of(corpus, "SELECT avg(height) FROM towers WHERE town = 'Rann'")
    height = ColumnCoverage("height", n_used=1, n_unknown=1, n_failed=1)
    assert found == Denominator(5, n_selected=3, columns=(height,), conditions="town = 'Rann'")


def test_a_document_that_says_none_of_two_columns_is_a_gap_of_both(towers: Corpus) -> None:
    sql = "SELECT count(*) FROM towers WHERE height > 20 AND NOT COALESCE(crane, false)"
    assert columns_of(towers, sql) == (
        ColumnCoverage("height", n_used=2, n_unknown=1, n_failed=0),
        ColumnCoverage("crane", n_used=0, n_unknown=2, n_failed=0),
    )
    grouped = "SELECT crane, count(*) FROM towers WHERE crane AND town IS NOT NULL GROUP BY ALL"
    assert columns_of(towers, grouped) == (
        ColumnCoverage("crane", n_used=2, n_unknown=2, n_failed=0),
        ColumnCoverage("town", n_used=1, n_unknown=1, n_failed=0),
    )


def test_what_may_be_excluded_is_not_used(towers: Corpus) -> None:
    assert columns_of(towers, "SELECT avg(height) FROM towers WHERE crane") == (
        ColumnCoverage("crane", n_used=3, n_unknown=2, n_failed=0),
    )
    listed = "SELECT sum(height) FROM towers WHERE town IN (SELECT town FROM towers WHERE lift)"
    assert columns_of(towers, listed) == (
        ColumnCoverage("town", n_used=4, n_unknown=1, n_failed=0),
    )


@pytest.mark.parametrize(
    ("amount", "used", "left_out"),
    [
        ("sum(NULLIF(height, 30))", 2, 1),
        ("sum(CASE WHEN height > 20 THEN height END)", 3, 0),
        ("sum(CASE built WHEN 1950 THEN height END), sum(IF(built > 1985, height, NULL))", 3, 0),
        ("count(height), sum(NULLIF(height, 30))", 2, 1),
        ("sum(height) FILTER (built > 1950), count(*)", 1, 0),
        ("sum(CASE WHEN built > 1950 THEN height END), count(*)", 1, 0),
        ("sum(height) FILTER (built > 1950), max(height) FILTER (built = 1950), count(*)", 2, 0),
        ("sum(height) FILTER (built > 1950), max(height), count(*)", 3, 0),
        ("count(*) FILTER (NULLIF(height, 30) > 20)", 2, 1),
    ],
)
def test_what_is_used_is_what_the_amount_is_made_of(
    corpus: Corpus, amount: str, used: int, left_out: int
) -> None:
    [found] = columns_of(corpus, f"SELECT {amount} FROM towers")
    assert (found.n_used, found.n_left_out) == (used, left_out)
    assert (found.n_unknown, found.n_failed) == (1, 1)


def test_the_gaps_of_an_amount_are_of_the_rows_that_it_takes(corpus: Corpus) -> None:
    gaps = [
        [
            (x.n_used, x.n_unknown, x.n_failed)
            for x in columns_of(corpus, f"SELECT {of} FROM towers")
        ]
        for of in (
            "sum(CASE WHEN built = 1950 THEN height END)",
            "sum(CASE WHEN built = 1980 THEN height END)",
            "sum(CASE WHEN built > 1980 THEN height END)",
        )
    ]
    assert gaps == [[], [(0, 1, 0)], [(1, 0, 1)]]


def test_a_column_without_gaps_has_values_that_are_left_out(corpus: Corpus) -> None:
    facts = read_query("SELECT avg(NULLIF(built, 1990)) FROM towers", corpus.schema())
    [said] = find_grounds(corpus, facts, corpus.select(facts.sql)).coverage
    assert said == (
        "Over all 5 documents;"
        " built: 4 used, 1 left out, of which NULLIF(built, 1990) makes nothing."
    )


def test_columns_without_gaps_need_no_words(corpus: Corpus) -> None:
    assert columns_of(corpus, "SELECT max(built) FROM towers WHERE town = 'Olm'") == ()
    sql = "SELECT avg(height) FROM towers WHERE town = 'Olm'"
    assert denominator_of(corpus, sql) == Denominator(5, n_selected=2, conditions="town = 'Olm'")


def test_columns_under_one_condition_and_under_several_are_counted_together(corpus: Corpus) -> None:
    sql = (
        "SELECT avg(height) FROM towers t WHERE t.town = 'Rann' AND t.height > 20 AND built > 1950"
    )
    assert columns_of(corpus, sql) == (ColumnCoverage("height", n_used=1, n_unknown=1, n_failed=1),)


@pytest.mark.parametrize(
    "sql", ["SELECT count(*) FROM documents", "SELECT value FROM cells WHERE attribute = 'height'"]
)
def test_a_statement_that_reads_no_record_has_no_denominator(corpus: Corpus, sql: str) -> None:
    assert denominator_of(corpus, sql) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT avg(height) FROM towers USING SAMPLE 2 ROWS",
        "SELECT avg(height) FROM (FROM towers LIMIT 2)",
        "SELECT avg(height) FROM towers, cells",
        "PIVOT towers ON built IN (1901) USING avg(height) ORDER BY 1",
    ],
)
def test_a_query_over_a_part_of_the_documents_has_no_counts(corpus: Corpus, sql: str) -> None:
    found = denominator_of(corpus, sql)
    assert found is not None
    assert found == Denominator(5, uncounted=found.uncounted)
    assert found.uncounted


def test_a_slow_query_in_a_large_corpus_is_not_counted_after_its_conditions(corpus: Corpus) -> None:
    sql = "SELECT avg(height) FROM towers WHERE town = 'Rann'"
    height = ColumnCoverage("height", n_used=3, n_unknown=1, n_failed=1)
    assert denominator_of(corpus, sql, 1.0) == Denominator(
        5, columns=(height,), before_conditions=True
    )


def test_a_count_of_all_documents_tells_of_those_that_could_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{SHEETS['a.txt']}\n")
    (tmp_path / "b.txt").write_text(f"{SHEETS['b.txt']}\n")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.4 broken")
    ingest(tmp_path, Settings(workers=1))
    with QueryPool() as worker:
        corpus = Corpus(tmp_path, worker)
        page = corpus.select(sql := f"SELECT count(*) FROM {corpus.schema().entity}")
        said = find_grounds(corpus, read_query(sql, corpus.schema()), page).notes
    assert said == ("1 file could not be read, and no record is of it",)


@pytest.mark.parametrize(
    ("are_rows", "said"),
    [
        (
            False,
            {
                "count(*) FROM towers WHERE height > 20": Bounds(2, 4),
                "sum(height) FROM towers": Bounds(110, 210, (10, 50), or_none=True),
                "avg(height) FROM towers WHERE town = 'Olm'": Bounds(50 / 3, 30, (10, 50)),
                "max(height) FROM towers": ("it may be higher: that is not known of 2 documents",),
            },
        ),
        (
            True,
            {
                "sum(height) FROM towers": (
                    "nobody knows how many rows the files hold that could not be read",
                    NO_BOUNDS,
                )
            },
        ),
    ],
)
def test_a_file_that_could_not_be_read_is_unknown_in_every_bound(
    tmp_path: Path, are_rows: bool, said: dict[str, Bounds | tuple[str, ...]]
) -> None:
    folder = tmp_path / "towers"
    folder.mkdir()
    texts = [json.dumps(tower) for tower in TOWERS[:-1]] + ['{"town": "Rann", "height": 20}']
    for n, text in enumerate(["\n".join(3 * texts)] if are_rows else texts):
        (folder / f"{n}.json{'l' * are_rows}").write_text(text)
    (folder / f"broken.json{'l' * are_rows}").write_text("{")
    ingest(folder, Settings(workers=1), schema=SCHEMA)
    with QueryPool() as worker:
        corpus = Corpus(folder, worker)
        for query, expected in said.items():
            facts = read_query(f"SELECT {query}", corpus.schema())
            grounds = find_grounds(corpus, facts, corpus.select(facts.sql))
            notes = grounds.notes[: len(grounds.notes) - 1]
            found = notes if isinstance(expected, tuple) else grounds.bounds
            assert (query, found) == (query, expected)


@pytest.fixture(scope="module")
def kilns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("none") / "kilns"
    folder.mkdir()
    rows = ["A,40,3,", "B,,4,north", "C,60,n/a,", "D,,,south", "E,90,5,n/a"]
    (folder / "kilns.csv").write_text("name,volume,doors,side\n" + "\n".join(rows) + "\n")
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT sum(volume) FROM kilns", ["volume: 3 used, 2 have none."]),
        (
            "SELECT * FROM kilns WHERE name = 'D'",
            ["volume: 0 used, 1 has none; doors: 0 used, 1 has none."],
        ),
        ("SELECT median(volume) FROM kilns", ["volume: 3 used, 2 have none."]),
        ("SELECT count(*) FROM kilns WHERE volume IS NULL", ["volume: 3 used, 2 have none."]),
        ("SELECT count(*) FROM kilns WHERE NOT volume > 50", ["volume: 3 used, 2 have none."]),
        ("SELECT name FROM kilns ORDER BY volume LIMIT 1", ["volume: 3 used, 2 have none."]),
        ("SELECT volume, count(*) FROM kilns GROUP BY volume", ["volume: 3 used, 2 have none."]),
        ("SELECT stddev(volume) FROM kilns", ["volume: 3 used, 2 have none."]),
        (
            "SELECT sum(doors) FROM kilns",
            [
                "doors: 3 used, 1 has none, 1 without a value that rules read.",
                "If those without a value add nothing, or lie between 3 and 5, as the others do:"
                " 12 to 17.",
            ],
        ),
        (
            "SELECT count(*) FROM kilns WHERE volume > 50 AND doors > 4",
            [
                "volume: 1 used, 1 has none (of those that other conditions leave);"
                " doors: 1 used, 1 without a value that rules read (of those that other conditions"
                " leave).",
                "Whatever they would say: 1 to 2.",
            ],
        ),
    ],
)
def test_those_that_say_that_there_is_none_are_told_apart_and_open_no_bounds(
    kilns: Corpus, sql: str, said: list[str]
) -> None:
    found = find_grounds(kilns, read_query(sql, kilns.schema()), kilns.select(sql))
    assert " ".join(found.coverage).endswith(" ".join(said))
    assert [note for note in found.notes if "sum" not in note] == []


def test_what_filters_of_aggregates_leave_is_not_left_out_of_the_query(kilns: Corpus) -> None:
    sql = "SELECT count(*) FILTER (doors > 3), count(*) FILTER (doors < 4) FROM kilns"
    [said] = find_grounds(kilns, read_query(sql, kilns.schema()), kilns.select(sql)).coverage
    gaps = "doors: 3 used, 1 has none, 1 without a value that rules read"
    assert said == f"Over all 5 documents; {gaps}."


BEYOND = ("lead may lie beyond its values: some could not be read", NO_BOUNDS)


@pytest.mark.parametrize(
    ("sql", "notes", "bounds"),
    [
        ("SELECT avg(lead) FROM wells", BEYOND, None),
        ("SELECT sum(lead) FROM wells", BEYOND, None),
        ("SELECT avg(lead) FROM wells WHERE lead > 7", BEYOND, None),
        ("SELECT avg(lead) FROM wells WHERE name <> 'A'", (), None),
    ],
)
def test_what_could_not_be_read_has_no_bounds_among_the_others(
    tmp_path: Path, sql: str, notes: tuple[str, ...], bounds: Bounds | None
) -> None:
    folder = tmp_path / "wells"
    folder.mkdir()
    rows = ["A,<1,12,3 m,2 m", "B,9,30,9 m,4 m", "C,7,over 30,over 5 km,over 300 cm",
            "D,8,15,7 m,4 m"]  # fmt: skip
    header = "name,lead,iron,depth,width\n"
    (folder / "wells.csv").write_text(header + "\n".join(rows) + "\n")
    ingest(folder, Settings(workers=1))
    with QueryPool() as worker:
        corpus = Corpus(folder, worker)
        found = find_grounds(corpus, read_query(sql, corpus.schema()), corpus.select(sql))
    assert (found.notes, found.bounds) == (notes, bounds)
