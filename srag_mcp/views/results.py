"""What the tools return: one model a tool, the same facts as text, and how much fits into one.

Hosts keep either the structured content or the text, so that both say the same; they keep about
20,000 characters of it.
"""

import ast
import csv
import hashlib
import io
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BaseModel, Field

from srag_mcp.text.shown import inert, literal, one_line, printable, printable_json

CellScalar: TypeAlias = str | int | float | bool | None
Row: TypeAlias = list[CellScalar]
Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[CellScalar]]]  # columns and rows
NextOffset = Annotated[int | None, Field(description="Pass as offset; null on the last page.")]

PAGE_SHARE = 0.9  # of the characters of a result; the rest is for what stands around its entries
ROWS_SHARE = 0.85  # the same, for rows: words stand around them
ROWS = "rows, as data:"
# Messages name tools, and the arguments to call them with. A terminal has commands instead.
COMMANDS = {
    "ask": "ask",
    "list_corpora": "status",
    "ingest_corpus": "ingest",
    "extend_schema": "extend",
    "ingest_status": "status",
    "get_schema": "schema",
    "get_column_stats": "stats",
    "run_sql": "sql",
    "search_documents": "search",
    "trace_value": "trace",
    "correct_value": "correct",
    "next_prompts": "prompts next",
    "answer_prompts": "prompts answer",
}
_VALUE = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|true|false"""
_ARGUMENT = re.compile(rf"(\w+)=({_VALUE})")
_TOOL = re.compile(
    rf"\b(call )?({'|'.join(COMMANDS)})\b(?: with ((?:(?:, | and )?\w+=(?:{_VALUE}))+))?"
)


class Page(BaseModel, defer_build=True):
    """What a tool returns, as data and as text."""

    def exact(self) -> dict[str, object]:
        """Return it as JSON values, without what has its default."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def data(self) -> dict[str, object]:
        """Return it as `exact` does, with nothing in its texts that acts or hides."""
        return {name: printable_value(value) for name, value in self.exact().items()}

    def render(self) -> str:
        """Write it for who keeps no data; here as compact JSON."""
        return printable_json(_compact(self.data()))


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
    state: Annotated[
        str, Field(description="running, priced, done, failed, cancelled or interrupted")
    ]
    stage: str = ""
    done: int = 0
    total: int = 0
    waiting: Annotated[int, Field(description="prompts that next_prompts can give you")] = 0
    so_far: Annotated[str, Field(description="prompts answered, and what is to go")] = ""
    report: list[str] = []
    next: str = ""


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
    corrected: int = 0
    unread: Annotated[int, Field(description="not read for it: they may say anything")] = 0
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
    position: int | None = None


class CorrectionPage(Page):
    """What was set, and whether it is in force."""

    corpus: str
    said: str


class LinkedValue(Page):
    """A stored value that a phrase of the question may mean."""

    column: str
    value: str = ""
    records: int
    pattern: Annotated[str, Field(description="For ILIKE, instead of a value.")] = ""

    def render(self) -> str:
        """Write it: `"flag = 'Malta' (2 records)"`."""
        said = f"ILIKE {literal(self.pattern)}" if self.pattern else f"= {literal(self.value)}"
        return f"{self.column} {said} ({self.records} records)"


class FoundPassage(Page):
    """A passage of a document, by the words around what was found in it."""

    document_id: str
    page: Annotated[int | None, Field(description="From 1; of formats with pages.")] = None
    headings: Annotated[str, Field(description="Above it, outermost first.")] = ""
    quote: str
    start: Annotated[int, Field(description="Of the quote; get_document reads on from there.")]
    end: int
    link: Annotated[str, Field(description="The document as a resource.")]

    def place(self) -> str:
        """Write where it stands: `"a.pdf, page 3, Terms > Renewal (120-310)"`."""
        page = [f"page {self.page}"] if self.page else []
        headings = [one_line(self.headings)] if self.headings else []
        parts = ", ".join([one_line(self.document_id), *page, *headings])
        return f"{parts} ({self.start}-{self.end})"

    def render(self) -> str:
        """Write its place, its link and its words."""
        return f"{self.place()} {self.link}: “{self.quote}”"


class BriefPage(Page):
    """What you need to write the query yourself."""

    table: str
    documents: int
    columns: list[str]
    other_tables: list[str]
    linked_values: list[LinkedValue] = []
    passages: list[FoundPassage] = []
    rules: list[str]
    next: str
    previous: Annotated[str, Field(description="The question before, with its query.")] = ""


