"""Saved runs as tests write them."""

from srag_mcp.evaluation.saved_runs import SavedQuestion, SavedRun


def asked(
    key: str, outcome: str, answer: object, expected: object, **others: object
) -> SavedQuestion:
    fields: dict[str, object] = {
        "question": f"{key}?",
        "text": "",
        "scale": "",
        "expected_scale": "",
        "tokens": {},
    }
    return SavedQuestion.model_validate(
        {**fields, "id": key, "outcome": outcome, "answer": answer, "expected": expected, **others}
    )


def saved(system: str, *questions: SavedQuestion, pack: str = "ships") -> SavedRun:
    return SavedRun.model_validate(
        {
            "pack": pack,
            "system": system,
            "embedder": "",
            "tokens": {"median": 10, "total": 20},
            "notes": [],
            "per_question": [item.model_dump() for item in questions],
        }
    )
