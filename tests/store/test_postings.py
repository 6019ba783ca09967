"""The index of passages: what of it is in a build, and when it is made anew."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from srag_mcp.cells.cell import Record
from srag_mcp.documents.document import Document, Heading, Prose
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.layout import published_build
from srag_mcp.store.values import INDEX_TABLES, INDEX_VERSION, Postings, cut_postings
from srag_mcp.store.work import FinishedDocument, finish_document, open_work
from srag_mcp.text.spans import Span
from srag_mcp.text.words import count_terms, document_names, name_term

Finish = Callable[..., FinishedDocument]
Rows = list[tuple[object, ...]]


def rows(state: Path, sql: str) -> Rows:
    with duckdb.connect(str(published_build(state)), read_only=True) as connection:
        found: Rows = connection.execute(sql).fetchall()
        return found


def rows_of(postings: Postings) -> list[tuple[int, ...]]:
    """Return a row a term: number of the passage, term, how often it is there."""
    return [*zip(*(map(int, column.split(",")) for column in postings), strict=True)]


def holding(state: Path, word: str) -> Rows:
    """Return the passages that hold *word*, and how often."""
    [term] = [term for term in count_terms(word) if term >> 30 == 0]
    return rows(
        state,
        "SELECT document_id, number, n FROM srag_postings JOIN srag_passages USING (passage)"
        f" WHERE term = {term} ORDER BY ALL",
    )


def test_postings_say_which_passages_hold_a_term_and_how_often(published: Path) -> None:
    assert holding(published, "launched") == [("albatross.txt", 1, 1), ("curlew.txt", 1, 1)]
    assert holding(published, "curlew") == [("curlew.txt", 0, 2), ("curlew.txt", 1, 1)]
    assert holding(published, "dodo") == []


def test_terms_are_in_order_and_lengths_are_of_all_levels(published: Path) -> None:
    terms = [row[0] for row in rows(published, "SELECT term FROM srag_postings")]
    assert terms == sorted(terms)  # type: ignore[type-var]
    lengths = (
        "SELECT level, count(*), round(avg(words), 4), round(avg(pairs), 4) FROM srag_units"
        " GROUP BY ALL ORDER BY 1"
    )
    assert rows(published, lengths) == [(0, 3, 1, 1), (1, 3, 1, 1), (2, 3, 1, 1)]
    [curlew] = rows(
        published,
        "SELECT words FROM srag_units JOIN srag_passages ON unit = passage AND level = 2"
        " WHERE document_id = 'curlew.txt' AND number = 1",
    )
    said = "SELECT sum(n) FROM srag_postings JOIN srag_passages USING (passage)"
    said += " WHERE term >> 30 = 0 AND number = 1"
    [(n_all,)] = rows(published, said)
    [(n_own,)] = rows(published, f"{said} AND document_id = 'curlew.txt'")
    assert curlew[0] == pytest.approx(int(str(n_own)) / (int(str(n_all)) / 3))


def test_a_passage_is_found_by_the_headings_above_it() -> None:
    first, second = "Rain fell. " * 60, "Snow fell. " * 60
    text = f"Weather\n\n{first}\n\n{second}"
    blocks = (
        Heading(Span(0, 7), "Weather", 1),
        Prose(Span(9, 9 + len(first)), ("Weather",)),
        Prose(Span(11 + len(first), len(text)), ("Weather",)),
    )
    document = Document("d/a_b.txt", "d/a_b.txt", "Almanac", "text/plain", "", text, blocks)
    finished = finish_document(document, Record(document.id, ()), replaces=False)
    n_passages = len(finished.passages)
    assert n_passages > 1
    found: dict[int, dict[int, int]] = {}
    for number, term, n in rows_of(finished.postings):
        found.setdefault(number, {})[term] = n
    [weather, *_] = count_terms("Weather")
    assert [found[number].get(weather) for number in sorted(found)] == [None] + [1] * n_passages
    names = {name_term(name): 1 for name in document_names("a_b", "Almanac", text)}
    assert found[0] == count_terms("a_b\nAlmanac") | names


def test_what_stands_very_often_is_counted_in_one_byte() -> None:
    text = "7 " * 300
    postings = cut_postings("a", "a", text, [(1, None, "", 0, len(text), "text", None, None)])
    assert max(n for number, _, n in rows_of(postings) if number) == 255


def test_a_document_without_passages_has_no_terms() -> None:
    assert cut_postings("a.csv", "a.csv#1", "town: Kiel", ()) == ()


def test_the_rules_of_terms_have_a_version() -> None:
    """Who changes what they make of this text raises `INDEX_VERSION`, and then this digest."""
    text = (
        "Net sales of FY22: 1,234.5 | § 4.2, 10-K/A (SKU-0042)\n"
        "Costs\tÉtablissement 決算報告 2023\n"
        "The cities' revenues were 7 % lower; J&J's were not.\n"
    )
    passages = [(1, 2, "A > B", 0, len(text), "text", None, None)]
    made = sorted(rows_of(cut_postings("d/BestBuy_10K.txt", "Best Buy", text, passages)))
    digest = hashlib.sha256(repr(made).encode()).hexdigest()[:8]
    assert (INDEX_VERSION, digest) == ("3", "26a38d9c")


def test_documents_with_an_index_of_other_rules_are_read_again(
    published: Path, ships: Schema
) -> None:
    with open_work(published) as work:
        assert publish(work, ships).index_version == INDEX_VERSION
        work.connection.execute("UPDATE meta SET value = '1' WHERE key = 'index'")
    with open_work(published) as work:
        known = work.known_documents(work.paths_of_documents(), cut=True)
        assert {sha256 for found in known.values() for sha256 in found.values()} == {""}
        assert work.files()["albatross.txt"].passing
        assert publish(work, ships).index_version == "", "until then nothing is searched"


def test_a_changed_document_has_its_terms_anew(filled: Path, ships: Schema, finish: Finish) -> None:
    with open_work(filled) as work:
        work.store([finish("curlew.txt", {"name": "Dunlin"}, replaces=True)], [])
        work.remove_files(["albatross.txt"])
        publish(work, ships)
    assert holding(filled, "launched") == []
    assert holding(filled, "dunlin") == [("curlew.txt", 1, 1)]
    assert rows(filled, "SELECT max(passage) FROM srag_passages") == [(4,)]


@pytest.mark.parametrize("table", INDEX_TABLES)
def test_another_schema_empties_the_index(filled: Path, ships: Schema, table: str) -> None:
    other = ships.model_copy(update={"title": "Boat", "attributes": ships.attributes[:1]})
    with open_work(filled) as work:
        work.put_in_force(other, "given")
        publish(work, other)
    assert rows(filled, f"SELECT count(*) FROM {table}") == [(0,)]
