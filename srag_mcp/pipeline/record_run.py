"""What a model reads after rules: missing records, what fits no column, doubtful names, lists."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from srag_mcp.cells.cell import (
    NOT_SHOWN,
    UNQUOTED,
    Cell,
    DocumentText,
    Mark,
    PredictedCell,
    PredictedRecord,
    add_note,
    normalise_column,
    read_column,
)
from srag_mcp.claims.claim import Bearing, check
from srag_mcp.claims.odd_numbers import NO_TAGS, Tags, read_stated, read_tags
from srag_mcp.claims.suspects import (
    MAX_SUSPECTS,
    Suspect,
    find_suspicions,
    keep_old,
    look_again,
    without_unsettled,
)
from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.engines.choice import choose_engine
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress, Work, Workload
from srag_mcp.errors import NotIngestedError, SchemaError, UselessRepliesError
from srag_mcp.names.doubtful import Doubt, cut_around, find_candidates, resolve, write_prompts
from srag_mcp.names.uniting import UNDECIDED, Thing, Verdict, are_names, describe_things, unite
from srag_mcp.pipeline.file_plan import MAX_SAMPLE, MAX_SAMPLE_CHARACTERS, find_files, settle_tables
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.report import IngestReport, finish_report, report_stored, show_values
from srag_mcp.pipeline.schema_choice import define_attribute, put_edit_in_force
from srag_mcp.pipeline.wishes import IngestOptions, read_unfinished
from srag_mcp.records.judging import PUT_OTHERWISE
from srag_mcp.records.listed import find_lists, list_attribute
from srag_mcp.records.prediction import estimate_records
from srag_mcp.rules.naming import examples_of, nouns_of_names
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import Extension
from srag_mcp.schema.schema import PendingList, Schema, Table
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish_changes, read_cells
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import are_united, keep_verdicts, kept_verdicts, read_decided
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import (
    PendingDocuments,
    Predictions,
    RowKey,
    as_predicted,
    keep_listed,
    keep_loose,
    keep_rule_cells,
    loose_attributes,
    narrow,
    read_chosen,
    with_loose,
)
from srag_mcp.store.work import WorkDatabase, hash_schema, open_work
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_word, stem
from srag_mcp.values.columns import classify_values
from srag_mcp.values.states import State

_OTHERS_SHOWN = 12


def read_missing_records(
    work: WorkDatabase, schema: Schema, engine: ModelEngine, *, among: Collection[str] | None = None
) -> set[str]:
    """Let *engine* read the attributes that documents lack a prediction of; return their ids.

    Each batch is kept as it is finished. *among*: only documents of these ids; None for all.
    """
    predictions, on_progress = Predictions(work), engine.work.on_progress
    predictions.forget_gone()
    lists = find_lists(schema, engine.work.settings)
    for child in lists:
        keep_listed(work, child)
    wanted = (*schema.attributes, *map(list_attribute, lists))
    prompt_tokens = engine.work.settings.prompt_tokens
    pending = [
        PendingDocuments(group.attributes, ids)
        for group in predictions.pending(wanted)
        if (ids := tuple(key for key in group.document_ids if among is None or key in among))
    ]
    asked = [document_id for group in pending for document_id in group.document_ids]
    n_done, expected = 0, None
    if engine.by_caller:  # who answers is told how much is to go
        n_asked, further = engine.model.ledger.total.n_calls, engine.work.further
        expected = Workload(n_asked + further.prompts, further.tokens, n_asked)
        for group in pending:
            lengths = predictions.count_tokens(group.document_ids)
            new = estimate_records(group.attributes, lengths, prompt_tokens)
            n_tokens = expected.tokens + new.tokens_in + new.tokens_out
            expected = Workload(expected.prompts + new.n_prompts, n_tokens, n_asked)

    def keep(group: PendingDocuments, records: Sequence[PredictedRecord]) -> None:
        nonlocal n_done
        predictions.store(group.attributes, records)
        n_done += len(records)
        on_progress(Progress("predicting", n_done, len(asked), records[-1].document_id))

    if pending:
        on_progress(Progress("predicting", 0, len(asked), expected=expected))
    for group in pending:
        texts = predictions.texts(group.document_ids)
        engine.read(texts, group.attributes, partial(keep, group))
    return set(asked)


def add_by_rules(work: WorkDatabase, schema: Schema, extension: Extension) -> tuple[str, ...]:
    """Keep what the rules of the added attribute read; all else stays as a model read it.

    Returns:
        What a person should know: documents that the model has not read since they came.
    """
    if extension.added:
        keep_rule_cells(work, schema.attribute(extension.attribute.name))
    groups = Predictions(work).pending(schema.attributes)
    n_unread = sum(len(group.document_ids) for group in groups)
    if not n_unread:
        return ()
    return (
        f"the language model has not read {n_unread} of {work.n_documents()} documents: their other"
        " cells are failed until the next ingestion with it",
    )


def standardise_columns(work: WorkDatabase, schema: Schema, engine: ModelEngine) -> tuple[int, int]:
    """Ask about the predicted values that do not fit their column.

    Return how many values are others now, and of how many the model gave no verdict of use. None is
    asked about twice; questions that were stopped ask the same prompts, whose replies are there.

    Source: DESIGN 7.4.
    """
    predictions = Predictions(work)
    texts = [attribute for attribute in schema.attributes if attribute.type.is_text]
    tags = read_tags(predictions.cells(attribute) for attribute in texts)
    n_changed = n_unsettled = 0
    columns = [_Column(predictions, x, y) for x in schema.tables for y in x.attributes]
    for place, column in enumerate(columns):
        engine.work.on_progress(Progress("standardising", place, len(columns), column.name))
        own = NO_TAGS if column.table.parent else tags
        changed, unsettled = _standardise(column, own, engine)
        n_changed, n_unsettled = n_changed + changed, n_unsettled + unsettled
    return n_changed, n_unsettled


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the records or of a child table, as a model read it, by document or row."""

    predictions: Predictions
    table: Table
    attribute: Attribute

    @property
    def name(self) -> str:
        return self.table.named(self.attribute.name)

    def cells(self) -> dict[str, PredictedCell]:
        if not self.table.parent:
            return self.predictions.cells(self.attribute)
        rows = self.predictions.rows(self.table).items()
        return {_key(x): item for x, item in rows if x.attribute == self.attribute.name}

    def texts(self, keys: Sequence[str]) -> dict[str, DocumentText]:
        """Return the documents of *keys* by these."""
        ids = [key.rpartition("\n")[0] if self.table.parent else key for key in keys]
        found = {x.document_id: x for x in self.predictions.texts([*dict.fromkeys(ids)])}
        return {key: found[own] for key, own in zip(keys, ids, strict=True) if own in found}

    def change(self, cells: Mapping[str, PredictedCell]) -> None:
        if not self.table.parent:
            return self.predictions.change(self.attribute, cells)
        rows, name = self.predictions.rows(self.table), self.attribute.name
        new = {x: cells.get(_key(x), y) if x.attribute == name else y for x, y in rows.items()}
        return self.predictions.replace_rows(self.table, self.table, new)


