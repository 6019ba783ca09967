"""Published benchmarks, read as packs from their own files.

- FinanceBench (`financebench_open_source.jsonl`), beside the folder of its PDF files or one level
  below: questions on filings that are not there are left out.
- TAT-QA (`tatqa_dataset_*.json`): each table with its paragraphs becomes an HTML document.
- AI21's aggregative questions (`corpus.jsonl`, with `questions.jsonl` beside it; S-RAG 4), whose
  shape is taken from programs that read it: `document_content`; `question` and `answer`.
"""

import json
import logging
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from srag_mcp.errors import PackError
from srag_mcp.evaluation.pack import Pack, PackQuestion, Scale, expected_answer

logger = logging.getLogger(__name__)

Item = TypeVar("Item", bound=BaseModel)


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
