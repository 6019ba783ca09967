"""Summaries of tables: what is embedded, what is ranked by words, and how rankings are joined."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.evaluation.evaluate import NO_COLUMNS
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.benchmarks.table_summaries import Summarized, fuse, show_table
from tests.model.scripted import replying

CORA = (
    "<p>The Cora sailed until 1903.</p><table><tr><th>Year</th><th>Cargo</th></tr>"
    "<tr><td>1901</td><td>120</td></tr><tr><td>1902</td><td>150</td></tr></table>"
)
VIEWS = ("1901 | Cargo: 120", "1902 | Cargo: 150", "Cargo | 1901: 120; 1902: 150")
SAID = {"cora.html": "Tons of coal and timber that the Cora carried, by year."}


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    folder = tmp_path / "ships"
    folder.mkdir()
    (folder / "cora.html").write_text(CORA, encoding="utf-8")
    (folder / "dora.html").write_text(CORA.replace("120", "80"), encoding="utf-8")
    ingest(folder, Settings(home=tmp_path / "home"), schema=NO_COLUMNS)
    with QueryPool() as worker:
        yield Corpus(folder, worker, tmp_path / "home")


def test_a_summary_stands_beside_the_views_of_its_table_or_in_their_place(corpus: Corpus) -> None:
    def embedded(*, instead: bool) -> list[tuple[str, str]]:
        model = replying([])
        system = Summarized(corpus, corpus.location, model, summaries=SAID, instead=instead)
        return [(system.chunks[at].document, said) for at, said in system.views()]

    others = [("dora.html", view.replace("120", "80")) for view in VIEWS]
    summary = ("cora.html", SAID["cora.html"])
    assert embedded(instead=False) == [*[("cora.html", view) for view in VIEWS], *others, summary]
    assert embedded(instead=True) == [*others, summary]


def test_a_table_is_found_by_the_words_of_its_summary(corpus: Corpus) -> None:
    system = Summarized(corpus, corpus.location, replying([]), summaries=SAID)
    plain = Summarized(corpus, corpus.location, replying([]))

    assert [system.chunks[at].name for at in system.by_words.rank("timber")] == [
        "cora.html, passage 2"
    ]
    assert plain.by_words.rank("timber") == []


def test_the_table_of_a_document_is_shown_with_its_cells_apart(corpus: Corpus) -> None:
    assert show_table(corpus.location, "cora.html") == "Year | Cargo\n1901 | 120\n1902 | 150"


def test_what_both_rankings_have_high_comes_first() -> None:
    assert fuse([[1, 2, 3], [2, 4]]) == [2, 1, 4, 3]
