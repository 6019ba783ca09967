"""Evaluating a pack: ingest its documents, compare its records, ask its questions.

The pack itself is never written to: its documents are copied into a temporary folder.
"""

import logging
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from srag_mcp.errors import PackError, SragError
from srag_mcp.evaluation.alignment import align, score_by_name
from srag_mcp.evaluation.evaluation import Evaluation, Outcome, QuestionResult
from srag_mcp.evaluation.found_records import match_documents, read_records
from srag_mcp.evaluation.gold_schema import read_gold_schema
from srag_mcp.evaluation.matching import is_right
from srag_mcp.evaluation.pack import Pack, PackQuestion, read_pack
from srag_mcp.evaluation.table_matching import is_right_of_table
from srag_mcp.pipeline.ask import ask
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryWorker, Value

SchemaSource: TypeAlias = Literal["induced", "gold"]

logger = logging.getLogger(__name__)

_ENGINE = "offline"
_LIMITS = QueryLimits(timeout_s=30, max_rows=10_000, max_bytes=20_000_000)


@dataclass(frozen=True, slots=True)
class _Bench:
    """Where an evaluation works: settings that keep all state in *folder*, and a query worker."""

    folder: Path
    settings: Settings
    worker: QueryWorker

    def corpus(self, folder: Path) -> Corpus:
        return Corpus(folder, self.worker, self.settings.home)


def evaluate(pack: Path, settings: Settings, *, schema: SchemaSource = "induced") -> Evaluation:
    """Evaluate the offline engine on the pack in the folder *pack*.

    With *schema* `gold`, the pack's `schema.json`, or else one made of the names and types of
    `gold.csv`, replaces induction, and each field is looked for in the column of its name. A pack
    of tables measures translation alone: each table is a corpus with a document a row.

    Raises:
        PackError: If the pack is incomplete or malformed.
        SragError: If its documents cannot be ingested.
    """
    started = time.monotonic()
    content = read_pack(pack)
    with _bench(settings) as bench:
        if content.of_tables:
            found = _evaluate_tables(content, bench)
        else:
            found = _evaluate_documents(content, bench, schema)
    return found.after(time.monotonic() - started)


@contextmanager
def _bench(settings: Settings) -> Iterator[_Bench]:
    with (
        tempfile.TemporaryDirectory(prefix="srag-eval-") as scratch,
        QueryWorker(_LIMITS) as worker,
    ):
        folder = Path(scratch).resolve()
        yield _Bench(folder, settings.model_copy(update={"home": folder / "home"}), worker)


def _evaluate_documents(pack: Pack, bench: _Bench, source: SchemaSource) -> Evaluation:
    folder = bench.folder / pack.name
    shutil.copytree(pack.folder / "documents", folder)
    gold_schema = read_gold_schema(pack) if source == "gold" else None
    ingest(folder, bench.settings, questions=pack.sample_questions, schema=gold_schema)
    corpus = bench.corpus(folder)
    found = match_documents(read_records(corpus), list(pack.gold))
    return Evaluation(
        pack=pack.name,
        engine=_ENGINE,
        documents=corpus.info().n_documents,
        cells=(align if source == "induced" else score_by_name)(pack.gold, found),
        questions=tuple(_ask(corpus, question) for question in pack.questions),
    )


def _evaluate_tables(pack: Pack, bench: _Bench) -> Evaluation:
    results: dict[str, QuestionResult] = {}
    n_documents = 0
    for table in dict.fromkeys(question.table for question in pack.questions):
        corpus = _ingest_table(pack, bench, str(table))
        n_documents += corpus.info().n_documents if corpus else 0
        for question in (item for item in pack.questions if item.table == table):
            results[question.id] = _ask(corpus, question)
    ordered = tuple(results[question.id] for question in pack.questions)
    return Evaluation(pack.name, _ENGINE, n_documents, (), ordered)


def _ingest_table(pack: Pack, bench: _Bench, table: str) -> Corpus | None:
    """Ingest one table; None when it cannot be, so that its questions count as refused."""
    source = (pack.folder / table).resolve()
    if not source.is_relative_to(pack.folder) or not source.is_file():
        msg = f"questions.jsonl names {table!r}, which is no file of the pack"
        raise PackError(msg)
    folder = bench.folder / source.stem
    folder.mkdir()
    shutil.copy(source, folder)
    try:
        ingest(folder, bench.settings, rows="row")
    except SragError as error:
        logger.warning("%s was not ingested, its questions count as refused: %s", table, error)
        return None
    return bench.corpus(folder)


def _ask(corpus: Corpus | None, question: PackQuestion) -> QuestionResult:
    answer = ask(corpus, question.question) if corpus else None
    if answer is None or answer.refused:
        outcome: Outcome = "right" if question.answer is None else "refused"
        return QuestionResult(question.id, question.kind, outcome, "", None, question.answer)
    outcome = "right" if _is_right(question, answer.rows) else "wrong"
    return QuestionResult(
        question.id, question.kind, outcome, answer.sql, answer.rows, question.answer
    )


def _is_right(question: PackQuestion, rows: tuple[tuple[Value, ...], ...]) -> bool:
    if question.table is None:
        return is_right(question, rows)
    expected = question.answer if isinstance(question.answer, tuple) else ()
    return is_right_of_table([row[0] for row in rows if row], expected)
