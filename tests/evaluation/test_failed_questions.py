"""Questions to which a language model gives no reply: counted apart, and never right."""

import json
from pathlib import Path

import pytest

from srag_mcp.evaluation.evaluate import Evaluation, EvaluationPlan, evaluate
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, Body, serving

KINDS = {"How many masts?": "count", "Who built them?": "unanswerable"}
REFUSAL = {"restated": "?", "columns": [], "missing": ["it"], "sql": None}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "ships"
    (folder / "documents").mkdir(parents=True)
    (folder / "gold.csv").write_text("document,masts\na.txt,3\nb.txt,2\n", encoding="utf-8")
    lines = [
        {"id": kind, "question": question, "kind": kind, "answer": 5 if kind == "count" else None}
        for question, kind in KINDS.items()
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "questions.jsonl").write_text(text, encoding="utf-8")
    return folder


def refuse(body: Body) -> Answer:
    return Answer(json.dumps(REFUSAL))


def outcomes(evaluation: Evaluation) -> dict[str, str]:
    return {result.question.id: result.outcome for result in evaluation.questions}


def asked(pack: Path, address: str, record: Path | None = None) -> Evaluation:
    settings = Settings(model="openai/any", api_base=address, api_key="none")
    return evaluate(pack, settings, EvaluationPlan("gold-records", record=record))


def test_an_unanswerable_question_without_a_reply_is_not_right(
    pack: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(lambda body: Answer(status=400, error=("unheard of", "bad"))) as server:
        evaluation = asked(pack, server.base)

    assert outcomes(evaluation) == {"count": "failed", "unanswerable": "failed"}
    one = {"total": 1, "right": 0, "wrong": 0, "refused": 0, "failed": 1}
    assert evaluation.to_json()["questions"] == {
        "total": 2,
        "right": 0,
        "wrong": 0,
        "refused": 0,
        "failed": 2,
        "by_kind": {"count": one, "unanswerable": one},
    }
    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning.startswith("2 questions count as failed, the first: Not answered: the language")
    assert "unheard of" in warning


def test_a_reply_that_says_that_nothing_holds_it_is_a_refusal(pack: Path) -> None:
    with serving(refuse) as server:
        evaluation = asked(pack, server.base)

    assert outcomes(evaluation) == {"count": "refused", "unanswerable": "right"}


def test_replies_of_no_use_are_a_failure(pack: Path) -> None:
    with serving(lambda body: Answer("I would rather not.")) as server:
        evaluation = asked(pack, server.base)

    assert outcomes(evaluation) == {"count": "failed", "unanswerable": "failed"}


def test_a_prompt_without_a_recorded_reply_fails_its_question_only(
    pack: Path, tmp_path: Path
) -> None:
    recorded = tmp_path / "replies.jsonl"
    with serving(refuse) as server:
        asked(pack, server.base, recorded)
    first, _second = recorded.read_text(encoding="utf-8").splitlines()
    recorded.write_text(first + "\n", encoding="utf-8")

    again = evaluate(pack, Settings(model=f"replay:{recorded}"), EvaluationPlan("gold-records"))

    assert sorted(outcomes(again).values()) in (["failed", "refused"], ["failed", "right"])
