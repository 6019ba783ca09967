"""The commands that read a corpus: answers, rows, columns, quotes, and what models have taken."""

import os
import shlex
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from srag_mcp import views
from srag_mcp.cli import arguments as given
from srag_mcp.cli.arguments import argument, find_corpus, flag, open_ready, open_tables, option
from srag_mcp.cli.editing_commands import decide_each
from srag_mcp.cli.printing import ONE_LINE_A_ROW, print_json, print_table, say
from srag_mcp.errors import (
    CorpusError,
    ModelError,
    QueryMemoryError,
    QueryTimeoutError,
    SeveralKindsError,
)
from srag_mcp.settings import Settings
from srag_mcp.text.shown import one_line, quoted

if TYPE_CHECKING:
    from srag_mcp.model.ledger import Call, Totals
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.export import Part
    from srag_mcp.views.results import Table

LimitOption = Annotated[int, option("Most cells.", "N", least=1, most=1000)]
OffsetOption = Annotated[int, option("Cells to leave out first.", "N", least=0)]
_ESTIMATED = "~"


ForceOption = Annotated[bool, flag("--force", "Replace a file that is there.")]


def ask(
    corpus: given.CorpusArgument,
    question: Annotated[str, argument("In plain words.", "QUESTION")],
    engine: given.EngineOption = None,
    model: given.ModelOption = None,
    previous: Annotated[str, option("The question before, if this leans on it.", "TEXT")] = "",
    verdict: Annotated[
        Literal["wrong"] | None, option("The answer was wrong: ask once more, for another reading.")
    ] = None,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Answer a question, with SQL, denominator and quotes; exit 3 if there is no answer."""
    from srag_mcp.engines.choice import choose_asking
    from srag_mcp.inference.ask_kinds import converse_kinds  # the grammar is for questions only
    from srag_mcp.store.feedback import MAX_TURNS

    settings = given.command_settings(home, engine=engine, model=model)
    asking = choose_asking(settings)
    with open_tables(corpus, settings) as opened:
        of, found = converse_kinds(
            opened, question, asking, previous=previous, verdict=verdict or ""
        )
        if of is not opened:
            corpus = of.name
            print(f"asked of {of.names()}", file=sys.stderr)
        no_reply = asking.model is not None and found.refused and found.taken is None
        page = views.answers.answer_page(of, found, views.answers.WHOLE)
        if as_json:
            print_json(page.exact())
        elif no_reply:
            raise ModelError(found.text)
        else:
            say(page.render(rows=False))
    if found.n_kept:
        kept = f"questions kept: {found.n_kept} of at most {MAX_TURNS}"
        print(
            f"{kept} (srag-mcp feedback {shlex.quote(corpus)} --forget drops them)", file=sys.stderr
        )
    if found.refused:
        raise typer.Exit(1 if no_reply else given.REFUSED_STATUS)


def sql(
    corpus: given.CorpusArgument,
    statement: Annotated[str, argument("One SELECT, DuckDB dialect.", "SQL")],
    limit: Annotated[int, option("Most rows.", "N", least=1, most=1000)] = 100,
    offset: Annotated[int, option("Rows to leave out first.", "N", least=0)] = 0,
    out: Annotated[
        Path | None, option("Write all rows to a file, as `export` does.", "FILE")
    ] = None,
    force: ForceOption = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Run one SELECT over the records of a corpus."""
    from srag_mcp.store.kind_tables import KindTables

    settings = given.command_settings(home)
    room = settings.max_result_characters
    if out is not None:
        from srag_mcp.store.export import check_target

        check_target(out, force=force)
    with open_tables(corpus, settings) as opened:
        if out is not None:
            if isinstance(opened, KindTables):
                msg = f"--out takes one kind of documents; name one: {opened.names()}"
                raise CorpusError(msg)
            export_query(opened, statement, out, settings)
            return
        page = views.answers.result_table(opened, statement, limit, offset, room)
    say(*map(one_line, (*page.coverage, *page.notes)), file=sys.stderr)
    if as_json:
        print_json(page.model_dump())
        return
    print_table(page.columns, page.rows)
    if page.truncated:
        print(f"more rows follow: --offset {page.next_offset}", file=sys.stderr)


def search(
    corpus: given.CorpusArgument,
    query: Annotated[str, argument("In plain words.", "QUERY")],
    where: Annotated[str, option("Only documents whose record meets it.", "CONDITION")] = "",
    documents: Annotated[str, option("Only documents with these document_id.", "SELECT")] = "",
    narrow: Annotated[
        bool, flag("--narrow/--all", "Narrow to documents that the query names.")
    ] = True,
    phrase: Annotated[str, option("Only passages with these words in a row.", "TEXT")] = "",
    per_document: Annotated[int, option("Most passages of one document.", "N", least=0)] = 0,
    limit: Annotated[int, option("Most passages.", "N", least=1, most=20)] = 10,
    offset: Annotated[int, option("Passages to leave out first.", "N", least=0)] = 0,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Find passages, with quotes and places, in all documents or in those that SQL chooses."""
    settings = given.command_settings(home)
    with open_tables(corpus, settings) as opened:
        page = views.findings.search_page(
            opened,
            query,
            settings.max_result_characters,
            documents=documents,
            where=where,
            narrow=narrow,
            phrase=phrase,
            per_document=per_document,
            limit=limit,
            offset=offset,
        )
    say(*map(one_line, page.head()), file=sys.stderr)
    if as_json:
        print_json(page.model_dump())
        return
    for number, item in enumerate(page.passages, offset + 1):
        print(f"{number}. {item.place()}\n   {quoted(item.quote, len(item.quote))}")
    if page.truncated:
        print(f"more passages follow: --offset {page.next_offset}", file=sys.stderr)


def schema(
    corpus: given.CorpusArgument, home: given.HomeOption = None, as_json: given.JsonOption = False
) -> None:
    """Show the columns of a corpus and what they hold."""
    from srag_mcp.schema.json_schema import schema_to_json
    from srag_mcp.store.kind_tables import KindTables

    with open_tables(corpus, given.command_settings(home)) as opened:
        if not isinstance(opened, KindTables):
            if as_json:
                print_json(schema_to_json(opened.kept_schema()))
            else:
                print_schema(opened)
        elif as_json:
            print_json({x.name: schema_to_json(x.kept_schema()) for x in opened.corpora})
        else:
            for own in opened.corpora:
                print_schema(own, opened.names_of(own))
            say(*views.holdings.say_keys(opened))


def print_schema(corpus: "Corpus", names: Mapping[str, str] | None = None) -> None:
    """Print the columns of a corpus and what they hold; *names* as in `holdings.column_lines`."""
    schema = corpus.schema()
    names = names or {table.entity: table.entity for table in schema.tables}
    title, n_documents = one_line(schema.title), corpus.info().n_documents
    print(f"{title}: table {names[schema.entity]}, {n_documents} documents")
    for child in schema.children:
        print(f"table {names[child.entity]}: {views.holdings.count_rows(corpus, child)}")
    print_table(*views.holdings.schema_table(corpus, names))
    say(*views.holdings.loose_notes(corpus), file=sys.stderr)


def stats(
    corpus: given.CorpusArgument,
    column: Annotated[list[str] | None, argument("Columns; all when none.", "[COLUMN]...")] = None,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Show how many documents know a column, and its values."""
    with open_ready(corpus, given.command_settings(home)) as opened:
        found = views.holdings.find_statistics(opened, column or ())
        if as_json:
            print_json([asdict(item) for item in found])
        else:
            print_table(*views.holdings.statistics_table(found, opened.schema().entity))


def trace(
    corpus: given.CorpusArgument,
    column: Annotated[str, argument("The column.", "COLUMN")],
    value: Annotated[str, option("Only cells with this value.", "TEXT")] = "",
    document: Annotated[str, option("Only this document.", "ID")] = "",
    state: Annotated[
        Literal["stated", "stated_absent", "not_mentioned", "failed", "corrected"] | None,
        option("Only cells in this state."),
    ] = None,
    limit: LimitOption = 20,
    offset: OffsetOption = 0,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Show the documents and quotes behind the values of a column."""
    with open_tables(corpus, given.command_settings(home)) as tables:
        page = views.findings.trace_page(
            views.holdings.kind_with(tables, column, document),
            column,
            value=value,
            document_id=document,
            state=state or "",
            limit=limit,
            offset=offset,
        )
    if as_json:
        print_json(page.model_dump())
    else:
        _print_cells(views.findings.evidence_table(page.sources), offset, page.total)


def review(
    corpus: given.CorpusArgument,
    column: Annotated[str, option("Only this column.", "COLUMN")] = "",
    limit: LimitOption = 20,
    offset: OffsetOption = 0,
    decide: Annotated[bool, flag("--decide", "Accept or correct each, by a key.")] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Show what to look at again: corrections, united names, what model and rule read apart."""
    from srag_mcp.page import shown_facts

    settings = given.command_settings(home)
    with open_ready(corpus, settings) as opened:
        if column:
            opened.schema().find_column(column)  # or says which there are
        counts, found = shown_facts.count_entries(opened), dict[str, list[shown_facts.Entry]]()
        for kind in shown_facts.DECIDED:
            wanted = shown_facts.EntriesWanted(kind=kind, column=column, offset=offset, limit=limit)
            found[kind] = shown_facts.find_entries(opened, wanted)
        united = opened.united_names(column, limit, offset)
        if decide:
            decide_each(opened, settings, [entry for of in found.values() for entry in of])
            return
    of_column = {
        kind: {name: n for name, n in own.items() if column in {"", name}}
        for kind, own in counts.items()
    }
    suspects = of_column["suspects"]
    if as_json:
        print_json({**found, "united": [*map(asdict, united)], "suspects": suspects})
        return
    for kind in shown_facts.DECIDED:
        if total := sum(of_column[kind].values()):
            _print_cells(shown_facts.entry_table(found[kind]), offset, total)
    if united:
        print_table(*views.findings.united_table(united))
    if suspects:
        named = ", ".join(f"{name} ({n})" for name, n in suspects.items())
        print(f"in doubt, and listed by srag-mcp view: {named}", file=sys.stderr)
    if not united and not any(of_column[kind] for kind in (*shown_facts.DECIDED, "suspects")):
        print("nothing to review", file=sys.stderr)


def _print_cells(table: "Table", offset: int, total: int) -> None:
    """Print a page of cells; on stderr, which they are, and where the next ones are."""
    columns, rows = table
    end = offset + len(rows)
    if not rows:
        print(f"no cell from --offset {offset} on; there are {total}", file=sys.stderr)
        return
    print_table(columns, rows)
    print(f"cells {offset + 1} to {end} of {total}", file=sys.stderr)
    if end < total:
        print(f"more follow: --offset {end}", file=sys.stderr)


def ledger(
    corpus: given.CorpusArgument,
    calls: Annotated[bool, flag("--calls", "Each call, oldest first.")] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Show what the calls of language models took: tokens, seconds, money."""
    from srag_mcp.model.ledger import Ledger
    from srag_mcp.store.spool import read_calls

    settings = given.command_settings(home)
    found = list(read_calls(find_corpus(corpus, settings), settings.home))
    counted = Ledger(found)
    steps: dict[str, Totals] = dict([*counted.by_step.items(), ("total", counted.total)])
    if as_json and calls:
        print_json([asdict(call) | {"at": call.at.isoformat()} for call in found])
    elif as_json:
        print_json({step: asdict(totals) for step, totals in steps.items()})
    elif calls:
        each = [(f"{x.at:%Y-%m-%d %H:%M:%S}", x.step, x.subject, x.model, x.outcome)
                for x in found]  # fmt: skip
        _print_counts(("at (UTC)", "step", "subject", "model", "outcome"), each, found)
    else:
        rows = [(step, item.n_calls, item.n_cached, item.n_failed) for step, item in steps.items()]
        _print_counts(("step", "answered", "kept before", "failed"), rows, list(steps.values()))


def _print_counts(
    columns: Sequence[str], rows: Sequence[Sequence[str | int]], counted: Sequence["Call | Totals"]
) -> None:
    """Print rows with what each has taken behind them."""
    taken = []
    for item in counted:
        about = _ESTIMATED if item.is_estimated else ""
        cost = "not known"
        if item.cost_usd is not None:
            cost = f"{about if item.cost_usd else ''}${item.cost_usd:,.4f}"
        tokens = f"{about}{item.tokens_in}", f"{about}{item.tokens_out}"
        taken.append((*tokens, item.tokens_cached, round(item.seconds, 1), cost))
    print_table(
        (*columns, "tokens in", "out", "cached by provider", "seconds", "cost"),
        [(*row, *counts) for row, counts in zip(rows, taken, strict=True)],
        file_width=ONE_LINE_A_ROW,
    )
    if any(item.is_estimated for item in counted):
        print(f"{_ESTIMATED} nobody counted these tokens: they are estimated", file=sys.stderr)


def export(
    corpus: given.CorpusArgument,
    out: Annotated[Path, argument("A .csv, .parquet, .xlsx, .jsonl or .duckdb file.", "OUT")],
    statement: Annotated[str, option("The rows of this SELECT.", "SQL", name="--sql")] = "",
    table: Annotated[str, option("This table; the records when none.", "NAME")] = "",
    quotes: Annotated[
        bool, flag("--quotes", "Behind each column, the words of the document.")
    ] = False,
    states: Annotated[
        bool, flag("--states", "Behind each column, whether the document says it.")
    ] = False,
    force: ForceOption = False,
    home: given.HomeOption = None,
) -> None:
    """Write a whole table, or all rows of a query, to a file; of several kinds, all tables."""
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.export import Part, check_target, files_of, table_sql

    if statement and (table or quotes or states):
        msg = "--sql goes without --table, --quotes and --states: it says itself what is written"
        raise typer.BadParameter(msg)
    settings = given.command_settings(home)
    check_target(out, force=force)
    with open_tables(corpus, settings) as opened:
        if isinstance(opened, Corpus):
            if statement:
                export_query(opened, statement, out, settings)
                return
            wanted = [(opened, table, table or opened.schema().entity)]
        else:
            own = [x for x in opened.own_tables() if table in {"", x.name}]
            if statement or not own:
                raise SeveralKindsError(corpus, [opened.names()])
            wanted = [(x.corpus, x.table.entity, x.name) for x in own]
        parts = [
            Part(of, table_sql(of, name, quotes=quotes, states=states), called)
            for of, name, called in wanted
        ]
        for file in {*files_of([x.name for x in parts], out)}:
            check_target(file, force=force)
        _export(parts, out, settings)
        say(*map(one_line, opened.notices()), file=sys.stderr)


def export_query(corpus: "Corpus", statement: str, out: Path, settings: Settings) -> None:
    """Write all rows of a query; say of them on stderr what `srag-mcp sql` says."""
    from srag_mcp.store.export import Part

    room, said = settings.max_result_characters, ["over how many documents this is was not counted"]
    try:
        page = views.answers.result_table(corpus, statement, 1, 0, room)
        said = [*page.coverage, *page.notes]
    except (QueryTimeoutError, QueryMemoryError) as error:  # an export may take longer
        said.append(str(error))
    _export([Part(corpus, statement, "result")], out, settings)
    say(*map(one_line, said), file=sys.stderr)


def _export(parts: "Sequence[Part]", out: Path, settings: Settings) -> None:
    from srag_mcp.store.export import export_parts, files_of

    counts = export_parts(parts, out, settings.export_timeout_s)
    files = files_of([part.name for part in parts], out)
    for part, file, n_rows in zip(parts, files, counts, strict=True):
        of = f" of {part.name}" if len(parts) > 1 else ""
        print(f"{n_rows:,} {'row' if n_rows == 1 else 'rows'}{of} written to {file}")


def view(
    corpus: given.CorpusArgument,
    write: Annotated[
        Path | None, option("Write a page to read without a server, to a .html file.", "FILE")
    ] = None,
    force: ForceOption = False,
    port: Annotated[
        int, option("Of 127.0.0.1; 0 for a free one.", "PORT", least=0, most=65535)
    ] = 0,
    open_browser: Annotated[bool, flag("--open/--no-open", "Open it in a browser.")] = True,
    engine: given.EngineOption = None,
    model: given.ModelOption = None,
    home: given.HomeOption = None,
) -> None:
    """Look at a corpus in a browser: rows, columns, quotes, what to check, questions, search."""
    from srag_mcp.store.corpus import Corpus

    settings = given.command_settings(home, engine=engine, model=model)
    if write is not None:
        from srag_mcp.page.page_server import ENDINGS, write_page
        from srag_mcp.store.export import check_target, files_of

        check_target(write, force=force, endings=ENDINGS)
    with open_tables(corpus, settings) as found:
        kinds = [found] if isinstance(found, Corpus) else found.corpora
        if write is not None:
            files = files_of([x.name.rpartition("/")[2] for x in kinds], write)
            for file in files:
                check_target(file, force=force, endings=ENDINGS)
            for opened, file in zip(kinds, files, strict=True):
                print(write_page(opened, file))
            return
        from srag_mcp.page.page_server import serve_page

        def tell(address: str) -> None:
            print(f"{address}\nCtrl-C ends it.", flush=True)
            names = ("DISPLAY", "WAYLAND_DISPLAY")
            has_screen = sys.platform in {"win32", "darwin"} or any(map(os.environ.get, names))
            if open_browser and has_screen:  # a browser in the terminal would hold it
                webbrowser.open(address)

        for opened in kinds:
            opened.info()  # what is wrong with the build is said here, and its reader is warm
        serve_page(kinds, settings, port, tell)
