"""Rules first, reading second: what a model writes after a sample, and how far it is trusted."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

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
from srag_mcp.pipeline.record_run import read_missing_records
from srag_mcp.pipeline.schema_choice import put_rules_in_force
from srag_mcp.records.prediction import choose_first_tokens, count_around, estimate_records
from srag_mcp.rules.audit import LIMIT, RISK, Plan, conclude, plan_audit
from srag_mcp.rules.voting import Read, Ruling, Verdict, agrees, rule_on, run_rules, score_rules
from srag_mcp.rules.writing import Lesson, may_be_ruled, write_rules
from srag_mcp.schema.attribute import Attribute, WrittenRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Effort, Settings
from srag_mcp.store.predictions import Predictions, as_predicted, hash_attribute
from srag_mcp.store.work import WorkDatabase
from srag_mcp.values.states import State

_EFFORT, _LESSON = "effort", "lesson"
# To write rules takes as many tokens as to read 13 to 24 documents: in a folder in which no more
# would be left to them, all are read.
_WRITING = 24
_WORTH_A_PART = 2  # so many times shorter than the document are words that are read instead of it
_BY_RULES = "read by a rule"
_SILENCE = "no rule speaks, and the audit finds that such documents do not mention it"


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


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that has rules, and what they say of each document.

    Attributes:
        units: The documents that they decide, in the order of the audit.
        reads_silence: Whether silence decides as well.
    """

    attribute: Attribute
    rulings: Mapping[str, Ruling]
    units: tuple[str, ...]
    reads_silence: bool
    plan: Plan


class _Run:
    def __init__(
        self,
        work: WorkDatabase,
        engine: ModelEngine,
        effort: Effort,
    ) -> None:
        self.work, self.engine, self.effort = work, engine, effort
        self.predictions = Predictions(work)
        self.order = self.predictions.ids_by_chance()
        self.asked: set[str] = set()
        self.told: list[str] = []

    def read(self, schema: Schema, among: Collection[str], *, is_audit: bool = False) -> None:
        step: Step = "audit" if is_audit else "records"
        self.asked |= read_missing_records(self.work, schema, self.engine, among=among, step=step)

    def labels(self, attribute: Attribute) -> dict[str, Cell]:
        """Return what the model read of a column, with values."""
        found = self.predictions.cells(attribute).items()
        read = {key: item for key, item in found if is_predicted(item.cell.engine)}
        return dict(zip(read, read_column(attribute, list(read.values())), strict=True))


def find_effort(work: WorkDatabase, settings: Settings) -> Effort:
    """Return how much is read: what is set, else what was at the last ingestion, at first all."""
    known = work.note(_EFFORT) if settings.effort == "auto" else settings.effort
    return next((effort for effort in get_args(Effort) if effort == known), "full")


def settle_effort(work: WorkDatabase, settings: Settings) -> Effort:
    """Return what `find_effort` does, and remember what is set."""
    if settings.effort != "auto":
        work.keep_note(_EFFORT, settings.effort)
    return find_effort(work, settings)


def forget_lesson(work: WorkDatabase) -> None:
    """Let rules be asked for anew: the columns are others, or lost their rules."""
    if work.note(_LESSON):
        work.keep_note(_LESSON, "")


def read_by_rules(
    work: WorkDatabase, schema: Schema, engine: ModelEngine, effort: Effort
) -> RuleRun:
    """Let rules decide what they may of the documents that lack predictions.

    What they may not is left to be read, but for what the words around their matches state.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.

    Source: DESIGN 7.3.
    """
    run = _Run(work, engine, effort)
    if not run.predictions.pending(schema.attributes):
        return RuleRun(schema)
    lesson = _choose_lesson(run, schema)
    seen = {*lesson.shown, *lesson.held}
    rest = [key for key in run.order if key not in seen]
    if effort == "checked" and len(rest) - plan_audit(len(rest)).n_audited <= _WRITING:
        return RuleRun(schema, told=("rules would save nothing here: all documents are read",))
    run.read(schema, seen)
    schema = _with_rules(run, schema, lesson)
    ruled = [attribute for attribute in schema.attributes if attribute.rules]
    read = run_rules(ruled, run.predictions.texts(run.order))
    columns = [_decide(run, attribute, read[attribute.name], lesson, rest) for attribute in ruled]
    if effort == "checked":
        audited = _audit(run, schema, columns, rest)
    else:
        audited = [_without_audit(column) for column in columns]
    others = [attribute for attribute in schema.attributes if not attribute.rules]
    run.predictions.forget_ruled(others)  # a person may have removed their rules
    n_taken = sum(_keep(run, column) for column in audited)
    by_name = {column.attribute.name: column.attribute for column in audited}
    attributes = tuple(by_name.get(item.name, item) for item in schema.attributes)
    schema = schema.model_copy(update={"attributes": attributes})
    schema = put_rules_in_force(work, schema)
    told = _tell(run, schema, audited, n_taken)
    if effort == "checked" and not _saves(run, schema, rest):
        run.predictions.forget_ruled(schema.attributes)
        told += ("that would save nothing, as other columns are read: all are",)
    elif all(item.audit is not None and item.audit.holds for item in schema.attributes):
        for column in audited:
            _read_around(run, column)
    # else every document is read for some column, and for these cells with it
    return RuleRun(schema, frozenset(run.asked), (*run.told, *told))


