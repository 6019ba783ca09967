"""What the tools return: one model a tool, and the same facts as text.

Hosts keep either the structured content or the text, so that both say the same.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field

from srag_mcp.text.shown import inert, literal, one_line, printable, printable_json

CellScalar: TypeAlias = str | int | float | bool | None
Row: TypeAlias = list[CellScalar]
Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[CellScalar]]]  # columns and rows
NextOffset = Annotated[int | None, Field(description="Pass as offset; null on the last page.")]


ROWS = "rows, as data:"
STAGES = {  # and how many percent of a job are done when it begins
    "finding": 0,
    "schema": 5,
    "extracting": 10,
    "predicting": 40,
    "standardising": 85,
    "normalising": 90,
    "publishing": 95,
}


class Page(BaseModel, defer_build=True):
    """What a tool returns, as data and as text."""

    def exact(self) -> dict[str, object]:
        """Return it as JSON values, without what has its default."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def data(self) -> dict[str, object]:
        """Return it as `exact` does, with nothing in its texts that acts or hides."""
        return {name: _printable(value) for name, value in self.exact().items()}

    def render(self) -> str:
        """Write it for who keeps no data; here as compact JSON."""
        return printable_json(json.dumps(self.data(), ensure_ascii=False, separators=(",", ":")))


class CorpusEntry(Page):
    """One corpus of the server."""

    name: str
    state: Annotated[str, Field(description="ready, ingesting, not ingested or unreadable")]
    table: str = ""
    documents: int = 0
    failed_documents: int = 0
    columns: int = 0
    built_at: str = ""
    problem: str = ""


class CorpusList(Page):
    """All corpora of the server."""

    corpora: list[CorpusEntry]
    next: str = ""


class JobStatus(Page):
    """Where an ingestion stands."""

    job_id: str
    corpus: str
    state: Annotated[str, Field(description="running, done, failed, cancelled or interrupted")]
    stage: str = ""
    done: int = 0
    total: int = 0
    waiting: Annotated[int, Field(description="prompts that next_prompts can give you")] = 0
    report: list[str] = []
    next: str = ""

    @property
    def percent_done(self) -> float:
        """How far the job is, over all its stages: half of the documents read -> 50.0."""
        if self.state == "done":
            return 100.0
        if self.stage == "extracting" and self.total:
            return round(10 + 80 * self.done / self.total, 1)
        return STAGES.get(self.stage, 0)

    @property
    def progress(self) -> str:
        """Where the job stands: `"extracting: 26 of 40"`, `"publishing"`."""
        stage = self.stage or "starting"
        return f"{stage}: {self.done} of {self.total}" if self.total else stage


class SchemaPage(Page):
    """The tables that run_sql sees."""

    corpus: str
    title: str
    table: str
    documents: int
    columns: Annotated[
        list[str], Field(description="name type unit: what it holds — what it means")
    ]
    other_tables: list[str]
    notes: list[str]
    truncated: bool = False
    next_offset: NextOffset = None

    def render(self) -> str:
        """Write a line a column below the line of its table."""
        head = f"corpus {self.corpus} ({self.title}), {self.documents} documents"
        lines = [f"{head}; table {self.table}:", *self.columns]
        lines += ["other tables:", *self.other_tables, *self.notes]
        if self.truncated:
            lines.append(f"truncated: more columns follow; next_offset {self.next_offset}")
        return _lines(lines)


class ValueEntry(Page):
    """A value and the number of records that have it."""

    value: CellScalar
    records: int


class StatisticsEntry(Page):
    """What one column holds, counted over all records."""

    column: str
    type: str
    unit: str | None = None
    records: int
    non_null: int
    stated: int = 0
    stated_absent: int = 0
    not_mentioned: int = 0
    failed: int = 0
    distinct: int
    minimum: CellScalar = None
    lower_quartile: CellScalar = None
    median: CellScalar = None
    mean: CellScalar = None
    upper_quartile: CellScalar = None
    maximum: CellScalar = None
    values: list[ValueEntry] = []
    truncated: Annotated[bool, Field(description="values is the top of a longer list")] = False


class StatisticsPage(Page):
    """Statistics of columns."""

    corpus: str
    columns: list[StatisticsEntry]
    truncated: bool = False
    next: str = ""


class ResultTable(Page):
    """Rows of a query."""

    columns: list[str]
    rows: list[Row]
    truncated: bool
    next_offset: NextOffset = None
    coverage: list[str] = []
    notes: list[str] = []

    def render(self) -> str:
        """Write what a reader must know about rows, then the rows: below `ROWS` all is data."""
        lines = [*self.coverage, *self.notes]
        if self.truncated:
            lines.append(f"truncated: more rows follow; next_offset {self.next_offset}")
        return _lines([*lines, ROWS, *_csv_lines(self.columns, self.rows)])


