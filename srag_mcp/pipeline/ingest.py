"""Ingestion: a folder of documents becomes a published build (S-RAG 3.2)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from srag_mcp.documents.document import Document
from srag_mcp.errors import CorpusError
from srag_mcp.pipeline.extraction_run import ExtractionRun
from srag_mcp.pipeline.file_plan import FoundFiles, find_files, plan_files
from srag_mcp.pipeline.options import IngestOptions
from srag_mcp.pipeline.question_coverage import find_uncovered
from srag_mcp.pipeline.reader_pool import default_processes
from srag_mcp.pipeline.report import Failure, IngestReport, Progress
from srag_mcp.pipeline.sample_questions import tidy_questions
from srag_mcp.pipeline.sampling import read_sample
from srag_mcp.pipeline.schema_choice import SchemaWish, put_schema_in_force
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish, published_info
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.work import WorkDatabase
from srag_mcp.store.work_opening import open_work

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class _Run:
    """What the steps of one ingestion share."""

    folder: Path
    n_processes: int
    found: FoundFiles
    wish: SchemaWish
    on_progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]


def ingest(
    folder: Path,
    settings: Settings,
    *,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
    **options: Unpack[IngestOptions],
) -> IngestReport:
    """Build or update the table of a corpus; start it again after anything to go on.

    Documents that are finished and have not changed are not read again. Readers see the old build
    until the new one is whole.

    Args:
        folder: The documents, or a folder with a `documents/` folder inside.
        settings: Limits, number of processes, place of the state.
        on_progress: Called after each step.
        cancelled: Asked between documents; when true, what is finished is kept and the report says
            so.
        options: See `IngestOptions`.

    Raises:
        CorpusError: If the folder cannot be used, or none of its files can be read.
        SchemaError: If a schema that a person wrote cannot be used.
        LockedError: If another process ingests this corpus.
        StoreError: If the databases cannot be written; the old build stays.
    """
    started = time.monotonic()
    on_progress(Progress("finding"))
    found = find_files(folder, settings, options.get("rows", "auto"))
    run = _Run(
        folder=folder.expanduser().resolve(),
        n_processes=settings.workers or default_processes(),
        found=found,
        wish=SchemaWish(
            options.get("schema"),
            tuple(tidy_questions(options.get("questions", ()))),
            options.get("fresh", False),
        ),
        on_progress=on_progress,
        cancelled=cancelled,
    )
    state = CorpusFolder(folder, settings.home).writable()
    with open_work(state) as work:
        if run.wish.fresh:
            work.forget_failures()
        report = _ingest(run, work)
    if not report.cancelled:
        uncovered = find_uncovered(folder, settings, run.wish.questions)
        report = replace(report, uncovered=uncovered)
        on_progress(Progress("done", report.n_documents, report.n_documents))
    return replace(report, seconds=time.monotonic() - started)


def _ingest(run: _Run, work: WorkDatabase) -> IngestReport:
    schema = put_schema_in_force(work, run.folder, run.wish, lambda: _sample(run))
    plan = plan_files(work, run.found, schema, run.n_processes)
    extraction = ExtractionRun(work, plan)
    extraction.finish(run.n_processes, run.on_progress, run.cancelled)
    published = not extraction.cancelled and _publish(run, work, schema)
    info = published_info(work.state)
    n_stored = work.n_documents()
    failed = tuple(Failure(path, reason) for path, reason in work.failures())
    return IngestReport(
        corpus=run.folder.name,
        build_id=info.build_id if info else None,
        published=published,
        cancelled=extraction.cancelled,
        n_documents=n_stored + len(failed),
        n_extracted=extraction.n_extracted,
        n_unchanged=n_stored - extraction.n_extracted,
        n_removed=extraction.n_removed,
        rows=run.found.rows,
        rows_reason=run.found.rows_reason,
        failed=failed,
        skipped=tuple(Failure(item.path, item.reason) for item in run.found.skipped),
        attributes=tuple(item.name for item in schema.attributes),
        warnings=_warnings(work, schema),
    )


def _sample(run: _Run) -> Sequence[Document]:
    """Read the sample for a schema.

    Raises:
        CorpusError: If no file can be read, so that there is nothing to learn from.
    """
    run.on_progress(Progress("schema"))
    sample = read_sample(run.found, run.n_processes)
    if sample.documents:
        return sample.documents
    problems = [str(item) for item in (*sample.failed, *run.found.failed, *run.found.skipped)]
    named = "; ".join(problems[:_MAX_NAMED])
    more = f" and {len(problems) - _MAX_NAMED} more" if len(problems) > _MAX_NAMED else ""
    msg = f"none of the files of {run.folder} could be read: {named}{more}"
    raise CorpusError(msg)


def _publish(run: _Run, work: WorkDatabase, schema: Schema) -> bool:
    """Publish, unless the present build has the same content; say whether it was done."""
    info = published_info(work.state)
    if info is not None and info.revision == work.revision:
        return False

    def on_column(done: int, total: int, name: str) -> None:
        run.on_progress(Progress("normalising", done, total, name))

    publish(work, schema, on_column=on_column)
    run.on_progress(Progress("publishing", 1, 1))
    return True


def _warnings(work: WorkDatabase, schema: Schema) -> tuple[str, ...]:
    warnings = [work.warning] if work.warning else []
    if not schema.attributes:
        warnings.append(
            "no attributes were found: the documents have no fields in common that code can see."
            " Put a schema.json into the folder, or give sample questions; the table `documents`"
            " can be queried"
        )
    return tuple(warnings)
