"""What each tool returns, built from the library; no protocol in here."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.answer.answer import Answer
from srag_mcp.answer.brief import describe_column
from srag_mcp.answer.coverage import render_coverage
from srag_mcp.answer.wording import render_denominator
from srag_mcp.errors import NotIngestedError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.results import (
    AnswerPage,
    BriefPage,
    ColumnEntry,
    CorpusEntry,
    CorpusList,
    DocumentPage,
    LinkedValue,
    ResultTable,
    SchemaPage,
    SourceEntry,
    StatisticsEntry,
    StatisticsPage,
    TracePage,
    ValueEntry,
)
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import Evidence
from srag_mcp.store.statistics import ColumnStatistics

MAX_VALUES = 20
MAX_DESCRIPTION = 200


@dataclass(frozen=True, slots=True)
class SqlCall:
    """The arguments of run_sql."""

    corpus: str
    sql: str
    limit: int
    offset: int


@dataclass(frozen=True, slots=True)
class TraceCall:
    """The arguments of trace_value."""

    corpus: str
    column: str
    value: str
    document_id: str
    state: str
    limit: int
    offset: int


def list_corpora_page(corpora: Corpora) -> CorpusList:
    """List the corpora and say what to call for those that are not ready."""
    entries = [_corpus_entry(corpora, name) for name in corpora]
    waiting = [entry.name for entry in entries if entry.state == "not ingested"]
    advice = f"call ingest_corpus with corpus={waiting[0]!r}" if waiting else ""
    if not entries:
        advice = "no corpus is served: start the server with --corpus DIR"
    return CorpusList(corpora=entries, next=advice)


def _corpus_entry(corpora: Corpora, name: str) -> CorpusEntry:
    corpus = corpora.get(name)
    state = "ingesting" if corpora.is_ingesting(name) else "ready"
    try:
        info = corpus.info()
    except NotIngestedError:
        return CorpusEntry(name=name, state="not ingested" if state == "ready" else state)
    return CorpusEntry(
        name=name,
        state=state,
        table=info.entity,
        documents=info.n_documents,
        failed_documents=info.n_failed,
        attributes=len(corpus.schema().attributes),
        built_at=info.created_at,
    )


def schema_page(corpora: Corpora, name: str) -> SchemaPage:
    """Describe the tables of a corpus."""
    corpus = corpora.readable(name)
    schema = corpus.schema()
    holds = {item.column: describe_column(item) for item in corpus.statistics()}
    columns = [
        ColumnEntry(
            name=attribute.name,
            type=attribute.type,
            unit=attribute.unit,
            description=_shortened(attribute.description),
            holds=holds.get(attribute.name, ""),
            absent_means=attribute.absent_means,
        )
        for attribute in schema.attributes
    ]
    tables = corpus.tables()
    others = [
        f"{table}({', '.join(names)})" for table, names in tables.items() if table != schema.entity
    ]
    return SchemaPage(
        corpus=corpora.name_of(corpus),
        title=schema.title,
        table=schema.entity,
        documents=corpus.info().n_documents,
        columns=[ColumnEntry(name="document_id", type="string"), *columns],
        other_tables=others,
        notes=["Unknown values are NULL.", "Join the tables on document_id."],
    )


def statistics_page(corpora: Corpora, name: str, columns: Sequence[str]) -> StatisticsPage:
    """Give the statistics of *columns*, of all when empty."""
    corpus = corpora.readable(name)
    schema = corpus.schema()
    units = {attribute.name: attribute.unit for attribute in schema.attributes}
    for column in columns:
        schema.attribute(column)
    entries = [
        _statistics_entry(item, units.get(item.column))
        for item in corpus.statistics(list(columns) or None)
    ]
    return StatisticsPage(corpus=corpora.name_of(corpus), columns=entries)


def _statistics_entry(item: ColumnStatistics, unit: str | None) -> StatisticsEntry:
    return StatisticsEntry(
        column=item.column,
        type=item.type,
        unit=unit,
        records=item.n_records,
        non_null=item.n_non_null,
        stated=item.n_stated,
        stated_absent=item.n_stated_absent,
        not_mentioned=item.n_not_mentioned,
        failed=item.n_failed,
        distinct=item.n_distinct,
        minimum=item.minimum,
        lower_quartile=item.lower_quartile,
        median=item.median,
        mean=item.mean,
        upper_quartile=item.upper_quartile,
        maximum=item.maximum,
        values=[ValueEntry(value=v.value, records=v.count) for v in item.values[:MAX_VALUES]],
        truncated=item.truncated or len(item.values) > MAX_VALUES,
    )


def run_sql_page(corpora: Corpora, call: SqlCall) -> ResultTable:
    """Run a statement and say over how many documents."""
    corpus = corpora.readable(call.corpus)
    page = corpus.select(call.sql, limit=call.limit, offset=call.offset)
    return ResultTable(
        columns=list(page.columns),
        rows=[list(row) for row in page.rows],
        truncated=page.truncated,
        next_offset=page.next_offset,
        coverage=render_coverage(corpus, call.sql),
    )


def answer_page(corpora: Corpora, name: str, question: str) -> AnswerPage:
    """Answer a question, or give the brief."""
    from srag_mcp.pipeline.ask import ask  # the grammar is not needed to list tools

    answer = ask(corpora.readable(name), question)
    if answer.brief is not None:
        return AnswerPage(answered=False, text=answer.text, brief=_brief_page(answer))
    return AnswerPage(
        answered=True,
        text=answer.text,
        reading=answer.restated,
        sql=answer.sql,
        columns=list(answer.columns),
        rows=[list(row) for row in answer.rows],
        truncated=answer.truncated,
        documents=answer.n_documents,
        denominator=render_denominator(answer.n_documents, answer.coverage),
        bounds=[answer.bounds.lower, answer.bounds.upper] if answer.bounds else [],
        warnings=list(answer.warnings),
        sources=[_source_entry(source) for source in answer.sources],
    )


def _brief_page(answer: Answer) -> BriefPage:
    brief = answer.brief
    if brief is None:
        msg = "an answer has no brief"
        raise ValueError(msg)
    columns = [
        f"{item.name} ({item.type}{', ' + item.unit if item.unit else ''}): {item.holds}"
        for item in brief.columns
    ]
    return BriefPage(
        reason=brief.reason,
        table=brief.table,
        columns=columns,
        linked_values=[
            LinkedValue(column=match.column, value=match.value, records=match.n_records)
            for match in brief.linked_values
        ],
        rules=list(brief.rules),
        next="write the SELECT and call run_sql; if no column holds what is asked, say so",
    )


def trace_page(corpora: Corpora, call: TraceCall) -> TracePage:
    """Give the evidence of cells."""
    corpus = corpora.readable(call.corpus)
    corpus.schema().attribute(call.column)
    found = corpus.trace(
        call.column,
        value=call.value,
        document_id=call.document_id,
        state=call.state,
        limit=call.limit,
        offset=call.offset,
    )
    following = call.offset + len(found.evidence)
    truncated = following < found.total
    return TracePage(
        corpus=corpora.name_of(corpus),
        sources=[_source_entry(item) for item in found.evidence],
        total=found.total,
        truncated=truncated,
        next_offset=following if truncated else None,
    )


def _source_entry(item: Evidence) -> SourceEntry:
    return SourceEntry(
        document_id=item.document_id,
        title=item.title,
        column=item.column,
        state=item.state,
        value=item.value,
        quote=item.as_stated,
        start=item.start,
        end=item.end,
        note=item.note,
    )


def document_page(
    corpora: Corpora, name: str, document_id: str, start: int, length: int
) -> DocumentPage:
    """Give a stretch of the text of a document."""
    corpus: Corpus = corpora.readable(name)
    found = corpus.document(document_id)
    text = corpus.document_text(document_id, start, start + length)
    end = start + len(text)
    truncated = end < found.characters
    return DocumentPage(
        document_id=found.id,
        title=found.title,
        characters=found.characters,
        start=start,
        end=end,
        text=text,
        truncated=truncated,
        next_start=end if truncated else None,
    )


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_DESCRIPTION else text[: MAX_DESCRIPTION - 1] + "…"
