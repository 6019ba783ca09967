"""Benchmark packs: documents, the gold records and their schema, and questions with their answers.

A pack of documents is a folder with `documents/`, `gold.csv` (one row a document, its file name in
the column `document`), `questions.jsonl` and `sample_questions.txt`; `schema.json` may be there, or
a `README.md` with a table of what the gold fields mean: their names in its first column (several in
a cell, separated by commas), what they mean in its second. A pack of tables has `questions.jsonl`
only, whose questions name the CSV file that they are about. A pack of retrieval has documents and
questions that name `documents` which hold the answer, perhaps with `evidence` (`page`, from 0, and
the `document` where there are several), and no gold.
"""

import csv
import json
import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from srag_mcp.documents.document import Table
from srag_mcp.documents.reading import read_content
from srag_mcp.errors import DocumentError, PackError
from srag_mcp.evaluation.comparison import date_of, gold_type, number_of, one_date, write_value
from srag_mcp.schema.attribute import Scalar
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema
from srag_mcp.text.words import fold
from srag_mcp.values.states import read_boolean

logger = logging.getLogger(__name__)

Item = TypeVar("Item", bound=BaseModel)
Row: TypeAlias = tuple[Scalar, ...]
Expected: TypeAlias = Scalar | tuple[Scalar, ...] | tuple[Row, ...] | None

Scale: TypeAlias = Literal["", "percent", "thousand", "million", "billion"]

SCALES: Mapping[Scale, float] = {
    "": 1.0, "percent": 0.01, "thousand": 1e3, "million": 1e6, "billion": 1e9
}  # fmt: skip
UNANSWERABLE = "unanswerable"
KEY = "document"
_README = "README.md"


@dataclass(frozen=True, slots=True)
class PackQuestion:
    """A question with the answer it should get.

    Attributes:
        answer: One value, the members of a list, or the rows of a grouped answer; None where no
            document says it.
        answer_type: `number`, `string`, `date`, `boolean`, `list`, `unanswerable`, or as published.
        table: The CSV file it is about, in a pack of tables; else None.
        gold_sql: The query over the table `gold` that gives the answer; empty if there is none.
        documents: Those that hold the answer, as gold names documents; empty where that is not
            told.
        evidence: The pages that do, each with its document, from 1.
        is_tie: Whether one was asked for, and all of the answer come first.
        names: The values of the gold fields that hold the answer.
        other_names: What the other gold fields hold, folded, but for plain numbers.
        scale: What the numbers of the answer are counted in: `percent`, `thousand`, `million`,
            `billion`, or empty; None where the benchmark has no scales.
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
    documents: tuple[str, ...] = ()
    evidence: tuple[tuple[str, int], ...] = ()
    is_tie: bool = False
    names: tuple[str, ...] = ()
    other_names: frozenset[str] = frozenset()
    scale: Scale | None = None

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
    out. The documents are the files in *source*, if given, and *texts* by their file names.
    """

    folder: Path
    name: str
    fields: tuple[str, ...]
    gold: Mapping[str, Mapping[str, str]]
    questions: tuple[PackQuestion, ...]
    sample_questions: tuple[str, ...]
    is_part: bool = False
    source: Path | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def of_tables(self) -> bool:
        """Whether each question is about a table of its own."""
        return any(question.table for question in self.questions)

    @property
    def of_retrieval(self) -> bool:
        """Whether there is no gold but the documents that hold the answers."""
        return not self.gold and any(question.documents for question in self.questions)


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
    questions = tuple(with_names(question, gold) for question in questions)
    source = folder / "documents" if (folder / "documents").is_dir() else None
    pack = Pack(folder, folder.name, fields, gold, questions, samples, source=source)
    if not pack.of_tables and source is None:
        msg = f"{folder} has no folder documents/"
        raise PackError(msg)
    if not questions and not gold:
        msg = f"{folder} has neither questions.jsonl nor gold.csv: there is nothing to compare with"
        raise PackError(msg)
    return pack


