"""What comes back of a query or a question: rows with their denominator, an answer, or a brief."""

from collections.abc import Sequence

from srag_mcp.cells.cell import is_predicted
from srag_mcp.engines.choice import choose_asking
from srag_mcp.errors import QueryError, UnknownNameError
from srag_mcp.inference.answer import (
    Answer,
    Reading,
    render_bounds,
    render_denominator,
    render_number,
    render_taken,
)
from srag_mcp.inference.ask_kinds import QueryAcross, converse_kinds
from srag_mcp.inference.brief import RULES, Brief, Proposal
from srag_mcp.inference.by_model import write_tables
from srag_mcp.inference.grounds import find_denominator, find_grounds
from srag_mcp.inference.linking import LinkedValues
from srag_mcp.inference.turns import AgentVerdict
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage
from srag_mcp.store.kind_tables import KindTables
from srag_mcp.store.renamings import renamed_in
from srag_mcp.text.shown import shorten
from srag_mcp.views.findings import passage_entry, source_entry
from srag_mcp.views.holdings import KEY_LINE, lines_of_kinds, other_tables, propose_column, say_keys
from srag_mcp.views.results import (
    ROWS_SHARE,
    AnswerPage,
    BriefPage,
    LinkedValue,
    ProposalEntry,
    RejectedReading,
    ResultTable,
    cut_text,
    extension_call,
    fit_lines,
    json_size,
    take_whole,
)

WORDS_SHARE = 0.1  # of the characters of a result, each for coverage and notes
TEXT_SHARE = 0.3  # of the characters of a result: its words repeat its rows
SQL_SHARE = 0.15  # the same, for each query: what is cut cannot be run
WHOLE = 10_000_000  # characters of what a terminal shows
MAX_QUOTE_CHARACTERS = 500
MAX_WARNING_CHARACTERS = 3000
HELP = "get_schema shows tables, columns and types; get_column_stats what they hold"
NEXT = (
    "write the SELECT and call run_sql; if no column holds what is asked, do not guess: look for"
    " passages with search_documents, or say so"
)
TEACH = (
    "; or call ingest_corpus with corpus={!r} and engine={!r}, and this question as one of its"
    " sample_questions: a prompt or two, no document is read again, and ask answers it from then on"
)
UNCOUNTED = "by the old name, over how many documents this is could not be counted"
IN_WORDS = "what it should hold in words"


def result_table(
    corpus: Corpus | KindTables, sql: str, limit: int, offset: int, max_characters: int
) -> ResultTable:
    """Run a statement and say over how many documents, and what unknown cells could change.

    Of further pages it is said only over how many documents. Of the kinds of a folder, one that
    alone is read is asked as the corpus that it is.

    Raises:
        QueryError: If it is refused, wrong, or too heavy; the text says what to do.
    """
    across = QueryAcross(corpus, sql) if isinstance(corpus, KindTables) else None
    if across is not None and across.of is not None:
        corpus, across = across.of, None
    try:
        page = corpus.select(sql, limit=limit, offset=offset)
    except UnknownNameError as error:
        is_column = 'column "' in str(error).partition("\n")[0]
        if not is_column or isinstance(corpus, KindTables):
            raise
        msg = f"{error}{propose_column(corpus)}"
        raise UnknownNameError(msg, sql, error.nearest) from error
    except QueryError as error:
        if type(error) is not QueryError:  # the texts of its subclasses say what to do
            raise
        msg = f"{error}\n{HELP}"
        raise QueryError(msg, sql) from error
    if isinstance(corpus, KindTables):
        assert across is not None
        coverage, notes = [*across.coverage()], [] if offset else [*across.notes(page)]
        return _result_page(page, coverage, notes, max_characters)
    facts = read_query(sql, corpus.schema())
    if renamed := renamed_in(sql, corpus.info().renamed):
        # what is counted is counted by the names of today
        coverage, notes = [], [*(f"{text}: {UNCOUNTED}" for text in renamed), *corpus.notices()]
    elif offset:
        found = find_denominator(corpus, facts, page)
        coverage = [] if found is None else [render_denominator(found)]
        notes = ([] if page.rows else [f"no rows from offset {offset} on"]) + [*corpus.notices()]
    else:
        grounds = find_grounds(corpus, facts, page, is_quick=True)
        coverage, notes = grounds.coverage, [*grounds.nothing, *grounds.doubts, *grounds.notes]
        if not page.rows and not grounds.nothing:
            notes.insert(0, "no rows; get_column_stats shows what columns hold")
    return _result_page(page, coverage, notes, max_characters)


