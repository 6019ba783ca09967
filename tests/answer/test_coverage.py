from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.answer import coverage
from srag_mcp.answer.answer import ColumnCoverage
from srag_mcp.answer.changes import note_changes
from srag_mcp.answer.coverage import count_coverage, render_coverage
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

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


def test_the_silent_and_the_unreadable_are_counted_apart(corpus: Corpus) -> None:
    found = count_coverage(corpus, "SELECT avg(height) FROM towers")
    assert found == (ColumnCoverage("height", n_documents=5, n_known=3, n_failed=1),)
    assert found[0].n_unknown == 1


def test_a_condition_on_another_column_restricts_the_count(corpus: Corpus) -> None:
    found = count_coverage(corpus, "SELECT avg(height) FROM towers WHERE town = 'Rann'")
    assert found == (ColumnCoverage("height", n_documents=3, n_known=1, n_failed=1),)


def test_a_document_that_says_none_of_two_columns_is_a_gap_of_both(towers: Corpus) -> None:
    sql = "SELECT count(*) FROM towers WHERE height > 20 AND NOT COALESCE(crane, false)"
    assert count_coverage(towers, sql) == (
        ColumnCoverage("height", n_documents=3, n_known=2, n_failed=0),
        ColumnCoverage("crane", n_documents=3, n_known=1, n_failed=0),
    )
    grouped = "SELECT crane, count(*) FROM towers WHERE crane AND town IS NOT NULL GROUP BY ALL"
    assert count_coverage(towers, grouped) == (
        ColumnCoverage("crane", n_documents=4, n_known=2, n_failed=0),
        ColumnCoverage("town", n_documents=4, n_known=3, n_failed=0),
    )


def test_columns_without_gaps_need_no_words(corpus: Corpus) -> None:
    assert count_coverage(corpus, "SELECT max(built) FROM towers WHERE town = 'Olm'") == ()
    sql = "SELECT avg(height) FROM towers WHERE town = 'Olm'"
    assert count_coverage(corpus, sql) == ()
    said = "Over all 5 documents; none is left out as unknown."
    assert render_coverage(corpus, sql, 0.0) == [said]


def test_columns_under_one_condition_and_under_several_are_counted_together(corpus: Corpus) -> None:
    sql = (
        "SELECT avg(height) FROM towers t WHERE t.town = 'Rann' AND t.height > 20 AND built > 1950"
    )
    assert count_coverage(corpus, sql) == (
        ColumnCoverage("height", n_documents=3, n_known=1, n_failed=1),
    )


def test_a_statement_without_columns_of_the_records_has_no_denominator(corpus: Corpus) -> None:
    assert render_coverage(corpus, "SELECT count(*) FROM documents", 0.0) == []


def test_a_slow_query_in_a_large_corpus_is_not_counted_after_its_conditions(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT avg(height) FROM towers WHERE town = 'Rann'"
    monkeypatch.setattr(coverage, "LARGE_CORPUS_DOCUMENTS", 4)
    assert render_coverage(corpus, sql, 1.0) == [
        "Over all 5 documents, before conditions (counting after them would take too long);"
        " height: 3 say, 1 do not say, 1 could not be read."
    ]


def test_a_count_of_all_documents_tells_of_those_that_could_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{SHEETS['a.txt']}\n")
    (tmp_path / "b.txt").write_text(f"{SHEETS['b.txt']}\n")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.4 broken")
    ingest(tmp_path, Settings(workers=1))
    with QueryPool() as worker:
        corpus = Corpus(tmp_path, worker)
        entity = corpus.schema().entity
        said = note_changes(corpus, f"SELECT count(*) FROM {entity}", (), None)
    assert said == ("1 of the documents could not be read",)
