"""Evaluating a pack, or a part of it: ingest documents, compare records, ask questions."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple, TypeAlias

from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.offline import OfflineEngine
from srag_mcp.errors import PackError, SettingsError, StoreError
from srag_mcp.evaluation.bench import (
    OUTCOMES,
    Bench,
    OnProgress,
    QuestionResult,
    TokenAccount,
    Tokens,
    account_for_tokens,
    add_tokens,
    ask_each,
    ask_questions,
    match_documents,
    match_names,
    open_bench,
    read_records,
    say_nothing,
)
from srag_mcp.evaluation.comparison import FieldScore, align, score_by_name
from srag_mcp.evaluation.matching import is_right, pick_column
from srag_mcp.evaluation.pack import (
    KEY,
    Expected,
    Pack,
    PackQuestion,
    read_gold_schema,
    read_pack,
    read_published,
    take_questions,
    with_names,
    write_gold_records,
)
from srag_mcp.evaluation.retrieval import (
    RANKERS,
    Change,
    Retrieval,
    compare_runs,
    rank_questions,
    read_run,
    score_run,
    write_run,
)
from srag_mcp.evaluation.systems import RecordedFirst, System, find_system
from srag_mcp.model.embedder import LOCAL, open_embedder
from srag_mcp.model.language_model import CONTEXT_TOKENS, LanguageModel
from srag_mcp.model.ledger import (
    REPLAY,
    Budget,
    Call,
    Ledger,
    MeteredModel,
    ReplayModel,
    write_replies,
)
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.remote_model import price_of
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.database import Select, open_csv_table
from srag_mcp.store.guard import Value
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import open_work

SchemaSource: TypeAlias = Literal["inferred", "gold", "gold-records"]

logger = logging.getLogger(__name__)

_MAX_NAMED = 10
NO_COLUMNS = Schema(title="Document", entity="pages", attributes=())


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What is evaluated, besides the pack.

    Attributes:
        schema: `inferred`: columns are found; `gold`: the pack's `schema.json`, or one made of
            `gold.csv` and the table of fields in `README.md`, is followed, and each field is looked
            for in the column of its name; `gold-records`: the gold records themselves are asked,
            which measures translation alone.
        n_documents: Evenly spaced documents of the pack; None for all.
        work: Folder in which it is done and kept, so that it can be resumed; None for a temporary
            one.
        record: File for the replies of the language model; None to keep none.
        ranking: Which of `RANKERS` ranks the passages of a pack of retrieval.
        run, against: Files of such rankings: where this one is kept, and one to compare it with.
        questions: File with the ids of the questions to ask; None for all.
        system: Which of `SYSTEMS` answers; None for the product, and for retrieval alone.
        records: Recorded replies from which the table is built, where a system needs one, before
            the model is asked.
        context_tokens: The most of documents in one prompt; None for what the model can read.
        at_once: How many questions may share the documents of `full-corpus`.
        embedder: Who makes vectors, see `open_embedder`.
    """

    schema: SchemaSource = "inferred"
    n_documents: int | None = None
    work: Path | None = None
    record: Path | None = None
    ranking: str = "search"
    run: Path | None = None
    against: Path | None = None
    questions: Path | None = None
    system: str | None = None
    records: Path | None = None
    context_tokens: int | None = None
    at_once: int = 1
    embedder: str = LOCAL


PLAN = EvaluationPlan()


class TokensTaken(NamedTuple):
    """What the questions of a system took: in the median, together, by step, once for all of them.

    Of those asked over one context as if alone; *once* is what it took to embed the documents.
    """

    median: float
    total: int
    by_step: Tokens
    once: Tokens


