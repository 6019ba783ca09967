"""Packs of tables: each table is a corpus, which measures translation alone."""

import logging
import shutil

from srag_mcp.ask.ask import ask
from srag_mcp.errors import PackError, SragError
from srag_mcp.evaluation.bench import Bench
from srag_mcp.evaluation.evaluation import Evaluation, QuestionResult
from srag_mcp.evaluation.pack import Pack
from srag_mcp.evaluation.questions import judge
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.store.corpus import Corpus

logger = logging.getLogger(__name__)


def evaluate_tables(pack: Pack, bench: Bench) -> Evaluation:
    """Ingest each table as a corpus with a document a row, and ask its questions offline.

    Raises:
        PackError: If a question names a table that is not there.
    """
    results: dict[str, QuestionResult] = {}
    n_documents = 0
    tables = list(dict.fromkeys(str(question.table) for question in pack.questions))
    for number, table in enumerate(tables):
        bench.on_progress("tables", number, len(tables))
        corpus = ingest_table(pack, bench, table, number)
        n_documents += corpus.info().n_documents if corpus else 0
        for question in (item for item in pack.questions if str(item.table) == table):
            answer = ask(corpus, question.question) if corpus else None
            results[question.id] = judge(question, answer)
    ordered = tuple(results[question.id] for question in pack.questions)
    return Evaluation(pack.name, "offline", n_documents, (), ordered)


def ingest_table(pack: Pack, bench: Bench, table: str, number: int) -> Corpus | None:
    """Ingest one table; None when it cannot be, so that its questions count as refused."""
    source = (pack.folder / table).resolve()
    if not source.is_relative_to(pack.folder) or not source.is_file():
        msg = f"questions.jsonl names {table!r}, which is no file of the pack"
        raise PackError(msg)
    folder = bench.folder / str(number) / source.stem
    folder.mkdir(parents=True)
    shutil.copy(source, folder)
    try:
        ingest(folder, bench.settings, rows="row")
    except SragError as error:
        logger.warning("%s was not ingested, its questions count as refused: %s", table, error)
        return None
    return bench.corpus(folder)
