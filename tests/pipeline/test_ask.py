from datetime import date
from pathlib import Path

import pytest

from srag_mcp.inference import ask as asking
from srag_mcp.inference.answer import Bounds, ColumnCoverage, Denominator
from srag_mcp.inference.ask import ask
from srag_mcp.inference.grounds import Grounds, find_grounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import QueryFacts
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool, ResultPage

TOWERS = [("Olm", 10, 1901), ("Olm", 30, 1950), ("Rann", None, 1980), ("Rann", 50, 1990)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, worker: QueryPool) -> Corpus:
    folder = tmp_path_factory.mktemp("state") / "towers"
    folder.mkdir()
    for number, (town, height, built) in enumerate(TOWERS):
        _write(folder / f"{number}.txt", town, height, date(built, 3, 1))
    ingest(folder, Settings(workers=1))
    return Corpus(folder, worker)


def _write(path: Path, town: str, height: int | None, built: date) -> None:
    lines = [f"Town: {town}", f"Built: {built:%d %B %Y}", f"Steps: {built.year - 1880}"]
    lines += [] if height is None else [f"Height: {height} m"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_an_answer_has_its_query_its_denominator_and_its_quotes(corpus: Corpus) -> None:
    answer = ask(corpus, "What is the average height of the towers?")
    assert answer.rows == ((30.0,),)
    assert answer.sql == "SELECT AVG(height) FROM towers"
    assert answer.denominator == Denominator(
        4, columns=(ColumnCoverage("height", 3, 1, 0),), by_rules=True
    )
    assert answer.sources[0].as_stated == "10 m"
    text = corpus.document_text(answer.sources[0].document_id)
    assert text[answer.sources[0].start : answer.sources[0].end] == "10 m"


def test_a_count_says_how_far_the_silent_could_move_it(corpus: Corpus) -> None:
    answer = ask(corpus, "How many towers have a height above 20 m?")
    assert answer.rows == ((2,),)
    assert answer.bounds == Bounds(2, 3)


def test_a_question_beyond_the_columns_comes_back_as_a_brief(corpus: Corpus) -> None:
    answer = ask(corpus, "How many visitors climbed the towers in Rann?")
    assert answer.refused
    assert answer.brief is not None
    assert {*answer.brief.columns} >= {"town", "height", "built"}
    assert "visitors" in answer.text
    assert [str(linked) for linked in answer.brief.linked_values] == ["town: 'Rann' (2)"]


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Which tower is the flimsiest?", []),
        ("How many visitors climbed the tower?", ["Visitors left by the tower of 1.txt."]),
    ],
)
def test_a_refusal_has_no_passage_that_says_only_what_the_records_are(
    tmp_path: Path, worker: QueryPool, question: str, shown: list[str]
) -> None:
    folder = tmp_path / "towers"
    folder.mkdir()
    for number, (town, height, built) in enumerate(TOWERS):
        path = folder / f"{number}.txt"
        _write(path, town, height, date(built, 3, 1))
        said = "Visitors left by the tower of" if number == 1 else "Nobody saw the tower of"
        path.write_text(f"{path.read_text()}\n{said} {path.name}.\n")
    settings = Settings(workers=1, home=tmp_path / "home")
    ingest(folder, settings)
    answer = ask(Corpus(folder, worker, settings.home), question)
    assert answer.brief is not None
    assert [passage.text for passage in answer.brief.passages] == shown


def test_the_quotes_behind_a_winning_group_are_of_that_group(corpus: Corpus) -> None:
    answer = ask(corpus, "Which town has the highest average steps?")
    assert answer.rows == (("Rann",),)
    assert [source.document_id for source in answer.sources] == ["2.txt", "3.txt"]
    # a tower of Rann does not say how high it is: Olm may lead
    assert ask(corpus, "Which town has the highest average height?").refused


def test_all_of_an_answer_is_of_one_build(
    ingested: Path, settings: Settings, worker: QueryPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish(corpus: Corpus, facts: QueryFacts, page: ResultPage) -> Grounds:
        (ingested / "station-001.txt").unlink()
        ingest(ingested, settings)
        return find_grounds(corpus, facts, page)

    monkeypatch.setattr(asking, "find_grounds", publish)
    corpus = Corpus(ingested, worker, settings.home)
    answer = ask(corpus, "What is the average height?")
    assert answer.rows == ((30,),)
    assert answer.denominator == Denominator(5, by_rules=True)
    assert corpus.info().n_documents == 4
