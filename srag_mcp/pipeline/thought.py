"""What a language model does in one ingestion: schema, records, standardisation, coverage."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from srag_mcp.ask.by_model import Translated
from srag_mcp.documents.document import Document
from srag_mcp.pipeline.engine import Thinker
from srag_mcp.pipeline.question_coverage import name_empty
from srag_mcp.pipeline.record_run import predict_missing_records
from srag_mcp.pipeline.report import Progress, UncoveredQuestion
from srag_mcp.pipeline.schema_prediction import SchemaPredictor
from srag_mcp.pipeline.schema_trial import translate_each
from srag_mcp.pipeline.standard_run import Standardised, standardise_columns
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.work import WorkDatabase, hash_schema

_COVERED = "covered_questions"


@dataclass(frozen=True, slots=True)
class Thoughts:
    """How much was thought: documents predicted and cells standardised in this run."""

    n_predicted: int = 0
    standardised: Standardised = field(default_factory=Standardised)


@dataclass(frozen=True, slots=True)
class Thought:
    """The steps of an ingestion that ask a language model.

    Each may raise `ModelStoppedError`, or `CancelledError` when somebody wants it to stop; what is
    finished is kept.

    Attributes:
        work: Where what was said is kept.
        thinker: Who is asked.
        settings: How much is asked and shown.
        on_progress: Called after each step.
        asked: The ids of the documents that were asked about.
    """

    work: WorkDatabase
    thinker: Thinker
    settings: Settings
    on_progress: Callable[[Progress], None]
    asked: set[str] = field(default_factory=set)

    def predict_schema(
        self, sample: Sequence[Document], questions: Sequence[str], name: str
    ) -> Schema:
        """Let the model decide on the columns."""
        predictor = SchemaPredictor(
            self.work, self.thinker, self.settings, self.on_progress, self.asked
        )
        return predictor.predict(sample, questions, name)

    def predict_records(self, schema: Schema) -> Thoughts:
        """Ask for what is missing, then about what does not fit its column."""
        asked = predict_missing_records(
            self.work, schema, self.thinker, self.settings.prompt_tokens, self.on_progress
        )
        self.asked.update(asked)
        standardised = standardise_columns(self.work, schema, self.thinker, self.on_progress)
        self.work.put_engine_in_force(self.thinker.engine)
        return Thoughts(len(self.asked), standardised)

    def find_uncovered(
        self, folder: Path, questions: Sequence[str]
    ) -> tuple[UncoveredQuestion, ...]:
        """Return the sample questions that the model cannot answer over the published build.

        Either it finds no columns for a query, or those that it finds hold no value. What it could
        translate is not asked again as long as the columns are the same.
        """
        tried = questions[: self.settings.schema_questions]
        if not tried:
            return ()
        covered = self._covered()
        with QueryPool() as worker:
            corpus = Corpus(folder, worker, self.settings.home)
            reasons = self._translate(corpus, tried, covered)
            for question in tried:
                if question in covered:
                    reasons[question] = name_empty(corpus, covered[question])
        self._keep_covered(covered)
        return tuple(UncoveredQuestion(asked, reasons[asked]) for asked in tried if reasons[asked])

    def _translate(
        self, corpus: Corpus, questions: Sequence[str], covered: dict[str, list[str]]
    ) -> dict[str, str]:
        """Translate what is not yet *covered*, which it adds to; return why the rest cannot be."""
        asked = [question for question in questions if question not in covered]
        if not asked:
            return {}
        outcomes = self.thinker.run(lambda: translate_each(self.thinker, corpus, asked))
        for question, outcome in outcomes.items():
            if isinstance(outcome, Translated):
                covered[question] = [use.column for use in outcome.translation.columns]
        return {question: str(why) for question, why in outcomes.items() if question not in covered}

    def _covered(self) -> dict[str, list[str]]:
        """Return the questions that were translated over the schema in force, and their columns."""
        known = json.loads(self.work.note(_COVERED) or "{}")
        is_same = isinstance(known, dict) and known.get("schema") == self._schema_hash()
        return dict(known["columns"]) if is_same else {}

    def _keep_covered(self, covered: dict[str, list[str]]) -> None:
        note = {"schema": self._schema_hash(), "columns": covered}
        self.work.keep_note(_COVERED, json.dumps(note))

    def _schema_hash(self) -> str:
        present = self.work.schema_in_force()
        return "" if present is None else hash_schema(present.schema)