# --- The sample, and the rules ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The documents of the sample: those whose labels the writer sees, and those held back.

    *tried*: the definitions for which rules were asked.
    """

    shown: tuple[str, ...]
    held: tuple[str, ...]
    tried: frozenset[str] = frozenset()


def _choose_lesson(run: _Run, schema: Schema) -> _Chosen:
    """Choose the sample: first what is read already, such as the documents of the schema."""
    known, present = json.loads(run.work.note(_LESSON) or "{}"), {*run.order}
    if known:
        shown, held = (tuple(filter(present.__contains__, known[x])) for x in ("shown", "held"))
        return _Chosen(shown, held, frozenset(known["tried"]))
    read = {key for attribute in schema.attributes for key in run.labels(attribute)}
    order = sorted(run.order, key=lambda key: key not in read)
    n = run.engine.work.settings.schema_documents
    chosen = _Chosen(tuple(order[:n]), tuple(order[n : 2 * n]))
    _remember(run, chosen)
    return chosen


def _remember(run: _Run, chosen: _Chosen) -> None:
    lists = {"shown": chosen.shown, "held": chosen.held, "tried": sorted(chosen.tried)}
    run.work.keep_note(_LESSON, json.dumps(lists))


def _with_rules(run: _Run, schema: Schema, chosen: _Chosen) -> Schema:
    """Ask for the rules of the columns that have not been tried."""
    shown: dict[str, dict[str, Cell]] = {}
    for attribute in schema.attributes:
        if hash_attribute(attribute) not in chosen.tried:
            labels = run.labels(attribute)
            shown[attribute.name] = {key: labels[key] for key in chosen.shown if key in labels}
    asked = [item for item in schema.attributes if may_be_ruled(shown.get(item.name, {}))]
    written: Mapping[str, tuple[WrittenRule, ...]] = {}
    if asked:
        run.engine.work.on_progress(Progress("predicting", 0, len(asked), "rules"))
        documents = tuple(run.predictions.texts(chosen.shown))
        lesson = Lesson(tuple(asked), documents, shown)
        n_tokens = run.engine.work.settings.prompt_tokens
        written = run.engine.run(partial(write_rules, run.engine.model, lesson, n_tokens))
        attributes = tuple(
            item.model_copy(update={"rules": written.get(item.name, item.rules)})
            for item in schema.attributes
        )
        schema = schema.model_copy(update={"attributes": attributes})
        schema = put_rules_in_force(run.work, schema)
    unanswered = {item.name for item in asked} - written.keys()
    answered = map(schema.attribute, shown.keys() - unanswered)
    tried = chosen.tried.union(map(hash_attribute, answered))
    if tried != chosen.tried:
        _remember(run, replace(chosen, tried=tried))
    return schema


# --- What they decide, and the audit ------------------------------------------------------------


def _decide(
    run: _Run, attribute: Attribute, read: Sequence[Read], chosen: _Chosen, rest: Sequence[str]
) -> _Column:
    labels = run.labels(attribute)
    known = {key: labels[key] for key in (*chosen.shown, *chosen.held) if key in labels}
    rules = score_rules(attribute, read, known, {*chosen.held})
    attribute = attribute.model_copy(update={"rules": rules})
    rulings = rule_on(attribute, read, run.order)
    silent = [key for key in known if rulings[key].verdict is Verdict.SILENT]
    reads_silence = bool(silent) and all(
        agrees(attribute, rulings[key], known[key]) for key in silent
    )
    units = tuple(
        key
        for key in rest
        if rulings[key].is_taken or (reads_silence and rulings[key].verdict is Verdict.SILENT)
    )
    return _Column(attribute, rulings, units, reads_silence, plan_audit(len(units)))


def _audit(
    run: _Run, schema: Schema, columns: Sequence[_Column], rest: Sequence[str]
) -> list[_Column]:
    """Read what is needed to know how often the rules are wrong, blind for what they say.

    The documents that most audits need are read for all columns; what one column needs beyond them
    is read for it alone, unless it has failed by then, or other columns are read everywhere anyway.
    """
    first = {*rest[: plan_audit(len(rest)).n_audited]}
    if any(column.units for column in columns):
        run.read(schema, first, is_audit=True)
    done = []
    is_whole = sum(bool(column.units) for column in columns) < len(schema.attributes)
    for column in columns:
        audited = column.units[: column.plan.n_audited]
        early = _find_wrong(run, column, [key for key in audited if key in first])
        if sum(early) <= column.plan.n_allowed:
            run.read(schema if is_whole else _alone(schema, column), audited, is_audit=True)
        audit = conclude(
            column.plan,
            len(column.units),
            _find_wrong(run, column, audited),
            reads_silence=column.reads_silence,
        )
        before = column.attribute.audit
        if before is not None and before.holds and not audit.holds:
            run.told.append(
                f"{column.attribute.name}: its rules held before, and do not hold any more"
            )
        attribute = column.attribute.model_copy(update={"audit": audit})
        done.append(replace(column, attribute=attribute))
    return done


def _without_audit(column: _Column) -> _Column:
    attribute = column.attribute.model_copy(update={"audit": None})
    return replace(column, attribute=attribute)


def _find_wrong(run: _Run, column: _Column, audited: Sequence[str]) -> list[bool]:
    """Return of each document whether the model reads something else, or could read nothing."""
    labels = run.labels(column.attribute)
    return [
        key not in labels or not agrees(column.attribute, column.rulings[key], labels[key])
        for key in audited
    ]


def _alone(schema: Schema, column: _Column) -> Schema:
    return schema.model_copy(update={"attributes": (column.attribute,)})


def _keep(run: _Run, column: _Column) -> int:
    """Keep the cells that rules may decide, where nothing was read; return how many they are."""
    attribute, audit = column.attribute, column.attribute.audit
    holds = audit is None or audit.holds
    silence_too = audit is not None and column.reads_silence
    labels = run.labels(attribute)
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
    run.predictions.keep_ruled(attribute, kept)
    return len(kept)


def _saves(run: _Run, schema: Schema, rest: Sequence[str]) -> bool:
    """Whether to read what is left takes fewer tokens than to read these documents whole."""
    n_columns, n_most = len(schema.attributes), run.engine.work.settings.prompt_tokens

    def count(attributes: Sequence[Attribute], ids: Sequence[str]) -> int:
        first = choose_first_tokens(len(attributes), n_columns) or n_most
        lengths = (min(first, n_tokens) for n_tokens in run.predictions.count_tokens(ids))
        found = estimate_records(attributes, lengths, n_most)
        return found.tokens_in + found.tokens_out

    groups = run.predictions.pending(schema.attributes)
    read = {key for item in schema.attributes for key in run.labels(item)}
    unread = [key for key in rest if key not in read]
    left = sum(count(group.attributes, group.document_ids) for group in groups)
    return left < count(schema.attributes, unread)


def _read_around(run: _Run, column: _Column) -> None:
    """Read the cells that rules of a column dispute from the words around their matches.

    Where these do not state it, or are no small part of the document, the document is read.
    """
    known = run.predictions.cells(column.attribute).keys()
    places = {
        key: [cell.span for cell in ruling.cells if cell.span is not None]
        for key, ruling in column.rulings.items()
        if ruling.cells and key not in known
    }
    short = [
        document.document_id
        for document in run.predictions.texts(list(places))
        if len(document.text) < _WORTH_A_PART * count_around(places[document.document_id])
    ]
    places = {key: spans for key, spans in places.items() if key not in short}

    def keep(records: Sequence[PredictedRecord]) -> None:
        said = [x for x in records if x.cells[0].cell.state in {State.STATED, State.STATED_ABSENT}]
        run.predictions.store([column.attribute], said)

    if places:
        texts = run.predictions.texts(list(places))
        run.engine.read(texts, (column.attribute,), keep, places=places)
        run.asked.update(places)


# --- What is told -------------------------------------------------------------------------------


def _tell(run: _Run, schema: Schema, columns: Sequence[_Column], n_taken: int) -> tuple[str, ...]:
    n_cells = len(run.order) * len(schema.attributes)
    said = [f"rules fill {n_taken:,} of {n_cells:,} cells"]
    if run.effort == "draft":
        said[0] += (
            ": nothing of it was audited, and what they leave open is not read (--effort checked"
            " does both)"
        )
        return tuple(said)
    certified = [audit for column in columns if (audit := column.attribute.audit) and audit.holds]
    for column in columns:
        if not column.units:
            said.append(f"{column.attribute.name}: no rule is proven, so the model reads it")
        elif audit := column.attribute.audit:
            differ = f"{audit.wrong} of {audit.audited} audited cells differ"
            outcome = (
                str(audit)
                if audit.holds
                else f"more than {column.plan.n_allowed}, so the model reads it"
            )
            said.append(f"{column.attribute.name}: rules decide {audit.cells}, {differ}: {outcome}")
    if certified:
        said.append(
            f"{len(certified)} columns hold at {LIMIT:.0%}: of so many, {RISK * len(certified):.1f}"
            " are expected to hold by chance"
        )
    return tuple(said)