def _key(row: RowKey) -> str:
    return f"{row.document_id}\n{row.position}"


def _standardise(column: _Column, tags: Tags, engine: ModelEngine) -> tuple[int, int]:
    """Ask about one column; return how many values are others now, and how many unsettled."""
    attribute, cells = column.attribute, column.cells()
    reasons: dict[str, str] = {}
    for found in find_suspicions(attribute, read_stated(attribute, cells), tags):
        marks = cells[found.document_id].cell.marks
        was_looked_at = not marks.isdisjoint((Mark.KEPT, Mark.STANDARDISED))
        # else the model has said already that it is right
        if not was_looked_at and not (found.is_of_quote and Mark.DOUBTED in marks):
            reasons[found.document_id] = found.reason
    suspects = [
        Suspect(key, cells[key], reasons[key], item.text)
        for key, item in column.texts([*reasons]).items()
    ]
    settled = {
        key: without_unsettled(item)
        for key, item in cells.items()
        if Mark.UNSETTLED in item.cell.marks and key not in reasons
    }
    if settled:
        column.change(settled)
    others = Counter(
        item.value_text
        for key, item in cells.items()
        if item.value_text is not None and key not in reasons
    )
    shown = [value for value, _ in others.most_common(_OTHERS_SHOWN)]
    judged: dict[str, PredictedCell] = {}
    for start in range(0, len(suspects), MAX_SUSPECTS):
        part = suspects[start : start + MAX_SUSPECTS]
        answers = engine.run(partial(look_again, engine.model, attribute, part, shown))
        judged |= {
            suspect.document_id: cell
            for suspect, cell in zip(part, answers, strict=True)
            if cell != suspect.predicted
        }
    judged = _fitting(attribute, cells, judged, tags)
    if judged:  # kept all at once: what a stop leaves over must be asked as before
        column.change(judged)
    now = [judged.get(suspect.document_id, suspect.predicted).cell for suspect in suspects]
    return (
        sum(_is_other(cell, cells[key]) for key, cell in judged.items()),
        sum(Mark.UNSETTLED in cell.marks for cell in now),
    )


