"""Rules first, reading second: what a model writes after a sample, and how far it is trusted.

Rules are written after a sample, tried on further documents, mended by what they missed there, and
tested on others; what they may not decide is read.
"""

import json
from collections.abc import Collection, Mapping
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
from srag_mcp.rules.trial import Trial, TriedColumn, try_column
from srag_mcp.rules.voting import Read, run_rules
from srag_mcp.rules.writing import Lesson, Miss, may_be_ruled, write_rules
from srag_mcp.schema.attribute import Attribute, Audit, WrittenRule
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
_BATCH = 2 * MAX_DOCUMENTS  # documents that are read before rules are looked at: two full prompts


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
    n_checked = n_sample + _BATCH + plan_audit(max(0, n_rest - _BATCH)).n_audited
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

    A draft reads no more than its sample. What would cost more in parts is left to be read whole.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.

    Source: DESIGN 7.3.
    """
    run = _Run(work, engine, effort)
    if not run.predictions.pending(schema.attributes):
        return RuleRun(schema)
    run.recall(schema)
    n_rest = len(run.order) - len(run.sample)
    if effort == "checked" and n_rest - plan_audit(n_rest).n_audited <= _WRITING:
        return RuleRun(schema, told=("rules would save nothing here: all documents are read",))
    run.reading.read(schema.attributes, run.sample, "records")
    columns = run.begin(schema)
    if effort == "checked":
        columns = run.try_out(schema, columns)
    else:
        fresh = [key for key in run.order if key not in {*run.sample}][: len(run.sample)]
        run.reading.read(schema.attributes, fresh, "records")
        columns = {name: run.rescored(column) for name, column in columns.items()}
    others = [attribute for attribute in schema.attributes if attribute.name not in columns]
    run.predictions.forget_ruled(others)  # a person may have removed their rules
    n_taken = sum(run.reading.keep(column) for column in columns.values())
    schema = run.put(schema, columns)
    told = _tell(run, schema, columns.values(), n_taken)
    if effort == "checked" and not run.reading.read_left(schema, columns):
        run.predictions.forget_ruled(schema.attributes)
        told += ("that would save nothing, as other columns are read: all are",)
    return RuleRun(schema, frozenset(run.reading.asked), (*run.told, *told))


@dataclass
class _Run:
    """One run of rules over a corpus.

    Attributes:
        order: All documents, by chance: samples, practice and tests take the first that are left.
        sample: The documents after which rules are written, which are read whole.
        trials: By the hash of a column's definition; of those without, no rule was asked for yet.
    """

    work: WorkDatabase
    engine: ModelEngine
    effort: Effort
    sample: tuple[str, ...] = ()
    trials: dict[str, Trial] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.predictions = Predictions(self.work)
        self.order = self.predictions.ids_by_chance()
        said = [x for x in read_corrections(self.work.state) if x.by_person and x.says != "unknown"]
        held = {*self.work.run(_HELD, [x.sha256 for x in said])}
        said = [x for x in said if (x.document_id, x.sha256) in held]
        self.reading = RuleReading(self.predictions, self.engine, self.order, said)
        self._read: dict[tuple[str, str], Read] = {}

    # --- Between ingestions ----------------------------------------------------------------------

    def recall(self, schema: Schema) -> None:
        """Take up what an earlier run knew; a new sample is first of what is read already."""
        known, present = json.loads(self.work.note(LESSON) or "{}"), {*self.order}
        for key, trial in known.get("trials", {}).items():
            learned = tuple(filter(present.__contains__, trial["learned"]))
            self.trials[key] = Trial(**{**trial, "learned": learned})
        self.sample = tuple(filter(present.__contains__, known.get("sample", ())))
        if not self.sample:
            read = {
                key for attribute in schema.attributes for key in self.reading.labels(attribute)
            }
            order = sorted(self.order, key=lambda key: key not in read)
            self.sample = tuple(order[: self.engine.work.settings.schema_documents])
        self._remember()

    def _remember(self) -> None:
        trials = {key: asdict(trial) for key, trial in self.trials.items()}
        self.work.keep_note(LESSON, json.dumps({"sample": self.sample, "trials": trials}))

    def put(self, schema: Schema, columns: Mapping[str, TriedColumn]) -> Schema:
        """Put the rules of *columns* in force, with what is known of them."""
        for column in columns.values():
            self.trials[hash_attribute(column.attribute)] = column.trial
        self._remember()
        attributes = tuple(
            columns[item.name].attribute if item.name in columns else item
            for item in schema.attributes
        )
        return put_edit_in_force(self.work, schema.model_copy(update={"attributes": attributes}))

    # --- Lessons, and what comes of them ---------------------------------------------------------

    def begin(self, schema: Schema) -> dict[str, TriedColumn]:
        """Return the columns that have rules; those that never were asked about are now."""
        new: dict[str, Mapping[str, Cell]] = {}
        for attribute in schema.attributes:
            if hash_attribute(attribute) not in self.trials:
                labels = self.reading.known(attribute)
                known = {key: labels[key] for key in self.sample if key in labels}
                if may_be_ruled(known):
                    new[attribute.name] = known
                else:
                    self.trials[hash_attribute(attribute)] = Trial(is_over=True)
        asked = tuple(item for item in schema.attributes if item.name in new)
        documents = tuple(self.predictions.texts(self.sample))
        written = self._ask(Lesson(asked, documents, new)) if asked else {}
        columns = {}
        for attribute in schema.attributes:
            trial = self.trials.get(hash_attribute(attribute))
            rules = written.get(attribute.name, attribute.rules)
            if trial is None and attribute.name not in written and not rules:
                continue  # nothing was answered: it is asked again
            trial = trial or Trial(tuple(new.get(attribute.name, ())), n_lessons=1)
            self.trials[hash_attribute(attribute)] = trial
            if rules:
                own = attribute.model_copy(update={"rules": rules})
                columns[attribute.name] = self._try(own, trial)
        fallen = {name: column for name, column in columns.items() if name in new}
        columns |= self._teach(fallen, fell_only=True)
        for name in new.keys() & columns.keys():
            column = columns[name]
            if column.is_ready(self.reading.known(column.attribute)):
                columns[name] = self._try(column.attribute, column.trial.tested())
        self.put(schema, columns)
        return columns

    def _ask(self, lesson: Lesson) -> Mapping[str, tuple[WrittenRule, ...]]:
        self.engine.work.on_progress(Progress("predicting", 0, len(lesson.attributes), "rules"))
        n_tokens = self.engine.work.settings.prompt_tokens
        return self.engine.run(partial(write_rules, self.engine.model, lesson, n_tokens))

    def _teach(
        self, columns: Mapping[str, TriedColumn], *, fell_only: bool = False
    ) -> dict[str, TriedColumn]:
        """Drop the rules that were wrong, and let the model mend what was missed.

        *fell_only*: ask only about columns of which a rule fell.
        """
        misses: dict[str, list[Miss]] = {}
        for name, column in columns.items():
            found = list(column.misses(self.reading.known(column.attribute)))
            if any(miss.rule for miss in found) or (found and not fell_only):
                misses[name] = found
        asked = [columns[name].attribute for name in misses]
        ids = {miss.document_id for found in misses.values() for miss in found}
        documents = tuple(self.predictions.texts([key for key in self.order if key in ids]))
        written = self._ask(Lesson(tuple(asked), documents, {}, misses)) if asked else {}
        taught = {}
        for name, column in columns.items():
            kept = [rule for rule in column.attribute.rules if not rule.wrong]
            known = {rule.pattern for rule in kept}
            kept += [rule for rule in written.get(name, ()) if rule.pattern not in known]
            attribute = column.attribute.model_copy(update={"rules": tuple(kept)})
            taught[name] = self._try(attribute, column.trial)
        return taught

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
        return try_column(attribute, trial, read, self.reading.known(attribute), self.order)

    def rescored(self, column: TriedColumn) -> TriedColumn:
        """Score rules by all that is known."""
        learned = tuple(self.reading.known(column.attribute))
        trial = Trial(learned, n_lessons=1)
        attribute = column.attribute.model_copy(update={"audit": None})
        return self._try(attribute, trial)

    def try_out(self, schema: Schema, columns: dict[str, TriedColumn]) -> dict[str, TriedColumn]:
        """Practise, mend and test the rules of *columns*, as long as that is likely to pay.

        What some column needs is read for all that are not certain yet, in documents that none of
        them has seen.
        """
        while True:
            going, wants = self._find_wants(columns)
            if not self._pays(going, wants):  # no time for practice: what is read now is the test
                columns |= {
                    name: self._try(column.attribute, column.trial.tested())
                    for name, column in going.items()
                    if column.trial.practises
                }
                going, wants = self._find_wants(columns)
            if not self._pays(going, wants):
                return {name: self._audited(column) for name, column in columns.items()}
            wanted: set[str] = set().union(*wants.values())
            batch = [key for key in self.order if key in wanted][:_BATCH]
            # what holds needs no reading; other columns are read while the document is open
            held = {name for name, column in columns.items() if self._holds(column)}
            open_ones = [item for item in schema.attributes if item.name not in held]
            self.reading.read(open_ones, batch, "audit")
            columns |= self._advance(going)
            self.put(schema, columns)

    def _find_wants(
        self, columns: Mapping[str, TriedColumn]
    ) -> tuple[dict[str, TriedColumn], dict[str, set[str]]]:
        """Return the columns that need further documents, and which."""
        wants = {
            name: {*column.wants(self.reading.known(column.attribute), _BATCH)}
            for name, column in columns.items()
        }
        wants = {name: ids for name, ids in wants.items() if ids}
        return {name: columns[name] for name in wants}, wants

    def _advance(self, columns: Mapping[str, TriedColumn]) -> dict[str, TriedColumn]:
        """Return *columns* after further documents were read."""
        moved, due = {}, {}
        for name, column in columns.items():
            labels = self.reading.known(column.attribute)
            trial = column.advanced(labels)
            if trial == column.trial:
                continue
            tried = self._try(column.attribute, trial)
            if trial.practises and not trial.is_over:
                due[name] = tried
            else:
                moved[name] = tried
        for name, taught in self._teach(due).items():
            before, trial = columns[name], taught.trial
            is_same = (
                [rule.pattern for rule in before.attribute.rules]
                == [rule.pattern for rule in taught.attribute.rules]
                and before.reads_silence == taught.reads_silence
                and taught.n_taken - before.n_taken <= LIMIT * len(self.order)
            )
            trial = Trial(trial.learned, trial.n_lessons + 1, trial.n_tests)
            # more practice would show the same
            trial = trial.tested() if is_same else trial
            moved[name] = self._try(taught.attribute, trial)
        return moved

    def _holds(self, column: TriedColumn) -> bool:
        is_tested = not column.trial.practises and not column.trial.is_over
        return is_tested and self._audit(column).holds

    def _audit(self, column: TriedColumn) -> Audit:
        known = {} if column.trial.practises else self.reading.known(column.attribute)
        return column.audit(known, self.reading.corrected(column.attribute))

    def _audited(self, column: TriedColumn) -> TriedColumn:
        attribute = column.attribute
        audit = self._audit(column)
        before = attribute.audit
        if before is not None and before.holds and not audit.holds:
            self.told.append(f"{attribute.name}: its rules held before, and do not hold any more")
        attribute = attribute.model_copy(update={"audit": audit})
        return replace(column, attribute=attribute)

    def _pays(
        self, columns: Mapping[str, TriedColumn], wants: Mapping[str, Collection[str]]
    ) -> bool:
        """Whether to try *columns* further may save more than it costs.

        A test comes out well about every second time, and what is read for it is not read again.
        """
        attributes = [column.attribute for column in columns.values()]
        seen = {key for item in attributes for key in self.reading.labels(item)}
        unseen = [key for key in self.order if key not in seen]
        practises = any(column.trial.practises for column in columns.values())
        n_further = plan_audit(len(unseen)).n_audited if practises else 0
        n_needed = len(set().union(*wants.values())) + n_further
        price = self.reading.count(attributes, unseen[:n_needed])
        return bool(columns) and 2 * price < self.reading.count(attributes, unseen)


# --- What is told -------------------------------------------------------------------------------


def _tell(
    run: _Run, schema: Schema, columns: Collection[TriedColumn], n_taken: int
) -> tuple[str, ...]:
    n_cells = len(run.order) * len(schema.attributes)
    said = [f"rules fill {n_taken:,} of {n_cells:,} cells"]
    if run.effort == "draft":
        said[0] += (
            ": nothing of it was audited, and what they leave open is not read (--effort checked"
            " does both)"
        )
        return tuple(said)
    n_certified = 0
    for column in columns:
        audit, name = column.attribute.audit, column.attribute.name
        if audit is None or not audit.audited:
            said.append(f"{name}: no rules are fit for a test, so the model reads it")
            continue
        n_certified += audit.holds
        differ = f"{audit.wrong} of {audit.audited} audited cells differ"
        outcome = str(audit) if audit.holds else "too many or too few, so the model reads it"
        said.append(f"{name}: rules decide {audit.cells}, {differ}: {outcome}")
    if n_certified:
        said.append(
            f"{n_certified} columns hold at {LIMIT:.0%}: of so many, {RISK * n_certified:.1f}"
            " are expected to hold by chance"
        )
    return tuple(said)