def take_questions(pack: Pack, path: Path) -> Pack:
    """Return *pack* with the questions whose ids *path* lists, one a line, in the order of *pack*.

    Raises:
        PackError: If the file cannot be read, or lists a question that is not there.
    """
    if not path.is_file():
        msg = f"{path} is not a file; give one with the id of a question on each line"
        raise PackError(msg)
    ids = {line.strip() for line in _read_lines(path)} - {""}
    kept = tuple(question for question in pack.questions if question.id in ids)
    if unknown := ids - {question.id for question in kept}:
        msg = f"{path.name} lists {len(unknown)} questions that {pack.name} has not: {min(unknown)}"
        raise PackError(msg)
    return replace(pack, questions=kept)


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
    reader = csv.DictReader(_read_lines(path), strict=True, skipinitialspace=True)
    gold: dict[str, dict[str, str]] = {}
    problem = ""
    try:
        names = list(reader.fieldnames or ())
        if KEY not in names or len(set(names)) < len(names):
            problem = f"needs a column {KEY!r} with the file names, and no column twice"
        for row in reader if not problem else ():
            if None in row or None in row.values():
                problem = "has another number of cells than there are columns"
            elif (key := row.pop(KEY).strip()) in gold:
                problem = f"names {key!r} for the second time"
            if problem:
                break
            gold[key] = {name: cell.strip() for name, cell in row.items()}
    except csv.Error as error:
        problem = f"is not CSV in UTF-8 ({error})"
    if problem:
        msg = f"{path.name}, line {reader.line_num}, {problem}"
        raise PackError(msg)
    return tuple(name for name in names if name != KEY), gold


def _read_questions(path: Path) -> tuple[PackQuestion, ...]:
    questions: dict[str, PackQuestion] = {}
    for number, line in enumerate(_read_lines(path), start=1):
        if not line.strip():
            continue
        place = f"{path.name}, line {number}"
        try:
            question = _read_question(line)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            msg = f"{place}: not a question with id, question and answer ({error})"
            raise PackError(msg) from error
        if question.id in questions:
            msg = f"{place}: the id {question.id!r} is there twice"
            raise PackError(msg)
        questions[question.id] = question
    if len({question.table is None for question in questions.values()}) > 1:
        msg = f"{path.name}: some questions name a `table` and others do not; a pack is of one sort"
        raise PackError(msg)
    return tuple(questions.values())


def _read_question(line: str) -> PackQuestion:
    data = json.loads(line, parse_constant=_refuse_constant)
    table, answer_type = data.get("table"), str(data.get("answer_type") or "")
    documents = tuple(map(str, data.get("documents") or ()))
    said = data.get("answer") if documents else data["answer"]
    answer, tolerance = expected_answer(said, answer_type), data.get("tolerance") or 0
    if table is not None and answer is not None and not isinstance(answer, tuple):
        answer = (answer,)
    if not 0 <= float(tolerance) < math.inf:
        msg = f"tolerance {tolerance} is not a share of 0 or more"
        raise ValueError(msg)
    is_told = len(documents) > 1  # pages are counted from 0 here
    evidence = dict.fromkeys(
        (str(item["document"] if is_told else documents[0]), int(item["page"]) + 1)
        for item in data.get("evidence") or ()
    )
    names = {bool: "boolean", int: "number", float: "number", tuple: "list", str: "string"}
    return PackQuestion(
        id=str(data["id"]),
        question=str(data["question"]),
        answer=answer,
        answer_type=answer_type or names.get(type(answer), UNANSWERABLE),
        kind=str(data.get("kind") or ("table" if table else "other")),
        tolerance=float(tolerance),
        ordered=bool(data.get("ordered")),
        table=table,
        gold_sql=str(data.get("gold_sql") or ""),
        documents=documents,
        evidence=tuple(evidence),
        scale=next((scale for scale in SCALES if scale == data.get("scale")), None),
    )


def with_names(question: PackQuestion, gold: Mapping[str, Mapping[str, str]]) -> PackQuestion:
    """Return *question* with the names that *gold* has for its answer, and beside it."""
    said = [member[0] if isinstance(member, tuple) else member for member in question.members]
    wanted = {fold(write_value(member)) for member in said if not isinstance(member, bool)}
    fields: dict[str, dict[str, str]] = {}
    for cells in gold.values():
        for name, value in cells.items():
            if value:
                fields.setdefault(name, {})[fold(value)] = value
    own = {name for name, values in fields.items() if wanted and wanted <= values.keys()}
    own -= {name for name in own if gold_type(list(fields[name].values())).is_date}
    if not own:
        return question
    names = {value: None for name in own for value in fields[name].values()}
    others = {
        folded
        for name in fields.keys() - own
        for folded, value in fields[name].items()
        if number_of(value) is None
    }
    return replace(question, names=tuple(names), other_names=frozenset(others))


