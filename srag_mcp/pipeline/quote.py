"""A quote: what an ingestion with a language model will take, before any prompt is sent."""

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Unpack

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.engines.choice import ENGINES, choose_engine
from srag_mcp.engines.protocol import Engine, Workload
from srag_mcp.inference.brief import USUAL_DESCRIPTION, price_reading
from srag_mcp.model.language_model import CONTEXT_TOKENS, Price, count_tokens
from srag_mcp.pipeline.file_plan import (
    FoundFiles,
    Sample,
    find_files,
    plan_files,
    read_sample,
    settle_tables,
)
from srag_mcp.pipeline.kind_run import Grouping, may_have_kinds
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.rule_run import count_read_first, find_effort
from srag_mcp.pipeline.schema_choice import SchemaWish, find_known_schema
from srag_mcp.pipeline.wishes import IngestOptions, find_tried, go_on
from srag_mcp.records.listed import find_lists, list_attribute
from srag_mcp.records.prediction import (
    Estimate,
    estimate_definition,
    estimate_records,
    estimate_rows,
    estimate_rules,
)
from srag_mcp.rules.table_columns import with_columns, with_lists
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.definition import render_kinds
from srag_mcp.schema.rounds import count_rounds, find_wished, render_additions
from srag_mcp.schema.schema import Schema, Table
from srag_mcp.settings import Effort, Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import WORK_FILE, CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.takeover import find_left_out
from srag_mcp.store.work import WorkDatabase, hash_schema, open_work

# Of 20 recorded builds, whose documents have 62 to 2,500 tokens in the mean, and 3 to 31 columns.
_TOKENS_A_COLUMN = 5  # of a document's text for each column: they have 4.5 to 21, and more
_ROUND_TOKENS_IN, _SHOWN_COLUMN_TOKENS = 1500, 50  # instructions; a column of the rounds before
_COLUMN_TOKENS_OUT = 140  # to define one, and to change it in the rounds that follow
_QUESTION_TOKENS, _QUESTION_COLUMN_TOKENS, _QUERY_TOKENS = 700, 25, 30
_MOST_SHOWN = 30  # columns; of more, a question's prompt has the names only
_ADDITIONS_TOKENS_OUT = 50  # 5 where nothing is added, as recorded twice; else an attribute or two
_KIND_TOKENS_OUT = 30  # a name and a few keys
_TOKENS_A_SECOND = 50  # written; models write some 30 to 100, and one reply after the other
_UNREAD = Sample((), (), {})
_DOLLARS = "${:,.2f}"
_NOTHING = Estimate(0, 0, 0)
_OF_ESTIMATES = {"least", "most", "price"}
_OF_CODE = (
    "code reads the columns of the table: a model is asked only for what sample questions need"
    " beside them, and reads the rows for that alone, which is not in this price"
)
_MEANT: Mapping[Effort, str] = {
    "draft": "a sample and its rules, unaudited",
    "checked": "rules, an audit, and what they leave open",
    "full": "all is read",
}


