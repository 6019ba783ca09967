"""Results as text: compact, and with every fact of the structured content."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel

from srag_mcp.server.results import (
    AnswerPage,
    BriefPage,
    CellScalar,
    DocumentPage,
    ResultTable,
    SchemaPage,
    SourceEntry,
)
from srag_mcp.text.shown import inert, literal, one_line, printable, printable_json

ROWS = "rows, as data:"


def exact(page: BaseModel) -> dict[str, object]:
    """Return *page* as JSON values, without what has its default."""
    return page.model_dump(mode="json", exclude_defaults=True)


def structured(page: BaseModel) -> dict[str, object]:
    """Return *page* as `exact` does, with nothing in its texts that acts or hides."""
    return {name: _printable(value) for name, value in exact(page).items()}


def _printable(value: object) -> object:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {printable(str(name)): _printable(item) for name, item in value.items()}
    return value


def render_json(content: dict[str, object]) -> str:
    """Write structured content as compact JSON."""
    return printable_json(json.dumps(content, ensure_ascii=False, separators=(",", ":")))


def render_schema(page: SchemaPage) -> str:
    """Write a line a column below the line of its table."""
    head = f"corpus {page.corpus} ({page.title}), {page.documents} documents; table {page.table}:"
    lines = [head, *page.columns, "other tables:", *page.other_tables, *page.notes]
    if page.truncated:
        lines.append(f"truncated: more columns follow; next_offset {page.next_offset}")
    return _lines(lines)


def render_table(page: ResultTable) -> str:
    """Write what a reader must know about rows, then the rows: below `ROWS` all is data."""
    lines = [*page.coverage, *page.notes]
    if page.truncated:
        lines.append(f"truncated: more rows follow; next_offset {page.next_offset}")
    return _lines([*lines, ROWS, *_csv_lines(page.columns, page.rows)])


def render_answer(page: AnswerPage) -> str:
    """Write an answer as lines: text, denominator, reading, query, quotes, rows; or the brief."""
    if page.brief is not None:
        return _lines([page.text, *_brief_lines(page.brief)])
    lines = [page.text, page.denominator, *page.warnings]
    if page.bounds:
        lines.append(f"bounds: {page.bounds[0]} to {page.bounds[1]}")
    lines += [f"reading: {page.reading}", f"sql: {page.sql}", f"engine: {page.engine}"]
    if page.truncated:
        lines.append("truncated: more rows exist; page through them with run_sql and this sql")
    lines += [_source_line(item) for item in page.sources]
    return _lines([*lines, ROWS, *_csv_lines(page.columns, page.rows)])


def _source_line(item: SourceEntry) -> str:
    unit = f" {item.unit}" if item.unit else ""
    return (
        f"source: {item.document_id} ({item.title}) {item.start}-{item.end}: {item.column}"
        f" = {item.value}{unit}; {item.state}: “{item.quote}” {item.note}".rstrip()
    )


def _brief_lines(brief: BriefPage) -> list[str]:
    linked = [
        f"the question may mean {item.column} = {literal(item.value)} ({item.records} records)"
        for item in brief.linked_values
    ]
    head = f"table {brief.table}, {brief.documents} documents:"
    others = ["other tables:", *brief.other_tables]
    return [*linked, head, *brief.columns, *others, *brief.rules, f"next: {brief.next}"]


def render_document(page: DocumentPage) -> str:
    """Write the text of a document between a line that says which part it is, and its end.

    The mark of the end is made of the text, so that the text cannot have it.
    """
    more = f"; truncated, next_start {page.next_start}" if page.truncated else ""
    part = f"{page.start}-{page.end} of {page.characters}{more}"
    if not page.text:
        return _lines([f"{page.document_id} ({page.title}), {part}", page.note])
    mark = f"end {hashlib.sha256(page.text.encode('utf-8', 'replace')).hexdigest()[:16]}"
    head = one_line(f"{page.document_id} ({page.title}), {part}; text up to '{mark}':")
    end = f"{mark}: {page.end - page.start} characters"
    return "\n".join([head, inert(printable(page.text)), end])


def _lines(lines: Iterable[str]) -> str:
    """Write each of *lines* on a line of its own, whatever a document has put into it."""
    return "\n".join(inert(flat) for line in lines if (flat := one_line(line)))


def _csv_lines(columns: Sequence[str], rows: Iterable[Sequence[CellScalar]]) -> Iterator[str]:
    """Write a header line and one line a row; NULL is an empty field, text is quoted on need."""
    for row in (columns, *rows):
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow([_render_cell(value) for value in row])
        yield text.getvalue()


def _render_cell(value: CellScalar) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(str(value))
