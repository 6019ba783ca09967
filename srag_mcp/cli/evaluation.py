"""What `srag-mcp eval` prints."""

from collections.abc import Sequence
from pathlib import Path

from srag_mcp.cli.interruption import interruption
from srag_mcp.cli.progress import show_progress
from srag_mcp.cli.tables import print_json, print_table
from srag_mcp.evaluation.bench import OUTCOMES, QuestionResult
from srag_mcp.evaluation.evaluate import Evaluation, EvaluationPlan, evaluate
from srag_mcp.settings import Settings


def evaluate_pack(pack: Path, settings: Settings, plan: EvaluationPlan, *, as_json: bool) -> None:
    """Evaluate a pack and print its figures.

    Raises:
        PackError: If the pack is incomplete or malformed.
    """
    with interruption(), show_progress() as show:
        evaluation = evaluate(pack, settings, plan, show)
    if as_json:
        print_json(evaluation.to_json())
        return
    _print_cells(evaluation)
    _print_questions(evaluation.questions)
    calls = (
        f", {evaluation.calls:,} calls, {evaluation.tokens:,} tokens" if evaluation.calls else ""
    )
    documents = f"{evaluation.documents} documents, engine {evaluation.engine}"
    print(f"\n{documents}{calls}, {evaluation.seconds:.1f} s")


def _print_cells(evaluation: Evaluation) -> None:
    if evaluation.cells_mean is None:
        return
    rows = [(score.field, score.column, f"{score.accuracy:.3f}") for score in evaluation.cells]
    print_table(
        ("gold field", "column", "accuracy"),
        [*rows, ("mean", None, f"{evaluation.cells_mean:.3f}")],
    )
    for score in evaluation.cells:
        if score.renamed:
            print(
                f"{score.field}: {score.renamed:.3f} of them by other names of categories in"
                f" {score.column}"
            )
    print()


def _print_questions(results: Sequence[QuestionResult]) -> None:
    kinds = sorted({result.kind for result in results})
    rows = [_counts(kind, [item for item in results if item.kind == kind]) for kind in kinds]
    print_table(
        ("questions", "total", "answered", *OUTCOMES),
        [*rows, _counts("all", results)],
    )
    answered = [item for item in results if item.is_answered]
    if answered:
        right = sum(item.outcome == "right" for item in answered)
        print(f"\nright among answered: {right} of {len(answered)} ({right / len(answered):.2f})")


def _counts(kind: str, results: Sequence[QuestionResult]) -> tuple[str | int, ...]:
    outcomes = [result.outcome for result in results]
    n_answered = sum(result.is_answered for result in results)
    return (kind, len(results), n_answered, *(outcomes.count(outcome) for outcome in OUTCOMES))