@dataclass(frozen=True, slots=True)
class Quote:
    """What an ingestion will take; corrections and standardisation come on top, mostly below 10 %.

    Attributes:
        n_to_read: Those that a language model will be asked about.
        n_attributes: Columns; a guess where *is_schema_known* is false.
        is_schema_known: Whether the columns are known already.
        least: Prompts and tokens where rules hold; those of the replies are an upper end.
        most: The same where no rule does, and all is read.
        tokens_to_read: Of the texts of the documents to be read.
        price: None where it is not known, or nobody is paid.
        others: The least and the most tokens of each other effort, where these are not the same.
        by_code: Whether code reads the columns, which are those of table files.
    """

    engine: str
    n_documents: int
    n_to_read: int
    n_attributes: int
    is_schema_known: bool
    least: Estimate
    most: Estimate
    tokens_to_read: int = 0
    n_at_once: int = 1
    price: Price | None = None
    effort: Effort = "full"
    others: Mapping[Effort, tuple[int, int]] = field(default_factory=dict)
    by_code: bool = False

    @property
    def workload(self) -> Workload:
        """The prompts, and all their tokens."""
        return Workload(self.least.n_prompts, self.least.tokens)

    def to_json(self) -> dict[str, object]:
        """Return as values that JSON can hold."""
        shown = {name: value for name, value in asdict(self).items() if name not in _OF_ESTIMATES}
        most = self._figures(self.most)
        more = {"at_most": most, "alternative": self.alternative()}
        return {**shown, **self._figures(self.least), **more}

    def _figures(self, taken: Estimate) -> dict[str, object]:
        return {
            "n_calls": taken.n_prompts,
            "tokens_in": taken.tokens_in,
            "tokens_out": taken.tokens_out,
            "minutes": self._minutes(taken),
            "cost_usd": self.cost_usd(taken),
        }

    def cost_usd(self, taken: Estimate) -> float | None:
        """Return what that costs; None where it is not known, or nobody is paid."""
        return self.price.cost_usd(taken.tokens_in, taken.tokens_out) if self.price else None

    def _minutes(self, taken: Estimate) -> int:
        """Return how long the replies take to write, at the usual pace."""
        return math.ceil(taken.tokens_out / _TOKENS_A_SECOND / self.n_at_once / 60)

    def sentence(self) -> str:
        """Say it in a sentence: `with engine agent it takes about 40 prompts, …`."""
        tokens = f"{self.least.tokens:,} tokens"
        said = f"with engine {self.engine} it takes {self._say('prompts', tokens)}, {self._time()}"
        return "; ".join((said, *self._more()))

    def _say(self, noun: str, tokens: str) -> str:
        """Say the prompts and *tokens*, or from which to which: what rules hold is tried later."""
        least, most = self.least, self.most
        calls = _between(least.n_prompts, most.n_prompts)
        if least == most:
            return f"about {calls} {noun}, {tokens}"
        return (
            f"from {least.tokens:,} tokens, where rules hold in their audit, to {most.tokens:,},"
            f" where none does; {calls} {noun}"
        )

    def _time(self) -> str:
        return f"{_between(self._minutes(self.least), self._minutes(self.most))} min"

    def _more(self) -> Iterator[str]:
        of_code = _OF_CODE if self.by_code else ""
        return filter(None, (of_code, self._other_efforts(), self.alternative()))

    def _other_efforts(self) -> str:
        """Say what the other efforts take; empty where all of them read the same."""
        said = []
        for effort, (least, most) in self.others.items():
            than = "more, " if least > self.most.tokens else ""
            than = "less, " if most < self.least.tokens else than
            than += "about" if least == most else "from"
            said.append(f"{effort} takes {than} {_between(least, most)} tokens ({_MEANT[effort]})")
        is_draft = self.effort == "draft"
        own = f"that is a draft: {_MEANT['draft']}" if is_draft else f"that is effort {self.effort}"
        return f"{own}; {', '.join(said)}" if said else ""

    def alternative(self) -> str:
        """Say where reading the documents whole costs less; empty where it does not.

        They are read once for what is asked at one time, as long as a model can read them at once.
        """
        n_read = self.tokens_to_read
        n_asked = estimate_questions(1, self.n_attributes).tokens
        is_in_part = self.effort == "full" and self.n_to_read < self.n_documents
        if is_in_part or not 0 < n_read < min(self.least.tokens, CONTEXT_TOKENS):
            return ""
        pays = "the table never costs less, but it can be checked"
        if n_read > n_asked:
            low, high = (math.ceil(x.tokens / (n_read - n_asked)) for x in (self.least, self.most))
            pays = f"asked one by one, the table costs less from {_between(low, high)} questions on"
        return (
            f"reading the folder whole takes about {n_read:,} tokens, so for questions that are"
            f" asked at one time it costs less; {pays}"
        )

    def lines(self) -> list[str]:
        """Say the same in a few lines for people."""
        engine = ENGINES[self.engine]
        total = f"{self.n_documents:,} documents"
        if not engine.asks:
            total = f"{self.n_to_read:,} of {total}" if self.n_to_read else total
            return [f"{total}, engine {self.engine}: no language model is asked"]
        guess = "" if self.is_schema_known else "about "
        cost, most = self.cost_usd(self.least), self.cost_usd(self.most)
        money = "price not known"
        if cost is not None and most is not None:
            money = f"about {_between(cost, most, _DOLLARS)}"
        if engine.by_caller:
            money = "on the bill of the agent"
        what = f"of which kinds the {total} are"
        if self.n_attributes:
            what = f"{self.n_to_read:,} of {total} to be read"
            what += f", {guess}{self.n_attributes} columns"
        tokens = f"{self.least.tokens_in:,} tokens in, {self.least.tokens_out:,} out"
        said = f"{self._say('calls', tokens)}: {money}, about {self._time()}"
        return [f"{what}, engine {self.engine}", said, *self._more()]


