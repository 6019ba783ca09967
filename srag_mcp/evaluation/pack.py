"""Benchmark packs: documents, the gold records, and questions with their answers.

A pack of documents is a folder with `documents/`, `gold.csv` (one row a document, its file name in
the column `document`), `questions.jsonl` and `sample_questions.txt`; `schema.json` may be there. A
pack of tables has `questions.jsonl` only, whose questions name the CSV file that they are about.
"""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from srag_mcp.errors import PackError
from srag_mcp.schema.attribute import Scalar

Expected: TypeAlias = Scalar | tuple[Scalar, ...] | None

UNANSWERABLE = "unanswerable"
_KEY = "document"


@dataclass(frozen=True, slots=True)
class PackQuestion:
    """A question with the answer it should get.

    Attributes:
        answer: One value, or the members of a list; None where no document says it.
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
    pack = Pack(folder, folder.name, fields, gold, questions, _read_samples(folder))
    if not pack.of_tables and not (folder / "documents").is_dir():
        msg = f"{folder} has no folder documents/"
        raise PackError(msg)
    if not questions and not gold:
        msg = f"{folder} has neither questions.jsonl nor gold.csv: there is nothing to compare with"
        raise PackError(msg)
    return pack


def _read_questions(path: Path) -> tuple[PackQuestion, ...]:
    if not path.exists():
        return ()
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            questions.append(_read_question(f"{path.name}, line {number}", line))
    return tuple(questions)


def _read_question(place: str, line: str) -> PackQuestion:
    try:
        data = json.loads(line)
        answer = data["answer"]
        answer = tuple(answer) if isinstance(answer, list) else answer
        return PackQuestion(
            id=str(data["id"]),
            question=str(data["question"]),
            answer=answer,
            answer_type=str(data.get("answer_type") or _type_of(answer)),
            kind=str(data.get("kind") or ("table" if data.get("table") else "other")),
            tolerance=float(data.get("tolerance") or 0),
            ordered=bool(data.get("ordered")),
            table=data.get("table"),
            gold_sql=str(data.get("gold_sql") or ""),
        )
    except (KeyError, TypeError, ValueError) as error:
        msg = f"{place}: not a question with id, question and answer ({error})"
        raise PackError(msg) from error


def _type_of(answer: Expected) -> str:
    if answer is None:
        return UNANSWERABLE
    names = {bool: "boolean", int: "number", float: "number", tuple: "list"}
    return names.get(type(answer), "string")


def _read_gold(path: Path) -> tuple[tuple[str, ...], dict[str, dict[str, str]]]:
    if not path.exists():
        return (), {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        msg = f"{path.name}: not a CSV file in UTF-8 ({error})"
        raise PackError(msg) from error
    if rows and _KEY not in rows[0]:
        msg = f"{path.name}: it has no column {_KEY!r} with the file names"
        raise PackError(msg)
    fields = tuple(name for name in (rows[0] if rows else ()) if name != _KEY)
    return fields, {
        row[_KEY]: {field: (row[field] or "").strip() for field in fields} for row in rows
    }


def _read_samples(folder: Path) -> tuple[str, ...]:
    path = folder / "sample_questions.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
