"""The trial of a predicted schema: sample documents are read with it, sample questions asked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import anyio

from srag_mcp.ask.answer import is_empty
from srag_mcp.ask.by_model import Translated, translate_question
from srag_mcp.ask.diagnosis import explain_nothing
from srag_mcp.cells.cell import DocumentText, PredictedCell, PredictedRecord, Record
from srag_mcp.claims.stated_values import read_tags
from srag_mcp.claims.suspects import find_complaints
from srag_mcp.documents.document import Document
from srag_mcp.errors import ModelError, ModelStoppedError, QuestionError
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.prediction import predict_records
from srag_mcp.schema.rounds import SchemaRequest
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import finish_document, open_work

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
    task: RecordTask, schema: Schema, request: SchemaRequest, max_in_flight: int
) -> Trial:
    """Predict the records of the documents of *request* and translate its questions over them.

    Raises:
        ModelStoppedError: If no further prompt can be answered.

    Source: DESIGN 7.2.
    """
    records: list[PredictedRecord] = []
    await predict_records(
        task,
        [DocumentText(d.id, d.title, d.path, d.text, d.sha256) for d in request.documents],
        prompt_tokens=request.n_tokens,
        max_in_flight=max_in_flight,
        on_done=records.extend,
    )
    cells = {item.name: _cells_of(item.name, records) for item in schema.attributes}
    tags = read_tags(cells[item.name] for item in schema.attributes if item.type.is_text)
    problems = [
        problem
        for attribute in schema.attributes
        for problem in find_complaints(attribute, cells[attribute.name], tags)
    ]
    if request.questions:
        with _open_sample(task.engine, schema, request.documents, records) as corpus:
            outcomes = await translate_each(task.model, corpus, request.questions, max_in_flight)
            reasons = {asked: _why_unanswered(corpus, done) for asked, done in outcomes.items()}
        problems += [f"the question “{asked}”: {why}" for asked, why in reasons.items() if why]
    return Trial(tuple(records), tuple(problems))


async def translate_each(
    model: LanguageModel, corpus: Corpus, questions: Sequence[str], max_in_flight: int
) -> dict[str, Outcome]:
    """Translate *questions*, many at a time; return what became of each, in their order.

    Few documents often have nothing for a query, so none is asked for again for that.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
    """
    outcomes: dict[str, Outcome] = {}
    stopped: list[ModelStoppedError] = []
    slots = anyio.Semaphore(max_in_flight)

    async def translate(question: str) -> None:
        async with slots:
            try:
                outcomes[question] = await translate_question(
                    model, corpus, question, may_find_nothing=True
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
    """Return what a refinement could repair; no reply from the model is not the schema's fault.

    Either the columns do not do for a query, or it finds nothing, for a condition that no record
    meets. That may be right in a few sample documents, and is said so.
    """
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


@contextmanager
def _open_sample(
    engine: str, schema: Schema, documents: Sequence[Document], records: Sequence[PredictedRecord]
) -> Iterator[Corpus]:
    """Publish the predicted records of *documents* in a temporary folder, and open them.

    Raises:
        StoreError: If it cannot be written.
    """
    with TemporaryDirectory(prefix="srag-sample-") as scratch, QueryPool() as worker:
        folder = Path(scratch)
        with open_work(CorpusFolder(folder).writable()) as work:
            work.put_in_force(schema, "sample")
            work.put_engine_in_force(engine)
            empty = [
                finish_document(item, Record(item.id, ()), replaces=False) for item in documents
            ]
            work.store(empty, [])
            Predictions(work).store(schema.attributes, records)
            publish(work, schema)
        yield Corpus(folder, worker)
