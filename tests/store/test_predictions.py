import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from srag_mcp.cells.cell import Cell, DocumentText, Mark, PredictedCell, PredictedRecord, read_marks
from srag_mcp.documents.passages import Passage
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish, published_info
from srag_mcp.store.layout import published_build
from srag_mcp.store.predictions import PendingDocuments, Predictions, hash_attribute
from srag_mcp.store.work import ODD, FinishedDocument, FinishedFile, WorkDatabase, open_work
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

Finish = Callable[..., FinishedDocument]
FILES = ("albatross.txt", "bittern.txt", "curlew.txt")


def predicted(attribute: str, value: str | None, words: str = "", start: int = 0) -> PredictedCell:
    if value is None:
        return PredictedCell(Cell(attribute, State.NOT_MENTIONED, engine="model"))
    span = Span(start, start + len(words))
    return PredictedCell(Cell(attribute, State.STATED, words, span, engine="model"), value)


def record_of(
    work: WorkDatabase, document_id: str, cells: Iterable[PredictedCell], error: str = ""
) -> PredictedRecord:
    [text] = Predictions(work).texts([document_id])
    return PredictedRecord(document_id, text.sha256, tuple(cells), error)


def all_silent(ships: Schema) -> list[PredictedCell]:
    return [predicted(attribute.name, None) for attribute in ships.attributes]


def test_what_lacks_predictions_is_pending(filled: Path, ships: Schema) -> None:
    with open_work(filled) as work:
        predictions = Predictions(work)
        assert predictions.pending(ships.attributes) == [PendingDocuments(ships.attributes, FILES)]

        predictions.store(ships.attributes, [record_of(work, "bittern.txt", all_silent(ships))])
        assert predictions.pending(ships.attributes) == [
            PendingDocuments(ships.attributes, ("albatross.txt", "curlew.txt"))
        ]


def test_an_edited_attribute_alone_is_asked_again(filled: Path, ships: Schema) -> None:
    name, masts, *rest = ships.attributes
    edited = masts.model_copy(update={"description": "Without the bowsprit."})
    found_again = name.model_copy(update={"synonyms": ("vessel",)})
    with open_work(filled) as work:
        predictions = Predictions(work)
        predictions.store(
            ships.attributes, [record_of(work, key, all_silent(ships)) for key in FILES[:2]]
        )

        assert predictions.pending([found_again, edited, *rest]) == [
            PendingDocuments((found_again, edited, *rest), ("curlew.txt",)),
            PendingDocuments((edited,), ("albatross.txt", "bittern.txt")),
        ]


def test_an_attribute_that_is_put_back_is_not_asked_again(filled: Path, ships: Schema) -> None:
    _, masts, *_ = ships.attributes
    edited = masts.model_copy(update={"description": "Without the bowsprit."})
    with open_work(filled) as work:
        predictions = Predictions(work)
        for attribute, value in ((masts, "3"), (edited, "2")):
            cells = [predicted(masts.name, value, "masts")]
            predictions.store([attribute], [record_of(work, key, cells) for key in FILES])

        assert predictions.pending([masts]) == predictions.pending([edited]) == []
        found = [predictions.cells(item)[FILES[0]].value_text for item in (masts, edited)]
        assert found == ["3", "2"]


OLD_NOTES = {
    "doubted: the quote says 12, the value 21": {Mark.DOUBTED},
    "derived: the quote does not have it as it is": {Mark.DERIVED},
    "looked at again and kept (as it says); doubted: x": {Mark.DOUBTED, Mark.KEPT},
    "standardised: was '7.0', taken out (no doubt)": {Mark.STANDARDISED},
    "does not fit its column, and no verdict yet": {Mark.UNSETTLED},
    "read in part: 2,500 of 9,000 characters": {Mark.READ_IN_PART},
    "quoted with small errors (0.98 alike)": set(),
    "": set(),
}


