"""The report on what the databases of a corpus hold, whatever the present run did."""

from pathlib import Path

from srag_mcp.pipeline.file_plan import FoundFiles
from srag_mcp.pipeline.report import Failure, IngestReport
from srag_mcp.schema.other_scripts import find_meant
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import published_info
from srag_mcp.store.predictions import Predictions, UnreadRecords, find_unread
from srag_mcp.store.work import WorkDatabase


def report_stored(
    folder: Path, found: FoundFiles, work: WorkDatabase, *, by_model: bool
) -> IngestReport:
    """Report what is stored; *by_model*: whether a language model reads the documents."""
    present = work.schema_in_force()
    schema = None if present is None else present.schema
    info = published_info(work.state)
    n_stored = work.n_documents()
    files = tuple(Failure(path, reason) for path, reason in work.failures())
    asked = schema.attributes if by_model and schema else ()
    unread = find_unread(work, asked)
    n_in_part = Predictions(work).count_read_in_part(asked)
    records = tuple(Failure(item.document_id, item.reason) for item in unread.records)
    return IngestReport(
        corpus=folder.name,
        build_id=info.build_id if info else None,
        published=False,
        n_documents=n_stored + len(files),
        n_unchanged=n_stored,
        rows=found.rows is not None,
        rows_reason=found.rows_reason,
        failed=files + records,
        skipped=tuple(Failure(item.path, item.reason) for item in found.skipped),
        told=tuple(
            f"{path}: {line}" for path, state in sorted(work.files().items()) for line in state.told
        ),
        attributes=tuple(item.name for item in schema.attributes) if schema else (),
        warnings=(
            *_warnings(work, schema),
            *_warn_of_unread(unread, n_stored),
            *_warn_of_long_ones(n_in_part, n_stored),
        ),
    )


def _warnings(work: WorkDatabase, schema: Schema | None) -> tuple[str, ...]:
    warnings = [work.warning] if work.warning else []
    if schema is not None and not schema.attributes:
        warnings.append(
            "no attributes were found: the documents have no fields in common that code can see."
            " Put a schema.json into the folder, or give sample questions; the table `documents`"
            " can be queried"
        )
    meant = find_meant(schema) if schema is not None else {}
    if meant:
        named = ", ".join(f"{name} is “{word}”" for name, word in meant.items())
        warnings.append(
            f"names of columns have Latin letters: {named}. SQL takes the name, questions both;"
            " rename them in .srag/schema.json, keeping the word in x-synonyms"
        )
    return tuple(warnings)


def _warn_of_unread(unread: UnreadRecords, n_documents: int) -> tuple[str, ...]:
    warnings = []
    if unread.records:
        n_again = sum(item.is_asked_again for item in unread.records)
        again = f"; the next ingestion asks for {n_again} of them again" if n_again else ""
        warnings.append(
            f"no reply of the language model to {len(unread.records)} of {n_documents} documents"
            f" could be used: all their cells are failed{again}"
        )
    if unread.n_cells:
        counts = ", ".join(f"{name} {n}" for name, n in unread.n_cells)
        others = " of other documents" if unread.records else ""
        n_failed = sum(n for _, n in unread.n_cells)
        cells = "1 cell" if n_failed == 1 else f"{n_failed} cells"
        warnings.append(
            f"{cells}{others} failed ({counts});"
            " trace_value, or srag-mcp trace, with the state failed says why"
        )
    return tuple(warnings)


def _warn_of_long_ones(n_in_part: int, n_documents: int) -> tuple[str, ...]:
    if not n_in_part:
        return ()
    return (
        f"{n_in_part} of {n_documents} documents are too long to be read whole: what they do not"
        " mention in the parts that were read stays unknown; with a larger SRAG_PROMPT_TOKENS the"
        " next ingestion reads more of them",
    )
