"""The bench of an evaluation: where a pack is ingested and asked, and what came of a question."""

import logging
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from statistics import median
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias, TypedDict, get_args

import anyio

from srag_mcp.engines.choice import choose_engine
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Engine, Work
from srag_mcp.errors import PackError, QuestionError, SragError
from srag_mcp.evaluation.matching import is_right, is_right_reading
from srag_mcp.evaluation.pack import Pack, PackQuestion, Scale
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import OFFLINE, Asking, ask_model
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, Step, count_tokens
from srag_mcp.model.ledger import Call, Ledger, Totals
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryPool, Value
from srag_mcp.store.layout import CorpusFolder, read_kinds
from srag_mcp.store.work import open_work

OnProgress: TypeAlias = Callable[[str, int, int], None]
Outcome: TypeAlias = Literal["right", "wrong", "refused", "failed"]

Tokens: TypeAlias = dict[Step, tuple[int, int]]
"""In and out, by the step that took them."""

OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "refused", "failed")
STEPS: tuple[Step, ...] = get_args(Step)
BUILDING = STEPS[: STEPS.index("names") + 1]
_SHOWN: Mapping[Step, str] = {"translate": "questions"}  # as the questions of a pack are called

logger = logging.getLogger(__name__)

_PAGE_ROWS = 10_000
_LIMITS = QueryLimits(timeout_s=30, max_rows=_PAGE_ROWS, max_bytes=20_000_000)


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

    def place_of(self, folder: Path) -> Path:
        """Return the corpus that *folder* became: gold is of the kind with the most documents."""
        corpus = CorpusFolder(folder, self.settings.home)
        kept = read_kinds(corpus.readable())
        sizes = [(kept[name].documents, place) for name, place in corpus.kinds().items()]
        return max(sizes, default=(0, folder))[1]

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
    with TemporaryDirectory(prefix="srag-eval-") as scratch, QueryPool(_LIMITS) as worker:
        folder = Path(scratch if work is None else work).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        apart = settings.model_copy(update={"home": folder / "home"})
        yield Bench(folder, apart, worker, on_progress)


def read_records(corpus: Corpus) -> dict[str, dict[str, Value]]:
    """Return the cells of every record by document id."""
    entity = corpus.schema().entity.replace('"', '""')
    rows = read_rows(corpus, f'SELECT * FROM "{entity}"')  # noqa: S608
    return {str(cells.pop("document_id")): cells for cells in rows}


def read_rows(corpus: Corpus, sql: str) -> Iterator[dict[str, Value]]:
    """Yield all rows of a query, page by page."""
    offset: int | None = 0
    while offset is not None:
        page = corpus.select(sql, limit=_PAGE_ROWS, offset=offset)
        yield from (dict(zip(page.columns, row, strict=True)) for row in page.rows)
        offset = page.next_offset


def match_documents(
    records: Mapping[str, Mapping[str, Value]], names: Sequence[str]
) -> dict[str, Mapping[str, Value]]:
    """Return the records by the names that gold uses: an id, a file name, or a stem."""
    matched: dict[str, Mapping[str, Value]] = {}
    for document_id, name in match_names(records, names).items():
        matched.setdefault(name, records[document_id])
    return matched


