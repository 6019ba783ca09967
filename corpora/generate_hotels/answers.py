"""The shipped questions with their answers, computed by running each gold SQL over the gold."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

Value = str | int | float | bool | None


def write_questions(source: Path, gold: Path, target: Path) -> None:
    """Copy the questions, one JSON object a line, with `answer` filled in from `gold_sql`.

    A question of kind `unanswerable` has no SQL and the answer null.
    """
    import duckdb  # loads a native library; only the generator's last step needs it

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE gold AS FROM read_csv(?)", [str(gold)])
        lines = []
        for line in source.read_text(encoding="utf-8").splitlines():
            question = json.loads(line)
            sql = question["gold_sql"]
            rows = connection.execute(sql).fetchall() if sql else []
            asked = {key: question.pop(key) for key in ("id", "question", "gold_sql")}
            answered = asked | {"answer": _read_answer(rows, question)} | question
            lines.append(json.dumps(answered, ensure_ascii=False) + "\n")
    target.write_bytes("".join(lines).encode())


def _read_answer(
    rows: list[tuple[object, ...]], question: dict[str, object]
) -> Value | list[Value]:
    if question["answer_type"] == "unanswerable":
        return None
    values = [to_json_value(value) for row in rows for value in row]
    if question["answer_type"] == "list":
        return values if question.get("ordered") else sorted(values, key=str)
    (value,) = values
    return value


def to_json_value(value: object) -> Value:
    """Bring an answer into JSON: dates as ISO, numbers to six decimals."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, date):
        return value.isoformat()
    number = round(float(str(value)), 6)
    return int(number) if number == int(number) else number
