"""What `srag-mcp ask` prints."""

import re
import shlex
from dataclasses import asdict, replace

from srag_mcp.ask.answer import Answer, render_bounds, render_denominator, render_taken
from srag_mcp.ask.brief import Brief
from srag_mcp.cli.tables import print_json
from srag_mcp.text.shown import one_line, printable, quoted, shorten

MAX_COLUMNS = 40
MAX_ID = 200
MAX_MISSING = 3
_COLUMN_LIST = re.compile(r"\s*\(columns: .*\)\s*$", re.DOTALL)


def shorten_reason(reason: str) -> str:
    """Leave the list of all columns out of the reason of a refusal: a terminal shows it apart."""
    return _COLUMN_LIST.sub("", reason)


def print_answer(answer: Answer, corpus: str, *, as_json: bool) -> None:
    """Print an answer with its query, denominator and quotes, or why there is none.

    *corpus* is its name on the command line, for the commands that the text proposes.
    """
    if as_json:
        shown = asdict(replace(answer, translation=None))  # the answer has what it says
        del shown["translation"]
        print_json(shown)
    elif answer.brief is not None:
        print(printable(shorten_reason(answer.text)))
        _print_brief(answer.brief)
        for proposal in _propose_columns(answer, corpus):
            print(proposal)
        print(f'Ask with other words, or write the query: srag-mcp sql {corpus} "SELECT …"')
    else:
        print(one_line(answer.text))
        _print_grounds(answer)


def _print_brief(brief: Brief) -> None:
    names = [column.name for column in brief.columns]
    more = f", … {len(names) - MAX_COLUMNS} more" if len(names) > MAX_COLUMNS else ""
    print(f"\nColumns of {brief.table}: {', '.join(names[:MAX_COLUMNS])}{more}")
    for match in brief.linked_values:
        print(f"{quoted(match.value)} is a value of {match.column}")


def _propose_columns(answer: Answer, corpus: str) -> list[str]:
    """Write the commands that add what is missing.

    A model says what no column holds, or nothing is missing; the grammar knows words only.
    """
    extend = f"srag-mcp extend {corpus} --attribute"
    if answer.taken is None:
        return [f'If no column holds it, add one: {extend} "…"']
    missing = answer.brief.unplaced if answer.brief else ()
    return [f"To add it: {extend} {shlex.quote(printable(item))}" for item in missing[:MAX_MISSING]]


def _print_grounds(answer: Answer) -> None:
    print()
    if answer.denominator is not None:
        print(render_denominator(answer.denominator))
    if answer.bounds is not None:
        print(render_bounds(answer.bounds))
    for warning in (*answer.assumptions, *answer.warnings):
        print(f"Note: {one_line(warning)}.")
    print(f"\nSQL:  {printable(answer.sql)}")
    if answer.taken is not None:
        print(f"By:   {answer.engine}, {render_taken(answer.taken)}")
    for source in answer.sources:
        document = shorten(source.document_id, MAX_ID)
        print(f"Says: {document}: {source.column} — {quoted(source.as_stated or '')}")
