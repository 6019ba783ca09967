"""What comes back of a query or a question: rows with their denominator, an answer, or a brief."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import asdict, replace

from srag_mcp.ask.answer import Answer, render_bounds, render_denominator, render_taken
from srag_mcp.ask.ask import ask
from srag_mcp.ask.brief import Brief
from srag_mcp.ask.grounds import find_denominator, find_grounds
from srag_mcp.engines.choice import choose_asking
from srag_mcp.errors import QueryError, UnknownNameError
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage
from srag_mcp.text.shown import one_line, printable, quoted, shorten
from srag_mcp.views.holdings import column_lines, other_tables, propose_column
from srag_mcp.views.page_size import ROWS_SHARE, fit_lines, json_size, take_whole
from srag_mcp.views.results import AnswerPage, BriefPage, LinkedValue, ResultTable, SourceEntry

WORDS_SHARE = 0.1  # of the characters of a result, each for coverage and notes
TEXT_SHARE = 0.3  # of the characters of a result: its words repeat its rows
MAX_QUOTE_CHARACTERS = 500
MAX_WARNING_CHARACTERS = 3000
MAX_COLUMNS = 40
MAX_ID_CHARACTERS = 200
MAX_MISSING = 3
HELP = "get_schema shows tables, columns and types; get_column_stats what they hold"
NEXT_OF_BUILD = "write the SELECT and call run_sql; if no column holds what is asked, say so"
NEXT = f"{NEXT_OF_BUILD}, or add it: extend_schema with "
SOURCE_FIELDS = ("document_id", "title", "column", "state", "value", "unit", "start", "end", "note")
IN_WORDS = "what it should hold in words"
_COLUMN_LIST = re.compile(r"\s*\(columns: .*\)\s*$", re.DOTALL)


def result_table(
    corpus: Corpus, sql: str, limit: int, offset: int, max_characters: int
) -> ResultTable:
    """Run a statement and say over how many documents, and what unknown cells could change.

    Raises:
        QueryError: If it is refused, wrong, or too heavy; the text says what to do.
    """
    try:
        page = corpus.select(sql, limit=limit, offset=offset)
    except UnknownNameError as error:
        if 'column "' not in str(error).partition("\n")[0]:
            raise
        msg = f"{error}{propose_column(corpus)}"
        raise UnknownNameError(msg, sql, error.nearest) from error
    except QueryError as error:
        if type(error) is not QueryError:  # the texts of its subclasses say what to do
            raise
        msg = f"{error}\n{HELP}"
        raise QueryError(msg, sql) from error
    coverage, notes = _grounds(corpus, sql, page, offset)
    room = int(max_characters * WORDS_SHARE)
    return ResultTable(
        columns=list(page.columns),
        rows=[list(row) for row in page.rows],
        truncated=page.truncated,
        next_offset=page.next_offset,
        coverage=fit_lines(coverage, room),
        notes=fit_lines(notes, room),
    )


def _grounds(
    corpus: Corpus, sql: str, page: ResultPage, offset: int
) -> tuple[list[str], list[str]]:
    """Say what an answer says beside its rows; of further pages only over how many documents."""
    facts = read_query(sql, corpus.schema())
    if offset:
        found = find_denominator(corpus, facts, page)
        nothing = [] if page.rows else [f"no rows from offset {offset} on"]
        notes = [*nothing, *corpus.notices()]
        return [] if found is None else [render_denominator(found)], notes
    grounds = find_grounds(corpus, facts, page, is_quick=True)
    nothing = list(grounds.nothing)
    if not page.rows and not nothing:
        nothing = ["no rows; get_column_stats shows what columns hold"]
    return grounds.coverage, [*nothing, *grounds.notes]


def ask_page(corpus: Corpus, question: str, settings: Settings) -> AnswerPage:
    """Answer a question, or give the brief."""
    answer = ask(corpus, question, choose_asking(settings))
    return answer_page(corpus, answer, settings.max_result_characters)


def answer_page(corpus: Corpus, answer: Answer, max_characters: int) -> AnswerPage:
    """Show an answer with as many whole rows as there is room for; or the brief."""
    if answer.brief is not None:
        text = answer.text.partition(" (columns: ")[0]  # the brief tells more of them
        return AnswerPage(
            answered=False, text=text, brief=_brief_page(corpus, answer.brief, answer)
        )
    found, bounds = answer.denominator, answer.bounds
    denominator = [] if found is None else [render_denominator(found)]
    if bounds is not None:
        denominator.append(render_bounds(bounds))
    taken = "" if answer.taken is None else f": {render_taken(answer.taken)}"
    page = AnswerPage(
        answered=True,
        text=shorten(answer.text, int(max_characters * TEXT_SHARE)),
        reading=answer.restated,
        sql=answer.sql,
        columns=list(answer.columns),
        truncated=answer.truncated,
        documents=0 if found is None else found.n_documents,
        denominator=" ".join(denominator),
        bounds=[] if bounds is None else [bounds.lower, bounds.upper],
        warnings=fit_lines([*answer.assumptions, *answer.warnings], MAX_WARNING_CHARACTERS),
        sources=[
            SourceEntry(
                **{name: getattr(item, name) for name in SOURCE_FIELDS},
                quote=None
                if item.as_stated is None
                else shorten(item.as_stated, MAX_QUOTE_CHARACTERS),
            )
            for item in answer.sources
        ],
        engine=f"{answer.engine}{taken}",  # `"model: 1 calls, 3,812 tokens, $0.0009"`
    )
    room = int(max_characters * ROWS_SHARE) - json_size(page)
    page.rows = take_whole([list(row) for row in answer.rows], room)
    page.truncated = page.truncated or len(page.rows) < len(answer.rows)
    return page


def _brief_page(corpus: Corpus, brief: Brief, answer: Answer) -> BriefPage:
    # A model names what is missing, or nothing is; the grammar knows words only.
    missing = brief.unplaced if answer.taken is not None else ()
    following = NEXT_OF_BUILD
    if not corpus.is_build and (answer.taken is None or missing):
        following = f"{NEXT}{' and '.join(f'attribute={item!r}' for item in missing) or IN_WORDS}"
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


def shorten_reason(reason: str) -> str:
    """Leave the list of all columns out of the reason of a refusal: a terminal shows it apart."""
    return _COLUMN_LIST.sub("", reason)


def answer_data(answer: Answer) -> dict[str, object]:
    """Return an answer as JSON values; its reading says again what it has."""
    shown = asdict(replace(answer, translation=None))
    del shown["translation"]
    return shown


def answer_lines(answer: Answer, corpus: str) -> Iterator[str]:
    """Write an answer for people: text, denominator and quotes, or why there is none.

    *corpus* is its name on the command line, for the commands that the text proposes.
    """
    if answer.brief is not None:
        yield printable(shorten_reason(answer.text))
        yield from _brief_lines(answer.brief, corpus, by_model=answer.taken is not None)
        return
    yield f"{one_line(answer.text)}\n"
    if answer.denominator is not None:
        yield render_denominator(answer.denominator)
    if answer.bounds is not None:
        yield render_bounds(answer.bounds)
    for warning in (*answer.assumptions, *answer.warnings):
        yield f"Note: {one_line(warning)}."
    yield f"\nSQL:  {printable(answer.sql)}"
    if answer.taken is not None:
        yield f"By:   {answer.engine}, {render_taken(answer.taken)}"
    for source in answer.sources:
        document = shorten(source.document_id, MAX_ID_CHARACTERS)
        yield f"Says: {document}: {source.column} — {quoted(source.as_stated or '')}"


def _brief_lines(brief: Brief, corpus: str, *, by_model: bool) -> Iterator[str]:
    names = [column.name for column in brief.columns]
    more = f", … {len(names) - MAX_COLUMNS} more" if len(names) > MAX_COLUMNS else ""
    yield f"\nColumns of {brief.table}: {', '.join(names[:MAX_COLUMNS])}{more}"
    for match in brief.linked_values:
        yield f"{quoted(match.value)} is a value of {match.column}"
    extend = f"srag-mcp extend {corpus} --attribute"
    if not by_model:
        yield f'If no column holds it, add one: {extend} "…"'
    else:
        for item in brief.unplaced[:MAX_MISSING]:
            yield f"To add it: {extend} {shlex.quote(printable(item))}"
    yield f'Ask with other words, or write the query: srag-mcp sql {corpus} "SELECT …"'
