"""What becomes of columns that a scripted model looks at again."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from srag_mcp.cells.cell import Cell, PredictedCell, PredictedRecord, Record
from srag_mcp.documents.reading import read_text
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Work
from srag_mcp.model.language_model import Prompt
from srag_mcp.model.ledger import MeteredModel
from srag_mcp.pipeline.record_run import standardise_columns
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.spool import StoredReplies
from srag_mcp.store.state import open_state
from srag_mcp.store.work import WorkDatabase, finish_document, open_work
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from tests.model.scripted import ScriptedModel

_SUSPECT = re.compile(r"^\[(c\d+), begin \w+\]\nvalue: .*\nsaid by: (.*)$", re.MULTILINE)
CREW = Attribute(name="crew", type="integer")
RUN = Attribute(name="run", type="number", unit="km")
DAY = Attribute(name="day", type="date")
PRICE = Attribute(name="price", type="number")
CURRENCY = Attribute(name="currency", type="string")


@dataclass
class Ships:
    """Cells of ships: a value with its words, by attribute.

    `changes` says into what the model changes the value of which words; it keeps the others.
    """

    folder: Path
    changes: Mapping[str, object] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def standardise(
        self, columns: Mapping[Attribute, Sequence[tuple[str, str]]]
    ) -> dict[str, list[tuple[str | None, str]]]:
        """Return the values and notes of each column after two runs; the second asks nothing."""
        self.folder.mkdir()
        state = CorpusFolder(self.folder, self.folder.with_name("home")).writable()
        schema = Schema(title="Ship", entity="ships", attributes=tuple(columns))
        with open_work(state) as work, open_state(state) as opened:
            replies = StoredReplies(opened)
            predict(work, columns)
            model = MeteredModel(ScriptedModel(self._reply), replies, "a/b")
            engine = ModelEngine(
                work=Work(work, Settings()), model=model, replies=replies, max_in_flight=1
            )
            standardise_columns(work, schema, engine)
            n_asked = len(self.asked)
            n_changed, _ = standardise_columns(work, schema, engine)
            assert n_changed == 0
            assert len(self.asked) == n_asked
            return {
                attribute.name: [
                    (item.value_text, item.cell.note)
                    for item in Predictions(work).cells(attribute).values()
                ]
                for attribute in columns
            }

    def _reply(self, prompt: Prompt) -> str:
        verdicts: list[dict[str, object]] = []
        for key, words in _SUSPECT.findall(prompt.content):
            self.asked.append(words)
            verdict = "change" if words in self.changes else "keep"
            value = self.changes.get(words)
            verdicts.append({"id": key, "verdict": verdict, "value": value, "rationale": "so"})
        return json.dumps({"verdicts": verdicts})


def predict(work: WorkDatabase, columns: Mapping[Attribute, Sequence[tuple[str, str]]]) -> None:
    """Store documents `d00`, `d01` … that say the words, and the cells that they give."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for number, row in enumerate(rows):
        text = "\n".join(f"{attribute.name}: {words}" for attribute, (_, words) in row.items())
        document = read_text(text, f"d{number:02d}")
        work.store([finish_document(document, Record(document.id, ()), replaces=False)], [])
        cells = [
            PredictedCell(
                Cell(item.name, State.STATED, words, _span(text, f"{item.name}: ", words)), value
            )
            for item, (value, words) in row.items()
        ]
        record = PredictedRecord(document.id, document.sha256, tuple(cells))
        Predictions(work).store(list(columns), [record])


def _span(text: str, head: str, words: str) -> Span:
    start = text.index(f"{head}{words}") + len(head)
    return Span(start, start + len(words))


@pytest.fixture
def ships(tmp_path: Path) -> Ships:
    return Ships(tmp_path / "ships")


HANDS = [(str(n), f"{n} hands") for n in (24, 31, 29, 33, 27, 36)]


def test_a_change_that_does_not_fit_the_column_either_is_not_taken(ships: Ships) -> None:
    ships.changes = {"25 hands": 25_000}
    cells = ships.standardise({CREW: [*HANDS, ("250", "25 hands")]})
    assert ships.asked == ["25 hands"]
    value, note = cells["crew"][-1]
    assert value == "250"
    assert note == (
        "looked at again and kept: '25000' does not fit either: 6 of 7 values lie between 24 and"
        " 36; this one is about 1,000 times larger: is the scale (thousand, million) worked in, and"
        " only once?"
    )


@pytest.mark.parametrize(
    ("attribute", "others", "odd", "after"),
    [
        (CREW, HANDS, ("250", "25 hands"), 25),
        (
            RUN,
            [(str(n), f"{n} km") for n in (3000, 3100, 2900, 2800, 3300)],
            ("1620", "1,620 nautical miles"),
            3000.24,
        ),
        (RUN, [(str(n), f"{n} km") for n in (3, 4, 5, 6, 7)], ("19", "19 thousand km"), 19_000),
        (
            DAY,
            [(f"2021-03-{n}", f"{n}/03/2021") for n in (14, 15, 16, 17, 18)],
            ("2021-04-03", "04/03/2021"),
            "2021-03-04",
        ),
    ],
)
def test_a_right_change_is_taken(
    ships: Ships,
    attribute: Attribute,
    others: list[tuple[str, str]],
    odd: tuple[str, str],
    after: object,
) -> None:
    ships.changes = {odd[1]: after}
    cells = ships.standardise({attribute: [*others, odd]})
    assert ships.asked == [odd[1]]
    value, note = cells[attribute.name][-1]
    assert value == str(after)
    assert note == f"standardised: was '{odd[0]}', now '{after}' (so)"
    assert {note for _, note in cells[attribute.name][:-1]} == {""}


def test_of_two_orders_of_dates_the_other_one_may_be_taken(ships: Ships) -> None:
    proofs = [("2021-03-25", "25/03/2021"), ("2021-03-26", "03/26/2021")]
    ships.changes = {"03/04/2021": "2021-03-04"}
    cells = ships.standardise({DAY: [*proofs, ("2021-04-03", "03/04/2021")]})
    assert cells["day"][-1] == (
        "2021-03-04",
        "standardised: was '2021-04-03', now '2021-03-04' (so)",
    )


PRICES = [("10", "EUR 10"), ("12", "EUR 12"), ("9", "EUR 9"), ("11", "USD 11"), ("8", "GBP 8")]


def test_currencies_that_another_column_tells_are_not_asked_about(ships: Ships) -> None:
    told = [("EUR", "10"), ("EUR", "12"), ("EUR", "9"), ("USD", "11"), ("GBP", "8")]
    ships.standardise({PRICE: PRICES, CURRENCY: told})
    assert ships.asked == []


def test_currencies_that_no_column_tells_are_asked_about(ships: Ships) -> None:
    towns = [("Kiel", "10"), ("Bari", "12"), ("Oslo", "9"), ("Hull", "11"), ("Cork", "8")]
    ships.standardise({PRICE: PRICES, CURRENCY: towns})
    assert ships.asked == ["USD 11", "GBP 8"]