def _refuse_constant(name: str) -> float:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def expected_answer(value: object, answer_type: str) -> Expected:
    """Return the answer of a question, whose values may be written as texts of their type.

    `("2", "number") -> 2.0`, `({"Rome": 2}, "") -> (("Rome", 2),)`

    Raises:
        ValueError: If it is neither a value nor a list of values or of rows.
    """
    if value is None or answer_type == UNANSWERABLE:
        return None
    if isinstance(value, Mapping):
        return tuple((str(key), _scalar(member)) for key, member in value.items())
    if isinstance(value, list):
        rows = [
            tuple(map(_scalar, member.values() if isinstance(member, dict) else member))
            for member in value
            if isinstance(member, list | dict)
        ]
        if rows and len(rows) < len(value):
            msg = "answer mixes values and rows"
            raise ValueError(msg)
        return tuple(rows) if rows else tuple(map(_scalar, value))
    said = _scalar(value)
    if not isinstance(said, str):
        return said
    read: Scalar | None = None
    if answer_type == "number":
        read = number_of(said)
    elif answer_type == "boolean":
        read = read_boolean(said)
    elif answer_type == "date" and not date_of(said) and (found := one_date(said)) is not None:
        year, month, day = found.year, found.month, found.day
        if year is not None and month is not None and day is not None:
            read = f"{year:04d}-{month:02d}-{day:02d}"
    return said if read is None else read


def _scalar(value: object) -> Scalar:
    if isinstance(value, bool | int | float | str):
        return value
    msg = f"{value!r} is no value; answer is a value, a list of values, or a list of rows"
    raise ValueError(msg)


def read_gold_schema(pack: Pack) -> Schema:
    """Return the schema in `schema.json`, else one with an attribute a column of `gold.csv`.

    The latter is what a person would write by hand: the type comes from the values, the description
    from the README, and a truth value that gold gives for every document is false where a document
    does not mention it.

    Raises:
        PackError: If the file is not JSON, there is no gold either, or the README cannot be read.
        SchemaError: If the file is no usable schema.
    """
    path = pack.folder / "schema.json"
    if path.exists():
        try:
            return schema_from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            msg = f"{path.name}: not JSON ({error})"
            raise PackError(msg) from error
    if not pack.fields:
        msg = f"{pack.folder} has neither schema.json nor gold.csv to take a schema from"
        raise PackError(msg)
    meanings, properties = _read_meanings(pack), {}
    for name in pack.fields:
        values = [cells[name] for cells in pack.gold.values()]
        kind = gold_type(values)
        written = dict(kind.json_schema)
        if kind.is_boolean and all(values) and any(read_boolean(v) is False for v in values):
            written["x-absent-means"] = "false"
        if name in meanings:
            written["description"] = meanings[name]
        properties[name] = written
    return schema_from_json({"title": pack.name, "x-entity": "records", "properties": properties})


def _read_meanings(pack: Pack) -> dict[str, str]:
    """Return what the README says of fields, by name: the table that names the most of them."""
    path = pack.folder / _README
    if not path.exists():
        return {}
    try:
        blocks = read_content(path.read_bytes(), _README).blocks
    except (OSError, DocumentError) as error:
        msg = f"{_README}: not a text file that can be read ({error})"
        raise PackError(msg) from error
    tables = [
        {
            name.strip(): meaning if meaning.endswith((".", "!", "?")) else f"{meaning}."
            for row in block.rows
            if (meaning := row[1].text.strip())
            for name in row[0].text.split(",")
            if name.strip() in pack.fields
        }
        for block in blocks
        if isinstance(block, Table)
    ]
    return max(tables, key=len, default={})


def write_gold_records(pack: Pack, path: Path) -> None:
    """Write the gold fields of each document as a row of the CSV file *path*."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, pack.fields)
        writer.writeheader()
        writer.writerows(pack.gold.values())


class _Page(BaseModel):
    """A page of the evidence of a question of FinanceBench, counted from 0."""

    doc_name: str
    evidence_page_num: int


class _OnFiling(BaseModel):
    """A question of FinanceBench."""

    financebench_id: str
    question: str
    answer: str
    doc_name: str
    question_type: str = ""
    evidence: list[_Page]


class _TatTable(BaseModel):
    table: list[list[str]]


class _TatParagraph(BaseModel):
    order: int
    text: str


class _TatQuestion(BaseModel):
    uid: str
    question: str
    answer: str | float | list[str] | None = None
    answer_type: str = ""
    scale: Scale = ""


class _TatReport(BaseModel):
    """A table of TAT-QA with its paragraphs and the questions on them."""

    table: _TatTable
    paragraphs: list[_TatParagraph]
    questions: list[_TatQuestion]


class _Described(BaseModel):
    """A document of AI21's corpora."""

    document_content: str


class _Aggregative(BaseModel):
    """A question of AI21's."""

    question: str
    answer: object