def _between(least: float, most: float, form: str = "{:,}") -> str:
    """Write a number, or from which to which: `(9, 9) -> "9"`, `(9, 2000) -> "9 to 2,000"`."""
    return " to ".join(dict.fromkeys(form.format(number) for number in (least, most)))


@dataclass(frozen=True, slots=True)
class _ToRead:
    """Documents, the lengths of those to be asked about in tokens, and what is to be found of them.

    *schema* is None where it is to be found; what is *added* to it may be defined already.
    *effort*: how much is to be read.
    *n_asking* are the tokens that ask what questions need beside the columns of tables; 0 where
    nothing does. *lists* are of what documents list, by the effort that reads them; *lacking* names
    what is asked for, where that is not all.
    """

    n_documents: int
    lengths: Sequence[int]
    schema: Schema | None
    effort: Effort
    lists: Mapping[Effort, Sequence[Table]] = field(default_factory=dict)
    lacking: frozenset[str] = frozenset()
    added: Sequence[Attribute] = ()
    is_defined: bool = False
    n_asking: int = 0
    n_questions: int = 0


def quote_ingestion(folder: Path, settings: Settings, **options: Unpack[IngestOptions]) -> Quote:
    """Estimate what `ingest` with the same arguments will take; nothing is asked or written.

    What was not read before is estimated from a sample. An attribute that is not to be kept is
    priced as `price_reading` does.

    Raises:
        CorpusError: If the folder cannot be used.
        SchemaError: If a schema that a person wrote cannot be used.
        LockedError: If another process ingests this corpus.
        SettingsError: If a language model is wanted and none is named.
        QueryError: If the documents of a loose attribute cannot be chosen so.
    """
    if not options.get("keep", True):
        return _quote_reading(folder, settings, options)
    settings, options, _ = go_on(folder, settings, options)
    rows, fresh = options.get("rows", "auto"), options.get("fresh", False)
    wish, questions = options.get("attribute", ""), tuple(options.get("questions", ()))
    readers = ReaderPool(settings.workers, settings.document_timeout_s)
    with _open_stored(folder, settings) as work:
        found = find_files(folder, settings)
        tables = settle_tables(work, found, rows, readers, fresh=fresh)
        if tables.documents and may_have_kinds(work.state, folder, options.get("schema")):
            tables = replace(tables, found=tables.documents)  # rows have a table of their own
        asked = SchemaWish(options.get("schema"), questions, fresh, tables)
        return quote_work(work, folder.expanduser().resolve(), asked, settings, wish)


def quote_kinds(
    folder: Path, settings: Settings, **options: Unpack[IngestOptions]
) -> dict[str, Quote]:
    """Estimate as `quote_ingestion` what each known kind of a folder takes, by name."""
    kinds = {} if options.get("attribute") else CorpusFolder(folder, settings.home).kinds()
    return {name: quote_ingestion(place, settings) for name, place in kinds.items()}


def quote_settling(found: Grouping, engine: type[Engine], settings: Settings) -> Quote:
    """Estimate what it takes that *engine* says which groups are one kind, and names them."""
    asked, n_documents = render_kinds(found.describe()), len(found.places) + len(found.odd)
    taken = Estimate(1, asked.count_tokens(), _KIND_TOKENS_OUT * len(found.sizes))
    price = engine.price(settings)
    return Quote(engine.name, n_documents, 0, 0, False, taken, taken, price=price)


