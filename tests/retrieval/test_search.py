"""Search: which passages come first, where it looks, and what it refuses."""

import shutil
from pathlib import Path

import duckdb
import pytest

from srag_mcp.errors import QueryError, StoreError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.retrieval.search import Hit, HitPage, find_filter, idle_words, search
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import open_work


def texts(corpus: Corpus, page: HitPage) -> list[str]:
    return [
        corpus.document_text(hit.document_id, hit.span.start, hit.span.end) for hit in page.hits
    ]


def places(page: HitPage) -> list[tuple[str, int | None]]:
    return [(hit.document_id, hit.page) for hit in page.hits]


def test_a_hit_says_where_its_words_are(corpus: Corpus) -> None:
    page = search(corpus, "What tore off the mast?")
    [hit] = page.hits
    assert texts(corpus, page) == ["# Wind\n\nGusts tore off the mast."]
    assert hit == Hit("olm_2019.txt", 3, None, "Wind", hit.span, hit.score)
    assert (page.n_passages, page.n_documents) == (1, 1)


def test_words_of_the_rest_of_a_document_count(corpus: Corpus) -> None:
    """Both reports of Olm have a passage with snow; its keeper stands in another one."""
    found = texts(corpus, search(corpus, "snow while Bo Marsh was keeper"))
    snow = [text for text in found if text.startswith("# Snow depth")]
    assert "snow lay long" in snow[0]
    found = texts(corpus, search(corpus, "snow while Ann Lee was keeper"))
    snow = [text for text in found if text.startswith("# Snow depth")]
    assert "fell in spring" in snow[0]


def test_sql_that_says_where_to_look_means_the_tables_of_the_corpus(tmp_path: Path) -> None:
    """Whatever they are called: the statement around it has tables of its own."""
    (tmp_path / "cup.txt").write_text("A silver cup.\n")
    (tmp_path / "coin.txt").write_text("A silver coin.\n")
    for name in ("ranked", "found"):
        schema = Schema(title="Find", entity=name, attributes=())
        ingest(tmp_path, Settings(workers=1, home=tmp_path / "home"), schema=schema)
        among = f"SELECT document_id FROM {name} WHERE document_id LIKE 'cup%'"
        with QueryPool() as worker:
            page = search(Corpus(tmp_path, worker, tmp_path / "home"), "silver", among=among)
        assert places(page) == [("cup.txt", None)], name


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("rents", {"a.txt", "b.txt"}),
        ("monthly rent", {"a.txt", "b.txt"}),
        ("service charge", {"a.txt", "b.txt"}),
        ("charge", {"b.txt"}),
        ("deposit", {"c.txt"}),
    ],
)
def test_a_column_that_is_named_is_found_by_its_other_names(
    tmp_path: Path, question: str, found: set[str]
) -> None:
    """Those of one word and of two; words of a name alone are not the name."""
    (tmp_path / "a.txt").write_text("The rent is 700 euros.\n")
    (tmp_path / "b.txt").write_text("A service charge of 90 euros.\n")
    (tmp_path / "c.txt").write_text("The deposit is 900 euros.\n")
    rent = Attribute(name="rent", type="string", synonyms=("service charge", "monthly rent"))
    schema = Schema(title="Lease", entity="leases", attributes=(rent,))
    ingest(tmp_path, Settings(workers=1, home=tmp_path / "home"), schema=schema)
    with QueryPool() as worker:
        page = search(Corpus(tmp_path, worker, tmp_path / "home"), question)
    assert {hit.document_id for hit in page.hits} == found
    assert page.n_documents == len(found)


def test_words_of_names_find_no_passage_by_themselves(corpus: Corpus) -> None:
    assert search(corpus, "tokyo").hits == ()


def test_pages_are_ranked_each(corpus: Corpus) -> None:
    assert places(search(corpus, "costs of the cable"))[0] == ("lift.pdf", 3)
    assert places(search(corpus, "costs of the lift"))[0] == ("lift.pdf", 2)


def test_scripts_without_spaces_are_searched(corpus: Corpus) -> None:
    assert places(search(corpus, "積雪が増えたのはいつ？")) == [("tokyo.txt", None)]


def test_sql_says_where_to_look(corpus: Corpus) -> None:
    among = "SELECT document_id FROM reports WHERE year = 2020 -- of all"
    page = search(corpus, "snow depth", among=among)
    assert {hit.document_id for hit in page.hits} == {"olm_2020.txt"}
    assert page.n_documents == 1
    assert search(corpus, "flood", among=among).hits == ()


