"""The figures of a language model, made again from the replies that were recorded.

They stand in README.md; a change of a prompt template needs new replies (tests/replies/README.md).
"""

from pathlib import Path

import pytest

from srag_mcp.evaluation.evaluate import evaluate
from srag_mcp.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("pack", "n_right", "cells"),
    [
        pytest.param(*pack, marks=pytest.mark.thorough)
        for pack in (("cvs", 40, 0.98), ("hotels", 40, 0.95))
    ],
)
def test_a_recorded_model_gives_its_figures_again(pack: str, n_right: int, cells: float) -> None:
    replies = ROOT / "tests" / "replies" / f"{pack}.jsonl"
    settings = Settings(model=f"replay:{replies}", workers=1, lists=False)
    evaluation = evaluate(ROOT / "corpora" / pack, settings)
    assert evaluation.cells_mean is not None
    assert evaluation.cells_mean >= cells
    outcomes = [result.outcome for result in evaluation.questions]
    assert outcomes.count("right") == n_right
    assert evaluation.calls > 0
