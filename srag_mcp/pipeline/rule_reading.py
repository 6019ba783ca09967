"""What is read beside rules: whole documents for lessons and audits, then what is left open."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import fmean
from typing import TypeAlias

from srag_mcp.cells.cell import (
    BY_RULES,
    Cell,
    DocumentText,
    Mark,
    PredictedCell,
    PredictedRecord,
    add_note,
    is_predicted,
    read_column,
)
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress
from srag_mcp.model.language_model import Step, count_tokens
from srag_mcp.records.prediction import stretches_around
from srag_mcp.records.record_prompt import Sought, cut_parts, find_terms, stem_words
from srag_mcp.rules.trial import TriedColumn, Trust
from srag_mcp.rules.voting import Verdict, has_failed
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.corrections import Correction, cell_value
from srag_mcp.store.predictions import Predictions, as_predicted
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State

_FEWEST = 3  # statements; of fewer nobody knows where they stand
_FEWEST_PARTS = 2  # that have a word: what one has may be its own
_MISSED = 0.025  # of what is stated: half of what an audit lets pass
_MOST_TOLD = 0.5  # of a text: more of it is read whole for hardly more
_KNOWN_VALUE = "@value"
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document, with its words: stems, forms of numbers, symbols."""

    span: Span
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReadText:
    """A document that was read whole, and where it states a column; None where it does not."""

    parts: Sequence[Part]
    place: Span | None


def find_parts(document: DocumentText) -> list[Part]:
    """Return the parts of *document*, in its order."""
    return [
        Part(span, frozenset((*_bare(stems), *_symbols(said))))
        for span, said, stems in cut_parts(document.text, document.passages)
    ]


def _bare(stems: Iterable[str]) -> Iterator[str]:
    return (_DIGIT.sub("0", stem) for stem in stems)


def _symbols(said: str) -> set[str]:
    """Return what stands for words: `€`, `★`, `%`."""
    marks = (mark for mark in {*said} if not mark.isalnum())
    return {mark for mark in marks if mark == "%" or unicodedata.category(mark)[0] == "S"}


@dataclass(frozen=True, slots=True)
class TellingWords:
    """The *words* of a column: a part that has one may tell it (stems, forms of numbers, symbols).

    *values*: what is known of its values, by their words, where these tell it, too.
    """

    words: frozenset[str]
    values: frozenset[frozenset[str]] = frozenset()

    def find(self, parts: Iterable[Part]) -> list[Span]:
        """Return the parts that may tell the column, in their order."""
        return [
            part.span
            for part in parts
            if not part.words.isdisjoint(self.words) or _has_value(part, self.values)
        ]


def _has_value(part: Part, values: Iterable[frozenset[str]]) -> bool:
    return any(value <= part.words for value in values)


@dataclass
class _Counts:
    """In how many parts that state a column, and in how many others, each word stands."""

    stating: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    n_stating: int = 0
    n_others: int = 0

    def weigh(self, word: str, n_left_out: int = 0) -> float:
        """Return how much likelier a word is where others state the column, as a logarithm."""
        n = self.stating[word] - n_left_out
        if n < _FEWEST_PARTS:
            return -math.inf
        stating = (n + 0.5) / (self.n_stating - n_left_out + 1)
        return math.log(stating) - math.log((self.others[word] + 0.5) / (self.n_others + 1))

    def weigh_alone(self, stating: Sequence[frozenset[str]]) -> float:
        """Return what the strongest word of a statement weighs by all others."""
        own = Counter(chain.from_iterable(stating))
        return max((self.weigh(word, n) for word, n in own.items()), default=-math.inf)


def learn_words(
    attribute: Attribute, read: Iterable[ReadText], values: Iterable[str] = ()
) -> TellingWords | None:
    """Learn where *attribute* is stated, and how little may tell so, by what was *read* whole.

    Its definition counts as one statement more. None where too little is stated, or where what may
    tell it is most of a document.
    """
    known = frozenset(frozenset(_bare(stem_words(value))) for value in values) - {frozenset()}
    counts, statements, texts = _Counts(), list[list[frozenset[str]]](), list[Sequence[Part]]()
    for item in read:
        texts.append(item.parts)
        stating = list[frozenset[str]]()
        for part in item.parts:
            said = part.words | {_KNOWN_VALUE} if _has_value(part, known) else part.words
            if item.place is not None and part.span.overlaps(item.place):
                stating.append(said)
                counts.stating.update(said)
            else:
                counts.others.update(said)
                counts.n_others += 1
        counts.n_stating += len(stating)
        statements += [stating] if stating else []
    if len(statements) < _FEWEST:
        return None
    counts.stating.update(find_terms(attribute).keys())
    counts.n_stating += 1
    found = sorted(map(counts.weigh_alone, statements))
    least = found[int(_MISSED * len(found))]
    strong = frozenset(word for word in counts.stating if counts.weigh(word) >= least)
    telling = TellingWords(strong, known if _KNOWN_VALUE in strong else frozenset())
    n_told = sum(span.end - span.start for parts in texts for span in telling.find(parts))
    n_all = sum(part.span.end - part.span.start for parts in texts for part in parts)
    return telling if n_told <= _MOST_TOLD * n_all else None


