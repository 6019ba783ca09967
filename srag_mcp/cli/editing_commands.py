"""The commands by which a person says what is so: columns, values, names, answers."""

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from srag_mcp import views
from srag_mcp.cli import arguments as given
from srag_mcp.cli.arguments import argument, find_corpus, flag, open_ready, option
from srag_mcp.cli.building_commands import agrees
from srag_mcp.cli.printing import print_either, print_json, print_table, say
from srag_mcp.errors import QuestionError, SchemaError, SettingsError, SragError, StoreError
from srag_mcp.settings import COLUMN_EDITS, Settings
from srag_mcp.text.shown import one_line, printable
from srag_mcp.views.results import for_terminal

if TYPE_CHECKING:
    from srag_mcp.page.shown_facts import Entry
    from srag_mcp.pipeline.correction_run import Wanted
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.views.job_pages import PromptDesk
    from srag_mcp.views.results import PromptPage


def columns(
    corpus: given.CorpusArgument,
    action: Annotated[str, argument(f"{COLUMN_EDITS}.", "ACTION")],
    names: Annotated[list[str], argument("What it takes.", "NAME...")],
    yes: given.YesOption = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Rename, drop, hide, merge or retype columns; what changes is shown and asked about first."""
    from srag_mcp.pipeline.column_run import change_columns

    settings = given.command_settings(home)
    location = find_corpus(corpus, settings)
    if not yes:
        change = change_columns(location, settings, action, names, is_preview=True)
        print_either(asdict(change), change.lines(), as_json=as_json)
        if not agrees("Do it?"):
            raise typer.Exit(given.REFUSED_STATUS)
    change = change_columns(location, settings, action, names)
    print_either(asdict(change), change.lines(), as_json=as_json and yes)
    if not as_json:
        say("published")


_MAX_LISTED = 1_000  # names with several spellings
_OTHER_KEYS = "c correct, s skip, q quit"


def correct(
    corpus: given.CorpusArgument,
    document: Annotated[str, argument("Its document_id.", "DOCUMENT")],
    column: Annotated[str, argument("The column, or the table of a list.", "COLUMN")],
    values: Annotated[
        list[str] | None,
        argument(
            "What it holds (after -- if it begins with one); of a row: COLUMN=VALUE each.",
            "[VALUE]...",
        ),
    ] = None,
    absent: Annotated[bool, flag("--absent", "The document has none.")] = False,
    unknown: Annotated[bool, flag("--unknown", "Nobody can tell.")] = False,
    accept: Annotated[bool, flag("--accept", "Keep what waits, or what an agent set.")] = False,
    undo: Annotated[bool, flag("--undo", "Take a correction back.")] = False,
    row: Annotated[int | None, option("Of a child table, from 1.", "N", least=1)] = None,
    add_row: Annotated[bool, flag("--add-row", "The list has this row as well.")] = False,
    remove_row: Annotated[int | None, option("The list has no such row.", "N", least=1)] = None,
    home: given.HomeOption = None,
) -> None:
    """Set a value instead of what was read, or a row of a list; it is kept over ingestions."""
    from srag_mcp.pipeline.correction_run import CellPlace
    from srag_mcp.pipeline.correction_run import correct as correct_cell

    texts = values or []
    flags: dict[Wanted, bool] = {
        "absent": absent, "unknown": unknown, "accept": accept, "undo": undo, "add": add_row,
        "remove": remove_row is not None, "value": bool(texts) and not add_row,
    }  # fmt: skip
    wanted = [name for name, is_set in flags.items() if is_set]
    row_said = dict(text.partition("=")[::2] for text in texts)
    is_row = len(row_said) == len(texts) and all("=" in text for text in texts)
    is_written = is_row if add_row else len(texts) < 2
    if len(wanted) != 1 or not is_written:
        msg = "one of VALUE, --absent, --unknown, --accept and --undo says what it holds, and"
        msg += " --add-row with COLUMN=VALUE each or --remove-row what a list does"
        raise typer.BadParameter(msg)
    value = json.dumps(row_said) if add_row else "".join(texts)
    settings = given.command_settings(home)
    with open_ready(corpus, settings) as opened:
        # what is taken back may be of a document that is gone
        found = document if undo else opened.document(document).id
        place = CellPlace(found, column, remove_row or row)
        say(correct_cell(opened.location, settings, place, (wanted[0], value)).render())


def decide_each(corpus: "Corpus", settings: Settings, entries: "Sequence[Entry]") -> None:
    """Ask for a key on each of *entries*, by what it may do; what is decided is published."""
    from srag_mcp.page.shown_facts import CellDecision, decide_cell

    for entry in entries:
        place = {name: entry.get(name) for name in ("document_id", "column", "position")}
        choices = {item["says"][0].lower(): item for item in entry["choices"]}
        keys = (f"{x} {y['says']} {y.get('value', '')}".rstrip() for x, y in choices.items())
        row = f", row {place['position']}" if place["position"] else ""
        asked = f"{place['column']} of {place['document_id']}{row}? {', '.join(keys)}"
        say(one_line(f"{asked}, {_OTHER_KEYS}"), file=sys.stderr)
        key = typer.getchar()
        if key == "q":
            return
        wanted = choices.get(key, {})
        if key == "c":
            wanted = {"do": "value", "value": str(typer.prompt("value", err=True))}
        if wanted:
            said = {"do": wanted["do"], "value": wanted.get("value", "")}
            try:
                say(
                    decide_cell(corpus, settings, CellDecision.model_validate(place | said))["said"]
                )
            except SragError as error:
                print(f"error: {error}", file=sys.stderr)


def feedback(
    corpus: given.CorpusArgument,
    question: Annotated[
        str, argument("As it was asked; without one, what is kept is listed.", "[QUESTION]")
    ] = "",
    right: Annotated[bool, flag("--right", "Its query is right.")] = False,
    wrong: Annotated[bool, flag("--wrong", "Its query is wrong.")] = False,
    statement: Annotated[
        str, option("The query that is right, if not the last.", "SQL", name="--sql")
    ] = "",
    drop: Annotated[int | None, option("Drop the verdict of this number.", "N")] = None,
    forget: Annotated[bool, flag("--forget", "Drop the questions kept.")] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Say as a person that an answer is right or wrong; list or drop what is kept."""
    from srag_mcp.inference.turns import give_verdict, retire_pairs
    from srag_mcp.store.feedback import MAX_TURNS, open_feedback

    if bool(question) != (right or wrong) or (right and wrong) or (statement and not right):
        msg = "a question takes --right or --wrong, and --sql goes with --right"
        raise typer.BadParameter(msg)
    with open_ready(corpus, given.command_settings(home)) as opened:
        if opened.state is None:
            msg = (
                f"nothing is kept of {opened.name}: its folder cannot be written, or it is a build"
            )
            raise StoreError(msg)
        with open_feedback(opened.state) as kept:
            if drop is not None and not kept.drop_verdict(drop):
                listing = f"srag-mcp feedback {shlex.quote(corpus)}"
                msg = f"there is no verdict {drop}; {listing} lists them"
                raise QuestionError(msg)
            if forget:
                kept.forget_turns()
            if question:
                answer = give_verdict(opened, kept, question, is_right=right, sql=statement)
                if answer is not None and not as_json:
                    page = views.answers.answer_page(opened, answer, views.answers.WHOLE)
                    say(page.render(rows=False), "")
            retire_pairs(opened, kept)
            turns, verdicts = kept.turns(), kept.verdicts()
    if as_json:
        print_json({"questions": [*map(asdict, turns)], "verdicts": [*map(asdict, verdicts)]})
        return
    print(f"questions kept: {len(turns)} of at most {MAX_TURNS}; verdicts: {len(verdicts)}")
    if turns and not question:
        print_table(
            ("question", "query"), [(x.asked, x.sql or f"refused: {x.refusal}") for x in turns]
        )
    if verdicts and not question:
        said = [x.judgement + f", retired: {x.retired}" * bool(x.retired) for x in verdicts]
        rows = [(x.number, x.giver, judged, x.question, x.sql)
                for x, judged in zip(verdicts, said, strict=True)]  # fmt: skip
        print_table(("number", "by", "verdict", "question", "query"), rows)


def names(
    corpus: given.CorpusArgument,
    column: Annotated[str, argument("Only this column.", "[COLUMN]")] = "",
    spellings: Annotated[
        list[str] | None, argument("Two or more names of it, to be decided on.", "[NAME]...")
    ] = None,
    same: Annotated[bool, flag("--same", "They mean one thing, written as the first.")] = False,
    apart: Annotated[bool, flag("--apart", "No two of them mean one thing.")] = False,
    forget: Annotated[bool, flag("--forget", "Take back what was decided on them.")] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Show which spellings of names are one value; decide on some for good, as a person."""
    from srag_mcp.names.uniting import Decision
    from srag_mcp.pipeline.correction_run import decide_names

    asked = list(dict.fromkeys(spellings or ()))
    n_decisions = same + apart + forget
    if n_decisions > 1 or bool(asked) != bool(n_decisions) or (len(asked) < 2 and (same or apart)):
        msg = "two or more names of a column take one of --same, --apart and --forget"
        raise typer.BadParameter(msg)
    settings = given.command_settings(home)
    with open_ready(corpus, settings) as opened:
        if column:
            opened.schema().find_column(column)  # or says which there are
        if asked:
            stored = [_stored_name(opened, column, name) for name in asked]
            decision: Decision = "same" if same else "apart" if apart else "forget"
            is_new = decide_names(opened.location, settings, column, stored, decision)
            done = "forgotten" if forget else "kept"
            say(f"{done}, and published" if is_new else "nothing changes: so it was before")
        found = opened.united_names(column, _MAX_LISTED)
    if as_json:
        print_json([asdict(item) for item in found])
    elif found:
        print_table(*views.findings.united_table(found))
    else:
        say("no name has several spellings")


def _stored_name(corpus: "Corpus", column: str, name: str) -> str:
    """Return a name as it is stored, where it is given in another case or with other marks.

    Raises:
        SchemaError: If the column has no such name; the text has those that look alike.
    """
    from srag_mcp.names.uniting import fold_name

    table, own = corpus.schema().find_column(column)
    near = corpus.about(table).values().search(name, [own])
    stored = [item.spelling or item.value for item in near if item.score >= 1.0]
    if not stored:
        alike = ", ".join(f"“{item.spelling or item.value}”" for item in near)
        hint = f"; names that look alike: {alike}" if alike else ""
        msg = f"{column} has no name “{one_line(name)}”{hint}"
        raise SchemaError(msg)
    return name if fold_name(name) in map(fold_name, stored) else stored[0]


_MAX_CHARACTERS = 30_000  # a page that agents' shells show whole

prompts = typer.Typer(
    help="Answer the prompts of the agent engine, by hand or by a script.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@prompts.command(name="next")
def next_prompts(
    corpus: given.CorpusArgument,
    max_prompts: Annotated[int, option("Most prompts.", "N", name="--max", least=1)] = 200,
    max_characters: Annotated[
        int, option("Most characters of them.", "N", least=1)
    ] = _MAX_CHARACTERS,
    wait: Annotated[float, option("Longest wait for prompts.", "SECONDS", least=0)] = 20.0,
    again: Annotated[
        bool, flag("--again", "Those, too, that were given out, and are lost.")
    ] = False,
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Print prompts of a running ingestion; they are yours to answer."""
    import anyio.to_thread

    from srag_mcp.model.litellm_library import run_to_end

    desk = _open_desk(corpus, home)
    if not again:  # the job may be about to ask
        read = partial(anyio.to_thread.run_sync, desk.status)
        run_to_end(views.job_pages.await_prompts, read, max_prompts, wait)
    page = desk.hand_out(max_prompts, max_characters=max_characters, again=again)
    if not as_json:
        for step in page.steps:
            print(printable("\n".join(views.job_pages.step_lines(step))))
    _print_next(page, as_json=as_json)


@prompts.command(name="answer")
def answer_prompts(
    corpus: given.CorpusArgument,
    file: Annotated[str, argument("JSON or JSON lines of {id, reply}; - for stdin.", "FILE")] = "-",
    home: given.HomeOption = None,
    as_json: given.JsonOption = False,
) -> None:
    """Answer prompts; exit 1 if an answer was refused."""
    desk = _open_desk(corpus, home)
    outcomes = desk.keep(read_answers(file))
    page = desk.say(outcomes)
    if not as_json:
        print(f"{page.accepted} accepted, {len(page.problems)} refused")
        for item in page.problems:
            print(printable(f"{item.id}: {item.problem}"))
    _print_next(page, as_json=as_json)
    if page.problems:
        raise typer.Exit(1)


def _open_desk(corpus: str, home: Path | None) -> "PromptDesk":
    settings = given.command_settings(home)
    folder = find_corpus(corpus, settings)
    return views.job_pages.PromptDesk(folder, settings, corpus)


def _print_next(page: "PromptPage", *, as_json: bool) -> None:
    """Print what to do next, on stderr; or the whole page as JSON."""
    if as_json:
        steps = [step.exact() for step in page.steps]  # also none, which a script goes over
        shown = page.exact() | {"steps": steps, "next": for_terminal(page.next)}
        print_json(shown, indent=None)
        return
    if page.state not in views.job_pages.ASKING:
        lines = views.job_pages.job_lines(page)
        say(*(lines[:1] if page.state == "done" else lines), file=sys.stderr)
    say(*filter(None, [page.so_far]), f"next: {page.next}", file=sys.stderr)


def read_answers(file: str) -> list[JsonValue]:
    """Read answers from *file*, or from stdin when it is `-`: a list as JSON, or one a line.

    Raises:
        SettingsError: If it cannot be read; the text names the line.
    """
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{file} cannot be read: {error}"
        raise SettingsError(msg) from error
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = []
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                found += [json.loads(line)] if line.strip() else []
            except (ValueError, RecursionError) as error:  # the latter: nested without end
                msg = f"{file}, line {number}, is not JSON: {error}"
                raise SettingsError(msg) from error
    return found if isinstance(found, list) else [found]
