"""Writes the questions with their answers, computed by DuckDB over the gold table."""

import datetime as dt
import json
import tomllib
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

Value = str | int | float | bool | None


def write_questions(path: Path, gold: Path) -> None:
    """Answer every question of questions.toml over *gold* and write one JSON object a line."""
    import duckdb  # only the generator needs an engine here

    source = files("corpora.generate_cvs") / "questions.toml"
    questions = tomllib.loads(source.read_text(encoding="utf-8"))["question"]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE gold AS FROM read_csv(?)", [str(gold)])
        lines = []
        for number, question in enumerate(questions, 1):
            sql = question.get("sql")
            rows = connection.execute(sql).fetchall() if sql else []
            lines.append(_line(number, question, [_plain(row[0]) for row in rows]))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _line(number: int, question: dict[str, object], values: list[Value]) -> str:
    unanswerable = question["kind"] == "unanswerable"
    ordered = bool(question.get("ordered"))
    answer = values[0] if len(values) == 1 else _arrange(values, ordered=ordered)
    entry = {
        "id": f"cvs-{number:03d}",
        "question": question["text"],
        "gold_sql": question.get("sql"),
        "answer": None if unanswerable else answer,
        "answer_type": "unanswerable" if unanswerable else _type(answer),
        "tolerance": question.get("tolerance", 0),
        "kind": question["kind"],
    }
    if ordered:
        entry["ordered"] = True
    if unanswerable:
        entry["absent_terms"] = question["absent_terms"]
    return json.dumps(entry, ensure_ascii=False)


def _arrange(values: list[Value], *, ordered: bool) -> list[Value]:
    return values if ordered else sorted(values, key=str)


def _plain(value: object) -> Value:
    """Bring an engine's value into JSON: dates as ISO, numbers to six decimals."""
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, float | Decimal):
        rounded = round(float(value), 6)
        return int(rounded) if rounded.is_integer() else rounded
    if value is None or isinstance(value, bool | int | str):
        return value
    msg = f"a gold query returned {value!r}, which no answer type can hold"
    raise TypeError(msg)


def _type(answer: Value | list[Value]) -> str:
    if isinstance(answer, list):
        return "list"
    if isinstance(answer, bool):
        return "boolean"
    return "string" if isinstance(answer, str) else "number"
