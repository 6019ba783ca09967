"""Benchmark packs: documents, the gold records, and questions with their answers.

A pack of documents is a folder with `documents/`, `gold.csv` (one row a document, its file name in
the column `document`), `questions.jsonl` and `sample_questions.txt`; `schema.json` may be there, or
a `README.md` with a table of what the gold fields mean. A pack of tables has `questions.jsonl`
only, whose questions name the CSV file that they are about.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from srag_mcp.errors import PackError
from srag_mcp.evaluation.pack_question import PackQuestion, read_questions
from srag_mcp.evaluation.pack_text import read_lines

_KEY = "document"


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
    questions = read_questions(folder / "questions.jsonl")
    fields, gold = _read_gold(folder / "gold.csv")
    pack = Pack(folder, folder.name, fields, gold, questions, _read_samples(folder))
    if not pack.of_tables and not (folder / "documents").is_dir():
        msg = f"{folder} has no folder documents/"
        raise PackError(msg)
    if not questions and not gold:
        msg = f"{folder} has neither questions.jsonl nor gold.csv: there is nothing to compare with"
        raise PackError(msg)
    return pack


def _read_gold(path: Path) -> tuple[tuple[str, ...], dict[str, dict[str, str]]]:
    """Return the fields and the rows by document; nothing when there is no file."""
    if not path.exists():
        return (), {}
    try:
        lines = csv.reader(read_lines(path), strict=True)
        rows = [(lines.line_num, row) for row in lines if row]
    except csv.Error as error:
        msg = f"{path.name}: not a CSV file in UTF-8 ({error})"
        raise PackError(msg) from error
    names = _header(path, rows)
    gold: dict[str, dict[str, str]] = {}
    for number, row in rows[1:]:
        cells = dict(zip(names, map(str.strip, row), strict=False))
        key = cells.pop(_KEY, "")
        if len(row) != len(names) or key in gold:
            wrong = f"{key!r} is there twice" if key in gold else f"{len(row)} cells"
            msg = (
                f"{path.name}, line {number}: {wrong}; one row a document, {len(names)} cells a row"
            )
            raise PackError(msg)
        gold[key] = cells
    return tuple(name for name in names if name != _KEY), gold


def _header(path: Path, rows: list[tuple[int, list[str]]]) -> list[str]:
    names = rows[0][1] if rows else []
    if len(rows) < 2 or len(names) < 2:
        msg = f"{path.name}: it has no cells; one row a document below the names of the columns"
        raise PackError(msg)
    if _KEY not in names:
        msg = f"{path.name}: it has no column {_KEY!r} with the file names"
        raise PackError(msg)
    for name in names:
        if names.count(name) > 1:
            msg = f"{path.name}: the column {name!r} is there twice"
            raise PackError(msg)
    return names


def _read_samples(folder: Path) -> tuple[str, ...]:
    path = folder / "sample_questions.txt"
    lines = read_lines(path) if path.exists() else []
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
