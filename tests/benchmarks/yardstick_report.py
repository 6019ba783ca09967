"""What a run of the yardstick found: the parts, and which wrong answers were silent."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from tests.benchmarks.yardstick_children import ChildScore

VERDICTS = Path(__file__).with_name("yardstick_verdicts.json")
OUTCOMES = ("right", "wrong", "silent", "refused", "failed")
COLUMN_VERDICTS = ("right", "half", "wrong", "junk", "unjudged")

# From the definition of the field: a note that is shown on more than a fifth of the right answers
# tells nothing of a wrong one.
_COMMON = 0.2


class Question(BaseModel):
    """One question as it was answered.

    *notes* has what was said beside the answer, *templates* the same without names and numbers. Of
    a wrong answer: *silent*, or else *cause* has what gave it away (`bounds`, or a template), and
    *to_judge* the templates about which the verdict file does not know whether they name the cause.
    """

    id: str
    kind: str
    question: str
    outcome: Literal["right", "wrong", "refused", "failed"]
    sql: str = ""
    answer: JsonValue = None
    expected: JsonValue = None
    bounds: tuple[float, float] | None = None
    notes: list[str] = Field(default_factory=list)
    templates: list[str] = Field(default_factory=list)
    silent: bool = False
    cause: str = ""
    to_judge: list[str] = Field(default_factory=list)

    @property
    def is_answered(self) -> bool:
        """Whether it got an answer, which a refused question did not."""
        return bool(self.sql)


ByGold: TypeAlias = Literal["right", "half", "wrong", ""]
ByReader: TypeAlias = Literal["right", "half", "wrong", "junk"]


class Column(BaseModel):
    """One column of the records, and what it is worth.

    *by_gold*: what the values of the gold *field* say, empty where they say nothing; *by_reader*:
    what a reader said, who is asked then only; *is_old*: of what it held at another time.
    """

    name: str
    type: str
    n_filled: int
    by_gold: ByGold = ""
    by_reader: ByReader | Literal[""] = ""
    is_old: bool = False
    field: str = ""
    precision: float = 0.0
    recall: float = 0.0
    holds: str = ""
    examples: list[str] = Field(default_factory=list)

    @property
    def verdict(self) -> str:
        """What it is worth."""
        return self.by_gold or self.by_reader or "unjudged"


class Walk(BaseModel):
    """What one question passes through in a warmed process.

    *parses* of SQL outside of the guard, of *n_parsed* different texts, *most_parses* of one text;
    *guard_parses* is what the guard itself takes for one statement, of *statements* sent to it.
    """

    files: int
    functions: int
    calls: int
    parses: int
    n_parsed: int
    most_parses: int
    statements: int
    guard_parses: int


class Taken(BaseModel):
    """What a step took of a language model."""

    sent: int = Field(alias="in")
    replied: int = Field(alias="out")

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)


class Tokens(BaseModel):
    """What a replay took, as `srag-mcp eval --json` has it."""

    documents: int
    build: int
    build_ratio: float | None
    question_median: float
    question_most: int = 0  # sheets of before have none
    answer_median: float
    steps: dict[str, Taken]


class Part(BaseModel):
    """One pack, or one replayed setting. *error* has the traceback if it could not be measured.

    *changed* has the same questions asked with changes of the code, by their names.
    """

    name: str
    what: Literal["documents", "tables", "replay"] = "documents"
    folder: str = ""
    entity: str = ""
    n_documents: int = 0
    n_records: int = 0
    n_extra_records: int = 0
    questions: list[Question] = Field(default_factory=list)
    columns: list[Column] = Field(default_factory=list)
    cells: dict[str, float] = Field(default_factory=dict)
    children: dict[str, ChildScore] = Field(default_factory=dict)
    calls: int = 0
    tokens: Tokens | None = None
    walk: Walk | None = None
    ingest_s: float = 0.0
    seconds: float = 0.0
    error: str = ""
    changed: dict[str, "Part"] = Field(default_factory=dict)

    @property
    def cells_mean(self) -> float | None:
        """The mean share of right cells over the gold fields; None without gold."""
        return sum(self.cells.values()) / len(self.cells) if self.cells else None

    def outcomes(self, kind: str | None = None) -> dict[str, int]:
        """Count the outcomes, of one kind of question only where it is named."""
        asked = [item for item in self.questions if kind in {None, item.kind}]
        counted = Counter[str](item.outcome for item in asked)
        counted["silent"] = sum(item.silent for item in asked)
        return {name: counted[name] for name in OUTCOMES}

    def column_verdicts(self) -> dict[str, int]:
        """Count the columns by what they are worth."""
        counted = Counter(item.verdict for item in self.columns)
        return {name: counted[name] for name in COLUMN_VERDICTS}

    def figures(self) -> dict[str, int | float | str]:
        """Return the figures of its row in a table; empty where the part has no such figure."""
        verdicts = {f"{name} col.": n for name, n in self.column_verdicts().items()}
        columns = {"columns": len(self.columns), **verdicts}
        mean = self.cells_mean
        return {
            "records": self.n_records or self.n_documents,
            "asked": len(self.questions),
            **self.outcomes(),
            **(columns if self.columns else dict.fromkeys(columns, "")),
            "cells": "" if mean is None else mean,
        }


class Package(BaseModel):
    """Lines and files of one folder of the package, and lines of its tests."""

    lines: int = 0
    files: int = 0
    test_lines: int = 0


class Report(BaseModel):
    """One run."""

    commit: str
    created: str
    parts: dict[str, Part] = Field(default_factory=dict)
    packages: dict[str, Package] = Field(default_factory=dict)
    seconds: float = 0.0


class Verdicts(BaseModel):
    """What a reader judged.

    Attributes:
        columns: By pack, by column, by the hash of what it holds: its worth.
        notes: By pack, by question, by template: whether the note names the cause of the error.
    """

    columns: dict[str, dict[str, dict[str, ByReader]]] = {}
    notes: dict[str, dict[str, dict[str, bool]]] = {}


def read_verdicts(path: Path = VERDICTS) -> Verdicts:
    """Read the verdicts that are kept beside the yardstick."""
    return Verdicts.model_validate_json(path.read_text(encoding="utf-8"))


_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|‘[^’]*’|“[^”]*”")
_NUMBER = re.compile(r"[+-]?\d[\d.,:/-]*")


def normalise_note(note: str, names: Collection[str]) -> str:
    """Return *note* without what is of one corpus: *names* of columns, quoted texts, numbers.

    `"fax is not known for 3 of 9 documents" -> "NAME is not known for # of # documents"`
    """
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    text = _TEXT.sub("TEXT", note)
    text = re.sub(rf"(?<!\w)(?:{known})(?!\w)", "NAME", text) if known else text
    text = _NUMBER.sub("#", text)
    text = re.sub(r"\b(NAME|TEXT|#)(?:(?:, | and | or |, and )(?:NAME|TEXT|#))+", r"\1…", text)
    return " ".join(text.split())


def settle(parts: Mapping[str, Part], verdicts: Verdicts) -> None:
    """Mark the wrong answers of *parts* that nothing gave away, and the columns that a reader saw.

    How common a note is, is counted over the right answers of all packs of documents together, and
    over those of a pack of tables apart.
    """
    for sort in ("documents", "tables"):
        of_sort = [part for part in parts.values() if part.what == sort]
        common = common_notes([item for part in of_sort for item in part.questions])
        for part in of_sort:
            for item in part.questions:
                if item.outcome == "wrong":
                    known = verdicts.notes.get(part.name, {}).get(item.id, {})
                    _settle(item, common, known)
            for column in part.columns:
                seen = verdicts.columns.get(part.name, {}).get(column.name, {})
                column.is_old = column.holds not in seen
                latest: ByReader | Literal[""] = next(reversed(seen.values()), "")
                column.by_reader = seen.get(column.holds, latest)


def common_notes(questions: Sequence[Question]) -> set[str]:
    """Return the templates that stand beside more than a fifth of the right answers."""
    right = [item for item in questions if item.outcome == "right" and item.is_answered]
    shown = Counter(template for item in right for template in set(item.templates))
    return {template for template, n in shown.items() if n > _COMMON * len(right)}


def _settle(item: Question, common: Collection[str], known: Mapping[str, bool]) -> None:
    rare = [template for template in dict.fromkeys(item.templates) if template not in common]
    item.to_judge = [template for template in rare if template not in known]
    named = [template for template in rare if known.get(template)]
    item.cause = "bounds" if _holds_truth(item) else named[0] if named else ""
    item.silent = not item.cause


def _holds_truth(item: Question) -> bool:
    truth = item.expected
    if item.bounds is None or isinstance(truth, bool) or not isinstance(truth, int | float):
        return False
    return item.bounds[0] <= truth <= item.bounds[1]
