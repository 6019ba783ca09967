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

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice, pairwise
from operator import mul
from pathlib import Path
from typing import ClassVar, TypeAlias

from pydantic import Field

from srag_mcp.cells.cell import BY_MODEL
from srag_mcp.documents.document import Table, TableCell
from srag_mcp.documents.lines import is_data, narrow_gaps
from srag_mcp.documents.reading import read_content
from srag_mcp.documents.totals import LabelledRow, groups_of
from srag_mcp.errors import (
    DocumentError,
    ModelError,
    ModelStoppedError,
    QueryError,
    QuestionError,
    SettingsError,
)
from srag_mcp.evaluation.bench import (
    CountingModel,
    QuestionResult,
    Tokens,
    ask_question,
    compare_reading,
    match_names,
    read_rows,
)
from srag_mcp.evaluation.pack import PackQuestion, Scale
from srag_mcp.evaluation.retrieval import DEPTH, Bm25, read_passages
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import Asking
from srag_mcp.inference.brief import Brief
from srag_mcp.inference.by_model import translate_question
from srag_mcp.inference.by_reading import rank_snippets
from srag_mcp.model.embedder import Embedder
from srag_mcp.model.language_model import (
    CONTEXT_TOKENS,
    LanguageModel,
    Prompt,
    Reply,
    characters_a_token,
    count_tokens,
    enclose,
    most_characters,
    render_prompt,
)
from srag_mcp.model.reply_content import ReplyContent, ask_for
from srag_mcp.retrieval.search import search
from srag_mcp.schema.attribute import Scalar
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name
from srag_mcp.store.guard import Value
from srag_mcp.store.predictions import read_chosen
from srag_mcp.text.shown import one_line, shorten
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


_CHUNK_TOKENS, _N_CHUNKS = 500, 40  # S-RAG, appendix A
_N_BY_WORDS, _N_BY_VECTORS = 40, 60  # MixRAG's ensemble
_OWN, _ALIKE = 0.6, 0.4  # the Enterprise RAG paper's weights
_SNIPPET_TOKENS = 80  # the beginning of a passage, with its headings and first rows
_N_READ = 10  # as many as a page of the product's own search has
_DIGITS = 6  # of likeness: rounded, so that the order is the same on another machine
_WORD = re.compile(r"\S{1,200}\s*")  # a script without spaces has no shorter ones

_Row: TypeAlias = Sequence[TableCell]
_Path: TypeAlias = tuple[str, ...]


def table_views(table: Table, text: str) -> Iterator[tuple[str, Span]]:
    """Yield each row that has values, then each column, in words, with its place in the document.

    That of a column is the whole table; *text* is the document's.
    `Sales | Europe > Spain | 2022 > Q1: 10; 2022 > Q2: 12`

    Source: MixRAG, H-RCL.
    """
    n_labels, paths = count_label_columns(table), left_paths(table, text)
    rows = [(row, path) for row, path in zip(table.rows, paths, strict=True) if path is not None]
    for row, path in rows:
        said = _say_values(zip(table.headers[n_labels:], row[n_labels:], strict=True))
        span = Span(row[0].span.start, max(cell.span.end for cell in row))
        if said:
            yield _in_words(table.caption, " > ".join(path), said), span
    for column in range(n_labels, len(table.headers)):
        said = _say_values((path, row[column]) for row, path in rows)
        header = " > ".join(table.headers[column])
        if said:
            yield _in_words(table.caption, header, said), table.span


def _say_values(values: Iterable[tuple[_Path, TableCell]]) -> str:
    said = ((" > ".join(path), cell.text) for path, cell in values if cell.text)
    return "; ".join(": ".join(filter(None, pair)) for pair in said)


def _in_words(*parts: str) -> str:
    return " | ".join(filter(None, parts))


def count_label_columns(table: Table) -> int:
    """Count the columns at the left that name the rows.

    Another one does if the one before it has gaps or repeats, as groups have, and itself no data.
    """
    labels = _labels(table)
    rows = [row for row, label in zip(table.rows, labels, strict=True) if label is None]
    n = 1
    while n < len(table.headers) - 1:
        names = [row[n - 1].text for row in rows]
        is_grouped = any(not below or above == below for above, below in pairwise(names))
        if not is_grouped or any(is_data(row[n].text) for row in rows):
            break
        n += 1
    return n


