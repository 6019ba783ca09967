"""Systems that read the best parts of documents: chunks, passages, whole tables.

A table is found by views: its rows and columns in words, each value below its headers on both
sides.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, islice, pairwise
from operator import mul
from typing import TypeAlias

from srag_mcp.documents.document import Table, TableCell
from srag_mcp.documents.lines import is_data, narrow_gaps
from srag_mcp.documents.reading import read_content
from srag_mcp.documents.totals import LabelledRow, groups_of
from srag_mcp.errors import DocumentError, QueryError, QuestionError, SettingsError
from srag_mcp.evaluation.bench import CountingModel, Tokens, read_rows
from srag_mcp.evaluation.pack import PackQuestion
from srag_mcp.evaluation.retrieval import DEPTH, Bm25, read_passages
from srag_mcp.evaluation.systems import (
    ClosedBook,
    FullCorpus,
    GivenDocuments,
    HybridSystem,
    Piece,
    ReadingSystem,
    System,
    TranslatingSystem,
    read_texts,
)
from srag_mcp.inference.by_model import translate_question
from srag_mcp.inference.by_reading import rank_snippets
from srag_mcp.model.embedder import Embedder
from srag_mcp.model.language_model import characters_a_token, most_characters
from srag_mcp.retrieval.search import search
from srag_mcp.store.database import quote_name
from srag_mcp.text.shown import one_line, shorten
from srag_mcp.text.spans import Span

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
