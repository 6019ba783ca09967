"""What a search shows: passages that SQL chose among, their quotes and places, and what it left."""

import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.errors import QueryError, SchemaError, StoreError
from srag_mcp.model.language_model import count_tokens
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.text.shown import one_line
from srag_mcp.text.words import fold_words
from srag_mcp.views.findings import MAX_TOKENS, search_page
from srag_mcp.views.results import SearchPage, json_size

ARCHIVE = Path(__file__).parents[1] / "fixtures" / "corpora_16a3ebc" / "offline.tar.xz"
DOGS = "Well-behaved dogs may stay. For a dog we charge\nnine euros a night; cats stay free."
INNS = {
    "gull.md": f"# Gull Inn\nCity: Cork\n\n## Rooms\nA quiet\ncourtyard.\n\n## Dogs\n{DOGS}\n",
    "heron.md": "# Heron\nCity: Cork\n\n## Rooms\nA courtyard, and quiet dogs.\n\n## Dogs\nNone.\n",
    "a b/tern.md": "# Tern\nCity: Brest\n\n## Dogs \x1b[2J\nDogs\u202e pay. Quiet Courtyard!\n",
    "umi.md": f"# 海の宿\n\nCity: Kobe\n\n## 犬\n\n{'犬は静かな中庭で待ちます。dogs ' * 20}\n",
    "long.md": "# Long\n\nCity: Kiel\n"
    + "".join(
        f"\n## Rule {n}\n\nDogs of rule {n} sleep outside. {'Rain falls. ' * 30}\n"
        for n in range(40)
    ),
}


@pytest.fixture(scope="module")
def inns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("inns") / "inns"
    for name, text in INNS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 this is no PDF")
    city = Attribute(name="city", type="string", extractors=(KeyRule(keys=("city",)),))
    settings = Settings(workers=1, home=folder.parent / "home")
    ingest(folder, settings, schema=Schema(title="Inn", entity="inns", attributes=(city,)))
    with QueryPool() as pool:
        yield Corpus(folder, pool, settings.home)


def found(corpus: Corpus, query: str, **wanted: object) -> SearchPage:
    return search_page(corpus, query, 20_000, **wanted)  # type: ignore[arg-type]  # as a call has it


def documents(page: SearchPage) -> set[str]:
    return {item.document_id for item in page.passages}


def test_a_passage_is_shown_by_the_words_found_and_their_place(inns: Corpus) -> None:
    page = found(inns, "What does a dog cost per night?", where="city = 'Cork'")

    best = page.passages[0]
    assert (best.document_id, best.page, best.headings) == ("gull.md", None, "Gull Inn > Dogs")
    assert best.quote.endswith("For a dog we charge nine euros a night; cats stay free.")
    assert best.place().startswith("gull.md, Gull Inn > Dogs (")
    assert best.link == "srag://inns/documents/gull.md"


def test_every_quote_stands_at_its_place_and_neither_acts_nor_hides(inns: Corpus) -> None:
    page = found(inns, "dogs courtyard 犬", limit=20)

    for item in page.passages:
        text = inns.document_text(item.document_id, item.start, item.end)
        assert item.quote == one_line(text)
    assert {"\x1b", "\u202e"}.isdisjoint(page.render())


def test_sql_chooses_the_documents(inns: Corpus) -> None:
    cork = "SELECT city, document_id FROM inns WHERE city = 'Cork';"
    without = found(inns, "dogs")
    by_where = found(inns, "dogs", where="WHERE city = 'Cork' -- both")
    by_both = found(inns, "dogs", where="document_id < 'h'", documents=cork)
    none = found(inns, "dogs", where="city = 'Rome'")

    assert (without.searched, without.documents) == (5, 5)
    assert (by_where.searched, documents(by_where)) == (2, {"gull.md", "heron.md"})
    assert by_where.head()[0].endswith("; 2 of 5 documents were searched")
    assert (by_both.searched, documents(by_both)) == (1, {"gull.md"})
    assert (none.searched, none.total, none.passages) == (0, 0, [])
    assert none.notes[0] == "use other words, or leave out where"
    assert found(inns, "zebra").notes[0] == "use other words"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"where": "town = 'Cork'"}, "the SQL in where cannot be used: "),
        ({"documents": "SELECT city FROM inns"}, "the SQL in documents cannot be used: "),
        ({"documents": "DROP TABLE inns"}, "the SQL in documents cannot be used: "),
        ({"documents": "SELECT document_id FROM srag_texts"}, "srag_texts"),
        ({"where": "true) UNION SELECT text FROM srag_texts WHERE (true"}, "srag_texts"),
    ],
)
def test_sql_that_chooses_is_guarded_and_named_where_it_fails(
    inns: Corpus, wanted: dict[str, str], said: str
) -> None:
    with pytest.raises(QueryError, match=said):
        found(inns, "dogs", **wanted)


