"""The bench of an evaluation: where a pack is ingested and asked, and what came of a question.

The pack itself is never written to: its documents are copied.
"""

import logging
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import anyio

from srag_mcp.engines.choice import choose_engine
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Engine, Work
from srag_mcp.errors import PackError, QuestionError, SragError
from srag_mcp.evaluation.alignment import match_names
from srag_mcp.evaluation.matching import is_right, is_right_reading
from srag_mcp.evaluation.pack import Pack, PackQuestion
from srag_mcp.evaluation.token_account import CountingModel, Tokens
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import OFFLINE, Asking, ask_model
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import open_work

OnProgress: TypeAlias = Callable[[str, int, int], None]
Outcome: TypeAlias = Literal["right", "wrong", "refused", "failed"]

OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "refused", "failed")

logger = logging.getLogger(__name__)

_LIMITS = QueryLimits(timeout_s=30, max_rows=10_000, max_bytes=20_000_000)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where an evaluation works: settings that keep all state in *folder*, and a query worker.

    *on_progress* takes the name of a stage, and how many of how many steps of it are done.
    """

    folder: Path
    settings: Settings
    worker: QueryPool
    on_progress: OnProgress

    def corpus(self, folder: Path) -> Corpus:
        """Open what was ingested in *folder*."""
        return Corpus(folder, self.worker, self.settings.home)

    def lay_out(self, pack: Pack) -> Path:
        """Copy the documents of *pack*; of a part of it, those that its gold names.

        Links and what is hidden are left out, such as what an ingestion made of the documents.
        """
        folder, source = self.folder / pack.name, pack.source or pack.folder

        def leave_out(inside: str, names: list[str]) -> set[str]:
            paths = {name: Path(inside, name) for name in names}
            ids = {name: path.relative_to(source).as_posix() for name, path in paths.items()}
            named = match_names(ids.values(), list(pack.gold)) if pack.is_part else ids.values()
            return {
                name
                for name, path in paths.items()
                if name.startswith(".")
                or path.is_symlink()
                or (path.is_file() and ids[name] not in named)
            }

        if pack.source is not None:
            shutil.copytree(source, folder, ignore=leave_out, dirs_exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pack.texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def tables(self, pack: Pack) -> Iterator[tuple[Corpus | None, list[PackQuestion]]]:
        """Ingest each table of *pack* as a corpus, with a document a row, and give its questions.

        None for one that cannot be ingested: its questions count as refused.

        Raises:
            PackError: If a question names a table that is not there.
        """
        tables = list(dict.fromkeys(str(question.table) for question in pack.questions))
        for number, table in enumerate(tables):
            self.on_progress("tables", number, len(tables))
            source = (pack.folder / table).resolve()
            if not source.is_relative_to(pack.folder) or not source.is_file():
                msg = f"questions.jsonl names {table!r}, which is no file of the pack"
                raise PackError(msg)
            folder = self.folder / str(number) / source.stem
            folder.mkdir(parents=True)
            shutil.copy(source, folder)
            corpus: Corpus | None = self.corpus(folder)
            try:
                ingest(folder, self.settings, rows="row")
            except SragError as error:
                told = "%s was not ingested, its questions count as refused: %s"
                logger.warning(told, table, error)
                corpus = None
            yield corpus, [item for item in pack.questions if item.table == table]

    @contextmanager
    def open_engine(self, folder: Path) -> Iterator[Engine]:
        """Open who thinks for the corpus in *folder*, by the settings."""
        settings = self.settings
        with (
            open_work(CorpusFolder(folder, settings.home).writable()) as work,
            choose_engine(work, settings).open(Work(work, settings)) as engine,
        ):
            yield engine


def say_nothing(stage: str, done: int, total: int) -> None:
    """Take progress that nobody looks at."""


@contextmanager
def open_bench(
    settings: Settings, work: Path | None = None, on_progress: OnProgress = say_nothing
) -> Iterator[Bench]:
    """Set up a bench in the folder *work*, which is kept; in a temporary one when None."""
    with tempfile.TemporaryDirectory(prefix="srag-eval-") as scratch, QueryPool(_LIMITS) as worker:
        folder = Path(scratch if work is None else work).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        apart = settings.model_copy(update={"home": folder / "home"})
        yield Bench(folder, apart, worker, on_progress)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question: *outcome* is `right` too where a question without an answer was refused.

    It is `failed` where a language model gave no reply (no recorded one, a spent budget, a server
    that is gone), whatever the gold answer: nobody judged whether it can be answered. *answer* is
    None where it was not asked. *tokens* are those of a language model, as if nothing had been
    asked before.
    """

    question: PackQuestion
    outcome: Outcome
    answer: Answer | None
    tokens: Tokens = field(default_factory=dict)

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer that could be compared."""
        refused = self.answer is None or self.answer.refused
        return not refused and self.outcome != "failed"

    def to_json(self) -> dict[str, object]:
        """Return it as JSON; a single value stands for its row and its list."""
        answer = self.answer if self.is_answered else None
        rows: list[object] = [list(row) for row in answer.rows] if answer else []
        if answer and all(len(row) == 1 for row in answer.rows):
            rows = [row[0] for row in answer.rows]
        is_value = len(rows) == 1 and not isinstance(rows[0], list)
        return {
            "id": self.question.id,
            "outcome": self.outcome,
            "sql": answer.sql if answer else "",
            "answer": None if answer is None else rows[0] if is_value else rows,
            "expected": self.question.answer,
        }


Result = TypeVar("Result", bound=QuestionResult)


def ask_questions(
    corpus: Corpus | None,
    questions: Sequence[PackQuestion],
    engine: ModelEngine | None = None,
    on_progress: OnProgress = say_nothing,
) -> tuple[QuestionResult, ...]:
    """Ask all questions, many at a time where a language model is asked; in the order given.

    They are asked of the table alone. Where there is no corpus, all are refused.
    """
    asking = OFFLINE if engine is None else Asking(engine.model, reads=False)

    async def ask(batch: Sequence[PackQuestion]) -> list[QuestionResult]:
        return [await ask_question(corpus, question, asking) for question in batch]

    return ask_each([[question] for question in questions], ask, on_progress)


async def ask_question(
    corpus: Corpus | None, question: PackQuestion, asking: Asking
) -> QuestionResult:
    """Ask one question as `ask` does, and compare the answer."""
    outcome: Outcome
    taken: Tokens = {}
    if asking.model is not None:
        asking = replace(asking, model=CountingModel(asking.model, taken))
    try:
        answer = await ask_model(corpus, question.question, asking) if corpus else None
    except QuestionError:  # longer than any question that is read
        answer = None
    if answer is not None and asking.model is not None and answer.taken is None:
        outcome = "failed"
    elif answer is None or answer.refused:
        outcome = "right" if question.answer is None else "refused"
    else:
        is_same = (
            is_right_reading(question, answer.rows, text=answer.text)
            if question.documents  # a published answer, as annotators wrote it
            else is_right(question, answer.rows, says_tie=answer.is_tie)
        )
        outcome = "right" if is_same else "wrong"
    return QuestionResult(question, outcome, answer, taken)


def ask_each(
    batches: Sequence[Sequence[PackQuestion]],
    ask: Callable[[Sequence[PackQuestion]], Awaitable[Sequence[Result]]],
    on_progress: OnProgress = say_nothing,
) -> tuple[Result, ...]:
    """Let *ask* answer all *batches* of questions at once; return the results in their order."""
    results: dict[str, Result] = {}
    n_questions = sum(map(len, batches))

    async def ask_batch(batch: Sequence[PackQuestion]) -> None:
        for result in await ask(batch):
            results[result.question.id] = result
        on_progress("asking", len(results), n_questions)

    async def ask_all() -> None:
        async with anyio.create_task_group() as tasks:
            for batch in batches:
                tasks.start_soon(ask_batch, batch)

    run_to_end(ask_all)
    failed = [item for item in results.values() if item.outcome == "failed"]
    failures = [item.answer.text for item in failed if item.answer]
    if failures:
        logger.warning("%d questions count as failed, the first: %s", len(failures), failures[0])
    return tuple(results[question.id] for batch in batches for question in batch)
