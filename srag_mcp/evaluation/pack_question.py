"""The questions of a pack, and the answers that they should get."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from srag_mcp.errors import PackError
from srag_mcp.evaluation.comparison import date_of, number_of
from srag_mcp.evaluation.pack_text import read_lines
from srag_mcp.schema.attribute import Scalar
from srag_mcp.values.booleans import read_boolean
from srag_mcp.values.dates import find_dates

Row: TypeAlias = tuple[Scalar, ...]
Expected: TypeAlias = Scalar | tuple[Scalar, ...] | tuple[Row, ...] | None

UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class PackQuestion:
    """A question with the answer it should get.

    Attributes:
        answer: One value, the members of a list, or the rows of a grouped answer; None where no
            document says it.
        answer_type: `number`, `string`, `date`, `boolean`, `list` or `unanswerable`.
        tolerance: Relative, of numbers.
        ordered: Whether the order of a list counts.
        table: The CSV file it is about, in a pack of tables; else None.
        gold_sql: The query over the table `gold` that gives the answer; empty if there is none.
    """

    id: str
    question: str
    answer: Expected
    answer_type: str
    kind: str
    tolerance: float = 0.0
    ordered: bool = False
    table: str | None = None
    gold_sql: str = ""


def read_questions(path: Path) -> tuple[PackQuestion, ...]:
    """Read `questions.jsonl`; none when there is no file.

    Raises:
        PackError: If a line is not a question; the text names the line.
    """
    if not path.exists():
        return ()
    questions: dict[str, PackQuestion] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        question = _read_question(f"{path.name}, line {number}", line)
        if question.id in questions:
            msg = f"{path.name}, line {number}: the id {question.id!r} is there twice"
            raise PackError(msg)
        questions[question.id] = question
    if len({question.table is None for question in questions.values()}) > 1:
        msg = f"{path.name}: some questions name a `table` and others do not; a pack is of one sort"
        raise PackError(msg)
    return tuple(questions.values())


def _read_question(place: str, line: str) -> PackQuestion:
    try:
        data = json.loads(line, parse_constant=_refuse_constant)
        table = data.get("table")
        answer = _expected(data["answer"], str(data.get("answer_type") or ""))
        if table is not None and answer is not None and not isinstance(answer, tuple):
            answer = (answer,)
        return PackQuestion(
            id=str(data["id"]),
            question=str(data["question"]),
            answer=answer,
            answer_type=str(data.get("answer_type") or _type_of(answer)),
            kind=str(data.get("kind") or ("table" if table else "other")),
            tolerance=_tolerance(data.get("tolerance") or 0),
            ordered=bool(data.get("ordered")),
            table=table,
            gold_sql=str(data.get("gold_sql") or ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        msg = f"{place}: not a question with id, question and answer ({error})"
        raise PackError(msg) from error


def _refuse_constant(name: str) -> float:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def _tolerance(value: str | float) -> float:
    tolerance = float(value)
    if not (math.isfinite(tolerance) and tolerance >= 0):
        msg = f"tolerance {value} is not a share of 0 or more"
        raise ValueError(msg)
    return tolerance


def _expected(value: object, answer_type: str) -> Expected:
    """Return the answer of a question, whose values may be written as texts of their type.

    `("2", "number") -> 2.0`, `({"Rome": 2}, "") -> (("Rome", 2),)`
    """
    if value is None or answer_type == UNANSWERABLE:
        return None
    if isinstance(value, Mapping):
        return tuple((str(key), _scalar(member)) for key, member in value.items())
    if not isinstance(value, list):
        return _typed(_scalar(value), answer_type)
    rows = [member for member in value if isinstance(member, list | dict)]
    if rows and len(rows) < len(value):
        msg = "answer mixes values and rows"
        raise ValueError(msg)
    if rows:
        return tuple(_row(member) for member in rows)
    return tuple(_scalar(member) for member in value)


def _row(value: object) -> Row:
    members = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(members, list):
        msg = f"{value!r} is no row of values"
        raise TypeError(msg)
    return tuple(_scalar(member) for member in members)


def _scalar(value: object) -> Scalar:
    if isinstance(value, bool | int | float | str):
        return value
    msg = f"{value!r} is no value; answer is a value, a list of values, or a list of rows"
    raise ValueError(msg)


def _typed(value: Scalar, answer_type: str) -> Scalar:
    if not isinstance(value, str):
        return value
    if answer_type == "number":
        number = number_of(value)
        return value if number is None else number
    if answer_type == "boolean":
        said = read_boolean(value)
        return value if said is None else said
    return _day(value) if answer_type == "date" else value


def _day(text: str) -> str:
    """Write a whole date of any notation as ISO; a month, or what is no date, stays as it is."""
    found = [] if date_of(text) else find_dates(text)
    if len(found) != 1 or found[0][0].of(text) != text.strip():
        return text
    day = found[0][1]
    whole = day.year is not None and day.month is not None and day.day is not None
    return f"{day.year:04d}-{day.month:02d}-{day.day:02d}" if whole else text


def _type_of(answer: Expected) -> str:
    if answer is None:
        return UNANSWERABLE
    names = {bool: "boolean", int: "number", float: "number", tuple: "list"}
    return names.get(type(answer), "string")
