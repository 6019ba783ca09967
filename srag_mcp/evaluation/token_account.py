"""Where the tokens of a language model go: to build the table, and to answer a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias, get_args

from srag_mcp.model.language_model import LanguageModel, Prompt, Reply, Step, count_tokens
from srag_mcp.model.ledger import Call, Ledger

Tokens: TypeAlias = dict[Step, tuple[int, int]]
"""In and out, by the step that took them."""

STEPS: tuple[Step, ...] = get_args(Step)
BUILDING = STEPS[: STEPS.index("names") + 1]
_SHOWN: Mapping[Step, str] = {"translate": "questions"}  # as the questions of a pack are called


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
class TokenAccount:
    """What a language model took for a pack; instructions and forms of replies count.

    Attributes:
        documents: Tokens of the text of the documents, as `count_tokens` estimates them.
        steps: What each step took, the sample questions of the build among `translate`; together
            they are the ledger.
        passages: What it took to embed passages, which a build needs; a part of the step `embed`.
        question_median: Of a question: its translation, what was put right included.
        answer_median: Of a question: all that led to its answer.
    """

    documents: int
    steps: Tokens
    passages: int = 0
    question_median: float = 0.0
    answer_median: float = 0.0

    @property
    def total(self) -> int:
        """What all steps took."""
        return sum(map(sum, self.steps.values()))

    @property
    def build(self) -> int:
        """What the table took."""
        return self.passages + sum(sum(self.steps.get(step, ())) for step in BUILDING)

    def to_json(self) -> dict[str, object]:
        """Return it as JSON, every step in its place."""
        taken = {step: self.steps.get(step, (0, 0)) for step in STEPS}
        return {
            "documents": self.documents,
            "build": self.build,
            "build_ratio": round(self.build / self.documents, 2) if self.documents else None,
            "question_median": self.question_median,
            "answer_median": self.answer_median,
            "steps": {
                _SHOWN.get(step, step): {"in": n_in, "out": n_out}
                for step, (n_in, n_out) in taken.items()
            },
        }


def account_for_tokens(
    documents: int, calls: Sequence[Call], questions: Sequence[Tokens], asked: Sequence[str]
) -> TokenAccount:
    """Account for all *calls* of a corpus.

    Args:
        documents: The tokens of its documents.
        calls: Its ledger.
        questions: What each question took.
        asked: The questions: what was embedded for none of them is passages.
    """
    by_step = Ledger(calls).by_step
    passages = [call for call in calls if call.step == "embed" and call.subject not in asked]
    translated = [sum(taken.get("translate", ())) for taken in questions if taken]
    answered = [sum(map(sum, taken.values())) for taken in questions if taken]
    return TokenAccount(
        documents,
        {step: (totals.tokens_in, totals.tokens_out) for step, totals in by_step.items()},
        passages=sum(call.tokens_in + call.tokens_out for call in passages),
        question_median=median(translated) if translated else 0.0,
        answer_median=median(answered) if answered else 0.0,
    )
