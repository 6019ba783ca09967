"""The trial of a predicted schema: sample documents are read with it, sample questions asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import anyio

from srag_mcp.ask.answer import is_empty
from srag_mcp.ask.by_model import Translated, translate_question
from srag_mcp.ask.diagnosis import explain_nothing
from srag_mcp.cells.cell import DocumentText, PredictedCell, PredictedRecord
from srag_mcp.documents.document import Document
from srag_mcp.errors import ModelError, ModelStoppedError, QuestionError
from srag_mcp.pipeline.engine import Thinker
from srag_mcp.pipeline.sample_corpus import open_sample_corpus
from srag_mcp.records.prediction import predict_records
from srag_mcp.records.record_task import RecordTask
from srag_mcp.records.standardise.complaints import find_complaints
from srag_mcp.records.standardise.suspicion import read_tags
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corpus import Corpus

Outcome: TypeAlias = Translated | QuestionError | ModelError
_RARE = "if these few documents have no such case, leave the definitions as they are"


@dataclass(frozen=True, slots=True)
class Trial:
    """What came out of a trial.

    Attributes:
        records: The records of the sample documents.
        problems: What a refinement should repair, for the model.
    """

    records: tuple[PredictedRecord, ...]
    problems: tuple[str, ...]


async def try_schema(
    thinker: Thinker,
    schema: Schema,
    documents: Sequence[Document],
    questions: Sequence[str],
    *,
    prompt_tokens: int,
) -> Trial:
    """Predict the records of *documents* and translate *questions* over them.

    Raises:
        ModelStoppedError: If no further prompt can be answered.

    Source: DESIGN 7.2.
    """
    records: list[PredictedRecord] = []
    await predict_records(
        RecordTask(thinker.model, schema.attributes, thinker.engine),
        [DocumentText(d.id, d.title, d.path, d.text, d.sha256) for d in documents],
        prompt_tokens=prompt_tokens,
        max_in_flight=thinker.max_in_flight,
        on_done=records.extend,
    )
    cells = {item.name: _cells_of(item.name, records) for item in schema.attributes}
    tags = read_tags(cells[item.name] for item in schema.attributes if item.type.is_text)
    problems = [
        problem
        for attribute in schema.attributes
        for problem in find_complaints(attribute, cells[attribute.name], tags)
    ]
    if questions:
        with open_sample_corpus(schema, documents, records, thinker.engine) as corpus:
            problems += await find_unanswered(thinker, corpus, questions)
    return Trial(tuple(records), tuple(problems))


async def find_unanswered(thinker: Thinker, corpus: Corpus, questions: Sequence[str]) -> list[str]:
    """Return why questions have no answer over *corpus*, in their order.

    Either the columns do not do for a query, or it finds nothing, for a condition that no record
    meets. That may be right in a few sample documents, and is said so.
    """
    outcomes = await translate_each(thinker, corpus, questions)
    reasons = {asked: _why_unanswered(corpus, outcome) for asked, outcome in outcomes.items()}
    return [f"the question “{asked}”: {why}" for asked, why in reasons.items() if why]


async def translate_each(
    thinker: Thinker, corpus: Corpus, questions: Sequence[str]
) -> dict[str, Outcome]:
    """Translate *questions*, many at a time; return what became of each, in their order.

    Few documents often have nothing for a query, so none is asked for again for that.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
    """
    outcomes: dict[str, Outcome] = {}
    stopped: list[ModelStoppedError] = []
    slots = anyio.Semaphore(thinker.max_in_flight)

    async def translate(question: str) -> None:
        async with slots:
            try:
                outcomes[question] = await translate_question(
                    thinker.model, corpus, question, may_find_nothing=True
                )
            except ModelStoppedError as error:
                stopped.append(error)
            except (QuestionError, ModelError) as error:
                outcomes[question] = error

    different = list(dict.fromkeys(questions))
    async with anyio.create_task_group() as tasks:
        for question in different:
            tasks.start_soon(translate, question)
    if stopped:
        raise stopped[0]
    return {question: outcomes[question] for question in different}


def _why_unanswered(corpus: Corpus, outcome: Outcome) -> str:
    """Return what a refinement could repair; no reply from the model is not the schema's fault."""
    if isinstance(outcome, Exception):
        return str(outcome) if isinstance(outcome, QuestionError) else ""
    why = explain_nothing(corpus, outcome.translation.facts) if is_empty(outcome.page.rows) else []
    return f"its query finds nothing in the samples: {'; '.join(why)}; {_RARE}" if why else ""


def _cells_of(name: str, records: Sequence[PredictedRecord]) -> dict[str, PredictedCell]:
    return {
        record.document_id: item
        for record in records
        for item in record.cells
        if item.cell.attribute == name
    }
