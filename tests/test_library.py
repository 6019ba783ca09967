"""The front door of the package, as a program uses it."""

import subprocess
import sys
from pathlib import Path

import pytest

import srag_mcp

BOATS = [("Ada", 9.5, "Norham"), ("Bes", 7.0, "Eastby"), ("Cor", 12.5, "Norham")]


@pytest.fixture
def boats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SRAG_WORKERS", "1")
    monkeypatch.setenv("SRAG_HOME", str(tmp_path / "home"))
    folder = tmp_path / "boats"
    folder.mkdir()
    for name, length, harbour in BOATS:
        text = f"# Boat {name}\n\nLength: {length} m\nHarbour: {harbour}\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_is_ingested_and_asked_by_two_functions(boats: Path) -> None:
    report = srag_mcp.ingest(boats)
    assert (report.n_documents, report.engine) == (3, "offline")
    answer = srag_mcp.ask(boats, "What is the average length of boats in Norham?")
    assert (answer.refused, answer.rows) == (False, ((11.0,),))
    assert srag_mcp.ask(boats, "Which boat is the prettiest?").refused


def test_a_question_may_lean_on_one_before_and_an_answer_be_called_wrong(boats: Path) -> None:
    srag_mcp.ingest(boats)
    first = "What is the average length of boats in Norham?"
    answer = srag_mcp.ask(boats, first)
    leaning = srag_mcp.ask(boats, "Which of those is the longest?", previous=first)
    again = srag_mcp.ask(boats, first, verdict="wrong")
    assert leaning.brief is not None
    assert leaning.brief.previous == f"“{first}” was asked before, and its query was {answer.sql}"
    assert (again.refused, again.before and again.before.rows) == (True, ((11.0,),))


def test_a_corpus_is_read_by_sql_with_its_quotes(boats: Path) -> None:
    srag_mcp.ingest(boats, srag_mcp.Settings(workers=1))
    with srag_mcp.open_corpus(boats) as corpus:
        assert isinstance(corpus, srag_mcp.Corpus)
        page = corpus.select("SELECT count(*) FROM boats WHERE length > 9")
        [quote] = corpus.trace("harbour", value="Eastby").evidence
    assert (page.rows, quote.as_stated) == (((2,),), "Eastby")


def test_every_error_has_one_root(boats: Path) -> None:
    with pytest.raises(srag_mcp.errors.NotIngestedError, match="ingest_corpus"):
        srag_mcp.ask(boats, "How many boats are there?")
    for work in (srag_mcp.ingest, lambda folder: srag_mcp.ask(folder, "How many?")):
        with pytest.raises(srag_mcp.errors.CorpusError, match="nowhere"):
            work(boats / "nowhere")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = srag_mcp.nothing


def test_the_functions_stay_what_they_are_when_their_packages_are_loaded() -> None:
    program = "import srag_mcp, srag_mcp.inference.ask, srag_mcp.pipeline.ingest as i; " \
              "assert callable(srag_mcp.ask) and callable(srag_mcp.ingest)"  # fmt: skip
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.usefixtures("cold_starts")
def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = "duckdb", "pydantic", "sqlglot", "litellm", "mcp", "typer"
    program = f"import sys, srag_mcp; print([n for n in {heavy} if n in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == "[]"