def _result_page(
    page: ResultPage, coverage: Sequence[str], notes: Sequence[str], max_characters: int
) -> ResultTable:
    room = int(max_characters * WORDS_SHARE)
    return ResultTable(
        columns=list(page.columns),
        rows=[list(row) for row in page.rows],
        truncated=page.truncated,
        next_offset=page.next_offset,
        coverage=fit_lines(coverage, room),
        notes=fit_lines(notes, room),
    )


def ask_page(
    corpus: Corpus | KindTables,
    question: str,
    settings: Settings,
    previous: str = "",
    verdict: AgentVerdict = "",
) -> AnswerPage:
    """Answer a question; see `answer_page`. Of the kinds of a folder, those that it is about."""
    asking, room = choose_asking(settings), settings.max_result_characters
    of, answer = converse_kinds(corpus, question, asking, previous=previous, verdict=verdict)
    page = answer_page(of, answer, room)
    return page if of is corpus else page.model_copy(update={"corpus": of.names()})


def answer_page(corpus: Corpus | KindTables, answer: Answer, max_characters: int) -> AnswerPage:
    """Write an answer with as many whole rows, or quotes, as there is room for; or the brief."""
    proposal = None
    if answer.proposal is not None and isinstance(corpus, Corpus) and not corpus.is_build:
        entry = _proposal_entry(corpus, answer.proposal)
        # a call that is cut would read other documents
        proposal = entry if json_size(entry) <= max_characters * TEXT_SHARE else None
    if answer.brief is not None:
        brief = brief_page(corpus, answer, answer.brief, adds=proposal is None)
        text = shorten(answer.text, int(max_characters * TEXT_SHARE))
        page = AnswerPage(answered=False, text=text, brief=brief, proposal=proposal)
        return _say_turn(page, answer, max_characters)
    if answer.reading is not None:
        return _reading_page(corpus.name, answer, answer.reading, max_characters)
    page = _rows_page(answer, proposal, max_characters)
    if isinstance(corpus, KindTables):
        page.documents = corpus.n_documents
    return page


def _rows_page(answer: Answer, proposal: ProposalEntry | None, max_characters: int) -> AnswerPage:
    found, bounds = answer.denominator, answer.bounds
    denominator = [] if found is None else [render_denominator(found)]
    if bounds is not None:
        denominator.append(render_bounds(bounds))
    page = AnswerPage(
        answered=True,
        text=shorten(answer.text, int(max_characters * TEXT_SHARE)),
        reading=shorten(answer.restated, int(max_characters * WORDS_SHARE)),
        sql=_shown_sql(answer.sql, max_characters),
        columns=list(answer.columns),
        truncated=answer.truncated,
        documents=0 if found is None else found.n_documents,
        denominator=" ".join(denominator),
        bounds=[] if bounds is None else [bounds.lower, bounds.upper],
        warnings=fit_lines([*answer.assumptions, *answer.warnings], MAX_WARNING_CHARACTERS),
        sources=[source_entry(item, MAX_QUOTE_CHARACTERS) for item in answer.sources],
        engine=_say_engine(answer),
        proposal=proposal,
    )
    room = int(max_characters * ROWS_SHARE) - json_size(_say_turn(page, answer, max_characters))
    page.rows = take_whole([list(row) for row in answer.rows], room)
    page.truncated = page.truncated or len(page.rows) < len(answer.rows)
    return page


def _say_engine(answer: Answer) -> str:
    """Say who answered and what it took: `"model: 2 calls, 812 tokens (narrow 300, read 512)"`."""
    if answer.taken is None:
        return answer.engine
    said = f"{answer.engine}: {render_taken(answer.taken)}"
    steps = (f"{step} {taken.tokens_in + taken.tokens_out:,}" for step, taken in answer.steps)
    return f"{said} ({', '.join(steps)})" if len(answer.steps) > 1 else said


def _reading_page(corpus: str, answer: Answer, reading: Reading, max_characters: int) -> AnswerPage:
    """Write an answer from passages, with as many of its quotes as there is room for."""
    page = AnswerPage(
        answered=True,
        text=shorten(_with_marks(reading), int(max_characters * TEXT_SHARE)),
        sql=_shown_sql(reading.documents or "", max_characters),
        documents=reading.n_searched,
        denominator=reading.render_scope(),
        warnings=fit_lines([*answer.assumptions, *answer.warnings], MAX_WARNING_CHARACTERS),
        computed=fit_lines(_computed_lines(reading), MAX_WARNING_CHARACTERS),
        missing=list(reading.missing),
        engine=_say_engine(answer),
    )
    room = int(max_characters * ROWS_SHARE) - json_size(_say_turn(page, answer, max_characters))
    quotes = [passage_entry(item, corpus) for item in reading.quotes]
    page.quotes = take_whole(quotes, room)
    page.truncated = len(page.quotes) < len(quotes)
    return page