@dataclass(frozen=True, slots=True)
class SystemRun:
    """What is particular to a run of a *system*; *notes* should be known of all its answers.

    *embedder*: who made its vectors; empty where it has none.
    """

    system: str
    embedder: str
    tokens: TokensTaken
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a pack.

    Attributes:
        cells: One score a gold field, with the column that holds it.
        seconds: Of the whole evaluation.
        tokens: Where they went; None where no documents are read for a table.
        retrieval: Of a pack of retrieval; None for any other.
        changes: By its measures, how much better it is than the run to compare with, and the
            p-value of that.
        run: What is particular to a run of one of `SYSTEMS`; None for any other.
    """

    pack: str
    engine: str
    documents: int
    cells: tuple[FieldScore, ...]
    questions: tuple[QuestionResult, ...]
    seconds: float = 0.0
    calls: int = 0
    tokens: TokenAccount | None = None
    retrieval: Retrieval | None = None
    changes: Mapping[str, Change] = field(default_factory=dict)
    run: SystemRun | None = None

    @property
    def cells_mean(self) -> float | None:
        """The mean accuracy over the gold fields; None for a pack without gold records."""
        scores = [score.accuracy for score in self.cells]
        return sum(scores) / len(scores) if scores else None

    def by_kind(self) -> dict[str, list[QuestionResult]]:
        """Group the results by the kind of their questions."""
        kinds: dict[str, list[QuestionResult]] = {}
        for result in self.questions:
            kinds.setdefault(result.question.kind, []).append(result)
        return dict(sorted(kinds.items()))

    def to_json(self) -> dict[str, object]:
        """Return it as the JSON that `srag-mcp eval --json` prints."""
        of_all = {"pack": self.pack, "engine": self.engine, "documents": self.documents}
        if self.retrieval is not None:
            return {
                **of_all,
                "retrieval": self.retrieval.to_json(),
                "changes": {name: change._asdict() for name, change in self.changes.items()},
                "per_question": self.retrieval.scores,
                "seconds": round(self.seconds, 2),
            }
        asked = {
            "questions": count_outcomes(self.questions),
            "per_question": [result.to_json() for result in self.questions],
            "seconds": round(self.seconds, 2),
        }
        if self.run is not None:
            run = {**asdict(self.run), "tokens": self.run.tokens._asdict()}
            return {**of_all, **run, **asked}
        mean = self.cells_mean
        by_kind = {kind: count_outcomes(results) for kind, results in self.by_kind().items()}
        return {
            **of_all,
            "cells": {score.field: round(score.accuracy, 4) for score in self.cells},
            "cells_mean": None if mean is None else round(mean, 4),
            **asked,
            "questions": {**count_outcomes(self.questions), "by_kind": by_kind},
            "calls": self.calls,
            "tokens": self.tokens,
        }


def count_outcomes(results: Sequence[QuestionResult]) -> dict[str, int]:
    """Return how many questions there are, and how many have each outcome."""
    outcomes = [result.outcome for result in results]
    return {"total": len(outcomes), **{name: outcomes.count(name) for name in OUTCOMES}}


def evaluate(
    pack: Path,
    settings: Settings,
    plan: EvaluationPlan = PLAN,
    on_progress: OnProgress = say_nothing,
) -> Evaluation:
    """Evaluate the engine of *settings* on the pack in the folder *pack*.

    A pack of tables measures translation alone: each table is a corpus with a document a row.

    Raises:
        PackError: If the pack is incomplete or malformed.
        SragError: If its documents cannot be ingested.
    """
    started = time.monotonic()
    content = read_published(pack) if pack.is_file() else read_pack(pack)
    if plan.n_documents is not None:
        content = take_documents(content, plan.n_documents)
    if plan.questions is not None:
        content = take_questions(content, plan.questions)
    with open_bench(settings, plan.work, on_progress) as bench:
        if content.of_tables:
            found = _evaluate_tables(content, bench)
        elif plan.system is not None:
            found = _evaluate_system(content, bench, plan, find_system(plan.system))
        elif content.of_retrieval:
            found = _evaluate_retrieval(content, bench, plan)
        else:
            found = _evaluate_documents(content, bench, plan)
    return replace(found, seconds=time.monotonic() - started)


def _evaluate_tables(pack: Pack, bench: Bench) -> Evaluation:
    results: dict[str, QuestionResult] = {}
    n_documents = 0
    for corpus, questions in bench.tables(pack):
        n_documents += corpus.info().n_documents if corpus else 0
        results |= {item.question.id: item for item in ask_questions(corpus, questions)}
    ordered = tuple(results[question.id] for question in pack.questions)
    return Evaluation(pack.name, OfflineEngine.name, n_documents, (), ordered)


def _evaluate_retrieval(pack: Pack, bench: Bench, plan: EvaluationPlan) -> Evaluation:
    """Read and cut the documents, into no columns, and rank their passages for each question."""
    against = None if plan.against is None else read_run(plan.against)
    offline = bench.settings.with_engine(OfflineEngine.name)
    corpus = bench.corpus(_ingest_documents(pack, bench, offline, NO_COLUMNS))
    named = [name for question in pack.questions for name in question.documents]
    names = match_names(read_records(corpus), named)
    if missing := set(named) - set(names.values()):
        told = "questions name documents that are not there: %s"
        logger.warning(told, ", ".join(sorted(missing)[:_MAX_NAMED]))
    run = rank_questions(RANKERS[plan.ranking](corpus), pack.questions, names)
    if plan.run is not None:
        write_run(run, plan.run)
    found = score_run(run, pack.questions)
    changes = {} if against is None else compare_runs(found, score_run(against, pack.questions))
    n_documents = corpus.info().n_documents
    return Evaluation(
        pack.name, OfflineEngine.name, n_documents, (), (), retrieval=found, changes=changes
    )


def _evaluate_system(
    pack: Pack, bench: Bench, plan: EvaluationPlan, kind: type[System]
) -> Evaluation:
    """Let a system answer; a table is built where it needs one and gold says of what."""
    built_by = f"{REPLAY}{plan.records}"
    recorded = None if plan.records is None else ReplayModel(plan.records)
    if pack.gold and kind.needs_records:
        replayed = {"model": built_by, "engine": ModelEngine.name} if recorded else {}
        building = replace(bench, settings=bench.settings.model_copy(update=replayed))
        folder = _ingest(pack, building, plan)
    else:
        offline = bench.settings.with_engine(OfflineEngine.name)
        folder = _ingest_documents(pack, bench, offline, NO_COLUMNS)
    corpus, settings = bench.corpus(folder), bench.settings
    with bench.open_engine(folder) as engine:
        if not isinstance(engine, ModelEngine):
            msg = f"{plan.system} asks a language model: name one (--model), or --engine agent"
            raise SettingsError(msg)
        model = RecordedFirst(recorded, engine.model) if recorded else engine.model
        context_tokens = plan.context_tokens or CONTEXT_TOKENS
        embedding = None
        if kind.needs_vectors:
            embedding = _open_embedding(plan.embedder, settings, engine)
        system = kind(corpus, folder, model, embedding, context_tokens)
        run_to_end(system.prepare)
        size = plan.at_once if kind.may_share else 1
        asked = pack.questions
        batches = [asked[at : at + size] for at in range(0, len(asked), size)]
        results = ask_each(batches, system.answer, bench.on_progress)
        if plan.record is not None:
            kept = (item for item in engine.replies.kept() if item.asked_model != built_by)
            write_replies(plan.record, kept)
    info = corpus.info()
    run = _sum_up(plan, system, results, info.n_failed)
    return Evaluation(pack.name, engine.name, info.n_documents, (), results, run=run)


def _open_embedding(name: str, settings: Settings, engine: ModelEngine) -> LanguageModel:
    """Return who embeds: counted, and kept to the budget; what is made here is not recorded."""
    if name == LOCAL:
        return open_embedder(name, settings)
    price = None
    if settings.budget_usd is not None:
        price = price_of(settings.model_copy(update={"model": name}))
    budget = Budget(settings.budget_usd, settings.budget_calls, price)
    spent = engine.replies.unsettled()
    return MeteredModel(
        open_embedder(name, settings), engine.replies, name, budget=budget, spent=spent
    )


def _sum_up(
    plan: EvaluationPlan, system: System, results: Sequence[QuestionResult], n_failed: int
) -> SystemRun:
    by_step: Tokens = {}
    for result in results:
        add_tokens(by_step, result.tokens)
    each = [sum(map(sum, result.tokens.values())) for result in results]
    tokens = TokensTaken(median(each) if each else 0.0, sum(each), by_step, system.tokens)
    unread = (f"{n_failed} documents could not be read",) if n_failed else ()
    embedder = plan.embedder if system.needs_vectors else ""
    return SystemRun(plan.system or "", embedder, tokens, (*unread, *system.notes))


def _evaluate_documents(pack: Pack, bench: Bench, plan: EvaluationPlan) -> Evaluation:
    folder = _ingest(pack, bench, plan)
    corpus, calls = bench.corpus(folder), list[Call]()
    with bench.open_engine(folder) as engine:
        asked = engine if isinstance(engine, ModelEngine) else None
        results = ask_questions(corpus, pack.questions, asked, bench.on_progress)
        if asked is not None:
            calls = asked.replies.calls()
            if plan.record is not None:
                write_replies(plan.record, asked.replies.kept())
    with open_work(CorpusFolder(folder, bench.settings.home).writable()) as work:
        n_tokens = sum(Predictions(work).count_tokens())
    cells: tuple[FieldScore, ...] = ()
    if plan.schema != "gold-records":
        found = match_documents(read_records(corpus), list(pack.gold))
        missing = [name for name in pack.gold if name not in found]
        told = "gold.csv names documents that are not there; %d rows count as wrong: %s"
        if missing:
            logger.warning(told, len(missing), ", ".join(missing[:_MAX_NAMED]))
        if plan.schema == "gold":
            cells = score_by_name(pack.gold, found)
        else:
            cells = align(pack.gold, found, categories_of(corpus.schema()))
    return Evaluation(
        pack=pack.name,
        engine=engine.name,
        documents=corpus.info().n_documents,
        cells=cells,
        questions=results,
        calls=Ledger(calls).total.n_calls,
        tokens=account_for_tokens(n_tokens, calls, results),
    )


def categories_of(schema: Schema) -> dict[str, Sequence[str]]:
    """Return the closed set of each column that has one."""
    return {item.name: item.categories for item in schema.attributes if item.categories}


def _ingest(pack: Pack, bench: Bench, plan: EvaluationPlan) -> Path:
    """Ingest the pack's documents, or its gold records, and return the folder."""
    gold = None if plan.schema == "inferred" else read_gold_schema(pack)
    if plan.schema == "gold-records":
        folder = bench.folder / pack.name / "gold"
        folder.mkdir(parents=True, exist_ok=True)
        write_gold_records(pack, folder / "gold.csv")
        offline = bench.settings.with_engine(OfflineEngine.name)
        ingest(folder, offline, rows="row", schema=gold)
        return folder
    return _ingest_documents(pack, bench, bench.settings, gold)


