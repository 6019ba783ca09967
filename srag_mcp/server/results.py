"""What the tools return: one model a tool, and the same facts as text.

Hosts keep either the structured content or the text, so that both say the same.
"""

from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field

CellScalar: TypeAlias = str | int | float | bool | None
Row: TypeAlias = list[CellScalar]
NextOffset = Annotated[int | None, Field(description="Pass as offset; null on the last page.")]


class CorpusEntry(BaseModel, defer_build=True):
    """One corpus of the server."""

    name: str
    state: Annotated[str, Field(description="ready, ingesting, not ingested or unreadable")]
    table: str = ""
    documents: int = 0
    failed_documents: int = 0
    columns: int = 0
    built_at: str = ""
    problem: str = ""


class CorpusList(BaseModel, defer_build=True):
    """All corpora of the server."""

    corpora: list[CorpusEntry]
    next: str = ""


class JobStatus(BaseModel, defer_build=True):
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


class SchemaPage(BaseModel, defer_build=True):
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


class ValueEntry(BaseModel, defer_build=True):
    """A value and the number of records that have it."""

    value: CellScalar
    records: int


class StatisticsEntry(BaseModel, defer_build=True):
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


class StatisticsPage(BaseModel, defer_build=True):
    """Statistics of columns."""

    corpus: str
    columns: list[StatisticsEntry]
    truncated: bool = False
    next: str = ""


class ResultTable(BaseModel, defer_build=True):
    """Rows of a query."""

    columns: list[str]
    rows: list[Row]
    truncated: bool
    next_offset: NextOffset = None
    coverage: list[str] = []
    notes: list[str] = []


class SourceEntry(BaseModel, defer_build=True):
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


class LinkedValue(BaseModel, defer_build=True):
    """A stored value that a phrase of the question may mean."""

    column: str
    value: str
    records: int


class BriefPage(BaseModel, defer_build=True):
    """What you need to write the query yourself."""

    table: str
    documents: int
    columns: list[str]
    other_tables: list[str]
    linked_values: list[LinkedValue] = []
    rules: list[str]
    next: str


class AnswerPage(BaseModel, defer_build=True):
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


class TracePage(BaseModel, defer_build=True):
    """Documents and quotes behind a value, a row or an aggregate."""

    corpus: str
    sources: list[SourceEntry]
    total: int
    truncated: bool
    next_offset: NextOffset = None
    next: str = ""


class DocumentPage(BaseModel, defer_build=True):
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
