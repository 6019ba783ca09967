import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from srag_mcp.errors import (
    CorpusError,
    QueryError,
    QueryTimeoutError,
    SchemaError,
    StoreError,
    UnknownNameError,
)
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import (
    DocumentEntry,
    Evidence,
    EvidenceFilter,
    read_reviews,
)
from srag_mcp.store.guard import QueryLimits, QueryPool
from srag_mcp.store.layout import published_build
from srag_mcp.store.values import ValueMatch
from srag_mcp.store.work import FinishedDocument, open_work
from srag_mcp.text.spans import Span
from srag_mcp.views.findings import trace_page
from srag_mcp.views.holdings import schema_page, statistics_page

Finish = Callable[..., FinishedDocument]


@pytest.fixture
def corpus(published: Path, worker: QueryPool) -> Corpus:
    return Corpus(published.parent, worker)


def test_a_corpus_knows_its_schema_tables_and_statistics(corpus: Corpus, ships: Schema) -> None:
    assert (corpus.name, corpus.info().n_documents, corpus.schema()) == ("ships", 3, ships)
    assert list(corpus.tables()) == ["ships", "documents", "cells", "passages"]
    assert corpus.tables()["ships"] == [
        "document_id",
        "name",
        "masts",
        "length",
        "has_engine",
        "launched",
    ]
    assert [item.column for item in corpus.statistics(["launched", "name"])] == ["name", "launched"]
    assert len(corpus.statistics()) == 5
    assert corpus.values().search("bittern") == [ValueMatch("name", "Bittern", 1, 1.0, "ships")]


def test_sql_from_outside_sees_the_exposed_tables_only(corpus: Corpus) -> None:
    assert corpus.select("SELECT sum(masts) FROM ships").rows == ((5,),)
    with pytest.raises(QueryError):
        corpus.select("SELECT * FROM srag_texts")


def test_a_build_alone_is_a_corpus(corpus: Corpus, tmp_path: Path, worker: QueryPool) -> None:
    copied = tmp_path / "fleet.duckdb"
    shutil.copyfile(corpus.build_path(), copied)

    alone = Corpus(copied, worker)

    assert (alone.name, alone.is_build, alone.info()) == ("fleet", True, corpus.info())
    assert alone.document_text("curlew.txt", 6, 12) == "Curlew"


def test_evidence_has_the_words_and_their_place(corpus: Corpus) -> None:
    page = corpus.trace("length", value="61.5")

    assert page.total == 1
    assert page.evidence == (
        Evidence(
            document_id="albatross.txt",
            title="albatross",
            column="length",
            state="stated",
            value="61.5",
            unit="m",
            as_stated="61.5 m",
            start=33,
            end=39,
            note="",
        ),
    )
    text = corpus.document_text("albatross.txt", 33, 39)
    assert text == page.evidence[0].as_stated


def test_evidence_can_be_narrowed_and_paged(corpus: Corpus) -> None:
    failed = corpus.trace("length", state="failed")
    assert [(item.document_id, item.note) for item in failed.evidence] == [
        ("bittern.txt", failed.evidence[0].note),
        ("dodo.pdf", "it is encrypted"),
    ]
    assert failed.evidence[0].as_stated == "rather long"
    of_one = corpus.trace("name", document_id="curlew.txt")
    assert [item.value for item in of_one.evidence] == ["Curlew"]
    second = corpus.trace("name", limit=1, offset=1)
    assert (second.total, [item.document_id for item in second.evidence]) == (4, ["bittern.txt"])
    assert corpus.trace("name", value="Nobody").evidence == ()
    with pytest.raises(SchemaError, match="no attribute 'sails'"):
        corpus.trace("sails")