def left_paths(table: Table, text: str) -> tuple[_Path | None, ...]:
    """Return the headers left of each row, outermost first; None for a row that is only a label."""
    n_labels, labels = count_label_columns(table), _labels(table)
    rows = [
        LabelledRow(
            label or " ".join(cell.text for cell in row[:n_labels] if cell.text),
            is_group=label is not None,
            indent=_indent(row, text),
        )
        for row, label in zip(table.rows, labels, strict=True)
    ]
    paths: list[_Path | None] = []
    names = [""] * n_labels
    for row, said, above in zip(table.rows, rows, groups_of(rows), strict=True):
        if said.is_group:
            names = [""] * n_labels
            paths.append(None)
            continue
        own = [cell.text for cell in row[:n_labels]]
        first = next((column for column, name in enumerate(own[:-1]) if name), n_labels - 1)
        names = [*names[:first], *own[first:]]  # an empty one belongs to the one above it
        paths.append((*above, *dict.fromkeys(filter(None, names))))
    return tuple(paths)


def _labels(table: Table) -> list[str | None]:
    """Return what the rows say that are only a label; None for the others."""
    found: list[tuple[str, bool] | None] = []
    for row in table.rows:
        first, others = row[0].text, {cell.text for cell in row[1:]}
        is_alone = bool(first) and not is_data(first) and others in ({""}, {first})
        found.append((first, others == {first} or first.endswith(":")) if is_alone else None)
    are_marked = any(label is not None and label[1] for label in found)
    return [
        label[0].rstrip(": ") if label is not None and label[1] >= are_marked else None
        for label in found
    ]


def _indent(row: _Row, text: str) -> int:
    start = row[0].span.start
    return start - text.rfind("\n", 0, start) - 1


class ChunkSystem(ReadingSystem):
    """Reads the best of all chunks; what follows says which are the best."""

    @cached_property
    def chunks(self) -> tuple[Piece, ...]:
        """All documents, cut where 500 tokens are full."""
        return tuple(
            Piece(document, f"{document}, part {number}", narrow_gaps(span.of(text)), span)
            for document, text in read_texts(self.corpus)
            for number, span in enumerate(cut_chunks(text), 1)
        )

    @cached_property
    def by_words(self) -> Bm25:
        """What ranks them by the words of a question."""
        return Bm25(chunk.text for chunk in self.chunks)


class BM25RAG(ChunkSystem):
    """Ranks chunks by BM25."""

    async def find(self, question: PackQuestion, model: CountingModel) -> Sequence[Piece]:
        """Return the chunks that share the rarest words with the question."""
        return [self.chunks[at] for at in self.by_words.rank(question.question)[:_N_CHUNKS]]


class VectorRAG(ChunkSystem):
    """Ranks chunks by the likeness of vectors."""

    needs_vectors = True
    vectors: Sequence[Sequence[float]] = ()

    async def prepare(self) -> None:
        """Embed all chunks."""
        texts = [chunk.text for chunk in self.chunks]
        self.vectors = await self._embedder(self.tokens).embed(texts, "the documents")

    async def find(self, question: PackQuestion, model: CountingModel) -> Sequence[Piece]:
        """Return the chunks that are most like the question."""
        among = await self.narrow(question, model)
        best = (self.chunks[at] for at in _best(await self.likeness(question, model)))
        return list(islice((x for x in best if not among or x.document in among), _N_CHUNKS))

    async def narrow(self, question: PackQuestion, model: CountingModel) -> frozenset[str]:
        """Return the ids of the only documents to look at; none where they are all."""
        return frozenset()

    async def likeness(self, question: PackQuestion, model: CountingModel) -> list[float]:
        """Return how much each vector is like that of the question."""
        embedder = self._embedder(model.tokens)
        [asked] = await embedder.embed([question.question], question.id)
        return [round(sum(map(mul, asked, vector)), _DIGITS) for vector in self.vectors]

    def _embedder(self, tokens: Tokens) -> Embedder:
        if self.embedding is None:
            msg = "this system needs an embedder"
            raise SettingsError(msg)
        return Embedder(CountingModel(self.embedding, tokens))


class FusedRAG(VectorRAG):
    """Ranks chunks by vectors and by the product's own search."""

    async def likeness(self, question: PackQuestion, model: CountingModel) -> list[float]:
        """Return both, weighted, each from 0 to 1; a chunk is as good as its best passage."""
        alike = await super().likeness(question, model)
        own = [0.0] * len(self.chunks)
        found = search(self.corpus, question.question, limit=DEPTH).hits
        places: dict[str, list[int]] = {}
        for at, chunk in enumerate(self.chunks):
            places.setdefault(chunk.document, []).append(at)
        for hit in found:
            for at in places.get(hit.document_id, ()):
                if self.chunks[at].span.overlaps(hit.span):
                    own[at] = max(own[at], hit.score)
        pairs = zip(_scaled(own), _scaled(alike), strict=True)
        return [round(_OWN * one + _ALIKE * other, _DIGITS) for one, other in pairs]


