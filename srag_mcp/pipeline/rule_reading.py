"""What is read beside rules: whole documents for lessons and audits, then what is left open."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from srag_mcp.cells.cell import (
    BY_RULES,
    Cell,
    DocumentText,
    Mark,
    PredictedCell,
    PredictedRecord,
    add_note,
    is_predicted,
)
from srag_mcp.cells.normalised import read_column
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress
from srag_mcp.model.language_model import Step, count_tokens
from srag_mcp.records.prediction import estimate_records, stretches_around
from srag_mcp.records.record_prompt import Sought
from srag_mcp.records.selection import find_likely
from srag_mcp.rules.trial import TriedColumn, Trust
from srag_mcp.rules.voting import Verdict
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.corrections import Correction, cell_value
from srag_mcp.store.predictions import Predictions, as_predicted
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

_SAID = frozenset({State.STATED, State.STATED_ABSENT})
_BY_RULES = "read by a rule"
_SILENCE = "no rule speaks, and the audit finds that such documents do not mention it"
_IN_PART = "no rule speaks; read in passages, which the audit finds to hold it"


@dataclass
class RuleReading:
    """What a model reads where rules read the rest, and which cells either gives.

    Attributes:
        corrections: Those of persons that are of a value, or of none.
        asked: The documents that the model was asked about.
    """

    predictions: Predictions
    engine: ModelEngine
    corrections: Sequence[Correction] = ()
    asked: set[str] = field(default_factory=set)
    _labels: dict[str, dict[str, Cell]] = field(default_factory=dict)

    def read(self, attributes: Sequence[Attribute], ids: Collection[str], step: Step) -> None:
        """Let the model read what it has not of *attributes*, blind for what rules say of it."""
        names: defaultdict[str, set[str]] = defaultdict(set)
        for attribute in attributes:
            for key in {*ids} - self.labels(attribute).keys():  # rules may have read it
                names[key].add(attribute.name)
        sought = {key: Sought(frozenset(names[key])) for key in ids if key in names}
        self._seek(attributes, sought, {}, step)

    def labels(self, attribute: Attribute) -> dict[str, Cell]:
        """Return what the model read of a column, with values; no silence of passages."""
        if attribute.name not in self._labels:
            found = self.predictions.cells(attribute).items()
            read = {
                key: item
                for key, item in found
                if is_predicted(item.cell.engine) and not _is_in_part(item)
            }
            cells = read_column(attribute, list(read.values()))
            self._labels[attribute.name] = dict(zip(read, cells, strict=True))
        return self._labels[attribute.name]

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

    def count(self, attributes: Sequence[Attribute], ids: Sequence[str]) -> int:
        """Return the tokens that it takes to read documents whole."""
        n_most = self.engine.work.settings.prompt_tokens
        return estimate_records(attributes, self.predictions.count_tokens(ids), n_most).tokens

    def rank_places(self, attributes: Sequence[Attribute]) -> dict[str, dict[str, int]]:
        """Return by column and document which passage holds what was read; the likeliest is 1.

        Left out is what stands in none, or not within one.
        """
        ranks: dict[str, dict[str, int]] = {item.name: {} for item in attributes}
        labels = {item.name: self.labels(item) for item in attributes}
        ids = sorted({key for found in labels.values() for key in found})
        for document in self.predictions.texts(ids):
            key = document.document_id
            likely = find_likely(document.text, document.passages, attributes)
            for name, spans in likely.items():
                cell = labels[name].get(key)
                own = None if cell is None else cell.span
                if own is not None:
                    holding = (n for n, span in enumerate(spans, 1) if span.holds(own))
                    ranks[name].update((key, n) for n in [next(holding, 0)] if n)
        return ranks

    def keep(self, column: TriedColumn) -> int:
        """Keep the cells that rules may decide, where nothing was read; return how many."""
        attribute, labels = column.attribute, self.labels(column.attribute)
        before, audit = self.predictions.cells(attribute), attribute.audit
        holds = audit is None or audit.holds
        kept: dict[str, PredictedCell] = {}
        for key, ruling in column.rulings.items() if holds else ():
            if key in labels:
                continue
            if ruling.is_taken:
                cell = add_note(ruling.cells[0], _BY_RULES, Mark.RULED)
                kept[key] = as_predicted(attribute, cell)
            elif column.trust >= Trust.SILENCE and ruling.verdict is Verdict.SILENT:
                silent = Cell(attribute.name, State.NOT_MENTIONED, engine=BY_RULES)
                kept[key] = PredictedCell(add_note(silent, _SILENCE, Mark.RULED))
            elif (
                _is_silent(column, key) and key in before and is_predicted(before[key].cell.engine)
            ):
                kept[key] = before[key]
        self.predictions.keep_ruled(attribute, kept)
        return len(kept)

    def read_left(
        self, attributes: Sequence[Attribute], columns: Mapping[str, TriedColumn]
    ) -> None:
        """Read the cells that rules leave open, from what stands around matches or from passages.

        What the words around matches do not say, and what no audit lets be read in parts, is read
        from whole documents.
        """
        silent = {name: column for name, column in columns.items() if column.trust}
        for parts in (silent, {}):
            sought = dict(self._find_left(attributes, parts))
            self._seek(attributes, sought, parts, "records")

    def _find_left(
        self, attributes: Sequence[Attribute], columns: Mapping[str, TriedColumn]
    ) -> Iterator[tuple[str, Sought]]:
        """Yield what each document lacks, and which stretches of it are shown; none for all."""
        names = {
            key: frozenset(item.name for item in group.attributes)
            for group in self.predictions.pending(attributes)
            for key in group.document_ids
        }
        for document in self.predictions.texts(sorted(names)):
            key, sought = document.document_id, names[document.document_id]
            asked = [item for item in attributes if item.name in sought]
            places = _choose_places(document, asked, columns)
            n_shown = count_tokens("".join(span.of(document.text) for span in places))
            is_part = n_shown < count_tokens(document.text)
            yield key, Sought(sought, places if is_part else ())

    def _seek(
        self,
        attributes: Sequence[Attribute],
        sought: Mapping[str, Sought],
        columns: Mapping[str, TriedColumn],
        step: Step,
    ) -> None:
        """Let the model read what is *sought*; what different documents lack shares prompts.

        A cell of which only a part of its document says nothing stays open, unless its audit lets
        passages be read for one of *columns*.
        """
        by_name = {attribute.name: attribute for attribute in attributes}
        names = {name for item in sought.values() for name in item.names}
        asked = tuple(item for item in attributes if item.name in names)

        def keep(records: Sequence[PredictedRecord]) -> None:
            parts: defaultdict[str, list[PredictedRecord]] = defaultdict(list)
            for record in records:
                item = sought[record.document_id]
                for cell in record.cells:
                    name = cell.cell.attribute
                    if name not in item.names:
                        continue
                    if item.places and cell.cell.state not in _SAID:
                        if not _is_silent(columns.get(name), record.document_id):
                            continue
                        noted = add_note(cell.cell, _IN_PART, Mark.RULED)
                        cell = replace(cell, cell=noted)
                    parts[name].append(replace(record, cells=(cell,)))
            for name, found in parts.items():
                self.predictions.store([by_name[name]], found)
                self._labels.pop(name, None)

        if sought:
            self.predictions.forget_gone()
            self.engine.work.on_progress(Progress("predicting", 0, len(sought)))
            texts = self.predictions.texts(list(sought))
            self.engine.read(texts, asked, keep, step, sought)
            self.asked.update(sought)


def _is_in_part(item: PredictedCell) -> bool:
    """Whether it is the silence of passages, or of a rule."""
    return item.cell.state is State.NOT_MENTIONED and Mark.RULED in item.cell.marks


def _is_silent(column: TriedColumn | None, key: str) -> bool:
    """Whether no rule of *column* speaks, and passages may tell that a document does not either."""
    if column is None or column.trust < Trust.PASSAGES:
        return False
    return column.rulings[key].verdict is Verdict.SILENT


def _choose_places(
    document: DocumentText,
    attributes: Sequence[Attribute],
    columns: Mapping[str, TriedColumn],
) -> tuple[Span, ...]:
    """Return the stretches in which *attributes* are looked for; none where it takes all."""
    likely: Mapping[str, tuple[Span, ...]] = {}
    places: list[Span] = []
    for attribute in attributes:
        column = columns.get(attribute.name)
        if column is None:
            return ()
        matched = [x.span for x in column.rulings[document.document_id].cells if x.span]
        if matched:
            places += stretches_around(document.text, matched)
        elif _is_silent(column, document.document_id):
            likely = likely or find_likely(document.text, document.passages, attributes)
            places += likely[attribute.name][: column.n_likely]
        else:
            return ()
    return tuple(sorted({*places}, key=lambda span: (span.start, span.end)))
