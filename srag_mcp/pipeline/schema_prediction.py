"""The prediction of a schema for a corpus: rounds, a trial, and one more round to repair."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter, ValidationError

from srag_mcp.documents.document import Document
from srag_mcp.pipeline.engine import Thinker
from srag_mcp.pipeline.report import Progress
from srag_mcp.pipeline.sampling import spread_evenly
from srag_mcp.pipeline.schema_trial import try_schema
from srag_mcp.schema.extension import Extension
from srag_mcp.schema.prediction import (
    PredictedSchema,
    Round,
    SchemaRequest,
    predict_schema,
    refine_schema,
)
from srag_mcp.schema.refinement import Decision
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.layout import decisions_path, write_atomically
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.work import WorkDatabase


@dataclass(frozen=True, slots=True)
class SchemaPredictor:
    """Predicts the schema of one corpus.

    Attributes:
        work: Where the records of the sample are kept, so that they are not asked for again.
        thinker: Who predicts.
        settings: How many documents, questions and rounds.
        on_progress: Called after each round.
        asked: Takes up the ids of the documents that were asked about.
    """

    work: WorkDatabase
    thinker: Thinker
    settings: Settings
    on_progress: Callable[[Progress], None]
    asked: set[str] = field(default_factory=set)

    def predict(self, sample: Sequence[Document], questions: Sequence[str], name: str) -> Schema:
        """Predict from a varied part of *sample*; *name* is that of the corpus.

        The reasons for the columns are written beside the schema.

        Raises:
            SchemaError: If no usable attribute came back.
            ModelError: If a reply could not be had.
            CancelledError: If somebody wants it to stop.

        Source: S-RAG 3.2.1.
        """
        documents = choose_varied(sample, self.settings.schema_documents)
        request = SchemaRequest(
            documents,
            tuple(questions)[: self.settings.schema_questions],
            name,
            self.settings.schema_iterations,
            self.settings.prompt_tokens,
        )
        predicted = self.thinker.run(lambda: self._predict(request))
        write_decisions(self.work.state, predicted)
        return predicted.schema

    async def _predict(self, request: SchemaRequest) -> PredictedSchema:
        n_steps = request.n_rounds + 2

        def show(done: int, total: int) -> None:
            self.on_progress(Progress("schema", done, n_steps, f"round {done} of {total}"))

        predicted = await predict_schema(self.thinker.model, request, show)
        trial = await try_schema(
            self.thinker,
            predicted.schema,
            request.documents,
            request.questions,
            prompt_tokens=request.n_tokens,
        )
        Predictions(self.work).store(predicted.schema.attributes, trial.records)
        self.asked.update(record.document_id for record in trial.records)
        self.on_progress(Progress("schema", n_steps - 1, n_steps, "trial"))
        if not trial.problems:
            return predicted
        repair = Round(request.n_rounds + 1, request.documents[:1], trial.problems)
        return await refine_schema(self.thinker.model, request, predicted, repair)


def choose_varied(sample: Sequence[Document], n: int) -> list[Document]:
    """Take *n* documents evenly over formats and sizes, the sizes mixed in every part of them."""
    ordered = sorted(sample, key=lambda d: (PurePosixPath(d.path).suffix, len(d.text), d.id))
    return spread_evenly(ordered, n)


def write_decisions(state: Path, predicted: PredictedSchema) -> None:
    """Write why each column is there, for people."""
    _write_decisions(state, predicted.decisions)


def add_decision(state: Path, wish: str, extension: Extension) -> None:
    """Add why an attribute was added later, to what is written for people."""
    try:
        decisions = TypeAdapter(list[Decision]).validate_json(decisions_path(state).read_bytes())
    except (OSError, ValidationError):  # a schema that rules found or a person wrote has none
        decisions = []
    why = f"somebody asked for “{wish}”"
    rationale = f"{why}: {extension.rationale}" if extension.rationale else why
    number = 1 + max((decision.round for decision in decisions), default=0)
    _write_decisions(
        state, [*decisions, Decision(number, "add", extension.attribute.name, rationale)]
    )


def _write_decisions(state: Path, decisions: Sequence[Decision]) -> None:
    entries = [asdict(decision) for decision in decisions]
    write_atomically(decisions_path(state), json.dumps(entries, indent=2, ensure_ascii=False))