@pytest.mark.parametrize(
    ("wanted", "clause"),
    [
        ({}, ""),
        (
            {"document_id": "it's.txt", "state": "failed"},
            " AND document_id = 'it''s.txt' AND state = 'failed'",
        ),
        (
            {"value": "O'Hara"},
            " AND (lower(value) = lower('O''Hara')"
            " OR TRY_CAST(value AS DOUBLE) = TRY_CAST('O''Hara' AS DOUBLE))",
        ),
        (
            {"where": "port = 'Kiel' -- both"},
            " AND document_id IN"
            " (SELECT document_id FROM \"ships\" WHERE (port = 'Kiel' -- both\n))",
        ),
    ],
)
def test_what_is_wanted_becomes_one_condition(
    corpus: Corpus, wanted: EvidenceFilter, clause: str
) -> None:
    own = " WHERE attribute = 'masts' AND table_name = 'ships'"
    assert corpus.cells_where("masts", None, wanted) == own + clause


@pytest.mark.parametrize("value", ["3", "3.0", "03"])
def test_a_number_is_traced_however_it_is_written(corpus: Corpus, value: str) -> None:
    found = corpus.trace("masts", value=value).evidence
    assert [item.document_id for item in found] == ["albatross.txt"]


def test_quotes_come_from_the_records_that_a_condition_selects(corpus: Corpus) -> None:
    assert [item.as_stated for item in corpus.quotes("name", "masts > 1")] == [
        "Albatross",
        "Curlew",
    ]
    assert len(corpus.quotes("name", "", limit=2)) == 2
    assert corpus.quotes("name", "masts > 99") == ()
    with pytest.raises(QueryError):
        corpus.quotes("name", "masts > (SELECT count(*) FROM srag_texts)")


@pytest.fixture
def changed(corpus: Corpus, tmp_path: Path, worker: QueryPool) -> Callable[[str], Corpus]:
    """Return the build as a corpus of its own, after some statements."""

    def change(sql: str) -> Corpus:
        path = tmp_path / "copied" / "fleet.duckdb"
        path.parent.mkdir()
        shutil.copyfile(corpus.build_path(), path)
        with duckdb.connect(str(path)) as connection:
            connection.execute(sql)
        return Corpus(path, worker)

    return change


def test_a_column_of_another_table_is_another_column(changed: Callable[[str], Corpus]) -> None:
    corpus = changed(
        "INSERT INTO cells SELECT * REPLACE ('crew' AS table_name, 'Ole' AS value) FROM cells"
        " WHERE attribute = 'name' AND state = 'stated';"
        "INSERT INTO srag_values VALUES ('crew', 'name', 'Ole Bittern', 3);"
        "INSERT INTO srag_statistics SELECT * REPLACE ('crew' AS table_name) FROM srag_statistics"
        " WHERE column_name = 'name'"
    )

    assert corpus.trace("name") == corpus.trace("name", "ships")
    assert [item.value for item in corpus.trace("name", state="stated").evidence] == [
        "Albatross",
        "Bittern",
        "Curlew",
    ]
    search = corpus.values().search
    assert [item.table for item in search("bittern")] == ["ships"]
    found = corpus.values().about("crew").search("bittern")
    assert found == [ValueMatch("name", "Ole Bittern", 3, 0.925, "crew")]
    with pytest.raises(SchemaError, match="no attribute 'name' of crew"):
        corpus.trace("name", "crew")
    assert [item.table for item in corpus.statistics(["name"])] == ["ships"]
    assert [item.column for item in corpus.statistics(table="crew")] == ["name"]


def test_a_build_of_an_earlier_version_has_one_table(
    corpus: Corpus, changed: Callable[[str], Corpus]
) -> None:
    tables = ("cells", "srag_values", "srag_statistics", "srag_reviews")
    earlier = changed(
        ";".join(f"ALTER TABLE {name} DROP COLUMN table_name" for name in tables)
        + "; ALTER TABLE cells DROP COLUMN position"
    )

    assert earlier.trace("name") == corpus.trace("name")
    assert earlier.quotes("name", "masts > 1") == corpus.quotes("name", "masts > 1")
    assert earlier.statistics() == corpus.statistics()
    assert earlier.values().search("bittern") == corpus.values().search("bittern")
    assert read_reviews(earlier.read) == read_reviews(corpus.read)


