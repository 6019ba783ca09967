"""The records that an ingestion found, beside the gold records of the same documents."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value

_PAGE_ROWS = 10_000


def read_records(corpus: Corpus) -> dict[str, dict[str, Value]]:
    """Return the cells of every record by document id, page by page."""
    entity = corpus.schema().entity.replace('"', '""')
    records: dict[str, dict[str, Value]] = {}
    offset: int | None = 0
    while offset is not None:
        page = corpus.select(f'SELECT * FROM "{entity}"', limit=_PAGE_ROWS, offset=offset)  # noqa: S608
        for row in page.rows:
            cells = dict(zip(page.columns, row, strict=True))
            records[str(cells.pop("document_id"))] = cells
        offset = page.next_offset if page.truncated else None
    return records


def match_documents(
    records: Mapping[str, Mapping[str, Value]], names: Sequence[str]
) -> dict[str, Mapping[str, Value]]:
    """Return the records by the names that gold uses: an id, a file name, or a stem."""
    found = match_names(records, names)
    matched: dict[str, Mapping[str, Value]] = {}
    for document_id, name in found.items():
        matched.setdefault(name, records[document_id])
    return matched


def match_names(document_ids: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """Return the name that gold uses for each document that it names."""
    wanted = set(names)
    matched: dict[str, str] = {}
    for document_id in document_ids:
        path = PurePosixPath(document_id)
        for name in (document_id, path.name, path.stem):
            if name in wanted:
                matched[document_id] = name
                break
    return matched
