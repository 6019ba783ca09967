"""Statistics and the value index of a build, counted over all records."""

from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.cells.cell import Cell, Mark, PredictedCell, PredictedRecord
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.statistics import MAX_VALUES_LISTED, ColumnStatistics, ValueCount
from srag_mcp.store.work import FinishedDocument, open_work
from srag_mcp.values.states import State
from srag_mcp.values.types import COLUMN_TYPES

Finish = Callable[..., FinishedDocument]


@pytest.fixture
def fleet(
    filled: Path, ships: Schema, finish: Finish, worker: QueryPool
) -> Callable[[list[dict[str, str]]], Corpus]:
    """Publish the three ships and others, of `attribute: words`."""

    def write(others: list[dict[str, str]]) -> Corpus:
        with open_work(filled) as work:
            work.store([finish(f"x{n:03d}.txt", lines) for n, lines in enumerate(others)], [])
            publish(work, ships)
        return Corpus(filled.parent, worker)

    return write


def test_a_column_of_texts_has_no_spread_and_its_values_by_count(
    fleet: Callable[[list[dict[str, str]]], Corpus],
) -> None:
    [name] = fleet([{"name": "Bittern"}, {"masts": "2"}]).statistics(["name"])

    assert name == ColumnStatistics(
        column="name",
        type=COLUMN_TYPES["string"],
        n_records=5,
        n_non_null=4,
        n_non_zero=4,
        n_stated=4,
        n_stated_absent=0,
        n_not_mentioned=1,
        n_failed=0,
        n_distinct=3,
        values=(ValueCount("Bittern", 2), ValueCount("Albatross", 1), ValueCount("Curlew", 1)),
        table="ships",
    )


def test_a_long_list_of_values_is_cut_and_says_so(
    fleet: Callable[[list[dict[str, str]]], Corpus],
) -> None:
    corpus = fleet([{"name": f"Ship {n}", "masts": str(n)} for n in range(MAX_VALUES_LISTED)])

    found = {item.column: item for item in corpus.statistics()}

    assert (found["name"].n_distinct, found["name"].truncated) == (MAX_VALUES_LISTED + 3, True)
    assert (len(found["name"].values), found["masts"].truncated) == (MAX_VALUES_LISTED, False)
    assert (found["masts"].minimum, found["masts"].maximum) == (0, MAX_VALUES_LISTED - 1)


def test_what_could_not_be_read_is_counted_apart_from_what_is_not_said(
    fleet: Callable[[list[dict[str, str]]], Corpus],
) -> None:
    [length] = fleet([{"length": "12 m"}]).statistics(["length"])

    counts = (length.n_stated, length.n_stated_absent, length.n_not_mentioned, length.n_failed)
    assert counts == (2, 0, 1, 1), "the file that could not be read is no record"
    assert (length.mean, length.median) == (36.75, 36.75)


def test_a_text_too_long_to_be_asked_for_is_not_in_the_index(
    fleet: Callable[[list[dict[str, str]]], Corpus],
) -> None:
    values = fleet([{"name": "Gull " * 80}, {"name": "Gull"}]).values()

    assert [match.value for match in values.search("gull")] == ["Gull"]


def test_cells_in_doubt_and_of_documents_read_in_part_are_counted(
    filled: Path, ships: Schema, worker: QueryPool
) -> None:
    masts = ships.attributes[1]
    marks = {"albatross.txt": Mark.DOUBTED, "bittern.txt": Mark.UNSHOWN, "curlew.txt": Mark.DERIVED}
    with open_work(filled) as work:
        work.put_engine_in_force("model")
        predictions = Predictions(work)
        for text in predictions.texts([*marks]):
            marked = Cell("masts", State.STATED, "3", marks=frozenset({marks[text.document_id]}))
            name = Cell("name", State.NOT_MENTIONED, marks=frozenset({Mark.READ_IN_PART}))
            cells = (PredictedCell(marked, "3"), PredictedCell(name))
            record = PredictedRecord(text.document_id, text.sha256, cells)
            predictions.store([ships.attributes[0], masts], [record])
        publish(work, ships)
    found = {item.column: item for item in Corpus(filled.parent, worker).statistics()}

    assert (found["masts"].n_stated, found["masts"].n_doubted) == (3, 2)
    assert (found["name"].n_not_mentioned, found["name"].n_read_in_part) == (3, 3)
    assert found["launched"].n_failed == 3, "what was not asked about is not known"