def test_hits_come_page_by_page_and_so_many_of_a_document(corpus: Corpus) -> None:
    question = "snow depth keeper station costs"
    whole = search(corpus, question).hits
    assert len(whole) > 4
    assert list(whole) == sorted(whole, key=lambda hit: -hit.score)
    parts = [search(corpus, question, limit=2, offset=n) for n in (0, 2)]
    assert (*parts[0].hits, *parts[1].hits) == whole[:4]
    assert parts[0].n_passages == parts[1].n_passages == len(whole)
    once = search(corpus, question, per_document=1).hits
    documents = [hit.document_id for hit in whole]
    assert [hit.document_id for hit in once] == list(dict.fromkeys(documents))


@pytest.mark.parametrize("question", ["", "?", "of the", "xylophone", "'; DROP TABLE ships; --"])
def test_what_no_passage_says_finds_nothing(corpus: Corpus, question: str) -> None:
    assert search(corpus, question) == HitPage((), 0, 0)


@pytest.mark.parametrize(
    "among",
    [
        "SELECT * FROM srag_texts",
        "SELECT document_id FROM srag_passages",
        "SELECT document_id FROM reports) OR (SELECT true",
        "DROP TABLE reports",
        "SELECT nothing FROM reports",
    ],
)
def test_sql_from_outside_is_guarded(corpus: Corpus, among: str) -> None:
    with pytest.raises(QueryError):
        search(corpus, "snow", among=among)


@pytest.mark.parametrize(
    "made",
    [
        "DROP TABLE srag_postings",
        "UPDATE srag_build SET value = '1' WHERE key = 'index_version'",
        "DELETE FROM srag_build WHERE key = 'index_version'",
    ],
)
def test_a_build_without_an_index_or_by_other_rules_says_what_to_do(
    corpus: Corpus, tmp_path: Path, made: str
) -> None:
    path = tmp_path / "old.duckdb"
    shutil.copyfile(corpus.build_path(), path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(made)
    old = Corpus(path, corpus.worker)
    for look in (search, find_filter):
        with pytest.raises(StoreError, match=r"old has no index .* ingest the corpus again"):
            look(old, "snow")


def test_a_year_stands_for_no_documents_where_not_all_have_a_date(corpus: Corpus) -> None:
    assert find_filter(corpus, "How long lay snow in 2019?") is None


def test_documents_that_come_first_are_counted_apart(corpus: Corpus) -> None:
    rann = "SELECT document_id FROM reports WHERE station = 'Rann'"
    page = search(corpus, "snow marsh", ahead=rann)
    assert [hit.is_ahead for hit in page.hits] == [True, False, False, False]
    assert page.hits[0].document_id == "rann_2019.txt"
    assert (page.n_passages, page.n_documents) == (4, 3)
    assert (page.n_ahead, page.n_documents_ahead) == (1, 1)
    others = search(corpus, "snow marsh").hits
    assert [hit.span for hit in others] != [hit.span for hit in page.hits]
    assert {(hit.document_id, hit.score) for hit in others} == {
        (hit.document_id, hit.score) for hit in page.hits
    }


def test_words_of_computing_and_asking_are_idle_and_no_others() -> None:
    asked = "What is the average gain, or the difference in price, that the report shows?"
    idle = idle_words(asked)
    assert {"average", "difference", "shows"} <= idle
    assert not {"gain", "price"} & idle


@pytest.mark.parametrize("attributes", [(), (Attribute(name="metal", type="string"),)])
def test_the_next_ingestion_reads_again_what_has_an_index_of_other_rules(
    tmp_path: Path, attributes: tuple[Attribute, ...]
) -> None:
    folder = tmp_path / "cups"
    folder.mkdir()
    (folder / "cup.txt").write_text("A silver cup.\n")
    settings = Settings(workers=1, home=tmp_path / "home")
    schema = Schema(title="Cup", entity="cups", attributes=attributes)
    ingest(folder, settings, schema=schema)
    with open_work(CorpusFolder(folder, settings.home).writable()) as work:
        work.connection.execute("UPDATE meta SET value = '1' WHERE key = 'index'")
        work.connection.execute("UPDATE postings SET term = 7")
    report = ingest(folder, settings, schema=schema)
    assert (report.published, report.n_extracted, report.n_unchanged) == (True, 1, 0)
    with QueryPool() as worker:
        assert places(search(Corpus(folder, worker, settings.home), "silver")) == [
            ("cup.txt", None)
        ]
