"""Rules first, reading second: what a model writes after a sample, and how far it is trusted.

Rules are written after a sample, mended by what they miss in documents that leave much open, and
audited on others, in a large folder twice where that pays; what they may not decide is read.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain
from typing import get_args

from srag_mcp.cells.cell import Cell
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress
from srag_mcp.model.language_model import CHARACTERS_A_TOKEN
from srag_mcp.pipeline.rule_reading import Places, RuleReading, TellingWords, is_told
from srag_mcp.pipeline.schema_choice import put_edit_in_force
from srag_mcp.records.record_prompt import MAX_DOCUMENTS, MAX_PARTS
from srag_mcp.rules.trial import (
    MAX_MISSES,
    Lesson,
    Miss,
    Trial,
    TriedColumn,
    Trust,
    choose_shown,
    hold_back,
    may_be_ruled,
    try_column,
    write_rules,
)
from srag_mcp.rules.voting import (
    LIMIT,
    RISK,
    Look,
    Read,
    Verdict,
    choose_look,
    plan_audit,
    run_rules,
)
from srag_mcp.schema.attribute import Attribute, WrittenRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Effort, Settings
from srag_mcp.store.corrections import read_corrections
from srag_mcp.store.predictions import LESSON, Predictions, hash_attribute
from srag_mcp.store.work import WorkDatabase
from srag_mcp.text.spans import Span

EFFORT = "effort"
_FEW_FILES = 150
_HELD = "SELECT document_id, sha256 FROM documents WHERE sha256 IN (SELECT unnest(?))"
_BATCH = MAX_DOCUMENTS  # to learn from before rules are mended: a full prompt
_DRAWN = 8  # times as many are drawn, of which those are read that leave most open
_STRETCHES = 0.75  # of a prompt; the rest are headings of stretches, and gaps between them
_FOR_A_LESSON = 150  # documents, to pay for it: 0.7x as for any price reckoned before it
_READ_WHOLE = "rules would save little here: all documents are read"
_IN_PASSAGES = "where no rule speaks, the model reads passages with words that tell it, if known"
_UNBOUNDED = f"they leave too much open for a bound; {_IN_PASSAGES}"
_SILENT = {
    Trust.NOTHING: "the model reads it, in passages with words that tell it, if known",
    Trust.PROVEN: "where no rule speaks, the model reads it",
    Trust.RULED: "where no rule speaks, the model reads it",
    Trust.PASSAGES: _IN_PASSAGES,
    Trust.SPOKEN: _IN_PASSAGES,
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


def find_effort(work: WorkDatabase, settings: Settings, n_files: int) -> Effort:
    """Return how much is read: what is set, else what was at the last ingestion.

    At first all of up to 150 files, of more what rules leave open: an audit of few documents reads
    nearly as many.
    """
    known = work.note(EFFORT) if settings.effort == "auto" else settings.effort
    usual: Effort = "full" if n_files <= _FEW_FILES else "checked"
    return next((effort for effort in get_args(Effort) if effort == known), usual)


def count_read_first(effort: Effort, n_documents: int, n_sample: int) -> int:
    """Return how many of *n_documents* unread ones an effort reads whole where rules hold."""
    n_rest = n_documents - n_sample
    n_learned = min(_BATCH, n_rest // 4)  # of later lessons only stretches are read
    n_cells = max(0, n_rest - n_learned)
    n_checked = n_sample + n_learned + plan_audit(n_cells, choose_look(n_cells)).n_audited
    n_read = {"full": n_documents, "checked": n_checked, "draft": 2 * n_sample}[effort]
    return min(n_read, n_documents)


def read_by_rules(
    work: WorkDatabase, schema: Schema, engine: ModelEngine, effort: Effort
) -> RuleRun:
    """Let rules decide what they may of the documents that lack predictions, and read the rest.

    A draft reads no more than its sample and as many others, and audits nothing.

    Source: DESIGN 7.3.
    """
    run = _Run(work, engine, schema)
    pending = run.predictions.pending(run.attributes)
    if not pending:
        return RuleRun(schema)
    run.recall()
    n_unread = len({key for group in pending for key in group.document_ids} - {*run.sample})
    n_first = _BATCH + plan_audit(len(run.order)).n_audited
    run.reading.read(run.attributes, run.sample, "records")
    if effort == "draft":
        run.begin()
        more = [key for key in run.order if key not in {*run.sample}][: len(run.sample)]
        run.reading.read(run.attributes, more, "audit")
        run.learn_more(more)
        run.heed_persons()
    elif run.is_going() and n_unread < 2 * n_first:
        run.give_up()
        run.audit()
    else:
        run.begin()
        run.practise()
        for _ in range(len(run.order) // _FOR_A_LESSON):
            if not (lesson := run.choose_lesson()):
                break
            run.reading.read_parts(run.going().values(), lesson)
            run.learn_more([*lesson])
        run.audit()
    columns = {**run.columns, **run.others}
    others = [item for item in run.attributes if item.name not in run.columns]
    run.predictions.forget_ruled(others)  # a person may have removed their rules
    places = run.find_places(effort)
    n_kept = {name: run.reading.keep(column, places) for name, column in columns.items()}
    n_taken = sum(n_kept[name] for name in run.columns)
    schema = run.put()
    if effort == "checked":
        run.reading.read_left(run.attributes, columns, places)
    n_cells = len(run.order) * len(run.attributes)
    told = _tell(columns.values(), n_taken, n_cells, effort) if run.columns else ()
    return RuleRun(schema, frozenset(run.reading.asked), (*run.told, *told))


@dataclass
class _Run:
    """One run of rules over a corpus.

    Attributes:
        sample: The documents after which rules are written, which are read whole.
        trials: By the hash of a column's definition; of those without, no rule was asked for yet.
    """

    work: WorkDatabase
    engine: ModelEngine
    schema: Schema
    sample: tuple[str, ...] = ()
    practised: tuple[str, ...] = ()
    trials: dict[str, Trial] = field(default_factory=dict)
    columns: dict[str, TriedColumn] = field(default_factory=dict)
    others: dict[str, TriedColumn] = field(default_factory=dict)
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
        self._telling: dict[str, TellingWords] = {}
        self._whole: list[str] = []  # documents that were read whole

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What is not the column of a table file, which code reads."""
        return tuple(item for item in self.schema.attributes if not item.is_column)

    # --- Between ingestions ----------------------------------------------------------------------

    def recall(self) -> None:
        """Take up what an earlier run knew; a new sample is first of what is read already."""
        known, present = json.loads(self.work.note(LESSON) or "{}"), {*self.order}
        for key, trial in known.get("trials", {}).items():
            learned, shown = (
                tuple(filter(present.__contains__, trial.get(part, ())))
                for part in ("learned", "shown")
            )
            look = Look(trial.get("look", Look.ONLY))
            self.trials[key] = Trial(learned, shown, look, trial["is_over"])
        self.sample = tuple(filter(present.__contains__, known.get("sample", ())))
        self.practised = tuple(filter(present.__contains__, known.get("practised", ())))
        if not self.sample:
            read = {key for attribute in self.attributes for key in self.reading.known(attribute)}
            order = sorted(self.order, key=lambda key: key not in read)
            self.sample = tuple(order[: self.engine.work.settings.schema_documents])
        self._remember()

    def _remember(self) -> None:
        trials = {key: asdict(trial) for key, trial in self.trials.items()}
        known = {"sample": self.sample, "practised": self.practised, "trials": trials}
        self.work.keep_note(LESSON, json.dumps(known))

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

    # --- Lessons ---------------------------------------------------------------------------------

    def _find_new(self) -> dict[str, Mapping[str, Cell]]:
        """Return what the sample says of the columns of which no rules were asked for yet."""
        new: dict[str, Mapping[str, Cell]] = {}
        for attribute in self.attributes:
            if hash_attribute(attribute) not in self.trials:
                labels = self.reading.known(attribute)
                known = {key: labels[key] for key in self.sample if key in labels}
                if may_be_ruled(known):
                    new[attribute.name] = known
        return new

    def begin(self) -> None:
        """Ask for the rules of the columns of which none were asked for yet."""
        new = self._find_new()
        for attribute in self.attributes:
            if attribute.name not in new:
                self.trials.setdefault(hash_attribute(attribute), Trial(is_over=True))
        asked = tuple(item for item in self.attributes if item.name in new)
        held = hold_back(new, self.sample)
        shown = tuple(key for key in self.sample if key not in held)
        documents = tuple(self.predictions.texts(shown))
        written = self._ask(Lesson(asked, documents, new)) if asked else {}
        self._run(
            attribute.model_copy(update={"rules": written.get(attribute.name, attribute.rules)})
            for attribute in self.attributes
        )
        for attribute in self.attributes:
            trial = self.trials.get(hash_attribute(attribute))
            rules = written.get(attribute.name, attribute.rules)
            if trial is None and not rules and attribute.name not in written:
                continue  # nothing was answered: it is asked again
            trial = trial or Trial(tuple(new.get(attribute.name, ())), shown)
            self.trials[hash_attribute(attribute)] = trial
            if rules:
                own = attribute.model_copy(update={"rules": rules})
                self.columns[attribute.name] = self._try(own, trial)
        self.put()

    def _ask(self, lesson: Lesson) -> Mapping[str, tuple[WrittenRule, ...]]:
        self.engine.work.on_progress(Progress("predicting", 0, len(lesson.attributes), "rules"))
        n_tokens = self.engine.work.settings.prompt_tokens
        return self.engine.run(partial(write_rules, self.engine.model, lesson, n_tokens))

    def _run(self, attributes: Iterable[Attribute]) -> None:
        """Run the rules of *attributes* that are new over all documents, which are read once."""
        asked = []
        for attribute in attributes:
            rules = tuple(rule for key, rule in _keys(attribute) if key not in self._read)
            asked += [attribute.model_copy(update={"rules": rules})] if rules else []
        if asked:
            found = run_rules(asked, self.predictions.texts(self.order, whole=False))
            for item in asked:
                keys = (key for key, _ in _keys(item))
                self._read |= dict(zip(keys, found[item.name], strict=True))

    def _try(self, attribute: Attribute, trial: Trial) -> TriedColumn:
        self._run([attribute])
        read = [self._read[key] for key, _ in _keys(attribute)]
        return try_column(attribute, trial, read, self.reading.known(attribute), self.order)

    def going(self) -> dict[str, TriedColumn]:
        """Return the columns that have rules which are not audited yet."""
        return {name: item for name, item in self.columns.items() if not item.trial.is_over}

    def is_going(self) -> bool:
        """Whether some columns may get rules, or have some that are not audited yet."""
        return bool(self.going() or self._find_new())

    def _unread(self, columns: Mapping[str, TriedColumn]) -> list[str]:
        learned = {key for column in columns.values() for key in column.trial.learned}
        return [key for key in self.order if key not in learned]

    def _without_rules(self, columns: Collection[str]) -> dict[str, TriedColumn]:
        """Return all but *columns* as columns that no rule speaks of."""
        bare = (
            x.model_copy(update={"rules": ()}) for x in self.attributes if x.name not in columns
        )
        tried = (self._try(attribute, Trial(is_over=True)) for attribute in bare)
        return {column.name: replace(column, trust=Trust.NOTHING) for column in tried}

    def practise(self) -> None:
        """Read documents whole to learn from: of those that are drawn, what leaves most open."""
        going = self.going()
        if not going or self.practised:
            return
        drawn = self._unread(going)[: _DRAWN * _BATCH]
        n_open = {key: sum(column.is_open(key) for column in going.values()) for key in drawn}
        lengths = dict(zip(drawn, self.predictions.count_tokens(drawn), strict=True))
        batch: list[str] = []
        room = self.engine.work.settings.prompt_tokens
        for key in sorted(drawn, key=lambda key: -n_open[key]):
            room -= lengths[key]
            if batch and (room < 0 or len(batch) == _BATCH):
                break
            batch.append(key)
        self.practised = tuple(batch)
        self.reading.read(self.attributes, batch, "audit")
        shown = {*chain.from_iterable(column.trial.shown for column in going.values())}
        self.learn_more([*batch, *(key for key in self.sample if key not in shown)])

    def choose_lesson(self) -> Places:
        """Return stretches to learn from: where words tell a column of which no rule speaks."""
        going = self.going()
        telling = self.reading.learn_words(going.values(), (*self.sample, *self.practised))
        drawn = self._unread(going)[: _DRAWN * MAX_PARTS]  # those of lessons told what they had to
        places = self.reading.find_places(going.values(), telling, drawn)
        silent = {
            key: {
                name: x
                for name, x in found.items()
                if x and going[name].rulings[key].verdict is Verdict.SILENT
            }
            for key, found in places.items()
        }
        return self._fill_lesson(going, silent)

    def _fill_lesson(self, going: Mapping[str, TriedColumn], silent: Places) -> Places:
        """Take what leaves most open and was not read."""
        known = {name: self.reading.asked_of(column.attribute) for name, column in going.items()}
        counts: Counter[str] = Counter()
        lesson: dict[str, Mapping[str, tuple[Span, ...]]] = {}
        room = _STRETCHES * self.engine.work.settings.prompt_tokens * CHARACTERS_A_TOKEN
        for key in sorted(silent, key=lambda key: -len(silent[key])):
            asked = {
                name: found
                for name, found in silent[key].items()
                if key not in known[name] and counts[name] < 2 * MAX_MISSES
            }
            room -= sum(x.end - x.start for x in {*chain.from_iterable(asked.values())})
            if lesson and (room < 0 or len(lesson) == MAX_PARTS):
                break
            if asked:
                counts.update(asked.keys())
                lesson[key] = asked
        return lesson

    def learn_more(self, batch: Sequence[str]) -> None:
        """Score the rules by *batch*, which is read, and let the model mend what they miss."""
        misses: dict[str, list[Miss]] = {}
        for name, column in self.going().items():
            labels = self.reading.known(column.attribute)
            known = [key for key in batch if key in labels]
            learned = tuple(dict.fromkeys((*column.trial.learned, *known)))
            trial = replace(column.trial, learned=learned)
            self.columns[name] = self._try(column.attribute, trial)
            if found := list(self.columns[name].misses(batch, labels)):
                misses[name] = found
        written = self._mend(misses)
        self._run(
            self.columns[name].attribute.model_copy(update={"rules": rules})
            for name, rules in written.items()
        )
        for name, column in self.going().items():
            kept = [rule for rule in column.attribute.rules if not rule.wrong]
            self._known |= {(name, rule.pattern) for rule in column.attribute.rules}
            new = [
                rule for rule in written.get(name, ()) if (name, rule.pattern) not in self._known
            ]
            attribute = column.attribute.model_copy(update={"rules": (*kept, *new)})
            self.columns[name] = self._try(attribute, column.trial)
        self.put()

    def _mend(self, misses: Mapping[str, Sequence[Miss]]) -> Mapping[str, tuple[WrittenRule, ...]]:
        """Ask for rules for what those of the columns miss; what is shown for it proves none."""
        asked = tuple(self.columns[name].attribute for name in misses)
        ids = {miss.document_id for found in misses.values() for miss in found}
        documents = tuple(self.predictions.texts([key for key in self.order if key in ids]))
        texts = {item.document_id: item.text for item in documents}
        for name, found in misses.items():
            column = self.columns[name]
            seen = [miss.document_id for miss, _ in choose_shown(found, texts)]
            shown = tuple(dict.fromkeys((*column.trial.shown, *seen)))
            self.columns[name] = replace(column, trial=replace(column.trial, shown=shown))
        return self._ask(Lesson(asked, documents, {}, misses)) if asked else {}

    def heed_persons(self) -> None:
        """Score rules by what persons corrected, too, unless an audit counts it."""
        for name, column in self.columns.items():
            if column.attribute.audit is None:
                known = (*column.trial.learned, *self.reading.corrected(column.attribute))
                heeding = self._try(column.attribute, replace(column.trial, learned=known))
                self.columns[name] = replace(heeding, trial=column.trial)

    def give_up(self) -> None:
        """Keep the rules of columns that hold only: all is read once for the others."""
        held = [x for x in self.attributes if x.audit is not None and x.audit.holds]
        trials = {x.name: self.trials.get(hash_attribute(x)) for x in held}
        self.columns = {
            x.name: self._try(x, trial) for x in held if (trial := trials[x.name]) is not None
        }
        self.told.append(_READ_WHOLE)

    # --- The audit -------------------------------------------------------------------------------

    def audit(self) -> None:
        """Read what audits need, the same documents for all columns, and conclude."""
        self._whole = [*self.sample, *self.practised]
        for name, column in self.going().items():
            look = max(column.trial.look, choose_look(len(self.order)))
            self.columns[name] = replace(column, trial=replace(column.trial, look=look))
        tried = {name: x for name, x in self.columns.items() if x.trial.look is not Look.SECOND}
        self._mend_failed(tried, self._look(tried, self.attributes))
        again = {name: x for name, x in self.columns.items() if x.trial.look is Look.SECOND}
        self._look(again, [column.attribute for column in again.values()])
        self.columns = {
            name: column.left_to_reading().with_open_ends() for name, column in self.columns.items()
        }
        is_ruled = self.columns and _READ_WHOLE not in self.told
        self.others = self._without_rules(self.columns) if is_ruled else {}
        # Where words tell these they are looked for first.
        columns = (*self.columns.values(), *self.others.values())
        untrusted = [item for item in columns if item.trust < Trust.PASSAGES]
        for item in untrusted:
            self._telling.pop(item.name, None)
        self._telling |= self.reading.learn_words(untrusted, self._whole)

    def _look(
        self, columns: Mapping[str, TriedColumn], attributes: Sequence[Attribute]
    ) -> list[str]:
        """Audit *columns* by documents in which *attributes* are read; return these."""
        order, wanted = self.predictions.ids_by_chance("audit"), set[str]()
        for column in columns.values():
            units, plan = column.trial.draw(order)
            wanted.update(units[: plan.n_audited])
        ids = [key for key in order if key in wanted]
        self.reading.read(attributes, ids, "audit")
        whole = [key for key in ids if key not in self._whole]
        self._telling |= self.reading.learn_words(columns.values(), self._whole)
        places = self.reading.find_places(columns.values(), self._telling, whole)
        for name, column in columns.items():
            trial = replace(column.trial, is_over=True)
            corrected = self.reading.corrected(column.attribute)
            known = {**self.reading.known(column.attribute), **corrected}
            told = {  # where no word is known, nothing is looked for in parts
                key
                for key in whole
                if name not in self._telling
                or (key in known and is_told(known[key], name, places.get(key, {})))
            }
            audited = column.audited(order, known, told, corrected)
            before, now = column.attribute.audit, audited.attribute.audit
            if before is not None and before.holds and now is not None and not now.holds:
                self.told.append(f"{name}: its rules held before, and do not hold any more")
            self.columns[name] = replace(audited, trial=trial)
        self._whole += whole
        return ids

    def _mend_failed(self, tried: Mapping[str, TriedColumn], batch: Sequence[str]) -> None:
        """Mend what did not hold of *tried* by *batch*, the first look, for another to judge it.

        That pays where it reads at most half of the documents that would be read whole without it.
        """
        failed = {
            name: column
            for name, column in tried.items()
            if column.trial.look is Look.FIRST
            and not column.trial.is_over
            and self.columns[name].trust < Trust.SILENCE
        }
        held, read = self.columns, {*self._whole}
        left = (held[name].left_to_reading() for name in failed)
        whole = [x for x in left if x.is_bounded or x.name not in self._telling]
        unread = [key for key in self.order if key not in read]
        n_left = sum(any(x.is_sought(key) for x in whole) for key in unread)
        if n_left < 2 * plan_audit(len(unread), Look.SECOND).n_audited:
            return
        self.columns = held | {
            name: replace(column, trial=replace(column.trial, look=Look.SECOND))
            for name, column in failed.items()
        }
        self.learn_more(batch)
        for name, column in failed.items():
            if self.columns[name].speaking == column.speaking:  # nothing was learnt
                self.columns[name] = held[name]

    def find_places(self, effort: Effort) -> Places:
        """Return where what rules leave open is looked for."""
        if effort == "draft":
            return {}
        tried = (*self.columns.values(), *self.others.values())
        return self.reading.find_places(tried, self._telling, self.order)


def _keys(attribute: Attribute) -> list[tuple[tuple[str, str], WrittenRule]]:
    """Return the rules of *attribute* without their scores, each with what names it."""
    bare = [rule.model_copy(update={"right": 0, "wrong": 0}) for rule in attribute.rules]
    return [((attribute.name, rule.model_dump_json()), rule) for rule in bare]


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
        silent = _UNBOUNDED if n_ruled and not audit.holds else _SILENT[column.trust]
        outcome = f"{audit}; {silent}" if audit.holds else silent
        said.append(f"{name}: {differ}: {outcome}")
    if n_certified:
        said.append(
            f"{n_certified} columns hold at {LIMIT:.0%}: of so many, {RISK * n_certified:.1f}"
            " are expected to hold by chance"
        )
    return tuple(said)