def test_notes_of_16a3ebc_become_marks_once(filled: Path, ships: Schema) -> None:
    masts = ships.attributes[1]
    with open_work(filled) as work:
        rows = [
            (f"{number}.txt", "0", masts.name, hash_attribute(masts), "not_mentioned", "", note)
            for number, note in enumerate(OLD_NOTES)
        ]
        work.connection.execute("ALTER TABLE cells DROP COLUMN marks")
        work.connection.execute("ALTER TABLE predictions DROP COLUMN marks")
        work.connection.execute("DELETE FROM meta WHERE key = 'tables'")
        work.connection.execute("DELETE FROM meta WHERE key = 'marks'")
        work.connection.executemany(
            "INSERT INTO predictions (document_id, sha256, attribute, attribute_hash, state,"
            " engine, note, unanswered) VALUES (?, ?, ?, ?, ?, ?, ?, false)",
            rows,
        )
        before = work.revision
    with open_work(filled) as work:
        kept = dict(work.connection.execute("SELECT note, marks FROM predictions").fetchall())
        assert {note: read_marks(text) for note, text in kept.items()} == OLD_NOTES
        assert work.connection.execute("SELECT DISTINCT marks FROM cells").fetchall() == [("",)]
        after = work.revision
        assert after != before  # the next build has them
    with open_work(filled) as work:
        assert work.revision == after


def test_predictions_outlive_another_schema_but_not_another_document(
    filled: Path, ships: Schema, finish: Finish
) -> None:
    shorter = ships.model_copy(update={"attributes": ships.attributes[:2]})
    albatross = finish("albatross.txt", {"name": "Albatross"})
    with open_work(filled) as work:
        predictions = Predictions(work)
        old = record_of(work, "albatross.txt", all_silent(ships))
        predictions.store(ships.attributes, [old])
        work.put_in_force(shorter, "given")
        same = replace(albatross, sha256=old.sha256)
        work.store([same], [FinishedFile("albatross.txt", 1, 1, rows=False)])
        assert predictions.pending(shorter.attributes) == []

        work.store([replace(albatross, replaces=True)], [])
        assert predictions.pending(shorter.attributes) == [
            PendingDocuments(shorter.attributes, ("albatross.txt",))
        ]
        predictions.forget_gone()
        assert work.connection.execute("SELECT count(*) FROM predictions").fetchall() == [(0,)]


def test_what_could_not_be_answered_is_pending_and_published_as_failed(
    filled: Path, ships: Schema
) -> None:
    failed = [
        PredictedCell(Cell(attribute.name, State.FAILED, engine="model", note="no answer"))
        for attribute in ships.attributes
    ]
    with open_work(filled) as work:
        predictions = Predictions(work)
        unanswered = record_of(work, "curlew.txt", failed, "no answer")
        predictions.store(ships.attributes, [unanswered])
        before = work.revision

        assert predictions.pending(ships.attributes)[0].document_ids == FILES
        predictions.store(ships.attributes, [unanswered])
        assert work.revision == before


def test_the_revision_changes_with_predictions_and_engine(filled: Path, ships: Schema) -> None:
    with open_work(filled) as work:
        revisions = [work.revision]
        predictions = Predictions(work)
        predictions.store(ships.attributes, [record_of(work, "curlew.txt", all_silent(ships))])
        revisions.append(work.revision)
        work.put_engine_in_force("model")
        revisions.append(work.revision)
        predictions.change(
            ships.attributes[0], {"curlew.txt": predicted("name", "Curlew", "Curlew", 6)}
        )
        revisions.append(work.revision)
        assert len(set(revisions)) == 4

        work.put_engine_in_force("model")
        predictions.forget_gone()
        assert work.revision == revisions[-1]
        assert predictions.cells(ships.attributes[0]) == {
            "curlew.txt": predicted("name", "Curlew", "Curlew", 6)
        }


def test_texts_come_in_the_order_asked_for(filled: Path) -> None:
    with open_work(filled) as work:
        texts = list(Predictions(work).texts(["curlew.txt", "gone.txt", "albatross.txt"]))
        assert [item.document_id for item in texts] == ["curlew.txt", "albatross.txt"]
        assert texts[0] == DocumentText(
            "curlew.txt",
            texts[0].title,
            "curlew.txt",
            "name: Curlew\nmasts: 2\nlaunched: 30 June 1931",
            texts[0].sha256,
            (Passage(Span(0, 44), None, (), "text"),),
        )
        assert Predictions(work).count_tokens(["curlew.txt"]) == [11]


