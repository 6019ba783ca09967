"""A quote: what an ingestion with a language model will take, before any prompt is sent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Unpack

from srag_mcp.errors import SettingsError
from srag_mcp.model.choice import price_of
from srag_mcp.pipeline.engine import choose_engine
from srag_mcp.pipeline.extension import EXTENSION_TOKENS
from srag_mcp.pipeline.file_plan import find_files
from srag_mcp.pipeline.quoted_documents import find_quoted
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.schema_choice import find_known_schema
from srag_mcp.pipeline.table_mode import settle_tables
from srag_mcp.pipeline.wishes import IngestOptions, go_on
from srag_mcp.records.estimate import Estimate, estimate_records
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extension import find_attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder, work_path
from srag_mcp.store.work import WorkDatabase, open_work

USUAL_ATTRIBUTES = 30
_ROUND_TOKENS_OUT = 2500
_ROUND_TOKENS_IN = 3500
_DEFINITION_TOKENS_OUT = 150
_QUESTION_TOKENS = (4000, 150)


@dataclass(frozen=True, slots=True)
class Quote:
    """What an ingestion will take; corrections and standardisation come on top, mostly below 10 %.

    Attributes:
        engine: Who will do the thinking.
        n_documents: Documents of the corpus.
        n_to_read: Those that a language model will be asked about.
        n_attributes: Columns; a guess where *is_schema_known* is false.
        is_schema_known: Whether the columns are known already.
        n_calls: Prompts.
        tokens_in, tokens_out: As `model.tokens` estimates them; the latter is an upper end.
        cost_usd: None where the price is not known, or nobody is paid.
    """

    engine: str
    n_documents: int
    n_to_read: int
    n_attributes: int
    is_schema_known: bool
    n_calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None = None

    def to_json(self) -> dict[str, object]:
        """Return as values that JSON can hold."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Say the same in a few lines for people."""
        if self.engine == "offline":
            return [f"{self.n_documents:,} documents, engine offline: no language model is asked"]
        guess = "" if self.is_schema_known else "about "
        money = "price not known" if self.cost_usd is None else f"about ${self.cost_usd:,.2f}"
        if self.engine == "agent":
            money = "on the bill of the agent"
        return [
            f"{self.n_to_read:,} of {self.n_documents:,} documents to be read, {guess}"
            f"{self.n_attributes} columns, engine {self.engine}",
            f"about {self.n_calls:,} calls, {self.tokens_in:,} tokens in, {self.tokens_out:,} out:"
            f" {money}",
        ]


def quote_ingestion(folder: Path, settings: Settings, **options: Unpack[IngestOptions]) -> Quote:
    """Estimate what `ingest` with the same arguments will take; nothing is asked or written.

    What was not read before is estimated from a sample.

    Raises:
        CorpusError: If the folder cannot be used.
        SchemaError: If a schema that a person wrote cannot be used.
        LockedError: If another process ingests this corpus.
        SettingsError: If a language model is wanted and none is named.
    """
    continued = go_on(folder, settings, options)
    settings, options = continued.settings, continued.options
    found = find_files(folder, settings)
    rows, fresh = options.get("rows", "auto"), options.get("fresh", False)
    readers = ReaderPool(settings.workers, settings.document_timeout_s)
    with _open_stored(folder, settings) as work:
        engine = choose_engine(work, settings)
        found = settle_tables(work, found, rows, readers, fresh=fresh).found
        schema = options.get("schema") or find_known_schema(
            work, folder.expanduser().resolve(), engine != "offline"
        )
        added = _added_attributes(schema, options.get("attribute", ""))
        documents = find_quoted(work, found, _extended(schema, added), readers, settings)
    if engine == "model" and not settings.model:
        msg = "no language model is named: set SRAG_MODEL or --model"
        raise SettingsError(msg)
    n_documents = documents.n_documents
    if engine == "offline":
        return Quote(engine, n_documents, 0, 0, schema is not None, 0, 0, 0)
    attributes = added or (schema.attributes if schema else _usual_attributes())
    lengths = documents.lengths
    total = estimate_records(attributes, lengths, settings.prompt_tokens)
    if schema is None:
        total = _with_schema(total, lengths, settings, len(options.get("questions", ())))
    if added:
        total = _with_definition(total)
    price = price_of(settings) if engine == "model" and settings.model else None
    return Quote(
        engine=engine,
        n_documents=n_documents,
        n_to_read=len(lengths),
        n_attributes=len(attributes),
        is_schema_known=schema is not None,
        n_calls=total.n_prompts,
        tokens_in=total.tokens_in,
        tokens_out=total.tokens_out,
        cost_usd=price.cost_usd(total.tokens_in, total.tokens_out) if price else None,
    )


@contextmanager
def _open_stored(folder: Path, settings: Settings) -> Iterator[WorkDatabase]:
    """Open what is stored of the corpus; of a new one, nothing, in a place that goes away."""
    corpus = CorpusFolder(folder, settings.home)
    if work_path(corpus.readable()).exists():
        with open_work(corpus.writable()) as work:
            yield work
        return
    with TemporaryDirectory(prefix="srag-quote-") as scratch, open_work(Path(scratch)) as work:
        yield work


def _added_attributes(schema: Schema | None, wish: str) -> Sequence[Attribute]:
    """Return one of the usual length for the attribute that is to be added, unless it is there."""
    if schema is None or not wish or find_attribute(schema, wish) is not None:
        return ()
    return _usual_attributes()[:1]


def _extended(schema: Schema | None, added: Sequence[Attribute]) -> Schema | None:
    if schema is None:
        return None
    return schema.model_copy(update={"attributes": (*schema.attributes, *added)})


def _with_definition(records: Estimate) -> Estimate:
    """Add the definition of an attribute from passages of some documents."""
    return Estimate(
        records.n_prompts + 1,
        records.tokens_in + _ROUND_TOKENS_IN + EXTENSION_TOKENS,
        records.tokens_out + _DEFINITION_TOKENS_OUT,
    )


def _usual_attributes() -> Sequence[Attribute]:
    """Make as many attributes as a predicted schema usually has, described at the usual length."""
    description = "What it is and what it is not. How it is written, with its unit and format. " * 2
    return [
        Attribute(name=f"attribute_{number}", type="string", description=description)
        for number in range(USUAL_ATTRIBUTES)
    ]


def _with_schema(
    records: Estimate, lengths: Sequence[int], settings: Settings, n_questions: int
) -> Estimate:
    """Add the rounds of schema prediction and the trial on the sample."""
    n_rounds = settings.schema_iterations + 1
    n_shown = -(-min(settings.schema_documents, len(lengths)) // settings.schema_iterations)
    usual = -(-sum(lengths) // max(1, len(lengths)))
    round_tokens = min(settings.prompt_tokens, n_shown * usual)
    n_asked = 2 * min(n_questions, settings.schema_questions)
    return Estimate(
        n_prompts=records.n_prompts + n_rounds + n_asked,
        tokens_in=records.tokens_in
        + n_rounds * (round_tokens + _ROUND_TOKENS_IN)
        + n_asked * _QUESTION_TOKENS[0],
        tokens_out=records.tokens_out
        + n_rounds * _ROUND_TOKENS_OUT
        + n_asked * _QUESTION_TOKENS[1],
    )
