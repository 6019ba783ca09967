"""The engine with a language model: it designs the columns, reads the documents, writes queries."""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import ClassVar, Self, TypeVar

import anyio
from pydantic import TypeAdapter, ValidationError

from srag_mcp.ask.answer import Answer
from srag_mcp.ask.ask import Asking, ask_model
from srag_mcp.cells.cell import DocumentText
from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.engines.offline import learn_rules
from srag_mcp.engines.protocol import CancelledError, Engine, Keep, Progress, SchemaSample, Work
from srag_mcp.engines.trial import try_schema
from srag_mcp.model.language_model import LanguageModel, Price
from srag_mcp.model.ledger import Totals
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.metering import Budget, MeteredModel
from srag_mcp.model.remote_model import open_model, price_of
from srag_mcp.records.conversation import RecordTask
from srag_mcp.records.passages import select_passages
from srag_mcp.records.prediction import predict_records
from srag_mcp.records.reading_on import choose_first_tokens
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extension import Extension, predict_extension
from srag_mcp.schema.rounds import (
    Decision,
    PredictedSchema,
    Round,
    SchemaRequest,
    predict_schema,
    refine_schema,
)
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import EngineName, Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.earlier import EarlierAnswers
from srag_mcp.store.layout import decisions_path, write_atomically
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.replies import StoredReplies
from srag_mcp.store.state import State, open_state

Returned = TypeVar("Returned")

