"""Question coverage: which sample questions the schema answers, as far as code can tell."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from srag_mcp.errors import QuestionError
from srag_mcp.offline.translation.translator import translate
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
        schema, values = corpus.schema(), corpus.values()
        statistics = {item.column: item for item in corpus.statistics()}
        uncovered = []
        for question in questions:
            try:
                translation = translate(question, schema, statistics, values)
            except QuestionError as error:
                reason = str(error).partition(" (columns: ")[0]  # the report has them once
            else:
                reason = name_empty(corpus, [use.column for use in translation.columns])
            if reason:
                uncovered.append(UncoveredQuestion(question, reason))
        return tuple(uncovered)


def name_empty(corpus: Corpus, columns: Iterable[str]) -> str:
    """Say which of *columns* hold no value in any record; empty if all hold some."""
    counts = {item.column: item.n_non_null for item in corpus.statistics()}
    empty = [name for name in dict.fromkeys(columns) if counts.get(name) == 0]
    return f"no document has a value of {', '.join(empty)}" if empty else ""