def quote_work(
    work: WorkDatabase, folder: Path, asked: SchemaWish, settings: Settings, attribute: str = ""
) -> Quote:
    """Estimate what an ingestion takes that goes on with what *work* holds; nothing is asked."""
    found = asked.tables.found
    effort = find_effort(work, settings, len(found.sources))
    settings = settings.model_copy(update={"effort": effort})
    engine = choose_engine(work, settings)
    readers = ReaderPool(settings.workers, settings.document_timeout_s)
    schema, _ = find_known_schema(work, work.schema_in_force(), folder, asked, engine.asks)
    questions, n_asking = asked.questions[: settings.schema_questions], 0
    n_questions = count_untried(work, folder, asked.questions, settings)
    is_known = schema is not None or not engine.asks
    columns, lists_read = ((), ()) if is_known else asked.tables.columns()
    if columns:
        schema = with_lists(with_columns(Schema(title=folder.name), columns), lists_read)
        n_asking = render_additions(schema, questions).count_tokens() if questions else 0
    added, is_defined = _find_added(work, schema, attribute)
    wanted = schema and schema.model_copy(update={"attributes": (*schema.attributes, *added)})
    n_documents, lengths, lacking = _find_lengths(work, found, wanted, readers, settings)
    if not engine.asks:
        return Quote(engine.name, n_documents, 0, 0, bool(schema), _NOTHING, _NOTHING)
    lists: dict[Effort, Sequence[Table]] = {}
    if schema and not attribute:
        lists = {x: find_lists(schema, settings.model_copy(update={"effort": x})) for x in _MEANT}
    todo = _ToRead(n_documents, lengths, schema, effort, lists, lacking, added, is_defined)
    return _price(engine, replace(todo, n_asking=n_asking, n_questions=n_questions), settings)


def _find_added(
    work: WorkDatabase, schema: Schema | None, wish: str
) -> tuple[Sequence[Attribute], bool]:
    """Return what *wish* adds to the schema, and whether that was proposed and left out."""
    if schema is None or not wish or find_wished(schema.attributes, wish) is not None:
        return [], False
    left_out = find_wished(find_left_out(work.state, schema), wish)
    return (_usual_attributes(1), False) if left_out is None else ([left_out], True)


def _quote_reading(folder: Path, settings: Settings, options: IngestOptions) -> Quote:
    wish, documents = options.get("attribute", ""), options.get("documents", "")
    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        n_documents = corpus.info().n_documents
        found = price_reading(corpus, wish, documents, settings.prompt_tokens)
    with _open_stored(folder, settings) as work:
        engine = choose_engine(work, settings)
    return Quote(
        engine=engine.name,
        n_documents=n_documents,
        n_to_read=found.n_documents,
        n_attributes=1,
        is_schema_known=True,
        least=found,
        most=found,
        n_at_once=_count_at_once(engine, settings),
        price=engine.price(settings),
    )


def quote_stored(
    engine: type[Engine],
    work: WorkDatabase,
    folder: Path,
    settings: Settings,
    questions: Sequence[str],
) -> Quote:
    """Estimate what it takes that *engine* reads the documents that *work* holds."""
    schema, _ = find_known_schema(work, work.schema_in_force(), folder, SchemaWish(), engine.asks)
    lengths = Predictions(work).count_tokens()
    effort = find_effort(work, settings, len(lengths))
    n_asked = count_untried(work, folder, questions, settings)
    todo = _ToRead(len(lengths), lengths, schema, effort, n_questions=n_asked)
    return _price(engine, todo, settings)


