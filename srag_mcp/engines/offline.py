"""The engine without a model: rules find the columns and read them, the grammar asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from srag_mcp.cells.cell import BY_RULES, Cell, DocumentText, Record, normalise_column
from srag_mcp.documents.document import Document
from srag_mcp.engines.protocol import Engine, SchemaSample, Work
from srag_mcp.errors import SchemaError
from srag_mcp.rules.extraction import extract_record
from srag_mcp.rules.induction import induce_schema, learn_extractors
from srag_mcp.rules.row_sources import read_lists
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.table_columns import are_rows, read_row
from srag_mcp.schema.attribute import Attribute, unique_name
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import EngineName
from srag_mcp.text.words import fold_words
from srag_mcp.values.states import State
from srag_mcp.values.types import COLUMN_TYPES

if TYPE_CHECKING:
    from typing import Self

    from srag_mcp.engines.protocol import Keep
    from srag_mcp.inference.answer import Answer
    from srag_mcp.schema.rounds import Extension
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.work import QuotedText

# The first that what is read is mostly of: anything may be a text, or tell yes or no.
_KINDS = sorted(
    (kind for kind in COLUMN_TYPES.values() if not kind.is_whole),
    key=lambda kind: (kind.is_boolean, kind.is_text),
)
_MOST = 0.9  # of what rules find, at the places of one column: it is that column
FORM_SAMPLE = 300  # documents from which the lines are learnt that most of them share


@dataclass(frozen=True, slots=True)
class Account:
    """How many of the words of some documents the columns account for.

    *unread*: the labels of which no column holds the values, with how many of a sample have them.
    """

    n_documents: int
    n_words: int
    n_in_columns: int

    @property
    def is_prose(self) -> bool:
        """Whether more of the words are left over than the columns hold (DESIGN 6)."""
        return 2 * self.n_in_columns < self.n_words

    def __str__(self) -> str:
        percent = round(100 * self.n_in_columns / max(1, self.n_words))
        said = f"of {self.n_words:,} words in {self.n_documents:,} documents the columns account"
        return f"{said} for {percent} %"


class OfflineEngine(Engine):
    """Code thinks alone: nothing is asked, and nothing is left over for a second reading."""

    name: ClassVar[EngineName] = BY_RULES
    asks: ClassVar[bool] = False

    @classmethod
    @contextmanager
    def open(cls, work: Work) -> Iterator[Self]:
        """Return the engine; it needs nothing of *work*."""
        yield cls()

    def predict_schema(self, sample: SchemaSample) -> Schema:
        """Find the columns: what most documents state."""
        return induce_schema(
            sample.read(), title=sample.title, entity=sample.entity, questions=sample.questions
        )

    def define(self, wish: str, schema: Schema, documents: Sequence[Document]) -> Extension:
        """Call an attribute as the wish does; its type and unit are those of what documents say.

        What a column reads already is that column.

        Raises:
            SchemaError: If the documents call nothing so, no telling word more or less.
        """
        from srag_mcp.schema.rounds import Extension  # with the model's, for the answer

        name = unique_name(wish, {attribute.name for attribute in schema.attributes}, "attribute")
        for kind in _KINDS:
            synonyms = (wish.lower(),)
            attribute = Attribute(name=name, type=kind, description=wish, synonyms=synonyms)
            probe = schema.model_copy(update={"attributes": (attribute,)})
            learnt = learn_extractors(probe, documents, (wish,), as_called=True)
            if not learnt.attributes[0].extractors:
                continue
            found = {
                document.id: record.cells[0]
                for document, record in read_documents(documents, learnt)
                if record.cells[0].state is State.STATED
            }
            normal = normalise_column(learnt.attributes[0], list(found.values()))
            stated = [item for item in normal if item.state is State.STATED]
            if 2 * len(stated) <= len(found):
                continue  # what the rules find is mostly of another type
            if (twin := _find_twin(found, schema, documents)) is not None:
                return Extension(twin, added=False)
            [(unit, _)] = Counter(item.unit for item in stated).most_common(1)
            return Extension(learnt.attributes[0].model_copy(update={"unit": unit}), added=True)
        msg = (
            f"nothing that rules can read is called “{wish}” in the documents, no word more or"
            f" less: no column was added; name it in their words, or use a"
            " language model (--engine model or agent)"
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
        read, sightings = read_row if are_rows([document]) else extract_record, Sightings(document)
        record = read(sightings, schema)
        yield document, replace(record, lists=read_lists(sightings, schema))


def _find_twin(
    found: Mapping[str, Cell], schema: Schema, documents: Sequence[Document]
) -> Attribute | None:
    """Return the column that states what *found* does, at the same places of the same documents."""
    n_same: Counter[str] = Counter()
    for document, record in read_documents(documents, schema):
        one = found.get(document.id)
        n_same.update(cell.attribute for cell in record.cells if one and _is_same(one, cell))
    twin, n_most = max(n_same.items(), key=lambda item: item[1], default=("", 0))
    return schema.attribute(twin) if n_most and n_most >= _MOST * len(found) else None


def _is_same(one: Cell, other: Cell) -> bool:
    if one.span is None or other.span is None or other.state is not State.STATED:
        return False
    said = [f" {fold_words(cell.as_stated or '')} " for cell in (one, other)]
    return one.span.overlaps(other.span) and (said[0] in said[1] or said[1] in said[0])


def account_for(
    sample: Iterable[QuotedText], documents: Iterable[QuotedText], n_rows: int, n_row_words: int
) -> Account:
    """Count the words that the columns account for: quotes, and the form that they are written in.

    The form is each line that more than half of the *sample* share once the quotes are cut out: a
    label, a header, a notice. Rows of table files stand in columns as they are.
    """
    shared, n_sampled = Counter[str](), 0
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