_SAID = frozenset({State.STATED, State.STATED_ABSENT})
_BY_RULES = "read by a rule"
_SILENCE = "no rule speaks, and the audit finds that such documents do not mention it"
_IN_PART = "no rule decides; read in the passages with words that tell it"
_NO_WORD = "no rule speaks, nor is there a word that tells it, which the audit finds to say enough"
_NOT_TOLD = "it has no word by which documents that were read whole tell it; nobody audited that"
_MOST_CUT = 500  # documents whose parts are kept: some 50 kB each
_MOST_VALUES = 100  # of a column, as words that tell it
Places: TypeAlias = Mapping[str, Mapping[str, tuple[Span, ...]]]
"""By document and column, the stretches in which it is looked for; none where nothing tells it."""


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
    _parts: dict[str, Sequence[Part]] = field(default_factory=dict)

    def read(self, attributes: Sequence[Attribute], ids: Collection[str], step: Step) -> None:
        """Let the model read what it has not of *attributes*, blind for what rules say of it."""
        names: defaultdict[str, set[str]] = defaultdict(set)
        for attribute in attributes:
            for key in {*ids} - self.labels(attribute).keys():  # rules may have read it
                names[key].add(attribute.name)
        sought = {key: Sought(frozenset(names[key])) for key in ids if key in names}
        self._seek(attributes, sought, step)

    def read_parts(self, columns: Iterable[TriedColumn], places: Places) -> None:
        """Let the model read stretches to learn from; whether their silence counts, audits tell."""
        attributes = [column.attribute for column in columns]
        sought = {
            key: Sought(frozenset(found), tuple(chain.from_iterable(found.values())))
            for key, found in places.items()
        }
        self._seek(attributes, sought, "audit", lambda _name, _key: True)

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

    def asked_of(self, attribute: Attribute) -> set[str]:
        """Return the documents that the model was asked about for a column, in part or whole."""
        found = self.predictions.cells(attribute).items()
        return {key for key, item in found if is_predicted(item.cell.engine)}

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
            if item.named == attribute.name
        }

    def _share_stated(self, attribute: Attribute) -> float:
        """Return in which share of what was read a column is stated; in all where nothing was."""
        labels = self.labels(attribute).values()
        return sum(cell.state in _SAID for cell in labels) / len(labels) if labels else 1.0

    def learn_words(
        self, columns: Iterable[TriedColumn], whole: Sequence[str]
    ) -> dict[str, TellingWords]:
        """Learn which words tell each column by the documents that were read *whole*."""
        parts = {x.document_id: self._cut(x) for x in self.predictions.texts(whole)}
        telling = {}
        for column in columns:
            labels = self.labels(column.attribute)
            read = [
                ReadText(parts[key], labels[key].span)
                for key in whole
                if key in labels and (labels[key].span or labels[key].state is State.NOT_MENTIONED)
            ]
            values = column.common_values(_MOST_VALUES) if column.attribute.type.is_text else ()
            if found := learn_words(column.attribute, read, values):
                telling[column.attribute.name] = found
        return telling

    def find_places(
        self,
        columns: Iterable[TriedColumn],
        telling: Mapping[str, TellingWords],
        ids: Sequence[str],
    ) -> Places:
        """Return where in documents the columns are looked for that no rule decides.

        Left out are columns of which no word is known that tells them.
        """
        columns = [item for item in columns if item.attribute.name in telling]
        open_in = {key: [item for item in columns if item.is_sought(key)] for key in ids}
        places: dict[str, dict[str, tuple[Span, ...]]] = {}
        for document in self.predictions.texts([key for key in ids if open_in[key]]):
            parts, key = self._cut(document), document.document_id
            places[key] = {}
            for item in open_in[key]:
                matched = [cell.span for cell in item.rulings[key].cells if cell.span]
                near = [x.span for x in parts if any(map(x.span.overlaps, matched))]
                found = telling[item.attribute.name].find(parts)
                places[key][item.attribute.name] = (*near, *found)
        return places

    def _cut(self, document: DocumentText) -> Sequence[Part]:
        """Return the parts of a document; those of the first ones, of which lessons are, stay."""
        key = document.document_id
        if key in self._parts:
            return self._parts[key]
        found = find_parts(document)
        if len(self._parts) < _MOST_CUT:
            self._parts[key] = found
        return found

    def keep(self, column: TriedColumn, places: Places) -> int:
        """Keep the cells that rules may decide, where nothing was read; return how many.

        *places*: where it is looked for otherwise.
        """
        attribute, labels = column.attribute, self.labels(column.attribute)
        cells, audit = self.predictions.cells(attribute).items(), attribute.audit
        # the silence of passages that the model read
        before = {x: y for x, y in cells if _is_in_part(y) and is_predicted(y.cell.engine)}
        may_rule = audit is None or not has_failed(audit)
        kept: dict[str, PredictedCell] = {}
        for key, ruling in column.rulings.items():
            if key in labels:
                continue
            if ruling.is_taken and may_rule:
                cell = add_note(ruling.cells[0], _BY_RULES, Mark.RULED)
                kept[key] = as_predicted(attribute, cell)
            elif column.trust >= Trust.SILENCE and ruling.verdict is Verdict.SILENT:
                kept[key] = _silent(attribute, _SILENCE)
            elif (found := _find_told(column, places, key)) is not None:
                if not found:
                    kept[key] = _silent(attribute, _NO_WORD if column.trust else _NOT_TOLD)
                elif ruling.verdict is Verdict.SILENT and key in before:
                    kept[key] = before[key]
        self.predictions.forget_ruled([attribute], besides=list(kept))
        self.predictions.change(attribute, kept)
        return len(kept)

    def read_left(
        self, attributes: Sequence[Attribute], columns: Mapping[str, TriedColumn], places: Places
    ) -> None:
        """Read the cells that rules leave open, from what stands around matches or from passages.

        What the words around matches do not say, and what no audit lets be read in parts, is read
        from whole documents.
        """

        def may_be_silent(name: str, key: str) -> bool:
            return name in columns and _find_told(columns[name], places, key) is not None

        for parts in (columns, {}):
            sought = dict(self._find_left(attributes, parts, places))
            self._seek(attributes, sought, "records", may_be_silent)

    def _find_left(
        self, attributes: Sequence[Attribute], columns: Mapping[str, TriedColumn], places: Places
    ) -> Iterator[tuple[str, Sought]]:
        """Yield what each document lacks, and which stretches of it are shown; none for all."""
        names = {
            key: frozenset(item.name for item in group.attributes)
            for group in self.predictions.pending(attributes)
            for key in group.document_ids
        }
        for document in self.predictions.texts(sorted(names)):
            key, sought = document.document_id, names[document.document_id]
            shown: list[Span] = []
            for name in sought:
                found = name in columns and _find_shown(columns[name], places, document)
                if not found:
                    shown = []
                    break
                shown += found
            yield key, Sought(sought, _where(document, shown))

    def _seek(
        self,
        attributes: Sequence[Attribute],
        sought: Mapping[str, Sought],
        step: Step,
        may_be_silent: Callable[[str, str], bool] = lambda _name, _key: False,
    ) -> None:
        """Let the model read what is *sought*; what different documents lack shares prompts."""
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
                        if not may_be_silent(name, record.document_id):
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
            shares = {item.name: self._share_stated(item) for item in asked}
            expecting = {
                key: replace(item, stated=fmean(shares[name] for name in item.names))
                for key, item in sought.items()
            }
            self.engine.read(texts, asked, keep, step, expecting)
            self.asked.update(sought)


