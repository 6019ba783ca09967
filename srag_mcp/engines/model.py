"""The engines with a language model, and with the calling agent: columns, cells, queries."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import PurePosixPath
from statistics import median_low
from typing import ClassVar, NamedTuple, Self, TypeAlias, TypeVar

import anyio

from srag_mcp.cells.cell import BY_MODEL, DocumentText, PredictedCell, PredictedRecord
from srag_mcp.claims.odd_numbers import read_tags
from srag_mcp.claims.suspects import find_complaints
from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.documents.passages import cut_passages
from srag_mcp.engines.protocol import CancelledError, Engine, Keep, Progress, SchemaSample, Work
from srag_mcp.errors import ModelError, QuestionError
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import Asking, ask_model
from srag_mcp.inference.by_model import Translated, Translating, translate_question
from srag_mcp.model.language_model import AGENT, LanguageModel, Price, Step
from srag_mcp.model.ledger import Budget, MeteredModel, Totals
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.remote_model import open_model, price_of
from srag_mcp.model.reply_content import ask_all
from srag_mcp.records.conversation import Pilot, RecordTask, number_columns
from srag_mcp.records.listed import find_lists, list_attribute
from srag_mcp.records.prediction import choose_first_tokens, predict_records
from srag_mcp.records.record_prompt import Sought, choose_passages
from srag_mcp.rules.child_tables import build_pending
from srag_mcp.rules.induction import learn_extractors
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import (
    WISH_DOCUMENTS,
    WISH_TOKENS,
    Decision,
    Extension,
    PredictedSchema,
    Round,
    SchemaRequest,
    find_needed,
    find_unmet,
    predict_additions,
    predict_extension,
    predict_schema,
    refine_schema,
)
from srag_mcp.schema.schema import Schema, Table
from srag_mcp.settings import EngineName, Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.earlier import EarlierAnswers
from srag_mcp.store.predictions import Predictions, hash_attribute
from srag_mcp.store.spool import AgentModel, PromptSpool, StoredReplies
from srag_mcp.store.state import State, open_state, pause_s
from srag_mcp.store.takeover import keep_other_kinds, write_decisions
from srag_mcp.text.words import content_words, stems
from srag_mcp.values.states import State as CellState

Returned = TypeVar("Returned")
Outcome: TypeAlias = Translated | QuestionError | ModelError

Said = Mapping[str, Sequence[str | None]]
"""What each document of a sample says, by attribute; None where one says nothing."""
IN_FLIGHT = 200  # so many prompts an agent and its helpers may share
_READY_PROMPTS = 16  # written while others are in flight, so that no place stays empty
_NUMBERS, _NEEDED = "column_numbers", "needed_columns"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEngine(Engine):
    """A language model thinks; what it says is kept, counted, and never asked twice.

    Attributes:
        max_in_flight: Most prompts at a time: the model lets as many through as it may, the others
            are ready.
        asked: The ids of the documents that it was asked about.
    """

    name: ClassVar[EngineName] = BY_MODEL
    asks: ClassVar[bool] = True
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
        """Open the model that the settings name; SettingsError if none is named."""
        settings = work.settings
        with open_state(work.database.state) as state:
            replies = StoredReplies(state)
            model, name, max_in_flight = cls._open_model(settings, state)
            metered = MeteredModel(
                EarlierAnswers(model, name, state),
                replies,
                name,
                budget=Budget(
                    settings.budget_usd,
                    settings.budget_calls,
                    None if settings.budget_usd is None else cls.price(settings),
                ),
                spent=replies.unsettled(),
            )
            yield cls(work=work, model=metered, replies=replies, max_in_flight=max_in_flight)

    @classmethod
    def _open_model(cls, settings: Settings, state: State) -> tuple[LanguageModel, str, int]:
        """Return who is asked, the name in the ledger, and how many prompts at a time."""
        model = open_model(settings)
        return model, str(settings.model), settings.concurrency + _READY_PROMPTS

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
        """Run *thinking* to its end; CancelledError if somebody wants it to stop.

        ModelStoppedError if no further prompt can be answered; so do all steps that ask the model.
        """
        return run_to_end(self._watched, thinking)

    async def _watched(self, thinking: Callable[[], Awaitable[Returned]]) -> Returned:
        results: list[Returned] = []
        errors: Sequence[Exception] = ()

        async def watch() -> None:
            started = anyio.current_time()
            while not self.work.cancelled():
                await anyio.sleep(pause_s(anyio.current_time() - started))
            tasks.cancel_scope.cancel()

        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watch)
                results.append(await thinking())
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            errors = group.exceptions
        if errors:  # raised out here, so that it keeps the cause that it has
            raise errors[0]
        if not results:
            raise CancelledError
        return results[0]

    def predict_schema(self, sample: SchemaSample) -> Schema:
        """Design the columns from a varied part of the sample, try them, and repair them once.

        The reasons for the columns are written beside the schema, with those that were left out.
        What rules learn to read of them is a second opinion.

        Source: S-RAG 3.2.1.
        """
        settings, documents = self.work.settings, sample.read()
        questions = sample.questions[: settings.schema_questions]
        request = SchemaRequest(
            choose_varied(documents, settings.schema_documents),
            partial(show_sought, wishes=questions),
            questions,
            sample.title,
            settings.schema_iterations,
            settings.prompt_tokens,
            settings.columns,
        )
        build = partial(build_pending, documents=documents) if settings.lists else None
        predicted = self.run(lambda: self._predict_schema(request, build))
        write_decisions(self.work.database.state, predicted.decisions)
        keep_other_kinds(self.work.database, predicted.other_kinds)
        return learn_extractors(predicted.schema, documents, sample.questions)

    def complete(self, schema: Schema, questions: Sequence[str]) -> Schema:
        """Add what *questions* need beside the columns of table files; without any, ask nothing."""
        asked, database = questions[: self.work.settings.schema_questions], self.work.database
        database.keep_note(_NUMBERS, "{}")  # the columns of a table that was before
        predicted = PredictedSchema(schema, ())
        if asked:
            predicted = self.run(lambda: predict_additions(self.model, schema, asked))
        added = [item.name for item in predicted.schema.attributes[len(schema.attributes) :]]
        database.keep_note(_NEEDED, json.dumps(added))
        write_decisions(database.state, predicted.decisions)
        keep_other_kinds(database, ())
        return predicted.schema

    async def _predict_schema(
        self, request: SchemaRequest, build: Callable[[Schema], Schema] | None
    ) -> PredictedSchema:
        """Predict, try and repair a schema; *build* makes tables of lists that code reads."""
        n_rounds = len(request.shares())
        n_steps = n_rounds + 2
        self.work.database.keep_note(_NUMBERS, "{}")  # the columns of a table that was before

        predicted = await predict_schema(
            self.model,
            request,
            lambda done, total: self.work.on_progress(
                Progress("schema", done, n_steps, f"round {done} of {total}")
            ),
        )
        self._keep_needed(predicted)
        lists: list[Table] = []
        if build is not None:
            built = await anyio.to_thread.run_sync(build, predicted.schema)
            predicted = replace(predicted, schema=built)
            # those that code reads have sources
            lists = [x for x in find_lists(built, self.work.settings) if not x.sources]
        complaints, said = await self._try_schema(predicted.schema, request, lists)
        self.work.on_progress(Progress("schema", n_steps - 1, n_steps, "trial"))
        unmet = find_unmet(predicted, request.questions)
        last = n_rounds + 1
        if unmet or complaints:
            problems = (*complaints, *unmet)  # a shorter definition would be read anew
            # complaints quote what they are about, and every document was shown before
            repair = Round(last, request.documents[:1] if unmet else (), problems)
            predicted = await refine_schema(self.model, request, predicted, repair)
            self._keep_needed(predicted)
        return choose_columns(predicted, said, request.n_columns, last)

    def _keep_needed(self, predicted: PredictedSchema) -> None:
        """Keep which columns the questions need, for the reading."""
        self.work.database.keep_note(_NEEDED, json.dumps(sorted(find_needed(predicted))))

    def _number(self, attributes: Sequence[Attribute]) -> dict[str, int]:
        """Return the numbers of the columns, which those of the table, *attributes*, keep."""
        database = self.work.database
        known: dict[str, int] = json.loads(database.note(_NUMBERS) or "{}")
        numbers = number_columns(known, attributes)
        if numbers != known:
            database.keep_note(_NUMBERS, json.dumps(numbers))
        return numbers

    async def _try_schema(
        self, schema: Schema, request: SchemaRequest, lists: Sequence[Table]
    ) -> tuple[list[str], Said]:
        """Read the documents of *request* by a predicted schema. Source: DESIGN 7.2."""
        records: list[PredictedRecord] = []
        asked = (*schema.attributes, *map(list_attribute, lists))
        await predict_records(
            RecordTask(
                self.model,
                asked,
                self.name,
                numbers=self._number(asked),
                pilot=self._pilot(schema.attributes, request.n_tokens),
                summarised=self.work.settings.summaries,
                lists={child.entity: child for child in lists},
            ),
            [
                DocumentText(d.id, d.title, d.path, d.text, d.sha256, cut_passages(d))
                for d in request.documents
            ],
            prompt_tokens=request.n_tokens,
            max_in_flight=self.max_in_flight,
            on_done=records.extend,
        )
        Predictions(self.work.database).store(asked, records)
        self.asked.update(record.document_id for record in records)
        cells = {
            name: {
                # that no reply could be had is not the schema's fault
                record.document_id: record.cells[place]
                for record in records
                if not record.error
            }
            for place, name in enumerate(item.name for item in schema.attributes)
        }
        tags = read_tags(cells[item.name] for item in schema.attributes if item.type.is_text)
        complaints = [
            complaint
            for attribute in schema.attributes
            for complaint in find_complaints(attribute, cells[attribute.name], tags)
        ]
        said = {
            attribute.name: [_say(attribute, cell) for cell in cells[attribute.name].values()]
            for attribute in schema.attributes
        }
        return complaints, said

    def define(self, wish: str, schema: Schema, documents: Sequence[Document]) -> Extension:
        """Define the attribute from passages of a few documents that resemble the wish."""
        chosen = choose_alike(wish, documents, WISH_DOCUMENTS)
        texts = [show_sought(document, WISH_TOKENS, [wish]) for document in chosen]
        return self.run(lambda: predict_extension(self.model, schema, wish, texts))

    def read(
        self,
        documents: Iterable[DocumentText],
        attributes: tuple[Attribute, ...],
        keep: Keep,
        step: Step = "records",
        sought: Mapping[str, Sought] | None = None,
    ) -> None:
        """Let the model read *documents* in full batches; *sought*: where it is not all."""
        present = self.work.database.schema_in_force()
        schema = None if present is None else present.schema
        children = () if schema is None else find_lists(schema, self.work.settings)
        columns = attributes if schema is None else schema.attributes
        columns = (*columns, *map(list_attribute, children)) if children else columns
        names = {attribute.name for attribute in attributes}
        lists = {child.entity: child for child in children if child.entity in names}
        # a list goes on through all of a document
        first = None if lists else choose_first_tokens(len(attributes), len(columns))
        parts = (sought or {}).values()
        is_whole = first is None and not any(part.places for part in parts)
        numbers = self._number(columns)
        prompt_tokens = self.work.settings.prompt_tokens
        # what an audit reads speaks for documents that nobody reads
        is_spared = sought is not None or step == "audit"
        pilot = Pilot.spared() if is_spared else self._pilot(attributes, prompt_tokens)
        self.run(
            lambda: predict_records(
                RecordTask(
                    self.model,
                    attributes,
                    self.name,
                    first,
                    step,
                    sought or {},
                    numbers,
                    pilot,
                    summarised=is_whole and self.work.settings.summaries,
                    lists=lists,
                ),
                documents,
                prompt_tokens=prompt_tokens,
                max_in_flight=self.max_in_flight,
                on_done=keep,
            )
        )

    def _pilot(self, attributes: Sequence[Attribute], prompt_tokens: int) -> Pilot:
        """Return what is known by now of reading on for *attributes*; a run that ends keeps it."""
        database, hashes = self.work.database, map(hash_attribute, attributes)
        asked = hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:16]
        key = f"pilot:{asked}:{prompt_tokens}"
        needed = frozenset(json.loads(database.note(_NEEDED) or "[]"))
        return Pilot(database.note(key), partial(database.keep_note, key), needed)

    async def translate(self, question: str, corpus: Corpus) -> Answer:
        """Let the model write the query."""
        return await ask_model(corpus, question, Asking(self.model))

    async def translate_each(self, corpus: Corpus, questions: Sequence[str]) -> dict[str, Outcome]:
        """Translate *questions*, many at a time; return what became of each, in their order.

        Raises:
            ModelStoppedError: If no further prompt can be answered.
        """
        outcomes: dict[str, Outcome] = {}

        async def translate(question: str) -> None:
            try:
                outcomes[question] = await translate_question(
                    self.model, corpus, question, Translating(may_find_nothing=True)
                )
            except QuestionError as error:
                outcomes[question] = error

        different = list(dict.fromkeys(questions))
        await ask_all(different, translate, outcomes.__setitem__)
        return {question: outcomes[question] for question in different}


class AgentEngine(ModelEngine):
    """The calling agent thinks, as a language model without a key."""

    __slots__ = ()
    name: ClassVar[EngineName] = AGENT
    by_caller: ClassVar[bool] = True

    @classmethod
    def price(cls, settings: Settings) -> Price | None:
        """Its prompts are on the bill of the agent."""
        return None

    @property
    def is_begun(self) -> bool:
        """Its prompts wait for somebody as soon as they are written."""
        return True

    @classmethod
    def _open_model(cls, settings: Settings, state: State) -> tuple[LanguageModel, str, int]:
        return AgentModel(PromptSpool(state)), AGENT, IN_FLIGHT


def _say(attribute: Attribute, predicted: PredictedCell) -> str | None:
    """Return what a document says of an attribute, to be compared with what others say."""
    if predicted.cell.state is CellState.STATED_ABSENT:
        return "false" if attribute.type.is_boolean else "none"
    return predicted.value_text


def show_sought(document: Document, n_tokens: int, wishes: Sequence[str]) -> str:
    """Choose what is shown of *document* to define columns by: what resembles *wishes*.

    Parts of all of it, where there are none.
    """
    told = [(wish, " ".join(content_words(wish))) for wish in wishes]
    sought = [
        Attribute(name="wish", type="string", description=wish, synonyms=(words,))
        for wish, words in told
    ]
    passages = cut_passages(document)
    return choose_passages(document.text, sought, n_tokens, passages=passages).shown


def choose_alike(wish: str, sample: Sequence[Document], n: int) -> list[Document]:
    """Take *n* documents: half of them have the rarest words of *wish*, the others are varied."""
    sought = set(stems(" ".join(content_words(wish))))
    said = {item.id: sought.intersection(stems(item.text)) for item in sample}
    n_with = Counter(stem for found in said.values() for stem in found)
    rarity = {key: sum(1 / n_with[stem] for stem in found) for key, found in said.items()}
    alike = sorted((item for item in sample if rarity[item.id]), key=lambda x: -rarity[x.id])
    first = alike[: n // 2]
    others = [item for item in sample if item not in first]
    return [*first, *choose_varied(others, n - len(first))]


def choose_varied(sample: Sequence[Document], n: int) -> list[Document]:
    """Take *n* documents evenly over formats and sizes, the sizes mixed in every part of them."""
    ordered = sorted(sample, key=lambda d: (PurePosixPath(d.path).suffix, len(d.text), d.id))
    return spread_evenly(ordered, n)


_N_NAMES = 2
_NAMES = re.compile(r"\b[a-z]\w*")  # of columns, in a definition
_SILENCE = {"false": "false", "zero": "0"}


def choose_columns(
    predicted: PredictedSchema, said: Said, n_columns: int, number: int
) -> PredictedSchema:
    """Leave out what *predicted* has beyond *n_columns*, as decisions of round *number*.

    What a question needs stays, whatever its number, and so does a text that the definition of a
    number that stays speaks of: `in the currency of hat_currency`. Then come the first two texts
    that name the documents; then, in turns, what most documents state and what tells most pairs of
    them apart, a silence that means no or 0 included. What has one value everywhere comes last,
    behind other texts that are never the same: nobody counts, groups or compares by them. Of equal
    ones the earlier proposed stays. What was not tried, as it was defined after the sample was
    read, is taken to be as the middle one of those that were.
    """
    attributes = predicted.schema.attributes
    needed = find_needed(predicted)
    n_documents = max(map(len, said.values()), default=0)
    tried = {item.name: _weigh(item, said[item.name]) for item in attributes if item.name in said}
    n_stated, n_apart = (
        median_low([getattr(item, name) for item in tried.values()] or [0])
        for name in ("n_stated", "n_apart")
    )
    usual = _Evidence((n_apart > 0, True), False, n_stated, n_apart)
    found = {item.name: tried.get(item.name, usual) for item in attributes}
    names = [item.name for item in attributes if found[item.name].is_naming][:_N_NAMES]
    most_stated = sorted(
        found, key=lambda x: (found[x].is_of_use, found[x].n_stated, found[x].n_apart), reverse=True
    )
    most_apart = sorted(
        found, key=lambda x: (found[x].is_of_use, found[x].n_apart, found[x].n_stated), reverse=True
    )
    turns = list(dict.fromkeys(chain.from_iterable(zip(most_stated, most_apart, strict=True))))
    ranked = sorted(
        attributes,
        key=lambda item: (
            item.name not in needed,
            item.name not in names,
            turns.index(item.name),
        ),
    )
    n_needed = sum(item.name in needed for item in attributes)
    stay = ranked[: max(n_columns, n_needed)]
    told = " ".join(item.description for item in stay if item.type.is_numeric)
    tellers = {item.name for item in attributes if item.type.is_text} & {*_NAMES.findall(told)}
    left = {item.name for item in ranked[len(stay) :]} - tellers
    kept = tuple(item for item in attributes if item.name not in left)
    decisions = [
        Decision(
            number,
            "leave_out",
            item.name,
            f"stated in {found[item.name].n_stated} of {n_documents} documents that were tried;"
            f" SRAG_COLUMNS={n_columns}",
            item,
        )
        for item in attributes
        if item.name in left
    ]
    return replace(
        predicted,
        schema=predicted.schema.model_copy(update={"attributes": kept}),
        decisions=(*predicted.decisions, *decisions),
    )


class _Evidence(NamedTuple):
    """What a sample shows of a column: *n_apart* pairs of the documents differ in it.

    *is_of_use*: its values differ, and can be counted, grouped or compared. *is_naming*: it is a
    text, and most documents state one that no other has.
    """

    is_of_use: tuple[bool, bool]
    is_naming: bool
    n_stated: int
    n_apart: int


def _weigh(attribute: Attribute, values: Sequence[str | None]) -> _Evidence:
    stated = [value for value in values if value is not None]
    silence = _SILENCE.get(attribute.absent_means)
    known = Counter(silence if value is None else value for value in values)
    del known[None]
    n_known = known.total()
    n_pairs = (n_known**2 - sum(n**2 for n in known.values())) // 2
    is_own = attribute.type.is_text and len(set(stated)) == len(stated)
    is_naming = is_own and 2 * len(stated) > len(values) > 1
    return _Evidence((n_pairs > 0, not is_own), is_naming, len(stated), n_pairs)