def _fitting(
    attribute: Attribute,
    cells: Mapping[str, PredictedCell],
    judged: Mapping[str, PredictedCell],
    tags: Tags,
) -> dict[str, PredictedCell]:
    """Return *judged*, in which a changed value that does not fit its column has the old one."""
    values = read_stated(attribute, {**cells, **judged})
    found = {item.document_id: item for item in find_suspicions(attribute, values, tags)}
    quoted = {item.document_id for item in values if item.figures.is_only(item.value)}
    kept = dict(judged)
    for document_id, cell in judged.items():
        suspicion, before = found.get(document_id), cells[document_id]
        if suspicion is None or not _is_other(cell, before):
            continue
        if suspicion.is_wrong_again(is_quoted=document_id in quoted):
            kept[document_id] = keep_old(before, cell, suspicion.reason)
    return kept


def _is_other(one: PredictedCell, other: PredictedCell) -> bool:
    """Whether two cells differ by more than a note."""
    return (one.value_text, one.cell.state) != (other.value_text, other.cell.state)


def resolve_names(work: WorkDatabase, schema: Schema, engine: ModelEngine) -> None:
    """Ask which doubtful names of the columns mean one thing; what was said holds for good.

    A group is asked about once; one that a new spelling joins is asked about again. Nothing is
    asked where no group is doubtful.

    Source: DESIGN 7.5.
    """
    # words in small letters name nothing
    plain = cache(lambda: frozenset(stem(fold_word(word)) for (word,) in work.run(_PLAIN)))
    doubts: list[Doubt] = []
    columns = [_Column(Predictions(work), x, y) for x in schema.tables for y in x.attributes]
    for place, column in enumerate(columns):
        if are_united(column.attribute) and not column.attribute.is_column:  # no model has read it
            engine.work.on_progress(Progress("uniting", place, len(columns), column.name))
            doubts += _find_doubts(work, column, plain)
    prompts = write_prompts(doubts)
    if not prompts:
        return
    said = engine.run(lambda: resolve(engine.model, prompts))
    verdicts: dict[str, list[Verdict]] = {}
    for name, verdict in said:
        verdicts.setdefault(name, []).append(verdict)
    for name, new in verdicts.items():  # at the end: what a stop leaves over is asked as before
        keep_verdicts(work, name, new)


# Of a thousand documents: the words of a language are soon all there.
_PLAIN = r"""
SELECT DISTINCT rtrim(word, '.,;:') FROM (
  SELECT unnest(string_split_regex(left(text, 20_000), '\s+')) AS word
  FROM (SELECT text FROM documents ORDER BY md5(document_id) LIMIT 1_000))
WHERE regexp_full_match(word, '\p{Ll}{2,}[.,;:]?')
"""


def _find_doubts(
    work: WorkDatabase, column: _Column, plain: Callable[[], frozenset[str]]
) -> Iterator[Doubt]:
    """Yield the groups of a column that nobody has decided yet."""
    attribute, of_rows = column.attribute, column.cells() if column.table.parent else {}
    cells = dict(zip(of_rows, read_column(attribute, [*of_rows.values()]), strict=True))
    if not column.table.parent:
        cells = read_cells(work, attribute, by_model=True)
    counts = Counter(cell.value for cell in cells.values() if isinstance(cell.value, str))
    if not are_names(counts):
        return
    decided = read_decided(work.state).get(column.name, UNDECIDED)
    things = unite(counts, decided)
    known = [frozenset(verdict.keys) for verdict in kept_verdicts(work, column.name)]
    groups = [
        group
        for group in find_candidates(things, decided)
        if not any(all(thing.keys <= keys for thing in group) for keys in known)
    ]
    if not groups or describe_things((thing.name for thing in things), plain()):
        return
    around = _read_around(column, cells, groups)
    for group in groups:
        yield Doubt(column.name, attribute.description, tuple(group), around)


def _read_around(
    column: _Column, cells: Mapping[str, Cell], groups: Sequence[Sequence[Thing]]
) -> dict[str, str]:
    """Return words around each name of *groups* in the first document that has it."""
    wanted = {thing.spellings[0] for group in groups for thing in group}
    first: dict[str, tuple[str, Span]] = {}
    for key, cell in cells.items():
        if cell.value in wanted and cell.span is not None:
            first.setdefault(str(cell.value), (key, cell.span))
    texts = column.texts([key for key, _ in first.values()])
    return {
        value: cut_around(texts[key].text, span.start, span.end)
        for value, (key, span) in first.items()
    }


