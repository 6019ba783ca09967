"""Rules first, reading second: what a model writes after a sample, and how far it is trusted.

Rules are written after a sample, mended by what they miss in documents that leave much open, and
audited once on others; what they may not decide is read.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import get_args

from srag_mcp.cells.cell import Cell
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress
from srag_mcp.pipeline.rule_reading import RuleReading
from srag_mcp.pipeline.schema_choice import put_edit_in_force
from srag_mcp.records.record_prompt import MAX_DOCUMENTS
from srag_mcp.rules.audit import LIMIT, RISK, plan_audit
from srag_mcp.rules.trial import Trial, TriedColumn, Trust, try_column
from srag_mcp.rules.voting import Read, run_rules
from srag_mcp.rules.writing import Lesson, Miss, may_be_ruled, write_rules
from srag_mcp.schema.attribute import Attribute, WrittenRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Effort, Settings
from srag_mcp.store.corrections import read_corrections
from srag_mcp.store.predictions import LESSON, Predictions, hash_attribute
from srag_mcp.store.work import WorkDatabase

_EFFORT = "effort"
_HELD = "SELECT document_id, sha256 FROM documents WHERE sha256 IN (SELECT unnest(?))"
# To write rules takes as many tokens as to read 13 to 24 documents: in a folder in which no more
# would be left to them, all are read.
_WRITING = 24
_BATCH = MAX_DOCUMENTS  # to learn from before rules are mended: a full prompt
_LESSONS = 5  # on 500 pages of 18 wordings a fact; fewer where documents are written alike
_DRAWN = 8  # times as many are drawn, of which those are read that leave most open
_CELL_TOKENS = 100  # of a cell that is read alone: its part of a passage, and a share of the rest
_MAX_VAIN = 2  # lessons of a column that bring no rule
_SILENT = {
    Trust.NOTHING: "too many, so the model reads it",
    Trust.PROVEN: "where no rule speaks, the model reads whole documents",
    Trust.PASSAGES: "where no rule speaks, the model reads passages",
    Trust.SPOKEN: "where no rule speaks, the model reads passages",
    Trust.SILENCE: "where no rule speaks, it is not mentioned",
}


@dataclass(frozen=True, slots=True)
class RuleRun:
    """What rules did in one ingestion.

    Attributes:
        schema: With the rules, their scores and their audits.
        asked: The documents that the model was asked about on the way.
        told: What a person should know of it.
    """

    schema: Schema
    asked: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()


def find_effort(work: WorkDatabase, settings: Settings) -> Effort:
    """Return how much is read: what is set, else what was at the last ingestion, at first all."""
    known = work.note(_EFFORT) if settings.effort == "auto" else settings.effort
    return next((effort for effort in get_args(Effort) if effort == known), "full")


def settle_effort(work: WorkDatabase, settings: Settings) -> Effort:
    """Return what `find_effort` does, and remember what is set."""
    if settings.effort != "auto":
        work.keep_note(_EFFORT, settings.effort)
    return find_effort(work, settings)


def count_read_first(effort: Effort, n_documents: int, n_sample: int) -> int:
    """Return how many of *n_documents* unread ones an effort reads whole where rules hold."""
    n_rest = n_documents - n_sample
    n_learned = min(_LESSONS * _BATCH, n_rest // 4)
    n_checked = n_sample + n_learned + plan_audit(max(0, n_rest - n_learned)).n_audited
    is_saving = effort == "draft" or n_rest - plan_audit(max(0, n_rest)).n_audited > _WRITING
    n_read = {"full": n_documents, "checked": n_checked, "draft": 2 * n_sample}[effort]
    return min(n_read, n_documents) if is_saving else n_documents


def forget_lesson(work: WorkDatabase) -> None:
    """Let rules be asked for anew: the columns are others, or lost their rules."""
    if work.note(LESSON):
        work.keep_note(LESSON, "")


def read_by_rules(
    work: WorkDatabase, schema: Schema, engine: ModelEngine, effort: Effort
) -> RuleRun:
    """Let rules decide what they may of the documents that lack predictions, and read the rest.

    A draft reads no more than its sample and as many others, and audits nothing.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.

    Source: DESIGN 7.3.
    """
    run = _Run(work, engine, schema)
    if not run.predictions.pending(schema.attributes):
        return RuleRun(schema)
    run.recall()
    n_rest = len(run.order) - len(run.sample)
    if effort == "checked" and n_rest - plan_audit(n_rest).n_audited <= _WRITING:
        return RuleRun(schema, told=("rules would save nothing here: all documents are read",))
    run.reading.read(schema.attributes, run.sample, "records")
    run.begin()
    if effort == "draft":
        run.learn_more([key for key in run.order if key not in {*run.sample}][: len(run.sample)])
        run.heed_persons()
    else:
        while batch := run.choose_batch():
            run.learn_more(batch)
        run.audit()
    columns = run.columns.values()
    others = [item for item in schema.attributes if item.name not in run.columns]
    run.predictions.forget_ruled(others)  # a person may have removed their rules
    n_taken = sum(run.reading.keep(column) for column in columns)
    schema = run.put()
    if effort == "checked":
        run.reading.read_left(schema.attributes, run.columns)
    told = _tell(columns, n_taken, len(run.order) * len(schema.attributes), effort)
    return RuleRun(schema, frozenset(run.reading.asked), (*run.told, *told))


@dataclass
class _Run:
    """One run of rules over a corpus.

    Attributes:
        order: All documents, by chance.
        sample: The documents after which rules are written, which are read whole.
        trials: By the hash of a column's definition; of those without, no rule was asked for yet.
        columns: Those that have rules.
    """

    work: WorkDatabase
    engine: ModelEngine
    schema: Schema
    sample: tuple[str, ...] = ()
    trials: dict[str, Trial] = field(default_factory=dict)
    columns: dict[str, TriedColumn] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.predictions = Predictions(self.work)
        self.order = self.predictions.ids_by_chance()
        said = [x for x in read_corrections(self.work.state) if x.by_person and x.says != "unknown"]
        held = {*self.work.run(_HELD, [x.sha256 for x in said])}
        said = [x for x in said if (x.document_id, x.sha256) in held]
        self.reading = RuleReading(self.predictions, self.engine, said)
        self._read: dict[tuple[str, str], Read] = {}
        self._known: set[tuple[str, str]] = set()  # patterns, those that fell included
        self._pays = True

    # --- Between ingestions ----------------------------------------------------------------------

    def recall(self) -> None:
        """Take up what an earlier run knew; a new sample is first of what is read already."""
        known, present = json.loads(self.work.note(LESSON) or "{}"), {*self.order}
        for key, trial in known.get("trials", {}).items():
            learned = tuple(filter(present.__contains__, trial["learned"]))
            self.trials[key] = Trial(learned, trial.get("n_vain", 0), trial["is_over"])
        self.sample = tuple(filter(present.__contains__, known.get("sample", ())))
        if not self.sample:
            read = {key for attribute in self.schema.attributes for key in self.labels(attribute)}
            order = sorted(self.order, key=lambda key: key not in read)
            self.sample = tuple(order[: self.engine.work.settings.schema_documents])
        self._remember()

    def _remember(self) -> None:
        trials = {key: asdict(trial) for key, trial in self.trials.items()}
        self.work.keep_note(LESSON, json.dumps({"sample": self.sample, "trials": trials}))

    def put(self) -> Schema:
        """Put the rules in force, with what is known of them."""
        for column in self.columns.values():
            self.trials[hash_attribute(column.attribute)] = column.trial
        self._remember()
        attributes = tuple(
            self.columns[item.name].attribute if item.name in self.columns else item
            for item in self.schema.attributes
        )
        self.schema = self.schema.model_copy(update={"attributes": attributes})
        return put_edit_in_force(self.work, self.schema)

    def labels(self, attribute: Attribute) -> Mapping[str, Cell]:
        """Return what is known of a column: what was read, and what a person says instead."""
        return self.reading.known(attribute)

    # --- Lessons ---------------------------------------------------------------------------------

    def begin(self) -> None:
        """Ask for the rules of the columns of which none were asked for yet."""
        new: dict[str, Mapping[str, Cell]] = {}
        for attribute in self.schema.attributes:
            if hash_attribute(attribute) not in self.trials:
                labels = self.labels(attribute)
                known = {key: labels[key] for key in self.sample if key in labels}
                if may_be_ruled(known):
                    new[attribute.name] = known
                else:
                    self.trials[hash_attribute(attribute)] = Trial(is_over=True)
        asked = tuple(item for item in self.schema.attributes if item.name in new)
        documents = tuple(self.predictions.texts(self.sample))
        written = self._ask(Lesson(asked, documents, new)) if asked else {}
        for attribute in self.schema.attributes:
            trial = self.trials.get(hash_attribute(attribute))
            rules = written.get(attribute.name, attribute.rules)
            if trial is None and not rules and attribute.name not in written:
                continue  # nothing was answered: it is asked again
            trial = trial or Trial(tuple(new.get(attribute.name, ())))
            self.trials[hash_attribute(attribute)] = trial
            if rules:
                own = attribute.model_copy(update={"rules": rules})
                self.columns[attribute.name] = self._try(own, trial)
        self.put()

    def _ask(self, lesson: Lesson) -> Mapping[str, tuple[WrittenRule, ...]]:
        self.engine.work.on_progress(Progress("predicting", 0, len(lesson.attributes), "rules"))
        n_tokens = self.engine.work.settings.prompt_tokens
        return self.engine.run(partial(write_rules, self.engine.model, lesson, n_tokens))

    def _try(self, attribute: Attribute, trial: Trial) -> TriedColumn:
        """Let the rules of *attribute* decide; those that are new run over all documents."""
        bare = [rule.model_copy(update={"right": 0, "wrong": 0}) for rule in attribute.rules]
        keys = [(attribute.name, rule.model_dump_json()) for rule in bare]
        new = {key: rule for key, rule in zip(keys, bare, strict=True) if key not in self._read}
        if new:
            asked = attribute.model_copy(update={"rules": tuple(new.values())})
            found = run_rules([asked], self.predictions.texts(self.order))[attribute.name]
            self._read |= dict(zip(new, found, strict=True))
        read = [self._read[key] for key in keys]
        return try_column(attribute, trial, read, self.labels(attribute), self.order)

    def _going(self) -> dict[str, TriedColumn]:
        return {name: item for name, item in self.columns.items() if not item.trial.is_over}

    def choose_batch(self) -> list[str]:
        """Return documents to learn from: of those that are drawn, the ones that leave most open.

        They fill a prompt. None, where the last ones did not pay, or where these and an audit are
        half of what is unread.
        """
        going = self._going()
        unread = self._unread(going)
        n_needed = _BATCH + plan_audit(max(1, len(unread) - _BATCH)).n_audited
        if not going or not self._pays or 2 * n_needed > len(unread):
            return []
        drawn = unread[: _DRAWN * _BATCH]
        n_open = {key: sum(column.is_open(key) for column in going.values()) for key in drawn}
        lengths = dict(zip(drawn, self.predictions.count_tokens(drawn), strict=True))
        batch: list[str] = []
        room = self.engine.work.settings.prompt_tokens
        for key in sorted(drawn, key=lambda key: -n_open[key]):
            room -= lengths[key]
            if batch and (room < 0 or len(batch) == _BATCH):
                break
            batch.append(key)
        return batch

    def _unread(self, columns: Mapping[str, TriedColumn]) -> list[str]:
        learned = {key for column in columns.values() for key in column.trial.learned}
        return [key for key in self.order if key not in learned]

    def learn_more(self, batch: Sequence[str]) -> None:
        """Read *batch*, score the rules by it, and let the model mend what they miss there."""
        self.reading.read(self.schema.attributes, batch, "audit")
        misses: dict[str, list[Miss]] = {}
        for name, column in self._going().items():
            labels = self.labels(column.attribute)
            learned = tuple(dict.fromkeys((*column.trial.learned, *batch)))
            trial = replace(column.trial, learned=learned)
            self.columns[name] = self._try(column.attribute, trial)
            found = list(self.columns[name].misses(batch, labels))
            if found and trial.n_vain < _MAX_VAIN:
                misses[name] = found
        going = self._going()
        unread = self._unread(going)
        n_silent = sum(column.count_silent(unread) for column in going.values())
        written = self._mend(going, misses)
        for name, column in going.items():
            kept = [rule for rule in column.attribute.rules if not rule.wrong]
            self._known |= {(name, rule.pattern) for rule in column.attribute.rules}
            new = [
                rule for rule in written.get(name, ()) if (name, rule.pattern) not in self._known
            ]
            n_vain = column.trial.n_vain + (name in misses and not new)
            attribute = column.attribute.model_copy(update={"rules": (*kept, *new)})
            self.columns[name] = self._try(attribute, replace(column.trial, n_vain=n_vain))
        n_told = n_silent - sum(column.count_silent(unread) for column in self._going().values())
        self._pays = n_told * _CELL_TOKENS > self.reading.count(self.schema.attributes, batch)
        self.put()

    def _mend(
        self, columns: Mapping[str, TriedColumn], misses: Mapping[str, Sequence[Miss]]
    ) -> Mapping[str, tuple[WrittenRule, ...]]:
        """Ask for rules for what those of *columns* miss."""
        asked = tuple(columns[name].attribute for name in misses)
        ids = {miss.document_id for found in misses.values() for miss in found}
        documents = tuple(self.predictions.texts([key for key in self.order if key in ids]))
        return self._ask(Lesson(asked, documents, {}, misses)) if asked else {}

    def heed_persons(self) -> None:
        """Score rules by what persons corrected, too, unless an audit counts it."""
        for name, column in self.columns.items():
            if column.attribute.audit is None:
                known = (*column.trial.learned, *self.reading.corrected(column.attribute))
                heeding = self._try(column.attribute, replace(column.trial, learned=known))
                self.columns[name] = replace(heeding, trial=column.trial)

    # --- The audit -------------------------------------------------------------------------------

    def audit(self) -> None:
        """Read what audits need, the same documents for all columns, and conclude."""
        order = self.predictions.ids_by_chance("audit")
        wanted: set[str] = set()
        for column in self.columns.values():
            units = [key for key in order if key not in {*column.trial.learned}]
            wanted.update(units[: plan_audit(len(units)).n_audited])
        ids = [key for key in order if key in wanted]
        self.reading.read(self.schema.attributes, ids, "audit")
        ranks = self.reading.rank_places([item.attribute for item in self.columns.values()])
        for name, column in self.columns.items():
            trial = replace(column.trial, is_over=True)
            corrected = self.reading.corrected(column.attribute)
            known = {**self.labels(column.attribute), **corrected}
            audited = column.audited(order, known, ranks[name], corrected)
            before, now = column.attribute.audit, audited.attribute.audit
            if before is not None and before.holds and now is not None and not now.holds:
                self.told.append(f"{name}: its rules held before, and do not hold any more")
            self.columns[name] = replace(audited, trial=trial)


# --- What is told -------------------------------------------------------------------------------


def _tell(
    columns: Collection[TriedColumn], n_taken: int, n_cells: int, effort: Effort
) -> tuple[str, ...]:
    said = [f"rules fill {n_taken:,} of {n_cells:,} cells"]
    if effort == "draft":
        said[0] += (
            ": nothing of it was audited, and what they leave open is not read (--effort checked"
            " does both)"
        )
        return tuple(said)
    n_certified = 0
    for column in columns:
        audit, name = column.attribute.audit, column.attribute.name
        if audit is None or not audit.audited:
            said.append(f"{name}: nothing was audited, so the model reads it")
            continue
        n_certified += audit.holds
        n_ruled = sum(ruling.is_taken for ruling in column.rulings.values())
        differ = f"rules decide {n_ruled}, {audit.wrong} of {audit.audited} audited cells differ"
        outcome = f"{audit}; {_SILENT[column.trust]}" if audit.holds else _SILENT[column.trust]
        said.append(f"{name}: {differ}: {outcome}")
    if n_certified:
        said.append(
            f"{n_certified} columns hold at {LIMIT:.0%}: of so many, {RISK * n_certified:.1f}"
            " are expected to hold by chance"
        )
    return tuple(said)
