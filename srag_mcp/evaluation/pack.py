"""Benchmark packs: documents, the gold records, and questions with their answers.

A pack of documents is a folder with `documents/`, `gold.csv` (one row a document, its file name in
the column `document`), `questions.jsonl` and `sample_questions.txt`; `schema.json` may be there, or
a `README.md` with a table of what the gold fields mean. A pack of tables has `questions.jsonl`
only, whose questions name the CSV file that they are about.
"""

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from srag_mcp.errors import PackError
from srag_mcp.evaluation.comparison import date_of, number_of
from srag_mcp.schema.attribute import Scalar
from srag_mcp.values.dates import find_dates
from srag_mcp.values.states import read_boolean

Row: TypeAlias = tuple[Scalar, ...]
Expected: TypeAlias = Scalar | tuple[Scalar, ...] | tuple[Row, ...] | None

UNANSWERABLE = "unanswerable"
KEY = "document"


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

    @property
    def members(self) -> tuple[Scalar | Row, ...]:
        """The answer as a list; empty where there is none."""
        if self.answer is None:
            return ()
        return self.answer if isinstance(self.answer, tuple) else (self.answer,)

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The members that are single values."""
        return tuple(member for member in self.members if not isinstance(member, tuple))


@dataclass(frozen=True, slots=True)
class Pack:
    """One benchmark pack.

    *gold* has the fields of each document as texts, "" where a field is empty; *sample_questions*
    are those that a user would give at ingestion. *is_part*: documents outside of *gold* are left
    out.
    """

    folder: Path
    name: str
    fields: tuple[str, ...]
    gold: Mapping[str, Mapping[str, str]]
    questions: tuple[PackQuestion, ...]
    sample_questions: tuple[str, ...]
    is_part: bool = False

    @property
    def of_tables(self) -> bool:
        """Whether each question is about a table of its own."""
        return any(question.table for question in self.questions)


def read_pack(folder: Path) -> Pack:
    """Read the pack in *folder*; its documents are not read.

    Raises:
        PackError: If something is missing or malformed; the text names the file and the line.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        msg = f"{folder} is not a folder; a pack is a folder with documents/ and questions.jsonl"
        raise PackError(msg)
    questions = _read_questions(folder / "questions.jsonl")
    fields, gold = _read_gold(folder / "gold.csv")
    lines = [line.strip() for line in _read_lines(folder / "sample_questions.txt")]
    samples = tuple(line for line in lines if line and not line.startswith("#"))
    pack = Pack(folder, folder.name, fields, gold, questions, samples)
    if not pack.of_tables and not (folder / "documents").is_dir():
        msg = f"{folder} has no folder documents/"
        raise PackError(msg)
    if not questions and not gold:
        msg = f"{folder} has neither questions.jsonl nor gold.csv: there is nothing to compare with"
        raise PackError(msg)
    return pack


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file with their ends; only line feeds end one. None: no file."""
    if not path.exists():
        return []
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path.name}: not a text file in UTF-8 that can be read ({error})"
        raise PackError(msg) from error
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]


def _read_gold(path: Path) -> tuple[tuple[str, ...], dict[str, dict[str, str]]]:
    """Return the fields and the rows by document; nothing when there is no file."""
    if not path.exists():
        return (), {}
    try:
        reader = csv.reader(_read_lines(path), strict=True)
        rows = [(reader.line_num, list(map(str.strip, row))) for row in reader if row]
    except csv.Error as error:
        msg = f"{path.name}: not a CSV file in UTF-8 ({error})"
        raise PackError(msg) from error
    names = rows[0][1] if rows else []
    twice = next((name for name in names if names.count(name) > 1), None)
    problem = ""
    if len(rows) < 2 or len(names) < 2:
        problem = "it has no cells; one row a document below the names of the columns"
    elif KEY not in names:
        problem = f"it has no column {KEY!r} with the file names"
    elif twice is not None:
        problem = f"the column {twice!r} is there twice"
    if problem:
        msg = f"{path.name}: {problem}"
        raise PackError(msg)
    gold: dict[str, dict[str, str]] = {}
    for number, row in rows[1:]:
        cells = dict(zip(names, row, strict=False))
        key = cells.pop(KEY, "")
        if len(row) != len(names) or key in gold:
            wrong = f"{key!r} is there twice" if key in gold else f"{len(row)} cells"
            counts = f"one row a document, {len(names)} cells a row"
            msg = f"{path.name}, line {number}: {wrong}; {counts}"
            raise PackError(msg)
        gold[key] = cells
    return tuple(name for name in names if name != KEY), gold


def _read_questions(path: Path) -> tuple[PackQuestion, ...]:
    questions: dict[str, PackQuestion] = {}
    for number, line in enumerate(_read_lines(path), start=1):
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
    if 0 <= float(value) < math.inf:
        return float(value)
    msg = f"tolerance {value} is not a share of 0 or more"
    raise ValueError(msg)


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
    rows = [
        tuple(map(_scalar, member.values() if isinstance(member, dict) else member))
        for member in value
        if isinstance(member, list | dict)
    ]
    if rows and len(rows) < len(value):
        msg = "answer mixes values and rows"
        raise ValueError(msg)
    return tuple(rows) if rows else tuple(map(_scalar, value))


def _scalar(value: object) -> Scalar:
    if isinstance(value, bool | int | float | str):
        return value
    msg = f"{value!r} is no value; answer is a value, a list of values, or a list of rows"
    raise ValueError(msg)


def _typed(value: Scalar, answer_type: str) -> Scalar:
    """Read a text as its type says; a date as ISO, where it is a whole one."""
    if not isinstance(value, str):
        return value
    said: Scalar | None = None
    if answer_type == "number":
        said = number_of(value)
    elif answer_type == "boolean":
        said = read_boolean(value)
    elif answer_type == "date" and not date_of(value):
        found = find_dates(value)
        if len(found) == 1 and found[0][0].of(value) == value.strip():
            day = found[0][1]
            if day.year is not None and day.month is not None and day.day is not None:
                said = f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    return value if said is None else said


def _type_of(answer: Expected) -> str:
    if answer is None:
        return UNANSWERABLE
    names = {bool: "boolean", int: "number", float: "number", tuple: "list"}
    return names.get(type(answer), "string")
