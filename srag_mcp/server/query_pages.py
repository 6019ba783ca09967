"""What run_sql and ask return: rows with their denominator, an answer, or a brief."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from srag_mcp.errors import QueryError, UnknownNameError
from srag_mcp.server.corpora import ROWS_SHARE, Corpora
from srag_mcp.server.page_size import fit_lines, json_size, take_whole
from srag_mcp.server.results import (
    AnswerPage,
    BriefPage,
    LinkedValue,
    ResultTable,
    SourceEntry,
)
from srag_mcp.server.schema_pages import column_lines, other_tables, propose_column
from srag_mcp.text.shown import shorten

if TYPE_CHECKING:
    from srag_mcp.ask.answer import Answer
    from srag_mcp.ask.brief import Brief
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.evidence import Evidence
    from srag_mcp.store.guard import ResultPage

WORDS_SHARE = 0.1  # of the characters of a result, each for coverage and notes
TEXT_SHARE = 0.3  # of the characters of a result: its words repeat its rows
MAX_QUOTE_CHARACTERS = 500
MAX_WARNING_CHARACTERS = 3000
HELP = "get_schema shows tables, columns and types; get_column_stats what they hold"
NEXT_OF_BUILD = "write the SELECT and call run_sql; if no column holds what is asked, say so"
NEXT = f"{NEXT_OF_BUILD}, or add it: extend_schema with "
IN_WORDS = "what it should hold in words"


@dataclass(frozen=True, slots=True)
class SqlCall:
    """The arguments of run_sql."""

    corpus: str
    sql: str
    limit: int
    offset: int


def run_sql_page(corpora: Corpora, call: SqlCall) -> ResultTable:
    """Run a statement and say over how many documents, and what unknown cells could change.

    Raises:
        QueryError: If it is refused, wrong, or too heavy; the text says what to do.
    """
    corpus = corpora.readable(call.corpus)
    page = _select(corpus, call)
    coverage, notes = _grounds(corpus, call, page)
    room = int(corpora.settings.max_result_characters * WORDS_SHARE)
    return ResultTable(
        columns=list(page.columns),
        rows=[list(row) for row in page.rows],
        truncated=page.truncated,
        next_offset=page.next_offset,
        coverage=fit_lines(coverage, room),
        notes=fit_lines(notes, room),
    )


def _select(corpus: "Corpus", call: SqlCall) -> "ResultPage":
    try:
        return corpus.select(call.sql, limit=call.limit, offset=call.offset)
    except QueryError as error:
        if isinstance(error, UnknownNameError) and 'column "' in str(error).partition("\n")[0]:
            msg = f"{error}{propose_column(corpus)}"
            raise UnknownNameError(msg, call.sql, error.nearest) from error
        if type(error) is not QueryError:  # the texts of its subclasses say what to do
            raise
        msg = f"{error}\n{HELP}"
        raise QueryError(msg, call.sql) from error


def _grounds(corpus: "Corpus", call: SqlCall, page: "ResultPage") -> tuple[list[str], list[str]]:
    """Say what an answer says beside its rows; of further pages only over how many documents."""
    from srag_mcp.ask.answer import render_denominator  # not needed to list tools
    from srag_mcp.ask.grounds import find_denominator, find_grounds
    from srag_mcp.sqlfacts.query import read_query

    facts = read_query(call.sql, corpus.schema())
    if call.offset:
        found = find_denominator(corpus, facts, page)
        notes = [] if page.rows else [f"no rows from offset {call.offset} on"]
        return [] if found is None else [render_denominator(found)], notes
    grounds = find_grounds(corpus, facts, page, is_quick=True)
    nothing = list(grounds.nothing)
    if not page.rows and not nothing:
        nothing = ["no rows; get_column_stats shows what columns hold"]
    return grounds.coverage, [*nothing, *grounds.notes]


def answer_page(corpora: Corpora, name: str, question: str) -> AnswerPage:
    """Answer a question, or give the brief."""
    from srag_mcp.ask.ask import ask, choose_asking  # the grammar is not needed to list tools

    corpus = corpora.readable(name)
    answer = ask(corpus, question, choose_asking(corpora.settings))
    if answer.brief is not None:
        brief = _brief_page(corpus, answer.brief, _next(corpus, answer))
        text = answer.text.partition(" (columns: ")[0]  # the brief tells more of them
        return AnswerPage(answered=False, text=text, brief=brief)
    return _fitted(_answer_page(answer), answer, corpora.settings.max_result_characters)


def _answer_page(answer: "Answer") -> AnswerPage:
    from srag_mcp.ask.answer import render_bounds, render_denominator  # not to list tools

    found = answer.denominator
    denominator = [] if found is None else [render_denominator(found)]
    if answer.bounds is not None:
        denominator.append(render_bounds(answer.bounds))
    return AnswerPage(
        answered=True,
        text=answer.text,
        reading=answer.restated,
        sql=answer.sql,
        columns=list(answer.columns),
        truncated=answer.truncated,
        documents=found.n_documents if found is not None else 0,
        denominator=" ".join(denominator),
        bounds=[answer.bounds.lower, answer.bounds.upper] if answer.bounds else [],
        warnings=fit_lines([*answer.assumptions, *answer.warnings], MAX_WARNING_CHARACTERS),
        sources=[_source_entry(source) for source in answer.sources],
        engine=_engine(answer),
    )


def _engine(answer: "Answer") -> str:
    """Say who translated: `"offline"`, `"model: 1 calls, 3,812 tokens, $0.0009"`."""
    if answer.taken is None:
        return answer.engine
    from srag_mcp.ask.answer import render_taken

    return f"{answer.engine}: {render_taken(answer.taken)}"


def _fitted(page: AnswerPage, answer: "Answer", max_characters: int) -> AnswerPage:
    """Add as many whole rows as there is room for."""
    text = shorten(page.text, int(max_characters * TEXT_SHARE))
    room = int(max_characters * ROWS_SHARE) - json_size(page.model_copy(update={"text": text}))
    rows = take_whole([list(row) for row in answer.rows], room)
    truncated = page.truncated or len(rows) < len(answer.rows)
    return page.model_copy(update={"text": text, "rows": rows, "truncated": truncated})


def _next(corpus: "Corpus", answer: "Answer") -> str:
    """Say what to do about a brief: a model names what is missing, or nothing is."""
    missing = answer.brief.unplaced if answer.brief and answer.engine == "model" else ()
    if corpus.is_build or (answer.engine == "model" and not missing):
        return NEXT_OF_BUILD
    return f"{NEXT}{' and '.join(f'attribute={item!r}' for item in missing) or IN_WORDS}"


def _brief_page(corpus: "Corpus", brief: "Brief", following: str) -> BriefPage:
    return BriefPage(
        table=brief.table,
        documents=corpus.info().n_documents,
        columns=column_lines(corpus),
        other_tables=other_tables(corpus),
        linked_values=[
            LinkedValue(column=match.column, value=match.value, records=match.n_records)
            for match in brief.linked_values
        ],
        rules=list(brief.rules),
        next=following,
    )


def _source_entry(item: "Evidence") -> SourceEntry:
    return SourceEntry(
        document_id=item.document_id,
        title=item.title,
        column=item.column,
        state=item.state,
        value=item.value,
        unit=item.unit,
        quote=None if item.as_stated is None else shorten(item.as_stated, MAX_QUOTE_CHARACTERS),
        start=item.start,
        end=item.end,
        note=item.note,
    )
