"""A proposal: what could be read from some documents so that a question is answered, and its price.

Nothing is read for it until somebody says so: it costs money, or the time of an agent.
"""

from dataclasses import dataclass

from srag_mcp.model.language_model import tokens_of
from srag_mcp.records.prediction import estimate_definition, estimate_records
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import find_wished
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_text
from srag_mcp.store.decisions import find_left_out
from srag_mcp.store.loose import narrow, wish_note
from srag_mcp.store.state import open_state

USUAL_DESCRIPTION = "What it is and what it is not. How it is written, with its unit and format."
# Of more than a thousand documents, so many stand for all.
_LENGTHS = """
WITH srag_chosen AS (
  SELECT document_id, count(*) OVER () AS n FROM documents WHERE {chosen}
  ORDER BY document_id LIMIT 1000)
SELECT length(text), strlen(text), n FROM srag_chosen JOIN srag_texts USING (document_id)
ORDER BY document_id
"""


@dataclass(frozen=True, slots=True)
class ReadingPrice:
    """What a loose reading takes of a language model; corrections come on top.

    Attributes:
        n_documents: Documents that are to be read.
        n_prompts: Prompts, the definition of the attribute included.
        tokens_in, tokens_out: As `count_tokens` estimates them; an upper end.
    """

    n_documents: int
    n_prompts: int
    tokens_in: int
    tokens_out: int

    @property
    def tokens(self) -> int:
        """The tokens of prompts and replies."""
        return self.tokens_in + self.tokens_out

    def __str__(self) -> str:
        of = "1 document" if self.n_documents == 1 else f"{self.n_documents:,} documents"
        return f"{of}, about {self.n_prompts:,} prompts and {self.tokens:,} tokens"


@dataclass(frozen=True, slots=True)
class Proposal:
    """An attribute that no column holds, and that documents are to be read for.

    Attributes:
        attribute: What it shall hold, in words.
        documents: A SELECT of the documents that are to be read, all that the question is about.
        price: What that takes.
    """

    attribute: str
    documents: str
    price: ReadingPrice


def _find_known(corpus: Corpus, attribute: str) -> Attribute | None:
    """Return the attribute of that name, or the one that became of the same wish before."""
    before: str | None = None
    if corpus.state is not None:
        with open_state(corpus.state) as state:
            before = state.note(wish_note(attribute))
    schema = corpus.schema()
    defined = (*schema.attributes, *find_left_out(corpus.state, schema))
    return find_wished(defined, before, attribute)


def price_reading(
    corpus: Corpus, attribute: str, documents: str, prompt_tokens: int
) -> ReadingPrice:
    """Estimate what it takes to read *attribute*, in words, from the *documents* of a SELECT.

    Nothing is asked. What a loose attribute of that name, or of the same wish, was read from is not
    read again.

    Raises:
        QueryError: If *documents* is refused, wrong or too heavy.
        StoreError: If the build is of an earlier version.
    """
    among = narrow(corpus, documents)
    conditions = ["characters > 0"]
    if among:
        conditions.append(f"document_id IN ({among}\n)")
    known = _find_known(corpus, attribute)
    if known is not None:
        read = f"SELECT document_id FROM cells WHERE attribute = {quote_text(known.name)}"  # noqa: S608 - it runs through the guard
        conditions.append(f"document_id NOT IN ({read})")
    rows = corpus.rank(_LENGTHS.format(chosen=" AND ".join(conditions)), is_ours=False)
    n_documents = int(rows[0][2] or 0) if rows else 0
    lengths = [tokens_of(int(n or 0), int(n_bytes or 0)) for n, n_bytes, _ in rows]
    sought = Attribute(name="sought", type="string", description=USUAL_DESCRIPTION)
    of_all = (lengths[number % len(lengths)] for number in range(n_documents))
    estimate = estimate_records([sought], of_all, prompt_tokens)
    if known is None:
        estimate += estimate_definition(n_documents)
    return ReadingPrice(n_documents, estimate.n_prompts, estimate.tokens_in, estimate.tokens_out)