class SourceEntry(Page):
    """A quote and where it stands."""

    document_id: str
    title: str
    column: str
    state: str
    value: CellScalar = None
    unit: str | None = None
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    note: str = ""

    def render(self) -> str:
        """Write it on a line."""
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"source: {self.document_id} ({self.title}) {self.start}-{self.end}: {self.column}"
            f" = {self.value}{unit}; {self.state}: “{self.quote}” {self.note}".rstrip()
        )


class LinkedValue(Page):
    """A stored value that a phrase of the question may mean."""

    column: str
    value: str
    records: int


class BriefPage(Page):
    """What you need to write the query yourself."""

    table: str
    documents: int
    columns: list[str]
    other_tables: list[str]
    linked_values: list[LinkedValue] = []
    rules: list[str]
    next: str

    def lines(self) -> list[str]:
        """Write what the question may mean, then the tables and what to do."""
        linked = [
            f"the question may mean {item.column} = {literal(item.value)} ({item.records} records)"
            for item in self.linked_values
        ]
        head = f"table {self.table}, {self.documents} documents:"
        others = ["other tables:", *self.other_tables]
        return [*linked, head, *self.columns, *others, *self.rules, f"next: {self.next}"]


class AnswerPage(Page):
    """An answer, or a brief with which to find it."""

    answered: bool
    text: str
    reading: str = ""
    sql: str = ""
    columns: list[str] = []
    rows: list[Row] = []
    truncated: bool = False
    documents: int = 0
    denominator: str = ""
    bounds: list[float] = []
    warnings: list[str] = []
    sources: list[SourceEntry] = []
    engine: Annotated[str, Field(description="Who wrote the query, and what that took.")] = ""
    brief: BriefPage | None = None

    def render(self) -> str:
        """Write text, denominator, reading, query, quotes and rows; or the brief."""
        if self.brief is not None:
            return _lines([self.text, *self.brief.lines()])
        lines = [self.text, self.denominator, *self.warnings]
        if self.bounds:
            lines.append(f"bounds: {self.bounds[0]} to {self.bounds[1]}")
        lines += [f"reading: {self.reading}", f"sql: {self.sql}", f"engine: {self.engine}"]
        if self.truncated:
            lines.append("truncated: more rows exist; page through them with run_sql and this sql")
        lines += [item.render() for item in self.sources]
        return _lines([*lines, ROWS, *_csv_lines(self.columns, self.rows)])


class TracePage(Page):
    """Documents and quotes behind a value, a row or an aggregate."""

    corpus: str
    sources: list[SourceEntry]
    total: int
    truncated: bool
    next_offset: NextOffset = None
    next: str = ""


class DocumentPage(Page):
    """A stretch of the text of a document."""

    document_id: str
    title: str
    characters: int
    start: int
    end: int
    text: str
    truncated: bool
    next_start: Annotated[
        int | None, Field(description="Pass as start; null at the end of the text.")
    ] = None
    note: str = ""

    def render(self) -> str:
        """Write the text of the document between a line that says which part it is, and its end.

        The mark of the end is made of the text, so that the text cannot have it.
        """
        more = f"; truncated, next_start {self.next_start}" if self.truncated else ""
        part = f"{self.start}-{self.end} of {self.characters}{more}"
        if not self.text:
            return _lines([f"{self.document_id} ({self.title}), {part}", self.note])
        mark = f"end {hashlib.sha256(self.text.encode('utf-8', 'replace')).hexdigest()[:16]}"
        head = one_line(f"{self.document_id} ({self.title}), {part}; text up to '{mark}':")
        end = f"{mark}: {self.end - self.start} characters"
        return "\n".join([head, inert(printable(self.text)), end])


class CorrectionEntry(Page):
    """An earlier reply to a prompt, and what was wrong with it."""

    reply: str
    problem: str


class PromptEntry(Page):
    """What one reply is about."""

    id: str
    content: str
    corrections: list[CorrectionEntry] = []


class PromptStep(Page):
    """Prompts that share their instructions and the form of their replies."""

    step: str
    instructions: str
    reply_schema: Annotated[
        dict[str, object], Field(description="JSON Schema; empty where it was given before")
    ] = {}
    prompts: list[PromptEntry]


class PromptPage(JobStatus):
    """Prompts that are yours to answer, and the state of the job that asks them."""

    steps: list[PromptStep] = Field(default_factory=list)
    with_others: Annotated[int, Field(description="prompts that other agents have")] = 0

    def data(self) -> dict[str, object]:
        """Return its texts as they are, for a language model has to read them so."""
        return self.exact()


class AnswerProblem(Page):
    """Why an answer was not accepted."""

    id: str
    problem: str


class AnswersPage(PromptPage):
    """What became of your answers, and further prompts where you asked for them."""

    accepted: int
    problems: list[AnswerProblem] = Field(default_factory=list)


def render_cell(value: CellScalar) -> str:
    """Write a value for people: as stored, on one line, with booleans as yes and no."""
    return ("yes" if value else "no") if isinstance(value, bool) else one_line(str(value))


def _printable(value: object) -> object:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {printable(str(name)): _printable(item) for name, item in value.items()}
    return value


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
