"""Segments: which passages are read together."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.inference.recap import Shown
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.retrieval.search import Hit, search
from srag_mcp.retrieval.segments import gather, join_segments
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.text.spans import Span

N_ROWS = 300
COSTS = """<p>Costs of awards (in thousands) were:</p><p>Some of them belong to 2017.</p>
<table><tr><td></td><td colspan="2">Fiscal years</td></tr>
<tr><td></td><td>2019</td><td>2018</td></tr>
<tr><td>Research</td><td>8,551</td><td>13,448</td></tr>
<tr><td>Sales</td><td>12,305</td><td>14,620</td></tr></table>"""


@pytest.fixture(scope="module")
def halls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("halls"))
    sections = [f"## Hall {n}\n\nThe roof of hall {n} is of slate.\n" for n in range(1, 9)]
    (folder / "halls.md").write_text("# Halls\n\n" + "\n".join(sections))
    (folder / "barn.md").write_text("# Barn\n\nThe roof of the barn is of reed.\n")
    rows = [f"| Seat {n} | {n * 7} | row {n // 10} |" for n in range(N_ROWS)]
    table = ["Seats, in thousands", "", "| Seat | Price | Where |", "| --- | --- | --- |", *rows]
    (folder / "seats.md").write_text("# Seats\n\n" + "\n".join(table) + "\n")
    (folder / "costs.html").write_text(COSTS)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=Schema(title="Hall", entity="halls", attributes=()))
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def hit(corpus: Corpus, document_id: str, number: int) -> Hit:
    sql = f"SELECT start, \"end\" FROM passages WHERE document_id = '{document_id}'"
    [(start, end)] = corpus.select(f"{sql} AND number = {number}").rows
    return Hit(document_id, number, None, "", Span(int(start or 0), int(end or 0)), 1.0)


def spans(corpus: Corpus, *hits: Hit, n_tokens: int = 4000) -> list[tuple[str, str]]:
    return [
        (item.document_id, item.span.of(corpus.document_text(item.document_id)))
        for item in join_segments(corpus, hits, n_tokens)
    ]


def test_what_lies_between_two_good_passages_is_read_with_them(halls: Corpus) -> None:
    [(document, text)] = spans(halls, *(hit(halls, "halls.md", number) for number in (2, 4)))
    assert document == "halls.md"
    assert [n for n in range(1, 9) if f"## Hall {n}" in text] == [2, 3, 4]


def test_far_ones_stay_apart_and_documents_always_do(halls: Corpus) -> None:
    found = spans(
        halls, hit(halls, "halls.md", 1), hit(halls, "barn.md", 1), hit(halls, "halls.md", 8)
    )
    assert [document for document, _ in found] == ["halls.md", "barn.md", "halls.md"]


def test_what_does_not_fit_is_left_out_but_for_the_best(halls: Corpus) -> None:
    hits = [hit(halls, "halls.md", 1), hit(halls, "barn.md", 1)]
    assert [document for document, _ in spans(halls, *hits, n_tokens=1)] == ["halls.md"]


def test_a_later_part_of_a_table_keeps_its_head(halls: Corpus) -> None:
    last = search(halls, f"Seat {N_ROWS - 1}", limit=1).hits[0]
    assert last.number > 1
    [segment] = join_segments(halls, [last], 4000)
    assert segment.heads[:3] == ("# Seats", "Seats, in thousands", "| Seat | Price | Where |")


def test_what_several_searches_find_comes_first(halls: Corpus) -> None:
    alone = gather(halls, ["slate roof"], None, 3)
    both = gather(halls, ["slate roof", "reed", "barn"], None, 3)
    assert alone[0].document_id == "halls.md"
    assert both[0].document_id == "barn.md"
    only = "SELECT document_id FROM documents WHERE path = 'barn.md'"
    assert {item.document_id for item in gather(halls, ["roof"], only, 3)} == {"barn.md"}


def test_a_table_is_shown_with_the_scale_that_stands_above_it(halls: Corpus) -> None:
    table = search(halls, "research sales", limit=1).hits[0]
    [segment] = join_segments(halls, [table], 4000)
    shown = Shown("p1", segment, "costs.html", halls.document_text("costs.html")).render()
    lines = [line.strip(" |") for line in shown.splitlines()[1:-1]]
    assert lines == [
        "costs.html",
        "Costs of awards (in thousands) were:",
        "[…]",
        "Fiscal years | Fiscal years",
        "2019 | 2018",
        "Research | 8,551 | 13,448",
        "Sales | 12,305 | 14,620",
    ]
