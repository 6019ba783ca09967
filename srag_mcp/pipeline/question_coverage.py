"""Question coverage: which sample questions the schema answers, as far as code can tell."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from srag_mcp.ask.answer import is_empty
from srag_mcp.ask.ask import ask
from srag_mcp.errors import QuestionError
from srag_mcp.pipeline.report import UncoveredQuestion
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool


def find_uncovered(
    folder: Path, settings: Settings, questions: Sequence[str]
) -> tuple[UncoveredQuestion, ...]:
    """Return the questions that the published build does not answer offline, and why."""
    if not questions:
        return ()
    with QueryPool() as worker:
        corpus = Corpus(folder, worker, settings.home)
        reasons = ((question, _why_unanswered(corpus, question)) for question in questions)
        return tuple(UncoveredQuestion(question, reason) for question, reason in reasons if reason)


def _why_unanswered(corpus: Corpus, question: str) -> str:
    """Say what `ask` says of *question* when it has no answer; empty if it has one."""
    try:
        answer = ask(corpus, question)
    except QuestionError as error:
        return str(error)
    if answer.brief is not None:
        return answer.brief.reason.partition(" (columns: ")[0]  # the report has them once
    return "; ".join(answer.warnings) if is_empty(answer.rows) else ""


def name_empty(corpus: Corpus, columns: Iterable[str]) -> str:
    """Say which of *columns* hold no value in any record; empty if all hold some."""
    counts = {item.column: item.n_non_null for item in corpus.statistics()}
    empty = [name for name in dict.fromkeys(columns) if counts.get(name) == 0]
    return f"no document has a value of {', '.join(empty)}" if empty else ""