def read_published(path: Path) -> Pack:
    """Read the benchmark in the file *path* as a pack; its first entry tells which it is.

    FinanceBench (`financebench_open_source.jsonl`), beside the folder of its PDF files or one level
    below: questions on filings that are not there are left out. TAT-QA (`tatqa_dataset_*.json`):
    each table with its paragraphs becomes an HTML document. AI21's aggregative questions
    (`corpus.jsonl`, with `questions.jsonl` beside it; S-RAG 4), whose shape is taken from programs
    that read it: `document_content`; `question` and `answer`.

    Raises:
        PackError: If it is none that is known here, or a part of it is not there.
    """
    path = path.resolve()
    try:
        items = _read_items(path)
        first = items[0] if items and isinstance(items[0], Mapping) else {}
        if "financebench_id" in first:
            return _read_finance_bench(path, _validate(_OnFiling, items))
        if "paragraphs" in first:
            return _read_tat_qa(path, _validate(_TatReport, items))
        if "document_content" in first:
            asked = _read_items(path.with_name("questions.jsonl"))
            return _read_aggregative(
                path, _validate(_Described, items), _validate(_Aggregative, asked)
            )
    except (OSError, ValueError) as error:
        msg = f"{path}: not a benchmark that can be read ({error})"
        raise PackError(msg) from error
    msg = f"{path}: neither FinanceBench nor TAT-QA nor AI21's corpus.jsonl"
    raise PackError(msg)


def _read_items(path: Path) -> list[object]:
    """Return the entries of a JSON array, or of a file with one on each line."""
    text = path.read_text(encoding="utf-8-sig")
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _validate(kind: type[Item], items: Iterable[object]) -> list[Item]:
    return [kind.model_validate(item) for item in items]


def _read_finance_bench(path: Path, asked: list[_OnFiling]) -> Pack:
    beside = (*path.parent.glob("*/*.pdf"), *path.parent.parent.glob("*/*.pdf"))
    filings = {pdf.stem: pdf for pdf in reversed(beside)}
    questions = [
        PackQuestion(
            id=item.financebench_id,
            question=item.question,
            answer=item.answer,
            answer_type="string",
            kind=item.question_type or "other",
            documents=tuple(dict.fromkeys([item.doc_name, *(x.doc_name for x in item.evidence)])),
            evidence=tuple(
                dict.fromkeys((x.doc_name, x.evidence_page_num + 1) for x in item.evidence)
            ),
        )
        for item in asked
    ]
    there = [item for item in questions if filings.keys() >= set(item.documents)]
    if not there:
        msg = f"{path}: none of the filings that it asks about is a PDF file in a folder beside it"
        raise PackError(msg)
    if len(there) < len(questions):
        logger.warning(
            "%d of %d questions are left out: their filings are not there",
            len(questions) - len(there),
            len(questions),
        )
    source = filings[there[0].documents[0]].parent
    return Pack(path.parent, path.stem, (), {}, tuple(there), (), source=source)


def _read_tat_qa(path: Path, reports: list[_TatReport]) -> Pack:
    texts, questions = {}, []
    for number, report in enumerate(reports, 1):
        name = f"{number:0{len(str(len(reports)))}}.html"
        paragraphs = sorted(report.paragraphs, key=lambda paragraph: paragraph.order)
        said = "\n".join(f"<p>{escape(paragraph.text)}</p>" for paragraph in paragraphs)
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in report.table.table)
        table = "\n".join(f"<tr>{row}</tr>" for row in rows)
        texts[name] = (
            f"<!doctype html><html><body>\n{said}\n<table>\n{table}\n</table>\n</body></html>\n"
        )
        questions += [
            PackQuestion(
                id=item.uid,
                question=item.question,
                answer=expected_answer(item.answer, ""),
                answer_type=item.answer_type,
                kind=item.answer_type or "other",
                documents=(name,),
                scale=item.scale,
            )
            for item in report.questions
        ]
    return Pack(path.parent, path.stem, (), {}, tuple(questions), (), texts=texts)


def _read_aggregative(path: Path, documents: list[_Described], asked: list[_Aggregative]) -> Pack:
    width = len(str(len(documents)))
    texts = {
        f"{number:0{width}}.md": item.document_content for number, item in enumerate(documents, 1)
    }
    questions = tuple(
        PackQuestion(str(number), item.question, expected_answer(item.answer, ""), "", "other")
        for number, item in enumerate(asked, 1)
    )
    return Pack(path.parent, path.parent.name, (), {}, questions, (), texts=texts)
