"""Results as text: compact, and with every fact of the structured content."""

import csv
import io
import json
from collections.abc import Iterable, Sequence

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


def structured(page: BaseModel) -> dict[str, object]:
    """Return *page* as JSON values, without what has its default."""
    return page.model_dump(mode="json", exclude_defaults=True)


def render_json(page: BaseModel) -> str:
    """Write the structured content of *page* as compact JSON."""
    return json.dumps(structured(page), ensure_ascii=False, separators=(",", ":"))


def render_schema(page: SchemaPage) -> str:
    """Write a line a column below the line of its table."""
    head = f"corpus {page.corpus} ({page.title}), {page.documents} documents; table {page.table}:"
    lines = [head, *page.columns, "other tables:", *page.other_tables, *page.notes]
    if page.truncated:
        lines.append(f"truncated: more columns follow; next_offset {page.next_offset}")
    return "\n".join(lines)


def render_table(page: ResultTable) -> str:
    """Write rows as CSV, then what a reader must know about them."""
    lines = [render_csv(page.columns, page.rows)]
    if page.truncated:
        lines.append(f"truncated: more rows follow; next_offset {page.next_offset}")
    return "\n".join([*lines, *page.coverage, *page.notes])


def render_answer(page: AnswerPage) -> str:
    """Write an answer as lines: text, denominator, reading, query, rows, quotes; or the brief."""
    if page.brief is not None:
        return "\n".join([page.text, *_brief_lines(page.brief)])
    lines = [page.text, page.denominator, *page.warnings]
    if page.bounds:
        lines.append(f"bounds: {page.bounds[0]} to {page.bounds[1]}")
    lines += [f"reading: {page.reading}", f"sql: {page.sql}", f"engine: {page.engine}"]
    lines.append(render_csv(page.columns, page.rows))
    if page.truncated:
        lines.append("truncated: more rows exist; page through them with run_sql and this sql")
    lines += [_source_line(item) for item in page.sources]
    return "\n".join(line for line in lines if line)


def _source_line(item: SourceEntry) -> str:
    unit = f" {item.unit}" if item.unit else ""
    return (
        f"source: {item.document_id} ({item.title}) {item.start}-{item.end}: {item.column}"
        f" = {item.value}{unit}; {item.state}: “{item.quote}” {item.note}".rstrip()
    )


def _brief_lines(brief: BriefPage) -> list[str]:
    linked = [
        f"the question may mean {item.column} = {item.value!r} ({item.records} records)"
        for item in brief.linked_values
    ]
    head = f"table {brief.table}, {brief.documents} documents:"
    others = ["other tables:", *brief.other_tables]
    return [*linked, head, *brief.columns, *others, *brief.rules, f"next: {brief.next}"]


def render_document(page: DocumentPage) -> str:
    """Write the text of a document below one line that says which part it is."""
    more = f"; truncated, next_start {page.next_start}" if page.truncated else ""
    head = f"{page.document_id} ({page.title}), {page.start}-{page.end} of {page.characters}{more}"
    return f"{head}\n{page.text or page.note}"


def render_csv(columns: Sequence[str], rows: Iterable[Sequence[CellScalar]]) -> str:
    """Write a header line and one line a row; NULL is an empty field, text is quoted on need."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_render_cell(value) for value in row] for row in rows)
    return text.getvalue().rstrip("\n")


def _render_cell(value: CellScalar) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