def _silent(attribute: Attribute, note: str) -> PredictedCell:
    cell = Cell(attribute.name, State.NOT_MENTIONED, engine=BY_RULES)
    return PredictedCell(add_note(cell, note, Mark.RULED))


def _is_in_part(item: PredictedCell) -> bool:
    """Whether it is the silence of passages, or of a rule."""
    return item.cell.state is State.NOT_MENTIONED and Mark.RULED in item.cell.marks


def _find_told(column: TriedColumn, places: Places, key: str) -> tuple[Span, ...] | None:
    """Return what is read of a document in its place; None for all of it."""
    return None if column.is_bounded else places.get(key, {}).get(column.name)


def _find_shown(column: TriedColumn, places: Places, document: DocumentText) -> Iterable[Span]:
    """Return where it is looked for: what tells it or, where a whole document does, its matches."""
    found = places.get(document.document_id, {}).get(column.name)
    if not found and column.trust:
        matched = (cell.span for cell in column.rulings[document.document_id].cells)
        found = tuple(stretches_around(document.text, [span for span in matched if span]))
    return found or ()


def _where(document: DocumentText, shown: Iterable[Span]) -> tuple[Span, ...]:
    """Return these stretches in their order; none where they are all of the document."""
    places = sorted({*shown}, key=lambda span: (span.start, span.end))
    n_shown = count_tokens("".join(span.of(document.text) for span in places))
    return tuple(places) if n_shown < count_tokens(document.text) else ()


def is_told(label: Cell, name: str, places: Mapping[str, tuple[Span, ...]]) -> bool:
    """Whether what states a column stands where it is looked for."""
    reached = 0 if label.span is None else label.span.start
    for span in sorted(places.get(name, ()), key=lambda span: span.start):
        if label.span is not None and span.start <= reached:
            reached = max(reached, span.end)
    return label.span is not None and reached >= label.span.end