def test_a_build_of_an_earlier_version_has_no_passages(
    corpus: Corpus, changed: Callable[[str], Corpus]
) -> None:
    earlier = changed("DROP TABLE passages")

    assert list(earlier.tables()) == ["ships", "documents", "cells"]
    assert earlier.trace("name") == corpus.trace("name")
    with pytest.raises(QueryError, match="passages"):
        earlier.select("FROM passages")


def test_passages_are_read_in_sql(corpus: Corpus) -> None:
    found = corpus.select("FROM passages WHERE document_id = 'curlew.txt'")
    assert list(found.columns) == corpus.tables()["passages"]
    assert found.rows == (("curlew.txt", 1, None, "", 0, 44, "text"),)


def test_documents_are_found_by_id_and_by_words_of_their_title(corpus: Corpus) -> None:
    entry = DocumentEntry("curlew.txt", "curlew", "curlew.txt", "text/plain", 44)
    assert corpus.document("curlew.txt") == entry
    assert corpus.documents_like("CURL") == (entry,)
    assert corpus.document_text("dodo.pdf") == ""
    with pytest.raises(CorpusError, match=r"no document 'urlew' in ships; try: curlew\.txt"):
        corpus.document("urlew")


def test_stretches_of_several_documents_come_in_the_order_asked_for(corpus: Corpus) -> None:
    places = [
        ("curlew.txt", Span(6, 12)),
        ("albatross.txt", Span(33, 39)),
        ("curlew.txt", Span(0, 4)),
        ("nowhere.txt", Span(0, 4)),
        ("dodo.pdf", Span(0, 4)),  # it could not be read
    ]

    assert corpus.document_texts(places) == ["Curlew", "61.5 m", "name", "", ""]
    assert corpus.document_texts([]) == []


def test_places_count_characters_as_python_does(
    filled: Path, ships: Schema, finish: Finish, worker: QueryPool
) -> None:
    with open_work(filled) as work:
        work.store([finish("e.txt", {"name": "🤦🏼‍♂️ Ängström 名前", "masts": "4"})], [])
        publish(work, ships)
    corpus = Corpus(filled.parent, worker)

    [evidence] = corpus.trace("masts", document_id="e.txt").evidence

    assert corpus.document_text("e.txt", evidence.start or 0, evidence.end) == "4"


def test_readers_follow_the_pointer_to_a_new_build(
    corpus: Corpus, published: Path, ships: Schema, finish: Finish
) -> None:
    assert corpus.info().n_documents == 3
    old = corpus.build_path()
    for number in range(3):
        with open_work(published) as work:
            work.store([finish(f"new-{number}.txt", {"name": "New"})], [])
            publish(work, ships)

    assert not old.exists()
    assert corpus.info().n_documents == 6
    assert corpus.select("SELECT count(*) FROM ships").rows == ((6,),)
    assert corpus.values().search("new") == [ValueMatch("name", "New", 3, 1.0, "ships")]


def test_a_settled_corpus_is_of_one_build_until_that_is_removed(
    corpus: Corpus, published: Path, ships: Schema, finish: Finish
) -> None:
    settled, counted = corpus.settled(), list[int]()

    def count(own: Corpus) -> int:
        counted.append(own.info().n_documents)
        return counted[-1]

    seen = []
    for number in range(3):
        seen.append((settled.once(count), settled.once(count), corpus.once(count)))
        with open_work(published) as work:
            work.store([finish(f"new-{number}.txt", {"name": "New"})], [])
            publish(work, ships)

    assert seen == [(3, 3, 3), (3, 3, 4), (5, 5, 5)]
    assert counted == [3, 4, 5]  # once a build