WISH_DOCUMENTS = 8  # of which passages are shown to define one attribute
WISH_TOKENS = 500  # of each
_READY_PROMPTS = 16  # written while others are in flight, so that no place stays empty
_POLL_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEngine(Engine):
    """A language model thinks; what it says is kept, counted, and never asked twice.

    Attributes:
        work: What it is opened for.
        model: Counted, kept to the budget.
        replies: What it said, and the ledger.
        max_in_flight: Most prompts at a time: the model lets as many through as it may, the others
            are ready.
        asked: The ids of the documents that it was asked about.
    """

    name: ClassVar[EngineName] = "model"
    asks: ClassVar[bool] = True
    by_caller: ClassVar[bool] = False
    work: Work
    model: MeteredModel
    replies: StoredReplies
    max_in_flight: int
    asked: set[str] = field(default_factory=set)

    @classmethod
    def price(cls, settings: Settings) -> Price | None:
        """Return what the model charges."""
        return price_of(settings)

    @classmethod
    @contextmanager
    def open(cls, work: Work) -> Iterator[Self]:
        """Open the model that the settings name.

        Raises:
            SettingsError: If none is named.
            StoreError: If what it says cannot be kept.
        """
        settings = work.settings
        with open_state(work.database.state) as state:
            replies = StoredReplies(state)
            name = cls._model_name(settings)
            metered = MeteredModel(
                EarlierAnswers(cls._open_model(settings, state), name, state, work.database),
                replies,
                name,
                budget=Budget(settings.budget_usd, settings.budget_calls),
                spent=replies.unsettled(),
            )
            yield cls(
                work=work, model=metered, replies=replies, max_in_flight=cls._in_flight(settings)
            )

    @classmethod
    def _open_model(cls, settings: Settings, state: State) -> LanguageModel:
        return open_model(settings)

    @classmethod
    def _model_name(cls, settings: Settings) -> str:
        return str(settings.model)

    @classmethod
    def _in_flight(cls, settings: Settings) -> int:
        return settings.concurrency + _READY_PROMPTS

    @property
    def is_begun(self) -> bool:
        """Whether there are replies."""
        total = self.model.ledger.total
        return total.n_calls + total.n_cached > 0

    def taken(self) -> Totals:
        """Return what it took: calls are paid for once, and replies found anew in every run."""
        return replace(self.replies.unsettled(), n_cached=self.model.ledger.total.n_cached)

    def forget_useless(self) -> None:
        """Forget replies that were of no use, so that they are asked for again."""
        self.model.drop_useless()

    def settle(self) -> None:
        """Forget replies of no use; what comes next is counted anew."""
        self.model.drop_useless()
        self.replies.settle()

    def run(self, thinking: Callable[[], Awaitable[Returned]]) -> Returned:
        """Run *thinking* to its end, unless somebody wants it to stop.

        Raises:
            CancelledError: If somebody did.
        """
        return run_to_end(self._watched, thinking)

    async def _watched(self, thinking: Callable[[], Awaitable[Returned]]) -> Returned:
        results: list[Returned] = []
        errors: Sequence[Exception] = ()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, tasks.cancel_scope)
                results.append(await thinking())
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            errors = group.exceptions
        if errors:  # raised out here, so that it keeps the cause that it has
            raise errors[0]
        if not results:
            raise CancelledError
        return results[0]

    async def _watch(self, scope: anyio.CancelScope) -> None:
        while not self.work.cancelled():
            await anyio.sleep(_POLL_S)
        scope.cancel()

    def predict_schema(self, sample: SchemaSample) -> Schema:
        """Design the columns from a varied part of the sample, try them, and repair them once.

        The reasons for the columns are written beside the schema. What rules learn to read of them
        is a second opinion.

        Source: S-RAG 3.2.1.
        """
        settings, documents = self.work.settings, sample.read()
        request = SchemaRequest(
            choose_varied(documents, settings.schema_documents),
            sample.questions[: settings.schema_questions],
            sample.title,
            settings.schema_iterations,
            settings.prompt_tokens,
        )
        predicted = self.run(lambda: self._predict_schema(request))
        _write_decisions(self.work.database.state, predicted.decisions)
        return learn_rules(predicted.schema, documents, sample.questions)

    async def _predict_schema(self, request: SchemaRequest) -> PredictedSchema:
        n_steps = request.n_rounds + 2

        def show(done: int, total: int) -> None:
            told = Progress("schema", done, n_steps, f"round {done} of {total}")
            self.work.on_progress(told)

        predicted = await predict_schema(self.model, request, show)
        task = RecordTask(self.model, predicted.schema.attributes, self.name)
        trial = await try_schema(task, predicted.schema, request, self.max_in_flight)
        Predictions(self.work.database).store(predicted.schema.attributes, trial.records)
        self.asked.update(record.document_id for record in trial.records)
        self.work.on_progress(Progress("schema", n_steps - 1, n_steps, "trial"))
        if not trial.problems:
            return predicted
        repair = Round(request.n_rounds + 1, request.documents[:1], trial.problems)
        return await refine_schema(self.model, request, predicted, repair)

    def define(self, wish: str, schema: Schema, documents: Sequence[Document]) -> Extension:
        """Define the attribute from passages of a few documents that resemble the wish."""
        sought = Attribute(name="wish", type="string", description=wish, synonyms=(wish,))
        texts = [
            select_passages(document.text, [sought], WISH_TOKENS)
            for document in choose_varied(documents, WISH_DOCUMENTS)
        ]
        return self.run(lambda: predict_extension(self.model, schema, wish, texts))

    def read(
        self, documents: Iterable[DocumentText], attributes: tuple[Attribute, ...], keep: Keep
    ) -> None:
        """Let the model read *documents*, in batches that fill a prompt."""
        present = self.work.database.schema_in_force()
        n_columns = len(attributes if present is None else present.schema.attributes)
        first = choose_first_tokens(len(attributes), n_columns)
        self.run(
            lambda: predict_records(
                RecordTask(self.model, attributes, self.name, first),
                documents,
                prompt_tokens=self.work.settings.prompt_tokens,
                max_in_flight=self.max_in_flight,
                on_done=keep,
            )
        )

    async def translate(self, question: str, corpus: Corpus) -> Answer:
        """Let the model write the query."""
        return await ask_model(corpus, question, Asking(self.model))


def choose_varied(sample: Sequence[Document], n: int) -> list[Document]:
    """Take *n* documents evenly over formats and sizes, the sizes mixed in every part of them."""
    ordered = sorted(sample, key=lambda d: (PurePosixPath(d.path).suffix, len(d.text), d.id))
    return spread_evenly(ordered, n)


def add_decision(state: Path, wish: str, extension: Extension) -> None:
    """Add why an attribute was added later, to what is written for people."""
    try:
        decisions = TypeAdapter(list[Decision]).validate_json(decisions_path(state).read_bytes())
    except (OSError, ValidationError):  # a schema that rules found or a person wrote has none
        decisions = []
    why = f"somebody asked for “{wish}”"
    rationale = f"{why}: {extension.rationale}" if extension.rationale else why
    number = 1 + max((decision.round for decision in decisions), default=0)
    decisions.append(Decision(number, "add", extension.attribute.name, rationale))
    _write_decisions(state, decisions)


def _write_decisions(state: Path, decisions: Sequence[Decision]) -> None:
    """Write why each column is there, for people."""
    entries = [asdict(decision) for decision in decisions]
    write_atomically(decisions_path(state), json.dumps(entries, indent=2, ensure_ascii=False))