def settle_lists(work: WorkDatabase, schema: Schema) -> Schema:
    """Put in force what *schema* becomes when its pending lists that have rows are child tables."""
    predictions, known = Predictions(work), {child.list_name for child in schema.children}
    pending = {item.name: item for item in schema.pending_lists}
    children, left = list(schema.children), list[PendingList]()
    with work.transaction():  # else a stop in between has the lists read, and paid, again
        for child in schema.with_pending().children:
            item = pending.get(child.list_name)
            if item is None or child.list_name in known:
                continue
            rows = predictions.rows(child)
            if not rows:
                left.append(item)
                continue
            ids = {key.document_id for key in rows}
            texts = {item.document_id: item.text for item in predictions.texts([*ids])}
            read = [_read_column(attribute, rows, texts) for attribute in child.attributes]
            typed = child.model_copy(
                update={
                    "attributes": tuple(attribute for attribute, _ in read),
                    "description": item.description,
                    "nouns": nouns_of_names(item.name),
                }
            )
            cells = {key: cell for _, own in read for key, cell in own.items()}
            predictions.replace_rows(child, typed, cells)
            children.append(typed)
        if len(left) == len(schema.pending_lists):
            return schema
        changes = {"children": tuple(children), "pending_lists": tuple(left)}
        return put_edit_in_force(work, schema.model_copy(update=changes))


def _read_column(
    attribute: Attribute, rows: Mapping[RowKey, PredictedCell], texts: Mapping[str, str]
) -> tuple[Attribute, dict[RowKey, PredictedCell]]:
    """Return a column with the type that its values have, and its cells read by it."""
    own = {key: item for key, item in rows.items() if key.attribute == attribute.name}
    said = {key: item for key, item in own.items() if item.value_text is not None}
    values = [item.value_text or "" for item in said.values()]
    guess = classify_values(values, attribute.name.replace("_", " "))
    typed = attribute.model_copy(
        update={"type": guess.type, "unit": guess.unit, "examples": examples_of(values)}
    )
    if typed.type.is_text:
        return typed, own
    # a value has the unit and scale of its heading beside it, maybe in brackets
    words = [
        Cell(attribute.name, State.STATED, item.value_text, context=item.value_text or "")
        for item in said.values()
    ]
    cells = dict(zip(said, normalise_column(typed, words), strict=True))
    return typed, own | {
        key: as_predicted(typed, _checked(typed, cell, said[key].cell, texts[key.document_id]))
        for key, cell in cells.items()
    }


def _checked(attribute: Attribute, cell: Cell, before: Cell, text: str) -> Cell:
    """Return *cell*, whose value is read, at its words *before*, and in doubt as these say."""
    if cell.state is State.NOT_MENTIONED:
        return replace(cell, engine=before.engine)
    is_remark = before.note.startswith(("derived: ", "doubtful")) and before.note != PUT_OTHERWISE
    kept = before if is_remark else replace(before, note="", marks=before.marks - UNQUOTED)
    found = replace(
        kept, state=cell.state, value=cell.value, unit=cell.unit, marks=kept.marks | cell.marks
    )
    is_other = None not in (cell.unit, attribute.unit) and cell.unit != attribute.unit
    odd = (Mark.DOUBTED,) if is_other else ()  # 7 USD in a column of EUR: no conversion is known
    found = add_note(found, cell.note, *odd) if cell.note else found
    if cell.state is not State.STATED or cell.value is None or is_remark:
        return found
    claim = check(attribute, before.as_stated or "", cell.value, text, before.span)
    noted = {
        Bearing.CONTRADICTED: (f"doubted: {claim.why}", Mark.DOUBTED),
        Bearing.UNSHOWN: (NOT_SHOWN, Mark.UNSHOWN),
        Bearing.DERIVED: (PUT_OTHERWISE, Mark.DERIVED),
    }
    return add_note(found, *noted[claim.bearing]) if claim.bearing in noted else found


_NOT_BY_RULES = (
    "rules read all documents: keep it as a column, or let a language model read these documents"
    " (--engine model or agent)"
)


