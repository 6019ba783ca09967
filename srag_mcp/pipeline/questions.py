"""Question coverage: which sample questions the published build answers."""

import json
from collections.abc import Iterable, Sequence

from srag_mcp.ask.answer import Answer, is_empty
from srag_mcp.ask.by_model import Translated
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Engine
from srag_mcp.errors import QuestionError
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.pipeline.report import UncoveredQuestion
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.work import WorkDatabase, hash_schema

_COVERED = "covered_questions"


def find_uncovered(
    engine: Engine, work: WorkDatabase, corpus: Corpus, questions: Sequence[str]
) -> tuple[UncoveredQuestion, ...]:
    """Return the questions that *engine* does not answer over the published build, and why."""
    if isinstance(engine, ModelEngine):
        reasons = _ask_model(engine, work, corpus, questions)
    else:
        reasons = {asked: _ask(engine, corpus, asked) for asked in questions}
    return tuple(UncoveredQuestion(asked, reasons[asked]) for asked in questions if reasons[asked])


def _ask(engine: Engine, corpus: Corpus, question: str) -> str:
    """Say why *question* has no answer; empty if it has one."""
    try:
        answer: Answer = run_to_end(engine.translate, question, corpus)
    except QuestionError as error:
        return str(error)
    if answer.brief is not None:
        return answer.brief.reason.partition(" (columns: ")[0]  # the report has them once
    return "; ".join(answer.warnings) if is_empty(answer.rows) else ""


def _ask_model(
    engine: ModelEngine, work: WorkDatabase, corpus: Corpus, questions: Sequence[str]
) -> dict[str, str]:
    """Say of each question why the model cannot answer it: no columns, or columns without a value.

    What it could translate is not asked again as long as the columns are the same.
    """
    present = work.schema_in_force()
    schema_hash = "" if present is None else hash_schema(present.schema)
    known = json.loads(work.note(_COVERED) or "{}")
    is_same = isinstance(known, dict) and known.get("schema") == schema_hash
    covered: dict[str, list[str]] = dict(known["columns"]) if is_same else {}
    asked = [question for question in questions if question not in covered]
    reasons: dict[str, str] = {}
    if asked:
        outcomes = engine.run(lambda: engine.translate_each(corpus, asked))
        for question, outcome in outcomes.items():
            if isinstance(outcome, Translated):
                covered[question] = [use.column for use in outcome.translation.facts.columns]
            else:
                reasons[question] = str(outcome)
    work.keep_note(_COVERED, json.dumps({"schema": schema_hash, "columns": covered}))
    for question in questions:
        if question in covered:
            reasons[question] = _name_empty(corpus, covered[question])
    return reasons


def _name_empty(corpus: Corpus, columns: Iterable[str]) -> str:
    """Say which of *columns* hold no value in any record; empty if all hold some."""
    counts = {item.column: item.n_non_null for item in corpus.statistics()}
    empty = [name for name in dict.fromkeys(columns) if counts.get(name) == 0]
    return f"no document has a value of {', '.join(empty)}" if empty else ""
