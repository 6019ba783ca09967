"""Systems: ours and the baselines, each answering the questions of a pack through one interface.

- `srag`: SQL over the records (S-RAG 3.3); `hybrid`: ours, which is what `ask` does;
- `closed-book`: the question alone;
- `given-documents`: the documents that hold the answer, where the pack says which: no baseline, but
  the most that finding them better could bring;
- `full-corpus`: the documents, each cut at 20,000 tokens, as many as fit (S-RAG, FullCorpus);
- `vector-rag`: the 40 chunks of 500 tokens whose vectors are most like the question's (S-RAG,
  appendix A); `fused-rag`: the same, by vectors and the product's own ranking; `bm25-rag`: by BM25;
- `mixrag`: whole tables and texts by BM25, rows and columns of tables in words (H-RCL) and texts by
  vectors, reranked by the model (MixRAG);
- `paper-hybrid`: the records that the query of a question reads, then the chunks of their documents
  as in `vector-rag` (S-RAG 3.3); all documents where the question cannot be translated.

All but the first two differ in what is read alone: one prompt answers from it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from srag_mcp.cells.cell import BY_MODEL
from srag_mcp.documents.lines import narrow_gaps
from srag_mcp.errors import (
    ModelError,
    ModelStoppedError,
)
from srag_mcp.evaluation.bench import (
    CountingModel,
    QuestionResult,
    Tokens,
    ask_question,
    compare_reading,
    match_names,
)
from srag_mcp.evaluation.pack import PackQuestion, Scale
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import Asking
from srag_mcp.inference.brief import Brief
from srag_mcp.model.language_model import (
    CONTEXT_TOKENS,
    LanguageModel,
    Prompt,
    Reply,
    count_tokens,
    most_characters,
)
from srag_mcp.model.reply_content import ReplyContent, ask_for
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.schema.attribute import Scalar
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value
from srag_mcp.store.predictions import read_chosen
from srag_mcp.text.spans import Span

_DOCUMENT_TOKENS = 20_000  # S-RAG, FullCorpus
_REPLY_TOKENS = 4000  # as the longest reply is reckoned that a budget holds money for
_NO_CONTEXT = "(none)"


class ReadAnswer(ReplyContent):
    """The answer to the question of that number."""

    number: int
    text: str
    answer: Scalar | list[Scalar] | list[list[Scalar]] | None
    scale: Scale
    says_nothing: bool

    @property
    def rows(self) -> tuple[tuple[Value, ...], ...]:
        """The answer as rows of a result."""
        items = self.answer if isinstance(self.answer, list) else [self.answer]
        return tuple(tuple(item) if isinstance(item, list) else (item,) for item in items)


class ReadReply(ReplyContent):
    """The answers to all questions of a prompt."""

    answers: list[ReadAnswer] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Piece:
    """What is put before a question: a part of a document, called *name* there."""

    document: str
    name: str
    text: str
    span: Span = field(default=Span(0, 0), compare=False)


class RecordedFirst(LanguageModel):
    """Answers from a recording, and asks where it has no reply."""

    def __init__(self, recorded: LanguageModel, model: LanguageModel) -> None:
        self._recorded, self._model = recorded, model

    async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
        """Answer *prompt*."""
        try:
            return await self._recorded.complete(prompt, reply_schema)
        except ModelStoppedError:
            return await self._model.complete(prompt, reply_schema)

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Let the model forget a reply; a recording does not."""
        self._model.forget(prompt, reply_schema)


@dataclass(eq=False)
class System(ABC):
    """Answers questions.

    Attributes:
        context_tokens: The most that `full-corpus` may put into a prompt.
        notes: What should be known of all its answers.
        tokens: What was taken once for all of them.
        needs_records, needs_vectors: Whether it works with the table, and with an embedder.
        may_share: Whether questions may share what it reads.
    """

    corpus: Corpus
    folder: Path
    model: LanguageModel
    embedding: LanguageModel | None = None
    context_tokens: int = CONTEXT_TOKENS
    notes: tuple[str, ...] = ()
    tokens: Tokens = field(default_factory=dict)

    needs_records: ClassVar[bool] = False
    needs_vectors: ClassVar[bool] = False
    may_share: ClassVar[bool] = False

    async def prepare(self) -> None:
        """Do what is done once for all questions."""
        return

    @abstractmethod
    async def answer(self, questions: Sequence[PackQuestion]) -> Sequence[QuestionResult]:
        """Answer *questions*, which may share a prompt."""


class TranslatingSystem(System):
    """Asks as the product does, but reads nothing in the documents.

    Attributes:
        reads: Whether what no column holds is read there.
    """

    needs_records = True
    reads: ClassVar[bool] = False

    async def answer(self, questions: Sequence[PackQuestion]) -> list[QuestionResult]:
        """Translate each into a query."""
        results = []
        for question in questions:
            asking = Asking(self.model, reads=self.reads)
            found = await ask_question(self.corpus, question, asking)
            reading = found.answer.reading if found.answer else None
            sources = found.answer.sources if found.answer else ()
            named = reading.quotes if reading else sources
            read = tuple(dict.fromkeys(item.document_id for item in named))
            results.append(replace(found, context=read))
        return results


class HybridSystem(TranslatingSystem):
    """Asks as the product does."""

    reads = True


