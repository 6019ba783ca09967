"""What the commands do once their options are read."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from srag_mcp.answer.answer import Answer
from srag_mcp.answer.brief import describe_column
from srag_mcp.answer.wording import render_denominator
from srag_mcp.cli.progress import progress_bar
from srag_mcp.cli.tables import print_json, print_table
from srag_mcp.errors import NotIngestedError, SchemaError, SettingsError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.options import RowsMode
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.pipeline.sample_questions import read_sample_questions
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import EvidencePage
from srag_mcp.store.guard import ResultPage

ROW_CHOICES: dict[str, RowsMode] = {"auto": "auto", "file": "file", "row": "row"}
MAX_QUOTE = 160


@dataclass(frozen=True, slots=True)
class IngestChoice:
    """The options of `srag-mcp ingest`."""

    questions: tuple[str, ...] = ()
    schema: Path | None = None
    rows: str = "auto"
    fresh: bool = False


def ingest_corpus(
    location: Path, choice: IngestChoice, settings: Settings, *, quiet: bool = False
) -> IngestReport:
    """Ingest a folder with a progress bar.

    Raises:
        SettingsError: If an option has no such value, or *location* is a build.
    """
    if choice.rows not in ROW_CHOICES:
        msg = f"--rows {choice.rows!r}: one of {', '.join(ROW_CHOICES)}"
        raise SettingsError(msg)
    if location.is_file():
        msg = f"{location} is a published build; only a folder can be ingested"
        raise SettingsError(msg)
    with progress_bar(quiet=quiet) as show:
        return ingest(
            location,
            settings,
            questions=choice.questions or tuple(read_sample_questions(location)),
            schema=None if choice.schema is None else read_schema(choice.schema),
            rows=ROW_CHOICES[choice.rows],
            fresh=choice.fresh,
            on_progress=show,
        )


def read_schema(path: Path) -> Schema:
    """Read a schema file.

    Raises:
        SchemaError: If it is missing, not JSON, or not a schema that we can use.
    """
    try:
        return schema_from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise SchemaError(msg) from error
    except json.JSONDecodeError as error:
        msg = f"{path} is not JSON: {error}"
        raise SchemaError(msg) from error


def ensure_ingested(corpus: Corpus, location: Path, settings: Settings) -> None:
    """Ingest *location* if it has no build yet, so that a first question gets its answer."""
    try:
        corpus.build_path()
    except NotIngestedError:
        print(f"{location} is not ingested yet; ingesting it first", file=sys.stderr)
        ingest_corpus(location, IngestChoice(), settings)


def print_report(report: IngestReport, *, as_json: bool) -> None:
    """Print what an ingestion did."""
    if as_json:
        print_json(report.to_json())
        return
    print("\n".join(report.lines()))


def print_answer(answer: Answer, *, as_json: bool) -> None:
    """Print an answer with its query, denominator and quotes, or why there is none."""
    if as_json:
        print_json(asdict(answer))
        return
    print(answer.text)
    if answer.brief is not None:
        columns = ", ".join(column.name for column in answer.brief.columns)
        print(f"\nColumns of {answer.brief.table}: {columns}")
        print('Ask with other words, or write the query: srag-mcp sql CORPUS "SELECT …"')
        return
    print(f"\n{render_denominator(answer.n_documents, answer.coverage)}")
    if answer.bounds is not None:
        print(f"Whatever they would say: {answer.bounds.lower:g} to {answer.bounds.upper:g}.")
    for warning in answer.warnings:
        print(f"Note: {warning}.")
    print(f"\nSQL:  {answer.sql}")
    for source in answer.sources:
        print(f"Says: {source.document_id}: {source.column} — {_quote(source.as_stated or '')}")


def _quote(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= MAX_QUOTE else flat[: MAX_QUOTE - 1] + '…'}”"


def print_page(page: ResultPage, *, as_json: bool) -> None:
    """Print the rows of a query."""
    if as_json:
        print_json(asdict(page))
        return
    print_table(page.columns, page.rows)
    if page.truncated:
        print(f"more rows follow: --offset {page.next_offset}", file=sys.stderr)


def print_schema(corpus: Corpus, *, as_json: bool) -> None:
    """Print the columns of a corpus and what they hold."""
    schema = corpus.schema()
    if as_json:
        print_json(schema.model_dump(mode="json"))
        return
    info = corpus.info()
    print(f"{schema.title}: table {schema.entity}, {info.n_documents} documents")
    holds = {item.column: describe_column(item) for item in corpus.statistics()}
    print_table(
        ("column", "type", "unit", "holds"),
        [(item.name, item.type, item.unit, holds.get(item.name, "")) for item in schema.attributes],
    )


def print_statistics(corpus: Corpus, columns: Sequence[str], *, as_json: bool) -> None:
    """Print the statistics of *columns*, of all when empty."""
    for column in columns:
        corpus.schema().attribute(column)
    found = corpus.statistics(list(columns) or None)
    if as_json:
        print_json([asdict(item) for item in found])
        return
    print_table(
        ("column", "type", "known", "not mentioned", "failed", "distinct", "holds"),
        [
            (
                item.column,
                item.type,
                item.n_non_null,
                item.n_not_mentioned,
                item.n_failed,
                item.n_distinct,
                describe_column(item),
            )
            for item in found
        ],
    )


def print_evidence(found: EvidencePage, *, as_json: bool) -> None:
    """Print documents and quotes."""
    if as_json:
        print_json(asdict(found))
        return
    print_table(
        ("document", "value", "state", "says"),
        [
            (item.document_id, item.value, item.state, _says(item.as_stated, item.note))
            for item in found.evidence
        ],
    )
    print(f"{len(found.evidence)} of {found.total} cells", file=sys.stderr)


def _says(as_stated: str | None, note: str) -> str:
    quote = "" if as_stated is None else _quote(as_stated)
    return f"{quote} ({note})" if note else quote
