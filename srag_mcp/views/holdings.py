"""What the columns of a corpus hold: its schema and its statistics."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from srag_mcp.cells.cell import is_predicted
from srag_mcp.errors import CorpusError, SchemaError, UnknownNameError
from srag_mcp.inference.brief import describe_column
from srag_mcp.schema.schema import POSITION
from srag_mcp.schema.schema import Table as TableOfSchema
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import count_reviews
from srag_mcp.store.kind_tables import KindTables
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.takeover import find_left_out
from srag_mcp.text.shown import shorten
from srag_mcp.text.words import nearest_names
from srag_mcp.views.results import (
    PAGE_SHARE,
    SchemaPage,
    StatisticsEntry,
    StatisticsPage,
    Table,
    ValueEntry,
    json_size,
    take_whole,
)

MAX_VALUES = 20
MAX_RANGE_VALUES = 5
MAX_REVIEWED = 5
MAX_VALUE_CHARACTERS = 200
MAX_LINE_CHARACTERS = 240
MAX_LEFT_OUT_CHARACTERS = 400
MAX_REASON = 200
MIN_LINE_CHARACTERS = 70
KEY_LINE = "document_id string: key of the record; the same in all tables"
SCHEMA_CHARACTERS = 6000  # with what stands around the columns, below 2,000 tokens
NOTES = (
    "Unknown values are NULL.",
    "Join the tables on document_id; in cells, state is stated, stated_absent, not_mentioned,"
    " failed or corrected, and as_stated holds the quote.",
)

NO_KEYS = "no columns of two kinds have so many values in common that they could be joined on them"
NOTES_OF_KINDS = (
    NOTES[0],
    "document_id joins the tables of one kind, and documents, cells and passages, which have those"
    " of all kinds; a document is of one kind.",
)
MAX_KEYS = 10


def schema_page(corpus: Corpus | KindTables, max_characters: int, offset: int = 0) -> SchemaPage:
    """Describe the tables of a corpus, from the column number *offset* on.

    Its notes say what the cells leave open: documents read in part, and readings that differ.
    """
    if isinstance(corpus, KindTables):
        lines, notes = lines_of_kinds(corpus), [*say_keys(corpus), *NOTES_OF_KINDS]
        title = f"{len(corpus.corpora)} kinds of documents"
        table = ", ".join(x.name for x in corpus.own_tables() if not x.table.parent)
        n_documents = corpus.n_documents
    else:
        corpus = corpus.within()
        lines, notes = column_lines(corpus), _notes_of(corpus)
        title, table = corpus.schema().title, corpus.schema().entity
        n_documents = corpus.info().n_documents
    columns = take_whole(lines[offset:], int(max_characters * PAGE_SHARE))
    following = offset + len(columns)
    if offset >= len(lines):
        notes.append(f"offset {offset} is behind the last of {len(lines)} columns")
    return SchemaPage(
        corpus=corpus.name,
        title=title,
        table=table,
        documents=n_documents,
        columns=columns,
        other_tables=other_tables(corpus),
        notes=notes,
        truncated=following < len(lines),
        next_offset=following if following < len(lines) else None,
    )


def _notes_of(corpus: Corpus) -> list[str]:
    info = corpus.info()
    notes = [*NOTES, info.account] if info.account else [*NOTES]
    notes += corpus.left_out()
    notes += [f"{text}; the old name stays for this version" for text in info.renamed]
    notes += loose_notes(corpus)
    above = tuple(f"{child.list_name}." for child in corpus.schema().children)
    lists = (x for x in corpus.schema().lists if not x.name.startswith(above))
    notes += [f"in no column: {x.name}, a list of {x.holds} in the records" for x in lists]
    left_out = ", ".join(item.name for item in find_left_out(corpus.state, corpus.schema()))
    if left_out:
        named = shorten(left_out, MAX_LEFT_OUT_CHARACTERS)
        notes.append(f"proposed and left out, extend_schema with the name adds it: {named}")
    n_in_part = max((item.n_read_in_part for item in corpus.statistics()), default=0)
    if n_in_part:
        notes.append(
            f"at least {n_in_part} long documents were read in part: what their cells do not"
            " mention is NULL, and may stand in the rest"
        )
    counts = count_reviews(corpus.read)
    if counts:
        worst = sorted(counts.items(), key=lambda item: -item[1])[:MAX_REVIEWED]
        reviewed = ", ".join(f"{column} ({n})" for column, n in worst)
        notes.append(
            f"{sum(counts.values())} cells to review, which a learned rule reads otherwise:"
            f" {reviewed}; trace_value of the column and document shows both"
        )
    return notes


def lines_of_kinds(kinds: KindTables) -> list[str]:
    """Write the columns of the tables of all kinds, a line each below the line of their table."""
    lines: list[str] = []
    room = SCHEMA_CHARACTERS // len(kinds.corpora)
    for corpus in kinds.corpora:
        names = kinds.names_of(corpus)
        name = names[corpus.schema().entity]
        said = f"{corpus.info().n_documents:,} documents, a corpus of its own: {corpus.name}"
        lines += [f"table {corpus.sql_name(name)} (document_id): {said}"]
        lines += column_lines(corpus, room, names)[1:]
    return lines


def say_keys(kinds: KindTables) -> list[str]:
    """Say what the tables of the kinds can be joined on, and which of them are not there."""
    keys = [f"join on {key}" for key in kinds.shared_keys()[:MAX_KEYS]] or [NO_KEYS]
    return [*keys, *kinds.notices()]


def other_tables(corpus: Corpus | KindTables) -> list[str]:
    """Write the tables beside the records: `documents(document_id, path, …)`."""
    if isinstance(corpus, KindTables):
        left_out = {item.name for item in corpus.own_tables()}
    else:
        left_out = {*(item.entity for item in corpus.schema().tables), corpus.info().former_table}
    tables = corpus.tables().items()
    return [f"{table}({', '.join(names)})" for table, names in tables if table not in left_out]


def loose_notes(corpus: Corpus, column: str = "") -> list[str]:
    """Say what was read for some documents only: `"read for 40 of 200 documents, not kept: a"`.

    *column*: of this one alone; empty for all.
    """
    return [
        f"read for {item.n_read:,} of {item.n_records:,} documents, not kept: {item.column}"
        for item in corpus.statistics(corpus.info().loose)
        if not column or item.column == column
    ]


def column_lines(
    corpus: Corpus, room: int = SCHEMA_CHARACTERS, names: Mapping[str, str] | None = None
) -> list[str]:
    """Write the columns of all tables, a line each; the more there are, the shorter.

    What was read for some documents only is left out. *room* is how many characters they may have
    together, *names* what its tables are called among those of other kinds.

    `"price number USD: 62 to 1244, median 482; known in 98 of 100 — Price of one night."`
    """
    schema = corpus.schema()
    lines = [KEY_LINE, *_lines_of(corpus, corpus.kept_schema().table)]
    for child in schema.children:
        name = corpus.sql_name((names or {}).get(child.entity, child.entity))
        n_rows = count_rows(corpus, child)
        lines.append(f"table {name} (document_id, {POSITION} from 1): {n_rows}")
        lines += _lines_of(corpus, child, f"{name}.")
    longest, sizes = MAX_LINE_CHARACTERS, [json_size(line) + 1 for line in lines]
    while longest > MIN_LINE_CHARACTERS and sum(min(x, longest + 1) for x in sizes) > room:
        longest -= 10
    return [shorten(line, longest) for line in lines]


def count_rows(corpus: Corpus, child: TableOfSchema) -> str:
    """Say how many rows a child table has, and of how many documents: those that list any.

    `"312 items of 40 of 43 documents; 2 list none; 1 may list some, not understood"`; where a
    model read and found none, that it found none
    """
    found = corpus.list_statistics(child.entity)
    n_rows = max((item.n_records for item in corpus.statistics(table=child.entity)), default=0)
    said = f"{n_rows:,} {child.list_name} of {found.n_stated:,} of {found.n_records:,} documents"
    rest = {
        "{:,} list none": found.n_stated_absent,
        "in {:,} none was found": found.n_silent,
        "{:,} may list some, not understood": found.n_open - found.n_failed,
        "{:,} could not be read": found.n_failed,
    }
    told = [said, *(what.format(n) for what, n in rest.items() if n)]
    lists, above = corpus.schema().lists, f"{child.list_name}."
    inside = [x.name.removeprefix(above) for x in lists if x.name.startswith(above)]
    if inside:
        told.append(f"lists in the items, without a table: {', '.join(inside)}")
    return "; ".join(told)


def _lines_of(corpus: Corpus, table: TableOfSchema, above: str = "") -> list[str]:
    statistics = {item.column: item for item in corpus.statistics(table=table.entity)}
    lines = []
    for item in table.attributes:
        unit = f" {item.unit}" if item.unit else ""
        absent = item.absent_means
        absence = "" if absent == "unknown" else f" (not mentioned means {absent})"
        found = statistics.get(item.name)
        holds = describe_column(found, literals=True) if found else "nothing"
        if found and found.n_non_null == 0 and not is_predicted(corpus.info().engine):
            holds += "" if item.extractors else "; no rule or model has filled it"
        said = re.split(r"[.;]\s", item.description, maxsplit=1)[0].rstrip(".")
        meaning = f" — {said}" if said else ""
        if found and found.n_ruled:
            holds += f"; {found.n_ruled} cells by rules, {item.certificate or 'not audited'}"
        name = f"{above}{corpus.sql_name(item.name)}"
        lines.append(f"{name} {item.type}{unit}{absence}: {holds}{meaning}")
    return lines


def statistics_page(corpus: Corpus, max_characters: int, columns: Sequence[str]) -> StatisticsPage:
    """Give the statistics of *columns*, see `find_statistics`."""
    corpus = corpus.within()
    entries = [_statistics_entry(corpus, item) for item in find_statistics(corpus, columns)]
    taken = take_whole(entries, int(max_characters * PAGE_SHARE))
    left = [entry.column for entry in entries[len(taken) :]]
    following = f"{len(left)} more: call get_column_stats with columns={left[:MAX_VALUES]}"
    return StatisticsPage(
        corpus=corpus.name, columns=taken, truncated=bool(left), next=following if left else ""
    )


def find_statistics(corpus: Corpus, columns: Sequence[str]) -> list[ColumnStatistics]:
    """Return the statistics of *columns*, see `check_column`; of those of all tables when empty."""
    places = [check_column(corpus, column) for column in columns]
    return [
        item
        for table in corpus.schema().tables
        for item in corpus.statistics(table=table.entity)
        if not places or (table.entity, item.column) in places
    ]


def _statistics_entry(corpus: Corpus, item: ColumnStatistics) -> StatisticsEntry:
    # The rarer of many numbers or dates tell less than the quartiles do.
    is_long_range = item.minimum is not None and item.n_distinct > MAX_VALUES
    shown = item.values[: MAX_RANGE_VALUES if is_long_range else MAX_VALUES]
    states = ("stated", "stated_absent", "not_mentioned", "failed", "corrected")
    counted = (*states, "unread", "distinct", "non_null")
    measured = ("minimum", "lower_quartile", "median", "mean", "upper_quartile", "maximum")
    return StatisticsEntry(
        column=shown_name(item, corpus.schema().entity),
        type=item.type,
        unit=corpus.schema().attribute(item.column, item.table).unit,
        records=item.n_records,
        **{name: getattr(item, f"n_{name}") for name in counted},
        **{name: getattr(item, name) for name in measured},
        values=[
            ValueEntry(
                value=shorten(entry.value, MAX_VALUE_CHARACTERS)
                if isinstance(entry.value, str) and len(entry.value) > MAX_VALUE_CHARACTERS
                else entry.value,
                records=entry.count,
            )
            for entry in shown
        ],
        truncated=item.truncated or len(item.values) > len(shown),
    )


def shown_name(item: ColumnStatistics, entity: str, names: Mapping[str, str] | None = None) -> str:
    """Return what a column is called: `total`, and `order_items.sku` where not of *entity*."""
    if item.table in {None, entity}:
        return item.column
    return f"{(names or {}).get(str(item.table), item.table)}.{item.column}"


def check_column(corpus: Corpus, column: str) -> tuple[str, str]:
    """Return the table and the name of a column, see `Schema.find_column`.

    Raises:
        UnknownNameError: If *corpus* has no such column; the text has the nearest names.
    """
    names = corpus.schema().column_names()
    with suppress(SchemaError):
        return corpus.schema().find_column(column)
    nearest = nearest_names(column, names)
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"columns: {', '.join(names)}"
    said = f"no column {column!r} in {corpus.schema().entity}; {shorten(hint, 1000)}"
    msg = f"{said}{propose_column(corpus)}"
    raise UnknownNameError(msg, "", nearest)


def kind_with(corpus: Corpus | KindTables, column: str = "", document_id: str = "") -> Corpus:
    """Return the only kind that has the column, and the document; of one corpus, that.

    Raises:
        CorpusError: If several kinds have them, or none; the text names them.
    """
    if isinstance(corpus, Corpus):
        return corpus
    having, problems = list[Corpus](), list[str]()
    for kind in filter(None, (*corpus.corpora, None if column else corpus.rest())):
        try:
            if column:
                check_column(kind, column)
            if document_id:
                kind.document(document_id)
            having.append(kind)
        except (UnknownNameError, CorpusError) as problem:
            problems.append(f"{kind.name}: {shorten(str(problem).splitlines()[0], MAX_REASON)}")
    if len(having) == 1:
        return having[0]
    msg = f"{corpus.name} holds several kinds of documents, and none has it; {'; '.join(problems)}"
    if having:
        names = ", ".join(kind.name for kind in having)
        msg = f"several kinds of documents in {corpus.name} have it; name one as corpus: {names}"
    raise CorpusError(msg)


def propose_column(corpus: Corpus) -> str:
    """Say how *corpus* gets a column; nothing where it cannot be ingested."""
    return "" if corpus.is_build else "\nif no column holds it, extend_schema adds one"


def schema_table(corpus: Corpus, names: Mapping[str, str]) -> Table:
    """Tabulate the columns of the schema for people; *names* as in `column_lines`."""
    schema, loose, rows = corpus.schema(), corpus.info().loose, []
    for item in find_statistics(corpus, ()):
        if item.table != schema.entity or item.column not in loose:
            name = shown_name(item, schema.entity, names)
            unit = schema.attribute(item.column, item.table).unit
            rows.append((name, item.type, unit, describe_column(item)))
    return ("column", "type", "unit", "holds"), rows


def statistics_table(found: Sequence[ColumnStatistics], entity: str | None = None) -> Table:
    """Tabulate statistics for people."""
    rows = []
    for item in found:
        name, n = shown_name(item, entity or item.table or ""), item
        counts = (n.n_non_null, n.n_none, n.n_not_mentioned, n.n_failed, n.n_distinct)
        rows.append((name, item.type, *counts, describe_column(item)))
    counted = ("known", "have none", "not mentioned", "failed", "distinct")
    return ("column", "type", *counted, "holds"), rows