def test_a_build_of_predictions_has_their_values_and_words(filled: Path, ships: Schema) -> None:
    with open_work(filled) as work:
        work.put_engine_in_force("model")
        predictions = Predictions(work)
        cells = [
            predicted("name", "Albatross", "Albatross", 6),
            predicted("masts", "3", "masts: 3", 16),
            PredictedCell(
                Cell("length", State.STATED, "61.5 m", Span(33, 39), unit="m", engine="model"),
                "61.5",
            ),
            PredictedCell(
                Cell("has_engine", State.STATED_ABSENT, "name", Span(0, 4), engine="model")
            ),
            predicted("launched", "1899-05", "May 1899", 52),
        ]
        predictions.store(
            ships.attributes,
            [
                record_of(work, "albatross.txt", cells),
                record_of(work, "bittern.txt", all_silent(ships)),
            ],
        )
        info = publish(work, ships)

    assert info.engine == "model"
    assert published_info(filled) == info
    path = published_build(filled)
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("FROM ships ORDER BY document_id").fetchall() == [
            ("albatross.txt", "Albatross", 3, 61.5, False, None),
            ("bittern.txt", None, 0, None, False, None),
            ("curlew.txt", None, None, None, None, None),
        ]
        rows = connection.execute(
            'SELECT attribute, state, as_stated, start, "end", value, unit, engine, note FROM cells'
            " WHERE document_id = 'albatross.txt'"
        ).fetchall()
        assert rows == [
            ("name", "stated", "Albatross", 6, 15, "Albatross", None, "model", ""),
            ("masts", "stated", "masts: 3", 16, 24, "3", None, "model", ""),
            ("length", "stated", "61.5 m", 33, 39, "61.5", "m", "model", ""),
            ("has_engine", "stated_absent", "name", 0, 4, "false", None, "model", ""),
            ("launched", "failed", "May 1899", 52, 60, None, None, "model", "a partial date"),
        ]
        others = connection.execute(
            "SELECT document_id, state, engine, note FROM cells WHERE attribute = 'masts'"
            " ORDER BY document_id OFFSET 1"
        ).fetchall()
        assert others == [
            ("bittern.txt", "not_mentioned", "model", ""),
            ("curlew.txt", "failed", "model", "not asked about yet"),
            ("dodo.pdf", "failed", "offline", "it is encrypted"),
        ]


@pytest.mark.parametrize("change", [{"description": "x"}, {"unit": "m"}, {"type": "number"}])
def test_the_name_of_an_attribute_changes_with_what_is_asked(
    ships: Schema, change: dict[str, str]
) -> None:
    masts = ships.attributes[1]
    assert hash_attribute(masts.model_copy(update=change)) != hash_attribute(masts)
    assert hash_attribute(masts.model_copy(update={"synonyms": ("poles",)})) == hash_attribute(
        masts
    )


@pytest.mark.parametrize(("odd", "is_full"), [("albatross.txt", False), ("curlew.txt", True)])
def test_what_is_odd_says_as_much_as_half_of_the_others_or_every_answer_tells_it(
    filled: Path, ships: Schema, odd: str, *, is_full: bool
) -> None:
    with open_work(filled) as work:
        work.put_engine_in_force("model")
        for n_said, path in zip((1, 1, 3), FILES, strict=True):
            said = [predicted(x.name, "1", "name") for x in ships.attributes[:n_said]]
            silent = all_silent(ships)[n_said:]
            record = record_of(work, path, [*said, *silent])
            Predictions(work).store(ships.attributes, [record])
        work.keep_note(ODD, json.dumps([odd]))
        info = publish(work, ships)
    named = f"1 document looks like none of the others, and is counted with them: {odd}"
    assert (info.odd, info.other_kinds) == ((named, "") if is_full else ("", named))