def test_a_build_that_vanished_without_a_new_one_is_an_error(
    corpus: Corpus, published: Path
) -> None:
    published_build(published).unlink()

    with pytest.raises(StoreError):
        corpus.select("SELECT 1 FROM ships")


def test_a_build_of_a_later_format_is_an_error_that_says_so(
    corpus: Corpus, tmp_path: Path, worker: QueryPool
) -> None:
    later = tmp_path / "later.duckdb"
    shutil.copyfile(corpus.build_path(), later)
    with duckdb.connect(str(later)) as connection:
        connection.execute("UPDATE srag_build SET value = '99' WHERE key = 'format_version'")

    with pytest.raises(StoreError, match=r"format '99'.*Update srag-mcp"):
        Corpus(later, worker).info()


def test_a_database_that_is_no_build_is_an_error(tmp_path: Path, worker: QueryPool) -> None:
    path = tmp_path / "other.duckdb"
    duckdb.connect(str(path)).close()

    with pytest.raises(StoreError, match="cannot be read"):
        Corpus(path, worker).info()


def test_records_with_failures_are_for_counts_of_this_package_only(corpus: Corpus) -> None:
    [n_failures] = corpus.count("SELECT count(*) FROM srag_failures")
    assert n_failures

    with pytest.raises(UnknownNameError):
        corpus.select("SELECT count(*) FROM srag_failures")


ENDLESS = "SELECT count(*) FROM range(1000000000000) a(i), range(1000) b(j) WHERE i % 7 = j"
SLOW_DOCUMENTS = """
DROP TABLE documents;
CREATE VIEW documents AS
SELECT 'curlew.txt' AS document_id, 'curlew' AS title, '' AS path, '' AS media_type,
  44 AS characters FROM range(1) WHERE sleep_ms(700) IS NULL
"""


def test_a_statement_of_this_package_has_what_is_left_of_the_call(corpus: Corpus) -> None:
    with QueryPool(QueryLimits(timeout_s=120)) as patient:
        slow = Corpus(corpus.build_path(), patient)
        with pytest.raises(QueryTimeoutError, match=r"stopped after 0\.\d+ s"):
            slow.within(0.5).read(ENDLESS, [])
        with pytest.raises(QueryTimeoutError, match="no time left"):
            slow.within(0).read("SELECT 1", [])
        assert slow.within().read("SELECT 1", []) == [(1,)]


def test_the_statements_of_one_call_have_one_deadline(changed: Callable[[str], Corpus]) -> None:
    corpus = changed(SLOW_DOCUMENTS)
    wanted: EvidenceFilter = {"document_id": "curlew.txt"}
    with QueryPool(QueryLimits(timeout_s=60)) as patient:
        page = trace_page(Corpus(corpus.location, patient), "name", **wanted)
        assert (page.total, [item.value for item in page.sources]) == (1, ["Curlew"])
    with QueryPool(QueryLimits(timeout_s=1.2)) as hasty:
        limited = Corpus(corpus.location, hasty)
        assert limited.schema().entity == "ships"
        with pytest.raises(QueryTimeoutError):  # the document, then its cells: 1.4 s
            trace_page(limited, "name", **wanted)


def test_schema_and_statistics_are_calls_with_a_deadline(changed: Callable[[str], Corpus]) -> None:
    corpus = changed(
        "DROP TABLE srag_reviews; CREATE VIEW srag_reviews AS"
        f" SELECT ({ENDLESS})::VARCHAR AS attribute, 'ships' AS table_name"
    )
    with QueryPool(QueryLimits(timeout_s=0.5)) as hasty:
        limited = Corpus(corpus.location, hasty)
        assert [item.column for item in statistics_page(limited, 9999, ["name"]).columns] == [
            "name"
        ]
        with pytest.raises(QueryTimeoutError, match="stopped after 0"):
            schema_page(limited, 9999)