def match_names(document_ids: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """Return the name that gold uses for each document that it names."""
    wanted = set(names)
    paths = {document_id: PurePosixPath(document_id) for document_id in document_ids}
    return {
        document_id: name
        for document_id, path in paths.items()
        if (name := next((n for n in (document_id, path.name, path.stem) if n in wanted), None))
        is not None
    }


def add_tokens(total: Tokens, taken: Tokens) -> None:
    """Add what was *taken* to *total*."""
    for step, (took_in, took_out) in taken.items():
        before_in, before_out = total.get(step, (0, 0))
        total[step] = before_in + took_in, before_out + took_out


class CountingModel(LanguageModel):
    """Counts what one question takes; replies that were there already count as when they came."""

    def __init__(self, model: LanguageModel, tokens: Tokens | None = None) -> None:
        """Count into *tokens*, where another one counts already."""
        self.tokens: Tokens = {} if tokens is None else tokens
        self._model = model

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Ask, and count."""
        reply = await self._model.complete(prompt, reply_schema)
        is_text = prompt.step != "embed"  # vectors are no tokens
        took_in = reply.tokens_in or prompt.count_tokens(reply_schema if is_text else None)
        took_out = reply.tokens_out or (count_tokens(reply.text) if is_text else 0)
        add_tokens(self.tokens, {prompt.step: (took_in, took_out)})
        return reply

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let the model forget a reply."""
        self._model.forget(prompt, reply_schema)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question: *outcome* is `right` too where a question without an answer was refused.

    It is `failed` where a language model gave no reply (no recorded one, a spent budget, a server
    that is gone), whatever the gold answer: nobody judged whether it can be answered. *answer* is
    None where it was not asked. *tokens* are those of a language model, as if nothing had been
    asked before. *scale*: what the numbers of an answer that was read are counted in; *context*:
    the names of what was read.
    """

    question: PackQuestion
    outcome: Outcome
    answer: Answer | None
    tokens: Tokens = field(default_factory=dict)
    scale: Scale = ""
    context: tuple[str, ...] = ()

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer that could be compared."""
        refused = self.answer is None or self.answer.refused
        return not refused and self.outcome != "failed"

    def to_json(self) -> dict[str, object]:
        """Return it as JSON, with all that a judge needs; one value stands for row and list."""
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
            "question": self.question.question,
            "kind": self.question.kind,
            "text": self.answer.text if self.answer else "",
            "scale": self.scale,
            "expected_scale": self.question.scale or "",
            "context": self.context,
            "tokens": self.tokens,
        }


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
    taken: Tokens = {}
    if asking.model is not None:
        asking = replace(asking, model=CountingModel(asking.model, taken))
    try:
        answer = await ask_model(corpus, question.question, asking) if corpus else None
    except QuestionError:  # longer than any question that is read
        answer = None
    if answer is not None and asking.model is not None and answer.taken is None:
        return QuestionResult(question, "failed", answer, taken)
    if answer is None or answer.refused or question.documents:  # published, as annotators wrote it
        return compare_reading(question, answer, taken)
    is_same = is_right(question, answer.rows, says_tie=answer.is_tie)
    return QuestionResult(question, "right" if is_same else "wrong", answer, taken)


def compare_reading(
    question: PackQuestion, answer: Answer | None, tokens: Tokens, scale: Scale = ""
) -> QuestionResult:
    """Compare an answer that was read in documents; None for one that was refused."""
    if answer is None or answer.refused:
        outcome: Outcome = "right" if question.answer is None else "refused"
    else:
        is_same = is_right_reading(question, answer.rows, scale, answer.text)
        outcome = "right" if is_same else "wrong"
    return QuestionResult(question, outcome, answer, tokens, scale)


def ask_each(
    batches: Sequence[Sequence[PackQuestion]],
    ask: Callable[[Sequence[PackQuestion]], Awaitable[Sequence[QuestionResult]]],
    on_progress: OnProgress = say_nothing,
) -> tuple[QuestionResult, ...]:
    """Let *ask* answer all *batches* of questions at once; return the results in their order."""
    results: dict[str, QuestionResult] = {}
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


class TokenAccount(TypedDict):
    """What a language model took for a pack; instructions and forms of replies count.

    Attributes:
        documents: Tokens of the text of the documents, as `count_tokens` estimates them.
        build: What the table took, and to embed passages.
        build_ratio: By how much the build took more than the documents have.
        question_median: Of a question: its translation, what was put right included.
        question_most: Of the question whose translation took most.
        answer_median: Of a question: all that led to its answer.
        steps: What each step took, the sample questions of the build among `questions`; together
            they are the ledger.
    """

    documents: int
    build: int
    build_ratio: float | None
    question_median: float
    question_most: int
    answer_median: float
    steps: dict[str, dict[Literal["in", "out"], int]]


def account_for_tokens(
    n_documents: int, calls: Sequence[Call], results: Sequence[QuestionResult]
) -> TokenAccount:
    """Account for all *calls* of a corpus, of *n_documents* tokens, and for its questions.

    What was embedded for none of them is passages.
    """
    asked = {result.question.question for result in results}
    passages = [call for call in calls if call.step == "embed" and call.subject not in asked]
    by_step = Ledger(calls).by_step
    built: list[Call | Totals] = [*passages, *(by_step.get(step, Totals()) for step in BUILDING)]
    build = sum(item.tokens_in + item.tokens_out for item in built)
    taken = [result.tokens for result in results if result.tokens]
    translated = [sum(n.get("translate", ())) for n in taken]
    steps = ((_SHOWN.get(step, step), by_step.get(step, Totals())) for step in STEPS)
    return {
        "documents": n_documents,
        "build": build,
        "build_ratio": round(build / n_documents, 2) if n_documents else None,
        "question_median": median(translated) if taken else 0.0,
        "question_most": max(translated, default=0),
        "answer_median": median(sum(map(sum, n.values())) for n in taken) if taken else 0.0,
        "steps": {name: {"in": n.tokens_in, "out": n.tokens_out} for name, n in steps},
    }