class RejectedReading(Page):
    """The reading that was called wrong, with its result in words."""

    text: str
    sql: str


class ProposalEntry(Page):
    """A call that reads what no column holds, so that you can ask again, and what that takes."""

    tool: str
    arguments: dict[str, str | bool]
    documents: int
    prompts: int
    tokens: int
    next: str


class AnswerPage(Page):
    """An answer, or a brief with which to find it."""

    answered: bool
    text: str
    corpus: str = ""
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
    quotes: Annotated[
        list[FoundPassage], Field(description="What a text from passages stands on: [1], [2] …")
    ] = []
    computed: list[str] = []
    missing: Annotated[list[str], Field(description="What no passage says.")] = []
    engine: Annotated[str, Field(description="Who wrote the query, and what that took.")] = ""
    brief: BriefPage | None = None
    proposal: ProposalEntry | None = None
    asked: Annotated[str, Field(description="Instead, as the question leans on another.")] = ""
    rejected: RejectedReading | None = None

    def render(self, *, rows: bool = True) -> str:
        """Write text, proposal, denominator, reading, query and quotes; or the brief.

        And, for who computes on, *rows* and bounds as numbers; people see the parts of it apart.
        """
        gap = "\n" if rows else "\n\n"
        about = [f"asked of {self.corpus}"] if self.corpus else []
        about += [f"asked instead: {self.asked}"] if self.asked else []
        if (rejected := self.rejected) is not None:
            about.append(f"called wrong: {rejected.text} sql: {rejected.sql}")
        proposed = [] if self.proposal is None else [f"next: {self.proposal.next}"]
        if (brief := self.brief) is not None:
            linked = [f"the question may mean {item.render()}" for item in brief.linked_values]
            about += [f"before: {brief.previous}"] if brief.previous else []
            head = f"table {brief.table}, {brief.documents} documents:"
            others = ["other tables:", *brief.other_tables, *brief.rules, f"next: {brief.next}"]
            found = [f"passage: {item.render()}" for item in brief.passages]
            return _lines(
                [self.text, *proposed, *about, *linked, head, *brief.columns, *others, *found]
            )
        said = [*proposed, self.denominator, *self.warnings, *about]
        if self.quotes:
            said += [f"computed: {item}" for item in self.computed]
            said += [f"no passage says: {item}" for item in self.missing]
            made = [f"documents: {self.sql}"] * bool(self.sql) + [f"engine: {self.engine}"]
            for number, quote in enumerate(self.quotes, start=1):
                made.append(f"[{number}] {quote.render()}")
            return gap.join(filter(None, map(_lines, ([self.text], said, made))))
        if self.bounds and rows:
            said.append(f"bounds: {self.bounds[0]} to {self.bounds[1]}")
        is_said = self.reading in self.text  # which code writes of it, where no model restates it
        said += [] if is_said else [f"reading: {self.reading}"]
        made = [f"sql: {self.sql}", f"engine: {self.engine}"]
        if self.truncated:
            made.append("truncated: more rows exist; page through them with run_sql and this sql")
        for item in self.sources:
            place = f"{item.document_id} ({item.title}) {item.start}-{item.end}"
            value = f"{item.value} {item.unit}" if item.unit else item.value
            shown = f"{item.column} = {value}; {item.state}: “{item.quote}” {item.note}"
            made.append(f"source: {place}: {shown}".rstrip())
        made += [ROWS, *_csv_lines(self.columns, self.rows)] if rows else []
        return gap.join(filter(None, map(_lines, ([self.text], said, made))))


class SearchPage(Page):
    """Passages, the best first, and over which documents they were sought."""

    corpus: str
    passages: list[FoundPassage]
    total: Annotated[int, Field(description="Passages that match, on all pages.")]
    found_in: Annotated[int, Field(description="Documents that these are of.")]
    searched: Annotated[int, Field(description="Documents that the filter leaves.")]
    documents: int
    narrowed_to: Annotated[str, Field(description="What the query names: to pass as where.")] = ""
    truncated: bool
    next_offset: NextOffset = None
    unreadable: Annotated[list[str], Field(description="Files that nothing is found in.")] = []
    notes: list[str] = []

    def head(self) -> list[str]:
        """Say how many passages were found in how many documents, and what stays unseen."""
        of = "" if self.searched == self.documents else f" of {self.documents:,}"
        found = f"{self.total:,} passages of {self.found_in:,} documents match"
        lines = [f"{found}; {self.searched:,}{of} documents were searched"]
        if self.unreadable:
            lines.append(f"not searched, for they could not be read: {', '.join(self.unreadable)}")
        return [*lines, *self.notes]

    def render(self) -> str:
        """Write a line for the place of each passage, and one for its quote."""
        lines = [f"corpus {self.corpus}", *self.head()]
        if self.truncated:
            lines.append(f"truncated: more passages follow; next_offset {self.next_offset}")
        for item in self.passages:
            lines += [f"{item.place()} {item.link}", f"“{item.quote}”"]
        return _lines(lines)


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
        if not self.document_id:  # several, each with its mark
            return f"{self.title}, {part}\n\n{self.text}"
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