@pytest.mark.parametrize("phrase", ["quiet courtyard", "QUIET, Courtyárd"])
def test_a_phrase_is_words_in_a_row_whatever_stands_between_them(inns: Corpus, phrase: str) -> None:
    page = found(inns, "dogs", phrase=phrase)

    assert documents(page) == {"gull.md", "a b/tern.md"}
    assert page.total == 2
    assert all("quiet courtyard" in fold_words(item.quote) for item in page.passages)
    assert found(inns, "dogs", phrase="quiet court").total == 0


def test_a_phrase_of_a_script_without_spaces_stands_anywhere(inns: Corpus) -> None:
    assert documents(found(inns, "犬", phrase="静かな中庭")) == {"umi.md"}


def test_of_one_document_come_no_more_passages_than_asked_for(inns: Corpus) -> None:
    page = found(inns, "dogs", per_document=2, limit=20)
    all_of_them = found(inns, "dogs", limit=1)

    assert Counter(item.document_id for item in page.passages)["long.md"] == 2
    assert not page.truncated
    assert (page.total, page.found_in) == (all_of_them.total, 5)


def test_pages_follow_one_another_without_a_gap(inns: Corpus) -> None:
    pages = [found(inns, "dogs", where="city = 'Kiel'", limit=20)]
    while (offset := pages[-1].next_offset) is not None:
        assert pages[-1].truncated
        pages.append(found(inns, "dogs", where="city = 'Kiel'", limit=20, offset=offset))

    shown = [item for page in pages for item in page.passages]
    assert len({item.start for item in shown}) == len(shown) == pages[0].total == 40
    assert len(pages) > 1
    behind = found(inns, "dogs", where="city = 'Kiel'", offset=99)
    assert (behind.passages, behind.truncated) == ([], False)
    assert behind.notes[0] == "offset 99 is behind the last of 40 passages"


@pytest.mark.parametrize("where", ["", "city = 'Kobe'"])
def test_a_reply_takes_no_more_than_its_tokens(inns: Corpus, where: str) -> None:
    page = found(inns, "dogs 犬", where=where, limit=20)
    small = search_page(inns, "dogs", 3000, limit=20)

    assert count_tokens(page.render()) <= MAX_TOKENS
    assert count_tokens(page.model_dump_json(exclude_defaults=True)) <= MAX_TOKENS
    assert json_size(small) <= 3000


def test_what_was_not_searched_is_named(inns: Corpus, tmp_path: Path) -> None:
    page = found(inns, "dogs")

    assert page.unreadable == ["broken.pdf"]
    assert page.head()[1:] == ["not searched, for they could not be read: broken.pdf"]


def test_a_query_without_words_and_a_build_without_passages_say_what_to_do(
    inns: Corpus, tmp_path: Path
) -> None:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")

    with pytest.raises(SchemaError, match="no words"):
        found(inns, " ?! ")
    with QueryPool() as pool, pytest.raises(StoreError, match="call ingest_corpus with"):
        found(Corpus(tmp_path / "stations", pool), "station")


def test_where_who_is_named_says_nothing_else_that_is_sought_all_are_searched(
    inns: Corpus,
) -> None:
    page = found(inns, "May dogs stay in Cork?", limit=2)
    thin = found(inns, "Does rain fall in Cork?", limit=20)

    assert page.narrowed_to == "(city = 'Cork')"
    assert documents(page) == {"gull.md", "heron.md"}
    assert (thin.narrowed_to, thin.searched) == ("", 5)
    assert documents(thin) > {"long.md"}
    assert thin.notes[0] == (
        "“Cork” stands for documents: where (city = 'Cork'). As these say no other word of the"
        " query, all documents were searched"
    )
