"""What an engine can be asked: columns for a sample, cells for documents, answers to questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:  # who reads documents in a process of its own needs none of these
    from contextlib import AbstractContextManager
    from typing import Self

    from srag_mcp.cells.cell import DocumentText, PredictedRecord
    from srag_mcp.documents.document import Document
    from srag_mcp.documents.table_files import ColumnSample, ListedMembers
    from srag_mcp.inference.answer import Answer
    from srag_mcp.model.language_model import Price
    from srag_mcp.model.ledger import Totals
    from srag_mcp.schema.attribute import Attribute
    from srag_mcp.schema.rounds import Extension
    from srag_mcp.schema.schema import Schema
    from srag_mcp.settings import EngineName, Settings
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.work import WorkDatabase


Keep: TypeAlias = "Callable[[Sequence[PredictedRecord]], None]"
TableColumns: TypeAlias = "tuple[Sequence[ColumnSample], Sequence[ListedMembers]]"
Stage: TypeAlias = Literal[
    "finding",
    "schema",
    "extracting",
    "predicting",
    "standardising",
    "uniting",
    "normalising",
    "publishing",
    "done",
]


class CancelledError(Exception):
    """Somebody wants the ingestion to stop; what is finished is kept."""


class Workload(NamedTuple):
    """Prompts of a model, *done* of which were answered, and the tokens of the others."""

    prompts: int = 0
    tokens: int = 0
    done: int = 0


NO_PROMPTS = Workload()


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an ingestion stands: *done* of *total* (0: not known); *expected* where known anew."""

    stage: Stage
    done: int = 0
    total: int = 0
    current: str = ""
    expected: Workload | None = None


@dataclass(frozen=True, slots=True)
class SchemaSample:
    """What columns are found from: a sample that *read* reads on need, and *questions*.

    *title*: the name of the corpus, for people. *entity*: the name of the record table, unless the
    engine knows a better one.
    """

    read: Callable[[], Sequence[Document]]
    questions: tuple[str, ...]
    title: str
    entity: str


@dataclass(frozen=True, slots=True)
class Work:
    """What an engine is opened for; *on_progress* is called after each step.

    *further*: what is asked when all is read: the sample questions.
    """

    database: WorkDatabase
    settings: Settings
    on_progress: Callable[[Progress], None] = lambda progress: None
    cancelled: Callable[[], bool] = lambda: False
    further: Workload = NO_PROMPTS


class Engine(ABC):
    """Who does the thinking of an ingestion.

    Rules read every document where it is opened, whoever thinks: without a model theirs are the
    cells, beside one they are a second opinion. `read` is asked for what they leave over. *asks*: a
    language model, *by_caller*: whose prompts wait for the caller to answer them.
    """

    name: ClassVar[EngineName]
    asks: ClassVar[bool]
    by_caller: ClassVar[bool] = False

    @classmethod
    def price(cls, settings: Settings) -> Price | None:
        """Return what its prompts cost; None where that is not known, or nobody here pays.

        Raises:
            SettingsError: If a model is needed and none is named.
        """
        return None

    @property
    def is_begun(self) -> bool:
        """Whether anything was asked or is waiting, so that an ingestion that fails goes on."""
        return False

    def taken(self) -> Totals | None:
        """Return what it took, in interrupted runs before, too; None where nothing is asked."""
        return None

    def forget_useless(self) -> None:
        """Forget replies that were of no use, so that they are asked for again."""
        return

    def settle(self) -> None:
        """Take note that the ingestion is at its end, and what it took is told."""
        return

    @classmethod
    @abstractmethod
    def open(cls, work: Work) -> AbstractContextManager[Self]:
        """Return the engine, ready to think; SettingsError if no model is named for it."""

    # Where a model is asked, all of these raise ModelError, and CancelledError when somebody wants
    # the ingestion to stop; what is finished is kept.

    @abstractmethod
    def predict_schema(self, sample: SchemaSample) -> Schema:
        """Find the columns of a corpus; CorpusError or SchemaError where there is none."""

    def complete(self, schema: Schema, questions: Sequence[str]) -> Schema:
        """Add to the columns of table files what *questions* need and none of them states."""
        return schema

    @abstractmethod
    def define(self, wish: str, schema: Schema, documents: Sequence[Document]) -> Extension:
        """Define the attribute that *wish* describes, or find it; SchemaError if that cannot be."""

    @abstractmethod
    def read(
        self, documents: Iterable[DocumentText], attributes: tuple[Attribute, ...], keep: Keep
    ) -> None:
        """Read what rules leave over, in any order, and hand finished records to *keep*."""

    @abstractmethod
    async def translate(self, question: str, corpus: Corpus) -> Answer:
        """Answer *question* by a query; an answer with a brief is a refusal, and says why.

        Raises:
            QuestionError: If the question is longer than any question is.
        """
