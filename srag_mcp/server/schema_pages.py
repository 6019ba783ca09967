"""What list_corpora, get_schema and get_column_stats return; no protocol in here.

Imports of the layers below stand in the functions: listing the tools does not need them.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from srag_mcp.errors import NotIngestedError, SragError, UnknownNameError
from srag_mcp.server.corpora import Corpora
from srag_mcp.server.page_size import json_size, take_whole
from srag_mcp.server.results import (
    CorpusEntry,
    CorpusList,
    SchemaPage,
    StatisticsEntry,
    StatisticsPage,
    ValueEntry,
)
from srag_mcp.text.shown import shorten

if TYPE_CHECKING:
    from srag_mcp.schema.attribute import Attribute
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.statistics import ColumnStatistics

MAX_VALUES = 20
MAX_RANGE_VALUES = 5
MAX_REVIEWED = 5
MAX_VALUE_CHARACTERS = 200
MAX_LINE_CHARACTERS = 240
MIN_LINE_CHARACTERS = 70
SCHEMA_CHARACTERS = 6000  # with what stands around the columns, below 2,000 tokens
PAGE_SHARE = 0.9
NOTES = (
    "Unknown values are NULL.",
    "Join the tables on document_id; in cells, state is stated, stated_absent, not_mentioned or"
    " failed, and as_stated holds the quote.",
)


def list_corpora_page(corpora: Corpora) -> CorpusList:
    """List the corpora and say what to call for those that are not ready."""
    entries = [_corpus_entry(corpora, name) for name in corpora]
    return CorpusList(corpora=entries, next=_advice(entries))


def _corpus_entry(corpora: Corpora, name: str) -> CorpusEntry:
    """Describe one corpus; what is wrong with it does not hide the others."""
    try:
        is_ingesting = corpora.is_ingesting(name)
        corpus = corpora.get(name)
        info = corpora.readable(name).info()
    except NotIngestedError as error:
        if corpus.is_build or not corpus.location.is_dir():
            return CorpusEntry(name=name, state="unreadable", problem=str(error))
        return CorpusEntry(name=name, state="ingesting" if is_ingesting else "not ingested")
    except SragError as error:
        return CorpusEntry(name=name, state="unreadable", problem=str(error))
    return CorpusEntry(
        name=name,
        state="ingesting" if is_ingesting else "ready",
        table=info.entity,
        documents=info.n_documents,
        failed_documents=info.n_failed,
        columns=info.n_attributes,
        built_at=info.created_at,
    )


def _advice(entries: Sequence[CorpusEntry]) -> str:
    if not entries:
        return "no corpus is served: start the server with --corpus DIR"
    building = [entry.name for entry in entries if entry.state == "ingesting" and not entry.table]
    waiting = [entry.name for entry in entries if entry.state == "not ingested"]
    steps = []
    if any(entry.table for entry in entries):
        steps.append("call ask with a question, or get_schema and then run_sql")
    if building:
        steps.append(f"call ingest_status with corpus={building[0]!r} while it is running")
    if waiting:
        steps.append(f"call ingest_corpus with corpus={waiting[0]!r}")
    return "; for another corpus ".join(steps) or "tell the user what the problem is"


def schema_page(corpora: Corpora, name: str, offset: int = 0) -> SchemaPage:
    """Describe the tables of a corpus, from the column number *offset* on."""
    corpus = corpora.readable(name)
    schema = corpus.schema()
    lines = column_lines(corpus)
    columns = take_whole(lines[offset:], int(corpora.settings.max_result_characters * PAGE_SHARE))
    following = offset + len(columns)
    truncated = following < len(lines)
    return SchemaPage(
        corpus=corpora.name(name),
        title=schema.title,
        table=schema.entity,
        documents=corpus.info().n_documents,
        columns=columns,
        other_tables=other_tables(corpus),
        notes=[
            *NOTES,
            *_note_of_partial_reading(corpus),
            *_note_of_reviews(corpus),
            *_note_of_offset(offset, len(lines)),
        ],
        truncated=truncated,
        next_offset=following if truncated else None,
    )


def _note_of_partial_reading(corpus: "Corpus") -> list[str]:
    """Count the documents of which a part is unread, and say what that leaves open."""
    n_documents = max((item.n_read_in_part for item in corpus.statistics()), default=0)
    if not n_documents:
        return []
    return [
        f"at least {n_documents} long documents were read in part: what their cells do not mention"
        " is NULL, and may stand in the rest"
    ]


def _note_of_reviews(corpus: "Corpus") -> list[str]:
    """Count the cells that a model and a learned rule read differently, by column."""
    from srag_mcp.store.evidence import count_reviews  # not needed to list tools

    counts = count_reviews(corpus.read)
    if not counts:
        return []
    worst = sorted(counts.items(), key=lambda item: -item[1])[:MAX_REVIEWED]
    columns = ", ".join(f"{column} ({n})" for column, n in worst)
    return [
        f"{sum(counts.values())} cells to review, which a learned rule reads otherwise: {columns};"
        " trace_value of the column and document shows both"
    ]


def _note_of_offset(offset: int, n_lines: int) -> list[str]:
    if offset < n_lines:
        return []
    return [f"offset {offset} is behind the last of {n_lines} columns"]


def other_tables(corpus: "Corpus") -> list[str]:
    """Write the tables beside the records: `documents(document_id, path, …)`."""
    entity = corpus.schema().entity
    tables = corpus.tables().items()
    return [f"{table}({', '.join(names)})" for table, names in tables if table != entity]


def column_lines(corpus: "Corpus") -> list[str]:
    """Write the columns of the record table, a line each; the more there are, the shorter.

    `"price number USD: 62 to 1244, median 482; known in 98 of 100 — Price of one night."`
    """
    statistics = {item.column: item for item in corpus.statistics()}
    lines = ["document_id string: key of the record; the same in documents and cells"]
    lines += [
        _line(corpus.sql_name(item.name), item, statistics.get(item.name))
        for item in corpus.schema().attributes
    ]
    longest = _longest_line(lines)
    return [shorten(line, longest) for line in lines]


def _line(name: str, attribute: "Attribute", statistics: "ColumnStatistics | None") -> str:
    from srag_mcp.ask.brief import describe_column

    unit = f" {attribute.unit}" if attribute.unit else ""
    absent = attribute.absent_means
    absence = "" if absent == "unknown" else f" (not mentioned means {absent})"
    holds = describe_column(statistics, literals=True) if statistics else "nothing"
    said = re.split(r"[.;]\s", attribute.description, maxsplit=1)[0].rstrip(".")
    meaning = f" — {said}" if said else ""
    return f"{name} {attribute.type}{unit}{absence}: {holds}{meaning}"


def _longest_line(lines: Sequence[str]) -> int:
    """Return how long a line may be so that all of them fit."""
    longest = MAX_LINE_CHARACTERS
    while longest > MIN_LINE_CHARACTERS and _size(lines, longest) > SCHEMA_CHARACTERS:
        longest -= 10
    return longest


def _size(lines: Sequence[str], longest: int) -> int:
    return sum(min(json_size(line), longest) + 1 for line in lines)


def statistics_page(corpora: Corpora, name: str, columns: Sequence[str]) -> StatisticsPage:
    """Give the statistics of *columns*, of all when empty.

    Raises:
        UnknownNameError: If there is no such column; the text names those that look alike.
    """
    corpus = corpora.readable(name)
    for column in columns:
        check_column(corpus, column)
    units = {attribute.name: attribute.unit for attribute in corpus.schema().attributes}
    entries = [
        _statistics_entry(item, units.get(item.column))
        for item in corpus.statistics(list(columns) or None)
    ]
    room = int(corpora.settings.max_result_characters * PAGE_SHARE)
    taken = take_whole(entries, room)
    left = [entry.column for entry in entries[len(taken) :]]
    return StatisticsPage(
        corpus=corpora.name(name),
        columns=taken,
        truncated=bool(left),
        next=f"{len(left)} more: call get_column_stats with columns={left[:MAX_VALUES]}"
        if left
        else "",
    )


def check_column(corpus: "Corpus", column: str) -> None:
    """Raise UnknownNameError, with the nearest names, if *corpus* has no such column."""
    names = [attribute.name for attribute in corpus.schema().attributes]
    if column in names:
        return
    from difflib import get_close_matches

    nearest = get_close_matches(column.lower(), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"columns: {', '.join(names)}"
    said = f"no column {column!r} in {corpus.schema().entity}; {shorten(hint, 1000)}"
    msg = f"{said}{propose_column(corpus)}"
    raise UnknownNameError(msg, "", nearest)


def propose_column(corpus: "Corpus") -> str:
    """Say how *corpus* gets a column; nothing where it cannot be ingested."""
    return "" if corpus.is_build else "\nif no column holds it, extend_schema adds one"


def _statistics_entry(item: "ColumnStatistics", unit: str | None) -> StatisticsEntry:
    # The rarer of many numbers or dates tell less than the quartiles do.
    is_long_range = item.minimum is not None and item.n_distinct > MAX_VALUES
    shown = item.values[: MAX_RANGE_VALUES if is_long_range else MAX_VALUES]
    values = [ValueEntry(value=_shown(entry.value), records=entry.count) for entry in shown]
    return StatisticsEntry(
        column=item.column,
        type=item.type,
        unit=unit,
        records=item.n_records,
        non_null=item.n_non_null,
        stated=item.n_stated,
        stated_absent=item.n_stated_absent,
        not_mentioned=item.n_not_mentioned,
        failed=item.n_failed,
        distinct=item.n_distinct,
        minimum=item.minimum,
        lower_quartile=item.lower_quartile,
        median=item.median,
        mean=item.mean,
        upper_quartile=item.upper_quartile,
        maximum=item.maximum,
        values=values,
        truncated=item.truncated or len(item.values) > len(shown),
    )


def _shown(value: str | int | float | bool) -> str | int | float | bool:
    is_long = isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS
    return shorten(str(value), MAX_VALUE_CHARACTERS) if is_long else value
