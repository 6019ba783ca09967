"""What a build says of itself."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from srag_mcp.errors import StoreError
from srag_mcp.store.pointer import FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """The facts of a build, kept in `srag_build`.

    Attributes:
        build_id: Its name; new for every publication.
        format_version: Of the tables; this package reads FORMAT_VERSION.
        title: What one record is, for people.
        entity: The record table.
        n_documents: Documents, those that could not be read included.
        n_failed: Documents that could not be read.
        n_attributes: Columns of the record table, without `document_id`.
        created_at: UTC, ISO 8601.
        engine: Who extracted: `offline`, `model` or `agent`.
        revision: Of the work database it was made from.
        cut_value_columns: Text columns whose rarer values are not in the value index.
    """

    build_id: str
    format_version: int
    title: str
    entity: str
    n_documents: int
    n_failed: int
    n_attributes: int
    created_at: str
    engine: str
    revision: str
    cut_value_columns: tuple[str, ...] = ()


def info_rows(info: BuildInfo) -> list[tuple[str, str]]:
    """Write as rows of `srag_build`."""
    entries = asdict(info) | {"cut_value_columns": " ".join(info.cut_value_columns)}
    return [(key, str(value)) for key, value in entries.items()]


def read_info(rows: Iterable[tuple[object, ...]]) -> BuildInfo:
    """Read from rows of `srag_build`.

    Raises:
        StoreError: If the build is of a format that this version does not know.
    """
    found = {str(row[0]): str(row[1]) for row in rows}
    if found.get("format_version") != str(FORMAT_VERSION):
        msg = (
            f"this build has format {found.get('format_version')!r}; this version of srag-mcp reads"
            f" format {FORMAT_VERSION}. Update srag-mcp, or ingest the documents again"
        )
        raise StoreError(msg)
    missing = {field.name for field in fields(BuildInfo)} - found.keys()
    if missing:
        msg = f"the build does not say its {', '.join(sorted(missing))}; ingest the corpus again"
        raise StoreError(msg)
    return _info(found)


def _info(found: Mapping[str, str]) -> BuildInfo:
    return BuildInfo(
        build_id=found["build_id"],
        format_version=int(found["format_version"]),
        title=found["title"],
        entity=found["entity"],
        n_documents=int(found["n_documents"]),
        n_failed=int(found["n_failed"]),
        n_attributes=int(found["n_attributes"]),
        created_at=found["created_at"],
        engine=found["engine"],
        revision=found["revision"],
        cut_value_columns=tuple(found["cut_value_columns"].split()),
    )
