"""The engine without a model: rules find the columns and read them, the grammar asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from srag_mcp.cells.cell import BY_RULES, DocumentText, Record
from srag_mcp.cells.normalised import normalise_column
from srag_mcp.documents.document import Document
from srag_mcp.engines.protocol import Engine, SchemaSample, Work
from srag_mcp.errors import SchemaError
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import induce_columns, induce_schema, learn_extractors
from srag_mcp.rules.table_columns import are_rows, read_row
from srag_mcp.schema.attribute import Attribute, unique_name
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import EngineName
from srag_mcp.values.states import State

if TYPE_CHECKING:
    from typing import Self

    from srag_mcp.engines.protocol import Keep
    from srag_mcp.inference.answer import Answer
    from srag_mcp.schema.rounds import Extension
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.work import QuotedText

_KINDS = ("number", "date", "string", "boolean")  # the first that what is read is mostly of
FORM_SAMPLE = 300  # documents from which the lines are learnt that most of them share


@dataclass(frozen=True, slots=True)
class Account:
    """How many of the words of some documents the columns account for."""

    n_documents: int
    n_words: int
    n_in_columns: int

    @property
    def is_prose(self) -> bool:
        """Whether the columns leave more of the words over than they hold.

        Half is no fitted threshold: below it, the documents say more than the table does, and the
        table is a selection that nobody made (DESIGN 6: nobody is handed a table of guesses).
        """
        return 2 * self.n_in_columns < self.n_words

    def __str__(self) -> str:
        percent = round(100 * self.n_in_columns / max(1, self.n_words))
        said = f"of {self.n_words:,} words in {self.n_documents:,} documents the columns account"
        return f"{said} for {percent} %"


class OfflineEngine(Engine):
    """Code thinks alone: nothing is asked, and nothing is left over for a second reading."""

    name: ClassVar[EngineName] = BY_RULES
    asks: ClassVar[bool] = False
    by_caller: ClassVar[bool] = False

    @classmethod
    @contextmanager
    def open(cls, work: Work) -> Iterator[Self]:
        """Return the engine; it needs nothing of *work*."""
        yield cls()

    def predict_schema(self, sample: SchemaSample) -> Schema:
        """Find the columns: those of the tables, or what most documents state."""
        columns, lists = sample.columns()
        if columns:
            names = {"title": sample.title, "entity": sample.entity, "file": sample.file}
            return induce_columns(columns, lists, **names)
        return induce_schema(
            sample.read(), title=sample.title, entity=sample.entity, questions=sample.questions
        )

    def define(self, wish: str, schema: Schema, documents: Sequence[Document]) -> Extension:
        """Call an attribute as the wish does; its type is that of what the documents say.

        Raises:
            SchemaError: If no rule reads it.
        """
        from srag_mcp.schema.rounds import Extension  # with the model's, for the answer

        name = unique_name(wish, {attribute.name for attribute in schema.attributes}, "attribute")
        for kind in _KINDS:
            attribute = Attribute.model_validate(
                {"name": name, "type": kind, "description": wish, "synonyms": (wish.lower(),)}
            )
            probe = schema.model_copy(update={"attributes": (attribute,)})
            learnt = learn_extractors(probe, documents, (wish,))
            if not learnt.attributes[0].extractors:
                continue
            cells = [record.cells[0] for _, record in read_documents(documents, learnt)]
            found = [cell for cell in cells if cell.state is State.STATED]
            normal = normalise_column(learnt.attributes[0], found)
            # what the rules find is mostly of the type
            if 2 * sum(item.state is State.STATED for item in normal) > len(found):
                return Extension(learnt.attributes[0], added=True)
        msg = (
            f"no rule to read “{wish}” could be learnt from the documents; name it in their words,"
            " or use a language model (--engine model or agent)"
        )
        raise SchemaError(msg)

    def read(
        self, documents: Iterable[DocumentText], attributes: tuple[Attribute, ...], keep: Keep
    ) -> None:
        """Leave *documents* as they are: rules read them where they were opened."""

    async def translate(self, question: str, corpus: Corpus) -> Answer:
        """Let the grammar write the query."""
        from srag_mcp.inference.ask import OFFLINE, ask_model  # not needed to read documents

        return await ask_model(corpus, question, OFFLINE)


def read_documents(
    documents: Iterable[Document], schema: Schema
) -> Iterator[tuple[Document, Record]]:
    """Read documents by the rules of *schema*; values are left to the whole column."""
    for document in documents:
        read = read_row if are_rows([document]) else extract_record
        yield document, read(document, schema)


def account_for(
    sample: Iterable[QuotedText], documents: Iterable[QuotedText], n_rows: int, n_row_words: int
) -> Account:
    """Count the words that the columns account for: quotes, and the form that they are written in.

    The form is each line that more than half of the *sample* share once the quotes are cut out: a
    label, a header, a notice. Rows of table files stand in columns as they are.
    """
    shared: Counter[str] = Counter()
    n_sampled = 0
    for item in sample:
        n_sampled += 1
        shared.update(set(_lines_around(item)))
    form = {line for line, n in shared.items() if n > 1 and 2 * n > n_sampled}
    n_documents, n_words, n_left = n_rows, n_row_words, 0
    for item in documents:
        n_documents += 1
        n_words += len(item.text.split())
        n_left += len(" ".join(line for line in _lines_around(item) if line not in form).split())
    return Account(n_documents, n_words, n_words - n_left)


def _lines_around(item: QuotedText) -> list[str]:
    """Return the lines of a document without what is quoted of them."""
    pieces, end = [], 0
    for span in sorted(item.quotes, key=lambda quote: quote.start):
        pieces.append(item.text[end : span.start])
        end = max(end, span.end)
    pieces.append(item.text[end:])
    return [line.strip() for line in " ".join(filter(None, pieces)).splitlines()]
