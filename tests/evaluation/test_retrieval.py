"""Rankings: what is counted of them, how sure it is, and runs that are kept and compared."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from srag_mcp.errors import PackError
from srag_mcp.evaluation.pack import PackQuestion
from srag_mcp.evaluation.retrieval import (
    DEPTH,
    Hit,
    Retrieval,
    compare_runs,
    rank_questions,
    read_run,
    score_run,
    write_run,
)

A, B, C = "a.pdf", "b.pdf", "c.pdf"


def asked(key: str, *documents: str, pages: Iterable[tuple[str, int]] = ()) -> PackQuestion:
    return PackQuestion(key, f"{key}?", None, "", "", documents=documents, evidence=tuple(pages))


def hits(*places: tuple[str, int | None]) -> list[Hit]:
    return [Hit(document, page, str(n)) for n, (document, page) in enumerate(places)]


def test_documents_are_counted_once_and_so_are_pages() -> None:
    question = asked("q", B, pages=[(B, 4), (B, 9)])
    found = hits((A, 1), (A, 1), (A, 1), (A, 1), (B, 7), (B, 4), (C, 4), (B, 1), (B, 9))

    scores = score_run({"q": found}, [question]).scores["q"]

    assert scores == {
        "hit_1": 0,
        "hit_3": 1,  # the second of the documents
        "hit_5": 1,
        "hit_10": 1,
        "mrr": 0.5,
        "page_recall_5": 0.5,  # pages: A 1, B 7, B 4, C 4, B 1
        "page_recall_10": 1,
        "precision_5": 0,  # of the first five passages
    }


def test_a_page_of_another_document_is_none_of_the_evidence() -> None:
    found = score_run({"q": hits((A, 4), (B, 5))}, [asked("q", B, pages=[(B, 4)])])
    assert found.scores["q"]["page_recall_10"] == 0


def test_without_pages_a_passage_counts_by_its_document() -> None:
    found = score_run({"q": hits((B, None), (A, None), (C, None))}, [asked("q", B, C)])
    scores = found.scores["q"]
    assert (scores["precision_5"], scores["mrr"]) == (0.4, 1)
    assert "page_recall_5" not in scores


def test_what_was_not_found_counts() -> None:
    found = score_run({}, [asked("q", A, pages=[(A, 1)]), PackQuestion("x", "?", None, "", "")])
    assert set(found.scores) == {"q"}, "a question that names no document is not counted"
    assert set(found.scores["q"].values()) == {0.0}


def test_figures_have_counts_and_intervals() -> None:
    first, second = asked("q1", A, pages=[(A, 1)]), asked("q2", A)
    found = score_run({"q1": hits((A, 1)), "q2": hits((B, 1), (A, 1))}, [first, second])

    written = found.to_json()

    assert (written["hit_1"], written["mrr"], written["page_recall_5"]) == (0.5, 0.75, 1)
    assert written["n_hits"] == {"hit_1": 1, "hit_3": 2, "hit_5": 2, "hit_10": 2}
    counts = written["n_questions"]
    assert isinstance(counts, dict)
    assert (counts["hit_1"], counts["page_recall_5"]) == (2, 1)


@pytest.mark.parametrize(
    ("n_hits", "n", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), table I: method 3, without correction
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_intervals_are_those_of_wilson(n_hits: int, n: int, low: float, high: float) -> None:
    scores = {str(at): {"hit_1": float(at < n_hits)} for at in range(n)}
    figure = Retrieval(scores).figures()["hit_1"]
    assert (figure.low, figure.high) == pytest.approx((low, high), abs=5e-5)


def test_documents_are_called_as_the_questions_do_and_runs_have_an_end() -> None:
    def ranking(question: str) -> Iterable[Hit]:
        assert question == "q?"
        while True:
            yield Hit("filings/A.pdf", 3, "7")

    run = rank_questions(ranking, [asked("q", "A"), asked("none")], {"filings/A.pdf": "A"})

    assert run == {"q": (Hit("A", 3, "7"),) * DEPTH}


def test_a_run_is_kept_in_the_form_of_trec(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    run = {"q 1": [Hit("the #1 of 50%.pdf", 12, "3"), Hit("b.html", None, "0")]}

    write_run(run, path)

    assert path.read_text(encoding="utf-8").splitlines() == [
        "q%201 Q0 the%20%231%20of%2050%25.pdf#12#3 1 1000 srag-mcp",
        "q%201 Q0 b.html##0 2 999 srag-mcp",
    ]
    assert read_run(path) == run


def test_a_run_of_another_system_is_read_by_its_scores(tmp_path: Path) -> None:
    path = tmp_path / "other.run"
    path.write_text("q Q0 a.pdf 2 0.25 bm25\nq Q0 b.pdf 1 1.5 bm25\n", encoding="utf-8")
    assert read_run(path) == {"q": [Hit(B, None, ""), Hit(A, None, "")]}


@pytest.mark.parametrize("line", ["q Q0 a.pdf 1 0.5", "q Q0 a.pdf 1 high tag", "q 0 a#x#1 1 1 t"])
def test_a_line_that_is_no_hit_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "odd.run"
    path.write_text(f"q Q0 a.pdf 1 2 tag\n{line}\n", encoding="utf-8")
    with pytest.raises(PackError, match=r"odd.run, line 2: not `question Q0"):
        read_run(path)
    with pytest.raises(PackError, match=r"not a run that can be read"):
        read_run(tmp_path / "none.run")


def by_hits(*found: int) -> Retrieval:
    return Retrieval({str(n): {"hit_1": float(hit)} for n, hit in enumerate(found)})


def test_runs_are_compared_question_by_question() -> None:
    # Six differences can have signs in 2 ** 6 ways, of which two are as large.
    one, other = by_hits(*[1] * 6, *[0, 1] * 40), by_hits(*[0] * 6, *[0, 1] * 40)
    difference, p = compare_runs(one, other)["hit_1"]
    assert difference == pytest.approx(6 / 86)
    assert p == pytest.approx(2 / 64, abs=0.006)
    assert compare_runs(other, one)["hit_1"] == (-difference, p)
    assert compare_runs(one, one)["hit_1"] == (0, 1)


def test_scattered_differences_are_told_from_one_sided_ones() -> None:
    _, p = compare_runs(by_hits(*[1, 0] * 30), by_hits(*[0, 1] * 30))["hit_1"]
    assert p == 1
    _, p = compare_runs(by_hits(*[1] * 20), by_hits(*[0] * 20))["hit_1"]
    assert p < 0.001