class ReadingSystem(System):
    """Finds what to read, and answers from it."""

    @abstractmethod
    async def find(self, question: PackQuestion, model: CountingModel) -> Sequence[Piece]:
        """Return what is read for *question*.

        Raises:
            ModelError: If it takes a model that does not reply.
        """

    async def answer(self, questions: Sequence[PackQuestion]) -> list[QuestionResult]:
        """Read for the first of *questions*, and answer all of them from it."""
        model = CountingModel(self.model)
        pieces: Sequence[Piece] = ()
        try:
            pieces = await self.find(questions[0], model)
            replies = await self._read(model, questions, pieces)
        except ModelError as error:
            unasked = Answer("", f"Not answered: {error}")
            replies = dict.fromkeys(range(1, len(questions) + 1), unasked)
        context = tuple(piece.name for piece in pieces)
        return [
            _compare(question, replies.get(number), context, _share(model, questions, number))
            for number, question in enumerate(questions, 1)
        ]

    async def _read(
        self, model: LanguageModel, questions: Sequence[PackQuestion], pieces: Sequence[Piece]
    ) -> Mapping[int, "ReadAnswer | Answer"]:
        prompt = render_prompt(
            "read_context",
            "read",
            ", ".join(question.id for question in questions),
            context=enclose(write_pieces(pieces)),
            questions=enclose(number_questions(questions)),
        )
        numbers = range(1, len(questions) + 1)

        def check(reply: ReadReply) -> list[str]:
            told = {item.number for item in reply.answers}
            return [
                *(f"question {number} has no answer" for number in numbers if number not in told),
                *(
                    f"question {item.number}: answer is null, and says_nothing is false"
                    for item in reply.answers
                    if item.answer is None and not item.says_nothing
                ),
            ]

        asked = await ask_for(model, prompt, ReadReply, check)
        return {item.number: item for item in reversed(asked.content.answers)}


def number_questions(questions: Sequence[PackQuestion]) -> str:
    """Write *questions* below one another, each with its number."""
    return "\n".join(f"{number}. {item.question}" for number, item in enumerate(questions, 1))


def write_pieces(pieces: Sequence[Piece]) -> str:
    """Write what is read, each piece below its name."""
    return "\n\n".join(f"## {piece.name}\n{piece.text}" for piece in pieces) or _NO_CONTEXT


def _share(model: CountingModel, questions: Sequence[PackQuestion], number: int) -> Tokens:
    """Return what the question *number* would have taken alone: all of what was read for all."""
    shared = model.tokens.get("read")
    if shared is None or len(questions) == 1:
        return model.tokens
    others = [item for at, item in enumerate(questions, 1) if at != number]
    alone = max(0, shared[0] - count_tokens(number_questions(others)))
    return {**model.tokens, "read": (alone, round(shared[1] / len(questions)))}


def _compare(
    question: PackQuestion,
    reply: ReadAnswer | Answer | None,
    context: tuple[str, ...],
    tokens: Tokens,
) -> QuestionResult:
    if not isinstance(reply, ReadAnswer):
        return QuestionResult(question, "failed", reply, context=context, tokens=tokens)
    says_nothing = reply.says_nothing or reply.answer is None
    brief = Brief(reply.text, (), "", (), ()) if says_nothing else None
    rows = () if says_nothing else reply.rows
    answer = Answer(question.question, reply.text, rows=rows, engine=BY_MODEL, brief=brief)
    return replace(compare_reading(question, answer, tokens, reply.scale), context=context)


class ClosedBook(ReadingSystem):
    """Reads nothing."""

    async def find(self, question: PackQuestion, model: CountingModel) -> Sequence[Piece]:
        """Return nothing."""
        return ()


class GivenDocuments(ReadingSystem):
    """Reads the documents that hold the answer."""

    async def find(self, question: PackQuestion, model: CountingModel) -> Sequence[Piece]:
        """Return them, each cut as in `full-corpus`."""
        corpus = self.corpus
        named = match_names(read_chosen(corpus, ""), question.documents)
        return [cut_document(document, text) for document, text in read_texts(corpus, named)]


class FullCorpus(ReadingSystem):
    """Reads the documents, as many as fit."""

    may_share = True

    @cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        left = self.context_tokens - _REPLY_TOKENS
        pieces, n_documents, n_cut = [], 0, 0
        for document, text in read_texts(self.corpus):
            n_documents += 1
            piece = cut_document(document, text)
            cost = count_tokens(write_pieces([piece]))
            if cost <= left:
                left -= cost
                n_cut += len(piece.text) < len(narrow_gaps(text))
                pieces.append(piece)
        told = f"{n_documents - len(pieces)} of {n_documents} documents do not fit into"
        if len(pieces) < n_documents:
            self.notes += (f"{told} {self.context_tokens:,} tokens",)
        if n_cut:
            self.notes += (f"{n_cut} documents are cut at {_DOCUMENT_TOKENS:,} tokens",)
        return tuple(pieces)

    async def find(self, question: PackQuestion, model: CountingModel) -> Sequence[Piece]:
        """Return the same for each question."""
        return self._pieces


def read_texts(corpus: Corpus, among: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each document; None: of all that could be read."""
    for document in read_chosen(corpus, "") if among is None else among:
        yield document, corpus.document_text(document)


def cut_document(document: str, text: str) -> Piece:
    """Return a document as a piece, cut at 20,000 tokens."""
    shown = narrow_gaps(text)
    return Piece(document, document, shown[: most_characters(shown, _DOCUMENT_TOKENS)])
