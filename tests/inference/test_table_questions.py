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
