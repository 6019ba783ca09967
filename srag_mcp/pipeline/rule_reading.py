"""What is read beside rules: samples, practice and tests whole, and then what rules leave open."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from srag_mcp.cells.cell import (
    BY_RULES,
    Cell,
    Mark,
    PredictedCell,
    PredictedRecord,
    add_note,
    is_predicted,
)
from srag_mcp.cells.normalised import read_column
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress
from srag_mcp.model.language_model import Step
from srag_mcp.records.prediction import choose_first_tokens, count_around, estimate_records
from srag_mcp.records.record_prompt import Sought
from srag_mcp.rules.trial import TriedColumn
from srag_mcp.rules.voting import Verdict
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corrections import Correction, cell_value
from srag_mcp.store.predictions import Predictions, as_predicted
from srag_mcp.values.states import State

_WORTH_A_PART = 2  # so many times shorter than the document are words that are read instead of it
_PART = 2  # what is shown of a document in which few columns are sought: half of it at most
_SAID = frozenset({State.STATED, State.STATED_ABSENT})
_BY_RULES = "read by a rule"
_SILENCE = "no rule speaks, and the audit finds that such documents do not mention it"


@dataclass
class RuleReading:
    """What a model reads where rules read the rest, and which cells either gives.

    Attributes:
        order: All documents, by chance: samples, practice and tests take the first that are left.
        corrections: Those of persons that are of a value, or of none.
        asked: Those that the model was asked about.
    """

    predictions: Predictions
    engine: ModelEngine
    order: Sequence[str]
    corrections: Sequence[Correction] = ()
    asked: set[str] = field(default_factory=set)
    _lengths: dict[str, int] = field(default_factory=dict)

    def read(self, attributes: Sequence[Attribute], ids: Collection[str], step: Step) -> None:
        """Let the model read what it has not of *attributes*, blind for what rules say of it."""
        names: defaultdict[str, set[str]] = defaultdict(set)
        for group in self.predictions.pending(attributes):
            for key in group.document_ids:
                names[key].update(item.name for item in group.attributes)
        for attribute in attributes:
            for key in {*ids} - self.labels(attribute).keys():  # rules may have read it
                names[key].add(attribute.name)
        sought = {key: Sought(frozenset(names[key])) for key in {*ids} & names.keys()}
        self.seek(attributes, sought, step)

    def seek(
        self,
        attributes: Sequence[Attribute],
        sought: Mapping[str, Sought],
        step: Step,
    ) -> None:
        """Let the model read what is *sought*; cells that only some words say nothing of stay open.

        What different documents lack is asked in one prompt.
        """
        by_name = {attribute.name: attribute for attribute in attributes}
        names = {name for item in sought.values() for name in item.names}
        asked = tuple(item for item in attributes if item.name in names)

        def keep(records: Sequence[PredictedRecord]) -> None:
            parts: defaultdict[str, list[PredictedRecord]] = defaultdict(list)
            for record in records:
                item = sought[record.document_id]
                for cell in record.cells:
                    name, is_said = cell.cell.attribute, cell.cell.state in _SAID
                    if name in item.names and (is_said or not item.places):
                        parts[name].append(replace(record, cells=(cell,)))
            for name, found in parts.items():
                self.predictions.store([by_name[name]], found)

        if sought:
            self.predictions.forget_gone()
            self.engine.work.on_progress(Progress("predicting", 0, len(sought)))
            texts = self.predictions.texts([key for key in self.order if key in sought])
            self.engine.read(texts, asked, keep, step, sought)
            self.asked.update(sought)

    def labels(self, attribute: Attribute) -> dict[str, Cell]:
        """Return what the model read of a column, with values."""
        found = self.predictions.cells(attribute).items()
        read = {key: item for key, item in found if is_predicted(item.cell.engine)}
        return dict(zip(read, read_column(attribute, list(read.values())), strict=True))

    def known(self, attribute: Attribute) -> dict[str, Cell]:
        """Return what the model read of a column, and what a person says instead."""
        return {**self.labels(attribute), **self.corrected(attribute)}

    def corrected(self, attribute: Attribute) -> dict[str, Cell]:
        """Return what persons set of a column; what agents set, nobody has accepted."""
        return {
            item.document_id: Cell(
                attribute.name,
                State.STATED if item.says == "value" else State.STATED_ABSENT,
                value=cell_value(attribute, item),
            )
            for item in self.corrections
            if item.column == attribute.name
        }

    def count(self, attributes: Sequence[Attribute], ids: Collection[str]) -> int:
        """Return the tokens that it takes to read documents whole."""
        missing = [key for key in ids if key not in self._lengths]
        self._lengths |= dict(zip(missing, self.predictions.count_tokens(missing), strict=True))
        n_most = self.engine.work.settings.prompt_tokens
        return estimate_records(attributes, [self._lengths[key] for key in ids], n_most).tokens

    def keep(self, column: TriedColumn) -> int:
        """Keep the cells that rules may decide, where nothing was read; return how many."""
        attribute, audit = column.attribute, column.attribute.audit
        holds = audit is None or audit.holds
        silence_too = audit is not None and column.reads_silence
        labels = self.labels(attribute)
        kept: dict[str, PredictedCell] = {}
        for key, ruling in column.rulings.items() if holds else ():
            if key in labels:
                continue
            if ruling.is_taken:
                cell = add_note(ruling.cells[0], _BY_RULES, Mark.RULED)
                kept[key] = as_predicted(attribute, cell)
            elif silence_too and ruling.verdict is Verdict.SILENT:
                silent = Cell(attribute.name, State.NOT_MENTIONED, engine=BY_RULES)
                kept[key] = PredictedCell(add_note(silent, _SILENCE, Mark.RULED))
        self.predictions.keep_ruled(attribute, kept)
        return len(kept)

    def read_left(self, schema: Schema, columns: Mapping[str, TriedColumn]) -> bool:
        """Read the cells that rules leave open, from the words around their matches or passages.

        Return false, and read nothing, where to read these documents whole takes no more.
        """
        left = self._find_left(schema, columns)
        lengths = [item.n_tokens or self._lengths[key] for key, item in left.items()]
        n_cells = sum(len(item.names) for item in left.values())
        n_most = self.engine.work.settings.prompt_tokens
        price = estimate_records(schema.attributes, lengths, n_most, n_cells).tokens
        if price >= self.count(schema.attributes, left):
            return not left
        self.seek(schema.attributes, left, "records")
        # what the words around did not say
        self.seek(schema.attributes, self._find_left(schema, {}), "records")
        return True

    def _find_left(self, schema: Schema, columns: Mapping[str, TriedColumn]) -> dict[str, Sought]:
        """Return what each document lacks, and how much of it is read for that."""
        found = {}
        groups = self.predictions.pending(schema.attributes)
        self.count((), [key for group in groups for key in group.document_ids])
        for group in groups:
            names = frozenset(item.name for item in group.attributes)
            first = choose_first_tokens(len(names), len(schema.attributes))
            for key in group.document_ids:
                rulings = [columns[name].rulings[key] for name in names if name in columns]
                spoken = [ruling.cells for ruling in rulings if ruling.cells]
                places = tuple(x.span for cells in spoken for x in cells if x.span is not None)
                n_around = count_around(places)
                whole = self._lengths[key]
                if len(spoken) == len(names) and _WORTH_A_PART * n_around < whole:
                    found[key] = Sought(names, places, n_around)
                else:
                    n_part = None if first is None else min(first, whole // _PART)
                    found[key] = Sought(names, n_tokens=n_part)
        return found