def _price(engine: type[Engine], todo: _ToRead, settings: Settings) -> Quote:
    lengths = todo.lengths
    usual = -(-sum(lengths) // max(1, len(lengths)))  # no text states more than it has words for
    n_guessed = max(1, min(settings.columns, usual // _TOKENS_A_COLUMN))
    known = todo.schema.attributes if todo.schema else _usual_attributes(n_guessed)
    around = _NOTHING
    if todo.schema is None:  # rounds, and a trial on the sample
        shown = [usual] * min(settings.schema_documents, len(lengths))
        n_shares = count_rounds(shown, settings.schema_iterations, settings.prompt_tokens)
        n_tokens = min(sum(shown), n_shares * settings.prompt_tokens)
        n_rounds = n_shares + 1  # the last one repairs, after the trial
        n_shown = n_shares * n_guessed  # the first shows none
        tokens_in = n_tokens + n_rounds * _ROUND_TOKENS_IN + n_shown * _SHOWN_COLUMN_TOKENS
        around = Estimate(n_rounds, tokens_in, n_guessed * _COLUMN_TOKENS_OUT)
    elif todo.n_asking:
        around = Estimate(1, todo.n_asking, _ADDITIONS_TOKENS_OUT)
    around += estimate_questions(todo.n_questions, len(known))
    if todo.added and not todo.is_defined:
        around += estimate_definition(todo.n_documents)
    readings = {effort: _estimate_reading(todo, known, effort, settings) for effort in _MEANT}
    n_first, least, most = readings[todo.effort]
    spans = {
        x: ((around + low).tokens, (around + high).tokens) for x, (_, low, high) in readings.items()
    }
    others = {
        x: span
        for x, span in spans.items()
        if span != spans[todo.effort] and (x != "checked" or span != spans["full"])
    }
    return Quote(
        engine=engine.name,
        n_documents=todo.n_documents,
        n_to_read=n_first,
        n_attributes=len(todo.added or known),
        is_schema_known=todo.schema is not None and not todo.n_asking,
        least=around + least,
        most=around + most,
        tokens_to_read=sum(lengths),
        n_at_once=_count_at_once(engine, settings),
        price=engine.price(settings),
        effort=todo.effort,
        others=others,
        by_code=any(item.is_column for item in known),
    )


def _estimate_reading(
    todo: _ToRead, known: Sequence[Attribute], effort: Effort, settings: Settings
) -> tuple[int, Estimate, Estimate]:
    """Return how many documents an effort reads whole, and the least and the most that it takes."""
    lengths, lacking, n_tokens = todo.lengths, todo.lacking, settings.prompt_tokens
    lists, own = (todo.lists.get(name, ()) for name in (effort, todo.effort))
    # what the effort that is asked for does not list was never read
    lists = [x for x in lists if not lacking or x.entity in lacking or x not in own]
    columns = todo.added or [x for x in known if not lacking or x.name in lacking]
    attributes = [*columns, *map(list_attribute, lists)]
    n_first = count_read_first(effort, len(lengths), settings.schema_documents)
    least = estimate_records(attributes, spread_evenly(lengths, n_first), n_tokens)
    least += estimate_rows(lists, lengths, n_first, n_tokens)
    if n_first == len(lengths):
        return n_first, least, least
    rules = estimate_rules(attributes, spread_evenly(lengths, settings.schema_documents))
    least += rules
    if effort == "draft":
        return n_first, least, least
    everything = estimate_records(attributes, lengths, n_tokens)
    everything += estimate_rows(lists, lengths, len(lengths), n_tokens)
    if everything.tokens <= least.tokens:  # rules would save nothing
        return len(lengths), everything, everything
    return n_first, least, rules + everything


_COVERED = "covered_questions"


def find_covered(work: WorkDatabase) -> dict[str, list[str]]:
    """Return the columns that answer each sample question, if it was asked of these columns."""
    known = json.loads(work.note(_COVERED) or "{}")
    present = work.schema_in_force()
    if present is None or not isinstance(known, dict):  # as in notes of earlier versions
        return {}
    return dict(known["columns"]) if known.get("schema") == hash_schema(present.schema) else {}


def count_untried(
    work: WorkDatabase, folder: Path, questions: Sequence[str], settings: Settings
) -> int:
    """Count the sample questions that a model is to be asked, and was not of these columns."""
    tried = find_tried(folder, questions)[: settings.schema_questions]
    return len({*tried} - find_covered(work).keys())


def keep_covered(work: WorkDatabase, covered: Mapping[str, Sequence[str]]) -> None:
    """Keep what `find_covered` returns."""
    present = work.schema_in_force()
    schema_hash = "" if present is None else hash_schema(present.schema)
    work.keep_note(_COVERED, json.dumps({"schema": schema_hash, "columns": covered}))


def estimate_questions(n_questions: int, n_columns: int) -> Estimate:
    """Estimate what it takes to translate questions to queries."""
    shown = _QUESTION_TOKENS + min(n_columns, _MOST_SHOWN) * _QUESTION_COLUMN_TOKENS
    return Estimate(n_questions, n_questions * shown, n_questions * _QUERY_TOKENS)


def _count_at_once(engine: type[Engine], settings: Settings) -> int:
    return 1 if engine.by_caller else settings.concurrency


@contextmanager
def _open_stored(folder: Path, settings: Settings) -> Iterator[WorkDatabase]:
    """Open what is stored of the corpus; of a new one, nothing, in a place that goes away."""
    corpus = CorpusFolder(folder, settings.home)
    if (corpus.readable() / WORK_FILE).exists():
        with open_work(corpus.writable()) as work:
            yield work
        return
    with TemporaryDirectory(prefix="srag-quote-") as scratch, open_work(Path(scratch)) as work:
        yield work


def _usual_attributes(n_columns: int) -> Sequence[Attribute]:
    return [
        Attribute(name=f"attribute_{number}", type="string", description=USUAL_DESCRIPTION)
        for number in range(n_columns)
    ]


def _find_lengths(
    work: WorkDatabase,
    found: FoundFiles,
    schema: Schema | None,
    readers: ReaderPool,
    settings: Settings,
) -> tuple[int, Sequence[int], frozenset[str]]:
    """Count the documents; find the tokens of those that lack predictions, or were not read yet."""
    kept = schema is not None and work.schema_in_force() is not None
    predictions = Predictions(work)
    asked: tuple[Attribute, ...] = ()
    of_rows = asked
    if schema is not None:
        # of rows: code has read what their columns state, and what they list
        of_rows = tuple(item for item in schema.attributes if not item.is_column)
        asked = (*schema.attributes, *map(list_attribute, find_lists(schema, settings)))
    if found.rows is not None and found.rows.alone:
        asked = of_rows
    pending = predictions.pending(asked) if kept else []
    plan = plan_files(work, found, schema or Schema(title="Record"), readers.n_processes)
    paths = [item.relative for item in found.sources]
    stored = work.known_documents(paths) if kept else {}
    is_new = bool(plan.states) or not kept
    sample = read_sample(found, readers) if is_new else _UNREAD
    usual = round(sum(sample.counts.values()) / max(1, len(sample.counts)))
    sampled: defaultdict[str, list[Document]] = defaultdict(list)
    for document in sample.documents:
        sampled[document.path].append(document)
    n_documents = n_new = 0
    for source in found.sources:  # a table that is not in the sample has as many rows as the others
        path, known = source.relative, stored.get(source.relative, {})
        if kept and path not in plan.states:
            n_documents += len(known)
            continue
        n = 1 if found.rows_of(source) is None else sample.counts.get(path, usual)
        n_documents += n
        if schema is None or of_rows or found.rows_of(source) is None:
            n_new += _count_new(n, sampled[path], known)
    changed = {item.id for item in sample.documents if _is_new(item, stored.get(item.path, {}))}
    lengths = [
        length
        for group in pending
        for length in predictions.count_tokens(
            [key for key in group.document_ids if key not in changed]
        )
    ]
    of_sample = [count_tokens(document.text) for document in sample.documents]
    if of_sample:
        lengths += [of_sample[number % len(of_sample)] for number in range(n_new)]
    lacking = asked if of_sample else chain.from_iterable(group.attributes for group in pending)
    names = frozenset(item.name for item in lacking)
    return n_documents, lengths, names


def _count_new(n_documents: int, sampled: Sequence[Document], known: Mapping[str, str]) -> int:
    """Estimate how many documents of a file are not among the *known* ones (id to sha256)."""
    if not known:
        return n_documents
    share = sum(_is_new(item, known) for item in sampled) / max(1, len(sampled))
    is_unsure = n_documents > len(sampled)
    return max(math.ceil(share * n_documents), n_documents - len(known), int(is_unsure))


def _is_new(document: Document, known: Mapping[str, str]) -> bool:
    return known.get(document.id) != document.sha256
