"""The questions of a pack: asked, and judged by their gold answers."""

import logging
from collections.abc import Sequence

import anyio

from srag_mcp.ask.answer import Answer
from srag_mcp.ask.ask import OFFLINE, Asking, ask_model
from srag_mcp.errors import QuestionError
from srag_mcp.evaluation.bench import OnProgress
from srag_mcp.evaluation.evaluation import Outcome, QuestionResult
from srag_mcp.evaluation.matching import is_right
from srag_mcp.evaluation.pack_question import PackQuestion
from srag_mcp.evaluation.table_matching import is_right_of_table
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.pipeline.engine import Thinker
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value

logger = logging.getLogger(__name__)


def ask_questions(
    corpus: Corpus,
    questions: Sequence[PackQuestion],
    thinker: Thinker | None,
    on_progress: OnProgress,
) -> tuple[QuestionResult, ...]:
    """Ask all questions, many at a time where a language model is asked; in the order given.

    One to which the model gave no reply (no recorded one, a spent budget, a server that is gone) is
    `failed`, whatever its gold answer: nobody judged whether it can be answered.
    """
    results: dict[str, QuestionResult] = {}
    failures: list[str] = []
    asking = OFFLINE if thinker is None else Asking("model", thinker.model)
    slots = anyio.Semaphore(1 if thinker is None else thinker.max_in_flight)

    async def ask_one(question: PackQuestion) -> None:
        async with slots:
            try:
                answer = await ask_model(corpus, question.question, asking)
            except QuestionError:  # longer than any question that is read
                answer = None
            if answer is not None and _is_failed(answer, asking):
                failures.append(answer.text)
                results[question.id] = _failed(question)
            else:
                results[question.id] = judge(question, answer)
            on_progress("asking", len(results), len(questions))

    async def ask_each() -> None:
        async with anyio.create_task_group() as tasks:
            for question in questions:
                tasks.start_soon(ask_one, question)

    run_to_end(ask_each)
    if failures:
        logger.warning("%d questions count as failed, the first: %s", len(failures), failures[0])
    return tuple(results[question.id] for question in questions)


def judge(question: PackQuestion, answer: Answer | None) -> QuestionResult:
    """Compare an answer with gold; None is one that could not be asked for."""
    if answer is None or answer.refused:
        outcome: Outcome = "right" if question.answer is None else "refused"
        return QuestionResult(question.id, question.kind, outcome, "", None, question.answer)
    outcome = "right" if _is_right(question, answer.rows) else "wrong"
    return QuestionResult(
        question.id, question.kind, outcome, answer.sql, answer.rows, question.answer
    )


def _is_failed(answer: Answer, asking: Asking) -> bool:
    """Whether the model, which was to translate, gave no reply that could be used."""
    return asking.engine == "model" and answer.engine != "model"


def _failed(question: PackQuestion) -> QuestionResult:
    return QuestionResult(question.id, question.kind, "failed", "", None, question.answer)


def _is_right(question: PackQuestion, rows: tuple[tuple[Value, ...], ...]) -> bool:
    if question.table is None:
        return is_right(question, rows)
    members = question.answer if isinstance(question.answer, tuple) else ()
    expected = [member for member in members if not isinstance(member, tuple)]
    return bool(expected) and is_right_of_table([row[0] for row in rows if row], expected)