def _ingest_documents(pack: Pack, bench: Bench, settings: Settings, schema: Schema | None) -> Path:
    folder = bench.lay_out(pack)
    report = ingest(
        folder,
        settings,
        questions=pack.sample_questions,
        schema=schema,
        on_progress=lambda step: bench.on_progress(step.stage, step.done, step.total),
    )
    for failure in report.failed[:_MAX_NAMED]:
        logger.warning("%s could not be read: %s", failure.path, failure.reason)
    if report.stopped or report.cancelled:
        msg = f"the ingestion of {pack.name} was stopped: {report.stopped or 'cancelled'}"
        raise PackError(msg)
    return bench.place_of(folder)


def take_documents(pack: Pack, n_documents: int) -> Pack:
    """Return *pack* with *n_documents* evenly spaced ones of its gold documents.

    The answers are computed anew from the `gold_sql` of the questions; questions without one, or
    whose answer on all documents it does not give, are left out, and those that have no answer any
    more. Unanswerable questions stay.

    Raises:
        PackError: If the pack has no gold records, or they cannot be queried.
    """
    if not pack.gold:
        msg = f"{pack.name} has no gold records: only documents with gold can be fewer"
        raise PackError(msg)
    names = sorted(pack.gold)
    if n_documents >= len(names):
        return pack
    kept = {names[number * len(names) // n_documents] for number in range(n_documents)}
    gold = {name: cells for name, cells in pack.gold.items() if name in kept}
    path, table, questions = pack.folder / "gold.csv", "gold", []
    try:
        with (
            open_csv_table(path, table, KEY) as whole,
            open_csv_table(path, table, KEY, kept) as part,
        ):
            for question in pack.questions:
                sql = question.gold_sql
                if question.answer is None:
                    questions.append(question)
                elif sql and is_right(question, _rows(whole, sql)):
                    answer = _answer(question, _rows(part, sql))
                    is_tie = isinstance(answer, tuple) and not isinstance(question.answer, tuple)
                    if answer is not None and answer != ():
                        found = replace(question, answer=answer, is_tie=is_tie)
                        questions.append(with_names(found, gold))
    except StoreError as error:
        msg = f"the gold of {pack.name} cannot be queried: {error}"
        raise PackError(msg) from error
    return replace(pack, gold=gold, questions=tuple(questions), is_part=True)


def _rows(select: Select, sql: str) -> tuple[tuple[Value, ...], ...]:
    def plain(value: object) -> Value:
        if isinstance(value, date | datetime):
            return value.isoformat()
        if isinstance(value, Decimal):
            return float(value)
        return value if isinstance(value, str | int | float | bool) else None

    return tuple(tuple(map(plain, row)) for row in select(sql))


def _answer(question: PackQuestion, rows: tuple[tuple[Value, ...], ...]) -> Expected:
    """Write a result as answers of packs are written: one value, members of a list, or rows."""
    if any(isinstance(member, tuple) for member in question.members):
        return tuple(tuple(value for value in row if value is not None) for row in rows)
    column = pick_column(rows, question.values) if question.values else []
    values = tuple(value for value in column or () if value is not None)
    if isinstance(question.answer, tuple):
        return values
    first = tuple(dict.fromkeys(values))
    return first if len(first) > 1 else next(iter(first), None)