def read_loosely(
    folder: Path,
    settings: Settings,
    on_progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
    options: IngestOptions,
) -> IngestReport:
    """Read the attribute of *options* from the documents that these choose, and publish it.

    Start it again after anything to go on: what was read for it is not read again.

    Raises:
        NotIngestedError: If there is no whole table that it could stand beside.
        SchemaError: If nothing could be made of the attribute, no document is chosen, or no
            language model would read them.
        QueryError: If the documents cannot be chosen so.
        LockedError, SettingsError, ModelStoppedError, StoreError: As `ingest`.
    """
    started = time.monotonic()
    on_progress(Progress("finding"))
    place = folder.expanduser().resolve()
    readers = ReaderPool(settings.workers, settings.document_timeout_s)
    with QueryPool() as pool:
        corpus = Corpus(place, pool, settings.home)
        ids = read_chosen(corpus, narrow(corpus, options.get("documents", "")))
        if not ids:
            msg = f"no document that has a text is chosen by: {options.get('documents')}"
            raise SchemaError(msg)
        with open_work(CorpusFolder(folder, settings.home).writable()) as work:
            schema = _find_schema(work, corpus)
            files = find_files(folder, settings)
            found = settle_tables(work, files, "auto", readers, fresh=False).found
            stored = partial(report_stored, place, found, work, by_model=work.is_predicted())
            wanted = options.get("attribute", ""), frozenset(ids)
            chosen = choose_engine(work, settings)
            if not issubclass(chosen, ModelEngine):
                raise SchemaError(_NOT_BY_RULES)
            with chosen.open(Work(work, settings, on_progress, cancelled)) as engine:
                read = partial(_read, engine, corpus, schema, wanted, stored)
                report = finish_report(engine, read, stored)
    if not report.cancelled:
        on_progress(Progress("done", len(ids), len(ids)))
    return replace(report, engine=chosen.name, seconds=time.monotonic() - started)


def _find_schema(work: WorkDatabase, corpus: Corpus) -> Schema:
    """Return the schema in force, by which what is stored is published again."""
    present, published = work.schema_in_force(), corpus.kept_schema()
    is_same = work.revision == corpus.info().revision
    is_ended = present is not None and hash_schema(present.schema.shown()) == hash_schema(published)
    is_ended = is_ended and read_unfinished(work.state) is None
    if present is None or not (is_same or is_ended):
        msg = (
            f"the last ingestion of {corpus.name} did not end: call ingest_corpus with"
            f" corpus={corpus.name!r}, which goes on with it, and then ask for this again"
        )
        raise NotIngestedError(msg)
    return present.schema


def _read(
    engine: ModelEngine,
    corpus: Corpus,
    schema: Schema,
    wanted: tuple[str, frozenset[str]],
    stored: Callable[[], IngestReport],
) -> IngestReport:
    """Define the attribute, read it where it was not read before, and publish."""
    work, (wish, ids) = engine.work.database, wanted
    sample = partial(_sample_stored, work, ids)
    engine.work.on_progress(Progress("schema"))
    extension = define_attribute(work, with_loose(work, schema), wish, sample, engine)
    attribute = extension.attribute
    if any(item.name == attribute.name for item in schema.attributes):
        return show_values(replace(stored(), extension=extension), corpus, attribute.name)
    before = loose_attributes(work, schema)
    # its own place: another one would be another table
    place = next((n for n, x in enumerate(before) if x.name == attribute.name), len(before))
    keep_loose(work, schema, [*before[:place], attribute, *before[place + 1 :]])
    alone = schema.model_copy(update={"attributes": (attribute,)})
    try:
        asked = read_missing_records(work, alone, engine, among=ids)
        n_standardised, n_unsettled = standardise_columns(work, alone, engine)
    except UselessRepliesError:
        if extension.added:
            keep_loose(work, schema, [x for x in before if x.name != attribute.name])
        raise
    n_read = len(Predictions(work).cells(attribute))
    build = publish_changes(work, schema)
    report = replace(
        stored(),
        published=build is not None,
        n_predicted=len(asked),
        n_standardised=n_standardised,
        n_unsettled=n_unsettled,
        extension=extension,
        n_read=n_read,
    )
    return show_values(report, corpus, attribute.name)


def _sample_stored(work: WorkDatabase, ids: Collection[str]) -> list[Document]:
    """Take documents as they were read, of those that are chosen: their texts are enough."""
    documents: list[Document] = []
    n_left = MAX_SAMPLE_CHARACTERS
    for item in Predictions(work).texts(spread_evenly(sorted(ids), MAX_SAMPLE)):
        documents.append(
            Document(item.document_id, item.path, item.title, "", item.sha256, item.text)
        )
        n_left -= len(item.text)
        if n_left < 0:
            break
    return documents