def for_terminal(text: str) -> str:
    """Name commands for the tools, and options for their arguments.

    `"call extend_schema with corpus='cvs', attribute='the age'" ->
    "run srag-mcp extend cvs --attribute 'the age'"`
    """

    def command(found: "re.Match[str]") -> str:
        called, tool, arguments = found.groups()
        if tool == "ask" and not called:  # a word as any other
            return found[0]
        words = ["run"] * bool(called) + ["srag-mcp", COMMANDS[tool]]
        for name, value in _ARGUMENT.findall(arguments or ""):
            option, said = f"--{name}", []
            if value == "false":
                option = f"--no-{name}"
            elif value != "true":
                said = [shlex.quote(ast.literal_eval(value))]
            if name != "job_id":  # of a corpus, commands know the latest job
                words += [option] * (name != "corpus") + said
        return " ".join(words)

    return _TOOL.sub(command, text)


def extension_call(corpus: str, arguments: Mapping[str, str | bool]) -> str:
    """Name the call of `extend_schema`: `"call extend_schema with corpus='a' and keep=false"`."""
    given = {"corpus": corpus, **arguments}.items()
    said = [f"{name}={str(value).lower() if isinstance(value, bool) else repr(value)}"
            for name, value in given]  # fmt: skip
    return f"call extend_schema with {', '.join(said[:-1])} and {said[-1]}"


Entry = TypeVar("Entry", bound=str | BaseModel | Row)


def json_size(value: object) -> int:
    """Return the characters of *value* as compact JSON."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True)
    return len(_compact(value))


def take_whole(entries: Sequence[Entry], max_characters: int) -> list[Entry]:
    """Return the first *entries* that fit; at least one, none cut."""
    taken: list[Entry] = []
    left = max_characters
    for entry in entries:
        left -= json_size(entry) + 1
        if left < 0 and taken:
            break
        taken.append(entry)
    return taken


def cut_text(text: str, max_characters: int) -> str:
    """Cut *text* where its JSON would be longer than *max_characters*; escapes count."""
    while text and (size := json_size(text)) > max_characters:
        text = text[: min(len(text) - 1, len(text) * max_characters // size)]
    return text


def cut_middle(text: str, max_characters: int) -> str:
    """Cut *text* in its middle: `("no corpus 'aaaa…'; pass 'cvs'", 20) -> "no corpu…; pass 'cvs'"`.

    A message that repeats a long value says at its end what to do.
    """
    if len(text) <= max_characters:
        return text
    end = max_characters * 2 // 3
    return f"{text[: max_characters - end - 1]}…{text[-end:]}"


def fit_lines(lines: Sequence[str], max_characters: int) -> list[str]:
    """Keep the first *lines* that fit, long ones cut in the middle; the rest are counted."""
    if sum(map(len, lines)) <= max_characters:
        return list(lines)
    kept = take_whole([cut_middle(line, max_characters // 3) for line in lines], max_characters)
    n_left = len(lines) - len(kept)
    return [*kept, f"and {n_left} more"] if n_left else kept


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def printable_value(value: object) -> object:
    """Replace in all texts of a JSON value what acts instead of being read; see `printable`."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list | tuple):
        return [printable_value(item) for item in value]
    if isinstance(value, dict):
        return {printable(str(name)): printable_value(item) for name, item in value.items()}
    return value


def _lines(lines: Iterable[str]) -> str:
    """Write each of *lines* on a line of its own, whatever a document has put into it."""
    return "\n".join(inert(flat) for line in lines if (flat := one_line(line)))


def _csv_lines(columns: Sequence[str], rows: Iterable[Sequence[CellScalar]]) -> Iterator[str]:
    """Write a header line and one line a row; NULL is an empty field, text is quoted on need."""
    for row in (columns, *rows):
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(
            str(cell).lower() if isinstance(cell, bool) else cell and one_line(str(cell))
            for cell in row
        )
        yield text.getvalue()