def _with_marks(reading: Reading) -> str:
    """Write the sentences, each with the numbers of its quotes: `It grew by 12 %. [1][2]`."""
    numbers = {item: number for number, item in enumerate(reading.quotes, start=1)}
    said = []
    for sentence in reading.sentences:
        marks = "".join(f"[{numbers[item]}]" for item in sentence.quotes)
        said.append(f"{sentence.text} {marks}")
    return " ".join(said)


def _computed_lines(reading: Reading) -> list[str]:
    """Write each result with its expression, and the numbers that they are computed of."""
    if not reading.computed:
        return []
    values = ", ".join(f"{name} = {render_number(value)}" for name, value in reading.values)
    return [*(item.render() for item in reading.computed), f"with {values}"]


def _say_turn(page: AnswerPage, answer: Answer, max_characters: int) -> AnswerPage:
    """Say on *page* what was asked in the end, and what was called wrong."""
    page.asked = answer.asked
    if (before := answer.before) is not None:
        text = shorten(before.text, int(max_characters * WORDS_SHARE))
        page.rejected = RejectedReading(text=text, sql=_shown_sql(before.sql, max_characters))
    return page


def _shown_sql(sql: str, max_characters: int) -> str:
    """Return *sql*, with a mark behind what there is room for."""
    shown = cut_text(sql, int(max_characters * SQL_SHARE))
    return shown if shown == sql else f"{shown} … (cut: it has {len(sql):,} characters)"


def _proposal_entry(corpus: Corpus, proposal: Proposal) -> ProposalEntry:
    price = proposal.price
    arguments: dict[str, str | bool] = {
        "attribute": proposal.attribute,
        "documents": proposal.documents,
        "keep": False,
    }
    return ProposalEntry(
        tool="extend_schema",
        arguments={"corpus": corpus.name, **arguments},
        documents=price.n_documents,
        prompts=price.n_prompts,
        tokens=price.tokens,
        next=f"to read it from {price}, {extension_call(corpus.name, arguments)}; then ask again",
    )


def brief_page(
    corpus: Corpus | KindTables, answer: Answer, brief: Brief, *, adds: bool = True
) -> BriefPage:
    """Write the brief, the columns as a model would be shown them; *adds*: with calls for more."""
    linked = [item for found in brief.linked_values for item in _linked_entries(found)]
    named = ", ".join(line.partition("(")[0] for line in other_tables(corpus))
    page = BriefPage(
        table=brief.table,
        documents=0,
        columns=[],
        other_tables=[f"{named} (get_schema has their columns)"] * bool(named),
        linked_values=linked,
        rules=[*RULES],
        next=NEXT,
    )
    if isinstance(corpus, KindTables):
        page.documents, page.columns = corpus.n_documents, lines_of_kinds(corpus)
        page.rules += say_keys(corpus)
        return page
    # A model names what is missing, or nothing is; the grammar knows words only.
    by_model = answer.taken is not None
    missing = brief.unplaced if by_model else ()
    if not corpus.is_build and adds and (missing or not by_model):
        wishes = " and ".join(f"attribute={item!r}" for item in missing) or IN_WORDS
        page.next += f", or add it: extend_schema with corpus={corpus.name!r} and {wishes}"
    if not corpus.is_build and is_predicted(engine := corpus.info().engine):
        page.next += TEACH.format(corpus.name, engine)
    page.documents = corpus.info().n_documents
    written, *_ = write_tables(corpus, answer.asked or answer.question)
    page.columns = [KEY_LINE, *written.splitlines()]
    page.passages = [passage_entry(item, corpus.name) for item in brief.passages]
    page.previous = shorten(brief.previous, MAX_WARNING_CHARACTERS)
    return page


def _linked_entries(linked: LinkedValues) -> list[LinkedValue]:
    """Write each value, or the pattern that matches them all."""
    if linked.pattern:
        n_records = linked.n_records
        return [LinkedValue(column=linked.column, pattern=linked.pattern, records=n_records)]
    return [
        LinkedValue(column=linked.column, value=match.value, records=match.n_records)
        for match in linked.values
    ]
