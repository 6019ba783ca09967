"""An evaluation: how well a pack's records were found and its questions answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from srag_mcp.ask.answer import Answer
from srag_mcp.evaluation.alignment import FieldScore
from srag_mcp.evaluation.pack import PackQuestion
from srag_mcp.store.guard import Value

Outcome: TypeAlias = Literal["right", "wrong", "refused", "failed"]

OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "refused", "failed")


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question: *outcome* is `right` too where a question without an answer was refused.

    It is `failed` where a language model gave no reply. *answer* is None where it was not asked.
    """

    question: PackQuestion
    outcome: Outcome
    answer: Answer | None

    @property
    def id(self) -> str:
        """The id of the question."""
        return self.question.id

    @property
    def kind(self) -> str:
        """The kind of the question."""
        return self.question.kind

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer that could be compared."""
        refused = self.answer is None or self.answer.refused
        return not refused and self.outcome != "failed"

    def to_json(self) -> dict[str, object]:
        """Return it as JSON; a single value stands for its row and its list."""
        answer = self.answer if self.is_answered else None
        return {
            "id": self.id,
            "outcome": self.outcome,
            "sql": answer.sql if answer else "",
            "answer": _flat(answer.rows) if answer else None,
            "expected": self.question.answer,
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a pack.

    Attributes:
        documents: Documents ingested.
        cells: One score a gold field, with the column that holds it.
        questions: One result a question.
        seconds: Of the whole evaluation.
        calls, tokens: Of a language model; 0 for the offline engine.
    """

    pack: str
    engine: str
    documents: int
    cells: tuple[FieldScore, ...]
    questions: tuple[QuestionResult, ...]
    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0

    @property
    def cells_mean(self) -> float | None:
        """The mean accuracy over the gold fields; None for a pack without gold records."""
        scores = [score.accuracy for score in self.cells]
        return sum(scores) / len(scores) if scores else None

    def to_json(self) -> dict[str, object]:
        """Return it as the JSON that `srag-mcp eval --json` prints."""
        kinds = sorted({result.kind for result in self.questions})
        mean = self.cells_mean
        by_kind = {
            kind: count_outcomes([result for result in self.questions if result.kind == kind])
            for kind in kinds
        }
        return {
            "pack": self.pack,
            "engine": self.engine,
            "documents": self.documents,
            "cells": {score.field: round(score.accuracy, 4) for score in self.cells},
            "cells_mean": None if mean is None else round(mean, 4),
            "cells_renamed": {
                score.field: round(score.renamed, 4) for score in self.cells if score.renamed
            },
            "questions": count_outcomes(self.questions) | {"by_kind": by_kind},
            "per_question": [result.to_json() for result in self.questions],
            "seconds": round(self.seconds, 2),
            "calls": self.calls,
            "tokens": self.tokens,
        }


def count_outcomes(results: Sequence[QuestionResult]) -> dict[str, object]:
    """Return how many questions there are, and how many have each outcome."""
    outcomes = [result.outcome for result in results]
    return {"total": len(outcomes), **{name: outcomes.count(name) for name in OUTCOMES}}


def _flat(rows: tuple[tuple[Value, ...], ...]) -> object:
    if any(len(row) != 1 for row in rows):
        return [list(row) for row in rows]
    values = [row[0] for row in rows]
    return values[0] if len(values) == 1 else values