class PaperHybrid(VectorRAG):
    """Ranks the chunks of those documents alone whose records the query of the question reads."""

    needs_records = True

    async def narrow(self, question: PackQuestion, model: CountingModel) -> frozenset[str]:
        """Return the ids of these documents; none where no query narrows them."""
        corpus, schema = self.corpus, self.corpus.schema()
        if not schema.attributes:
            return frozenset()
        try:
            found = await translate_question(model, corpus, question.question)
            condition = found.translation.facts.condition
            table = quote_name(schema.entity)
            sql = f"SELECT document_id FROM {table} WHERE {condition or 'FALSE'}"  # noqa: S608 - guarded
            return frozenset(str(row["document_id"]) for row in read_rows(corpus, sql))
        except (QuestionError, QueryError):
            return frozenset()


class MixRAG(VectorRAG):
    """Ranks passages and whole tables by an ensemble, and lets the model choose among the best."""

    @cached_property
    def chunks(self) -> tuple[Piece, ...]:
        """The passages of the product: texts of 200 tokens, tables whole."""
        return tuple(
            Piece(hit.document, f"{hit.document}, passage {hit.passage}", narrow_gaps(said), span)
            for hit, span, said in read_passages(self.corpus)
        )

    async def prepare(self) -> None:
        """Embed the rows and columns of the tables, and the texts; a table itself has no vector."""
        views = list(self.views())
        seen = {at for at, _ in views}
        views += [(at, chunk.text) for at, chunk in enumerate(self.chunks) if at not in seen]
        self._of_view = [at for at, _ in views]
        self.vectors = await self._embedder(self.tokens).embed(
            [text for _, text in views], "the documents"
        )

    def views(self) -> Iterator[tuple[int, str]]:
        """Yield rows and columns of tables in words, each with the place of its passage."""
        for document, run in groupby(enumerate(self.chunks), lambda item: item[1].document):
            passages, path = list(run), self.folder / document
            if not path.is_file():  # a row of a table file
                continue
            try:
                content = read_content(path.read_bytes(), document)
            except DocumentError:
                continue
            for block in content.blocks:
                views = table_views(block, content.text) if isinstance(block, Table) else ()
                for said, span in views:
                    at = next((at for at, one in passages if one.span.overlaps(span)), None)
                    if at is not None:
                        yield at, said

    async def rank_by_vectors(self, question: PackQuestion, model: CountingModel) -> list[int]:
        """Return the places of the chunks, first the one with the view most like the question."""
        alike = _best(await self.likeness(question, model))
        return list(dict.fromkeys(self._of_view[at] for at in alike))

    async def find(self, question: PackQuestion, model: CountingModel) -> Sequence[Piece]:
        """Return what the model chooses among 40 by words and 60 by likeness."""
        by_words = self.by_words.rank(question.question)[:_N_BY_WORDS]
        by_vectors = (await self.rank_by_vectors(question, model))[:_N_BY_VECTORS]
        candidates = [self.chunks[at] for at in dict.fromkeys((*by_words, *by_vectors))]
        shown = [
            f"{number} | {piece.name} | {shorten(said, most_characters(said, _SNIPPET_TOKENS))}"
            for number, piece in enumerate(candidates, 1)
            for said in (one_line(piece.text),)
        ]
        best = await rank_snippets(
            model, question.question, shown, n_snippets=len(shown), subject=question.id
        )
        return [candidates[at] for at in best[:_N_READ]]


SYSTEMS: Mapping[str, type[System]] = {
    "srag": TranslatingSystem,
    "hybrid": HybridSystem,
    "closed-book": ClosedBook,
    "given-documents": GivenDocuments,
    "full-corpus": FullCorpus,
    "vector-rag": VectorRAG,
    "fused-rag": FusedRAG,
    "bm25-rag": BM25RAG,
    "mixrag": MixRAG,
    "paper-hybrid": PaperHybrid,
}


def find_system(name: str) -> type[System]:
    """Return the system called *name*.

    Raises:
        SettingsError: If there is none.
    """
    if name not in SYSTEMS:
        msg = f"there is no system {name!r}; there are {', '.join(SYSTEMS)}"
        raise SettingsError(msg)
    return SYSTEMS[name]


def cut_chunks(text: str) -> Iterator[Span]:
    """Cut *text* between words where 500 tokens are full; runs of blanks count once."""
    limit = _CHUNK_TOKENS * characters_a_token(text)
    start, end, length = 0, 0, 0
    for word in _WORD.finditer(text):
        size = len(word.group().rstrip()) + 1
        if length and length + size > limit:
            yield Span(start, end)
            start, length = word.start(), 0
        length += size
        end = word.start() + size - 1
    if length:
        yield Span(start, end)


def _best(scores: Sequence[float]) -> list[int]:
    """Return the places of *scores*, the highest first, equal ones in their order."""
    return sorted(range(len(scores)), key=lambda at: -scores[at])


def _scaled(scores: Sequence[float]) -> list[float]:
    """Return *scores* from 0 to 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / ((high - low) or 1.0) for score in scores]
