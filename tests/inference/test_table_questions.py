"""Questions on small table files without a model: what a word of the question may not decide."""

from pathlib import Path

import pytest

from srag_mcp.inference.ask import ask
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

Rows = list[tuple[object, ...]] | None


def rows_of(folder: Path, table: str, question: str) -> Rows:
    """Return what a question on a CSV file finds; None where it is refused."""
    (folder / "huts.csv").write_text(table)
    ingest(folder, Settings(engine="offline", workers=1))
    with QueryPool() as worker:
        answer = ask(Corpus(folder, worker), question)
    return None if answer.refused else sorted(answer.rows)


HUTS = """Hut,Stove,Heated
Olm,yes,true
Rann,no,false
Ulm,,true
Zell,no,
Gail,partly,false
Dorn,yes,
Lech,yes,true
Inn,,
Enns,no,true
"""


@pytest.mark.parametrize(
    ("question", "n"),
    [
        ("How many huts have no stove?", 3),
        ("How many huts have no stove value?", 2),
        ("How many huts have no value for stove?", 2),
        ("How many huts have no stove entry?", 2),
        ("How many huts have no entry for stove?", 2),
        ("How many huts have no heated value?", 3),
        ("How many huts are not heated?", 2),
    ],
)
def test_a_word_for_what_is_written_is_not_dropped_behind_no(
    tmp_path: Path, question: str, n: int
) -> None:
    assert rows_of(tmp_path, HUTS, question) == [(n,)]


TRAMS = """Tram,Mileage (km),Width (cm)
Elk,120000,230
Fox,340000,240
Hare,90000,250
Owl,210000,250
Mole,180000,230
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How long is tram Elk?", None),
        ("Which tram is the longest?", None),
        ("How many trams are longer than 30 m?", None),
        ("How many trams are longer than 235 cm?", None),
        ("How many trams have a width above 235 cm?", [(3,)]),
        ("Which tram has the highest mileage?", [("Fox",)]),
    ],
)
def test_a_unit_does_not_say_that_a_column_with_a_name_of_its_own_is_meant(
    tmp_path: Path, question: str, rows: Rows
) -> None:
    assert rows_of(tmp_path, TRAMS, question) == rows


def test_a_unit_says_it_of_a_column_that_is_called_after_the_record(tmp_path: Path) -> None:
    table = "Walk,Place,Km\nElk,Ulm,12\nFox,Olm,7\nOwl,Ulm,9\nMole,Rann,10\nHare,Olm,4\n"
    assert rows_of(tmp_path, table, "Which walk is the longest?") == [("Elk",)]
