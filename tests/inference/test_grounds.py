from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.errors import QueryTimeoutError
from srag_mcp.inference import grounds
from srag_mcp.inference.grounds import Grounds, find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import QueryFacts, read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool


def grounds_of(corpus: Corpus, sql: str) -> Grounds:
    facts = read_query(sql, corpus.schema())
    return find_grounds(corpus, facts, corpus.select(sql), is_quick=True)


def test_a_query_of_somebody_else_has_what_an_answer_has(towers: Corpus) -> None:
    found = grounds_of(towers, "SELECT count(*) FROM towers WHERE NOT lift AND crane")
    assert found.coverage == [
        "Over all 5 documents; crane: 2 used, 2 without a value that rules read (of those that"
        " other conditions leave).",
        "Whatever they would say: 1 to 3.",
    ]
    assert found.notes == ("lift: not mentioned counts as no (2 of 4 documents)",)
    assert grounds_of(towers, "SELECT stddev(height) FROM towers").notes == (
        "bounds are not worked out for this kind of query",
    )


def test_a_query_without_columns_of_the_records_has_no_grounds(towers: Corpus) -> None:
    assert grounds_of(towers, "SELECT count(*) FROM documents") == Grounds()


NAMES = ("Acme Ltd", "ACME LIMITED", "Acme", "Borel Inc.", "Borel", "Corvin")


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Corpus]:
    folder, settings = tmp_path / "notes", Settings(workers=1, home=tmp_path / "home")
    folder.mkdir()
    lines = ("issuer,pages", *(f"{name},{number}" for number, name in enumerate(NAMES)))
    (folder / "notes.csv").write_text("\n".join(lines))
    ingest(folder, settings)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def test_an_answer_says_once_that_its_name_has_several_spellings(notes: Corpus) -> None:
    acme = "issuer: “Acme Ltd” is also “ACME LIMITED”, “Acme”"
    borel = "issuer: “Borel Inc.” is also “Borel”"
    said = {
        "count(*) FROM notes WHERE issuer <> 'Acme Ltd'": (acme,),
        "sum(pages) FROM notes WHERE issuer ILIKE 'bor%'": (borel,),
        "issuer, sum(pages) FROM notes GROUP BY 1 ORDER BY 2 DESC LIMIT 1": (borel,),
        "count(DISTINCT issuer) FROM notes": (acme, borel),
        "sum(pages) FROM notes": (),
        "issuer FROM notes WHERE issuer = 'Corvin'": (),
    }
    assert {sql: grounds_of(notes, f"SELECT {sql}").notes for sql in said} == said


@pytest.mark.parametrize("key", ["'all'", "2.5", "town, 'all'", "1, 2.5"])
def test_a_group_by_a_constant_keeps_its_rows_and_its_denominator(towers: Corpus, key: str) -> None:
    sql = f"SELECT town, count(*) FROM towers WHERE height > 20 GROUP BY {key}"
    sql = sql.replace("SELECT town", f"SELECT {key}") if key[0] in "'2" else sql
    said = grounds_of(towers, sql)
    assert said.coverage[0].startswith("Over the 2 of 5 documents with height > 20; ")
    assert said.notes[0].startswith(("each count may be up to", "bounds are not worked out"))


def test_a_query_with_backticks_has_its_denominator(towers: Corpus) -> None:
    quoted = grounds_of(towers, "SELECT `town`, avg(`height`) FROM towers GROUP BY 1")
    assert quoted == grounds_of(towers, 'SELECT "town", avg("height") FROM towers GROUP BY 1')
    assert quoted.coverage


def test_rows_stay_where_what_is_said_of_them_cannot_be_worked_out(
    towers: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(corpus: Corpus, facts: QueryFacts) -> None:
        raise RuntimeError(facts.sql, corpus)

    monkeypatch.setattr(grounds, "find_unknowns", fail)
    said = grounds_of(towers, "SELECT count(*) FROM towers WHERE height > 20")
    coverage = "Over all 5 documents; height: 4 used, 1 without a value that rules read."
    assert said.coverage == [coverage]
    assert said.notes[0] == "bounds are not worked out for this kind of query"


def test_in_a_large_corpus_bounds_are_said_not_to_be_worked_out(
    towers: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounds, "LARGE_CORPUS_DOCUMENTS", 4)
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE crane AND NOT lift").notes == (
        "bounds are not worked out: in a corpus of this size it would take too long",
        "lift: not mentioned counts as no (3 of all 5 documents)",
    )
    assert grounds_of(towers, "SELECT count(*) FROM towers WHERE NOT lift").notes == (
        "lift: not mentioned counts as no (3 of all 5 documents)",
    )


def test_a_query_and_what_is_said_of_it_share_one_time_limit(towers: Corpus) -> None:
    sql = "SELECT avg(height) FROM towers WHERE crane"
    page = replace(towers.select(sql), seconds=towers.worker.limits.timeout_s)
    found = find_grounds(towers, read_query(sql, towers.schema()), page)
    assert found.coverage == ["Over how many of 5 documents was not counted: it takes too long."]
    assert found.bounds is None
    with pytest.raises(QueryTimeoutError, match="no time left"):
        towers.within(0).select(sql)
    assert towers.within(5).select(sql).rows == ((15.0,),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT avg(height) FROM towers USING SAMPLE 2 ROWS",
        "SELECT avg(height) FROM (SELECT * FROM towers LIMIT 2)",
        "PIVOT towers ON crane IN (TRUE, FALSE) USING avg(height) ORDER BY 1",
    ],
)
def test_nothing_is_said_of_a_part_of_the_documents_but_that(towers: Corpus, sql: str) -> None:
    found = grounds_of(towers, sql)
    assert found.bounds is None
    assert found.coverage[0].startswith("Over how many of 5 documents was not counted: it ")
    assert not [note for note in found.notes if "lift" not in note]
